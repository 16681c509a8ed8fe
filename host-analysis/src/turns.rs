//! Several launches in a loop that take turns with two buffers: `k(a, b)`, then `k(b, a)`.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{Known, Launch};

use crate::object::Visit;

/// Of loops with several launches each, all of one kernel, the launches that exchange two arguments from one to the
/// next and change nothing else, by their calls, each with these arguments. `launched` says which there are in a
/// loop.
pub(crate) fn taking_turns(
    visits: &[Visit],
    launched: &BTreeMap<Span, BTreeSet<Span>>,
) -> BTreeMap<Span, (u32, u32)> {
    let mut loops: BTreeMap<Span, BTreeMap<u32, Vec<&Visit>>> = BTreeMap::new();
    for visit in visits {
        if let Some(around) = &visit.within {
            let times = loops.entry(around.site).or_default();
            times.entry(around.activation).or_default().push(visit);
        }
    }
    let mut found = BTreeMap::new();
    for (site, times) in loops {
        let own: BTreeSet<Span> = times.values().flatten().map(|visit| visit.site).collect();
        if own.len() > 1
            && launched.get(&site) == Some(&own)
            && let Some(pair) = pair_of(times.values())
        {
            found.extend(own.into_iter().map(|launch| (launch, pair)));
        }
    }
    found
}

/// The arguments that are exchanged, each time that a loop was followed.
fn pair_of<'v>(mut times: impl Iterator<Item = &'v Vec<&'v Visit>>) -> Option<(u32, u32)> {
    let first = times.next()?;
    let mut pairs = first.first()?.launch.apart.iter().copied();
    let pair = pairs.find(|pair| take_turns(first, *pair))?;
    times.all(|visits| take_turns(visits, pair)).then_some(pair)
}

/// Whether each launch does what the one before it did, with two arguments exchanged, and the first what the last did.
fn take_turns(visits: &[&Visit], pair: (u32, u32)) -> bool {
    let next = visits.iter().skip(1).chain(visits.first());
    let mut pairs = visits.iter().zip(next);
    pairs.all(|(one, next)| exchange(&one.launch, &next.launch, pair))
}

fn exchange(one: &Launch, next: &Launch, (a, b): (u32, u32)) -> bool {
    let other = |index: u32| match index {
        _ if index == a => b,
        _ if index == b => a,
        _ => index,
    };
    let value = |launch: &Launch, index: u32| {
        let mut args = launch.args.iter();
        args.find(|arg| arg.index == index)
            .map(|arg| arg.value.clone())
    };
    let is_one_kernel = matches!(&one.kernels, Known::Is(names) if names.len() == 1);
    is_one_kernel
        && one.kernels == next.kernels
        && (one.queue, &one.work_dim) == (next.queue, &next.work_dim)
        && (&one.offset, &one.global, &one.local) == (&next.offset, &next.global, &next.local)
        && one.args.len() == next.args.len()
        && (one.args.iter()).all(|arg| value(next, other(arg.index)).as_ref() == Some(&arg.value))
}
