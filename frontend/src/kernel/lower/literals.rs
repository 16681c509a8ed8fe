//! Numbers and characters as written: value and type.

use crate::ir::Scalar;

/// A literal's value and type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    Int(i128, Scalar),
    Float(f64, Scalar),
}

/// Reads a number token.
pub(super) fn number(text: &str) -> Result<Literal, String> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let is_float = if hex {
        lower.contains(['.', 'p'])
    } else {
        lower.contains(['.', 'e']) || (!lower.starts_with("0b") && lower.ends_with(['f', 'h']))
    };
    if is_float {
        float(text, &lower, hex)
    } else {
        integer(text, &lower)
    }
}

fn integer(text: &str, lower: &str) -> Result<Literal, String> {
    let digits_end = lower.find(['u', 'l']).unwrap_or(lower.len());
    let (digits, suffix) = lower.split_at(digits_end);
    let (digits, radix) = if let Some(hex) = digits.strip_prefix("0x") {
        (hex, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        (binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits, 10)
    };
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l');
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return Err(format!("`{text}` has an unknown suffix"));
    }
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(format!("`{text}` is not a number"));
    }
    let value = u64::from_str_radix(digits, radix)
        .map_err(|_| format!("`{text}` does not fit into 64 bits"))?;
    let candidates: &[Scalar] = match (unsigned, long, radix == 10) {
        (false, false, true) => &[Scalar::Int, Scalar::Long, Scalar::ULong],
        (false, false, false) => &[Scalar::Int, Scalar::UInt, Scalar::Long, Scalar::ULong],
        (true, false, _) => &[Scalar::UInt, Scalar::ULong],
        (false, true, _) => &[Scalar::Long, Scalar::ULong],
        (true, true, _) => &[Scalar::ULong],
    };
    let fits = |scalar: &&Scalar| {
        value
            <= match scalar {
                Scalar::Int => i32::MAX as u64,
                Scalar::UInt => u64::from(u32::MAX),
                Scalar::Long => i64::MAX as u64,
                _ => u64::MAX,
            }
    };
    let scalar = candidates.iter().find(fits).copied();
    Ok(Literal::Int(
        i128::from(value),
        scalar.unwrap_or(Scalar::ULong),
    ))
}

fn float(text: &str, lower: &str, hex: bool) -> Result<Literal, String> {
    let (digits, scalar) = if let Some(rest) = lower.strip_suffix("f16") {
        (rest, Scalar::Half)
    } else if let Some(rest) = lower.strip_suffix('h') {
        (rest, Scalar::Half)
    } else if let Some(rest) = lower
        .strip_suffix('f')
        .filter(|_| !hex || lower.contains('p'))
    {
        (rest, Scalar::Float)
    } else if let Some(rest) = lower.strip_suffix('l') {
        (rest, Scalar::Double)
    } else {
        (lower, Scalar::Double)
    };
    let value = if hex {
        hex_float(digits)
    } else if digits
        .chars()
        .all(|c| c.is_ascii_digit() || ".e+-".contains(c))
    {
        digits.parse().ok()
    } else {
        None
    };
    match value {
        Some(value) => Ok(Literal::Float(value, scalar)),
        None => Err(format!("`{text}` is not a number")),
    }
}

/// `0x1.8p3` without suffix.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.strip_prefix("0x")?.split_once('p')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    Some(value * 2f64.powi(shift))
}

/// Reads a character token.
pub(super) fn character(text: &str) -> Result<i128, String> {
    let inner = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .unwrap_or("");
    let mut chars = inner.chars();
    let value = match chars.next() {
        None => return Err("an empty character literal has no value".to_string()),
        Some('\\') => {
            let rest = chars.as_str();
            return escape(rest).ok_or_else(|| format!("`\\{rest}` is not an escape sequence"));
        }
        Some(c) => c,
    };
    if chars.next().is_some() || !value.is_ascii() {
        return Err(format!("`{text}` is not one character"));
    }
    Ok(value as i128)
}

fn escape(text: &str) -> Option<i128> {
    let simple = match text {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "e" => 27,
        "\\" | "'" | "\"" | "?" => return text.bytes().next().map(i128::from),
        _ => {
            let byte = match text.strip_prefix('x') {
                Some(hex) => u8::from_str_radix(hex, 16).ok()?,
                None => u8::from_str_radix(text, 8).ok()?,
            };
            return Some(i128::from(byte as i8));
        }
    };
    Some(simple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_values_and_types() {
        let cases = [
            ("0", Literal::Int(0, Scalar::Int)),
            ("2147483648", Literal::Int(2147483648, Scalar::Long)),
            ("0xffffffff", Literal::Int(4294967295, Scalar::UInt)),
            ("0xfful", Literal::Int(255, Scalar::ULong)),
            ("010", Literal::Int(8, Scalar::Int)),
            ("0b101", Literal::Int(5, Scalar::Int)),
            (
                "18446744073709551615",
                Literal::Int(18446744073709551615, Scalar::ULong),
            ),
            ("1.5h", Literal::Float(1.5, Scalar::Half)),
            ("1.5f16", Literal::Float(1.5, Scalar::Half)),
            ("1.f", Literal::Float(1.0, Scalar::Float)),
            ("1e-3", Literal::Float(1e-3, Scalar::Double)),
            ("1E3F", Literal::Float(1e3, Scalar::Float)),
            ("0x1.8p3f", Literal::Float(12.0, Scalar::Float)),
            ("0x1.fp3", Literal::Float(15.5, Scalar::Double)),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), Ok(expected), "{text}");
        }
        for text in [
            "08",
            "1x",
            "1.2.3",
            "0x",
            "12abc",
            "99999999999999999999",
            "0x1.8",
        ] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn characters_have_values() {
        for (text, value) in [
            ("'a'", 97),
            (r"'\0'", 0),
            (r"'\n'", 10),
            (r"'\xff'", -1),
            ("'\\''", 39),
        ] {
            assert_eq!(character(text), Ok(value), "{text}");
        }
        for text in ["''", "'ab'", r"'\q'", "'"] {
            assert!(character(text).is_err(), "{text}");
        }
    }
}
