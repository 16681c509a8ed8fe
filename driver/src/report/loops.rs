//! Loops by name, and where they are in the rewritten text.

use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_performance_model::LoopReport;

use super::data::{Line, Unrolled};
use super::excerpt;
use super::position::position;

/// Characters of a condition that a name may have.
const MOST: usize = 32;

/// Where a version's loops are in its rewritten lines.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// The line of each loop in hardware, by its index among the lines; nothing, if they cannot be distinguished.
    pub at: Vec<usize>,
    /// The lines of loops that are unrolled whole.
    pub unrolled: Vec<usize>,
}

impl Found {
    /// The loops that are unrolled whole, by name. `spans`: where all loops of the version are from, in their order.
    pub fn unrolled(
        &self,
        lines: &[Line],
        spans: &[Option<Span>],
        sources: &SourceMap,
    ) -> Vec<Unrolled> {
        let all = excerpt::all_loops(lines);
        let span = |line: usize| {
            let at = all.iter().position(|one| *one == line)?;
            spans.get(at).filter(|_| all.len() == spans.len())
        };
        let named = |at: &usize| {
            let span = span(*at);
            Some(Unrolled {
                name: name(&lines[*at].text)?,
                rewritten_line: lines[*at].number?,
                position: span.and_then(|span| Some(position(sources, (*span)?))),
                is_made: span == Some(&None),
            })
        };
        self.unrolled.iter().filter_map(named).collect()
    }
}

/// The name of a loop by the text that it starts with: `for i`, `while (n > 0)`.
pub fn name(text: &str) -> Option<String> {
    let text = text.trim_start();
    if let Some(head) = text.strip_prefix("for") {
        let head = head.trim_start().strip_prefix('(')?;
        let counter = head.split(['=', ';']).next()?.trim();
        let counter = counter.rsplit([' ', '*']).next().unwrap_or(counter);
        return Some(match counter.is_empty() {
            true => "for (;;)".to_string(),
            false => format!("for {counter}"),
        });
    }
    if let Some(head) = text.strip_prefix("while") {
        let condition: String = head
            .trim()
            .trim_end_matches('{')
            .trim()
            .chars()
            .take(MOST)
            .collect();
        return Some(format!("while {condition}"));
    }
    let is_do = text == "do" || text.starts_with("do ") || text.starts_with("do{");
    is_do.then(|| "do .. while".to_string())
}

/// The name of a loop of the user's.
pub fn source_name(sources: &SourceMap, span: Span) -> Option<String> {
    let text = sources.file(span.file).text.as_ref();
    let rest = text.get(span.start as usize..)?;
    name(rest.lines().next()?)
}

/// Finds the loops of a version among its lines: those of the source by their names, those that fpgacc made by
/// their order. A loop that the model does not report is unrolled whole, be it that the text or aoc does so.
pub fn find(lines: &[Line], reports: &[LoopReport], sources: &SourceMap) -> Found {
    let mut found = Found::default();
    for (at, asked_whole) in excerpt::loops(lines) {
        let next = reports.get(found.at.len());
        let own = next
            .and_then(|report| report.span)
            .and_then(|span| source_name(sources, span));
        let is_next = match (next, own) {
            (None, _) => false,
            (Some(report), None) => report.span.is_none(),
            (_, Some(own)) => name(&lines[at].text).is_some_and(|name| name == own),
        };
        match is_next && !asked_whole {
            true => found.at.push(at),
            false => found.unrolled.push(at),
        }
    }
    match found.at.len() == reports.len() {
        true => found,
        false => Found::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_have_names() {
        for (text, expected) in [
            ("  for (int i = 0; i < n; i++)", "for i"),
            ("for(size_t j=0;;)", "for j"),
            ("for (__global int *p = a; *p; p++)", "for p"),
            ("for (; i < n;) {", "for (;;)"),
            ("while (n > 0) {", "while (n > 0)"),
            ("do {", "do .. while"),
        ] {
            assert_eq!(name(text).as_deref(), Some(expected));
        }
        assert_eq!(name("double x = 1;"), None);
    }
}
