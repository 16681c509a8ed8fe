//! The state of one printing.

use std::collections::BTreeSet;

use crate::ir::{EnumId, Function, Module, RecordId, TypedefId};
use crate::source::SourceMap;

use super::lines::{LineDirectives, Lines};
use super::names::Names;

/// The state of one printing.
pub(super) struct Printer<'a> {
    pub(super) module: &'a Module,
    pub(super) lines: Lines<'a>,
    pub(super) names: Names,
    /// The function at hand.
    pub(super) function: Option<&'a Function>,
    /// Records whose fields have been written.
    pub(super) written_records: BTreeSet<RecordId>,
    /// Enumerations whose constants have been written.
    pub(super) written_enums: BTreeSet<EnumId>,
    /// Typedefs that have been written.
    pub(super) written_typedefs: BTreeSet<TypedefId>,
    /// A record whose definition is left to the typedef that follows it.
    pub(super) inline_record: Option<RecordId>,
    /// An enumeration whose definition is left to the typedef that follows it.
    pub(super) inline_enum: Option<EnumId>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(module: &'a Module, sources: &'a SourceMap, lines: LineDirectives) -> Self {
        Printer {
            module,
            lines: Lines::new(sources, lines),
            names: Names::of(module),
            function: None,
            written_records: BTreeSet::new(),
            written_enums: BTreeSet::new(),
            written_typedefs: BTreeSet::new(),
            inline_record: None,
            inline_enum: None,
        }
    }

    /// The text that was written.
    pub(super) fn finish(self) -> String {
        self.lines.finish()
    }
}
