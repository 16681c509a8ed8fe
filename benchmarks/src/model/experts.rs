//! What fpgacc makes of the plain NDRange kernels of measured applications, beside what experts made of
//! them by hand.

use std::fmt::Write;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::{Candidate, SearchTime};
use fpgacc_frontend::ir::{FunctionId, Module};

use super::data::{self, Measured};
use super::deciding::{Deciding, forms};
use super::error::ModelError;
use super::launched_program::LaunchedProgram;
use super::launches::{self, Application};
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
    let how = Deciding {
        board: &board,
        fp_relaxed: launches.fp_relaxed,
        level: request.level,
        search_time: request.search_time,
    };
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
        let program = program(&folder, &compiler, application, plain).map_err(fault)?;
        let moved = application
            .noted(&plain.note, &plain.variant)
            .migrated_bytes;
        let moving = moved / (board.host_gigabytes_per_second * 1e6);
        let outcome = outcome(&program, &how, moving, (plain.ms, expert)).map_err(fault)?;
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

/// An application's plain kernels, as a measured point launches them.
///
/// # Errors
/// They cannot be read: why.
pub(super) fn program(
    folder: &Path,
    compiler: &Compiler,
    application: &Application,
    plain: &Measured,
) -> Result<LaunchedProgram, String> {
    let (module, sources) = points::text(folder, compiler, plain)?;
    let application = application.noted(&plain.note, &plain.variant);
    Ok(LaunchedProgram {
        launches: launched(&module, &application),
        trips: application.trips,
        module,
        sources,
    })
}

/// The kernels that are launched, each with its own part of the application.
fn launched(module: &Module, application: &Application) -> Vec<(FunctionId, Application)> {
    let own = |kernel: FunctionId| {
        let own = application.kernels.get(&module.functions[kernel].name)?;
        Some((kernel, application.of_kernel(own)))
    };
    let named: Vec<_> = module.kernels().filter_map(own).collect();
    let first = module.kernels().take(1);
    match named.is_empty() {
        true => first.map(|kernel| (kernel, application.clone())).collect(),
        false => named,
    }
}

/// What is decided on the kernels, and how long they take; `moving`: milliseconds in which data moves between host and
/// board; `plain` and `expert`: as measured.
fn outcome(
    program: &LaunchedProgram,
    how: &Deciding<'_>,
    moving: f64,
    (plain, expert): (f64, f64),
) -> Result<Outcome, String> {
    let decisions = program.decisions(how)?;
    let mut outcome = Outcome {
        baseline: (plain, moving),
        expert,
        chosen: moving,
        labels: Vec::new(),
        forms: String::new(),
    };
    for (kernel, own) in &program.launches {
        let name = &program.module.functions[*kernel].name;
        let decision = decisions.get(name);
        let decision = decision.ok_or_else(|| format!("nothing was decided on {name}"))?;
        let times = own.repeat.unwrap_or(1.0);
        let milliseconds = |form: &Candidate| form.price.seconds.value * times * 1e3;
        outcome.baseline.1 += milliseconds(decision.input());
        outcome.chosen += milliseconds(decision.chosen());
        outcome.labels.push(decision.chosen().label.clone());
        let seconds = |form: &Candidate| form.price.seconds.value * times;
        outcome.forms.push_str(&forms(name, decision, &seconds));
    }
    Ok(outcome)
}
