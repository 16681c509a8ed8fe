//! What an OpenCL C compiler defines before the first line of a kernel file.

use super::builtins::constants;
use crate::ir::Dialect;

/// The lines that must stand before a kernel file when it is preprocessed; see [`predefined`].
/// These are the definitions that do not depend on options.
///
/// Constants that the target's compiler must see by name (`M_PI_F`, `CLK_LOCAL_MEM_FENCE`, ..) are
/// defined as themselves, so that `#ifdef` finds them and expansion leaves them alone. Integer limits
/// have their values, for `#if`. The extensions are those that both Intel's emulator for FPGAs and
/// PoCL define, and channels, which only FPGAs have. `INTELFPGA_CL` and `ALTERA_CL` are aoc's own.
pub const PREDEFINED: &str = "\
#define CL_VERSION_1_0 100
#define CL_VERSION_1_1 110
#define CL_VERSION_1_2 120
#define CL_VERSION_2_0 200
#define CL_VERSION_3_0 300
#define __ENDIAN_LITTLE__ 1
#define __LP64__ 1
#define __kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))
#define kernel_exec(X, typen) __kernel_exec(X, typen)
#define INTELFPGA_CL 1
#define ALTERA_CL 1
#define __opencl_c_int64 1
#define cles_khr_int64 1
#define cl_khr_fp64 1
#define cl_khr_global_int32_base_atomics 1
#define cl_khr_global_int32_extended_atomics 1
#define cl_khr_local_int32_base_atomics 1
#define cl_khr_local_int32_extended_atomics 1
#define cl_khr_byte_addressable_store 1
#define cl_khr_3d_image_writes 1
#define cl_khr_depth_images 1
#define cl_intel_channels 1
";

/// The text for `Dialect` and options: `options` are those of `clBuildProgram` (`-cl-std=CL2.0`,
/// `-cl-fast-relaxed-math`, ..); `-D` and `-U` among them are the preprocessor's own business.
pub fn predefined(dialect: Dialect, options: &[&str]) -> String {
    let version = version(dialect, options);
    let mut out = PREDEFINED.to_string();
    let mut define = |name: &str, value: &str| {
        out.push_str("#define ");
        out.push_str(name);
        out.push(' ');
        out.push_str(value);
        out.push('\n');
    };
    // The device's version is that of FPGAs whatever the language.
    define("__OPENCL_VERSION__", "120");
    define("__OPENCL_C_VERSION__", &version.to_string());
    if dialect == Dialect::Cl20 {
        define("__opencl_c_generic_address_space", "1");
    }
    if options.contains(&"-cl-fast-relaxed-math") {
        define("__FAST_RELAXED_MATH__", "1");
    }
    if options.contains(&"-cl-single-precision-constant") {
        define("cl_single_precision_constant", "1");
    }
    for (name, _, value) in constants::INTEGERS {
        define(name, &integer_text(name, value));
    }
    for name in constants::kept_names() {
        define(name, name);
    }
    define("NULL", "NULL");
    out
}

/// The version that `-cl-std` names, as `__OPENCL_C_VERSION__` has it.
fn version(dialect: Dialect, options: &[&str]) -> u32 {
    let named = options
        .iter()
        .filter_map(|option| option.strip_prefix("-cl-std="))
        .filter_map(|name| name.strip_prefix("CL").or_else(|| name.strip_prefix("cl")))
        .next_back();
    match named {
        Some("1.0") => 100,
        Some("1.1") => 110,
        Some("1.2") => 120,
        Some("3.0") => 300,
        Some("2.0") => 200,
        _ => match dialect {
            Dialect::Cl12 => 120,
            Dialect::Cl20 => 200,
        },
    }
}

/// A limit as a literal of its own type that `#if` can read.
fn integer_text(name: &str, value: i128) -> String {
    match name {
        "INT_MIN" | "FP_ILOGB0" => "(-2147483647-1)".to_string(),
        "LONG_MIN" => "(-9223372036854775807L-1)".to_string(),
        "LONG_MAX" => format!("{value}L"),
        "UINT_MAX" => "0xffffffffU".to_string(),
        "ULONG_MAX" => "0xffffffffffffffffUL".to_string(),
        _ if value < 0 => format!("({value})"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_decide_the_version() {
        let text = predefined(Dialect::Cl12, &["-cl-std=CL1.1", "-DX=1"]);
        assert!(text.contains("#define __OPENCL_C_VERSION__ 110\n"));
        let text = predefined(Dialect::Cl20, &["-cl-fast-relaxed-math"]);
        assert!(text.contains("#define __OPENCL_C_VERSION__ 200\n"));
        assert!(text.contains("#define __FAST_RELAXED_MATH__ 1\n"));
        assert!(text.contains("#define M_PI_F M_PI_F\n"));
    }
}
