//! `fpgacc check`: what launches waste on a GPU or a board, as messages, as JSON and as SARIF.
//!
//! [`fpgacc_gpu_model::check`] finds it; [`describe`] puts it as text, [`data`] lays it out for machines. Of boards,
//! [`board`] does all that.

mod board;
mod checked;
mod data;
mod describe;
mod places;

use std::path::Path;
use std::process::ExitCode;

use clap::ArgMatches;
use fpgacc_frontend::diag::{Color, Diagnostic};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::SourceMap;
use fpgacc_gpu_model::check::{Thresholds, What, check};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::recorded::Seen;
use fpgacc_launch_facts::{Facts, Launch};
use fpgacc_performance_model::Board;
use serde::Serialize;

use self::board::OnBoard;
use self::checked::Checked;
pub use self::data::OnGpu;
use crate::compiled::Compiled;
use crate::gather::Gathered;
use crate::messages::{self, Messages};
use crate::no_kernel::{self, Look};
use crate::options::Options;
use crate::session::{Session, Step};
use crate::{FAILED, MISUSED, build_command, cli, facts, gather, gpu, recorded, rewriting};

/// How findings are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Text(Color),
    Json,
    Sarif,
}

/// The device that is meant where none is named.
const DEFAULT_DEVICE: &str = "warp32";

/// Runs `fpgacc check ..`; `words` starts with `check`.
pub fn command(words: &[String], mut messages: Messages) -> ExitCode {
    let given = match build_command::read(words.to_vec(), cli::check_command, &mut messages) {
        Ok(given) => given,
        Err(code) => return code,
    };
    let matches = &given.matches;
    let mut options = match Options::of_command(matches, "check") {
        Ok(options) => options,
        Err(error) => return crate::fail(&mut messages, error, MISUSED),
    };
    options.also_read.extend(given.files);
    // Kernels are looked at as they are written.
    options.pipeline.level = 0;
    options.pipeline.switches.clear();
    messages.configure(&options);
    let mut session = Session::new(options, messages);
    match run(&mut session, matches) {
        Ok(()) if session.messages.errors() == 0 => ExitCode::SUCCESS,
        _ => ExitCode::from(FAILED),
    }
}

/// What is checked for.
enum Machine {
    Gpu(Box<Device>),
    Board(Box<Board>),
}

/// The GPU or board that is named, or that a file describes.
fn machine(session: &mut Session, name: &str) -> Step<Machine> {
    if let Some(board) = Board::named(name) {
        return Ok(Machine::Board(Box::new(board)));
    }
    if name.ends_with(".yaml") || name.ends_with(".yml") {
        let text = session.read(Path::new(name))?;
        if let Ok(board) = Board::from_yaml(&String::from_utf8_lossy(&text)) {
            return Ok(Machine::Board(Box::new(board)));
        }
    }
    let boards: Vec<&str> = Board::names().collect();
    let device = gpu::device(session, name, &boards)?;
    Ok(Machine::Gpu(Box::new(device)))
}

fn run(session: &mut Session, matches: &ArgMatches) -> Step<()> {
    session.check_inputs()?;
    let named: Vec<_> = session.options.output.iter().cloned().collect();
    session.may_write(&named)?;
    let named = matches.get_one::<String>("device");
    let machine = machine(session, named.map_or(DEFAULT_DEVICE, String::as_str))?;
    let gathered = gather::read_sources(session)?;
    let hosts = facts::of(session, &gathered)?;
    let compiled = rewriting::to_look_at(session, &gathered, &hosts)?;
    let scene = Scene {
        launches: Launches::of(&hosts.facts, &gathered),
        thresholds: thresholds(matches),
    };
    if scene.kernels(&compiled).next().is_none() {
        let unread = compiled.iter().find(|one| one.rewritten.parsed.is_none());
        let unread = unread.map(|one| one.program.name());
        let error = no_kernel::found(Look::Check, &session.options, unread.as_deref());
        return session.fail(error);
    }
    let layout = match (matches.get_flag("json"), matches.get_flag("sarif")) {
        (true, _) => Layout::Json,
        (_, true) => Layout::Sarif,
        _ if session.options.output.is_some() => Layout::Text(Color::Never),
        _ => Layout::Text(messages::color_of_output(
            matches.get_one::<String>("color").map(String::as_str),
        )),
    };
    let text = match &machine {
        Machine::Gpu(device) => {
            let checked = scene.on_gpu(&compiled, device, &session.sources);
            let report = data::report(&checked, device, &session.sources);
            let kernels = checked.iter();
            let kernels =
                kernels.map(|one| (describe::warnings(one, session), describe::summary(one)));
            laid_out(session, &report, kernels.collect(), layout)?
        }
        Machine::Board(board) => {
            let checked = scene.on_board(&compiled, board, &session.sources);
            let report = board::report(&checked, board, &session.sources);
            let kernels = checked.iter();
            let kernels =
                kernels.map(|one| (one.warnings(board, &session.sources), one.summary(board)));
            laid_out(session, &report, kernels.collect(), layout)?
        }
    };
    session.write_text(&text)
}

fn thresholds(matches: &ArgMatches) -> Thresholds {
    let number = |name: &str| matches.get_one::<f64>(name).copied();
    let usual = Thresholds::default();
    Thresholds {
        sectors: number("waste-ratio").unwrap_or(usual.sectors),
        traffic: number("waste-share").map_or(usual.traffic, |percent| percent / 100.0),
        operations: number("idle-share").map_or(usual.operations, |percent| percent / 100.0),
    }
}

