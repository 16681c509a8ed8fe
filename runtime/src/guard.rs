//! Guards: what a compiled kernel relies on, which the runtime checks at each launch.
//!
//! A pass that takes something of the launches for granted adds a guard to the kernel's contract, and the
//! runtime launches no version of a kernel of which a guard does not hold.

use serde::{Deserialize, Serialize};

/// What must hold of a launch. Guards are checked in this order; of those of one kind, in the order of
/// what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Guard {
    /// Of a single work-item: a fact of the NDRange that it stands for. Of a coarsened NDRange: a fact of that
    /// which the host asks for.
    Geometry(Fact),
    /// Of a single work-item: its loops count in `int`, and all groups have as many work-items. Of an NDRange:
    /// it follows ids through `int`. No sum of offset and global size exceeds `i32::MAX`, and local sizes
    /// divide global ones.
    IntLoops,
    /// Of a single work-item: its arrays hold groups of at most so many work-items.
    GroupSize(u64),
    /// Of an NDRange: the local size that the kernel's attributes ask for, where those of the original do
    /// not.
    LocalSize([u64; 3]),
    /// Of a coarsened NDRange: the local size, or the number of groups, is a multiple.
    Multiple(Multiple),
    /// The value of a scalar argument.
    Scalar(ScalarFact),
    /// Two parameters, by index, do not name overlapping memory: both are `restrict` in the compiled
    /// kernel (and were not in the source), and one of them is written.
    Distinct(u32, u32),
    /// A parameter is `__global` in the source and `__constant` in the compiled kernel. Its buffer is no
    /// larger than this, has `CL_MEM_READ_ONLY`, and is not in the host's memory.
    Constant {
        /// Index of the parameter.
        param: u32,
        /// The most that its buffer may have.
        bytes: u64,
    },
    /// The compiled kernel states how a pointer parameter is aligned. A part of a buffer at another origin,
    /// host memory or shared virtual memory at another address does not do, and nothing does on a device
    /// whose buffers are aligned to less.
    Aligned {
        /// Index of the parameter.
        param: u32,
        /// A power of two.
        bytes: u64,
    },
    /// The compiled kernel has so much memory for a `__local` argument.
    LocalBytes {
        /// Index of the parameter.
        param: u32,
        /// The most that launches may give.
        bytes: u64,
    },
}

/// What of a launch a guard takes for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The local size.
    LocalSize,
    /// The rest of the NDRange.
    Range,
    /// Whether the memory of two parameters overlaps.
    Memory(u32, u32),
    /// What is passed for a parameter.
    Argument(u32),
}

impl Guard {
    /// What the kernel takes for granted since its launches were seen to be so. `None`: what any kernel of
    /// its form asks of launches.
    pub fn subject(&self) -> Option<Subject> {
        match *self {
            Guard::Geometry(Fact::Local(..) | Fact::OneGroup(_)) | Guard::LocalSize(_) => {
                Some(Subject::LocalSize)
            }
            Guard::Multiple(_) => Some(Subject::LocalSize),
            Guard::Geometry(_) => Some(Subject::Range),
            Guard::IntLoops | Guard::GroupSize(_) => None,
            Guard::Distinct(a, b) => Some(Subject::Memory(a, b)),
            Guard::Scalar(ScalarFact { param, .. })
            | Guard::Constant { param, .. }
            | Guard::Aligned { param, .. }
            | Guard::LocalBytes { param, .. } => Some(Subject::Argument(param)),
        }
    }

