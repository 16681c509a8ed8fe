//! What operators and builtin functions of OpenCL C cost. All numbers are guesses.

use fpgacc_frontend::ir::{BinaryOp, Scalar};

/// Instructions of an operation on integers: most of them compute addresses, of which compilers keep few in loops.
pub const INTEGER: f64 = 0.5;
/// Instructions of a function of `double`, by those of the same of `float`.
pub const DOUBLE_FUNCTION: f64 = 4.0;

/// Instructions of an operator on a scalar.
pub fn cost(op: BinaryOp, scalar: Scalar) -> f64 {
    let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    match (scalar, divides) {
        (Scalar::Double, true) => 24.0,
        (Scalar::Double, false) => 2.0,
        (Scalar::Float | Scalar::Half, true) => 8.0,
        (Scalar::Float | Scalar::Half, false) => 1.0,
        (_, true) => 10.0,
        (_, false) => INTEGER,
    }
}

/// Whether processors have no vectors for an operator: they divide integers one by one.
pub fn is_serial(op: BinaryOp, scalar: Scalar) -> bool {
    matches!(op, BinaryOp::Div | BinaryOp::Rem) && scalar.is_integer()
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

/// Cycles from the operands of an operator on scalars to its result, on processors: about those of what Intel and AMD build
/// now (Agner Fog, "Instruction tables").
pub fn latency(op: BinaryOp, scalar: Scalar) -> u32 {
    let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    match (scalar, divides) {
        (Scalar::Float | Scalar::Half, true) => 11,
        (Scalar::Double, true) => 14,
        (Scalar::Float | Scalar::Half | Scalar::Double, false) => 4,
        (_, true) => 18,
        (_, false) if op == BinaryOp::Mul => 3,
        (_, false) => 1,
    }
}

/// Cycles from an address to what is read there, if that is in the nearest cache.
pub const LOAD_LATENCY: u32 = 5;

/// Whether a builtin function is more than an instruction on processors: code with branches, of which compilers make no
/// vectors.
pub fn is_of_library(name: &str) -> bool {
    cost_of_builtin(name.strip_prefix("native_").unwrap_or(name)) > 1.0
        && !matches!(
            name,
            "sqrt" | "native_sqrt" | "length" | "distance" | "native_divide"
        )
}

/// The same of a builtin function: as many as it has instructions, about, but for what is one instruction.
pub fn latency_of_builtin(name: &str) -> u32 {
    match cost_of_builtin(name) {
        cost if cost > 1.0 => (4.0 * cost) as u32,
        _ => 4,
    }
}
