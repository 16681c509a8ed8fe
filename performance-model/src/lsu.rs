//! The units that aoc builds for accesses to external memory, and what they move.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::constant_memory;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::board::{Board, Memory, Resources};
use super::graph::{Access, Array, Graph, Made, MemoryKind, Op, RegionId};
use super::prediction::{Form, LsuKind, LsuReport};

/// A unit with the accesses that it serves.
#[derive(Clone, Debug)]
pub struct Lsu {
    /// What is reported.
    pub report: LsuReport,
    /// The region of its accesses.
    pub region: RegionId,
    /// The part of the region's iterations that use it.
    pub share: f64,
    /// Units of this kind beside each other, for SIMD lanes that do not join.
    pub copies: f64,
    /// Only one of so many iterations moves data: the address stays.
    pub stays: f64,
    /// The address is far from the last one, or random.
    pub scattered: bool,
    /// All work-items of an NDRange walk through the same, which is more than the unit's cache holds: each moves it anew.
    pub walks: bool,
    /// The rows that work-items go through follow each other in memory.
    pub follows: bool,
    /// Next to each other for neighbouring work-items for sure, not only mostly.
    pub is_even: bool,
    /// An iteration of the loop around goes to other words.
    pub moves_on: bool,
    /// Addresses of an NDRange descend.
    pub backward: bool,
    /// Of a unit with a cache in an NDRange whose work-items read rows of their own: bytes that it moves for an
    /// access, of a row's words each once. The caches hold a word of each work-item in flight.
    pub row: Option<f64>,
    /// Bytes of a word of the memory.
    pub word: f64,
    /// Words of the memory that an access touches on average.
    pub words: f64,
    /// Work-items side by side go to rows of so many banks in turn, fewer than they are, so that each opens its row anew.
    pub turns: Option<f64>,
    /// Single work-items of a row use it, none next to each other.
    pub picked: bool,
    /// Of a group of several rows of work-items, whose rows lie apart: what each row touches.
    pub row_segments: Option<RowSegments>,
    /// Of a loop that work-groups of one row go through together: bytes that a group touches in an iteration, if the next
    /// one goes on in another row of the memory.
    pub piece: Option<f64>,
    /// The buffer is so small that the unit's cache holds it whole: its bytes.
    pub table: Option<u64>,
    /// The buffer is more than a constant cache holds, which it is read through.
    pub misses: bool,
    /// Constants of the text.
    pub is_on_chip: bool,
    /// The buffer is so small that all of its rows stay open in the memory: the part of the memory's banks that it is in.
    pub open_banks: Option<f64>,
    /// Of a unit that reads through the constant cache: the copy of the cache that it gets, in bytes.
    pub constant_cache: u64,
}

/// Segments of memory that the rows of a work-group touch, one each.
#[derive(Clone, Debug, PartialEq)]
pub struct RowSegments {
    /// Bytes of words that one of them lies in.
    pub bytes: f64,
    /// Accesses of the unit to each.
    pub accesses: f64,
    /// The rows of memory that a group touches, by number; where the array begins is not known.
    pub rows: BTreeSet<i128>,
}

/// Infers the units of a kernel, and notes in the graph which accesses are read ahead.
pub fn infer(graph: &mut Graph, board: &Board, form: Form) -> Vec<Lsu> {
    let runs = runs(graph, false);
    let mut lsus = Vec::new();
    for run in runs {
        let lsu = unit(graph, &board.memory, form, &run);
        for at in run {
            graph.accesses[at].prefetched = lsu.report.kind == LsuKind::Prefetching;
            graph.accesses[at].hits =
                lsu.report.kind == LsuKind::BurstCached && lsu.table.is_some();
        }
        lsus.push(lsu);
    }
    lsus
}

/// Cycles in which a unit of each region takes one access: a wide access that crosses the end of a word of the memory is two
/// requests. Measured on unrolled loops that start one element after such an end: accesses of 8, 16 and 32 bytes take 1.15,
/// 1.28 and 1.54 cycles (Boyi's PS).
pub fn requests(lsus: &[Lsu], regions: usize) -> Vec<f64> {
    let mut most = vec![1.0; regions];
    for lsu in lsus.iter().filter(|lsu| !lsu.scattered) {
        let least = (lsu.report.bytes_wide as f64 / lsu.word).ceil();
        let own = 1.0 + (lsu.words - least).max(0.0) * lsu.share;
        most[lsu.region] = f64::max(most[lsu.region], own);
    }
    most
}

