//! Macros that are more than an expression, replaced as the preprocessor replaces them.
//!
//! Most macros stay in the text: whoever reads the syntax looks up what they mean, and their positions
//! stay the user's. That works for what the parser takes for expressions and statements. It does not
//! for macros that open or close blocks, that are heads of loops, that are whole statements without
//! a `;` after their use, that define functions, that make texts of what is no expression, or that
//! put a name before arguments in parentheses of their own. Such uses are replaced in what the parser
//! sees.

use std::collections::BTreeMap;
use std::ops::Range;

use super::cpp::{Macro, MacroTable, Moment};
use super::lex::{Lexer, Token, TokenKind};
use super::words::{
    Word, apart, applies, at_top, defines_function, inner_arguments, is_balanced, is_single,
    is_statement, paste, split_arguments, stringized, words_of,
};

/// Most words that a use is replaced by.
const MOST_WORDS: usize = 1 << 16;
/// Deepest nesting of macros.
const MOST_DEPTH: usize = 64;

/// A use of a macro, and what replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Edit {
    pub range: Range<usize>,
    pub words: Vec<Word>,
}

/// Replaces uses of macros in one text.
pub(super) struct Expander<'t> {
    text: &'t [u8],
    tokens: Vec<Token>,
    macros: &'t MacroTable,
    /// What macros may be, by their index.
    natures: BTreeMap<usize, Nature>,
}

/// What a macro or one that it uses may be.
#[derive(Clone, Copy, Default)]
struct Nature {
    /// More than an expression.
    is_statement: bool,
    /// It makes texts of its arguments, or puts names together.
    makes_texts: bool,
    /// An operation without parentheses around it.
    is_open: bool,
    /// A parameter follows a name, as in `f args`: a call if it stands for what is in parentheses.
    applies: bool,
}

impl<'t> Expander<'t> {
    pub fn new(text: &'t [u8], macros: &'t MacroTable) -> Self {
        Expander {
            text,
            tokens: Lexer::new(text).collect(),
            macros,
            natures: BTreeMap::new(),
        }
    }

