//! Constants that OpenCL C defines as macros and that stay names in the IR.

use crate::ir::Scalar;

/// Integer constants with their values; usable in `#if`.
pub(crate) const INTEGERS: [(&str, Scalar, i128); 34] = [
    ("CHAR_BIT", Scalar::Int, 8),
    ("SCHAR_MAX", Scalar::Int, 127),
    ("SCHAR_MIN", Scalar::Int, -128),
    ("CHAR_MAX", Scalar::Int, 127),
    ("CHAR_MIN", Scalar::Int, -128),
    ("UCHAR_MAX", Scalar::Int, 255),
    ("SHRT_MAX", Scalar::Int, 32767),
    ("SHRT_MIN", Scalar::Int, -32768),
    ("USHRT_MAX", Scalar::Int, 65535),
    ("INT_MAX", Scalar::Int, 2147483647),
    ("INT_MIN", Scalar::Int, -2147483648),
    ("UINT_MAX", Scalar::UInt, 4294967295),
    ("LONG_MAX", Scalar::Long, 9223372036854775807),
    ("LONG_MIN", Scalar::Long, -9223372036854775808),
    ("ULONG_MAX", Scalar::ULong, 18446744073709551615),
    ("FLT_DIG", Scalar::Int, 6),
    ("FLT_MANT_DIG", Scalar::Int, 24),
    ("FLT_MAX_10_EXP", Scalar::Int, 38),
    ("FLT_MAX_EXP", Scalar::Int, 128),
    ("FLT_MIN_10_EXP", Scalar::Int, -37),
    ("FLT_MIN_EXP", Scalar::Int, -125),
    ("FLT_RADIX", Scalar::Int, 2),
    ("DBL_DIG", Scalar::Int, 15),
    ("DBL_MANT_DIG", Scalar::Int, 53),
    ("DBL_MAX_10_EXP", Scalar::Int, 308),
    ("DBL_MAX_EXP", Scalar::Int, 1024),
    ("DBL_MIN_10_EXP", Scalar::Int, -307),
    ("DBL_MIN_EXP", Scalar::Int, -1021),
    ("HALF_DIG", Scalar::Int, 3),
    ("HALF_MANT_DIG", Scalar::Int, 11),
    ("HALF_MAX_EXP", Scalar::Int, 16),
    ("HALF_MIN_EXP", Scalar::Int, -13),
    ("FP_ILOGB0", Scalar::Int, -2147483648),
    ("FP_ILOGBNAN", Scalar::Int, 2147483647),
];

const FLOATS: [&str; 23] = [
    "FLT_MAX",
    "FLT_MIN",
    "FLT_EPSILON",
    "MAXFLOAT",
    "HUGE_VALF",
    "INFINITY",
    "NAN",
    "M_E_F",
    "M_LOG2E_F",
    "M_LOG10E_F",
    "M_LN2_F",
    "M_LN10_F",
    "M_PI_F",
    "M_PI_2_F",
    "M_PI_4_F",
    "M_1_PI_F",
    "M_2_PI_F",
    "M_2_SQRTPI_F",
    "M_SQRT2_F",
    "M_SQRT1_2_F",
    "HALF_MAX",
    "HALF_MIN",
    "HALF_EPSILON",
];

const DOUBLES: [&str; 17] = [
    "DBL_MAX",
    "DBL_MIN",
    "DBL_EPSILON",
    "HUGE_VAL",
    "M_E",
    "M_LOG2E",
    "M_LOG10E",
    "M_LN2",
    "M_LN10",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_SQRT2",
    "M_SQRT1_2",
];

const HALVES: [&str; 13] = [
    "M_E_H",
    "M_LOG2E_H",
    "M_LOG10E_H",
    "M_LN2_H",
    "M_LN10_H",
    "M_PI_H",
    "M_PI_2_H",
    "M_PI_4_H",
    "M_1_PI_H",
    "M_2_PI_H",
    "M_2_SQRTPI_H",
    "M_SQRT2_H",
    "M_SQRT1_2_H",
];

