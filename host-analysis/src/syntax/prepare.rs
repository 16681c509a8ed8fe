//! What the parser is to see of hosts: their texts without directives, lines that do not survive,
//! and macros of nothing.

use std::sync::Arc;

use fpgacc_frontend::source::{FileId, SourceFile, SourceMap};

use super::cpp::{self, LiveLines, MacroTable, Moment, Preprocessed};
use super::expand::{Edit, Expander};
use super::host_file::{Define, HostFile, Language, Part};
use super::lex::{Lexer, TokenKind, blank};
use super::{long_lists, openmp};

/// A host that is to be parsed.
#[derive(Clone, Debug)]
pub struct Unit<'t> {
    /// Its own text.
    pub main: FileId,
    /// Those of its headers that are given.
    pub headers: Vec<FileId>,
    /// The output of `cc -E -dD` on it, run so that it names files as the sources do. Without it
    /// all lines count as live, and macros are those of the text.
    pub preprocessed: Option<&'t str>,
    /// Its language.
    pub language: Language,
}

/// A host whose files wait to be parsed.
pub(super) struct Prepared {
    pub host: HostFile,
    /// What the parser is to see of each part.
    texts: Vec<Visible>,
}

/// What the parser is to see of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Visible {
    /// The text without directives, lines that do not survive, and macros of nothing.
    pub bytes: Vec<u8>,
    /// Macros in it that are replaced, and elements of lists that are left out.
    pub edits: Vec<Edit>,
}

impl Prepared {
    /// `preprocessed` is what was read of the unit's, if it has one.
    pub fn new(
        sources: &SourceMap,
        unit: &Unit<'_>,
        preprocessed: Option<&Preprocessed>,
    ) -> Prepared {
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
    pub fn parts(&mut self) -> impl Iterator<Item = (&mut Part, &mut Visible)> {
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

    /// What the parser is to see.
    fn visible(
        &self,
        directives: &[cpp::Directive],
        macros: &MacroTable,
        source: &SourceFile,
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
        let mut edits = long_lists::shorten(&mut blanked);
        self.blank_empty_macros(&mut blanked, macros, source);
        let expander = Expander::new(&blanked, macros);
        edits.extend(expander.edits(|at| self.moment(source.line(at as u32))));
        edits.sort_by_key(|edit| edit.range.start);
        Visible {
            bytes: blanked,
            edits,
        }
    }

    /// Names that stand for nothing (`CL_API_CALL`, `EXPORT`) only disturb the parser.
    fn blank_empty_macros(&self, text: &mut [u8], macros: &MacroTable, source: &SourceFile) {
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
