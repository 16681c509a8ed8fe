//! Hosts: the user's own text, parsed as it stands, with what the preprocessor knows of it.
//!
//! The text is parsed with tree-sitter's C++ grammar, for C too, after directives and the lines
//! that `#if` takes away are blanked; so every span is a place in the user's file. Macros are not
//! expanded in the text: [`HostFile::macro_at`] gives the definition that holds at a line, and
//! [`HostFile::macro_body`] its parsed replacement. Nothing here fails: what is not understood
//! becomes opaque nodes.

pub mod ast;
mod cpp;
mod expand;
mod grammar;
pub mod lex;
mod lower;
mod lower_decl;
mod lower_expr;
mod lower_lambda;
mod openmp;
mod together;

pub use cpp::{LiveLines, Macro, MacroTable, Moment, NameHasher, Preprocessed, QuickHash};
pub use openmp::REGIONS;
pub use together::{Unit, parse_all};

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::source::{FileId, SourceMap, Span};
use ast::{Ast, StmtId};
use expand::{Edit, Expander};
use lex::{Lexer, TokenKind};

/// The language of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++: arguments may be passed by reference.
    Cpp,
}

/// A translation unit: the file that the user gave and those of the user's headers that were
/// handed in.
#[derive(Clone, Debug)]
pub struct HostFile {
    /// The language that it is compiled as.
    pub language: Language,
    /// The file itself, then headers.
    pub parts: Vec<Part>,
    /// Its macros.
    pub macros: Arc<MacroTable>,
    system_functions: Arc<cpp::Names>,
}

/// One file of a translation unit.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub file: FileId,
    /// Its lines that survive `#if`.
    pub lines: LiveLines,
    /// Its syntax, which other hosts that include the same file may share.
    pub ast: Arc<Ast>,
    /// Places that the parser did not understand.
    pub errors: Vec<Span>,
    moments: Vec<(u32, Moment)>,
    defines: Vec<Define>,
}

/// A `#define` in a file's text.
#[derive(Clone, Debug)]
struct Define {
    name: String,
    lines: (u32, u32),
    body: std::ops::Range<usize>,
}

/// A macro's replacement as syntax. In it, `$x` stands for the preprocessor's `#x`, and `a$$b` for
/// `a##b`.
#[derive(Clone, Debug)]
pub struct MacroBody {
    /// The arena of its nodes.
    pub ast: Ast,
    /// A block that holds the replacement as statements; an expression is one expression statement.
    pub block: StmtId,
    /// The parser did not understand it.
    pub broken: bool,
}

impl HostFile {
    /// Parses a host and those headers of it that are given. `preprocessed` is what
    /// [`Preprocessed::read`] made of the output of `cc -E -dD` on it, run so that it names files
    /// as `sources` does; without it all lines count as live, and macros are those of the text.
    /// [`parse_all`] is faster for several.
    pub fn parse(
        sources: &SourceMap,
        main: FileId,
        headers: &[FileId],
        preprocessed: Option<&Preprocessed>,
        language: Language,
    ) -> HostFile {
        let unit = Unit {
            main,
            headers: headers.to_vec(),
            preprocessed: None,
            language,
        };
        let prepared = Prepared::new(sources, &unit, preprocessed);
        together::parse_prepared(vec![prepared]).swap_remove(0)
    }

    /// Whether a function of this name is declared in a header of the system.
    pub fn is_system_function(&self, name: &str) -> bool {
        self.system_functions.contains(name)
    }

    /// The user's own file.
    pub fn main(&self) -> &Part {
        &self.parts[0]
    }

    /// The macro `name` as it is defined at a line of a part, and its index.
    pub fn macro_at(&self, part: usize, line: u32, name: &str) -> Option<(usize, &Macro)> {
        let part = self.parts.get(part)?;
        self.macros.at(name, part.moment(line))
    }

