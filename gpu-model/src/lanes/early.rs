//! What is kept of lanes that left early.

use super::observed::{BranchKind, Position};
use super::wide::Mask;

/// Lanes that returned, left the innermost loop, or its iteration.
pub(super) type Flow = (Mask, Mask, Mask);

/// Until when lanes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Others return from the function.
    Return,
    /// They leave the loop or `switch`: that is where these wait.
    Left,
    /// They end the iteration.
    Round,
}

/// Lanes that left at a branch while others went on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    /// The branch.
    pub at: (Position, BranchKind),
    pub lanes: Mask,
    pub until: Until,
    /// All operations when they left.
    pub since: f64,
}