    /// A row of the table in C: a `struct fpgacc_guard`.
    pub(crate) fn row(&self) -> String {
        let memory =
            |param: u32, bytes: u64| format!(".of.memory = {{{param}, UINT64_C({bytes})}}");
        let (kind, what) = match self {
            Guard::Geometry(fact) => ("GEOMETRY", format!(".of.fact = {}", fact.row())),
            Guard::IntLoops => ("INT_LOOPS", String::new()),
            Guard::GroupSize(items) => ("GROUP_SIZE", format!(".of.items = UINT64_C({items})")),
            Guard::LocalSize([x, y, z]) => ("LOCAL_SIZE", format!(".of.sizes = {{{x}, {y}, {z}}}")),
            Guard::Multiple(multiple) => ("MULTIPLE", multiple.row()),
            Guard::Scalar(fact) => ("SCALAR", format!(".of.scalar = {}", fact.row())),
            Guard::Distinct(a, b) => ("DISTINCT", format!(".of.pair = {{{a}, {b}}}")),
            Guard::Constant { param, bytes } => ("CONSTANT", memory(*param, *bytes)),
            Guard::Aligned { param, bytes } => ("ALIGNED", memory(*param, *bytes)),
            Guard::LocalBytes { param, bytes } => ("LOCAL_BYTES", memory(*param, *bytes)),
        };
        let comma = if what.is_empty() { "" } else { ", " };
        format!("{{.kind = FPGACC_GUARD_{kind}{comma}{what}}}")
    }
}

/// What must be a multiple in the NDRange of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Multiple {
    /// The dimension: 0, 1 or 2.
    pub dim: u8,
    /// Of what.
    pub of: u64,
    /// The number of groups is, not the local size.
    pub of_groups: bool,
    /// A launch without a local size will do if the global size is such a multiple.
    pub null_local: bool,
}

impl Multiple {
    fn row(self) -> String {
        format!(
            ".of.multiple = {{{}, UINT64_C({}), {}, {}}}",
            self.dim,
            self.of,
            u8::from(self.of_groups),
            u8::from(self.null_local)
        )
    }
}

/// A fact about the NDRange of a launch. Dimensions beyond `work_dim` count as offset 0, global and local
/// size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Fact {
    /// `work_dim` is this.
    WorkDim(u32),
    /// The offset in a dimension is this.
    Offset(u8, u64),
    /// The global size in a dimension is this.
    Global(u8, u64),
    /// The local size in a dimension is this.
    Local(u8, u64),
    /// There is one group in a dimension: local and global size are equal.
    OneGroup(u8),
}

impl Fact {
    fn row(self) -> String {
        let (kind, dim, value) = match self {
            Fact::WorkDim(value) => ("WORK_DIM", 0, u64::from(value)),
            Fact::Offset(dim, value) => ("OFFSET", dim, value),
            Fact::Global(dim, value) => ("GLOBAL", dim, value),
            Fact::Local(dim, value) => ("LOCAL", dim, value),
            Fact::OneGroup(dim) => ("ONE_GROUP", dim, 0),
        };
        format!("{{FPGACC_FACT_{kind}, {dim}, UINT64_C({value})}}")
    }
}

/// The value of a scalar argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ScalarFact {
    /// Index of the parameter.
    pub param: u32,
    /// How its bits are read.
    pub kind: ScalarKind,
    /// Its size in bytes: 1, 2, 4 or 8.
    pub size: u8,
    /// Its bits, of which the lowest `8 * size` count.
    pub bits: u64,
}

/// Kinds of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ScalarKind {
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// `float` or `double`.
    Float,
}

impl ScalarFact {
    fn row(&self) -> String {
        let kind = match self.kind {
            ScalarKind::Signed => "SIGNED",
            ScalarKind::Unsigned => "UNSIGNED",
            ScalarKind::Float => "FLOAT",
        };
        let (param, size, bits) = (self.param, self.size, self.bits);
        format!("{{{param}, FPGACC_{kind}, {size}, UINT64_C({bits:#x})}}")
    }
}

impl std::fmt::Display for ScalarFact {
    /// The value, as messages show it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unused = 64 - 8 * u32::from(self.size.clamp(1, 8));
        match (self.kind, self.size) {
            (ScalarKind::Unsigned, _) => write!(f, "{}", self.bits << unused >> unused),
            (ScalarKind::Signed, _) => write!(f, "{}", (self.bits << unused) as i64 >> unused),
            (ScalarKind::Float, 4) => write!(f, "{:?}", f32::from_bits(self.bits as u32)),
            (ScalarKind::Float, _) => write!(f, "{:?}", f64::from_bits(self.bits)),
        }
    }
}
