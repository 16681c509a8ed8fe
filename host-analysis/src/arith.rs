//! Arithmetic on abstract values, by C's rules.

use crate::location::Root;
use crate::number::{IntType, Num};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::{Sym, Val};

/// The type of a number.
/// The type of a value that is a number of one type, whichever of its alternatives it is.
pub(crate) fn sole_rank(value: &Val) -> Option<Num> {
    let mut ranks = value.alternatives().iter().map(rank);
    let first = ranks.next()??;
    ranks.all(|other| other == Some(first)).then_some(first)
}

pub(crate) fn rank(value: &Val) -> Option<Num> {
    match value {
        Val::Int(_, t) => Some(Num::Int(*t)),
        Val::Float(_) => Some(Num::Float),
        Val::Double(_) => Some(Num::Double),
        Val::Sym(sym) => sym.ty,
        _ => None,
    }
}

/// The type in which an operation on two numbers happens.
pub(crate) fn common(a: Num, b: Num) -> Num {
    match (a, b) {
        (Num::Double, _) | (_, Num::Double) => Num::Double,
        (Num::Float, _) | (_, Num::Float) => Num::Float,
        (Num::Int(a), Num::Int(b)) => Num::Int(a.common(b)),
    }
}

/// `a op b`. `&&` and `||` only for values without effects.
pub(crate) fn binary(op: BinaryOp, a: &Val, b: &Val) -> Val {
    use BinaryOp::*;
    let (a, b) = (&settled(a), &settled(b));
    if let And | Or = op {
        return logical(op, a, b);
    }
    if let (Val::Pointer(location), Val::Int(by, _)) = (a, b)
        && let (Add | Sub, Ok(by)) = (op, i64::try_from(*by))
    {
        let by = if op == Sub { -by } else { by };
        return match location.moved(by) {
            Some(moved) => Val::Pointer(moved),
            None => Val::Into(location.root),
        };
    }
    if let (Add | Sub, Some(root)) = (op, somewhere(a, b)) {
        return Val::Into(root);
    }
    if let (Add, Some(root)) = (op, somewhere(b, a)) {
        return match (a, b) {
            (Val::Int(..), Val::Pointer(_)) => binary(op, b, a),
            _ => Val::Into(root),
        };
    }
    if let (Val::Text(text), Val::Int(by, _)) = (a, b)
        && op == Add
    {
        let rest = usize::try_from(*by).ok().and_then(|by| text.suffix(by));
        return match rest {
            Some(rest) => Val::text(rest),
            None => Val::unknown("a pointer into a string"),
        };
    }
    match (a, b) {
        (Val::Int(x, t), Val::Int(y, u)) => integers(op, *x, *t, *y, *u),
        (Val::Unknown(reason), _) | (_, Val::Unknown(reason)) => Val::Unknown(reason.clone()),
        (Val::OneOf(_), _) | (_, Val::OneOf(_)) => each(op, a, b),
        (Val::Sym(_), _) | (_, Val::Sym(_)) => symbolic(op, a, b),
        _ => match (a.number(), b.number()) {
            (Some(x), Some(y)) => floats(
                op,
                x,
                y,
                matches!(
                    (rank(a), rank(b)),
                    (Some(Num::Double), _) | (_, Some(Num::Double))
                ),
            ),
            _ => pointers(op, a, b),
        },
    }
}

/// Where the sum of a pointer and a number points into.
fn somewhere(pointer: &Val, by: &Val) -> Option<Root> {
    let number = matches!(
        by,
        Val::Int(..) | Val::Sym(_) | Val::Unknown(_) | Val::OneOf(_)
    );
    match pointer {
        Val::Pointer(location) if number => Some(location.root),
        Val::Into(root) if number => Some(*root),
        _ => None,
    }
}

fn settled(value: &Val) -> Val {
    match value {
        Val::Zero => Val::int(0),
        Val::Unset => Val::unknown("a variable is read before it is set"),
        other => other.clone(),
    }
}

fn logical(op: BinaryOp, a: &Val, b: &Val) -> Val {
    let decisive = op == BinaryOp::Or;
    match (a.truth(), b.truth()) {
        (Some(x), _) if x == decisive => Val::bool(decisive),
        (_, Some(y)) if y == decisive => Val::bool(decisive),
        (Some(_), Some(_)) => Val::bool(!decisive),
        _ => match (a, b) {
            (Val::Unknown(reason), _) | (_, Val::Unknown(reason)) => Val::Unknown(reason.clone()),
            _ => symbolic(op, a, b),
        },
    }
}

