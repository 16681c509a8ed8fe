//! Writes a module as OpenCL C that a person would have written.
//!
//! Names, typedefs, spelled literals, attributes and pragmas are kept; parentheses stand where the
//! grammar needs them and where clang's `-Wparentheses` asks for them. The text parses to a module
//! that prints as the same text.

mod expr;
mod function;
mod items;
mod lines;
mod literal;
mod names;
mod precedence;
mod printer;
mod stmt;
mod types;
mod wrap;

#[cfg(test)]
mod tests;

use crate::kernel::validate::Validated;
use crate::source::SourceMap;

use printer::Printer;

pub use lines::LineDirectives;

/// A validated module as OpenCL C; `sources` holds the files that its spans point into.
pub fn print(valid: &Validated<'_>, sources: &SourceMap, lines: LineDirectives) -> String {
    let mut printer = Printer::new(valid.module(), sources, lines);
    printer.items();
    printer.finish()
}
