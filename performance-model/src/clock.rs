//! The clock that a kernel reaches.
//!
//! An empty kernel's clock, lowered by each thing that makes wires longer. By how much stands in the
//! board's file.

use super::board::{Board, Resources};
use super::graph::{Graph, MemoryKind, RegionId};
use super::prediction::{PenaltyCauses, TripOrigin};

/// No kernel's clock is below this part of the highest: a guess. The lowest that was measured is 0.29 (118 of 412 MHz on
/// a DE5a-Net).
const LOWEST: f64 = 0.25;
/// Bytes of an on-chip access up to which it does not lower the clock: those of a word of external memory, a guess.
const WIDE: f64 = 64.0;
/// Bytes of a memory block: 2 KB of the M20K's 20 Kbit, those that 512 words of 32 bits use.
const BLOCK_BYTES: f64 = 2048.0;

/// The part for which the logic of other compute units counts: the longest wires are within a unit. It fits 394 clocks on a
/// DE5a-Net best (Boyi); of the 105 with several units, the root of the mean squared error is 0.145 with it and 0.161
/// without.
const OTHER_UNITS: f64 = 0.5;

/// What lowers a kernel's clock that takes `used`, `one` for each compute unit.
pub fn causes(graph: &Graph, board: &Board, one: Resources, used: Resources) -> PenaltyCauses {
    let device = board.device;
    PenaltyCauses {
        logic: (one.alut + OTHER_UNITS * (used.alut - one.alut)) / device.alut,
        ram: (used.ram / device.ram).min(1.0),
        divergent: f64::from(u8::from(is_divergent(graph))),
        wide: (widest(graph) / WIDE).log2().max(0.0),
        deep: largest(graph).ln(),
    }
}

/// The clock in MHz.
pub fn predict(causes: PenaltyCauses, board: &Board) -> f64 {
    let each = board.clock.penalties;
    let penalty = each.any_logic
        + each.logic * causes.logic
        + each.ram * causes.ram
        + each.divergent * causes.divergent
        + each.wide * causes.wide
        + each.deep * causes.deep;
    let highest = board.clock.highest_mhz;
    (highest * (-penalty).exp()).clamp(highest * LOWEST, highest)
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
