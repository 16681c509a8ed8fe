//! The types that OpenCL C itself declares, by name.

use crate::ir::{Scalar, Type};

const SCALARS: [(&str, Scalar); 12] = [
    ("bool", Scalar::Bool),
    ("char", Scalar::Char),
    ("uchar", Scalar::UChar),
    ("short", Scalar::Short),
    ("ushort", Scalar::UShort),
    ("int", Scalar::Int),
    ("uint", Scalar::UInt),
    ("long", Scalar::Long),
    ("ulong", Scalar::ULong),
    ("half", Scalar::Half),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
];

/// Typedefs of OpenCL C for scalars whose names matter to readers.
const NAMED: [(&str, Scalar); 9] = [
    ("size_t", Scalar::ULong),
    ("ptrdiff_t", Scalar::Long),
    ("intptr_t", Scalar::Long),
    ("uintptr_t", Scalar::ULong),
    ("cl_mem_fence_flags", Scalar::UInt),
    ("memory_order", Scalar::Int),
    ("memory_scope", Scalar::Int),
    ("kernel_enqueue_flags_t", Scalar::Int),
    ("clk_profiling_info", Scalar::Int),
];

const OPAQUE: [&str; 30] = [
    "atomic_double",
    "atomic_flag",
    "atomic_float",
    "atomic_int",
    "atomic_intptr_t",
    "atomic_long",
    "atomic_ptrdiff_t",
    "atomic_size_t",
    "atomic_uint",
    "atomic_uintptr_t",
    "atomic_ulong",
    "clk_event_t",
    "event_t",
    "image1d_array_t",
    "image1d_buffer_t",
    "image1d_t",
    "image2d_array_depth_t",
    "image2d_array_msaa_depth_t",
    "image2d_array_msaa_t",
    "image2d_array_t",
    "image2d_depth_t",
    "image2d_msaa_depth_t",
    "image2d_msaa_t",
    "image2d_t",
    "image3d_t",
    "ndrange_t",
    "queue_t",
    "reserve_id_t",
    "sampler_t",
    "atomic_half",
];

/// The scalar of the element type of vectors, by name.
pub(crate) fn scalar(name: &str) -> Option<Scalar> {
    SCALARS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, scalar)| scalar)
}

/// The type with a name such as `float4`, `size_t` or `image2d_t`, if OpenCL C has it.
pub(crate) fn builtin_type(name: &str) -> Option<Type> {
    if name == "void" {
        return Some(Type::Void);
    }
    if let Some(scalar) = scalar(name) {
        return Some(Type::Scalar(scalar));
    }
    if let Some(&(name, scalar)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some(Type::Named(name, scalar));
    }
    if OPAQUE.contains(&name) {
        return Some(Type::Opaque(name.to_string()));
    }
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (element, width) = name.split_at(digits);
    let scalar = scalar(element).filter(|&scalar| scalar != Scalar::Bool)?;
    let width = match width {
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    Some(Type::Vector(scalar, width))
}

/// Whether a name is one of OpenCL's own types that C itself does not know.
pub(crate) fn is_type_name(name: &str) -> bool {
    !matches!(
        name,
        "void" | "char" | "short" | "int" | "long" | "float" | "double"
    ) && builtin_type(name).is_some()
}

/// The scalar of an atomic type.
pub(crate) fn atomic_value(name: &str) -> Option<Scalar> {
    Some(match name {
        "atomic_int" | "atomic_flag" => Scalar::Int,
        "atomic_uint" => Scalar::UInt,
        "atomic_long" | "atomic_ptrdiff_t" | "atomic_intptr_t" => Scalar::Long,
        "atomic_ulong" | "atomic_size_t" | "atomic_uintptr_t" => Scalar::ULong,
        "atomic_float" => Scalar::Float,
        "atomic_double" => Scalar::Double,
        "atomic_half" => Scalar::Half,
        _ => return None,
    })
}

/// The type whose name is most like `name`.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let names = SCALARS
        .iter()
        .map(|&(name, _)| name)
        .chain(NAMED.iter().map(|&(name, _)| name))
        .chain(OPAQUE);
    super::nearest(name, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_types() {
        assert_eq!(builtin_type("float4"), Some(Type::Vector(Scalar::Float, 4)));
        assert_eq!(
            builtin_type("uchar16"),
            Some(Type::Vector(Scalar::UChar, 16))
        );
        for no in ["float5", "bool2", "float", "size_t2", "int8_t", "x"] {
            assert!(!is_type_name(no), "{no}");
        }
        assert_eq!(nearest("flaot"), Some("float"));
        assert_eq!(nearest("image2dt"), Some("image2d_t"));
    }
}
