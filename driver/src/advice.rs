//! Options of other tools that users of these give to fpgacc, and files that there are not.

use clap::ArgMatches;
use fpgacc_aoc_wrappers::compat;
use fpgacc_frontend::diag::Diagnostic;

use crate::cli;
use crate::nearly::{did_you_mean, nearest};

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
    for (_, library) in cli::values(matches, "library") {
        if ["ist-boards", "ist-board-packages"].contains(&library.as_str()) {
            let error = Diagnostic::error(format!("-l{library} is a question to aoc"));
            return Err(error.help(format!("ask it: aoc -l{library}")));
        }
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
    match option.trim_start_matches('-').split_once('=') {
        Some(("board", board)) => {
            return Some(format!("aoc's -board is --board here: --board={board}"));
        }
        None if name == "-board" => {
            return Some("aoc's -board is --board here: --board=NAME".to_string());
        }
        _ => {}
    }
    compat::is_flag(name).then(|| format!("it is an option of aoc: -Xaoc {option}"))
}

/// For a file that there is not: a command of fpgacc, or a file in the same folder, of nearly this name.
pub fn for_missing_file(diagnostic: Diagnostic, path: &std::path::Path) -> Diagnostic {
    let name = path.display().to_string();
    if name == "help" {
        return diagnostic
            .help("fpgacc --help describes fpgacc, and fpgacc COMMAND --help a command");
    }
    if let Some(command) = nearest(&name, cli::manual::names()) {
        return diagnostic.help(format!("did you mean the command `fpgacc {command}`?"));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => std::path::Path::new("."),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names: Vec<String> = names.collect();
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    did_you_mean(diagnostic, &file, names.iter().map(String::as_str))
}