fn each(op: BinaryOp, a: &Val, b: &Val) -> Val {
    let mut result = Val::Unset;
    for x in a.alternatives() {
        for y in b.alternatives() {
            result = result.join(&binary(op, x, y));
        }
    }
    result
}

fn pointers(op: BinaryOp, a: &Val, b: &Val) -> Val {
    let null = |v: &Val| matches!(v, Val::Null | Val::Int(0, _));
    let known = match (a, b) {
        _ if null(a) && null(b) => Some(true),
        _ if null(a) => b.truth().map(|t| !t),
        _ if null(b) => a.truth().map(|t| !t),
        _ => None,
    };
    match (op, known) {
        (BinaryOp::Eq, Some(equal)) => Val::bool(equal),
        (BinaryOp::Ne, Some(equal)) => Val::bool(!equal),
        _ => Val::unknown("an operation on pointers"),
    }
}

fn integers(op: BinaryOp, x: i128, t: IntType, y: i128, u: IntType) -> Val {
    use BinaryOp::*;
    let ty = match op {
        Shl | Shr => t.common(IntType::INT),
        _ => t.common(u),
    };
    let (x, y) = match op {
        Shl | Shr => (ty.wrap(x), y),
        _ => (ty.wrap(x), ty.wrap(y)),
    };
    let in_range = (0..i128::from(ty.bits)).contains(&y);
    let value = match op {
        Add => x.checked_add(y),
        Sub => x.checked_sub(y),
        Mul => x.checked_mul(y),
        Div => x.checked_div(y),
        Rem => x.checked_rem(y),
        Shl if in_range => x.checked_mul(1 << y),
        Shr if in_range => Some(x >> y),
        Shl | Shr => None,
        BitAnd => Some(x & y),
        BitOr => Some(x | y),
        BitXor => Some(x ^ y),
        _ => return truth(op, x, y),
    };
    match value {
        None => Val::unknown("an operation without a value, such as a division by zero"),
        Some(value) if ty.signed && !ty.holds(value) => Val::unknown("a signed overflow"),
        Some(value) => Val::Int(ty.wrap(value), ty),
    }
}

/// A comparison of two numbers, or an operation on their truth.
fn truth<T: PartialOrd + Default>(op: BinaryOp, x: T, y: T) -> Val {
    use BinaryOp::*;
    let zero = T::default();
    Val::bool(match op {
        Eq => x == y,
        Ne => x != y,
        Lt => x < y,
        Le => x <= y,
        Gt => x > y,
        Ge => x >= y,
        And => x != zero && y != zero,
        Or => x != zero || y != zero,
        _ => return Val::unknown("an operation that floating-point numbers do not have"),
    })
}

fn floats(op: BinaryOp, x: f64, y: f64, double: bool) -> Val {
    use BinaryOp::*;
    let (x, y) = match double {
        true => (x, y),
        false => (f64::from(x as f32), f64::from(y as f32)),
    };
    let value = match op {
        Add => x + y,
        Sub => x - y,
        Mul => x * y,
        Div => x / y,
        _ => return truth(op, x, y),
    };
    match double {
        true => Val::Double(value),
        false => Val::Float(f64::from(value as f32)),
    }
}

fn symbolic(op: BinaryOp, a: &Val, b: &Val) -> Val {
    use BinaryOp::*;
    let number = |v: &Val| {
        matches!(
            v,
            Val::Sym(_) | Val::Int(..) | Val::Float(_) | Val::Double(_)
        )
    };
    if !number(a) || !number(b) {
        return Val::unknown("an operation on a value that is not known");
    }
    let types = rank(a).zip(rank(b)).map(|(x, y)| common(x, y));
    if let Some(same) = identity(op, a, b, types) {
        return same;
    }
    let ty = match op {
        Eq | Ne | Lt | Le | Gt | Ge | And | Or => Some(Num::Int(IntType::INT)),
        Shl | Shr => rank(a),
        _ => types,
    };
    Sym::binary(op, a, b, ty)
}

