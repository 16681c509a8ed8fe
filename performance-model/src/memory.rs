//! Seconds that the traffic with external memory takes.

use std::collections::{BTreeMap, BTreeSet};

use super::board::{Board, Memory, OPEN_ROWS};
use super::graph::{Graph, RegionId};
use super::lsu::{Lsu, WORD, moved};
use super::prediction::{Form, LsuKind};
use super::timing::Timing;

/// The traffic of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Bytes that come in bursts.
    pub streamed: f64,
    /// Those of them in loops with so many arrays that each burst finds another row open.
    pub contended: f64,
    /// Bytes of row_segments that each open a row.
    pub apart: f64,
    /// Such row_segments.
    pub row_segments: f64,
    /// Words (of the memory's width) at far or random addresses.
    pub scattered: f64,
    /// Words of loops in which work-items, or entries of the loop, mix.
    pub interleaved: f64,
    /// Atomic operations.
    pub atomics: f64,
    /// Accesses through a constant cache, of one of the compute units, that it does not hold.
    pub constants: f64,
}

/// What `items` work-items move.
pub fn traffic(
    graph: &Graph,
    board: &Board,
    form: Form,
    lsus: &[Lsu],
    timings: &[Timing],
    items: f64,
) -> Traffic {
    let mut all = Traffic::default();
    let mut streams: BTreeMap<RegionId, (BTreeSet<&str>, f64)> = BTreeMap::new();
    let rows_contend = rows_open(lsus) > (OPEN_ROWS * board.memory.banks) as usize;
    let word = board.memory.width_bytes as f64;
    for lsu in lsus {
        let lanes = match form {
            Form::NdRange { simd, .. } => simd as f64 / lsu.copies,
            Form::SingleWorkItem => 1.0,
        };
        let accesses = items * graph.executions(lsu.region) * lsu.share / lsu.stays / lanes;
        let report = &lsu.report;
        if report.kind == LsuKind::Constant && lsu.table.is_some() {
            // Read once, which computing waits for (`constant_fill`).
            continue;
        }
        if lsu.misses {
            all.constants += accesses / compute_units(form);
            continue;
        }
        if report.kind == LsuKind::Atomic {
            all.atomics += accesses;
            continue;
        }
        let stride = report.stride.map(i128::from);
        let each = || moved(stride, report.bytes_wide, stride.is_none() || lsu.backward);
        if lsu.walks {
            all.streamed += accesses * lsu.words * WORD;
            continue;
        }
        let mut bytes = accesses * lsu.row.unwrap_or_else(each);
        if let Some(table) = lsu.table.filter(|_| report.kind == LsuKind::BurstCached) {
            // Each copy of the unit has a cache, which starts empty (Best Practices Guide, 3.6.2).
            let copies = lsu.copies * compute_units(form);
            bytes = bytes.min(copies * (table as f64 / WORD).ceil() * WORD);
        }
        let region = &graph.regions[lsu.region];
        let mixes = form != Form::SingleWorkItem
            && lsu.region != 0
            && graph
                .ancestors(lsu.region)
                .all(|at| at == 0 || graph.regions[at].barriers == 0)
            && region.barriers == 0;
        let is_single = form == Form::SingleWorkItem;
        let own = accesses * (report.bytes_wide as f64 / word).ceil();
        let interleaved: fn(&mut Traffic) -> &mut f64 = |all| &mut all.interleaved;
        let scattered: fn(&mut Traffic) -> &mut f64 = |all| &mut all.scattered;
        let apart = if is_single && lsu.moves_on && entries_mix(graph, timings, lsu.region) {
            // Neighbours are not next to each other: each access moves words of its own.
            Some((interleaved, own))
        } else if lsu.scattered && is_single {
            Some((scattered, bytes / word))
        } else if mixes && !lsu.is_even && lsu.row.is_none() && lsu.table.is_none() {
            // What work-items of several rounds ask for is joined only where it lies next to each other for sure.
            Some((interleaved, own))
        } else if mixes || lsu.backward || lsu.scattered {
            Some((interleaved, bytes / word))
        } else {
            None
        };
        if let Some((kind, words)) = apart {
            match lsu.open_banks {
                // No row is opened: words are moved as those of a stream.
                Some(part) => all.streamed += words * word / part,
                None => *kind(&mut all) += words,
            }
        } else if lsu.picked {
            // A word for each, or all words of the rows.
            let rows = match &lsu.row_segments {
                Some(segments) => accesses / lsu.share / segments.accesses * segments.bytes,
                None => bytes / lsu.share,
            };
            all.streamed += (accesses * lanes * WORD).min(rows);
        } else if let Some(segments) = &lsu.row_segments {
            let row_segments = accesses / segments.accesses;
            if rows_contend && lsu.region == 0 {
                all.apart += row_segments * segments.bytes;
                all.row_segments += row_segments;
            } else {
                all.streamed += row_segments * segments.bytes;
            }
        } else {
            all.streamed += bytes;
            let (arrays, moved) = streams.entry(lsu.region).or_default();
            arrays.insert(&report.array);
            *moved += bytes;
        }
    }
    let contending = streams
        .values()
        .filter(|(arrays, _)| arrays.len() >= CONTENDING);
    all.contended = contending.map(|(_, bytes)| bytes).sum();
    all
}

