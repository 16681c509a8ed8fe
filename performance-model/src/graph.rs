//! A kernel as hardware sees it: regions (the body, and the loops that remain), in each a graph of
//! operations; and the accesses to memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use fpgacc_frontend::ir::{Module, RecordId, RecordKind, TypeId};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::board::Operator;
use super::branches::{Arm, any_of};
use super::depends::Depends;
use super::prediction::{Assumed, Trip, TripOrigin, Unpriced};

/// Index of an [`Node`].
pub type NodeId = usize;
/// Index of a [`Region`]; 0 is the kernel's body.
pub type RegionId = usize;
/// Index of an [`Array`].
pub type ArrayId = usize;

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A value that the last iteration made, or that was there before the loop.
    Phi,
    /// Arithmetic.
    Operator,
    /// An addition of floats, which an accumulator may do.
    FloatAdd,
    /// The choice between two values where branches meet.
    Select,
    /// A read of memory, by number in [`Graph::accesses`].
    Load(usize),
    /// A write.
    Store(usize),
    /// An atomic operation.
    Atomic(usize),
    /// A loop inside the region.
    Loop(RegionId),
    /// A read or write of a channel or pipe.
    Channel,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Its latency and area.
    pub operator: Operator,
    /// The nodes whose values it needs, of the same region.
    pub inputs: Vec<NodeId>,
    /// Where it stands.
    pub span: Option<Span>,
    /// The region that it is in.
    pub region: RegionId,
    /// Loops of the region that are passed before it.
    pub segment: usize,
    /// Branches that begin and end before it, of those that stay branches: what is before them is done when it starts.
    pub step: usize,
    /// It belongs to a copy of a loop's body beyond the loop's usual trip count.
    pub idle: bool,
    /// Printed in reports.
    pub what: &'static str,
}

/// What a node says that adds or subtracts integers.
pub const ADDITION: &str = "addition";
/// What a loop leaves of a variable that it adds the same to each time.
pub const COUNTED: &str = "count of a loop";

/// A value that goes from one iteration to the next.
#[derive(Clone, Debug)]
pub struct Carried {
    /// What stands for it inside the loop.
    pub phi: NodeId,
    /// What makes the next iteration's value; `None`: it does not change, or is made of no operation.
    pub next: Option<NodeId>,
    /// The variable's name.
    pub name: String,
    /// It starts at a constant 0.
    pub starts_at_zero: bool,
    /// It counts: each iteration adds the same number.
    pub counts: bool,
    /// A small array, of which the source says that no iteration needs what another has written.
    pub is_free: bool,
}

/// How iterations of a loop may overlap, as the source says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// `#pragma ivdep` without an array: all arrays are free for so many iterations.
    pub ivdep: Option<u64>,
    /// `#pragma ivdep array(x)`.
    pub ivdep_arrays: BTreeMap<String, u64>,
    /// `#pragma ii n`.
    pub ii: Option<f64>,
    /// `#pragma speculated_iterations n`.
    pub speculated: Option<f64>,
    /// `#pragma disable_loop_pipelining`.
    pub serial: bool,
    /// `#pragma max_concurrency n`.
    pub concurrency: Option<f64>,
}

impl Hints {
    /// Iterations for which `ivdep` says that there is no dependence on an array.
    pub fn safe_distance(&self, array: &str) -> u64 {
        let own = self.ivdep_arrays.get(array).copied();
        own.max(self.ivdep).unwrap_or(0)
    }
}

/// The kernel's body, or a loop.
#[derive(Clone, Debug)]
pub struct Region {
    /// The region that it is in; `None` for the body.
    pub parent: Option<RegionId>,
    /// Its node in the parent.
    pub node: Option<NodeId>,
    /// Where the loop stands.
    pub span: Option<Span>,
    /// How often it runs each time.
    pub trip: Trip,
    /// What is not negative in any iteration, since the loop goes on then.
    pub holds: Vec<Poly>,
    /// Copies of the body that unrolling makes.
    pub unroll: u64,
    /// Levels of loops, from this one inwards, that the source asks to be one loop; 1: it stands alone.
    pub levels: u64,
    /// It is one loop with the one around.
    pub joined: bool,
    /// The part of the parent's iterations that enter it.
    pub share: f64,
    /// What the source says.
    pub hints: Hints,
    /// Values from one iteration to the next.
    pub carried: Vec<Carried>,
    /// Conditions on which it goes on or ends.
    pub exits: Vec<NodeId>,
    /// Loops around in whose iterations its trip count varies.
    pub varies_in: BTreeSet<RegionId>,
    /// Iterations of the loop around may `continue` before they get to it.
    pub is_skipped: bool,
    /// Control may leave the kernel in it.
    pub returns: bool,
    /// An iteration may end before its end.
    pub is_left: bool,
    /// Nothing ends it.
    pub is_endless: bool,
    /// The innermost branch around it, by number.
    pub branch: usize,
    /// Loops inside, in order.
    pub loops: Vec<RegionId>,
    /// Barriers inside, not those of loops inside.
    pub barriers: usize,
    /// Of a loop of the kernel's body: work-items meet at a barrier after it.
    pub meets: bool,
}

