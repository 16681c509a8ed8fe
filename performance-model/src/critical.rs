//! The cycle of dependences that sets a loop's initiation interval: the largest ratio of latency to
//! distance (Lawler 1976, with the longest paths of Bellman and Ford).

use std::collections::BTreeMap;

use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;

use super::edges::{Cycle, Dependences};

/// Rounds of raising the interval: each finds a better cycle, and few are needed.
const MOST_ROUNDS: usize = 64;
/// Ratios and lengths that differ by less are the same.
const TOLERANCE: f64 = 1e-9;

/// An edge between nodes of a strongly connected part, which are numbered from 0.
struct Inner {
    from: usize,
    to: usize,
    edge: EdgeIndex,
}

/// The cycle of a strongly connected part with the largest ratio of latency to distance.
pub(super) fn critical_cycle(all: &Dependences, part: &[NodeIndex]) -> Option<Cycle> {
    let edges = inner_edges(all, part);
    if edges.is_empty() {
        return None;
    }
    // Lawler: raise the interval to that of a cycle that beats it until none does.
    let mut interval = 0.0;
    let mut best = None;
    for _ in 0..MOST_ROUNDS {
        let Some(cycle) = positive_cycle(all, part.len(), &edges, interval) else {
            break;
        };
        if cycle.distance <= 0.0 {
            return None;
        }
        interval = cycle.latency / cycle.distance + TOLERANCE;
        best = Some(cycle);
    }
    best
}

/// The edges inside of a part, in the graph's order.
fn inner_edges(all: &Dependences, part: &[NodeIndex]) -> Vec<Inner> {
    let number: BTreeMap<NodeIndex, usize> = part.iter().copied().zip(0..).collect();
    let mut edges: Vec<Inner> = part
        .iter()
        .flat_map(|node| all.edges(*node))
        .filter_map(|edge| {
            Some(Inner {
                from: *number.get(&edge.source())?,
                to: *number.get(&edge.target())?,
                edge: edge.id(),
            })
        })
        .collect();
    edges.sort_unstable_by_key(|inner| inner.edge);
    edges
}

/// A cycle whose latency exceeds `interval` times its distance: Bellman and Ford's rounds, until the
/// longest paths to some nodes lead through each other.
fn positive_cycle(
    all: &Dependences,
    nodes: usize,
    edges: &[Inner],
    interval: f64,
) -> Option<Cycle> {
    let mut length = vec![0.0; nodes];
    let mut via: Vec<Option<&Inner>> = vec![None; nodes];
    for _ in 0..=nodes {
        let mut changed = false;
        for inner in edges {
            let dependence = &all[inner.edge];
            let longer = length[inner.from] + dependence.latency - interval * dependence.distance;
            if longer > length[inner.to] + TOLERANCE {
                length[inner.to] = longer;
                via[inner.to] = Some(inner);
                changed = true;
            }
        }
        if !changed {
            return None;
        }
        if let Some(start) = on_a_cycle(&via) {
            return cycle_through(all, &via, start);
        }
    }
    None
}

/// A node from which the edges lead back to it.
fn on_a_cycle(via: &[Option<&Inner>]) -> Option<usize> {
    // The walk that came to each node first; 0: none.
    let mut seen = vec![0; via.len()];
    for walk in 1..=via.len() {
        let mut at = walk - 1;
        while seen[at] == 0 {
            seen[at] = walk;
            let Some(inner) = via[at] else { break };
            at = inner.from;
            if seen[at] == walk {
                return Some(at);
            }
        }
    }
    None
}

fn cycle_through(all: &Dependences, via: &[Option<&Inner>], start: usize) -> Option<Cycle> {
    let mut cycle = Cycle {
        nodes: Vec::new(),
        latency: 0.0,
        distance: 0.0,
        crosses: false,
        kinds: Vec::new(),
    };
    let mut at = start;
    loop {
        let inner = via[at]?;
        let dependence = &all[inner.edge];
        let (from, _) = all.edge_endpoints(inner.edge)?;
        cycle.nodes.push(all[from]);
        cycle.latency += dependence.latency;
        cycle.distance += dependence.distance;
        cycle.crosses |= dependence.crosses;
        cycle.kinds.push(dependence.kind.clone());
        at = inner.from;
        if at == start {
            break;
        }
    }
    cycle.nodes.reverse();
    Some(cycle)
}
