//! A kernel without the others of its program.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Arena, Exprs, FunctionId, Item, Module};

/// A module whose kernels are taken out, but for those that others call. Names and handles stay what
/// they are, so that a kernel is rewritten as it is among the others.
pub struct Without {
    module: Module,
    kernels: BTreeSet<FunctionId>,
}

impl Without {
    /// Takes the kernels out.
    pub fn new(module: &Module, called: &BTreeSet<FunctionId>) -> Self {
        let kernels = module.kernels().filter(|id| !called.contains(id));
        let kernels: BTreeSet<FunctionId> = kernels.collect();
        let mut hollow = module.clone();
        hollow.keep_names();
        for &kernel in &kernels {
            let function = &mut hollow.functions[kernel];
            function.body = None;
            function.exprs = Exprs::default();
            function.params.clear();
            function.vars = Arena::default();
        }
        Without {
            module: hollow,
            kernels,
        }
    }

    /// The module with one of its kernels, and all that it may call.
    pub fn with(&self, original: &Module, kernel: FunctionId) -> Module {
        let mut out = self.module.clone();
        out.functions.share(kernel, &original.functions);
        let is_out = |id: &FunctionId| *id != kernel && self.kernels.contains(id);
        out.items.retain(|item| match item {
            Item::Function(id) => !is_out(id),
            _ => true,
        });
        out
    }
}
