//! The passes, one file each.

mod reduction;
mod restrict;

use crate::pass::Pass;

/// All passes, in the order in which the pipeline runs them.
pub const ALL: &[&dyn Pass] = &[
    // Behind ndrange-to-loop, which adds the hidden parameters and keeps the others: the pairs that
    // the runtime checks are counted among the kernel's own parameters. Before reduction, whose
    // alias analysis tells array elements apart by it.
    &restrict::Restrict,
    // Last of the thesis's three: it wants a single work-item (ndrange-to-loop makes one), and
    // restrict parameters, without which an array element may be what another pointer reads.
    &reduction::Reduction,
];
