//! Where the macros are defined at whose uses something is wrong.

use super::macros::{Definition, Macros};
use super::positions::Files;
use super::token::{TokenKind, text_of, tokens_of};
use crate::diag::Diagnostic;
use crate::source::{SourceMap, Span};

/// Definitions that use one another are followed so deep.
const MAX_DEPTH: usize = 8;

/// The macros of a text, and the files that define them.
pub(super) struct Notes<'a> {
    pub macros: &'a Macros,
    pub files: &'a Files,
    pub sources: &'a SourceMap,
}

impl Notes<'_> {
    /// A diagnostic at the use of a macro says where the macro is defined, or which of its arguments
    /// is meant.
    pub fn explain(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let Some((name, whole)) = self.used(&diagnostic) else {
            return diagnostic;
        };
        let wrong = named(&diagnostic.message);
        let arguments = Span {
            start: whole.start + name.len() as u32,
            ..whole
        };
        if let Some(word) = wrong
            && let Some(argument) = self.find(arguments, word)
        {
            diagnostic.primary = Some((argument, String::new()));
            return diagnostic;
        }
        let mut chain = Vec::new();
        if !wrong.is_some_and(|word| self.follow(name, word, &mut chain)) {
            let defined = self.macros.definition(name);
            chain = defined
                .and_then(|defined| self.find(self.span(defined)?, name))
                .map(|span| (span, name))
                .into_iter()
                .collect();
        }
        for (span, name) in chain {
            diagnostic = diagnostic.also(span, format!("in the macro `{name}`"));
        }
        diagnostic
    }

    /// The macro whose use is all that a diagnostic points at, and the use.
    fn used(&self, diagnostic: &Diagnostic) -> Option<(&str, Span)> {
        let (span, _) = diagnostic.primary.as_ref()?;
        let text = self.sources.text(*span);
        let name = text_of(text, tokens_of(text).first()?);
        let function_like = self.macros.was_macro(name)?;
        let ends = match function_like {
            true => text.ends_with(')'),
            false => text.len() == name.len(),
        };
        ends.then_some((name, *span))
    }

    /// The way from a macro to the definition that holds a word; false: there is none.
    fn follow<'a>(&'a self, name: &'a str, word: &str, chain: &mut Vec<(Span, &'a str)>) -> bool {
        let Some(definition) = self.macros.definition(name) else {
            return false;
        };
        let is_cycle = chain.iter().any(|(_, known)| *known == name);
        if is_cycle || chain.len() >= MAX_DEPTH {
            return false;
        }
        let Some(body) = self.span(definition) else {
            return false;
        };
        if let Some(span) = self.find(body, word) {
            chain.push((span, name));
            return true;
        }
        let words = tokens_of(&definition.text).into_iter().skip(1);
        for token in words.filter(|token| token.kind == TokenKind::Ident) {
            let inner = text_of(&definition.text, &token);
            let Some(span) = self.find(body, inner).filter(|_| inner != name) else {
                continue;
            };
            chain.push((span, name));
            if self.follow(inner, word, chain) {
                return true;
            }
            chain.pop();
        }
        false
    }

    /// The user's lines of a definition, from the word `define`.
    fn span(&self, definition: &Definition) -> Option<Span> {
        let id = self.files.id(definition.source_line)?;
        let mut line = definition.source_line.line;
        let mut span = self.sources.line_span(id, line);
        while self.sources.text(span).ends_with('\\') {
            line += 1;
            span = span.to(self.sources.line_span(id, line));
        }
        span.start += self.sources.text(span).find("define")? as u32;
        Some(span)
    }

    /// The first position of a word in a part of the user's text.
    fn find(&self, span: Span, word: &str) -> Option<Span> {
        let text = self.sources.text(span);
        let is_it = |token: &super::token::Token| text_of(text, token) == word;
        let token = tokens_of(text).into_iter().find(is_it)?;
        Some(Span {
            start: span.start + token.start,
            end: span.start + token.end,
            ..span
        })
    }
}

/// The first name that a message quotes.
fn named(message: &str) -> Option<&str> {
    let word = message.split('`').nth(1)?;
    let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_name && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(word)
}
