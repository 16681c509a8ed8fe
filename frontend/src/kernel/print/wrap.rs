//! Long lines of code, broken where people break them.

/// Columns beyond which parameter lists and initialisers are broken into lines.
pub(super) const WIDTH: usize = 100;

/// Columns that continued lines stand further right.
const CONTINUED: usize = 8;

/// The lines that a line of code becomes at this indentation, each with the columns before it. It is
/// broken after operators and commas, outside of inner parentheses if possible. Lines of the
/// preprocessor and comments stay whole.
pub(super) fn wrapped(text: &str, indent: usize) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let (mut rest, mut column) = (text, indent);
    if !text.starts_with('#') && !text.starts_with("//") {
        while column + rest.len() > WIDTH {
            let Some(at) = break_at(rest, WIDTH.saturating_sub(column)) else {
                break;
            };
            lines.push((column, &rest[..at]));
            rest = &rest[at + 1..];
            column = indent + CONTINUED;
        }
    }
    lines.push((column, rest));
    lines
}

/// The blank at which to break a line, so that at most `limit` columns stand before it if that can be.
fn break_at(text: &str, limit: usize) -> Option<usize> {
    let blanks = blanks(text);
    let within = |from: usize| {
        let fitting = blanks
            .iter()
            .filter(move |(at, _)| (from..=limit).contains(at));
        // The last of the outermost ones.
        fitting.min_by_key(|(at, depth)| (*depth, usize::MAX - at))
    };
    let blank = within(limit / 2)
        .or_else(|| within(0))
        .or_else(|| blanks.first());
    blank.map(|(at, _)| *at)
}

/// The blanks after operators and commas, each with the number of parentheses open there.
fn blanks(text: &str) -> Vec<(usize, usize)> {
    let mut blanks = Vec::new();
    let mut depth = 0usize;
    let mut quote = None;
    let mut before = b' ';
    let mut escaped = false;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if byte == b'\\' => escaped = true,
            Some(end) if byte == end => quote = None,
            Some(_) => {}
            None => match byte {
                b'"' | b'\'' => quote = Some(byte),
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b' ' if b",;+-*/%<>=!&|^?:".contains(&before) => blanks.push((at, depth)),
                _ => {}
            },
        }
        before = byte;
    }
    blanks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_after_operators_outside_of_parentheses() {
        let sum = format!("x = f({0}, {0}) + g({0}, {0});", "long_name".repeat(3));
        let lines = wrapped(&sum, 4);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].1.ends_with(") +"), "{lines:?}");
        assert!(lines[1].1.starts_with("g("), "{lines:?}");
        assert_eq!((lines[0].0, lines[1].0), (4, 12));
    }

    #[test]
    fn literals_comments_and_words_without_blanks_stay_whole() {
        let text = format!("printf(\"{}\");", "a, b, ".repeat(30));
        assert_eq!(wrapped(&text, 0), [(0, text.as_str())]);
        let comment = format!("// {}", "a, b, ".repeat(30));
        assert_eq!(wrapped(&comment, 0).len(), 1);
        let name = "x".repeat(200);
        assert_eq!(wrapped(&name, 0).len(), 1);
    }
}
