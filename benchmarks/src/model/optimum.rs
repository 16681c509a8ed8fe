//! Whether the search for forms of a kernel finds the best: beside it, all forms of its space are made and
//! priced, also those that bounds rule out.

use std::fmt::Write;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::{Decision, SearchTime};

use super::data::{self, Measured};
use super::error::ModelError;
use super::experts::{Read, plain};
use super::{launches, points};

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct Optimum<'a> {
    /// The checkout with the kernels (jjiantong/Boyi).
    pub checkout: &'a Path,
    /// The table of measurements.
    pub table: &'a Path,
    /// The search that is judged.
    pub search_time: SearchTime,
    /// Seconds of searching, by the same measure, after which the forms of a kernel are too many.
    pub most_seconds: f64,
    /// Only the application of this name.
    pub only: Option<&'a str>,
}

/// Searches each plain NDRange kernel both ways. The comparison as text, and whether the search came
/// within 2 % of the best wherever all forms were made.
///
/// # Errors
/// A file cannot be read.
pub fn run(request: &Optimum<'_>) -> Result<(String, bool), ModelError> {
    let launches = launches::read(None)?;
    let board = points::board(&launches)?;
    let compiler = Compiler::find(cc::Language::C)?;
    let measured = data::read(request.table)?;
    let folder = points::folder(request.checkout);
    let mut text = format!(
        "{:32} {:>6} {:>10} {:>6} {:>10} {:>6}\n",
        "kernel", "forms", "found ms", "all", "best ms", "ratio"
    );
    let mut is_best = true;
    for application in &launches.applications {
        let is_wanted = request.only.is_none_or(|only| application.name == only);
        let rows = measured.iter().filter(|row| row.app == application.name);
        let rows: Vec<&Measured> = rows.collect();
        let Some(plain) = plain(&rows).filter(|_| is_wanted) else {
            continue;
        };
        let fault = |why| ModelError::Kernel(application.name.clone(), why);
        let program = Read::new(&folder, &compiler, application, plain).map_err(fault)?;
        let decide = |time| program.decisions(&launches, &board, 3, time).map_err(fault);
        let found = decide(request.search_time)?;
        let all = decide(SearchTime::Exhaustive(request.most_seconds))?;
        for (kernel, found) in &found {
            let Some(all) = all.get(kernel) else { continue };
            let name = format!("{} {kernel}", application.name);
            let (ours, best) = (fastest(found), fastest(all));
            let _ = write!(
                text,
                "{name:32} {:6} {ours:10.4} {:6} {best:10.4} ",
                found.searched.forms, all.searched.forms
            );
            match all.searched.floor {
                None => {
                    is_best &= ours <= best * 1.02;
                    let _ = writeln!(text, "{:6.3}", ours / best);
                }
                Some(_) => text.push_str("too many to make all\n"),
            }
        }
    }
    Ok((text, is_best))
}

/// Milliseconds of the fastest form that fits.
fn fastest(decision: &Decision) -> f64 {
    let fits = decision.candidates.iter().filter(|form| form.price.fits);
    let seconds = fits.map(|form| form.price.seconds.value);
    seconds.fold(f64::MAX, f64::min) * 1e3
}
