//! Positions as reports name them.

use fpgacc_frontend::source::{SourceMap, Span};

use super::data::Position;

/// The file and line of a span.
pub fn position(sources: &SourceMap, span: Span) -> Position {
    let at = sources.location(sources.written(span));
    Position {
        file: at.file,
        line: at.line,
    }
}

/// Positions, each file once: `a.cl:5, 7, b.h:9`.
pub fn list(positions: &[&Position]) -> String {
    let mut file = None;
    let one = |at: &&Position| match file.replace(at.file.clone()) {
        Some(known) if known == at.file => at.line.to_string(),
        _ => format!("{}:{}", at.file, at.line),
    };
    positions.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_named_once() {
        let at = |file: &str, line| Position {
            file: file.to_string(),
            line,
        };
        let all = [at("a.cl", 5), at("a.cl", 7), at("b.h", 9), at("a.cl", 1)];
        assert_eq!(list(&all.each_ref()), "a.cl:5, 7, b.h:9, a.cl:1");
    }
}
