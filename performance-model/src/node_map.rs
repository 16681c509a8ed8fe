//! A number for each operation of one region: what maps do, without their cost.

use super::graph::{Graph, NodeId, RegionId};

/// Of each operation of a kernel, its region and where it stands among the operations there.
#[derive(Debug)]
pub(super) struct Positions(Vec<(RegionId, usize)>);

impl Positions {
    /// Of a kernel's operations.
    pub fn of(graph: &Graph) -> Self {
        let mut counts = vec![0; graph.regions.len()];
        let next = graph.nodes.iter().map(|node| {
            let count: &mut usize = &mut counts[node.region];
            *count += 1;
            (node.region, *count - 1)
        });
        Positions(next.collect())
    }

    /// The position of an operation among those of a region; `None`: it is not one of them.
    pub fn within(&self, region: RegionId, id: NodeId) -> Option<usize> {
        let (own, at) = self.0[id];
        (own == region).then_some(at)
    }
}

/// Numbers of a region's operations.
pub(super) struct NodeMap<'a> {
    positions: &'a Positions,
    region: RegionId,
    values: Vec<Option<f64>>,
}

impl<'a> NodeMap<'a> {
    /// An empty one, for so many operations.
    pub fn new(positions: &'a Positions, region: RegionId, nodes: usize) -> Self {
        NodeMap {
            positions,
            region,
            values: vec![None; nodes],
        }
    }

    /// An operation's number, if it has one.
    pub fn get(&self, id: NodeId) -> Option<f64> {
        self.values[self.positions.within(self.region, id)?]
    }

    /// Gives an operation of the region a number.
    pub fn insert(&mut self, id: NodeId, value: f64) {
        if let Some(at) = self.positions.within(self.region, id) {
            self.values[at] = Some(value);
        }
    }
}