/// So many arrays, read or written side by side, close each other's rows. Two take turns without a loss (Davila-Guzman
/// et al., FCCM 2020, who measured up to five on a Stratix 10).
const CONTENDING: usize = 3;

/// The rows that a work-group goes to and fro between. Those of loops do not count: a group's next iteration mostly goes
/// on where the last one ended.
fn rows_open(lsus: &[Lsu]) -> usize {
    let mut rows: BTreeMap<(&str, bool), BTreeSet<i128>> = BTreeMap::new();
    for lsu in lsus.iter().filter(|lsu| lsu.region == 0) {
        let own = lsu.row_segments.iter().flat_map(|segments| &segments.rows);
        let key = (lsu.report.array.as_str(), lsu.report.is_store);
        rows.entry(key).or_default().extend(own);
    }
    rows.values().map(BTreeSet::len).sum()
}

/// Seconds of streams by bytes: the bandwidth that they reach, or, if they are many, the peak and a row for each burst.
fn streams(memory: &Memory, alone: f64, contended: f64) -> f64 {
    let peak = memory.peak_bandwidth();
    let rows = contended / memory.burst_bytes() as f64 / memory.banks as f64;
    alone / (peak * memory.efficiency) + contended / peak + rows * memory.row_miss_ns * 1e-9
}

/// Whether the loop around starts a loop again before it has ended, so that iterations of several entries
/// take turns.
fn entries_mix(graph: &Graph, timings: &[Timing], region: RegionId) -> bool {
    let (inner, outer) = (&timings[region], graph.regions[region].parent);
    inner.entries > 1.0
        && outer.is_some_and(|outer| outer != 0 && timings[outer].interval + 1.0 < inner.total)
}

fn compute_units(form: Form) -> f64 {
    match form {
        Form::NdRange { compute_units, .. } => compute_units as f64,
        Form::SingleWorkItem => 1.0,
    }
}

impl Traffic {
    /// Seconds that a board's memory takes for it.
    pub fn seconds(self, board: &Board) -> f64 {
        let memory = &board.memory;
        let nano = 1e-9;
        streams(memory, self.streamed - self.contended, self.contended)
            + self.apart / memory.peak_bandwidth()
            + self.row_segments / memory.banks as f64 * memory.row_miss_ns * nano
            + self.scattered * memory.scattered_word_ns() * nano
            + self.interleaved * memory.interleaved_word_ns() * nano
            + self.atomics * memory.atomic_ns() * nano
            + self.constants * memory.constant_miss_ns() * nano
    }
}
