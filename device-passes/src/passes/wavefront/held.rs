//! What the conditions around a read say of steps and lanes.
//!
//! `i == 0 || j == 0 ? 0 : s[i - 1][j - 1] + ..` reads nothing at the borders of the table.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Exprs, Init, Stmt, StmtKind, UnaryOp};

use super::space::{Affine, follows};

/// Something that holds where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum Held {
    /// It is not negative.
    NotNegative(Affine),
    /// It is not 0.
    NotZero(Affine),
}

/// As inequalities, among points that fulfil some.
pub fn inequalities(held: &[Held], points: &[Affine]) -> Vec<Affine> {
    let mut known = points.to_vec();
    for one in held {
        let one = match *one {
            Held::NotNegative(one) => Some(one),
            Held::NotZero(one) => {
                let both = [one, Affine::constant(0).plus(one, -1)];
                let sign = both.into_iter().find(|sign| follows(&known, *sign));
                sign.map(|sign| sign.plus(Affine::constant(1), -1))
            }
        };
        known.extend(one);
    }
    known.split_off(points.len())
}

/// Looks for the conditions around parts of expressions.
pub struct Conditions<'a> {
    /// The function's expressions.
    pub exprs: &'a Exprs,
    /// Two integers that are compared as sums of multiples of time and lane.
    pub compared: &'a mut dyn FnMut([ExprId; 2]) -> Option<[Affine; 2]>,
}

impl Conditions<'_> {
    /// What holds where an expression of statements is evaluated.
    pub fn held_in(&mut self, stmts: &[Stmt], part: ExprId) -> Vec<Held> {
        let is_it = &mut |id| id == part;
        let own = stmts.iter().find(|stmt| stmt.any_expr(self.exprs, is_it));
        let Some(own) = own else {
            return Vec::new();
        };
        match &own.kind {
            StmtKind::Expr(root) => match *self.exprs.get(*root) {
                Expr::Assign { rhs, .. } => self.held_at(rhs, part),
                _ => Vec::new(),
            },
            StmtKind::Decl {
                init: Some(Init::Expr(root)),
                ..
            } => self.held_at(*root, part),
            StmtKind::Block(block) => self.held_in(&block.stmts, part),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                if self.exprs.any(*cond, is_it) {
                    return self.held_at(*cond, part);
                }
                let is_then = then
                    .stmts
                    .iter()
                    .any(|stmt| stmt.any_expr(self.exprs, is_it));
                let arm = if is_then {
                    Some(then)
                } else {
                    otherwise.as_ref()
                };
                let mut held = self.held(*cond, is_then);
                held.extend(arm.map_or(Vec::new(), |arm| self.held_in(&arm.stmts, part)));
                held
            }
            _ => Vec::new(),
        }
    }

    /// Inequalities that hold just where a condition is true, or false, among points that fulfil some.
    pub fn exact(&mut self, cond: ExprId, is_true: bool, points: &[Affine]) -> Option<Vec<Affine>> {
        match *self.exprs.get(cond) {
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.exact(operand, !is_true, points),
            Expr::Binary { op, lhs, rhs } => match op {
                BinaryOp::And | BinaryOp::Or if (op == BinaryOp::And) == is_true => {
                    let mut both = self.exact(lhs, is_true, points)?;
                    both.extend(self.exact(rhs, is_true, points)?);
                    Some(both)
                }
                _ => {
                    let held = self.compared(op, [lhs, rhs], is_true);
                    let found = inequalities(&held, points);
                    (!held.is_empty() && found.len() == held.len()).then_some(found)
                }
            },
            _ => None,
        }
    }

    /// What holds where a part of an expression is evaluated.
    fn held_at(&mut self, root: ExprId, part: ExprId) -> Vec<Held> {
        let mut held = Vec::new();
        self.find(root, part, &mut held);
        held
    }

    /// Whether an expression has a part; `held` grows by the conditions between them.
    fn find(&mut self, root: ExprId, part: ExprId, held: &mut Vec<Held>) -> bool {
        if root == part {
            return true;
        }
        let exprs = self.exprs;
        if let Expr::Cond {
            cond,
            then,
            otherwise,
        } = *exprs.get(root)
        {
            for (arm, is_true) in [(then, true), (otherwise, false)] {
                if self.find(arm, part, held) {
                    held.extend(self.held(cond, is_true));
                    return true;
                }
            }
            return self.find(cond, part, held);
        }
        let children = exprs.children(root);
        children
            .into_iter()
            .any(|child| self.find(child, part, held))
    }

    /// What a condition says, if it is true or if it is false.
    fn held(&mut self, cond: ExprId, is_true: bool) -> Vec<Held> {
        match *self.exprs.get(cond) {
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.held(operand, !is_true),
            Expr::Binary { op, lhs, rhs } => match op {
                BinaryOp::And | BinaryOp::Or if (op == BinaryOp::And) == is_true => {
                    let mut both = self.held(lhs, is_true);
                    both.extend(self.held(rhs, is_true));
                    both
                }
                _ => self.compared(op, [lhs, rhs], is_true),
            },
            _ => Vec::new(),
        }
    }

    fn compared(&mut self, op: BinaryOp, sides: [ExprId; 2], is_true: bool) -> Vec<Held> {
        let holds = if is_true { Some(op) } else { op.negated() };
        let Some([lhs, rhs]) = (self.compared)(sides) else {
            return Vec::new();
        };
        let (more, less) = (lhs.plus(rhs, -1), rhs.plus(lhs, -1));
        match holds {
            Some(BinaryOp::Ge) => vec![Held::NotNegative(more)],
            Some(BinaryOp::Gt) => vec![Held::NotNegative(less.negated())],
            Some(BinaryOp::Le) => vec![Held::NotNegative(less)],
            Some(BinaryOp::Lt) => vec![Held::NotNegative(more.negated())],
            Some(BinaryOp::Eq) => vec![Held::NotNegative(more), Held::NotNegative(less)],
            Some(BinaryOp::Ne) => vec![Held::NotZero(more)],
            _ => Vec::new(),
        }
    }
}