/// The units for accesses to on-chip memory, which take requests in turn (Best Practices Guide, 3.6.1).
pub fn pipelined(graph: &Graph, form: Form) -> Vec<LsuReport> {
    let report = |run: Vec<usize>| {
        let first = &graph.accesses[run[0]];
        LsuReport {
            span: first.span,
            array: graph.arrays[first.array].name.clone(),
            is_store: first.is_store,
            kind: match first.is_atomic {
                true => LsuKind::Atomic,
                false => LsuKind::Pipelined,
            },
            bytes_wide: bytes_of(graph, &run),
            stride: stride(graph, form, first).map(|s| s as i64),
            efficiency: 1.0,
        }
    };
    on_chip(graph).into_iter().map(report).collect()
}

/// The accesses to on-chip memory, by unit: neighbours are one wide access.
pub fn on_chip(graph: &Graph) -> Vec<Vec<usize>> {
    runs(graph, true)
}

/// The unit of each access to memory, by a number that others of the same unit have.
pub fn units(graph: &Graph) -> Vec<usize> {
    let mut units: Vec<usize> = (0..graph.accesses.len()).collect();
    for run in [runs(graph, false), runs(graph, true)]
        .into_iter()
        .flatten()
    {
        run.iter().for_each(|at| units[*at] = run[0]);
    }
    units
}

/// Bytes that accesses next to each other touch.
pub fn bytes_of(graph: &Graph, run: &[usize]) -> u64 {
    let start = |at: &usize| constant_of(&graph.accesses[*at]);
    let end = |at: &usize| start(at) + i128::from(graph.accesses[*at].bytes);
    let low = run.iter().map(start).min().unwrap_or(0);
    let high = run.iter().map(end).max().unwrap_or(low);
    (high - low).max(1) as u64
}

/// The accesses to external or to on-chip memory, by unit.
fn runs(graph: &Graph, on_chip: bool) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (at, access) in graph.accesses.iter().enumerate() {
        if (graph.arrays[access.array].memory == MemoryKind::OnChip) != on_chip {
            continue;
        }
        let (rest, _) = match &access.address {
            Some(address) => address.split_constant(),
            None => (Poly::sym(Sym::Opaque(usize::MAX - at)), 0),
        };
        let key = (
            access.array,
            access.is_store,
            access.region,
            access.is_atomic,
            // Neighbours that different work-items are picked for do not happen together; in loops of single work-items
            // aoc joins neighbours whatever the conditions (Needleman-Wunsch, docs/model-evaluation.md).
            if access.picked { access.branch } else { 0 },
            rest,
        );
        groups.entry(key).or_default().push(at);
    }
    let mut runs: Vec<Vec<usize>> = groups
        .into_values()
        .flat_map(|g| contiguous(graph, g))
        .collect();
    runs.sort();
    runs
}

type Key = (usize, bool, RegionId, bool, usize, Poly);

/// Accesses next to each other, which become one wide access.
fn contiguous(graph: &Graph, mut group: Vec<usize>) -> Vec<Vec<usize>> {
    let start = |at: &usize| constant_of(&graph.accesses[*at]);
    group.sort_by_key(|at| (start(at), *at));
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut end = None;
    for at in group {
        let from = start(&at);
        let to = from + i128::from(graph.accesses[at].bytes);
        match end {
            Some(last) if from <= last && !graph.accesses[at].is_atomic => {
                runs.last_mut().expect("a run has begun").push(at)
            }
            _ => runs.push(vec![at]),
        }
        end = Some(end.map_or(to, |last: i128| last.max(to)));
    }
    runs
}

/// What of an access need not be asked for again, and the kind of its unit, which follows from that.
struct Reuse {
    /// See [`Lsu::walks`].
    walks: bool,
    /// See [`Lsu::follows`].
    follows: bool,
    /// See [`Lsu::stays`].
    stays: f64,
    kind: LsuKind,
}

