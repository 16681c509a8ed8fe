//! Positions as reports name them.

use fpgacc_frontend::source::{SourceMap, Span};

use super::data::Place;

/// The file and line of a span.
pub fn place(sources: &SourceMap, span: Span) -> Place {
    let at = sources.location(span);
    Place {
        file: at.file,
        line: at.line,
    }
}
