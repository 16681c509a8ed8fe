//! Warnings that say the same of several places of a kernel are one warning in a text for people.

use fpgacc_frontend::diag::{Color, Diagnostic, render};
use fpgacc_frontend::source::{SourceMap, Span};

/// The text of warnings, those first that stand first; each says where else the same holds.
pub fn rendered(warnings: Vec<Diagnostic>, sources: &SourceMap, color: Color) -> String {
    let mut text = String::new();
    for (mut warning, others) in gathered(warnings) {
        if !others.is_empty() {
            warning = warning.note(elsewhere(&others, sources));
        }
        text += &render(&warning, sources, color);
    }
    text
}

/// Each warning that says something new, and the places of those that say it again.
fn gathered(warnings: Vec<Diagnostic>) -> Vec<(Diagnostic, Vec<Span>)> {
    let mut all: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
    for warning in warnings {
        let place = warning.primary.as_ref().map(|(span, _)| *span);
        let known = all
            .iter_mut()
            .find(|(first, _)| said(first) == said(&warning));
        match (known, place) {
            (Some((_, others)), Some(place)) => others.push(place),
            _ => all.push((warning, Vec::new())),
        }
    }
    all
}

/// What a warning says, but for where in its file.
fn said(warning: &Diagnostic) -> impl PartialEq + '_ {
    let file = warning.primary.as_ref().map(|(span, _)| span.file);
    (
        &warning.message,
        &warning.notes,
        &warning.helps,
        &warning.option,
        file,
    )
}

/// `the same at 9 more places, in lines 12, 14 to 17`
fn elsewhere(places: &[Span], sources: &SourceMap) -> String {
    let mut lines: Vec<u32> = places
        .iter()
        .map(|place| sources.location(sources.written(*place)).line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let rows: Vec<String> = lines
        .chunk_by(|line, next| line + 1 == *next)
        .map(|row| match row {
            [line] => line.to_string(),
            [line, next] => format!("{line}, {next}"),
            _ => format!("{} to {}", row[0], row[row.len() - 1]),
        })
        .collect();
    let count = match places.len() {
        1 => "1 more place".to_string(),
        more => format!("{more} more places"),
    };
    let word = if lines.len() == 1 { "line" } else { "lines" };
    format!("the same at {count}, in {word} {}", rows.join(", "))
}
