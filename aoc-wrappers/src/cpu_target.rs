//! The instruction set that the Intel FPGA emulator compiles for.
//!
//! Left to itself on an AMD EPYC of family 26 (Zen 5), which is younger than the emulator (2023.2.4),
//! conversions such as `convert_uchar_sat_rte` give wrong values without a word, and `floor` ends in an
//! internal compiler error. Told any instruction set that it names, it is right. The runtime library
//! does the same in executables (`platform.c`).

/// The variable that tells the emulator its instruction set.
const VARIABLE: &str = "CL_CONFIG_CPU_TARGET_ARCH";

/// The variable and its value for the emulator's process: the widest instruction set that this CPU
/// has and the emulator names. `None` where the user's environment tells one, and on other
/// architectures.
pub fn cpu_target() -> Option<(&'static str, &'static str)> {
    if std::env::var_os(VARIABLE).is_some() {
        return None;
    }
    Some((VARIABLE, name()?))
}

#[cfg(target_arch = "x86_64")]
fn name() -> Option<&'static str> {
    use std::arch::is_x86_feature_detected as has;
    let skylake_server = has!("avx512f")
        && has!("avx512cd")
        && has!("avx512bw")
        && has!("avx512dq")
        && has!("avx512vl");
    let haswell = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2");
    match () {
        () if skylake_server => Some("skx"),
        () if haswell => Some("core-avx2"),
        () if has!("avx") => Some("corei7-avx"),
        () => Some("corei7"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn name() -> Option<&'static str> {
    None
}
