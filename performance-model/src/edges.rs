//! What the operations of a loop wait for: the graph whose cycles set the initiation interval.

use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, EdgeIndex, EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;

use super::graph::{ArrayId, NodeId};

/// A dependence.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// Cycles, when [`settle`] has added those of accesses.
    pub latency: f64,
    /// Cycles of an access to external memory.
    pub access: Wait,
    pub distance: f64,
    /// Passes a loop that stands between the two.
    pub crosses: bool,
    pub kind: Kind,
}

/// What an access to external memory takes, and in which part of the iterations it happens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wait {
    pub cycles: f64,
    pub share: f64,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Value,
    Carried(String),
    /// The later access waits for the earlier one.
    Memory {
        earlier: usize,
        later: usize,
    },
    /// A copy of this array is free again.
    Copy(ArrayId),
    /// What waits for this access has its edge after this one's hub.
    Earlier(usize),
    /// This access waits for one whose edge comes before this one's hub.
    Later(usize),
}

/// A cycle of dependences.
pub(super) struct Cycle {
    pub nodes: Vec<NodeId>,
    pub latency: f64,
    pub distance: f64,
    pub crosses: bool,
    pub kinds: Vec<Kind>,
}

impl Cycle {
    /// The first two accesses of it of which one waits for the other: the earlier one, and the later one.
    pub fn accesses(&self) -> Option<[usize; 2]> {
        // A cycle is followed backwards, and may start at a hub.
        let twice = self.kinds.iter().chain(&self.kinds);
        let mut waits = None;
        for kind in twice {
            match *kind {
                Kind::Memory { earlier, later } => return Some([earlier, later]),
                Kind::Later(later) => waits = Some(later),
                Kind::Earlier(earlier) => {
                    if let Some(later) = waits {
                        return Some([earlier, later]);
                    }
                }
                _ => (),
            }
        }
        None
    }
}

/// What waits, and is waited for.
#[derive(Clone, Copy)]
pub(super) enum Node {
    Operation(NodeId),
    /// See [`super::hubs`]; it stands after this node in the order of the program.
    Hub(NodeIndex),
}

/// Operations and what each waits for.
pub(super) type Dependences = DiGraph<Node, Edge>;

/// Strongly connected parts of a graph: only they have cycles.
pub(super) struct Parts {
    /// The nodes of each.
    pub all: Vec<Vec<NodeIndex>>,
    /// Of each node, its part and its index there.
    indices: Vec<(usize, usize)>,
}

impl Parts {
    /// Of a graph.
    pub fn of(graph: &Dependences) -> Self {
        let all = kosaraju_scc(graph);
        let mut indices = vec![(0, 0); graph.node_count()];
        for (part, nodes) in all.iter().enumerate() {
            for (index_in_part, node) in nodes.iter().enumerate() {
                indices[node.index()] = (part, index_in_part);
            }
        }
        Parts { all, indices }
    }

    /// The index of a node in its part.
    pub fn index_in_part(&self, node: NodeIndex) -> usize {
        self.indices[node.index()].1
    }

    /// The edges inside of a part that lead to one of its nodes, the last one first.
    pub fn edges_to<'a>(
        &'a self,
        graph: &'a Dependences,
        part: usize,
        node: NodeIndex,
    ) -> impl Iterator<Item = EdgeReference<'a, Edge>> {
        let edges = graph.edges_directed(node, Direction::Incoming);
        edges.filter(move |edge| self.indices[edge.source().index()].0 == part)
    }

    /// The edges inside of a part.
    pub fn edges<'a>(
        &'a self,
        graph: &'a Dependences,
        part: usize,
    ) -> impl Iterator<Item = EdgeReference<'a, Edge>> {
        let edges = self.all[part].iter().flat_map(|node| graph.edges(*node));
        edges.filter(move |edge| self.indices[edge.target().index()].0 == part)
    }
}

/// Adds what accesses take to the edges of a strongly connected part, on average over the iterations: one that
/// needs what an earlier one did goes through all of them at the pace that was scheduled, and others do not wait.
pub(super) fn settle(all: &mut Dependences, parts: &Parts, part: usize) {
    let edges: Vec<EdgeIndex> = parts.edges(all, part).map(|edge| edge.id()).collect();
    // What is stored in one iteration and needed in a later one.
    let crosses = |edge: &&EdgeIndex| all[**edge].distance > 0.0;
    let is_any = edges
        .iter()
        .any(|edge| crosses(&edge) && all[*edge].access.share > 0.0);
    let waits = edges.iter().filter(|edge| !is_any || crosses(edge));
    let share = waits
        .map(|edge| all[*edge].access.share)
        .fold(0.0, f64::max);
    for edge in edges {
        let wait = std::mem::take(&mut all[edge].access);
        all[edge].latency += wait.cycles * share;
    }
}