impl Reuse {
    /// Of an access of so many bytes for each work-item.
    fn of(graph: &Graph, memory: &Memory, form: Form, first: &Access, bytes: u64) -> Self {
        let cache_bytes = memory.cache_bytes;
        let has_cache = may_be_cached(graph, &graph.arrays[first.array]);
        // Without a cache, work-items that come by after each other ask for a single word together; a cache lets others ask
        // for what is on its way.
        let is_anew = bytes > memory.width_bytes || has_cache;
        let walks = form != Form::SingleWorkItem && is_anew && walks(graph, cache_bytes, first);
        let is_led = walks && has_cache && is_let_in(graph);
        let walks = walks && !is_led;
        let stays = match walks {
            true => 1.0,
            false if is_led => work_items(graph),
            false => stays(graph, cache_bytes, form, first),
        };
        let alike = alike(graph, cache_bytes, form, first);
        let repeats = (first.region != 0 && stays > 1.0) || alike > 1.0;
        let follows = form != Form::SingleWorkItem && rows_follow(graph, first);
        // aoc sees a row's start come from memory, and not that rows follow each other.
        let seen = stride(graph, form, first).filter(|_| !follows);
        let kind = kind(graph, form, first, seen, bytes, repeats || follows);
        let stays = match kind {
            // What reads ahead keeps nothing: a loop around reads the same words anew (Best Practices Guide, section 3.6.2).
            LsuKind::Prefetching => 1.0,
            _ => stays * alike,
        };
        Reuse {
            walks,
            follows,
            stays,
            kind,
        }
    }
}

fn unit(graph: &Graph, memory: &Memory, form: Form, run: &[usize]) -> Lsu {
    let first = &graph.accesses[run[0]];
    let array = &graph.arrays[first.array];
    let (bytes, copies) = width(graph, form, first, bytes_of(graph, run));
    let stride = stride(graph, form, first);
    let word = memory.width_bytes as f64;
    let Reuse {
        walks,
        follows,
        stays,
        kind,
    } = Reuse::of(graph, memory, form, first, bytes);
    // Only ascending addresses are joined.
    let backward = form != Form::SingleWorkItem && stride.is_some_and(|s| s < 0);
    let table = table(array, memory.cache_bytes);
    let start = run.iter().map(|at| constant_of(&graph.accesses[*at])).min();
    let words = words(graph, first, start.unwrap_or(0), bytes, word);
    let row = match (form, kind) {
        // The cache moves each word once; without one, what work-items side by side ask for is joined.
        (_, LsuKind::BurstCached) if follows => Some(bytes as f64),
        _ if follows => Some(moved(stride, bytes, false, word)),
        (Form::NdRange { .. }, LsuKind::BurstCached) => row(graph, first, bytes, word),
        _ => None,
    };
    let moved = match (kind, table) {
        // The cache moves each word once.
        (LsuKind::Constant, Some(_)) => bytes as f64,
        _ if walks => words * word,
        _ => row.unwrap_or_else(|| moved(stride, bytes, first.indirect || backward, word)),
    };
    // In different bursts and, mostly, rows; what begins where the last access ends is a stream, however wide.
    let least = u128::from(memory.burst_bytes().max(bytes + 1));
    let is_far = |stride: i128| stride.unsigned_abs() >= least;
    let scattered = !follows && (first.indirect || stride.is_none_or(is_far));
    Lsu {
        report: LsuReport {
            span: first.span,
            array: array.name.clone(),
            is_store: first.is_store,
            kind,
            bytes_wide: bytes,
            stride: stride.map(|s| s as i64),
            efficiency: (bytes as f64 / moved).min(1.0),
        },
        region: first.region,
        share: first.share,
        copies,
        stays,
        scattered,
        walks,
        follows,
        is_even: is_even(graph, first),
        moves_on: moves_on(graph, first),
        backward,
        row,
        word,
        words,
        turns: turns(graph, memory, form, stride),
        picked: first.picked,
        row_segments: match form {
            Form::NdRange { simd, .. } => row_segments(graph, memory, first, simd as f64 / copies),
            Form::SingleWorkItem => None,
        },
        piece: match form {
            Form::NdRange { .. } => piece(graph, memory, first),
            Form::SingleWorkItem => None,
        },
        table,
        misses: kind == LsuKind::Constant && table.is_none() && buffer_bytes(array).is_some(),
        is_on_chip: kind == LsuKind::Constant && !matches!(array.root, Root::Param(_)),
        open_banks: buffer_bytes(array).and_then(|bytes| memory.open_banks(bytes)),
        constant_cache: match kind {
            LsuKind::Constant => constant_cache(graph),
            _ => 0,
        },
    }
}

