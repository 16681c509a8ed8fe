//! The critical path through a region: what makes it longer than its operands, and what makes it shorter.

use std::collections::BTreeMap;

use super::graph::{Graph, NodeId, Op};
use super::node_map::NodeMap;

/// When the steps of a region start and end, between which branches lie.
#[derive(Default)]
pub(super) struct Steps(BTreeMap<usize, (f64, f64)>);

impl Steps {
    /// When those before a step are done.
    pub fn start(&mut self, step: usize) -> f64 {
        if let Some((start, _)) = self.0.get(&step) {
            return *start;
        }
        let before = self.0.range(..step).map(|(_, (_, end))| *end);
        let start = before.fold(0.0, f64::max);
        self.0.insert(step, (start, start));
        start
    }

    /// An operation of a step is done.
    pub fn ends(&mut self, step: usize, done: f64) {
        let (_, end) = self.0.entry(step).or_default();
        *end = end.max(done);
    }
}

/// Sums that may be reassociated: aoc makes a tree of a row of additions (`--fp-relaxed`, "balanced trees" in
/// Intel's guides).
pub(super) struct Sums<'a> {
    graph: &'a Graph,
    /// How often values are used. Empty: sums stay as they are.
    uses: BTreeMap<NodeId, usize>,
    /// Of each addition so far, its terms and when the last of them is there.
    terms: BTreeMap<NodeId, (f64, f64)>,
}

impl<'a> Sums<'a> {
    /// Of the operations of a region; `relaxed`: sums may be reassociated.
    pub fn new(graph: &'a Graph, nodes: &[NodeId], relaxed: bool) -> Self {
        let mut uses = BTreeMap::new();
        for &id in nodes.iter().filter(|_| relaxed) {
            for &input in &graph.nodes[id].inputs {
                *uses.entry(input).or_insert(0) += 1;
            }
        }
        let terms = BTreeMap::new();
        Sums { graph, uses, terms }
    }

    /// Of an addition that may be a part of a tree: when its last term is there, and the tree's depth.
    pub fn join(&mut self, id: NodeId, start: f64, ready: &NodeMap<'_>) -> Option<(f64, f64)> {
        let node = &self.graph.nodes[id];
        if node.op != Op::FloatAdd || self.uses.is_empty() {
            return None;
        }
        // Constants have no nodes, but are terms.
        let (mut count, mut last) = (2.0 - node.inputs.len() as f64, start);
        for input in &node.inputs {
            let inside = self.terms.get(input).filter(|_| self.uses[input] == 1);
            let one = (1.0, ready.get(*input).unwrap_or(start));
            let (terms, at) = inside.copied().unwrap_or(one);
            count += terms;
            last = last.max(at);
        }
        let count = f64::max(count, 2.0);
        self.terms.insert(id, (count, last));
        Some((last, count.log2().ceil()))
    }
}
