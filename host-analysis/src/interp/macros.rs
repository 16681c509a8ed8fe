//! Macros: their replacements as code, and what names in them stand for.

use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::Interp;
use super::code::{Arg, Code, MacroEnv, Tree};
use super::lvalue::Target;
use crate::state::Delta;
use crate::syntax::ast::{ExprId, ExprKind, StmtKind};
use crate::syntax::lex;
use crate::value::Val;

/// A macro's parameters, and what they stand for.
type MacroParams<'a> = Vec<(&'a str, Arg<'a>)>;

impl<'a> Interp<'a> {
    /// The macro that a name stands for at its location, and where it is used.
    pub(super) fn macro_of(
        &self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
    ) -> Option<(usize, Span)> {
        if code
            .env
            .as_ref()
            .is_some_and(|env| env.argument(name).is_some())
        {
            return None;
        }
        let host = &self.program.hosts[code.host];
        if !self.may_be_macro(code, id, name) {
            return None;
        }
        let span = code.site(code.ast().expr(id).span);
        let part = host.parts.iter().position(|p| p.file == span.file)?;
        let line = self.program.sources.file(span.file).line(span.start);
        let (index, _) = host.macro_at(part, line, name)?;
        let mut env = code.env.clone();
        while let Some(outer) = env {
            if outer.index == index {
                return None;
            }
            env = outer.outer.clone();
        }
        Some((index, span))
    }

    /// Whether a name is a macro at any time. What stands in a file is asked for again and again.
    fn may_be_macro(&self, code: &Code<'a>, id: ExprId, name: &str) -> bool {
        let macros = &self.program.hosts[code.host].macros;
        let Tree::File(_) = code.tree else {
            return macros.knows(name);
        };
        let mut known = self.texts.no_macros.borrow_mut();
        let known = known.get_mut(code.host).and_then(|h| h.get_mut(code.part));
        let Some(is_none) = known.and_then(|part| part.get_mut(id.index())) else {
            return macros.knows(name);
        };
        if !*is_none {
            *is_none = !macros.knows(name);
        }
        !*is_none
    }