/// Bytes that one unit accesses at a time, of so many for each work-item, and the copies of it for lanes apart.
fn width(graph: &Graph, form: Form, first: &Access, bytes: u64) -> (u64, f64) {
    let Form::NdRange { simd, .. } = form else {
        return (bytes, 1.0);
    };
    match lane_stride(graph, first) {
        Some(lane) if lane.unsigned_abs() == u128::from(bytes) => (bytes * simd, 1.0),
        // Operations of several lanes on one location by the same number become one (below, `same_for_lanes`).
        Some(0) if !first.is_atomic || same_for_lanes(graph, first) => (bytes, 1.0),
        _ => (bytes, simd as f64),
    }
}

/// Whether the lanes of a work-item's atomic operation do the same: its operands are constants or arguments. Measured of
/// counting in one word: 312 ns for 2, 4, 8 and 16 lanes together (`model/blind.yaml`, atomics).
fn same_for_lanes(graph: &Graph, access: &Access) -> bool {
    access.region == 0 && graph.nodes[access.node].inputs.is_empty()
}

/// Whether an access goes through a row, an element an iteration, and the next work-item's row goes on where it ends.
fn rows_follow(graph: &Graph, access: &Access) -> bool {
    let Some(address) = access.address.as_ref().filter(|_| !access.is_store) else {
        return false;
    };
    let step = |sym| address.coefficient(sym).and_then(|by| by.as_constant());
    let bytes = Some(i128::from(access.bytes));
    let starts = |sym: &Sym| {
        let Sym::Opaque(number) = sym else {
            return false;
        };
        let made = graph.made.get(*number).and_then(|made| made.as_ref());
        matches!(made, Some(Made::Row(_, _, region)) if *region == access.region)
            && step(*sym) == bytes
    };
    step(Sym::Iter(access.region)) == bytes && address.symbols().iter().any(starts)
}

/// Bytes that a cache moves for an access to a row in which iterations follow each other: each word once, and of the
/// row's ends a word more.
fn row(graph: &Graph, access: &Access, bytes: u64, word: f64) -> Option<f64> {
    let region = access.region;
    let step = along(graph, access, Sym::Iter(region))?.unsigned_abs();
    let is_row = region != 0 && lane_stride(graph, access).is_none() && step > 0;
    let each = bytes.max(step as u64) as f64 + word / graph.trips(region).max(1.0);
    (is_row && step < word as u128).then_some(each.min(word))
}

/// What each row of a work-group touches, if the next row goes on elsewhere. `lanes`: work-items that an access is
/// for.
fn row_segments(
    graph: &Graph,
    memory: &Memory,
    access: &Access,
    lanes: f64,
) -> Option<RowSegments> {
    let size = |dim| graph.values.get(&Sym::LocalSize(dim)).copied();
    let (width, height) = (size(0)?, size(1)?);
    let stride = lane_stride(graph, access).filter(|stride| *stride > 0)?;
    let next = along(graph, access, Sym::LocalId(1))?;
    let touched = stride * width as i128;
    if height < 2.0 || next == 0 || next == touched || stride >= WORD as i128 {
        return None;
    }
    let address = access.address.as_ref()?;
    let start = graph
        .evaluate(address)
        .map_or(address.split_constant().1, |at| at as i128);
    let page = memory.burst_bytes() as i128;
    Some(RowSegments {
        bytes: (touched as f64 / WORD).ceil() * WORD,
        accesses: (width / lanes).max(1.0),
        rows: (0..height as i128)
            .map(|row| (start + row * next).div_euclid(page))
            .collect(),
    })
}

/// See [`Lsu::piece`].
fn piece(graph: &Graph, memory: &Memory, access: &Access) -> Option<f64> {
    let size = |dim| graph.values.get(&Sym::LocalSize(dim)).copied();
    let sizes = [size(0)?, size(1)?, size(2)?];
    let items = sizes.iter().product();
    let touched = lane_stride(graph, access)?.unsigned_abs() as f64 * items;
    let next = along(graph, access, Sym::Iter(access.region))?.unsigned_abs();
    let is_row = sizes.contains(&items) && graph.regions[access.region].barriers > 0;
    let burst = memory.burst_bytes();
    let goes_on_elsewhere = next >= u128::from(burst) && touched < burst as f64;
    (is_row && goes_on_elsewhere).then_some((touched / WORD).ceil() * WORD)
}

