//! Positions as reports name them.

use fpgacc_frontend::source::{SourceMap, Span};

use super::data::Position;

/// The file and line of a span.
pub fn position(sources: &SourceMap, span: Span) -> Position {
    let at = sources.location(span);
    Position {
        file: at.file,
        line: at.line,
    }
}
