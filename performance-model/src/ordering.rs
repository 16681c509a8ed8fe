//! What accesses to memory wait for: the dependences between them, and when a load sees what was stored.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_kernel_analysis::alias::{Aliases, Roots};
use fpgacc_kernel_analysis::poly::Poly;
use petgraph::graph::NodeIndex;

use super::dependence::{Compared, distance};
use super::graph::{Access, Graph, NodeId, Place, RegionId};
use super::timing::{Dependences, Edge, Kind, LOCAL_PORTS, Timer, Timing, Wait};

/// Whether arrays may have bytes in common: for each, for each.
pub(super) fn overlaps(graph: &Graph, aliases: &Aliases<'_>) -> Vec<Vec<bool>> {
    let arrays = 0..graph.arrays.len();
    arrays
        .clone()
        .map(|x| {
            arrays
                .clone()
                .map(|y| may_alias(aliases, graph, x, y))
                .collect()
        })
        .collect()
}

/// Whether two arrays may have bytes in common.
pub(super) fn may_alias(aliases: &Aliases<'_>, graph: &Graph, x: usize, y: usize) -> bool {
    if x == y {
        return true;
    }
    let (a, b) = (&graph.arrays[x], &graph.arrays[y]);
    let external = a.place == b.place && a.place == Place::External;
    let differ = a.element.is_some() && b.element.is_some() && a.element != b.element;
    external && !differ && aliases.roots_meet(&Roots::from([a.root]), &Roots::from([b.root]))
}

/// Of each region, whether something in it, or in loops inside, waits for what is stored to external memory.
pub(super) fn read_back(graph: &Graph, orders: &[Vec<Order>]) -> Vec<bool> {
    let mut all = vec![false; graph.regions.len()];
    let waits = |order: &Order| {
        let [a, b] = [order.earlier, order.later].map(|at| &graph.accesses[at]);
        let on_chip = graph.arrays[a.array].place == Place::OnChip;
        !on_chip && a.is_store && !is_plain_store(b)
    };
    for (region, _) in orders
        .iter()
        .enumerate()
        .filter(|(_, o)| o.iter().any(waits))
    {
        graph.ancestors(region).for_each(|at| all[at] = true);
    }
    all
}

/// An access that waits for an earlier one in a loop.
pub struct Order {
    /// The earlier access.
    earlier: usize,
    /// The later one.
    later: usize,
    /// The loop's operations that do them: themselves, or loops that hold them.
    ends: (NodeId, NodeId),
    /// Iterations between them.
    distance: u64,
    /// Both are stores: of the later one, no more than that must wait.
    stores: bool,
    /// The later one wants the copy of the array that the earlier one uses.
    copy: bool,
}

impl Order {
    /// The one that stores and the one that loads, if one of each.
    pub(super) fn accesses<'g>(&self, graph: &'g Graph) -> (&'g Access, &'g Access) {
        let [a, b] = [self.earlier, self.later].map(|at| &graph.accesses[at]);
        match a.is_store {
            true => (a, b),
            false => (b, a),
        }
    }

    /// Iterations between the two.
    pub(super) fn distance(&self) -> f64 {
        self.distance as f64
    }
}

/// An access in a loop, with what comparing it with others takes.
struct Side<'a> {
    /// Its number.
    at: usize,
    access: &'a Access,
    /// The loop's operation that does it.
    carrier: NodeId,
    is_idle: bool,
    /// What of its address moves, and the constant.
    address: Option<(Poly, i128)>,
    compared: Compared<'a>,
}

/// What accesses in a loop wait for.
pub(super) fn orders(graph: &Graph, region: RegionId, overlaps: &[Vec<bool>]) -> Vec<Order> {
    let sides: Vec<Side<'_>> = (0..graph.accesses.len())
        .filter_map(|at| side(graph, region, at))
        .collect();
    let mut search = Search {
        graph,
        region,
        found: Vec::new(),
        known: BTreeSet::new(),
    };
    for x in &sides {
        for y in &sides {
            let (a, b) = (x.access, y.access);
            if (a.is_store || b.is_store) && overlaps[a.array][b.array] {
                search.compare(x, y);
            }
        }
    }
    search.found
}

