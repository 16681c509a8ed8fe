//! Arithmetic on the values of one lane.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{BinaryOp, Scalar};
use fpgacc_kernel_analysis::constant;

use super::value::{Linear, Sym, Value};

/// What came of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// This.
    Known(Value),
    /// It is not followed.
    Lost,
}

/// Numbers that stand for products of two others, by these in ascending order.
pub type Products = BTreeMap<(Sym, Sym), Sym>;

/// A product of two numbers with unknown parts.
pub fn product(a: &Linear, b: &Linear, products: &Products) -> Option<Linear> {
    let mut sum = b.times(a.constant)?;
    let unknown = Linear {
        constant: 0,
        terms: a.terms.clone(),
    };
    sum = sum.plus(&unknown, b.constant)?;
    for (s, by) in a.terms.iter() {
        for (t, times) in b.terms.iter() {
            let product = products.get(&(*s.min(t), *s.max(t)))?;
            sum = sum.plus(&Linear::sym(*product), by.checked_mul(*times)?)?;
        }
    }
    Some(sum)
}

/// `lhs op rhs` in a scalar type.
pub fn binary(op: BinaryOp, lhs: &Value, rhs: &Value, ty: Option<Scalar>) -> Outcome {
    if matches!(lhs, Value::Data) || matches!(rhs, Value::Data) {
        return Outcome::Known(Value::Data);
    }
    match (lhs, rhs) {
        (Value::Likely(holds, _), other) => binary(op, &Value::int(i128::from(*holds)), other, ty),
        (other, Value::Likely(holds, _)) => binary(op, other, &Value::int(i128::from(*holds)), ty),
        (Value::Open(sym), _) | (_, Value::Open(sym)) => Outcome::Known(Value::Open(*sym)),
        (Value::Int(a), Value::Int(b)) => integers(op, a, b, ty),
        (Value::Float(a), Value::Float(b)) => floats(op, *a, *b, ty),
        (Value::Float(a), Value::Int(b)) => match b.known() {
            Some(b) => floats(op, *a, b as f64, ty),
            None => Outcome::Lost,
        },
        (Value::Int(a), Value::Float(b)) => match a.known() {
            Some(a) => floats(op, a as f64, *b, ty),
            None => Outcome::Lost,
        },
        (Value::Pointer(a, from), Value::Pointer(b, to)) if a == b && op.is_comparison() => {
            integers(op, from, to, ty)
        }
        _ => Outcome::Lost,
    }
}

fn integers(op: BinaryOp, a: &Linear, b: &Linear, ty: Option<Scalar>) -> Outcome {
    if op.is_comparison() {
        return compared(op, a, b);
    }
    if ty.is_some_and(Scalar::is_float) {
        return match (a.known(), b.known()) {
            (Some(a), Some(b)) => floats(op, a as f64, b as f64, ty),
            _ => Outcome::Lost,
        };
    }
    let linear = match op {
        BinaryOp::Add => a.plus(b, 1),
        BinaryOp::Sub => a.plus(b, -1),
        BinaryOp::Mul => match (a.known(), b.known()) {
            (Some(a), _) => b.times(a),
            (_, Some(b)) => a.times(b),
            _ => None,
        },
        BinaryOp::Shl => {
            (b.known().filter(|by| (0..63).contains(by))).and_then(|by| a.times(1 << by))
        }
        BinaryOp::Shr => {
            (b.known().filter(|by| (0..63).contains(by))).and_then(|by| divided(a, 1 << by))
        }
        BinaryOp::Div => b.known().and_then(|by| divided(a, by)),
        BinaryOp::Rem => b.known().and_then(|by| remainder(a, by)),
        BinaryOp::BitAnd => match (a.known(), b.known()) {
            (Some(a), Some(b)) => Some(Linear::constant(a & b)),
            (_, Some(mask)) if mask > 0 && (mask + 1) & mask == 0 => remainder(a, mask + 1),
            (Some(mask), _) if mask > 0 && (mask + 1) & mask == 0 => remainder(b, mask + 1),
            _ => None,
        },
        BinaryOp::BitOr => both(a, b, |a, b| a | b),
        BinaryOp::BitXor => both(a, b, |a, b| a ^ b),
        _ => None,
    };
    match linear {
        Some(linear) => Outcome::Known(Value::Int(wrapped(linear, ty))),
        None => Outcome::Lost,
    }
}

fn both(a: &Linear, b: &Linear, op: impl Fn(i128, i128) -> i128) -> Option<Linear> {
    Some(Linear::constant(op(a.known()?, b.known()?)))
}

/// A quotient. Of numbers with unknown parts: where these are multiples of the divisor, and not negative.
fn divided(a: &Linear, by: i128) -> Option<Linear> {
    if by == 0 {
        return None;
    }
    if let Some(a) = a.known() {
        return Some(Linear::constant(a / by));
    }
    let is_whole = a.terms.iter().all(|(_, times)| times % by == 0);
    (is_whole && by > 0 && a.constant >= 0).then(|| Linear {
        constant: a.constant / by,
        terms: a
            .terms
            .iter()
            .map(|(sym, times)| (*sym, times / by))
            .collect(),
    })
}

