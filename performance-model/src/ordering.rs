//! Which accesses to memory wait for which: the dependences between them.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_kernel_analysis::alias::{Aliases, Roots};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::dependence::{Compared, Distances};
use super::graph::{Access, ArrayId, Graph, MemoryKind, NodeId, RegionId};
use super::prediction::Comparisons;

/// Copies of an array that is declared in a loop around loops, where the source does not say how many. aoc's reports say 4
/// for blocks that three loops fill and use (kenter/OpenCL-FPGA-examples, SAXPY2_block to SAXPY4_dataflow, aoc 18.1), and
/// transforms of four sizes wait for each other as with 4 (arjunramaswami/FFT1D-FPGA, aoc 19.3).
const COPIES_AROUND_LOOPS: u64 = 4;

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
    let external = a.memory == b.memory && a.memory == MemoryKind::External;
    let differ = a.element.is_some() && b.element.is_some() && a.element != b.element;
    if external && graph.shared.contains(&(x.min(y), x.max(y))) {
        return true;
    }
    external && !differ && aliases.roots_meet(&Roots::from([a.root]), &Roots::from([b.root]))
}

/// Of each region, whether something in it, or in loops inside, waits for what is stored to external memory.
pub(super) fn read_back(graph: &Graph, orders: &[Vec<Order>]) -> Vec<bool> {
    let mut all = vec![false; graph.regions.len()];
    let waits = |order: &Order| {
        let [a, b] = [order.earlier, order.later].map(|at| &graph.accesses[at]);
        let on_chip = graph.arrays[a.array].memory == MemoryKind::OnChip;
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
    pub(super) earlier: usize,
    /// The later one.
    pub(super) later: usize,
    /// The loop's operations that do them: themselves, or loops that hold them.
    pub(super) ends: (NodeId, NodeId),
    /// Iterations between them.
    pub(super) distance: u64,
    /// Both are stores: of the later one, no more than that must wait.
    pub(super) stores: bool,
    /// The later one wants the copy of the array that the earlier one uses.
    pub(super) copy: bool,
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

/// Where accesses go, so that they are quickly compared.
pub(super) struct Locations {
    /// What of addresses moves, each once.
    moves: Vec<Poly>,
    /// Of each access whose address is known, what moves of it, by its number, and the constant.
    all: Vec<Option<(usize, i128)>>,
}

impl Locations {
    /// Of a kernel's accesses.
    pub fn of(graph: &Graph) -> Self {
        let mut numbers: BTreeMap<Poly, usize> = BTreeMap::new();
        let mut moves = Vec::new();
        let of = |access: &Access| {
            let (own, start) = access.address.as_ref()?.split_constant();
            let number = numbers.entry(own).or_insert_with_key(|own| {
                moves.push(own.clone());
                moves.len() - 1
            });
            Some((*number, start))
        };
        let all = graph.accesses.iter().map(of).collect();
        Locations { moves, all }
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
    /// What of its address moves, by number, and the constant.
    address: Option<(usize, i128)>,
    /// Its kind, by number: those of a loop inside whose addresses differ by constants are one.
    kind: usize,
    /// Iterations for which the source says that there is no dependence on its array: of the outermost of the loops that
    /// are one with the loop, and of the innermost. They say it (pc2/cannon-fpga's later kernels, three loops of which
    /// the one between says nothing, start an iteration a cycle).
    safe: [u64; 2],
}

/// What accesses in a loop wait for, and what it took to find that.
/// `units`: see [`super::lsu::units`]; `refills_in_turn`: see [`Compiler`](super::compiler::Compiler).
pub(super) fn orders(
    graph: &Graph,
    region: RegionId,
    overlaps: &[Vec<bool>],
    (units, locations): (&[usize], &Locations),
    refills_in_turn: bool,
) -> (Vec<Order>, Comparisons) {
    let mut kinds = Kinds::default();
    let sides = sides(graph, region, locations, &mut kinds);
    let is_inside = |home| home != region && graph.is_within(home, region);
    let is_inner = graph
        .arrays
        .iter()
        .map(|array| array.home.is_some_and(is_inside));
    let mut search = Search {
        graph,
        units,
        locations,
        refills_in_turn,
        region,
        is_inner: is_inner.collect(),
        kinds,
        distances: BTreeMap::new(),
        found: Vec::new(),
        known: BTreeSet::new(),
        comparisons: Comparisons::default(),
    };
    let mut met: Vec<Option<Met<'_>>> = overlaps.iter().map(|_| None).collect();
    for x in &sides {
        let met =
            met[x.access.array].get_or_insert_with(|| Met::of(&sides, &overlaps[x.access.array]));
        // Loads do not wait for loads.
        let others = match x.access.is_store {
            true => &met.all,
            false => &met.stores,
        };
        search.comparisons.pairs += others.len();
        others.iter().for_each(|y| search.compare(x, y));
    }
    (search.found, search.comparisons)
}

/// The accesses in a loop that may touch the same bytes as those of an array.
struct Met<'s> {
    all: Vec<&'s Side<'s>>,
    /// Those of them that store.
    stores: Vec<&'s Side<'s>>,
}

impl<'s> Met<'s> {
    /// Of an array with the arrays that it overlaps.
    fn of(sides: &'s [Side<'s>], overlaps: &[bool]) -> Self {
        let all = sides.iter().filter(|side| overlaps[side.access.array]);
        let all: Vec<&Side<'_>> = all.collect();
        let stores = all.iter().filter(|side| side.access.is_store);
        let stores = stores.copied().collect();
        Met { all, stores }
    }
}

/// Kinds of accesses in a loop.
#[derive(Default)]
struct Kinds {
    all: Vec<Compared>,
    /// How many accesses are of each.
    sizes: Vec<usize>,
    /// By the loop inside that they are in and what of their addresses moves.
    numbers: BTreeMap<(RegionId, Option<usize>), usize>,
}

/// The accesses in a loop.
fn sides<'a>(
    graph: &'a Graph,
    region: RegionId,
    locations: &Locations,
    kinds: &mut Kinds,
) -> Vec<Side<'a>> {
    let outermost = graph.nest_around(region).last().unwrap_or(region);
    let safe = (0..graph.arrays.len())
        .map(|array| [outermost, region].map(|at| safe_distance(graph, at, array)));
    let safe: Vec<[u64; 2]> = safe.collect();
    let all = graph.accesses.iter().enumerate();
    let inside = all.filter(|(_, access)| graph.is_within(access.region, region));
    let side = |(at, access): (usize, &'a Access)| {
        let address = locations.all[at];
        let moves = address.map(|(moves, _)| moves);
        let kind = kinds.numbers.entry((access.region, moves));
        let kind = kind.or_insert_with(|| {
            let moves = moves.map(|moves| &locations.moves[moves]);
            let compared = Compared::new(graph, region, access.region, moves);
            kinds.all.push(compared);
            kinds.sizes.push(0);
            kinds.all.len() - 1
        });
        kinds.sizes[*kind] += 1;
        Side {
            at,
            access,
            carrier: carrier(graph, access, region),
            is_idle: graph.nodes[access.node].idle,
            address,
            kind: *kind,
            safe: safe[access.array],
        }
    };
    inside.map(side).collect()
}

