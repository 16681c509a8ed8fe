//! `fpgacc trace`: runs an OpenCL program as it is and writes down the facts of that run.
//!
//! A layer of the ICD loader (`runtime/trace`) is put between the program and OpenCL and writes a
//! [`record`] of each process; [`convert`] makes launch facts of it, with the lines of calls from
//! debug information ([`positions`]) and the files of kernel texts ([`texts`]); [`widen`] joins runs.
//! With `--trip-counts` and `--accesses` the layer has this program rewrite kernels ([`instrument`]);
//! [`accesses`] makes sectors and ways of what the latter note.

mod accesses;
mod convert;
mod instrument;
pub mod positions;
pub mod record;
mod texts;
pub mod widen;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgMatches;
use fpgacc_aoc_wrappers::cc::{Compiler, Language};
use fpgacc_aoc_wrappers::claims;
use fpgacc_aoc_wrappers::output::{self, Mode, Staged};
use fpgacc_aoc_wrappers::process::{Command, Status};
use fpgacc_aoc_wrappers::scratch::Scratch;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::{Facts, ProgramSource};

use crate::cli;
use crate::facts_file;
use crate::messages::Messages;
use crate::run;
use crate::session::clashing;
use instrument::Asked;
use record::Record;
use texts::Texts;

/// What a command line asks for.
struct Plan {
    output: PathBuf,
    append: bool,
    /// Files to join; empty: a program is run.
    merge: Vec<PathBuf>,
    program: Vec<String>,
    asked: Asked,
    quiet: bool,
}

impl Plan {
    /// The facts are not written over the program, over files that it is given, or over facts to join.
    fn check(&self) -> Result<(), Diagnostic> {
        let program = self.program.iter().map(Path::new);
        let inputs = program.chain(self.merge.iter().map(PathBuf::as_path));
        self.is_none_of(inputs)
    }

    /// Nor are they written over kernel files that the program has read.
    fn check_kernels(&self, facts: &Facts) -> Result<(), Diagnostic> {
        let sources = facts
            .programs
            .iter()
            .filter_map(|program| program.sources.get());
        let files = sources.flatten().filter_map(|source| match source {
            ProgramSource::File(name) => Some(Path::new(name)),
            ProgramSource::Text { .. } => None,
        });
        self.is_none_of(files)
    }

    fn is_none_of<'p>(&self, inputs: impl Iterator<Item = &'p Path>) -> Result<(), Diagnostic> {
        let checked = claims::check(inputs, std::slice::from_ref(&self.output));
        checked.map_err(|clash| clashing(&clash))
    }
}

/// Runs the command; `words` begin with `trace`. The exit code is the program's own, or 1 where
/// nothing could be recorded, or 2 after a wrong use of options.
pub fn command(words: &[String], mut messages: Messages) -> ExitCode {
    let (front, after) = cli::split_at_dashes(words.to_vec());
    let matches = match cli::trace_command().try_get_matches_from(front.clone()) {
        Ok(matches) => matches,
        Err(error) => return crate::command_usage(&error, &front, &mut messages),
    };
    if let Some(base) = matches.get_one::<PathBuf>("instrument") {
        let options = after.unwrap_or_default().join(" ");
        let asked = matches.get_many::<String>("stray");
        let asked = asked.into_iter().flatten().next();
        let asked = asked.map(|word| Asked::of(word)).unwrap_or_default();
        return instrument::command(base, asked, &options, messages);
    }
    let plan = match plan(&matches, after) {
        Ok(plan) => plan,
        Err(error) => return crate::fail(&mut messages, error, crate::MISUSED),
    };
    if let Err(error) = plan.check() {
        return crate::fail(&mut messages, error, crate::FAILED);
    }
    let done = match plan.merge.is_empty() {
        true => trace(&plan, &mut messages),
        false => merge(&plan),
    };
    match done {
        Ok(code) => code,
        Err(error) => crate::fail(&mut messages, error, crate::FAILED),
    }
}

