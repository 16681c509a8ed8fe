//! The operators that expressions become.

use fpgacc_frontend::ir::{BinaryOp, Scalar};

use crate::board::{Operator, Operators};
use crate::graph::ADDITION;

/// The operator of a binary operation on operands of a type, and its name.
pub fn binary(table: &Operators, op: BinaryOp, scalar: Scalar) -> (Operator, &'static str) {
    use BinaryOp as B;
    let double = scalar == Scalar::Double;
    let pick = |float, wide| if double { wide } else { float };
    if scalar.is_float() {
        return match op {
            B::Add | B::Sub => (pick(table.float_add, table.double_add), "float addition"),
            B::Mul => (
                pick(table.float_multiply, table.double_multiply),
                "float multiplication",
            ),
            B::Div | B::Rem => (
                pick(table.float_divide, table.double_divide),
                "float division",
            ),
            _ => (
                pick(table.float_compare, table.double_compare),
                "float comparison",
            ),
        };
    }
    let (operator, what) = match op {
        B::Add | B::Sub => (table.int_add, ADDITION),
        B::Mul => (table.int_multiply, "multiplication"),
        B::Div | B::Rem => (table.int_divide, "division"),
        B::Shl | B::Shr => (table.int_shift, "shift"),
        B::BitAnd | B::BitOr | B::BitXor | B::And | B::Or => (table.int_logic, "logic"),
        B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne => (table.int_compare, "comparison"),
    };
    (sized(operator, scalar), what)
}

/// Exponentials that a power is as large and as long as: an exponential, a logarithm and the product, a guess.
const EXPONENTIALS_PER_POWER: f64 = 2.5;
/// Products of a dot product: those of vectors of 4, a guess.
const PRODUCTS_PER_DOT: u32 = 4;

/// An operator of 32 bits, at the width of a type.
fn sized(operator: Operator, scalar: Scalar) -> Operator {
    let factor = scalar.size() as f64 / 4.0;
    times(operator, factor)
}

/// So many of an operator beside each other.
pub fn times(operator: Operator, factor: f64) -> Operator {
    Operator {
        latency: operator.latency,
        alut: operator.alut * factor,
        ff: operator.ff * factor,
        ram: operator.ram * factor,
        dsp: operator.dsp * factor,
    }
}

/// The sum of so many terms, as a tree.
pub fn sum_of(add: Operator, terms: u32) -> Operator {
    let terms = f64::from(terms.max(2));
    Operator {
        latency: add.latency * terms.log2().ceil(),
        ..times(add, terms - 1.0)
    }
}

/// What is priced as a comparison and is about as large, or is nothing in hardware.
const LIKE_COMPARISONS: &[&str] = &[
    "min",
    "max",
    "clamp",
    "fmin",
    "fmax",
    "fdim",
    "step",
    "floor",
    "ceil",
    "round",
    "rint",
    "trunc",
    "isequal",
    "isnotequal",
    "isgreater",
    "isgreaterequal",
    "isless",
    "islessequal",
    "islessgreater",
    "isordered",
    "isunordered",
    "isnormal",
    "maxmag",
    "minmag",
    "ctz",
    "mem_fence",
    "read_mem_fence",
    "write_mem_fence",
    "atomic_work_item_fence",
    "upsample",
    "shuffle",
    "shuffle2",
];

/// Whether the model knows what a builtin costs. Of others it takes the cost of a comparison.
pub fn is_known(table: &Operators, name: &str) -> bool {
    let plain = plain(name);
    is_free(plain)
        || LIKE_COMPARISONS.contains(&plain)
        || computing(table, plain, Scalar::Float).is_some()
}

/// Whether a builtin is nothing but wires.
fn is_free(plain: &str) -> bool {
    plain.starts_with("as_") || plain.starts_with("get_")
}

/// A builtin's name without the precision that is asked of it.
fn plain(name: &str) -> &str {
    name.trim_start_matches("native_")
        .trim_start_matches("half_")
}

