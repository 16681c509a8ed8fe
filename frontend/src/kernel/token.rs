//! Tokens of C: a scanner for preprocessed text and for the user's own text.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or keyword.
    Ident,
    /// A number as the preprocessor sees it: digits, letters, dots and signs of exponents.
    Number,
    /// A character literal.
    Char,
    /// A string literal.
    Str,
    /// An operator or a bracket.
    Punct,
}

/// A token: its kind and its bytes in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

/// Why the scanner found no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LexError {
    /// A character that starts no token.
    Stray(char),
    /// An identifier with characters beyond ASCII, or `\u` and their numbers.
    WideName,
    /// A string or character literal without an end on its line.
    Unterminated(char),
    /// A comment without an end.
    UnterminatedComment,
}

/// Operators, longest first.
const PUNCTUATORS: [&str; 26] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "<:", ":>", "<%", "%>",
];

/// What a digraph stands for.
fn digraph(word: &str) -> Option<&'static str> {
    Some(match word {
        "<:" => "[",
        ":>" => "]",
        "<%" => "{",
        "%>" => "}",
        _ => return None,
    })
}

/// A scanner over one text. Directive lines are handed out whole.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Lines passed so far.
    line: u32,
    /// Nothing but blanks stands between the line's start and `at`.
    line_start: bool,
}

/// A line of a file, as line markers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceLine {
    /// Index into the files of the pre-pass.
    pub file: u32,
    /// From 1.
    pub line: u32,
}

/// What the scanner hands out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lexeme<'a> {
    Token(Token),
    /// A line that starts with `#`, with its continuation lines, without the `#`.
    Directive(&'a str),
    Error {
        error: LexError,
        start: u32,
        end: u32,
    },
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Lexer {
            text,
            at: 0,
            line: 1,
            line_start: true,
        }
    }

    /// The line, from 1, on which the last lexeme started. Directives count as their first line.
    pub fn next(&mut self) -> Option<(Lexeme<'a>, u32)> {
        if let Err((error, start)) = self.skip_blanks() {
            let lexeme = Lexeme::Error {
                error,
                start: start as u32,
                end: self.at as u32,
            };
            return Some((lexeme, self.line));
        }
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let line = self.line;
        if self.line_start
            && let Some(mark) = ["#", "%:"].into_iter().find(|mark| rest.starts_with(mark))
        {
            self.at += mark.len();
            return Some((Lexeme::Directive(self.directive()), line));
        }
        self.line_start = false;
        let start = self.at;
        if let Some(len) = wide_name_len(rest) {
            self.at += len;
            let lexeme = Lexeme::Error {
                error: LexError::WideName,
                start: start as u32,
                end: self.at as u32,
            };
            return Some((lexeme, line));
        }
        let kind = match first {
            'a'..='z' | 'A'..='Z' | '_' | '$' => {
                self.at += ident_len(rest);
                TokenKind::Ident
            }
            '0'..='9' => {
                self.at += number_len(rest);
                TokenKind::Number
            }
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.at += number_len(rest);
                TokenKind::Number
            }
            '"' | '\'' => match literal_len(rest, first) {
                Ok(len) => {
                    self.at += len;
                    self.line += count_lines(&rest.as_bytes()[..len]);
                    if first == '"' {
                        TokenKind::Str
                    } else {
                        TokenKind::Char
                    }
                }
                Err(len) => {
                    self.at += len;
                    let lexeme = Lexeme::Error {
                        error: LexError::Unterminated(first),
                        start: start as u32,
                        end: self.at as u32,
                    };
                    return Some((lexeme, line));
                }
            },
            _ => match punctuator_len(rest) {
                Some(len) => {
                    self.at += len;
                    TokenKind::Punct
                }
                None => {
                    self.at += first.len_utf8();
                    let lexeme = Lexeme::Error {
                        error: LexError::Stray(first),
                        start: start as u32,
                        end: self.at as u32,
                    };
                    return Some((lexeme, line));
                }
            },
        };
        let token = Token {
            kind,
            start: start as u32,
            end: self.at as u32,
        };
        Some((Lexeme::Token(token), line))
    }

    fn skip_blanks(&mut self) -> Result<(), (LexError, usize)> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' => match continuation_len(&bytes[self.at..]) {
                    Some(len) => {
                        self.at += len;
                        self.line += 1;
                    }
                    None => return Ok(()),
                },
                b'/' if bytes.get(self.at + 1) == Some(&b'/') => self.skip_line_comment(),
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => {
                    let start = self.at;
                    let Some(len) = self.text[start + 2..].find("*/") else {
                        self.at = bytes.len();
                        return Err((LexError::UnterminatedComment, start));
                    };
                    self.at = start + 2 + len + 2;
                    self.line += count_lines(&bytes[start..self.at]);
                }
                0xEF if self.at == 0 && bytes.starts_with(b"\xEF\xBB\xBF") => self.at += 3,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn skip_line_comment(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if byte == b'\n' {
                return;
            }
            if byte == b'\\'
                && let Some(len) = continuation_len(&bytes[self.at..])
            {
                self.at += len;
                self.line += 1;
                continue;
            }
            self.at += 1;
        }
    }

    /// A directive's text after its `#`, with continuation lines.
    fn directive(&mut self) -> &'a str {
        let bytes = self.text.as_bytes();
        let start = self.at;
        while let Some(&byte) = bytes.get(self.at) {
            if byte == b'\n' {
                break;
            }
            if byte == b'\\'
                && let Some(len) = continuation_len(&bytes[self.at..])
            {
                self.at += len;
                self.line += 1;
                continue;
            }
            if byte == b'/' && bytes.get(self.at + 1) == Some(&b'*') {
                let from = self.at;
                let end = self.text[from + 2..].find("*/");
                self.at = end.map_or(bytes.len(), |len| from + 2 + len + 2);
                self.line += count_lines(&bytes[from..self.at]);
                continue;
            }
            self.at += 1;
        }
        &self.text[start..self.at]
    }
}