impl Region {
    /// The kernel's body.
    pub fn body() -> Self {
        Region {
            parent: None,
            node: None,
            span: None,
            trip: Trip::even(1.0, TripOrigin::Known),
            holds: Vec::new(),
            unroll: 1,
            levels: 1,
            joined: false,
            share: 1.0,
            hints: Hints::default(),
            carried: Vec::new(),
            exits: Vec::new(),
            varies_in: BTreeSet::new(),
            is_skipped: false,
            returns: false,
            is_left: false,
            is_endless: false,
            branch: 0,
            loops: Vec::new(),
            barriers: 0,
            meets: false,
        }
    }
}

/// How an integer that is no polynomial is made of some.
#[derive(Clone, Debug, PartialEq)]
pub enum Made {
    /// The quotient of the first by the second, rounded.
    Quotient(Poly, Poly),
    /// What is left of the first by the second.
    Remainder(Poly, Poly),
    /// One of these, or near it; none: nothing is known.
    Near(Vec<Poly>),
    /// What a loop makes of it, always in the same way, but not by adding the same.
    Series(RegionId),
    /// What was read from memory at this index.
    Loaded(Poly),
    /// The same, and the start of a row that a loop goes through up to what the next element says, so many bytes further:
    /// the next row goes on where it ends.
    Row(Poly, i128, RegionId),
}

/// Where an array lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// External memory.
    External,
    /// External memory, through the constant cache.
    Constant,
    /// On-chip memory.
    OnChip,
}

/// An array, or what a pointer points to.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// What the pointer may point into.
    pub root: Root,
    /// Where it lies.
    pub memory: MemoryKind,
    /// What a pointer parameter is declared to point to, if that keeps it from aliasing others.
    pub element: Option<Element>,
    /// Its bytes, if they are known.
    pub bytes: Option<u64>,
    /// A pointer that is declared `restrict`.
    pub is_restrict: bool,
    /// Something stores to it, or to what may overlap it.
    pub written: bool,
    /// `volatile`
    pub volatile: bool,
    /// The loop that declares it, and of how many of its iterations aoc keeps copies
    /// (`__attribute__((private_copies(n)))`); `None`: as many as help.
    pub copies: Option<(RegionId, u64)>,
    /// The loop in whose body a private array is declared: each of its iterations has one of its own.
    pub home: Option<RegionId>,
    /// The loop in whose body an array on the chip is declared; 0: none.
    pub scope: RegionId,
    /// Its banks, if the source says how many.
    pub banks: Option<Banks>,
    /// Each work-item has its own: a private array of an NDRange.
    pub by_item: bool,
}

/// Banks of an on-chip array (`numbanks`, `bankwidth`), which serve accesses side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    /// How many.
    pub count: u64,
    /// Bytes in a row of one bank, which lie next to each other.
    pub width: u64,
}

/// Types by which aoc knows pointers not to alias without `restrict` (docs/model-evaluation.md). Characters, vectors and
/// unions stand for anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// An integer of so many bytes.
    Integer(u64),
    /// A floating-point number of so many bytes.
    Float(u64),
    /// A structure.
    Structure(RecordId),
}

impl Element {
    /// Of what a pointer is declared to point to.
    pub fn of(module: &Module, pointee: TypeId) -> Option<Self> {
        if let Some(record) = module.types.as_record(pointee) {
            let is_structure = module.records[record].kind == RecordKind::Struct;
            return is_structure.then_some(Element::Structure(record));
        }
        let scalar = module.types.as_scalar(pointee)?;
        match scalar.size() {
            1 => None,
            bytes if scalar.is_float() => Some(Element::Float(bytes)),
            bytes => Some(Element::Integer(bytes)),
        }
    }
}

/// A read or write of memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// The array.
    pub array: ArrayId,
    /// Its node.
    pub node: NodeId,
    /// Where it stands.
    pub span: Option<Span>,
    /// A write.
    pub is_store: bool,
    /// An atomic operation: read and write.
    pub is_atomic: bool,
    /// Byte offset in the array.
    pub address: Option<Poly>,
    /// Of a write: the operation of the same region that makes what is written.
    pub value: Option<NodeId>,
    /// Bytes of one access.
    pub bytes: u64,
    /// The region that it is in.
    pub region: RegionId,
    /// The part of the region's iterations that do it.
    pub share: f64,
    /// A condition picks single work-items of a row of the group for it.
    pub picked: bool,
    /// The innermost branch that it is in, by number: accesses of different branches do not happen together.
    pub branch: usize,
    /// The address comes from memory.
    pub indirect: bool,
    /// Served by a unit that reads ahead.
    pub prefetched: bool,
    /// Served by a unit whose cache holds all of the buffer.
    pub hits: bool,
}

