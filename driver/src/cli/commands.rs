//! Commands with options of their own: `fpgacc doctor`, `facts`, `report`, `check`, `trace`, `tune` and `run`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, ValueHint};
use fpgacc_frontend::diag::Diagnostic;

/// Takes what stands before `--` and belongs after it, for a message of its own.
fn stray_words() -> Arg {
    Arg::new("stray").hide(true).num_args(0..)
}

/// The file that a command writes.
fn output(help: &'static str) -> Arg {
    Arg::new("output")
        .short('o')
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .help(help)
}

/// An option without a value.
fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// An error for such words.
pub fn stray(matches: &clap::ArgMatches, usage: &str) -> Option<Diagnostic> {
    let word = matches.get_many::<String>("stray")?.next()?;
    Some(
        Diagnostic::error(format!("'{word}' stands before `--`")).help(format!(
            "the program and its arguments stand after: {usage}"
        )),
    )
}

/// The `fpgacc doctor` command.
pub fn doctor_command() -> Command {
    Command::new("doctor")
        .bin_name("fpgacc doctor")
        .about("Say what is installed, what is missing and which package brings it")
}

/// The `fpgacc facts` commands.
pub fn facts_command() -> Command {
    let file = |name: &'static str| {
        Arg::new(name)
            .value_hint(ValueHint::FilePath)
            .required(true)
            .help("Launch facts")
    };
    Command::new("facts")
        .bin_name("fpgacc facts")
        .about("Explain or compare launch facts, or print their schema")
        .subcommand(
            Command::new("explain")
                .about("Say what is known of a call, and why")
                .arg(
                    Arg::new("place")
                        .value_name("FILE:LINE")
                        .required(true)
                        .help("The call's position in the host"),
                )
                .arg(
                    Arg::new("inputs")
                        .value_name("FILES AND OPTIONS OF A BUILD")
                        .value_hint(ValueHint::FilePath)
                        .num_args(0..)
                        .help("Other hosts, kernels and facts"),
                ),
        )
        .subcommand(
            Command::new("compare")
                .about("Say whether two accounts of a program can both be true")
                .arg(file("A.yaml"))
                .arg(file("B.yaml")),
        )
        .subcommand(Command::new("schema").about("Print the JSON schema of facts.yaml"))
        .disable_help_subcommand(true)
}

/// The `fpgacc run` command, before `--`.
pub fn run_command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
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
    let layout = |name, help| switch(name, help).help_heading("Report");
    Command::new("report")
        .bin_name("fpgacc report")
        .about("Report which form each kernel gets on a board, why, and what would gain more")
        .override_usage("fpgacc report [--html | --json] [--geometry[=DEVICE]] [-o FILE] FILES AND OPTIONS OF A BUILD")
        .arg(layout(
            "html",
            "Write a page for browsers, which needs nothing but itself",
        ))
        .arg(layout("json", "Write it for machines").conflicts_with("html"))
        .arg(
            Arg::new("geometry")
                .long("geometry")
                .value_name("DEVICE")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("h200")
                .help_heading("Report")
                .help("Rank sizes of work-groups on a device: h200 (default), pocl, fpga, or a file that describes one (.yaml); as text \
                     that is the whole report"),
        )
        .arg(output("Write it to FILE"))
}

/// The options that only `fpgacc check` has.
pub fn check_command() -> Command {
    let layout = |name, help| switch(name, help).help_heading("Check");
    let number = |name: &'static str, what: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(what)
            .value_parser(clap::value_parser!(f64))
            .help_heading("Check")
            .help(help)
    };
    Command::new("check")
        .bin_name("fpgacc check")
        .about("Report what launches waste on a GPU or a board, in memory traffic and lanes")
        .override_usage("fpgacc check [--device=DEVICE] [--json | --sarif] [-o FILE] FILES AND OPTIONS OF A BUILD")
        .arg(
            Arg::new("device")
                .long("device")
                .value_name("DEVICE")
                .help_heading("Check")
                .help("warp32 (default), wave64, h100, h200, a board of --board, or a file that describes one (.yaml)"),
        )
        .arg(layout("json", "Write all sites for machines"))
        .arg(
            layout("sarif", "Write warnings as SARIF 2.1.0, for editors and code scanning")
                .conflicts_with("json"),
        )
        .arg(number(
            "waste-ratio",
            "N",
            "Warn of accesses that move more than N times what would do (default 2)",
        ))
        .arg(number(
            "waste-share",
            "PERCENT",
            "Only of those that make this part of their kernel's traffic (default 5)",
        ))
        .arg(number(
            "idle-share",
            "PERCENT",
            "Warn of branches and banks that cost this part of their kernel's lane-operations (default 5)",
        ))
        .arg(output("Write it to FILE"))
}

