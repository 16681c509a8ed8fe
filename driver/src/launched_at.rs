//! Where hosts launch their kernels, for the runtime's messages: a launch through a C++ binding, or from a header,
//! passes on no line of the host.

use std::collections::BTreeMap;

use fpgacc_launch_facts::{Facts, Known, Launch, Location};
use fpgacc_runtime::manifest::LaunchedAt;

/// Places that are named; of more it is said how many others there are.
const MOST_NAMED: usize = 3;

/// Where each kernel is launched, in the order of names. Nothing where some launch's kernel is not known, as it may be
/// any of them.
pub fn of(facts: &Facts) -> Vec<LaunchedAt> {
    let mut places: BTreeMap<&str, Vec<&Location>> = BTreeMap::new();
    for launch in facts.launches.iter().filter(|one| is_of_text(one)) {
        let Known::Is(kernels) = &launch.kernels else {
            return Vec::new();
        };
        for kernel in kernels {
            let known = places.entry(kernel).or_default();
            if !known.contains(&&launch.site) {
                known.push(&launch.site);
            }
        }
    }
    let described = places.into_iter().map(|(kernel, sites)| LaunchedAt {
        kernel: kernel.to_string(),
        at: described(&sites),
    });
    described.collect()
}

/// Whether a launch was found in a host, not in a run.
fn is_of_text(launch: &Launch) -> bool {
    launch.recorded.is_none()
}

fn described(sites: &[&Location]) -> String {
    let named: Vec<String> = sites
        .iter()
        .take(MOST_NAMED)
        .map(|at| at.to_string())
        .collect();
    let named = named.join(" or ");
    match sites.len().saturating_sub(MOST_NAMED) {
        0 => named,
        others => format!("{named} or {others} more"),
    }
}
