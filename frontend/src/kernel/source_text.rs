//! One preprocessed text with its tokens and their positions: what all later stages look things up in.

use lang_c::span::Span as SyntaxSpan;

use super::prepass::Prepass;
use super::token::{TokenKind, text_of};
use crate::source::Span;

/// A half-open range of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tokens {
    pub from: usize,
    pub to: usize,
}

/// A preprocessed text.
#[derive(Debug)]
pub(super) struct SourceText<'a> {
    pub text: &'a str,
    pub prepass: Prepass,
    /// Places in the user's text, beside the tokens.
    pub spans: Vec<Span>,
    /// Where each token starts in the text for lang-c.
    pub starts: Vec<u32>,
}

impl SourceText<'_> {
    /// The text of a token; empty after the last one.
    pub fn word(&self, token: usize) -> &str {
        self.prepass
            .tokens
            .get(token)
            .map_or("", |token| text_of(self.text, token))
    }

    /// The kind of a token.
    pub fn kind(&self, token: usize) -> Option<TokenKind> {
        self.prepass.tokens.get(token).map(|token| token.kind)
    }

    /// The tokens of a syntax node.
    pub fn tokens(&self, span: SyntaxSpan) -> Tokens {
        let after = |offset: usize| self.starts.partition_point(|&s| (s as usize) < offset);
        let inside = |offset: usize| self.starts.partition_point(|&s| (s as usize) <= offset);
        let from = inside(span.start).saturating_sub(1);
        Tokens {
            from,
            to: after(span.end).max(from + 1).min(self.starts.len().max(1)),
        }
    }

    /// The user's text of a range of tokens.
    pub fn span_of(&self, tokens: Tokens) -> Option<Span> {
        let first = *self.spans.get(tokens.from)?;
        let last = self.spans.get(tokens.to.checked_sub(1)?).copied();
        Some(last.map_or(first, |last| first.to(last)))
    }

    /// The user's text of a syntax node.
    pub fn span(&self, span: SyntaxSpan) -> Option<Span> {
        self.span_of(self.tokens(span))
    }

    /// The user's text of one token.
    pub fn token_span(&self, token: usize) -> Option<Span> {
        self.spans.get(token).copied()
    }
}
