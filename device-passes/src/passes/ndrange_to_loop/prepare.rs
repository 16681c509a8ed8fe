//! Prepares the parts of a kernel: parameters that it changes become variables, declarations move to
//! the assignments that belong to them.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Expr, ExprId, Function, Init, Module, Qualifiers, Stmt, StmtKind, VarId, VarRef,
};

use super::save::declaration;
use crate::analysis::variables::{Access, accesses_of_stmt};

/// Gives each work-item its own copy of the parameters that the kernel changes.
pub fn copy_changed_params(
    module: &Module,
    function: &mut Function,
    taken: &BTreeSet<String>,
    regions: &mut [Vec<Stmt>],
) {
    let mut changed = BTreeSet::new();
    for stmt in regions.iter().flatten() {
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
        redirect(function, regions, param, copy);
        let value = function.use_var(param);
        if let Some(first) = regions.first_mut() {
            first.insert(0, declaration(copy, Some(value)));
        }
    }
}

/// Points the uses of a variable at another.
fn redirect(function: &mut Function, regions: &[Vec<Stmt>], from: VarId, to: VarId) {
    let mut slots = Vec::new();
    for stmt in regions.iter().flatten() {
        stmt.for_each(&mut |stmt| {
            for root in stmt.exprs() {
                function.exprs.for_each(root, &mut |id| {
                    if *function.exprs.get(id) == Expr::Var(VarRef::Local(from)) {
                        slots.push(id);
                    }
                });
            }
        });
    }
    for slot in slots {
        let ty = function.vars[to].ty.ty;
        let var = Expr::Var(VarRef::Local(to));
        function.exprs.replace(slot, var, ty);
    }
}

/// What was seen of a variable that is declared without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Its declaration.
    Declared,
    /// An assignment of all of it, at the top level: part, statement and value.
    Assigned(usize, usize, ExprId),
    /// Something else first, or a second assignment.
    Other,
}

/// Moves a declaration without a value to the assignment that gives the variable its only one, where
/// that stands at the top level and in front of every use: `int t; .. t = x;` is `int t = x;`.
pub fn join_declarations(module: &Module, function: &Function, regions: &mut [Vec<Stmt>]) {
    let mut seen: BTreeMap<VarId, Seen> = BTreeMap::new();
    for (region, stmts) in regions.iter().enumerate() {
        for (at, stmt) in stmts.iter().enumerate() {
            if let StmtKind::Decl { var, init: None } = stmt.kind {
                seen.insert(var, Seen::Declared);
                continue;
            }
            let assigned = whole_assignment(function, stmt);
            accesses_of_stmt(&module.types, function, stmt, &mut |var, access| {
                let Some(state) = seen.get_mut(&var) else {
                    return;
                };
                *state = match (*state, assigned) {
                    (Seen::Declared, Some((target, value)))
                        if target == var && access == Access::Write =>
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
            regions[region][at].kind = StmtKind::Decl {
                var: *var,
                init: Some(Init::Expr(value)),
            };
        }
    }
    for stmts in regions {
        stmts.retain(
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
