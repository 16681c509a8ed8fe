//! Running a program and keeping what it read back.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_aoc_wrappers::process::{Command, ProcessError};

use crate::build::LIMIT;
use crate::readback::{self, Readback, ReadbackError};

/// Why a run gave no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The program could not be run, or hung.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It failed, or its own check did: what it wrote.
    #[error("`{line}`: {reason}\n{output}")]
    Failed {
        /// The command.
        line: String,
        /// Exit code, signal, or that it did not say PASS.
        reason: String,
        /// What it wrote.
        output: String,
    },
    /// It left no read-backs.
    #[error(transparent)]
    Readbacks(#[from] ReadbackError),
}

/// What a run left.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it read back.
    pub readbacks: Vec<Readback>,
    /// Standard output: what it computed, and no times.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The shortest time of all repetitions, from start to end of the process.
    pub time: Duration,
}

/// How to run a program.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The folder to run in, where its kernels and data are found.
    pub folder: &'a Path,
    /// For `$OCL_ICD_VENDORS`.
    pub vendors: &'a Path,
    /// Where the file of read-backs goes.
    pub dump: PathBuf,
    /// How often; at least once.
    pub repeat: u32,
    /// Further environment variables.
    pub env: &'a [(&'a str, &'a str)],
}

/// Runs a program. It must exit with 0 and print a line `PASS`: its own reference agrees.
pub fn run(executable: &Path, args: &[String], setting: &Setting) -> Result<Run, RunError> {
    let mut command = Command::new(executable)
        .args(args)
        .arg("--dump")
        .arg(&setting.dump)
        .dir(setting.folder)
        .env("OCL_ICD_VENDORS", setting.vendors)
        .env_remove("OCL_ICD_FILENAMES")
        .envs(cpu_target())
        .limit(LIMIT);
    for (name, value) in setting.env {
        command = command.env(name, value);
    }
    let mut time = Duration::MAX;
    let mut repetition = 0;
    loop {
        let start = Instant::now();
        let captured = command.capture()?;
        time = time.min(start.elapsed());
        let (stdout, stderr) = (captured.stdout_text(), captured.stderr_text());
        let passed = stdout.lines().any(|line| line == "PASS");
        if !captured.status.success() || !passed {
            return Err(RunError::Failed {
                line: command.line(),
                reason: captured.status.to_string(),
                output: format!("{stdout}{stderr}"),
            });
        }
        repetition += 1;
        if repetition >= setting.repeat {
            return Ok(Run {
                readbacks: readback::read(&setting.dump)?,
                stdout,
                stderr,
                time,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn run_script(script: &str) -> Result<Run, RunError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("script"), script).unwrap();
        let setting = Setting {
            folder: folder.path(),
            vendors: folder.path(),
            dump: folder.path().join("dump"),
            repeat: 2,
            env: &[("WORD", "out")],
        };
        run(Path::new("/bin/sh"), &["script".to_string()], &setting)
    }

    #[test]
    fn keeps_what_was_read_back() {
        let run =
            run_script("echo $WORD; echo err >&2; echo PASS; printf 'a u8 1\\nx' > $2").unwrap();
        assert_eq!(run.readbacks[0].bytes, b"x");
        assert_eq!(
            (run.stdout.as_str(), run.stderr.as_str()),
            ("out\nPASS\n", "err\n")
        );
    }

    #[test]
    fn a_program_that_does_not_pass_fails() {
        for script in [
            "echo FAIL; exit 1",
            "echo PASS; exit 1",
            "true",
            "echo PASSED",
        ] {
            let error = run_script(script).unwrap_err();
            assert!(matches!(error, RunError::Failed { .. }), "{error}");
        }
        let error = run_script("echo PASS").unwrap_err();
        assert!(matches!(error, RunError::Readbacks(_)), "{error}");
    }
}
