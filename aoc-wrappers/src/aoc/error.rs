//! What goes wrong with aoc.

use std::path::PathBuf;

use super::version::AocVersion;
use crate::output::OutputError;
use crate::process::{ProcessError, Status};

/// What went wrong with aoc.
#[derive(Debug, thiserror::Error)]
pub enum AocError {
    /// It is not installed.
    #[error(
        "cannot find aoc (Intel FPGA SDK for OpenCL): looked in $PATH, $INTELFPGAOCLSDKROOT/bin \
         and $ALTERAOCLSDKROOT/bin; install the SDK and source its init_opencl.sh, or name aoc in \
         $FPGACC_AOC"
    )]
    Missing,
    /// `$FPGACC_AOC` or the option names nothing that can be run.
    #[error("{origin} names {}, which cannot be run", .path.display())]
    BadPath {
        /// The variable or option.
        origin: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// It does not say that it is aoc.
    #[error("{} is not Intel's aoc: asked for its version it says '{said}'", .path.display())]
    NotAoc {
        /// The program.
        path: PathBuf,
        /// The first line of its answer.
        said: String,
    },
    /// It could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// This version cannot do it.
    #[error("aoc {version} has no {what}: {remedy}")]
    Unsupported {
        /// The version.
        version: AocVersion,
        /// What is asked of it.
        what: &'static str,
        /// The way out.
        remedy: &'static str,
    },
    /// It ran and failed.
    #[error("aoc failed ({status}){}", kept.as_ref().map_or_else(String::new, |folder| format!(
        "; its logs and reports are kept in {}", folder.display()
    )))]
    Failed {
        /// How it ended.
        status: Status,
        /// All that it wrote.
        log: String,
        /// Its project folder, if it made one.
        kept: Option<PathBuf>,
    },
    /// It said that all is well, but made nothing.
    #[error("aoc ended without an error but did not write {}", .0.display())]
    NoOutput(PathBuf),
    /// Its files could not be put in place.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file could not be written, moved or read.
    #[error("cannot write {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl AocError {
    /// aoc's own messages, if it ran.
    pub fn log(&self) -> Option<&str> {
        match self {
            AocError::Failed { log, .. } => Some(log),
            _ => None,
        }
    }
}
