//! The buffers of the host, and which kernels access them.

use std::collections::BTreeMap;

use fpgacc_decision::Decision;
use fpgacc_frontend::ir::Module;
use fpgacc_launch_facts::{Facts, Launch};

use super::data::{Buffer, Position, Use};
use crate::agree;

/// The buffers that launches of these kernels pass, in the order in which the host creates them.
pub fn buffers(
    facts: &Facts,
    module: &Module,
    decisions: &BTreeMap<String, Decision>,
) -> Vec<Buffer> {
    let mut buffers: Vec<Buffer> = Vec::new();
    for launch in &facts.launches {
        for (name, decision) in decisions {
            if launches(launch, name) {
                add(&mut buffers, facts, launch, module, name, decision);
            }
        }
    }
    let created = |buffer: &Buffer| {
        let mut made = facts.buffers.iter();
        made.position(|one| one.variable.as_ref() == Some(&buffer.name))
            .unwrap_or(usize::MAX)
    };
    buffers.sort_by_key(created);
    buffers
}

/// Whether it is known that a launch is of this kernel, or may be.
fn launches(launch: &Launch, kernel: &str) -> bool {
    let names = launch.kernels.get();
    names.is_some_and(|names| names.iter().any(|name| name == kernel))
}

fn add(
    buffers: &mut Vec<Buffer>,
    facts: &Facts,
    launch: &Launch,
    module: &Module,
    kernel: &str,
    decision: &Decision,
) {
    let Some(function) = module
        .kernels()
        .find(|id| module.functions[*id].name == kernel)
    else {
        return;
    };
    let function = &module.functions[function];
    for arg in &launch.args {
        let Some(names) = arg.value.memory() else {
            continue;
        };
        let Some(param) = function.params.get(arg.index as usize) else {
            continue;
        };
        let parameter = &function.vars[*param].name;
        let accesses = |is_store: bool| {
            let parts = decision.chosen().price.parts.iter();
            let mut units = parts.flat_map(|part| &part.prediction.lsus);
            units.any(|unit| unit.array == *parameter && unit.is_store == is_store)
        };
        let (loads, stores) = (accesses(false), accesses(true));
        if !loads && !stores {
            continue;
        }
        for name in names.iter().filter(|name| *name != "NULL") {
            let one = Use {
                kernel: kernel.to_string(),
                parameter: parameter.clone(),
                loads,
                stores,
                is_one_of_many: names.len() > 1,
            };
            let at = buffers.iter().position(|buffer| buffer.name == *name);
            let at = at.unwrap_or_else(|| {
                buffers.push(buffer(facts, name));
                buffers.len() - 1
            });
            if !buffers[at].uses.contains(&one) {
                buffers[at].uses.push(one);
            }
        }
    }
}

/// What is known of a buffer.
fn buffer(facts: &Facts, name: &str) -> Buffer {
    let made = facts
        .buffers
        .iter()
        .find(|one| one.variable.as_deref() == Some(name));
    let size = made.map(|one| &one.size);
    Buffer {
        name: name.to_string(),
        position: made.map(|one| Position {
            file: one.site.file.clone(),
            line: one.site.line,
        }),
        size: size.map_or("not known".to_string(), agree::describe),
        bytes: size.and_then(|size| size.constant()),
        uses: Vec::new(),
    }
}
