//! Locations that stay the same in a loop: aoc, as LLVM (promotion of memory to registers out of loops), keeps what they hold in
//! a register, loads it before the loop and stores it after. Measured: a sum in `out[i]` in external memory takes 1.01 cycles a
//! term (pc2/CustoNN2, Stratix 10, aoc 19.1; docs/model-evaluation.md), where each would wait for the store before it.

use fpgacc_kernel_analysis::alias::Aliases;

use super::board::Operator;
use super::forward::{forward, remove};
use super::graph::{Access, Carried, Graph, Node, NodeId, Op, RegionId};
use super::ordering::overlaps;

/// A location that a loop loads and stores, and nothing else in it may touch.
struct Kept {
    /// The load, by number.
    load: usize,
    /// The stores, in order.
    stores: Vec<usize>,
}

/// Passes stored values on to loads, and keeps locations that stay the same in registers, from the innermost loops outwards.
pub fn promote(aliases: &Aliases<'_>, graph: &mut Graph) {
    if !graph.accesses.iter().any(|access| access.is_store) {
        return;
    }
    let overlaps = overlaps(graph, aliases);
    forward(graph, &overlaps);
    let mut regions: Vec<RegionId> = (1..graph.regions.len()).collect();
    regions.sort_by_key(|region| std::cmp::Reverse(graph.depth(*region)));
    for region in regions {
        let mut found = false;
        while let Some(kept) = kept(graph, &overlaps, region) {
            keep(graph, region, &kept);
            found = true;
        }
        if found {
            forward(graph, &overlaps);
        }
    }
}

/// The first location that a loop can keep.
fn kept(graph: &Graph, overlaps: &[Vec<bool>], region: RegionId) -> Option<Kept> {
    let own = &graph.regions[region];
    let ends_early = own.is_left || own.returns || own.is_skipped;
    if ends_early || own.joined || own.levels > 1 || own.barriers > 0 {
        return None;
    }
    let loads = graph.accesses.iter().enumerate();
    let mut loads = loads.filter(|(_, at)| at.region == region && !at.is_store && !at.is_atomic);
    loads.find_map(|(load, _)| kept_by(graph, overlaps, load))
}

/// What is kept of a load, if its location stays the same, and all else in the loop that may touch it does so each time.
fn kept_by(graph: &Graph, overlaps: &[Vec<bool>], load: usize) -> Option<Kept> {
    let access = &graph.accesses[load];
    let address = access.address.as_ref()?;
    let region = access.region;
    let mut symbols = address.symbols().into_iter();
    let moves = symbols.any(|symbol| graph.moves_in(symbol, region));
    if moves || graph.arrays[access.array].volatile {
        return None;
    }
    let is_same = |other: &Access| {
        let apart = other.address.as_ref().map(|at| at.plus(address, -1));
        other.region == region
            && other.array == access.array
            && other.bytes == access.bytes
            && other.branch == graph.regions[region].branch
            && apart.and_then(|apart| apart.as_constant()) == Some(0)
    };
    let all = graph.accesses.iter().enumerate();
    let touching: Vec<(usize, &Access)> = all
        .filter(|(_, other)| {
            graph.is_within(other.region, region) && overlaps[other.array][access.array]
        })
        .filter(|(_, other)| other.is_store || other.is_atomic || other.array == access.array)
        .collect();
    let clear = touching
        .iter()
        .all(|(at, other)| is_same(other) && !other.is_atomic && (other.is_store || *at == load));
    let stores: Vec<usize> = touching
        .iter()
        .filter_map(|(at, other)| other.is_store.then_some(*at))
        .collect();
    (clear && stores.first().is_some_and(|first| *first > load)).then_some(Kept { load, stores })
}

/// Moves the load before the loop and the last store behind it; the others go.
fn keep(graph: &mut Graph, region: RegionId, kept: &Kept) {
    let (Some(&last), Some(around)) = (kept.stores.last(), graph.regions[region].node) else {
        return;
    };
    let phi = graph.accesses[kept.load].node;
    let carried = Carried {
        phi,
        next: graph.accesses[last].value,
        name: graph.arrays[graph.accesses[kept.load].array].name.clone(),
        // A sum in the innermost loop takes a cycle, as one from 0 does: what was there can be added at the end.
        starts_at_zero: graph.regions[region].loops.is_empty(),
        counts: false,
        is_free: false,
    };
    take_on(graph, region, &carried.name);
    graph.regions[region].carried.push(carried);
    let before = move_out(graph, region, kept.load, Vec::new(), 0);
    (graph.nodes[phi].op, graph.nodes[phi].operator) = (Op::Phi, Operator::default());
    graph.nodes[phi].inputs.clear();
    graph.nodes[around].inputs.push(before);
    for store in &kept.stores {
        let node = graph.accesses[*store].node;
        (graph.nodes[node].op, graph.nodes[node].operator) = (Op::Operator, Operator::default());
    }
    move_out(graph, region, last, vec![around], 1);
    graph.accesses[last].value = Some(around);
    remove(graph, &kept.stores[..kept.stores.len() - 1]);
}

/// Sums of loops inside that a loop carries on do not start anew: no accumulator makes them. Rows of 3 and 7 terms take 36 and 60
/// cycles where they are (pc2/CustoNN2), as additions that wait for each other do.
fn take_on(graph: &mut Graph, region: RegionId, name: &str) {
    let all = 0..graph.regions.len();
    let inside: Vec<RegionId> = all
        .filter(|at| *at != region && graph.is_within(*at, region))
        .collect();
    for at in inside {
        let sums = graph.regions[at].carried.iter_mut();
        for sum in sums.filter(|sum| sum.name == name) {
            sum.starts_at_zero = false;
        }
    }
}

/// Moves an access to the loop around, behind so many loops more than the loop is, and gives its node.
fn move_out(
    graph: &mut Graph,
    region: RegionId,
    access: usize,
    inputs: Vec<NodeId>,
    behind: usize,
) -> NodeId {
    let own = &graph.regions[region];
    let (branch, share, parent) = (own.branch, own.share, own.parent.unwrap_or(0));
    let at = own.node.map(|node| &graph.nodes[node]);
    let (segment, step) = at.map_or((0, 0), |node| (node.segment, node.step));
    let old = graph.accesses[access].node;
    let op = match graph.accesses[access].is_store {
        true => Op::Store(access),
        false => Op::Load(access),
    };
    let moved = graph.nodes.len();
    graph.nodes.push(Node {
        op,
        inputs,
        region: parent,
        segment: segment + behind,
        step,
        ..graph.nodes[old].clone()
    });
    let access = &mut graph.accesses[access];
    (access.node, access.region, access.branch, access.share) = (moved, parent, branch, share);
    moved
}
