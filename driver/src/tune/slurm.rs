//! Builds as an array of jobs of a Slurm cluster, whose nodes see the same files.
//!
//! Which job builds a point stands in the point's folder: a search that was ended waits for jobs that still run, in place of
//! starting them again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fpgacc_aoc_wrappers::process::Command;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_tuning::trial::{FailedStep, Failure};

use super::build::{Job, LOG, last_words};
use super::folder::cannot;
use super::progress::Progress;

/// The file that names the job that builds a point.
const JOB: &str = "slurm-job";
/// How long it takes at least and at most until the cluster is asked again.
const SOON: Duration = Duration::from_millis(500);
const LATE: Duration = Duration::from_secs(30);

/// Builds points on the cluster; their failures, in order.
///
/// # Errors
/// The cluster does not take the jobs.
pub fn all(
    jobs: &[Job],
    words: &[String],
    options: &str,
    progress: &Progress,
) -> Result<Vec<Option<Failure>>, Diagnostic> {
    let waiting = waiting()?;
    let runs = |job: &Job| job_of(job).is_some_and(|name| waiting.contains(&name));
    let new: Vec<&Job> = jobs
        .iter()
        .filter(|job| !job.is_built() && !runs(job))
        .collect();
    if !new.is_empty() {
        submit(&new, words, options)?;
    }
    let mut pause = SOON;
    loop {
        let waiting = self::waiting()?;
        let left = jobs
            .iter()
            .filter(|job| job_of(job).is_some_and(|name| waiting.contains(&name)));
        match left.count() {
            0 => break,
            left => progress.say(&format!(
                "{left} of {} jobs are waiting or running",
                jobs.len()
            )),
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LATE);
    }
    Ok(jobs.iter().map(failure).collect())
}

/// Why a point is not there, if it is not.
fn failure(job: &Job) -> Option<Failure> {
    if job.is_built() {
        return None;
    }
    let log = fs::read_to_string(job.folder.join(LOG)).unwrap_or_default();
    let name = job_of(job).unwrap_or_default();
    Some(Failure {
        step: FailedStep::Build,
        why: format!("job {name}: {}", last_words(&log)),
    })
}

/// The job that builds a point: `12_3`.
fn job_of(job: &Job) -> Option<String> {
    fs::read_to_string(job.folder.join(JOB)).ok()
}

/// A command of Slurm's, and what it wrote.
fn ask(command: &Command) -> Result<String, Diagnostic> {
    let captured = command.capture().map_err(|error| {
        Diagnostic::because(error)
            .help("--slurm needs the commands of Slurm (slurm-client); without, builds run here")
    })?;
    match captured.status.success() {
        true => Ok(captured.stdout_text()),
        false => Err(Diagnostic::error(format!(
            "'{}' fails: {}",
            command.line(),
            captured.stderr_text().trim()
        ))),
    }
}

/// The jobs of this user that are not over.
fn waiting() -> Result<BTreeSet<String>, Diagnostic> {
    let words = ["--me", "--array", "--noheader", "--format=%i"];
    let listed = ask(&Command::new("squeue").args(words))?;
    Ok(listed.split_whitespace().map(str::to_string).collect())
}

/// Hands the jobs in as one array.
fn submit(jobs: &[&Job], words: &[String], options: &str) -> Result<(), Diagnostic> {
    let folder = absolute(&jobs[0].folder)?;
    let script = folder.join("array.sh");
    let mut text = "#!/bin/sh\ncase $SLURM_ARRAY_TASK_ID in\n".to_string();
    for (at, job) in jobs.iter().enumerate() {
        let log = absolute(&job.folder)?.join(LOG);
        let line = job.command(words)?.line();
        let log = log.display().to_string();
        let log = shlex::try_quote(&log).map_err(Diagnostic::because)?;
        text += &format!("{at}) exec {line} >{log} 2>&1 ;;\n");
    }
    text += "esac\n";
    fs::write(&script, text).map_err(|error| cannot("write", &script, &error))?;
    let own = shlex::split(options)
        .ok_or_else(|| Diagnostic::error(format!("--slurm: a quote is open in '{options}'")))?;
    let command = Command::new("sbatch")
        .args(["--parsable", "--job-name=fpgacc-tune", "--output=/dev/null"])
        .arg(format!("--array=0-{}", jobs.len() - 1))
        .args(own)
        .arg(script.as_os_str());
    let answer = ask(&command)?;
    // With several clusters their name follows.
    let array = answer.trim().split(';').next().unwrap_or_default();
    for (at, job) in jobs.iter().enumerate() {
        let path = job.folder.join(JOB);
        fs::write(&path, format!("{array}_{at}"))
            .map_err(|error| cannot("write", &path, &error))?;
    }
    Ok(())
}

fn absolute(path: &Path) -> Result<PathBuf, Diagnostic> {
    std::path::absolute(path).map_err(|error| cannot("find", path, &error))
}
