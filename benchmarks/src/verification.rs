//! Programs of others under `fpgacc --verify`: with their original and with their rewritten kernels,
//! everything that they read back compared.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use fpgacc_aoc_wrappers::process::{Command, ProcessError};

use crate::build;
use crate::catalog::Program;
use crate::platform::Platform;

/// Both runs and both builds of a program are given so long.
const LIMIT: Duration = Duration::from_secs(900);

/// In the program's folder: some programs take their own name for an option if it is a path from the root.
const EXECUTABLE: &str = "fpgacc-verified";

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The rewritten program reads back the same, in fpgacc's words.
    Same(String),
    /// It does not.
    Different(String),
    /// The original differs from itself.
    Undecided(String),
    /// Nothing was compared; why, in a line.
    NotCompared(String),
}

/// How programs are verified.
#[derive(Clone, Debug)]
pub struct Verification {
    /// fpgacc.
    pub fpgacc: PathBuf,
    /// The programs' folders are in it.
    pub programs: PathBuf,
    /// Further options of fpgacc.
    pub options: Vec<String>,
    /// Preloaded, so that programs which seed their input with the time have the same in each run.
    pub fixed_time: PathBuf,
}

impl Verification {
    /// Verifies one run of a program.
    ///
    /// # Errors
    ///
    /// fpgacc cannot be run.
    pub fn verify(
        &self,
        program: &Program,
        platform: &Platform,
        args: &[String],
    ) -> Result<Verdict, ProcessError> {
        let captured = self.command(program, platform, args).capture();
        self.clean(program);
        let captured = match captured {
            Err(ProcessError::TimedOut { .. }) => {
                let text = format!("not done after {} s", LIMIT.as_secs());
                return Ok(Verdict::NotCompared(text));
            }
            other => other?,
        };
        Ok(judge(
            &captured.stdout_text(),
            &captured.stderr_text(),
            captured.status.success(),
        ))
    }

    /// Takes the executable away, and what lies beside it; there is none where nothing was built.
    fn clean(&self, program: &Program) {
        let entries = fs::read_dir(self.programs.join(&program.name));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.to_string_lossy().starts_with(EXECUTABLE) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn command(&self, program: &Program, platform: &Platform, args: &[String]) -> Command {
        // For fpgacc's runtime, in all runs of the program.
        let device = program.device.iter();
        Command::new(&self.fpgacc)
            .envs(device.map(|device| ("FPGACC_DEVICE_TYPE", device)))
            .args(["--verify", "-w"])
            .arg(format!("--platform={}", platform.name))
            .args(&self.options)
            .args(build::language(program))
            .args(program.sources.iter().map(OsString::from))
            // Libraries among the flags are of no language.
            .args(build::language(program).map(|_| "-xnone"))
            .args(program.flags.iter().filter(|flag| *flag != "-xc++"))
            .arg("-lm")
            .arg("-o")
            .arg(format!("./{EXECUTABLE}"))
            .arg("--")
            .args(args)
            .dir(self.programs.join(&program.name))
            .env("LD_PRELOAD", &self.fixed_time)
            .limit(LIMIT)
    }
}

/// What fpgacc's report and its messages say.
fn judge(report: &str, messages: &str, succeeded: bool) -> Verdict {
    let verdict = report
        .lines()
        .find_map(|line| line.strip_prefix("verdict: "));
    match verdict {
        Some(words) if succeeded => Verdict::Same(words.to_string()),
        Some(words) if words.starts_with("undecided") => Verdict::Undecided(words.to_string()),
        Some(words) => Verdict::Different(words.to_string()),
        None => {
            let error = messages.lines().find(|line| line.contains("error:"));
            let line = error.or_else(|| messages.lines().last());
            Verdict::NotCompared(line.unwrap_or("fpgacc says nothing").trim().to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read() {
        let same = judge("compared: 2 read-backs\nverdict: same\n", "", true);
        assert_eq!(same, Verdict::Same("same".into()));
        let words = "different (the original gives the same twice)";
        let different = judge(&format!("verdict: {words}\n"), "", false);
        assert_eq!(different, Verdict::Different(words.into()));
        let words = "undecided: the original differs from itself when it runs again";
        let undecided = judge(&format!("verdict: {words}\n"), "", false);
        assert_eq!(undecided, Verdict::Undecided(words.into()));
        let failed = judge("", "note\nx.c:1:2: error: no such file\nhelp\n", false);
        assert_eq!(
            failed,
            Verdict::NotCompared("x.c:1:2: error: no such file".into())
        );
    }
}
