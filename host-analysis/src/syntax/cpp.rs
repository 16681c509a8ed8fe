//! What the C preprocessor says of a host: the lines that survive `#if`, and its macros.
//!
//! Both come from the output of `cc -E -dD`, where line markers say which line of which file each
//! piece of text comes from and every `#define` and `#undef` is repeated in order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, OnceLock};

use string_interner::backend::StringBackend;
use string_interner::symbol::SymbolU32;
use string_interner::{StringInterner, Symbol};

use super::lex::{Lexer, Token, TokenKind};

/// A set of names, numbered from 0 on in the order in which they come.
#[derive(Clone, Debug)]
pub(super) struct Names(StringInterner<StringBackend<SymbolU32>, QuickHash>);

impl Default for Names {
    fn default() -> Self {
        Names(StringInterner::with_hasher(QuickHash::default()))
    }
}

impl Names {
    /// The number of a name, if it is one of them.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(Symbol::to_usize)
    }

    /// The number of a name, which is one of them from now on.
    fn add(&mut self, name: &str) -> usize {
        self.0.get_or_intern(name).to_usize()
    }

    /// Whether a name is one of them.
    pub fn contains(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, name)| name)
    }
}

/// Hashing for names: many short texts, whose order nobody chooses to annoy us with.
pub type QuickHash = BuildHasherDefault<NameHasher>;

/// Multiplicative hashing, eight bytes at a time.
#[derive(Clone, Copy, Default)]
pub struct NameHasher(u64);

