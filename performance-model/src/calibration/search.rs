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
    /// The board that it was measured on.
    pub board: &'a Board,
    /// The time.
    pub seconds: f64,
    /// The clock of the build, if it was measured.
    pub mhz: Option<f64>,
    /// The seconds that the model predicts on a board.
    pub predict: Box<dyn Fn(&Board) -> f64 + 'a>,
}

/// A number that is searched for: a constant, of all boards whose files have the same value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The place of the constant among all.
    constant: usize,
    /// Its value in the files.
    shipped: f64,
}

impl Parameter {
    /// The constant.
    pub fn constant(&self) -> &'static Constant {
        &CONSTANTS[self.constant]
    }

    /// Its value in the files.
    pub fn shipped(&self) -> f64 {
        self.shipped
    }
}

/// A sample in the fit.
struct Point<'a> {
    sample: Sample<'a>,
    /// The board with the clock that was measured.
    board: Board,
    /// Of each constant, its parameter.
    parameters: [usize; CONSTANTS.len()],
    /// Constants that matter to it.
    reacts: [bool; CONSTANTS.len()],
    known: BTreeMap<Steps, f64>,
}

/// Times to which constants are fitted.
pub struct Fitting<'a> {
    parameters: Vec<Parameter>,
    points: Vec<Point<'a>>,
}

/// Constants that were fitted.
#[derive(Clone, Debug)]
pub struct Fitted(Vec<(Parameter, f64)>);

impl Fitted {
    /// A board with them.
    pub fn on(&self, board: &Board) -> Board {
        let mut fitted = board.clone();
        for (parameter, value) in &self.0 {
            let constant = parameter.constant();
            if constant.of(board) == parameter.shipped {
                *(constant.value)(&mut fitted) = *value;
            }
        }
        fitted
    }

    /// The parameters with their values.
    pub fn values(&self) -> &[(Parameter, f64)] {
        &self.0
    }
}

impl<'a> Fitting<'a> {
    /// Of these times, on any boards.
    pub fn new(samples: Vec<Sample<'a>>) -> Self {
        let mut parameters = Vec::new();
        let points = samples.into_iter().map(|s| Point::of(s, &mut parameters));
        Fitting {
            points: points.collect(),
            parameters,
        }
    }

    /// The constants that fit all applications but `left_out` best, each application counting the same.
    pub fn fit(&mut self, left_out: Option<&str>) -> Fitted {
        let mut best = vec![0; self.parameters.len()];
        let own = |point: &&mut Point<'_>| Some(point.sample.application) != left_out;
        let mut points: Vec<&mut Point<'_>> = self.points.iter_mut().filter(own).collect();
        let mut errors: Vec<f64> = points.iter_mut().map(|point| point.error(&best)).collect();
        let mut least = cost(&points, &errors, &best);
        for stride in STRIDES {
            for _ in 0..ROUNDS {
                let before = least;
                for at in 0..best.len() {
                    for by in [stride, -stride] {
                        let mut steps = best.clone();
                        steps[at] += by;
                        let mut moved = errors.clone();
                        for (point, error) in points.iter_mut().zip(&mut moved) {
                            if point.reacts_to(at) {
                                *error = point.error(&steps);
                            }
                        }
                        let cost = cost(&points, &moved, &steps);
                        if cost < least - 1e-9 {
                            (best, errors, least) = (steps, moved, cost);
                            break;
                        }
                    }
                }
                if least >= before {
                    break;
                }
            }
        }
        let fitted = self.parameters.iter().zip(&best);
        let fitted = fitted.map(|(&one, &steps)| (one, value(one.constant(), steps)));
        Fitted(fitted.collect())
    }
}

/// The mean over applications of the mean absolute logarithm of predicted over measured time.
fn cost(points: &[&mut Point<'_>], errors: &[f64], steps: &[i32]) -> f64 {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (point, error) in points.iter().zip(errors) {
        let (sum, count) = sums.entry(point.sample.application).or_default();
        *sum += error;
        *count += 1.0;
    }
    let means = sums.values().map(|(sum, count)| sum / count);
    let moved = steps
        .iter()
        .map(|step| (f64::from(*step) * STEP.ln()).powi(2));
    means.sum::<f64>() / sums.len() as f64 + INERTIA * moved.sum::<f64>()
}

