//! Kernel files of which macros make too much.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fpgacc_aoc_wrappers::cc::EXPANSION_LIMIT;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::{SourceMap, Span};

use crate::kernel_options::identifiers;
use crate::line_marker::LineMarker;

/// What to say of a text that was cut off while it grew: the macro at that position.
pub fn too_long(sources: &SourceMap, text: &str) -> Diagnostic {
    let limit = format!("{} MiB", EXPANSION_LIMIT >> 20);
    let (file, line) = position(text);
    let Some(id) = sources.find(&file) else {
        return Diagnostic::error(format!("{file}:{line}: macros expand to more than {limit}"));
    };
    let whole = sources.line_span(id, line);
    let found = first_macro(sources.text(whole), &macros(text));
    let diagnostic = match found {
        Some((at, name)) => {
            let start = whole.start + at as u32;
            let end = start + name.len() as u32;
            let message = format!("`{name}` expands to more than {limit}");
            Diagnostic::error(message).at(Span {
                start,
                end,
                ..whole
            })
        }
        None => Diagnostic::error(format!("macros expand to more than {limit}")).at(whole),
    };
    diagnostic.help("a macro that uses another one twice doubles it at each level: write a loop")
}

/// The file and the line of the source at which a preprocessed text ends.
fn position(text: &str) -> (Cow<'_, str>, u32) {
    let (mut file, mut line) = (Cow::default(), 1u32);
    for piece in text.split_inclusive('\n') {
        match LineMarker::parse(piece) {
            Some(marker) => (line, file) = (marker.line, marker.file),
            None => line += u32::from(piece.ends_with('\n')),
        }
    }
    (file, line)
}

fn macros(text: &str) -> BTreeSet<String> {
    let defined = text.lines().filter_map(|l| l.strip_prefix("#define "));
    defined
        .filter_map(|define| identifiers(define.split([' ', '(']).next()?).pop())
        .collect()
}

/// The first word of a line that is a macro, and its offset.
fn first_macro<'a>(line: &'a str, macros: &BTreeSet<String>) -> Option<(usize, &'a str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    for word in line.split(|c| !is_word(c)) {
        if macros.contains(word) {
            return Some((at, word));
        }
        // After the word and the one character that ended it.
        at += word.len();
        at += line[at..].chars().next().map_or(0, char::len_utf8);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macro_of_the_last_line_is_named() {
        let mut sources = SourceMap::new();
        sources.add("k.cl", "#define A b b\n\nint é = A;\n");
        let text = "# 1 \"<built-in>\"\n#define X 1\n# 1 \"k.cl\"\n#define A b b\n\nint é = b b b";
        let diagnostic = too_long(&sources, text);
        assert_eq!(diagnostic.message, "`A` expands to more than 8 MiB");
        let (span, _) = diagnostic.primary.expect("a position");
        assert_eq!(sources.location(span).to_string(), "k.cl:3:9");
    }
}
