//! Patches of host sources: calls of four OpenCL functions go to fpgacc's runtime, with the file
//! and line of the call; loops that launch kernels and count tell it how often they go round.
//!
//! Works on the bytes of the user's file, token by token, so that all other bytes stay as they are,
//! whatever their encoding and line ends. Only calls are changed: not strings, comments,
//! declarations, pointers to functions, methods of the same name, or lines that `#if` takes away.
//! What is not patched here is still caught when the program is linked.

use crate::counted_loops::{CountedLoop, Text, counted_loops};
use crate::syntax::LiveLines;
use crate::syntax::lex::{Lexer, Token, TokenKind};

/// The functions whose calls are patched.
pub const PATCHED_FUNCTIONS: [&str; 4] = [
    "clBuildProgram",
    "clCreateProgramWithSource",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
];

/// The header that declares the runtime's functions.
pub const RUNTIME_HEADER: &str = "fpgacc_rt.h";

/// A changed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The function that was called.
    pub function: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Offset of the function's name in the original bytes.
    pub offset: usize,
    /// It stands in the replacement of a macro.
    pub in_macro: bool,
}

/// A patched file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The file's new bytes; the old ones if nothing was changed.
    pub text: Vec<u8>,
    /// What was changed, in order.
    pub edits: Vec<Edit>,
}

/// Patches the bytes of a host. `name` is the name by which the compiler shall know the file;
/// `lines` says which lines survive `#if`.
pub fn patch_bytes(text: &[u8], name: &str, lines: &LiveLines) -> Patched {
    patch_bytes_except(text, name, lines, |_| false, |_| false)
}

/// The same without the functions of which `is_theirs` says that a header or the command line has a macro
/// of that name: calls mean what the macro says. Loops are announced if `is_value` says of the names in their heads
/// that they are no macros, or ones of numbers.
pub fn patch_bytes_except(
    text: &[u8],
    name: &str,
    lines: &LiveLines,
    is_theirs: impl Fn(&str) -> bool,
    is_value: impl Fn(&str) -> bool,
) -> Patched {
    let found = find(text, lines, &is_theirs, &is_value);
    let edits = found.edits;
    if edits.is_empty() {
        return Patched {
            text: text.to_vec(),
            edits,
        };
    }
    let (bom, body) = match text.strip_prefix(b"\xef\xbb\xbf") {
        Some(body) => (3, body),
        None => (0, text),
    };
    let mut out = text[..bom].to_vec();
    out.extend_from_slice(&prefix(body, name));
    let mut done = bom;
    let mut loops = found.loops.iter().peekable();
    for edit in &edits {
        while let Some(one) = loops.next_if(|one| one.offset < edit.offset) {
            out.extend_from_slice(&text[done..one.offset]);
            out.extend_from_slice(one.announcement.as_bytes());
            done = one.offset;
        }
        out.extend_from_slice(&text[done..edit.offset]);
        out.extend_from_slice(b"fpgacc_");
        let open = call_open(text, edit.offset + edit.function.len());
        out.extend_from_slice(&text[edit.offset..open]);
        out.extend_from_slice(b"__FILE__, __LINE__, ");
        done = open;
    }
    out.extend_from_slice(&text[done..]);
    Patched { text: out, edits }
}