    /// Parses the replacement of a macro. Spans in it are places in its `#define` if that stands in
    /// one of the parts, else `use_site`.
    pub fn macro_body(&self, index: usize, sources: &SourceMap, use_site: Span) -> MacroBody {
        let definition = self.macros.get(index);
        let own = self.parts.iter().find_map(|part| {
            let name = &sources.file(part.file).name;
            let define = part.defines.iter().find(|d| {
                *d.name == *definition.name
                    && (d.lines.0..=d.lines.1).contains(&definition.line)
                    && **name == *definition.file
            })?;
            Some((part.file, define.body.clone()))
        });
        match own {
            Some((file, range)) => {
                let body = sources.file(file).text[range.clone()].to_string();
                parse_body(&body, file, Some(range.start), use_site)
            }
            None => parse_body(&definition.body, use_site.file, None, use_site),
        }
    }
}

impl MacroBody {
    /// The same replacement as it is used at another place, for one whose spans are the place of its
    /// use; `None` if it is more than expressions.
    pub fn used_at(&self, site: Span) -> Option<MacroBody> {
        Some(MacroBody {
            ast: self.ast.moved_to(site)?,
            block: self.block,
            broken: self.broken,
        })
    }
}

/// A host whose files wait to be parsed.
struct Prepared {
    host: HostFile,
    /// What the parser is to see of each part.
    texts: Vec<Visible>,
}

/// What the parser is to see of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Visible {
    /// The text without directives, lines that do not survive, and macros of nothing.
    bytes: Vec<u8>,
    /// Macros in it that are replaced.
    edits: Vec<Edit>,
}

impl Prepared {
    /// `preprocessed` is what was read of the unit's, if it has one.
    fn new(sources: &SourceMap, unit: &Unit<'_>, preprocessed: Option<&Preprocessed>) -> Prepared {
        let mut macros = preprocessed.map(|p| p.macros.clone()).unwrap_or_default();
        let files = std::iter::once(unit.main).chain(unit.headers.iter().copied());
        let (parts, texts) = match preprocessed {
            Some(pre) => files.map(|f| Part::traced(sources, f, pre)).unzip(),
            None => {
                let macros = Arc::make_mut(&mut macros);
                files.map(|f| Part::untraced(sources, f, macros)).unzip()
            }
        };
        let host = HostFile {
            language: unit.language,
            parts,
            macros,
            system_functions: preprocessed
                .map(|p| p.system_functions.clone())
                .unwrap_or_default(),
        };
        Prepared { host, texts }
    }

    /// Each part with what the parser is to see of it.
    fn parts(&mut self) -> impl Iterator<Item = (&mut Part, &mut Visible)> {
        self.host.parts.iter_mut().zip(&mut self.texts)
    }
}

impl Part {
    /// A part, not parsed yet, and what the parser is to see of it.
    fn traced(sources: &SourceMap, file: FileId, pre: &Preprocessed) -> (Part, Visible) {
        let source = sources.file(file);
        let text = source.text.as_bytes();
        let (directives, lines) = cpp::directives(text);
        let trace = pre.files.get(&source.name).cloned().unwrap_or_default();
        let lines = LiveLines::from_evidence(&directives, lines, &trace.evidence);
        let mut part = Part::empty(file, lines, trace.moments);
        part.defines = defines(text, &directives);
        let visible = part.visible(&directives, &pre.macros, source);
        (part, visible)
    }

    /// The same where the preprocessor says nothing.
    fn untraced(sources: &SourceMap, file: FileId, macros: &mut MacroTable) -> (Part, Visible) {
        let source = sources.file(file);
        let text = source.text.as_bytes();
        let file_name = Arc::from(source.name.as_str());
        let (directives, lines) = cpp::directives(text);
        let mut moments = Vec::new();
        for directive in &directives {
            if matches!(directive.name.as_str(), "define" | "undef") {
                let range = directive.token.start..directive.token.end;
                let joined = source.text[range]
                    .replace("\\\r\n", " ")
                    .replace("\\\n", " ");
                macros.directive(&joined, &file_name, directive.lines.0, false);
                moments.push((directive.lines.0, macros.end()));
            }
        }
        let mut part = Part::empty(file, LiveLines::all(lines), moments);
        part.defines = defines(text, &directives);
        let visible = part.visible(&directives, macros, source);
        (part, visible)
    }

    fn empty(file: FileId, lines: LiveLines, moments: Vec<(u32, Moment)>) -> Part {
        Part {
            file,
            lines,
            ast: Arc::default(),
            errors: Vec::new(),
            moments,
            defines: Vec::new(),
        }
    }

