//! Diagnostics: errors, warnings and remarks with positions, rendered in one position.
//!
//! The first line has the shape that editors and CI know from C compilers,
//! `file:line:col: error: message`; the source lines with carets follow.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::source::{SourceMap, Span};

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Told on request (`-Rpass`, `-Rpass-missed`).
    Remark,
    /// The output is right, but perhaps not what was meant.
    Warning,
    /// No output is made.
    Error,
}

impl Severity {
    /// The word that is printed.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Remark => "remark",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One line, lower case, without a full stop.
    pub message: String,
    /// The position at fault and what stands there.
    pub primary: Option<(Span, String)>,
    /// Further positions.
    pub secondary: Vec<(Span, String)>,
    /// Why it is so.
    pub notes: Vec<String>,
    /// The way out.
    pub helps: Vec<String>,
    /// The option that turns a warning off or a remark on, such as `-Rpass=restrict`.
    pub option: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a position.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            option: None,
        }
    }

    /// The error of a library, in its own words.
    pub fn because(error: impl std::fmt::Display) -> Self {
        Diagnostic::error(error.to_string())
    }

    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// A remark.
    pub fn remark(message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, message)
    }

    /// Sets the position at fault.
    pub fn at(mut self, span: Span) -> Self {
        self.primary = Some((span, String::new()));
        self
    }

    /// Adds a further position.
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push((span, label.into()));
        self
    }

    /// Adds a reason.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a way out.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// Names the option that governs this diagnostic.
    pub fn option(mut self, text: impl Into<String>) -> Self {
        self.option = Some(text.into());
        self
    }
}

/// Whether rendered text holds terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Plain text.
    Never,
    /// With ANSI escape sequences.
    Always,
}

/// Renders a diagnostic as text that ends with a line end. A diagnostic without a position starts
/// with `fpgacc: `.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: Color) -> String {
    let mut out = headline(diagnostic, sources, color);
    if let Some(snippets) = snippets(&as_written(diagnostic, sources), sources, color) {
        out.push_str(&snippets);
        out.push('\n');
    }
    for note in &diagnostic.notes {
        out.push_str(&format!("  note: {note}\n"));
    }
    for help in &diagnostic.helps {
        out.push_str(&format!("  help: {help}\n"));
    }
    out
}

/// Its positions in the files that the user wrote, as far as they are known.
fn as_written(diagnostic: &Diagnostic, sources: &SourceMap) -> Diagnostic {
    let mut written = diagnostic.clone();
    let spans = written.primary.iter_mut().chain(&mut written.secondary);
    for (span, _) in spans {
        *span = sources.written(*span);
    }
    written
}

fn headline(diagnostic: &Diagnostic, sources: &SourceMap, color: Color) -> String {
    let position = match diagnostic.primary {
        Some((span, _)) => sources.location(sources.nearest(span)).to_string(),
        None => "fpgacc".to_string(),
    };
    let (on, off) = match (color, diagnostic.severity) {
        (Color::Never, _) => ("", ""),
        (Color::Always, Severity::Error) => ("\x1b[1;31m", "\x1b[0m"),
        (Color::Always, Severity::Warning) => ("\x1b[1;35m", "\x1b[0m"),
        (Color::Always, Severity::Remark) => ("\x1b[1;34m", "\x1b[0m"),
    };
    let option = match &diagnostic.option {
        Some(option) => format!(" [{option}]"),
        None => String::new(),
    };
    format!(
        "{position}: {on}{}{off}: {}{option}\n",
        diagnostic.severity.name(),
        diagnostic.message
    )
}

fn snippets(diagnostic: &Diagnostic, sources: &SourceMap, color: Color) -> Option<String> {
    let (primary, label) = diagnostic.primary.as_ref()?;
    let mut by_file = vec![(
        primary.file,
        vec![(AnnotationKind::Primary, *primary, label.as_str())],
    )];
    for (span, label) in &diagnostic.secondary {
        let entry = (AnnotationKind::Context, *span, label.as_str());
        match by_file.iter_mut().find(|(file, _)| *file == span.file) {
            Some((_, entries)) => entries.push(entry),
            None => by_file.push((span.file, vec![entry])),
        }
    }
    let group = Group::with_level(Level::ERROR).elements(by_file.iter().map(|(file, entries)| {
        let file = sources.file(*file);
        // Only the lines in question go to the renderer, so that its cost does not grow with the file.
        let first = entries
            .iter()
            .map(|(_, s, _)| file.line(s.start))
            .min()
            .unwrap_or(1);
        let last = entries
            .iter()
            .map(|(_, s, _)| file.line(s.end))
            .max()
            .unwrap_or(first);
        let from = file.line_range(first).map_or(0, |r| r.start);
        let to = file.line_range(last).map_or(file.text.len(), |r| r.end);
        // The renderer would show the carriage return of a DOS line end as a symbol of its own.
        Snippet::source(file.text[from..to].replace('\r', " "))
            .path(file.name.as_str())
            .line_start(first as usize)
            .annotations(entries.iter().map(move |(kind, span, label)| {
                let start = span.start as usize - from;
                let end = (span.end as usize).clamp(from + start, to) - from;
                let annotation = kind.span(start..end);
                if label.is_empty() {
                    annotation
                } else {
                    annotation.label(*label)
                }
            }))
    }));
    let renderer = match color {
        Color::Never => Renderer::plain(),
        Color::Always => Renderer::styled(),
    };
    Some(renderer.render(&[group]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_has_the_shape_that_editors_know() {
        let mut sources = SourceMap::new();
        let file = sources.add("k.cl", "kernel void f() {\n  int x = y;\n}\n");
        let at = |start, end| Span { file, start, end };
        let text = render(
            &Diagnostic::error("`y` is not declared")
                .at(at(28, 29))
                .also(at(20, 23), "in this declaration")
                .help("declare it before its use"),
            &sources,
            Color::Never,
        );
        assert_eq!(
            text.lines().next(),
            Some("k.cl:2:11: error: `y` is not declared")
        );
        assert!(text.contains("2 |   int x = y;"), "{text}");
        assert!(text.contains("  |   ---     ^\n"), "{text}");
        assert!(text.contains("in this declaration\n"), "{text}");
        assert!(
            text.ends_with("  help: declare it before its use\n"),
            "{text}"
        );
    }
}
