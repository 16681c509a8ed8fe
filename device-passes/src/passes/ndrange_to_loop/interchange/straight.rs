//! Straight code gives variables values one after the other: each value becomes a variable.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Init, Stmt, StmtKind, VarId, VarRef};
use fpgacc_kernel_analysis::variables::{Access, accesses_of_stmt};

use super::is_scalar;
use super::values::{New, assigned};
use crate::copy::redirect_all;
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Writes `a = b = x;` as two statements, where both are variables of one type.
pub fn take_chains_apart(target: &mut Target<'_>, stmts: &mut Vec<Stmt>) {
    let mut at = 0;
    while at < stmts.len() {
        let Some((outer, (inner, value))) = chain(target, &stmts[at]) else {
            at += 1;
            continue;
        };
        let first = target.function.assign_var(inner, value);
        let read = target.function.use_var(inner);
        let second = target.function.assign_var(outer, read);
        // The first may be a chain again.
        stmts.splice(at..=at, [first, second]);
    }
}

fn chain(target: &Target<'_>, stmt: &Stmt) -> Option<(VarId, (VarId, ExprId))> {
    let StmtKind::Expr(expr) = stmt.kind else {
        return None;
    };
    let exprs = &target.function.exprs;
    let assigned = |id| match *exprs.get(id) {
        Expr::Assign { op: None, lhs, rhs } => match *exprs.get(lhs) {
            Expr::Var(VarRef::Local(var)) if is_scalar(target, var) => Some((var, rhs)),
            _ => None,
        },
        _ => None,
    };
    let (outer, rest) = assigned(expr)?;
    let (inner, value) = assigned(rest)?;
    let scalar = |var: VarId| target.types.as_scalar(target.function.vars[var].ty.ty);
    (outer != inner && scalar(outer) == scalar(inner)).then_some((outer, (inner, value)))
}

/// Gives each value that a list itself assigns to a variable that it declares a variable of its own.
pub fn rename(target: &mut Target<'_>, stmts: &mut Vec<Stmt>) {
    let vars = candidates(target, stmts);
    let mut now: BTreeMap<VarId, VarId> = BTreeMap::new();
    for stmt in stmts.iter_mut() {
        let new = assigned(target, stmt).filter(|(var, _)| vars.contains(var));
        let is_first = matches!(stmt.kind, StmtKind::Decl { .. });
        point_to(target, stmt, &now);
        let Some((var, new)) = new.filter(|_| !is_first) else {
            continue;
        };
        let value = match new {
            New::Is(value) => value,
            New::More(op, by) => {
                let read = target.function.use_var(*now.get(&var).unwrap_or(&var));
                let by = by.unwrap_or_else(|| target.int(1));
                grown(target, op, read, by)
            }
        };
        let (name, ty) = {
            let variable = &target.function.vars[var];
            (variable.name.clone(), variable.ty.ty)
        };
        let own = target.function.add_var(&name, ty, target.taken);
        *stmt = declaration(own, Some(value));
        now.insert(var, own);
    }
    let used = super::uses_in(target, stmts);
    stmts.retain(|stmt| match &stmt.kind {
        StmtKind::Decl { var, init: None } if vars.contains(var) => {
            used.0.contains_key(var) || used.1.contains(var)
        }
        _ => true,
    });
}

/// `value op by` of the same type as the value.
pub fn grown(target: &mut Target<'_>, op: BinaryOp, value: ExprId, by: ExprId) -> ExprId {
    let ty = target.function.exprs.ty(value);
    let sum = target.binary(op, value, by);
    let scalar = |ty| target.types.as_scalar(ty);
    match scalar(target.function.exprs.ty(sum)) == scalar(ty) {
        true => sum,
        false => target.function.exprs.cast(ty, sum),
    }
}

/// Scalars that a list declares and writes only by statements of its own.
fn candidates(target: &Target<'_>, stmts: &[Stmt]) -> BTreeSet<VarId> {
    let mut own: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut all: BTreeMap<VarId, usize> = BTreeMap::new();
    let (mut found, mut exposed) = (BTreeSet::new(), BTreeSet::new());
    for stmt in stmts {
        if let Some((var, init)) = super::declared(stmt)
            && is_scalar(target, var)
            && !matches!(init, Some(Init::List(_)))
        {
            found.insert(var);
        }
        if let Some((var, _)) = assigned(target, stmt) {
            *own.entry(var).or_default() += 1;
        }
        accesses_of_stmt(target.types, target.function, stmt, &mut |var, access| {
            *all.entry(var).or_default() += usize::from(access.may_write());
            // What its address goes to may write it at any time.
            if access == Access::Address {
                exposed.insert(var);
            }
        });
    }
    found.retain(|var| own.get(var) == all.get(var) && !exposed.contains(var));
    found
}

/// Points the uses of variables in a statement at others.
pub fn point_to(target: &mut Target<'_>, stmt: &Stmt, to: &BTreeMap<VarId, VarId>) {
    let uses = stmt.local_uses(&target.function.exprs);
    redirect_all(target.function, uses, to);
}