/// `x * 1`, `x / 1`, `x + 0`, `x - 0`.
fn identity(op: BinaryOp, a: &Val, b: &Val, ty: Option<Num>) -> Option<Val> {
    use BinaryOp::*;
    let is = |v: &Val, n: i128| v.as_int() == Some(n);
    let same = match op {
        Mul if is(b, 1) => a,
        Mul if is(a, 1) => b,
        Div if is(b, 1) => a,
        Add | Sub if is(b, 0) => a,
        Add if is(a, 0) => b,
        _ => return None,
    };
    Some(match ty {
        Some(ty) => same.convert(ty),
        None => same.clone(),
    })
}

/// `op a`.
pub(crate) fn unary(op: UnaryOp, a: &Val) -> Val {
    let a = &settled(a);
    match (op, a) {
        (UnaryOp::Not, a) if a.truth().is_some() => Val::bool(a.truth() == Some(false)),
        (_, Val::Unknown(_)) => a.clone(),
        (UnaryOp::Plus, Val::Sym(_)) => a.clone(),
        (_, Val::Sym(sym)) => Sym::unary(op, sym),
        (UnaryOp::Plus, Val::Int(..)) => binary(BinaryOp::Add, &Val::int(0), a),
        (UnaryOp::Minus, Val::Int(..)) => binary(BinaryOp::Sub, &Val::int(0), a),
        (UnaryOp::BitNot, Val::Int(..)) => binary(BinaryOp::BitXor, a, &Val::int(-1)),
        (UnaryOp::Plus, Val::Float(_) | Val::Double(_)) => a.clone(),
        (UnaryOp::Minus, Val::Float(v)) => Val::Float(-v),
        (UnaryOp::Minus, Val::Double(v)) => Val::Double(-v),
        (_, Val::OneOf(all)) => all
            .iter()
            .map(|v| unary(op, v))
            .reduce(|x, y| x.join(&y))
            .unwrap_or(Val::Unset),
        _ => Val::unknown("an operation on a value that is not followed"),
    }
}

/// An integer literal.
pub(crate) fn int_literal(word: &str) -> Val {
    // As most are.
    if (1..=9).contains(&word.len())
        && (word == "0" || !word.starts_with('0'))
        && let Ok(value) = word.parse::<u32>()
    {
        return Val::int(i128::from(value));
    }
    let lower = word.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l', 'z']);
    let suffix = &lower[digits.len()..];
    let (digits, radix) = match digits {
        d if d.starts_with("0x") => (&d[2..], 16),
        d if d.starts_with("0b") => (&d[2..], 2),
        d if d.len() > 1 && d.starts_with('0') => (&d[1..], 8),
        d => (d, 10),
    };
    let Ok(value) = i128::from_str_radix(digits, radix) else {
        return Val::unknown(format!("the number `{word}`"));
    };
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l') || suffix.contains('z');
    let candidates = [IntType::INT, IntType::UINT, IntType::LONG, IntType::SIZE];
    let fits = |t: &&IntType| {
        t.holds(value)
            && (!long || t.bits == 64)
            && (!unsigned || !t.signed)
            && (unsigned || t.signed || radix != 10)
    };
    match candidates.iter().find(fits) {
        Some(ty) => Val::Int(value, *ty),
        None => Val::unknown(format!("the number `{word}`")),
    }
}

/// A floating-point literal.
pub(crate) fn float_literal(word: &str) -> Val {
    let lower = word.to_ascii_lowercase();
    let single = lower.ends_with('f') && !lower.starts_with("0x");
    let digits = lower.trim_end_matches(['f', 'l']);
    match digits.parse::<f64>() {
        Ok(_) if single => Val::Float(f64::from(digits.parse::<f32>().unwrap_or(0.0))),
        Ok(value) => Val::Double(value),
        Err(_) => Val::unknown(format!("the number `{word}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, op: &str, b: &str, expected: &str) {
        let op = BinaryOp::from_spelling(op).unwrap();
        let value = |w: &str| match w.contains('.') {
            true => float_literal(w),
            false => int_literal(w),
        };
        assert_eq!(binary(op, &value(a), &value(b)).describe(), expected);
    }

    #[test]
    fn arithmetic_follows_c() {
        check("7", "/", "2", "3");
        check("7", "/", "2.0", "3.5");
        check("1u", "-", "2", "4294967295");
        check("1ul", "-", "2", "18446744073709551615");
        check("2147483647", "+", "1", "an unknown value");
        check("1", "/", "0", "an unknown value");
        check("0x10", "<<", "3", "128");
        check("010", "*", "2", "16");
        check("1.5f", "*", "2", "3");
        check("4294967296", "*", "2", "8589934592");
    }
}