    /// The uses that are replaced, in order; `moment` is when the preprocessor comes to a position.
    pub fn edits(mut self, moment: impl Fn(usize) -> Moment) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut scopes = Scopes::default();
        let mut at = 0;
        while at < self.tokens.len() {
            let token = self.tokens[at];
            let found = match token.kind {
                TokenKind::Ident => self.use_at(at, moment(token.start), &scopes),
                _ => None,
            };
            let Some((edit, next)) = found else {
                scopes.pass(&self.word(token));
                at += 1;
                continue;
            };
            for word in &edit.words {
                scopes.pass(word);
            }
            edits.push(edit);
            at = next;
        }
        edits
    }

    fn bytes(&self, at: usize) -> &'t [u8] {
        self.tokens.get(at).map_or(b"", |t| t.bytes(self.text))
    }

    fn word(&self, token: Token) -> Word {
        let before = token.start.checked_sub(1).map(|at| self.text[at]);
        Word {
            text: String::from_utf8_lossy(token.bytes(self.text)).into_owned(),
            from: Some(token.start..token.end),
            spaced: before.is_some_and(|b| b.is_ascii_whitespace() || b == b'/'),
            glued: matches!(token.kind, TokenKind::Punct(_))
                && before.is_some_and(|b| b.is_ascii_punctuation() && !matches!(b, b'"' | b'\'')),
        }
    }

    /// What replaces the macro at a token, and the token after its use; nothing if it stays.
    fn use_at(&mut self, at: usize, moment: Moment, scopes: &Scopes) -> Option<(Edit, usize)> {
        let name = std::str::from_utf8(self.bytes(at)).ok()?;
        let (index, definition) = self.macros.at(name, moment)?;
        let after_name = self.tokens.get(at + 1..)?;
        let args = match &definition.params {
            None => Vec::new(),
            Some(_) => self.arguments(after_name)?,
        };
        let used: usize = match &definition.params {
            None => 1,
            Some(_) => 1 + args_length(after_name, self.text)?,
        };
        let is_odd = args.iter().any(|arg| is_statement(arg));
        let nature = self.nature(index, moment, 0);
        let before = at
            .checked_sub(1)
            .map_or(b"".as_slice(), |at| self.bytes(at));
        let is_part = nature.is_open && (is_operator(before) || is_operator(self.bytes(at + used)));
        let in_parentheses = |arg: &Vec<Word>| arg.first().is_some_and(|word| word.is("("));
        let is_applied = nature.applies && args.iter().any(in_parentheses);
        if !nature.is_statement && !is_odd && !nature.makes_texts && !is_part && !is_applied {
            return None;
        }
        let mut replaced = Replaced {
            moment,
            hidden: vec![definition.name.to_string()],
        };
        let words = self.replace(definition, &args, &mut replaced)?;
        let around = Around {
            before,
            after: self.bytes(at + used),
            next: self.bytes(at + used + 1),
            outside: scopes.is_outside(),
        };
        let is_text = nature.makes_texts && !words.is_empty() && words.iter().all(Word::is_text);
        // What is in parentheses is no list of arguments then.
        let has_statements = args.iter().any(|arg| at_top(arg).any(|word| word.is(";")));
        let is_needed = (nature.is_statement || is_odd) && around.needs(&words);
        if !is_text && !has_statements && !is_needed && !is_part && !is_applied {
            return None;
        }
        let end = self.tokens[at + used - 1].end;
        let range = self.tokens[at].start..end;
        Some((Edit { range, words }, at + used))
    }

    /// The arguments of a use whose `(` comes next.
    fn arguments(&self, after_name: &[Token]) -> Option<Vec<Vec<Word>>> {
        let length = args_length(after_name, self.text)?;
        let inside = after_name.get(1..length - 1)?;
        let words = inside.iter().map(|token| self.word(*token)).collect();
        Some(split_arguments(words))
    }

    /// What a macro or one that it uses may be.
    fn nature(&mut self, index: usize, moment: Moment, depth: usize) -> Nature {
        if let Some(known) = self.natures.get(&index) {
            return *known;
        }
        // One that uses itself is not replaced inside of itself.
        self.natures.insert(index, Nature::default());
        let definition = self.macros.get(index);
        let words = words_of(&definition.body);
        let params = definition.params.as_deref().unwrap_or_default();
        let mut nature = Nature {
            is_statement: is_statement(&words),
            makes_texts: words.iter().any(|word| word.is("#")),
            is_open: at_top(&words)
                .skip(1)
                .any(|word| is_operator(word.text.as_bytes())),
            applies: words
                .windows(2)
                .any(|pair| applies(&pair[0], &pair[1], params)),
        };
        let names = words
            .iter()
            .filter(|word| word.is_name() && depth < MOST_DEPTH);
        for name in names {
            if let Some((inner, _)) = self.macros.at(&name.text, moment) {
                let inner = self.nature(inner, moment, depth + 1);
                nature.is_statement |= inner.is_statement;
                nature.makes_texts |= inner.makes_texts;
                nature.is_open |= inner.is_open && words.len() == 1;
                nature.applies |= inner.applies;
            }
        }
        self.natures.insert(index, nature);
        nature
    }

    /// A macro's replacement with its arguments in it; nothing if there is no end to it.
    fn replace(
        &mut self,
        definition: &Macro,
        args: &[Vec<Word>],
        replaced: &mut Replaced,
    ) -> Option<Vec<Word>> {
        if replaced.hidden.len() > MOST_DEPTH {
            return None;
        }
        let body = words_of(&definition.body);
        let params = definition.params.as_deref().unwrap_or_default();
        let bound = Bound { params, args };
        let mut words: Vec<Word> = Vec::new();
        let mut at = 0;
        let is_function = definition.params.is_some();
        // The last word is an argument's.
        let mut is_apart = false;
        while let Some(word) = body.get(at) {
            if words.len() > MOST_WORDS {
                return None;
            }
            let pasted = |at: usize| {
                let hash = |at: usize| body.get(at).is_some_and(|w| w.is("#"));
                hash(at) && hash(at + 1) && body.get(at + 1).is_some_and(|w| !w.spaced)
            };
            if pasted(at) {
                let right = body.get(at + 2)?;
                let right = match bound.get(&right.text) {
                    Some(arg) => arg,
                    None => vec![right.clone()],
                };
                paste(&mut words, right);
                at += 3;
                continue;
            }
            if word.is("#") && is_function {
                let param = body.get(at + 1)?;
                let arg = bound.get(&param.text)?;
                words.push(Word {
                    text: stringized(&arg),
                    from: None,
                    spaced: word.spaced,
                    glued: false,
                });
                at += 2;
                continue;
            }
            match bound.get(&word.text) {
                Some(arg) if pasted(at + 1) => words.extend(apart(arg, word)),
                Some(arg) => {
                    // As the preprocessor does, before the whole is looked at again.
                    let arg = self.rescan(arg, replaced)?;
                    words.extend(apart(arg, word));
                    is_apart = true;
                }
                None => words.push(Word {
                    glued: word.glued && !is_apart,
                    ..word.clone()
                }),
            }
            is_apart &= bound.has(&word.text);
            at += 1;
        }
        self.rescan(words, replaced)
    }

    /// Replaces the macros in a replacement that are the user's or no expressions.
    fn rescan(&mut self, words: Vec<Word>, replaced: &mut Replaced) -> Option<Vec<Word>> {
        let mut result: Vec<Word> = Vec::new();
        let mut is_apart = false;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            if result.len() > MOST_WORDS {
                return None;
            }
            let found = match word.is_name() && !replaced.hidden.contains(&word.text) {
                true => self.macros.at(&word.text, replaced.moment),
                false => None,
            };
            let Some((index, definition)) = found else {
                result.push(Word {
                    glued: word.glued && !is_apart,
                    ..word.clone()
                });
                is_apart = false;
                continue;
            };
            let nature = self.nature(index, replaced.moment, 0);
            let stays = definition.system && !nature.is_statement;
            let args = match &definition.params {
                _ if stays => None,
                None => Some((Vec::new(), 0)),
                Some(_) => inner_arguments(&words[at..]),
            };
            let Some((args, used)) = args else {
                result.push(word.clone());
                continue;
            };
            at += used;
            replaced.hidden.push(word.text.clone());
            let inner = self.replace(definition, &args, replaced)?;
            replaced.hidden.pop();
            result.extend(apart(inner, word));
            is_apart = true;
        }
        Some(result)
    }
}

