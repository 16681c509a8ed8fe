//! Running a job on an OpenCL implementation, in a process of its own.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_aoc_wrappers::emulator::{Emulator, EmulatorError};
use fpgacc_aoc_wrappers::process::{Command, ProcessError};

use crate::job::Job;
pub use crate::platform::Platform;
use crate::worker::{ANSWER, FOLDER, LOG, QUESTION, Question};

/// Oclgrind as an ICD.
const OCLGRIND: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

/// NVIDIA's driver as an ICD; the loader finds it.
const NVIDIA: &str = "libnvidia-opencl.so.1";

/// Of clBuildProgram.
pub const NO_OPTIMISATION: &str = "-cl-opt-disable";

/// What a job leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Each buffer after the last launch.
    pub buffers: Vec<Vec<u8>>,
    /// What Oclgrind complains of; empty on other platforms.
    pub complaints: String,
    /// What the kernels print.
    pub printed: String,
}

/// A job that did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The implementation is not installed.
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
    /// Oclgrind is not installed.
    #[error("cannot find {OCLGRIND}: install the Debian package `oclgrind`")]
    NoOclgrind,
    /// The worker is not built.
    #[error("cannot find `fpgacc-diff` near {}: build it with `cargo build -p fpgacc-tests`", .0.display())]
    NoWorker(PathBuf),
    /// The worker took too long.
    #[error(
        "on {platform:?}: building and running did not end within {} s: a kernel never ends, or the machine is overloaded",
        .limit.as_secs()
    )]
    TimedOut {
        /// Where.
        platform: Platform,
        /// How long it was given.
        limit: Duration,
    },
    /// The worker could not be run.
    #[error("on {platform:?}: {error}")]
    Process {
        /// Where.
        platform: Platform,
        /// Why.
        error: ProcessError,
    },
    /// The exchange of files failed.
    #[error("cannot use a temporary file: {0}")]
    Io(#[from] std::io::Error),
    /// The program does not build, a launch fails, or the implementation crashes.
    #[error("on {platform:?}: {message}")]
    Failed {
        /// Where.
        platform: Platform,
        /// Why.
        message: String,
    },
}

/// How many jobs are remembered: campaigns that start from the same programs run side by side.
const REMEMBERED: usize = 128;

/// The jobs that ran last, as text, and what came out.
static LAST: Mutex<VecDeque<(Platform, String, Output)>> = Mutex::new(VecDeque::new());

/// Runs a job, unless it ran just now: one original is compared with many rewrites, of which some are the
/// same.
///
/// # Errors
/// If it does not build or run, or the platform is missing. Writing beyond a buffer's end is an
/// error too, as far as it hits the bytes next to it.
pub fn run(job: &Job, platform: Platform) -> Result<Output, RunError> {
    run_once(job, platform, platform.limit())
}

/// [`run`] with a limit of time.
///
/// # Errors
/// See [`run`].
pub fn run_once(job: &Job, platform: Platform, limit: Duration) -> Result<Output, RunError> {
    let text = serde_json::to_string(job).map_err(std::io::Error::from)?;
    let is_it = |(on, of, _): &&(Platform, String, Output)| *on == platform && *of == text;
    let known = last()
        .iter()
        .find(is_it)
        .map(|(_, _, output)| output.clone());
    if let Some(output) = known {
        return Ok(output);
    }
    let output = run_within(job, platform, limit)?;
    let mut last = last();
    last.truncate(REMEMBERED - 1);
    last.push_front((platform, text, output.clone()));
    Ok(output)
}

fn last() -> MutexGuard<'static, VecDeque<(Platform, String, Output)>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a job, whether or not it ran just now, with a limit of time.
///
/// # Errors
/// See [`run`].
pub fn run_within(job: &Job, platform: Platform, limit: Duration) -> Result<Output, RunError> {
    run_with(job, platform, limit, &[])
}

/// A part of an implementation that can be switched, mostly off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// PoCL: copy regions between barriers for each work-item, instead of loops around them.
    NoWorkItemLoops,
    /// Intel: one work-item at a time.
    NoVectoriser,
    /// Oclgrind: complain of values that nobody has set, too.
    Uninitialised,
}

impl Setting {
    fn apply(self, command: Command, folder: &Path) -> Command {
        match self {
            // PoCL looks kernels up in its cache without regard to this.
            Setting::NoWorkItemLoops => command
                .env("POCL_WORK_GROUP_METHOD", "workitemrepl")
                .env("POCL_CACHE_DIR", folder.join("cache")),
            Setting::NoVectoriser => command.env("CL_CONFIG_CPU_VECTORIZER_MODE", "1"),
            Setting::Uninitialised => command.env("OCLGRIND_UNINITIALIZED", "1"),
        }
    }
}

