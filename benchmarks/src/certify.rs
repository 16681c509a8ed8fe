//! Certifies the originals with Oclgrind: no data race, no access out of bounds.
//!
//! Rewritten and original program may be compared byte by byte only where the original's result
//! does not depend on the order of its work-items.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::process::{Command, ProcessError};

use crate::build::{self, BuildError, LIMIT};
use crate::catalog::Program;

/// What Oclgrind says of a fault, each in its own words.
const FAULTS: [&str; 4] = ["data race", "Invalid ", "barrier divergence", "OCLGRIND"];

/// Why a program is not certified.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// Oclgrind is not installed.
    #[error("cannot find oclgrind: install the Debian package `oclgrind`")]
    NoOclgrind,
    /// It was not built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Oclgrind could not be run, or did not end.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// Its folder could not be made.
    #[error("cannot write under {}: {source}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Oclgrind found a fault, or the program failed.
    #[error("`{line}`\n{output}")]
    Fault {
        /// The command.
        line: String,
        /// What it wrote.
        output: String,
    },
}

/// Runs a program under Oclgrind.
pub fn certify(program: &Program, programs: &Path, work: &Path) -> Result<(), CertifyError> {
    let oclgrind = which::which("oclgrind").map_err(|_| CertifyError::NoOclgrind)?;
    let folder = programs.join(&program.name);
    let output = work.join("oclgrind").join(&program.name);
    fs::create_dir_all(&output).map_err(|source| CertifyError::Folder {
        folder: output.clone(),
        source,
    })?;
    let built = build::original(program, &folder, &output.join("original"))?;
    let command = Command::new(oclgrind)
        .arg("--data-races")
        .arg(built.executable)
        .args(&program.certify_args)
        .dir(folder)
        .limit(LIMIT);
    let captured = command.capture()?;
    let text = format!("{}{}", captured.stdout_text(), captured.stderr_text());
    let on_oclgrind = text
        .lines()
        .any(|line| line == "device: Oclgrind Simulator");
    let passed = text.lines().any(|line| line == "PASS");
    let faulty = FAULTS.iter().any(|fault| text.contains(fault));
    match captured.status.success() && on_oclgrind && passed && !faulty {
        true => Ok(()),
        false => Err(CertifyError::Fault {
            line: command.line(),
            output: text,
        }),
    }
}
