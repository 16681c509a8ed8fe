//! All trials of a search.

use serde::Serialize;

use crate::front::front;
use crate::journal;
use crate::space::Space;
use crate::trial::{Measurement, Objective, Outcome, Trial};

/// All trials of a search, and what they are of.
#[derive(Clone, Debug, Serialize)]
pub struct Account<'a> {
    /// Where they were measured.
    pub device: &'a str,
    /// What is to be small.
    pub objective: Objective,
    /// What could be chosen.
    pub space: &'a Space,
    /// What was tried, in order.
    pub trials: &'a [Trial],
}

impl<'a> Account<'a> {
    /// Those that were measured: their indices among all.
    pub fn measured(&self) -> Vec<(usize, &'a Measurement)> {
        let all = self.trials.iter().enumerate();
        let measured = all.filter_map(|(at, trial)| match journal::outcome(self.trials, trial) {
            Outcome::Measured(measured) => Some((at, measured)),
            _ => None,
        });
        measured.collect()
    }

    /// The best one, the first of several.
    pub fn winner(&self) -> Option<(usize, &'a Measurement)> {
        let cost = |one: &(usize, &Measurement)| self.objective.cost(one.1);
        let measured = self.measured().into_iter();
        measured.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// The trials that no other beats in kernels' time and in area; without areas, in kernels' time and the program's.
    pub fn front(&self) -> Vec<usize> {
        let measured = self.measured();
        let costs: Vec<[f64; 2]> = (measured.iter())
            .map(|(_, one)| [Objective::Kernels.cost(one), self.second(one)])
            .collect();
        front(&costs).into_iter().map(|at| measured[at].0).collect()
    }

    /// The second objective of the front.
    pub fn second(&self, measured: &Measurement) -> f64 {
        measured.area.unwrap_or_else(|| measured.program_seconds())
    }
}

/// Trials of tests.
#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::space::{Parameter, Point, Rule};
    use crate::trial::{FailedStep, Failure};

    pub fn space() -> Space {
        Space {
            parameters: vec![
                Parameter::new("k.form", ["ndrange", "swi"]),
                Parameter::new("k.coarsen", [1, 2, 4]),
            ],
            rules: vec![
                Rule::Needs {
                    parameter: "k.coarsen".into(),
                    unless: 1.into(),
                    needs: "k.form".into(),
                    to_be: vec!["ndrange".into()],
                },
                Rule::Product {
                    product_of: vec!["k.coarsen".into()],
                    at_most: 4,
                },
            ],
        }
    }

    pub fn trials() -> Vec<Trial> {
        let points: Vec<Point> = space().points(9);
        let measured = |ms: f64| {
            Outcome::Measured(Measurement {
                runs: vec![ms * 1e-3; 3],
                baseline: vec![4e-3; 3],
                program: vec![1.0 - ms * 0.1; 3],
                ..Measurement::default()
            })
        };
        let failed = Outcome::Failed(Failure {
            step: FailedStep::Results,
            why: "it does not compute \"it\", <at all>".into(),
        });
        let outcomes = [measured(4.0), measured(2.0), failed, measured(3.0)];
        let pairs = points.into_iter().zip(outcomes);
        pairs
            .map(|(point, outcome)| Trial { point, outcome })
            .collect()
    }

    pub fn account<'a>(space: &'a Space, trials: &'a [Trial]) -> Account<'a> {
        Account {
            device: "pocl",
            objective: Objective::Kernels,
            space,
            trials,
        }
    }

    #[test]
    fn the_winner_and_the_front_are_found() {
        let (space, trials) = (space(), trials());
        let account = account(&space, &trials);
        assert_eq!(account.winner().unwrap().0, 1);
        // The slower ones belong to faster programs here.
        assert_eq!(account.front(), [1, 3, 0]);
    }
}