impl NameHasher {
    fn add(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

impl Hasher for NameHasher {
    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.add(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        // Words that overlap say the rest as well.
        let last = match (bytes.last_chunk::<8>(), rest) {
            (_, []) => 0,
            (Some(word), _) => u64::from_le_bytes(*word),
            (None, [first, .., last]) => match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
                (Some(front), Some(back)) => {
                    let front = u64::from(u32::from_le_bytes(*front));
                    front | u64::from(u32::from_le_bytes(*back)) << 32
                }
                _ => u64::from_le_bytes([*first, rest[rest.len() / 2], *last, 0, 0, 0, 0, 0]),
            },
            (None, [only]) => u64::from(*only),
        };
        self.add(last ^ bytes.len() as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Where in the run of the preprocessor something happened: the number of macro definitions and
/// removals before it.
pub type Moment = u32;

/// A macro definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// Its name.
    pub name: Arc<str>,
    /// Parameter names of a function-like macro; the last is `...` or ends in it if it takes more.
    pub params: Option<Vec<String>>,
    /// Its replacement, as one line.
    pub body: String,
    /// The file, as the preprocessor spells it, and the line of its `#define`.
    pub file: Arc<str>,
    /// See [`Self::file`].
    pub line: u32,
    /// It stands in a header of the system.
    pub system: bool,
}

/// All macros of a translation unit, with their changes in time.
#[derive(Clone, Debug, Default)]
pub struct MacroTable {
    names: Names,
    /// What happened to each of the names.
    histories: Vec<History>,
    macros: Vec<Definition>,
    /// What stands after the `#define` of each macro, one after the other.
    texts: String,
    /// Names that at some moment were macros of nothing.
    nothing: Names,
    moment: Moment,
}

/// A macro definition that is parsed when somebody asks for it: few of the thousands in the
/// system's headers ever are.
#[derive(Clone, Debug)]
struct Definition {
    /// Its position in [`MacroTable::texts`].
    text: std::ops::Range<usize>,
    file: Arc<str>,
    line: u32,
    system: bool,
    parsed: OnceLock<Box<Macro>>,
}

/// A definition, by its index, or a removal.
type Event = (Moment, Option<usize>);

/// What happened to a name, in order. Most macros are defined once.
#[derive(Clone, Debug)]
struct History {
    first: Event,
    more: Vec<Event>,
}

impl History {
    /// What happened last up to a moment.
    fn at(&self, moment: Moment) -> Option<Event> {
        let before = self.more.partition_point(|(when, _)| *when <= moment);
        match before.checked_sub(1) {
            Some(last) => self.more.get(last).copied(),
            None => Some(self.first).filter(|(when, _)| *when <= moment),
        }
    }
}

impl MacroTable {
    /// The definition of `name` that holds at a moment, and its index.
    pub fn at(&self, name: &str, moment: Moment) -> Option<(usize, &Macro)> {
        let history = &self.histories[self.names.number(name)?];
        let (_, index) = history.at(moment)?;
        index.map(|i| (i, self.get(i)))
    }

    /// Whether a name is a macro at any time.
    pub fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether a name is no macro at any time, or only ones of numbers.
    pub fn is_value(&self, name: &str) -> bool {
        let Some(history) = self.names.number(name).map(|at| &self.histories[at]) else {
            return true;
        };
        let events = [&history.first].into_iter().chain(&history.more);
        let mut macros = events.filter_map(|(_, index)| index.map(|index| self.get(index)));
        macros.all(|one| {
            let mut tokens = Lexer::within(one.body.as_bytes(), 0..one.body.len());
            let is_part = |token: Token| match token.kind {
                TokenKind::Number => true,
                TokenKind::Punct(byte) => b"+-*/%()".contains(&byte),
                _ => false,
            };
            one.params.is_none() && tokens.all(is_part)
        })
    }

    /// The macros that the user's own files define, at any time.
    pub fn of_user(&self) -> impl Iterator<Item = &Macro> {
        let own = self.macros.iter().enumerate().filter(|(_, m)| !m.system);
        own.map(|(index, _)| self.get(index))
    }

    /// Whether a file defines such a name.
    fn defines_in(&self, file: &str, is_one: impl Fn(&str) -> bool) -> bool {
        let own = self.macros.iter().filter(|one| *one.file == *file);
        let mut names = own.map(|one| split_name(&self.texts[one.text.clone()]).0);
        names.any(is_one)
    }

    /// The macro with an index that [`Self::at`] gave.
    pub fn get(&self, index: usize) -> &Macro {
        let definition = &self.macros[index];
        definition.parsed.get_or_init(|| {
            let text = &self.texts[definition.text.clone()];
            let (name, rest) = split_name(text);
            let (params, body) = split_params(rest).unwrap_or_default();
            Box::new(Macro {
                name: Arc::from(name),
                params,
                body,
                file: definition.file.clone(),
                line: definition.line,
                system: definition.system,
            })
        })
    }

    /// The moment after the last change.
    pub fn end(&self) -> Moment {
        self.moment
    }

    /// Names that at some moment were macros of nothing.
    pub(super) fn names_of_nothing(&self) -> &Names {
        &self.nothing
    }

    fn define(&mut self, text: &str, file: &Arc<str>, line: u32, system: bool) {
        let text = text.trim_ascii();
        let (name, rest) = split_name(text);
        if name.is_empty() || rest.starts_with('(') && !rest.contains(')') {
            return;
        }
        if rest.is_empty() {
            self.nothing.add(name);
        }
        self.note(name, Some(self.macros.len()));
        let start = self.texts.len();
        self.texts.push_str(text);
        self.macros.push(Definition {
            text: start..self.texts.len(),
            file: file.clone(),
            line,
            system,
            parsed: OnceLock::new(),
        });
    }

    fn note(&mut self, name: &str, index: Option<usize>) {
        self.moment += 1;
        let event = (self.moment, index);
        let name = self.names.add(name);
        match self.histories.get_mut(name) {
            Some(known) => known.more.push(event),
            None => self.histories.push(History {
                first: event,
                more: Vec::new(),
            }),
        }
    }

    /// Carries out a `#define` or `#undef` line.
    pub(super) fn directive(&mut self, text: &str, file: &Arc<str>, line: u32, system: bool) {
        let text = text.trim_ascii_start().trim_start_matches('#');
        let text = text.trim_ascii_start();
        if let Some(rest) = text.strip_prefix("undef") {
            self.note(rest.trim(), None);
        } else if let Some(rest) = text.strip_prefix("define") {
            self.define(rest, file, line, system);
        }
    }
}

/// The name that a text starts with, and what stands after it.
fn split_name(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|b| !super::lex::is_ident(b));
    text.split_at(end.unwrap_or(text.len()))
}

/// Parameters and body of what stands after the name in a `#define`.
fn split_params(rest: &str) -> Option<(Option<Vec<String>>, String)> {
    let Some(inside) = rest.strip_prefix('(') else {
        return Some((None, rest.trim().to_string()));
    };
    let (params, body) = inside.split_once(')')?;
    let params = params
        .split(',')
        .map(|p| match p.contains(['\\', '\n', '\r']) {
            true => p.replace(['\\', '\n', '\r'], " ").trim().to_string(),
            false => p.trim().to_string(),
        })
        .filter(|p| !p.is_empty())
        .collect();
    Some((Some(params), body.trim().to_string()))
}

/// A preprocessing directive of a file's own text.
#[derive(Clone, Debug)]
pub(super) struct Directive {
    /// Its token.
    pub token: Token,
    /// `define`, `if`, ..
    pub name: String,
    /// First and last line, from 1.
    pub lines: (u32, u32),
}

/// All directives of a text, and the number of its lines.
pub(super) fn directives(text: &[u8]) -> (Vec<Directive>, u32) {
    let mut found = Vec::new();
    let (mut line, mut counted) = (1u32, 0);
    let mut line_at = |offset: usize| {
        line += memchr::memchr_iter(b'\n', &text[counted..offset]).count() as u32;
        counted = offset;
        line
    };
    for token in Lexer::new(text).filter(|t| t.kind == TokenKind::Directive) {
        let lines = (line_at(token.start), line_at(token.end));
        let name = Lexer::within(text, token.start + 1..token.end)
            .next()
            .filter(|t| t.kind == TokenKind::Ident)
            .map(|t| String::from_utf8_lossy(t.bytes(text)).into_owned())
            .unwrap_or_default();
        found.push(Directive { token, name, lines });
    }
    (found, line_at(text.len()))
}

/// Which lines of a file survive `#if`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveLines {
    live: Vec<bool>,
}

impl LiveLines {
    /// Whether a line (from 1) survives; lines beyond the end do.
    pub fn is_live(&self, line: u32) -> bool {
        match (line as usize).checked_sub(1) {
            Some(index) => self.live.get(index).copied().unwrap_or(true),
            None => true,
        }
    }

