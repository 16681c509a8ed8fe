//! What the model says of a kernel.

use std::ops::AddAssign;

use fpgacc_frontend::source::Span;

use super::board::Resources;
use super::estimate::Estimate;

/// How a kernel runs on one board.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The form that was priced.
    pub form: Form,
    /// Clock cycles of one launch.
    pub cycles: Estimate,
    /// The clock in MHz.
    pub clock_mhz: Estimate,
    /// Seconds of one launch, with what starting a kernel takes.
    pub seconds: Estimate,
    /// What the kernel takes of the device, without the board's own interface.
    pub area: Area,
    /// Whether it fits beside the board's interface.
    pub fits: bool,
    /// What lowers the clock.
    pub penalty_causes: PenaltyCauses,
    /// Clock cycles that computing takes alone.
    pub busy_cycles: f64,
    /// By how much chains of small operations lower the clock: a factor of at least 1.
    pub stretch: f64,
    /// Seconds that the traffic with external memory takes alone.
    pub memory_seconds: f64,
    /// The loops that remain in hardware, in the order of the source.
    pub loops: Vec<LoopReport>,
    /// The units that access memory, in the order of the source: external memory's first.
    pub lsus: Vec<LsuReport>,
    /// What is not known and was assumed.
    pub assumed: Vec<Assumed>,
    /// Operations by position, in the order of the source: those of one kind at one position are one.
    pub operations: Vec<Operation>,
    /// Operations that the model knows nothing of.
    pub unpriced: Vec<Unpriced>,
    /// Of each loop in the kernel's text, in the order of `fpgacc_kernel_analysis::loops`, the part of all operations that
    /// stand in it, with all copies of them.
    pub parts_in_loops: Vec<f64>,
    /// What it took to find out which accesses wait for which.
    pub comparisons: Comparisons,
}

/// How many accesses to memory were compared with others: in loops of many copies, most of what a prediction takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// Pairs of accesses.
    pub pairs: usize,
    /// How often inequalities had to be solved for a pair.
    pub solved: usize,
}

impl AddAssign for Comparisons {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.solved += other.solved;
    }
}

/// Operations of one kind at one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Where they stand.
    pub span: Option<Span>,
    /// What they are: `float addition`.
    pub what: &'static str,
    /// How many there are in the text of the hardware, the SIMD width not counted.
    pub count: u64,
    /// What all of them take of the device.
    pub area: Resources,
    /// Cycles from operands to result, of the slowest of them.
    pub latency: f64,
}

/// An operation that the model knows nothing of: it costs what the nearest thing that it knows does, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpriced {
    /// Where it stands.
    pub span: Option<Span>,
    /// Its name, as in the source.
    pub name: String,
    /// What it is priced as.
    pub as_what: &'static str,
}

/// Something that is not known and was assumed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumed {
    /// Where it matters.
    pub span: Option<Span>,
    /// What is assumed, a sentence.
    pub what: String,
    /// What would make it known.
    pub remedy: &'static str,
}

/// What lowers the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PenaltyCauses {
    /// The share of look-up tables that the kernel takes; the interface is placed and routed beforehand.
    pub logic: f64,
    /// The share of memory blocks that the kernel takes, at most 1.
    pub ram: f64,
    /// 1 if work-items meet at barriers in loops that do not run equally often for all.
    pub divergent: f64,
    /// Doublings of the widest on-chip access beyond 64 bytes.
    pub wide: f64,
    /// Natural logarithm of the blocks, beyond one, that the largest on-chip array spans.
    pub deep: f64,
    /// Natural logarithm of the units that store to one on-chip array, of that with the most; a bank's share, where the
    /// source asks for banks.
    pub stores: f64,
    /// Units that access external memory.
    pub units: f64,
    /// Loops in hardware.
    pub loops: f64,
}

/// The form of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Work-items flow through one pipeline.
    NdRange {
        /// `num_simd_work_items`.
        simd: u64,
        /// `num_compute_units`.
        compute_units: u64,
    },
    /// One work-item with pipelined loops.
    SingleWorkItem,
}

/// What a kernel takes of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Look-up tables.
    pub alut: Estimate,
    /// Registers.
    pub ff: Estimate,
    /// Memory blocks (M20K).
    pub ram: Estimate,
    /// Multiplier blocks.
    pub dsp: Estimate,
}

impl Area {
    /// An area that may be off by a factor.
    pub(super) fn within(used: Resources, factor: f64) -> Self {
        let each = |value: f64| Estimate::within(value, factor);
        Area {
            alut: each(used.alut),
            ff: each(used.ff),
            ram: each(used.ram),
            dsp: each(used.dsp),
        }
    }

    /// The most likely numbers.
    pub fn resources(&self) -> Resources {
        Resources {
            alut: self.alut.value,
            ff: self.ff.value,
            ram: self.ram.value,
            dsp: self.dsp.value,
        }
    }
}