/// The search for what accesses of a loop wait for.
struct Search<'a> {
    graph: &'a Graph,
    /// The unit of each access.
    units: &'a [usize],
    locations: &'a Locations,
    refills_in_turn: bool,
    region: RegionId,
    /// Of each array, whether each iteration of a loop inside has one of its own.
    is_inner: Vec<bool>,
    kinds: Kinds,
    /// Of each kind of earlier accesses, by that of later ones, once they were compared.
    distances: BTreeMap<usize, Vec<Option<Box<Distances>>>>,
    found: Vec<Order>,
    /// Loops inside wait for each other in one way, however many of their accesses do; except that what waits
    /// only for stores waits less, and for how long depends on the stores' loop.
    known: BTreeSet<(NodeId, NodeId, Option<RegionId>, u64)>,
    comparisons: Comparisons,
}

impl Search<'_> {
    /// What must be kept in order between `x` and a later `y`.
    fn compare(&mut self, x: &Side<'_>, y: &Side<'_>) {
        let (a, b) = (x.access, y.access);
        let on_chip = self.graph.arrays[a.array].memory == MemoryKind::OnChip;
        let is_flow = a.is_store && (!b.is_store || b.is_atomic);
        if let Some(copies) = self.copies(a.array).filter(|_| b.is_store && !is_flow) {
            return self.add_copy(x, y, copies);
        }
        if self.refills_in_turn && on_chip && self.refills(y, x) {
            return self.add(x, y, 1);
        }
        // On-chip memory serves accesses in order, and aoc gives each outer iteration a copy of its own.
        // To external memory a store may overtake neither a load nor another store's unit: what one unit stores
        // stays in order.
        let is_one_unit = x.at == y.at || are_stores(x, y) && self.units[x.at] == self.units[y.at];
        if !is_flow && (on_chip || is_one_unit) {
            return;
        }
        // In the same iteration, in the order of the text. Of two stores in one body, the later one wins anyway.
        let later = x.at < y.at && x.carrier != y.carrier;
        let waits = a.is_store != b.is_store || a.region != b.region;
        if later && waits && meets_at_once(x, y) {
            self.add(x, y, 0);
        }
        if a.array == b.array && self.is_inner[a.array] {
            return;
        }
        let safe = [0, 1].map(|end| x.safe[end].max(y.safe[end]));
        let safe = safe[0].min(safe[1]);
        if safe == u64::MAX || self.is_known(x, y, safe.max(1)) {
            return;
        }
        // Where two pointers may overlap, nothing is known of where. Loops that are one step their counters by
        // comparisons: addresses are no longer linear.
        let is_linear = a.array == b.array && !self.graph.regions[self.region].joined;
        let distance = match is_linear {
            true => self.distance(x, y),
            false => Some(1),
        };
        if let Some(distance) = distance {
            self.add(x, y, distance.max(safe));
        }
    }

    /// The fewest iterations after which `y` may touch what `x` touched; `None`: it never does.
    fn distance(&mut self, x: &Side<'_>, y: &Side<'_>) -> Option<u64> {
        let (Some((_, from)), Some((_, to))) = (x.address, y.address) else {
            return Some(1);
        };
        let both = [x, y].map(|side| &self.kinds.all[side.kind]);
        let known_of = || Distances::new(self.graph, self.region, both[0], both[1]);
        let bytes = [x.access.bytes, y.access.bytes];
        let apart = (to.saturating_sub(from), bytes);
        let of = (self.graph, self.region);
        let mut own = None;
        let known = match [x, y].iter().all(|side| self.kinds.sizes[side.kind] == 1) {
            true => own.insert(known_of()),
            false => {
                let row = self.distances.entry(x.kind).or_default();
                row.resize_with(self.kinds.all.len(), || None);
                row[y.kind].get_or_insert_with(|| Box::new(known_of()))
            }
        };
        let before = known.solved();
        let least = known.least(of, both, apart);
        self.comparisons.solved += known.solved() - before;
        least
    }

    /// Whether a loop inside stores what a later loop reads, at the same places in each iteration, to an array that is
    /// declared further out.
    fn refills(&self, store: &Side<'_>, load: &Side<'_>) -> bool {
        let (a, b) = (store.access, load.access);
        let is_one_array = a.is_store && !b.is_store && a.array == b.array;
        if !is_one_array || store.at > load.at || store.carrier == load.carrier {
            return false;
        }
        let is_outside = !(self.graph).is_within(self.graph.arrays[a.array].scope, self.region);
        is_outside && self.is_alike_again(store) && self.is_alike_again(load)
    }

    /// Whether an access goes to the same places in each iteration, for sure: where it goes, loops inside say alone.
    fn is_alike_again(&self, side: &Side<'_>) -> bool {
        let is_inside = |sym: &Sym| match sym {
            Sym::Iter(at) => *at != self.region && self.graph.is_within(*at, self.region),
            _ => false,
        };
        let moves = side.address.map(|(moves, _)| &self.locations.moves[moves]);
        side.access.share == 1.0 && moves.is_some_and(|moves| moves.symbols().iter().all(is_inside))
    }

    /// What distinguishes loops inside that wait for each other; `None`: there is more to it.
    fn key(&self, x: &Side<'_>, y: &Side<'_>) -> Option<(NodeId, NodeId, Option<RegionId>)> {
        let is_inner = x.access.region != self.region && !x.is_idle && !y.is_idle;
        // An interval that provides for short entries provides for each pair.
        let own = x.access.region;
        if own == y.access.region && self.graph.regions[own].varies_in.contains(&self.region) {
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

    /// For how many iterations aoc keeps copies of an array that each has for itself; `None`: as many as help.
    fn copies(&self, array: ArrayId) -> Option<u64> {
        let array = &self.graph.arrays[array];
        let asked = array.copies.filter(|(home, _)| *home == self.region);
        let is_own = array.scope == self.region && self.region != 0 && !array.by_item;
        let has_loops = !self.graph.regions[self.region].loops.is_empty();
        let kept = array.memory == MemoryKind::OnChip && is_own && has_loops;
        asked
            .map(|(_, copies)| copies)
            .or(kept.then_some(COPIES_AROUND_LOOPS))
    }

    /// What a later iteration stores needs the copy of the array that an earlier one uses.
    fn add_copy(&mut self, x: &Side<'_>, y: &Side<'_>, copies: u64) {
        if let Some((from, to, stores)) = self.key(x, y)
            && !self.known.insert((from, to, stores, copies))
        {
            return;
        }
        self.found.push(Order {
            copy: true,
            ..order(x, y, copies)
        });
    }

    fn add(&mut self, x: &Side<'_>, y: &Side<'_>, distance: u64) {
        if let Some((from, to, stores)) = self.key(x, y)
            && !self.known.insert((from, to, stores, distance))
        {
            return;
        }
        self.found.push(order(x, y, distance));
    }
}

/// Iterations of a loop for which the source says that there is no dependence on an array.
fn safe_distance(graph: &Graph, region: RegionId, array: ArrayId) -> u64 {
    let array = &graph.arrays[array].name;
    graph.regions[region].hints.safe_distance(array)
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
    let (Some((a, from)), Some((b, to))) = (x.address, y.address) else {
        return true;
    };
    if x.access.array != y.access.array || a != b {
        return true;
    }
    let difference = to.saturating_sub(from);
    let apart = difference.saturating_neg();
    difference < i128::from(x.access.bytes) && apart < i128::from(y.access.bytes)
}