    /// All lines of a text, as if nothing was taken away.
    pub fn all(lines: u32) -> Self {
        LiveLines {
            live: vec![true; lines as usize],
        }
    }

    /// From the lines of which the preprocessor's output holds something. A branch of an `#if` is
    /// dead if nothing of it came out. (A single blank line of output proves nothing: a macro call
    /// over several lines comes out on its first.)
    pub(super) fn from_evidence(
        directives: &[Directive],
        lines: u32,
        evidence: &[u32],
    ) -> LiveLines {
        let mut live = vec![true; lines as usize];
        let mut open: Vec<u32> = Vec::new();
        let came_out = |from: u32, to: u32| {
            let first = evidence.partition_point(|&l| l < from);
            evidence.get(first).is_some_and(|&l| l < to)
        };
        let mut close = |start: u32, end: u32| {
            if !came_out(start, end) {
                let range = start.saturating_sub(1) as usize..end.saturating_sub(1) as usize;
                if let Some(slots) = live.get_mut(range) {
                    slots.fill(false);
                }
            }
        };
        for directive in directives {
            let (first, last) = directive.lines;
            match directive.name.as_str() {
                "if" | "ifdef" | "ifndef" => open.push(last + 1),
                "elif" | "else" | "elifdef" | "elifndef" => {
                    if let Some(start) = open.last_mut() {
                        close(*start, first);
                        *start = last + 1;
                    }
                }
                "endif" => {
                    if let Some(start) = open.pop() {
                        close(start, first);
                    }
                }
                _ => {}
            }
        }
        LiveLines { live }
    }
}

/// What the preprocessor's output says of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileTrace {
    /// Lines of which something came out, in order, each once.
    pub evidence: Vec<u32>,
    /// The moment from each line on, where it changed; in order of line.
    pub moments: Vec<(u32, Moment)>,
    /// It is a header of the system.
    pub system: bool,
}

/// What the output of `cc -E -dD` holds.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    pub(super) macros: Arc<MacroTable>,
    pub(super) files: BTreeMap<String, FileTrace>,
    pub(super) system_functions: Arc<Names>,
}

