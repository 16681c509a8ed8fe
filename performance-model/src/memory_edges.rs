//! The edges of a loop's graph that memory makes: accesses that wait for accesses, and when a load sees what
//! was stored.

use std::collections::BTreeMap;

use petgraph::graph::NodeIndex;

use super::edges::{Dependences, Edge, Kind, Node, Wait};
use super::graph::{Access, MemoryKind, NodeId, RegionId};
use super::hubs::{Does, Hubs, Weight};
use super::ordering::Order;
use super::timing::{LOCAL_PORTS, Timer, Timing};

impl Timer<'_> {
    /// The dependences between accesses.
    pub(super) fn memory(
        &self,
        region: RegionId,
        inner: &BTreeMap<RegionId, Timing>,
        all: &mut Dependences,
    ) {
        // The stores of loops inside, apart from all else that those loops do.
        let mut stores: BTreeMap<NodeId, NodeIndex> = BTreeMap::new();
        let mut hubs = Hubs::default();
        let mut regions = self.graph.regions.iter();
        let has_short = regions.any(|inside| inside.varies_in.contains(&region));
        let orders = self.orders[region].iter();
        for order in orders.filter(|order| !has_short || !self.is_short(region, order)) {
            let (from, to) = order.ends;
            let ends = [from, to].map(|end| self.index(region, end));
            let [Some(source), Some(target)] = ends else {
                continue;
            };
            let mut stores_of = |carrier: NodeId, access: usize| {
                let is_apart = order.stores && self.stores_are_apart(region, access);
                is_apart.then(|| {
                    *stores
                        .entry(carrier)
                        .or_insert_with(|| all.add_node(Node::Operation(carrier)))
                })
            };
            let ends = (stores_of(from, order.earlier), stores_of(to, order.later));
            let (latency, access) = self.ordered_after(region, order, inner);
            let distance = order.distance();
            if ends == (None, None) && !order.copy {
                let does = |node, access| Does { node, access };
                let weight = Weight {
                    latency,
                    access,
                    distance,
                };
                let (earlier, later) = (does(source, order.earlier), does(target, order.later));
                hubs.add(weight, earlier, later);
                continue;
            }
            let edge = Edge {
                latency,
                access,
                distance,
                crosses: false,
                kind: match order.copy {
                    true => Kind::Copy(self.graph.accesses[order.later].array),
                    false => Kind::Memory {
                        earlier: order.earlier,
                        later: order.later,
                    },
                },
            };
            let target = ends.1.unwrap_or(target);
            if let Some(stores) = ends.0 {
                let (latency, access) = self.stores_take(region, order, inner);
                let edge = Edge {
                    latency,
                    access,
                    ..edge.clone()
                };
                all.add_edge(stores, target, edge);
            }
            all.add_edge(source, target, edge);
        }
        hubs.connect(all);
    }

    /// Whether an access is a store in a loop inside, and nothing in that loop waits for what it stores to
    /// external memory. Such stores wait for others without that the loop's loads and operations do: "aoc
    /// defers a memory operation", not the loop that it is in.
    fn stores_are_apart(&self, region: RegionId, access: usize) -> bool {
        let own = self.graph.accesses[access].region;
        let inside = self.graph.ancestors(own).take_while(|at| *at != region);
        inside.last().is_some_and(|at| !self.reads_back[at])
    }

    /// Cycles from the start of the first store of a loop inside until the last is done.
    fn stores_take(
        &self,
        region: RegionId,
        order: &Order,
        inner: &BTreeMap<RegionId, Timing>,
    ) -> (f64, Wait) {
        let [a, b] = [order.earlier, order.later].map(|at| &self.graph.accesses[at]);
        let levels = self
            .graph
            .ancestors(a.region)
            .take_while(|at| *at != region);
        let started = levels
            .filter(|at| !self.graph.regions[*at].joined)
            .map(|at| (inner[&at].total - inner[&at].latency) * self.graph.regions[at].share);
        let (always, access) = self.wait(a, b, self.store_latency(a, b));
        (started.sum::<f64>() + always, access)
    }

    /// Cycles that the later of two accesses waits for the earlier one.
    fn ordered_after(
        &self,
        region: RegionId,
        order: &Order,
        inner: &BTreeMap<RegionId, Timing>,
    ) -> (f64, Wait) {
        let [a, b] = [order.earlier, order.later].map(|at| &self.graph.accesses[at]);
        if self.graph.nodes[a.node].idle || self.graph.nodes[b.node].idle {
            return (0.0, Wait::default());
        }
        let (carrier, _) = order.ends;
        match (a.region == region, a.is_store) {
            (false, _) => (self.latency(carrier, inner), Wait::default()),
            (true, true) => self.wait(a, b, self.store_latency(a, b)),
            (true, false) => self.wait(a, b, self.latency(carrier, inner)),
        }
    }

    /// Cycles until a load may see what was stored.
    pub(super) fn store_latency(&self, store: &Access, load: &Access) -> f64 {
        if self.graph.arrays[store.array].memory != MemoryKind::OnChip {
            let wait = if load.indirect {
                0.0
            } else {
                self.latencies.wait
            };
            return self.latencies.store + wait;
        }
        self.on_chip.get(&store.node).copied().unwrap_or(0.0)
    }

    /// The latencies of all stores to on-chip memory.
    pub(super) fn on_chip_stores(&self) -> BTreeMap<NodeId, f64> {
        let units = &self.board.family().memory_units;
        let arrays = 0..self.graph.arrays.len();
        let contended: Vec<bool> = arrays
            .map(|array| self.local_stores(array) >= LOCAL_PORTS)
            .collect();
        let mut forwarded: BTreeMap<(usize, RegionId), bool> = BTreeMap::new();
        let mut latency = |store: &Access| {
            let known = forwarded.entry((store.array, store.region));
            if *known.or_insert_with(|| self.is_forwarded(store)) {
                return units.forwarded_latency - units.local_load_latency;
            }
            let wait = match contended[store.array] {
                true => units.arbitration_wait,
                false => 0.0,
            };
            units.local_store_latency + wait
        };
        let stores = self.graph.accesses.iter().filter(|a| a.is_store);
        let on_chip = stores.filter(|a| self.graph.arrays[a.array].memory == MemoryKind::OnChip);
        on_chip.map(|store| (store.node, latency(store))).collect()
    }

    /// Whether a load gets a value on its way to memory: there is one load and one store, and the array
    /// has one copy. A pipelined loop around that gives it new contents in each iteration makes aoc
    /// keep several, for iterations that overlap, and the way through those is longer, unless the location of the
    /// load is known
    /// before anything is loaded (compaction, Boyi's SC).
    fn is_forwarded(&self, store: &Access) -> bool {
        let units = (self.units.iter().copied()).filter(|a| a.array == store.array);
        let (beside, around): (Vec<&Access>, Vec<_>) =
            units.partition(|a| a.region == store.region);
        let Some(parent) = self.graph.regions[store.region].parent else {
            return false;
        };
        let mut outer = self.graph.ancestors(parent).filter(|at| *at != 0);
        let renewed = outer.any(|at| {
            let copied = self.graph.regions[at].unroll > 1;
            !copied
                && around
                    .iter()
                    .any(|a| a.is_store && self.graph.is_within(a.region, at))
        });
        let is_indirect = beside.iter().any(|a| !a.is_store && a.indirect);
        beside.len() == 2 && !(renewed && is_indirect)
    }

    /// Units that store to an array.
    fn local_stores(&self, array: usize) -> usize {
        let stores = self.units.iter();
        stores.filter(|a| a.array == array && a.is_store).count()
    }
}
