//! Whether the search for forms of a kernel finds the best: beside it, all forms of its space are made and
//! priced, also those that bounds rule out.

use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::{Candidate, Decision, SearchTime};
use fpgacc_performance_model::Board;

use super::data::{self, Measured};
use super::deciding::Deciding;
use super::error::ModelError;
use super::experts::{plain, program};
use super::launched_program::LaunchedProgram;
use super::{launches, points, spector};

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct Optimum<'a> {
    /// A checkout with the plain NDRange kernels of applications (jjiantong/Boyi), and the table of its measurements.
    pub boyi: Option<(&'a Path, &'a Path)>,
    /// A checkout of KastnerRG/spector: the plainest design of each space.
    pub spector: Option<&'a Path>,
    /// The search that is judged.
    pub search_time: SearchTime,
    /// Seconds of searching, by the same measure, after which the forms of a kernel are too many.
    pub most_seconds: f64,
    /// Only the application of this name.
    pub only: Option<&'a str>,
}

impl Optimum<'_> {
    fn wants(&self, application: &str) -> bool {
        self.only.is_none_or(|only| application == only)
    }

    /// How the kernels of a program are decided on, by the search that is judged.
    fn how<'b>(&self, board: &'b Board, fp_relaxed: bool) -> Deciding<'b> {
        Deciding {
            board,
            fp_relaxed,
            level: 3,
            search_time: self.search_time,
        }
    }
}

/// Searches each kernel both ways, and prints the comparison as it goes. Whether the search came within 2 % of the best
/// wherever all forms were made.
///
/// # Errors
/// A file cannot be read.
pub fn run(request: &Optimum<'_>) -> Result<bool, ModelError> {
    println!(
        "{:32} {:>6} {:>10} {:>6} {:>10} {:>6}",
        "kernel", "forms", "found ms", "all", "best ms", "ratio"
    );
    let mut is_best = true;
    if let Some((checkout, table)) = request.boyi {
        is_best &= plain_kernels(request, checkout, table)?;
    }
    if let Some(checkout) = request.spector {
        is_best &= plainest_designs(request, checkout)?;
    }
    Ok(is_best)
}

fn plain_kernels(request: &Optimum<'_>, checkout: &Path, table: &Path) -> Result<bool, ModelError> {
    let launches = launches::read(None)?;
    let board = points::board(&launches)?;
    let compiler = Compiler::find(cc::Language::C)?;
    let measured = data::read(table)?;
    let folder = points::folder(checkout);
    let how = request.how(&board, launches.fp_relaxed);
    let mut is_best = true;
    let applications = launches.applications.iter();
    for application in applications.filter(|application| request.wants(&application.name)) {
        let rows = measured.iter().filter(|row| row.app == application.name);
        let rows: Vec<&Measured> = rows.collect();
        let Some(plain) = plain(&rows) else { continue };
        let program = program(&folder, &compiler, application, plain);
        let searched =
            program.and_then(|program| search(request, &application.name, &program, how));
        is_best &= searched.map_err(|why| ModelError::Kernel(application.name.clone(), why))?;
    }
    Ok(is_best)
}

fn plainest_designs(request: &Optimum<'_>, checkout: &Path) -> Result<bool, ModelError> {
    let board = spector::board()?;
    let compiler = Compiler::find(cc::Language::C)?;
    let mut is_best = true;
    for space in spector::SPACES
        .iter()
        .filter(|space| request.wants(space.name))
    {
        let how = request.how(&board, space.fp_relaxed);
        let program = spector::plainest(checkout, space, &compiler)?;
        let searched = search(request, space.name, &program, how);
        is_best &= searched.map_err(|why| ModelError::Kernel(space.name.to_string(), why))?;
    }
    Ok(is_best)
}

/// Prints a line for each kernel. Whether the search came within 2 % of the best of all.
fn search(
    request: &Optimum<'_>,
    application: &str,
    program: &LaunchedProgram,
    how: Deciding<'_>,
) -> Result<bool, String> {
    let found = program.decisions(&how)?;
    let all = program.decisions(&Deciding {
        search_time: SearchTime::Exhaustive(request.most_seconds),
        ..how
    })?;
    let mut is_best = true;
    for (kernel, found) in &found {
        let Some(all) = all.get(kernel) else { continue };
        let name = format!("{application} {kernel}");
        let (found_form, best_form) = (fastest(found), fastest(all));
        let (ours, best) = (milliseconds(found_form), milliseconds(best_form));
        let ratio = match all.searched.floor {
            None => format!("{:6.3}", ours / best),
            Some(_) => "too many to make all".to_string(),
        };
        is_best &= all.searched.floor.is_some() || ours <= best * 1.02;
        println!(
            "{name:32} {:6} {ours:10.4} {:6} {best:10.4} {ratio}",
            found.searched.forms, all.searched.forms
        );
        if ours > best * 1.02 {
            println!(
                "  found: {}\n  best:  {}",
                found_form.label, best_form.label
            );
        }
    }
    Ok(is_best)
}

/// The fastest form that fits, or the input.
fn fastest(decision: &Decision) -> &Candidate {
    let fits = decision.candidates.iter().filter(|form| form.price.fits);
    let fastest = fits.min_by(|a, b| milliseconds(a).total_cmp(&milliseconds(b)));
    fastest.unwrap_or_else(|| decision.input())
}

fn milliseconds(form: &Candidate) -> f64 {
    form.price.seconds.value * 1e3
}