    /// The moment of the preprocessor's run at a line.
    fn moment(&self, line: u32) -> Moment {
        let before = self.moments.partition_point(|(l, _)| *l <= line);
        match before
            .checked_sub(1)
            .or(Some(0))
            .and_then(|i| self.moments.get(i))
        {
            Some((_, moment)) => *moment,
            None => Moment::MAX,
        }
    }

    /// What the parser is to see.
    fn visible(
        &self,
        directives: &[cpp::Directive],
        macros: &MacroTable,
        source: &crate::source::SourceFile,
    ) -> Visible {
        let mut blanked = source.text.as_bytes().to_vec();
        for directive in directives {
            let range = directive.token.start..directive.token.end;
            let head = openmp::head(&blanked[range.clone()]);
            blank(&mut blanked, range.clone());
            if let Some((at, head)) = head {
                blanked[range.start + at..][..head.len()].copy_from_slice(head.as_bytes());
            }
        }
        let mut line = 1;
        while let Some(range) = source.line_range(line) {
            if !self.lines.is_live(line) {
                blank(&mut blanked, range);
            }
            line += 1;
        }
        self.blank_empty_macros(&mut blanked, macros, source);
        let expander = Expander::new(&blanked, macros);
        let edits = expander.edits(|at| self.moment(source.line(at as u32)));
        Visible {
            bytes: blanked,
            edits,
        }
    }

    /// Names that stand for nothing (`CL_API_CALL`, `EXPORT`) only disturb the parser.
    fn blank_empty_macros(
        &self,
        text: &mut [u8],
        macros: &MacroTable,
        source: &crate::source::SourceFile,
    ) {
        let empty = macros.names_of_nothing();
        if empty.is_empty() {
            return;
        }
        let found: Vec<_> = Lexer::new(text)
            .filter(|t| t.kind == TokenKind::Ident)
            .filter_map(|t| {
                let name = std::str::from_utf8(t.bytes(text)).ok()?;
                empty.number(name)?;
                let line = source.line(t.start as u32);
                let (_, definition) = macros.at(name, self.moment(line))?;
                let nothing = definition.params.is_none() && definition.body.is_empty();
                nothing.then_some(t.start..t.end)
            })
            .collect();
        for range in found {
            blank(text, range);
        }
    }
}

/// Where the bytes of a shortened text stand in the full one.
#[derive(Debug, Default)]
struct Places {
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

impl Places {
    fn piece(&self, at: usize) -> Option<&Piece> {
        let before = self.pieces.partition_point(|piece| piece.short <= at);
        self.pieces.get(before.checked_sub(1)?)
    }

    /// The position in the full text of a byte of the shortened one.
    fn start(&self, at: usize) -> usize {
        match self.piece(at) {
            Some(piece) if piece.up_to.is_some() => piece.full,
            Some(piece) => piece.full + (at - piece.short),
            None => at,
        }
    }

    /// The position after the byte before this one.
    fn end(&self, at: usize) -> usize {
        let Some(last) = at.checked_sub(1) else {
            return self.start(at);
        };
        match self.piece(last).and_then(|piece| piece.up_to) {
            Some(end) => end,
            None => self.start(last) + 1,
        }
    }

    /// Whether a byte is part of a macro's replacement.
    fn is_replaced(&self, at: usize) -> bool {
        self.piece(at).is_some_and(|piece| piece.up_to.is_some())
    }
}

/// A text with comments and blanks between its tokens made as short as can be, and with macros
/// replaced: the parser looks at each byte for long, and nothing depends on them.
fn squeezed(text: &[u8], edits: &[Edit]) -> (Vec<u8>, Places) {
    let mut short = Vec::with_capacity(text.len());
    let mut places = Places::default();
    let mut edits = edits.iter().peekable();
    let mut end = 0;
    let mut after_edit = false;
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
                places.follow(&short, token.start);
            }
        }
        after_edit = false;
        if let Some(edit) = edits.next_if(|edit| edit.range.start == token.start) {
            replace(edit, &mut short, &mut places);
            (end, after_edit) = (edit.range.end, true);
            continue;
        }
        short.extend_from_slice(&text[token.start..token.end]);
        end = token.end;
    }
    short.push(b'\n');
    (short, places)
}