/// What kernels are checked with.
struct Scene<'a> {
    launches: Launches<'a>,
    thresholds: Thresholds,
}

/// The launches of kernels.
pub struct Launches<'a> {
    analysed: &'a [Launch],
    /// What runs showed.
    runs: Vec<&'a Launch>,
    recorded: Vec<&'a Facts>,
}

impl<'a> Launches<'a> {
    /// Those of the host's text and of the facts that are given.
    pub fn of(facts: &'a Facts, gathered: &'a Gathered) -> Self {
        let given = gathered.given.iter();
        let recorded: Vec<&Facts> = given.filter(|one| recorded::is_recorded(one)).collect();
        Launches {
            analysed: &facts.launches,
            runs: recorded.iter().flat_map(|one| &one.launches).collect(),
            recorded,
        }
    }

    fn check(
        &self,
        module: &'a Module,
        kernel: FunctionId,
        (device, thresholds): (&Device, &Thresholds),
        sources: &SourceMap,
    ) -> Checked<'a> {
        let name = &module.functions[kernel].name;
        let launches = self.of_kernel(name);
        let runs = self.seen(name, device, sources);
        Checked {
            module,
            kernel,
            findings: check(module, kernel, &launches, device, thresholds, &runs),
            launches,
        }
    }

    /// What runs showed of a kernel's accesses and branches.
    fn seen<'s>(&self, name: &str, device: &Device, sources: &'s SourceMap) -> Seen<'s>
    where
        'a: 's,
    {
        Seen::of(self.recorded.iter().copied(), name, device, sources)
    }

    /// The launches of a kernel: those of runs, where there are some.
    fn of_kernel(&self, name: &str) -> Vec<&'a Launch> {
        let named = |launch: &&Launch| {
            let names = launch.kernels.get();
            names.is_some_and(|names| names.iter().any(|one| one == name))
        };
        let runs: Vec<&Launch> = self.runs.iter().copied().filter(named).collect();
        match runs.is_empty() {
            true => self.analysed.iter().filter(named).collect(),
            false => runs,
        }
    }
}

/// What a kernel of a report wastes on a GPU of no particular kind.
pub fn of_kernel<'a>(
    module: &'a Module,
    kernel: FunctionId,
    launches: &Launches<'a>,
    sources: &SourceMap,
) -> OnGpu {
    let (device, checked) = on_any_gpu(module, kernel, launches, sources);
    data::on_gpu(&checked, &device, sources)
}

fn on_any_gpu<'a>(
    module: &'a Module,
    kernel: FunctionId,
    launches: &Launches<'a>,
    sources: &SourceMap,
) -> (Device, Checked<'a>) {
    let device = Device::named(DEFAULT_DEVICE).expect("it is built in");
    let checked = launches.check(module, kernel, (&device, &Thresholds::default()), sources);
    (device, checked)
}

impl<'a> Scene<'a> {
    fn kernels(&self, compiled: &'a [Compiled]) -> impl Iterator<Item = (&'a Module, FunctionId)> {
        let modules = compiled
            .iter()
            .filter_map(|one| one.rewritten.parsed.as_ref());
        modules.flat_map(|module| module.kernels().map(move |kernel| (module, kernel)))
    }

    fn on_gpu(
        &self,
        compiled: &'a [Compiled],
        device: &Device,
        sources: &SourceMap,
    ) -> Vec<Checked<'a>> {
        let meant = (device, &self.thresholds);
        self.kernels(compiled)
            .map(|(module, kernel)| self.launches.check(module, kernel, meant, sources))
            .collect()
    }

    fn on_board(
        &self,
        compiled: &'a [Compiled],
        board: &Board,
        sources: &SourceMap,
    ) -> Vec<OnBoard<'a>> {
        let checked = self.kernels(compiled).map(|(module, kernel)| {
            let launches = self.launches.of_kernel(&module.functions[kernel].name);
            let mut all = on_any_gpu(module, kernel, &self.launches, sources).1;
            let sites = &mut all.findings.sites;
            sites.retain(|site| matches!(site.what, What::MissedBarrier { .. }));
            let missed = std::mem::take(sites);
            board::check(module, kernel, &launches, board, &self.thresholds, missed)
        });
        checked.collect()
    }
}

/// The findings in a layout: the report of all of them, and of each kernel warnings and a summary.
fn laid_out(
    session: &mut Session,
    report: &impl Serialize,
    kernels: Vec<(Vec<Diagnostic>, String)>,
    layout: Layout,
) -> Step<String> {
    let wanted = |session: &Session, mut warnings: Vec<Diagnostic>| {
        warnings.retain(|warning| !session.messages.is_unwanted(warning));
        warnings
    };
    match layout {
        Layout::Json => {
            let text = session.check(serde_json::to_string_pretty(report))?;
            Ok(format!("{text}\n"))
        }
        Layout::Sarif => {
            let all = kernels.into_iter().flat_map(|(warnings, _)| warnings);
            let all = wanted(session, all.collect());
            Ok(messages::sarif(&all, &session.sources))
        }
        Layout::Text(color) => {
            let mut text = String::new();
            for (warnings, summary) in kernels {
                let warnings = wanted(session, warnings);
                text += &places::rendered(warnings, &session.sources, color);
                text.push_str(&summary);
            }
            Ok(text)
        }
    }
}
