//! Leave-one-application-out: each application predicted with constants that none of its own times had a part in.
//!
//! Fitted to the other applications are the model's constants (from starts that are documents' or guesses), the time
//! that a launch takes, and the slopes of the clock. Rules have seen all of them, as docs/model-evaluation.md says.

use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_performance_model::Board;
use fpgacc_performance_model::calibration::clock::{self, Sample as Clock};
use fpgacc_performance_model::calibration::{Fitting, Sample};

use super::designs::{SPACES, Space};
use super::price::{Ready, Workshop, price, read, samples};
use super::report;
use super::rows::{Measured, Row};
use crate::model::error::ModelError;

/// Designs of an application whose times constants are fitted to, evenly spread.
const FITTED: usize = 15;
/// Designs of an application whose clocks are looked at: many, since each is priced once.
const CLOCKS: usize = 200;

/// A design, predicted with constants that were fitted without its application.
pub struct LeftOut {
    /// Its knobs.
    pub knobs: Vec<u64>,
    /// What was measured.
    pub seconds: f64,
    /// What is predicted, if it can be.
    pub predicted: Option<f64>,
    /// The part of the device's logic that it takes with the board's interface, by prediction.
    pub area: Option<f64>,
    /// The same, as measured.
    pub measured_area: f64,
}

/// An application's designs.
struct Application<'a> {
    space: &'static Space,
    workshop: Workshop<'a>,
    measured: Vec<Measured>,
}

impl Application<'_> {
    fn name(&self) -> &'static str {
        self.space.application()
    }

    /// So many designs, evenly spread.
    fn some(&self, count: usize) -> impl Iterator<Item = &Measured> {
        let every = (self.measured.len() / count).max(1);
        self.measured.iter().step_by(every)
    }

    fn ready(&self, count: usize) -> Vec<(Ready, &Measured)> {
        let ready = |measured| Some((Ready::of(&self.workshop, measured).ok()?, measured));
        self.some(count).filter_map(ready).collect()
    }
}

/// All designs of each application.
///
/// # Errors
/// A file cannot be read.
pub fn left_out(
    checkout: &Path,
    only: Option<&str>,
) -> Result<Vec<(String, Vec<LeftOut>)>, ModelError> {
    let board = Board::named("de5-net").ok_or_else(|| ModelError::Board("de5-net".to_string()))?;
    let other_board = Board::named("de5a-net").expect("it is built in");
    let compiler = Compiler::find(cc::Language::C)?;
    let application = |space: &'static Space| {
        Ok::<_, ModelError>(Application {
            space,
            workshop: Workshop::new(checkout, space, &compiler)?,
            measured: read(checkout, space)?,
        })
    };
    let all: Vec<Application<'_>> = SPACES.iter().map(application).collect::<Result<_, _>>()?;
    let ready: Vec<_> = all.iter().map(|one| one.ready(FITTED)).collect();
    let samples = all.iter().zip(&ready).flat_map(|(application, ready)| {
        ready.iter().map(|(ready, measured)| Sample {
            application: application.name(),
            board: &board,
            seconds: measured.seconds,
            mhz: Some(measured.mhz),
            predict: Box::new(|board: &Board| ready.price(board).seconds),
        })
    });
    let mut fitting = Fitting::new(samples.collect());
    let clocks: Vec<Vec<Clock>> = all.iter().map(|one| clocks(one, &board)).collect();
    let wanted = |space: &Space| only.is_none_or(|only| space.name.starts_with(only));
    let mut designs = Vec::new();
    for own in all.iter().filter(|one| wanted(one.space)) {
        let is_other = |one: &Application<'_>| one.name() != own.name();
        let mut fitted = fitting.fit(Some(own.name())).on(&board);
        let others = all.iter().filter(|one| is_other(one));
        // An upper bound says little if all kernels are long: then it is what a launch takes on another board.
        fitted.launch_microseconds = others
            .filter_map(least_launch)
            .fold(other_board.launch_microseconds, f64::min);
        let seen = all.iter().zip(&clocks).filter(|(one, _)| is_other(one));
        let seen: Vec<Clock> = seen.flat_map(|(_, clocks)| clocks.clone()).collect();
        fitted.clock.penalties = clock::fit(&seen, &fitted.clock.penalties);
        let rows = own.measured.iter().map(|one| design(own, &fitted, one));
        designs.push((own.space.name.to_string(), rows.collect()));
    }
    Ok(designs)
}

/// The least time that a design takes where launches are timed, in microseconds: no launch takes longer.
fn least_launch(application: &Application<'_>) -> Option<f64> {
    let timed = application.measured.iter().map(|one| one.seconds * 1e6);
    timed
        .reduce(f64::min)
        .filter(|_| !application.space.is_profiled)
}

fn clocks(application: &Application<'_>, board: &Board) -> Vec<Clock> {
    let rows = application.some(CLOCKS).map(|measured| Row {
        outcome: price(&application.workshop, board, measured),
        measured: measured.clone(),
    });
    samples(&rows.collect::<Vec<_>>(), board)
}

fn design(application: &Application<'_>, board: &Board, measured: &Measured) -> LeftOut {
    let priced = price(&application.workshop, board, measured).ok();
    // Two look-up tables are an adaptive logic module.
    let modules = 0.5 * board.device.alut;
    LeftOut {
        area: (priced.as_ref()).map(|priced| report::alm(board, priced) / modules),
        predicted: priced.map(|priced| priced.seconds),
        measured_area: measured.alm / modules,
        seconds: measured.seconds,
        knobs: measured.knobs.clone(),
    }
}
