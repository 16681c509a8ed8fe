//! What is asked of the passes.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_kernel_analysis::constant_memory;
pub use fpgacc_runtime::contract::{ChosenLocal, Level};

/// Choices that passes look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Never change the order of floating-point operations (`--strict-fp`).
    pub strict_fp: bool,
    /// Latency of a floating-point addition in cycles: the depth of shift registers. The thesis uses
    /// 8 for Stratix V.
    pub shift_register_depth: u32,
    /// The most work-items in a group where the host does not fix the local size
    /// (`--max-local-size`).
    pub max_local_size: u64,
    /// Which kernels have a version that relies on no fact.
    pub general: General,
    /// An object with launches that no fact tells of: nothing is proved of all launches then.
    pub unseen: Option<String>,
    /// Work-items that an NDRange kernel runs at a time in one pipeline (`num_simd_work_items`).
    pub simd: u64,
    /// Pipelines that an NDRange kernel has (`num_compute_units`).
    pub compute_units: u64,
    /// As many neighbouring work-items of NDRange kernels become one, with vectors; `None`: none.
    pub vectorise: Option<u64>,
    /// As many iterations of loops become one, with vectors; `None`: none.
    pub vectorise_loops: Option<u64>,
    /// How NDRange kernels are coarsened; `None`: not at all. The decision chooses.
    pub coarsen: Option<Coarsening>,
    /// The dimension of work-items whose loops are innermost in single work-items, wherever their order is
    /// free; `None`: the one that moves word by word through memory.
    pub innermost: Option<u8>,
    /// Single work-items loop over global ids where nothing tells groups apart: rows are not cut by them.
    pub ungrouped: bool,
    /// Loops of kernels run outside of those over work-items, where all work-items run them equally often.
    pub interchange: bool,
    /// Loops to unroll.
    pub unroll: Vec<Factor>,
    /// The most elements of memory that `promote` loads into one array on the chip; 0: it does nothing.
    pub promote: u64,
    /// Nests to make one loop of, by the places of their outermost loops (see
    /// [`crate::passes::coalesce::Candidate::index`]).
    pub coalesce: Vec<usize>,
    /// Elements that nests with windows move on in an iteration, where rows are multiples of that.
    pub window_lanes: u64,
    /// The most elements of a window.
    pub window_elements: u64,
    /// Kernels that are launched in different ways get a version for each.
    pub versions: bool,
    /// Places of the parameters that may become constant memory; `None`: all. The decision chooses.
    pub tables: Option<BTreeSet<u32>>,
    /// The most bytes that the cache of `__constant` memory may have; `None`: any number, known or not.
    pub constant_cache: Option<u64>,
    /// How work-groups of NDRange kernels become rounds of others; `None`: not at all.
    pub group_loop: Option<GroupLoop>,
    /// Local sizes that suit a device, by kernel; `None`: launches keep the host's. The command's model
    /// proposes.
    pub local_sizes: Option<LocalSizes>,
}

/// Local sizes that suit a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSizes {
    /// The device, for remarks.
    pub device: String,
    /// By kernel, as the source names it.
    pub kernels: BTreeMap<String, Vec<ProposedLocal>>,
}

/// The local size for launches of a global size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedLocal {
    /// The sizes.
    pub sizes: ChosenLocal,
    /// What it gains over the host's, in words, for remarks; empty: that is not known.
    pub gain: String,
}

/// Which kernels are also built as they are, for launches that a rewritten version cannot take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum General {
    /// None: such launches fail (`--no-general`).
    Never,
    /// Those that rely on what is not proved.
    #[default]
    Assumed,
    /// All that rely on anything; what was only seen in runs counts like what is proved
    /// (`--keep-general`).
    Always,
}

impl General {
    /// Whether what was only seen in runs is relied on wherever that gains something.
    pub fn seen_counts(self) -> bool {
        self == General::Always
    }
}

