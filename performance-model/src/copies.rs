//! For how many work-groups at a time the memory of a group's arrays has room.

use std::collections::{BTreeMap, BTreeSet};

use super::area::BLOCK_WORDS;
use super::graph::{ArrayId, Graph, MemoryKind};
use super::lsu::{bytes_of, constant_of, lane_stride, on_chip};

/// Copies of the arrays that a group shares that take no more memory blocks than one does.
///
/// Each group in the pipeline has private copies of its local memory, which lie below each other in the same memory blocks
/// (Best Practices Guide, 3.3, "Local Memory"): a bank of 64 words leaves room for 8 in a block of 512. The address in a
/// bank is a row of bits, so that each copy takes a power of two.
pub fn without_more_blocks(graph: &Graph, simd: f64) -> f64 {
    let wide = widths(graph, simd);
    let arrays = graph.arrays.iter().enumerate();
    let shared = arrays.filter(|(_, array)| array.memory == MemoryKind::OnChip && !array.by_item);
    let deep = shared.map(|(at, array)| {
        let bytes = array.bytes.unwrap_or(0) as f64;
        (bytes / wide.get(&at).unwrap_or(&bytes)).max(1.0)
    });
    let copies = deep.map(|words| BLOCK_WORDS / words.log2().ceil().exp2());
    copies.fold(BLOCK_WORDS, f64::min)
}

/// Bytes of all banks of an array that lie side by side: as many as the widest of its reads and writes move at a time.
fn widths(graph: &Graph, simd: f64) -> BTreeMap<ArrayId, f64> {
    let mut rows: BTreeMap<_, BTreeSet<i128>> = BTreeMap::new();
    for run in on_chip(graph) {
        let first = &graph.accesses[run[0]];
        let Some(address) = &first.address else {
            continue;
        };
        let bytes = bytes_of(graph, &run);
        let lanes = match lane_stride(graph, first) {
            Some(stride) if stride == i128::from(bytes) => simd,
            _ => 1.0,
        };
        let wide = bytes as f64 * lanes;
        let (rest, _) = address.split_constant();
        let key = (first.array, first.is_store, first.region, wide as u64, rest);
        rows.entry(key).or_default().insert(constant_of(first));
    }
    let mut widths = BTreeMap::new();
    for ((array, _, _, wide, _), starts) in rows {
        let most: &mut f64 = widths.entry(array).or_insert(1.0);
        *most = most.max((wide * banks(&starts)) as f64);
    }
    widths
}

/// Banks that serve accesses that start at these bytes at the same time: those at the same distance, a power of two, from
/// each other are in banks of their own; so are such rows of them, as many as a power of two, at such a distance (of a tile
/// that work-items of a quarter of its size store, each goes to its own: they differ in two bits, wherever they begin).
pub(super) fn banks(starts: &BTreeSet<i128>) -> u64 {
    let starts: Vec<i128> = starts.iter().copied().collect();
    match are_apart(&starts) {
        true => starts.len() as u64,
        false => 1,
    }
}

/// Whether starts, in order, are a row or rows of rows at such distances.
fn are_apart(starts: &[i128]) -> bool {
    let [first, second, ..] = starts else {
        return false;
    };
    let step = second - first;
    let is_row = |row: &[i128]| row.windows(2).all(|two| two[1] - two[0] == step);
    let row = starts
        .windows(2)
        .take_while(|two| two[1] - two[0] == step)
        .count()
        + 1;
    let heads: Vec<i128> = starts.iter().copied().step_by(row).collect();
    let is_alike = starts.len().is_multiple_of(row) && starts.chunks(row).all(is_row);
    let is_one = heads.len() == 1 || row.is_power_of_two() && are_apart(&heads);
    step.count_ones() == 1 && is_alike && is_one
}
