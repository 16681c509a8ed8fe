//! The pre-pass: preprocessed text to tokens, with everything that lang-c would lose or refuse taken
//! out and kept beside them: line markers, pragmas, attributes, the macro table.

use super::macros::{Macros, fold_arguments, join};
use super::token::{LexError, Lexeme, Lexer, SourceLine, Token, TokenKind, text_of};
use crate::ir::Attr;

/// A pragma and the token that follows it.
#[derive(Clone, Debug)]
pub(super) struct PragmaAt {
    /// Index of the first token after it.
    pub at: usize,
    /// Without `#pragma`, with macros expanded.
    pub text: String,
}

/// An attribute and the token that follows it.
#[derive(Clone, Debug)]
pub(super) struct AttrAt {
    /// Index of the first token after it.
    pub at: usize,
    pub attr: Attr,
}

/// What is wrong before anything is parsed.
#[derive(Clone, Debug)]
pub(super) struct LexProblem {
    pub message: String,
    pub source_line: SourceLine,
    /// What stands there.
    pub text: String,
    /// It may be right, but fpgacc does not take it.
    pub is_unsupported: bool,
}

/// The pre-pass's result.
#[derive(Debug, Default)]
pub(super) struct Prepass {
    /// Without attributes.
    pub tokens: Vec<Token>,
    /// Where each token stands, beside `tokens`.
    pub source_lines: Vec<SourceLine>,
    /// File names of line markers.
    pub files: Vec<String>,
    pub macros: Macros,
    /// In order of the text.
    pub pragmas: Vec<PragmaAt>,
    /// In order of the text.
    pub attrs: Vec<AttrAt>,
    /// For each opening bracket the index of its closing one; 0 for other tokens.
    pub close: Vec<u32>,
    pub problems: Vec<LexProblem>,
}

/// More `++` and `--` than this never stand before one operand. lang-c tries each of them as two
/// signs as well, so that its time doubles with every one.
const MAX_STEPS: u32 = 4;

/// At most this many problems are reported.
const MAX_PROBLEMS: usize = 20;

/// Scans a preprocessed text; `name` is the file of what stands before the first line marker.
pub(super) fn scan(text: &str, name: &str) -> Prepass {
    let mut scanner = Scanner {
        text,
        out: Prepass {
            files: vec![name.to_string()],
            ..Prepass::default()
        },
        file: 0,
        // Line markers say which line the *next* line is.
        marker: (0, 1),
    };
    scanner.run();
    take_attributes(text, &mut scanner.out);
    scanner.out
}

