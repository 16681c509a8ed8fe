//! Integer constant expressions.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Exprs, Module, Scalar, Types, UnaryOp};

/// The value of an integer constant expression, as its type holds it; `None` if it is not one, or if
/// its value is not defined.
pub fn integer(module: &Module, exprs: &Exprs, id: ExprId) -> Option<i128> {
    let value = match exprs.get(id) {
        Expr::Int { value, .. } => *value,
        Expr::EnumConst(of, index) => {
            i128::from(module.enums[*of].enumerators.get(*index as usize)?.value)
        }
        Expr::Cast { operand, .. } => integer(module, exprs, *operand)?,
        Expr::Unary { op, operand } => {
            let value = integer(module, exprs, *operand)?;
            match op {
                UnaryOp::Plus => value,
                UnaryOp::Minus => -value,
                UnaryOp::Complement => !value,
                UnaryOp::Not => i128::from(value == 0),
                UnaryOp::Deref | UnaryOp::AddressOf => return None,
            }
        }
        Expr::Binary { op, lhs, rhs } => {
            let lhs = integer(module, exprs, *lhs)?;
            let rhs = integer(module, exprs, *rhs)?;
            binary(*op, lhs, rhs)?
        }
        Expr::Cond {
            cond,
            then,
            otherwise,
        } => {
            let taken = match integer(module, exprs, *cond)? {
                0 => otherwise,
                _ => then,
            };
            integer(module, exprs, *taken)?
        }
        _ => return None,
    };
    wrap(&module.types, exprs, id, value)
}

/// The result of an operator, before it is cut down to a type; `None`: it is not defined.
pub fn binary(op: BinaryOp, lhs: i128, rhs: i128) -> Option<i128> {
    Some(match op {
        BinaryOp::Add => lhs.checked_add(rhs)?,
        BinaryOp::Sub => lhs.checked_sub(rhs)?,
        BinaryOp::Mul => lhs.checked_mul(rhs)?,
        BinaryOp::Div => lhs.checked_div(rhs)?,
        BinaryOp::Rem => lhs.checked_rem(rhs)?,
        BinaryOp::Shl if (0..64).contains(&rhs) => lhs.checked_mul(1 << rhs)?,
        BinaryOp::Shr if (0..64).contains(&rhs) => lhs >> rhs,
        BinaryOp::Shl | BinaryOp::Shr => return None,
        BinaryOp::Lt => i128::from(lhs < rhs),
        BinaryOp::Gt => i128::from(lhs > rhs),
        BinaryOp::Le => i128::from(lhs <= rhs),
        BinaryOp::Ge => i128::from(lhs >= rhs),
        BinaryOp::Eq => i128::from(lhs == rhs),
        BinaryOp::Ne => i128::from(lhs != rhs),
        BinaryOp::BitAnd => lhs & rhs,
        BinaryOp::BitXor => lhs ^ rhs,
        BinaryOp::BitOr => lhs | rhs,
        BinaryOp::And => i128::from(lhs != 0 && rhs != 0),
        BinaryOp::Or => i128::from(lhs != 0 || rhs != 0),
    })
}

/// Cuts a value down to the type of its expression.
pub(super) fn wrap(types: &Types, exprs: &Exprs, id: ExprId, value: i128) -> Option<i128> {
    let scalar = types.as_scalar(exprs.ty(id))?;
    if scalar.is_float() {
        return None;
    }
    Some(wrapped(value, scalar))
}

/// An integer as an integer type holds it.
pub fn wrapped(value: i128, scalar: Scalar) -> i128 {
    if scalar == Scalar::Bool {
        return i128::from(value != 0);
    }
    let bits = 8 * scalar.size();
    let low = value & ((1i128 << bits) - 1);
    let negative = scalar.is_signed_integer() && low >> (bits - 1) == 1;
    if negative { low - (1i128 << bits) } else { low }
}

/// The result of a builtin function of integers, before it is cut down to a type; `None`: it is not one of those that
/// are known here, or too large.
pub fn builtin(name: &str, args: &[i128]) -> Option<i128> {
    Some(match (name, args) {
        ("min", [a, b]) => *a.min(b),
        ("max", [a, b]) => *a.max(b),
        ("clamp", [value, low, high]) => *value.max(low).min(high),
        ("abs", [value]) => value.abs(),
        ("abs_diff", [a, b]) => (a - b).abs(),
        ("mul24", [a, b]) => a.checked_mul(*b)?,
        ("mad24", [a, b, c]) => a.checked_mul(*b)?.checked_add(*c)?,
        ("select", [a, b, c]) => *if *c == 0 { a } else { b },
        (convert, [value]) if convert.starts_with("convert_") => *value,
        _ => return None,
    })
}