/// An access, if it is in the loop.
fn side(graph: &Graph, region: RegionId, at: usize) -> Option<Side<'_>> {
    let access = &graph.accesses[at];
    if !graph.is_within(access.region, region) {
        return None;
    }
    let address = access.address.as_ref();
    Some(Side {
        at,
        access,
        carrier: carrier(graph, access, region),
        is_idle: graph.nodes[access.node].idle,
        address: address.map(Poly::split_constant),
        compared: Compared::new(graph, region, access),
    })
}

/// The search for what accesses of a loop wait for.
struct Search<'a> {
    graph: &'a Graph,
    region: RegionId,
    found: Vec<Order>,
    /// Loops inside wait for each other in one way, however many of their accesses do; except that what waits
    /// only for stores waits less, and for how long depends on the stores' loop.
    known: BTreeSet<(NodeId, NodeId, Option<RegionId>, u64)>,
}

impl Search<'_> {
    /// What must be kept in order between `x` and a later `y`.
    fn compare(&mut self, x: &Side<'_>, y: &Side<'_>) {
        let (a, b) = (x.access, y.access);
        let on_chip = self.graph.arrays[a.array].place == Place::OnChip;
        let is_flow = a.is_store && (!b.is_store || b.is_atomic);
        let copies = self.graph.arrays[a.array].copies;
        if let Some((_, copies)) = copies.filter(|(home, _)| *home == self.region)
            && b.is_store
        {
            return self.found.push(Order {
                copy: true,
                ..order(x, y, copies)
            });
        }
        // On-chip memory serves accesses in order, and aoc gives each outer iteration a copy of its own.
        // To external memory a store may overtake neither a load nor another store's unit.
        if !is_flow && (on_chip || x.at == y.at) {
            return;
        }
        // In the same iteration, in the order of the text. Of two stores in one body, the later one wins anyway.
        let later = x.at < y.at && x.carrier != y.carrier;
        let waits = a.is_store != b.is_store || a.region != b.region;
        if later && waits && meets_at_once(x, y) {
            self.add(x, y, 0);
        }
        let levels = self.graph.nest_around(self.region);
        let safe = levels.map(|at| self.safe_distance(at, a).max(self.safe_distance(at, b)));
        let safe = safe.min().unwrap_or(0);
        if safe == u64::MAX || self.is_known(x, y, safe.max(1)) {
            return;
        }
        // Where two pointers may overlap, nothing is known of where. Loops that are one step their counters by
        // comparisons: addresses are no longer linear.
        let is_linear = a.array == b.array && !self.graph.regions[self.region].joined;
        let distance = match is_linear {
            true => distance(self.graph, self.region, &x.compared, &y.compared),
            false => Some(1),
        };
        if let Some(distance) = distance {
            self.add(x, y, distance.max(safe));
        }
    }

    /// What tells loops inside apart that wait for each other; `None`: there is more to it.
    fn key(&self, x: &Side<'_>, y: &Side<'_>) -> Option<(NodeId, NodeId, Option<RegionId>)> {
        let is_inner = x.access.region != self.region && !x.is_idle && !y.is_idle;
        // An interval that provides for short entries provides for each pair.
        let own = x.access.region;
        if own == y.access.region && self.graph.regions[own].uneven.contains(&self.region) {
            return None;
        }
        let stores = are_stores(x, y).then_some(x.access.region);
        is_inner.then_some((x.carrier, y.carrier, stores))
    }

    /// Whether two loops inside are known to wait for each other after as few iterations, so that no more
    /// need be known.
    fn is_known(&self, x: &Side<'_>, y: &Side<'_>, distance: u64) -> bool {
        self.key(x, y).is_some_and(|(from, to, stores)| {
            let nearer = (from, to, stores, 1)..=(from, to, stores, distance);
            self.known.range(nearer).next().is_some()
        })
    }

    fn add(&mut self, x: &Side<'_>, y: &Side<'_>, distance: u64) {
        if let Some((from, to, stores)) = self.key(x, y)
            && !self.known.insert((from, to, stores, distance))
        {
            return;
        }
        self.found.push(order(x, y, distance));
    }

    /// Iterations of a loop for which the source says that there is no dependence on an array.
    fn safe_distance(&self, region: RegionId, access: &Access) -> u64 {
        let hints = &self.graph.regions[region].hints;
        let array = &self.graph.arrays[access.array].name;
        let own = hints.ivdep_arrays.get(array).copied();
        own.max(hints.ivdep).unwrap_or(0)
    }
}

