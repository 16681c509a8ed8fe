//! The command line: one definition of every option, from which parsing, help, man page and shell
//! completions are made.
//!
//! fpgacc keeps cc's habits, among them long options with one dash (`-std=c99`, `-MMD`). clap knows
//! long options with two, so the options named in [`SINGLE_DASH`] are defined as `--std`, and
//! [`normalise`] gives the words of the user's command line their second dash before clap sees them.

use crate::cc_options;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};
use fpgacc_decision::ExecutionModel;
use fpgacc_frontend::diag::Diagnostic;

/// Long options that cc writes with one dash. Both spellings are taken.
const SINGLE_DASH: &[&str] = &[
    "###",
    "MD",
    "MM",
    "MMD",
    "MF",
    "MT",
    "MQ",
    "MP",
    "Rpass",
    "Rpass-analysis",
    "Rpass-missed",
    "Xaoc",
    "Xcc",
    "Xkernel",
    "Xlinker",
    "fexecution-model",
    "fno-save-optimization-record",
    "foptimization-record-file",
    "foptimization-record-passes",
    "fsave-optimization-record",
    "save-temps",
];

/// All long options with one dash.
pub fn single_dash() -> impl Iterator<Item = &'static str> {
    let handed = cc_options::OPTIONS.iter().map(|option| option.name);
    let handed = handed.filter(|name| !cc_options::has_two_dashes(name));
    SINGLE_DASH.iter().copied().chain(handed)
}

/// Options of one letter that take no value.
const FLAG_LETTERS: [char; 13] = [
    'c', 'S', 'E', 's', 'v', 'w', 'h', 'r', 'P', 'C', 'H', 't', 'M',
];

const OUTPUT: &str = "Output";
const KERNELS: &str = "Kernels";
const HOST: &str = "Host compiler and linker";
const MESSAGES: &str = "Messages";
const DEPENDENCIES: &str = "Dependency files";

fn flag(name: &'static str, heading: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help_heading(heading)
        .help(help)
}

fn value(name: &'static str, heading: &'static str, what: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::Append)
        .allow_hyphen_values(true)
        .value_name(what)
        .help_heading(heading)
        .help(help)
}

fn short_flag(letter: char, name: &'static str, heading: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .short(letter)
        .action(ArgAction::SetTrue)
        .help_heading(heading)
        .help(help)
}

fn short_value(
    letter: char,
    name: &'static str,
    heading: &'static str,
    what: &'static str,
    help: &'static str,
) -> Arg {
    Arg::new(name)
        .short(letter)
        .action(ArgAction::Append)
        .allow_hyphen_values(true)
        .value_name(what)
        .help_heading(heading)
        .help(help)
}

/// The `fpgacc` command.
pub fn command() -> Command {
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
        .after_help(
            "Commands (a file of such a name is given as ./trace):\n  \
             fpgacc doctor     Say what is installed, what is missing and which package brings it\n  \
             fpgacc facts      Explain or compare launch facts, or print their schema\n  \
             fpgacc report     Tell which form each kernel gets on a board, why, and what would gain more\n  \
             fpgacc trace      Run an OpenCL program as it is and write down the facts of that run\n  \
             fpgacc run        Run a program that cannot be built again with compiled kernels\n\nExit codes: 0 done, 1 errors in the input, a tool failed or --verify \
             found a difference, 2 wrong use of \
             options.\nOptions that start with -f or -m and are not listed go to the host compiler, \
             as -W does.",
        )
        .args_override_self(true)
        .disable_version_flag(true)
        .subcommand_negates_reqs(true)
        .arg(
            Arg::new("inputs")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_hint(ValueHint::FilePath)
                .help(
                    "Hosts (.c .cc .cpp .cxx), kernels (.cl), objects and libraries (.o .a .so .s), launch \
                     facts (.yaml)",
                ),
        )
        .args(output_args())
        .args(kernel_args())
        .args(host_args())
        .args(cc_options::args(HOST))
        .args(dependency_args())
        .args(message_args())
        .args(record_args())
}

