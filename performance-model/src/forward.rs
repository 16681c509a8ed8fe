//! Loads of what the same iteration, or the one before, has just stored: aoc, as LLVM (elimination of redundant loads), passes
//! the value on in a register, and no load remains. Measured: `a[i] = a[i - 1] + b[i - 1]` takes a cycle an iteration, in
//! external and in on-chip memory (Boyi's PS, aoc 16.1; docs/model-evaluation.md).

use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::board::Operator;
use super::graph::{Access, Carried, Graph, Op, RegionId};

/// Where a load's value comes from.
struct Source {
    /// The load, by number.
    load: usize,
    /// The store.
    store: usize,
    /// Iterations between them: none or one.
    distance: u64,
}

/// Passes stored values on to the loads that would get them, which are taken away.
///
/// `overlaps`: which arrays may be the same.
pub fn forward(graph: &mut Graph, overlaps: &[Vec<bool>]) {
    let loads = 0..graph.accesses.len();
    let sources: Vec<Source> = loads
        .filter_map(|load| source(graph, overlaps, load))
        .collect();
    for source in &sources {
        pass_on(graph, source);
    }
    let gone: Vec<usize> = sources.iter().map(|source| source.load).collect();
    remove(graph, &gone);
}

/// Where the value of a load comes from, if it is a store that surely happened.
fn source(graph: &Graph, overlaps: &[Vec<bool>], load: usize) -> Option<Source> {
    let access = &graph.accesses[load];
    if access.is_store || access.is_atomic || graph.arrays[access.array].volatile {
        return None;
    }
    let address = access.address.as_ref()?;
    let region = access.region;
    let earlier = (0..load).rev();
    match last_store(graph, overlaps, access, address, earlier)? {
        Found::Store(store) => {
            return Some(Source {
                load,
                store,
                distance: 0,
            });
        }
        Found::Nothing if region == 0 || graph.regions[region].is_left => return None,
        Found::Nothing => {}
    }
    // The source says that nothing is needed so soon.
    let hints = &graph.regions[region].hints;
    let name = &graph.arrays[access.array].name;
    if hints.ivdep.is_some() || hints.ivdep_arrays.contains_key(name) {
        return None;
    }
    // Where the load will be in the next iteration.
    let next = address.plus(&step(address, region)?, 1);
    let all = (0..graph.accesses.len()).rev();
    let Found::Store(store) = last_store(graph, overlaps, access, &next, all)? else {
        return None;
    };
    let always = graph.accesses[store].branch == graph.regions[region].branch;
    always.then_some(Source {
        load,
        store,
        distance: 1,
    })
}

/// How an address moves from one iteration to the next, if it is made of the loop's counter only.
fn step(address: &Poly, region: RegionId) -> Option<Poly> {
    let counter = Sym::Iter(region);
    let step = address.coefficient(counter)?;
    let rest = address.without(counter);
    let is_counter = rest.as_constant().is_some() && step.as_constant().is_some();
    is_counter.then_some(step)
}

enum Found {
    /// It stores what is loaded.
    Store(usize),
    /// None may have.
    Nothing,
}

/// The last of some stores that stores to where a load reads; `None`: one of them may, or stores a part of it.
fn last_store(
    graph: &Graph,
    overlaps: &[Vec<bool>],
    load: &Access,
    address: &Poly,
    stores: impl Iterator<Item = usize>,
) -> Option<Found> {
    for at in stores {
        let store = &graph.accesses[at];
        let is_inside = graph.is_within(store.region, load.region);
        if !store.is_store || !is_inside || !overlaps[store.array][load.array] {
            continue;
        }
        if store.region != load.region || store.array != load.array || store.is_atomic {
            return None;
        }
        let apart = store.address.as_ref()?.plus(address, -1).as_constant()?;
        if apart == 0 && store.bytes == load.bytes && store.branch == load.branch {
            return Some(Found::Store(at));
        }
        if apart < i128::from(load.bytes) && -apart < i128::from(store.bytes) {
            return None;
        }
    }
    Some(Found::Nothing)
}

fn pass_on(graph: &mut Graph, source: &Source) {
    let (node, region) = {
        let load = &graph.accesses[source.load];
        (load.node, load.region)
    };
    let value = graph.accesses[source.store].value;
    let name = graph.arrays[graph.accesses[source.load].array].name.clone();
    let load = &mut graph.nodes[node];
    load.operator = Operator::default();
    load.inputs.clear();
    if source.distance == 0 {
        load.op = Op::Operator;
        load.inputs.extend(value);
        return;
    }
    load.op = Op::Phi;
    graph.regions[region].carried.push(Carried {
        phi: node,
        next: value.filter(|next| *next != node),
        name,
        starts_at_zero: false,
        counts: false,
        is_free: false,
    });
}

/// Takes accesses away.
pub(super) fn remove(graph: &mut Graph, gone: &[usize]) {
    if gone.is_empty() {
        return;
    }
    let mut at = 0;
    graph.accesses.retain(|_| {
        at += 1;
        gone.binary_search(&(at - 1)).is_err()
    });
    for (at, access) in graph.accesses.iter().enumerate() {
        if let Op::Load(number) | Op::Store(number) | Op::Atomic(number) =
            &mut graph.nodes[access.node].op
        {
            *number = at;
        }
    }
}
