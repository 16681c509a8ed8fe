//! All points, in their order.

use super::candidate::{Candidate, Strategy, Tried, untried};

/// Tries all.
#[derive(Clone, Copy, Debug)]
pub struct Exhaustive;

impl Strategy for Exhaustive {
    fn name(&self) -> &'static str {
        "exhaustive"
    }

    fn next(&self, candidates: &[Candidate], history: &[Tried], most: usize) -> Vec<usize> {
        let mut left = untried(candidates, history);
        left.truncate(most);
        left
    }
}