fn plan(matches: &ArgMatches, after: Option<Vec<String>>) -> Result<Plan, Diagnostic> {
    let merge: Vec<PathBuf> = matches
        .get_many::<PathBuf>("merge")
        .map(|files| files.cloned().collect())
        .unwrap_or_default();
    if let Some(error) = cli::stray(matches, "fpgacc trace -o facts.yaml -- ./app") {
        return Err(error);
    }
    let program = after.unwrap_or_default();
    if merge.is_empty() && program.is_empty() {
        return Err(Diagnostic::error("there is no program to trace").help(
            "it stands after `--`, with its arguments: fpgacc trace -o facts.yaml -- ./app",
        ));
    }
    if !merge.is_empty() && !program.is_empty() {
        return Err(Diagnostic::error("--merge joins files and runs no program"));
    }
    let Some(output) = matches.get_one::<PathBuf>("output") else {
        return Err(Diagnostic::error("no file is named for the facts")
            .help("fpgacc trace -o facts.yaml -- ./app"));
    };
    Ok(Plan {
        output: output.clone(),
        append: matches.get_flag("append"),
        merge,
        program,
        asked: Asked {
            counts: matches.get_flag("trip-counts"),
            accesses: matches.get_flag("accesses"),
        },
        quiet: matches.get_flag("quiet"),
    })
}

/// Facts of an earlier trace.
fn read(path: &Path) -> Result<Facts, Diagnostic> {
    let facts = facts_file::read(path)?;
    match facts.recording {
        Some(_) => Ok(facts),
        None => Err(Diagnostic::error(format!(
            "{}: these facts were not recorded",
            path.display()
        ))
        .help("only facts of `fpgacc trace` can be joined with others")),
    }
}

fn merge(plan: &Plan) -> Result<ExitCode, Diagnostic> {
    let mut facts = Facts::default();
    for path in &plan.merge {
        let more = read(path)?;
        if !facts.programs.is_empty() && !widen::is_same_program(&facts, &more) {
            return Err(other_program(path));
        }
        widen::add(&mut facts, more);
    }
    write(&plan.output, &mut facts)?;
    Ok(ExitCode::SUCCESS)
}

fn other_program(path: &Path) -> Diagnostic {
    let name = path.display();
    Diagnostic::error(format!("{name}: facts of another program"))
        .note("the programs have no kernel text in common")
        .help("keep the facts of each program in a file of its own")
}

fn trace(plan: &Plan, messages: &mut Messages) -> Result<ExitCode, Diagnostic> {
    let before = match plan.append && plan.output.exists() {
        true => Some(read(&plan.output)?),
        false => None,
    };
    // What cannot be written is said before the program runs, which may take long.
    if !output::is_special(&plan.output) {
        drop(Staged::new(&plan.output).map_err(Diagnostic::because)?);
    }
    let folder = Scratch::new().map_err(Diagnostic::because)?;
    let layer = layer(folder.path())?;
    let status = run_program(plan, &layer, folder.path())?;
    let texts = Texts::below(Path::new("."));
    let mut facts = Facts::default();
    for record in records(folder.path())? {
        widen::add(&mut facts, convert::facts(&record, &texts));
    }
    if facts.programs.is_empty() && facts.launches.is_empty() {
        return Err(nothing_seen(folder.path(), status));
    }
    plan.check_kernels(&facts)?;
    facts.recording.get_or_insert_default().runs = 1;
    let (launches, kernels) = (count_launches(&facts), count_kernels(&facts));
    if let Some(mut before) = before {
        if !widen::is_same_program(&before, &facts) {
            return Err(other_program(&plan.output));
        }
        widen::add(&mut before, facts);
        facts = before;
    }
    write(&plan.output, &mut facts)?;
    if let Some(warning) = lost(folder.path()) {
        messages.report(&warning, &SourceMap::new());
    }
    if !status.success() {
        messages.report(
            &Diagnostic::warning(format!("the program failed: {status}"))
                .note("the facts have what it did until then"),
            &SourceMap::new(),
        );
    }
    if !plan.quiet {
        let text = format!(
            "fpgacc: {}: {launches} launches of {kernels} kernels recorded",
            plan.output.display()
        );
        messages.pass_on(&text);
    }
    Ok(ExitCode::from(status.code() as u8))
}

fn count_launches(facts: &Facts) -> u64 {
    let recorded = facts.launches.iter().filter_map(|l| l.recorded.as_ref());
    recorded.map(|recorded| recorded.count).sum()
}

fn count_kernels(facts: &Facts) -> usize {
    let names = facts.launches.iter().filter_map(|l| l.kernels.get());
    names
        .flatten()
        .collect::<std::collections::BTreeSet<_>>()
        .len()
}