/// The bytes of a buffer that a cache holds whole. Constants of the text are on the chip.
fn table(array: &Array, cache_bytes: f64) -> Option<u64> {
    let holds = match array.memory {
        MemoryKind::Constant => constant_memory::MOST as f64,
        _ => cache_bytes,
    };
    buffer_bytes(array).filter(|bytes| *bytes as f64 <= holds)
}

/// The bytes of an array that the host passes.
fn buffer_bytes(array: &Array) -> Option<u64> {
    let is_passed = matches!(array.root, Root::Param(_));
    array.bytes.filter(|_| is_passed)
}

/// The buffers that a kernel reads through the constant cache, if they fit it: bytes of each.
fn constant_tables(graph: &Graph) -> impl Iterator<Item = u64> {
    let is_read = |at: usize| graph.accesses.iter().any(|access| access.array == at);
    let arrays = graph.arrays.iter().enumerate();
    let constants = arrays.filter(move |(at, a)| a.memory == MemoryKind::Constant && is_read(*at));
    constants.filter_map(|(_, array)| table(array, 0.0))
}

/// The constant cache that holds them.
fn constant_cache(graph: &Graph) -> u64 {
    constant_memory::cache_for(constant_tables(graph).sum()).unwrap_or(0)
}

/// Cycles for which a kernel waits until its constant memory is in the cache: each word misses once, and
/// unlike other units this one has nothing to hide that with (Best Practices Guide, section 8.3.1). What
/// an earlier launch left in the cache is not counted on.
pub fn constant_fill(graph: &Graph, board: &Board) -> f64 {
    let words = constant_tables(graph).map(|bytes| (bytes as f64 / WORD).ceil());
    words.sum::<f64>() * board.family().memory_units.load_latency
}

/// Bytes of a word of external memory (512 bits, on nearly all boards here: `width_bytes` in their files).
pub const WORD: f64 = 64.0;

/// Bytes that memory moves for an access, by words.
pub fn moved(stride: Option<i128>, bytes: u64, indirect: bool, word: f64) -> f64 {
    let bytes = bytes as f64;
    match stride {
        Some(stride) if !indirect && stride != 0 => {
            bytes.max((stride.unsigned_abs() as f64).min(word))
        }
        Some(_) if !indirect => bytes,
        _ => (bytes / word).ceil() * word,
    }
}

/// The banks whose rows work-items side by side go to in turn, if these are fewer than the work-items of a row.
fn turns(graph: &Graph, memory: &Memory, form: Form, stride: Option<i128>) -> Option<f64> {
    let Sym::LocalId(dim) = neighbours(graph) else {
        return None;
    };
    let items = graph.values.get(&Sym::LocalSize(dim)).copied()?;
    let banks = memory.banks_in_turn(stride?.unsigned_abs())?;
    (form != Form::SingleWorkItem && items > banks).then_some(banks)
}

/// Bytes from an access to the next that the unit sees.
fn stride(graph: &Graph, form: Form, access: &Access) -> Option<i128> {
    if form != Form::SingleWorkItem {
        let lane = lane_stride(graph, access)?;
        if lane != 0 {
            return Some(lane);
        }
    }
    let region = access.region;
    if region == 0 {
        return Some(0);
    }
    along(graph, access, Sym::Iter(region))
}

pub fn lane_stride(graph: &Graph, access: &Access) -> Option<i128> {
    along(graph, access, neighbours(graph))
}

/// The dimension along which work-items follow each other: the first in which a group has several.
fn neighbours(graph: &Graph) -> Sym {
    let is_one = |dim: &u8| graph.values.get(&Sym::LocalSize(*dim)) == Some(&1.0);
    Sym::LocalId((0..3).find(|dim| !is_one(dim)).unwrap_or(0))
}

/// How the address mostly moves with a symbol.
fn along(graph: &Graph, access: &Access, sym: Sym) -> Option<i128> {
    let slope = graph.slope(access.address.as_ref()?, sym)?;
    Some(slope as i128)
}

