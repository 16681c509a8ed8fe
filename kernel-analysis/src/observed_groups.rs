//! Whether a kernel's result may depend on the size of its groups.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Callee, Expr, ExprId, Function, FunctionId, Module, StmtKind,
};
use fpgacc_frontend::source::Span;

use crate::work_item::{self, Quantity};

/// What observes the size of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Where.
    pub span: Option<Span>,
    /// What stands there, such as `get_local_id`.
    pub what: String,
}

/// The first thing in a kernel, or in functions that it calls, that the size of groups may be seen by: ids in
/// groups, numbers of groups, barriers, local memory, an attribute. `None`: no work-item can observe them.
pub fn observed(module: &Module, kernel: FunctionId) -> Option<Observed> {
    let mut seen = BTreeSet::new();
    let function = &module.functions[kernel];
    let fixes = function.attr("reqd_work_group_size").map(|attr| Observed {
        span: function.span,
        what: attr.name.clone(),
    });
    fixes.or_else(|| in_function(module, kernel, &mut seen))
}

fn in_function(
    module: &Module,
    id: FunctionId,
    seen: &mut BTreeSet<FunctionId>,
) -> Option<Observed> {
    if !seen.insert(id) {
        return None;
    }
    let function = &module.functions[id];
    let Some(body) = &function.body else {
        return Some(Observed {
            span: function.span,
            what: format!("{}, of which only a declaration is known", function.name),
        });
    };
    if let Some(found) = local_memory(module, function) {
        return Some(found);
    }
    let mut calls = Vec::new();
    body.for_each_expr(&function.exprs, &mut |expr| {
        if matches!(function.exprs.get(expr), Expr::Call { .. }) {
            calls.push(expr);
        }
    });
    calls
        .into_iter()
        .find_map(|call| in_call(module, function, call, seen))
}

/// Local memory that a function declares, or that a pointer of its parameters leads to.
fn local_memory(module: &Module, function: &Function) -> Option<Observed> {
    let is_local = |space: AddressSpace| space == AddressSpace::Local;
    let pointer = function.params.iter().find(|param| {
        let ty = function.vars[**param].ty.ty;
        let pointee = module.types.as_pointer(ty);
        pointee.is_some_and(|(_, space)| is_local(space))
    });
    let mut declared = pointer.copied();
    if let Some(body) = &function.body {
        body.for_each_stmt(&mut |stmt| {
            if let StmtKind::Decl { var, .. } = stmt.kind
                && is_local(function.vars[var].space)
            {
                declared = declared.or(Some(var));
            }
        });
    }
    declared.map(|var| Observed {
        span: function.vars[var].span,
        what: format!("the local memory '{}'", function.vars[var].name),
    })
}

fn in_call(
    module: &Module,
    function: &Function,
    call: ExprId,
    seen: &mut BTreeSet<FunctionId>,
) -> Option<Observed> {
    let Expr::Call { callee, .. } = function.exprs.get(call) else {
        return None;
    };
    let name = match callee {
        Callee::Function(id) => return in_function(module, *id, seen),
        Callee::Builtin(name) => name,
    };
    let observes = match work_item::query(module, function, call) {
        Some(query) => !matches!(
            query.quantity,
            Quantity::GlobalId
                | Quantity::GlobalSize
                | Quantity::GlobalOffset
                | Quantity::WorkDim
                | Quantity::GlobalLinearId
        ),
        None => is_of_groups(name),
    };
    observes.then(|| Observed {
        span: function.exprs.span(call),
        what: name.clone(),
    })
}

/// Whether a builtin function is one of groups or subgroups as a whole.
fn is_of_groups(name: &str) -> bool {
    let parts = [
        "barrier",
        "work_group",
        "sub_group",
        "async_",
        "wait_group",
        "prefetch",
        "enqueue",
    ];
    parts.iter().any(|part| name.contains(part))
}
