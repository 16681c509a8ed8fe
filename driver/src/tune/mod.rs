//! `fpgacc tune`: finds the fastest variant of a program's kernels by building and measuring few of many.
//!
//! [`plan`] is what is asked; [`program`] what is tuned, with [`variants`] for what may be varied of a kernel; [`search`]
//! asks a strategy of `tuning/` for points, has [`build`] or [`slurm`] build them and [`measure`] run them, and keeps what
//! came out in a [`folder`]; [`results`] says it.

mod build;
mod folder;
mod measure;
mod plan;
mod program;
mod progress;
mod results;
mod search;
mod slurm;
mod variants;

use std::path::Path;
use std::process::ExitCode;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::Span;
use fpgacc_gpu_model::device::Device;
use fpgacc_tuning::space_file::{self, Fault, SpaceFile};

use crate::gpu;
use crate::messages::Messages;
use crate::options::{Options, Target};
use crate::session::{Session, Step};
use crate::verify::numbers::Numbers;
use crate::{FAILED, MISUSED, build_command, cli, tool};
use folder::Folder;
use measure::Meter;
use plan::Plan;
use program::Program;
use progress::Progress;
use search::Search;
use variants::Kind;

/// Runs `fpgacc tune ..`; `words` starts with `tune`.
pub fn command(words: &[String], mut messages: Messages) -> ExitCode {
    let (front, program_args) = cli::split_at_dashes(words.to_vec());
    let given = match build_command::read(front, cli::tune_command, &mut messages) {
        Ok(given) => given,
        Err(code) => return code,
    };
    let matches = &given.matches;
    let read = Options::of_command(matches, "tune");
    let (mut options, plan) = match read.and_then(|read| Ok((read, Plan::from_matches(matches)?))) {
        Ok(read) => read,
        Err(error) => return crate::fail(&mut messages, error, MISUSED),
    };
    options.also_read.extend(given.files);
    options.output = None;
    options.program_args = program_args.unwrap_or_default();
    messages.configure(&options);
    let mut session = Session::new(options, messages);
    let done = match &plan.build {
        Some(folder) => session
            .check_inputs()
            .and_then(|()| build::child(&mut session, folder)),
        None => run(&mut session, &plan, &given.words),
    };
    match done {
        Ok(()) if session.messages.errors() == 0 => ExitCode::SUCCESS,
        _ => ExitCode::from(FAILED),
    }
}

fn run(session: &mut Session, plan: &Plan, words: &[String]) -> Step<()> {
    session.check_inputs()?;
    session.may_write(&plan.results.paths())?;
    let kind = kind(session, plan)?;
    let given = match &plan.space {
        Some(path) => Some(Given::read(session, path)?),
        None => None,
    };
    let file = given.as_ref().map(|given| &given.file);
    let program = match (Program::read(session, kind, file, plan.seed)?, &given) {
        (Ok(program), _) => program,
        (Err(fault), Some(given)) => return given.fail(session, &fault),
        (Err(fault), None) => return session.fail(Diagnostic::error(fault.what)),
    };
    if program.tracks.is_empty() {
        return session.fail(
            Diagnostic::error("there is no kernel to tune")
                .help("give hosts and kernels, as to a build"),
        );
    }
    if plan.show_space {
        return session.write_text(&space_file::text(&program.space()));
    }
    let device = tool::device(&session.options).unwrap_or_default();
    let of = identity(session, words)?;
    let opened = Folder::open(&plan.folder, of, device.clone());
    let folder = or_fail(session, opened)?;
    let kernels = program
        .tracks
        .iter()
        .map(|track| track.kernel.clone())
        .collect();
    let numbers = Numbers::of(&program.compiled);
    let has_original = session.options.target == Target::Emulator;
    let meter = Meter::new(plan.runs, plan.run_limit, has_original, numbers, kernels);
    let mut search = Search {
        plan,
        program,
        words,
        device: &device,
        folder,
        meter: or_fail(session, meter)?,
        progress: Progress::new(session.options.quiet),
        trials: Vec::new(),
        run_off: None,
    };
    let done = search.run(session);
    search.progress.end();
    or_fail(session, done)?;
    results::write(session, &search)
}

