//! Running passes over a module.

use std::collections::BTreeMap;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::facts::Facts;
use fpgacc_frontend::ir::Module;

use crate::geometry::Geometry;
use crate::pass::{Context, LaunchContract, Note, Outcome, Pass, PassOptions, remark};
use crate::passes;

/// Which passes run, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// `-O`: 0 to 3.
    pub level: u8,
    /// `-f<pass>` (true) and `-fno-<pass>` (false), by name.
    pub switches: BTreeMap<String, bool>,
    /// Choices.
    pub options: PassOptions,
    /// Stop behind this pass (`--emit=kernels` after any pass).
    pub stop_after: Option<String>,
}

impl Pipeline {
    fn runs(&self, pass: &dyn Pass) -> bool {
        let by_level = self.level >= pass.level();
        self.switches.get(pass.name()).copied().unwrap_or(by_level)
    }
}

/// What the pipeline did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// For each kernel, by name, what the runtime must do.
    pub contracts: BTreeMap<String, LaunchContract>,
    /// For each kernel, by name, the passes that rewrote it, with their notes.
    pub done: BTreeMap<String, Vec<(&'static str, String)>>,
    /// `-Rpass` and `-Rpass-missed`.
    pub remarks: Vec<Diagnostic>,
}

/// Runs the enabled passes over every kernel of a module, pass by pass.
pub fn run(module: &mut Module, facts: &Facts, pipeline: &Pipeline) -> Report {
    let kernels: Vec<_> = module.kernels().collect();
    let mut report = Report::default();
    for &kernel in &kernels {
        let name = module.functions[kernel].name.clone();
        report.contracts.insert(name, LaunchContract::default());
    }
    for pass in passes::ALL.iter().filter(|pass| pipeline.runs(**pass)) {
        for &kernel in &kernels {
            let name = module.functions[kernel].name.clone();
            let span = module.functions[kernel].span;
            let geometry = Geometry::of(&name, facts);
            let context = Context {
                options: &pipeline.options,
                facts,
                geometry: &geometry,
            };
            let contract = report.contracts.entry(name.clone()).or_default();
            let (done, missed) = match pass.run(module, kernel, &context, contract) {
                Outcome::Done(done) => (done, Vec::new()),
                Outcome::Missed(missed) => (Vec::new(), missed),
                Outcome::Partly { done, missed } => (done, missed),
                Outcome::Nothing => (Vec::new(), Vec::new()),
            };
            let mut tell = |notes: &[Note], is_missed| {
                for note in notes {
                    let remark = remark(pass.name(), &name, note, is_missed, span);
                    report.remarks.push(remark);
                }
            };
            tell(&done, false);
            tell(&missed, true);
            let texts = done.into_iter().map(|note| (pass.name(), note.text));
            report.done.entry(name).or_default().extend(texts);
        }
        if pipeline.stop_after.as_deref() == Some(pass.name()) {
            break;
        }
    }
    report
}
