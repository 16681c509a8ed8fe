//! Values of constant integer expressions.

use super::Lowerer;
use crate::ir::{BinaryOp, Expr, ExprId, Scalar, SizeOfArg, TypeId, UnaryOp};
use crate::kernel::builtins::constants;

/// A value as it is stored in a scalar.
pub(super) fn wrap(value: i128, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::Bool => i128::from(value != 0),
        Scalar::Char => i128::from(value as i8),
        Scalar::UChar => i128::from(value as u8),
        Scalar::Short => i128::from(value as i16),
        Scalar::UShort => i128::from(value as u16),
        Scalar::Int => i128::from(value as i32),
        Scalar::UInt => i128::from(value as u32),
        Scalar::Long => i128::from(value as i64),
        Scalar::ULong => i128::from(value as u64),
        Scalar::Half | Scalar::Float | Scalar::Double => value,
    }
}

impl Lowerer<'_> {
    /// The value of an expression if it is a constant integer.
    pub(super) fn constant(&self, id: ExprId) -> Option<i128> {
        let ty = self.exprs.ty(id);
        let value = match self.exprs.get(id) {
            Expr::Int { value, .. } => *value,
            Expr::EnumConst(id, index) => {
                let constants = &self.module.enums[*id].enumerators;
                i128::from(constants.get(*index as usize)?.value)
            }
            Expr::BuiltinConst(name) => constants::integer(name)?,
            Expr::Var(var) => *self.constants.get(var)?,
            Expr::Unary { op, operand } => self.constant_unary(*op, *operand)?,
            Expr::Binary { op, lhs, rhs } => self.constant_binary(*op, *lhs, *rhs)?,
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                if self.constant(*cond)? != 0 {
                    self.constant(*then)?
                } else {
                    self.constant(*otherwise)?
                }
            }
            Expr::Cast { operand, .. } => match self.constant(*operand) {
                Some(value) => value,
                None => self.constant_float(*operand)?.trunc() as i128,
            },
            Expr::SizeOf(arg) => i128::from(self.size_of(arg)?),
            _ => return None,
        };
        let scalar = self.module.types.as_scalar(ty)?;
        scalar.is_integer().then(|| wrap(value, scalar))
    }

    fn size_of(&self, arg: &SizeOfArg) -> Option<u64> {
        let ty: TypeId = match arg {
            SizeOfArg::Type(ty) => ty.ty,
            SizeOfArg::Expr(expr) => self.exprs.ty(*expr),
        };
        self.module.layout(ty).map(|layout| layout.size)
    }

    fn constant_unary(&self, op: UnaryOp, operand: ExprId) -> Option<i128> {
        let value = self.constant(operand)?;
        Some(match op {
            UnaryOp::Plus => value,
            UnaryOp::Minus => value.wrapping_neg(),
            UnaryOp::Complement => !value,
            UnaryOp::Not => i128::from(value == 0),
            UnaryOp::Deref | UnaryOp::AddressOf => return None,
        })
    }

    fn constant_binary(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<i128> {
        let x = self.constant(lhs)?;
        // `0 && f()` has a value without its right side.
        match op {
            BinaryOp::And if x == 0 => return Some(0),
            BinaryOp::Or if x != 0 => return Some(1),
            _ => {}
        }
        let y = self.constant(rhs)?;
        let common = {
            let (a, b) = (self.exprs.ty(lhs), self.exprs.ty(rhs));
            let types = &self.module.types;
            let rank = |ty| types.as_scalar(ty).map(|s| s.max(Scalar::Int));
            rank(a)?.max(rank(b)?)
        };
        let (a, b) = (wrap(x, common), wrap(y, common));
        Some(match op {
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div => a.checked_div(b)?,
            BinaryOp::Rem => a.checked_rem(b)?,
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Shl => x.wrapping_shl(shift_amount(y)?),
            BinaryOp::Shr => x.wrapping_shr(shift_amount(y)?),
            BinaryOp::Lt => i128::from(a < b),
            BinaryOp::Gt => i128::from(a > b),
            BinaryOp::Le => i128::from(a <= b),
            BinaryOp::Ge => i128::from(a >= b),
            BinaryOp::Eq => i128::from(a == b),
            BinaryOp::Ne => i128::from(a != b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::BitOr => a | b,
            BinaryOp::And => i128::from(y != 0),
            BinaryOp::Or => i128::from(y != 0),
        })
    }

    /// The value of a floating-point expression of literals, for casts to integers.
    fn constant_float(&self, id: ExprId) -> Option<f64> {
        Some(match self.exprs.get(id) {
            Expr::Float { value, .. } => *value,
            Expr::Cast { operand, .. } => match self.constant(*operand) {
                Some(value) => value as f64,
                None => self.constant_float(*operand)?,
            },
            Expr::Unary {
                op: UnaryOp::Minus,
                operand,
            } => -self.constant_float(*operand)?,
            Expr::Binary { op, lhs, rhs } => {
                let x = self.constant_number(*lhs)?;
                let y = self.constant_number(*rhs)?;
                match op {
                    BinaryOp::Mul => x * y,
                    BinaryOp::Div => x / y,
                    BinaryOp::Add => x + y,
                    BinaryOp::Sub => x - y,
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn constant_number(&self, id: ExprId) -> Option<f64> {
        match self.constant(id) {
            Some(value) => Some(value as f64),
            None => self.constant_float(id),
        }
    }
}

fn shift_amount(value: i128) -> Option<u32> {
    u32::try_from(value).ok().filter(|&amount| amount < 64)
}
