//! `?:`: its value has the type that both sides together have, also where only one is ever taken.

use super::{Code, Interp};
use crate::arith::{common, rank};
use crate::number::{IntType, Num};
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, Type, UnaryOp};
use crate::types::{Kind, last_name};
use crate::value::Val;

const INT: Num = Num::Int(IntType::INT);

/// Whether a value is the same number in any type.
fn is_any_zero(value: &Val) -> bool {
    matches!(value, Val::Int(0, _) | Val::Zero)
}

/// The type of a value that is a number, whichever of its alternatives it is.
fn number_of(value: &Val) -> Option<Num> {
    let mut ranks = value.alternatives().iter().map(rank);
    let first = ranks.next()??;
    ranks.try_fold(first, |all, one| Some(common(all, one?)))
}

/// A side's value in the type of both.
fn balanced(value: Val, other: Option<Num>) -> Val {
    let all = value
        .alternatives()
        .iter()
        .map(|one| match (rank(one), other) {
            (None, _) => one.clone(),
            (Some(own), Some(other)) => one.convert(common(own, other)),
            (Some(_), None) if is_any_zero(one) => one.clone(),
            (Some(_), None) => Val::unknown("the type of the other side of a `?:` is not known"),
        });
    all.reduce(|all, one| all.join(&one)).unwrap_or(Val::Unset)
}

impl<'a> Interp<'a> {
    pub(super) fn conditional(
        &mut self,
        code: &Code<'a>,
        condition: ExprId,
        yes: ExprId,
        no: ExprId,
    ) -> Val {
        let (taken, other) = match self.plain_value(code, condition).truth() {
            Some(true) => (yes, no),
            Some(false) => (no, yes),
            None => return self.either(code, yes, no),
        };
        let value = self.eval(code, taken);
        match value.alternatives().iter().any(|one| rank(one).is_some()) {
            true => {
                let other = self.number_type(code, other);
                balanced(value, other)
            }
            false => value,
        }
    }

    fn either(&mut self, code: &Code<'a>, yes: ExprId, no: ExprId) -> Val {
        let sides = (yes, no);
        let mark = self.state.mark();
        let yes = self.eval(code, yes);
        let (delta, reached) = self.take_back(mark);
        let no = self.eval(code, no);
        let type_of_yes = number_of(&yes).or_else(|| self.number_type(code, sides.0));
        let type_of_no = number_of(&no).or_else(|| self.number_type(code, sides.1));
        let (yes, no) = (balanced(yes, type_of_no), balanced(no, type_of_yes));
        if !reached {
            return no;
        }
        let both = self.state.reachable;
        self.state.merge(mark, delta);
        if both { yes.join(&no) } else { yes }
    }

    /// The type of numbers that an expression has, without evaluating it; nothing if it is no number or
    /// its type is not known.
    pub(super) fn number_type(&mut self, code: &Code<'a>, id: ExprId) -> Option<Num> {
        let tree = code.clone();
        match &tree.ast().expr(id).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::Bool(_) => {
                number_of(&self.eval(code, id))
            }
            ExprKind::Paren(inner) | ExprKind::Comma(_, inner) => self.number_type(code, *inner),
            ExprKind::Cast(ty, _) | ExprKind::Construct(ty, _) => self.named_number(code.host, ty),
            ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) => Some(Num::Int(IntType::SIZE)),
            ExprKind::Unary(UnaryOp::Not, _) => Some(INT),
            ExprKind::Unary(_, inner) => Some(common(self.number_type(code, *inner)?, INT)),
            ExprKind::Binary(op, left, right) => self.type_of_operation(code, *op, *left, *right),
            ExprKind::Conditional(_, yes, no) => {
                let yes = self.number_type(code, *yes)?;
                Some(common(yes, self.number_type(code, *no)?))
            }
            ExprKind::Assign(_, target, _) | ExprKind::Step { target, .. } => {
                self.number_type(code, *target)
            }
            ExprKind::Name(name) => match self.macro_expression(code, id, name) {
                Some((inner_code, inner)) => self.number_type(&inner_code, inner),
                None => self.type_of_location(code, id),
            },
            ExprKind::Index(..) | ExprKind::Member { .. } | ExprKind::Deref(_) => {
                self.type_of_location(code, id)
            }
            ExprKind::Call { callee, args } => self.type_of_call(code, *callee, args),
            _ => None,
        }
    }

    fn named_number(&self, host: usize, ty: &Type) -> Option<Num> {
        match self.program.kind(host, ty) {
            Kind::Num(num) if ty.dims.is_empty() => Some(num),
            _ => None,
        }
    }

    fn type_of_operation(
        &mut self,
        code: &Code<'a>,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Option<Num> {
        use BinaryOp::*;
        match op {
            And | Or | Eq | Ne | Lt | Le | Gt | Ge => Some(INT),
            Shl | Shr => Some(common(self.number_type(code, left)?, INT)),
            Add | Sub | Mul | Div | Rem | BitAnd | BitOr | BitXor => {
                let left = self.number_type(code, left)?;
                Some(common(left, self.number_type(code, right)?))
            }
        }
    }

    /// By its declarations, else by what it holds now.
    fn type_of_location(&mut self, code: &Code<'a>, id: ExprId) -> Option<Num> {
        if let Some(num) = self.declared_number(code, id) {
            return Some(num);
        }
        // As of `sizeof`, it is not evaluated.
        let mark = self.state.mark();
        let value = self.eval(code, id);
        self.state.rollback(mark);
        number_of(&value)
    }

    /// Of a macro, of a function that is given, or of a well-known one.
    fn type_of_call(&mut self, code: &Code<'a>, callee: ExprId, args: &[ExprId]) -> Option<Num> {
        let tree = code.clone();
        let ExprKind::Name(name) = &tree.ast().expr(callee).kind else {
            return None;
        };
        if let Some((index, site)) = self.macro_of(code, callee, name) {
            let (params, rest) = self.macro_arguments(code, index, args)?;
            let inner_code = self.macro_code(code, index, params, rest, site);
            let inner = self.single_expression(&inner_code)?;
            return self.number_type(&inner_code, inner);
        }
        match self.find_function(code, name, args.len()) {
            Some(function) => {
                self.named_number(function.host, &self.program.function(function).result)
            }
            None => super::functions::result_type(last_name(name)),
        }
    }
}
