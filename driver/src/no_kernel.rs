//! Why a command that looks at kernels has none to look at.

use fpgacc_frontend::diag::Diagnostic;

use crate::options::{Input, InputKind, Options};

/// A command that looks at kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Report,
    Check,
}

impl Look {
    fn purpose(self) -> &'static str {
        match self {
            Self::Report => "report on",
            Self::Check => "check",
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Check => "check",
        }
    }
}

/// That there is no kernel, and why, as far as the inputs show.
pub fn found(look: Look, options: &Options) -> Diagnostic {
    let error = Diagnostic::error(format!("there is no kernel to {}", look.purpose()));
    let first = |wanted: InputKind| {
        let mut inputs = options.inputs.iter();
        inputs.find_map(|input| match input {
            Input::File { path, kind } if *kind == wanted => Some(path.display()),
            _ => None,
        })
    };
    if let Some(path) = first(InputKind::Kernels) {
        return error.note(match look {
            Look::Report if options.no_warnings => {
                format!("those of '{path}' are not rewritten: warnings say why, without -w")
            }
            Look::Report => format!("those of '{path}' are not rewritten, as the warnings say"),
            Look::Check => format!("those of '{path}' are not read: fpgacc report says why"),
        });
    }
    let command = look.command();
    let error = match first(InputKind::Linker) {
        Some(path) => error.note(format!(
            "'{path}' is built already: a {command} is made of what it was built from"
        )),
        None => error,
    };
    error.help(format!(
        "give it what the build gets: fpgacc {command} host.c kernels.cl"
    ))
}
