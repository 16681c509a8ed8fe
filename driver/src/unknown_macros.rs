//! Kernels that need macros from the host's build options, looked at without these options.

use fpgacc_aoc_wrappers::cc::{CcError, Preprocessed};
use fpgacc_frontend::diag::Diagnostic;

/// Whether the preprocessor met an `#error`: often a kernel that asks for a macro.
pub fn asked_for(made: &Result<Preprocessed, CcError>) -> bool {
    let Err(error) = made else {
        return false;
    };
    error
        .diagnostics()
        .is_some_and(|text| text.contains("#error"))
}

/// Whether options may be all that is missing: macros in directives, or folders of headers.
pub fn may_mend(diagnostics: &str) -> bool {
    let ends = [
        ": No such file or directory",
        " file not found",
        "missing binary operator before token \"(\"",
        "function-like macro",
        "#include expects \"FILENAME\" or <FILENAME>",
        "expected \"FILENAME\" or <FILENAME>",
    ];
    let is_error = |line: &&str| line.contains("error: ");
    let mut errors = diagnostics.lines().filter(is_error);
    errors.all(|error| ends.iter().any(|end| error.contains(end)))
}

/// Whether macros may be all that is missing.
pub fn explain_all(errors: &[Diagnostic]) -> bool {
    errors.iter().all(|error| name(error).is_some())
}

/// Leaves one error of each name that may be a macro's, which says how many there are; with the way out, if `is_option`:
/// the host's build options may define it.
pub fn once_each(errors: Vec<Diagnostic>, is_option: bool) -> Vec<Diagnostic> {
    let mut kept: Vec<(Option<String>, Diagnostic, usize)> = Vec::new();
    for error in errors {
        let name = name(&error);
        let known = kept
            .iter_mut()
            .find(|(known, ..)| name.is_some() && *known == name);
        match known {
            Some((.., more)) => *more += 1,
            None => kept.push((name, error, 0)),
        }
    }
    let explained = kept.into_iter().map(|(name, mut error, more)| {
        if more > 0 {
            error = error.note(match more {
                1 => "it is used once more".to_string(),
                _ => format!("it is used {more} more times"),
            });
        }
        match name {
            Some(name) if is_option => error.help(format!(
                "if it is a macro of the host's build options: -Xkernel -D{name}=VALUE"
            )),
            _ => error,
        }
    });
    explained.collect()
}

/// For kernels that ask for macros when they are linked.
pub fn error(program: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "the options with which the host builds '{program}' are not known"
    ))
    .help("give the macros that its kernels need: -Xkernel -DNAME=VALUE")
}

/// For kernels whose macros only the running host knows.
pub fn left_to_device(program: &str, errors: &[Diagnostic]) -> Diagnostic {
    let names = names(errors);
    let without = match names.is_empty() {
        true => "its kernels need them".to_string(),
        false => format!("its kernels need {}", names.join(", ")),
    };
    let message =
        format!("the options with which the host builds '{program}' are not known, and {without}");
    let mut warning = Diagnostic::warning(message)
        .note("the device's own compiler builds this program when it runs; none of its kernels is rewritten")
        .help(format!("give what the host will pass: {}", given(&names)));
    warning.primary = errors.first().and_then(|error| error.primary.clone());
    warning
}

/// The options that define macros.
fn given(names: &[String]) -> String {
    if names.is_empty() {
        return "-Xkernel -DNAME=VALUE".into();
    }
    let options = names.iter().map(|name| format!("-Xkernel -D{name}=VALUE"));
    options.collect::<Vec<_>>().join(" ")
}

fn names(errors: &[Diagnostic]) -> Vec<String> {
    let mut names: Vec<String> = errors.iter().filter_map(name).collect();
    names.sort();
    names.dedup();
    names
}

/// For kernels that are compiled before the host is known: one warning for all of it.
pub fn warning(program: &str, errors: &[Diagnostic]) -> Diagnostic {
    let names = names(errors);
    let message = match names.as_slice() {
        [] => format!("'{program}' needs macros that are not defined here"),
        [name] => format!("{name} is not defined here"),
        names => format!("{} are not defined here", names.join(", ")),
    };
    let mut warning = Diagnostic::warning(message);
    warning.primary = errors.first().and_then(|error| error.primary.clone());
    warning.note("checked again at the link, where the host's build options are known")
}

/// The name that an error says is not declared, if it looks like a macro's: no small letters.
fn name(error: &Diagnostic) -> Option<String> {
    let missing = [" is not declared", " is not a type"];
    let start = missing
        .iter()
        .find_map(|end| error.message.strip_suffix(end))?;
    let name = start.strip_suffix('`')?.rsplit('`').next()?;
    let is_macro = name.chars().any(|c| c.is_ascii_uppercase())
        && !name.chars().any(|c| c.is_ascii_lowercase());
    is_macro.then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_without_small_letters_may_be_macros() {
        let error = |text: &str| Diagnostic::error(text);
        let macros = [
            error("`N` is not declared"),
            error("`REAL_2` is not a type"),
        ];
        assert!(explain_all(&macros));
        assert!(!explain_all(&[error("`n` is not declared")]));
        assert!(!explain_all(&[error("expected `;`, found `N`")]));
        let errors = [
            "`n` is not declared",
            "`N` is not declared",
            "`n` is not declared",
            "`N` is not declared",
        ];
        let errors = once_each(errors.map(error).to_vec(), true);
        assert_eq!(errors.len(), 3);
        assert!(errors[0].helps.is_empty());
        assert!(errors[1].helps[0].contains("-DN=VALUE"));
        assert_eq!(errors[1].notes, ["it is used once more"]);
    }
}