impl Preprocessed {
    /// Reads the output of `cc -E -dD`.
    pub fn read(text: &str) -> Preprocessed {
        let mut result = Preprocessed::default();
        let mut trace = FileTrace::default();
        let mut macros = MacroTable::default();
        let (mut file, mut line, mut system) = (Arc::<str>::from(""), 0u32, false);
        let mut functions = Names::default();
        each_row(text, |row| {
            if row.is_empty() {
                line = line.saturating_add(1);
                return;
            }
            if let Some((number, name, flags)) = line_marker(row) {
                if *name != *file {
                    result.store(file.to_string(), std::mem::take(&mut trace));
                    // Flag 3 inside of a file only marks macros of the system that are used there.
                    trace = result.files.remove(&*name).unwrap_or(FileTrace {
                        system: flags.split(' ').any(|f| f == "3"),
                        ..FileTrace::default()
                    });
                    (file, system) = (Arc::from(&*name), trace.system);
                }
                line = number;
                return;
            }
            if row.starts_with('#') {
                if row.starts_with("#define ") || row.starts_with("#undef ") {
                    macros.directive(row, &file, line, system);
                }
            } else if system {
                called_names(row, &mut functions);
            }
            if !system && !row.trim_ascii().is_empty() && !row.trim().is_empty() {
                trace.evidence.push(line);
                let now = macros.end();
                if trace.moments.last().is_none_or(|(_, when)| *when != now) {
                    trace.moments.push((line, now));
                }
            }
            line = line.saturating_add(1);
        });
        result.store(file.to_string(), trace);
        result.macros = Arc::new(macros);
        result.system_functions = Arc::new(functions);
        for trace in result.files.values_mut() {
            trace.evidence.sort_unstable();
            trace.evidence.dedup();
            trace.moments.sort_by_key(|(line, _)| *line);
        }
        result
    }

    fn store(&mut self, file: String, trace: FileTrace) {
        self.files.insert(file, trace);
    }

    /// Functions that headers of the system declare, with other names that a parenthesis follows there.
    pub fn system_functions(&self) -> impl Iterator<Item = &str> {
        self.system_functions.iter()
    }

    /// Whether a name is a macro at any time, wherever it is defined.
    pub fn is_macro(&self, name: &str) -> bool {
        self.macros.knows(name)
    }

    /// Whether a name is no macro at any time, or only ones of numbers.
    pub fn is_value(&self, name: &str) -> bool {
        self.macros.is_value(name)
    }

    /// The lines of a file that survive `#if`.
    pub fn live_lines(&self, name: &str, text: &str) -> LiveLines {
        let (directives, lines) = directives(text.as_bytes());
        let nothing = Vec::new();
        let trace = self.files.get(name);
        let evidence = trace.map_or(&nothing, |trace| &trace.evidence);
        LiveLines::from_evidence(&directives, lines, evidence)
    }

    /// Names of the user's own headers, as the preprocessor spells them: those that are not
    /// headers of the system and not OpenCL's.
    pub fn user_headers(&self, main: &str) -> Vec<String> {
        self.files
            .iter()
            .filter(|(name, trace)| {
                !trace.system
                    && name.as_str() != main
                    && !name.is_empty()
                    && !name.starts_with('<')
                    && !self.is_opencl_header(name)
                    && !trace.evidence.is_empty()
            })
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Whether a file is one of OpenCL's own headers: by its name, and by the macro that guards it from being
    /// read twice, since programs have headers of these names.
    fn is_opencl_header(&self, name: &str) -> bool {
        let base = name.rsplit('/').next().unwrap_or_default();
        let is_named = base.starts_with("cl_")
            || matches!(
                base,
                "cl.h" | "cl.hpp" | "cl2.hpp" | "opencl.hpp" | "opencl.h"
            );
        let is_guard = |name: &str| {
            let starts = ["__OPENCL_", "OPENCL_CL_", "__CL_"];
            name == "CL_HPP_" || starts.iter().any(|start| name.starts_with(start))
        };
        base == "fpgacc_rt.h" || is_named && self.macros.defines_in(name, is_guard)
    }
}

/// Visits the lines of a text.
fn each_row<'t>(text: &'t str, mut visit: impl FnMut(&'t str)) {
    let mut rest = text;
    while let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) {
        let row = &rest[..end];
        visit(row.strip_suffix('\r').unwrap_or(row));
        rest = &rest[end + 1..];
    }
    if !rest.is_empty() {
        visit(rest);
    }
}