struct Scanner<'a> {
    text: &'a str,
    out: Prepass,
    file: u32,
    /// Physical line of the last line marker, and the line number it gives to the next line.
    marker: (u32, u32),
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut lexer = Lexer::new(self.text);
        let mut steps = 0;
        while let Some((lexeme, physical)) = lexer.next() {
            match lexeme {
                Lexeme::Token(token) => {
                    steps = self.steps_in_a_row(token, steps);
                    if steps > MAX_STEPS {
                        self.too_many_steps(physical);
                        return;
                    }
                    self.out.tokens.push(token);
                    self.out.source_lines.push(self.source_line(physical));
                }
                Lexeme::Directive(text) => self.directive(text, physical),
                Lexeme::Error { error, start, end } => {
                    let text = &self.text[start as usize..end as usize];
                    self.problem(error, text, physical);
                    if self.out.problems.len() >= MAX_PROBLEMS {
                        return;
                    }
                }
            }
        }
    }

    /// How many `++` and `--` stand before one operand, this token included.
    fn steps_in_a_row(&self, token: Token, before: u32) -> u32 {
        match &self.text[token.start as usize..token.end as usize] {
            "++" | "--" => before + 1,
            "(" | "+" | "-" | "*" | "&" | "!" | "~" => before,
            _ => 0,
        }
    }

    fn too_many_steps(&mut self, physical: u32) {
        let source_line = self.source_line(physical);
        self.out.problems.push(LexProblem {
            message: "too many `++` and `--` in a row: their operand is a variable".to_string(),
            source_line,
            text: String::new(),
            is_unsupported: false,
        });
    }

    fn source_line(&self, physical: u32) -> SourceLine {
        let (marker, line) = self.marker;
        SourceLine {
            file: self.file,
            line: line.saturating_add(physical.saturating_sub(marker.saturating_add(1))),
        }
    }

    fn problem(&mut self, error: LexError, text: &str, physical: u32) {
        let message = match error {
            LexError::WideName => {
                "names with characters beyond ASCII are not supported".to_string()
            }
            LexError::Stray('\0') => "a NUL byte is not part of OpenCL C".to_string(),
            LexError::Stray('\\') => "a backslash is not part of OpenCL C here".to_string(),
            LexError::Stray(c) if c.is_ascii_control() => {
                format!(
                    "the control character U+{:04X} is not part of OpenCL C",
                    c as u32
                )
            }
            LexError::Stray(c) if c.is_ascii() => {
                format!("the character `{c}` is not part of OpenCL C")
            }
            LexError::Stray(c) if c.is_alphanumeric() => {
                format!(
                    "the character `{c}` (U+{:04X}) is not part of OpenCL C",
                    c as u32
                )
            }
            LexError::Stray(c) => {
                format!("the character U+{:04X} is not part of OpenCL C", c as u32)
            }
            LexError::Unterminated('"') => {
                "this string has no closing `\"` on its line".to_string()
            }
            LexError::Unterminated(_) => {
                "this character literal has no closing `'` on its line".to_string()
            }
            LexError::UnterminatedComment => "this comment has no closing `*/`".to_string(),
        };
        let source_line = self.source_line(physical);
        // One message a line and kind of problem is enough.
        if self
            .out
            .problems
            .last()
            .is_some_and(|last| last.source_line == source_line && last.message == message)
        {
            return;
        }
        let shown = text.chars().take(40).collect();
        self.out.problems.push(LexProblem {
            message,
            source_line,
            text: shown,
            is_unsupported: error == LexError::WideName,
        });
    }

    fn directive(&mut self, text: &str, physical: u32) {
        let text = text.trim();
        let end = text
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        match word {
            "define" => self.out.macros.define(rest, self.source_line(physical)),
            "undef" => self.out.macros.undef(rest),
            "pragma" => self.pragma(rest.trim()),
            "line" => self.line_marker(rest.trim(), physical),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.line_marker(text, physical),
            _ => {}
        }
    }

    fn pragma(&mut self, text: &str) {
        let text = &without_comments(text);
        let text = match text.split_whitespace().next() {
            // The standard says that these are not expanded.
            Some("OPENCL" | "STDC") => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Some(word) => {
                let rest = text[word.len()..].trim();
                let arguments = fold_arguments(&self.out.macros.expand(rest));
                format!("{word} {arguments}").trim_end().to_string()
            }
            None => return,
        };
        self.out.pragmas.push(PragmaAt {
            at: self.out.tokens.len(),
            text,
        });
    }

    /// `N "file" flags`
    fn line_marker(&mut self, text: &str, physical: u32) {
        let (number, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let Ok(line) = number.parse::<u32>() else {
            return;
        };
        self.marker = (physical, line.max(1));
        let Some(rest) = rest.trim_start().strip_prefix('"') else {
            return;
        };
        let Some(end) = rest.rfind('"') else { return };
        let name = rest[..end].replace("\\\\", "\\").replace("\\\"", "\"");
        // Files come back to the one that included them: look at the latest first, and at few.
        let known = self.out.files.iter().position(|file| *file == name);
        self.file = match known {
            Some(index) => index as u32,
            None => {
                self.out.files.push(name);
                (self.out.files.len() - 1) as u32
            }
        };
    }
}

/// Takes `__attribute__((..))` out of the tokens. Nonsense stays, for the parser to refuse.
fn take_attributes(text: &str, out: &mut Prepass) {
    let is_attribute = |token: &Token| {
        token.kind == TokenKind::Ident
            && matches!(text_of(text, token), "__attribute__" | "__attribute")
    };
    if !out.tokens.iter().any(is_attribute) {
        return;
    }
    let words = |tokens: &[Token]| -> Vec<&str> {
        tokens.iter().map(|token| text_of(text, token)).collect()
    };
    let old = std::mem::take(&mut out.tokens);
    let source_lines = std::mem::take(&mut out.source_lines);
    // How many tokens stand before each old one when attributes are gone.
    let mut moved = Vec::with_capacity(old.len() + 1);
    let mut at = 0;
    while at < old.len() {
        if is_attribute(&old[at])
            && let Some(end) = attribute_end(text, &old, at)
            && let Some(attrs) = attributes(&words(&old[at + 3..end - 2]))
        {
            for attr in attrs {
                out.attrs.push(AttrAt {
                    at: out.tokens.len(),
                    attr,
                });
            }
            moved.resize(end, out.tokens.len());
            at = end;
            continue;
        }
        moved.push(out.tokens.len());
        out.tokens.push(old[at]);
        out.source_lines.push(source_lines[at]);
        at += 1;
    }
    moved.push(out.tokens.len());
    for pragma in &mut out.pragmas {
        pragma.at = moved[pragma.at];
    }
}

