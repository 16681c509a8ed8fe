//! From tokens of the preprocessed text to positions in the user's own text.
//!
//! Line markers give file and line. The preprocessor folds blanks and expands macros, so columns are
//! found by walking along the tokens of the user's lines beside those of the preprocessed ones:
//! equal tokens are the same position, and what a macro made gets the position of the macro's use. The walk
//! does not expand macros itself: where an expansion holds the token that follows the use, the rest
//! of that line may be placed a use too far.

use std::collections::BTreeMap;

use super::prepass::Prepass;
use super::token::{Lexeme, Lexer, SourceLine, Token, TokenKind, text_of};
use crate::source::{FileId, SourceMap, Span};

/// The most lines of a file that only `#line` names.
const MOST_LINES: u32 = 100_000;

/// The lines of a file that is nowhere, as far as the preprocessed text has them: one that a `#line` names. `None`: it has
/// no line, or they would be too many.
fn lines_of(text: &str, prepass: &Prepass, file: u32) -> Option<String> {
    let mut lines: BTreeMap<u32, &str> = BTreeMap::new();
    for (token, at) in prepass.tokens.iter().zip(&prepass.source_lines) {
        if at.file == file && !lines.contains_key(&at.line) {
            let start = token.start as usize;
            let from = text[..start].rfind('\n').map_or(0, |end| end + 1);
            let to = text[start..]
                .find('\n')
                .map_or(text.len(), |end| start + end);
            lines.insert(at.line, &text[from..to]);
        }
    }
    let last = *lines.last_key_value()?.0;
    let line = |number: u32| lines.get(&number).copied().unwrap_or_default();
    let all = || (1..=last).map(line).collect::<Vec<_>>().join("\n");
    (last <= MOST_LINES).then(all)
}

/// Gives the position in the user's files of every token. A file that is not in `sources` is registered with what
/// the preprocessed text has of it, or stood in for by all of the preprocessed text.
pub(super) fn locate(
    text: &str,
    name: &str,
    prepass: &Prepass,
    sources: &mut SourceMap,
) -> (Vec<Span>, Files) {
    let mut ids: Vec<Option<FileId>> = prepass
        .files
        .iter()
        .map(|file| sources.find(file))
        .collect();
    for (index, id) in ids.iter_mut().enumerate().filter(|(_, id)| id.is_none()) {
        let lines = lines_of(text, prepass, index as u32);
        *id = lines.map(|lines| sources.add(&*prepass.files[index], lines));
    }
    let missing = prepass
        .source_lines
        .iter()
        .any(|p| ids[p.file as usize].is_none());
    let stand_in = (missing || ids.iter().all(Option::is_none))
        .then(|| sources.add(format!("{name} (preprocessed)"), text));
    let files = Files { ids, stand_in };
    let mut originals: Vec<Option<Original>> = files
        .ids
        .iter()
        .map(|id| id.map(|id| Original::new(&sources.file(id).text)))
        .collect();

    let mut spans = Vec::with_capacity(prepass.tokens.len());
    let mut from = 0;
    while from < prepass.tokens.len() {
        let source_line = prepass.source_lines[from];
        let run = prepass.source_lines[from..]
            .iter()
            .take_while(|&&p| p == source_line)
            .count();
        let to = from + run;
        let tokens = &prepass.tokens[from..to];
        let next_line = prepass
            .source_lines
            .get(to)
            .filter(|next| next.file == source_line.file && next.line > source_line.line)
            .map_or(source_line.line.saturating_add(1), |next| next.line);
        let file = source_line.file as usize;
        match (files.ids[file], &mut originals[file]) {
            (Some(id), Some(original)) => {
                let map: &SourceMap = sources;
                let mut walk = Walk {
                    text,
                    prepass,
                    original,
                    source: &map.file(id).text,
                    file: id,
                    whole_line: map.line_span(id, source_line.line),
                    end_line: next_line,
                };
                walk.run(source_line, tokens, &mut spans);
            }
            _ => {
                let file = files.stand_in;
                spans.extend(tokens.iter().filter_map(|token| {
                    file.map(|file| Span {
                        file,
                        start: token.start,
                        end: token.end,
                    })
                }));
            }
        }
        from = to;
    }
    (spans, files)
}

