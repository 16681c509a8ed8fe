//! One run of the program.

use std::path::Path;

use fpgacc_aoc_wrappers::cpu_target::without_vectors;
use fpgacc_aoc_wrappers::process::{Captured, Command, ProcessError, Status};
use fpgacc_frontend::diag::Diagnostic;

use super::output;
use super::record::Record;
use crate::session::{Session, Step};

/// How much a run may print, in bytes. It is kept in memory until the runs are compared.
const MOST_PRINTED: usize = 256 << 20;

/// Which kernels a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// The host's own texts, built by the device's compiler.
    Original,
    /// Those that fpgacc made.
    Rewritten,
}

/// What a run came to.
#[derive(Debug)]
pub struct Run {
    /// What it wrote, and how it ended.
    pub captured: Captured,
    /// What it read back.
    pub record: Record,
}

impl Run {
    /// Whether it cannot be taken for a run of a working program.
    pub fn failed(&self) -> bool {
        match self.captured.status {
            Status::Code(0) => false,
            // Some programs return a number of their own from a main that works.
            Status::Code(_) => self.record.readbacks.is_empty(),
            Status::Signal(_) => true,
        }
    }
}

/// Runs the program in the current folder.
pub fn run(session: &mut Session, executable: &Path, kernels: Kernels) -> Step<Run> {
    let command = command(session, executable, kernels);
    recorded(session, command)
}

/// Runs the program with new buffers, and new memory of the host, that hold the same in each run, and
/// not what they would.
pub fn run_filled(session: &mut Session, executable: &Path, kernels: Kernels) -> Step<Run> {
    let command = command(session, executable, kernels)
        .env("FPGACC_FILL", "1")
        // Of the GNU C library: the complement of each byte that `malloc` gives.
        .env("MALLOC_PERTURB_", "90");
    recorded(session, command)
}

/// Runs its original, which the device's compiler does not optimise.
pub fn run_unoptimised(session: &mut Session, executable: &Path) -> Step<Run> {
    let command = command(session, executable, Kernels::Original).env("FPGACC_UNOPTIMISED", "1");
    recorded(session, command)
}

fn recorded(session: &mut Session, command: Command) -> Step<Run> {
    let folder = session.temporary_folder()?;
    let file = folder.path().join("record");
    let mut command = command.env("FPGACC_RECORD", file.as_os_str());
    if let Some(prelude) = session.options.rounding.prelude() {
        command = command.env("FPGACC_PRELUDE", prelude);
    }
    if !session.options.rounding.vectors() {
        command = command.envs(without_vectors());
    }
    let captured = match command.at_most(MOST_PRINTED).capture() {
        Err(ProcessError::TooMuch { start, .. }) => return endless(session, &start),
        captured => session.check(captured)?,
    };
    // A program that makes no OpenCL call has no record.
    let bytes = std::fs::read(&file).unwrap_or_default();
    match Record::parse(bytes) {
        Some(record) => Ok(Run { captured, record }),
        None => {
            show(session, &captured);
            session.fail(
                Diagnostic::error("the record of what the program read back breaks off").help(
                    "it may have ended within a call, or the folder for temporary files may be \
                     full: set TMPDIR to a folder with free space",
                ),
            )
        }
    }
}

/// Of a run that was ended because of all that it printed.
fn endless(session: &mut Session, printed: &[u8]) -> Step<Run> {
    const SHOWN: usize = 1000;
    let from = printed.len().saturating_sub(SHOWN);
    show_end(session, "standard output", &printed[from..]);
    session.fail(
        Diagnostic::error(format!(
            "the program printed more than {} MiB and was ended",
            MOST_PRINTED >> 20
        ))
        .note("nothing was compared")
        .help("it runs without input, and one that asks until it gets an answer never ends"),
    )
}

/// How the program is started.
pub fn command(session: &Session, executable: &Path, kernels: Kernels) -> Command {
    let command = Command::new(started_as(executable));
    let command = command.args(session.options.program_args.iter().cloned());
    match kernels {
        Kernels::Original => command.env("FPGACC_ORIGINAL", "1"),
        Kernels::Rewritten => command.env_remove("FPGACC_ORIGINAL"),
    }
}

/// A name without a slash would be looked for in the path.
fn started_as(executable: &Path) -> std::path::PathBuf {
    match executable.components().count() {
        1 => Path::new(".").join(executable),
        _ => executable.to_path_buf(),
    }
}

/// Shows the end of what a run wrote.
pub fn show(session: &mut Session, captured: &Captured) {
    show_end(session, "standard output", &captured.stdout);
    show_end(session, "standard error", &captured.stderr);
}

fn show_end(session: &mut Session, name: &str, text: &[u8]) {
    const LINES: usize = 20;
    let lines = output::lines(text);
    if lines.is_empty() {
        return;
    }
    let from = lines.len().saturating_sub(LINES);
    let which = match from {
        0 => String::new(),
        _ => format!(", the last {LINES} of {} lines", lines.len()),
    };
    let text = format!("--- its {name}{which}\n{}\n---", lines[from..].join("\n"));
    session.messages.pass_on(&text);
}

/// Shows what the runtime had to say.
pub fn show_runtime_messages(session: &mut Session, captured: &Captured) {
    let lines = output::lines(&captured.stderr);
    let own: Vec<String> = lines
        .into_iter()
        .filter(|line| line.starts_with("fpgacc: "))
        .collect();
    session.messages.pass_on(&own.join("\n"));
}
