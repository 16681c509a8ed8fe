//! Output lines, their indentation and the line of the source that each stands for.

use crate::source::{FileId, SourceMap, Span};

/// Steps of up to this many lines forward are made with blank lines instead of `#line`.
const MAX_BLANK: u32 = 2;

/// The text written so far.
pub(super) struct Lines<'a> {
    sources: &'a SourceMap,
    directives: bool,
    out: String,
    indent: usize,
    /// The line that a compiler takes the next written line for.
    next: Option<(FileId, u32)>,
    /// Line ends written when the last item ended.
    item_start: usize,
    /// Something of several lines stands directly above.
    below_body: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(sources: &'a SourceMap, directives: bool) -> Self {
        Lines {
            sources,
            directives,
            out: String::new(),
            indent: 0,
            next: None,
            item_start: 0,
            below_body: false,
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn indent(&mut self) {
        self.indent += 1;
    }

    pub(super) fn dedent(&mut self) {
        self.indent -= 1;
    }

    /// Columns that the indentation takes.
    pub(super) fn column(&self) -> usize {
        4 * self.indent
    }

    /// Writes a line; line ends in `text` start further lines with the same indentation.
    pub(super) fn line(&mut self, text: &str) {
        for line in text.split('\n') {
            if !line.is_empty() {
                self.out.extend(std::iter::repeat_n(' ', self.column()));
                self.out.push_str(line);
            }
            self.end_line();
        }
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
        let span = span.filter(|_| self.directives)?;
        let line = self.sources.file(span.file).line(span.start);
        Some((span.file, line.saturating_sub(ahead as u32).max(1)))
    }

    fn blanks_to(&self, file: FileId, line: u32) -> Option<u32> {
        let (at_file, at_line) = self.next?;
        let blanks = line.checked_sub(at_line)?;
        (file == at_file && blanks <= MAX_BLANK).then_some(blanks)
    }

    fn directive(&mut self, file: FileId, line: u32) {
        let name = &self.sources.file(file).name;
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        self.out.push_str(&format!("#line {line} \"{name}\"\n"));
        self.next = Some((file, line));
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        if let Some((_, line)) = &mut self.next {
            *line += 1;
        }
    }
}