/// Names that stand before a parenthesis.
fn called_names(row: &str, names: &mut Names) {
    let bytes = row.as_bytes();
    for at in memchr::memchr_iter(b'(', bytes) {
        let end = bytes[..at].trim_ascii_end().len();
        let name = bytes[..end].iter().rev();
        let start = end - name.take_while(|b| super::lex::is_ident(**b)).count();
        // Every other parenthesis follows this keyword.
        if start == end || &bytes[start..end] == b"__attribute__" {
            continue;
        }
        if let Some(name) = row.get(start..end) {
            names.add(name);
        }
    }
}

/// Line, file and flags of `# 12 "a.c" 1 3`.
fn line_marker(row: &str) -> Option<(u32, Cow<'_, str>, &str)> {
    if !row.starts_with('#') {
        return None;
    }
    let rest = row
        .strip_prefix("# ")
        .or_else(|| row.strip_prefix("#line "))?;
    let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number.parse().ok()?;
    let rest = rest.strip_prefix('"')?;
    let end = rest.rfind('"')?;
    let name = match rest[..end].contains('\\') {
        true => Cow::Owned(rest[..end].replace("\\\\", "\\").replace("\\\"", "\"")),
        false => Cow::Borrowed(&rest[..end]),
    };
    Some((number, name, rest[end + 1..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_that_came_out_is_live() {
        let text = b"#ifdef A\nint a;\n#else\n/* b */\nint b;\n#endif\n#if 0\n#define X\n#endif\n";
        let (directives, lines) = directives(text);
        let live = LiveLines::from_evidence(&directives, lines, &[5]);
        let dead: Vec<_> = (1..=9).filter(|&l| !live.is_live(l)).collect();
        assert_eq!(dead, [2, 8]);
    }

    #[test]
    fn macros_change_in_time() {
        let text = "# 1 \"h.c\"\n# 1 \"<built-in>\"\n#define P 1\n# 1 \"h.c\"\n#define A P\nint x = 1;\n#undef A\n#define A(x,...) (x)\nint y;\n";
        let pre = Preprocessed::read(text);
        let trace = &pre.files["h.c"];
        assert_eq!(trace.evidence, [1, 2, 3, 4, 5]);
        let at = |line: u32| {
            let i = trace.moments.partition_point(|(l, _)| *l <= line);
            pre.macros.at("A", trace.moments[i - 1].1)
        };
        assert_eq!(at(2).map(|(_, m)| m.body.as_str()), Some("P"));
        assert!(at(3).is_none());
        let (_, second) = at(5).unwrap();
        assert_eq!(second.params, Some(vec!["x".into(), "...".into()]));
        assert_eq!((second.body.as_str(), second.line), ("(x)", 4));
    }

    #[test]
    fn only_the_users_headers_are_listed() {
        let text = "# 1 \"h.c\"\n# 1 \"/usr/include/stdio.h\" 1 3 4\nint p();\n# 2 \"h.c\" 2\n# 1 \"u.h\" 1\nint q() { return\n# 2 \"u.h\" 3 4\n NULL\n# 2 \"u.h\"\n; }\n# 3 \"h.c\" 2\n# 1 \"CL/cl.h\" 1\n#define __OPENCL_CL_H\nint r();\n# 4 \"h.c\" 2\nint x;\n\
                    # 1 \"src/opencl.hpp\" 1\n#define CL_HPP_TARGET_OPENCL_VERSION 120\nint s();\n# 5 \"h.c\" 2\n\
                    # 1 \"CL/own.h\" 1\nint t();\n# 6 \"h.c\" 2\n";
        assert_eq!(
            Preprocessed::read(text).user_headers("h.c"),
            ["CL/own.h", "src/opencl.hpp", "u.h"]
        );
    }
}
