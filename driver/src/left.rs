//! Programs that are left to the device's own compiler, and what the running host knows of them.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest::{LeftToDevice, text_hash};

use crate::programs::Program;

/// Why a program is left.
pub enum Left {
    /// The host makes this header when it runs.
    Header(String),
    /// Its kernels need macros of options that only the running host knows.
    Macros,
    /// It has errors, which need not be any when the host runs.
    Errors,
    /// The host may make another text of it when it runs; it has these errors.
    Composed(Vec<Diagnostic>),
    /// It is linked with other programs.
    Part,
}

impl Left {
    /// What the runtime says when the host builds the program.
    pub fn describe(&self, program: &Program) -> LeftToDevice {
        let name = program.name();
        let (why, remedy) = match self {
            Left::Header(header) => (
                format!("'{name}' includes '{header}', which was not there when fpgacc compiled"),
                "compile again with fpgacc where the header is",
            ),
            Left::Macros => (
                format!(
                    "the options with which '{name}' is built were not known when fpgacc compiled"
                ),
                "give the macros that its kernels need with -Xkernel -DNAME=VALUE, or a run that \
                 `fpgacc trace` recorded with --facts",
            ),
            Left::Errors => (
                format!("'{name}' had errors when fpgacc compiled"),
                "mend what fpgacc warned of, and compile again",
            ),
            Left::Composed(_) => (
                format!("'{name}' had errors when fpgacc compiled"),
                "mend what fpgacc warned of; a text that the host makes of it is recorded by \
                 `fpgacc trace`, and then given with --facts",
            ),
            Left::Part => (
                format!("'{name}' is linked with other programs"),
                "put the texts into one program",
            ),
        };
        LeftToDevice {
            source_hash: text_hash(&program.bytes()),
            why,
            remedy: remedy.to_string(),
        }
    }
}
