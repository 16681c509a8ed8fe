//! A kernel that once failed, or fails: a job, and what is to be done with it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::constant_memory;
use serde::{Deserialize, Serialize};

use crate::job::Job;
use crate::judge::{Original, Verdict, first_complaint};
use crate::rewrite::{Knowledge, RewriteError, Rewrites, Rewritten, rewrite};
use crate::run::{Output, Platform, RunError, run_once, run_within};

/// A job and how its kernels are rewritten. A file: YAML, with the text in a `.cl` file beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What was wrong, in a sentence.
    pub what: String,
    /// Where it was seen.
    pub platform: Platform,
    /// What the passes know of the launches.
    pub knowledge: Knowledge,
    /// Which passes run.
    #[serde(with = "serde_yaml::with::singleton_map")]
    pub rewrites: Rewrites,
    /// What is run; its text is in the file beside.
    #[serde(with = "serde_yaml::with::singleton_map_recursive")]
    pub job: Job,
}

impl Case {
    /// Reads `NAME.yaml` and `NAME.cl`.
    ///
    /// # Errors
    /// A file is missing or wrong.
    pub fn read(path: &Path) -> Result<Self, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
        let mut case: Case = serde_yaml::from_str(&text).map_err(|e| wrong(&e))?;
        let source = std::fs::read_to_string(path.with_extension("cl"));
        case.job.source = source.map_err(|e| wrong(&e))?;
        Ok(case)
    }

    /// Writes `NAME.yaml` and `NAME.cl`.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut case = self.clone();
        case.job.source = String::new();
        let text = serde_yaml::to_string(&case).map_err(|e| wrong(&e))?;
        std::fs::write(path, text).map_err(|e| wrong(&e))?;
        std::fs::write(path.with_extension("cl"), &self.job.source).map_err(|e| wrong(&e))
    }

    /// The job's kernels rewritten.
    ///
    /// # Errors
    /// See [`RewriteError`]; a panic is a message too.
    pub fn rewritten(&self) -> Result<Rewritten, RewriteError> {
        rewrite_safely(&self.job, |_| self.knowledge, &self.rewrites)
    }

    /// What is wrong with the rewritten job, if anything is: under Oclgrind and on these platforms.
    ///
    /// # Errors
    /// The job itself is not legal.
    pub fn fault(&self, platforms: &[Platform]) -> Result<Option<String>, String> {
        let original = Original::run(&self.job, platforms)?;
        let rewritten = match self.rewritten() {
            Ok(rewritten) => rewritten,
            Err(RewriteError::Text(text)) => return Err(text),
            Err(error) => return Ok(Some(error.to_string())),
        };
        let buffers: Vec<usize> = (0..self.job.buffers.len()).collect();
        let mut all = vec![Platform::Oclgrind];
        all.extend(platforms.iter().filter(|p| **p != Platform::Oclgrind));
        for platform in all {
            let after = run_cleanly(&rewritten.job, platform);
            if let Verdict::Wrong(what) = original.judge(platform, &after, &buffers) {
                return Ok(Some(format!("on {platform:?}: {what}")));
            }
        }
        Ok(None)
    }
}

/// [`rewrite`] where a panic is an error.
///
/// # Errors
/// See [`RewriteError`].
pub fn rewrite_safely(
    job: &Job,
    knowledge: impl Fn(&str) -> Knowledge,
    rewrites: &Rewrites,
) -> Result<Rewritten, RewriteError> {
    // Some kernels of a program have launches that the passes do not know: the size of its constant
    // memory, on which only speed depends, is not known.
    let mut options = PassOptions::default();
    options.of_mut::<constant_memory::Options>().cache = None;
    let made = catch_unwind(AssertUnwindSafe(|| {
        rewrite(job, knowledge, rewrites, &options)
    }));
    made.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = format!("panic: {}", text.unwrap_or("without a message"));
        Err(RewriteError::Invalid(text))
    })
}

/// Runs a job; what Oclgrind complains of is an error. Generated kernels are done at once, unless they
/// never are; machines may be busy.
///
/// # Errors
/// It does not run, or not cleanly.
pub fn run_cleanly(job: &Job, platform: Platform) -> Result<Output, String> {
    clean(run_once(job, platform, Duration::from_secs(300)))
}

/// [`run_cleanly`] for candidates that are likely never to end.
///
/// # Errors
/// It does not run, or not cleanly.
pub fn run_impatiently(job: &Job, platform: Platform) -> Result<Output, String> {
    let seconds = match platform {
        Platform::Oclgrind => 15,
        Platform::Intel | Platform::Pocl | Platform::Nvidia => 60,
    };
    clean(run_within(job, platform, Duration::from_secs(seconds)))
}

fn clean(ran: Result<Output, RunError>) -> Result<Output, String> {
    let output = ran.map_err(|error| error.to_string())?;
    match output.complaints.trim().is_empty() {
        true => Ok(output),
        false => Err(first_complaint(&output.complaints)),
    }
}