impl<'a> Point<'a> {
    fn of(sample: Sample<'a>, all: &mut Vec<Parameter>) -> Self {
        let shipped = sample.board;
        let parameters = std::array::from_fn(|constant| {
            let own = Parameter {
                constant,
                shipped: CONSTANTS[constant].of(shipped),
            };
            let known = all.iter().position(|other| *other == own);
            known.unwrap_or_else(|| {
                all.push(own);
                all.len() - 1
            })
        });
        // Cycles are fitted, so the clock is the one of the measured build where that is known.
        let mhz = sample.mhz.unwrap_or(shipped.clock.typical_mhz);
        let start = set(shipped, &[0; CONSTANTS.len()]);
        // What hides after something slower at the start may not at the shipped values.
        let mut reacts = [false; CONSTANTS.len()];
        for from in [shipped, &start] {
            let mut board = from.clone();
            fix_clock(&mut board, mhz);
            let usual = (sample.predict)(&board);
            for (constant, reacts) in CONSTANTS.iter().zip(&mut reacts) {
                *reacts = *reacts || self::reacts(&sample, &board, constant, usual);
            }
        }
        let mut board = start;
        fix_clock(&mut board, mhz);
        Point {
            sample,
            board,
            parameters,
            reacts,
            known: BTreeMap::new(),
        }
    }

    fn reacts_to(&self, parameter: usize) -> bool {
        let mut own = self.parameters.iter().zip(self.reacts);
        own.any(|(own, reacts)| reacts && *own == parameter)
    }

    /// The absolute logarithm of predicted over measured time, by the steps of all parameters.
    fn error(&mut self, steps: &[i32]) -> f64 {
        (self.predicted(steps) / self.sample.seconds).ln().abs()
    }

    fn predicted(&mut self, steps: &[i32]) -> f64 {
        let own: Steps = std::array::from_fn(|at| match self.reacts[at] {
            true => steps[self.parameters[at]],
            false => 0,
        });
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
        *(constant.value)(&mut board) *= factor;
        (sample.predict)(&board) != usual
    })
}

fn value(constant: &Constant, steps: i32) -> f64 {
    constant.start * STEP.powi(steps)
}

fn set(board: &Board, steps: &Steps) -> Board {
    let mut board = board.clone();
    for (constant, &steps) in CONSTANTS.iter().zip(steps) {
        *(constant.value)(&mut board) = value(constant, steps);
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
            board: &board,
            seconds: 1.0 / part,
            mhz: None,
            predict: Box::new(|board| 1.0 / board.memory.efficiency),
        };
        let samples = vec![sample("one", 0.6), sample("other", 0.5)];
        let mut fitting = Fitting::new(samples);
        let of_one = fitting.fit(Some("other")).on(&board);
        assert!((of_one.memory.efficiency / 0.6 - 1.0).abs() < STEP - 1.0);
        let of_other = fitting.fit(Some("one")).on(&board);
        assert!((of_other.memory.efficiency / 0.5 - 1.0).abs() < STEP - 1.0);
        for constant in &CONSTANTS[1..] {
            assert_eq!(constant.of(&of_one), constant.start, "{}", constant.name);
        }
    }

    #[test]
    fn boards_share_what_their_files_have_alike() {
        let board = Board::named("de5a-net").unwrap();
        let mut slow = board.clone();
        slow.memory.efficiency = 0.5;
        let sample = |board, part: f64| Sample {
            application: "one",
            board,
            seconds: 1.0 / part,
            mhz: None,
            predict: Box::new(|board: &Board| 1.0 / board.memory.efficiency),
        };
        let fitted = Fitting::new(vec![sample(&board, 0.6), sample(&slow, 0.4)]).fit(None);
        let off = |board: &Board, part: f64| fitted.on(board).memory.efficiency / part - 1.0;
        assert!(off(&board, 0.6).abs() < STEP - 1.0);
        assert!(off(&slow, 0.4).abs() < STEP - 1.0);
        let both = Fitting::new(vec![sample(&board, 0.6), sample(&board, 0.5)]).fit(None);
        assert_eq!(both.on(&slow).memory.efficiency, 0.5);
    }
}
