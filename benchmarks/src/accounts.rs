//! Two accounts of a program: what fpgacc's analysis says of its launches, and what runs show of
//! them (`fpgacc trace`). Both must be true, and each launch of a run must have been found.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::process::{Command, ProcessError};

use crate::build::{self, BuildError, LIMIT};
use crate::catalog::Program;

/// A run ends after this many seconds; what it did until then counts.
const RUN_SECONDS: u32 = 100;

/// Why two accounts were not compared.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The program was not built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// fpgacc could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// fpgacc failed.
    #[error("`{line}`\n{output}")]
    Failed {
        /// The command.
        line: String,
        /// What it wrote.
        output: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// What was recorded is not what it should be.
    #[error("{}: {source}", .path.display())]
    Recorded {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: serde_yaml::Error,
    },
}

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Places and kernels that runs showed to be launched.
    pub launches: usize,
    /// What cannot be true of both, a line each.
    pub contradictions: Vec<String>,
    /// Runs that did not end with success, with the reason.
    pub odd_runs: Vec<String>,
}

/// Where programs are compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// fpgacc.
    pub fpgacc: PathBuf,
    /// The programs' folders are in it.
    pub programs: PathBuf,
    /// Executables and facts go here.
    pub work: PathBuf,
}

impl Comparison {
    /// Analyses a program, runs it as its entry says, and holds the one against the other.
    ///
    /// # Errors
    ///
    /// The program was not built, or fpgacc did not do its part.
    pub fn compare(&self, program: &Program) -> Result<Compared, AccountError> {
        let folder = self.programs.join(&program.name);
        let own = self.own_folder(program, &folder)?;
        let app = own.join("app");
        build::traceable(program, &folder, &app)?;
        let analysed = own.join("analysed.yaml");
        self.analyse(program, &folder, &analysed)?;
        let mut compared = Compared {
            launches: 0,
            contradictions: Vec::new(),
            odd_runs: Vec::new(),
        };
        for (index, args) in program.runs.iter().enumerate() {
            let seen = own.join(format!("seen{index}.yaml"));
            if let Some(reason) = self.trace(&folder, &app, args, &seen)? {
                compared.odd_runs.push(reason);
            }
            compared.launches += launches(&seen)?;
            let against = Command::new(&self.fpgacc).args(["facts", "compare"]);
            let captured = against.arg(&analysed).arg(&seen).limit(LIMIT).capture()?;
            let lines = captured.stdout_text();
            compared
                .contradictions
                .extend(lines.lines().map(ToString::to_string));
        }
        Ok(compared)
    }

    /// A folder for what is made of a program, with its kernel files: some programs look for them
    /// beside the executable.
    fn own_folder(&self, program: &Program, folder: &Path) -> Result<PathBuf, AccountError> {
        let first = program.sources.first().map_or("", String::as_str);
        let name = format!("facts-{}-{first}", program.name);
        let own = self.work.join(name.replace(['/', '.', '+'], "_"));
        let file = |path: &Path| {
            let path = path.to_path_buf();
            move |source| AccountError::File { path, source }
        };
        fs::create_dir_all(&own).map_err(file(&own))?;
        for kernels in program.kernels() {
            let from = folder.join(kernels);
            if let Some(name) = from.file_name() {
                fs::copy(&from, own.join(name)).map_err(file(&from))?;
            }
        }
        Ok(own)
    }

    fn analyse(&self, program: &Program, folder: &Path, output: &Path) -> Result<(), AccountError> {
        let command = Command::new(&self.fpgacc)
            .args(["--emit=facts", "-w"])
            .args(build::language(program))
            .args(program.hosts().map(OsString::from))
            .args(program.flags.iter().filter(|flag| *flag != "-xc++"))
            .args([OsString::from("-o"), output.into()])
            .dir(folder)
            .limit(LIMIT);
        let captured = command.capture()?;
        match captured.status.success() {
            true => Ok(()),
            false => Err(AccountError::Failed {
                line: command.line(),
                output: captured.stderr_text(),
            }),
        }
    }

    /// Records a run. How it ended, if not well.
    fn trace(
        &self,
        folder: &Path,
        app: &Path,
        args: &[String],
        output: &Path,
    ) -> Result<Option<String>, AccountError> {
        // As from the keyboard: what the program did until then is recorded.
        let limit = RUN_SECONDS.to_string();
        let command = Command::new(&self.fpgacc)
            .args(["trace", "--quiet", "-o"])
            .arg(output)
            .args(["--", "timeout", "--signal=INT", "--kill-after=10", &limit])
            .arg(app)
            .args(args)
            .dir(folder)
            .limit(LIMIT);
        let captured = command.capture()?;
        if captured.status.success() {
            return Ok(None);
        }
        if !output.is_file() {
            return Err(AccountError::Failed {
                line: command.line(),
                output: format!("{}{}", captured.stdout_text(), captured.stderr_text()),
            });
        }
        Ok(Some(match captured.status.code() {
            124 => format!("ended after {RUN_SECONDS} s"),
            _ => captured.status.to_string(),
        }))
    }
}

/// How many launches facts have.
fn launches(path: &Path) -> Result<usize, AccountError> {
    let text = fs::read_to_string(path).map_err(|source| AccountError::File {
        path: path.into(),
        source,
    })?;
    let facts: Result<serde_yaml::Value, _> = serde_yaml::from_str(&text);
    let facts = facts.map_err(|source| AccountError::Recorded {
        path: path.into(),
        source,
    })?;
    Ok(facts["launches"].as_sequence().map_or(0, Vec::len))
}