    /// The expression that a name stands for: a macro's argument, or an object-like macro's
    /// replacement.
    pub(super) fn macro_expression(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
    ) -> Option<Arg<'a>> {
        if let Some((code, arg)) = code.env.as_ref().and_then(|env| env.argument(name)) {
            return Some((code.clone(), *arg));
        }
        let (index, span) = self.macro_of(code, id, name)?;
        if self.program.hosts[code.host]
            .macros
            .get(index)
            .params
            .is_some()
        {
            return None;
        }
        let code = self.macro_code(code, index, Vec::new(), Vec::new(), span);
        let value = self.single_expression(&code)?;
        Some((code, value))
    }

    /// A macro's replacement as code.
    pub(super) fn macro_code(
        &mut self,
        code: &Code<'a>,
        index: usize,
        params: Vec<(&'a str, Arg<'a>)>,
        rest: Vec<Arg<'a>>,
        site: Span,
    ) -> Code<'a> {
        let host = &self.program.hosts[code.host];
        // A system macro's nodes have the location of its use.
        let sources = self.program.sources;
        let own = *self
            .texts
            .own_macros
            .entry((code.host, index))
            .or_insert_with(|| {
                let file = &*host.macros.get(index).file;
                let mut parts = host.parts.iter();
                parts.any(|p| sources.file(p.file).name == file)
            });
        let key = (code.host, index, (!own).then_some((site.start, site.end)));
        let body = match self.texts.bodies.get(&key) {
            Some(body) => body.clone(),
            None => {
                let known = self.texts.bodies_elsewhere.get(&(code.host, index));
                let body = match known.and_then(|body| body.used_at(site)) {
                    Some(body) => Rc::new(body),
                    None => Rc::new(host.macro_body(index, self.program.sources, site)),
                };
                self.texts.bodies.insert(key, body.clone());
                if !own {
                    let known = self.texts.bodies_elsewhere.entry((code.host, index));
                    known.or_insert_with(|| body.clone());
                }
                body
            }
        };
        Code {
            tree: Tree::Macro(body),
            host: code.host,
            part: code.part,
            env: Some(Rc::new(MacroEnv {
                index,
                params,
                rest,
                site,
                outer: code.env.clone(),
            })),
        }
    }

    /// The expression that a macro's replacement is, if it is one.
    pub(super) fn single_expression(&self, code: &Code<'a>) -> Option<ExprId> {
        let Tree::Macro(body) = &code.tree else {
            return None;
        };
        if body.broken {
            return None;
        }
        let StmtKind::Block(stmts) = &body.ast.stmt(body.block).kind else {
            return None;
        };
        let mut found = None;
        for &stmt in stmts {
            match body.ast.stmt(stmt).kind {
                StmtKind::Empty => {}
                StmtKind::Expr(value) if found.is_none() => found = Some(value),
                _ => return None,
            }
        }
        found
    }

    /// The macro or macro argument that an expression is, if its text is an operation.
    pub(super) fn loose_macro(&mut self, code: &Code<'a>, id: ExprId) -> Option<String> {
        let tree = code.clone();
        let (name, inner_code, inner) = match &tree.ast().expr(id).kind {
            ExprKind::Name(name) => {
                let (inner_code, inner) = self.macro_expression(code, id, name)?;
                (name, inner_code, inner)
            }
            ExprKind::Call { callee, args } => {
                let ExprKind::Name(name) = &tree.ast().expr(*callee).kind else {
                    return None;
                };
                let (index, site) = self.macro_of(code, *callee, name)?;
                let (params, rest) = self.macro_arguments(code, index, args)?;
                let inner_code = self.macro_code(code, index, params, rest, site);
                let inner = self.single_expression(&inner_code)?;
                (name, inner_code, inner)
            }
            _ => return None,
        };
        let loose = matches!(
            inner_code.ast().expr(inner).kind,
            ExprKind::Binary(..)
                | ExprKind::Conditional(..)
                | ExprKind::Assign(..)
                | ExprKind::Comma(..)
        );
        match loose {
            true => Some(name.clone()),
            false => self.loose_macro(&inner_code, inner),
        }
    }

    /// The arguments of a function-like macro, by its parameters and after them; nothing if there
    /// are too few.
    pub(super) fn macro_arguments(
        &self,
        code: &Code<'a>,
        index: usize,
        args: &[ExprId],
    ) -> Option<(MacroParams<'a>, Vec<Arg<'a>>)> {
        let hosts: &'a [_] = self.program.hosts;
        let definition = hosts[code.host].macros.get(index);
        let names = definition.params.as_deref().unwrap_or_default();
        let mut params = Vec::new();
        let mut rest = Vec::new();
        let fixed = names.iter().filter(|n| !n.ends_with("...")).count();
        for (at, &arg) in args.iter().enumerate() {
            match names.get(at).filter(|_| at < fixed) {
                Some(name) => params.push((name.as_str(), (code.clone(), arg))),
                None => rest.push((code.clone(), arg)),
            }
        }
        (params.len() >= fixed).then_some((params, rest))
    }

    /// `#define NAME ..` that is used as a statement, or a function-like macro with statements.
    pub(super) fn run_macro(
        &mut self,
        code: &Code<'a>,
        index: usize,
        args: Option<&[ExprId]>,
        site: Span,
    ) -> Val {
        let hosts: &'a [_] = self.program.hosts;
        let definition = hosts[code.host].macros.get(index);
        let args = args.unwrap_or_default();
        let empty = definition.file.starts_with('<') && definition.body.is_empty();
        let Some((params, rest)) = self.macro_arguments(code, index, args).filter(|_| !empty)
        else {
            let value = self.macro_not_followed(code, args, &definition.name);
            let words: Vec<String> = lex::names(&definition.body).map(str::to_string).collect();
            self.not_understood(code, site, &words, self.trace.visits.len());
            return value;
        };
        let inner = self.macro_code(code, index, params, rest, site);
        if let Some(value) = self.single_expression(&inner) {
            return self.eval(&inner, value);
        }
        let Tree::Macro(body) = &inner.tree.clone() else {
            return Val::Unset;
        };
        if body.broken {
            // Its arguments are evaluated at most; names in it may change.
            let value = self.macro_not_followed(code, args, &definition.name);
            let words: Vec<String> = lex::names(&definition.body).map(str::to_string).collect();
            self.not_understood(code, site, &words, self.trace.visits.len());
            return value;
        }
        self.exec(&inner, body.block);
        Val::unknown(format!("the macro `{}` is no expression", definition.name))
    }

    fn macro_not_followed(&mut self, code: &Code<'a>, args: &[ExprId], name: &str) -> Val {
        let mark = self.state.mark();
        for &arg in args {
            self.eval(code, arg);
        }
        self.state.merge(mark, Delta::new());
        for &arg in args {
            if let Target::Location(location) = self.plain_target(code, arg) {
                self.set_unknown(&location, &format!("the macro `{name}` may change it"));
            }
        }
        Val::unknown(format!("the macro `{name}` is not followed"))
    }
}