impl Default for PassOptions {
    fn default() -> Self {
        PassOptions {
            strict_fp: false,
            shift_register_depth: 8,
            max_local_size: 1024,
            general: General::default(),
            unseen: None,
            simd: 1,
            compute_units: 1,
            vectorise: None,
            vectorise_loops: None,
            coarsen: None,
            innermost: None,
            ungrouped: false,
            interchange: false,
            unroll: Vec::new(),
            promote: 0,
            coalesce: Vec::new(),
            window_lanes: 1,
            window_elements: 32768,
            versions: true,
            tables: None,
            constant_cache: Some(constant_memory::MOST),
            group_loop: None,
            local_sizes: None,
        }
    }
}

/// How an NDRange kernel is coarsened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coarsening {
    /// The dimension: 0, 1 or 2.
    pub dim: u8,
    /// As many work-items, or groups, become one.
    pub factor: u64,
    /// How far apart those are that become one.
    pub stride: Stride,
    /// What is merged.
    pub level: Level,
}

/// What a request for coarsening is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected DIM:FACTOR, DIM:FACTOR:STRIDE or DIM:FACTOR:STRIDE:groups, where STRIDE may be 'local'"
)]
pub struct NoCoarsening;

impl std::str::FromStr for Coarsening {
    type Err = NoCoarsening;

    /// `0:4`, `0:4:1`, `0:4:local`, `0:4:1:groups`.
    fn from_str(text: &str) -> Result<Self, NoCoarsening> {
        let parts: Vec<&str> = text.split(':').collect();
        let number = |text: &str| text.parse::<u64>().map_err(|_| NoCoarsening);
        let (dim, factor, stride, level) = match parts.as_slice() {
            [dim, factor] => (dim, factor, "1", "items"),
            [dim, factor, stride] => (dim, factor, *stride, "items"),
            [dim, factor, stride, level] => (dim, factor, *stride, *level),
            _ => return Err(NoCoarsening),
        };
        let coarsening = Coarsening {
            dim: dim.parse().map_err(|_| NoCoarsening)?,
            factor: number(factor)?,
            stride: match stride {
                "local" => Stride::Widest,
                _ => Stride::Of(number(stride)?),
            },
            level: match level {
                "items" => Level::Items,
                "groups" => Level::Groups,
                _ => return Err(NoCoarsening),
            },
        };
        let is_sound = coarsening.dim < 3 && coarsening.factor > 1;
        is_sound.then_some(coarsening).ok_or(NoCoarsening)
    }
}

/// Which work-groups become rounds of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupLoop {
    /// The dimension: 0, 1 or 2.
    pub dim: u8,
    /// As many consecutive groups are one; at least 2.
    pub factor: u64,
}

/// What a request for a loop over groups is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected FACTOR or DIM:FACTOR, with a factor from 2 to {MOST_ROUNDS}")]
pub struct NoGroupLoop;

/// The most groups that become one.
const MOST_ROUNDS: u64 = 1 << 20;

impl std::str::FromStr for GroupLoop {
    type Err = NoGroupLoop;

    /// `4`, `1:4`.
    fn from_str(text: &str) -> Result<Self, NoGroupLoop> {
        let (dim, factor) = text.split_once(':').unwrap_or(("0", text));
        let looped = GroupLoop {
            dim: dim.parse().map_err(|_| NoGroupLoop)?,
            factor: factor.parse().map_err(|_| NoGroupLoop)?,
        };
        let is_sound = looped.dim < 3 && (2..=MOST_ROUNDS).contains(&looped.factor);
        is_sound.then_some(looped).ok_or(NoGroupLoop)
    }
}

/// How far apart the work-items or groups are that become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stride {
    /// So many; 1: neighbours.
    Of(u64),
    /// As many as there are afterwards: in a group of 64 by 4, those with ids 0, 16, 32 and 48. Of
    /// work-items only.
    Widest,
}

/// How often a loop's body is to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor {
    /// Which loop: its place among the kernel's loops as `unroll` finds them, outer ones first.
    pub index: usize,
    /// Copies.
    pub copies: u64,
}
