//! A number for each operation of one region: what maps do, without their cost.

use super::graph::{Graph, NodeId, RegionId};

/// Where each operation of a kernel stands among those of its region.
#[derive(Debug)]
pub(super) struct Positions(Vec<usize>);

impl Positions {
    /// Of a kernel's operations.
    pub fn of(graph: &Graph) -> Self {
        let mut counts = vec![0; graph.regions.len()];
        let next = graph.nodes.iter().map(|node| {
            let count: &mut usize = &mut counts[node.region];
            *count += 1;
            *count - 1
        });
        Positions(next.collect())
    }

    /// The position of an operation among those of a region; `None`: it is not one of them.
    pub fn within(&self, graph: &Graph, region: RegionId, id: NodeId) -> Option<usize> {
        (graph.nodes[id].region == region).then(|| self.0[id])
    }
}

/// Numbers of a region's operations.
pub(super) struct NodeMap<'a> {
    graph: &'a Graph,
    positions: &'a Positions,
    region: RegionId,
    values: Vec<Option<f64>>,
}

impl<'a> NodeMap<'a> {
    /// An empty one, for so many operations.
    pub fn new(graph: &'a Graph, positions: &'a Positions, region: RegionId, nodes: usize) -> Self {
        NodeMap {
            graph,
            positions,
            region,
            values: vec![None; nodes],
        }
    }

    /// An operation's number, if it has one.
    pub fn get(&self, id: NodeId) -> Option<f64> {
        self.values[self.positions.within(self.graph, self.region, id)?]
    }

    /// Gives an operation of the region a number.
    pub fn insert(&mut self, id: NodeId, value: f64) {
        if let Some(at) = self.positions.within(self.graph, self.region, id) {
            self.values[at] = Some(value);
        }
    }
}
