//! The passes, one file each.

use crate::pass::Pass;

/// All passes, in the order in which the pipeline runs them.
pub const ALL: &[&dyn Pass] = &[];
