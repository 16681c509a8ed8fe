//! Texts made short for the parser, and where their bytes stand in the full text.

use super::expand::Edit;
use super::lex::{Lexer, Token, TokenKind};

/// Where the bytes of a shortened text stand in the full one.
#[derive(Debug, Default)]
pub(super) struct Positions {
    pieces: Vec<Piece>,
}

/// A piece of a shortened text.
#[derive(Debug)]
struct Piece {
    /// Where it starts.
    short: usize,
    /// Where it starts in the full text.
    full: usize,
    /// It stands for all up to here, as a macro's replacement does for its use; else its bytes
    /// follow each other as those of the full text do.
    up_to: Option<usize>,
}

impl Positions {
    fn piece(&self, at: usize) -> Option<&Piece> {
        let before = self.pieces.partition_point(|piece| piece.short <= at);
        self.pieces.get(before.checked_sub(1)?)
    }

    /// The position in the full text of a byte of the shortened one.
    pub fn start(&self, at: usize) -> usize {
        match self.piece(at) {
            Some(piece) if piece.up_to.is_some() => piece.full,
            Some(piece) => piece.full + (at - piece.short),
            None => at,
        }
    }

    /// The position after the byte before this one.
    pub fn end(&self, at: usize) -> usize {
        let Some(last) = at.checked_sub(1) else {
            return self.start(at);
        };
        match self.piece(last).and_then(|piece| piece.up_to) {
            Some(end) => end,
            None => self.start(last) + 1,
        }
    }

    /// Whether a byte is part of a macro's replacement.
    pub fn is_replaced(&self, at: usize) -> bool {
        self.piece(at).is_some_and(|piece| piece.up_to.is_some())
    }

    /// Adds bytes to the shortened text that are not in the full one.
    fn insert(&mut self, short: &mut Vec<u8>, bytes: &[u8], full: usize) {
        self.pieces.push(Piece {
            short: short.len(),
            full,
            up_to: Some(full),
        });
        short.extend_from_slice(bytes);
        self.follow(short, full);
    }

    /// What is added to the shortened text next stands here in the full one.
    fn follow(&mut self, short: &[u8], full: usize) {
        self.pieces.push(Piece {
            short: short.len(),
            full,
            up_to: None,
        });
    }
}

/// Words of C++ that may follow a text and are no macros.
const OPERATORS: [&[u8]; 8] = [
    b"and", b"or", b"xor", b"not_eq", b"bitand", b"bitor", b"and_eq", b"or_eq",
];

/// A text with comments and blanks between its tokens made as short as can be, and with macros
/// replaced: the parser looks at each byte for long, and nothing depends on them. It takes `"a" MACRO`
/// for texts that follow each other only after a second text: an empty one stands between them.
pub(super) fn squeezed(text: &[u8], edits: &[Edit]) -> (Vec<u8>, Positions) {
    let mut short = Vec::with_capacity(text.len());
    let mut positions = Positions::default();
    let mut edits = edits.iter().peekable();
    let mut end = 0;
    let mut after_edit = false;
    let mut before = [None; 2];
    for token in Lexer::new(text) {
        if token.start < end {
            // Of a use that is replaced.
            continue;
        }
        let gap = &text[end..token.start];
        match gap {
            [] | [b' ' | b'\n'] if !after_edit => short.extend_from_slice(gap),
            gap => {
                let line = memchr::memchr(b'\n', gap).is_some();
                short.push(if line { b'\n' } else { b' ' });
                positions.follow(&short, token.start);
            }
        }
        if !gap.is_empty() && is_macro_after_text(text, before, token) {
            positions.insert(&mut short, b"\"\" ", token.start);
        }
        before = [before[1], Some(token)];
        after_edit = false;
        if let Some(edit) = edits.next_if(|edit| edit.range.start == token.start) {
            replace(edit, &mut short, &mut positions);
            (end, after_edit) = (edit.range.end, true);
            continue;
        }
        short.extend_from_slice(&text[token.start..token.end]);
        end = token.end;
    }
    short.push(b'\n');
    (short, positions)
}

/// Whether a name follows a text that it goes on, and no `extern "C"` or `operator ""`.
fn is_macro_after_text(text: &[u8], before: [Option<Token>; 2], token: Token) -> bool {
    let is_word = |token: &Token| token.kind == TokenKind::Ident;
    let [first, Some(last)] = before else {
        return false;
    };
    last.kind == TokenKind::Str
        && is_word(&token)
        && !first.is_some_and(|token| matches!(token.bytes(text), b"extern" | b"operator"))
        && !OPERATORS.contains(&token.bytes(text))
}

/// Adds what replaces a macro's use.
fn replace(edit: &Edit, short: &mut Vec<u8>, positions: &mut Positions) {
    for word in &edit.words {
        if !word.glued {
            short.push(b' ');
        }
        let (full, up_to) = match &word.from {
            Some(from) => (from.start, None),
            None => (edit.range.start, Some(edit.range.end)),
        };
        positions.pieces.push(Piece {
            short: short.len(),
            full,
            up_to,
        });
        short.extend_from_slice(word.text.as_bytes());
    }
}
