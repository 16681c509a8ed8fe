//! The fpgacc command: compiles OpenCL hosts and kernels together for FPGAs.
//!
//! `main` reads the command line and picks the plan: [`link`], [`compile`] (one source at a time) or
//! [`emit`]. All output files and processes are started here or in aoc-wrappers; the crates below
//! only see texts.

mod advice;
mod agree;
mod ahead;
mod aoc_report;
mod aocx;
mod board;
mod build;
mod build_command;
mod check;
mod cli;
mod compile;
mod compiled;
mod depfile;
mod differing_macros;
mod emit;
mod expansion;
mod explain;
mod facts;
mod facts_command;
mod facts_file;
mod foreign;
mod gather;
mod generate;
mod given;
mod gpu;
mod hosts;
mod identity;
mod images;
mod impossible;
mod kernel_options;
mod kernels;
mod launched_at;
mod left;
mod line_marker;
mod link;
mod local_sizes;
mod manifest;
mod message_format;
mod messages;
mod names;
mod nearly;
mod no_kernel;
mod nobody;
mod objects;
mod opt_record;
mod options;
mod outputs;
mod programs;
mod recorded;
mod report;
mod required;
mod response;
mod rewriting;
mod rounding;
mod run;
mod run_time_headers;
mod session;
mod signature;
mod source_folder;
mod stage_texts;
mod times_file;
mod tool;
mod trace;
mod tune;
mod unit;
mod unknown_macros;
mod usage;
mod verify;
mod wrong_calls;
mod wrong_kernels;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use fpgacc_aoc_wrappers::cc::{Compiler, Language, cc_is_cxx};
use fpgacc_device_passes::pipeline::list_passes;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;

use messages::Messages;
use options::{Mode, Options};
use response::Expanded;
use session::Session;

/// fpgacc makes and drops many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Errors in the input, or a tool failed.
const FAILED: u8 = 1;
/// Wrong use of options.
const MISUSED: u8 = 2;

fn main() -> ExitCode {
    fpgacc_aoc_wrappers::process::leave_huge_pages_to_children();
    // A child that builds kernels in a process of its own is this program again.
    fpgacc_aoc_wrappers::worker::run_if_asked();
    fpgacc_aoc_wrappers::scratch::clean_up_on_signals();
    // Deep expressions are walked recursively; the front end bounds their depth for this stack.
    let run = std::thread::Builder::new().stack_size(256 << 20).spawn(run);
    match run.map(|thread| thread.join()) {
        Ok(Ok(code)) => code,
        _ => ExitCode::from(FAILED),
    }
}

fn run() -> ExitCode {
    let mut messages = Messages::new(None);
    let args: Result<Vec<String>, _> = std::env::args_os().map(OsString::into_string).collect();
    let args = match args {
        Ok(args) => args,
        Err(word) => {
            let message = format!("'{}' is not UTF-8 text", word.display());
            let error =
                Diagnostic::error(message).help("rename the file: compilers and make need it");
            return fail(&mut messages, error, FAILED);
        }
    };
    match args.get(1).map(String::as_str) {
        Some("doctor") => doctor(&args[1..], &mut messages),
        Some("run") => run::command(&args[1..], messages),
        Some("facts") => facts_command::command(&args[1..], messages),
        Some("check") => check::command(&args[1..], messages),
        Some("report") => report::command(&args[1..], messages),
        Some("trace") => trace::command(&args[1..], messages),
        Some("tune") => tune::command(&args[1..], messages),
        _ => compiler(args, messages),
    }
}

/// fpgacc as a compiler.
fn compiler(args: Vec<String>, mut messages: Messages) -> ExitCode {
    let name = args
        .first()
        .map(|name| Path::new(name).file_name().unwrap_or_default());
    let named_as_cxx = name.is_some_and(|name| name.to_string_lossy().ends_with("++"));
    let called_as_cxx = named_as_cxx || cc_is_cxx();
    let (expanded, program_args) = match words(args) {
        Ok(words) => words,
        Err(message) => return fail(&mut messages, Diagnostic::error(message), MISUSED),
    };
    let args = cli::normalise(expanded.words.iter().cloned());
    let matches = match cli::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => return usage(&error, &expanded.words, &mut messages),
    };
    if let Some(code) = answer(&matches, called_as_cxx, &mut messages) {
        return code;
    }
    messages = Messages::new(color(&matches));
    let mut options = match Options::from_matches(&matches, called_as_cxx) {
        Ok(options) => options,
        Err(error) => return fail(&mut messages, error, MISUSED),
    };
    options.program_args = program_args;
    options.also_read.extend(expanded.files);
    carry_out(options, messages)
}

/// What is asked of fpgacc itself; `None`: it is to compile.
fn answer(
    matches: &clap::ArgMatches,
    called_as_cxx: bool,
    messages: &mut Messages,
) -> Option<ExitCode> {
    if matches.get_flag("help") || matches.get_flag("help-all") {
        let mut command = cli::command();
        let help = match matches.get_flag("help-all") {
            true => cli::with_single_dashes(&command.render_long_help().to_string()),
            false => cli::in_columns(&command.render_help().to_string()),
        };
        let help = help.replace("-f <[no-]PASS>", "-f[no-]PASS   ");
        return Some(print(help.as_bytes()));
    }
    if let Some(what) = matches.get_one::<String>("generate") {
        let folder = matches.get_one::<String>("output").map(Path::new);
        return Some(match generate::command(what, folder) {
            Ok(text) => print(&text),
            Err(error) => fail(messages, error, FAILED),
        });
    }
    if matches.get_flag("version") {
        return Some(print(version(called_as_cxx).as_bytes()));
    }
    let lists = matches.get_flag("print-passes");
    lists.then(|| print(list_passes().as_bytes()))
}