fn count_lines(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u32
}

/// The length of a backslash and the line end after it.
fn continuation_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\\', b'\n', ..] => Some(2),
        [b'\\', b'\r', b'\n', ..] => Some(3),
        _ => None,
    }
}

fn ident_len(text: &str) -> usize {
    text.bytes()
        .position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'$'))
        .unwrap_or(text.len())
}

/// The length of a name that is not all ASCII; gcc's preprocessor writes `\U000000f6` for such a
/// character.
fn wide_name_len(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut is_wide = false;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if rest.starts_with("\\u") || rest.starts_with("\\U") {
            is_wide = true;
            at += 2;
        } else if c.is_alphanumeric() || matches!(c, '_' | '$') {
            is_wide |= !c.is_ascii();
            at += c.len_utf8();
        } else {
            break;
        }
    }
    let starts_number = text.starts_with(|c: char| c.is_ascii_digit());
    (is_wide && !starts_number).then_some(at)
}

fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hex = bytes.len() > 1 && bytes[0] == b'0' && matches!(bytes[1], b'x' | b'X');
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let sign_follows = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        match byte {
            b'e' | b'E' if sign_follows && !hex => at += 2,
            b'p' | b'P' if sign_follows && hex => at += 2,
            b'.' | b'_' => at += 1,
            _ if byte.is_ascii_alphanumeric() => at += 1,
            _ => break,
        }
    }
    at
}

/// The length of a string or character literal; what was looked at if it has no end.
fn literal_len(text: &str, quote: char) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => return Err(at),
            b'\\' => at += 1 + usize::from(at + 1 < bytes.len()),
            _ if byte == quote as u8 => return Ok(at + 1),
            _ => at += 1,
        }
    }
    // An escape may have jumped into the middle of a character.
    Err(text.len())
}

fn punctuator_len(text: &str) -> Option<usize> {
    if let Some(long) = PUNCTUATORS.iter().find(|p| text.starts_with(**p)) {
        return Some(long.len());
    }
    text.starts_with(|c: char| "()[]{}.,;:?~!+-*/%<>=&|^".contains(c))
        .then_some(1)
}

/// All tokens of a text; directives and what is no token are skipped.
pub(super) fn tokens_of(text: &str) -> Vec<Token> {
    let mut lexer = Lexer::new(text);
    let mut tokens = Vec::new();
    while let Some((lexeme, _)) = lexer.next() {
        if let Lexeme::Token(token) = lexeme {
            tokens.push(token);
        }
    }
    tokens
}

/// The bytes of a token in its text; of a digraph what it stands for.
pub(super) fn text_of<'a>(text: &'a str, token: &Token) -> &'a str {
    let word = &text[token.start as usize..token.end as usize];
    match token.kind {
        TokenKind::Punct => digraph(word).unwrap_or(word),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = tokens_of(text).iter().map(|t| text_of(text, t)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn numbers_are_whole() {
        check("1.5e-3f+0x1.8p+4", &["1.5e-3f", "+", "0x1.8p+4"]);
        check("0xe+1", &["0xe", "+", "1"]);
        check("a.x .5f a.s01", &["a", ".", "x", ".5f", "a", ".", "s01"]);
    }

    #[test]
    fn literals_hold_escapes() {
        check(
            r#"printf("a\"b", '\'')"#,
            &["printf", "(", r#""a\"b""#, ",", r"'\''", ")"],
        );
    }

    #[test]
    fn directives_and_comments_are_no_tokens() {
        check("#define A \\\n 1\na//b\\\nc\n/*d\n*/e", &["a", "e"]);
    }

    #[test]
    fn operators_are_longest_first() {
        check("a<<=b->c...", &["a", "<<=", "b", "->", "c", "..."]);
    }

    #[test]
    fn digraphs_are_brackets() {
        check(
            "a<:0:> <% %> a<=b%c",
            &["a", "[", "0", "]", "{", "}", "a", "<=", "b", "%", "c"],
        );
        check("%:define A\nb", &["b"]);
    }

    #[test]
    fn names_beyond_ascii_are_reported() {
        let first = |text| Lexer::new(text).next().map(|(lexeme, _)| lexeme);
        for text in ["größe+1", "\\U000000f6x+1", "a\\u00f6+1"] {
            let Some(Lexeme::Error { error, end, .. }) = first(text) else {
                panic!("{text} is taken");
            };
            let plus = text.find('+').unwrap();
            assert_eq!((error, end as usize), (LexError::WideName, plus), "{text}");
        }
        check(
            "a1 + $b_2 1u \"\\u00f6\"",
            &["a1", "+", "$b_2", "1u", "\"\\u00f6\""],
        );
    }

    #[test]
    fn unterminated_literals_end_at_the_line() {
        let mut lexer = Lexer::new("\"abc\nx");
        assert!(matches!(
            lexer.next(),
            Some((
                Lexeme::Error {
                    error: LexError::Unterminated('"'),
                    ..
                },
                1
            ))
        ));
        assert!(matches!(lexer.next(), Some((Lexeme::Token(_), 2))));
    }
}