fn output_args() -> Vec<Arg> {
    vec![
        short_value('o', "output", OUTPUT, "FILE", "Write the output to FILE")
            .action(ArgAction::Set)
            .value_hint(ValueHint::FilePath),
        short_flag('c', "compile", OUTPUT, "Compile each source to an object (.o); do not link"),
        short_flag('S', "assemble", OUTPUT, "Stop at assembly (hosts, .s) and at rewritten OpenCL C (kernels, .fpga.cl)"),
        short_flag('E', "preprocess", OUTPUT, "Stop behind the preprocessor"),
        flag("verify", OUTPUT, "Build the program, run it with its original and with the rewritten kernels, and compare everything that it reads back; behind -- stand its arguments"),
        value("emit", OUTPUT, "WHAT", "Print a stage instead of compiling: rewritten kernels, the patched host, the patched host as a unified diff, launch facts, or the kernels' typed syntax tree")
            .action(ArgAction::Set)
            .value_parser(PossibleValuesParser::new(["kernels", "host", "host-diff", "facts", "ast"])),
        value("target", OUTPUT, "TARGET", "Where the kernels will run: the emulator (default), Intel's RTL simulator, a board, or nowhere: just write the rewritten sources")
            .action(ArgAction::Set)
            .env("FPGACC_TARGET")
            .value_parser(PossibleValuesParser::new(["emulator", "simulator", "hardware", "source"])),
        value("platform", OUTPUT, "PLATFORM", "The emulator: Intel's FPGA emulation platform, PoCL, or aoc's own (default: the first of aoc, intel and pocl that is installed)")
            .action(ArgAction::Set)
            .env("FPGACC_PLATFORM")
            .value_parser(PossibleValuesParser::new(["intel", "pocl", "aoc"])),
        value("save-temps", OUTPUT, "DIR", "Keep intermediate files (patched hosts, rewritten kernels, manifest) in DIR")
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("."),
        Arg::new("version")
            .long("version")
            .action(ArgAction::SetTrue)
            .help_heading(MESSAGES)
            .help("Print the version, and that of the host compiler"),
    ]
}

fn kernel_args() -> Vec<Arg> {
    vec![
        value("kernel-opt", KERNELS, "LEVEL", "0: kernels as they are; 1: constants of the host, restrict, work-group sizes; 2 (default): also single work-items and shift registers, which reassociate, where they are faster; 3: also search for the width of each kernel. -O is for hosts only")
            .action(ArgAction::Set)
            .value_parser(PossibleValuesParser::new(["0", "1", "2", "3"])),
        value("fexecution-model", KERNELS, "[KERNEL:]MODEL", "The form of all kernels, or of one: as the host launches them (ndrange), single work-items where they can be (swi), or what the performance model finds faster (auto, default)")
            .require_equals(true)
            .value_parser(execution_model),
        flag("strict-fp", KERNELS, "Never change the order of floating-point operations"),
        value("max-local-size", KERNELS, "N", "The most work-items in a group where the host does not fix the local size (default 1024); checked at each launch")
            .action(ArgAction::Set)
            .value_parser(local_size),
        flag("keep-general", KERNELS, "Also build each kernel as it is, for launches that differ from what its rewritten version was compiled for; by default only kernels that rely on what is not proved"),
        flag("no-general", KERNELS, "Build no kernel also as it is: less area, but launches that differ from what is assumed fail").conflicts_with("keep-general"),
        value("stop-after", KERNELS, "PASS", "Run no pass behind PASS").action(ArgAction::Set),
        flag("print-passes", KERNELS, "List the passes, in their order, and exit"),
        value("board", KERNELS, "BOARD", "Compile for this board (aoc -list-boards), and predict for it").action(ArgAction::Set),
        value("board-file", KERNELS, "FILE", "Predict for the board that FILE describes (.yaml)")
            .action(ArgAction::Set)
            .value_hint(ValueHint::FilePath),
        value("use-report", KERNELS, "DIR", "Take intervals, area and clock from the report that aoc left in DIR, in place of predictions")
            .action(ArgAction::Set)
            .value_hint(ValueHint::DirPath),
        value("aoc", KERNELS, "PATH", "Use this aoc").action(ArgAction::Set).value_hint(ValueHint::ExecutablePath).env("FPGACC_AOC"),
        value("facts", KERNELS, "FILE", "Use the launch facts in FILE, as if it stood among the inputs").value_hint(ValueHint::FilePath),
        value("Xkernel", KERNELS, "OPTION", "A clBuildProgram option (-DN=16) for programs whose options the host composes at run time"),
        value("Xaoc", KERNELS, "ARG", "Give ARG to aoc"),
    ]
}

fn local_size(text: &str) -> Result<u64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (1..=65536).contains(number));
    number.ok_or_else(|| "not a number from 1 to 65536".to_string())
}

