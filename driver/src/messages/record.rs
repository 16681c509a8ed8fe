//! Messages as data, for the formats that machines read: fpgacc's own, and those of compilers, taken from their text.

use fpgacc_frontend::diag::{Diagnostic, Severity};
use fpgacc_frontend::source::{SourceMap, Span};

/// Where something stands in a text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The file, as it was named.
    pub file: String,
    /// Where it starts: line and column.
    pub start: (u32, u32),
    /// The column after its end, and that column's line; `None`: only the start is known.
    pub end: Option<(u32, u32)>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// `error`, `warning`, `remark` or `note`.
    pub kind: &'static str,
    /// One line, as a rule.
    pub message: String,
    /// The option that turns it off or on.
    pub option: Option<String>,
    /// What it is about.
    pub position: Option<Extent>,
    /// Further positions, with what is there, and notes and ways out, which have none.
    pub children: Vec<(Option<Extent>, String)>,
}

impl Record {
    /// A diagnostic of fpgacc's own.
    pub fn of(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let position = |span: Span| position_of(span, sources);
        let others = diagnostic.secondary.iter();
        let mut children: Vec<_> = others
            .map(|(span, label)| (Some(position(*span)), label.clone()))
            .collect();
        let rest = diagnostic.notes.iter().chain(&diagnostic.helps);
        children.extend(rest.map(|text| (None, text.clone())));
        Record {
            kind: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Remark => "remark",
            },
            message: diagnostic.message.clone(),
            option: diagnostic.option.clone(),
            position: diagnostic.primary.as_ref().map(|(span, _)| position(*span)),
            children,
        }
    }

    /// What a compiler printed: a record for each line of the shape `file:line:column: kind: text`. A note belongs to
    /// the message before it. Lines of other shapes (excerpts, carets, in which function it is) are left out; a text
    /// that has nothing else is one note.
    pub fn of_text(text: &str) -> Vec<Self> {
        let mut found: Vec<Record> = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let Some(record) = of_line(line) else {
                continue;
            };
            match found.last_mut().filter(|_| record.kind == "note") {
                Some(before) => before.children.push((record.position, record.message)),
                None => found.push(record),
            }
        }
        match found.is_empty() {
            true => vec![Record::note(text)],
            false => found,
        }
    }

    fn note(text: &str) -> Self {
        Record {
            kind: "note",
            message: text.trim().to_string(),
            option: None,
            position: None,
            children: Vec::new(),
        }
    }
}

fn position_of(span: Span, sources: &SourceMap) -> Extent {
    let span = sources.nearest(span);
    let start = sources.location(span);
    let end = sources.location(Span {
        start: span.end,
        ..span
    });
    Extent {
        file: start.file,
        start: (start.line, start.column),
        end: Some((end.line, end.column)),
    }
}

/// `file:line:column: kind: text [-Woption]`.
fn of_line(line: &str) -> Option<Record> {
    const KINDS: [(&str, &str); 5] = [
        (": fatal error: ", "error"),
        (": error: ", "error"),
        (": warning: ", "warning"),
        (": remark: ", "remark"),
        (": note: ", "note"),
    ];
    let first =
        |(words, kind): &(&str, &'static str)| Some((line.find(words)?, words.len(), *kind));
    let (at, length, kind) = KINDS.iter().filter_map(first).min()?;
    let (position, text) = (&line[..at], &line[at + length..]);
    let (text, option) = match text
        .strip_suffix(']')
        .and_then(|text| text.rsplit_once(" ["))
    {
        Some((text, option)) if option.starts_with('-') => (text, Some(option.to_string())),
        _ => (text, None),
    };
    let mut parts = position.rsplitn(3, ':');
    let numbers = [parts.next(), parts.next()].map(|part| part?.parse().ok());
    let position = match (parts.next(), numbers) {
        (Some(file), [Some(column), Some(line)]) => Some(Extent {
            file: file.to_string(),
            start: (line, column),
            end: None,
        }),
        _ => None,
    };
    Some(Record {
        kind,
        message: text.to_string(),
        option,
        position,
        children: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_prints_is_taken_apart() {
        let text = "In file included from b.h:1,\n\
                    a.c:3:7: warning: unused variable 'x' [-Wunused-variable]\n\
                    \x20   3 |   int x;\n\
                    \x20     |       ^\n\
                    b.h:9:1: note: declared here\n\
                    cc1: error: no memory\n";
        let found = Record::of_text(text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].message, "unused variable 'x'");
        assert_eq!(found[0].option.as_deref(), Some("-Wunused-variable"));
        let position = found[0].position.as_ref().expect("a position");
        assert_eq!((position.file.as_str(), position.start), ("a.c", (3, 7)));
        assert_eq!(found[0].children.len(), 1);
        assert_eq!(
            (found[1].kind, found[1].message.as_str()),
            ("error", "no memory")
        );
        assert!(found[1].position.is_none());
        let noise = Record::of_text("ld: no\n");
        assert_eq!(
            (noise[0].kind, noise[0].message.as_str()),
            ("note", "ld: no")
        );
    }
}
