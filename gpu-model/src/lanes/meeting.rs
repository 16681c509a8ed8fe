//! What the warps of a group did before they met at barriers.

use std::collections::BTreeSet;

use super::guess::Doubt;
use super::observed::Position;
use super::value::Sym;

/// What a warp did between two barriers.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The barrier that ends it.
    pub to: Position,
    /// Operations of the warp.
    pub operations: f64,
    /// It depends on what memory holds, or on these numbers.
    pub by_data: bool,
    pub open: BTreeSet<Sym>,
    /// How often it does that.
    pub times: f64,
    /// Some of its work-items do not come there, and whether they do may be in doubt.
    pub is_parted: bool,
    /// It stands for other iterations.
    pub is_sampled: bool,
    pub doubt: Doubt,
}

/// Ways of the warps of a group, and the warp that is on one.
#[derive(Default)]
pub(super) struct Meeting {
    /// The group whose warps are walked.
    pub group: Option<[u64; 3]>,
    /// Of each of its warps, for how many it stands and its ways.
    pub warps: Vec<(f64, Vec<Way>)>,
    /// All operations when the warp left the last barrier.
    pub since: f64,
    pub by_data: bool,
    pub open: BTreeSet<Sym>,
    /// Not all iterations of a loop were counted.
    pub is_lost: bool,
}

impl Meeting {
    /// The warp leaves a barrier.
    pub fn leave(&mut self, operations: f64) {
        self.since = operations;
        self.by_data = false;
        self.open.clear();
    }

    /// Notes lanes that go ways which are not known: the time to the next barrier is not known either.
    pub fn doubts(&mut self, by_data: bool, open: Option<Sym>) {
        self.by_data |= by_data;
        self.open.extend(open);
    }
}
