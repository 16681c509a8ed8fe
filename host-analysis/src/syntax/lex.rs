//! Tokens of C and C++ over bytes: just enough to distinguish names from strings, comments, numbers and
//! directives. Works on any bytes, whatever their encoding, and never fails.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Ident,
    /// A preprocessing number.
    Number,
    /// A string literal with its prefix, raw or not.
    Str,
    /// A character literal with its prefix.
    Char,
    /// One byte of punctuation.
    Punct(u8),
    /// A whole preprocessing directive with its continuation lines, without the last line end.
    Directive,
}

/// A token: its kind and its byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
}

impl Token {
    /// The token's bytes.
    pub fn bytes<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start..self.end]
    }
}

/// The names in a piece of a line, such as a macro's body, each as often as it stands there.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    let names = Lexer::within(text.as_bytes(), 0..text.len());
    let names = names.filter(|token| token.kind == TokenKind::Ident);
    names.filter_map(|token| text.get(token.start..token.end))
}

/// Replaces all but line ends by blanks.
pub(super) fn blank(text: &mut [u8], range: std::ops::Range<usize>) {
    for byte in &mut text[range] {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
}

/// Iterator over the tokens of a byte range.
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    line_start: bool,
}

impl<'a> Lexer<'a> {
    /// All tokens of a file.
    pub fn new(text: &'a [u8]) -> Self {
        let at = if text.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        Lexer {
            text,
            at,
            end: text.len(),
            line_start: true,
        }
    }