/// The index after the `))` of the attribute that starts at `at`.
fn attribute_end(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let word = |index: usize| tokens.get(index).map(|token| text_of(text, token));
    if word(at + 1) != Some("(") || word(at + 2) != Some("(") {
        return None;
    }
    let mut depth = 0usize;
    for index in at + 1..tokens.len() {
        match word(index)? {
            "(" => depth += 1,
            ")" => depth -= 1,
            "{" | "}" | ";" => return None,
            _ => {}
        }
        if depth == 0 {
            return (word(index - 1) == Some(")")).then_some(index + 1);
        }
    }
    None
}

/// `a, b(1, 2)` and the like; `(a)` too, which some sources write. `None` for anything else.
fn attributes(words: &[&str]) -> Option<Vec<Attr>> {
    let mut words = words;
    while words.first() == Some(&"(") && group_end(words, 0) == Some(words.len()) {
        words = &words[1..words.len() - 1];
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let name = words[at];
        at += 1;
        if name == "," {
            continue;
        }
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let mut args = None;
        if words.get(at) == Some(&"(") {
            let end = group_end(words, at)?;
            let text = join(&words[at + 1..end - 1]);
            // A string may go on in the next line.
            let text = text.replace("\\\r\n", "").replace("\\\n", "");
            args = Some(fold_arguments(&text));
            at = end;
        }
        if words.get(at).is_some_and(|next| *next != ",") {
            return None;
        }
        out.push(Attr {
            name: bare(name).to_string(),
            args,
        });
    }
    Some(out)
}