/// What is being replaced.
struct Replaced {
    moment: Moment,
    /// Macros inside of whose replacement this is: they are not replaced again.
    hidden: Vec<String>,
}

/// What a macro's parameters stand for.
struct Bound<'m> {
    params: &'m [String],
    args: &'m [Vec<Word>],
}

impl Bound<'_> {
    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn get(&self, name: &str) -> Option<Vec<Word>> {
        let is = |param: &String| {
            let rest = param.strip_suffix("...").map(str::trim_end);
            param == name || rest == Some(name) || rest == Some("") && name == "__VA_ARGS__"
        };
        let at = self.params.iter().position(is)?;
        if !self.params[at].ends_with("...") {
            return Some(self.args.get(at).cloned().unwrap_or_default());
        }
        let mut all = Vec::new();
        for (index, arg) in self.args.iter().enumerate().skip(at) {
            if index > at {
                all.push(Word {
                    text: ",".to_string(),
                    from: None,
                    spaced: false,
                    glued: false,
                });
            }
            all.extend(arg.iter().cloned());
        }
        Some(all)
    }
}

/// What stands around a use.
struct Around<'t> {
    before: &'t [u8],
    after: &'t [u8],
    next: &'t [u8],
    /// It stands outside of all functions.
    outside: bool,
}