/// Names whose values a program has no business to know.
const FLAGS: [(&str, Scalar); 71] = [
    ("CLK_LOCAL_MEM_FENCE", Scalar::UInt),
    ("CLK_GLOBAL_MEM_FENCE", Scalar::UInt),
    ("CLK_IMAGE_MEM_FENCE", Scalar::UInt),
    ("CLK_CHANNEL_MEM_FENCE", Scalar::UInt),
    ("CLK_NORMALIZED_COORDS_TRUE", Scalar::Int),
    ("CLK_NORMALIZED_COORDS_FALSE", Scalar::Int),
    ("CLK_ADDRESS_NONE", Scalar::Int),
    ("CLK_ADDRESS_CLAMP_TO_EDGE", Scalar::Int),
    ("CLK_ADDRESS_CLAMP", Scalar::Int),
    ("CLK_ADDRESS_REPEAT", Scalar::Int),
    ("CLK_ADDRESS_MIRRORED_REPEAT", Scalar::Int),
    ("CLK_FILTER_NEAREST", Scalar::Int),
    ("CLK_FILTER_LINEAR", Scalar::Int),
    ("CLK_R", Scalar::Int),
    ("CLK_A", Scalar::Int),
    ("CLK_RG", Scalar::Int),
    ("CLK_RA", Scalar::Int),
    ("CLK_RGB", Scalar::Int),
    ("CLK_RGBA", Scalar::Int),
    ("CLK_BGRA", Scalar::Int),
    ("CLK_ARGB", Scalar::Int),
    ("CLK_INTENSITY", Scalar::Int),
    ("CLK_LUMINANCE", Scalar::Int),
    ("CLK_Rx", Scalar::Int),
    ("CLK_RGx", Scalar::Int),
    ("CLK_RGBx", Scalar::Int),
    ("CLK_DEPTH", Scalar::Int),
    ("CLK_DEPTH_STENCIL", Scalar::Int),
    ("CLK_sRGB", Scalar::Int),
    ("CLK_sRGBx", Scalar::Int),
    ("CLK_sRGBA", Scalar::Int),
    ("CLK_sBGRA", Scalar::Int),
    ("CLK_ABGR", Scalar::Int),
    ("CLK_SNORM_INT8", Scalar::Int),
    ("CLK_SNORM_INT16", Scalar::Int),
    ("CLK_UNORM_INT8", Scalar::Int),
    ("CLK_UNORM_INT16", Scalar::Int),
    ("CLK_UNORM_SHORT_565", Scalar::Int),
    ("CLK_UNORM_SHORT_555", Scalar::Int),
    ("CLK_UNORM_INT_101010", Scalar::Int),
    ("CLK_SIGNED_INT8", Scalar::Int),
    ("CLK_SIGNED_INT16", Scalar::Int),
    ("CLK_SIGNED_INT32", Scalar::Int),
    ("CLK_UNSIGNED_INT8", Scalar::Int),
    ("CLK_UNSIGNED_INT16", Scalar::Int),
    ("CLK_UNSIGNED_INT32", Scalar::Int),
    ("CLK_HALF_FLOAT", Scalar::Int),
    ("CLK_FLOAT", Scalar::Int),
    ("CLK_UNORM_INT24", Scalar::Int),
    ("CLK_UNORM_INT_101010_2", Scalar::Int),
    ("memory_order_relaxed", Scalar::Int),
    ("memory_order_acquire", Scalar::Int),
    ("memory_order_release", Scalar::Int),
    ("memory_order_acq_rel", Scalar::Int),
    ("memory_order_seq_cst", Scalar::Int),
    ("memory_scope_work_item", Scalar::Int),
    ("memory_scope_work_group", Scalar::Int),
    ("memory_scope_device", Scalar::Int),
    ("memory_scope_all_devices", Scalar::Int),
    ("memory_scope_all_svm_devices", Scalar::Int),
    ("memory_scope_sub_group", Scalar::Int),
    ("CLK_ENQUEUE_FLAGS_NO_WAIT", Scalar::Int),
    ("CLK_ENQUEUE_FLAGS_WAIT_KERNEL", Scalar::Int),
    ("CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", Scalar::Int),
    ("CLK_SUCCESS", Scalar::Int),
    ("CLK_ENQUEUE_FAILURE", Scalar::Int),
    ("CLK_INVALID_QUEUE", Scalar::Int),
    ("CLK_INVALID_NDRANGE", Scalar::Int),
    ("CLK_PROFILING_COMMAND_EXEC_TIME", Scalar::Int),
    ("PIPE_RESERVE_ID_VALID_BIT", Scalar::ULong),
    ("ATOMIC_FLAG_INIT", Scalar::Int),
];

/// The scalar type of a constant, if OpenCL C has one with this name that stays a name.
pub(crate) fn scalar_of(name: &str) -> Option<Scalar> {
    if let Some(&(_, scalar, _)) = INTEGERS.iter().find(|(known, ..)| *known == name) {
        return Some(scalar);
    }
    if let Some(&(_, scalar)) = FLAGS.iter().find(|(known, _)| *known == name) {
        return Some(scalar);
    }
    if FLOATS.contains(&name) {
        // The three limits of half are of type half.
        return Some(if name.starts_with("HALF_") {
            Scalar::Half
        } else {
            Scalar::Float
        });
    }
    if DOUBLES.contains(&name) {
        return Some(Scalar::Double);
    }
    HALVES.contains(&name).then_some(Scalar::Half)
}

/// The value of an integer constant.
pub(crate) fn integer(name: &str) -> Option<i128> {
    INTEGERS
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|&(_, _, value)| value)
}

/// Names that must survive the preprocessor.
pub(crate) fn kept_names() -> impl Iterator<Item = &'static str> {
    FLOATS
        .into_iter()
        .chain(DOUBLES)
        .chain(HALVES)
        .chain(FLAGS.iter().map(|&(name, _)| name))
}
