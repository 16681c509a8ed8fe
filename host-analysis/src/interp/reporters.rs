//! Functions that only report, as those that programs check error codes with: they print, and
//! perhaps end the program. All that following one tells is whether it returns, and that depends
//! on a few of its arguments only; so it is followed once for all calls that are alike.

use std::collections::BTreeSet;
use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::{Code, FnId, Interp, functions};
use crate::number::{IntType, Num};
use crate::syntax::ast::{ExprId, ExprKind, StmtId, StmtKind};
use crate::syntax::lex::{Lexer, TokenKind};
use crate::value::Val;

/// Most kinds of calls of a function that are distinguished.
const MOST_OUTCOMES: usize = 64;

/// A function that only reports.
pub(super) struct Reporter {
    /// Parameters that do more than being printed.
    relevant: Vec<usize>,
    /// It may end the program.
    ends: bool,
    /// The functions that it may call.
    calls: Vec<Span>,
}

/// An argument as far as it matters to a reporter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    Int(i128, IntType),
    Null,
    Unknown,
    /// A symbolic value, equal to nothing else.
    Symbol(Option<Num>),
}

/// Whether calls with such arguments return.
pub(super) type Outcomes = Vec<(Vec<Told>, bool)>;

/// A walk over a body that decides whether it only reports.
struct Walk {
    host: usize,
    params: Vec<String>,
    locals: BTreeSet<String>,
    relevant: BTreeSet<usize>,
    ends: bool,
    calls: Vec<Span>,
}

impl<'a> Interp<'a> {
    /// What a function reports, if that is all that it does.
    pub(super) fn reporter(&mut self, id: FnId) -> Option<Rc<Reporter>> {
        if let Some(known) = self.summaries.reporters.get(&id) {
            return known.clone();
        }
        // A function that calls itself is none.
        self.summaries.reporters.insert(id, None);
        let found = self.find_reporter(id).map(Rc::new);
        self.summaries.reporters.insert(id, found.clone());
        found
    }

    fn find_reporter(&mut self, id: FnId) -> Option<Reporter> {
        let function = self.program.function(id);
        let result = &function.result;
        let void = result.base == "void" && result.pointers == 0 && !result.reference;
        let by_value = function.params.iter().all(|p| !p.ty.reference);
        if !void || !by_value || function.class.is_some() {
            return None;
        }
        let mut walk = Walk {
            host: id.host,
            params: function.params.iter().map(|p| p.name.clone()).collect(),
            locals: BTreeSet::new(),
            relevant: BTreeSet::new(),
            ends: false,
            calls: vec![function.span],
        };
        let code = self.program.file_code(id.host, id.part);
        self.reports_stmt(&code, function.body, &mut walk)
            .then(|| Reporter {
                relevant: walk.relevant.into_iter().collect(),
                ends: walk.ends,
                calls: walk.calls,
            })
    }

