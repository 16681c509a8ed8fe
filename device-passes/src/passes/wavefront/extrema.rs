//! Minima and maxima that a wave keeps beside what it stores.
//!
//! `if (v > best) best = v;` makes each lane wait for the one before it. As the order in which integers are compared does
//! not matter, each lane has one of its own, and in the end there is one of all.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Exprs, Scalar, Stmt, VarId, VarRef};

use super::nest::Scope;
use crate::passes::reduction::matching::{Combine, Form, candidates};

/// A minimum or maximum.
#[derive(Clone, Debug)]
pub struct Extremum {
    /// The variable.
    pub var: VarId,
    /// Where it is written.
    pub location: ExprId,
    /// Where it is read.
    pub reads: Vec<ExprId>,
    /// How two become one.
    pub better: Better,
}

/// What is better of two values.
#[derive(Clone, Debug)]
pub enum Better {
    /// What a builtin gives, `min` or `max`.
    Call(String),
    /// The one that is less, or more, than what is known.
    Select(BinaryOp),
}

/// Those of statements of a loop, in which nothing else names their variables.
pub fn extrema(scope: &Scope<'_>, stmts: &[Stmt], whole: &Stmt) -> Vec<Extremum> {
    let exprs = &scope.function.exprs;
    let uses = whole.local_uses(exprs);
    let found = candidates(exprs, stmts).into_iter();
    let extrema = found.filter_map(|one| {
        let var = exprs.local_var(one.location)?;
        let (combine, form) = one.how?;
        let better = match combine {
            Combine::Call(name) => Better::Call(name),
            Combine::Select(op) => Better::Select(op),
            Combine::Add | Combine::Mul => return None,
        };
        let ty = scope.module.types.as_scalar(scope.function.vars[var].ty.ty);
        let is_integer = ty.is_some_and(Scalar::is_integer) && ty != Some(Scalar::Bool);
        let times = uses.iter().filter(|(_, used)| *used == var).count();
        // What becomes narrower as it is stored may be less than what was there.
        let is_kept = exprs.ty(stored_by(exprs, &form)?) == scope.function.vars[var].ty.ty;
        let is_extremum = is_integer
            && is_kept
            && times == 1 + one.reads.len()
            && !scope.aliases.is_exposed(VarRef::Local(var));
        is_extremum.then_some(Extremum {
            var,
            location: one.location,
            reads: one.reads,
            better,
        })
    });
    extrema.collect()
}

/// The new value of a minimum or maximum.
fn stored_by(exprs: &Exprs, form: &Form) -> Option<ExprId> {
    match *form {
        Form::Branch { value, .. } => Some(value),
        Form::InPlace { value } => match *exprs.get(value) {
            Expr::Cond { then, .. } => Some(then),
            _ => Some(value),
        },
        Form::Compound { .. } | Form::Chain { .. } => None,
    }
}
