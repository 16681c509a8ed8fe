//! Which liberties in rounding the device's compiler has. `--verify` takes them away, to see what comes from
//! them (OpenCL C 1.2, sections 6.12.2 and 7.4).

/// What the device's compiler may do with floating-point operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// What OpenCL and the build options allow.
    #[default]
    AsBuilt,
    /// It rounds each operation: `a*b+c` is two.
    Uncontracted,
    /// It also computes one work-item at a time: emulators have other library functions for vectors,
    /// which are right within the same bounds and do not give the same bits.
    Scalar,
}

impl Rounding {
    /// What stands before each text, so that this is so.
    pub fn prelude(self) -> Option<&'static str> {
        match self {
            Rounding::AsBuilt => None,
            _ => Some("#pragma OPENCL FP_CONTRACT OFF\n#line 1\n"),
        }
    }

    /// Whether the emulator may compute several work-items at a time.
    pub fn vectors(self) -> bool {
        self != Rounding::Scalar
    }
}

/// Functions that need not be rounded right (OpenCL C 1.2, table 7.1 and section 7.4), but for those
/// with `native_` or `half_` before their names.
const WITHIN_BOUNDS: &[&str] = &[
    "acos",
    "acosh",
    "acospi",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "cbrt",
    "cos",
    "cosh",
    "cospi",
    "cross",
    "distance",
    "dot",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "hypot",
    "length",
    "lgamma",
    "lgamma_r",
    "log",
    "log10",
    "log1p",
    "log2",
    "mad",
    "mix",
    "normalize",
    "pow",
    "pown",
    "powr",
    "rootn",
    "rsqrt",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "smoothstep",
    "sqrt",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
];

/// Whether a name is that of a function whose last bits are the implementation's choice.
pub fn is_within_bounds(name: &str) -> bool {
    let is_faster = ["native_", "half_"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    is_faster || WITHIN_BOUNDS.contains(&name)
}
