//! Where the best is: `if (v > best) { best = v; row = i; column = j; }`.
//!
//! Of equal ones the first counts, in the order of the loops, or the last with `>=`. Each lane keeps its own best, what
//! goes with it, and its step; in the end the lanes are compared by value, step and lane, which is that order.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Exprs, Scalar, Stmt, StmtKind, VarId, VarRef};

use super::nest::Scope;

/// A minimum or maximum, and what is known of where it is.
#[derive(Clone, Debug)]
pub struct Best {
    /// The variable.
    pub var: VarId,
    /// What is better: a value that is so compared with it.
    pub op: BinaryOp,
    /// Where it is compared.
    pub read: ExprId,
    /// Where it is written.
    pub location: ExprId,
    /// The assignment.
    pub store: ExprId,
    /// Other variables that are set with it, and where.
    pub others: Vec<(VarId, ExprId)>,
}

impl Best {
    /// Whether a write is one of its own.
    pub fn writes(&self, at: ExprId) -> bool {
        self.location == at || self.others.iter().any(|(_, location)| *location == at)
    }
}

/// Those of statements of a loop, in which nothing else names their variables.
pub fn bests(scope: &Scope<'_>, stmts: &[Stmt], whole: &Stmt) -> Vec<Best> {
    let exprs = &scope.function.exprs;
    let uses = whole.local_uses(exprs);
    let times = |var: VarId| uses.iter().filter(|(_, used)| *used == var).count();
    let mut found = Vec::new();
    for stmt in stmts {
        stmt.for_each(&mut |stmt| found.extend(best(exprs, stmt)));
    }
    found.retain(|one: &Best| {
        let vars = one.others.iter().map(|(var, _)| (*var, 1));
        let mut vars = vars.chain([(one.var, 2)]);
        vars.all(|(var, uses)| times(var) == uses && is_own(scope, var)) && is_ordered(scope, one)
    });
    found
}

/// Whether a variable is a scalar of the function's own that no pointer leads to.
fn is_own(scope: &Scope<'_>, var: VarId) -> bool {
    let ty = scope.module.types.as_scalar(scope.function.vars[var].ty.ty);
    ty.is_some() && !scope.aliases.is_exposed(VarRef::Local(var))
}

/// Whether what is stored is what was compared, of a type that orders its values.
fn is_ordered(scope: &Scope<'_>, one: &Best) -> bool {
    let exprs = &scope.function.exprs;
    let Expr::Assign { rhs, .. } = *exprs.get(one.store) else {
        return false;
    };
    let ty = scope.function.vars[one.var].ty.ty;
    exprs.ty(rhs) == ty && scope.module.types.as_scalar(ty) != Some(Scalar::Bool)
}

fn best(exprs: &Exprs, stmt: &Stmt) -> Option<Best> {
    let StmtKind::If {
        cond,
        then,
        otherwise: None,
    } = &stmt.kind
    else {
        return None;
    };
    let Expr::Binary { op, lhs, rhs } = *exprs.get(*cond) else {
        return None;
    };
    if !matches!(
        op,
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge
    ) {
        return None;
    }
    let own = then.stmts.iter().filter(|stmt| !stmt.is_comment());
    let own: Option<Vec<_>> = own.map(|stmt| assigned(exprs, stmt)).collect();
    let mut own = own?;
    let is_best = |(_, _, location, value): &(ExprId, VarId, ExprId, ExprId)| {
        let is = |value_side, own_side| {
            exprs.same(value_side, *value) && exprs.same(own_side, *location)
        };
        is(lhs, rhs) || is(rhs, lhs)
    };
    let at = own.iter().position(is_best)?;
    let (store, var, location, value) = own.remove(at);
    let (op, read) = match exprs.same(lhs, value) {
        true => (op, rhs),
        false => (op.mirrored(), lhs),
    };
    Some(Best {
        var,
        op,
        read,
        location,
        store,
        others: own
            .into_iter()
            .map(|(_, var, location, _)| (var, location))
            .collect(),
    })
}

/// A plain assignment to a variable: it, the variable, where it stands, and the value.
fn assigned(exprs: &Exprs, stmt: &Stmt) -> Option<(ExprId, VarId, ExprId, ExprId)> {
    let StmtKind::Expr(store) = stmt.kind else {
        return None;
    };
    let Expr::Assign { op: None, lhs, rhs } = *exprs.get(store) else {
        return None;
    };
    let var = exprs.local_var(lhs).filter(|_| !exprs.has_effects(rhs))?;
    Some((store, var, lhs, rhs))
}
