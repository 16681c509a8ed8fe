//! The clock that a kernel reaches.
//!
//! An empty kernel's clock, lowered by each thing that makes wires longer. By how much stands in the
//! board's file.

use super::board::{Board, ClockPenalties, Resources};
use super::graph::{Graph, MemoryKind, RegionId};
use super::lsu::{self, Lsu};
use super::prediction::{PenaltyCauses, TripOrigin};

/// No kernel's clock is below this part of the highest: a guess. The lowest that was measured is 0.19 (93 of 480 MHz on a
/// 520N).
const LOWEST: f64 = 0.2;
/// Bytes of an on-chip access up to which it does not lower the clock: those of a word of external memory, a guess.
const WIDE: f64 = 64.0;
/// Bytes of a memory block: 2 KB of the M20K's 20 Kbit, those that 512 words of 32 bits use.
const BLOCK_BYTES: f64 = 2048.0;

/// The part for which the logic of other compute units counts: the longest wires are within a unit. It fits 394 clocks on a
/// DE5a-Net best (Boyi); of the 105 with several units, the root of the mean squared error is 0.145 with it and 0.161
/// without.
const OTHER_UNITS: f64 = 0.5;

/// What lowers the clock of a kernel that takes `used`, `one` for each of `copies` compute units, `simd` work-items wide.
pub fn causes(
    graph: &Graph,
    board: &Board,
    lsus: &[Lsu],
    (one, used): (Resources, Resources),
    (simd, copies): (f64, f64),
) -> PenaltyCauses {
    let device = board.device;
    let external = lsus.iter().filter(|lsu| !lsu.is_on_chip);
    let units: f64 = external.map(|lsu| lsu.copies).sum();
    let loops = graph.regions.iter().skip(1).filter(|loops| !loops.joined);
    PenaltyCauses {
        logic: (one.alut + OTHER_UNITS * (used.alut - one.alut)) / device.alut,
        ram: (used.ram / device.ram).min(1.0),
        divergent: f64::from(u8::from(is_divergent(graph))),
        wide: (widest(graph) / WIDE).log2().max(0.0),
        deep: largest(graph).ln(),
        stores: most_stores(graph, simd).ln(),
        units: units * copies,
        loops: loops.count() as f64 * copies,
    }
}

/// The clock in MHz.
pub fn predict(causes: PenaltyCauses, board: &Board) -> f64 {
    let slopes = board.clock.penalties.slopes();
    let each = causes.terms().into_iter().zip(slopes);
    let penalty: f64 = each.map(|(cause, slope)| cause * slope).sum();
    let highest = board.clock.highest_mhz;
    (highest * (-penalty).exp()).clamp(highest * LOWEST, highest)
}

impl PenaltyCauses {
    /// What the slopes of [`ClockPenalties`] are multiplied with, in their order. Of many units and many loops the worst
    /// path counts, and that grows with the logarithm of their number.
    pub fn terms(&self) -> [f64; ClockPenalties::COUNT] {
        [
            1.0,
            self.logic,
            self.ram,
            self.divergent,
            self.wide,
            self.deep,
            self.stores,
            self.units.max(1.0).ln(),
            self.loops.ln_1p(),
        ]
    }
}

fn is_divergent(graph: &Graph) -> bool {
    let varies = |at: RegionId| {
        let origin = graph.regions[at].trip.origin;
        !matches!(origin, TripOrigin::Known | TripOrigin::Symbolic)
    };
    let loops = 1..graph.regions.len();
    loops.clone().any(|outer| {
        let inside = |inner: RegionId| graph.is_within(inner, outer) && varies(inner);
        graph.regions[outer].barriers > 0 && loops.clone().any(inside)
    })
}

/// Bytes that a region's accesses to one on-chip array touch side by side.
fn widest(graph: &Graph) -> f64 {
    let mut most: f64 = 0.0;
    let mut wide = std::collections::BTreeMap::new();
    for access in &graph.accesses {
        let Some(address) = &access.address else {
            continue;
        };
        if graph.arrays[access.array].memory != MemoryKind::OnChip {
            continue;
        }
        let (rest, constant) = address.split_constant();
        let ends = wide
            .entry((access.array, access.region, access.is_store, rest))
            .or_insert((constant, constant));
        ends.0 = constant.min(ends.0);
        ends.1 = (constant + i128::from(access.bytes)).max(ends.1);
        most = most.max((ends.1 - ends.0) as f64);
    }
    most
}

/// Blocks that one copy of the largest on-chip array takes.
fn largest(graph: &Graph) -> f64 {
    let arrays = graph
        .arrays
        .iter()
        .filter(|a| a.memory == MemoryKind::OnChip);
    let blocks = arrays
        .filter_map(|a| a.bytes)
        .map(|bytes| bytes as f64 / BLOCK_BYTES);
    blocks.fold(1.0, f64::max)
}

/// Units that store to one on-chip array, of that with the most, at least one. Several need more ports than a memory block
/// has, or take turns ("limiting the number of concurrent stores", Intel's best practices guide, 10.3).
fn most_stores(graph: &Graph, simd: f64) -> f64 {
    let mut stores = std::collections::BTreeMap::new();
    let units = lsu::on_chip(graph);
    let units = units.iter().map(|unit| &graph.accesses[unit[0]]);
    for access in units.filter(|access| access.is_store) {
        *stores.entry(access.array).or_insert(0.0) += simd;
    }
    let share = |(array, stores): (&usize, &f64)| {
        let banks = graph.arrays[*array].banks;
        stores / banks.map_or(1, |banks| banks.count) as f64
    };
    stores.iter().map(share).fold(1.0, f64::max)
}
