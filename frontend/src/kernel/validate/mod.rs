//! Checks a module against the contract at the head of [`crate::ir`].
//!
//! A fault is a mistake of whoever made the module (lowering or a pass), not of the user: tests
//! validate after every pass, and only what was validated can be printed.

mod control;
mod faults;
mod handles;
mod literals;
mod scopes;
mod types;
mod variables;

#[cfg(test)]
mod tests;

pub(crate) use scopes::is_identifier;

use crate::diag::Diagnostic;
use crate::ir::Module;

use faults::Faults;

/// A module that was validated, and that nobody can change while this lives. Only [`validate`]
/// makes it.
#[derive(Clone, Copy, Debug)]
pub struct Validated<'m>(&'m Module);

impl<'m> Validated<'m> {
    /// The module.
    pub fn module(self) -> &'m Module {
        self.0
    }
}

/// Checks the whole module.
///
/// # Errors
/// Every fault found. Faults of one kind hide others: types and names are looked at only if all
/// handles are good.
pub fn validate(module: &Module) -> Result<Validated<'_>, Vec<Diagnostic>> {
    let mut faults = Faults::default();
    handles::check(module, &mut faults);
    if faults.found.is_empty() {
        control::check(module, &mut faults);
        scopes::check(module, &mut faults);
        variables::check(module, &mut faults);
        types::check(module, &mut faults);
    }
    if faults.found.is_empty() {
        return Ok(Validated(module));
    }
    Err(faults.found)
}
