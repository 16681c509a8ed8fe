//! Loops that all lanes go through together: their conditions are the same for all lanes, and nobody
//! leaves them early. What lanes load alike in such a loop is loaded once an iteration.

use fpgacc_frontend::ir::{FileNames, Function, Module, Stmt, StmtKind, Type};

use crate::passes::ndrange_to_loop::control::alike::Alike;
use crate::passes::ndrange_to_loop::control::convergence::{Surroundings, has_exit};
use crate::passes::ndrange_to_loop::control::live_ranges;
use crate::passes::ndrange_to_loop::control::switches;
use crate::passes::ndrange_to_loop::control::uniform::{self, Uniform};
use crate::passes::ndrange_to_loop::prepare;
use crate::passes::ndrange_to_loop::survey::{SPLIT, builtin_stmt};
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Marks these loops with a split at the heads of their bodies, and counts them.
pub fn mark(
    module: &mut Module,
    function: &mut Function,
    taken: &FileNames,
    alike: Alike,
    stmts: &mut Vec<Stmt>,
) -> usize {
    if !mark_all(module, function, stmts) {
        return 0;
    }
    prepare::split_steps(function, stmts);
    let mut target = Target {
        function,
        types: &mut module.types,
        taken,
    };
    live_ranges::split(&mut target, stmts);
    switches::rewrite(&mut target, stmts, Surroundings::default());
    loop {
        let uniform = uniform::find(module, function, stmts, alike);
        let (kept, changed) = keep(function, &uniform, stmts, true);
        if !changed {
            return kept;
        }
    }
}

/// Marks all that may be; returns whether there are any.
fn mark_all(module: &mut Module, function: &mut Function, stmts: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in stmts {
        // Arms of a `switch` are taken by some lanes only, more often than not.
        if matches!(stmt.kind, StmtKind::Switch { .. }) {
            continue;
        }
        let Some(body) = loop_body(stmt) else {
            for list in stmt.lists_mut() {
                found |= mark_all(module, function, list);
            }
            continue;
        };
        if has_exit(body, true, true, true) {
            continue;
        }
        found = true;
        mark_all(module, function, body);
        let void = module.types.intern(Type::Void);
        let call = function.exprs.call_builtin(SPLIT, void, Vec::new());
        body.insert(0, Stmt::new(StmtKind::Expr(call)));
    }
    found
}

fn loop_body(stmt: &mut Stmt) -> Option<&mut Vec<Stmt>> {
    match &mut stmt.kind {
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => Some(&mut body.stmts),
        _ => None,
    }
}

/// Takes the marks off loops whose conditions differ between lanes, and off those inside; gives how many
/// are left, and whether any was taken off. `outside` is whether the control around is alike.
fn keep(
    function: &Function,
    uniform: &Uniform,
    stmts: &mut Vec<Stmt>,
    outside: bool,
) -> (usize, bool) {
    let mut kept = 0;
    let before = stmts.len();
    if !outside {
        stmts.retain(|stmt| builtin_stmt(function, stmt) != Some(SPLIT));
    }
    let mut changed = stmts.len() != before;
    for stmt in stmts {
        let alike = match &stmt.kind {
            StmtKind::For { cond, .. } => {
                outside && cond.is_none_or(|cond| uniform.evaluates(cond))
            }
            StmtKind::While { cond, .. } | StmtKind::DoWhile { cond, .. } => {
                outside && uniform.evaluates(*cond)
            }
            _ => outside,
        };
        let is_marked = loop_body(stmt)
            .and_then(|body| body.first())
            .is_some_and(|first| builtin_stmt(function, first) == Some(SPLIT));
        kept += usize::from(is_marked && alike);
        for list in stmt.lists_mut() {
            let (inside, taken_off) = keep(function, uniform, list, alike);
            kept += inside;
            changed |= taken_off;
        }
    }
    (kept, changed)
}
