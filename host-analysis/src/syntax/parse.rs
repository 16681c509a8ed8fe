//! Texts to syntax: files, and replacements of macros.

use std::collections::BTreeSet;

use fpgacc_frontend::source::{FileId, SourceMap, Span};

use super::ast::{Ast, StmtKind};
use super::grammar;
use super::host_file::{HostFile, MacroBody};
use super::lex::{Lexer, TokenKind};
use super::lower::Lowerer;
use super::squeeze::Positions;

impl HostFile {
    /// Parses the replacement of a macro. Spans in it are positions in its `#define` if that stands in
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

/// Parses a text and lowers it. `fixed` is the span of all nodes, if they have no positions of their
/// own.
pub(super) fn lower_text(
    text: &[u8],
    positions: &Positions,
    file: FileId,
    shift: i64,
    fixed: Option<Span>,
) -> (Ast, Vec<Span>) {
    let Some(tree) = grammar::tree(text) else {
        let whole = Span {
            file,
            start: 0,
            end: positions.end(text.len()) as u32,
        };
        return (Ast::default(), vec![fixed.unwrap_or(whole)]);
    };
    let mut lowerer = Lowerer {
        text,
        file,
        positions,
        shift,
        fixed,
        ast: Ast::default(),
        scope: Vec::new(),
        class: None,
        depth: 0,
        in_body: false,
        deduced: Vec::new(),
        templates: Vec::new(),
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
    let (mut ast, errors) = lower_text(&text, &Positions::default(), file, shift, fixed);
    match ast.functions.first().map(|f| f.body) {
        Some(block) => MacroBody {
            ast,
            block,
            broken: !errors.is_empty(),
        },
        None => {
            let block = ast.add_stmt(StmtKind::Block(Vec::new()), use_site);
            MacroBody {
                ast,
                block,
                broken: true,
            }
        }
    }
}