impl Places {
    /// What is added to the shortened text next stands here in the full one.
    fn follow(&mut self, short: &[u8], full: usize) {
        self.pieces.push(Piece {
            short: short.len(),
            full,
            up_to: None,
        });
    }
}

/// Adds what replaces a macro's use.
fn replace(edit: &Edit, short: &mut Vec<u8>, places: &mut Places) {
    for word in &edit.words {
        if !word.glued {
            short.push(b' ');
        }
        let (full, up_to) = match &word.from {
            Some(from) => (from.start, None),
            None => (edit.range.start, Some(edit.range.end)),
        };
        places.pieces.push(Piece {
            short: short.len(),
            full,
            up_to,
        });
        short.extend_from_slice(word.text.as_bytes());
    }
}

/// Replaces all but line ends by blanks.
fn blank(text: &mut [u8], range: std::ops::Range<usize>) {
    for byte in &mut text[range] {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
}

fn defines(text: &[u8], directives: &[cpp::Directive]) -> Vec<Define> {
    directives
        .iter()
        .filter(|d| d.name == "define")
        .filter_map(|d| {
            let mut tokens = Lexer::within(text, d.token.start + 1..d.token.end).skip(1);
            let name = tokens.next().filter(|t| t.kind == TokenKind::Ident)?;
            let mut start = name.end;
            if text.get(start) == Some(&b'(') {
                let close = tokens.find(|t| t.kind == TokenKind::Punct(b')'))?;
                start = close.end;
            }
            Some(Define {
                name: String::from_utf8_lossy(name.bytes(text)).into_owned(),
                lines: d.lines,
                body: start..d.token.end.max(start),
            })
        })
        .collect()
}

/// Steps (of some hundred actions each) that the parser may spend on repairing errors, for any text
/// and for each so many bytes of it. Source texts need none or a few; each costs about a
/// millisecond.
const REPAIRS_AT_LEAST: usize = 100;
const BYTES_PER_REPAIR: usize = 200;
const MOST_REPAIRS: usize = 1000;

/// Parses a text, unless it is noise.
fn parse_bounded(parser: &mut tree_sitter::Parser, text: &[u8]) -> Option<tree_sitter::Tree> {
    let most = (REPAIRS_AT_LEAST + text.len() / BYTES_PER_REPAIR).min(MOST_REPAIRS);
    let mut repairs = 0;
    let mut progress = |state: &tree_sitter::ParseState| {
        repairs += usize::from(state.has_error());
        match repairs > most {
            true => std::ops::ControlFlow::Break(()),
            false => std::ops::ControlFlow::Continue(()),
        }
    };
    let options = tree_sitter::ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| text.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// Parses a text and lowers it. `fixed` is the span of all nodes, if they have no places of their
/// own.
fn lower_text(
    text: &[u8],
    places: &Places,
    file: FileId,
    shift: i64,
    fixed: Option<Span>,
) -> (Ast, Vec<Span>) {
    let mut parser = tree_sitter::Parser::new();
    let language = tree_sitter_cpp::LANGUAGE.into();
    let tree = match parser.set_language(&language) {
        Ok(()) => parse_bounded(&mut parser, text),
        Err(_) => None,
    };
    let Some(tree) = tree else {
        let whole = Span {
            file,
            start: 0,
            end: places.end(text.len()) as u32,
        };
        return (Ast::default(), vec![fixed.unwrap_or(whole)]);
    };
    let mut lowerer = lower::Lowerer {
        text,
        file,
        places,
        shift,
        fixed,
        ast: Ast::default(),
        scope: Vec::new(),
        class: None,
        depth: 0,
        in_body: false,
        declared: BTreeSet::new(),
    };
    lowerer.items(tree.root_node());
    let errors = lowerer.errors(tree.root_node());
    (lowerer.ast, errors)
}

const BODY_HEAD: &str = "void macro_body(){";

fn parse_body(body: &str, file: FileId, start: Option<usize>, use_site: Span) -> MacroBody {
    let mut text = BODY_HEAD.as_bytes().to_vec();
    text.extend_from_slice(body.as_bytes());
    let hashes: Vec<_> = Lexer::within(&text, BODY_HEAD.len()..text.len())
        .filter(|t| t.kind == TokenKind::Punct(b'#'))
        .map(|t| t.start)
        .collect();
    for at in hashes {
        text[at] = b'$';
    }
    text.extend_from_slice(b"\n;}");
    let (shift, fixed) = match start {
        Some(start) => (start as i64 - BODY_HEAD.len() as i64, None),
        None => (0, Some(use_site)),
    };
    let (mut ast, errors) = lower_text(&text, &Places::default(), file, shift, fixed);
    match ast.functions.first().map(|f| f.body) {
        Some(block) => MacroBody {
            ast,
            block,
            broken: !errors.is_empty(),
        },
        None => {
            let block = ast.add_stmt(ast::StmtKind::Block(Vec::new()), use_site);
            MacroBody {
                ast,
                block,
                broken: true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ast::*;
    use super::*;

    fn host(text: &str, output: Option<&str>) -> (SourceMap, HostFile) {
        let mut sources = SourceMap::new();
        let file = sources.add("h.c", text);
        let pre = output.map(Preprocessed::read);
        let host = HostFile::parse(&sources, file, &[], pre.as_ref(), Language::Cpp);
        (sources, host)
    }

    fn function_names(text: &str) -> Vec<String> {
        let (_, host) = host(text, None);
        let names = host.main().ast.functions.iter().map(|f| f.name.clone());
        names.collect()
    }

    #[test]
    fn functions_have_their_scopes() {
        let text = "int f(){} namespace n { struct S { void g(){} void h(); }; void S::h(){} } extern \"C\" { void c(int a[3]){} }";
        assert_eq!(function_names(text), ["f", "n::S::g", "n::S::h", "c"]);
    }

    #[test]
    fn dead_lines_are_not_parsed() {
        let text = "int main() {\n#if X\n if (a) {\n#else\n if (b) {\n#endif\n f(); }\n}\n";
        let output = "# 1 \"h.c\"\nint main() {\n\n\n\n if (b) {\n\n f(); }\n}\n";
        let (sources, host) = host(text, Some(output));
        assert_eq!(host.main().errors, []);
        let ast = &host.main().ast;
        let StmtKind::Block(stmts) = &ast.stmt(ast.functions[0].body).kind else {
            panic!("no block")
        };
        assert_eq!(sources.location(ast.stmt(stmts[0]).span).line, 5);
    }

    #[test]
    fn strings_have_their_values() {
        let (_, host) = host(
            "const char *s = \"a\\n\" \"\\x41\\101\" R\"x(b\\n)x\";",
            None,
        );
        let ast = &host.main().ast;
        let StmtKind::Declare(vars) = &ast.stmt(ast.globals[0]).kind else {
            panic!("no declaration")
        };
        let init = ast.expr(vars[0].init.unwrap());
        assert!(matches!(&init.kind, ExprKind::Str(s) if s == "a\nAAb\\n"));
    }

    #[test]
    fn macro_bodies_have_places_of_their_own() {
        let text = "#define L(k) \\\n  run(q, k, #k)\nint x;\n";
        let (sources, host) = host(text, None);
        let (index, _) = host.macro_at(0, 3, "L").unwrap();
        let span = sources.line_span(host.main().file, 3);
        let body = host.macro_body(index, &sources, span);
        assert!(!body.broken);
        let StmtKind::Block(stmts) = &body.ast.stmt(body.block).kind else {
            panic!("no block")
        };
        let span = body.ast.stmt(stmts[0]).span;
        assert!(sources.text(span).starts_with("run(q, k, #k)"));
    }

    #[test]
    fn deep_nesting_and_noise_are_survived() {
        for open in [
            "(", "{", "[", "if(x)", "f(", "a?", "-", "*", "struct{", "x=", "do ",
        ] {
            let deep = format!("int main() {{ {} }}", open.repeat(20_000));
            host(&deep, None);
            host(&open.repeat(20_000), None);
        }
        let closed = format!("int x = {}1{};", "(".repeat(20_000), ")".repeat(20_000));
        host(&closed, None);
        host(&format!("int x = 1{};", "+1".repeat(50_000)), None);
        let noise: String = (0..40_000u32)
            .map(|i| char::from((i.wrapping_mul(2_654_435_761) >> 24) as u8))
            .collect();
        host(&noise, None);
    }
}
