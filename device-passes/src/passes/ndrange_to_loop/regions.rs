//! What leaves the body of a kernel: synchronisation, and declarations of memory that work-items share.

use fpgacc_frontend::ir::{AddressSpace, Expr, Function, Stmt, StmtKind};

use crate::passes::ndrange_to_loop::survey::{builtin_stmt, is_barrier, is_fence};

/// Removes what a single work-item needs not do: fences, and barriers if `barriers`.
pub fn remove_synchronisation(function: &Function, stmts: &mut Vec<Stmt>, barriers: bool) {
    stmts.retain(|stmt| {
        !builtin_stmt(function, stmt)
            .is_some_and(|name| is_fence(name) || barriers && is_barrier(name))
            || arguments_matter(function, stmt)
    });
    for stmt in stmts {
        for list in stmt.lists_mut() {
            remove_synchronisation(function, list, barriers);
        }
    }
}

/// Whether a statement, a call, has arguments with effects.
fn arguments_matter(function: &Function, stmt: &Stmt) -> bool {
    let mut calls = stmt.exprs();
    let exprs = &function.exprs;
    while let Some(Expr::Cast { operand, .. }) = calls.first().map(|call| exprs.get(*call)) {
        calls = vec![*operand];
    }
    let mut args = calls.into_iter().flat_map(|call| exprs.children(call));
    args.any(|arg| exprs.has_effects(arg))
}

/// Takes the declarations of `__local` and `__constant` variables out of `stmts`: their scope becomes
/// the kernel's.
pub fn take_shared_declarations(function: &Function, stmts: &mut Vec<Stmt>, out: &mut Vec<Stmt>) {
    let is_shared = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Decl { var, .. } => matches!(
            function.vars[*var].space,
            AddressSpace::Local | AddressSpace::Constant
        ),
        _ => false,
    };
    let mut kept = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        if is_shared(&stmt) {
            out.push(stmt);
            continue;
        }
        for list in stmt.lists_mut() {
            take_shared_declarations(function, list, out);
        }
        kept.push(stmt);
    }
    *stmts = kept;
}
