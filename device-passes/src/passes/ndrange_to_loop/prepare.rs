//! Prepares the body of a kernel: parameters that it changes become variables, declarations move to
//! the assignments that belong to them.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Expr, ExprId, FileNames, Function, Init, Module, Qualifiers, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::variables::{Access, accesses_of_stmt};

use crate::copy::redirect;
use crate::passes::ndrange_to_loop::control::convergence::{has_exit, holds_barrier};
use crate::passes::ndrange_to_loop::control::steps::Region;
use crate::passes::ndrange_to_loop::statements::declaration;

/// Gives each work-item its own copy of the parameters that the kernel changes.
pub fn copy_changed_params(
    module: &Module,
    function: &mut Function,
    taken: &FileNames,
    stmts: &mut Vec<Stmt>,
) {
    let mut changed = BTreeSet::new();
    for stmt in stmts.iter() {
        accesses_of_stmt(&module.types, function, stmt, &mut |var, access| {
            if access.may_write() && function.params.contains(&var) {
                changed.insert(var);
            }
        });
    }
    for param in changed.into_iter().rev() {
        let mut copy = function.vars[param].clone();
        copy.ty.quals.remove(Qualifiers::RESTRICT);
        copy.attrs.clear();
        copy.name = function.fresh_name(&format!("item_{}", copy.name), taken);
        let copy = function.vars.add(copy);
        redirect(function, stmts, param, copy);
        let value = function.use_var(param);
        stmts.insert(0, declaration(copy, Some(value)));
    }
}

/// Splits the steps of loops that hold barriers: of `i++, p += 16` only what the condition is made of
/// stays, the rest goes to the end of the body.
pub fn split_steps(function: &Function, stmts: &mut [Stmt]) {
    for stmt in stmts {
        let divergent = holds_barrier(function, stmt);
        if let StmtKind::For {
            cond: Some(cond),
            step: Some(step),
            body,
            ..
        } = &mut stmt.kind
            && divergent
            && !has_exit(&body.stmts, false, true, false)
        {
            let mut parts = Vec::new();
            comma_parts(function, *step, &mut parts);
            let tested = |part: &ExprId| {
                function
                    .exprs
                    .written_var(*part)
                    .is_some_and(|var| function.exprs.uses(*cond, VarRef::Local(var)))
            };
            let kept: Vec<ExprId> = parts.iter().copied().filter(tested).collect();
            if let [only] = kept.as_slice()
                && parts.len() > 1
                && parts
                    .iter()
                    .all(|part| part == only || are_apart(function, *part, *only))
            {
                let moved = parts.iter().filter(|part| *part != only);
                let moved = moved.map(|part| Stmt::new(StmtKind::Expr(*part)));
                body.stmts.extend(moved);
                *step = *only;
            }
        }
        for list in stmt.lists_mut() {
            split_steps(function, list);
        }
    }
}

fn comma_parts(function: &Function, root: ExprId, out: &mut Vec<ExprId>) {
    match *function.exprs.get(root) {
        Expr::Comma { lhs, rhs } => {
            comma_parts(function, lhs, out);
            comma_parts(function, rhs, out);
        }
        _ => out.push(root),
    }
}

/// Whether two assignments of variables can be done in either order.
fn are_apart(function: &Function, a: ExprId, b: ExprId) -> bool {
    let uses = |root, var| function.exprs.uses(root, VarRef::Local(var));
    match (function.exprs.written_var(a), function.exprs.written_var(b)) {
        (Some(of_a), Some(of_b)) => !uses(a, of_b) && !uses(b, of_a),
        _ => false,
    }
}

/// What was seen of a variable that is declared without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Its declaration, in a region of this list.
    Declared(usize),
    /// An assignment of all of it, at the top level: part, statement and value.
    Assigned(usize, usize, ExprId),
    /// Something else first, or a second assignment.
    Other,
}

/// Moves a declaration without a value to the assignment that gives the variable its only one, where
/// that stands in a region of the same list and before every use: `int t; .. t = x;` is
/// `int t = x;`.
pub fn join_declarations(module: &Module, function: &Function, regions: &mut [Region]) {
    let mut seen: BTreeMap<VarId, Seen> = BTreeMap::new();
    for (region, part) in regions.iter().enumerate() {
        for (at, stmt) in part.stmts.iter().enumerate() {
            if let StmtKind::Decl { var, init: None } = stmt.kind {
                seen.insert(var, Seen::Declared(part.list));
                continue;
            }
            let assigned = whole_assignment(function, stmt);
            accesses_of_stmt(&module.types, function, stmt, &mut |var, access| {
                let Some(state) = seen.get_mut(&var) else {
                    return;
                };
                *state = match (*state, assigned) {
                    (Seen::Declared(list), Some((target, value)))
                        if target == var && access == Access::Write && list == part.list =>
                    {
                        Seen::Assigned(region, at, value)
                    }
                    (Seen::Assigned(..), _) if !access.may_write() => *state,
                    _ => Seen::Other,
                };
            });
        }
    }
    seen.retain(|_, state| matches!(state, Seen::Assigned(..)));
    for (var, state) in &seen {
        if let Seen::Assigned(region, at, value) = *state {
            regions[region].stmts[at].kind = StmtKind::Decl {
                var: *var,
                init: Some(Init::Expr(value)),
            };
        }
    }
    for region in regions {
        region.stmts.retain(
            |stmt| !matches!(&stmt.kind, StmtKind::Decl { var, init: None } if seen.contains_key(var)),
        );
    }
}

/// `var = value;`
fn whole_assignment(function: &Function, stmt: &Stmt) -> Option<(VarId, ExprId)> {
    let StmtKind::Expr(expr) = stmt.kind else {
        return None;
    };
    let Expr::Assign { op: None, lhs, rhs } = function.exprs.get(expr) else {
        return None;
    };
    match function.exprs.get(*lhs) {
        Expr::Var(VarRef::Local(var)) => Some((*var, *rhs)),
        _ => None,
    }
}

/// Drops what stands after a jump in its list, unless a label leads there. A barrier there would make a group's of a loop
/// that each work-item runs for itself, since nothing is left of the barrier where regions are made.
pub fn drop_unreachable(stmts: &mut Vec<Stmt>) {
    let jumps = |stmt: &Stmt| {
        matches!(
            stmt.kind,
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Goto(_)
        )
    };
    if let Some(jump) = stmts.iter().position(jumps) {
        let mut has_label = false;
        for stmt in &stmts[jump + 1..] {
            stmt.for_each(&mut |stmt| has_label |= matches!(stmt.kind, StmtKind::Label(..)));
        }
        if !has_label {
            stmts.truncate(jump + 1);
        }
    }
    for stmt in stmts {
        for list in stmt.lists_mut() {
            drop_unreachable(list);
        }
    }
}