/// [`run_within`] with parts of the implementation switched.
///
/// # Errors
/// See [`run`].
pub fn run_with(
    job: &Job,
    platform: Platform,
    limit: Duration,
    settings: &[Setting],
) -> Result<Output, RunError> {
    let folder = tempfile::Builder::new().prefix("fpgacc-").tempdir()?;
    let mut job = job.clone();
    // Optimised, a `switch` may be one over integers of two bits, which Oclgrind gets wrong.
    if platform == Platform::Oclgrind && !job.options.contains(NO_OPTIMISATION) {
        job.options = format!("{} {NO_OPTIMISATION}", job.options)
            .trim()
            .to_string();
    }
    let buffers = job.buffers.len();
    let question = Question {
        platform: platform.name().to_string(),
        guarded: platform != Platform::Oclgrind,
        job,
    };
    let text = serde_json::to_vec(&question).map_err(std::io::Error::from)?;
    fs::write(folder.path().join(QUESTION), text)?;
    // PoCL writes what it stumbles over into the current folder.
    let command = Command::new(worker()?)
        .env(FOLDER, folder.path())
        .dir(folder.path())
        .limit(limit);
    let command = with_platform(command, platform, folder.path())?;
    let apply = |command, setting: &Setting| setting.apply(command, folder.path());
    let captured = settings
        .iter()
        .fold(command, apply)
        .capture()
        .map_err(|error| match error {
            ProcessError::TimedOut { limit, .. } => RunError::TimedOut { platform, limit },
            error => RunError::Process { platform, error },
        })?;
    let failed = |message| Err(RunError::Failed { platform, message });
    let Ok(answer) = fs::read_to_string(folder.path().join(ANSWER)) else {
        let wrote = captured.stdout_text() + &captured.stderr_text();
        return failed(format!(
            "the process ended with {}\n{wrote}",
            captured.status
        ));
    };
    if !answer.is_empty() {
        return failed(answer);
    }
    let buffers = (0..buffers)
        .map(|index| fs::read(folder.path().join(format!("buffer{index}"))))
        .collect::<Result<_, _>>()?;
    Ok(Output {
        buffers,
        complaints: fs::read_to_string(folder.path().join(LOG)).unwrap_or_default(),
        printed: captured.stdout_text(),
    })
}

/// The variables that choose an implementation; the ICD loader reads them before its first use.
fn with_platform(command: Command, platform: Platform, folder: &Path) -> Result<Command, RunError> {
    let library = match platform {
        Platform::Intel => Emulator::find_intel()?.library().to_path_buf(),
        Platform::Pocl => Emulator::find_pocl()?.library().to_path_buf(),
        Platform::Oclgrind if Path::new(OCLGRIND).is_file() => PathBuf::from(OCLGRIND),
        Platform::Oclgrind => return Err(RunError::NoOclgrind),
        Platform::Nvidia => PathBuf::from(NVIDIA),
    };
    let vendors = folder.join("vendors");
    fs::create_dir(&vendors)?;
    let line = format!("{}\n", library.display());
    fs::write(vendors.join("one.icd"), line)?;
    let command = command
        .env("OCL_ICD_VENDORS", vendors)
        .env("OCL_ICD_FILENAMES", library);
    Ok(match platform {
        Platform::Intel => command.envs(cpu_target()),
        Platform::Pocl | Platform::Nvidia => command,
        // It would start a thread for each processor, which wait for each other more than they do.
        Platform::Oclgrind => command
            .env("OCLGRIND_NUM_THREADS", "1")
            .env("OCLGRIND_DATA_RACES", "1")
            .env("OCLGRIND_MAX_ERRORS", "20")
            // As much as the tiles of FPGAs take, which the others have; it has 32 KiB.
            .env("OCLGRIND_LOCAL_MEM_SIZE", (256 << 10).to_string())
            .env("OCLGRIND_LOG", folder.join(LOG)),
    })
}

/// The worker lies beside the project's other programs; tests lie one folder below.
fn worker() -> Result<PathBuf, RunError> {
    let own = std::env::current_exe()?;
    own.ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("fpgacc-diff"))
        .find(|path| path.is_file())
        .ok_or(RunError::NoWorker(own))
}