/// A whole kernel.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Operations.
    pub nodes: Vec<Node>,
    /// Regions.
    pub regions: Vec<Region>,
    /// Arrays.
    pub arrays: Vec<Array>,
    /// Accesses in the order of the text.
    pub accesses: Vec<Access>,
    /// The value of symbols, or its average; nothing where it is unknown.
    pub values: BTreeMap<Sym, f64>,
    /// Of opaque symbols, by number: the counters and ids on which they depend.
    pub depends: Vec<Depends>,
    /// Of opaque symbols, by number: how they are made of polynomials, if that is known.
    pub made: Vec<Option<Made>>,
    /// The arms of branches, by number; 0 is the kernel's body.
    pub arms: Vec<Arm>,
    /// What was assumed.
    pub assumed: Vec<Assumed>,
    /// Operations that the model knows nothing of.
    pub unpriced: Vec<Unpriced>,
    /// Where the statements of the kernel's own loops lie, with the nodes that each makes, those of loops inside counted; a
    /// loop is there once for each copy of what is around it.
    pub of_loops: Vec<(usize, Range<NodeId>)>,
    /// Channel operations inside.
    pub uses_channels: bool,
    /// The bytes of each shift register.
    pub shift_registers: Vec<u64>,
    /// Arrays that one pointer goes to, of each two the one with the lower number first.
    pub shared: BTreeSet<(ArrayId, ArrayId)>,
}

impl Graph {
    /// The regions around a region, from itself to the body.
    pub fn ancestors(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(Some(region), |at| self.regions[*at].parent)
    }

    /// Whether `inner` is `outer` or lies in it.
    pub fn is_within(&self, inner: RegionId, outer: RegionId) -> bool {
        self.ancestors(inner).any(|at| at == outer)
    }

    /// Loops in hardware around a region, itself not counted.
    pub fn depth(&self, region: RegionId) -> usize {
        let around = self.ancestors(region).skip(1);
        let loops = around.filter(|at| *at != 0 && !self.regions[*at].joined);
        loops.count()
    }

    /// The bank of an address, if it is the same in all iterations: what moves stays in one bank's row, or goes
    /// through all banks.
    pub fn bank_of(&self, banks: Banks, address: &Poly) -> Option<i128> {
        let (count, width) = (i128::from(banks.count), i128::from(banks.width));
        let (moves, constant) = address.split_constant();
        let mut reach = constant.rem_euclid(width);
        for (symbols, by) in moves.terms().filter(|(_, by)| by % (count * width) != 0) {
            let [Sym::Iter(region)] = symbols else {
                return None;
            };
            let trip = self.regions[*region].trip;
            if by < 0 || trip.origin != TripOrigin::Known {
                return None;
            }
            reach += by * (trip.value as i128 - 1);
        }
        (reach < width).then(|| constant.div_euclid(width).rem_euclid(count))
    }

    /// The loop inside a loop that is one with it.
    pub fn joined(&self, region: RegionId) -> Option<RegionId> {
        let inside = self.regions[region].loops.iter().copied();
        inside.into_iter().find(|at| self.regions[*at].joined)
    }

    /// The loops from one inwards that are one loop, itself among them.
    pub fn nest(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(Some(region), |at| self.joined(*at))
    }

    /// The loops from one outwards that are one loop, itself among them.
    pub fn nest_around(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(Some(region), |at| {
            let region = &self.regions[*at];
            region.parent.filter(|_| region.joined)
        })
    }

    /// Executions of a region's iterations in one run of the body (by one work-item).
    pub fn executions(&self, region: RegionId) -> f64 {
        let each = |at: RegionId| match at {
            0 => 1.0,
            at => self.regions[at].share * self.trips(at),
        };
        self.ancestors(region).map(each).product()
    }