/// Whether an access goes to other words in each iteration of the loop around its own.
fn moves_on(graph: &Graph, access: &Access) -> bool {
    match graph.regions[access.region].parent {
        None | Some(0) => false,
        Some(outer) => along(graph, access, Sym::Iter(outer))
            .is_none_or(|stride| stride.unsigned_abs() >= WORD as u128),
    }
}

/// Whether an address moves evenly from work-item to work-item: nothing is chosen on the way. Remainders and quotients step
/// only now and then.
fn is_even(graph: &Graph, access: &Access) -> bool {
    let address = access.address.as_ref();
    address.is_some_and(|address| steps_evenly(graph, address))
}

fn steps_evenly(graph: &Graph, poly: &Poly) -> bool {
    let item = Sym::LocalId(0);
    // What values are made of is shared: each is looked at once.
    let mut seen = BTreeSet::new();
    let mut waiting = vec![poly];
    while let Some(poly) = waiting.pop() {
        for sym in poly.symbols() {
            let Sym::Opaque(number) = sym else {
                continue;
            };
            if !graph.depends_on(&Poly::sym(sym), item) || !seen.insert(number) {
                continue;
            }
            let is_known = || graph.slope(&Poly::sym(sym), item).is_some();
            match graph.made.get(number).and_then(|made| made.as_ref()) {
                Some(Made::Quotient(of, _) | Made::Remainder(of, _)) if is_known() => {
                    waiting.push(of);
                }
                Some(Made::Loaded(_)) if is_known() => {}
                _ => return false,
            }
        }
    }
    true
}

/// The constant in an address.
pub fn constant_of(access: &Access) -> i128 {
    let address = access.address.as_ref();
    address.map_or(0, |address| address.split_constant().1)
}

/// Whether all work-items walk through the same in loops, and further than a cache reaches.
fn walks(graph: &Graph, cache_bytes: f64, access: &Access) -> bool {
    let is_shared = access.address.as_ref().is_some_and(|address| {
        !access.indirect && (0..3).all(|dim| !graph.depends_on(address, Sym::LocalId(dim)))
    });
    let loops = graph.ancestors(access.region).filter(|at| *at != 0);
    let reach = loops.map(|region| {
        let step = along(graph, access, Sym::Iter(region));
        graph.trips(region) * step.map_or(0.0, |step| step.unsigned_abs() as f64)
    });
    is_shared && !access.is_store && !access.is_atomic && reach.sum::<f64>() > cache_bytes
}

/// Whether a channel lets work-items in before they come to a loop: one after another, as another kernel makes what they read, so
/// that a cache has what the first of them have asked for. 119 rounds of 800 bytes each for 1220 work-items take 0.77 ms, 150
/// GB/s (Boyi's RSCD with channels); where they come together they reach 30.
fn is_let_in(graph: &Graph) -> bool {
    let mut nodes = graph.nodes_of(0);
    nodes.any(|id| graph.nodes[id].op == Op::Channel)
}

/// The work-items of a launch.
fn work_items(graph: &Graph) -> f64 {
    let value = |sym: Sym| graph.values.get(&sym).copied().unwrap_or(1.0);
    let sizes = (0..3).map(|dim| value(Sym::LocalSize(dim)) * value(Sym::NumGroups(dim)));
    sizes.product()
}

/// Words of external memory that an access touches on average, which its unit asks for one after another: one that
/// crosses the end of a word needs one more.
fn words(graph: &Graph, access: &Access, start: i128, bytes: u64, word: f64) -> f64 {
    let word = word as i128;
    let Some(address) = &access.address else {
        return 1.0;
    };
    let (moves, known) = usual(graph, address).split_constant();
    let start = start + known - address.split_constant().1;
    // Over a launch, counters and numbers move an access by all multiples of what divides their factors.
    let grain = moves.terms().map(|(_, by)| by.abs()).fold(word, gcd);
    let touched = |at: i128| (at.rem_euclid(word) + i128::from(bytes) + word - 1) / word;
    let places = word / grain;
    let all: i128 = (0..places).map(|at| touched(start + at * grain)).sum();
    all as f64 / places as f64
}