/// The options that only `fpgacc tune` has.
pub fn tune_command() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        let arg = Arg::new(name)
            .long(name)
            .value_name(value)
            .help_heading("Tuning");
        arg.help(help)
    };
    let file = |name: &'static str, help: &'static str| {
        option(name, "FILE", help).value_hint(ValueHint::FilePath)
    };
    Command::new("tune")
        .bin_name("fpgacc tune")
        .about("Find the fastest variant of kernels by measuring few")
        .override_usage("fpgacc tune [-o tuned.yaml] FILES AND OPTIONS OF A BUILD -- ARGUMENTS OF THE PROGRAM")
        .arg(
            option("strategy", "NAME", "Which variants are measured: model (default; where the model and what was measured promise most), front (for the front \
             of time and area), pareto, pareto-few, genetic, greedy, random, exhaustive")
                .value_parser(fpgacc_tuning::strategy::NAMES)
                .hide_possible_values(true),
        )
        .arg(
            option("objective", "WHAT", "What is to be small: kernels (their time, default), program (its time), area")
                .value_parser(fpgacc_tuning::trial::Objective::WORDS)
                .hide_possible_values(true),
        )
        .arg(option("budget", "N", "Try N variants at most"))
        .arg(option("runs", "N", "Run each variant N times, by turns with the original (default 5)"))
        .arg(option("run-off", "N", "Run the best variants N times more, by turns with the program as it is (default 20)"))
        .arg(option("seed", "N", "Draw other random numbers"))
        .arg(option("jobs", "N", "Build N variants at a time (default 1)"))
        .arg(
            option("slurm", "OPTIONS", "Build as jobs of a Slurm cluster, with these options of sbatch")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value(""),
        )
        .arg(option("run-limit", "SECONDS", "A run may take so long (default 600)"))
        .arg(option("build-limit", "SECONDS", "A build may take so long (default 172800)"))
        .arg(
            option("folder", "DIR", "Keep builds and what was measured in DIR (default fpgacc-tune), and go on from there")
                .value_hint(ValueHint::DirPath),
        )
        .arg(file("space", "Try only the values that FILE leaves"))
        .arg(switch("show-space", "Only print what may be varied, in the format of --space").help_heading("Tuning"))
        .arg(file("html", "Write a page for browsers: the front, the history, the effect of each parameter"))
        .arg(file("csv", "Write a table of all that was tried"))
        .arg(file("json", "Write all that was tried, for machines"))
        .arg(file("t4", "Write the results in Kernel Tuner's T4 format"))
        .arg(file("t1", "Write the space in Kernel Tuner's T1 format"))
        .arg(
            // How the program calls itself to build a variant.
            Arg::new("build").long("build").value_name("DIR").hide(true),
        )
        .arg(output("Write the fastest variant to FILE (.yaml), for `fpgacc --facts FILE`"))
}

/// The `fpgacc trace` command, before `--`.
pub fn trace_command() -> Command {
    Command::new("trace")
        .bin_name("fpgacc trace")
        .about("Run an OpenCL program as it is and write down the facts of that run")
        .override_usage("fpgacc trace -o FILE [--append] -- PROGRAM [ARGUMENTS]\n       fpgacc trace -o FILE --merge FILES")
        .arg(output("Write the facts to FILE (.yaml)").value_parser(clap::value_parser!(PathBuf)))
        .arg(switch("append", "Join them with the facts that FILE has of earlier runs"))
        .arg(
            Arg::new("merge")
                .long("merge")
                .num_args(1..)
                .value_name("FILES")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Run nothing: join the facts of earlier runs"),
        )
        .arg(switch("trip-counts", "Also record how often loops and branches of kernels are taken"))
        .arg(switch("accesses", "Also record what warps access and which ways they go, for fpgacc check"))
        .arg(
            // How the library in the program calls fpgacc again.
            Arg::new("instrument")
                .long("instrument")
                .value_name("BASE")
                .value_parser(clap::value_parser!(PathBuf))
                .hide(true),
        )
        .arg(switch("quiet", "Say nothing of what was recorded"))
        .arg(stray_words())
}
