//! The body of a function without `return`: control always leaves it at its end.

use fpgacc_frontend::ir::{Block, ExprId, Init, Scalar, Stmt, StmtKind, VarId};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::loops;

use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// What becomes of a function's value.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// It is not used.
    Dropped,
    /// This variable takes it.
    To(VarId),
}

/// Rewrites the body of a function, in place, into one without `return`. Names in it must be unique
/// later: blocks may be dissolved.
pub fn single_exit(target: &mut Target<'_>, body: &mut Vec<Stmt>, value: Value) {
    let mut exits = Exits {
        target,
        value,
        flag: None,
    };
    let stmts = std::mem::take(body);
    let stmts = exits.open(stmts, Follow { tail: true });
    if let Some(flag) = exits.flag {
        let no = exits.target.int(0);
        let init = Some(Init::Expr(no));
        body.push(Stmt::new(StmtKind::Decl { var: flag, init }));
    }
    body.extend(stmts);
}

/// Whether a function's body holds a `return`.
pub fn returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(loops::returns)
}

/// How control leaves a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// At its end.
    Falls,
    /// By a `return`.
    Returns,
    /// Either.
    Either,
}

fn ends(stmts: &[Stmt]) -> Ends {
    let mut either = false;
    for stmt in stmts {
        let end = match &stmt.kind {
            StmtKind::Return(_) => Ends::Returns,
            StmtKind::Block(block) => ends(&block.stmts),
            StmtKind::If {
                then, otherwise, ..
            } => {
                let no = otherwise.as_ref().map_or(Ends::Falls, |no| ends(&no.stmts));
                match (ends(&then.stmts), no) {
                    (yes, no) if yes == no => yes,
                    _ => Ends::Either,
                }
            }
            _ if returns(std::slice::from_ref(stmt)) => Ends::Either,
            _ => Ends::Falls,
        };
        match end {
            Ends::Returns => return Ends::Returns,
            Ends::Either => either = true,
            Ends::Falls => {}
        }
    }
    if either { Ends::Either } else { Ends::Falls }
}

/// What comes after a list of statements.
#[derive(Clone, Copy, Debug)]
struct Follow {
    /// Nothing: a `return` need not be remembered.
    tail: bool,
}

struct Exits<'e, 't> {
    target: &'e mut Target<'t>,
    value: Value,
    flag: Option<VarId>,
}

impl Exits<'_, '_> {
    /// A list in no loop or switch.
    fn open(&mut self, stmts: Vec<Stmt>, follow: Follow) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        let mut stmts = std::collections::VecDeque::from(stmts);
        while let Some(mut stmt) = stmts.pop_front() {
            if !returns(std::slice::from_ref(&stmt)) {
                out.push(stmt);
                continue;
            }
            let span = stmt.span;
            match stmt.kind {
                StmtKind::Return(value) => {
                    self.leave(value, span, follow.tail, &mut out);
                    return out;
                }
                StmtKind::Block(block) => {
                    for inner in block.stmts.into_iter().rev() {
                        stmts.push_front(inner);
                    }
                }
                StmtKind::If {
                    cond,
                    then,
                    otherwise,
                } => {
                    let rest: Vec<Stmt> = std::mem::take(&mut stmts).into();
                    let sides = (then.stmts, otherwise.map(|no| no.stmts).unwrap_or_default());
                    self.branch(cond, span, sides, rest, follow, &mut out);
                    return out;
                }
                _ => {
                    for list in stmt.lists_mut() {
                        *list = self.closed(std::mem::take(list));
                    }
                    out.push(stmt);
                    let rest: Vec<Stmt> = std::mem::take(&mut stmts).into();
                    self.unless_returned(rest, follow, &mut out);
                    return out;
                }
            }
        }
        out
    }

    /// An `if` that returns somewhere, and what follows it.
    fn branch(
        &mut self,
        cond: ExprId,
        span: Option<Span>,
        (mut yes, mut no): (Vec<Stmt>, Vec<Stmt>),
        mut rest: Vec<Stmt>,
        follow: Follow,
        out: &mut Vec<Stmt>,
    ) {
        let mut inner = follow;
        match (ends(&yes), ends(&no)) {
            (Ends::Returns, Ends::Returns) => rest.clear(),
            (Ends::Returns, Ends::Falls) => no.append(&mut rest),
            (Ends::Falls, Ends::Returns) => yes.append(&mut rest),
            _ if rest.is_empty() => {}
            _ => inner.tail = false,
        }
        let (yes, no) = (self.open(yes, inner), self.open(no, inner));
        let (cond, yes, no) = match yes.is_empty() {
            true => {
                let function = &mut self.target.function;
                (function.exprs.not(self.target.types, cond), no, yes)
            }
            false => (cond, yes, no),
        };
        let kind = StmtKind::If {
            cond,
            then: Block::of(yes),
            otherwise: (!no.is_empty()).then(|| Block::of(no)),
        };
        out.push(Stmt::at(kind, span));
        self.unless_returned(rest, follow, out);
    }

    fn unless_returned(&mut self, rest: Vec<Stmt>, follow: Follow, out: &mut Vec<Stmt>) {
        if rest.is_empty() {
            return;
        }
        let rest = self.open(rest, follow);
        let flag = self.flag();
        let flag = self.target.function.use_var(flag);
        let cond = self.target.function.exprs.not(self.target.types, flag);
        out.push(Stmt::only_if(cond, rest));
    }

    /// A list in a loop or switch of the function: `return` sets the flag and breaks out.
    fn closed(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in stmts {
            if !returns(std::slice::from_ref(&stmt)) {
                out.push(stmt);
                continue;
            }
            if let StmtKind::Return(value) = stmt.kind {
                self.leave(value, stmt.span, false, &mut out);
                out.push(Stmt::at(StmtKind::Break, stmt.span));
                break;
            }
            for list in stmt.lists_mut() {
                *list = self.closed(std::mem::take(list));
            }
            let catches = matches!(
                stmt.kind,
                StmtKind::For { .. }
                    | StmtKind::While { .. }
                    | StmtKind::DoWhile { .. }
                    | StmtKind::Switch { .. }
            );
            out.push(stmt);
            if catches {
                let flag = self.flag();
                let cond = self.target.function.use_var(flag);
                out.push(Stmt::only_if(cond, vec![Stmt::new(StmtKind::Break)]));
            }
        }
        out
    }

    /// What a `return` does before it leaves.
    fn leave(
        &mut self,
        value: Option<ExprId>,
        span: Option<Span>,
        tail: bool,
        out: &mut Vec<Stmt>,
    ) {
        match (self.value, value) {
            (Value::To(var), Some(value)) => {
                let mut stmt = self.target.function.assign_var(var, value);
                stmt.span = span;
                out.push(stmt);
            }
            (Value::Dropped, Some(value)) if self.target.function.exprs.has_effects(value) => {
                out.push(Stmt::at(StmtKind::Expr(value), span));
            }
            _ => {}
        }
        if !tail {
            let flag = self.flag();
            let yes = self.target.int(1);
            out.push(self.target.function.assign_var(flag, yes));
        }
    }

    fn flag(&mut self) -> VarId {
        if let Some(flag) = self.flag {
            return flag;
        }
        let ty = self.target.types.scalar(Scalar::Bool);
        let target = &mut self.target;
        let flag = target.function.add_var("returned", ty, target.taken);
        self.flag = Some(flag);
        flag
    }
}
