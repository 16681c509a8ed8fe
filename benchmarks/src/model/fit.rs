//! Searching for the constants that fit measured times best.
//!
//! Hooke and Jeeves' pattern search over the logarithms of the constants, on a grid. On a grid, since
//! most constants matter to few points: what was predicted once is remembered, by the steps of those
//! constants that the point reacts to.

use std::collections::BTreeMap;

use fpgacc_performance_model::{Board, Fall};

use super::constants::{CONSTANTS, Constant};
use super::points::{Ready, Subject};

/// A step of the grid is this factor.
const STEP: f64 = 1.03;
/// Steps that are tried, from wide to narrow, twice: what one constant gains may stand on another.
const STRIDES: [i32; 12] = [32, 16, 8, 4, 2, 1, 32, 16, 8, 4, 2, 1];
/// Rounds over all constants with one stride.
const ROUNDS: usize = 6;
/// What a constant costs that is off its start by a factor of e: less than any real gain.
const INERTIA: f64 = 0.002;
/// Constants are tried so much larger and smaller to see which points react.
const PROBE: f64 = 4.0;

type Steps = [i32; CONSTANTS.len()];

/// A measured point in the fit.
struct Sample<'a> {
    app: &'a str,
    ready: &'a Ready,
    measured: f64,
    /// The board with the clock that was measured.
    board: Board,
    /// Constants that matter to it.
    reacts: [bool; CONSTANTS.len()],
    known: BTreeMap<Steps, f64>,
}

/// Points to which constants are fitted.
pub struct Fitting<'a> {
    samples: Vec<Sample<'a>>,
}

impl<'a> Fitting<'a> {
    /// Of all points that can be predicted.
    pub fn new(subjects: &'a [Subject], board: &Board) -> Self {
        let start = set(board, &[0; CONSTANTS.len()]);
        let sample = |subject: &'a Subject| {
            let ready = subject.kernel.as_ref().ok()?;
            // Cycles are fitted, so the clock is the one of the measured build where that is known.
            let mhz = subject.measured.clk_mhz;
            // What hides behind something slower at the start may not at the shipped values.
            let mut reacts = [false; CONSTANTS.len()];
            for from in [board, &start] {
                let mut board = from.clone();
                fix_clock(&mut board, mhz.unwrap_or(from.clock.typical_mhz));
                let usual = ready.predict(&board).seconds;
                for (constant, reacts) in CONSTANTS.iter().zip(&mut reacts) {
                    *reacts = *reacts || self::reacts(ready, &board, constant, usual);
                }
            }
            let mut board = start.clone();
            fix_clock(&mut board, mhz.unwrap_or(start.clock.typical_mhz));
            Some(Sample {
                app: &subject.measured.app,
                ready,
                measured: subject.measured.ms / 1000.0,
                board,
                reacts,
                known: BTreeMap::new(),
            })
        };
        Fitting {
            samples: subjects.iter().filter_map(sample).collect(),
        }
    }

    /// The constants that fit all applications but `left_out` best, each application counting the same.
    pub fn fit(&mut self, left_out: Option<&str>) -> Vec<f64> {
        let mut best: Steps = [0; CONSTANTS.len()];
        let mut least = self.cost(&best, left_out);
        for stride in STRIDES {
            for _ in 0..ROUNDS {
                let before = least;
                for at in 0..CONSTANTS.len() {
                    for by in [stride, -stride] {
                        let mut steps = best;
                        steps[at] += by;
                        let cost = self.cost(&steps, left_out);
                        if cost < least - 1e-9 {
                            (best, least) = (steps, cost);
                            break;
                        }
                    }
                }
                if least >= before {
                    break;
                }
            }
        }
        values(&best).collect()
    }

    /// The mean over applications of the mean absolute logarithm of predicted over measured time.
    fn cost(&mut self, steps: &Steps, left_out: Option<&str>) -> f64 {
        let mut errors: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for sample in &mut self.samples {
            if Some(sample.app) == left_out {
                continue;
            }
            let error = (sample.seconds(steps) / sample.measured).ln().abs();
            let (sum, count) = errors.entry(sample.app).or_default();
            *sum += error;
            *count += 1.0;
        }
        let means = errors.values().map(|(sum, count)| sum / count);
        let moved = steps
            .iter()
            .map(|step| (f64::from(*step) * STEP.ln()).powi(2));
        means.sum::<f64>() / errors.len() as f64 + INERTIA * moved.sum::<f64>()
    }
}

impl Sample<'_> {
    fn seconds(&mut self, steps: &Steps) -> f64 {
        let own: Steps = std::array::from_fn(|at| if self.reacts[at] { steps[at] } else { 0 });
        let (ready, board) = (self.ready, &self.board);
        let predict = || ready.predict(&set(board, &own)).seconds;
        *self.known.entry(own).or_insert_with(predict)
    }
}

/// A board with a clock that nothing lowers.
fn fix_clock(board: &mut Board, mhz: f64) {
    board.clock.highest_mhz = mhz;
    board.clock.fall = Fall::default();
}

/// Whether a prediction, `usual` seconds on this board, depends on a constant.
fn reacts(ready: &Ready, board: &Board, constant: &Constant, usual: f64) -> bool {
    [PROBE, 1.0 / PROBE].into_iter().any(|factor| {
        let mut board = board.clone();
        *(constant.place)(&mut board) *= factor;
        ready.predict(&board).seconds != usual
    })
}

fn values(steps: &Steps) -> impl Iterator<Item = f64> {
    let value = |(constant, step): (&Constant, &i32)| constant.start * STEP.powi(*step);
    CONSTANTS
        .iter()
        .zip(steps)
        .map(value)
        .collect::<Vec<_>>()
        .into_iter()
}

fn set(board: &Board, steps: &Steps) -> Board {
    with(board, &values(steps).collect::<Vec<_>>())
}

/// A board with other constants.
pub fn with(board: &Board, values: &[f64]) -> Board {
    let mut board = board.clone();
    for (constant, value) in CONSTANTS.iter().zip(values) {
        *(constant.place)(&mut board) = *value;
    }
    board
}