/// An address as it usually is: without what happens now and then in loops, and with the numbers of this launch.
fn usual(graph: &Graph, address: &Poly) -> Poly {
    let mut usual = address.clone();
    for sym in address.symbols() {
        let Sym::Opaque(number) = sym else { continue };
        let Some(Some(Made::Near(choices))) = graph.made.get(number) else {
            continue;
        };
        if let ([choice], Some(factor)) = (choices.as_slice(), usual.coefficient(sym))
            && let Some(moved) = choice.times(&factor)
        {
            usual = usual.without(sym).plus(&moved, 1);
        }
    }
    let is_fixed = |sym: Sym| match sym {
        Sym::Opaque(number) => graph.depends.get(number).is_some_and(|on| on.is_empty()),
        _ => false,
    };
    usual.with_values(&|sym| {
        let value = graph.values.get(&sym).filter(|_| is_fixed(sym))?;
        (value.fract() == 0.0).then_some(*value as i128)
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}

/// How many accesses in a row, on average, find what they need in the unit: loops around in which the
/// address stays, if what the loops inside touch fits the unit's cache.
fn stays(graph: &Graph, cache_bytes: f64, form: Form, access: &Access) -> f64 {
    let Some(address) = access.address.as_ref().filter(|_| !access.is_atomic) else {
        return 1.0;
    };
    if form != Form::SingleWorkItem {
        // Work-items mix, so only what all of them read stays.
        let shared = !graph.depends_on(address, Sym::LocalId(0));
        let local = graph.values.get(&Sym::LocalSize(0)).copied().unwrap_or(1.0);
        return if shared { local } else { 1.0 };
    }
    let written = graph.arrays[access.array].written;
    let (mut saved, mut touched) = (1.0, access.bytes as f64);
    for region in graph.ancestors(access.region).filter(|at| *at != 0) {
        let counter = Sym::Iter(region);
        let moves = graph.depends_on(address, counter);
        let trips = graph.trips(region).max(1.0);
        if !moves && touched < cache_bytes && (!written || region == access.region) {
            saved *= trips;
        } else {
            let step = along(graph, access, counter).map_or(WORD, |s| s.unsigned_abs() as f64);
            touched = touched.max(trips * step.clamp(1.0, WORD));
        }
    }
    saved
}

/// Words of a cache at least: those of a memory block at its widest.
const CACHE_WORDS: f64 = 512.0;

/// Work-groups in a row that read the same words, outside of loops, where the unit's cache holds what a group reads: of the
/// weights of a convolution a DE5-Net reads 96 GB/s (`model/blind.yaml`, pipecnn).
fn alike(graph: &Graph, cache_bytes: f64, form: Form, access: &Access) -> f64 {
    let array = &graph.arrays[access.array];
    let may_be = form != Form::SingleWorkItem
        && access.region == 0
        && !(access.is_store || access.is_atomic || access.indirect)
        && !(array.written || array.volatile);
    let Some(address) = access.address.as_ref().filter(|_| may_be) else {
        return 1.0;
    };
    let value = |sym: Sym| graph.values.get(&sym).copied().unwrap_or(1.0);
    let depends = |sym: Sym| graph.depends_on(address, sym);
    let items: f64 = (0..3).map(|dim| value(Sym::LocalSize(dim))).product();
    let holds = cache_bytes.max(CACHE_WORDS * access.bytes as f64);
    let differ = (0..3).any(|dim| depends(Sym::LocalId(dim)));
    if !differ || items * access.bytes as f64 > holds {
        return 1.0;
    }
    let same = (0..3).take_while(|dim| !depends(Sym::GroupId(*dim)));
    same.map(|dim| value(Sym::NumGroups(dim))).product()
}

fn kind(
    graph: &Graph,
    form: Form,
    access: &Access,
    stride: Option<i128>,
    bytes: u64,
    repeats: bool,
) -> LsuKind {
    let array = &graph.arrays[access.array];
    if access.is_atomic {
        return LsuKind::Atomic;
    }
    if array.memory == MemoryKind::Constant {
        return LsuKind::Constant;
    }
    let address = access.address.as_ref();
    let is_aligned = address.is_none_or(|address| is_aligned(graph, form, address, bytes));
    let is_single = form == Form::SingleWorkItem;
    let written = graph.arrays[access.array].written;
    let forward = stride.is_some_and(|s| s > 0 && s <= WORD as i128) && !access.indirect;
    let counter = Sym::Iter(access.region);
    let is_even =
        address.is_some_and(|address| !graph.depends_on(&address.without(counter), counter));
    if !access.is_store && is_single && forward && is_even && !written && !array.volatile {
        return LsuKind::Prefetching;
    }
    let by_data = access.region != 0 && (access.indirect || is_computed(graph, access));
    if !access.is_store && (repeats || by_data) && may_be_cached(graph, array) {
        return LsuKind::BurstCached;
    }
    match is_aligned {
        true => LsuKind::BurstCoalesced,
        false => LsuKind::BurstNonAligned,
    }
}

/// Whether a unit that reads an array may have a cache: nothing writes it, and by its own pointer. Of a convolution on a DE10-Nano
/// without `restrict` on what it reads, a unit more takes 28 memory blocks, and a cache has 52 (`model/blind.yaml`, squeezenet).
fn may_be_cached(graph: &Graph, array: &Array) -> bool {
    let is_alike = |other: &Array| {
        other.written && other.memory == array.memory && other.element == array.element
    };
    let is_known = array.is_restrict || !graph.arrays.iter().any(is_alike);
    !array.written && !array.volatile && is_known
}

/// Whether an address comes of a variable that each iteration makes anew in no way that is followed, such as of what it has
/// read: "data-dependent" accesses have a cache (Best Practices Guide, section 3.6.2).
fn is_computed(graph: &Graph, access: &Access) -> bool {
    let symbols = access.address.iter().flat_map(Poly::symbols);
    symbols.into_iter().any(|sym| match sym {
        Sym::Opaque(number) if number < graph.made.len() => {
            let counter = Sym::Iter(access.region);
            graph.made[number].is_none() && graph.depends[number].contains(&counter)
        }
        _ => false,
    })
}

/// Whether no access crosses the end of a word of external memory ("nonaligned", Best Practices Guide,
/// section 3.6.2): its width is a power of two, and every address a multiple of that. Buffers start at
/// multiples of a word: OpenCL lets them, and parts of them, start at multiples of
/// `CL_DEVICE_MEM_BASE_ADDR_ALIGN`, 64 bytes at least, only.
fn is_aligned(graph: &Graph, form: Form, address: &Poly, bytes: u64) -> bool {
    let step = (bytes as i128).min(WORD as i128);
    let lanes = match form {
        Form::NdRange { simd, .. } => simd as i128,
        Form::SingleWorkItem => 1,
    };
    // Lanes take as many work-items in turn, and are a part of the group.
    let factor = |sym: &Sym| match sym {
        Sym::LocalId(0) => lanes,
        Sym::LocalSize(dim) => {
            let known = graph.values.get(&Sym::LocalSize(*dim)).copied();
            known.map_or(1, |size| size as i128)
        }
        _ => 1,
    };
    let is_multiple = |(symbols, by): (&[Sym], i128)| {
        let by: i128 = symbols.iter().map(factor).product::<i128>() * by;
        by % step == 0
    };
    bytes.is_power_of_two() && address.terms().all(is_multiple)
}

/// Bytes of the access that the areas in a family's file are of.
const LEAST_BYTES: u64 = 4;

impl Lsu {
    /// What the unit takes of the device.
    pub fn area(&self, board: &Board) -> Resources {
        let units = &board.family().memory_units;
        let more = self.report.bytes_wide.saturating_sub(LEAST_BYTES) as f64;
        let one = match (self.report.kind, self.report.is_store) {
            (LsuKind::Atomic, _) => units.atomic,
            (_, true) => units.burst_store.plus(units.burst_store_per_byte, more),
            (LsuKind::Constant, _) => units.constant_load,
            (LsuKind::Prefetching, _) => {
                units.prefetching_load.plus(units.burst_load_per_byte, more)
            }
            (LsuKind::BurstCached, _) => units.cached_load.plus(units.burst_load_per_byte, more),
            _ => units.burst_load.plus(units.burst_load_per_byte, more),
        };
        let cache = Resources {
            ram: (self.constant_cache / constant_memory::LEAST) as f64,
            ..Resources::default()
        };
        Resources::default()
            .plus(one, self.copies)
            .plus(cache, self.copies)
    }
}
