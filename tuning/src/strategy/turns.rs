//! Ways to choose the next candidate, which take turns. No way is the best on all spaces; each is bad on some.
//!
//! - By trees ([`super::trees`]): what depends on a parameter by steps they learn soonest.
//! - By a Gaussian process ([`super::residual`]); it also says when the search may end.
//! - Where nothing is predicted, any beside the best one: whatever the others learned, this one climbs.
//!
//! Of a large space they look at some candidates at random and at all beside the best ones.

use std::collections::BTreeSet;

use super::candidate::{Candidate, Tried};
use super::neighbours::Neighbours;
use super::residual::{Prior, Seen};
use super::trees;
use crate::random::Random;

/// What chooses next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Trees.
    Trees,
    /// A Gaussian process.
    Process,
    /// Any beside the best.
    Beside,
}

impl Turn {
    /// After so many were tried.
    pub fn after(tried: usize, is_blind: bool) -> Turn {
        let turns: &[Turn] = match is_blind {
            true => &[Turn::Trees, Turn::Beside, Turn::Process, Turn::Beside],
            false => &[Turn::Trees, Turn::Trees, Turn::Process],
        };
        turns[tried % turns.len()]
    }
}

/// So many candidates are all looked at.
const WHOLE: usize = 3_000;
/// Of more, so many at random.
const SOME: usize = 1_000;
/// The best ones, beside which all are looked at.
const BEST: usize = 5;
/// Trees.
const TREES: usize = 50;

/// What a search looks at, and what it knows.
pub struct View<'a> {
    candidates: &'a [Candidate],
    neighbours: Neighbours<'a>,
    /// What was measured, the best first.
    measured: Vec<(f64, usize)>,
    left: BTreeSet<usize>,
    random: Random,
}

impl<'a> View<'a> {
    /// Of candidates, of which those in `left` were not tried.
    pub fn of(candidates: &'a [Candidate], history: &[Tried], left: &[usize], seed: u64) -> Self {
        let measured = history
            .iter()
            .filter_map(|tried| Some((tried.cost?, tried.candidate)));
        let mut measured: Vec<(f64, usize)> = measured.collect();
        measured.sort_by(|a, b| a.0.total_cmp(&b.0));
        let tried = history.len() as u64;
        View {
            candidates,
            neighbours: Neighbours::of(candidates),
            measured,
            left: left.iter().copied().collect(),
            random: Random::new(seed.wrapping_mul(1_000_003).wrapping_add(tried)),
        }
    }

    /// Any that is left beside the best one that has such.
    pub fn beside(&mut self) -> Option<usize> {
        let beside = |(_, at): &(f64, usize)| {
            let beside = self.neighbours.beside(*at).into_iter();
            beside
                .filter(|at| self.left.contains(at))
                .collect::<Vec<_>>()
        };
        let mut each = self.measured.iter().map(beside);
        let found = each.find(|beside| !beside.is_empty())?;
        Some(found[self.random.below(found.len())])
    }

    /// The candidates that are looked at.
    pub fn pool(&mut self) -> Vec<usize> {
        if self.left.len() <= WHOLE {
            return self.left.iter().copied().collect();
        }
        let all: Vec<usize> = self.left.iter().copied().collect();
        let some = (0..SOME).map(|_| all[self.random.below(all.len())]);
        let mut pool: BTreeSet<usize> = some.collect();
        for (_, best) in self.measured.iter().take(BEST) {
            let beside = self.neighbours.beside(*best).into_iter();
            pool.extend(beside.filter(|at| self.left.contains(at)));
        }
        pool.into_iter().collect()
    }

    /// Of a pool the one that may come out least by trees, which learn what predictions are off by: the mean less so many
    /// deviations (a lower confidence bound).
    pub fn by_trees(
        &mut self,
        pool: &[usize],
        prior: &Prior<'_>,
        seen: &Seen,
        deviations: f64,
    ) -> Option<usize> {
        // Errors may depend on the predicted time, too.
        let features = |at: usize| {
            let mut features = self.candidates[at].features.clone();
            features.push(prior.logs[at]);
            features
        };
        let tried: Vec<Vec<f64>> = seen.at.iter().map(|&at| features(at)).collect();
        let trees = trees::fit(&tried, &seen.errors, TREES, &mut self.random);
        let bound = |&at: &usize| {
            let (mean, variance) = trees.at(&features(at));
            let error = mean - deviations * variance.sqrt();
            (prior.logs[at] + seen.scale * error, at)
        };
        let best = pool.iter().map(bound);
        best.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_has_each_third_turn_where_something_is_predicted() {
        let turns: Vec<Turn> = (0..6).map(|tried| Turn::after(tried, false)).collect();
        let three = [Turn::Trees, Turn::Trees, Turn::Process];
        assert_eq!(turns, [three, three].concat());
        assert_eq!(Turn::after(6, true), Turn::Process);
    }
}
