//! The decision: each form that a kernel can be given is made by the real passes, priced by the
//! performance model, and the cheapest that fits on the board is kept.
//!
//! - `requested`: what the user asks for, for all kernels or before one (`#pragma fpgacc`).
//! - `variant`: the forms of a kernel, and what is decided of them.
//! - `alone`: a kernel without the others, on which forms are tried.
//! - `loop_names`: loops as the source names them.
//! - `price`: what a form costs, over all launches of the kernel.
//! - `profile`: trip counts that runs recorded.
//! - `search`: which forms are tried at which level.
//! - `choose`: the one that is kept.
//! - `tables`: which buffers of a form become constant memory.
//! - `side_by_side`: several kernels or forms at a time.
//! - `measured`: what aoc said of forms that it compiled.
//! - `timed`: times that were measured of forms, and what they say of others.
//! - `tuned`: kernels whose forms were found by measuring.
//! - `explore`: what may be varied of a kernel, for those who measure.
//! - `share`: kernels of one program share a device.
//! - `undecided`: kernels that nothing is decided of.
//! - `remarks`: what is reported to the user.
//!
//! Nothing here is random, and nothing depends on time: the same input gives the same choice.

mod alone;
mod choose;
pub mod describe;
pub mod explore;
mod loop_names;
pub mod measured;
mod price;
mod profile;
mod remarks;
pub mod requested;
mod search;
mod share;
mod side_by_side;
mod size;
mod tables;
pub mod timed;
pub mod tuned;
mod undecided;
mod variant;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use fpgacc_device_passes::passes::{self, reduction};
use fpgacc_device_passes::pipeline::{self, Pipeline, Report};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::SourceMap;
use fpgacc_kernel_analysis::alias::called_functions;
use fpgacc_kernel_analysis::calls;
use fpgacc_launch_facts::Facts;
use fpgacc_performance_model::Board;

use self::measured::Measured;
use self::price::{Beginnings, Pricing};
use self::profile::Profile;
use self::search::{Effort, Found};
use self::size::Size;
use self::timed::{Learned, Timed};
use self::undecided::Undecided;

pub use choose::why_not;
pub use price::share_of;
pub use requested::{ExecutionModel, RequestedModels};
pub use search::SearchTime;
pub use undecided::TOO_LARGE;
pub use variant::{Candidate, Decision, Family, Origin, Part, Price, Refused, Searched, Step};

/// What is decided on, and for what.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The board that kernels are to run on.
    pub board: &'a Board,
    /// What the user asks for.
    pub requested: &'a RequestedModels,
    /// aoc is informed that it may change the order of floating-point operations (`-fp-relaxed`,
    /// `-ffp-reassociate`).
    pub fp_relaxed: bool,
    /// An emulator gets the kernels, so that sums keep their order. Decided is for the board all the same.
    pub emulated: bool,
    /// The kernels are built for a GPU, of which the board's model says nothing.
    pub on_gpu: bool,
    /// How long the search for forms of a kernel goes on at `--kernel-opt=3`.
    pub search_time: SearchTime,
    /// Price kernels also where there is nothing to choose.
    pub explain: bool,
    /// The texts that spans point into.
    pub sources: &'a SourceMap,
    /// What aoc said of an earlier build.
    pub measured: Option<&'a Measured>,
    /// Times of forms that were measured.
    pub times: &'a [Timed],
}

impl<'a> Request<'a> {
    /// Whether forms of a kernel were measured.
    fn has_times_of(&self, kernel: &str) -> bool {
        self.times.iter().any(|time| time.kernel == kernel)
    }

    /// What prices the forms of the kernel that a module is left with.
    fn pricing(
        &self,
        module: Module,
        called: &'a BTreeSet<FunctionId>,
        facts: &'a Facts,
        profile: &'a Profile,
    ) -> Pricing<'a> {
        Pricing {
            module,
            called,
            facts,
            board: self.board,
            fp_relaxed: self.fp_relaxed,
            sources: self.sources,
            profile,
            general: OnceLock::new(),
            opened: Beginnings::default(),
            begun: Beginnings::default(),
        }
    }
}

