//! The graph while it is made. It grows, and older parts of it change only through methods here that write down what
//! was there: all since a mark can be taken back at once.

use std::ops::Deref;

use fpgacc_kernel_analysis::poly::Sym;

use crate::graph::{Access, Array, ArrayId, Graph, Node, NodeId, Region, RegionId};
use crate::prediction::{Assumed, Unpriced};

/// A graph, and how to go back to what it was.
#[derive(Debug, Default)]
pub struct Builder {
    graph: Graph,
    /// From the outermost mark inwards.
    marks: Vec<Lengths>,
    /// What was there before each change of something older than a mark, from the first mark on.
    journal: Vec<Old>,
}

/// A state that can be gone back to, until it is rolled back or kept; the last one first.
#[must_use]
#[derive(Debug)]
pub struct Mark(usize);

/// How much there was at a mark.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    nodes: usize,
    accesses: usize,
    arrays: usize,
    regions: usize,
    assumed: usize,
    unpriced: usize,
    uses_channels: bool,
    journal: usize,
}

/// What was there.
#[derive(Debug)]
enum Old {
    Node(NodeId, Box<Node>),
    Region(RegionId, Box<Region>),
    Value(Sym, Option<f64>),
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
        let node = &mut self.graph.nodes[id];
        if self.marks.last().is_some_and(|mark| id < mark.nodes) {
            self.journal.push(Old::Node(id, Box::new(node.clone())));
        }
        node
    }

    /// Adds a region.
    pub fn add_region(&mut self, region: Region) -> RegionId {
        self.graph.regions.push(region);
        self.graph.regions.len() - 1
    }

    /// A region, to be changed.
    pub fn region_mut(&mut self, id: RegionId) -> &mut Region {
        let region = &mut self.graph.regions[id];
        if self.marks.last().is_some_and(|mark| id < mark.regions) {
            self.journal.push(Old::Region(id, Box::new(region.clone())));
        }
        region
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
        let old = self.graph.values.insert(sym, value);
        if !self.marks.is_empty() {
            self.journal.push(Old::Value(sym, old));
        }
    }

    /// Notes what is assumed.
    pub fn assume(&mut self, assumed: Assumed) {
        self.graph.assumed.push(assumed);
    }

    /// Notes an operation that the model knows nothing of.
    pub fn unpriced(&mut self, operation: Unpriced) {
        self.graph.unpriced.push(operation);
    }

    /// Notes that there are channels.
    pub fn uses_channels(&mut self) {
        self.graph.uses_channels = true;
    }

    /// Marks the state as it is.
    pub fn mark(&mut self) -> Mark {
        let graph = &self.graph;
        self.marks.push(Lengths {
            nodes: graph.nodes.len(),
            accesses: graph.accesses.len(),
            arrays: graph.arrays.len(),
            regions: graph.regions.len(),
            assumed: graph.assumed.len(),
            unpriced: graph.unpriced.len(),
            uses_channels: graph.uses_channels,
            journal: self.journal.len(),
        });
        Mark(self.marks.len())
    }

    /// Goes back to a mark.
    pub fn roll_back(&mut self, mark: Mark) {
        let to = self.last(mark);
        let graph = &mut self.graph;
        for old in self.journal.drain(to.journal..).rev() {
            match old {
                Old::Node(id, node) => graph.nodes[id] = *node,
                Old::Region(id, region) => graph.regions[id] = *region,
                Old::Value(sym, Some(value)) => drop(graph.values.insert(sym, value)),
                Old::Value(sym, None) => drop(graph.values.remove(&sym)),
            }
        }
        graph.nodes.truncate(to.nodes);
        graph.accesses.truncate(to.accesses);
        graph.arrays.truncate(to.arrays);
        graph.regions.truncate(to.regions);
        graph.assumed.truncate(to.assumed);
        graph.unpriced.truncate(to.unpriced);
        graph.uses_channels = to.uses_channels;
    }

    /// Gives a mark up: what changed since stays.
    pub fn keep(&mut self, mark: Mark) {
        self.last(mark);
        if self.marks.is_empty() {
            self.journal.clear();
        }
    }

    fn last(&mut self, mark: Mark) -> Lengths {
        debug_assert_eq!(mark.0, self.marks.len(), "the last mark comes first");
        self.marks.pop().expect("a mark has lengths")
    }

    /// The graph as it is.
    pub fn finish(self) -> Graph {
        self.graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_since_a_mark_is_taken_back() {
        let mut builder = Builder::default();
        let old = builder.add_region(Region::body());
        builder.set_value(Sym::LocalSize(0), 64.0);
        let before = format!("{:?}", *builder);
        let outer = builder.mark();
        builder.region_mut(old).barriers = 1;
        let inner = builder.mark();
        let new = builder.add_region(Region::body());
        builder.region_mut(old).loops.push(new);
        builder.set_value(Sym::LocalSize(0), 32.0);
        builder.set_value(Sym::LocalSize(1), 8.0);
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
        builder.uses_channels();
        // What is kept since the inner mark still goes with the outer one.
        builder.keep(inner);
        assert_eq!(builder.regions[old].loops, [new]);
        assert_eq!(builder.values[&Sym::LocalSize(1)], 8.0);
        builder.roll_back(outer);
        assert_eq!(format!("{:?}", *builder), before);
    }
}