/// The index after the parenthesis that closes the one at `from`.
fn group_end(words: &[&str], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, word) in words.iter().enumerate().skip(from) {
        match *word {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// `a` of `__a__`; other names are their own.
fn bare(name: &str) -> &str {
    let inner = |name: &str| -> Option<usize> {
        let inner = name.strip_prefix("__")?.strip_suffix("__")?;
        (!inner.is_empty()).then_some(inner.len())
    };
    match inner(name).map(|length| &name[2..2 + length]) {
        // One more pair would be taken off when the printed text is read.
        Some(shorter) if inner(shorter).is_none() => shorter,
        _ => name,
    }
}

impl Prepass {
    /// Finds the partner of every bracket. An error names the tokens at fault: what, and perhaps
    /// where its counterpart stands.
    pub fn match_brackets(&mut self, text: &str) -> Result<(), BracketError> {
        self.close = vec![0; self.tokens.len()];
        let mut open: Vec<usize> = Vec::new();
        let mut early = None;
        for (index, token) in self.tokens.iter().enumerate() {
            if token.kind != TokenKind::Punct {
                continue;
            }
            let word = text_of(text, token);
            match word {
                "(" | "[" | "{" => {
                    if let Some(&opener) = open.last()
                        && word == "{"
                        && self.is_block_inside(text, opener, index)
                    {
                        early = early.or(Some(BracketError::Mismatch(opener, index)));
                    }
                    open.push(index);
                }
                ")" | "]" | "}" => {
                    let Some(opener) = open.pop() else {
                        return Err(BracketError::NeverOpened(index));
                    };
                    let wanted = closer(text_of(text, &self.tokens[opener]));
                    if wanted != word {
                        return Err(early.unwrap_or(BracketError::Mismatch(opener, index)));
                    }
                    self.close[opener] = index as u32;
                }
                _ => {}
            }
        }
        match open.pop() {
            Some(opener) => Err(early.unwrap_or(BracketError::NeverClosed(opener))),
            None => Ok(()),
        }
    }

    /// Whether a `{` begins a block although a parenthesis is open, as in `for (..; i++ {`: no compound literal,
    /// statement expression or body of a type stands there.
    fn is_block_inside(&self, text: &str, opener: usize, brace: usize) -> bool {
        let word = |back: usize| {
            let token = brace.checked_sub(back).map(|at| &self.tokens[at]);
            token.map_or("", |token| text_of(text, token))
        };
        let has_body = |word: &str| ["struct", "union", "enum"].contains(&word);
        let may_follow = [")", "(", "{", "}", ",", "=", "^"].contains(&word(1));
        text_of(text, &self.tokens[opener]) == "("
            && !may_follow
            && !has_body(word(1))
            && !has_body(word(2))
    }

    /// The attributes before tokens `from..=to`.
    pub fn attrs_in(&self, from: usize, to: usize) -> &[AttrAt] {
        let start = self.attrs.partition_point(|attr| attr.at < from);
        let end = self.attrs.partition_point(|attr| attr.at <= to);
        &self.attrs[start..end.max(start)]
    }
}

/// Brackets that do not fit, by token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BracketError {
    NeverOpened(usize),
    NeverClosed(usize),
    /// The opening and the closing one.
    Mismatch(usize, usize),
}

/// The closing bracket for an opening one.
pub(super) fn closer(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// A directive's text with a blank for each comment, as C's translation phases have it.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut quoted = false;
    while let Some(char) = rest.chars().next() {
        if !quoted && rest.starts_with("//") {
            break;
        }
        if !quoted && let Some(comment) = rest.strip_prefix("/*") {
            out.push(' ');
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        let escaped = quoted && char == '\\';
        quoted ^= char == '"';
        let len = match rest[char.len_utf8()..].chars().next() {
            Some(next) if escaped => char.len_utf8() + next.len_utf8(),
            _ => char.len_utf8(),
        };
        out.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<'a>(text: &'a str, prepass: &Prepass) -> Vec<&'a str> {
        prepass.tokens.iter().map(|t| text_of(text, t)).collect()
    }

    #[test]
    fn attributes_leave_the_tokens() {
        let text = "__attribute__((a, __b__(4*4, float))) int x __attribute__ ( (c) ) ;";
        let prepass = scan(text, "k.cl");
        assert_eq!(words(text, &prepass), ["int", "x", ";"]);
        let found: Vec<_> = prepass
            .attrs
            .iter()
            .map(|a| (a.at, a.attr.name.as_str(), a.attr.args.as_deref()))
            .collect();
        let expected = [(0, "a", None), (0, "b", Some("16, float")), (2, "c", None)];
        assert_eq!(found, expected);
    }

    #[test]
    fn pragmas_name_the_next_token_with_macros_expanded() {
        let text =
            "#define N 4\n#pragma unroll N\n__attribute__((x)) for\n#undef N\n#pragma ii N\n;";
        let prepass = scan(text, "k.cl");
        let found: Vec<_> = prepass
            .pragmas
            .iter()
            .map(|p| (p.at, p.text.as_str()))
            .collect();
        assert_eq!(found, [(0, "unroll 4"), (1, "ii N")]);
    }

    #[test]
    fn pragmas_hold_no_comments() {
        let text = "a /* b */ \"/* \\\" // */\" c // d /* e";
        assert_eq!(without_comments(text), "a   \"/* \\\" // */\" c ");
        assert_eq!(without_comments("a /* b"), "a  ");
    }

    #[test]
    fn line_markers_place_tokens() {
        let text = "# 1 \"k.cl\"\na\nb\n# 7 \"x.h\" 1\nc\n# 3 \"k.cl\" 2\nd";
        let prepass = scan(text, "k.cl");
        let found: Vec<_> = prepass
            .source_lines
            .iter()
            .map(|p| (p.file, p.line))
            .collect();
        assert_eq!(found, [(0, 1), (0, 2), (1, 7), (0, 3)]);
        assert_eq!(prepass.files, ["k.cl", "x.h"]);
    }

    #[test]
    fn brackets_are_matched() {
        let check = |text: &str| {
            let mut prepass = scan(text, "k.cl");
            prepass.match_brackets(text).map(|()| prepass.close)
        };
        assert_eq!(check("(a[{}])"), Ok(vec![6, 0, 5, 4, 0, 0, 0]));
        assert_eq!(check("(]"), Err(BracketError::Mismatch(0, 1)));
        assert_eq!(check("}"), Err(BracketError::NeverOpened(0)));
        assert_eq!(check("{("), Err(BracketError::NeverClosed(1)));
        // The block after a parenthesis that is not closed is at fault, not the end of what is around.
        assert_eq!(
            check("{for(;;i++{x=(T){1};}}"),
            Err(BracketError::Mismatch(2, 7))
        );
        assert_eq!(check("{if(a<b{x;"), Err(BracketError::Mismatch(2, 6)));
        assert!(check("f(({x;}),(struct s{int a;}*)p,(T){1})").is_ok());
        assert_eq!(
            check("f((struct s{int a;)"),
            Err(BracketError::Mismatch(5, 9))
        );
    }

    #[test]
    fn endless_decrements_are_reported() {
        let problems = |text: &str| scan(text, "k.cl").problems.len();
        assert_eq!(problems("x = - --y - --z; f(--a, ++b, --c, --d, --e);"), 0);
        assert_eq!(problems(&format!("x = {}y;", "-".repeat(60))), 1);
        assert_eq!(problems(&format!("x = {}y;", "--(".repeat(30))), 1);
    }

    #[test]
    fn what_is_no_token_is_reported() {
        let messages = |text: &str| -> Vec<String> {
            scan(text, "k.cl")
                .problems
                .into_iter()
                .map(|p| p.message)
                .collect()
        };
        assert_eq!(
            messages("a @ b\n\0"),
            [
                "the character `@` is not part of OpenCL C",
                "a NUL byte is not part of OpenCL C"
            ]
        );
        assert_eq!(messages("/* no end"), ["this comment has no closing `*/`"]);
    }
}
