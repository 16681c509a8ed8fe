//! The instruction set that the Intel FPGA emulator compiles for.
//!
//! Left to itself on an AMD EPYC of family 26 (Zen 5), which is younger than the emulator (2023.2.4),
//! conversions such as `convert_uchar_sat_rte` give wrong values without a word, and `floor` ends in an
//! internal compiler error. Told any instruction set that it names, it is right.
//!
//! Where it compiles for less than AVX-512, it joins 8 work-items to a vector and gets values across
//! barriers wrong: it computes other values, or ends with a segmentation fault. With 16, as for AVX-512,
//! and without vectors it is right. The runtime library does the same in executables (`platform.c`).
//!
//! Kernels with channels it computes one work-item at a time, and sources may state a width. It then refuses
//! the one that it is given. Some functions it does not have for 16 elements, such as the square root of doubles with
//! `-cl-fast-relaxed-math`, and then links nothing.

/// The variable that gives the emulator its instruction set.
const INSTRUCTIONS: &str = "CL_CONFIG_CPU_TARGET_ARCH";
/// The one that says how many work-items a vector holds.
const WIDTH: &str = "CL_CONFIG_CPU_VECTORIZER_MODE";

/// Variables and their values.
pub type Environment = Vec<(&'static str, &'static str)>;

/// Variables and their values for the emulator's process: the widest instruction set that this CPU
/// has and the emulator names, and the width of vectors that is right for it. Not those that the user's
/// environment states; none on other architectures.
pub fn cpu_target() -> Environment {
    let mut variables = settings();
    variables.retain(|(variable, _)| std::env::var_os(variable).is_none());
    variables
}

/// The same, for an emulator that computes one work-item at a time, whatever the user's environment
/// says.
pub fn without_vectors() -> Environment {
    let mut variables = cpu_target();
    variables.retain(|(variable, _)| *variable != WIDTH);
    variables.push((WIDTH, "1"));
    variables
}

/// The same, for an emulator that chooses the width of vectors, or takes what the source states.
pub(crate) fn with_own_vectors() -> Environment {
    let mut variables = cpu_target();
    variables.retain(|(variable, _)| *variable != WIDTH);
    variables
}

/// Whether these give it a width.
pub(crate) fn gives_width(variables: &Environment) -> bool {
    variables.iter().any(|(variable, _)| *variable == WIDTH)
}

/// Whether it says that a kernel has another width than it is given, or that there are no functions of that width.
pub(crate) fn is_width_refused(log: &str) -> bool {
    let reasons = [
        "Conflicting CL_CONFIG_CPU_VECTORIZER_MODE",
        "Symbols not found",
    ];
    reasons.iter().any(|reason| log.contains(reason))
}

#[cfg(target_arch = "x86_64")]
fn settings() -> Environment {
    use std::arch::is_x86_feature_detected as has;
    let skylake_server = has!("avx512f")
        && has!("avx512cd")
        && has!("avx512bw")
        && has!("avx512dq")
        && has!("avx512vl");
    let haswell = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2");
    let name = match () {
        () if skylake_server => return vec![(INSTRUCTIONS, "skx")],
        () if haswell => "core-avx2",
        () if has!("avx") => "corei7-avx",
        () => "corei7",
    };
    vec![(INSTRUCTIONS, name), (WIDTH, "16")]
}

#[cfg(not(target_arch = "x86_64"))]
fn settings() -> Environment {
    Vec::new()
}
