//! Strategies on spaces that were measured whole: how many builds each takes to come near to the best.

use crate::strategy::{Candidate, Strategy, Tried};

/// The candidates in the order in which a strategy tries them, `batch` at a time, until `is_enough` of what was tried, or the
/// end. `costs` are those of the candidates; `None`: it fails.
pub fn replay(
    strategy: &dyn Strategy,
    candidates: &[Candidate],
    costs: &[Option<f64>],
    batch: usize,
    mut is_enough: impl FnMut(&[Tried]) -> bool,
) -> Vec<Tried> {
    let mut history: Vec<Tried> = Vec::new();
    while !is_enough(&history) {
        let next = strategy.next(candidates, &history, batch);
        if next.is_empty() {
            break;
        }
        history.extend(next.into_iter().map(|candidate| Tried {
            candidate,
            cost: costs[candidate],
            area: None,
        }));
    }
    history
}

/// What of two costs is to be found: the first costs are those of [`replay`]'s candidates, `areas` the others.
pub fn replay_with_areas(
    strategy: &dyn Strategy,
    candidates: &[Candidate],
    (costs, areas): (&[Option<f64>], &[Option<f64>]),
    most: usize,
) -> Vec<Tried> {
    let mut history: Vec<Tried> = Vec::new();
    while history.len() < most {
        let next = strategy.next(candidates, &history, 1);
        if next.is_empty() {
            break;
        }
        history.extend(next.into_iter().map(|candidate| Tried {
            candidate,
            cost: costs[candidate],
            area: areas[candidate],
        }));
    }
    history
}

/// Builds until one costs at most `factor` of the least cost; `None`: the strategy ends, or `most` builds are made, before
/// that.
pub fn builds_until(
    strategy: &dyn Strategy,
    candidates: &[Candidate],
    costs: &[Option<f64>],
    factor: f64,
    most: usize,
) -> Option<usize> {
    let best = costs
        .iter()
        .flatten()
        .copied()
        .fold(f64::INFINITY, f64::min);
    let is_near = |tried: &Tried| tried.cost.is_some_and(|cost| cost <= best * factor);
    let history = replay(strategy, candidates, costs, 1, |history| {
        history.len() >= most || history.last().is_some_and(is_near)
    });
    let found = history.iter().position(is_near);
    found.map(|at| at + 1)
}

/// A part of the way through numbers in ascending order: 0.5 is the median. What is not known counts as infinite.
pub fn quantile(numbers: &[Option<usize>], part: f64) -> Option<usize> {
    let mut sorted: Vec<usize> = numbers
        .iter()
        .map(|one| one.unwrap_or(usize::MAX))
        .collect();
    sorted.sort_unstable();
    let at = ((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).copied().filter(|found| *found != usize::MAX)
}
