//! Building points: each is built by a process of its own, which is this program again, here or on a cluster.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fpgacc_aoc_wrappers::process::{Command, ProcessError};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::{Facts, Tuned};
use fpgacc_tuning::trial::{FailedStep, Failure};

use super::folder::cannot;
use crate::link;
use crate::options::{Input, InputKind, Mode};
use crate::session::{Session, Step};

/// The facts of a point, which its build consumes.
const FACTS: &str = "tuned.yaml";
/// What is there once a build has ended well.
const BUILT: &str = "built";
/// The executable.
const EXECUTABLE: &str = "app";
/// What a build said.
pub const LOG: &str = "log";

/// A point to be built.
pub struct Job {
    /// Its folder.
    pub folder: PathBuf,
    /// Its variants.
    pub tuned: Tuned,
}

impl Job {
    /// Its executable.
    pub fn executable(&self) -> PathBuf {
        self.folder.join(EXECUTABLE)
    }

    /// Its facts.
    pub fn facts(&self) -> PathBuf {
        self.folder.join(FACTS)
    }

    /// Whether it was built before.
    pub fn is_built(&self) -> bool {
        self.folder.join(BUILT).exists()
    }

    /// Makes the folder with what the build needs.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn prepare(&self) -> Result<(), Diagnostic> {
        let facts = Facts {
            tuned: vec![self.tuned.clone()],
            ..Facts::default()
        };
        let text = serde_yaml::to_string(&facts).map_err(Diagnostic::because)?;
        let made = fs::create_dir_all(&self.folder);
        let made = made.and_then(|()| fs::write(self.folder.join(FACTS), text));
        made.map_err(|error| cannot("make", &self.folder, &error))
    }

    /// The command that builds it: `words` are those of this program before `--`.
    pub fn command(&self, words: &[String]) -> Result<Command, Diagnostic> {
        let program = std::env::current_exe().map_err(Diagnostic::because)?;
        let mut build = OsString::from("--build=");
        build.push(&self.folder);
        Ok(Command::new(program).args(words.iter().cloned()).arg(build))
    }

    /// Builds it here.
    fn run(&self, words: &[String], limit: Duration) -> Result<(), Failure> {
        let failure = |step, why: String| Failure { step, why };
        let command = self.command(words);
        let command = command.map_err(|error| failure(FailedStep::Build, error.message))?;
        match command.limit(limit).capture() {
            Ok(captured) => {
                let log = [captured.stdout_text(), captured.stderr_text()].concat();
                // A log that cannot be kept is no reason to fail.
                let _ = fs::write(self.folder.join(LOG), &log);
                match captured.status.success() && self.is_built() {
                    true => Ok(()),
                    false => Err(failure(FailedStep::Build, last_words(&log))),
                }
            }
            Err(error @ ProcessError::TimedOut { .. }) => {
                Err(failure(FailedStep::Time, error.to_string()))
            }
            Err(error) => Err(failure(FailedStep::Build, error.to_string())),
        }
    }
}

/// What a log says that matters: its first error, or its end.
pub fn last_words(log: &str) -> String {
    let mut lines = log.lines().filter(|line| !line.trim().is_empty());
    let error = lines.clone().find(|line| line.contains("error"));
    error
        .or_else(|| lines.next_back())
        .unwrap_or("no message")
        .to_string()
}

/// Builds points, so many at a time; their failures, in order.
pub fn all(
    jobs: &[Job],
    words: &[String],
    at_a_time: usize,
    limit: Duration,
) -> Vec<Option<Failure>> {
    let mut results: Vec<Option<Failure>> = jobs.iter().map(|_| None).collect();
    let next = AtomicUsize::new(0);
    let slots: Vec<std::sync::Mutex<&mut Option<Failure>>> =
        results.iter_mut().map(std::sync::Mutex::new).collect();
    std::thread::scope(|scope| {
        for _ in 0..at_a_time.min(jobs.len()) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let at = jobs
                        .iter()
                        .position(|one| std::ptr::eq(one, job))
                        .expect("one of them");
                    if !job.is_built()
                        && let Ok(mut slot) = slots[at].lock()
                    {
                        **slot = job.run(words, limit).err();
                    }
                }
            });
        }
    });
    drop(slots);
    results
}

/// The part of the process that builds the point in a folder.
pub fn child(session: &mut Session, folder: &Path) -> Step<()> {
    session.options.mode = Mode::Link;
    // A point that does not take the launches is no point.
    session.options.as_on_board = true;
    session.options.inputs.push(Input::File {
        path: folder.join(FACTS),
        kind: InputKind::Facts,
    });
    let output = folder.join(EXECUTABLE);
    session.options.output = Some(output.clone());
    // For what is compared: the element types of buffers and the lines of calls.
    session.options.host_flags.insert(0, "-g".into());
    link::build(session, &output)?;
    let marked = fs::write(folder.join(BUILT), "");
    session.check(marked)
}
