//! The graph while it is made. It grows, and older parts of it change only through methods here that write down what
//! was there: all since a mark can be taken back at once.

use std::collections::BTreeMap;
use std::ops::Deref;

use fpgacc_kernel_analysis::poly::Sym;

use crate::graph::{Access, Array, ArrayId, Graph, Node, NodeId, Region, RegionId};

/// A graph, and what it was at each mark.
#[derive(Debug, Default)]
pub struct Builder {
    graph: Graph,
    /// From the outermost mark inwards.
    journals: Vec<Journal>,
}

/// A state that can be gone back to, until it is rolled back or kept; the last one first.
#[must_use]
#[derive(Debug)]
pub struct Mark(usize);

/// What the graph was at a mark: its length, and those of its older parts that have changed since.
#[derive(Debug)]
struct Journal {
    nodes: usize,
    accesses: usize,
    arrays: usize,
    regions: usize,
    assumed: usize,
    uses_channels: bool,
    old_nodes: BTreeMap<NodeId, Node>,
    old_regions: BTreeMap<RegionId, Region>,
    old_values: BTreeMap<Sym, Option<f64>>,
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
        if let Some(journal) = self.journals.last_mut()
            && id < journal.nodes
        {
            let old = || node.clone();
            journal.old_nodes.entry(id).or_insert_with(old);
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
        if let Some(journal) = self.journals.last_mut()
            && id < journal.regions
        {
            let old = || region.clone();
            journal.old_regions.entry(id).or_insert_with(old);
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

    /// Gives a symbol a value.
    pub fn set_value(&mut self, sym: Sym, value: f64) {
        let old = self.graph.values.insert(sym, value);
        if let Some(journal) = self.journals.last_mut() {
            journal.old_values.entry(sym).or_insert(old);
        }
    }

    /// Notes what is assumed.
    pub fn assume(&mut self, what: String) {
        self.graph.assumed.push(what);
    }

    /// Notes that there are channels.
    pub fn uses_channels(&mut self) {
        self.graph.uses_channels = true;
    }

    /// Marks the state as it is.
    pub fn mark(&mut self) -> Mark {
        let graph = &self.graph;
        self.journals.push(Journal {
            nodes: graph.nodes.len(),
            accesses: graph.accesses.len(),
            arrays: graph.arrays.len(),
            regions: graph.regions.len(),
            assumed: graph.assumed.len(),
            uses_channels: graph.uses_channels,
            old_nodes: BTreeMap::new(),
            old_regions: BTreeMap::new(),
            old_values: BTreeMap::new(),
        });
        Mark(self.journals.len())
    }

    /// Goes back to a mark.
    pub fn roll_back(&mut self, mark: Mark) {
        let journal = self.last(mark);
        let graph = &mut self.graph;
        graph.nodes.truncate(journal.nodes);
        graph.accesses.truncate(journal.accesses);
        graph.arrays.truncate(journal.arrays);
        graph.regions.truncate(journal.regions);
        graph.assumed.truncate(journal.assumed);
        graph.uses_channels = journal.uses_channels;
        for (id, node) in journal.old_nodes {
            graph.nodes[id] = node;
        }
        for (id, region) in journal.old_regions {
            graph.regions[id] = region;
        }
        for (sym, value) in journal.old_values {
            match value {
                Some(value) => graph.values.insert(sym, value),
                None => graph.values.remove(&sym),
            };
        }
    }

    /// Gives a mark up: what changed since stays.
    pub fn keep(&mut self, mark: Mark) {
        let journal = self.last(mark);
        let Some(outer) = self.journals.last_mut() else {
            return;
        };
        for (id, node) in journal.old_nodes {
            if id < outer.nodes {
                outer.old_nodes.entry(id).or_insert(node);
            }
        }
        for (id, region) in journal.old_regions {
            if id < outer.regions {
                outer.old_regions.entry(id).or_insert(region);
            }
        }
        for (sym, value) in journal.old_values {
            outer.old_values.entry(sym).or_insert(value);
        }
    }

    fn last(&mut self, mark: Mark) -> Journal {
        debug_assert_eq!(mark.0, self.journals.len(), "the last mark comes first");
        self.journals.pop().expect("a mark has a journal")
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
        builder.assume("nothing".to_string());
        builder.uses_channels();
        // What is kept since the inner mark still goes with the outer one.
        builder.keep(inner);
        assert_eq!(builder.regions[old].loops, [new]);
        assert_eq!(builder.values[&Sym::LocalSize(1)], 8.0);
        builder.roll_back(outer);
        assert_eq!(format!("{:?}", *builder), before);
    }
}
