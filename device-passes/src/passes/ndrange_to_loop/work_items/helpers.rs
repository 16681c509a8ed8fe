//! Functions that a kernel calls and that ask for ids: they take them as further parameters.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Callee, Expr, ExprId, FileNames, Function, FunctionId, Item, Module, Scalar, Stmt, VarId,
};
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::work_item::{Dim, Quantity};

use crate::passes::ndrange_to_loop::work_items::ids::{Ids, Target};
use crate::passes::ndrange_to_loop::work_items::narrow::narrow;
use crate::passes::ndrange_to_loop::work_items::queries::{self, Marks, Source};

/// The further parameters of a function: what it, or what it calls, asks for.
type Wants = BTreeSet<(Quantity, u8)>;

/// The functions that are to be rewritten for a kernel, and by what.
#[derive(Default)]
pub struct Helpers {
    wants: BTreeMap<FunctionId, Wants>,
    /// The function to call instead.
    replacement: BTreeMap<FunctionId, FunctionId>,
}

impl Helpers {
    /// Finds the functions among `callees` (all that the kernel reaches) that ask for ids.
    pub fn find(module: &Module, callees: &[FunctionId], ids: &mut Ids) -> Self {
        let mut asks: BTreeMap<FunctionId, Wants> = BTreeMap::new();
        for &id in callees {
            let function = &module.functions[id];
            let Some(body) = &function.body else { continue };
            let queries = queries::find(module, function, &body.stmts);
            if queries.is_empty() {
                continue;
            }
            let wants = asks.entry(id).or_default();
            for (_, query) in queries {
                let dims = match query.dim {
                    Dim::Of(d) => d..d + 1,
                    Dim::None => 0..1,
                    Dim::Computed(_) => 0..3,
                    Dim::Beyond => 0..0,
                };
                let quantity = query.quantity;
                wants.extend(
                    dims.filter(|d| ids.constant(quantity, *d).is_none())
                        .map(|d| (quantity, d)),
                );
            }
        }
        // A caller hands on what its callees want.
        loop {
            let before = asks.clone();
            for &id in callees {
                for (callee, _) in calls::callees(&module.functions[id]) {
                    if let Some(wants) = asks.get(&callee).cloned() {
                        asks.entry(id).or_default().extend(wants);
                    }
                }
            }
            if asks == before {
                break;
            }
        }
        Helpers {
            wants: asks,
            replacement: BTreeMap::new(),
        }
    }

    /// Adds the arguments to the calls in `stmts` of functions that want some, and redirects them.
    pub fn pass_ids(
        &self,
        module: &mut Module,
        function: &mut Function,
        taken: &FileNames,
        stmts: &[Stmt],
        source: &mut Source<'_>,
    ) {
        for (call, callee) in calls::calls_in(function, stmts) {
            let Some(wants) = self.wants.get(&callee) else {
                continue;
            };
            let mut target = Target {
                function: &mut *function,
                types: &mut module.types,
                taken,
            };
            let further: Vec<ExprId> = wants
                .iter()
                .map(|&(quantity, d)| match quantity {
                    Quantity::GlobalLinearId | Quantity::LocalLinearId => {
                        source.linear(&mut target, quantity).0
                    }
                    _ => source.expr(&mut target, quantity, d),
                })
                .collect();
            let exprs = &mut function.exprs;
            let (mut expr, ty) = (exprs.get(call).clone(), exprs.ty(call));
            if let Expr::Call { callee: to, args } = &mut expr {
                *to = Callee::Function(self.replacement.get(&callee).copied().unwrap_or(callee));
                args.extend(further);
            }
            exprs.replace(call, expr, ty);
        }
    }

    /// Rewrites the functions: in place if only this kernel uses them, else as copies.
    pub fn rewrite(&mut self, module: &mut Module, kernel: FunctionId, ids: &mut Ids) {
        if self.wants.is_empty() {
            return;
        }
        let shared = shared_with_others(module, kernel);
        let wanting: Vec<FunctionId> = self.wants.keys().copied().collect();
        for &id in wanting.iter().filter(|id| shared.contains(id)) {
            let copy = copy_of(module, id, kernel);
            self.replacement.insert(id, copy);
        }
        for &id in &wanting {
            let rewritten = self.replacement.get(&id).copied().unwrap_or(id);
            self.rewrite_one(module, id, rewritten, ids);
        }
    }

    fn rewrite_one(
        &self,
        module: &mut Module,
        original: FunctionId,
        rewritten: FunctionId,
        ids: &mut Ids,
    ) {
        let taken = module.global_names();
        let mut function = module.functions[rewritten].clone();
        let Some(body) = function.body.take() else {
            return;
        };
        let params: BTreeMap<(Quantity, u8), VarId> = self.wants[&original]
            .iter()
            .map(|&(quantity, d)| {
                let param = add_param(module, &mut function, &taken, quantity, d);
                ((quantity, d), param)
            })
            .collect();
        let mut source = Source::Helper {
            ids,
            params: &params,
        };
        let mut marks = Marks::new();
        let stmts = &body.stmts;
        queries::replace(
            module,
            &mut function,
            &taken,
            stmts,
            &mut source,
            &mut marks,
        );
        self.pass_ids(module, &mut function, &taken, stmts, &mut source);
        narrow(
            &mut module.types,
            &module.functions,
            &mut function,
            &body,
            marks,
        );
        function.body = Some(body);
        module.functions[rewritten] = function;
    }
}

fn add_param(
    module: &mut Module,
    function: &mut Function,
    taken: &FileNames,
    quantity: Quantity,
    d: u8,
) -> VarId {
    let (name, ty) = match quantity {
        Quantity::GlobalLinearId | Quantity::LocalLinearId => {
            (quantity.name().to_string(), module.types.size_t())
        }
        Quantity::WorkDim => (
            quantity.name().to_string(),
            module.types.scalar(Scalar::Int),
        ),
        _ => (
            format!(
                "{}_{}",
                quantity.name(),
                crate::passes::ndrange_to_loop::work_items::grid::letter(d)
            ),
            module.types.scalar(Scalar::Int),
        ),
    };
    let var = function.add_var(&name, ty, taken);
    function.params.push(var);
    var
}

/// The functions that something other than this kernel uses.
pub fn shared_with_others(module: &Module, kernel: FunctionId) -> BTreeSet<FunctionId> {
    let mine: BTreeSet<FunctionId> = calls::reachable(module, kernel).into_iter().collect();
    let others = module
        .functions
        .ids()
        .filter(|id| *id != kernel && !mine.contains(id));
    let shared = calls::reachable_from(module, others.collect());
    shared.into_iter().collect()
}

/// A copy of a function for a kernel, declared and defined after the original.
pub fn copy_of(module: &mut Module, original: FunctionId, kernel: FunctionId) -> FunctionId {
    let mut copy = module.functions[original].clone();
    let taken = module.global_names();
    let hint = format!("{}_in_{}", copy.name, module.functions[kernel].name);
    copy.name = module.functions[original].fresh_name(&hint, &taken);
    let id = module.functions.add(copy);
    let mut items = Vec::with_capacity(module.items.len() + 1);
    for item in std::mem::take(&mut module.items) {
        let twin = match item {
            Item::Prototype(of) if of == original => Some(Item::Prototype(id)),
            Item::Function(of) if of == original => Some(Item::Function(id)),
            _ => None,
        };
        items.push(item);
        items.extend(twin);
    }
    module.items = items;
    id
}