/// How often a loop runs each time that it is entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trip {
    /// On average.
    pub value: f64,
    /// Of the work-item of an NDRange that has the most to do.
    pub most: f64,
    /// How that is known.
    pub origin: TripOrigin,
}

impl Trip {
    /// As often for all work-items, as far as is known.
    pub fn even(value: f64, origin: TripOrigin) -> Self {
        Trip {
            value,
            most: value,
            origin,
        }
    }
}

/// Where a trip count comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TripOrigin {
    /// A constant of the kernel's text.
    Known,
    /// An expression over arguments and sizes that the facts give.
    Symbolic,
    /// It was seen in a run.
    Profiled,
    /// A guess.
    Assumed,
}

/// How the iterations of a loop overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipelining {
    /// One iteration starts every II cycles.
    Pipelined,
    /// An iteration starts when the one before it is done.
    Serial,
    /// Iterations of several work-items of an NDRange share the loop.
    WorkItems,
}

/// A loop in hardware.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopReport {
    /// Where it stands.
    pub span: Option<Span>,
    /// Loops around it, in hardware.
    pub depth: usize,
    /// How often it runs.
    pub trip: Trip,
    /// Copies of its body that unrolling makes.
    pub unroll: u64,
    /// The initiation interval in cycles.
    pub ii: f64,
    /// What sets the interval.
    pub limit: Limit,
    /// How its iterations overlap.
    pub pipelined: Pipelining,
    /// Cycles from an iteration's start to its end.
    pub latency: f64,
}

/// What keeps a loop from starting an iteration each cycle.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// Nothing does.
    None,
    /// A value of one iteration is needed in a later one.
    Recurrence {
        /// The operation that needs it.
        from: Option<Span>,
        /// The operation that makes it.
        to: Option<Span>,
        /// The operations on the way, or the variable's name.
        what: String,
        /// Cycles around the cycle of dependences.
        latency: f64,
        /// Iterations between the two.
        distance: f64,
    },
    /// A chain of small operations from one iteration to the next fits into the interval only if the whole
    /// kernel's clock is lower: the interval with the least time for an iteration, as aoc takes it.
    Chain {
        /// The operations on the way, and the variable's name.
        what: String,
        /// Where the chain begins.
        from: Option<Span>,
        /// Its length in cycles of the clock that the kernel would have without it.
        cycles: f64,
    },
    /// A load may need what an earlier iteration stores.
    MemoryDependence {
        /// The name of the array that is stored to.
        array: String,
        /// The name of that which is loaded from: another one where pointers may overlap.
        loaded: String,
        /// It is in memory of the kernel itself.
        on_chip: bool,
        /// The load.
        load: Option<Span>,
        /// The store.
        store: Option<Span>,
        /// Cycles around the cycle of dependences.
        latency: f64,
        /// Iterations between the two.
        distance: f64,
    },
    /// More accesses to a local memory in an iteration than it has ports.
    LocalPorts {
        /// The array's name.
        array: String,
        /// Accesses in an iteration.
        accesses: u64,
        /// Ports that serve them.
        ports: u64,
    },
    /// External memory.
    Bandwidth,
    /// A loop inside must end before the next iteration may start, because of this value.
    Serialised(String),
    /// Only so many iterations overlap, as aoc keeps so many copies of this array.
    Copies {
        /// The array's name.
        array: String,
        /// Iterations that have a copy of it.
        copies: u64,
    },
    /// This loop inside has a variable trip count, or control may leave the kernel in it: an
    /// iteration could overtake the one before it.
    VariableTrips(Option<Span>),
    /// The source asks for this interval (`#pragma ii`).
    Asked,
}

/// The kinds of units that aoc builds for accesses to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LsuKind {
    /// Collects neighbouring accesses to bursts.
    BurstCoalesced,
    /// The same, where the address may not be a multiple of the width.
    BurstNonAligned,
    /// The same, with a cache of its own.
    BurstCached,
    /// Reads ahead of a single work-item's contiguous loads; `streaming` in older documents.
    Prefetching,
    /// Through the constant cache.
    Constant,
    /// One access at a time, in order: local memory.
    Pipelined,
    /// Atomic operations.
    Atomic,
}

/// A unit that accesses memory.
#[derive(Clone, Debug, PartialEq)]
pub struct LsuReport {
    /// The access.
    pub span: Option<Span>,
    /// The array's name.
    pub array: String,
    /// Whether it stores.
    pub is_store: bool,
    /// Its kind.
    pub kind: LsuKind,
    /// Bytes of one access.
    pub bytes_wide: u64,
    /// Bytes from one access to the next; `None`: it varies.
    pub stride: Option<i64>,
    /// The part of the memory's transfers that is used: 0 to 1.
    pub efficiency: f64,
}
