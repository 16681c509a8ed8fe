//! Why a command that looks at kernels has none to look at.

use std::path::Path;

use fpgacc_frontend::diag::Diagnostic;

use crate::objects::Objects;
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

    /// What kernels are not that are left out.
    fn fate(self) -> &'static str {
        match self {
            Self::Report => "rewritten",
            Self::Check => "read",
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Check => "check",
        }
    }
}

/// That there is no kernel, and why, as far as the inputs show. `unread` is a program that stays as it is.
pub fn found(look: Look, options: &Options, unread: Option<&str>) -> Diagnostic {
    let error = Diagnostic::error(format!("there is no kernel to {}", look.purpose()));
    let first = |wanted: InputKind| {
        let mut inputs = options.inputs.iter();
        inputs.find_map(|input| match input {
            Input::File { path, kind } if *kind == wanted => Some(path.display().to_string()),
            _ => None,
        })
    };
    let unread = unread.map(String::from);
    if let Some(name) = unread.or_else(|| first(InputKind::Kernels)) {
        let what = look.fate();
        return error.note(match options.no_warnings {
            true => format!("those of '{name}' are not {what}: warnings say why, without -w"),
            false => format!("those of '{name}' are not {what}, as the warnings say"),
        });
    }
    let command = look.command();
    let error = match first(InputKind::Linker) {
        Some(path) if is_built(&path) => error.note(format!(
            "'{path}' is built already: a {command} is made of what it was built from"
        )),
        Some(path) => error.note(format!(
            "'{path}' is no host and no kernel file: -x c, -x c++ or -x cl before it says what it is"
        )),
        None => error,
    };
    error.help(format!(
        "give it what the build gets: fpgacc {command} host.c kernels.cl"
    ))
}

fn is_built(path: &str) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    Objects::of(Path::new(path), &bytes).are_linkable()
}
