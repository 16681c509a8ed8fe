//! What the runtime checks of a kernel's launches, and nothing proves: launches may differ, and then a
//! version is needed that relies on nothing.

use fpgacc_frontend::ir::{Function, VarId};
use fpgacc_kernel_analysis::relation::{Relation, relation};
use fpgacc_kernel_analysis::usage::names;
use fpgacc_launch_facts::{Facts, Launch};
use fpgacc_runtime::manifest::{Fact, Form};

use crate::options::PassOptions;
use crate::pass::LaunchContract;
use crate::versions::may_refuse;

/// A fact that a version of a kernel relies on and that is not proved, in words; `None`: all are.
pub fn assumption(
    function: &Function,
    contract: &LaunchContract,
    launches: &[&Launch],
    facts: &Facts,
    options: &PassOptions,
) -> Option<String> {
    shared_memory(function, contract, launches, facts)
        .or_else(|| geometry(contract, launches))
        .or_else(|| arguments(function, contract, launches))
        .or_else(|| unseen_launches(contract, options))
}

fn unseen_launches(contract: &LaunchContract, options: &PassOptions) -> Option<String> {
    let object = options.unseen.as_ref()?;
    may_refuse(contract).then(|| {
        format!("'{object}' launches kernels too, and what it passes is assumed to be the same")
    })
}

fn shared_memory(
    function: &Function,
    contract: &LaunchContract,
    launches: &[&Launch],
    facts: &Facts,
) -> Option<String> {
    contract.distinct.iter().find_map(|&(a, b)| {
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
    let relies_on = match &contract.form {
        Form::Task(task) => task.relies_on.as_slice(),
        Form::NdRange => &[],
    };
    let is_local = |fact: &Fact| matches!(fact, Fact::Local(..) | Fact::OneGroup(_));
    let of_local = contract.local_size.is_some() || relies_on.iter().any(is_local);
    let of_rest = relies_on.iter().any(|fact| !is_local(fact));
    launches.iter().find_map(|launch| {
        let seen = launch.recorded.is_some();
        let what = match (of_local && !launch.local_is_proved(), of_rest && seen) {
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

/// Values, sizes and memory of single arguments.
fn arguments(
    function: &Function,
    contract: &LaunchContract,
    launches: &[&Launch],
) -> Option<String> {
    let scalars = contract.scalars.iter().map(|fact| fact.param);
    let bytes = [
        &contract.constants,
        &contract.aligned,
        &contract.local_bytes,
    ];
    let bytes = bytes.into_iter().flatten().map(|(index, _)| *index);
    scalars.chain(bytes).find_map(|index| {
        let mut all = launches.iter();
        let launch = all.find(|launch| !launch.argument_is_proved(index))?;
        let name = names(function, &[param(function, index)]);
        Some(format!(
            "what the launch at {} passes as {name} was only seen in a run",
            launch.site
        ))
    })
}

fn param(function: &Function, index: u32) -> VarId {
    function.params[index as usize]
}