/// The lines before a patched file, with the file's own line ends; none if it has them.
fn prefix(body: &[u8], name: &str) -> Vec<u8> {
    let end = match body.iter().position(|&b| b == b'\n') {
        Some(at) if at > 0 && body[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    };
    let include = format!("#include \"{RUNTIME_HEADER}\"{end}");
    if body.starts_with(include.as_bytes()) {
        return Vec::new();
    }
    let name = name
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("{include}#line 1 \"{name}\"{end}").into_bytes()
}

/// The offset after the `(` of a call whose name ends at `at`.
fn call_open(text: &[u8], at: usize) -> usize {
    Lexer::within(text, at..text.len())
        .next()
        .map_or(at, |open| open.end)
}

/// What is to be changed in a file.
struct Found {
    edits: Vec<Edit>,
    /// In order. Each has a launch in it.
    loops: Vec<CountedLoop>,
}

fn find(
    text: &[u8],
    lines: &LiveLines,
    is_theirs: &dyn Fn(&str) -> bool,
    is_value: &dyn Fn(&str) -> bool,
) -> Found {
    let mut finder = Finder {
        text,
        lines,
        edits: Vec::new(),
        own: [false; PATCHED_FUNCTIONS.len()],
        line: 1,
        counted: 0,
    };
    let tokens = finder.live_tokens();
    finder.tokens(&tokens, false);
    let own = finder.own;
    let mut edits = finder.edits;
    edits.retain(|edit| {
        let index = PATCHED_FUNCTIONS.iter().position(|f| *f == edit.function);
        index.is_none_or(|i| !own[i]) && !is_theirs(edit.function)
    });
    let is_launch = |edit: &&Edit| edit.function.starts_with("clEnqueue") && !edit.in_macro;
    let launches: Vec<usize> = (edits.iter().filter(is_launch))
        .map(|edit| edit.offset)
        .collect();
    let text = Text {
        bytes: text,
        tokens: &tokens,
        is_value,
    };
    let loops = counted_loops(text, &launches);
    Found { edits, loops }
}

/// The offsets of the loops that [`patch_bytes_except`] announces.
pub(crate) fn announced_loops(
    text: &[u8],
    lines: &LiveLines,
    is_theirs: impl Fn(&str) -> bool,
    is_value: impl Fn(&str) -> bool,
) -> Vec<usize> {
    let found = find(text, lines, &is_theirs, &is_value);
    found.loops.into_iter().map(|one| one.offset).collect()
}

struct Finder<'a> {
    text: &'a [u8],
    lines: &'a LiveLines,
    edits: Vec<Edit>,
    /// The user has a macro, or a pointer variable, of the function's name: calls are theirs.
    own: [bool; PATCHED_FUNCTIONS.len()],
    line: u32,
    counted: usize,
}

impl Finder<'_> {
    /// The line of an offset; offsets must come in order.
    fn line_at(&mut self, offset: usize) -> u32 {
        let between = &self.text[self.counted..offset];
        self.line += between.iter().filter(|&&b| b == b'\n').count() as u32;
        self.counted = offset;
        self.line
    }

    fn live_tokens(&mut self) -> Vec<Token> {
        let all: Vec<_> = Lexer::new(self.text).collect();
        all.into_iter()
            .filter(|token| {
                let line = self.line_at(token.start);
                self.lines.is_live(line)
            })
            .collect()
    }

    fn tokens(&mut self, tokens: &[Token], in_macro: bool) {
        if !in_macro {
            (self.line, self.counted) = (1, 0);
        }
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Directive => self.directive(*token),
                TokenKind::Ident => self.ident(tokens, at, in_macro),
                _ => {}
            }
        }
    }

    fn directive(&mut self, directive: Token) {
        let tokens: Vec<_> = Lexer::within(self.text, directive.start + 1..directive.end).collect();
        let [keyword, name, rest @ ..] = &tokens[..] else {
            return;
        };
        if keyword.bytes(self.text) != b"define" {
            return;
        }
        if let Some(index) = function_index(name.bytes(self.text)) {
            self.own[index] = true;
            return;
        }
        let function_like = rest
            .first()
            .is_some_and(|t| t.kind == TokenKind::Punct(b'(') && t.start == name.end);
        let body = match function_like {
            true => rest.iter().position(|t| t.kind == TokenKind::Punct(b')')),
            false => None,
        };
        self.tokens(&rest[body.map_or(0, |close| close + 1)..], true);
    }

    fn ident(&mut self, tokens: &[Token], at: usize, in_macro: bool) {
        let Some(index) = function_index(tokens[at].bytes(self.text)) else {
            return;
        };
        let punct = |i: Option<usize>| match i.and_then(|i| tokens.get(i)).map(|t| t.kind) {
            Some(TokenKind::Punct(b)) => Some(b),
            _ => None,
        };
        let before = |n: usize| at.checked_sub(n);
        if punct(before(1)) == Some(b'*') && punct(Some(at + 1)) == Some(b')') {
            // `(*clEnqueueTask)(..)`: declared, or called, as a pointer.
            self.own[index] = true;
            return;
        }
        let empty = punct(Some(at + 2)) == Some(b')');
        if punct(Some(at + 1)) != Some(b'(') || empty || !self.may_call(tokens, at) {
            return;
        }
        let line = self.line_at(tokens[at].start);
        self.edits.push(Edit {
            function: PATCHED_FUNCTIONS[index],
            line,
            offset: tokens[at].start,
            in_macro,
        });
    }

    /// Whether what stands before a name lets it be a call, and not a declaration or a method.
    fn may_call(&self, tokens: &[Token], at: usize) -> bool {
        let Some(previous) = at.checked_sub(1).map(|i| &tokens[i]) else {
            return true;
        };
        let before_that = at.checked_sub(2).map(|i| &tokens[i]);
        let joined = |a: Option<&Token>, b: u8| {
            a.is_some_and(|a| a.kind == TokenKind::Punct(b) && a.end == previous.start)
        };
        match previous.kind {
            TokenKind::Directive | TokenKind::Number => true,
            TokenKind::Str | TokenKind::Char => false,
            TokenKind::Ident => matches!(
                previous.bytes(self.text),
                b"return"
                    | b"else"
                    | b"do"
                    | b"case"
                    | b"throw"
                    | b"co_return"
                    | b"and"
                    | b"or"
                    | b"not"
            ),
            TokenKind::Punct(b'.') => false,
            TokenKind::Punct(b'>') => !joined(before_that, b'-'),
            // `::clX(` is the global function, `Class::clX(` is not.
            TokenKind::Punct(b':') if joined(before_that, b':') => {
                let scope = at.checked_sub(3).map(|i| &tokens[i]);
                !scope.is_some_and(|t| {
                    matches!(t.kind, TokenKind::Ident | TokenKind::Punct(b'>'))
                        && !matches!(t.bytes(self.text), b"return" | b"else" | b"case")
                })
            }
            TokenKind::Punct(_) => true,
        }
    }
}

