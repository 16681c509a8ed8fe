//! How much `__constant` memory a program's launches use.
//!
//! All kernels of a program read it through one cache, of 16 KiB unless aoc is given another size; misses
//! cost far more than in `__global` memory (Intel FPGA SDK for OpenCL, Best Practices Guide, section
//! 8.3.1). The size of the cache changes speed and area, never a result: nothing is checked at launch.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{AddressSpace, Function, Module};
use fpgacc_launch_facts::{Buffer, Facts, Launch, Value};

/// The smallest cache, in bytes: what one block RAM holds.
pub const LEAST: u64 = 2 << 10;

/// The largest cache that is made without being asked for, in bytes. Each further read of a kernel
/// takes a copy of it.
pub const MOST: u64 = 128 << 10;

/// Launches by the name of the kernel, or of the version of it, that they launch. A version for launches
/// that are not expected has no entry.
pub type Launches<'f> = BTreeMap<String, Vec<&'f Launch>>;

/// The cache in bytes, a power of two, that holds all constant memory of a program; `None`: it has none,
/// the size of some is not known, or it is more than [`MOST`].
pub fn cache_bytes(module: &Module, facts: &Facts, launches: &Launches<'_>) -> Option<u64> {
    cache_for(bytes_with(module, facts, launches, &[])?)
}

/// The same for so many bytes of constant memory.
pub fn cache_for(bytes: u64) -> Option<u64> {
    let cache = bytes.checked_next_power_of_two()?.max(LEAST);
    (bytes > 0 && cache <= MOST).then_some(cache)
}

/// The bytes of all constant memory of a program, and of these buffers if they were of it; `None`: the
/// size of some is not known.
pub fn bytes_with(
    module: &Module,
    facts: &Facts,
    launches: &Launches<'_>,
    more: &[&str],
) -> Option<u64> {
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    for kernel in module.kernels().map(|id| &module.functions[id]) {
        let Some(launches) = launches.get(&kernel.name) else {
            continue;
        };
        for index in parameters(module, kernel) {
            // A kernel of which no launch is known may be passed anything.
            if launches.is_empty() {
                return None;
            }
            for launch in launches {
                for name in buffers(launch, index)? {
                    sizes.insert(name, bytes(facts, name)?);
                }
            }
        }
    }
    for name in more {
        sizes.insert(name, bytes(facts, name)?);
    }
    let mut total = own_bytes(module)?;
    for size in sizes.into_values() {
        total = total.checked_add(size)?;
    }
    Some(total)
}

/// The `__constant` pointer parameters of a kernel.
pub fn parameters(module: &Module, kernel: &Function) -> Vec<u32> {
    let is_constant = |var| {
        let pointer = module.types.as_pointer(kernel.vars[var].ty.ty);
        matches!(pointer, Some((_, AddressSpace::Constant)))
    };
    let params = (0..).zip(kernel.params.iter().copied());
    params
        .filter(|(_, var)| is_constant(*var))
        .map(|(index, _)| index)
        .collect()
}

/// The names of the buffers of which a launch passes one as an argument.
pub fn buffers(launch: &Launch, index: u32) -> Option<&[String]> {
    launch.argument(index)?.memory()
}

/// The most bytes that a launch passes as an argument, if it is memory of a known size.
pub fn argument_bytes(facts: &Facts, launch: &Launch, index: u32) -> Option<u64> {
    let sizes = buffers(launch, index)?.iter();
    let sizes: Option<Vec<u64>> = sizes.map(|name| bytes(facts, name)).collect();
    sizes?.into_iter().max()
}

/// The calls that create a buffer of this name.
pub fn creations<'f>(facts: &'f Facts, name: &str) -> Vec<&'f Buffer> {
    let named = |buffer: &&Buffer| buffer.variable.as_deref() == Some(name);
    facts.buffers.iter().filter(named).collect()
}

/// The bytes of the largest buffer that has this name.
fn bytes(facts: &Facts, name: &str) -> Option<u64> {
    if name == "NULL" {
        return Some(0);
    }
    let sizes = creations(facts, name).into_iter().map(|b| most(&b.size));
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
