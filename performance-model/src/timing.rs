//! When iterations start: initiation intervals, latencies and the cycles of loop nests.
//!
//! For each loop a graph of dependences is made: values, values from one iteration to the next, and
//! accesses to memory that may meet. The interval is the largest over its cycles of
//! `ceil((latency + 1) / distance)`. A loop inside is one operation of it, which is busy while its
//! iterations start.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_kernel_analysis::alias::Aliases;
use petgraph::graph::NodeIndex;

use super::board::Board;
use super::critical::critical_cycle;
use super::edges::{Cycle, Dependences, Edge, Kind, Node, Parts, Wait, settle};
use super::graph::{ADDITION, Access, Graph, MemoryKind, NodeId, Op, RegionId};
use super::launch::LaunchShape;
use super::lsu;
use super::node_map::{NodeMap, Positions};
use super::ordering::{Locations, Order, may_alias, orders, overlaps, read_back};
use super::path::{Steps, Sums};
use super::prediction::{Comparisons, Limit};

/// Sums of fractions of a cycle come out a little below the whole number that they are: this is added before they are
/// rounded down.
pub(super) const ROUNDING: f64 = 1e-6;
/// Cycles that a loop's control adds to each iteration's way: a guess.
const LOOP_OVERHEAD: f64 = 8.0;
/// Ports of a block of on-chip memory that is clocked twice as fast: two each time (Intel's best practices guide).
pub(super) const LOCAL_PORTS: usize = 4;

/// The timing of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Cycles from one iteration to the next that dependences, ports and the source demand.
    pub ii: f64,
    /// Cycles from one iteration to the next: loops inside may need longer.
    pub interval: f64,
    /// What sets the former.
    pub limit: Limit,
    /// Cycles of one iteration.
    pub latency: f64,
    /// Cycles from one iteration to the next that ports of memories on the chip demand.
    pub ports: f64,
    /// The iterations of the loop do not overlap at all.
    pub serial: bool,
    /// Cycles from the loop's start to its end.
    pub total: f64,
    /// Cycles before the loop may start again: less than `total`. On average, where the loop around
    /// starts it again while it runs.
    pub busy: f64,
    /// Entries of the loop that may run at a time, an iteration of each in turn.
    pub entries: f64,
    /// Cycles of the clock that operations in a row take of one cycle: above 1, they lower the clock.
    pub stretch: f64,
}

/// Latencies that differ between what aoc schedules for and what a board shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latencies {
    /// A load from external memory.
    pub load: f64,
    /// A store that something waits for.
    pub store: f64,
    /// What a unit waits for neighbours of an access.
    pub wait: f64,
    /// On average: nothing waits for an access that does not happen.
    pub average: bool,
}

impl Latencies {
    /// Those that aoc schedules for.
    pub fn scheduled(board: &Board) -> Self {
        let units = &board.family().memory_units;
        Latencies {
            load: units.load_latency,
            store: units.store_acknowledge,
            wait: 0.0,
            average: false,
        }
    }

    /// Those of a board at a clock, for accesses that wait for each other. aoc "defers a memory operation
    /// until a dependent memory operation completes" (Intel's best practice guide): one that a branch
    /// leaves out is complete at once.
    pub fn of_board(board: &Board, clock_mhz: f64) -> Self {
        let scheduled = Self::scheduled(board);
        let cycles = |ns: f64| ns * clock_mhz / 1000.0;
        Latencies {
            load: board.memory.load_ns.map_or(scheduled.load, cycles),
            store: board.memory.store_ns.map_or(scheduled.store, cycles),
            wait: cycles(board.memory.coalescing_wait_ns),
            average: true,
        }
    }
}

/// Notes which arrays are written, through any name.
pub fn mark_written(aliases: &Aliases<'_>, graph: &mut Graph) {
    let stores = graph.accesses.iter().filter(|a| a.is_store);
    let stored: BTreeSet<usize> = stores.map(|a| a.array).collect();
    for at in 0..graph.arrays.len() {
        graph.arrays[at].written = stored
            .iter()
            .any(|other| may_alias(aliases, graph, at, *other));
    }
}

