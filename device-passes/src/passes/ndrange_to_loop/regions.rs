//! The body of a kernel, cut at its barriers.

use fpgacc_frontend::ir::{AddressSpace, Function, Stmt, StmtKind};
use fpgacc_frontend::source::Span;

use super::survey::{builtin_stmt, is_barrier, is_fence};

/// The statements between barriers, in order. Blocks that hold barriers are dissolved, so names must
/// be unique; see [`dissolves_blocks`].
pub fn split(function: &Function, stmts: Vec<Stmt>) -> Vec<Vec<Stmt>> {
    let mut regions = vec![Vec::new()];
    cut(function, stmts, &mut regions);
    regions
}

fn cut(function: &Function, stmts: Vec<Stmt>, regions: &mut Vec<Vec<Stmt>>) {
    for stmt in stmts {
        if builtin_stmt(function, &stmt).is_some_and(is_barrier) {
            regions.push(Vec::new());
            continue;
        }
        match stmt.kind {
            StmtKind::Block(block) if holds_barrier(function, &block.stmts) => {
                cut(function, block.stmts, regions);
            }
            _ => {
                if let Some(last) = regions.last_mut() {
                    last.push(stmt);
                }
            }
        }
    }
}

/// Whether [`split`] takes blocks apart.
pub fn dissolves_blocks(function: &Function, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Block(block) => holds_barrier(function, &block.stmts),
        _ => false,
    })
}

fn holds_barrier(function: &Function, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        let mut found = false;
        stmt.for_each(&mut |stmt| {
            found |= builtin_stmt(function, stmt).is_some_and(is_barrier);
        });
        found
    })
}

/// The first `return` that stands in front of a later barrier, with the barrier behind it.
pub fn return_before_barrier(
    function: &Function,
    stmts: &[Stmt],
) -> Option<(Option<Span>, Option<Span>)> {
    let mut returned: Option<Option<Span>> = None;
    let mut found = None;
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            if matches!(stmt.kind, StmtKind::Return(_)) && returned.is_none() {
                returned = Some(stmt.span);
            }
            if let Some(at) = returned
                && found.is_none()
                && builtin_stmt(function, stmt).is_some_and(is_barrier)
            {
                found = Some((at, stmt.span));
            }
        });
    }
    found
}

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
