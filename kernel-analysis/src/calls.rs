//! Which functions a function reaches.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Callee, Expr, ExprId, Function, FunctionId, Module, Stmt, builtin_has_effects,
};

/// The calls of the module's functions in statements, in the order of the source, and what they call.
pub fn calls_in(function: &Function, stmts: &[Stmt]) -> Vec<(ExprId, FunctionId)> {
    let mut found = Vec::new();
    for stmt in stmts {
        stmt.for_each_expr(&function.exprs, &mut |id| {
            if let Expr::Call {
                callee: Callee::Function(callee),
                ..
            } = function.exprs.get(id)
            {
                found.push((id, *callee));
            }
        });
    }
    found
}

/// All in a function's body.
fn calls_of(function: &Function) -> Vec<(ExprId, FunctionId)> {
    let body = function.body.as_ref();
    body.map_or_else(Vec::new, |body| calls_in(function, &body.stmts))
}

/// The functions of the module that a function calls itself, with one call each, in the order of the
/// source.
pub fn callees(function: &Function) -> Vec<(FunctionId, ExprId)> {
    let mut out: Vec<(FunctionId, ExprId)> = Vec::new();
    for (call, callee) in calls_of(function) {
        if out.iter().all(|(seen, _)| *seen != callee) {
            out.push((callee, call));
        }
    }
    out
}

/// The functions of the module that a function calls itself, each with the number of its calls.
pub fn call_sites(function: &Function) -> BTreeMap<FunctionId, usize> {
    let mut sites = BTreeMap::new();
    for (_, callee) in calls_of(function) {
        *sites.entry(callee).or_insert(0) += 1;
    }
    sites
}

/// All functions that `root` calls, directly or not, without itself unless it is recursive; callers
/// before what only they call.
pub fn reachable(module: &Module, root: FunctionId) -> Vec<FunctionId> {
    reachable_from(module, vec![root])
}

/// All functions that some of these call, directly or not.
pub fn reachable_from(module: &Module, roots: Vec<FunctionId>) -> Vec<FunctionId> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    let mut stack = roots;
    while let Some(at) = stack.pop() {
        for (callee, _) in callees(&module.functions[at]).into_iter().rev() {
            if seen.insert(callee) {
                out.push(callee);
                stack.push(callee);
            }
        }
    }
    out
}

/// Whether a function calls such a built-in one.
pub fn calls_builtin(function: &Function, is_one: impl Fn(&str) -> bool) -> bool {
    let mut found = false;
    if let Some(body) = &function.body {
        body.for_each_expr(&function.exprs, &mut |expr| {
            if let Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } = function.exprs.get(expr)
            {
                found |= is_one(name);
            }
        });
    }
    found
}

/// Whether a kernel exchanges values with others that run at the same time, over channels or pipes. Each end of
/// a channel is in one kernel only, so there cannot be two versions of such a kernel in a program.
pub fn talks_to_kernels(module: &Module, kernel: FunctionId) -> bool {
    let calls = |id: &FunctionId| calls_builtin(&module.functions[*id], talks);
    calls(&kernel) || reachable(module, kernel).iter().any(calls)
}

/// Whether a builtin exchanges values with other kernels.
pub fn talks(name: &str) -> bool {
    name.contains("channel") || name.contains("pipe")
}

/// Whether a call of a builtin only computes a value of its arguments' values: it has no effects, looks
/// at no memory or image, and asks for nothing.
pub fn builtin_computes(module: &Module, function: &Function, name: &str, args: &[ExprId]) -> bool {
    let takes_pointers = args.iter().any(|arg| {
        let ty = function.exprs.ty(*arg);
        module.types.as_pointer(ty).is_some() || module.types.as_array(ty).is_some()
    });
    !builtin_has_effects(name)
        && !takes_pointers
        && !name.starts_with("read_")
        && !name.starts_with("get_")
}
