//! How tightly expressions bind.

use crate::ir::BinaryOp;

/// How tightly an expression binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prec {
    Comma,
    Assign,
    Cond,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    /// Prefix operators and casts.
    Unary,
    Postfix,
    Primary,
}

impl Prec {
    pub(super) fn of(op: BinaryOp) -> Self {
        match op {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Prec::Multiplicative,
            BinaryOp::Add | BinaryOp::Sub => Prec::Additive,
            BinaryOp::Shl | BinaryOp::Shr => Prec::Shift,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => Prec::Relational,
            BinaryOp::Eq | BinaryOp::Ne => Prec::Equality,
            BinaryOp::BitAnd => Prec::BitAnd,
            BinaryOp::BitXor => Prec::BitXor,
            BinaryOp::BitOr => Prec::BitOr,
            BinaryOp::And => Prec::And,
            BinaryOp::Or => Prec::Or,
        }
    }

    /// The next tighter one among binary operators.
    pub(super) fn tighter(self) -> Self {
        match self {
            Prec::Or => Prec::And,
            Prec::And => Prec::BitOr,
            Prec::BitOr => Prec::BitXor,
            Prec::BitXor => Prec::BitAnd,
            Prec::BitAnd => Prec::Equality,
            Prec::Equality => Prec::Relational,
            Prec::Relational => Prec::Shift,
            Prec::Shift => Prec::Additive,
            Prec::Additive => Prec::Multiplicative,
            _ => Prec::Unary,
        }
    }

    /// Operands of a looser operator that people, and clang's `-Wparentheses`, want to see in
    /// parentheses: `&&` in `||`, any other operator in a bitwise one, sums in shifts.
    pub(super) fn is_surprising_in(self, parent: Prec) -> bool {
        match parent {
            Prec::Or => self == Prec::And,
            Prec::BitOr | Prec::BitXor | Prec::BitAnd => {
                self != parent && self > parent && self < Prec::Multiplicative
            }
            Prec::Shift => self == Prec::Additive,
            Prec::Equality | Prec::Relational => {
                self != parent && (self == Prec::Relational || self == Prec::Equality)
            }
            _ => false,
        }
    }
}
