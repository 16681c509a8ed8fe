//! The passes, one file each.

mod alignment;
mod banks;
pub mod coalesce;
pub mod coarsen;
pub mod constant_memory;
mod delinearise;
mod fission;
mod forward;
mod fuse;
pub mod geometry;
pub mod group_loop;
mod ivdep;
mod known_sizes;
mod local_memory_size;
pub mod lockstep;
pub mod ndrange_to_loop;
mod neighbour_tables;
mod pad;
mod privatise;
pub mod promote;
pub mod reduction;
pub mod replicate;
mod restrict;
mod scalar_replacement;
pub(crate) mod specialise;
mod tile;
pub mod unroll;
pub mod vectorise;
mod wavefront;
pub mod window;
mod work_group_size;

use crate::pass::Pass;
use crate::setting::Setting;

pub use alignment::Alignment;
pub use banks::{BANKS, Banks};
pub use coalesce::Coalesce;
pub use coarsen::{COARSEN, Coarsen};
pub use fission::{FISSION, Fission};
pub use fuse::{FUSE, Fuse, has_pairs};
pub use geometry::{ChooseGeometry, GEOMETRY};
pub use group_loop::{GROUP_LOOP, LoopOverGroups};
pub use lockstep::{LOCKSTEP, Lockstep};
pub use promote::Promote;
pub use replicate::Replicate;
pub use tile::{TILE, Tiles};
pub use unroll::Unroll;
pub use vectorise::{VECTORISE, VECTORISE_LOOPS, Vectorise, VectoriseLoops};
pub use wavefront::{WAVEFRONT, Wavefront, has_waves};

/// The name of the pass that changes a kernel's form.
pub const NDRANGE_TO_LOOP: &str = "ndrange-to-loop";
/// The name of the pass that keeps values of memory in registers.
pub const SCALAR_REPLACEMENT: &str = "scalar-replacement";
/// The name of the pass that makes constants of parameters.
pub const SPECIALISE: &str = "specialise";
/// The name of the pass that says what does not alias.
pub const RESTRICT: &str = "restrict";
/// The name of the pass that reads through sliding windows.
pub const WINDOW: &str = "window";
/// The name of the pass that counts on the chip.
pub const PRIVATISE: &str = "privatise";
/// The name of the pass that moves tables to `__constant` memory.
pub const CONSTANT_MEMORY: &str = "constant-memory";
/// The name of the pass that keeps what the next iteration reads.
pub const FORWARD: &str = "forward";
/// The name of the pass that makes nests over rows.
pub const DELINEARISE: &str = "delinearise";
/// The name of the pass that looks through tables of neighbours.
pub const NEIGHBOUR_TABLES: &str = "neighbour-tables";
/// The name of the pass that makes rows of on-chip arrays longer.
pub const PAD: &str = "pad";
/// The name of the pass that reassociates.
pub const REDUCTION: &str = "reduction";

/// The options of all passes, each with its pass.
pub fn settings() -> impl Iterator<Item = (&'static dyn Pass, &'static Setting)> {
    let of = |pass: &'static dyn Pass| pass.settings().iter().map(move |one| (pass, one));
    ALL.iter().flat_map(move |pass| of(*pass))
}