    /// The tokens of a part of a line, such as a macro's body: `#` is punctuation there.
    pub fn within(text: &'a [u8], range: std::ops::Range<usize>) -> Self {
        Lexer {
            text,
            at: range.start,
            end: range.end,
            line_start: false,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        let at = self.at + ahead;
        if at < self.end { self.text[at] } else { 0 }
    }

    /// Skips white space, comments and continuations; true if a line started meanwhile.
    fn skip_blank(&mut self) {
        while self.at < self.end {
            match self.text[self.at] {
                b'\n' => {
                    self.line_start = self.end == self.text.len();
                    self.at += 1;
                }
                b'\\' if matches!(self.peek(1), b'\n') => self.at += 2,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
                b'/' if self.peek(1) == b'/' => self.at = line_end(self.text, self.at, self.end),
                b'/' if self.peek(1) == b'*' => self.at = comment_end(self.text, self.at, self.end),
                b if b.is_ascii_whitespace() || b == 0x0b => self.at += 1,
                _ => return,
            }
        }
    }

    fn ident(&mut self) -> TokenKind {
        let start = self.at;
        while self.at < self.end && is_ident(self.text[self.at]) {
            self.at += 1;
        }
        let prefix = &self.text[start..self.at];
        match self.peek(0) {
            b'"' if matches!(prefix, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
                self.at = raw_string_end(self.text, self.at, self.end);
                TokenKind::Str
            }
            b'"' if matches!(prefix, b"L" | b"u" | b"U" | b"u8") => {
                self.at = quoted_end(self.text, self.at, self.end);
                TokenKind::Str
            }
            b'\'' if matches!(prefix, b"L" | b"u" | b"U" | b"u8") => {
                self.at = quoted_end(self.text, self.at, self.end);
                TokenKind::Char
            }
            _ => TokenKind::Ident,
        }
    }

    fn number(&mut self) {
        while self.at < self.end {
            let b = self.text[self.at];
            let sign = matches!(b, b'+' | b'-')
                && matches!(self.text[self.at - 1], b'e' | b'E' | b'p' | b'P');
            let separator = b == b'\'' && is_ident(self.peek(1));
            if !(is_ident(b) || b == b'.' || sign || separator) {
                return;
            }
            self.at += 1;
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blank();
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        let b = self.text[start];
        let kind = match b {
            b'#' if self.line_start => {
                self.at = directive_end(self.text, start, self.end);
                TokenKind::Directive
            }
            b'"' => {
                self.at = quoted_end(self.text, start, self.end);
                TokenKind::Str
            }
            b'\'' => {
                self.at = quoted_end(self.text, start, self.end);
                TokenKind::Char
            }
            b'0'..=b'9' => {
                self.number();
                TokenKind::Number
            }
            b'.' if self.peek(1).is_ascii_digit() => {
                self.at += 1;
                self.number();
                TokenKind::Number
            }
            _ if is_ident(b) => self.ident(),
            _ => {
                self.at += 1;
                TokenKind::Punct(b)
            }
        };
        self.line_start = false;
        Some(Token {
            kind,
            start,
            end: self.at,
        })
    }
}

/// Whether a byte can stand in an identifier; bytes of other encodings count as letters.
pub fn is_ident(b: u8) -> bool {
    IDENT[usize::from(b)]
}

const IDENT: [bool; 256] = {
    let mut all = [false; 256];
    let mut b = 0;
    while b < all.len() {
        let byte = b as u8;
        all[b] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        b += 1;
    }
    all
};

/// Whether the line end at `at` is taken away by a backslash before it.
fn continued(text: &[u8], at: usize) -> bool {
    matches!(text[..at], [.., b'\\'] | [.., b'\\', b'\r'])
}

fn line_end(text: &[u8], from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end && (text[at] != b'\n' || continued(text, at)) {
        at += 1;
    }
    at
}

fn comment_end(text: &[u8], from: usize, end: usize) -> usize {
    let mut at = from + 2;
    while at + 1 < end {
        if text[at] == b'*' && text[at + 1] == b'/' {
            return at + 2;
        }
        at += 1;
    }
    end
}

/// The end of a quoted literal that starts at `from`; it ends at the line's end if it is not closed.
fn quoted_end(text: &[u8], from: usize, end: usize) -> usize {
    let quote = text[from];
    let mut at = from + 1;
    while at < end {
        match text[at] {
            b'\\' if at + 2 < end && text[at + 1] == b'\r' && text[at + 2] == b'\n' => at += 3,
            b'\\' => at += 2,
            b'\n' => return at,
            b if b == quote => return at + 1,
            _ => at += 1,
        }
    }
    end
}

fn raw_string_end(text: &[u8], quote: usize, end: usize) -> usize {
    let open = text[quote..end]
        .iter()
        .take(18)
        .position(|&b| b == b'(')
        .map(|p| quote + p);
    let Some(open) = open else {
        return quoted_end(text, quote, end);
    };
    let delimiter = &text[quote + 1..open];
    let mut at = open + 1;
    while at < end {
        if text[at] == b')' {
            let close = at + 1 + delimiter.len();
            if close < end && &text[at + 1..close] == delimiter && text[close] == b'"' {
                return close + 1;
            }
        }
        at += 1;
    }
    end
}

fn directive_end(text: &[u8], from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end {
        match text[at] {
            b'\n' if !continued(text, at) => break,
            b'/' if text[at + 1..end].first() == Some(&b'/') => {
                at = line_end(text, at, end);
                break;
            }
            b'/' if text[at + 1..end].first() == Some(&b'*') => at = comment_end(text, at, end),
            // An apostrophe in `#error don't` closes at the line's end.
            b'"' => at = quoted_end(text, at, end),
            _ => at += 1,
        }
    }
    if at > from && at < end && text[at - 1] == b'\r' {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let tokens: Vec<_> = Lexer::new(text.as_bytes())
            .map(|t| &text[t.start..t.end])
            .collect();
        assert_eq!(tokens, expected, "{text:?}");
    }

    #[test]
    fn tokens() {
        check("f(a,1.5e-3f)", &["f", "(", "a", ",", "1.5e-3f", ")"]);
        check("a /* b */ c // d\ne", &["a", "c", "e"]);
        check("a // b \\\n c\nd", &["a", "d"]);
        check("\"a\\\"b\" 'x' L\"y\"", &["\"a\\\"b\"", "'x'", "L\"y\""]);
        check("R\"q(a)\" )q\" x", &["R\"q(a)\" )q\"", "x"]);
        check("1'000'000 'a'", &["1'000'000", "'a'"]);
        check("\"open\nx", &["\"open", "x"]);
        check("/* open", &[]);
        check("//*/ a\nb", &["b"]);
    }

    #[test]
    fn directives() {
        check("#define A(x) \\\n  x\na", &["#define A(x) \\\n  x", "a"]);
        check(
            "  # if 1 /* x\n y */ z\r\nb",
            &["# if 1 /* x\n y */ z", "b"],
        );
        check("a # b", &["a", "#", "b"]);
        check("#error don't\nx", &["#error don't", "x"]);
        check("\u{feff}#if 1\n", &["#if 1"]);
    }
}
