//! A kernel without the others of its program.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Exprs, FunctionId, Item, Module};

/// The module with one of its kernels only, and all that it may call. Handles stay what they are.
pub fn alone(module: &Module, kernel: FunctionId, called: &BTreeSet<FunctionId>) -> Module {
    let mut out = module.clone();
    let others: BTreeSet<FunctionId> = module
        .kernels()
        .filter(|other| *other != kernel && !called.contains(other))
        .collect();
    out.items.retain(|item| match item {
        Item::Function(id) => !others.contains(id),
        _ => true,
    });
    for other in others {
        let function = &mut out.functions[other];
        function.body = None;
        function.exprs = Exprs::default();
    }
    out
}
