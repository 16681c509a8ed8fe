//! What a kernel takes of the device.

use super::board::{Board, Operator, Resources};
use super::graph::{ArrayId, Graph, MemoryKind, Node, NodeId, Op, Region};
use super::lsu::Lsu;

/// What a loop's control takes (published aoc reports, Arria 10).
const LOOP: Resources = Resources {
    alut: 400.0,
    ff: 700.0,
    ram: 2.0,
    dsp: 0.0,
};
/// What a loop that is one with the loop around takes: its counter is set back where it ends (a comparison and
/// a choice of 32 bits; a guess).
const JOINED: Resources = Resources {
    alut: 64.0,
    ff: 64.0,
    ram: 0.0,
    dsp: 0.0,
};
/// Bits of a memory block that aoc can use at once, and words of that width in it (M20K; Intel's device handbooks).
const BLOCK_BITS: f64 = 40.0;
pub const BLOCK_WORDS: f64 = 512.0;
/// Loads that one copy of an on-chip memory serves beside a store, clocked twice as fast (Intel's best practices guide).
const LOADS_PER_COPY: f64 = 3.0;
/// Bits of a shift register from which on it is in memory blocks: a guess.
const LEAST_SHIFTED: f64 = 4096.0;
/// Bytes of a word of an array that nothing accesses: a guess.
const UNUSED_WORD: u64 = 4;
/// No more copies of an on-chip memory than these: a guess.
const MOST_COPIES: f64 = 32.0;
/// Registers that a value takes for each cycle of an operator's latency: as wide as most values are, a guess.
const VALUE_BITS: f64 = 32.0;
/// Units for on-chip stores that an atomic operation is as large as: a guess.
const STORES_PER_ATOMIC: f64 = 4.0;

/// Work-items for each of which a pipeline keeps a private array that is in memory: those of a group of 256, the largest
/// that aoc provides for where the source names none. Spector's histograms have the same memory with groups of 2 and of 64.
const ITEMS: f64 = 256.0;

/// The area of one copy of a kernel's pipeline, `simd` work-items wide.
pub fn of(graph: &Graph, board: &Board, lsus: &[Lsu], simd: f64) -> Resources {
    let family = board.family();
    let mut sum = family.kernel_overhead;
    for node in &graph.nodes {
        if let Some(own) = of_node(graph, board, node) {
            sum = sum.plus(own, simd);
        }
    }
    sum.dsp -= fused(graph, board).len() as f64 * simd;
    for lsu in lsus {
        sum = sum.plus(lsu.area(board), 1.0);
    }
    for region in graph.regions.iter().skip(1) {
        sum = sum.plus(of_loop(region), 1.0);
    }
    for array in 0..graph.arrays.len() {
        sum = sum.plus(of_array(graph, array, simd), 1.0);
    }
    for bytes in &graph.shift_registers {
        sum.ram += shift_blocks(*bytes as f64 * 8.0) * simd;
    }
    sum
}

/// What an operation takes, one work-item wide; `None`: nothing.
pub fn of_node(graph: &Graph, board: &Board, node: &Node) -> Option<Resources> {
    let units = &board.family().memory_units;
    let is_on_chip = |access: usize| on_chip(graph, graph.accesses[access].array);
    let memory = match node.op {
        Op::Load(access) if is_on_chip(access) => units.local_load,
        Op::Store(access) if is_on_chip(access) => units.local_store,
        Op::Atomic(access) if is_on_chip(access) => {
            Resources::default().plus(units.local_store, STORES_PER_ATOMIC)
        }
        _ => Resources::default(),
    };
    // Values wait in registers for what they are used with.
    let delay = Resources {
        ff: VALUE_BITS * node.operator.latency,
        ..Resources::default()
    };
    let own = node.operator.resources().plus(delay, 1.0).plus(memory, 1.0);
    (own != Resources::default()).then_some(own)
}

/// What the control of a loop takes.
pub fn of_loop(region: &Region) -> Resources {
    if region.joined { JOINED } else { LOOP }
}

