//! What is wrong with a module.

use crate::diag::Diagnostic;
use crate::ir::Function;
use crate::source::Span;

/// The faults found so far, and where the search is.
#[derive(Default)]
pub(super) struct Faults {
    pub(super) found: Vec<Diagnostic>,
    /// The function at hand, for messages.
    function: Option<String>,
}

impl Faults {
    pub(super) fn enter(&mut self, function: Option<&Function>) {
        self.function = function.map(|function| function.name.clone());
    }

    pub(super) fn add(&mut self, message: impl Into<String>, span: Option<Span>) {
        let message = message.into();
        let text = match &self.function {
            Some(function) => format!("invalid kernel IR in '{function}': {message}"),
            None => format!("invalid kernel IR at file scope: {message}"),
        };
        let mut fault = Diagnostic::error(text);
        if let Some(span) = span {
            fault = fault.at(span);
        }
        self.found.push(fault);
    }
}
