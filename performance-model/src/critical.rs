//! The cycle of dependences that sets a loop's initiation interval: the largest ratio of latency to
//! distance (Lawler 1976, with the longest paths of Bellman and Ford).

use petgraph::graph::{EdgeIndex, EdgeReference};
use petgraph::visit::EdgeRef;

use super::edges::{Cycle, Dependences, Edge, Node, Parts};

/// Rounds of raising the interval: each finds a better cycle, and few are needed.
const MOST_ROUNDS: usize = 64;
/// Ratios and lengths that differ by less are the same.
const TOLERANCE: f64 = 1e-9;

/// An edge between nodes of a strongly connected part, by their indices there.
struct Inner {
    from: usize,
    to: usize,
    latency: f64,
    distance: f64,
    edge: EdgeIndex,
}

/// The cycle of a strongly connected part with the largest ratio of latency to distance.
pub(super) fn critical_cycle(all: &Dependences, parts: &Parts, part: usize) -> Option<Cycle> {
    let edges = inner_edges(all, parts, part);
    if edges.is_empty() {
        return None;
    }
    // Lawler: raise the interval to that of a cycle that beats it until none does.
    let mut paths = Paths::of(parts.all[part].len());
    let mut interval = 0.0;
    let mut best = None;
    for _ in 0..MOST_ROUNDS {
        let Some(cycle) = paths.positive_cycle(all, &edges, interval) else {
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

/// The edges inside of a part, in the order of the program: what an iteration computes then is followed in one round.
fn inner_edges(all: &Dependences, parts: &Parts, part: usize) -> Vec<Inner> {
    let inner = |edge: EdgeReference<'_, Edge>| Inner {
        from: parts.index_in_part(edge.source()),
        to: parts.index_in_part(edge.target()),
        latency: edge.weight().latency,
        distance: edge.weight().distance,
        edge: edge.id(),
    };
    let mut nodes = parts.all[part].clone();
    nodes.sort_unstable_by_key(|node| match all[*node] {
        Node::Operation(_) => (*node, None),
        Node::Hub(after) => (after, Some(*node)),
    });
    let mut edges = Vec::new();
    for node in nodes {
        // The graph lists the last edge first.
        let start = edges.len();
        edges.extend(parts.edges_to(all, part, node).map(inner));
        edges[start..].reverse();
    }
    edges
}

/// The longest paths to the nodes of a part that are known.
struct Paths {
    length: Vec<f64>,
    /// The edge by which each comes, by its index among the edges.
    via: Vec<Option<usize>>,
    /// The round in which each became longer.
    grown: Vec<usize>,
    /// Of a search for a cycle, the walk that came to each node first; 0: none.
    seen: Vec<usize>,
}

impl Paths {
    fn of(nodes: usize) -> Self {
        Paths {
            length: vec![0.0; nodes],
            via: vec![None; nodes],
            grown: vec![0; nodes],
            seen: vec![0; nodes],
        }
    }

    /// A cycle whose latency exceeds `interval` times its distance: Bellman and Ford's rounds, until the
    /// longest paths to some nodes lead through each other.
    fn positive_cycle(
        &mut self,
        all: &Dependences,
        edges: &[Inner],
        interval: f64,
    ) -> Option<Cycle> {
        self.length.fill(0.0);
        self.via.fill(None);
        // In the first round all are new.
        self.grown.fill(1);
        for round in 1..=self.length.len() + 1 {
            let mut changed = false;
            for (at, inner) in edges.iter().enumerate() {
                // What did not become longer since the last round makes nothing longer.
                if self.grown[inner.from] + 1 < round {
                    continue;
                }
                let longer = self.length[inner.from] + inner.latency - interval * inner.distance;
                if longer > self.length[inner.to] + TOLERANCE {
                    self.length[inner.to] = longer;
                    self.via[inner.to] = Some(at);
                    self.grown[inner.to] = round;
                    changed = true;
                }
            }
            if !changed {
                return None;
            }
            if let Some(start) = self.on_a_cycle(edges) {
                return cycle_through(all, edges, &self.via, start);
            }
        }
        None
    }

    /// A node from which the edges lead back to it.
    fn on_a_cycle(&mut self, edges: &[Inner]) -> Option<usize> {
        self.seen.fill(0);
        for walk in 1..=self.via.len() {
            let mut at = walk - 1;
            while self.seen[at] == 0 {
                self.seen[at] = walk;
                let Some(edge) = self.via[at] else { break };
                at = edges[edge].from;
                if self.seen[at] == walk {
                    return Some(at);
                }
            }
        }
        None
    }
}

fn cycle_through(
    all: &Dependences,
    edges: &[Inner],
    via: &[Option<usize>],
    start: usize,
) -> Option<Cycle> {
    let mut cycle = Cycle {
        nodes: Vec::new(),
        latency: 0.0,
        distance: 0.0,
        crosses: false,
        kinds: Vec::new(),
    };
    let mut at = start;
    loop {
        let inner = &edges[via[at]?];
        let dependence = &all[inner.edge];
        let (from, _) = all.edge_endpoints(inner.edge)?;
        if let Node::Operation(id) = all[from] {
            cycle.nodes.push(id);
        }
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