impl Around<'_> {
    /// Whether the parser must see the replacement: it would take the use for something else.
    fn needs(&self, words: &[Word]) -> bool {
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return false;
        };
        if self.outside || !is_balanced(words) || defines_function(words) {
            return true;
        }
        let ends = last.is(";") || last.is("}");
        let continued = matches!(self.after, b";")
            && !matches!(first.text.as_str(), "else" | "catch" | "case" | "default")
            && !matches!(last.text.as_str(), "else" | "do" | "try" | ":");
        // Its `else` would be that of another `if`.
        let with_else = self.next == b"else" && first.is("if") && !ends;
        let alone = matches!(self.before, b")" | b"else" | b"do");
        let is_value = matches!(self.before, b"=" | b"(" | b"," | b"return")
            && at_top(words).any(|word| word.is(";"));
        !continued || with_else || is_value || alone && !is_single(words)
    }
}

/// Braces around a position.
#[derive(Default)]
struct Scopes {
    /// For each brace that is open, whether what stands in it is outside of functions.
    open: Vec<bool>,
    last: [String; 2],
}

impl Scopes {
    fn is_outside(&self) -> bool {
        self.open.iter().all(|outside| *outside)
    }

    fn pass(&mut self, word: &Word) {
        if word.is("{") {
            let [before, last] = &self.last;
            let of_linkage = before == "extern" && last.ends_with('"');
            self.open
                .push(of_linkage || before == "namespace" || last == "namespace");
        } else if word.is("}") {
            self.open.pop();
        }
        self.last.swap(0, 1);
        self.last[1].clone_from(&word.text);
    }
}

/// How many tokens a use's arguments with their parentheses are.
fn args_length(after_name: &[Token], text: &[u8]) -> Option<usize> {
    let mut depth = 0u32;
    for (at, token) in after_name.iter().enumerate() {
        match token.bytes(text) {
            b"(" => depth += 1,
            b")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then_some(at + 1);
        }
    }
    None
}

/// Whether a token is or starts an operator of two operands.
fn is_operator(token: &[u8]) -> bool {
    matches!(
        token,
        [
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>',
            ..
        ]
    )
}

#[cfg(test)]
mod tests {
    use super::super::squeeze::squeezed;
    use super::*;
    use std::sync::Arc;

    /// What the parser sees of a text with these macros.
    fn check(macros: &[&str], text: &str, expected: &str) {
        let mut table = MacroTable::default();
        for text in macros {
            table.directive(&format!("#define {text}"), &Arc::from("h.c"), 1, false);
        }
        let edits = Expander::new(text.as_bytes(), &table).edits(|_| table.end());
        let (short, _) = squeezed(text.as_bytes(), &edits);
        let tokens = |text: &[u8]| -> Vec<String> {
            let word = |t: Token| String::from_utf8_lossy(t.bytes(text)).into_owned();
            Lexer::new(text).map(word).collect()
        };
        assert_eq!(tokens(&short), tokens(expected.as_bytes()), "{text}");
    }

    #[test]
    fn statements_and_blocks() {
        let macros = ["CHECK if (s) exit(1);", "BEGIN {", "END }", "TWO a(); b();"];
        let same = |text| check(&macros, text, text);
        check(
            &macros,
            "void f() { CHECK\n a = 1; }",
            "void f() { if (s) exit(1); a = 1; }",
        );
        same("void f() { CHECK; a = 1; }");
        check(&macros, "void f() BEGIN a = 1; END", "void f() { a = 1; }");
        same("void f() { TWO; if (c) { TWO; } }");
        check(
            &macros,
            "void f() { if (c) TWO; }",
            "void f() { if (c) a(); b();; }",
        );
        let check_if = ["CHECK(e) if (e) exit(1)"];
        let with_else = "void f() { if (c) CHECK(x); else g(); }";
        check(
            &check_if,
            with_else,
            "void f() { if (c) if (x) exit(1); else g(); }",
        );
        check(
            &check_if,
            "void f() { CHECK(x); g(); }",
            "void f() { CHECK(x); g(); }",
        );
        let once = ["SAFE(e) do { if (e) exit(1); } while (0)"];
        check(
            &once,
            "void f() { if (c) SAFE(x); else g(); }",
            "void f() { if (c) SAFE(x); else g(); }",
        );
    }

