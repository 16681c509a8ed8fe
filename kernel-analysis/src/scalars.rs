//! Numbers that hosts pass to kernels, as parameters of a type receive them.

use fpgacc_frontend::ir::Scalar;
use fpgacc_launch_facts::{ArgValue, Value};
use fpgacc_runtime::guard::{ScalarFact, ScalarKind};

use crate::constant;

/// The most decimal digits of a computed `float` and `double` that are taken for a constant of the
/// host's text. What a host computes may be rounded otherwise by its compiler.
const WRITTEN_DIGITS: [usize; 2] = [6, 12];

/// A number as facts give it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number<'a> {
    Integer(i128),
    /// Of a `float` and of a `double` of the host.
    Float(f64),
    Double(f64),
    /// As text, of the parameter's own type.
    Seen(&'a str),
}

/// The bits that a parameter of type `scalar` has when the host passes `value`; `None`: they are not
/// the same at every launch, or host and kernel do not agree on the type.
pub fn bits(value: &ArgValue, scalar: Scalar) -> Option<u64> {
    match (number(value)?, scalar) {
        (Number::Integer(value), _) if scalar.is_integer() && scalar != Scalar::Bool => {
            integer(value, scalar)
        }
        (Number::Float(value), Scalar::Float) => {
            let single = value as f32;
            let is_exact = f64::from(single) == value && single.is_finite();
            let is_written = digits(&format!("{single:e}")) <= WRITTEN_DIGITS[0];
            (is_exact && is_written).then(|| u64::from(single.to_bits()))
        }
        (Number::Double(value), Scalar::Double) => {
            let is_written = digits(&format!("{value:e}")) <= WRITTEN_DIGITS[1];
            (value.is_finite() && is_written).then(|| value.to_bits())
        }
        (Number::Seen(text), Scalar::Float) => {
            let value: f32 = text.parse().ok()?;
            value.is_finite().then(|| u64::from(value.to_bits()))
        }
        (Number::Seen(text), Scalar::Double) => {
            let value: f64 = text.parse().ok()?;
            value.is_finite().then(|| value.to_bits())
        }
        _ => None,
    }
}

/// The number that an integer parameter of type `scalar` has when the host passes `value`; `None` as of [`bits`].
pub fn integer_of(value: &ArgValue, scalar: Scalar) -> Option<i128> {
    let bits = bits(value, scalar).filter(|_| scalar.is_integer())?;
    Some(constant::wrapped(i128::from(bits), scalar))
}

/// That the parameter `index`, of type `scalar`, has these bits.
pub fn fact(index: u32, scalar: Scalar, bits: u64) -> ScalarFact {
    let kind = match scalar {
        scalar if scalar.is_float() => ScalarKind::Float,
        scalar if scalar.is_signed_integer() => ScalarKind::Signed,
        _ => ScalarKind::Unsigned,
    };
    ScalarFact {
        param: index,
        kind,
        size: scalar.size() as u8,
        bits,
    }
}

/// The digits of a number in scientific notation.
fn digits(text: &str) -> usize {
    let mantissa = text.split('e').next().unwrap_or_default();
    mantissa.bytes().filter(u8::is_ascii_digit).count()
}

/// Cut down to a type, if signed or unsigned numbers of its size hold it.
fn integer(value: i128, scalar: Scalar) -> Option<u64> {
    let width = scalar.size() * 8;
    let fits = (-(1i128 << (width - 1))..1i128 << width).contains(&value);
    let mask = (1i128 << width) - 1;
    fits.then_some((value & mask) as u64)
}

fn number(value: &ArgValue) -> Option<Number<'_>> {
    match value {
        ArgValue::Scalar(value) => number_of(value),
        ArgValue::Seen(texts) => match texts.as_slice() {
            [one] => Some(Number::Seen(one)),
            _ => None,
        },
        _ => None,
    }
}

fn number_of(value: &Value) -> Option<Number<'static>> {
    match value {
        Value::Const(value) => Some(Number::Integer(i128::from(*value))),
        Value::OneOf(all) => match all.as_slice() {
            [one] => Some(Number::Integer(i128::from(*one))),
            _ => None,
        },
        Value::AnyOf(all) => match all.as_slice() {
            [one] => number_of(one),
            _ => None,
        },
        // A constant that is no natural number is an expression without names.
        Value::Symbolic(symbolic) => constant(&symbolic.text),
        Value::Range { .. } | Value::Unknown(_) => None,
    }
}

