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
mod stmt;
mod types;
mod wrap;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::ir::{EnumId, Function, Module, RecordId, TypedefId};
use crate::kernel::validate::Validated;
use crate::source::SourceMap;

use lines::Lines;
use names::Names;

/// Columns beyond which parameter lists and initialisers are broken into lines.
const WIDTH: usize = 100;

/// Choices of the printer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Write `#line` wherever a compiler would otherwise name the wrong line of the source.
    pub line_directives: bool,
}

/// The module as OpenCL C. `proof` says that it was validated; `sources` holds the files that its
/// spans point into.
pub fn print(
    module: &Module,
    _proof: &Validated,
    sources: &SourceMap,
    options: &PrintOptions,
) -> String {
    let mut printer = Printer {
        module,
        lines: Lines::new(sources, options.line_directives),
        names: Names::of(module),
        function: None,
        written_records: BTreeSet::new(),
        written_enums: BTreeSet::new(),
        written_typedefs: BTreeSet::new(),
        inline_record: None,
        inline_enum: None,
    };
    printer.items();
    printer.lines.finish()
}

/// The state of one printing.
struct Printer<'a> {
    module: &'a Module,
    lines: Lines<'a>,
    names: Names,
    /// The function at hand.
    function: Option<&'a Function>,
    /// Records whose fields have been written.
    written_records: BTreeSet<RecordId>,
    /// Enumerations whose constants have been written.
    written_enums: BTreeSet<EnumId>,
    /// Typedefs that have been written.
    written_typedefs: BTreeSet<TypedefId>,
    /// A record whose definition is left to the typedef that follows it.
    inline_record: Option<RecordId>,
    /// An enumeration whose definition is left to the typedef that follows it.
    inline_enum: Option<EnumId>,
}