    #[test]
    fn heads_of_loops() {
        let each = ["EACH(i, n) for (int i = 0; i < n; i++)"];
        check(
            &each,
            "void f() { EACH(i, 2) EACH(j, N) { g(i); } h(); }",
            "void f() { for (int i = 0; i < 2; i++) for (int j = 0; j < N; j++) { g(i); } h(); }",
        );
        let trying = ["TRY if (!setjmp(b)) {", "CATCH } else {", "END_TRY }"];
        check(
            &trying,
            "void f() { TRY g(); CATCH h(); END_TRY }",
            "void f() { if (!setjmp(b)) { g(); } else { h(); } }",
        );
    }

    #[test]
    fn definitions() {
        let macros = [
            "DEF(n, x) static int n##_of(void) { return x; }",
            "API(t) t CALL",
            "N 4",
        ];
        check(
            &macros,
            "DEF(a, 1)\nDEF(b, N);\nAPI(int) g();",
            "static int a_of(void) { return 1; } static int b_of(void) { return 4; }; API(int) g();",
        );
    }

    #[test]
    fn texts() {
        let macros = [
            "S(...) #__VA_ARGS__",
            "STR_(x) #x",
            "STR(x) STR_(x)",
            "N 4 + N",
            "SHOW(x) print(#x, x)",
        ];
        check(
            &macros,
            "char *s = S( kernel void k(global int *x, int n)\n{ x[0]  = 'a' + \"b\\n\"; /* c */ } );",
            r#"char *s = "kernel void k(global int *x, int n) { x[0] = 'a' + \"b\\n\"; }";"#,
        );
        check(&macros, "a = STR(N) STR_(N) S();", r#"a = "4 + N" "N" "";"#);
        check(&macros, "void f() { SHOW(y); }", "void f() { SHOW(y); }");
    }

    #[test]
    fn arguments() {
        let macros = [
            "RUN(...) __VA_ARGS__",
            "LOG(f, ...) { printf(f, ## __VA_ARGS__); }",
        ];
        check(
            &macros,
            "void f() { RUN(if (a, b) g();) }",
            "void f() { if (a, b) g(); }",
        );
        check(
            &macros,
            "void f() { LOG(\"a\") }",
            "void f() { { printf(\"a\"); } }",
        );
        check(
            &macros,
            "void f() { LOG(\"a\", 1, 2) }",
            "void f() { { printf(\"a\", 1, 2); } }",
        );
        check(
            &macros,
            "void f() { int a[] = RUN({1, 2}); }",
            "void f() { int a[] = RUN({1, 2}); }",
        );
    }

    #[test]
    fn names_before_arguments_in_parentheses() {
        let macros = [
            "GUARDED(f, args) { int s = f args; check(s, #f); }",
            "TRIED(f, args) GUARDED(f, args)",
            "LOCKED(args) run args",
            "UNLESS(c) if (!c) return c",
            "DECLARE(t, n) t n",
        ];
        check(
            &macros,
            "void f() { GUARDED(g, (q, 1)); TRIED(h, (q)); }",
            "void f() { { int s = g (q, 1); check(s, \"g\"); }; { int s = h (q); check(s, \"h\"); }; }",
        );
        check(&macros, "int a = LOCKED((1, 2));", "int a = run (1, 2);");
        let same = |text| check(&macros, text, text);
        same("void f() { UNLESS((x)); DECLARE(int, n); LOCKED(x); }");
    }

    #[test]
    fn macros_without_an_end() {
        let macros = ["A { B", "B } A", "C(x) C(x) ;", "OPEN("];
        check(&macros, "void f() { A } }", "void f() { { } A } }");
        check(&macros, "void f() { C(1) C(", "void f() { C(1); C(");
    }
}
