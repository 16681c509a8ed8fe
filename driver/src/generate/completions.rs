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
}

/// The commands with options of their own, below a command.
fn with_commands(command: Command) -> Command {
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
    match shell {
        Shell::Fish => fish(),
        Shell::Zsh => zsh(),
        Shell::Bash => bash(),
        _ => generated(shell, with_commands(command())),
    }
}

/// What completes `fpgacc++`, which takes what fpgacc takes, for shells that look for a file of this name.
pub fn of_cxx(shell: Shell) -> &'static str {
    match shell {
        Shell::Fish => "complete -c fpgacc++ -w fpgacc\n",
        _ => ". \"${BASH_SOURCE[0]%/*}/fpgacc\"\n",
    }
}

fn bash() -> String {
    let text = generated(Shell::Bash, with_commands(command()));
    text.replace(" -o default fpgacc\n", " -o default fpgacc fpgacc++\n")
}

/// The names of options that have one dash.
fn names() -> Vec<String> {
    let own = cli::single_dash().map(String::from);
    own.chain(switches()).collect()
}

fn generated(shell: Shell, mut command: Command) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut command, "fpgacc", &mut out);
    let names = names();
    let names = names.iter().map(String::as_str);
    cli::with_dashes(&String::from_utf8_lossy(&out), names)
}

/// fish calls long options with one dash old. Options of builds are proposed after files, too.
fn fish() -> String {
    let text = generated(Shell::Fish, with_commands(command()));
    let names = names();
    let one_dash = |line: &str| {
        let line = line.replacen("-n \"__fish_fpgacc_needs_command\" -l ", BUILDS, 1);
        let line = line.replacen(
            "-n \"__fish_fpgacc_needs_command\" -s ",
            &BUILDS.replace("-l", "-s"),
            1,
        );
        names.iter().fold(line, |line, name| {
            let quoted = match name.starts_with('#') {
                true => format!("'{name}'"),
                false => name.clone(),
            };
            line.replacen(&format!(" -l {name} "), &format!(" -o {quoted} "), 1)
        })
    };
    // The functions before the first line would ask argparse, which does not take `-nostdinc++`. `-f` with a value
    // would hide `-fPASS`.
    let first = text.find("complete -c fpgacc").unwrap_or_default();
    let lines = text[first..].split_inclusive('\n');
    let text: String = lines
        .filter(|line| !line.contains(" -s f "))
        .map(one_dash)
        .collect();
    let commands: Vec<&str> = cli::manual::names().collect();
    let commands = commands.join(" ");
    format!(
        "function __fish_fpgacc_builds\n    not contains -- (commandline -opc)[2] {commands}\nend\n\n\
         function __fish_fpgacc_needs_command\n    test (count (commandline -opc)) -eq 1\nend\n\n\
         function __fish_fpgacc_using_subcommand\n    contains -- (commandline -opc)[2] $argv\nend\n\n{text}"
    )
}

/// The condition of an option of builds.
const BUILDS: &str = "-n \"__fish_fpgacc_builds\" -l ";

/// zsh learns from the first word whether it is a command; clap's own text would look for it after a file.
fn zsh() -> String {
    let named = |text: String, name: &str| {
        let text = text.replacen("\n_fpgacc() {", &format!("\n{name}() {{"), 1);
        let body = text.find(&format!("\n{name}() {{")).unwrap_or_default();
        let end = text.find("\nif [ \"$funcstack[1]\"").unwrap_or(text.len());
        text[body..end].to_string()
    };
    let commands = named(
        generated(Shell::Zsh, with_commands(Command::new("fpgacc"))),
        "_fpgacc_after_command",
    );
    let build = named(generated(Shell::Zsh, command()), "_fpgacc_build");
    let names: Vec<&str> = cli::manual::names().collect();
    let names = names.join("|");
    format!(
        "#compdef fpgacc fpgacc++\n\nautoload -U is-at-least\n{commands}{build}\n_fpgacc() {{\n    case $CURRENT:$words[2] in\n\
         2:-*) _fpgacc_build ;;\n2:*) _fpgacc_commands; _fpgacc_build ;;\n*:({names})) _fpgacc_after_command ;;\n\
         *) _fpgacc_build ;;\n    esac\n}}\n\nif [ \"$funcstack[1]\" = \"_fpgacc\" ]; then\n    _fpgacc \"$@\"\nelse\n    \
         compdef _fpgacc fpgacc fpgacc++\nfi\n"
    )
}