/// The registered files of the names in line markers.
#[derive(Debug)]
pub(super) struct Files {
    ids: Vec<Option<FileId>>,
    stand_in: Option<FileId>,
}

impl Files {
    /// The user's file of a position, if it is registered.
    pub fn id(&self, source_line: SourceLine) -> Option<FileId> {
        self.ids[source_line.file as usize]
    }

    /// The span of `text` on a line of the user's file, else of the whole line.
    pub fn find_on_line(
        &self,
        source_line: SourceLine,
        text: &str,
        sources: &SourceMap,
    ) -> Option<Span> {
        let Some(id) = self.ids[source_line.file as usize] else {
            let id = self.stand_in?;
            return Some(sources.line_span(id, 1));
        };
        let file = sources.file(id);
        if let Some(range) = file.line_range(source_line.line)
            && let Some(at) = file.text[range.clone()].find(text)
        {
            let start = (range.start + at) as u32;
            return Some(Span {
                file: id,
                start,
                end: start + text.len() as u32,
            });
        }
        Some(sources.line_span(id, source_line.line))
    }
}

/// The tokens of a user's file with their lines.
struct Original {
    tokens: Vec<Token>,
    lines: Vec<u32>,
    /// The line where the last walk was, and the token where it stopped: one line may come in
    /// several runs.
    resume: (u32, usize),
}

impl Original {
    fn new(text: &str) -> Self {
        let mut original = Original {
            tokens: Vec::new(),
            lines: Vec::new(),
            resume: (0, 0),
        };
        let mut lexer = Lexer::new(text);
        while let Some((lexeme, line)) = lexer.next() {
            if let Lexeme::Token(token) = lexeme {
                original.tokens.push(token);
                original.lines.push(line);
            }
        }
        original
    }

    fn first_on(&self, line: u32) -> usize {
        let first = self.lines.partition_point(|&l| l < line);
        let (last_line, at) = self.resume;
        if last_line <= line {
            first.max(at)
        } else {
            first
        }
    }
}

/// One run of tokens with the same line.
struct Walk<'a> {
    text: &'a str,
    prepass: &'a Prepass,
    original: &'a mut Original,
    source: &'a str,
    file: FileId,
    whole_line: Span,
    /// The first line that is not this run's.
    end_line: u32,
}

