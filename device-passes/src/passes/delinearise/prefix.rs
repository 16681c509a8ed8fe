//! What a body computes before all else: statements that only give integers to variables of its own.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, IncDecOp, Init, Qualifiers, Stmt, StmtKind, VarId,
};
use fpgacc_kernel_analysis::poly::Poly;

use super::values::{Case, Values};

/// Follows statements.
pub struct Follower<'v, 'a> {
    /// Follows integers.
    pub values: &'v Values<'a>,
    /// Variables that pointers lead to.
    pub exposed: &'v BTreeSet<VarId>,
    /// Variables that the statements declared so far.
    pub declared: BTreeSet<VarId>,
}

impl Follower<'_, '_> {
    /// Follows a statement in all cases; false, and nothing changes, if one cannot be followed.
    pub fn step(&mut self, cases: &mut Vec<Case>, stmt: &Stmt) -> bool {
        let before = self.declared.clone();
        let mut after = cases.clone();
        if after.iter_mut().all(|case| self.stmt(case, stmt)) {
            *cases = after;
            return true;
        }
        self.declared = before;
        false
    }

    fn list(&mut self, case: &mut Case, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| self.stmt(case, stmt))
    }

    fn stmt(&mut self, case: &mut Case, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Comment(_) => true,
            StmtKind::Decl { var, init } => {
                self.declared.insert(*var);
                match init {
                    None => true,
                    Some(Init::Expr(value)) => self.assign(case, *var, *value),
                    Some(Init::List(_)) => false,
                }
            }
            StmtKind::Expr(id) => self.effect(case, *id),
            StmtKind::Block(block) => self.list(case, &block.stmts),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => match self.values.truth(case, *cond) {
                Some(true) => self.list(case, &then.stmts),
                Some(false) => {
                    let otherwise = otherwise.iter().flat_map(|block| &block.stmts);
                    otherwise.into_iter().all(|stmt| self.stmt(case, stmt))
                }
                None => false,
            },
            _ => false,
        }
    }

    fn assign(&self, case: &mut Case, var: VarId, value: ExprId) -> bool {
        let value = self.values.number(case, value);
        value.is_some_and(|value| self.set(case, var, value))
    }

    /// Gives a variable a value, if it can hold it.
    fn set(&self, case: &mut Case, var: VarId, value: Poly) -> bool {
        let variable = &self.values.function.vars[var];
        let is_plain = !variable.ty.quals.contains(Qualifiers::VOLATILE);
        let is_own = self.declared.contains(&var) && !self.exposed.contains(&var);
        let fits = self.values.fitting(case, value, variable.ty.ty);
        match fits.filter(|_| is_plain && is_own) {
            Some(value) => {
                case.known.insert(var, value);
                true
            }
            None => false,
        }
    }

    fn effect(&self, case: &mut Case, id: ExprId) -> bool {
        let exprs = &self.values.function.exprs;
        let variable = |id| exprs.local_var(id);
        let (target, by, sign) = match *exprs.get(id) {
            Expr::Assign { op: None, lhs, rhs } => {
                return variable(lhs).is_some_and(|var| self.assign(case, var, rhs));
            }
            Expr::Assign {
                op: Some(op @ (BinaryOp::Add | BinaryOp::Sub)),
                lhs,
                rhs,
            } => {
                let sign = if op == BinaryOp::Add { 1 } else { -1 };
                (lhs, self.values.number(case, rhs), sign)
            }
            Expr::IncDec { op, operand } => {
                let is_down = matches!(op, IncDecOp::PreDec | IncDecOp::PostDec);
                let sign = if is_down { -1 } else { 1 };
                (operand, Some(Poly::constant(1)), sign)
            }
            _ => return false,
        };
        let (Some(var), Some(by)) = (variable(target), by) else {
            return false;
        };
        let old = case.known.get(&var).cloned();
        old.is_some_and(|old| self.set(case, var, old.plus(&by, sign)))
    }
}
