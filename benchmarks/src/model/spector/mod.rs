//! Spector's design spaces (Gautier, Althoff, Meng and Kastner, FPT 2016): thousands of designs of small
//! applications, each built with aoc 14.1 and run on a DE5-Net, with their times, clocks and areas.
//!
//! docs/model-evaluation.md says which rules were made, and which numbers fitted, with these times known.

mod designs;
mod left_out;
mod price;
mod report;
mod rows;

use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_performance_model::Board;

use super::cases::{Case, Said};
use super::error::ModelError;
use super::launched_program::LaunchedProgram;
pub use designs::{SPACES, Space};
use price::{Ready, Workshop, price, read, samples};
use rows::{Measured, Priced, Row};

pub use left_out::{LeftOut, left_out};

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// A checkout of KastnerRG/spector.
    pub checkout: &'a Path,
    /// Only the application with this name.
    pub only: Option<&'a str>,
    /// One design in so many.
    pub every: usize,
    /// With a line for each design.
    pub rows: bool,
    /// Also fit the clock's slopes: to all applications, and to all but one.
    pub fit: bool,
    /// Instead, all that is predicted of the design of `only` with these knobs, comma-separated.
    pub explain: Option<&'a str>,
}

/// Prices the designs, and gives the report as text.
///
/// # Errors
/// A file cannot be read, or there is no such application or design.
pub fn run(request: &Request<'_>) -> Result<String, ModelError> {
    let board = board()?;
    let compiler = Compiler::find(cc::Language::C)?;
    let mut text = report::head();
    let mut clocks = Vec::new();
    let wanted = |space: &&Space| request.only.is_none_or(|only| only == space.name);
    let spaces: Vec<&Space> = SPACES.iter().filter(wanted).collect();
    if let (Some(only), []) = (request.only, &spaces[..]) {
        let names = SPACES.iter().map(|space| format!("'{}'", space.name));
        let why = format!(
            "no such application: {}",
            names.collect::<Vec<_>>().join(", ")
        );
        return Err(ModelError::Matrix(only.to_string(), why));
    }
    for space in spaces {
        let mut measured = read(request.checkout, space)?;
        if let Some(knobs) = request.explain {
            measured.retain(|m| report::knobs(&m.knobs) == knobs);
        } else {
            measured = measured.into_iter().step_by(request.every.max(1)).collect();
        }
        if let (Some(knobs), []) = (request.explain, &measured[..]) {
            let why = format!("no design of '{}' has these knobs", space.name);
            return Err(ModelError::Matrix(knobs.to_string(), why));
        }
        let workshop = Workshop::new(request.checkout, space, &compiler)?;
        let row = |measured: Measured| Row {
            outcome: price(&workshop, &board, &measured),
            measured,
        };
        let rows: Vec<Row> = measured.into_iter().map(row).collect();
        if request.explain.is_some() {
            return Ok(report::explain(&rows));
        }
        text.push_str(&report::space(space, &board, &rows, request.rows));
        clocks.push((space.table, samples(&rows, &board)));
    }
    if request.fit {
        text.push_str(&report::clocks(&clocks, &board));
    }
    Ok(text)
}

/// The board that all were measured on.
///
/// # Errors
/// There is none of this name.
pub fn board() -> Result<Board, ModelError> {
    Board::named("de5-net").ok_or_else(|| ModelError::Board("de5-net".to_string()))
}

/// The design of a space whose knobs are least, in all, to be decided on.
///
/// # Errors
/// It cannot be read.
pub fn plainest(
    checkout: &Path,
    space: &Space,
    compiler: &Compiler,
) -> Result<LaunchedProgram, ModelError> {
    let measured = read(checkout, space)?;
    let plainest = measured
        .iter()
        .min_by_key(|one| one.knobs.iter().sum::<u64>());
    let plainest = plainest.expect("a space has designs");
    let workshop = Workshop::new(checkout, space, compiler)?;
    let program = workshop.program(&(space.design)(&plainest.knobs));
    program.map_err(|why| ModelError::Kernel(space.name.to_string(), why))
}

/// At most so many designs of each application, evenly spread, and their times.
///
/// # Errors
/// A file cannot be read.
pub fn cases(checkout: &Path, most: usize) -> Result<Vec<Case>, ModelError> {
    let board = board()?;
    let compiler = Compiler::find(cc::Language::C)?;
    let mut cases = Vec::new();
    for space in SPACES.iter() {
        let workshop = Workshop::new(checkout, space, &compiler)?;
        let measured = read(checkout, space)?;
        let every = measured.len().div_ceil(most.max(1)).max(1);
        for one in measured.iter().step_by(every) {
            let Ok(ready) = Ready::of(&workshop, one) else {
                continue;
            };
            cases.push(Case {
                set: "Spector",
                application: space.application().to_string(),
                board: board.clone(),
                seconds: one.seconds,
                mhz: Some(one.mhz),
                predict: Box::new(move |board| said(&ready.price(board))),
            });
        }
    }
    Ok(cases)
}

/// The range of a design's time is that of the kernel that takes the longest.
fn said(priced: &Priced) -> Said {
    let longest = priced.launch.seconds;
    Said {
        seconds: longest * (priced.seconds / longest.value),
        causes: Some(priced.together.penalty_causes),
    }
}