impl Walk<'_> {
    fn run(&mut self, source_line: SourceLine, tokens: &[Token], spans: &mut Vec<Span>) {
        let mut at = self.original.first_on(source_line.line);
        let mut next = 0;
        while next < tokens.len() {
            let word = text_of(self.text, &tokens[next]);
            match self.word(at) {
                Some(found) if found == word => {
                    spans.push(self.span(at, at));
                    at += 1;
                    next += 1;
                }
                Some(_) if self.is_macro(at).is_some() => {
                    let after = self.after_macros(at);
                    let until = self.resync(after, &tokens[next..]);
                    let span = self.span(at, after - 1);
                    spans.extend(std::iter::repeat_n(span, until));
                    next += until;
                    at = after;
                }
                _ => {
                    spans.push(self.whole_line);
                    next += 1;
                }
            }
        }
        self.original.resume = (source_line.line, at);
    }

    /// The text of an original token, if it stands on this run's lines.
    fn word(&self, at: usize) -> Option<&str> {
        let token = self.original.tokens.get(at)?;
        (self.original.lines[at] < self.end_line).then(|| text_of(self.source, token))
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span {
            file: self.file,
            start: self.original.tokens[from].start,
            end: self.original.tokens[to].end,
        }
    }

    /// Whether an original token is a macro's name, and if so whether it has parameters.
    fn is_macro(&self, at: usize) -> Option<bool> {
        let token = self.original.tokens.get(at)?;
        if token.kind != TokenKind::Ident {
            return None;
        }
        let word = text_of(self.source, token);
        match word {
            "_Pragma" => Some(true),
            "__LINE__" | "__FILE__" | "__COUNTER__" => Some(false),
            _ => self.prepass.macros.was_macro(word),
        }
    }

    /// The original token after the macro use at `at` and those that follow it directly.
    fn after_macros(&self, at: usize) -> usize {
        let mut at = at;
        while self.word(at).is_some()
            && let Some(function_like) = self.is_macro(at)
        {
            at += 1;
            if function_like && self.word(at) == Some("(") {
                at = self.after_parentheses(at);
            }
        }
        at
    }

    fn after_parentheses(&self, open: usize) -> usize {
        let mut depth = 0usize;
        let mut at = open;
        // An argument list without an end would be walked again by every use of the macro.
        while let Some(token) = self.original.tokens.get(at).filter(|_| at - open < 10_000) {
            match text_of(self.source, token) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        at
    }

    /// How many of `tokens` came out of macros: those before the original token at `at`.
    fn resync(&self, at: usize, tokens: &[Token]) -> usize {
        let Some(word) = self.word(at) else {
            return tokens.len();
        };
        let follower = self
            .word(at + 1)
            .filter(|_| self.is_macro(at + 1).is_none());
        let fits = |index: usize| {
            if text_of(self.text, &tokens[index]) != word {
                return false;
            }
            match (follower, tokens.get(index + 1)) {
                (Some(wanted), Some(found)) => text_of(self.text, found) == wanted,
                _ => true,
            }
        };
        (0..tokens.len())
            .find(|&index| fits(index))
            .unwrap_or(tokens.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::prepass::scan;

    /// Each token of `pre` with what stands at its position in `user`.
    fn check(user: &str, pre: &str, expected: &[&str]) {
        let mut sources = SourceMap::new();
        sources.add("k.cl", user);
        let prepass = scan(pre, "k.cl");
        let (spans, _) = locate(pre, "k.cl", &prepass, &mut sources);
        let found: Vec<&str> = spans.iter().map(|&span| sources.text(span)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn folded_blanks_and_comments_do_not_matter() {
        check(
            "a   =/*x*/ b\n  ;",
            "# 1 \"k.cl\"\na = b\n;",
            &["a", "=", "b", ";"],
        );
    }

    #[test]
    fn what_a_macro_made_stands_at_its_use() {
        check(
            "#define N (4+b)\na = N;",
            "#define N (4+b)\n# 2 \"k.cl\"\na = (4+b);",
            &["a", "=", "N", "N", "N", "N", "N", ";"],
        );
        check(
            "#define F(x) x*1\na = F( b ) + F(c), d;",
            "#define F(x) x*1\n# 2 \"k.cl\"\na = b*1 + c*1, d;",
            &[
                "a", "=", "F( b )", "F( b )", "F( b )", "+", "F(c)", "F(c)", "F(c)", ",", "d", ";",
            ],
        );
    }

    #[test]
    fn a_macro_use_may_span_lines() {
        check(
            "#define F(x,y) x y\nF(a,\n b) c\nd",
            "#define F(x,y) x y\n# 2 \"k.cl\"\na b\n      c\nd",
            &["F(a,\n b)", "F(a,\n b)", "c", "d"],
        );
    }

    #[test]
    fn a_file_without_text_is_stood_in_for() {
        check("", "# 1 \"other.h\"\nint x;", &["int", "x", ";"]);
    }

    #[test]
    fn a_file_that_a_directive_names_has_the_lines_that_are_known() {
        let pre = "# 1 \"k.cl\"\nint a;\n# 7 \"foo.cl\"\nint  b;\nint c;\n";
        let mut sources = SourceMap::new();
        sources.add("k.cl", "int a;\n#line 7 \"foo.cl\"\nint  b;\nint c;\n");
        let prepass = scan(pre, "k.cl");
        let (spans, _) = locate(pre, "k.cl", &prepass, &mut sources);
        let found: Vec<(String, u32, u32, &str)> = spans
            .iter()
            .map(|&span| {
                let at = sources.location(span);
                (at.file, at.line, at.column, sources.text(span))
            })
            .collect();
        assert_eq!(found[4], ("foo.cl".to_string(), 7, 6, "b"));
        assert_eq!(found[7], ("foo.cl".to_string(), 8, 5, "c"));
    }

    #[test]
    fn a_directive_may_name_any_line() {
        let pre = "# 4000000000 \"foo.cl\"\nint a;\n";
        let mut sources = SourceMap::new();
        let prepass = scan(pre, "k.cl");
        let (spans, _) = locate(pre, "k.cl", &prepass, &mut sources);
        assert_eq!(sources.text(spans[1]), "a");
    }
}
