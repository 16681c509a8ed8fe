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
}

impl Note {
    /// A note about a position.
    pub fn new(text: impl Into<String>, span: Option<Span>) -> Self {
        Note {
            text: text.into(),
            span,
            also: Vec::new(),
        }
    }
}