/// What an array takes: nothing, if it is in external memory.
pub fn of_array(graph: &Graph, array: ArrayId, simd: f64) -> Resources {
    Resources {
        ram: blocks(graph, array, simd),
        ..Resources::default()
    }
}

/// Whether an array is in memory on the chip.
pub fn on_chip(graph: &Graph, array: ArrayId) -> bool {
    graph.arrays[array].memory == MemoryKind::OnChip
}

/// Additions that share a multiplier block with a multiplication that they alone need: where blocks do
/// both in floating point, one multiplies and adds (Arria 10 Core Fabric Handbook, "multiply-add mode").
/// Matrix multiplications on a DE5a-Net take 520 blocks for 512 products and sums, k-means 136 for 64 of
/// differences (Boyi).
pub fn fused(graph: &Graph, board: &Board) -> Vec<NodeId> {
    let operators = &board.family().operators;
    let does_both = |operator: &Operator| operator.alut == 0.0 && operator.dsp == 1.0;
    if !does_both(&operators.float_add) || !does_both(&operators.float_multiply) {
        return Vec::new();
    }
    let mut uses = vec![0; graph.nodes.len()];
    let carried = graph.regions.iter().flat_map(|region| &region.carried);
    let carried = carried.filter_map(|carried| carried.next);
    let inputs = graph
        .nodes
        .iter()
        .flat_map(|node| node.inputs.iter().copied());
    for node in inputs.chain(carried) {
        uses[node] += 1;
    }
    let is_block = |node: &Node, what: &str| node.what == what && does_both(&node.operator);
    let product =
        |node: NodeId| uses[node] == 1 && is_block(&graph.nodes[node], "float multiplication");
    let sums =
        (0..graph.nodes.len()).filter(|node| is_block(&graph.nodes[*node], "float addition"));
    sums.filter(|sum| graph.nodes[*sum].inputs.iter().any(|input| product(*input)))
        .collect()
}

/// Memory blocks of a shift register: between places that are used, long ones are first-in-first-out memories
/// (Intel's best practices guide). Short ones are made of registers, which are not counted.
fn shift_blocks(bits: f64) -> f64 {
    match bits < LEAST_SHIFTED {
        true => 0.0,
        false => (bits / (BLOCK_BITS * BLOCK_WORDS)).ceil(),
    }
}

/// Memory blocks of an on-chip array.
fn blocks(graph: &Graph, array: ArrayId, simd: f64) -> f64 {
    let Some(bytes) = graph.arrays[array].bytes else {
        return 0.0;
    };
    if !on_chip(graph, array) {
        return 0.0;
    }
    let accesses: Vec<_> = graph.accesses.iter().filter(|a| a.array == array).collect();
    let word = accesses
        .iter()
        .map(|a| a.bytes)
        .max()
        .unwrap_or(UNUSED_WORD) as f64;
    let loads = accesses
        .iter()
        .filter(|a| !a.is_store || a.is_atomic)
        .count() as f64
        * simd;
    // Banks that the source asks for share the loads, of which those of one word of a bank are one.
    let shared = graph.arrays[array].banks.map_or(1.0, |banks| {
        banks.count as f64 * (banks.width as f64 / word).max(1.0)
    });
    let copies = (loads / shared / LOADS_PER_COPY).ceil();
    let copies = copies.clamp(1.0, MOST_COPIES);
    let wide = (word * 8.0 / BLOCK_BITS).ceil();
    let words = bytes as f64 / word;
    let words = match graph.arrays[array].by_item {
        true => words.log2().ceil().exp2() * ITEMS,
        false => words,
    };
    wide * (words / BLOCK_WORDS).ceil() * copies
}

/// Whether an area fits beside the board's interface.
pub fn fits(used: Resources, board: &Board) -> bool {
    let (device, interface) = (board.device, board.interface);
    used.alut + interface.alut <= device.alut
        && used.ff + interface.ff <= device.ff
        && used.ram + interface.ram <= device.ram
        && used.dsp + interface.dsp <= device.dsp
}
