//! Searching for the constants that fit measured times best.
//!
//! Hooke and Jeeves' pattern search over the logarithms of the constants, on a grid. On a grid, since
//! most constants matter to few points: what was predicted once is remembered, by the steps of those
//! constants that the point reacts to.

use std::collections::BTreeMap;

use super::constants::{CONSTANTS, Constant};
use crate::board::{Board, ClockPenalties};

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

/// A measured time.
pub struct Sample<'a> {
    /// The application that it is of: each counts the same, however many times were measured.
    pub application: &'a str,
    /// The time.
    pub seconds: f64,
    /// The clock of the build, if it was measured.
    pub mhz: Option<f64>,
    /// The seconds that the model predicts on a board.
    pub predict: Box<dyn Fn(&Board) -> f64 + 'a>,
}

/// A sample in the fit.
struct Point<'a> {
    sample: Sample<'a>,
    /// The board with the clock that was measured.
    board: Board,
    /// Constants that matter to it.
    reacts: [bool; CONSTANTS.len()],
    known: BTreeMap<Steps, f64>,
}

/// Times to which constants are fitted.
pub struct Fitting<'a> {
    points: Vec<Point<'a>>,
}

impl<'a> Fitting<'a> {
    /// Of these times, all of a board.
    pub fn new(samples: Vec<Sample<'a>>, board: &Board) -> Self {
        let start = set(board, &[0; CONSTANTS.len()]);
        let point = |sample: Sample<'a>| {
            // Cycles are fitted, so the clock is the one of the measured build where that is known.
            let mhz = sample.mhz;
            // What hides after something slower at the start may not at the shipped values.
            let mut reacts = [false; CONSTANTS.len()];
            for from in [board, &start] {
                let mut board = from.clone();
                fix_clock(&mut board, mhz.unwrap_or(from.clock.typical_mhz));
                let usual = (sample.predict)(&board);
                for (constant, reacts) in CONSTANTS.iter().zip(&mut reacts) {
                    *reacts = *reacts || self::reacts(&sample, &board, constant, usual);
                }
            }
            let mut board = start.clone();
            fix_clock(&mut board, mhz.unwrap_or(start.clock.typical_mhz));
            Point {
                sample,
                board,
                reacts,
                known: BTreeMap::new(),
            }
        };
        Fitting {
            points: samples.into_iter().map(point).collect(),
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
        for point in &mut self.points {
            let Sample {
                application,
                seconds,
                ..
            } = point.sample;
            if Some(application) == left_out {
                continue;
            }
            let error = (point.predicted(steps) / seconds).ln().abs();
            let (sum, count) = errors.entry(application).or_default();
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

impl Point<'_> {
    fn predicted(&mut self, steps: &Steps) -> f64 {
        let own: Steps = std::array::from_fn(|at| if self.reacts[at] { steps[at] } else { 0 });
        let (predict, board) = (&self.sample.predict, &self.board);
        let seconds = || predict(&set(board, &own));
        *self.known.entry(own).or_insert_with(seconds)
    }
}

/// A board with a clock that nothing lowers.
fn fix_clock(board: &mut Board, mhz: f64) {
    board.clock.highest_mhz = mhz;
    board.clock.penalties = ClockPenalties::default();
}

/// Whether a prediction, `usual` seconds on this board, depends on a constant.
fn reacts(sample: &Sample<'_>, board: &Board, constant: &Constant, usual: f64) -> bool {
    [PROBE, 1.0 / PROBE].into_iter().any(|factor| {
        let mut board = board.clone();
        *(constant.place)(&mut board) *= factor;
        (sample.predict)(&board) != usual
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_matter_are_found_and_others_stay() {
        let board = Board::named("de5a-net").unwrap();
        let sample = |application, part: f64| Sample {
            application,
            seconds: 1.0 / part,
            mhz: None,
            predict: Box::new(|board| 1.0 / board.memory.efficiency),
        };
        let samples = vec![sample("one", 0.6), sample("other", 0.5)];
        let mut fitting = Fitting::new(samples, &board);
        let of_one = with(&board, &fitting.fit(Some("other")));
        assert!((of_one.memory.efficiency / 0.6 - 1.0).abs() < STEP - 1.0);
        let of_other = with(&board, &fitting.fit(Some("one")));
        assert!((of_other.memory.efficiency / 0.5 - 1.0).abs() < STEP - 1.0);
        for constant in &CONSTANTS[1..] {
            assert_eq!(constant.of(&of_one), constant.start, "{}", constant.name);
        }
    }
}
