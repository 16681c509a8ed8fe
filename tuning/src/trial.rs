//! What became of a point.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::compare;
pub use crate::compare::median;
use crate::space::Point;

/// A point that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// The point.
    pub point: Point,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was measured.
    Measured(Measurement),
    /// It makes the same kernels as another point, whose outcome holds for it too.
    Same(Point),
    /// It failed, and is not tried again.
    Failed(Failure),
}

/// How fast a point is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// Seconds of each kernel, all its launches together: the median of the runs.
    pub kernels: BTreeMap<String, f64>,
    /// Seconds of all kernels in each run, in the order of the runs.
    pub runs: Vec<f64>,
    /// Seconds of all kernels in each run of the baseline, which was run by turns with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baseline: Vec<f64>,
    /// Seconds of each run of the whole program.
    pub program: Vec<f64>,
    /// The part of the device that it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
}

/// The best points beside the program as it is: run by turns, to distinguish what is faster from what was lucky.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOff {
    /// The points, of which the first is the program as it is.
    pub points: Vec<Point>,
    /// Of each, seconds of each round; of one that failed none.
    pub runs: Vec<Vec<f64>>,
}

impl RunOff {
    /// The point that wins, and how many times as fast as the program as it is it ran.
    pub fn winner(&self, gain: f64) -> Option<(&Point, f64)> {
        let (baseline, others) = self.runs.split_first()?;
        let is_whole = |runs: &Vec<f64>| runs.len() == baseline.len();
        let whole: Vec<usize> = (0..others.len())
            .filter(|at| is_whole(&others[*at]))
            .collect();
        let runs: Vec<Vec<f64>> = whole.iter().map(|&at| others[at].clone()).collect();
        let at = whole[compare::winner(&runs, baseline, gain)?];
        let ratios = baseline
            .iter()
            .zip(&others[at])
            .map(|(base, own)| base / own);
        let ratio = median(&ratios.collect::<Vec<_>>())?;
        Some((self.points.get(at + 1)?, ratio))
    }
}

impl Measurement {
    /// Seconds of all kernels.
    pub fn kernel_seconds(&self) -> f64 {
        median(&self.runs).unwrap_or(f64::INFINITY)
    }

    /// Seconds of the whole program.
    pub fn program_seconds(&self) -> f64 {
        median(&self.program).unwrap_or(f64::INFINITY)
    }

    /// How many times as fast the kernels are as those of the baseline in the runs beside them.
    pub fn speedup(&self) -> Option<f64> {
        let pairs = self.baseline.iter().zip(&self.runs);
        let ratios: Vec<f64> = pairs.map(|(base, own)| base / own).collect();
        median(&ratios)
    }
}

/// Why a point has no time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The step at which it failed.
    pub step: FailedStep,
    /// What was said of it.
    pub why: String,
}

/// A step of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum FailedStep {
    Build,
    Run,
    /// It took too long, the build or a run.
    Time,
    /// The results are not those of the original.
    Results,
}

impl FailedStep {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            FailedStep::Build => "build",
            FailedStep::Run => "run",
            FailedStep::Time => "time limit",
            FailedStep::Results => "results",
        }
    }
}

/// What is to be small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// Seconds of all kernels.
    #[default]
    Kernels,
    /// Seconds of the program.
    Program,
    /// The part of the device that is taken.
    Area,
}

impl Objective {
    /// The words of `--objective`.
    pub const WORDS: [&'static str; 3] = ["kernels", "program", "area"];

    /// The objective of a word.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "kernels" => Some(Objective::Kernels),
            "program" => Some(Objective::Program),
            "area" => Some(Objective::Area),
            _ => None,
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Objective::Kernels => "kernels",
            Objective::Program => "program",
            Objective::Area => "area",
        }
    }

    /// How trials compare: kernels' times beside those of the baseline in the same minutes, where there is one, so that a
    /// busy machine makes no difference.
    pub fn cost(self, measured: &Measurement) -> f64 {
        match (self, median(&measured.baseline)) {
            (Objective::Kernels, Some(baseline)) if baseline > 0.0 => {
                measured.kernel_seconds() / baseline
            }
            _ => self.of(measured),
        }
    }

    /// What a measured point costs.
    pub fn of(self, measured: &Measurement) -> f64 {
        match self {
            Objective::Kernels => measured.kernel_seconds(),
            Objective::Program => measured.program_seconds(),
            Objective::Area => measured.area.unwrap_or(f64::INFINITY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn what_failed_in_the_run_off_does_not_win() {
        let point =
            |value: u64| -> Point { [("k".to_string(), value.into())].into_iter().collect() };
        let run_off = RunOff {
            points: vec![point(1), point(2), point(3)],
            runs: vec![vec![1.0; 12], vec![0.1; 3], vec![0.5; 12]],
        };
        assert_eq!(run_off.winner(0.02), Some((&point(3), 2.0)));
        let none = RunOff {
            points: vec![point(1)],
            runs: vec![vec![1.0; 12]],
        };
        assert_eq!(none.winner(0.02), None);
    }

    #[test]
    fn speedups_are_those_of_runs_beside_each_other() {
        let measured = Measurement {
            runs: vec![1.0, 4.0, 1.0],
            baseline: vec![2.0, 8.0, 2.0],
            ..Measurement::default()
        };
        assert_eq!(measured.speedup(), Some(2.0));
        assert_eq!(Measurement::default().speedup(), None);
    }
}