    fn reports_stmt(&mut self, code: &Code<'a>, id: StmtId, walk: &mut Walk) -> bool {
        let tree = code.clone();
        match &tree.ast().stmt(id).kind {
            StmtKind::Expr(value) => self.reports_expr(code, *value, walk),
            StmtKind::Declare(variables) => variables.iter().all(|variable| {
                let ty = &variable.ty;
                walk.locals.insert(variable.name.clone());
                !variable.is_static
                    && !variable.is_extern
                    && !ty.reference
                    && ty.dims.is_empty()
                    && variable
                        .init
                        .is_none_or(|init| self.reports_expr(code, init, walk))
            }),
            StmtKind::Block(stmts) => stmts.iter().all(|&s| self.reports_stmt(code, s, walk)),
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
            } => {
                init.is_none()
                    && self.reports_expr(code, *condition, walk)
                    && self.reports_stmt(code, *then, walk)
                    && otherwise.is_none_or(|o| self.reports_stmt(code, o, walk))
            }
            StmtKind::Switch { value, body } => {
                self.reports_expr(code, *value, walk) && self.reports_stmt(code, *body, walk)
            }
            StmtKind::Case(value) => value.is_none_or(|v| self.reports_expr(code, v, walk)),
            StmtKind::Return(None) | StmtKind::Break | StmtKind::Empty => true,
            _ => false,
        }
    }

    fn reports_expr(&mut self, code: &Code<'a>, id: ExprId, walk: &mut Walk) -> bool {
        let tree = code.clone();
        let ast = tree.ast();
        match &ast.expr(id).kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Null => true,
            ExprKind::Name(name) => self.reports_name(name, walk),
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Paren(a) => {
                self.reports_expr(code, *a, walk)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) => {
                self.reports_expr(code, *a, walk) && self.reports_expr(code, *b, walk)
            }
            ExprKind::Conditional(a, b, c) => [a, b, c]
                .into_iter()
                .all(|&e| self.reports_expr(code, e, walk)),
            ExprKind::Assign(_, target, value) => {
                self.own_variable(code, *target, walk) && self.reports_expr(code, *value, walk)
            }
            ExprKind::Step { target, .. } => self.own_variable(code, *target, walk),
            ExprKind::Call { callee, args } => {
                let ExprKind::Name(name) = &ast.expr(ast.skip_parens(*callee)).kind else {
                    return false;
                };
                self.reports_call(code, name, args, walk)
            }
            _ => false,
        }
    }

    fn own_variable(&mut self, code: &Code<'a>, target: ExprId, walk: &mut Walk) -> bool {
        let tree = code.clone();
        let own = |name: &String| walk.locals.contains(name) || walk.params.contains(name);
        let ast = tree.ast();
        let found = matches!(&ast.expr(ast.skip_parens(target)).kind, ExprKind::Name(n) if own(n));
        found && self.reports_expr(code, target, walk)
    }

    fn reports_name(&mut self, name: &str, walk: &mut Walk) -> bool {
        let host = &self.program.hosts[walk.host];
        if host.macros.knows(name) {
            let found = host.macros.at(name, host.macros.end());
            return found.is_some_and(|(_, m)| {
                let body = m.body.as_bytes();
                // A number, or a name that stands for itself, as `stderr`.
                m.params.is_none()
                    && (m.body == name
                        || Lexer::within(body, 0..body.len()).all(|t| {
                            matches!(
                                t.kind,
                                TokenKind::Number | TokenKind::Punct(b'-' | b'(' | b')')
                            )
                        }))
            });
        }
        if let Some(index) = walk.params.iter().position(|p| p == name) {
            walk.relevant.insert(index);
            return true;
        }
        walk.locals.contains(name) || !self.is_file_scope(walk.host, name)
    }

    fn is_file_scope(&self, host: usize, name: &str) -> bool {
        self.variables.global(host, name).is_some()
    }

    fn reports_call(
        &mut self,
        code: &Code<'a>,
        name: &str,
        args: &[ExprId],
        walk: &mut Walk,
    ) -> bool {
        let own = walk.locals.contains(name) || walk.params.iter().any(|p| p == name);
        if own
            || self.program.hosts[walk.host].macros.knows(name)
            || self.is_file_scope(walk.host, name)
        {
            return false;
        }
        if let Some(function) = self.find_function(code, name, args.len()) {
            let Some(inner) = self.reporter(function) else {
                return false;
            };
            walk.ends |= inner.ends;
            walk.calls.extend(&inner.calls);
            return args.iter().all(|&a| self.reports_expr(code, a, walk));
        }
        if self.program.functions.contains_key(name) {
            return false;
        }
        if functions::ends_program(name) {
            walk.ends = true;
            return args.iter().all(|&a| self.reports_expr(code, a, walk));
        }
        // What is only printed does not matter.
        functions::reads_only(name) && args.iter().all(|&a| self.is_printed(code, a, walk))
    }

    /// Whether an argument of a function that only reads can be left out.
    fn is_printed(&mut self, code: &Code<'a>, id: ExprId, walk: &mut Walk) -> bool {
        let tree = code.clone();
        match &tree.ast().expr(id).kind {
            ExprKind::Name(name) if walk.params.contains(name) || walk.locals.contains(name) => {
                !self.program.hosts[walk.host].macros.knows(name)
            }
            _ => self.reports_expr(code, id, walk),
        }
    }

    /// Whether a call of a reporter returns, if that is known without following it.
    pub(super) fn reported(
        &mut self,
        id: FnId,
        reporter: &Reporter,
        told: &[Told],
    ) -> Option<bool> {
        let returns = match reporter.ends {
            false => true,
            true => {
                let outcomes = self.summaries.outcomes.get(&id)?;
                outcomes.iter().find(|(known, _)| known == told)?.1
            }
        };
        for &span in &reporter.calls {
            self.seen(span);
        }
        Some(returns)
    }

    /// Notes whether a call that was followed returned.
    pub(super) fn note_outcome(&mut self, id: FnId, told: Vec<Told>, returns: bool) {
        let outcomes = self.summaries.outcomes.entry(id).or_default();
        if outcomes.len() < MOST_OUTCOMES {
            outcomes.push((told, returns));
        }
    }
}

impl Reporter {
    /// The arguments that matter; nothing if calls with them cannot be distinguished.
    pub(super) fn told(&self, values: &[Val]) -> Option<Vec<Told>> {
        if !self.ends {
            return Some(Vec::new());
        }
        let mut told = Vec::new();
        for &index in &self.relevant {
            told.push(match values.get(index)? {
                Val::Int(value, ty) => Told::Int(*value, *ty),
                Val::Null => Told::Null,
                Val::Unknown(_) => Told::Unknown,
                Val::Sym(sym) if sym.is_atom() => Told::Symbol(sym.ty),
                _ => return None,
            });
        }
        // Two symbols may be the same one.
        let symbols = told.iter().filter(|t| matches!(t, Told::Symbol(_)));
        (symbols.count() <= 1).then_some(told)
    }
}
