//! One interface to everything that turns kernels into an .aocx.

use crate::emulator::{Emulator, EmulatorError};
use crate::output::{self, Mode, OutputError};
use crate::request::{BuildRequest, Target};
use crate::worker::Implementation;

/// Why there is no .aocx.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Nothing on this machine builds for the target.
    #[error("nothing on this machine builds for --target={target}{reasons}")]
    NoBackend {
        /// The target.
        target: &'static str,
        /// A line for each way out.
        reasons: String,
    },
    /// An emulator failed.
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl BuildError {
    /// The tool's own messages, if it got as far as compiling.
    pub fn log(&self) -> Option<&str> {
        match self {
            BuildError::Emulator(
                EmulatorError::Kernels { log } | EmulatorError::Call { log, .. },
            ) => Some(log),
            _ => None,
        }
    }
}

/// A tool that builds kernels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Backend {
    /// An OpenCL implementation on this machine's processor.
    Emulator(Emulator),
}

/// What a build made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The tool's messages: warnings, if any.
    pub log: String,
    /// Names of the kernels, where the tool tells them.
    pub kernels: Vec<String>,
}

/// What builds for a target on this machine, in order of preference, and why what could build for
/// it does not.
#[derive(Debug, Default)]
pub struct Discovered {
    /// What is there.
    pub backends: Vec<Backend>,
    /// What is not.
    pub missing: Vec<BuildError>,
}

impl Discovered {
    /// The best one.
    pub fn first(self, target: Target) -> Result<Backend, BuildError> {
        let reasons = self.missing.iter().map(|reason| format!("\n  {reason}"));
        let reasons = reasons.collect();
        self.backends
            .into_iter()
            .next()
            .ok_or(BuildError::NoBackend {
                target: target.name(),
                reasons,
            })
    }
}

/// Looks for what builds for a target.
pub fn discover(target: Target) -> Discovered {
    let mut discovered = Discovered::default();
    if target == Target::Emulator {
        for found in [Emulator::find_intel(), Emulator::find_pocl()] {
            match found {
                Ok(emulator) => discovered.backends.push(Backend::Emulator(emulator)),
                Err(error) => discovered.missing.push(error.into()),
            }
        }
    }
    discovered
}

impl Backend {
    /// A name for messages.
    pub fn name(&self) -> String {
        match self {
            Backend::Emulator(emulator) => emulator.name().to_string(),
        }
    }

    /// The library of the OpenCL implementation that the result runs on, where an executable must
    /// name it to the ICD loader.
    pub fn runtime_library(&self) -> Option<&std::path::Path> {
        match self {
            Backend::Emulator(emulator) => match emulator.implementation() {
                Implementation::Intel => Some(emulator.library()),
                Implementation::Pocl => None,
            },
        }
    }

    /// Builds the request's output, whole or not at all.
    pub fn build(&self, request: &BuildRequest) -> Result<Built, BuildError> {
        match self {
            Backend::Emulator(emulator) => {
                let compiled = emulator.compile(request)?;
                output::write(&request.output, &compiled.binary, Mode::Plain)?;
                Ok(Built {
                    log: compiled.log,
                    kernels: compiled.kernels,
                })
            }
        }
    }
}
