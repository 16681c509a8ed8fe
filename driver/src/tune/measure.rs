//! Measuring points: the user's own program, whose kernels' times a layer of the ICD loader takes from events.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fpgacc_aoc_wrappers::process::{Captured, Command, ProcessError};
use fpgacc_aoc_wrappers::scratch::Scratch;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_tuning::trial::{FailedStep, Failure, Measurement, Objective, median};

use super::build::last_words;
use crate::options::{Input, InputKind};
use crate::session::Session;
use crate::trace;
use crate::verify::numbers::Numbers;
use crate::verify::outcome::{Outcome, Traits};
use crate::verify::record::Record;
use crate::verify::run::{self, Kernels, Run};
use crate::verify::settle::{self, Settled};

/// What measures points.
pub struct Meter {
    layer: PathBuf,
    folder: Scratch,
    limit: Duration,
    /// Runs of each point.
    runs: usize,
    /// Element types of the program's buffers.
    numbers: Numbers,
    /// The names of the program's kernels, the longest first.
    kernels: Vec<String>,
    /// The device has a compiler, which builds the original kernels too. Boards have none: what the first variant reads
    /// back, which is the program as it is, is compared with there.
    has_original: bool,
    /// The executable of the program as it is.
    pub first: PathBuf,
    /// What is compared with, once it is known.
    original: Option<Run>,
}

/// One run.
struct Timed {
    kernels: BTreeMap<String, f64>,
    program: f64,
}

impl Timed {
    fn all(&self) -> f64 {
        self.kernels.values().sum()
    }
}

impl Meter {
    /// What measures points of a program with these kernels.
    ///
    /// # Errors
    /// The layer cannot be built.
    pub fn new(
        runs: usize,
        limit: Duration,
        has_original: bool,
        numbers: Numbers,
        kernels: Vec<String>,
    ) -> Result<Self, Diagnostic> {
        let folder = Scratch::new().map_err(Diagnostic::because)?;
        let layer = trace::layer(folder.path())?;
        let mut kernels = kernels;
        kernels.sort_by_key(|name| std::cmp::Reverse(name.len()));
        Ok(Meter {
            layer,
            folder,
            limit,
            runs,
            numbers,
            kernels,
            has_original,
            first: PathBuf::new(),
            original: None,
        })
    }

    /// Runs a point by turns with the original kernels, after a run of each that is compared and warms up.
    ///
    /// # Errors
    /// It fails, takes too long, or computes something else.
    pub fn measure(
        &mut self,
        session: &mut Session,
        executable: &Path,
        traits: Traits,
        facts: &Path,
    ) -> Result<Measurement, Failure> {
        self.compare(session, executable, traits, facts)?;
        let mut original = Vec::new();
        let mut own = Vec::new();
        for _ in 0..self.runs {
            if self.has_original {
                original.push(self.time(session, executable, Kernels::Original)?);
            }
            own.push(self.time(session, executable, Kernels::Rewritten)?);
        }
        let names: Vec<&String> = own.iter().flat_map(|run| run.kernels.keys()).collect();
        let of = |name: &String| {
            let seconds: Vec<f64> = own
                .iter()
                .filter_map(|run| run.kernels.get(name).copied())
                .collect();
            Some((name.clone(), median(&seconds)?))
        };
        Ok(Measurement {
            kernels: names.into_iter().filter_map(of).collect(),
            runs: own.iter().map(Timed::all).collect(),
            baseline: original.iter().map(Timed::all).collect(),
            program: own.iter().map(|run| run.program).collect(),
            area: None,
        })
    }

    /// Seconds of one run of a point, of its kernels or of the whole program.
    ///
    /// # Errors
    /// It fails or takes too long.
    pub fn run_once(
        &self,
        session: &Session,
        executable: &Path,
        objective: Objective,
    ) -> Result<f64, Failure> {
        let timed = self.time(session, executable, Kernels::Rewritten)?;
        Ok(match objective {
            Objective::Program => timed.program,
            _ => timed.all(),
        })
    }

