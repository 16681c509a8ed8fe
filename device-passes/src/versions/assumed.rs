//! What the runtime checks of a kernel's launches, and nothing proves: launches may differ, and then a
//! version is needed that relies on nothing.

use fpgacc_frontend::ir::{Function, VarId};
use fpgacc_kernel_analysis::geometry::Geometry;
use fpgacc_kernel_analysis::relation::{Relation, relation};
use fpgacc_kernel_analysis::usage::names;
use fpgacc_launch_facts::{Facts, Launch, LocalSize, Value};
use fpgacc_runtime::guard::{Guard, Multiple, Subject};

use crate::options::PassOptions;
use crate::pass::LaunchContract;

/// A fact that a version of a kernel relies on and that is not proved, as text; `None`: all are.
pub fn assumption(
    function: &Function,
    contract: &LaunchContract,
    launches: &[&Launch],
    facts: &Facts,
    options: &PassOptions,
) -> Option<String> {
    shared_memory(function, contract, launches, facts)
        .or_else(|| geometry(contract, launches))
        .or_else(|| multiples(contract, launches))
        .or_else(|| arguments(function, contract, launches))
        .or_else(|| unseen_launches(contract, options))
}

fn unseen_launches(contract: &LaunchContract, options: &PassOptions) -> Option<String> {
    let object = options.unseen.as_ref()?;
    contract.may_refuse().then(|| {
        format!("'{object}' launches kernels too, and what it passes is assumed to be the same")
    })
}

fn shared_memory(
    function: &Function,
    contract: &LaunchContract,
    launches: &[&Launch],
    facts: &Facts,
) -> Option<String> {
    let mut pairs = subjects(contract).filter_map(|subject| match subject {
        Subject::Memory(a, b) => Some((a, b)),
        _ => None,
    });
    pairs.find_map(|(a, b)| {
        let mut all = launches.iter().map(|launch| relation(facts, launch, a, b));
        all.find_map(|relation| match relation {
            Relation::Distinct => None,
            Relation::Assumed(reason) | Relation::Shared(reason) => Some(format!(
                "that {} are distinct is assumed: {reason}",
                names(function, &[param(function, a), param(function, b)])
            )),
        })
    })
}

fn geometry(contract: &LaunchContract, launches: &[&Launch]) -> Option<String> {
    let has = |subject| subjects(contract).any(|one| one == subject);
    let (of_local, of_rest) = (has(Subject::LocalSize), has(Subject::Range));
    launches.iter().find_map(|launch| {
        let seen = launch.recorded.is_some();
        let is_proved = match contract.local_sizes.is_empty() {
            true => launch.local_is_proved(),
            // It follows from the global size.
            false => !seen,
        };
        let what = match (of_local && !is_proved, of_rest && seen) {
            (true, _) => "local size",
            (_, true) => "NDRange",
            _ => return None,
        };
        let site = &launch.site;
        Some(format!(
            "the {what} of the launch at {site} was only seen in a run"
        ))
    })
}

/// Sizes of which a coarsened kernel wants multiples.
fn multiples(contract: &LaunchContract, launches: &[&Launch]) -> Option<String> {
    let mut multiples = contract.guards.iter().filter_map(|guard| match guard {
        Guard::Multiple(multiple) => Some(multiple),
        _ => None,
    });
    multiples.find_map(|multiple| divides(multiple, contract, launches))
}

fn divides(multiple: &Multiple, contract: &LaunchContract, launches: &[&Launch]) -> Option<String> {
    if launches.is_empty() {
        return Some("that sizes divide is assumed, as no launch is known".to_string());
    }
    let dim = usize::from(multiple.dim);
    let is_known = |sizes: &[Value]| sizes.get(dim).and_then(Value::constant).is_some();
    // Its local size follows from its global size.
    let is_chosen = |launch: &Launch| {
        !contract.local_sizes.is_empty()
            && Geometry::of([launch]).global.iter().all(Option::is_some)
    };
    let open = launches.iter().find(|launch| match &launch.local {
        _ if is_chosen(launch) => false,
        LocalSize::Sizes(sizes) => {
            !is_known(sizes) || multiple.of_groups && !is_known(&launch.global)
        }
        LocalSize::Null => !is_known(&launch.global),
        LocalSize::Unknown(_) => true,
    })?;
    let (of, site) = (multiple.of, &open.site);
    Some(format!(
        "that sizes of the launch at {site} divide by {of} is assumed"
    ))
}

/// Values, sizes and memory of single arguments.
fn arguments(
    function: &Function,
    contract: &LaunchContract,
    launches: &[&Launch],
) -> Option<String> {
    let mut indices = subjects(contract).filter_map(|subject| match subject {
        Subject::Argument(index) => Some(index),
        _ => None,
    });
    indices.find_map(|index| {
        let mut all = launches.iter();
        let launch = all.find(|launch| !launch.argument_is_proved(index))?;
        let name = names(function, &[param(function, index)]);
        Some(format!(
            "what the launch at {} passes as {name} was only seen in a run",
            launch.site
        ))
    })
}

fn subjects(contract: &LaunchContract) -> impl Iterator<Item = Subject> {
    contract.guards.iter().filter_map(Guard::subject)
}

fn param(function: &Function, index: u32) -> VarId {
    function.params[index as usize]
}
