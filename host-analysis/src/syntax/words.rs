//! Words of replacements, and what lists of them are.

use std::ops::Range;

use super::lex::{Lexer, TokenKind};

/// Words that only statements have.
const CONTROL: &[&str] = &[
    "if", "for", "while", "do", "else", "switch", "case", "default", "try", "catch", "return",
    "goto", "break", "continue",
];

/// A token of a replacement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word {
    pub text: String,
    /// Where it stands in the file, if it is part of an argument.
    pub from: Option<Range<usize>>,
    /// White space stands before it.
    pub spaced: bool,
    /// It is punctuation after punctuation of the same text, as in `++`.
    pub glued: bool,
}

impl Word {
    /// A word that stands nowhere in the file.
    pub(super) fn added(text: &str) -> Word {
        Word {
            text: text.to_string(),
            from: None,
            spaced: true,
            glued: false,
        }
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(super) fn is_name(&self) -> bool {
        let first = self.text.as_bytes().first();
        first.is_some_and(|b| super::lex::is_ident(*b) && !b.is_ascii_digit())
            && !self.text.ends_with(['"', '\''])
    }

    pub(super) fn is_text(&self) -> bool {
        self.text.ends_with('"')
    }
}

/// The words of a text.
pub(super) fn words_of(body: &str) -> Vec<Word> {
    let bytes = body.as_bytes();
    let tokens = Lexer::within(bytes, 0..bytes.len());
    let (mut end, mut after_punct) = (0, false);
    tokens
        .map(|token| {
            let spaced = token.start > end;
            let is_punct = matches!(token.kind, TokenKind::Punct(_));
            let glued = is_punct && after_punct && !spaced;
            (end, after_punct) = (token.end, is_punct);
            Word {
                text: String::from_utf8_lossy(token.bytes(bytes)).into_owned(),
                from: None,
                spaced,
                glued,
            }
        })
        .collect()
}

/// Words that stand for one: no tokens of it and of others become one.
pub(super) fn apart(mut words: Vec<Word>, instead_of: &Word) -> Vec<Word> {
    if let Some(first) = words.first_mut() {
        first.spaced = instead_of.spaced;
        first.glued = false;
    }
    words
}

/// The arguments of a use inside of a replacement, and how many words they are with their parentheses.
pub(super) fn inner_arguments(after_name: &[Word]) -> Option<(Vec<Vec<Word>>, usize)> {
    let mut depth = 0u32;
    for (at, word) in after_name.iter().enumerate() {
        match word.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            let inside = after_name.get(1..at)?.to_vec();
            return Some((split_arguments(inside), at + 1));
        }
    }
    None
}

pub(super) fn split_arguments(words: Vec<Word>) -> Vec<Vec<Word>> {
    let mut args = vec![Vec::new()];
    let mut depth = 0u32;
    for word in words {
        match word.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                args.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = args.last_mut() {
            last.push(word);
        }
    }
    args
}

/// `left ## right`.
pub(super) fn paste(words: &mut Vec<Word>, right: Vec<Word>) {
    let mut right = right.into_iter();
    let first = right.next();
    match (words.last_mut(), first) {
        // `, ## __VA_ARGS__` of nothing.
        (Some(last), None) if last.is(",") => drop(words.pop()),
        (Some(last), Some(first)) if last.is(",") => words.push(first),
        (Some(last), Some(first)) => {
            last.text.push_str(&first.text);
            last.from = None;
        }
        (None, Some(first)) => words.push(first),
        (_, None) => {}
    }
    words.extend(right);
}

/// `#` of an argument, as the preprocessor makes it.
pub(super) fn stringized(arg: &[Word]) -> String {
    let mut text = String::from('"');
    for (at, word) in arg.iter().enumerate() {
        if at > 0 && word.spaced {
            text.push(' ');
        }
        let is_literal = word.text.ends_with(['"', '\'']);
        for c in word.text.chars() {
            if is_literal && matches!(c, '"' | '\\') || c == '"' {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    text
}

/// Words outside of all parentheses and brackets.
pub(super) fn at_top(words: &[Word]) -> impl Iterator<Item = &Word> {
    let mut depth = 0i32;
    words.iter().filter(move |word| {
        let before = depth;
        match word.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        before == 0
    })
}

/// Whether words are, or may become with others, more than an expression.
pub(super) fn is_statement(words: &[Word]) -> bool {
    let is_control = |word: &Word| {
        matches!(word.text.as_str(), "{" | "}" | ";") || CONTROL.contains(&&*word.text)
    };
    at_top(words).any(is_control) && !is_braced_value(words) || !is_balanced(words)
}

/// Whether a word and a parameter after it may be a function and its arguments.
pub(super) fn applies(word: &Word, next: &Word, params: &[String]) -> bool {
    let is_control = CONTROL.contains(&word.text.as_str());
    word.is_name() && !is_control && params.contains(&next.text)
}

/// `{1, 2}`, which is no block.
fn is_braced_value(words: &[Word]) -> bool {
    let first = words.first().is_some_and(|w| w.is("{"));
    first
        && is_balanced(words)
        && !words
            .iter()
            .any(|w| w.is(";") || CONTROL.contains(&&*w.text))
}

pub(super) fn is_balanced(words: &[Word]) -> bool {
    let mut open = Vec::new();
    for word in words {
        let closes = match word.text.as_str() {
            "(" | "{" | "[" => {
                open.push(word.text.as_str());
                continue;
            }
            ")" => "(",
            "}" => "{",
            "]" => "[",
            _ => continue,
        };
        if open.pop() != Some(closes) {
            return false;
        }
    }
    open.is_empty()
}

/// Whether there is a `name(..) {` that is no control statement.
pub(super) fn defines_function(words: &[Word]) -> bool {
    let mut open = Vec::new();
    let mut head = None;
    for (at, word) in words.iter().enumerate() {
        match word.text.as_str() {
            "(" => open.push(at),
            ")" => {
                let before = open.pop().and_then(|at: usize| at.checked_sub(1));
                head = before.map(|at| &words[at]);
                continue;
            }
            "{" if head.is_some_and(|w| w.is_name() && !CONTROL.contains(&&*w.text)) => {
                return true;
            }
            _ => {}
        }
        head = None;
    }
    false
}

/// Whether words are one statement, with or without its `;`.
pub(super) fn is_single(words: &[Word]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return false;
    };
    if first.is("do") && last.is(")") {
        return true;
    }
    let ends = at_top_of_braces(words).filter(|w| w.is(";")).count();
    let blocks = at_top_of_braces(words).filter(|w| w.is("}")).count();
    match (ends, blocks) {
        (0, 0) => true,
        (1, 0) => last.is(";"),
        (0, 1) => last.is("}"),
        _ => false,
    }
}

/// Words outside of all parentheses and blocks, and the braces that close blocks.
fn at_top_of_braces(words: &[Word]) -> impl Iterator<Item = &Word> {
    let mut depth = 0i32;
    words.iter().filter(move |word| {
        match word.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}
