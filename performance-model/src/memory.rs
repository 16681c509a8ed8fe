//! Seconds that the traffic with external memory takes.

use std::collections::{BTreeMap, BTreeSet};

use super::board::{Board, Memory};
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
    /// Rows that one bank opens after another, for words of work-items side by side.
    pub reopened: f64,
    /// Rows that are opened for pieces of streams.
    pub pieces: f64,
    /// Atomic operations.
    pub atomics: f64,
    /// Accesses through a constant cache, of one of the compute units, that it does not hold: those of the unit in each
    /// region that has most of them, as the others' wait at the same time.
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
    let mut count = Count {
        graph,
        timings,
        form,
        items,
        memory: &board.memory,
        word: board.memory.width_bytes as f64,
        rows_contend: rows_open(lsus) > (board.memory.open_rows * board.memory.banks) as usize,
        all: Traffic::default(),
        streams: BTreeMap::new(),
        constants: BTreeMap::new(),
    };
    for lsu in lsus {
        count.unit(lsu);
    }
    let streams = count.streams.into_values();
    let contending = streams.filter(|(arrays, _)| arrays.len() >= CONTENDING);
    let contended = contending.map(|(_, bytes)| bytes).sum();
    Traffic {
        contended,
        constants: count.constants.into_values().sum(),
        ..count.all
    }
}

/// Words that each stand alone: those of rounds and entries that mix, or at random addresses.
enum Apart {
    Interleaved(f64),
    Scattered(f64),
}

/// What was counted of the traffic.
struct Count<'a> {
    graph: &'a Graph,
    timings: &'a [Timing],
    form: Form,
    items: f64,
    memory: &'a Memory,
    /// Bytes of a word of the memory.
    word: f64,
    /// More rows are open than banks can hold.
    rows_contend: bool,
    all: Traffic,
    /// The arrays that each region streams, and their bytes.
    streams: BTreeMap<RegionId, (BTreeSet<&'a str>, f64)>,
    /// Of each region, accesses of the unit that most often misses its constant cache.
    constants: BTreeMap<RegionId, f64>,
}

impl<'a> Count<'a> {
    fn unit(&mut self, lsu: &'a Lsu) {
        let lanes = match self.form {
            Form::NdRange { simd, .. } => simd as f64 / lsu.copies,
            Form::SingleWorkItem => 1.0,
        };
        let executions = self.graph.executions(lsu.region);
        let accesses = self.items * executions * lsu.share / lsu.stays / lanes;
        let kind = lsu.report.kind;
        if kind == LsuKind::Constant && (lsu.table.is_some() || lsu.is_on_chip) {
            // Read once, which computing waits for (`constant_fill`), or never.
        } else if lsu.misses {
            let most = self.constants.entry(lsu.region).or_default();
            *most = most.max(accesses / compute_units(self.form));
        } else if kind == LsuKind::Atomic {
            self.all.atomics += accesses;
        } else if lsu.walks {
            self.all.streamed += accesses * lsu.words * self.word;
        } else {
            self.moves(lsu, accesses, lanes);
        }
    }

    /// A unit that moves whole words.
    fn moves(&mut self, lsu: &'a Lsu, accesses: f64, lanes: f64) {
        let bytes = self.bytes(lsu, accesses);
        if let Some(apart) = self.apart(lsu, accesses, bytes) {
            return self.add_apart(lsu, &apart);
        }
        if lsu.picked {
            // A word for each, or all words of the rows.
            let rows = match &lsu.row_segments {
                Some(segments) => accesses / lsu.share / segments.accesses * segments.bytes,
                None => bytes / lsu.share,
            };
            self.all.streamed += (accesses * lanes * WORD).min(rows);
        } else if let Some(segments) = &lsu.row_segments {
            let row_segments = accesses / segments.accesses;
            if self.rows_contend && lsu.region == 0 {
                self.all.apart += row_segments * segments.bytes;
                self.all.row_segments += row_segments;
            } else {
                self.all.streamed += row_segments * segments.bytes;
            }
        } else {
            self.all.streamed += bytes;
            self.all.pieces += lsu.piece.map_or(0.0, |piece| bytes / piece);
            let (arrays, moved) = self.streams.entry(lsu.region).or_default();
            arrays.insert(&lsu.report.array);
            *moved += bytes;
        }
    }

