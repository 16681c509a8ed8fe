//! Source files and positions in them.
//!
//! Every file that fpgacc reads for the user is registered once in a [`SourceMap`]; everything
//! else refers to it by a [`Span`]. This module does no I/O: the driver reads the bytes.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// A half-open range of bytes in one file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds `self` and `other`; `self` if they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A position for people: a file's name, and a line and a column that count from 1. Line 0: the name
/// is all that is known (of a recorded call, an address in the program).
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Location {
    /// The name under which the user gave the file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Location {
    /// The position of a character.
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Self {
        let file = file.into();
        Location { file, line, column }
    }

    /// Whether this, which a run recorded, is that place of a text: programs may run in another folder than the
    /// compiler. A text that is in no file is [`TEXT`].
    pub fn is_same_position(&self, own: &Location) -> bool {
        let name = |at: &Location| Path::new(&at.file).file_name().map(OsStr::to_os_string);
        let same_file = self.file == TEXT || name(self) == name(own);
        same_file && (self.line, self.column) == (own.line, own.column)
    }
}

/// The name that recordings give a text that is in no file.
pub const TEXT: &str = "<text>";

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

/// One registered file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name under which the user, or an `#include`, gave the file.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
    within: Option<Within>,
}

/// Where a text stands in another file, such as a string of a host.
#[derive(Clone, Debug)]
struct Within {
    file: FileId,
    /// Where it starts there.
    start: u32,
    /// Offsets in the text and in the file, ascending: one wherever their distance changes. Empty: only the start is
    /// known.
    runs: Vec<(u32, u32)>,
}

impl Within {
    /// Where in the file the byte at `offset` of the text is.
    fn offset(&self, offset: u32) -> Option<u32> {
        let after = self.runs.partition_point(|(own, _)| *own <= offset);
        let (own, there) = self.runs.get(after.checked_sub(1)?)?;
        Some(there + (offset - own))
    }
}

impl SourceFile {
    fn new(name: String, text: Arc<str>) -> Self {
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1))
            .collect();
        SourceFile {
            name,
            text,
            line_starts,
            within: None,
        }
    }

    /// The line, from 1, that holds the byte at `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    /// The byte range of line `line` (from 1), without its line end; `None` beyond the last line.
    pub fn line_range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.line_starts.get(index)? as usize;
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |&next| next as usize - 1);
        Some(start..end)
    }
}

/// A file's text without the byte order mark that some editors put in front: it is no part of what
/// is compiled, and takes no column.
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// All source files of one run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a file; the same name and text give the same id again.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let (name, text) = (name.into(), text.into());
        if let Some(at) = self
            .files
            .iter()
            .position(|f| f.name == name && f.text == text)
        {
            return FileId(at as u32);
        }
        self.files.push(SourceFile::new(name, text));
        FileId(self.files.len() as u32 - 1)
    }

    /// The file of an id of this map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The first file with this name.
    pub fn find(&self, name: &str) -> Option<FileId> {
        let at = self.files.iter().position(|f| f.name == name)?;
        Some(FileId(at as u32))
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text[span.start as usize..span.end as usize]
    }

    /// Where a span starts, for people.
    pub fn location(&self, span: Span) -> Location {
        let file = self.file(span.file);
        let line = file.line(span.start);
        let from = file.line_range(line).map_or(0, |range| range.start);
        let column = file.text[from..span.start as usize].chars().count() as u32 + 1;
        Location {
            file: file.name.clone(),
            line,
            column,
        }
    }

    /// Says where a text stands: from `at` on, its bytes where `runs` (pairs of offsets in the text and in the file,
    /// ascending, one wherever their distance changes) has them. Without runs, only the start is known.
    pub fn place(&mut self, text: FileId, at: Span, runs: Vec<(u32, u32)>) {
        self.files[text.0 as usize].within = Some(Within {
            file: at.file,
            start: at.start,
            runs,
        });
    }

    /// The same place in the file in which the user wrote it, where the span's own file is a text of which
    /// [`place`](Self::place) said where it stands.
    pub fn written(&self, span: Span) -> Span {
        let placed = self.file(span.file).within.as_ref().and_then(|within| {
            let start = within.offset(span.start)?;
            let last = within.offset(span.end.max(span.start + 1) - 1)?;
            let end = if span.end > span.start {
                last + 1
            } else {
                start
            };
            let file = within.file;
            Some(Span { file, start, end })
        });
        placed.unwrap_or(span)
    }

    /// Where the user finds a span: in a file, at least the start of the text that has it.
    pub fn nearest(&self, span: Span) -> Span {
        let written = self.written(span);
        match &self.file(written.file).within {
            Some(within) => Span {
                file: within.file,
                start: within.start,
                end: within.start,
            },
            None => written,
        }
    }

    /// The span of a position; `None`: the file has no such line, or the line no such column.
    pub fn span_at(&self, at: &Location) -> Option<Span> {
        let id = self.find(&at.file)?;
        let file = self.file(id);
        let line = file.line_range(at.line)?;
        let before = usize::try_from(at.column).ok()?.checked_sub(1)?;
        let mut columns = file.text[line.clone()].char_indices().map(|(at, _)| at);
        let start = (line.start + columns.nth(before)?) as u32;
        Some(Span {
            file: id,
            start,
            end: start,
        })
    }

    /// The span of line `line` (from 1) of a file, without leading blanks; the file's end if it is
    /// shorter.
    pub fn line_span(&self, id: FileId, line: u32) -> Span {
        let file = self.file(id);
        let end = file.text.len();
        let range = file.line_range(line).unwrap_or(end..end);
        let text = &file.text[range.clone()];
        let blank = text.len() - text.trim_start().len();
        Span {
            file: id,
            start: (range.start + blank) as u32,
            end: (range.start + blank.max(text.trim_end().len())) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_within_a_file_has_its_places_there() {
        let mut map = SourceMap::new();
        let host = map.add("h.c", "x = \"a\\n\"\n  \"bc\";\n");
        let text = map.add("h.c:1", "a\nbc");
        let span = |start, end| Span {
            file: text,
            start,
            end,
        };
        let at = map.span_at(&Location::new("h.c", 1, 5)).unwrap();
        map.place(text, at, Vec::new());
        assert_eq!(map.written(span(2, 3)), span(2, 3));
        assert_eq!(map.location(map.nearest(span(2, 3))).to_string(), "h.c:1:5");
        map.place(text, at, vec![(0, 5), (2, 13)]);
        let written = map.written(span(3, 4));
        assert_eq!((written.file, map.text(written)), (host, "c"));
        assert_eq!(map.location(map.nearest(span(2, 3))).to_string(), "h.c:2:4");
        assert_eq!(map.written(span(2, 2)).end, 13);
        assert_eq!(map.span_at(&Location::new("h.c", 9, 1)), None);
    }

    #[test]
    fn positions_count_from_one_and_in_characters() {
        let mut map = SourceMap::new();
        let file = map.add("k.cl", "int a;\n  é b;\n");
        let span = Span {
            file,
            start: 12,
            end: 13,
        };
        assert_eq!(map.text(span), "b");
        assert_eq!(map.location(span).to_string(), "k.cl:2:5");
        assert_eq!(map.text(map.line_span(file, 2)), "é b;");
        assert_eq!(map.text(map.line_span(file, 9)), "");
    }
}
