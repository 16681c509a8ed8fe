//! Loops that have a variable trip count in a loop around: whether those iterations overlap, and what
//! interval they then leave.

use std::collections::BTreeMap;

use super::graph::{MemoryKind, NodeId, RegionId};
use super::node_map::NodeMap;
use super::ordering::Order;
use super::prediction::Limit;
use super::timing::{ROUNDING, Timer, Timing};

impl Timer<'_> {
    /// The intervals that dependences of loops around demand of a loop that may run once only in one of their
    /// iterations: aoc gives its iterations the interval at which even then nothing comes too early ("triangular loop" in
    /// Intel's code samples).
    pub(super) fn short_entries(
        &self,
        region: RegionId,
        nodes: &[NodeId],
        inner: &BTreeMap<RegionId, Timing>,
    ) -> Vec<(f64, Limit)> {
        let around = self.graph.regions[region].varies_in.iter();
        let orders = around.flat_map(|around| {
            let orders = self.orders[*around].iter();
            orders.filter(|order| self.is_short(*around, order))
        });
        let mut ways: BTreeMap<NodeId, NodeMap<'_>> = BTreeMap::new();
        let mut intervals = Vec::new();
        for order in orders {
            let (store, load) = order.accesses(self.graph);
            if store.region != region {
                continue;
            }
            let ways = ways.entry(load.node);
            let ways = ways.or_insert_with(|| self.ways((region, nodes), load.node, inner));
            let computes = ways.get(store.node).unwrap_or(0.0);
            let latency = (computes + self.store_latency(store, load) + ROUNDING).floor();
            let distance = order.distance();
            let interval = ((latency + 1.0) / distance).ceil();
            let why = self.between_accesses(load, store, latency, distance);
            intervals.push((interval, why));
        }
        intervals
    }

    /// Whether a dependence of a loop is one of a loop inside whose interval provides for it. That is known of on-chip
    /// memory only; of external memory aoc's reports say that the loop inside must end first.
    pub(super) fn is_short(&self, around: RegionId, order: &Order) -> bool {
        let (store, load) = order.accesses(self.graph);
        let inside = &self.graph.regions[store.region];
        self.overlaps
            && self.graph.arrays[store.array].memory == MemoryKind::OnChip
            && store.region == load.region
            && store.is_store != load.is_store
            && inside.varies_in.contains(&around)
    }

    /// The cycles of the critical paths from an operation's start to those of operations that use it, in a loop.
    fn ways(
        &self,
        (region, nodes): (RegionId, &[NodeId]),
        from: NodeId,
        inner: &BTreeMap<RegionId, Timing>,
    ) -> NodeMap<'_> {
        let mut starts = NodeMap::new(&self.positions, region, nodes.len());
        starts.insert(from, 0.0);
        for id in nodes {
            let inputs = self.graph.nodes[*id].inputs.iter();
            let ends = inputs.filter_map(|input| {
                let start = starts.get(*input)?;
                Some(start + self.latency(*input, inner))
            });
            if let Some(start) = ends.reduce(f64::max) {
                starts.insert(*id, start);
            }
        }
        starts
    }

    /// The first loop inside in which an iteration could overtake the one before it. Of a loop without an end that carries nothing
    /// on no iteration is before another: "successive iterations are launched every cycle" around a loop of as many
    /// iterations as a channel says (aoc 16.0's reports of 24 such kernels in Xtra-Computing's HashjoinOnHARP and
    /// On-the-fly-data-shuffling).
    pub(super) fn overtakes(&self, region: RegionId) -> Option<RegionId> {
        if self.overlaps {
            return None;
        }
        let graph = self.graph;
        if graph.regions[region].is_endless && !self.carries(region) {
            return None;
        }
        let returns = graph.regions[region].returns;
        let mut inside = region + 1..graph.regions.len();
        inside.find(|at| {
            let (is_inside, inside) = (graph.is_within(*at, region), &graph.regions[*at]);
            // A loop that some iterations skip has none or all of its own.
            let varies = inside.varies_in.contains(&region) || inside.is_skipped;
            is_inside && (returns || varies)
        })
    }

    /// Whether an iteration of a loop uses what the one before it leaves.
    fn carries(&self, region: RegionId) -> bool {
        let carried = &self.graph.regions[region].carried;
        let is_carried = |input: &NodeId| carried.iter().any(|variable| variable.phi == *input);
        let mut nodes = self.graph.nodes_of(region);
        nodes.any(|id| self.graph.nodes[id].inputs.iter().any(is_carried))
    }
}
