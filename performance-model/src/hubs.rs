//! Accesses that wait for accesses, all of one kind for all of another: of a loop with many copies they are as many
//! as the square of the copies. A hub between those that are waited for and those that wait makes them as many as
//! there are accesses, and leaves all paths as long as they were.

use std::collections::BTreeMap;

use petgraph::graph::NodeIndex;

use super::edges::{Dependences, Edge, Kind, Node, Wait};

/// Fewer edges of one weight stay as they are.
const FEWEST: usize = 64;
/// So many chains of hubs are looked at for the one that a hub goes on.
const CHAINS: usize = 4;

/// What distinguishes edges that no hub can join.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Weight {
    pub latency: f64,
    pub access: Wait,
    pub distance: f64,
}

impl Weight {
    fn edge(self, kind: Kind) -> Edge {
        Edge {
            latency: self.latency,
            access: self.access,
            distance: self.distance,
            crosses: false,
            kind,
        }
    }
}

/// An access: the operation of the loop that does it, and its number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Does {
    pub node: NodeIndex,
    pub access: usize,
}

/// Edges of one weight: those that are waited for, in order, with those that wait for them, in order.
struct Group {
    weight: Weight,
    waits: Vec<(Does, Vec<Does>)>,
}

/// Edges between accesses, by what they weigh.
#[derive(Default)]
pub(super) struct Hubs(Vec<Group>);

impl Hubs {
    /// Takes in an edge, in the order of the earlier accesses and then of the later ones.
    pub fn add(&mut self, weight: Weight, earlier: Does, later: Does) {
        let at = self.0.iter().position(|group| group.weight == weight);
        let at = at.unwrap_or(self.0.len());
        if at == self.0.len() {
            let waits = Vec::new();
            self.0.push(Group { weight, waits });
        }
        let waits = &mut self.0[at].waits;
        match waits.last_mut().filter(|(last, _)| *last == earlier) {
            Some((_, all)) => all.push(later),
            None => waits.push((earlier, vec![later])),
        }
    }

    /// Adds all edges to the graph.
    pub fn connect(self, graph: &mut Dependences) {
        for Group { weight, waits } in self.0 {
            let edges: usize = waits.iter().map(|(_, all)| all.len()).sum();
            match edges < FEWEST {
                true => connect_each(graph, weight, &waits),
                false => connect_by_hubs(graph, weight, waits),
            }
        }
    }
}

fn connect_each(graph: &mut Dependences, weight: Weight, waits: &[(Does, Vec<Does>)]) {
    for (earlier, all) in waits {
        for later in all {
            let kind = Kind::Memory {
                earlier: earlier.access,
                later: later.access,
            };
            graph.add_edge(earlier.node, later.node, weight.edge(kind));
        }
    }
}

/// A hub, and what waits at it or at hubs after it.
struct Hub {
    node: NodeIndex,
    waits: Vec<usize>,
}

/// Adds edges through hubs: one for all accesses for which the same ones wait. Where those that wait for one access
/// are some of those that wait for another, as in the order of a text, the other's hub leads to the one's.
fn connect_by_hubs(graph: &mut Dependences, weight: Weight, waits: Vec<(Does, Vec<Does>)>) {
    let mut targets: BTreeMap<usize, NodeIndex> = BTreeMap::new();
    let mut sources: BTreeMap<Vec<usize>, Vec<Does>> = BTreeMap::new();
    for (earlier, all) in waits {
        let later = all.iter().map(|later| later.access).collect();
        let known = sources.entry(later).or_default();
        // What waits alike is the same.
        if known.is_empty() {
            targets.extend(all.iter().map(|later| (later.access, later.node)));
        }
        known.push(earlier);
    }
    let mut sets: Vec<_> = sources.into_iter().collect();
    sets.sort_by_key(|(later, _)| later.len());
    // The last hub of each chain has the most.
    let mut chains: Vec<Hub> = Vec::new();
    for (later, earlier) in sets {
        let last = earlier.iter().map(|one| one.node).max();
        let node = graph.add_node(Node::Hub(last.unwrap_or_default()));
        for one in earlier {
            graph.add_edge(one.node, node, weight.edge(Kind::Earlier(one.access)));
        }
        let free = |kind| Weight::default().edge(kind);
        let first = chains.len().saturating_sub(CHAINS);
        let chain = (first..chains.len()).find(|at| is_part(&chains[*at].waits, &later));
        let mut own = later.clone();
        if let Some(chain) = chain {
            let hub = chains.remove(chain);
            own.retain(|to| hub.waits.binary_search(to).is_err());
            graph.add_edge(node, hub.node, free(Kind::Value));
        }
        for to in own {
            graph.add_edge(node, targets[&to], free(Kind::Later(to)));
        }
        chains.push(Hub { node, waits: later });
    }
}

/// Whether all of some sorted numbers are among others.
fn is_part(some: &[usize], all: &[usize]) -> bool {
    let mut all = all.iter();
    some.len() <= all.len() && some.iter().all(|one| all.any(|other| other == one))
}
