//! How a nest does several launches in a row.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{ExprId, VarId};
use fpgacc_kernel_analysis::poly::Poly;

/// A nest that does several launches in a row.
#[derive(Clone, Debug)]
pub struct Row {
    /// How many: odd.
    pub stages: i128,
    /// The array that is read through a window.
    pub from: VarId,
    /// The array that is written.
    pub to: VarId,
    /// Where it is written, of all counters.
    pub target: Poly,
    /// By how many elements what is written lies before the newest element of the window.
    pub behind: i128,
    /// All elements are written that a stage takes from the one before it.
    pub is_complete: bool,
    /// Where it is written, in elements from where the nest is.
    pub ahead: i128,
    /// Reads of the element that is written, before it is (a wave that keeps its last two states in two arrays).
    /// Stages find there what the stage before the one before them wrote.
    pub olds: BTreeSet<ExprId>,
    /// Reads of other arrays that move on with the nest: stages take them from the first.
    pub handed_on: BTreeSet<ExprId>,
    /// The arrays that are read beside, and must not be the one that is written.
    pub others: BTreeSet<VarId>,
    /// The parameter that says how many stages a launch is for.
    pub count: Option<VarId>,
}

impl Row {
    /// By how many elements a stage is behind the one before it, of loops that move on by so many.
    pub fn lag(&self, lanes: i128) -> i128 {
        (self.behind + lanes - 1).div_euclid(lanes).max(0) * lanes
    }

    /// The least distance that the window must hold, beside those that are read: each stage finds the elements that it
    /// writes in the window of the stage before it.
    pub fn oldest(&self, lanes: i128) -> Option<i128> {
        (!self.olds.is_empty()).then(|| self.ahead - self.lag(lanes))
    }
}
