//! Literals: the value fits the type, and a spelling means the value.

use crate::ir::{Expr, ExprId, Exprs, Module, Scalar};

/// What is wrong with a literal, if it is one.
pub(super) fn fault(module: &Module, exprs: &Exprs, id: ExprId) -> Option<String> {
    let scalar = module.types.as_scalar(exprs.ty(id));
    match exprs.get(id) {
        Expr::Int { value, spelling } => {
            let Some(scalar) = scalar.filter(|scalar| scalar.is_integer()) else {
                return Some(format!("the integer {value} is of no integer type"));
            };
            if !fits(*value, scalar) {
                return Some(format!("{value} does not fit into {}", scalar.name()));
            }
            let meant = spelling.as_deref().and_then(integer)?;
            (meant != *value).then(|| {
                let text = spelling.as_deref().unwrap_or_default();
                format!("the literal '{text}' has the value {value}")
            })
        }
        Expr::Float { value, spelling } => {
            let Some(scalar) = scalar.filter(|scalar| scalar.is_float()) else {
                return Some(format!("the number {value} is of no floating-point type"));
            };
            let meant = spelling.as_deref().and_then(float)?;
            let same = match scalar {
                Scalar::Double => meant == *value,
                _ => meant as f32 == *value as f32,
            };
            (!same).then(|| {
                let text = spelling.as_deref().unwrap_or_default();
                format!("the literal '{text}' has the value {value}")
            })
        }
        _ => None,
    }
}

fn fits(value: i128, scalar: Scalar) -> bool {
    let bits = 8 * scalar.size() as u32;
    let (low, high) = match scalar {
        Scalar::Bool => (0, 1),
        scalar if scalar.is_signed_integer() => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        _ => (0, (1i128 << bits) - 1),
    };
    (low..=high).contains(&value)
}

/// The value of an integer literal's text; `None` for characters and what else is not looked at.
fn integer(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return i128::from_str_radix(hex, 16).ok();
    }
    if let Some(binary) = lower.strip_prefix("0b") {
        return i128::from_str_radix(binary, 2).ok();
    }
    match lower.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => i128::from_str_radix(octal, 8).ok(),
        _ => lower.parse().ok(),
    }
}

/// The value of a decimal floating-point literal's text.
fn float(text: &str) -> Option<f64> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return None;
    }
    text.trim_end_matches(['f', 'F', 'h', 'H', 'l', 'L'])
        .parse()
        .ok()
}
