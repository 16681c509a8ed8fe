//! Launch facts of programs of which a table says how they launch their kernels.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Function, Module, Type};
use fpgacc_frontend::source::Location;
use fpgacc_launch_facts::{Arg, ArgValue, Buffer, Facts, Launch, LocalSize, QueueOrder, Value};

/// Equal launches of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launched<'a> {
    /// Its name.
    pub kernel: &'a str,
    /// Global size.
    pub global: &'a [u64],
    /// Local size; empty: the host leaves it open.
    pub local: &'a [u64],
    /// Integer arguments by the parameter's name.
    pub args: &'a BTreeMap<String, u64>,
}

/// The facts of a program with these launches, each in its place; every pointer gets a buffer of its own.
///
/// # Errors
/// There is no such kernel.
pub fn of<'a>(
    module: &Module,
    launches: impl Iterator<Item = Launched<'a>>,
) -> Result<Facts, String> {
    let mut facts = Facts::default();
    for (place, launched) in launches.enumerate() {
        let kernel = module
            .kernels()
            .find(|id| module.functions[*id].name == launched.kernel);
        let kernel = kernel.ok_or_else(|| format!("no kernel {}", launched.kernel))?;
        let site = Location::new("host", place as u32 + 1, 1);
        let launch = launch(module, &module.functions[kernel], launched, site.clone());
        for arg in &launch.args {
            if let ArgValue::Memory(name) = &arg.value {
                facts.buffers.push(Buffer::of(site.clone(), name));
            }
        }
        facts.launches.push(launch);
    }
    facts.buffers.dedup_by(|a, b| a.variable == b.variable);
    Ok(facts)
}

fn launch(module: &Module, kernel: &Function, launched: Launched<'_>, site: Location) -> Launch {
    let values = |sizes: &[u64]| sizes.iter().map(|size| Value::Const(*size)).collect();
    let arg = |(index, param): (usize, &_)| {
        let var = &kernel.vars[*param];
        let is_pointer = matches!(module.types.resolve(var.ty.ty), Type::Pointer { .. });
        let value = match launched.args.get(&var.name) {
            _ if is_pointer => ArgValue::Memory(var.name.clone()),
            Some(value) => ArgValue::Scalar(Value::Const(*value)),
            None => ArgValue::Unknown("not looked at".to_string()),
        };
        Arg {
            index: index as u32,
            value,
        }
    };
    Launch {
        work_dim: Value::Const(launched.global.len() as u64),
        offset: vec![Value::Const(0); launched.global.len()],
        global: values(launched.global),
        local: match launched.local.is_empty() {
            true => LocalSize::Null,
            false => LocalSize::constants(launched.local.iter().copied()),
        },
        args: kernel.params.iter().enumerate().map(arg).collect(),
        queue: QueueOrder::InOrder,
        ..Launch::of(site, vec![launched.kernel.to_string()])
    }
}