/// Times all regions of a single work-item.
pub struct Timer<'a> {
    pub(super) graph: &'a Graph,
    pub(super) board: &'a Board,
    launch: &'a LaunchShape,
    /// The compiler overlaps iterations around loops with variable trip counts.
    pub(super) overlaps: bool,
    pub(super) latencies: Latencies,
    pub(super) positions: Positions,
    /// Of each region, cycles in which its units take the accesses of an iteration.
    requests: Vec<f64>,
    /// Of each region, what its accesses to memory wait for.
    pub(super) orders: Vec<Vec<Order>>,
    /// What it took to find that.
    pub(super) comparisons: Comparisons,
    /// Of each region, whether something in it waits for what is stored to external memory.
    pub(super) reads_back: Vec<bool>,
    /// The first access of each unit for on-chip memory.
    pub(super) units: Vec<&'a Access>,
    /// Cycles until a load may see what was stored, by the nodes of stores to on-chip memory.
    pub(super) on_chip: BTreeMap<NodeId, f64>,
}

impl<'a> Timer<'a> {
    /// Prepares to time a kernel.
    pub fn new(
        aliases: &Aliases<'_>,
        graph: &'a Graph,
        board: &'a Board,
        launch: &'a LaunchShape,
        requests: Vec<f64>,
    ) -> Self {
        let overlaps = overlaps(graph, aliases);
        let mut timer = Timer {
            graph,
            board,
            launch,
            overlaps: board.compiler().overlaps_variable_trip_counts,
            latencies: Latencies::scheduled(board),
            positions: Positions::of(graph),
            requests,
            orders: Vec::new(),
            comparisons: Comparisons::default(),
            reads_back: Vec::new(),
            units: (lsu::on_chip(graph)
                .iter()
                .map(|run| &graph.accesses[run[0]]))
            .collect(),
            on_chip: BTreeMap::new(),
        };
        timer.on_chip = timer.on_chip_stores();
        let loops = 1..graph.regions.len();
        // Nothing waits for anything from one run of the body to the next.
        timer.orders.push(Vec::new());
        let units = lsu::units(graph);
        let locations = Locations::of(graph);
        let known = (units.as_slice(), &locations);
        let in_turn = board.compiler().refills_in_turn;
        for region in loops {
            let (orders, comparisons) = orders(graph, region, &overlaps, known, in_turn);
            timer.orders.push(orders);
            timer.comparisons += comparisons;
        }
        timer.reads_back = read_back(graph, &timer.orders);
        timer
    }

    /// Of each region, cycles for which a work-item's iteration waits until what it has stored to external memory is
    /// acknowledged, since a later one may read it.
    pub fn acknowledged(&self) -> Vec<f64> {
        let reads = |order: &&Order| {
            let [earlier, later] = [order.earlier, order.later].map(|at| &self.graph.accesses[at]);
            let on_chip = self.graph.arrays[earlier.array].memory == MemoryKind::OnChip;
            let own = earlier.region == later.region && order.distance > 0;
            earlier.is_store && !later.is_store && !on_chip && own
        };
        let waits = |(region, orders): (RegionId, &Vec<Order>)| {
            let own = orders.iter().filter(reads);
            let any = |end: fn(&Order) -> usize| {
                // Many orders are of few accesses.
                let each: BTreeSet<usize> = own.clone().map(end).collect();
                let accesses = each.into_iter().map(|at| &self.graph.accesses[at]);
                self.graph
                    .any_of(region, accesses.filter(|a| a.region == region))
            };
            any(|order| order.earlier).min(any(|order| order.later)) * self.latencies.store
        };
        self.orders.iter().enumerate().map(waits).collect()
    }

    /// The timings of all regions, with these latencies.
    pub fn time(&mut self, latencies: Latencies) -> Vec<Timing> {
        self.latencies = latencies;
        let mut timings: BTreeMap<RegionId, Timing> = BTreeMap::new();
        // Loops inside have higher numbers.
        for region in (0..self.graph.regions.len()).rev() {
            let timing = self.region(region, &timings);
            timings.insert(region, timing);
        }
        timings.into_values().collect()
    }
}

/// The least interval of a loop, in cycles, and what asks for it.
struct Least {
    ii: f64,
    limit: Limit,
    /// What the entries of the loop share; each has its own values that it computes from iteration to iteration.
    shared: f64,
    /// The longest chain of operations that an interval has to hold.
    chain: (f64, Limit),
    /// What the ports of memories on the chip ask for.
    ports: f64,
}