/// `auto`, or `kernel:swi`.
fn execution_model(text: &str) -> Result<String, String> {
    let word = text.rsplit_once(':').map_or(text, |(_, word)| word);
    let known = ExecutionModel::WORDS;
    match known.contains(&word) {
        true => Ok(text.to_string()),
        false => Err(format!("not one of {}", known.join(", "))),
    }
}

/// Whether a word is one of the long options with one dash.
pub fn is_known(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    single_dash().any(|one| one == name.trim_start_matches('-'))
}

/// Whether clap knows no option `-x`.
pub fn is_unknown_letter(option: &str) -> bool {
    let letter = option.chars().nth(1);
    let known = |arg: &Arg| arg.get_short().is_some() && arg.get_short() == letter;
    !command().get_arguments().any(known)
}

fn host_args() -> Vec<Arg> {
    vec![
        short_value(
            'D',
            "define",
            HOST,
            "NAME[=VALUE]",
            "Define a macro, for hosts, and for kernels whose build options are not known",
        ),
        short_value('U', "undefine", HOST, "NAME", "Undefine a macro"),
        short_value(
            'I',
            "include-dir",
            HOST,
            "DIR",
            "Search DIR for included files",
        )
        .value_hint(ValueHint::DirPath),
        short_value('L', "library-dir", HOST, "DIR", "Search DIR for libraries")
            .value_hint(ValueHint::DirPath),
        short_value(
            'l',
            "library",
            HOST,
            "NAME",
            "Link with a library (OpenCL is added)",
        ),
        short_value(
            'W',
            "warning",
            HOST,
            "ARG",
            "Given to the host compiler, as -Wall or -Wl,ARG",
        ),
        short_value(
            'f',
            "feature",
            HOST,
            "[no-]PASS",
            "Turn a pass on or off; other -f options go to the host compiler",
        ),
        short_value('m', "machine", HOST, "ARG", "Given to the host compiler"),
        short_value(
            'O',
            "optimise",
            HOST,
            "LEVEL",
            "Given to the host compiler; kernels have --kernel-opt",
        ),
        short_value('g', "debug", HOST, "LEVEL", "Debug information"),
        short_value(
            'x',
            "language",
            HOST,
            "LANGUAGE",
            "Take the following files as c, c++, cl or none (by suffix)",
        ),
        short_flag('w', "no-warnings", HOST, "No warnings"),
        short_flag('s', "strip", HOST, "Strip the executable"),
        short_flag(
            'r',
            "relocatable",
            HOST,
            "Join objects to one object, for a later link",
        ),
        value("driver-mode", HOST, "MODE", "Behave as cc or as c++, which takes .c files as C++ and links with the C++ library; fpgacc called as fpgacc++ behaves as c++")
            .action(ArgAction::Set)
            .value_parser(PossibleValuesParser::new(["cc", "c++"])),
        value("Xcc", HOST, "ARG", "Give ARG to the host compiler"),
        value("Xlinker", HOST, "ARG", "Give ARG to the linker"),
    ]
}

fn dependency_args() -> Vec<Arg> {
    vec![
        flag(
            "MD",
            DEPENDENCIES,
            "Write a dependency file beside the output",
        ),
        short_flag(
            'M',
            "rules",
            DEPENDENCIES,
            "Print a rule for make instead of compiling",
        ),
        flag("MM", DEPENDENCIES, "The same, without system headers"),
        flag("MMD", DEPENDENCIES, "The same, without system headers"),
        value("MF", DEPENDENCIES, "FILE", "Write it to FILE").action(ArgAction::Set),
        value("MT", DEPENDENCIES, "TARGET", "Name its target"),
        value(
            "MQ",
            DEPENDENCIES,
            "TARGET",
            "The same, with what make reads specially quoted",
        ),
        flag("MP", DEPENDENCIES, "Add an empty rule for each header"),
    ]
}

