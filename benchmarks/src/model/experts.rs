//! What fpgacc makes of the plain NDRange kernels of measured applications, beside what experts made of
//! them by hand.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::{Candidate, Decision, SearchTime};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::{Facts, Value};
use fpgacc_performance_model::Board;

use super::data::{self, Measured};
use super::deciding::{Deciding, decide, forms};
use super::error::ModelError;
use super::facts::{self, Launched};
use super::launches::{self, Application, Launches};
use super::points;

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Experts<'a> {
    /// The checkout with the kernels.
    pub checkout: &'a Path,
    /// The table of measurements.
    pub table: &'a Path,
    /// `--kernel-opt`.
    pub level: u8,
    /// `--search-time`.
    pub search_time: SearchTime,
    /// Only the application of this name, with all forms that were priced.
    pub only: Option<&'a str>,
}

/// An application's time.
struct Outcome {
    /// Milliseconds: the plain kernels, as measured and as the model says; the best by hand without
    /// channels, as measured; and what the decision takes, as the model says.
    baseline: (f64, f64),
    expert: f64,
    chosen: f64,
    /// Of each kernel, what is kept.
    labels: Vec<String>,
    /// Of each kernel, all forms.
    forms: String,
}

/// Decides on each application's plain NDRange kernels, and gives the comparison as text.
///
/// # Errors
/// A file cannot be read.
pub fn run(request: &Experts<'_>) -> Result<String, ModelError> {
    let launches = launches::read(None)?;
    let board = points::board(&launches)?;
    let compiler = Compiler::find(cc::Language::C)?;
    let measured = data::read(request.table)?;
    let folder = points::folder(request.checkout);
    let mut text = format!(
        "{:5} {:>12} {:>12} {:>10} {:>12} {:>6}  kept\n",
        "app", "baseline ms", "by model", "expert ms", "fpgacc ms", "share"
    );
    let mut shares = Vec::new();
    let wanted = |app: &&Application| request.only.is_none_or(|only| app.name == only);
    for application in launches.applications.iter().filter(wanted) {
        let rows: Vec<&Measured> = measured
            .iter()
            .filter(|row| row.app == application.name)
            .collect();
        let Some(plain) = plain(&rows) else {
            continue;
        };
        // A kernel that does nothing shows what a launch takes.
        let without_channels = rows
            .iter()
            .filter(|row| !row.model.contains("Channel") && row.variant != "null");
        let expert = without_channels.map(|row| row.ms).fold(f64::MAX, f64::min);
        let fault = |why| ModelError::Kernel(application.name.clone(), why);
        let program = Read::new(&folder, &compiler, application, plain).map_err(fault)?;
        let outcome = program
            .decide(&launches, &board, request, (plain.ms, expert))
            .map_err(fault)?;
        let share = outcome.expert / outcome.chosen;
        shares.push(share);
        let (before, by_model) = outcome.baseline;
        let _ = writeln!(
            text,
            "{:5} {before:12.2} {by_model:12.2} {expert:10.2} {:12.2} {share:6.2}  {}",
            plain.app,
            outcome.chosen,
            outcome.labels.join("; ")
        );
        if request.only.is_some() {
            text.push_str(&outcome.forms);
        }
    }
    let logs = shares.iter().map(|share| share.min(1.0).ln());
    let mean = (logs.sum::<f64>() / shares.len().max(1) as f64).exp();
    let _ = writeln!(
        text,
        "share of the best by hand without channels: geometric mean {mean:.2} (at most 1 counted), \
         least {:.2}",
        shares.iter().copied().fold(f64::MAX, f64::min)
    );
    Ok(text)
}

/// The plain NDRange kernels among the measured points of an application.
pub(super) fn plain<'m>(rows: &[&'m Measured]) -> Option<&'m Measured> {
    let ndranges = || rows.iter().copied().filter(|row| row.model == "NDRange");
    let plain = ndranges().find(|row| row.variant == "baseline");
    plain.or_else(|| ndranges().next())
}

/// An application's plain kernels.
pub(super) struct Read {
    module: Module,
    sources: SourceMap,
    application: Application,
}

impl Read {
    /// Those of a measured point.
    ///
    /// # Errors
    /// They cannot be read: why.
    pub(super) fn new(
        folder: &Path,
        compiler: &Compiler,
        application: &Application,
        plain: &Measured,
    ) -> Result<Self, String> {
        let (module, sources) = points::text(folder, compiler, plain)?;
        Ok(Read {
            module,
            sources,
            application: application.noted(&plain.note, &plain.variant),
        })
    }

    /// The kernels that are launched, each with its own part of the application.
    fn launched(&self) -> Vec<(FunctionId, Application)> {
        let own = |kernel: FunctionId| {
            let own = self
                .application
                .kernels
                .get(&self.module.functions[kernel].name)?;
            Some((kernel, self.application.of_kernel(own)))
        };
        let named: Vec<_> = self.module.kernels().filter_map(own).collect();
        let first = self.module.kernels().take(1);
        match named.is_empty() {
            true => first
                .map(|kernel| (kernel, self.application.clone()))
                .collect(),
            false => named,
        }
    }

    fn facts(&self, launched: &[(FunctionId, Application)]) -> Result<Facts, String> {
        let each = launched.iter().map(|(kernel, own)| Launched {
            kernel: &self.module.functions[*kernel].name,
            global: own.global.iter().copied().map(Value::Const).collect(),
            local: &own.local,
            args: own
                .args
                .iter()
                .map(|(name, value)| (name.as_str(), Value::Const(*value)))
                .collect(),
        });
        let mut facts = facts::of(&self.module, each)?;
        let trips = &self.application.trips;
        facts::record_trips(&mut facts, &self.module, &self.sources, trips);
        Ok(facts)
    }

    /// What is decided on each kernel, by its name.
    pub(super) fn decisions(
        &self,
        launches: &Launches,
        board: &Board,
        level: u8,
        search_time: SearchTime,
    ) -> Result<BTreeMap<String, Decision>, String> {
        let facts = self.facts(&self.launched())?;
        let how = Deciding {
            board,
            fp_relaxed: launches.fp_relaxed,
            level,
            search_time,
        };
        Ok(decide(&self.module, &self.sources, &facts, &how).decisions)
    }

    fn decide(
        &self,
        launches: &Launches,
        board: &Board,
        experts: &Experts<'_>,
        (plain, expert): (f64, f64),
    ) -> Result<Outcome, String> {
        let decisions = self.decisions(launches, board, experts.level, experts.search_time)?;
        let moving = self.application.migrated_bytes / (board.host_gigabytes_per_second * 1e9);
        let mut outcome = Outcome {
            baseline: (plain, moving * 1e3),
            expert,
            chosen: moving * 1e3,
            labels: Vec::new(),
            forms: String::new(),
        };
        for (kernel, own) in self.launched() {
            let name = &self.module.functions[kernel].name;
            let decision = decisions.get(name);
            let decision = decision.ok_or_else(|| format!("nothing was decided on {name}"))?;
            let each = own.repeat.unwrap_or(1.0) * 1e3;
            outcome.baseline.1 += each * decision.input().price.seconds.value;
            outcome.chosen += each * decision.chosen().price.seconds.value;
            outcome.labels.push(decision.chosen().label.clone());
            let seconds = |form: &Candidate| form.price.seconds.value * own.repeat.unwrap_or(1.0);
            outcome.forms.push_str(&forms(name, decision, &seconds));
        }
        Ok(outcome)
    }
}
