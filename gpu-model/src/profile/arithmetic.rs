//! What operators of OpenCL C make of integers, and what they cost.

use fpgacc_frontend::ir::{BinaryOp, Scalar};

/// The result of an operator; `None`: C does not say.
pub fn binary(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    let shift = u32::try_from(b & 63).ok()?;
    Some(match op {
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => a.checked_rem(b)?,
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Shl => a.wrapping_shl(shift),
        BinaryOp::Shr => a.wrapping_shr(shift),
        BinaryOp::Lt => i64::from(a < b),
        BinaryOp::Gt => i64::from(a > b),
        BinaryOp::Le => i64::from(a <= b),
        BinaryOp::Ge => i64::from(a >= b),
        BinaryOp::Eq => i64::from(a == b),
        BinaryOp::Ne => i64::from(a != b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::BitOr => a | b,
        BinaryOp::And => i64::from(a != 0 && b != 0),
        BinaryOp::Or => i64::from(a != 0 || b != 0),
    })
}

/// The value that an integer becomes in a type.
pub fn wrapped(value: i64, scalar: Scalar) -> i64 {
    let bits = 8 * scalar.size();
    if bits >= 64 || !scalar.is_integer() {
        return value;
    }
    let away = 64 - bits as u32;
    match scalar.is_signed_integer() {
        true => value << away >> away,
        false => ((value as u64) << away >> away) as i64,
    }
}

/// Instructions of an operator on a scalar. Integers count half: most of them compute addresses, of which
/// compilers keep few in loops.
pub fn cost(op: BinaryOp, scalar: Scalar) -> f64 {
    let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    match (scalar, divides) {
        (Scalar::Double, true) => 24.0,
        (Scalar::Double, false) => 2.0,
        (Scalar::Float | Scalar::Half, true) => 8.0,
        (Scalar::Float | Scalar::Half, false) => 1.0,
        (_, true) => 10.0,
        (_, false) => 0.5,
    }
}

/// Instructions of a builtin function on a scalar.
pub fn cost_of_builtin(name: &str) -> f64 {
    match name {
        "sin" | "cos" | "tan" | "sincos" | "atan" | "atan2" | "erf" => 20.0,
        "pow" | "powr" | "pown" | "log" | "log2" | "log10" => 20.0,
        "exp" | "exp2" | "exp10" | "sqrt" | "cbrt" | "length" | "distance" | "normalize" => 8.0,
        "native_divide" | "rsqrt" | "native_sqrt" | "native_rsqrt" | "native_exp" => 2.0,
        _ => 1.0,
    }
}

/// A builtin function of integers.
pub fn integer_builtin(name: &str, args: &[i64]) -> Option<i64> {
    Some(match (name, args) {
        ("min", [a, b]) => *a.min(b),
        ("max", [a, b]) => *a.max(b),
        ("clamp", [x, low, high]) => *x.max(low).min(high),
        ("abs", [a]) => a.wrapping_abs(),
        ("mul24", [a, b]) => a.wrapping_mul(*b),
        ("mad24", [a, b, c]) => a.wrapping_mul(*b).wrapping_add(*c),
        (convert, [a]) if convert.starts_with("convert_") => *a,
        _ => return None,
    })
}
