//! What leaves the body of a kernel: synchronisation, and declarations of memory that work-items share.

use fpgacc_frontend::ir::{AddressSpace, Function, Stmt, StmtKind};

use super::survey::{builtin_stmt, is_barrier, is_fence};

/// Removes what a single work-item needs not do: fences, and barriers if `barriers`.
pub fn remove_synchronisation(function: &Function, stmts: &mut Vec<Stmt>, barriers: bool) {
    stmts.retain(|stmt| {
        !builtin_stmt(function, stmt)
            .is_some_and(|name| is_fence(name) || barriers && is_barrier(name))
    });
    for stmt in stmts {
        for list in stmt.lists_mut() {
            remove_synchronisation(function, list, barriers);
        }
    }
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
