//! A host as it was read: its files, their syntax, and the macros that hold in them.

use std::ops::Range;
use std::sync::Arc;

use fpgacc_frontend::source::{FileId, Span};

use super::ast::{Ast, ExprId, ExprKind, StmtId, StmtKind};
use super::cpp::{LiveLines, Macro, MacroTable, Moment, Names};

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
    pub(super) system_functions: Arc<Names>,
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
    /// Positions that the parser did not understand.
    pub errors: Vec<Span>,
    pub(super) moments: Vec<(u32, Moment)>,
    pub(super) defines: Vec<Define>,
}

/// A `#define` in a file's text.
#[derive(Clone, Debug)]
pub(super) struct Define {
    pub name: String,
    pub lines: (u32, u32),
    pub body: Range<usize>,
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
}

impl Part {
    /// The moment of the preprocessor's run at a line.
    pub(super) fn moment(&self, line: u32) -> Moment {
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
}

impl MacroBody {
    /// A replacement that is one name, and the expression that it is.
    pub(crate) fn of_name(name: String, site: Span) -> (MacroBody, ExprId) {
        let mut ast = Ast::default();
        let expr = ast.add_expr(ExprKind::Name(name), site);
        let statement = ast.add_stmt(StmtKind::Expr(expr), site);
        let block = ast.add_stmt(StmtKind::Block(vec![statement]), site);
        let body = MacroBody {
            ast,
            block,
            broken: false,
        };
        (body, expr)
    }

    /// The same replacement as it is used at another position, for one whose spans are the position of its
    /// use; `None` if it is more than expressions.
    pub fn used_at(&self, site: Span) -> Option<MacroBody> {
        Some(MacroBody {
            ast: self.ast.moved_to(site)?,
            block: self.block,
            broken: self.broken,
        })
    }
}
