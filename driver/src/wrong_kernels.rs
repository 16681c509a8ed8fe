//! Kernels with errors that need not be any when the program runs, where the device has a compiler of
//! its own: the host composes build options, the kernels want an extension that the host has to look
//! for first, no host loads their file, or the hosts have other texts too. They end no build; if the
//! host builds them, the device's compiler takes or refuses them, as it would without fpgacc.

use fpgacc_frontend::diag::{Diagnostic, Severity};
use fpgacc_frontend::kernel::PREDEFINED;

use crate::programs::Program;

/// Whether kernels enable an extension that no device of fpgacc's has.
pub fn want_an_extension(text: &str) -> bool {
    let enabled = text.lines().filter_map(|line| {
        let pragma = line.trim_start().strip_prefix('#')?.trim_start();
        let mut words = pragma.split(|c: char| c.is_whitespace() || c == ':');
        let mut words = words.by_ref().filter(|word| !word.is_empty());
        let is_pragma =
            ["pragma", "OPENCL", "EXTENSION"].map(Some) == [(); 3].map(|()| words.next());
        is_pragma.then(|| (words.next(), words.next()))
    });
    let mut enabled = enabled.filter(|(_, what)| matches!(what, Some("enable" | "require")));
    let is_known = |name: &str| {
        let mut known = PREDEFINED.lines().filter_map(|line| line.split(' ').nth(1));
        name == "all" || known.any(|known| known == name)
    };
    enabled.any(|(name, _)| name.is_some_and(|name| !is_known(name)))
}

/// What the preprocessor said, as warnings.
pub fn as_warnings(diagnostics: &str) -> String {
    diagnostics
        .replace("fatal error: ", "warning: ")
        .replace("error: ", "warning: ")
}

/// An error, as a warning.
pub fn as_warning(mut error: Diagnostic) -> Diagnostic {
    error.severity = Severity::Warning;
    error
}

/// What becomes of the program.
pub fn left_to_device(program: &str) -> Diagnostic {
    let message = format!("'{program}' has errors: none of its kernels is rewritten");
    Diagnostic::warning(message)
        .note("it goes to the device's own compiler as it is, if the host builds it at all")
}

/// What to do about a file with errors, if a program is to be built all the same.
pub fn leave_out(program: &Program) -> String {
    let name = program.name();
    format!(
        "leave '{name}' out if the host reads it when it runs: the device's own compiler then builds it, or refuses it"
    )
}

/// What becomes of a text with errors of which the host may make another when it runs.
pub fn composed_later(program: &Program, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let message = format!(
        "'{}' has errors, but the host may make another text of it when it runs: none of its kernels is rewritten",
        program.name()
    );
    let mut last = Diagnostic::warning(message)
        .note("the device's own compiler builds what the host makes")
        .help("give fpgacc a run that `fpgacc trace` recorded, with --facts");
    // A file may just be wrong. Of a string that is a part or a pattern, most errors say nothing.
    if program.is_string() {
        let first = errors.into_iter().next();
        last.primary = first.and_then(|error| Some((error.primary?.0, error.message)));
        return vec![last];
    }
    let warnings = errors.into_iter().map(as_warning);
    warnings.chain([last]).collect()
}

/// What becomes of a program that is none without others.
pub fn linked_later(program: &str) -> Diagnostic {
    let message = format!(
        "'{program}' is linked with other programs when the host runs: none of its kernels is rewritten"
    );
    Diagnostic::warning(message).help("put the texts into one program")
}

/// What becomes of kernels that are compiled before the host is known.
pub fn looked_at_again(program: &str) -> Diagnostic {
    Diagnostic::warning(format!("'{program}' has errors"))
        .note("checked again at the link, where it is known who builds it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_that_no_device_has_are_seen() {
        let counters = "#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : enable\n";
        assert!(want_an_extension(counters));
        assert!(want_an_extension(&format!(
            "int a;\n  #  {}",
            &counters[1..]
        )));
        for text in [
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
            "#pragma OPENCL EXTENSION cl_khr_fp64: enable\n",
            "#pragma OPENCL EXTENSION all : enable\n",
            "#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : disable\n",
            "#pragma OPENCL FP_CONTRACT OFF\n",
            "// cl_ext_atomic_counters_32 : enable\n",
        ] {
            assert!(!want_an_extension(text), "{text}");
        }
    }
}
