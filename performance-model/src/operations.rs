//! The operations of a kernel by their positions, for reports: what each takes of the device, and how long it takes.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::Function;
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::loops;

use super::area::{self, on_chip};
use super::board::{Board, Resources};
use super::graph::{Graph, NodeId, Op};
use super::lsu::Lsu;
use super::prediction::Operation;

/// Operations of one kind at one position.
type At = (Option<Span>, &'static str);

/// All operations that cost anything, `copies` times each unit of external memory and `simd` times `copies` all else, and
/// which nodes are among them; `latency` is that of a node in cycles. Arrays on the chip and what every kernel takes stand
/// at no position, so these do not sum up to the kernel's area.
pub fn of(
    graph: &Graph,
    board: &Board,
    lsus: &[Lsu],
    (simd, copies): (f64, f64),
    latency: impl Fn(NodeId) -> f64,
) -> (Vec<Operation>, Vec<bool>) {
    let mut is_one = vec![false; graph.nodes.len()];
    let mut found: BTreeMap<At, Operation> = BTreeMap::new();
    let mut add = |span, what, area: Resources, times: f64, latency: f64| {
        let new = || Operation {
            span,
            what,
            count: 0,
            area: Resources::default(),
            latency: 0.0,
        };
        let one = found.entry((span, what)).or_insert_with(new);
        one.count += 1;
        one.area = one.area.plus(area, times);
        one.latency = one.latency.max(latency);
    };
    let fused: BTreeSet<NodeId> = area::fused(graph, board).into_iter().collect();
    for (id, node) in graph.nodes.iter().enumerate() {
        let what = match node.op {
            Op::Phi | Op::Loop(_) => continue,
            Op::Load(_) => "load",
            Op::Store(_) => "store",
            Op::Atomic(_) => "atomic operation",
            _ => node.what,
        };
        let mut own = area::of_node(graph, board, node);
        if let Some(own) = own.as_mut().filter(|_| fused.contains(&id)) {
            own.dsp -= 1.0;
        }
        let cycles = latency(id);
        if own.is_some() || cycles > 0.0 {
            is_one[id] = true;
            add(
                node.span,
                what,
                own.unwrap_or_default(),
                simd * copies,
                cycles,
            );
        }
    }
    for lsu in lsus {
        let what = match lsu.report.is_store {
            true => "unit that stores",
            false => "unit that loads",
        };
        add(lsu.report.span, what, lsu.area(board), copies, 0.0);
    }
    for region in graph.regions.iter().skip(1) {
        add(
            region.span,
            "loop control",
            area::of_loop(region),
            copies,
            0.0,
        );
    }
    let arrays = (0..graph.arrays.len()).filter(|array| on_chip(graph, *array));
    for array in arrays {
        let area = area::of_array(graph, array, simd);
        add(None, "memory on the chip", area, copies, 0.0);
    }
    (found.into_values().collect(), is_one)
}

/// Of each loop of a kernel's text the part of all these nodes that stand in it, with all copies of them.
pub fn parts_in_loops(graph: &Graph, function: &Function, is_one: &[bool]) -> Vec<f64> {
    let count = |nodes: &[bool]| nodes.iter().filter(|is_one| **is_one).count();
    let mut of_places: BTreeMap<usize, usize> = BTreeMap::new();
    for (place, nodes) in &graph.of_loops {
        *of_places.entry(*place).or_default() += count(&is_one[nodes.clone()]);
    }
    let all = count(is_one).max(1) as f64;
    let mut parts = Vec::new();
    if let Some(body) = &function.body {
        loops::for_each(body, &mut |_, stmt| {
            let place = std::ptr::from_ref(stmt) as usize;
            parts.push(
                of_places
                    .get(&place)
                    .map_or(0.0, |count| *count as f64 / all),
            );
        });
    }
    parts
}
