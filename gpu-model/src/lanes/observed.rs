//! What warps were seen to do: accesses to memory and branches, site by site.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{AddressSpace, FunctionId};
use fpgacc_frontend::source::Span;

use super::value::{Object, Sym};

/// Structures up to this many bytes are taken to stay in a cache while their fields are read: a guess.
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
    /// Those that it would take: one of a warp, but more of wide elements.
    pub passes: f64,
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
    /// It differs between warps or iterations that stand for others.
    pub is_sampled: bool,
    /// It stands in a loop.
    pub in_loop: bool,
}

impl Access {
    /// Whether it is not one to local memory.
    pub fn is_global(&self) -> bool {
        self.space != Some(AddressSpace::Local)
    }

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
    /// The bytes, if they are always the same.
    pub fn bytes(self) -> Option<i128> {
        match self {
            Stride::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

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
    /// `&&` or `||` whose right side is more than arithmetic
    ShortCircuit,
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
    /// How often some of them are known not to take it.
    pub skipped: f64,
    /// They do so not only in the last groups of the launch.
    pub is_inside: bool,
    /// Operations of lanes that wait for others.
    pub idle: f64,
    /// Operations of what it guards, and of what is done otherwise.
    pub issued: [f64; 2],
    /// A run showed it.
    pub is_measured: bool,
    /// It differs between warps or iterations that stand for others.
    pub is_sampled: bool,
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

/// How often groups of a launch come to a barrier. Totals of a launch, in warps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coming {
    /// How often some of its work-items come there.
    pub times: f64,
    /// How often others of the group do not.
    pub missed: f64,
    /// Some iterations of loops stand for others.
    pub is_sampled: bool,
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
    /// Who comes to barriers.
    pub comings: BTreeMap<Position, Coming>,
    /// Operations of warps, times the width of a warp.
    pub operations: f64,
    /// How often things happen is an estimate: warps or iterations that stand for others differ, or the number of
    /// iterations is a guess.
    pub is_rough: bool,
    /// Some of the kernel was not looked at, as it takes too long.
    pub is_cut: bool,
    /// What is not followed, such as `goto`.
    pub not_followed: BTreeSet<&'static str>,
}

/// A site of a tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    Access(AccessSite),
    Branch(Position, BranchKind),
}

/// How often a warp came to each site, and what it did there in all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally(BTreeMap<Counted, (f64, [f64; 4])>);

impl Tally {
    /// What came since another one, of one of `weight` times.
    pub fn since(mut self, before: &Tally, weight: f64) -> Tally {
        for (site, (times, what)) in &mut self.0 {
            let (past, been) = before.0.get(site).copied().unwrap_or_default();
            *times = (*times - past) / weight;
            *what = [0, 1, 2, 3].map(|at| (what[at] - been[at]) / weight);
        }
        self.0.retain(|_, (times, _)| *times != 0.0);
        self
    }
}

/// Whether two numbers that were found in other ways are the same.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

/// What differs between warps or iterations that stand for others.
#[derive(Clone, Debug, Default)]
pub struct Tallies {
    first: Option<Tally>,
    differing: BTreeSet<Counted>,
    is_rough: bool,
    count: u32,
}

impl Tallies {
    /// Adds what one did.
    pub fn add(&mut self, next: Tally) {
        self.count += 1;
        let Some(first) = &self.first else {
            self.first = Some(next);
            return;
        };
        self.is_rough |= first.0.len() != next.0.len();
        for (site, (times, what)) in &next.0 {
            let Some((before, was)) = first.0.get(site) else {
                self.is_rough = true;
                continue;
            };
            self.is_rough |= !is_near(*times, *before);
            let is_like = |at: usize| is_near(what[at] / times, was[at] / before);
            if !(0..4).all(is_like) {
                self.is_rough = true;
                self.differing.insert(*site);
            }
        }
        if self.is_rough {
            // A site that the first one did not come to.
            let first = self.first.get_or_insert_default();
            for (site, counts) in next.0 {
                first.0.entry(site).or_insert(counts);
            }
        }
    }
}

impl Observed {
    /// What was counted until now.
    pub fn tally(&self) -> Tally {
        let accesses = self.accesses.iter().map(|(at, one)| {
            let what = [one.lanes, one.sectors, one.ideal, one.turns];
            (Counted::Access(*at), (one.warps, what))
        });
        let branches = self.branches.iter().map(|((at, kind), one)| {
            let what = [one.diverged, 0.0, 0.0, 0.0];
            (Counted::Branch(*at, *kind), (one.warps, what))
        });
        Tally(accesses.chain(branches).collect())
    }

    /// The same, and which ways warps go: where some take a branch and others do not, one between them, which
    /// nobody looked at, may do both.
    pub fn tally_of_warps(&self) -> Tally {
        let mut tally = self.tally();
        for ((at, kind), one) in &self.branches {
            let counts = tally.0.get_mut(&Counted::Branch(*at, *kind));
            counts
                .into_iter()
                .for_each(|(_, what)| what[1] = one.skipped);
        }
        tally
    }

    /// Notes what differs between iterations that stand for others. One alone may stand for anything.
    pub fn spread(&mut self, tallies: &Tallies) {
        self.differ(tallies);
        if tallies.count == 1 {
            self.is_rough = true;
            let alone = tallies.first.iter().flat_map(|tally| tally.0.keys());
            alone.for_each(|site| self.note_sampled(*site));
        }
    }

    /// Notes what differs between those that stand for others.
    pub fn differ(&mut self, tallies: &Tallies) {
        self.is_rough |= tallies.is_rough;
        let sites = tallies.differing.iter();
        sites.for_each(|site| self.note_sampled(*site));
    }

    fn note_sampled(&mut self, site: Counted) {
        match site {
            Counted::Access(at) => self.accesses.entry(at).or_default().is_sampled = true,
            Counted::Branch(at, kind) => {
                self.branches.entry((at, kind)).or_default().is_sampled = true;
            }
        }
    }
}
