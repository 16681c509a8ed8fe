//! `fpgacc check`: what launches waste on a GPU, as messages, as JSON and as SARIF.
//!
//! [`fpgacc_gpu_model::check`] finds it; [`words`] tells it, [`data`] lays it out for machines.

mod data;
mod words;

use std::process::ExitCode;

use clap::ArgMatches;
use fpgacc_frontend::diag::{Color, Diagnostic, render};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_gpu_model::check::{Findings, Thresholds, check};
use fpgacc_gpu_model::device::Device;
use fpgacc_launch_facts::Launch;

use crate::compiled::Compiled;
use crate::messages::{self, Messages};
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
    let mut options = match Options::from_matches(matches, false) {
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

/// A kernel and what is found of it.
struct Checked<'a> {
    module: &'a Module,
    kernel: FunctionId,
    launches: Vec<&'a Launch>,
    findings: Findings,
}

fn run(session: &mut Session, matches: &ArgMatches) -> Step<()> {
    session.check_inputs()?;
    let named: Vec<_> = session.options.output.iter().cloned().collect();
    session.may_write(&named)?;
    let named = matches.get_one::<String>("device");
    let device = gpu::device(session, named.map_or(DEFAULT_DEVICE, String::as_str))?;
    let gathered = gather::read_sources(session)?;
    let hosts = facts::of(session, &gathered)?;
    let compiled = rewriting::with(session, &gathered, &hosts)?.compiled;
    let given = gathered
        .given
        .iter()
        .filter(|one| recorded::is_recorded(one));
    let runs: Vec<Launch> = given.flat_map(|one| one.launches.clone()).collect();
    let scene = Scene {
        analysed: &hosts.facts.launches,
        runs: &runs,
        device: &device,
        thresholds: thresholds(matches),
    };
    let checked = scene.all(&compiled);
    if checked.is_empty() {
        let error = Diagnostic::error("there is no kernel to check");
        return session
            .fail(error.help("give it what the build gets: fpgacc check host.c kernels.cl"));
    }
    let layout = match (matches.get_flag("json"), matches.get_flag("sarif")) {
        (true, _) => Layout::Json,
        (_, true) => Layout::Sarif,
        _ if session.options.output.is_some() => Layout::Text(Color::Never),
        _ => Layout::Text(messages::color_of_output(
            matches.get_one::<String>("color").map(String::as_str),
        )),
    };
    let text = laid_out(session, &checked, &device, layout)?;
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
    analysed: &'a [Launch],
    /// What runs showed.
    runs: &'a [Launch],
    device: &'a Device,
    thresholds: Thresholds,
}

impl<'a> Scene<'a> {
    fn all(&self, compiled: &'a [Compiled]) -> Vec<Checked<'a>> {
        let modules = compiled
            .iter()
            .filter_map(|one| one.rewritten.parsed.as_ref());
        let kernels =
            modules.flat_map(|module| module.kernels().map(move |kernel| (module, kernel)));
        let checked = kernels.map(|(module, kernel)| {
            let launches = self.launches(&module.functions[kernel].name);
            Checked {
                module,
                kernel,
                findings: check(module, kernel, &launches, self.device, &self.thresholds),
                launches,
            }
        });
        checked.collect()
    }

    /// The launches of a kernel: those of runs, where there are some.
    fn launches(&self, name: &str) -> Vec<&'a Launch> {
        let named = |launch: &&Launch| {
            let names = launch.kernels.get();
            names.is_some_and(|names| names.iter().any(|one| one == name))
        };
        let runs: Vec<&Launch> = self.runs.iter().filter(named).collect();
        match runs.is_empty() {
            true => self.analysed.iter().filter(named).collect(),
            false => runs,
        }
    }
}

fn laid_out(
    session: &mut Session,
    checked: &[Checked],
    device: &Device,
    layout: Layout,
) -> Step<String> {
    match layout {
        Layout::Json => {
            let text =
                serde_json::to_string_pretty(&data::report(checked, device, &session.sources));
            let text = session.check(text)?;
            Ok(format!("{text}\n"))
        }
        Layout::Sarif => {
            let all: Vec<Diagnostic> = checked
                .iter()
                .flat_map(|one| words::warnings(one, session))
                .collect();
            Ok(messages::sarif(&all, &session.sources))
        }
        Layout::Text(color) => {
            let mut text = String::new();
            for one in checked {
                for warning in words::warnings(one, session) {
                    text.push_str(&render(&warning, &session.sources, color));
                }
                text.push_str(&words::summary(one));
            }
            Ok(text)
        }
    }
}