/// The operator of a builtin that only computes, of arguments and with results of these types, and its name; `None`:
/// it costs nothing.
pub fn builtin(
    table: &Operators,
    name: &str,
    from: Option<Scalar>,
    to: Option<Scalar>,
) -> Option<(Operator, &'static str)> {
    let plain = plain(name);
    let both_integers = [from, to]
        .iter()
        .all(|ty| ty.is_some_and(Scalar::is_integer));
    let only_resized = plain.starts_with("convert_") && both_integers && !plain.contains("_sat");
    if is_free(plain) || only_resized {
        return None;
    }
    let scalar = to.or(from).unwrap_or(Scalar::Float);
    let other = match scalar.is_float() {
        true => (table.float_compare, "float comparison"),
        false => (table.int_compare, "comparison"),
    };
    // What does not fit becomes the greatest or the least number.
    if both_integers && plain.starts_with("convert_") {
        return Some(other);
    }
    Some(computing(table, plain, scalar).unwrap_or(other))
}

/// The operator of a builtin that is more than a comparison; `None`: it is none that the model knows.
fn computing(table: &Operators, plain: &str, scalar: Scalar) -> Option<(Operator, &'static str)> {
    let double = scalar == Scalar::Double;
    if plain.starts_with("convert_") {
        return Some((table.convert, "conversion"));
    }
    let float = |single: Operator| {
        if double {
            table.double_function
        } else {
            single
        }
    };
    Some(match plain {
        "sqrt" | "rsqrt" | "cbrt" | "length" | "distance" => {
            (float(table.float_sqrt), "square root")
        }
        "exp" | "exp2" | "exp10" | "expm1" | "log" | "log2" | "log10" | "log1p" | "logb" => {
            (float(table.float_exp), "exponential")
        }
        "pow" | "pown" | "powr" | "rootn" => {
            let mut both = float(table.float_exp);
            both = times(both, EXPONENTIALS_PER_POWER);
            both.latency *= EXPONENTIALS_PER_POWER;
            (both, "power")
        }
        "sin" | "cos" | "tan" | "sincos" | "asin" | "acos" | "atan" | "atan2" | "sinpi"
        | "cospi" | "sinh" | "cosh" | "tanh" | "erf" | "erfc" | "tgamma" | "lgamma" => {
            (float(table.float_trigonometry), "trigonometry")
        }
        "fma" | "mad" => {
            let (add, mul) = match double {
                true => (table.double_add, table.double_multiply),
                false => (table.float_add, table.float_multiply),
            };
            let latency = add.latency + mul.latency;
            (Operator { latency, ..mul }, "multiply-add")
        }
        "dot" | "cross" | "normalize" => {
            let adding = f64::from(PRODUCTS_PER_DOT.ilog2()) * table.float_add.latency;
            let latency = table.float_multiply.latency + adding;
            (
                Operator {
                    latency,
                    ..times(table.float_multiply, f64::from(PRODUCTS_PER_DOT))
                },
                "dot product",
            )
        }
        "divide" | "fmod" | "remainder" | "recip" => (
            if double {
                table.double_divide
            } else {
                table.float_divide
            },
            "float division",
        ),
        "mul24" | "mad24" | "mul_hi" | "mad_hi" | "mad_sat" => {
            (table.int_multiply, "multiplication")
        }
        "fabs" | "copysign" | "signbit" | "isnan" | "isinf" | "isfinite" | "any" | "all"
        | "bitselect" | "sign" | "nan" => (table.int_logic, "logic"),
        "abs" | "abs_diff" | "hadd" | "rhadd" | "add_sat" | "sub_sat" | "rotate" | "clz"
        | "popcount" => (table.int_add, "addition"),
        "select" => (table.select, "choice"),
        // At least a register (Intel's programming guide, `__fpga_reg`).
        "__fpga_reg" => (
            Operator {
                latency: 1.0,
                ..Operator::default()
            },
            "register",
        ),
        _ => return None,
    })
}
