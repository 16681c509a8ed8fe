//! Twins: candidates of which the same time and area are predicted. A model that sees all that differs between them sees
//! nothing, so that they often are the same hardware by two names, such as 4 groups of 8 and 8 groups of 4. How much the
//! costs of twins differ is learned from those that were measured; where that is little, one of them is enough.

use std::collections::BTreeMap;

use super::candidate::{Candidate, Tried};
use super::normal::below_by_few;

/// By how much twins differ before any were measured: the standard deviation of the logarithm of their costs.
const USUAL: f64 = 0.01;
/// A twin of what was measured is tried if it is better than the best one with at least this probability.
const LEAST_CHANCE: f64 = 0.1;
/// Predictions that differ by less than this part are the same.
const SAME: f64 = 1e-9;

/// Which candidates are twins.
pub struct Twins {
    /// Of each candidate, its group; of one of which nothing is predicted, none.
    groups: Vec<Option<usize>>,
}

/// The logarithms of costs of a group.
#[derive(Default)]
struct Measured {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Measured {
    fn add(&mut self, log: f64) {
        self.count += 1.0;
        self.sum += log;
        self.squares += log * log;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// The sum of squares around the mean.
    fn spread(&self) -> f64 {
        (self.squares - self.sum * self.mean()).max(0.0)
    }
}

impl Twins {
    /// By what is predicted.
    pub fn of(candidates: &[Candidate]) -> Self {
        let rounded = |value: f64| (value.ln() / SAME).round() as i64;
        let mut known: BTreeMap<(i64, i64), usize> = BTreeMap::new();
        let group = |one: &Candidate| {
            let key = (rounded(one.predicted?), rounded(one.area?));
            let next = known.len();
            Some(*known.entry(key).or_insert(next))
        };
        Twins {
            groups: candidates.iter().map(group).collect(),
        }
    }

    /// Those of some candidates that are no twins of measured ones, or may be better than the best one by the part `gain`
    /// even so; all, if none is.
    pub fn without_known(&self, some: &[usize], history: &[Tried], gain: f64) -> Vec<usize> {
        let mut measured: BTreeMap<usize, Measured> = BTreeMap::new();
        let mut best = f64::INFINITY;
        for (tried, cost) in history.iter().filter_map(|one| Some((one, one.cost?))) {
            best = best.min(cost.ln());
            if let Some(group) = self.groups[tried.candidate] {
                measured.entry(group).or_default().add(cost.ln());
            }
        }
        // As if one pair had been measured before, which differed as twins usually do.
        let spread: f64 = measured.values().map(Measured::spread).sum();
        let pairs: f64 = measured.values().map(|of| of.count - 1.0).sum();
        let deviation = ((USUAL * USUAL + spread) / (1.0 + pairs)).sqrt();
        let goal = best + (1.0 - gain).ln();
        let promises = |at: &usize| {
            let group = self.groups[*at].and_then(|group| measured.get(&group));
            group.is_none_or(|of| {
                let own = deviation * (1.0 + 1.0 / of.count).sqrt();
                below_by_few((goal - of.mean()) / own, 1 + pairs as usize) >= LEAST_CHANCE
            })
        };
        let promising: Vec<usize> = some.iter().copied().filter(promises).collect();
        match promising.is_empty() {
            true => some.to_vec(),
            false => promising,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of twins.
    fn pairs() -> Vec<Candidate> {
        let one = |at: u32| Candidate {
            predicted: Some(f64::from(1 + at / 2)),
            area: Some(0.5),
            ..Candidate::default()
        };
        (0..12).map(one).collect()
    }

    fn tried(costs: &[(usize, f64)]) -> Vec<Tried> {
        let one = |&(candidate, cost): &(usize, f64)| Tried {
            candidate,
            cost: Some(cost),
            area: None,
        };
        costs.iter().map(one).collect()
    }

    fn left(costs: &[(usize, f64)]) -> Vec<usize> {
        let some: Vec<usize> = (0..12)
            .filter(|at| costs.iter().all(|(tried, _)| tried != at))
            .collect();
        Twins::of(&pairs()).without_known(&some, &tried(costs), 0.02)
    }

    #[test]
    fn twins_of_what_is_slow_are_left_out() {
        // The best one's own twin may be luckier, as far as is known.
        assert_eq!(left(&[(0, 1.0), (2, 1.2)]), [1, 4, 5, 6, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn where_twins_are_alike_one_is_enough() {
        let alike = [
            (0, 1.0),
            (2, 1.2),
            (3, 1.2),
            (4, 1.3),
            (5, 1.3),
            (6, 1.4),
            (7, 1.4),
        ];
        assert_eq!(left(&alike), [8, 9, 10, 11]);
        let unlike = [
            (0, 1.0),
            (2, 1.2),
            (3, 1.4),
            (4, 1.3),
            (5, 1.5),
            (6, 1.4),
            (7, 1.6),
        ];
        assert_eq!(left(&unlike), [1, 8, 9, 10, 11]);
    }

    #[test]
    fn where_only_twins_are_left_they_are_tried() {
        let all: Vec<(usize, f64)> = (0..12)
            .filter(|at| at % 2 == 0)
            .map(|at| (at, 1.0 + at as f64))
            .collect();
        let costs: Vec<(usize, f64)> = all
            .iter()
            .copied()
            .filter(|(at, _)| *at > 0)
            .chain([(0, 0.1), (1, 0.1)])
            .collect();
        assert_eq!(left(&costs), [3, 5, 7, 9, 11]);
    }

    #[test]
    fn what_is_not_predicted_has_no_twin() {
        let candidates = vec![Candidate::default(); 3];
        let twins = Twins::of(&candidates);
        assert_eq!(
            twins.without_known(&[1, 2], &tried(&[(0, 1.0)]), 0.02),
            [1, 2]
        );
    }
}
