//! Kernels: preprocessed OpenCL C to [`crate::ir`] and back.
//!
//! [`parse()`] is a front end in stages: `prepass` makes the text fit for lang-c and notes what it
//! blanks, lang-c makes a syntax tree, `lower` resolves and types it. [`validate()`] checks a module
//! against the IR's contract; its proof is what [`print()`] demands.

mod builtins;
#[cfg(test)]
mod handmade;
mod lower;
mod macro_notes;
mod macros;
mod parse;
mod positions;
mod predefined;
mod prepass;
mod print;
mod source_text;
mod strangers;
mod syntax;
mod token;
mod validate;

pub use parse::{Input, ParseError, parse};
pub use predefined::{PREDEFINED, predefined};
pub use print::{LineDirectives, print};
pub use strangers::has_undeclared_names;
pub use validate::{Validated, validate};
