//! Options of other tools that users of these give to fpgacc, and values that were nearly right.

use clap::ArgMatches;
use fpgacc_aoc_wrappers::compat;
use fpgacc_frontend::diag::Diagnostic;

use crate::cli;

/// Options that the host compiler would get, and that mean something to aoc only.
///
/// # Errors
/// What to write instead.
pub fn check(matches: &ArgMatches) -> Result<(), Diagnostic> {
    for (_, value) in cli::values(matches, "machine") {
        let Some(target @ ("emulator" | "simulator")) = value.strip_prefix("arch=") else {
            continue;
        };
        let error = format!("-march={target} is an option of aoc");
        return Err(Diagnostic::error(error).help(match target {
            "emulator" => "fpgacc builds for the emulator if nothing else is asked for: leave it out, or write --target=emulator".to_string(),
            _ => format!("write --target={target}"),
        }));
    }
    for (_, feature) in cli::values(matches, "feature") {
        let option = format!("-f{feature}");
        if compat::is_flag(&option) && ["fp-relaxed", "fpc"].contains(&&option[1..]) {
            let error = Diagnostic::error(format!("{option} is an option of aoc"));
            return Err(error
                .help(format!("hand it to aoc with -Xaoc {option}"))
                .help(
                    "the order of sums is fpgacc's own matter: --strict-fp forbids to change it",
                ));
        }
    }
    Ok(())
}

/// What an unknown option is, if another tool has it: what to write instead.
pub fn of_another_tool(option: &str) -> Option<String> {
    let name = option.split('=').next().unwrap_or(option);
    if option.starts_with("-cl-") {
        return Some(format!(
            "it is an option of clBuildProgram, which kernels are built with: -Xkernel {option}"
        ));
    }
    compat::is_flag(name).then(|| format!("it is an option of aoc: -Xaoc {option}"))
}

/// The one of these words that is nearly this one.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(word, other);
    let words = words.into_iter().map(|other| (distance(other), other));
    let (distance, other) = words.min()?;
    (distance <= 2.min(word.len() / 3)).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_that_differ_little() {
        let words = ["kernels", "host", "facts"];
        assert_eq!(nearest("kernel", words), Some("kernels"));
        assert_eq!(nearest("hots", words), Some("host"));
        assert_eq!(nearest("7", ["0", "1"]), None);
        assert_eq!(nearest("ast", words), None);
        assert_eq!(nearest("report", words), None);
    }
}
