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