    /// The part of a region's iterations in which at least one of some of its accesses happens.
    pub fn any_of<'a>(
        &self,
        region: RegionId,
        accesses: impl IntoIterator<Item = &'a Access>,
    ) -> f64 {
        let each = accesses
            .into_iter()
            .map(|access| (access.branch, access.share));
        any_of(&self.arms, self.regions[region].branch, each)
    }

    /// The nodes of a region, in the order in which they were made.
    pub fn nodes_of(&self, region: RegionId) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter(move |(_, n)| n.region == region)
            .map(|(id, _)| id)
    }

    /// Whether a symbol may have another value in another iteration of a loop.
    pub fn moves_in(&self, sym: Sym, region: RegionId) -> bool {
        let of = |sym: &Sym| matches!(sym, Sym::Iter(at) if self.is_within(*at, region));
        match sym {
            Sym::Opaque(number) => self.depends.get(number).is_some_and(|d| d.iter().any(of)),
            other => of(&other),
        }
    }

    /// Whether a polynomial's value depends on a counter or an id.
    pub fn depends_on(&self, poly: &Poly, on: Sym) -> bool {
        poly.each_symbol().any(|sym| match sym {
            Sym::Opaque(number) => self.depends.get(number).is_some_and(|d| d.contains(&on)),
            other => other == on,
        })
    }

    /// Iterations in hardware each time that a loop is entered, on average.
    pub fn trips(&self, region: RegionId) -> f64 {
        self.iterations(region, self.regions[region].trip.value)
    }

    /// The same, of the work-item of an NDRange that has the most to do.
    pub fn most_trips(&self, region: RegionId) -> f64 {
        self.iterations(region, self.regions[region].trip.most)
    }

    /// Iterations in hardware for so many of a loop.
    fn iterations(&self, region: RegionId, trip: f64) -> f64 {
        let factor = self.regions[region].unroll as f64;
        if trip < 1.0 {
            return trip.max(0.0);
        }
        match trip.fract() == 0.0 {
            true => (trip / factor).ceil(),
            // The mean over trip counts that are equally likely to leave any remainder.
            false => ((trip + (factor - 1.0) / 2.0) / factor).max(1.0),
        }
    }

    /// The value of a polynomial where all its symbols are known.
    pub fn evaluate(&self, poly: &Poly) -> Option<f64> {
        poly.evaluate(&|sym| self.values.get(&sym).copied())
    }

    /// How far a polynomial mostly moves when a counter or an id moves by one; `None`: that is not known. Quotients stay
    /// where they are until they step, remainders go on until they wrap, and of what is chosen between, that counts which
    /// moves.
    pub fn slope(&self, poly: &Poly, along: Sym) -> Option<f64> {
        let known = BTreeMap::new();
        let graph = self;
        Slopes {
            graph,
            along,
            known,
        }
        .of(poly)
    }
}

/// How far values move with a counter or an id. What they are made of is shared: each is looked at once.
struct Slopes<'g> {
    graph: &'g Graph,
    along: Sym,
    /// Those of integers that are no polynomials, by number.
    known: BTreeMap<usize, Option<f64>>,
}

impl Slopes<'_> {
    fn of(&mut self, poly: &Poly) -> Option<f64> {
        let mut sum = 0.0;
        for sym in poly.symbols() {
            let each = self.of_symbol(sym)?;
            if each != 0.0 {
                sum += each * self.graph.evaluate(&poly.coefficient(sym)?)?;
            }
        }
        Some(sum)
    }

    fn of_symbol(&mut self, sym: Sym) -> Option<f64> {
        if sym == self.along {
            return Some(1.0);
        }
        let Sym::Opaque(number) = sym else {
            return Some(0.0);
        };
        if let Some(known) = self.known.get(&number) {
            return *known;
        }
        let slope = match self.graph.depends_on(&Poly::sym(sym), self.along) {
            true => self.of_made(number),
            false => Some(0.0),
        };
        self.known.insert(number, slope);
        slope
    }

    fn of_made(&mut self, number: usize) -> Option<f64> {
        let graph = self.graph;
        match graph.made.get(number)?.as_ref()? {
            Made::Quotient(of, by) => {
                let (slope, by) = (self.of(of)?, graph.evaluate(by)?);
                Some(match slope.abs() < by.abs() {
                    true => 0.0,
                    false => slope / by,
                })
            }
            Made::Remainder(of, by) => {
                let (slope, by) = (self.of(of)?, graph.evaluate(by));
                // It wraps each time.
                let is_inside = by.is_none_or(|by| slope.abs() < by.abs());
                is_inside.then_some(slope)
            }
            Made::Near(choices) => {
                let slopes = choices.iter().map(|choice| self.of(choice));
                let slopes: Option<Vec<f64>> = slopes.collect();
                let mut moving = slopes?.into_iter().filter(|slope| *slope != 0.0);
                let first = moving.next().unwrap_or(0.0);
                let is_known = !choices.is_empty() && moving.all(|slope| slope == first);
                is_known.then_some(first)
            }
            // What is read again is the same again.
            Made::Loaded(index) => (self.of(index)? == 0.0).then_some(0.0),
            Made::Row(index, step, region) => {
                Some(self.of(index)? / *step as f64 * graph.trips(*region))
            }
            Made::Series(_) => None,
        }
    }
}
