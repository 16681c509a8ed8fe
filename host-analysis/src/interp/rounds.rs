//! The rounds in which the program is followed until nothing is found any more of what its variables
//! may hold at any time.

use crate::content::FlowInsensitive;
use crate::location::RootSet;

/// What all rounds have found of variables at any time, and what this round made of it.
pub(crate) struct Rounds {
    /// Every value that was assigned to a location that outlives its function.
    pub flow_insensitive: FlowInsensitive,
    /// What was looked at of `flow_insensitive` in this round, by `main` and by what follows it.
    pub seen_by_main: RootSet,
    pub looked_at: RootSet,
    /// `flow_insensitive` grew after what looked at it: another round is needed.
    pub stale_main: bool,
    pub stale_others: bool,
    /// This round is the last one.
    pub is_last_round: bool,
}

impl Default for Rounds {
    fn default() -> Self {
        Rounds {
            flow_insensitive: FlowInsensitive::default(),
            seen_by_main: RootSet::default(),
            looked_at: RootSet::default(),
            stale_main: true,
            stale_others: false,
            is_last_round: false,
        }
    }
}
