//! The graph while it is made. It grows, and only its newest part can be taken back: that of a loop that turns out to be
//! one of those that compilers unroll. Its copies take its place.

use std::ops::Deref;

use fpgacc_kernel_analysis::poly::Sym;

use crate::graph::{Access, Array, ArrayId, Graph, Node, NodeId, Region, RegionId};
use crate::prediction::{Assumed, Unpriced};

/// A graph that grows.
#[derive(Debug, Default)]
pub struct Builder {
    graph: Graph,
    /// The loops that were given one more value to wait for, in order.
    waits: Vec<NodeId>,
}

/// How much there was.
#[must_use]
#[derive(Debug)]
pub struct Mark {
    nodes: usize,
    accesses: usize,
    arrays: usize,
    regions: usize,
    assumed: usize,
    unpriced: usize,
    of_loops: usize,
    uses_channels: bool,
    waits: usize,
}

impl Deref for Builder {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.graph
    }
}

impl Builder {
    /// Adds an operation.
    pub fn add_node(&mut self, node: Node) -> NodeId {
        self.graph.nodes.push(node);
        self.graph.nodes.len() - 1
    }

    /// An operation, to be changed.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.graph.nodes[id]
    }

    /// Lets a loop wait for a value of a region around it.
    pub fn wait(&mut self, node: NodeId, input: NodeId) {
        let inputs = &mut self.graph.nodes[node].inputs;
        if !inputs.contains(&input) {
            inputs.push(input);
            self.waits.push(node);
        }
    }

    /// Adds a region; what it is a loop of does not know it yet.
    pub fn add_region(&mut self, region: Region) -> RegionId {
        self.graph.regions.push(region);
        self.graph.regions.len() - 1
    }

    /// Removes the region that was added last: nothing is in it.
    pub fn remove_region(&mut self) {
        self.graph.regions.pop();
    }

    /// A region, to be changed.
    pub fn region_mut(&mut self, id: RegionId) -> &mut Region {
        &mut self.graph.regions[id]
    }

    /// Adds an array.
    pub fn add_array(&mut self, array: Array) -> ArrayId {
        self.graph.arrays.push(array);
        self.graph.arrays.len() - 1
    }

    /// Adds a read or write of memory.
    pub fn add_access(&mut self, access: Access) {
        self.graph.accesses.push(access);
    }

    /// Notes what the write that was added last writes.
    pub fn set_written(&mut self, value: Option<NodeId>) {
        if let Some(access) = self.graph.accesses.last_mut() {
            access.value = value;
        }
    }

    /// Gives a symbol a value.
    pub fn set_value(&mut self, sym: Sym, value: f64) {
        self.graph.values.insert(sym, value);
    }

    /// Notes what is assumed.
    pub fn assume(&mut self, assumed: Assumed) {
        self.graph.assumed.push(assumed);
    }

    /// Notes an operation that the model knows nothing of.
    pub fn unpriced(&mut self, operation: Unpriced) {
        self.graph.unpriced.push(operation);
    }

    /// Notes that a loop made all nodes since there were so many; where its statement lies.
    pub fn made_by(&mut self, place: usize, since: NodeId) {
        let nodes = since..self.graph.nodes.len();
        self.graph.of_loops.push((place, nodes));
    }

    /// Notes that there are channels.
    pub fn uses_channels(&mut self) {
        self.graph.uses_channels = true;
    }

    /// Notes how much there is.
    pub fn mark(&self) -> Mark {
        let graph = &self.graph;
        Mark {
            nodes: graph.nodes.len(),
            accesses: graph.accesses.len(),
            arrays: graph.arrays.len(),
            regions: graph.regions.len(),
            assumed: graph.assumed.len(),
            unpriced: graph.unpriced.len(),
            of_loops: graph.of_loops.len(),
            uses_channels: graph.uses_channels,
            waits: self.waits.len(),
        }
    }

    /// Takes all back that came since a mark: a loop without barriers.
    pub fn take_back(&mut self, since: Mark) {
        let graph = &mut self.graph;
        for node in self.waits.drain(since.waits..).rev() {
            graph.nodes[node].inputs.pop();
        }
        let added = graph.regions.get(since.regions);
        if let Some(parent) = added.and_then(|region| region.parent) {
            graph.regions[parent].loops.pop();
        }
        graph.nodes.truncate(since.nodes);
        graph.accesses.truncate(since.accesses);
        graph.arrays.truncate(since.arrays);
        graph.regions.truncate(since.regions);
        graph.assumed.truncate(since.assumed);
        graph.unpriced.truncate(since.unpriced);
        graph.of_loops.truncate(since.of_loops);
        graph.uses_channels = since.uses_channels;
    }

    /// The graph as it is.
    pub fn finish(self) -> Graph {
        self.graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Operator;
    use crate::graph::Op;

    fn node(op: Op, region: RegionId) -> Node {
        Node {
            op,
            operator: Operator::default(),
            inputs: Vec::new(),
            span: None,
            region,
            segment: 0,
            step: 0,
            idle: false,
            what: "",
        }
    }

    #[test]
    fn all_since_a_mark_is_taken_back() {
        let mut builder = Builder::default();
        let body = builder.add_region(Region::body());
        let before = builder.add_node(node(Op::Operator, body));
        let outer = builder.add_node(node(Op::Loop(1), body));
        builder.wait(outer, before);
        let text = format!("{builder:?}");
        let mark = builder.mark();
        let inner = builder.add_region(Region {
            parent: Some(body),
            ..Region::body()
        });
        builder.region_mut(body).loops.push(inner);
        let late = builder.add_node(node(Op::Operator, inner));
        builder.wait(outer, before);
        builder.wait(outer, late);
        builder.assume(Assumed {
            span: None,
            what: "nothing".to_string(),
            remedy: "",
        });
        builder.unpriced(Unpriced {
            span: None,
            name: "printf".to_string(),
            as_what: "nothing",
        });
        builder.made_by(1, late);
        builder.uses_channels();
        assert_eq!(builder.nodes[outer].inputs, [before, late]);
        builder.take_back(mark);
        assert_eq!(format!("{builder:?}"), text);
    }
}
