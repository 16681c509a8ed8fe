//! Literals.

use crate::ir::{Scalar, Type, TypeId, Types};

use super::precedence::Prec;

/// A literal's text and how tightly it binds.
pub(super) struct Literal {
    pub(super) text: String,
    pub(super) prec: Prec,
}

impl Literal {
    fn new(text: String, prec: Prec) -> Self {
        Literal { text, prec }
    }
}

/// An integer of a type, as C spells it: with a suffix for its type, and the most negative values as
/// differences, since C has no negative literals.
pub(super) fn integer(types: &Types, ty: TypeId, value: i128, cast: &str) -> Literal {
    let suffix = match types.resolve(ty) {
        Type::Scalar(Scalar::Int) => "",
        Type::Scalar(Scalar::UInt) => "u",
        Type::Scalar(Scalar::Long) => "L",
        Type::Scalar(Scalar::ULong) => "UL",
        Type::Scalar(Scalar::Bool) => {
            let word = if value == 0 { "false" } else { "true" };
            return Literal::new(word.to_string(), Prec::Primary);
        }
        // C has no literals of these types.
        _ => return Literal::new(format!("({cast}){value}"), Prec::Unary),
    };
    let lowest = match suffix {
        "" => i128::from(i32::MIN),
        _ => i128::from(i64::MIN),
    };
    if value == lowest {
        return Literal::new(format!("{}{suffix} - 1", value + 1), Prec::Additive);
    }
    let prec = if value < 0 {
        Prec::Unary
    } else {
        Prec::Primary
    };
    Literal::new(format!("{value}{suffix}"), prec)
}

/// A floating-point value of a type: the shortest decimal that means it.
pub(super) fn float(types: &Types, ty: TypeId, value: f64) -> Literal {
    let scalar = types.as_scalar(ty).unwrap_or(Scalar::Double);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let signed = |text: &str| {
        let prec = if sign.is_empty() {
            Prec::Primary
        } else {
            Prec::Unary
        };
        Literal::new(format!("{sign}{text}"), prec)
    };
    let single = value as f32;
    match scalar {
        Scalar::Float if single.is_nan() => nan_of_float(single),
        Scalar::Float if single.is_infinite() => signed("INFINITY"),
        Scalar::Float => signed(&format!("{:?}f", single.abs())),
        Scalar::Half if value.is_nan() => Literal::new("(half)NAN".to_string(), Prec::Unary),
        Scalar::Half if value.is_infinite() => cast("half", sign, "INFINITY"),
        Scalar::Half => cast("half", sign, &format!("{:?}f", single.abs())),
        _ if value.is_nan() => {
            let text = format!("as_double(0x{:x}UL)", value.to_bits());
            Literal::new(text, Prec::Postfix)
        }
        _ if value.is_infinite() => cast("double", sign, "INFINITY"),
        _ => signed(&format!("{:?}", value.abs())),
    }
}

fn cast(ty: &str, sign: &str, text: &str) -> Literal {
    Literal::new(format!("({ty}){sign}{text}"), Prec::Unary)
}

fn nan_of_float(value: f32) -> Literal {
    if value.to_bits() == f32::NAN.to_bits() {
        return Literal::new("NAN".to_string(), Prec::Primary);
    }
    Literal::new(format!("as_float(0x{:x}u)", value.to_bits()), Prec::Postfix)
}