impl Least {
    fn raise(&mut self, to: f64, why: Limit) {
        match &why {
            Limit::Chain { cycles, .. } if *cycles > self.chain.0 => {
                self.chain = (*cycles, why.clone());
            }
            Limit::Chain { .. } | Limit::Recurrence { .. } | Limit::Serialised(_) => (),
            _ => self.shared = to.max(self.shared),
        }
        if let Limit::LocalPorts { .. } = &why {
            self.ports = to.max(self.ports);
        }
        if to > self.ii {
            (self.ii, self.limit) = (to, why);
        }
    }
}

impl Timer<'_> {
    /// The timing of a region; of loops that are one, each has that of all from itself inwards: the innermost
    /// one's, so many iterations more.
    fn region(&self, region: RegionId, inner: &BTreeMap<RegionId, Timing>) -> Timing {
        let trips = self.graph.nest(region).map(|at| self.graph.trips(at));
        let innermost = self.graph.nest(region).last().unwrap_or(region);
        self.one_loop(innermost, trips.product(), inner)
    }

    /// The least interval that a loop may have, with what sets it.
    fn least(
        &self,
        region: RegionId,
        nodes: &[NodeId],
        inner: &BTreeMap<RegionId, Timing>,
        latency: f64,
    ) -> Least {
        let mut least = Least {
            ii: 1.0,
            limit: Limit::None,
            shared: 1.0,
            chain: (0.0, Limit::None),
            ports: 1.0,
        };
        for (interval, why) in self.recurrences(region, nodes, inner, latency) {
            least.raise(interval, why);
        }
        for (interval, why) in self.ports(region) {
            least.raise(interval, why);
        }
        for (interval, why) in self.short_entries(region, nodes, inner) {
            least.raise(interval, why);
        }
        for &exit in &self.graph.regions[region].exits {
            let (interval, why) = self.exit(region, nodes, inner, exit);
            least.raise(interval, why);
        }
        least
    }

    /// Whether an iteration of a loop starts when the one before has ended; its interval is raised to that.
    fn serialise(&self, region: RegionId, latency: f64, least: &mut Least) -> bool {
        let of_region = &self.graph.regions[region];
        // Compilers that let iterations overtake each other also let copies of loops inside run at the same time, each of
        // another iteration (mwasfy/gale: unrolled once, PageRank takes half the time).
        let copied = of_region.unroll > 1 && !of_region.loops.is_empty() && !self.overlaps;
        let overtakes = self.overtakes(region);
        let asked = of_region.hints.serial || of_region.hints.concurrency == Some(1.0);
        let serial = asked || copied || overtakes.is_some();
        if serial && latency > least.ii {
            least.ii = latency;
            least.limit = match (copied, overtakes) {
                (true, _) => Limit::Serialised("loops inside an unrolled loop".to_string()),
                (_, Some(inside)) => Limit::VariableTrips(self.graph.regions[inside].span),
                _ => Limit::Serialised("a pragma".to_string()),
            };
        }
        serial
    }

    /// Whether aoc interleaves entries of a loop, as many as its interval has cycles: of innermost loops, and of those around
    /// such loops whose iterations overlap. Of nests that are deeper it does not: sums over 3 x 7 x 7 floats take 1240 cycles
    /// each, maxima of 3 x 3 take 9 (pc2/CustoNN2).
    fn interleaves(&self, region: RegionId, serial: bool) -> bool {
        let regions = &self.graph.regions;
        let loops = &regions[region].loops;
        let is_shallow = loops.iter().all(|inside| regions[*inside].loops.is_empty());
        loops.is_empty() || is_shallow && !serial
    }

    /// The timing of a loop that runs so often each time, or of the kernel's body.
    fn one_loop(&self, region: RegionId, trips: f64, inner: &BTreeMap<RegionId, Timing>) -> Timing {
        let nodes: Vec<NodeId> = self.graph.nodes_of(region).collect();
        let latency = self.path(region, &nodes, inner) + LOOP_OVERHEAD;
        if region == 0 {
            return Timing {
                ii: 1.0,
                interval: latency,
                limit: Limit::None,
                latency,
                ports: 1.0,
                serial: false,
                total: latency,
                busy: latency,
                entries: 1.0,
                stretch: 1.0,
            };
        }
        let mut least = self.least(region, &nodes, inner, latency);
        let loops = &self.graph.regions[region].loops;
        let serial = self.serialise(region, latency, &mut least);
        let own = match self.interleaves(region, serial) {
            true => least.shared,
            false => f64::INFINITY,
        };
        let hints = &self.graph.regions[region].hints;
        if let Some(asked) = hints.ii.filter(|asked| *asked > least.ii) {
            (least.ii, least.limit) = (asked, Limit::Asked);
        }
        let Least {
            ii,
            limit,
            chain,
            ports,
            ..
        } = least;
        let stretch = (chain.0 / ii).max(1.0);
        let limit = match stretch > 1.0 && limit == Limit::None {
            true => chain.1,
            false => limit,
        };
        let busy = loops
            .iter()
            .map(|at| inner[at].busy * self.graph.regions[*at].share);
        // The memory is not in the schedule.
        let requests = match self.latencies.average {
            true => self.requests[region],
            false => 1.0,
        };
        let inside = busy.fold(requests, f64::max);
        let interval = ii.max(inside);
        let between = interval.min(own.max(inside));
        // Iterations that were started in vain keep the next entry out. What aoc speculates by itself is not known.
        let in_vain = hints.speculated.or(self.launch.speculated).unwrap_or(0.0);
        Timing {
            ii,
            interval,
            limit,
            latency,
            ports,
            serial,
            total: latency + interval * (trips - 1.0).max(0.0),
            busy: between * (trips + in_vain) + 1.0,
            entries: interval / between,
            stretch,
        }
    }

    /// Cycles until an operation's result is there.
    pub(super) fn latency(&self, id: NodeId, inner: &BTreeMap<RegionId, Timing>) -> f64 {
        let units = &self.board.family().memory_units;
        let node = &self.graph.nodes[id];
        let memory = |access: usize| {
            let access = &self.graph.accesses[access];
            self.graph.arrays[access.array].memory
        };
        if node.idle {
            return node.operator.latency;
        }
        match node.op {
            Op::Load(access) => match memory(access) {
                MemoryKind::External if self.graph.accesses[access].prefetched => {
                    units.prefetch_latency
                }
                // aoc schedules for a miss.
                MemoryKind::External
                    if self.graph.accesses[access].hits && self.latencies.average =>
                {
                    units.cached_latency
                }
                MemoryKind::External => self.latencies.load,
                MemoryKind::Constant => units.constant_latency,
                MemoryKind::OnChip => units.local_load_latency,
            },
            Op::Store(access) => match memory(access) {
                MemoryKind::OnChip => units.local_store_latency,
                _ => units.store_latency,
            },
            Op::Atomic(access) => match memory(access) {
                MemoryKind::OnChip => units.local_atomic_latency,
                _ => units.atomic_latency.max(self.latencies.load),
            },
            Op::Loop(region) => inner.get(&region).map_or(0.0, |timing| {
                timing.total * self.graph.regions[region].share
            }),
            _ => node.operator.latency,
        }
    }

    /// Cycles that what follows waits for an operation's result: those of an access to external memory apart.
    fn waited(&self, id: NodeId, inner: &BTreeMap<RegionId, Timing>) -> (f64, Wait) {
        let cycles = self.latency(id, inner);
        match self.graph.nodes[id].op {
            Op::Load(access) => {
                let access = &self.graph.accesses[access];
                self.wait(access, access, cycles)
            }
            _ => (cycles, Wait::default()),
        }
    }

    /// What an access takes of which a later one waits for the end: in each iteration, and, if averages are asked
    /// for, in those that do both.
    pub(super) fn wait(&self, earlier: &Access, later: &Access, cycles: f64) -> (f64, Wait) {
        let on_chip = self.graph.arrays[earlier.array].memory == MemoryKind::OnChip;
        if on_chip || !self.latencies.average {
            return (cycles, Wait::default());
        }
        let share = earlier.share.min(later.share);
        (0.0, Wait { cycles, share })
    }

    /// Cycles that loops take which stand between two segments.
    fn between(
        &self,
        region: RegionId,
        from: usize,
        to: usize,
        inner: &BTreeMap<RegionId, Timing>,
    ) -> f64 {
        let loops = &self.graph.regions[region].loops;
        let passed = loops
            .iter()
            .enumerate()
            .filter(|(at, _)| (from..to).contains(at));
        passed
            .map(|(_, at)| inner[at].total * self.graph.regions[*at].share)
            .sum()
    }

    /// The critical path through a region.
    fn path(&self, region: RegionId, nodes: &[NodeId], inner: &BTreeMap<RegionId, Timing>) -> f64 {
        let mut ready = NodeMap::new(&self.positions, region, nodes.len());
        let mut segments: BTreeMap<usize, f64> = BTreeMap::new();
        let mut steps = Steps::default();
        let mut sums = Sums::new(self.graph, nodes, self.launch.fp_relaxed);
        let mut end: f64 = 0.0;
        for &id in nodes {
            let node = &self.graph.nodes[id];
            let start = segments.get(&node.segment).copied().unwrap_or(0.0);
            let start = start.max(steps.start(node.step));
            let latency = self.latency(id, inner);
            let done = match sums.join(id, start, &ready) {
                Some((terms, depth)) => terms + depth * latency,
                None => {
                    let inputs = node.inputs.iter().filter_map(|input| ready.get(*input));
                    inputs.fold(start, f64::max) + latency
                }
            };
            ready.insert(id, done);
            steps.ends(node.step, done);
            end = end.max(done);
            if let Op::Loop(_) = node.op {
                let next = segments.entry(node.segment + 1).or_insert(0.0);
                *next = next.max(done);
            }
        }
        end
    }

    /// The dependences of a loop.
    fn dependences(
        &self,
        region: RegionId,
        nodes: &[NodeId],
        inner: &BTreeMap<RegionId, Timing>,
    ) -> Dependences {
        let edges = 2 * nodes.len() + self.orders[region].len();
        let mut all = Dependences::with_capacity(nodes.len(), edges);
        for &id in nodes {
            all.add_node(Node::Operation(id));
        }
        for (at, &id) in nodes.iter().enumerate() {
            let node = &self.graph.nodes[id];
            for input in &node.inputs {
                let Some(from) = self.index(region, *input) else {
                    continue;
                };
                let maker = &self.graph.nodes[*input];
                let is_phi = maker.op == Op::Phi;
                let crosses = maker.segment < node.segment && !is_phi;
                let passed = match (is_phi, maker.op) {
                    (true, _) => 0.0,
                    (_, Op::Loop(_)) => {
                        self.between(region, maker.segment + 1, node.segment, inner)
                    }
                    _ => self.between(region, maker.segment, node.segment, inner),
                };
                let (latency, access) = self.waited(*input, inner);
                let edge = Edge {
                    latency: latency + passed,
                    access,
                    distance: 0.0,
                    crosses,
                    kind: Kind::Value,
                };
                all.add_edge(from, NodeIndex::new(at), edge);
            }
        }
        for carried in &self.graph.regions[region].carried {
            let Some(next) = carried.next.filter(|_| !carried.counts && !carried.is_free) else {
                continue;
            };
            let ends = [next, carried.phi].map(|end| self.index(region, end));
            let [Some(from), Some(to)] = ends else {
                continue;
            };
            let (latency, access) = self.waited(next, inner);
            let edge = Edge {
                latency,
                access,
                distance: 1.0,
                crosses: false,
                kind: Kind::Carried(carried.name.clone()),
            };
            all.add_edge(from, to, edge);
        }
        self.memory(region, inner, &mut all);
        all
    }

    /// An operation in the graph of a region's dependences: the first nodes there are the operations, in order.
    pub(super) fn index(&self, region: RegionId, id: NodeId) -> Option<NodeIndex> {
        let at = self.positions.within(region, id);
        at.map(NodeIndex::new)
    }

    /// The intervals that dependences allow: the largest of values, of chains of small operations, and of all
    /// else.
    fn recurrences(
        &self,
        region: RegionId,
        nodes: &[NodeId],
        inner: &BTreeMap<RegionId, Timing>,
        iteration: f64,
    ) -> Vec<(f64, Limit)> {
        let mut all = self.dependences(region, nodes, inner);
        let mut worst: [Option<(f64, Limit)>; 3] = [None, None, None];
        let parts = Parts::of(&all);
        for part in 0..parts.all.len() {
            settle(&mut all, &parts, part);
            let Some(mut cycle) = critical_cycle(&all, &parts, part) else {
                continue;
            };
            self.accumulate(region, &mut cycle);
            self.balance(region, nodes, &mut cycle);
            if cycle.crosses {
                cycle.latency = cycle.latency.max(iteration);
            }
            let latency = (cycle.latency + ROUNDING).floor();
            let (interval, limit) = match self.is_chain(&cycle) {
                true => (latency.max(1.0), self.chain(&cycle)),
                false => {
                    let interval = ((latency + 1.0) / cycle.distance).ceil();
                    (interval, self.why(&cycle, latency))
                }
            };
            let worst = match limit {
                Limit::Recurrence { .. } => &mut worst[0],
                Limit::Chain { .. } => &mut worst[1],
                _ => &mut worst[2],
            };
            let is_worse = |(most, other): &(f64, Limit)| match (&limit, other) {
                (Limit::Chain { cycles, .. }, Limit::Chain { cycles: most, .. }) => cycles > most,
                _ => interval > *most,
            };
            if worst.as_ref().is_none_or(is_worse) {
                *worst = Some((interval, limit));
            }
        }
        let counts = |(interval, limit): &(f64, Limit)| {
            *interval > 1.0 || matches!(limit, Limit::Chain { .. })
        };
        worst.into_iter().flatten().filter(counts).collect()
    }

    /// Whether a cycle of dependences is longer than a clock's cycle, and all of it are operations of which
    /// several fit into one: then its registers can stand anywhere. aoc takes the interval for which
    /// interval and clock together make the shortest iteration ("fMAX-II tradeoff" in Intel's code samples).
    fn is_chain(&self, cycle: &Cycle) -> bool {
        let is_small = |id: &NodeId| {
            let node = &self.graph.nodes[*id];
            let is_logic = matches!(node.op, Op::Phi | Op::Operator | Op::Select);
            is_logic && node.operator.latency < 1.0
        };
        let values = |kind: &Kind| matches!(kind, Kind::Value | Kind::Carried(_));
        cycle.latency > 1.0
            && cycle.distance == 1.0
            && !cycle.crosses
            && cycle.nodes.iter().all(is_small)
            && cycle.kinds.iter().all(values)
    }

    fn chain(&self, cycle: &Cycle) -> Limit {
        match self.why(cycle, cycle.latency) {
            Limit::Recurrence { what, from, .. } => Limit::Chain {
                what,
                from,
                cycles: cycle.latency,
            },
            other => other,
        }
    }

    /// Float sums: the single-cycle accumulator, and what reassociation makes of several additions.
    fn accumulate(&self, region: RegionId, cycle: &mut Cycle) {
        let is_addition = |id: &&NodeId| self.graph.nodes[**id].op == Op::FloatAdd;
        let additions: Vec<NodeId> = cycle.nodes.iter().filter(is_addition).copied().collect();
        let others = cycle
            .nodes
            .iter()
            .filter(|id| !matches!(self.graph.nodes[**id].op, Op::Phi | Op::FloatAdd));
        let only_sums = others.count() == 0 && !additions.is_empty();
        let Some(first) = additions.first().filter(|_| only_sums) else {
            return;
        };
        let family = self.board.family();
        let one = self.graph.nodes[*first].operator.latency;
        if additions.len() > 1 && !self.launch.fp_relaxed {
            return;
        }
        let carried = &self.graph.regions[region].carried;
        let at_zero = carried
            .iter()
            .any(|c| cycle.nodes.contains(&c.phi) && c.starts_at_zero);
        cycle.latency = match family.single_cycle_float_accumulator && at_zero {
            true => family.operators.float_accumulator.latency,
            false => one,
        };
    }

    /// Integer sums of several terms: compilers add the terms of an iteration to each other first, and then once to
    /// the sum (LLVM's Reassociate pass), unless a sum on the way is used elsewhere.
    fn balance(&self, region: RegionId, all: &[NodeId], cycle: &mut Cycle) {
        let nodes = &self.graph.nodes;
        let is_addition = |id: &NodeId| {
            let node = &nodes[*id];
            node.op == Op::Operator && node.what == ADDITION
        };
        let additions: Vec<NodeId> = cycle.nodes.iter().copied().filter(is_addition).collect();
        let others = cycle.nodes.iter().filter(|id| !is_addition(id));
        let only_sums = others.clone().count() == 1
            && others.clone().all(|id| nodes[*id].op == Op::Phi)
            && additions.len() > 1;
        if !only_sums {
            return;
        }
        let carried = &self.graph.regions[region].carried;
        let last = carried.iter().find(|c| cycle.nodes.contains(&c.phi));
        let last = last.and_then(|c| c.next);
        let is_on_the_way = |id: &NodeId| Some(*id) != last && additions.contains(id);
        let mut outside = all.iter().filter(|id| !cycle.nodes.contains(id));
        if outside.any(|id| nodes[*id].inputs.iter().any(is_on_the_way)) {
            return;
        }
        cycle.latency = nodes[additions[0]].operator.latency;
    }

    fn why(&self, cycle: &Cycle, latency: f64) -> Limit {
        let span = |id: NodeId| self.graph.nodes[id].span;
        let copy = cycle.kinds.iter().find_map(|kind| match kind {
            Kind::Copy(array) => Some(&self.graph.arrays[*array].name),
            _ => None,
        });
        if let Some(array) = copy {
            return Limit::Copies {
                array: array.clone(),
                copies: cycle.distance as u64,
            };
        }
        if let Some(ends) = cycle.accesses() {
            let [earlier, later] = ends.map(|at| &self.graph.accesses[at]);
            let (load, store) = match earlier.is_store {
                true => (later, earlier),
                false => (earlier, later),
            };
            return self.between_accesses(load, store, latency, cycle.distance);
        }
        let name = cycle.kinds.iter().find_map(|kind| match kind {
            Kind::Carried(name) => Some(name.clone()),
            _ => None,
        });
        let mut operations: Vec<&str> = Vec::new();
        for &id in &cycle.nodes {
            let what = self.graph.nodes[id].what;
            if !what.is_empty() && !operations.contains(&what) {
                operations.push(what);
            }
        }
        if cycle.crosses
            || cycle
                .nodes
                .iter()
                .any(|id| matches!(self.graph.nodes[*id].op, Op::Loop(_)))
        {
            return Limit::Serialised(name.unwrap_or_default());
        }
        let with_span = |id: &NodeId| span(*id);
        Limit::Recurrence {
            from: cycle.nodes.iter().find_map(with_span),
            to: cycle.nodes.iter().rev().find_map(with_span),
            what: format!("{} ({})", name.unwrap_or_default(), operations.join(", ")),
            latency,
            distance: cycle.distance,
        }
    }

    pub(super) fn between_accesses(
        &self,
        load: &Access,
        store: &Access,
        latency: f64,
        distance: f64,
    ) -> Limit {
        let name = |access: &Access| self.graph.arrays[access.array].name.clone();
        Limit::MemoryDependence {
            array: name(store),
            loaded: name(load),
            on_chip: self.graph.arrays[load.array].memory == MemoryKind::OnChip,
            load: load.span,
            store: store.span,
            latency,
            distance,
        }
    }

    /// The interval until a loop knows that it goes on.
    fn exit(
        &self,
        region: RegionId,
        nodes: &[NodeId],
        inner: &BTreeMap<RegionId, Timing>,
        exit: NodeId,
    ) -> (f64, Limit) {
        let hints = &self.graph.regions[region].hints;
        let speculated = hints
            .speculated
            .or(self.launch.speculated)
            .unwrap_or(self.board.compiler().speculated_iterations);
        // Only what depends on the iteration: from its values to the condition.
        let mut reach = NodeMap::new(&self.positions, region, nodes.len());
        for &id in nodes {
            let node = &self.graph.nodes[id];
            let own = self.latency(id, inner);
            let longest = node.inputs.iter().filter_map(|input| reach.get(*input));
            let longest = longest.fold(f64::NEG_INFINITY, f64::max);
            if node.op == Op::Phi {
                reach.insert(id, 0.0);
            } else if longest.is_finite() {
                reach.insert(id, longest + own);
            }
        }
        let latency = (reach.get(exit).unwrap_or(0.0) + ROUNDING).floor();
        let interval = ((latency + 1.0) / (speculated + 1.0)).ceil();
        let span = self.graph.nodes[exit].span;
        let why = Limit::Recurrence {
            from: span,
            to: span,
            what: "the condition on which the loop goes on".to_string(),
            latency,
            distance: speculated + 1.0,
        };
        (interval, why)
    }
}
