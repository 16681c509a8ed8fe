//! Headers of kernels that are not there yet: the host writes them, or passes their text to
//! clCompileProgram, when it runs.

use fpgacc_aoc_wrappers::cc::{CcError, Preprocessed};
use fpgacc_frontend::diag::Diagnostic;

use crate::unit::HostUnit;

/// The header that the preprocessor did not find, if a host may make it: its name stands in one of the
/// host's strings.
pub fn awaited(made: &Result<Preprocessed, CcError>, hosts: &[HostUnit]) -> Option<String> {
    let name = missing(made.as_ref().err()?.diagnostics()?)?;
    let is_named = hosts.iter().any(|host| names(&host.text, name));
    is_named.then(|| name.to_string())
}

/// The name in `k.cl:1:10: fatal error: a.h: No such file or directory`, or in clang's
/// `fatal error: 'a.h' file not found`.
fn missing(diagnostics: &str) -> Option<&str> {
    let (_, rest) = diagnostics.split_once("fatal error: ")?;
    let line = rest.lines().next()?;
    let gcc = line.strip_suffix(": No such file or directory");
    let clang = || line.strip_prefix('\'')?.strip_suffix("' file not found");
    gcc.or_else(clang)
}

/// Whether a host's text has a string that ends with the header's name. What it includes itself is no
/// string.
fn names(text: &str, header: &str) -> bool {
    let base = header.rsplit('/').next().unwrap_or(header);
    let end = format!("{base}\"");
    let is_include = |line: &str| {
        let directive = line.trim_start().strip_prefix('#');
        directive.is_some_and(|rest| rest.trim_start().starts_with("include"))
    };
    let mut code = text.lines().filter(|line| !is_include(line));
    code.any(|line| line.contains(&end))
}

/// What is reported to the user of such a program.
pub fn warning(program: &str, header: &str) -> Diagnostic {
    let message = format!("'{program}' includes '{header}', which the host makes when it runs");
    Diagnostic::warning(message)
        .note("the device's own compiler builds this program then; none of its kernels is rewritten")
        .help(format!(
            "a '{header}' that lies beside the kernels now is taken, as long as the host makes the same"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_missing_headers_are_read() {
        let gcc = "k.cl:1:10: fatal error: inc/a.h: No such file or directory\n    1 | #include\n";
        let clang = "k.cl:1:10: fatal error: 'a.h' file not found\n";
        assert_eq!(missing(gcc), Some("inc/a.h"));
        assert_eq!(missing(clang), Some("a.h"));
        assert_eq!(missing("k.cl:1:2: error: #error no N\n"), None);
    }

    #[test]
    fn only_strings_of_the_host_name_headers() {
        assert!(names("f = fopen(\"gen/a.h\", \"w\");", "inc/a.h"));
        assert!(names("#define HEADER \"a.h\"\n", "./a.h"));
        assert!(!names("#  include \"a.h\"\nint a;", "a.h"));
    }
}