/// Does what the options say.
fn carry_out(options: Options, mut messages: Messages) -> ExitCode {
    messages.configure(&options);
    for warning in nobody::of_remarks(&options) {
        messages.report(&warning, &SourceMap::new());
    }
    let mode = options.mode;
    if options.verbose {
        messages.pass_on(&options.levels());
    }
    if options.verbose || options.dry_run {
        fpgacc_aoc_wrappers::process::trace();
    }
    if options.dry_run {
        fpgacc_aoc_wrappers::process::dry_run();
    }
    let mut session = Session::new(options, messages);
    let ready = session.check_inputs().and_then(|()| {
        let planned = outputs::planned(&session.options);
        session.may_write(&planned)
    });
    let done = ready.and_then(|()| match mode {
        Mode::Link => link::run(&mut session),
        Mode::Verify => verify::run(&mut session),
        Mode::Emit(stage) => emit::run(&mut session, stage),
        Mode::Ask => compile::ask(&mut session),
        _ => compile::run(&mut session),
    });
    match done {
        Ok(()) if session.messages.errors() == 0 => ExitCode::SUCCESS,
        _ => ExitCode::from(FAILED),
    }
}

/// `--color`, or what cc calls so; of those, the last one.
fn color(matches: &clap::ArgMatches) -> Option<&str> {
    if let Some(when) = matches.get_one::<String>("color") {
        return Some(when);
    }
    let features: Vec<_> = cli::values(matches, "feature").collect();
    features
        .iter()
        .rev()
        .find_map(|(_, feature)| match feature.as_str() {
            "diagnostics-color" | "color-diagnostics" | "diagnostics-color=always" => {
                Some("always")
            }
            "no-diagnostics-color" | "no-color-diagnostics" | "diagnostics-color=never" => {
                Some("never")
            }
            "diagnostics-color=auto" => Some("auto"),
            _ => None,
        })
}

/// What the host compiler says of its version, and fpgacc's own. Build systems look for the family of a
/// compiler, whose options fpgacc takes, and take the first number for its version.
fn version(called_as_cxx: bool) -> String {
    let language = match called_as_cxx {
        true => Language::Cxx,
        false => Language::C,
    };
    let compiler = Compiler::find(language).ok();
    let host = compiler.and_then(|compiler| compiler.hand_on(&["--version".into()], None).ok());
    let host = host.map_or_else(String::new, |(captured, _)| captured.stdout_text());
    format!("{host}fpgacc {}\n", env!("CARGO_PKG_VERSION"))
}

/// fpgacc's own words, with those of response files, and the words for the program that `--verify`
/// runs.
fn words(args: Vec<String>) -> Result<(Expanded, Vec<String>), String> {
    let (front, after) = cli::split_at_dashes(args);
    let mut given = response::expand(front)?;
    let verifies = given.words.iter().any(|word| word == "--verify");
    match after {
        Some(after) if verifies => return Ok((given, after)),
        Some(after) => {
            let after = response::expand(after)?;
            given.words.push("--".to_string());
            given.words.extend(after.words);
            given.files.extend(after.files);
        }
        None => {}
    }
    Ok((given, Vec::new()))
}

fn doctor(words: &[String], messages: &mut Messages) -> ExitCode {
    if let Err(error) = cli::doctor_command().try_get_matches_from(words) {
        return command_usage(&error, words, messages);
    }
    let report = fpgacc_aoc_wrappers::doctor::examine();
    print(report.table().as_bytes());
    match report.usable() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    }
}

fn print(bytes: &[u8]) -> ExitCode {
    // A reader that has seen enough is no error.
    let _ = std::io::stdout().lock().write_all(bytes);
    ExitCode::SUCCESS
}

/// Reports an error that ends the program.
fn fail(messages: &mut Messages, error: Diagnostic, code: u8) -> ExitCode {
    messages.report(&error, &SourceMap::new());
    ExitCode::from(code)
}

/// What clap says of a command with options of its own. Help and version are no errors; everything else
/// is a wrong use.
fn command_usage(error: &clap::Error, given: &[String], messages: &mut Messages) -> ExitCode {
    match usage::explain(error, given) {
        Some(mut diagnostic) => {
            let general = |help: &String| help.contains("fpgacc --help") || help.contains("-Xcc");
            diagnostic.helps.retain(|help| !general(help));
            if diagnostic.helps.is_empty() {
                let help = format!("fpgacc {} --help describes all options", given[0]);
                diagnostic = diagnostic.help(help);
            }
            fail(messages, diagnostic, MISUSED)
        }
        None => print(error.to_string().as_bytes()),
    }
}

/// What clap says of a command line.
fn usage(error: &clap::Error, given: &[String], messages: &mut Messages) -> ExitCode {
    match usage::explain(error, given) {
        Some(diagnostic) => fail(messages, diagnostic, MISUSED),
        None => print(cli::with_single_dashes(&error.to_string()).as_bytes()),
    }
}