    /// The bytes of all accesses of a unit.
    fn bytes(&self, lsu: &Lsu, accesses: f64) -> f64 {
        let report = &lsu.report;
        let stride = report.stride.map(i128::from);
        let is_alone = stride.is_none() || lsu.backward;
        let each = || moved(stride, report.bytes_wide, is_alone, self.word);
        let bytes = accesses * lsu.row.unwrap_or_else(each);
        match lsu.table {
            Some(table) if report.kind == LsuKind::BurstCached => {
                // Each copy of the unit has a cache, which starts empty (Best Practices Guide, 3.6.2).
                let copies = lsu.copies * compute_units(self.form);
                bytes.min(copies * (table as f64 / WORD).ceil() * WORD)
            }
            _ => bytes,
        }
    }

    /// The words of a unit whose accesses do not follow each other in memory; `None`: they do.
    fn apart(&self, lsu: &Lsu, accesses: f64, bytes: f64) -> Option<Apart> {
        let is_single = self.form == Form::SingleWorkItem;
        let mixes = !is_single && self.work_items_mix(lsu.region);
        let own = accesses * (lsu.report.bytes_wide as f64 / self.word).ceil();
        let words = bytes / self.word;
        if lsu.follows {
            None
        } else if is_single && lsu.moves_on && entries_mix(self.graph, self.timings, lsu.region) {
            // Neighbours are not next to each other: each access moves words of its own.
            Some(Apart::Interleaved(own))
        } else if lsu.scattered && is_single {
            Some(Apart::Scattered(words))
        } else if mixes && !lsu.is_even && lsu.row.is_none() && lsu.table.is_none() {
            // What work-items of several rounds ask for is joined only where it lies next to each other for sure.
            Some(Apart::Interleaved(own))
        } else if mixes || lsu.backward || lsu.scattered {
            Some(Apart::Interleaved(words))
        } else {
            None
        }
    }

    /// Whether work-items are in different rounds of a loop: nothing holds them together.
    fn work_items_mix(&self, region: RegionId) -> bool {
        let regions = &self.graph.regions;
        let mut around = self.graph.ancestors(region);
        region != 0
            && around.all(|at| at == 0 || regions[at].barriers == 0)
            && regions[region].barriers == 0
    }

    fn add_apart(&mut self, lsu: &Lsu, apart: &Apart) {
        let (Apart::Interleaved(all) | Apart::Scattered(all)) = *apart;
        let words = match apart {
            Apart::Scattered(_) => all / self.words_together(lsu),
            Apart::Interleaved(_) => all,
        };
        let reopened = lsu.turns.map(|banks| words / banks);
        let takes = reopened.map_or(0.0, |rows| rows * self.memory.row_cycle_ns());
        match (lsu.open_banks, apart) {
            // No row is opened: words are moved as those of a stream.
            (Some(part), _) => {
                self.all.streamed += all * self.word / part;
                return;
            }
            _ if takes > words * self.memory.interleaved_word_ns() => {
                self.all.reopened += reopened.unwrap_or_default();
            }
            (None, Apart::Interleaved(_)) => self.all.interleaved += words,
            (None, Apart::Scattered(_)) => self.all.scattered += words,
        }
        self.all.streamed += (all - words) * self.word;
    }

    /// Words of a single work-item's access that lie in the row which the first opens. Of memory through the host each line is
    /// a request of its own; and of work-items that mix, each word takes as long as the first (Spector's spmv).
    fn words_together(&self, lsu: &Lsu) -> f64 {
        match self.memory.through_host {
            true => 1.0,
            false => (lsu.report.bytes_wide as f64 / self.word).ceil().max(1.0),
        }
    }
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
            + self.reopened * memory.row_cycle_ns() * nano
            + self.pieces * memory.row_ns() * nano
            + self.atomics * memory.atomic_ns() * nano
            + self.constants * memory.constant_miss_ns() * nano
    }
}