/// What was decided about the kernels of a program.
#[derive(Clone, Debug, Default)]
pub struct Decided {
    /// What the passes did, with the decision's own remarks after theirs.
    pub report: Report,
    /// The decision on each kernel, by its name; kernels that were not priced have none.
    pub decisions: BTreeMap<String, Decision>,
    /// What measured times said; `None`: there are none of its kernels.
    pub learned: Option<Learned>,
    /// What is wrong with requests in the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// The expressions of a kernel with its calls inlined.
pub fn size(module: &Module, kernel: FunctionId) -> usize {
    fn of(module: &Module, at: FunctionId, known: &mut BTreeMap<FunctionId, usize>) -> usize {
        if let Some(size) = known.get(&at) {
            return *size;
        }
        // Recursion, which OpenCL forbids, ends here.
        known.insert(at, 0);
        let own = module.functions[at].exprs.len();
        let sites = calls::call_sites(&module.functions[at]);
        let size = sites.into_iter().fold(own, |sum, (callee, times)| {
            sum.saturating_add(of(module, callee, known).saturating_mul(times))
        });
        known.insert(at, size);
        size
    }
    of(module, kernel, &mut BTreeMap::new())
}

/// Decides on the form of each kernel, and rewrites them.
pub fn run(
    module: &mut Module,
    facts: &Facts,
    pipeline: &Pipeline,
    request: &Request<'_>,
) -> Decided {
    let (in_text, diagnostics) = requested::take_pragmas(module);
    let mut decided = Decided {
        diagnostics,
        ..Decided::default()
    };
    let order = order_built(pipeline, request);
    let mut own = BTreeMap::new();
    let mut kernels = Vec::new();
    let mut left = Vec::new();
    for kernel in module.kernels().collect::<Vec<_>>() {
        let name = module.functions[kernel].name.clone();
        let asked = request
            .requested
            .of(&name, &facts.execution_models, &in_text);
        let model = asked.unwrap_or_default();
        let variant = facts.tuned.iter().find_map(|one| one.kernels.get(&name));
        // Whoever takes facts over looks at variants that nobody can make.
        if let Some(made) =
            variant.and_then(|one| tuned::pipeline(&name, one, facts, pipeline).ok())
        {
            own.insert(name, made);
            continue;
        }
        let size = size(module, kernel);
        let on_gpu = request.on_gpu && !request.has_times_of(&name);
        let undecided = Undecided::of(size, asked, pipeline.level, on_gpu);
        let mut made = match undecided {
            Some(undecided) => undecided.pipeline(pipeline, model),
            None => requested::restrained(pipeline, model),
        };
        made.options.of_mut::<reduction::Options>().order = order;
        own.insert(name.clone(), made);
        match undecided {
            Some(undecided) => left.push((name, undecided)),
            None => kernels.push((kernel, model)),
        }
    }
    decided.decisions = decide(module, facts, pipeline, request, &kernels);
    decided.learned = learn(&mut decided.decisions, request, pipeline.level);
    share::fit_together(&mut decided.decisions, request.board);
    for (name, decision) in &decided.decisions {
        let mut kept = decision.chosen().pipeline.clone();
        kept.options.general = pipeline.options.general;
        kept.options.of_mut::<reduction::Options>().order = order;
        own.insert(name.clone(), kept);
    }
    decided.report = pipeline::run_each(module, facts, pipeline, &own);
    let remarks = remarks::remarks(module, &decided.decisions, request.board);
    let left = left.iter();
    let left = left.map(|(kernel, why)| why.remark(module, kernel, &request.board.name));
    decided.report.remarks.extend(left);
    decided.report.remarks.extend(remarks);
    decided
}

/// The order of sums in what is built, whatever a board would get. Who asks for shift registers gets them.
fn order_built(pipeline: &Pipeline, request: &Request<'_>) -> reduction::Order {
    let asked: &reduction::Options = pipeline.options.of();
    let is_asked_for = pipeline.switches.get(passes::REDUCTION) == Some(&true);
    match asked.order {
        reduction::Order::Free if request.emulated && !is_asked_for => reduction::Order::Emulated,
        order => order,
    }
}

/// Takes over what was measured, and chooses anew.
fn learn(
    decisions: &mut BTreeMap<String, Decision>,
    request: &Request<'_>,
    level: u8,
) -> Option<Learned> {
    if !decisions.keys().any(|kernel| request.has_times_of(kernel)) {
        return None;
    }
    let learned = timed::apply(decisions, request.times, request.board);
    for one in decisions.values_mut() {
        one.chosen = choose::choose(&one.candidates, one.standard, one.model, level);
    }
    Some(learned)
}

/// The decisions on all kernels that nothing calls.
fn decide(
    module: &Module,
    facts: &Facts,
    pipeline: &Pipeline,
    request: &Request<'_>,
    kernels: &[(FunctionId, ExecutionModel)],
) -> BTreeMap<String, Decision> {
    let called = called_functions(module);
    let without = alone::Without::new(module, &called);
    let profile = profile::Profile::of(module, facts, request.sources);
    let mut with_choice = pipeline::kernels_in_versions(module, facts, pipeline);
    with_choice.extend(pipeline::kernels_with_tables(module, facts, pipeline));
    // A kernel that others call is part of them.
    let is_wanted = |&(kernel, model): &(FunctionId, ExecutionModel)| {
        let decides = model == ExecutionModel::Auto && pipeline.level >= 1 || pipeline.level >= 3;
        let is_wanted = request.explain || decides || with_choice.contains(&kernel);
        is_wanted && !called.contains(&kernel) && pipeline.stop_after.is_none()
    };
    let wanted: Vec<_> = kernels.iter().copied().filter(is_wanted).collect();
    let decided = side_by_side::map(&wanted, |&(kernel, model)| {
        let alone = without.with(module, kernel);
        let pricing = request.pricing(alone, &called, facts, &profile);
        let name = module.functions[kernel].name.clone();
        let decision = decide_on(&pricing, &name, model, pipeline, request);
        (name, decision)
    });
    decided.into_iter().collect()
}

/// The decision on a kernel.
fn decide_on(
    pricing: &Pricing<'_>,
    name: &str,
    model: ExecutionModel,
    pipeline: &Pipeline,
    request: &Request<'_>,
) -> Decision {
    let kernel = pricing.module.function_named(name);
    let size = kernel.map_or(0, |kernel| size(&pricing.module, kernel));
    let effort = Effort::of(request.search_time, Size::of_operations(size));
    let Found {
        candidates,
        standard,
        searched,
    } = search::candidates(pricing, pipeline, model, effort);
    let chosen = choose::choose(&candidates, standard, model, pipeline.level);
    let mut decision = Decision {
        model,
        candidates,
        chosen,
        standard,
        searched,
        disagreements: None,
    };
    if let Some(measured) = request.measured {
        let sources = request.sources;
        let found = measured::apply(&mut decision, name, measured, sources, request.board);
        decision.disagreements = found;
        let candidates = &decision.candidates;
        decision.chosen = choose::choose(candidates, standard, model, pipeline.level);
    }
    decision
}