/// The shared library that the ICD loader loads.
pub fn layer(folder: &Path) -> Result<PathBuf, Diagnostic> {
    let compiler = Compiler::find(Language::C).map_err(Diagnostic::because)?;
    let output = folder.join("fpgacc-trace.so");
    run::shared(&compiler, fpgacc_runtime::TRACE_SOURCES, &output)?;
    Ok(output)
}

/// The value of `OPENCL_LAYERS` with this layer before those that there are.
pub fn with_layer(layer: &Path) -> OsString {
    let mut layers = OsString::from(layer);
    if let Some(others) = std::env::var_os("OPENCL_LAYERS").filter(|others| !others.is_empty()) {
        layers.push(":");
        layers.push(others);
    }
    layers
}

fn run_program(plan: &Plan, layer: &Path, folder: &Path) -> Result<Status, Diagnostic> {
    let (program, args) = plan.program.split_first().expect("the plan has a program");
    let command = Command::new(program)
        .args(args.iter().cloned())
        .env("OPENCL_LAYERS", with_layer(layer))
        .env("FPGACC_TRACE_FOLDER", folder)
        // An executable that fpgacc made shall show its host's own launches.
        .env("FPGACC_ORIGINAL", "1");
    let command = match plan.asked.word() {
        Some(word) => command
            .env(
                "FPGACC_TRACE_COUNTS",
                std::env::current_exe().map_err(Diagnostic::because)?,
            )
            .env("FPGACC_TRACE_ASKED", word),
        None => command.env_remove("FPGACC_TRACE_COUNTS"),
    };
    let command = run::with_plain_texts(command);
    command.attached().map_err(Diagnostic::because)
}

/// What processes did that ended before it was written.
fn lost(folder: &Path) -> Option<Diagnostic> {
    let mut missing = 0;
    for path in paths(folder, "progress").unwrap_or_default() {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let mut counts = bytes
            .chunks_exact(8)
            .map(|count| u64::from_ne_bytes(count.try_into().expect("eight bytes")));
        let made = counts.next().unwrap_or(0);
        missing += made.saturating_sub(counts.next().unwrap_or(made));
    }
    let launches = match missing {
        0 => return None,
        1 => "the last launch is".to_string(),
        count => format!("the last {count} launches are"),
    };
    Some(
        Diagnostic::warning(format!("{launches} missing in the facts"))
            .note("the program ended by _exit, abort or a signal before they were written")
            .help("end it with exit(), or let it wait for a second after its launches"),
    )
}

/// The files of a folder with this suffix, in order.
fn paths(folder: &Path, suffix: &str) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(Diagnostic::because)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|own| own == suffix))
        .collect();
    paths.sort();
    Ok(paths)
}

/// Records of all processes that made OpenCL calls, in order of process number.
pub fn records(folder: &Path) -> Result<Vec<Record>, Diagnostic> {
    let mut records = Vec::new();
    for path in paths(folder, "json")? {
        let bytes = std::fs::read(&path).map_err(Diagnostic::because)?;
        match Record::parse(&bytes) {
            Some(record) => records.push(record),
            None => return Err(Diagnostic::error("the record of the run cannot be read")),
        }
    }
    Ok(records)
}

fn nothing_seen(folder: &Path, status: Status) -> Diagnostic {
    let was_loaded = records(folder).is_ok_and(|records| !records.is_empty());
    let diagnostic = Diagnostic::error(match was_loaded {
        true => "the program created no OpenCL program and launched no kernel",
        false => "no OpenCL call of the program was seen",
    });
    let diagnostic = match status.success() {
        true => diagnostic,
        false => diagnostic.note(format!("it failed: {status}")),
    };
    match was_loaded {
        true => diagnostic,
        false => diagnostic.help(
            "if it uses OpenCL: its ICD loader must know layers (ocl-icd 2.3, Khronos loader 2021 \
             or later); for one that is linked with a vendor's library, set LD_PRELOAD to the \
             system's libOpenCL.so.1",
        ),
    }
}

/// Writes the facts in the order of their positions.
fn write(path: &Path, facts: &mut Facts) -> Result<(), Diagnostic> {
    facts.programs.sort_by(|a, b| a.site.cmp(&b.site));
    facts.buffers.sort_by(|a, b| a.site.cmp(&b.site));
    facts.launches.sort_by(|a, b| a.site.cmp(&b.site));
    let text = serde_yaml::to_string(facts).map_err(Diagnostic::because)?;
    output::write(path, text.as_bytes(), Mode::Plain).map_err(Diagnostic::because)
}
