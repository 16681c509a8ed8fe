//! The command line: one row a flag ([`own`], [`host_compiler`], and the passes' own), from which parsing, help, man page, shell
//! completions and the command lines of the host compiler are made.

mod commands;
pub mod environment;
mod flag;
mod host_compiler;
pub mod manual;
mod own;
pub mod pass_flags;
mod table;
mod words;

use clap::{Arg, ArgAction, Command, ValueHint};

pub use commands::{
    check_command, doctor_command, facts_command, report_command, run_command, stray,
    trace_command, tune_command,
};
pub use flag::{Step, values};
pub use own::{is_pass, rule_by_preprocessor, switch};
pub use table::{handed, read_files};
pub use words::{
    in_columns, is_known, normalise, single_dash, split_at_dashes, with_dashes, with_single_dashes,
};

use table::tables;

/// What exit codes mean, and which options are not listed.
pub const EXIT_CODES: &str = "Exit codes: 0 done, 1 errors in the input, a tool failed or --verify found \
    a difference, 2 wrong use of options.\nOptions that start with -f or -m and are not listed go to \
    the host compiler, as -W does.";

/// The `fpgacc` command.
pub fn command() -> Command {
    let args = tables()
        .into_iter()
        .flat_map(|(heading, flags)| flags.iter().map(|flag| flag.arg(heading)));
    Command::new("fpgacc")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Compile an OpenCL program written for GPUs, host and kernels, for an FPGA")
        .long_about(
            "Compile an OpenCL program written for GPUs, host and kernels together, for an FPGA.\n\n\
             fpgacc reads the host to learn how kernels are launched, rewrites the kernels into the \
             shape that an FPGA compiler pipelines well, compiles them with Intel's offline compiler \
             aoc or for the emulator, and links a host whose launches match. The sources stay as they \
             are.\n\n  fpgacc host.c kernels.cl -o app && ./app\n  fpgacc --verify host.c kernels.cl \
             -- arguments of the program",
        )
        .after_help(format!(
            "Commands (each has --help):\n{}\nAll options of cc are taken, too; --help-all lists them.",
            manual::commands()
        ))
        .after_long_help(format!(
            "Commands (each has --help; a file of such a name is given as ./trace):\n{}\n{EXIT_CODES}",
            manual::commands()
        ))
        .args_override_self(true)
        .disable_version_flag(true)
        .disable_help_flag(true)
        .subcommand_negates_reqs(true)
        .arg(
            Arg::new("inputs")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_hint(ValueHint::FilePath)
                .help(
                    "Hosts (.c .cc .cpp .cxx), kernels (.cl .ocl), objects, libraries, launch facts (.yaml)",
                ),
        )
        .args(args)
}

/// A command's own options, and all of a build but those that it has itself.
pub fn with_build_options(own: &Command) -> Command {
    let own = own.get_arguments().filter(|arg| arg.get_short().is_none());
    command().args(own.cloned().collect::<Vec<_>>())
}

/// Whether clap knows no option `-x`.
pub fn is_unknown_letter(option: &str) -> bool {
    let letter = option.chars().nth(1);
    let known = |arg: &Arg| arg.get_short().is_some() && arg.get_short() == letter;
    !command().get_arguments().any(known)
}

/// The environment variable that stands in place of an option which is not given.
pub fn variable(option: &str) -> Option<String> {
    let command = command();
    let arg = command
        .get_arguments()
        .find(|arg| arg.get_long() == Some(option));
    let variable = arg.and_then(Arg::get_env)?;
    Some(variable.to_string_lossy().into_owned())
}

/// The parser's own check of its definitions, and of nothing else.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_consistent() {
        command().debug_assert();
    }
}
