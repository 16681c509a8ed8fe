//! Completions of shells, with the commands and the names of passes.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;

use crate::cli;

/// The names of all passes.
fn passes() -> impl Iterator<Item = &'static str> {
    let passes = fpgacc_device_passes::passes::ALL.iter();
    passes.map(|pass| pass.name())
}

/// Flags of their own for `-fPASS` and `-fno-PASS`: their names, which have one dash. Those that take a value are
/// flags already.
fn switches() -> Vec<String> {
    passes()
        .flat_map(|pass| [format!("f{pass}"), format!("fno-{pass}")])
        .filter(|name| !cli::single_dash().any(|own| own == name))
        .collect()
}

/// The command with all that a shell may propose.
fn command() -> Command {
    let names = || PossibleValuesParser::new(passes());
    let mut command = cli::command();
    for id in ["stop-after", "Rpass", "Rpass-missed", "Rpass-analysis"] {
        command = command.mut_arg(id, |arg| arg.value_parser(names()));
    }
    for name in switches() {
        let help = match name.strip_prefix("fno-") {
            Some(pass) => format!("Do without the pass {pass}"),
            None => format!("Run the pass {}", &name[1..]),
        };
        let flag = Arg::new(name.clone()).long(name).help(help);
        command = command.arg(flag.action(ArgAction::SetTrue));
    }
    command
        .subcommand(cli::doctor_command())
        .subcommand(cli::facts_command())
        .subcommand(completed(cli::report_command()))
        .subcommand(completed(cli::check_command()))
        .subcommand(completed(cli::tune_command()))
        .subcommand(cli::trace_command())
        .subcommand(cli::run_command())
        .disable_help_subcommand(true)
}

/// A command that takes what a build takes, but for what is its own.
fn completed(command: Command) -> Command {
    command.args(
        cli::command().get_arguments().filter(|arg| {
            !["output", "help", "help-all", "generate"].contains(&arg.get_id().as_str())
        }),
    )
}

/// A shell's completions.
pub fn text(shell: Shell) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut command(), "fpgacc", &mut out);
    let own = cli::single_dash().map(String::from);
    let names: Vec<String> = own.chain(switches()).collect();
    let text = cli::with_dashes(
        &String::from_utf8_lossy(&out),
        names.iter().map(String::as_str),
    );
    if shell != Shell::Fish {
        return text;
    }
    // fish calls long options with one dash old.
    let old = |line: &str| {
        names.iter().fold(line.to_string(), |line, name| {
            line.replacen(&format!(" -l {name} "), &format!(" -o {name} "), 1)
        })
    };
    text.split_inclusive('\n').map(old).collect()
}
