//! What work-items of a run noted of their accesses and branches (`fpgacc trace --accesses`), as warps do it.

mod notes;
mod seen;

pub use notes::{Kind, Note, Totals, WaysTotals, fold};
pub use seen::{Seen, SeenAccess, SeenBranch};
