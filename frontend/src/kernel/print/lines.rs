//! Output lines, their indentation and the line of the source that each stands for.

use crate::source::{FileId, SourceMap, Span};

use super::wrap::{WIDTH, wrapped};

/// Where `#line` stands in what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineDirectives {
    /// Nowhere.
    None,
    /// Wherever a compiler would otherwise name the wrong line of the source.
    Needed,
}

/// Steps of up to this many lines forward are made with blank lines instead of `#line`.
const MAX_BLANK: u32 = 2;

/// The text written so far.
pub(super) struct Lines<'a> {
    sources: &'a SourceMap,
    directives: LineDirectives,
    out: String,
    indent: usize,
    /// The line that a compiler takes the next written line for.
    next: Option<(FileId, u32)>,
    /// Line ends written when the last item ended.
    item_start: usize,
    /// Something of several lines stands directly above.
    below_body: bool,
    /// The line of the source that the last written line, a simple statement, stands for, and where
    /// it starts in the text.
    joinable: Option<((FileId, u32), usize)>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(sources: &'a SourceMap, directives: LineDirectives) -> Self {
        Lines {
            sources,
            directives,
            out: String::new(),
            indent: 0,
            next: None,
            item_start: 0,
            below_body: false,
            joinable: None,
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn indent(&mut self) {
        self.indent += 1;
        self.joinable = None;
    }

    pub(super) fn dedent(&mut self) {
        self.indent -= 1;
        self.joinable = None;
    }

    /// Columns that the indentation takes.
    pub(super) fn column(&self) -> usize {
        4 * self.indent
    }

    /// Writes a line; line ends in `text` start further lines with the same indentation.
    pub(super) fn line(&mut self, text: &str) {
        self.joinable = None;
        for line in text.split('\n') {
            for (column, part) in wrapped(line, self.column()) {
                if !part.is_empty() {
                    self.out.extend(std::iter::repeat_n(' ', column));
                    self.out.push_str(part);
                }
                self.end_line();
            }
        }
    }

    /// Writes a statement without others inside. With `#line`, statements that share a line of the
    /// source share one here, as far as there is room.
    pub(super) fn simple(&mut self, span: Option<Span>, text: &str) {
        let place = self.wanted(span, 0);
        let room = |start: usize| self.out.len() - start + text.len() <= WIDTH;
        match self.joinable {
            Some((at, start)) if Some(at) == place && room(start) => {
                self.out.pop();
                self.out.push(' ');
                self.out.push_str(text);
                self.out.push('\n');
            }
            _ => {
                self.place(span, 0);
                let start = self.out.len();
                self.line(text);
                let lines = self.out[start..].lines().count();
                self.joinable = place.filter(|_| lines == 1).map(|at| (at, start));
            }
        }
    }

    /// The file and line of a span.
    pub(super) fn source_line(&self, span: Option<Span>) -> Option<(FileId, u32)> {
        let span = span?;
        Some((span.file, self.sources.file(span.file).line(span.start)))
    }

    /// Writes a line one step to the left, as for labels.
    pub(super) fn label_line(&mut self, text: &str) {
        let indent = self.indent;
        self.indent = indent.saturating_sub(1);
        self.line(text);
        self.indent = indent;
    }

    /// Writes a blank line, but not at the start, nor a second one.
    pub(super) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.end_line();
        }
    }

    /// Notes that what follows is another thing at file scope.
    pub(super) fn end_item(&mut self) {
        let written = &self.out[self.item_start..];
        if !written.is_empty() {
            let lines = written.trim_start().lines();
            self.below_body = lines.filter(|line| !line.starts_with('#')).count() > 1;
        }
        self.item_start = self.out.len();
    }

    /// Makes a compiler take the line that is written after `ahead` more ones for the line of `span`.
    pub(super) fn place(&mut self, span: Option<Span>, ahead: usize) {
        if std::mem::take(&mut self.below_body) {
            return self.place_apart(span, ahead);
        }
        let Some((file, line)) = self.wanted(span, ahead) else {
            return;
        };
        if let Some(blanks) = self.blanks_to(file, line) {
            (0..blanks).for_each(|_| self.end_line());
            return;
        }
        self.directive(file, line);
    }

    /// [`Self::place`] for something at file scope that a blank line sets off from what is before.
    pub(super) fn place_apart(&mut self, span: Option<Span>, ahead: usize) {
        self.below_body = false;
        let Some((file, line)) = self.wanted(span, ahead) else {
            return self.blank();
        };
        match self.blanks_to(file, line) {
            Some(blanks) => (0..blanks).for_each(|_| self.end_line()),
            None => {
                self.blank();
                self.directive(file, line);
            }
        }
    }

    fn wanted(&self, span: Option<Span>, ahead: usize) -> Option<(FileId, u32)> {
        let (file, line) =
            self.source_line(span.filter(|_| self.directives == LineDirectives::Needed))?;
        Some((file, line.saturating_sub(ahead as u32).max(1)))
    }

    fn blanks_to(&self, file: FileId, line: u32) -> Option<u32> {
        let (at_file, at_line) = self.next?;
        let blanks = line.checked_sub(at_line)?;
        (file == at_file && blanks <= MAX_BLANK).then_some(blanks)
    }

    fn directive(&mut self, file: FileId, line: u32) {
        let name = &self.sources.file(file).name;
        let name = name
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        self.out.push_str(&format!("#line {line} \"{name}\"\n"));
        self.next = Some((file, line));
    }

    fn end_line(&mut self) {
        self.joinable = None;
        self.out.push('\n');
        if let Some((_, line)) = &mut self.next {
            *line += 1;
        }
    }
}
