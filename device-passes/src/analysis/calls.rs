//! Which functions a function reaches.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Callee, Expr, ExprId, Function, FunctionId, Module};

/// The functions of the module that a function calls itself, with one call each, in the order of the
/// source.
pub fn callees(function: &Function) -> Vec<(FunctionId, ExprId)> {
    let mut out: Vec<(FunctionId, ExprId)> = Vec::new();
    let Some(body) = &function.body else {
        return out;
    };
    body.for_each_expr(&function.exprs, &mut |id| {
        if let Expr::Call {
            callee: Callee::Function(callee),
            ..
        } = function.exprs.get(id)
            && out.iter().all(|(seen, _)| seen != callee)
        {
            out.push((*callee, id));
        }
    });
    out
}

/// All functions that `root` calls, directly or not, without itself unless it is recursive; callers
/// before what only they call.
pub fn reachable(module: &Module, root: FunctionId) -> Vec<FunctionId> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    let mut stack = vec![root];
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