fn or_fail<T>(session: &mut Session, done: Result<T, Diagnostic>) -> Step<T> {
    match done {
        Ok(value) => Ok(value),
        Err(error) => session.fail(error),
    }
}

/// What makes a difference where the program runs, and the device, if it is no board: another GPU is taken for the one that
/// is described. What emulates an FPGA on a processor says nothing of either.
fn kind(session: &mut Session, plan: &Plan) -> Step<(Kind, Option<Device>)> {
    if session.options.target != Target::Emulator {
        return Ok((Kind::Fpga, None));
    }
    let tool = tool::choose(session)?;
    match tool.kind() {
        "pocl" => Ok((Kind::Other, Some(gpu::device(session, "pocl", &[])?))),
        "nvidia" => Ok((Kind::Other, Some(gpu::device(session, "h200", &[])?))),
        _ if plan.show_space => Ok((Kind::Fpga, None)),
        kind => session.fail(
            Diagnostic::error("an emulator's times say nothing of how fast kernels are on an FPGA")
                .note(format!("kernels would run on '{kind}'"))
                .help("measure on a board with --target=hardware, for this processor with --platform=pocl, or for a \
                   GPU with --platform=nvidia"),
        ),
    }
}

/// The file of `--space`.
struct Given {
    file: SpaceFile,
    name: String,
    text: String,
}

impl Given {
    fn read(session: &mut Session, path: &Path) -> Step<Given> {
        let name = path.display().to_string();
        let text = String::from_utf8_lossy(&session.read(path)?).into_owned();
        match space_file::read(&text) {
            Ok(file) => Ok(Given { file, name, text }),
            Err(fault) => fail_at(session, &name, &text, &fault),
        }
    }

    fn fail<T>(&self, session: &mut Session, fault: &Fault) -> Step<T> {
        fail_at(session, &self.name, &self.text, fault)
    }
}

/// Reports a fault at its position in the file.
fn fail_at<T>(session: &mut Session, name: &str, text: &str, fault: &Fault) -> Step<T> {
    let word = text.find(&fault.word).filter(|_| !fault.word.is_empty());
    let file = session.sources.add(name, text.to_string());
    let span = match (word, fault.position) {
        (Some(at), _) => Span {
            file,
            start: at as u32,
            end: (at + fault.word.len()) as u32,
        },
        (None, position) => {
            let line = position.map_or(1, |(line, _)| line as u32);
            session.sources.line_span(file, line)
        }
    };
    let error = Diagnostic::error(fault.what.clone()).at(span);
    session.fail(match &fault.help {
        Some(help) => error.help(help.clone()),
        None => error,
    })
}

/// What a search is of: options, inputs and the program's arguments.
fn identity(session: &mut Session, words: &[String]) -> Step<String> {
    let inputs: Vec<_> = session
        .options
        .files(|_| true)
        .map(std::path::Path::to_path_buf)
        .collect();
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for input in inputs {
        texts.push(session.read(&input)?);
    }
    // Where results go, and how the search goes about it, is no part of what is found.
    let own = cli::tune_command();
    let names: Vec<String> = own
        .get_arguments()
        .filter_map(|arg| arg.get_long().map(|long| format!("--{long}")))
        .collect();
    let is_own = |word: &String| {
        names
            .iter()
            .any(|name| word == name || word.starts_with(&format!("{name}=")))
    };
    let options = words
        .iter()
        .filter(|word| !is_own(word) && word.starts_with('-') && *word != "-o");
    texts.extend(options.map(|word| word.clone().into_bytes()));
    texts.extend(
        session
            .options
            .program_args
            .iter()
            .map(|word| word.clone().into_bytes()),
    );
    texts.push(env!("CARGO_PKG_VERSION").into());
    Ok(folder::digest(texts.iter().map(Vec::as_slice)))
}
