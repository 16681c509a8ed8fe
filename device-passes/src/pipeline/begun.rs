//! What pipelines that begin alike have in common.

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_launch_facts::Facts;

use super::{Job, Pipeline, Report, Running, ends_of_channels};
use crate::options::{General, OwnOptions, PassOptions};
use crate::pass::Pass;
use crate::passes::{
    self, coalesce, coarsen, constant_memory, geometry, group_loop, lockstep, promote, reduction,
    replicate, unroll, vectorise, window,
};

impl Pipeline {
    /// The pipeline without what is asked of the passes that do more of the work at a time, which are the last ones:
    /// up to them, pipelines that have this in common do the same.
    pub fn beginning(&self) -> Pipeline {
        let mut beginning = self.clone();
        let options = &mut beginning.options;
        forget::<replicate::Options>(options);
        forget::<lockstep::Options>(options);
        forget::<unroll::Options>(options);
        forget::<coalesce::Options>(options);
        beginning
    }

    /// The pipeline without what is asked of passes after the first ones, up to `ndrange-to-loop`: up to there, pipelines
    /// that have this in common do the same.
    pub fn opening(&self) -> Pipeline {
        let mut opening = self.beginning();
        let is_first = |name: &str| opening_passes().iter().any(|pass| pass.name() == name);
        opening.switches.retain(|name, _| is_first(name));
        let options = &mut opening.options;
        forget::<geometry::Options>(options);
        forget::<vectorise::Options>(options);
        forget::<coarsen::Options>(options);
        forget::<group_loop::Options>(options);
        forget::<constant_memory::Options>(options);
        forget::<vectorise::LoopOptions>(options);
        forget::<promote::Options>(options);
        forget::<reduction::Options>(options);
        forget::<window::Options>(options);
        opening
    }
}

fn forget<O: OwnOptions>(options: &mut PassOptions) {
    options.of_mut::<O>().clone_from(O::DEFAULT);
}

/// A module after the first passes of a pipeline: what pipelines share that differ only in what later passes are asked
/// for.
pub struct Begun<'f> {
    module: Module,
    kernels: Vec<FunctionId>,
    running: Running<'f>,
}

impl<'f> Begun<'f> {
    /// Runs the passes of an [opening](Pipeline::opening) that makes no general versions; `None`: which kernels are
    /// rewritten at all is known only at the end.
    pub fn new(module: &Module, facts: &'f Facts, pipeline: &Pipeline) -> Option<Self> {
        let is_certain = pipeline.options.general == General::Never;
        if !is_certain || !ends_of_channels(module).is_empty() {
            return None;
        }
        let mut module = module.clone();
        let jobs = module.kernels().map(|kernel| Job { kernel, pipeline });
        let jobs: Vec<Job> = jobs.collect();
        let general = pipeline.options.general;
        let (jobs, mut running) = Running::start(&mut module, facts, jobs, general, |_| true);
        running.run(&mut module, opening_passes(), &jobs);
        Some(Begun {
            module,
            kernels: jobs.into_iter().map(|job| job.kernel).collect(),
            running,
        })
    }

    /// What the passes that decide which work is done in which order make of it, for a
    /// [beginning](Pipeline::beginning) with this opening.
    pub fn go_on(&self, pipeline: &Pipeline) -> Self {
        let first = passes::ALL.len() - last_passes().len();
        let passes = &passes::ALL[opening_passes().len()..first];
        let (module, running) = self.after(passes, pipeline);
        Begun {
            module,
            kernels: self.kernels.clone(),
            running,
        }
    }

    /// What a pipeline with this [beginning](Pipeline::beginning) makes, and what it did.
    pub fn end(&self, pipeline: &Pipeline) -> (Module, Report) {
        let (mut module, running) = self.after(last_passes(), pipeline);
        let report = running.end(&mut module, &pipeline.options);
        (module, report)
    }

    /// What some more passes make.
    fn after(&self, passes: &[&dyn Pass], pipeline: &Pipeline) -> (Module, Running<'f>) {
        let mut module = self.module.clone();
        let mut running = self.running.clone();
        let jobs = self.kernels.iter().map(|&kernel| Job { kernel, pipeline });
        let jobs: Vec<Job> = jobs.collect();
        running.run(&mut module, passes, &jobs);
        (module, running)
    }
}

/// The passes up to the one that makes loops of work-items.
fn opening_passes() -> &'static [&'static dyn Pass] {
    let mut all = passes::ALL.iter();
    let last = all.position(|pass| pass.name() == passes::NDRANGE_TO_LOOP);
    &passes::ALL[..last.map_or(0, |last| last + 1)]
}

/// The passes from the first on that does more of the work at a time.
fn last_passes() -> &'static [&'static dyn Pass] {
    let is_last = |pass: &&dyn Pass| pass.name() == passes::Replicate.name();
    let first = passes::ALL.iter().position(is_last);
    &passes::ALL[first.unwrap_or_default()..]
}
