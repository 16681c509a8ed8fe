//! All points, in an order that a seed gives.

use std::collections::BTreeSet;

use super::candidate::{Candidate, Strategy, Tried, untried};
use crate::random::Random;

/// Tries in random order.
#[derive(Clone, Copy, Debug)]
pub struct Randomly {
    /// Another seed is another order.
    pub seed: u64,
}

impl Strategy for Randomly {
    fn name(&self) -> &'static str {
        "random"
    }

    fn next(&self, candidates: &[Candidate], history: &[Tried], most: usize) -> Vec<usize> {
        let mut order = Random::new(self.seed).order(candidates.len());
        let left: BTreeSet<usize> = untried(candidates, history).into_iter().collect();
        order.retain(|at| left.contains(at));
        order.truncate(most);
        order
    }
}
