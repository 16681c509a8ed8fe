//! Variables and objects that more than their names lead to: pointers, code that is not given, other
//! threads.

use std::collections::BTreeSet;

use crate::location::{Root, RootSet};

/// What may be changed by more than the statement that is followed.
#[derive(Default)]
pub(crate) struct Exposed {
    pub escaped: BTreeSet<Root>,
    /// What pointers in variables point to, flow-insensitively.
    pub pointed: RootSet,
    /// What may change at any time.
    pub unsettled: RootSet,
    /// What several threads may use: any of it may hold any value that is assigned to it, flow-insensitively.
    pub shared: RootSet,
    /// Variables of functions that threads get: all that is assigned to them is noted too, from
    /// the next round on.
    pub threaded: BTreeSet<Root>,
    /// Those that were found in this round.
    pub newly_threaded: BTreeSet<Root>,
    /// What functions that are passed away have changed.
    pub called_back_on: BTreeSet<Root>,
}

impl Exposed {
    /// Forgets what was found of variables and objects of another start.
    pub fn clear(&mut self) {
        self.escaped.clear();
        self.pointed.clear();
        self.unsettled.clear();
        self.shared.clear();
    }
}