/// All passes, in the order in which the pipeline runs them.
pub const ALL: &[&dyn Pass] = &[
    // Before all others, which make more of constants than of parameters. It looks at the
    // kernel's own parameters only, before hidden ones are added.
    &specialise::Specialise,
    // After specialise, whose constants it compares ids with; before ndrange-to-loop, which makes
    // loops over ids.
    &known_sizes::KnownSizes,
    // Early: what the others do to loops pays off in a single work-item, and the loops that it makes
    // are theirs to improve.
    &ndrange_to_loop::NdrangeToLoop,
    // After ndrange-to-loop, whose loops over work-items it makes nests of, and specialise, which makes
    // constants of their widths. Before all that looks at indices.
    &delinearise::Delinearise,
    // Of kernels that ndrange-to-loop leaves. Before the passes that merge work-items, which do so of work-groups of this
    // size, and those that see the local size: from here on it is the one that was chosen.
    &ChooseGeometry,
    // Of kernels that ndrange-to-loop leaves. Before the passes that see its launches: from here on
    // they are the smaller ones.
    &Vectorise,
    // After vectorise: neighbours in memory become vectors before work-items are merged otherwise.
    &Coarsen,
    // After geometry, whose sizes say how many groups there are. Before the passes that see its launches, as coarsen.
    &LoopOverGroups,
    // After ndrange-to-loop, which adds the hidden parameters and keeps the others: the pairs that
    // the runtime checks are counted among the kernel's own parameters. Before reduction, whose
    // alias analysis knows by it which arrays do not alias.
    &restrict::Restrict,
    // After restrict: the pairs that both ask for are counted once. After ndrange-to-loop, which
    // makes what it makes of __global pointers. Before the passes that move accesses.
    &constant_memory::ConstantMemory,
    // After ndrange-to-loop, whose loops over the work-items of barrier regions it makes one, and restrict, without
    // which one loop may write what the other reads. Before the passes that change loops, or look at what they
    // access: they then have one in place of two.
    &Fuse,
    // After fuse, whose loops it would take apart otherwise before they are one. Before the passes that look for
    // nests, sums and windows, which it makes.
    &Fission,
    // After delinearise, without which a table is read by a remainder, and restrict, without which it may be
    // written. Before the passes that look at what loops access.
    &neighbour_tables::NeighbourTables,
    // After ndrange-to-loop, which makes loops, and restrict, without which what is written may be what is read.
    // Before the passes that change loops, which leave those that it makes.
    &VectoriseLoops,
    // After ndrange-to-loop, which makes the loops, and restrict, without which memory that is counted in may be
    // read through another pointer. Before the passes that look at what loops access.
    &privatise::Privatise,
    // After restrict, without which an array may be what another pointer writes, and constant-memory,
    // whose cache holds what it moves there. Before reduction, which leaves the loops that it unrolls.
    &promote::Promote,
    // Last of the thesis's three: it wants a single work-item (ndrange-to-loop makes one), and
    // restrict parameters, without which an array element may be what another pointer reads.
    &reduction::Reduction,
    // After fuse and fission, which take loops apart or together; after restrict, without which what its loops read may
    // be what they write. Before the passes that keep values in registers, which see in its loops none to keep.
    &Wavefront,
    // After reduction, which leaves what it cannot reassociate; and after restrict.
    &scalar_replacement::ScalarReplacement,
    // After scalar-replacement, which takes locations that stay; after restrict, without which another pointer may
    // write what is stored. Before ivdep: what it takes out is a dependence less.
    &forward::Forward,
    // After those that change which reads are left in a loop; after restrict, without which what is
    // written may be what is read.
    &window::Window,
    // After all that changes loops and their accesses; after restrict, without which an array may be
    // what another pointer reads.
    &ivdep::Ivdep,
    // After all that changes which accesses there are and what their indices are; and after ivdep, whose proofs are of
    // indices as the source has them.
    &pad::Pad,
    // Of kernels that ndrange-to-loop leaves: first the size of work-groups, which the SIMD width divides.
    &work_group_size::WorkGroupSize,
    // After work-group-size, which states the size that tiles are made for; after restrict, without which an
    // array may be what another pointer writes, and constant-memory, whose cache holds what it moves there.
    &Tiles,
    &replicate::Replicate,
    // Of `__local` parameters that ndrange-to-loop leaves, if it did not make arrays of them.
    &local_memory_size::LocalMemorySize,
    // After constant-memory, which leaves parameters with attributes as they are.
    &Alignment,
    // After work-group-size, which a barrier needs, and those that change loops: it names them by their index among those
    // that the others leave. Before unroll, which leaves loops with barriers.
    &Lockstep,
    // After those that change loops, which it names in the same way.
    &unroll::Unroll,
    // After unroll and wavefront, whose copies it makes banks for, and pad, which makes rows that have them.
    &Banks,
    // Last: it names loops in the same way, and loops that are unrolled become one with no others.
    &coalesce::Coalesce,
];
