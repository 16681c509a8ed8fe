//! What variables of a work-item are, as far as straight code shows: sums of what they were before, or
//! elements of memory that nobody writes.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, IncDecOp, Init, Scalar, Stmt, StmtKind, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::variables::accesses_of_stmt;

use super::steady::Steady;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(Poly),
    /// An element of an array that nobody writes, read where it stands.
    Element(VarId, Poly),
}

/// The values of variables.
#[derive(Clone, Debug, Default)]
pub struct Values {
    known: BTreeMap<VarId, Value>,
    /// Numbers that are not followed have numbers of their own, after those of parameters.
    next: usize,
}

/// Parameters are symbols by their indices, others follow.
const OTHERS: usize = 1 << 20;

impl Values {
    /// What a variable is.
    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.known.get(&var)
    }

    /// Follows a statement.
    pub fn step(&mut self, target: &Target<'_>, steady: &Steady, stmt: &Stmt) {
        let assigned = assigned(target, stmt);
        let value = assigned.and_then(|(var, new)| {
            let number = match new {
                New::Is(value) => return self.value(target, steady, value).map(|new| (var, new)),
                New::More(op, by) => {
                    let sign = if op == BinaryOp::Add { 1 } else { -1 };
                    let by = match by {
                        Some(by) => self.number(target, steady, by)?,
                        None => Poly::constant(1),
                    };
                    self.of(target, steady, var)?.plus(&by, sign)
                }
            };
            Some((var, Value::Number(number)))
        });
        self.havoc(target, steady, stmt);
        if let Some((var, value)) = value.filter(|(var, _)| !steady.is_exposed(*var)) {
            self.known.insert(var, value);
        }
    }

    /// What a statement may change is not known after it.
    pub fn havoc(&mut self, target: &Target<'_>, steady: &Steady, stmt: &Stmt) {
        let mut changed = Vec::new();
        accesses_of_stmt(target.types, target.function, stmt, &mut |var, access| {
            if access.may_write() {
                changed.push(var);
            }
        });
        for var in changed {
            self.known.remove(&var);
            if !steady.is_exposed(var) {
                self.next += 1;
                let new = Poly::sym(Sym::Opaque(OTHERS + self.next));
                self.known.insert(var, Value::Number(new));
            }
        }
    }

    fn value(&self, target: &Target<'_>, steady: &Steady, id: ExprId) -> Option<Value> {
        match *target.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) if self.known.contains_key(&var) => {
                self.known.get(&var).cloned()
            }
            Expr::Index { base, index } => {
                let array = target.function.exprs.local_var(base)?;
                let index = self.number(target, steady, index)?;
                steady
                    .is_unwritten(array)
                    .then_some(Value::Element(array, index))
            }
            _ => self.number(target, steady, id).map(Value::Number),
        }
    }

    /// A variable as a number.
    pub fn of(&self, target: &Target<'_>, steady: &Steady, var: VarId) -> Option<Poly> {
        if !is_wide(target, target.function.vars[var].ty.ty) {
            return None;
        }
        match self.known.get(&var) {
            Some(Value::Number(poly)) => Some(poly.clone()),
            Some(Value::Element(..)) => None,
            None => {
                let is_fixed = steady.is_fixed_parameter(var) && !steady.is_exposed(var);
                is_fixed.then(|| Poly::sym(Sym::Opaque(var.index())))
            }
        }
    }

    /// An integer as a polynomial. Only signed arithmetic is followed, which does not wrap.
    pub fn number(&self, target: &Target<'_>, steady: &Steady, id: ExprId) -> Option<Poly> {
        let exprs = &target.function.exprs;
        match *exprs.get(id) {
            Expr::Int { value, .. } => Some(Poly::constant(value)),
            _ if !is_wide(target, exprs.ty(id)) => None,
            Expr::Var(VarRef::Local(var)) => self.of(target, steady, var),
            Expr::Unary {
                op: UnaryOp::Minus,
                operand,
            } => Some(Poly::default().plus(&self.number(target, steady, operand)?, -1)),
            // From `int` to `long`, or to itself.
            Expr::Cast { operand, .. } => {
                let size = |id| target.types.as_scalar(exprs.ty(id)).map(Scalar::size);
                let is_same = is_wide(target, exprs.ty(operand)) && size(operand) <= size(id);
                is_same.then(|| self.number(target, steady, operand))?
            }
            Expr::Binary { op, lhs, rhs } => {
                let (x, y) = (
                    self.number(target, steady, lhs)?,
                    self.number(target, steady, rhs)?,
                );
                match op {
                    BinaryOp::Add => Some(x.plus(&y, 1)),
                    BinaryOp::Sub => Some(x.plus(&y, -1)),
                    BinaryOp::Mul => x.times(&y),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The same where some variables are something else.
    pub fn with(&self, others: impl IntoIterator<Item = (VarId, Poly)>) -> Values {
        let mut values = self.clone();
        let others = others
            .into_iter()
            .map(|(var, poly)| (var, Value::Number(poly)));
        values.known.extend(others);
        values
    }
}

/// `int` and `long`.
fn is_wide(target: &Target<'_>, ty: fpgacc_frontend::ir::TypeId) -> bool {
    matches!(target.types.as_scalar(ty), Some(Scalar::Int | Scalar::Long))
}

/// What a variable becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum New {
    /// This.
    Is(ExprId),
    /// What it was plus or minus something; `None`: one.
    More(BinaryOp, Option<ExprId>),
}

/// The variable that a statement gives a value, if that is all of the statement.
pub fn assigned(target: &Target<'_>, stmt: &Stmt) -> Option<(VarId, New)> {
    let exprs = &target.function.exprs;
    let variable = |id: ExprId| exprs.local_var(id);
    let expr = match &stmt.kind {
        StmtKind::Decl {
            var,
            init: Some(Init::Expr(value)),
        } => return Some((*var, New::Is(*value))),
        StmtKind::Expr(expr) => *expr,
        _ => return None,
    };
    match *exprs.get(expr) {
        Expr::Assign { op: None, lhs, rhs } => Some((variable(lhs)?, New::Is(rhs))),
        Expr::Assign {
            op: Some(op @ (BinaryOp::Add | BinaryOp::Sub)),
            lhs,
            rhs,
        } => Some((variable(lhs)?, New::More(op, Some(rhs)))),
        Expr::IncDec { op, operand } => {
            let is_down = matches!(op, IncDecOp::PreDec | IncDecOp::PostDec);
            let op = if is_down {
                BinaryOp::Sub
            } else {
                BinaryOp::Add
            };
            Some((variable(operand)?, New::More(op, None)))
        }
        _ => None,
    }
}
