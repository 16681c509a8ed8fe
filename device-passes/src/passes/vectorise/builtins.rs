//! The functions of OpenCL C that give each element of a vector what they give a scalar.

use fpgacc_frontend::ir::Scalar;

/// What a function takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All arguments and the result have one type.
    Same,
    /// The result is the unsigned type of the arguments.
    Unsigned,
    /// A condition: 1 of scalars, -1 of vectors.
    Relation,
}

/// Results that OpenCL fixes to the last bit. Others may differ between the scalar and the vector form of
/// an implementation, and stay scalar.
const SAME: &str = "fabs floor ceil trunc rint round fmin fmax fma copysign fdim \
    max min clamp add_sat sub_sat hadd rhadd mul_hi mad_hi mad_sat mul24 mad24 rotate clz popcount sqrt";

const UNSIGNED: &str = "abs abs_diff";

const RELATIONS: &str = "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater \
    isordered isunordered isfinite isinf isnan isnormal signbit";

/// The kind of a function that has a vector form that may be used.
pub fn kind(name: &str) -> Option<Kind> {
    let is_in = |names: &str| names.split_whitespace().any(|other| other == name);
    if is_in(SAME) {
        return Some(Kind::Same);
    }
    if is_in(UNSIGNED) {
        return Some(Kind::Unsigned);
    }
    is_in(RELATIONS).then_some(Kind::Relation)
}

/// The vector form of `convert_int_sat`, `as_float` and their kin, and what it gives.
pub fn conversion(name: &str, width: u8) -> Option<(String, Scalar)> {
    let (prefix, rest) = match name.strip_prefix("as_") {
        Some(rest) => ("as_", rest),
        None => ("convert_", name.strip_prefix("convert_")?),
    };
    let (ty, how) = match rest.find('_') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let scalar = scalar_named(ty)?;
    Some((format!("{prefix}{ty}{width}{how}"), scalar))
}

fn scalar_named(name: &str) -> Option<Scalar> {
    const ALL: [Scalar; 11] = [
        Scalar::Char,
        Scalar::UChar,
        Scalar::Short,
        Scalar::UShort,
        Scalar::Int,
        Scalar::UInt,
        Scalar::Long,
        Scalar::ULong,
        Scalar::Half,
        Scalar::Float,
        Scalar::Double,
    ];
    ALL.into_iter().find(|scalar| scalar.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_get_the_width_after_the_type() {
        let made = |name| conversion(name, 4);
        assert_eq!(
            made("convert_int"),
            Some(("convert_int4".to_string(), Scalar::Int))
        );
        assert_eq!(
            made("convert_uchar_sat_rte"),
            Some(("convert_uchar4_sat_rte".to_string(), Scalar::UChar))
        );
        assert_eq!(
            made("as_float"),
            Some(("as_float4".to_string(), Scalar::Float))
        );
        assert_eq!(made("as_float4"), None);
        assert_eq!(made("exp"), None);
    }
}
