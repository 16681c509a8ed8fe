//! Checks a module against the contract at the head of [`crate::ir`].
//!
//! A fault is a mistake of whoever made the module (lowering or a pass), not of the user: tests
//! validate after every pass, and the printer demands the proof.

mod control;
mod handles;
mod literals;
mod scopes;
mod types;
mod variables;

#[cfg(test)]
mod tests;

pub(crate) use scopes::is_identifier;

use crate::diag::Diagnostic;
use crate::ir::{Function, Module};
use crate::source::Span;

/// Proof that a module was validated. Only [`validate`] makes it.
#[derive(Debug)]
pub struct Validated(());

/// Checks the whole module.
///
/// # Errors
/// Every fault found. Faults of one kind hide others: types and names are looked at only if all
/// handles are good.
pub fn validate(module: &Module) -> Result<Validated, Vec<Diagnostic>> {
    let mut faults = Faults::default();
    handles::check(module, &mut faults);
    if faults.found.is_empty() {
        control::check(module, &mut faults);
        scopes::check(module, &mut faults);
        variables::check(module, &mut faults);
        types::check(module, &mut faults);
    }
    if faults.found.is_empty() {
        return Ok(Validated(()));
    }
    Err(faults.found)
}

/// The faults found so far, and where the search is.
#[derive(Default)]
struct Faults {
    found: Vec<Diagnostic>,
    /// The function at hand, for messages.
    function: Option<String>,
}

impl Faults {
    fn enter(&mut self, function: Option<&Function>) {
        self.function = function.map(|function| function.name.clone());
    }

    fn add(&mut self, message: impl Into<String>, span: Option<Span>) {
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
