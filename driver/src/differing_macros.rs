//! Kernels that test macros which the tool's own compiler defines and fpgacc does not, or the other way
//! round: they are not what the tool would make of the text (docs/macros.md).

use std::borrow::Cow;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::{FileId, SourceMap};

use crate::kernel_options::identifiers;
use crate::line_marker;
use crate::programs::Program;

/// Macros that Intel's emulator has otherwise.
const INTEL: [&str; 8] = [
    "ALTERA_CL",
    "INTELFPGA_CL",
    "__OPTIMIZE__",
    "__SPIR64__",
    "__SPIR__",
    "__clang__",
    "__llvm__",
    "cl_khr_fp16",
];

/// Macros that PoCL has otherwise.
const POCL: [&str; 17] = [
    "ALTERA_CL",
    "INTELFPGA_CL",
    "__IMAGE_SUPPORT__",
    "__OPENCL_C_VERSION__",
    "__OPENCL_VERSION__",
    "__OPTIMIZE__",
    "__clang__",
    "__linux__",
    "__llvm__",
    "__opencl_c_fp64",
    "__opencl_c_images",
    "__x86_64__",
    "cl_intel_channels",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_spir",
    "cles_khr_int64",
];

/// A warning for each of them that the text or a header of it tests, at the first line that does. `tool` is the kind of the tool
/// that builds it.
pub fn warnings(
    program: &Program,
    preprocessed: &str,
    tool: &str,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let names: &[&str] = match tool {
        "intel" => &INTEL,
        "pocl" => &POCL,
        _ => return Vec::new(),
    };
    let is_given = |name: &str| {
        let mut given = program.options.defines.iter();
        given.any(|define| define.split(['=', '(']).next() == Some(name))
    };
    // What the device's compiler gets is the host's own text, which comes before its headers.
    let pieces = program
        .pieces
        .iter()
        .map(|piece| Cow::from(piece.name.as_str()));
    let files = pieces.chain(line_marker::files(preprocessed));
    let files: Vec<FileId> = files.filter_map(|name| sources.find(&name)).collect();
    let mut found = Vec::new();
    for name in names.iter().filter(|name| !is_given(name)) {
        let first = files.iter().find_map(|file| {
            let line = tested_at(&sources.file(*file).text, name)?;
            Some((*file, line))
        });
        if let Some((file, line)) = first {
            found.push(warning(name, tool, file, line, sources));
        }
    }
    found
}

/// The first line with a directive that tests a macro.
fn tested_at(text: &str, name: &str) -> Option<u32> {
    let tests = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let is_test = |rest: &str| rest.starts_with("if") || rest.starts_with("elif");
        directive.is_some_and(|rest| is_test(rest) && identifiers(rest).iter().any(|n| n == name))
    };
    let mut lines = (1..).zip(text.lines());
    lines
        .find(|(_, line)| tests(line))
        .map(|(number, _)| number)
}

fn warning(name: &str, tool: &str, file: FileId, line: u32, sources: &SourceMap) -> Diagnostic {
    let tool = match tool {
        "intel" => "the Intel emulator",
        _ => "PoCL",
    };
    let text = format!("'{name}' is not what the compiler of {tool} has, and this tests it");
    Diagnostic::warning(text)
        .at(sources.line_span(file, line))
        .note("kernels see the macros of FPGAs; docs/macros.md has all that differ")
        .help(format!("to choose yourself: -Xkernel -D{name}=VALUE"))
}
