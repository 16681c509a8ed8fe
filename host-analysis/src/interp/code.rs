//! Pieces of code that are followed: of files, and of macros' replacements.

use std::rc::Rc;

use fpgacc_frontend::source::Span;

use crate::syntax::MacroBody;
use crate::syntax::ast::{Ast, ExprId};

/// Syntax of a file or of a macro's replacement.
#[derive(Clone)]
pub(crate) enum Tree<'a> {
    File(&'a Ast),
    Macro(Rc<MacroBody>),
}

/// A piece of code: its syntax, the file it belongs to, and the macro that it comes from.
#[derive(Clone)]
pub(crate) struct Code<'a> {
    pub tree: Tree<'a>,
    pub host: usize,
    pub part: usize,
    pub env: Option<Rc<MacroEnv<'a>>>,
}

/// A macro's use.
pub(crate) struct MacroEnv<'a> {
    pub index: usize,
    pub params: Vec<(&'a str, (Code<'a>, ExprId))>,
    pub rest: Vec<(Code<'a>, ExprId)>,
    /// Where the outermost macro is used.
    pub site: Span,
    pub outer: Option<Rc<MacroEnv<'a>>>,
}

impl<'a> MacroEnv<'a> {
    /// The argument that a parameter stands for.
    pub fn argument(&self, name: &str) -> Option<&(Code<'a>, ExprId)> {
        let found = self.params.iter().find(|(param, _)| *param == name);
        found.map(|(_, argument)| argument)
    }
}

impl<'a> Code<'a> {
    pub fn ast(&self) -> &Ast {
        match &self.tree {
            Tree::File(ast) => ast,
            Tree::Macro(body) => &body.ast,
        }
    }

    /// The location in the user's text that an expression of this code belongs to.
    pub fn site(&self, span: Span) -> Span {
        match &self.env {
            Some(env) => env.site,
            None => span,
        }
    }
}

/// A function of the given files: host, part, index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FnId {
    pub host: usize,
    pub part: usize,
    pub index: usize,
}

/// An argument of a call.
pub(crate) type Arg<'a> = (Code<'a>, ExprId);
