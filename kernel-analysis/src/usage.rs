//! What a kernel does with its pointer parameters.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{AddressSpace, Function, FunctionId, Module, VarId};

use super::accesses::{Accesses, Summaries};
use super::alias::{Aliases, Root};

/// What a kernel does with its pointer parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// May be written through.
    pub written: BTreeSet<VarId>,
    /// Is given another pointer's value: C forbids that between `restrict` pointers of one scope.
    pub reassigned: BTreeSet<VarId>,
}

impl Usage {
    /// Of a kernel; `called` holds the functions that others call.
    pub fn of(module: &Module, kernel: FunctionId, called: &BTreeSet<FunctionId>) -> Self {
        let summaries = Summaries::reachable(module, kernel, called);
        let aliases = Aliases::new(module, kernel, called);
        let function = &module.functions[kernel];
        let body = function.body.as_ref().map_or(&[][..], |body| &body.stmts);
        let accesses = Accesses::of_stmts(&aliases, &summaries, body);
        let writes = accesses.writes();
        let written = writes.flat_map(|access| aliases.parameters(access));
        let foreign = |var: VarId| {
            aliases
                .var_roots(var)
                .iter()
                .any(|r| *r != Root::Param(var))
        };
        let reassigned = function.params.iter().copied().filter(|v| foreign(*v));
        Usage {
            written: written.collect(),
            reassigned: reassigned.collect(),
        }
    }
}

/// The `__global` and `__constant` pointer parameters of a kernel, with their indices among all.
pub fn buffer_parameters(module: &Module, kernel: FunctionId) -> Vec<(u32, VarId)> {
    let function = &module.functions[kernel];
    let params = (0..).zip(function.params.iter().copied());
    params
        .filter(|(_, var)| is_buffer(module, function, *var))
        .collect()
}

/// Whether a variable is a `__global` or `__constant` pointer.
pub fn is_buffer(module: &Module, function: &Function, var: VarId) -> bool {
    matches!(
        module.types.as_pointer(function.vars[var].ty.ty),
        Some((_, AddressSpace::Global | AddressSpace::Constant))
    )
}

/// The names of variables, as in a sentence.
pub fn names(function: &Function, vars: &[VarId]) -> String {
    let names: Vec<_> = vars
        .iter()
        .map(|var| format!("'{}'", function.vars[*var].name))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
