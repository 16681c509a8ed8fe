//! What warps were seen to do: accesses to memory and branches, site by site.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{AddressSpace, FunctionId};
use fpgacc_frontend::source::Span;

use super::value::{Object, Sym};

/// Structures up to this many bytes are taken to stay in a cache while their fields are read.
pub const LARGEST_RECORD: i128 = 128;

/// A position in the kernel's text; that of a function that is called from several positions is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The function.
    pub function: FunctionId,
    /// Where it stands.
    pub span: Span,
}

/// An access: where, and whether it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccessSite {
    /// Where.
    pub position: Position,
    /// It writes; it reads otherwise.
    pub write: bool,
}

/// What the warps of a launch do at an access. All numbers are totals of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Access {
    /// The space.
    pub space: Option<AddressSpace>,
    /// Bytes of a lane's access.
    pub bytes: u64,
    /// How often a warp executes it.
    pub warps: f64,
    /// Lanes that take part.
    pub lanes: f64,
    /// Sectors that are moved.
    pub sectors: f64,
    /// Sectors that would hold the bytes that lanes use.
    pub ideal: f64,
    /// Turns that local memory takes beyond those that it would take without conflicts of banks.
    pub turns: f64,
    /// How often the addresses depend on what memory holds.
    pub by_data: f64,
    /// Which lanes take part is a guess at times: it depends on what memory holds.
    pub lanes_guessed: bool,
    /// Numbers that are not known, on which the distance of lanes depends.
    pub open: BTreeSet<Sym>,
    /// Numbers that are not known, by multiples of which lanes are apart: far, if these are large.
    pub apart: BTreeSet<Sym>,
    /// The object, and where the first lane's element lies in it; `None`: in several positions.
    pub anchors: BTreeSet<(Object, i128)>,
    /// The distance between neighbouring lanes in bytes, where it is always the same.
    pub stride: Stride,
    /// A run showed it.
    pub is_measured: bool,
}

impl Access {
    /// Whether addresses or the lanes that take part depend on what memory holds.
    pub fn is_by_data(&self) -> bool {
        self.by_data > 0.0 || self.lanes_guessed
    }
}

/// The distance between the addresses of neighbouring lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stride {
    /// Not looked at yet.
    #[default]
    None,
    /// Always this many bytes.
    Bytes(i128),
    /// Different ones.
    Mixed,
}

impl Stride {
    /// Both.
    pub fn and(self, other: Stride) -> Stride {
        match (self, other) {
            (Stride::None, other) | (other, Stride::None) => other,
            _ if self == other => self,
            _ => Stride::Mixed,
        }
    }
}

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BranchKind {
    /// `if`
    If,
    /// A loop, which lanes may leave at different iterations.
    Loop,
    /// `?:`
    Select,
    /// `switch`
    Switch,
}

/// What the warps of a launch do at a branch. All numbers are totals of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// How often a warp gets there.
    pub warps: f64,
    /// How often its lanes go different ways.
    pub diverged: f64,
    /// Operations of lanes that wait for others.
    pub idle: f64,
    /// Operations of what it guards, and of what is done otherwise.
    pub issued: [f64; 2],
    /// A run showed it.
    pub is_measured: bool,
    /// How often it depends on what memory holds.
    pub by_data: f64,
    /// Numbers that are not known, on which it depends whether lanes go different ways.
    pub open: BTreeSet<Sym>,
}

/// What the warps of a launch do on their ways to a barrier. All numbers are totals of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Barrier {
    /// Operations of lanes since the barrier before.
    pub operations: f64,
    /// What lanes could do while their warp waits for the last of its group.
    pub waiting: f64,
    /// It depends on what memory holds.
    pub by_data: bool,
    /// Numbers that are not known, on which it depends.
    pub open: BTreeSet<Sym>,
}

/// All that was seen of a launch.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Accesses to global, constant and local memory.
    pub accesses: BTreeMap<AccessSite, Access>,
    /// Branches.
    pub branches: BTreeMap<(Position, BranchKind), Branch>,
    /// Barriers of groups of more than one warp.
    pub barriers: BTreeMap<Position, Barrier>,
    /// Operations of warps, times the width of a warp.
    pub operations: f64,
    /// Some of the kernel was not looked at, as it takes too long.
    pub is_cut: bool,
    /// What is not followed, such as `goto`.
    pub not_followed: BTreeSet<&'static str>,
}
