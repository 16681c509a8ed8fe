//! The lines of one kernel, out of the user's text and out of the rewritten one.

use fpgacc_frontend::source::{SourceMap, Span};

use super::data::Line;
use super::position::position;

/// The user's own lines of a function, `name` being the span of its name: from the line on which its
/// declaration starts to the brace that closes it.
pub fn original(sources: &SourceMap, name: Span) -> Vec<Line> {
    let file = sources.file(name.file);
    let text = file.text.as_ref();
    let first = file.line(declaration_start(text, name.start as usize) as u32);
    let last = file.line(closing_brace(text, name.end as usize) as u32);
    let lines = (first..=last).filter_map(|number| {
        let range = file.line_range(number)?;
        let start = Span {
            file: name.file,
            start: range.start as u32,
            end: range.start as u32,
        };
        Some(Line {
            number: Some(position(sources, start).line),
            changed: false,
            text: text[range].trim_end_matches('\r').to_string(),
            marks: Vec::new(),
        })
    });
    lines.collect()
}

/// After what stands before a declaration: a brace, a semicolon or a directive.
fn declaration_start(text: &str, name: usize) -> usize {
    let before = text[..name].rfind(['}', ';', '#']).map_or(0, |at| {
        // A directive ends with its line.
        match text.as_bytes()[at] {
            b'#' => text[at..].find('\n').map_or(at, |end| at + end + 1),
            _ => at + 1,
        }
    });
    let from = before.min(name);
    let blank = text[from..name].len() - text[from..name].trim_start().len();
    // Comments above belong to it; those of other things in the same line do not.
    from + blank
}

/// The brace that closes the first one after `from`.
fn closing_brace(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if text[at..].starts_with("//") => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b'/' if text[at..].starts_with("/*") => {
                at += text[at + 2..]
                    .find("*/")
                    .map_or(text.len() - at, |end| end + 4);
                continue;
            }
            quote @ (b'"' | b'\'') => at = string_end(bytes, at, quote),
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The quote that ends the string or character that starts at `at`.
fn string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != quote && bytes[end] != b'\n' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    end
}

/// The lines of a function of this name in a text that fpgacc printed, with the comments above it, numbered as in it.
pub fn rewritten(printed: &str, name: &str) -> Vec<Line> {
    let lines: Vec<&str> = printed.lines().collect();
    let head = format!(" {name}(");
    let is_head = |line: &&str| line.starts_with("__kernel") && line.contains(&head);
    let Some(at) = lines.iter().position(is_head) else {
        return Vec::new();
    };
    let above = |line: &str| line.starts_with("//") || line.starts_with("__attribute__");
    let first = (0..at)
        .rev()
        .take_while(|&at| above(lines[at]))
        .last()
        .unwrap_or(at);
    let last = (at..lines.len())
        .find(|&at| lines[at] == "}")
        .unwrap_or(lines.len() - 1);
    let numbered = (first..=last).map(|at| Line {
        number: Some(at as u32 + 1),
        changed: false,
        text: lines[at].to_string(),
        marks: Vec::new(),
    });
    numbered.collect()
}

/// The positions of loops in printed lines, without those that are one loop with the one around; and whether
/// they are to be unrolled whole.
pub fn loops(lines: &[Line]) -> Vec<(usize, bool)> {
    let pragmas = |at: usize| {
        let above = lines[..at].iter().rev().map(|line| line.text.trim());
        above.map_while(|text| text.strip_prefix("#pragma "))
    };
    let mut joined = 0_u64;
    let mut found = Vec::new();
    for at in all_loops(lines) {
        if joined > 0 {
            joined -= 1;
            continue;
        }
        let is_whole = pragmas(at).any(|pragma| pragma == "unroll");
        found.push((at, is_whole));
        let asked = pragmas(at).find_map(|pragma| pragma.strip_prefix(COALESCE));
        joined = asked.and_then(|n| n.parse::<u64>().ok()).unwrap_or(1) - 1;
    }
    found
}

/// The indices of the lines in which loops start.
pub fn all_loops(lines: &[Line]) -> Vec<usize> {
    let is_loop = |text: &str| {
        let text = text.trim_start();
        ["for (", "while (", "do {"]
            .iter()
            .any(|start| text.starts_with(start))
    };
    let all = 0..lines.len();
    all.filter(|&at| is_loop(&lines[at].text)).collect()
}

/// Before the number of loops that become one.
const COALESCE: &str = "loop_coalesce ";

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn a_kernel_ends_with_its_own_brace() {
        let text = "int f(void) { return 1; }\n\n// doubles\n__kernel\nvoid k(__global int *a)\n{\n  \
                    /* } */ char c = '}'; // }\n  if (c) { a[0] = \"}\"[0]; }\n}\nint g;\n";
        let mut sources = SourceMap::new();
        let file = sources.add("k.cl", text);
        let start = text.find("k(").unwrap() as u32;
        let span = Span {
            file,
            start,
            end: start + 1,
        };
        let lines = original(&sources, span);
        assert_eq!(lines.first().map(|line| line.number), Some(Some(3)));
        assert_eq!(lines.last().map(|line| line.number), Some(Some(9)));
        assert_eq!(texts(&lines)[0], "// doubles");
    }

    #[test]
    fn versions_are_found_with_their_comments() {
        let printed = "int f(void) {\n}\n\n// restrict: yes\n__attribute__((x))\n__kernel void k(int \
                       n) {\n    #pragma unroll\n    for (;;) {\n    }\n    while (n) {\n    }\n}\n\n\
                       __kernel void k2(int n) {\n}\n";
        let lines = rewritten(printed, "k");
        assert_eq!(texts(&lines)[0], "// restrict: yes");
        assert_eq!(lines[0].number, Some(4));
        assert_eq!(lines.len(), 9);
        assert_eq!(loops(&lines), [(4, true), (6, false)]);
        assert_eq!(
            texts(&rewritten(printed, "k2"))[0],
            "__kernel void k2(int n) {"
        );
        assert!(rewritten(printed, "f").is_empty());
    }

    #[test]
    fn loops_that_become_one_are_one() {
        let printed = "__kernel void k(int n) {\n    #pragma ivdep\n    #pragma loop_coalesce 2\n    \
                       for (;;) {\n        #pragma ivdep\n        for (;;) {\n            for (;;) {\n \
                       }}}\n    for (;;) {\n    }\n}\n";
        let lines = rewritten(printed, "k");
        assert_eq!(loops(&lines), [(3, false), (6, false), (8, false)]);
    }
}
