//! Analytic pruning: only the points are measured that no other beats in both of two metrics (Liang, Cui, Rupnow, Li,
//! Mutlu and Chen, "Register and thread structure optimization for GPUs", ASP-DAC 2013: POS and POSF).
//!
//! Their metrics are threads that are missing to full occupancy, and cycles by a list schedule. Here the second is the
//! time that the model predicts, and the first is what a variant leaves idle of what the device could do at a time.

use super::candidate::{Candidate, Strategy, Tried};

/// POSF's range of occupancy: beyond it more work-items at a time cost more registers than they gain (table 2 of the paper).
const MODERATE: std::ops::RangeInclusive<f64> = 0.3..=0.5;

/// Tries the front of predictions.
#[derive(Clone, Copy, Debug)]
pub struct Pareto {
    /// POSF: only points of moderate occupancy count.
    pub only_moderate: bool,
}

impl Pareto {
    /// The points that are tried, by predicted time.
    fn front(self, candidates: &[Candidate]) -> Vec<usize> {
        let is_wanted = |one: &Candidate| {
            let occupancy = one.occupancy.unwrap_or(0.5);
            one.fits() && (!self.only_moderate || MODERATE.contains(&occupancy))
        };
        // Idleness first; what has no metric of its own is as idle as all others.
        let metrics = candidates.iter().enumerate().filter_map(|(at, one)| {
            let idle = 1.0 - one.occupancy.unwrap_or(0.0);
            let seconds = one.predicted.filter(|_| is_wanted(one))?;
            Some((at, [seconds, idle]))
        });
        let metrics: Vec<(usize, [f64; 2])> = metrics.collect();
        let costs: Vec<[f64; 2]> = metrics.iter().map(|(_, costs)| *costs).collect();
        let front = crate::front::front(&costs);
        front.into_iter().map(|at| metrics[at].0).collect()
    }
}

impl Strategy for Pareto {
    fn name(&self) -> &'static str {
        match self.only_moderate {
            true => "pareto-few",
            false => "pareto",
        }
    }

    fn next(&self, candidates: &[Candidate], history: &[Tried], most: usize) -> Vec<usize> {
        let mut front = self.front(candidates);
        front.retain(|at| history.iter().all(|tried| tried.candidate != *at));
        front.truncate(most);
        front
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(predicted: f64, occupancy: f64) -> Candidate {
        Candidate {
            predicted: Some(predicted),
            occupancy: Some(occupancy),
            ..Candidate::default()
        }
    }

    #[test]
    fn only_the_front_is_tried_the_fastest_first() {
        let all = [
            candidate(3.0, 0.9),
            candidate(1.0, 0.4),
            candidate(2.0, 0.3),
            candidate(4.0, 0.9),
        ];
        let pos = Pareto {
            only_moderate: false,
        };
        assert_eq!(pos.next(&all, &[], 9), [1, 0]);
        let tried = [Tried {
            candidate: 1,
            cost: None,
            area: None,
        }];
        assert_eq!(pos.next(&all, &tried, 9), [0]);
        let posf = Pareto {
            only_moderate: true,
        };
        assert_eq!(posf.next(&all, &[], 9), [1]);
    }
}