fn message_args() -> Vec<Arg> {
    vec![
        short_flag('v', "verbose", MESSAGES, "Print the commands that are run"),
        flag(
            "###",
            MESSAGES,
            "Print the commands that make files, but run none of them",
        ),
        value(
            "Rpass",
            MESSAGES,
            "PASS",
            "Tell what was rewritten, by all passes or those whose name contains PASS",
        )
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("")
        .action(ArgAction::Set),
        value(
            "Rpass-missed",
            MESSAGES,
            "PASS",
            "Tell what was not rewritten, and why",
        )
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("")
        .action(ArgAction::Set),
        value(
            "Rpass-analysis",
            MESSAGES,
            "PASS",
            "Tell what was found out about kernels, on which choices rest",
        )
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("")
        .action(ArgAction::Set),
        flag("quiet", MESSAGES, "No progress"),
        value("color", MESSAGES, "WHEN", "auto (default), always or never")
            .action(ArgAction::Set)
            .value_parser(PossibleValuesParser::new(["auto", "always", "never"])),
        value(
            "generate",
            MESSAGES,
            "WHAT",
            "Print the man page or a shell's completions",
        )
        .action(ArgAction::Set)
        .hide(true)
        .value_parser(PossibleValuesParser::new(["man", "bash", "zsh", "fish"])),
    ]
}

/// LLVM's names, so that what knows clang's options knows these.
fn record_args() -> Vec<Arg> {
    let file = |name, what, help| {
        value(name, MESSAGES, what, help)
            .require_equals(true)
            .action(ArgAction::Set)
    };
    vec![
        file(
            "fsave-optimization-record",
            "FORMAT",
            "Write all remarks into a file that LLVM's opt-viewer and llvm-opt-report read (OUTPUT.opt.yaml)",
        )
        .num_args(0..=1)
        .default_missing_value("yaml")
        .value_parser(PossibleValuesParser::new(["yaml"])),
        flag("fno-save-optimization-record", MESSAGES, "Do not (default)")
            .overrides_with("fsave-optimization-record"),
        file("foptimization-record-file", "FILE", "Write them to FILE")
            .value_hint(ValueHint::FilePath),
        file(
            "foptimization-record-passes",
            "PASS",
            "Write only those of passes whose name contains PASS",
        ),
    ]
}

/// Takes what stands in front of `--` and belongs behind it, for a message of its own.
fn stray_words() -> Arg {
    Arg::new("stray").hide(true).num_args(0..)
}

/// An error for such words.
pub fn stray(matches: &clap::ArgMatches, usage: &str) -> Option<Diagnostic> {
    let word = matches.get_many::<String>("stray")?.next()?;
    Some(
        Diagnostic::error(format!("'{word}' stands in front of `--`")).help(format!(
            "the program and its arguments stand behind: {usage}"
        )),
    )
}

/// The `fpgacc run` command, in front of `--`.
pub fn run_command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(std::path::PathBuf))
            .value_hint(ValueHint::FilePath)
            .help(help)
    };
    Command::new("run")
        .bin_name("fpgacc run")
        .about("Run a program that cannot be built again with compiled kernels")
        .override_usage("fpgacc run --aocx FILE [--facts FILE] -- PROGRAM [ARGUMENTS]")
        .arg(file(
            "aocx",
            "The kernels, compiled without a host; their .json lies beside them",
        ))
        .arg(
            file(
                "facts",
                "Make sure that they were compiled with these facts",
            )
            .action(ArgAction::Append),
        )
        .arg(stray_words())
}

/// The options that only `fpgacc report` has.
pub fn report_command() -> Command {
    let layout = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help_heading("Report")
            .help(help)
    };
    Command::new("report")
        .bin_name("fpgacc report")
        .about("Tell which form each kernel gets on a board, why, and what would gain more")
        .override_usage("fpgacc report [--html | --json] [-o FILE] FILES AND OPTIONS OF A BUILD")
        .arg(layout(
            "html",
            "Write a page for browsers, which needs nothing but itself",
        ))
        .arg(layout("json", "Write it for machines").conflicts_with("html"))
        .arg(
            Arg::new("output")
                .short('o')
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Write it to FILE"),
        )
}

/// All options that `fpgacc report` takes.
pub fn build_and_report_command() -> Command {
    let report = report_command();
    let own = report
        .get_arguments()
        .filter(|arg| arg.get_short().is_none());
    command().args(own.cloned().collect::<Vec<_>>())
}