fn remainder(a: &Linear, by: i128) -> Option<Linear> {
    if by == 0 {
        return None;
    }
    if let Some(a) = a.known() {
        return Some(Linear::constant(a % by));
    }
    let is_whole = a.terms.iter().all(|(_, times)| times % by == 0);
    (is_whole && by > 0 && a.constant >= 0).then(|| Linear::constant(a.constant % by))
}

/// A comparison. Arguments and sizes that are not known are taken to be large: `if (id < n)` holds, but for a few
/// work-items at the end.
fn compared(op: BinaryOp, a: &Linear, b: &Linear) -> Outcome {
    let Some(difference) = a.plus(b, -1) else {
        return Outcome::Lost;
    };
    let holds = |ordering: i128| match op {
        BinaryOp::Lt => ordering < 0,
        BinaryOp::Gt => ordering > 0,
        BinaryOp::Le => ordering <= 0,
        BinaryOp::Ge => ordering >= 0,
        BinaryOp::Eq => ordering == 0,
        _ => ordering != 0,
    };
    if let Some(known) = difference.known() {
        return Outcome::Known(Value::int(i128::from(holds(known))));
    }
    let (sym, first) = difference.terms[0];
    let is_clear = difference
        .terms
        .iter()
        .all(|(_, times)| times.signum() == first.signum());
    // Of `id < n - t`, the side that is not known is the large one.
    let large = match (a.known(), b.known()) {
        (Some(_), None) => Some(-1),
        (None, Some(_)) => Some(1),
        _ => None,
    };
    match is_clear.then_some(first).or(large) {
        Some(ordering) => Outcome::Known(Value::Likely(holds(ordering), sym)),
        None => Outcome::Lost,
    }
}

fn floats(op: BinaryOp, a: f64, b: f64, ty: Option<Scalar>) -> Outcome {
    let truth = |holds: bool| Outcome::Known(Value::int(i128::from(holds)));
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Lt => return truth(a < b),
        BinaryOp::Gt => return truth(a > b),
        BinaryOp::Le => return truth(a <= b),
        BinaryOp::Ge => return truth(a >= b),
        BinaryOp::Eq => return truth(a == b),
        BinaryOp::Ne => return truth(a != b),
        _ => return Outcome::Lost,
    };
    Outcome::Known(Value::Float(rounded(value, ty)))
}

/// A number as its type holds it.
pub fn rounded(value: f64, ty: Option<Scalar>) -> f64 {
    match ty {
        Some(Scalar::Double) => value,
        _ => f64::from(value as f32),
    }
}

/// An integer as its type holds it. Numbers with unknown parts are taken not to overflow.
pub fn wrapped(linear: Linear, ty: Option<Scalar>) -> Linear {
    let (Some(value), Some(scalar)) = (linear.known(), ty) else {
        return linear;
    };
    if scalar.is_float() {
        return linear;
    }
    Linear::constant(constant::wrapped(value, scalar))
}

/// A value in another scalar type.
pub fn converted(value: &Value, to: Option<Scalar>) -> Option<Value> {
    let Some(to) = to else {
        return Some(value.clone());
    };
    Some(match value {
        Value::Int(linear) if to.is_float() => {
            Value::Float(rounded(linear.known()? as f64, Some(to)))
        }
        Value::Int(linear) => Value::Int(wrapped(linear.clone(), Some(to))),
        Value::Float(number) if to.is_float() => Value::Float(rounded(*number, Some(to))),
        Value::Float(number) => {
            let number = number.trunc();
            let is_small = number.abs() < 1e18;
            Value::Int(wrapped(
                Linear::constant(is_small.then_some(number as i128)?),
                Some(to),
            ))
        }
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_against_large_numbers_hold() {
        let n = Value::Int(Linear::sym(Sym(3)));
        let id = Value::int(77);
        let truth = |op| binary(op, &id, &n, Some(Scalar::Int));
        let likely = |holds| Outcome::Known(Value::Likely(holds, Sym(3)));
        assert_eq!(truth(BinaryOp::Lt), likely(true));
        assert_eq!(truth(BinaryOp::Ge), likely(false));
        assert_eq!(truth(BinaryOp::Eq), likely(false));
    }

    #[test]
    fn rows_are_distinguished_from_columns() {
        let row = Linear::sym(Sym(1))
            .times(16)
            .and_then(|row| row.plus(&Linear::constant(5), 1));
        let position = Value::Int(row.expect("it is small"));
        let column = binary(BinaryOp::Rem, &position, &Value::int(16), Some(Scalar::Int));
        assert_eq!(column, Outcome::Known(Value::int(5)));
        let row = binary(BinaryOp::Div, &position, &Value::int(16), Some(Scalar::Int));
        assert_eq!(row, Outcome::Known(Value::Int(Linear::sym(Sym(1)))));
    }

    #[test]
    fn integers_wrap_as_their_types_do() {
        let less = binary(
            BinaryOp::Sub,
            &Value::int(0),
            &Value::int(1),
            Some(Scalar::UInt),
        );
        assert_eq!(less, Outcome::Known(Value::int(0xffff_ffff)));
    }
}