    /// Runs the program once and takes its times.
    fn time(
        &self,
        session: &Session,
        executable: &Path,
        kernels: Kernels,
    ) -> Result<Timed, Failure> {
        let folder = Scratch::beside(self.folder.path()).map_err(|error| Failure {
            step: FailedStep::Run,
            why: error.to_string(),
        })?;
        let command = run::command(session, executable, kernels)
            .env("OPENCL_LAYERS", trace::with_layer(&self.layer))
            .env("FPGACC_TRACE_FOLDER", folder.path())
            .env_remove("FPGACC_TRACE_COUNTS");
        let start = Instant::now();
        self.run(command)?;
        let program = start.elapsed().as_secs_f64();
        let records = trace::records(folder.path()).map_err(|error| Failure {
            step: FailedStep::Run,
            why: error.message,
        })?;
        if records.is_empty() {
            return Err(Failure {
                step: FailedStep::Run,
                why:
                    "no OpenCL call of it was seen: its ICD loader must know layers (ocl-icd 2.3, \
                      Khronos loader 2021 or later; that of CUDA does not)"
                        .to_string(),
            });
        }
        let mut times = BTreeMap::new();
        for launch in records.iter().flat_map(|record| &record.launches) {
            let seconds = launch.time.map_or(0.0, |time| time.total_ns as f64 * 1e-9);
            *times.entry(self.kernel(&launch.kernel)).or_insert(0.0) += seconds;
        }
        let timed = Timed {
            kernels: times,
            program,
        };
        match timed.all() > 0.0 {
            true => Ok(timed),
            false => Err(Failure {
                step: FailedStep::Run,
                why: "the device reports no times of kernels".to_string(),
            }),
        }
    }

    /// The kernel that a version is of.
    fn kernel(&self, version: &str) -> String {
        let found = self
            .kernels
            .iter()
            .find(|name| version.starts_with(name.as_str()));
        found.cloned().unwrap_or_else(|| version.to_string())
    }

    fn run(&self, command: Command) -> Result<Captured, Failure> {
        let failure = |step, why: String| Failure { step, why };
        let captured = command
            .limit(self.limit)
            .capture()
            .map_err(|error| match error {
                ProcessError::TimedOut { .. } => failure(FailedStep::Time, error.to_string()),
                _ => failure(FailedStep::Run, error.to_string()),
            })?;
        match captured.status.success() {
            true => Ok(captured),
            false => {
                let log = captured.stderr_text();
                let why = format!("{}: {}", captured.status, last_words(&log));
                Err(failure(FailedStep::Run, why))
            }
        }
    }

    /// Runs it and keeps what it reads back.
    fn recorded(
        &self,
        session: &Session,
        executable: &Path,
        kernels: Kernels,
    ) -> Result<Run, Failure> {
        let failure = |why: String| Failure {
            step: FailedStep::Run,
            why,
        };
        let folder =
            Scratch::beside(self.folder.path()).map_err(|error| failure(error.to_string()))?;
        let file = folder.path().join("record");
        let command =
            run::command(session, executable, kernels).env("FPGACC_RECORD", file.as_os_str());
        let captured = self.run(command)?;
        let bytes = std::fs::read(&file).unwrap_or_default();
        let record =
            Record::parse(bytes).ok_or_else(|| failure("its record breaks off".to_string()))?;
        Ok(Run { captured, record })
    }

    /// Compares what a point and the original kernels read back.
    fn compare(
        &mut self,
        session: &mut Session,
        executable: &Path,
        traits: Traits,
        facts: &Path,
    ) -> Result<(), Failure> {
        if self.original.is_none() {
            let run = match self.has_original {
                true => self.recorded(session, executable, Kernels::Original),
                false => self.recorded(session, &self.first, Kernels::Rewritten),
            };
            self.original = Some(run?);
        }
        let mut own = self.recorded(session, executable, Kernels::Rewritten)?;
        own.record.resolve(&self.numbers);
        let original = self.original.as_ref().expect("it was made");
        let outcome = Outcome::of(original, &own, traits);
        if outcome.is_same() {
            return Ok(());
        }
        if !self.has_original {
            return Err(other_results());
        }
        // Rounding differs where a compiler joins operations in the one kernel and not in the other.
        session.options.inputs.push(Input::File {
            path: facts.to_path_buf(),
            kind: InputKind::Facts,
        });
        let settled = settle::settle(session, executable, &outcome, original, &own);
        session.options.inputs.pop();
        match settled {
            Some(Settled::Contraction(_) | Settled::Functions(_) | Settled::Rounding(_)) => Ok(()),
            _ => Err(other_results()),
        }
    }
}

fn other_results() -> Failure {
    Failure {
        step: FailedStep::Results,
        why: "it does not compute what the original computes".to_string(),
    }
}
