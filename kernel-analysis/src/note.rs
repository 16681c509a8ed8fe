//! Sentences about positions in kernels.

use fpgacc_frontend::source::Span;

/// A sentence about a rewrite, and the position that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One line, lower case, without a full stop.
    pub text: String,
    /// Where; the kernel's name if `None`.
    pub span: Option<Span>,
    /// Further positions with a label each, such as the other end of a dependence.
    pub also: Vec<(Span, String)>,
    /// What a form of the kernel in which this was done is called by, such as `windows, 8 at a time`; `None`: forms do not
    /// differ in it.
    pub form: Option<String>,
}

impl Note {
    /// A note about a position.
    pub fn new(text: impl Into<String>, span: Option<Span>) -> Self {
        Note {
            text: text.into(),
            span,
            also: Vec::new(),
            form: None,
        }
    }

    /// The note, of what a form is called by.
    #[must_use]
    pub fn names_form(mut self, words: impl Into<String>) -> Self {
        self.form = Some(words.into());
        self
    }
}
