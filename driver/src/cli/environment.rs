//! The variables of the environment that fpgacc and its programs look at.

/// Who looks at a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// What builds: `fpgacc` and its commands.
    Build,
    /// Programs that fpgacc built, and what `fpgacc run` starts.
    Program,
    /// Both.
    All,
}

/// A variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Who looks at it.
    pub reader: Reader,
    /// What it does.
    pub what: &'static str,
}

const fn build(name: &'static str, what: &'static str) -> Variable {
    Variable {
        name,
        reader: Reader::Build,
        what,
    }
}

const fn program(name: &'static str, what: &'static str) -> Variable {
    Variable {
        name,
        reader: Reader::Program,
        what,
    }
}

/// All of them.
pub const VARIABLES: &[Variable] = &[
    build(
        "CC",
        "The host compiler for C, with its arguments (else cc, gcc or clang)",
    ),
    build(
        "CXX",
        "The host compiler for C++, with its arguments (else c++, g++ or clang++)",
    ),
    build("FPGACC_TARGET", "What --target is if it is not given"),
    build(
        "FPGACC_PLATFORM",
        "What --platform is if it is not given: aoc, intel or pocl",
    ),
    build("FPGACC_AOC", "The aoc to use, if --aoc does not name one"),
    build(
        "INTELFPGAOCLSDKROOT",
        "Where Intel's SDK is, which has aoc and emulators",
    ),
    build("ALTERAOCLSDKROOT", "The same, of versions up to 16.1"),
    build(
        "FPGACC_INTEL_EMULATOR",
        "The path of Intel's emulator, libintelocl_emu.so",
    ),
    build(
        "FPGACC_CACHE",
        "The folder of finished builds (else ~/.cache/fpgacc/builds), or off",
    ),
    build(
        "FPGACC_CACHE_SIZE",
        "How large that folder may become: 50G (10G if not set)",
    ),
    build("XDG_CACHE_HOME", "What stands in for ~/.cache"),
    build(
        "NO_COLOR",
        "No colours, if it is set and not empty; --color is stronger",
    ),
    Variable {
        name: "OCL_ICD_VENDORS",
        reader: Reader::All,
        what: "What stands in for /etc/OpenCL/vendors, where OpenCL implementations are registered",
    },
    program(
        "FPGACC_AOCX_PATH",
        "Folders or files, separated by colons, to search for .aocx files first",
    ),
    program(
        "FPGACC_VERBOSE",
        "1: say on standard error what is loaded and how kernels are launched",
    ),
    program(
        "FPGACC_ORIGINAL",
        "1: run the original kernels, on an emulator",
    ),
    program(
        "FPGACC_DEVICE_TYPE",
        "gpu, cpu or accelerator: the type that the device claims to be",
    ),
    program(
        "FPGACC_RECORD",
        "A file to which launches and all that is read back are appended",
    ),
    program(
        "FPGACC_FILL",
        "1: fill new buffers without data, where FPGACC_RECORD names a file",
    ),
    program(
        "FPGACC_UNOPTIMISED",
        "1: the device's compiler does not optimise what it builds at run time",
    ),
    program(
        "FPGACC_PRELUDE",
        "A text before those that the device's compiler builds at run time",
    ),
];