impl Timer<'_> {
    /// The dependences between accesses.
    pub(super) fn memory(
        &self,
        region: RegionId,
        index: &BTreeMap<NodeId, NodeIndex>,
        inner: &BTreeMap<RegionId, Timing>,
        all: &mut Dependences,
    ) {
        // The stores of loops inside, apart from all else that those loops do.
        let mut stores: BTreeMap<NodeId, NodeIndex> = BTreeMap::new();
        let orders = self.orders[region].iter();
        for order in orders.filter(|order| !self.is_short(region, order)) {
            let (from, to) = order.ends;
            let (Some(&source), Some(&target)) = (index.get(&from), index.get(&to)) else {
                continue;
            };
            let mut stores_of = |carrier: NodeId, access: usize| {
                let is_apart = order.stores && self.stores_are_apart(region, access);
                is_apart.then(|| {
                    *stores
                        .entry(carrier)
                        .or_insert_with(|| all.add_node(carrier))
                })
            };
            let ends = (stores_of(from, order.earlier), stores_of(to, order.later));
            let (load, store) = match self.graph.accesses[order.earlier].is_store {
                true => (order.later, order.earlier),
                false => (order.earlier, order.later),
            };
            let (latency, access) = self.ordered_after(region, order, inner);
            let edge = Edge {
                latency,
                access,
                distance: order.distance as f64,
                crosses: false,
                kind: match order.copy {
                    true => Kind::Copy(self.graph.accesses[order.later].array),
                    false => Kind::Memory { load, store },
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
        if self.graph.arrays[store.array].place != Place::OnChip {
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
        let crowded: Vec<bool> = arrays
            .map(|array| self.local_stores(array) >= LOCAL_PORTS)
            .collect();
        let mut forwarded: BTreeMap<(usize, RegionId), bool> = BTreeMap::new();
        let mut latency = |store: &Access| {
            let known = forwarded.entry((store.array, store.region));
            if *known.or_insert_with(|| self.is_forwarded(store)) {
                return units.forwarded_latency - units.local_load_latency;
            }
            let wait = match crowded[store.array] {
                true => units.arbitration_wait,
                false => 0.0,
            };
            units.local_store_latency + wait
        };
        let stores = self.graph.accesses.iter().filter(|a| a.is_store);
        let on_chip = stores.filter(|a| self.graph.arrays[a.array].place == Place::OnChip);
        on_chip.map(|store| (store.node, latency(store))).collect()
    }

    /// Whether a load gets a value on its way to memory: there is one load and one store, and the array
    /// has one copy. A pipelined loop around that gives it new contents in each iteration makes aoc
    /// keep several, for iterations that overlap, and the way through those is longer.
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
        beside.len() == 2 && !renewed
    }

    /// Units that store to an array.
    fn local_stores(&self, array: usize) -> usize {
        let stores = self.units.iter();
        stores.filter(|a| a.array == array && a.is_store).count()
    }
}

/// A later access `y` after an earlier one `x`.
fn order(x: &Side<'_>, y: &Side<'_>, distance: u64) -> Order {
    Order {
        earlier: x.at,
        later: y.at,
        ends: (x.carrier, y.carrier),
        distance,
        stores: are_stores(x, y),
        copy: false,
    }
}

/// Whether both accesses only store.
fn are_stores(x: &Side<'_>, y: &Side<'_>) -> bool {
    is_plain_store(x.access) && is_plain_store(y.access)
}

/// Whether an access only stores.
fn is_plain_store(access: &Access) -> bool {
    access.is_store && !access.is_atomic
}

/// The node of a region that does an access: itself, or the loop that holds it.
fn carrier(graph: &Graph, access: &Access, region: RegionId) -> NodeId {
    let mut at = access.region;
    if at == region {
        return access.node;
    }
    while let Some(parent) = graph.regions[at].parent {
        if parent == region {
            break;
        }
        at = parent;
    }
    graph.regions[at].node.unwrap_or(access.node)
}

/// Whether two accesses of one iteration may touch the same bytes.
fn meets_at_once(x: &Side<'_>, y: &Side<'_>) -> bool {
    let (Some((a, from)), Some((b, to))) = (&x.address, &y.address) else {
        return true;
    };
    if x.access.array != y.access.array || a != b {
        return true;
    }
    let difference = to.saturating_sub(*from);
    let apart = difference.saturating_neg();
    difference < i128::from(x.access.bytes) && apart < i128::from(y.access.bytes)
}
