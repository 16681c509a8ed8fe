//! How much `__constant` memory a program's launches use.
//!
//! All kernels of a program read it through one cache, of 16 KiB unless aoc is told otherwise; misses
//! cost far more than in `__global` memory (Intel FPGA SDK for OpenCL, Best Practices Guide, section
//! 8.3.1). The size of the cache changes speed and area, never a result: nothing is checked at launch.

use std::collections::BTreeMap;

use fpgacc_frontend::facts::{ArgValue, Buffer, Facts, Known, Launch, Value};
use fpgacc_frontend::ir::{AddressSpace, Module};

/// The smallest cache, in bytes: what one block RAM holds.
pub const LEAST: u64 = 2 << 10;

/// The largest cache that is made without being asked for, in bytes. Each further read of a kernel
/// takes a copy of it.
pub const MOST: u64 = 128 << 10;

/// The cache in bytes, a power of two, that holds all constant memory of a program; `None`: it has none,
/// the size of some is not known, or it is more than [`MOST`].
pub fn cache_bytes(module: &Module, facts: &Facts) -> Option<u64> {
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    for launch in &facts.launches {
        for index in constant_arguments(module, launch) {
            for name in buffers(launch, index)? {
                sizes.insert(name, bytes(facts, name)?);
            }
        }
    }
    // A kernel of which no launch is known may be passed anything.
    let is_launched = |name: &str| {
        let mut all = facts.launches.iter();
        all.any(|launch| starts(launch, name))
    };
    let mut kernels = module.kernels().map(|id| &module.functions[id]);
    let all_known = kernels.all(|kernel| {
        is_launched(&kernel.name) || parameters(module, &kernel.name).next().is_none()
    });
    if !all_known {
        return None;
    }
    let mut total = own_bytes(module)?;
    for size in sizes.into_values() {
        total = total.checked_add(size)?;
    }
    let cache = total.checked_next_power_of_two()?.max(LEAST);
    (total > 0 && cache <= MOST).then_some(cache)
}

fn starts(launch: &Launch, kernel: &str) -> bool {
    match &launch.kernels {
        Known::Is(names) => names.iter().any(|name| name == kernel),
        Known::Unknown(_) => true,
    }
}

/// The `__constant` pointer parameters of a kernel.
fn parameters(module: &Module, kernel: &str) -> impl Iterator<Item = u32> {
    let mut kernels = module.kernels().map(|id| &module.functions[id]);
    let function = kernels.find(|function| function.name == kernel);
    let params = function.into_iter().flat_map(move |function| {
        let vars = function.params.iter();
        vars.map(|var| module.types.as_pointer(function.vars[*var].ty.ty))
    });
    (0..)
        .zip(params)
        .filter(|(_, pointer)| matches!(pointer, Some((_, AddressSpace::Constant))))
        .map(|(index, _)| index)
}

/// The arguments of a launch that are constant memory of some kernel that it may start.
fn constant_arguments(module: &Module, launch: &Launch) -> Vec<u32> {
    let kernels = module
        .kernels()
        .map(|id| module.functions[id].name.as_str());
    let started = kernels.filter(|name| starts(launch, name));
    started.flat_map(|name| parameters(module, name)).collect()
}

fn buffers(launch: &Launch, index: u32) -> Option<Vec<&str>> {
    let arg = launch.args.iter().find(|arg| arg.index == index)?;
    match &arg.value {
        ArgValue::Memory(name) => Some(vec![name]),
        ArgValue::AnyOf(names) => Some(names.iter().map(String::as_str).collect()),
        _ => None,
    }
}

/// The bytes of the largest buffer that has this name.
fn bytes(facts: &Facts, name: &str) -> Option<u64> {
    if name == "NULL" {
        return Some(0);
    }
    let named = |buffer: &&Buffer| buffer.variable.as_deref() == Some(name);
    let sizes = facts.buffers.iter().filter(named).map(|b| most(&b.size));
    let sizes: Option<Vec<u64>> = sizes.collect();
    sizes?.into_iter().max()
}

fn most(size: &Value) -> Option<u64> {
    match size {
        Value::Const(bytes) => Some(*bytes),
        Value::OneOf(all) => all.iter().max().copied(),
        Value::Range { max, .. } => Some(*max),
        Value::AnyOf(all) => {
            let sizes: Option<Vec<u64>> = all.iter().map(most).collect();
            sizes?.into_iter().max()
        }
        Value::Symbolic(_) | Value::Unknown(_) => None,
    }
}

/// The bytes of constants at file scope.
fn own_bytes(module: &Module) -> Option<u64> {
    let variables = module.globals.iter().map(|(_, global)| &global.variable);
    let constants = variables.filter(|variable| variable.space == AddressSpace::Constant);
    constants
        .map(|variable| Some(module.layout(variable.ty.ty)?.size))
        .sum()
}