/// `-5`, `0.5` and `0.5f`.
fn constant(text: &str) -> Option<Number<'static>> {
    let starts = text.trim_start_matches('-').as_bytes().first()?;
    if !starts.is_ascii_digit() {
        return None;
    }
    if let Ok(value) = text.parse::<i128>() {
        return Some(Number::Integer(value));
    }
    match text.strip_suffix('f') {
        Some(text) => text.parse().ok().map(Number::Float),
        None => text.parse().ok().map(Number::Double),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fpgacc_launch_facts::Symbolic;

    fn scalar(value: Value) -> ArgValue {
        ArgValue::Scalar(value)
    }

    fn text(text: &str) -> ArgValue {
        scalar(Value::Symbolic(Symbolic::new(text)))
    }

    #[test]
    fn integers_are_cut_down_to_the_parameter() {
        let five = scalar(Value::Const(5));
        for ty in [Scalar::Char, Scalar::UShort, Scalar::Int, Scalar::ULong] {
            assert_eq!(bits(&five, ty), Some(5));
        }
        assert_eq!(bits(&five, Scalar::Float), None);
        let high = scalar(Value::Const(200));
        assert_eq!(bits(&high, Scalar::Char), Some(200));
        let wide = scalar(Value::Const(300));
        assert_eq!(bits(&wide, Scalar::UChar), None);
        assert_eq!(bits(&wide, Scalar::Short), Some(300));
        let most = scalar(Value::Const(u64::MAX));
        assert_eq!(bits(&most, Scalar::Long), Some(u64::MAX));
        assert_eq!(bits(&most, Scalar::Int), None);
        assert_eq!(bits(&text("-1"), Scalar::Short), Some(0xffff));
        assert_eq!(bits(&text("-129"), Scalar::Char), None);
    }

    #[test]
    fn floats_are_of_their_own_type() {
        assert_eq!(bits(&text("0.5f"), Scalar::Float), Some(0x3f00_0000));
        assert_eq!(bits(&text("0.5f"), Scalar::Double), None);
        assert_eq!(bits(&text("0.5f"), Scalar::Int), None);
        assert_eq!(
            bits(&text("-2.0"), Scalar::Double),
            Some((-2.0f64).to_bits())
        );
        assert_eq!(bits(&text("0.5"), Scalar::Float), None);
        let seen = ArgValue::Seen(vec!["0.1".to_string()]);
        assert_eq!(bits(&seen, Scalar::Float), Some(0.1f32.to_bits().into()));
        assert_eq!(bits(&seen, Scalar::Double), Some(0.1f64.to_bits()));
        assert_eq!(bits(&seen, Scalar::Int), None);
    }

    #[test]
    fn computed_floats_are_no_constants() {
        let tenth = format!("{:?}f", f64::from(0.1f32));
        assert_eq!(
            bits(&text(&tenth), Scalar::Float),
            Some(0.1f32.to_bits().into())
        );
        let third = format!("{:?}f", f64::from(1.0f32 / 3.0));
        assert_eq!(bits(&text(&third), Scalar::Float), None);
        assert_eq!(
            bits(&text(&format!("{:?}", 1.0 / 3.0)), Scalar::Double),
            None
        );
    }

    #[test]
    fn what_is_not_one_number_is_none() {
        for value in [
            scalar(Value::OneOf(vec![1, 2])),
            scalar(Value::Unknown("read".to_string())),
            scalar(Value::Range {
                min: 1,
                max: 9,
                step: 1,
            }),
            text("n"),
            text("n + 1"),
            text("inff"),
            ArgValue::Seen(vec!["0x0000803f00000040".to_string()]),
            ArgValue::Memory("a".to_string()),
        ] {
            for ty in [Scalar::Int, Scalar::Float, Scalar::Double] {
                assert_eq!(bits(&value, ty), None, "{value:?}");
            }
        }
    }
}