/// The `fpgacc trace` command, in front of `--`.
pub fn trace_command() -> Command {
    Command::new("trace")
        .bin_name("fpgacc trace")
        .about("Run an OpenCL program as it is and write down the facts of that run")
        .override_usage("fpgacc trace -o FILE [--append] -- PROGRAM [ARGUMENTS]\n       fpgacc trace -o FILE --merge FILES")
        .arg(
            Arg::new("output")
                .short('o')
                .value_name("FILE")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Write the facts to FILE (.yaml)"),
        )
        .arg(
            Arg::new("append")
                .long("append")
                .action(ArgAction::SetTrue)
                .help("Join them with the facts that FILE has of earlier runs"),
        )
        .arg(
            Arg::new("merge")
                .long("merge")
                .num_args(1..)
                .value_name("FILES")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Run nothing: join the facts of earlier runs"),
        )
        .arg(
            Arg::new("trip-counts")
                .long("trip-counts")
                .action(ArgAction::SetTrue)
                .help("Also record how often loops and branches of kernels are taken"),
        )
        .arg(
            // How the library in the program calls fpgacc again.
            Arg::new("instrument")
                .long("instrument")
                .value_name("BASE")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .hide(true),
        )
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .action(ArgAction::SetTrue)
                .help("Say nothing of what was recorded"),
        )
        .arg(stray_words())
}

/// Gives cc's one-dash long options their second dash. Everything behind `--` and the values of
/// options stay as they are.
pub fn normalise(args: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = args.into_iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            out.push(arg);
            out.extend(rest);
            break;
        }
        if takes_next(&arg) {
            out.push(second_dash(arg));
            out.extend(rest.next());
            continue;
        }
        out.push(second_dash(arg));
    }
    out
}

fn second_dash(arg: String) -> String {
    let Some(body) = arg.strip_prefix('-').filter(|body| !body.starts_with('-')) else {
        return arg;
    };
    // In cc, these levels may be missing; clap would take the next word for one.
    match body {
        "O" => return "-O1".to_string(),
        "g" => return "-g2".to_string(),
        _ => {}
    }
    let name = body.split('=').next().unwrap_or(body);
    if single_dash().any(|one| one == name) {
        return format!("-{arg}");
    }
    if let Some((name, value)) = cc_options::joined(body) {
        return format!("--{name}={value}");
    }
    // -MFfile and -MTtarget may be written in one word.
    for joined in ["MF", "MT", "MQ"] {
        if let Some(value) = body.strip_prefix(joined) {
            return format!("--{joined}={value}");
        }
    }
    // cc does not join flags of one letter: `-shared` is not `-s` and others.
    if body.len() > 1 && body.starts_with(FLAG_LETTERS) {
        return format!("-{arg}");
    }
    arg
}

/// Whether the word behind this one is its value, whatever it looks like.
fn takes_next(arg: &str) -> bool {
    let name = arg.trim_start_matches('-');
    let is_known = matches!(
        name,
        "o" | "D"
            | "U"
            | "I"
            | "L"
            | "l"
            | "x"
            | "MF"
            | "MT"
            | "MQ"
            | "Xaoc"
            | "Xcc"
            | "Xkernel"
            | "Xlinker"
            | "board"
            | "board-file"
            | "use-report"
            | "facts"
            | "aoc"
            | "emit"
            | "target"
            | "platform"
            | "kernel-opt"
    );
    arg.starts_with('-') && (is_known || cc_options::takes_next(name))
}

/// The words in front of the first `--` and those behind it.
pub fn split_at_dashes(mut args: Vec<String>) -> (Vec<String>, Option<Vec<String>>) {
    let Some(at) = args.iter().position(|arg| arg == "--") else {
        return (args, None);
    };
    let behind = args.split_off(at + 1);
    args.pop();
    (args, Some(behind))
}

/// Shows one-dash options as the user writes them.
pub fn with_single_dashes(text: &str) -> String {
    let mut out = text.to_string();
    for name in single_dash() {
        for (before, after) in [
            (" --", " -"),
            ("'--", "'-"),
            ("*--", "*-"),
            ("\\-\\-", "\\-"),
        ] {
            let escaped = if before.starts_with('\\') {
                name.replace('-', "\\-")
            } else {
                name.to_string()
            };
            out = out.replace(&format!("{before}{escaped}"), &format!("{after}{escaped}"));
        }
    }
    out
}

/// The parser's own check of its definitions, and of nothing else.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn cc_spellings_get_their_second_dash() {
        let words = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
        let out = normalise(words(
            "-std=c99 -MMD -MFx.d -o -MD -Wall -fno-restrict -- -MD",
        ));
        assert_eq!(
            out,
            words("--std=c99 --MMD --MF=x.d -o -MD -Wall -fno-restrict -- -MD")
        );
    }

    #[test]
    fn every_single_dash_option_is_defined() {
        let command = command();
        for name in single_dash() {
            assert!(
                command
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some(name)),
                "{name}"
            );
        }
    }
}