fn function_index(name: &[u8]) -> Option<usize> {
    PATCHED_FUNCTIONS.iter().position(|f| f.as_bytes() == name)
}

/// The change as a unified diff with three lines of context; empty if there is none. Bytes that
/// are not UTF-8 are shown as U+FFFD.
pub fn unified_diff(original: &[u8], patched: &[u8], name: &str) -> String {
    let old = String::from_utf8_lossy(original);
    let new = String::from_utf8_lossy(patched);
    if old == new {
        return String::new();
    }
    similar::TextDiff::from_lines(old.as_ref(), new.as_ref())
        .unified_diff()
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(text: &str) -> String {
        let result = patch_bytes(text.as_bytes(), "h.c", &LiveLines::all(0));
        String::from_utf8(result.text).unwrap()
    }

    /// `Q(` stands for a patched clEnqueueTask call, `T(` for one that stays.
    fn check(pattern: &str) {
        let text = pattern
            .replace("Q(", "clEnqueueTask(")
            .replace("T(", "clEnqueueTask(");
        let expected = pattern
            .replace("Q(", "fpgacc_clEnqueueTask(__FILE__, __LINE__, ")
            .replace("T(", "clEnqueueTask(");
        let head = "#include \"fpgacc_rt.h\"\n#line 1 \"h.c\"\n";
        let expected = match pattern.contains("Q(") {
            true => format!("{head}{expected}"),
            false => expected,
        };
        assert_eq!(patched(&text), expected);
    }

    #[test]
    fn calls_are_patched() {
        check("Q(q, k);");
        check("e = Q(q, k); if (x) Q(q, k); else Q(a, b);");
        check("return Q(q, k);");
        check("CHECK(Q(q, k)); (void)Q(q, k); ::Q(q, k); return ::Q(q, k);");
        check("#define RUN(k) \\\n  do { Q(q, k); } while (0)\nRUN(k);");
        check("#define RUN Q(q, k)\n");
        check("#pragma once\nQ(q, k);");
        check("case 1: Q(q, k);");
    }

    #[test]
    fn what_is_no_call_stays() {
        check("\"T(q)\" /* T(q) */ // T(q)\n");
        check("cl_int T(cl_queue q);");
        check("x.T(q); x->T(q); cl::T(q);");
        check("p = clEnqueueTask; p = &clEnqueueTask;");
        check("#if T(x)\n#endif\n#error T(x)\n");
        check("R\"(T(q))\"");
        check("#define clEnqueueTask(q, k) mine(q, k)\nT(q, k);");
        check("static cl_int (*clEnqueueTask)(int); T(q, k);");
        check("T();");
    }

    /// A loop with such a head, of a launch and more.
    fn announced(head: &str, body: &str) -> Option<String> {
        let text = format!("{head} {{ {body} clEnqueueTask(q, k); }}");
        let patched = patch_bytes_except(
            text.as_bytes(),
            "h.c",
            &LiveLines::all(0),
            |_| false,
            |name| name != "MACRO",
        );
        let text = String::from_utf8(patched.text).unwrap();
        let (before, after) = text.split_once(head)?;
        assert!(after.starts_with(" {"), "{text}");
        let line = before.lines().last()?.trim_end();
        Some(line.to_string()).filter(|line| line.starts_with("FPGACC_LOOP"))
    }

    #[test]
    fn loops_that_count_are_announced() {
        for (head, body, expected) in [
            ("for (i = 0; i < n; i++)", "", "0, n, 0, 1, 1"),
            (
                "for (int t = a + 1; t <= p->steps; ++t)",
                "",
                "a + 1, p->steps, 1, 1, 1",
            ),
            (
                "for (std::size_t i = n; i > 0; i -= 2)",
                "",
                "0, n, 0, 2, 1",
            ),
            ("for(i=0;i<(a[3]*2)/x;i+=0x2)", "", ""),
            (
                "for(i=0;i<(a[3]*2)/x;i+=2)",
                "clFinish(q);",
                "0, (a[3]*2)/x, 0, 2, 1",
            ),
            (
                "for (i = 0; i < n; i++)",
                "if (x) clEnqueueTask(q, l); else",
                "0, n, 0, 1, 2",
            ),
            (
                "for (i = 0; i < n; i++)",
                "for (j = 0; j < 3; j++) f(j);",
                "0, n, 0, 1, 1",
            ),
        ] {
            let expected =
                Some(format!("FPGACC_LOOP({expected})")).filter(|_| !expected.is_empty());
            assert_eq!(announced(head, body), expected, "{head}");
        }
    }

    #[test]
    fn loops_that_may_do_more_are_not() {
        for (head, body) in [
            ("for (i = f(); i < n; i++)", ""),
            ("for (i = 0; i < (f)(n); i++)", ""),
            ("for (i = 0; i < n--; i++)", ""),
            ("for (i = 0; i < MACRO; i++)", ""),
            ("for (i = 0; i < n && go; i++)", ""),
            ("for (i = 0; i != n; i++)", ""),
            ("for (i = 0; i << 2; i++)", ""),
            ("for (i = 0; i < n; i--)", ""),
            ("for (i = 0; i < n; j++)", ""),
            ("for (i = 0; i < n; i += x)", ""),
            ("for (i = 0; i < 2 * i; i++)", ""),
            ("for (i = 0, j = 1; i < n; i++)", ""),
            ("for (auto i : all)", ""),
            ("for (;;)", ""),
            ("while (i < n)", ""),
            ("_Pragma(\"omp parallel for\") for (i = 0; i < n; i++)", ""),
            ("for (i = 0; i < n; i++)", "while (go)"),
            ("for (i = 0; i < n; i++)", "do {} while (x); do"),
        ] {
            assert_eq!(announced(head, body), None, "{head}");
        }
        for pragma in [
            "#pragma omp parallel for\nfor (i = 0; i < n; i++)",
            "#pragma omp for collapse(2)\nfor (;;) for (i = 0; i < n; i++)",
        ] {
            assert_eq!(announced(pragma, ""), None);
        }
    }

    #[test]
    fn dead_lines_stay() {
        let text = b"#if 0\nclEnqueueTask(a, b);\n#endif\nclEnqueueTask(a, b);\n";
        let pre = crate::syntax::Preprocessed::read("# 1 \"h.c\"\n\n\n\nclEnqueueTask(a, b);\n");
        let mut sources = fpgacc_frontend::source::SourceMap::new();
        let file = sources.add("h.c", String::from_utf8(text.to_vec()).unwrap());
        let host = crate::syntax::HostFile::parse(
            &sources,
            file,
            &[],
            Some(&pre),
            crate::syntax::Language::C,
        );
        let result = patch_bytes(text, "h.c", &host.main().lines);
        let lines: Vec<_> = result.edits.iter().map(|e| e.line).collect();
        assert_eq!(lines, [4]);
    }

    #[test]
    fn other_bytes_stay() {
        let text = b"\xef\xbb\xbf// caf\xe9\r\nclEnqueueTask(q, k);\r\n";
        let result = patch_bytes(text, "a\\b\".c", &LiveLines::all(0));
        let expected = b"\xef\xbb\xbf#include \"fpgacc_rt.h\"\r\n#line 1 \"a\\\\b\\\".c\"\r\n// caf\xe9\r\nfpgacc_clEnqueueTask(__FILE__, __LINE__, q, k);\r\n";
        assert_eq!(result.text, expected);
        let again = patch_bytes(&result.text, "a.c", &LiveLines::all(0));
        assert_eq!(again.text, result.text);
        let more = [result.text.as_slice(), b"clEnqueueTask(q, k);"].concat();
        let more = patch_bytes(&more, "a.c", &LiveLines::all(0));
        assert_eq!(more.edits.len(), 1);
        assert!(more.text.starts_with(&result.text));
    }

    #[test]
    fn the_diff_is_unified() {
        let diff = unified_diff(b"a\nclEnqueueTask(q);\n", b"a\nx(q);\n", "h.c");
        assert_eq!(
            diff,
            "--- a/h.c\n+++ b/h.c\n@@ -1,2 +1,2 @@\n a\n-clEnqueueTask(q);\n+x(q);\n"
        );
    }
}
