//! A loop over steps with a loop over lanes inside, as it stands in a kernel.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Init, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::accesses::{Access, Accesses, Summaries};
use fpgacc_kernel_analysis::alias::{Aliases, Root};
use fpgacc_kernel_analysis::dependence::{Effects, may_be};
use fpgacc_kernel_analysis::independence::indexed;
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Nests, only};
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};
use fpgacc_kernel_analysis::usage::names;

use super::arms;
use super::held::{Conditions, Held};
use super::space::Affine;

/// What is known of a kernel.
pub struct Scope<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    pub aliases: &'a Aliases<'a>,
    pub nests: &'a Nests<'a>,
    pub summaries: &'a Summaries,
}

/// Loops of a wave. Coordinates are the numbers of iterations: of the outer loop the time, of the inner one the lane.
pub struct Phase {
    /// How the outer loop counts, and the inner one.
    pub counts: [Counting; 2],
    /// What is done in each lane, the store last, without the conditions that are among the guards.
    pub body: Vec<Stmt>,
    /// The array that is written.
    pub array: VarId,
    /// The assignment.
    pub store: ExprId,
    /// The element that it writes.
    pub at: Affine,
    /// Reads of the array.
    pub reads: Vec<Own>,
    /// What holds where a lane does something in a step.
    pub guards: Vec<Affine>,
    /// Where it stands.
    pub span: Option<Span>,
    /// The loops.
    pub whole: Stmt,
}

/// A read of the array that is written.
pub struct Own {
    /// The expression.
    pub expr: ExprId,
    /// Its element.
    pub at: Affine,
    /// What holds where it is read.
    pub held: Vec<Held>,
}

/// The loop inside of a loop that is all of its body.
pub fn inner(stmt: &Stmt) -> Option<&Stmt> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    only(&body.stmts).filter(|inner| matches!(inner.kind, StmtKind::For { .. }))
}

/// What the loop inside of a loop does in each iteration.
fn lane(stmt: &Stmt) -> Option<&[Stmt]> {
    match &inner(stmt)?.kind {
        StmtKind::For { body, .. } => Some(&body.stmts),
        _ => None,
    }
}

/// The array of the function's own that a loop inside a loop writes in the end: a look that takes no time.
pub fn written(function: &Function, stmt: &Stmt) -> Option<VarId> {
    let lane = lane(stmt)?;
    let has_loops = lane.iter().any(|stmt| loops::count(stmt) > 0);
    let (_, store) = last(function, lane).filter(|_| !has_loops)?;
    let Expr::Assign { lhs, .. } = *function.exprs.get(store) else {
        return None;
    };
    let mut base = lhs;
    while let Expr::Index { base: below, .. } = *function.exprs.get(base) {
        base = below;
    }
    let array = function.exprs.local_var(base).filter(|_| base != lhs)?;
    let uses = stmt.local_uses(&function.exprs);
    let is_read = uses.iter().filter(|(_, var)| *var == array).count() > 1;
    (is_read && !function.params.contains(&array)).then_some(array)
}

/// Whether the lanes of loops end with a branch that stores in each arm.
pub fn branches(function: &Function, stmt: &Stmt) -> bool {
    lane(stmt)
        .and_then(|stmts| last(function, stmts))
        .is_some_and(|(stmt, _)| matches!(stmt.kind, StmtKind::If { .. }))
}

/// The statement that statements end with, under whatever conditions, and its expression: of a branch with a store in
/// each arm the first one's.
fn last<'s>(function: &Function, stmts: &'s [Stmt]) -> Option<(&'s Stmt, ExprId)> {
    let last = stmts.iter().rev();
    let mut last = last.filter(|stmt| !matches!(stmt.kind, StmtKind::Comment(_)));
    let last = last.next()?;
    match &last.kind {
        StmtKind::Expr(expr) => Some((last, *expr)),
        StmtKind::If {
            then,
            otherwise: None,
            ..
        } => self::last(function, &then.stmts),
        StmtKind::If { .. } => Some((last, arms::store(function, last)?)),
        StmtKind::Block(block) => self::last(function, &block.stmts),
        _ => None,
    }
}

impl Phase {
    /// Of a loop that [`written`] finds.
    ///
    /// # Errors
    /// It is not known well enough.
    pub fn of(scope: &Scope<'_>, array: VarId, stmt: &Stmt) -> Result<Self, Refusal> {
        let object = VarRef::Local(array);
        let types = &scope.module.types;
        let is_array = types.as_array(scope.function.vars[array].ty.ty).is_some();
        if !is_array || scope.aliases.is_exposed(object) {
            return Err(refuse("a pointer may lead to what it writes"));
        }
        let counts = counts(scope, stmt)?;
        let mut indices = Indices::new(scope.aliases, scope.nests, stmt);
        if !indices.follow(stmt) || indices.counting.len() != 2 {
            return Err(refuse("its loops do not count by constants"));
        }
        let mut reader = Reader {
            scope,
            indices,
            counts,
            array,
            guards: Vec::new(),
        };
        let Some(StmtKind::For { body, .. }) = inner(stmt).map(|inner| &inner.kind) else {
            return Err(refuse("its loops do not count by constants"));
        };
        effects(scope, stmt)?;
        let own = reader.flat(&body.stmts);
        let store = match own.last().map(|stmt| &stmt.kind) {
            Some(StmtKind::Expr(store)) => *store,
            _ => return Err(refuse("whether a lane stores depends on data")),
        };
        let Expr::Assign { op: None, lhs, rhs } = *scope.function.exprs.get(store) else {
            return Err(refuse("it changes elements in place"));
        };
        let at = reader.element(lhs)?;
        let reads = reader.reads(&body.stmts, [lhs, rhs])?;
        Ok(Phase {
            counts,
            body: own,
            array,
            store,
            at,
            reads,
            guards: reader.guards,
            span: stmt.span,
            whole: stmt.clone(),
        })
    }
}

/// What both loops count with, by the numbers of their iterations.
pub fn counters(counts: &[Counting; 2], iterations: [Affine; 2]) -> [Affine; 2] {
    let counter = |at: usize| {
        let Counting { start, by, .. } = counts[at];
        Affine::constant(start).plus(iterations[at], by)
    };
    [counter(0), counter(1)]
}

/// How both loops count.
fn counts(scope: &Scope<'_>, stmt: &Stmt) -> Result<[Counting; 2], Refusal> {
    let constants = Constants::new(scope.module, scope.function);
    let of = |stmt: &Stmt, may_be: &[&str]| {
        let StmtKind::For { init, hints, .. } = &stmt.kind else {
            return None;
        };
        let declares = matches!(init.as_slice(), [one] if matches!(one.kind, StmtKind::Decl { init: Some(Init::Expr(_)), .. }));
        let mut pragmas = hints.pragmas.iter();
        let is_free = hints.attrs.is_empty()
            && pragmas.all(|text| text.starts_with("ivdep") || may_be.contains(&text.as_str()));
        counting(&constants, stmt).filter(|_| declares && is_free)
    };
    // All lanes at once is what becomes of them.
    let both = inner(stmt).and_then(|inner| Some([of(stmt, &[])?, of(inner, &["unroll"])?]));
    both.ok_or_else(|| {
        refuse("its trip counts are not constants, or a pragma says what becomes of its loops")
    })
}

/// Refuses what may not change its place.
fn effects(scope: &Scope<'_>, stmt: &Stmt) -> Result<(), Refusal> {
    let effects = Effects::of(scope.aliases, scope.summaries, std::slice::from_ref(stmt));
    let leaves = inner(stmt).is_none_or(|inner| {
        let StmtKind::For { body, .. } = &inner.kind else {
            return true;
        };
        let mut stmts = body.stmts.iter();
        stmts.any(|stmt| loops::leaves(stmt, true, true) || loops::returns(stmt))
    });
    match () {
        () if effects.prints => Err(refuse("it prints")),
        () if effects.synchronises => {
            Err(refuse("barriers, atomics or channels order what it does"))
        }
        () if effects.is_volatile => Err(refuse("it accesses volatile memory")),
        () if leaves => Err(refuse("a lane may leave it early")),
        () => Ok(()),
    }
}

struct Reader<'a> {
    scope: &'a Scope<'a>,
    indices: Indices<'a>,
    counts: [Counting; 2],
    array: VarId,
    guards: Vec<Affine>,
}

impl Reader<'_> {
    /// The statements of a list that ends with the store, those under conditions on the counters alone among them.
    fn flat(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = Vec::new();
        let real = |stmt: &&Stmt| !matches!(stmt.kind, StmtKind::Comment(_));
        let stmts: Vec<&Stmt> = stmts.iter().filter(real).collect();
        let Some((last, before)) = stmts.split_last() else {
            return out;
        };
        out.extend(before.iter().map(|stmt| (*stmt).clone()));
        let inside = match &last.kind {
            StmtKind::If {
                cond,
                then,
                otherwise: None,
            } => self.guard(*cond).map(|guards| {
                self.guards.extend(guards);
                &then.stmts
            }),
            StmtKind::Block(block) => Some(&block.stmts),
            _ => None,
        };
        match inside {
            Some(inside) => out.extend(self.flat(inside)),
            None => out.push((*last).clone()),
        }
        out
    }

    /// A condition as inequalities that all must hold.
    fn guard(&mut self, cond: ExprId) -> Option<Vec<Affine>> {
        let Expr::Binary { op, lhs, rhs } = *self.scope.function.exprs.get(cond) else {
            return None;
        };
        if op == BinaryOp::And {
            let mut all = self.guard(lhs)?;
            all.extend(self.guard(rhs)?);
            return Some(all);
        }
        let more = self.affine(lhs)?.plus(self.affine(rhs)?, -1);
        let less = Affine::constant(0).plus(more, -1);
        let one = Affine::constant(1);
        Some(match op {
            BinaryOp::Ge => vec![more],
            BinaryOp::Gt => vec![more.plus(one, -1)],
            BinaryOp::Le => vec![less],
            BinaryOp::Lt => vec![less.plus(one, -1)],
            BinaryOp::Eq => vec![more, less],
            _ => return None,
        })
    }

    /// What holds where a part of an expression is evaluated.
    fn held_at(&mut self, root: ExprId, part: ExprId) -> Vec<Held> {
        let exprs = &self.scope.function.exprs;
        let affine = &mut |id| self.affine(id);
        Conditions { exprs, affine }.held_at(root, part)
    }

    /// An integer as a sum of multiples of time and lane.
    fn affine(&mut self, id: ExprId) -> Option<Affine> {
        let poly = self.indices.poly(id)?;
        Affine::of(&poly, counters(&self.counts, [Affine::TIME, Affine::LANE]))
    }

    /// The element of the array that an lvalue is, counted from its first.
    fn element(&mut self, at: ExprId) -> Result<Affine, Refusal> {
        let function = self.scope.function;
        let unknown = || Refusal {
            reason: "indices are not sums of multiples of the counters".to_string(),
            also: Some((at, "here")),
        };
        let is_whole = matches!(function.exprs.get(at), Expr::Index { .. });
        let found = indexed(self.scope.aliases, at).filter(|_| is_whole);
        let (_, own) = found
            .filter(|(array, _)| *array == self.array)
            .ok_or_else(unknown)?;
        let mut ty = function.vars[self.array].ty.ty;
        let mut element = Affine::constant(0);
        for index in own {
            let (inner, len) = self.scope.module.types.as_array(ty).ok_or_else(unknown)?;
            let index = self.indices.widened(index);
            let index = self.affine(index).ok_or_else(unknown)?;
            element = Affine::constant(0)
                .plus(element, i128::from(len.unwrap_or(0)))
                .plus(index, 1);
            ty = inner.ty;
        }
        match self.scope.module.types.component(ty) {
            Some(_) => Ok(element),
            None => Err(refuse("elements are arrays or structures")),
        }
    }

    /// The reads of the array; refuses writes of anything else that is not a lane's own.
    fn reads(&mut self, stmts: &[Stmt], [store, value]: [ExprId; 2]) -> Result<Vec<Own>, Refusal> {
        let accesses = Accesses::of_stmts(self.scope.aliases, self.scope.summaries, stmts);
        let declared: BTreeSet<VarId> = accesses.declared.iter().copied().collect();
        let is_own = |access: &Access| {
            access.roots.iter().all(
                |root| matches!(root, Root::Object(VarRef::Local(var)) if declared.contains(var)),
            )
        };
        let mut reads = Vec::new();
        for access in &accesses.list {
            if access.write {
                if access.at != store && !is_own(access) {
                    let array = names(self.scope.function, &[self.array]);
                    return Err(refuse(format!("it writes more than {array}")));
                }
            } else if may_be(self.scope.aliases, access, self.array) {
                reads.push(Own {
                    expr: access.at,
                    at: self.element(access.at)?,
                    held: self.held_at(value, access.at),
                });
            }
        }
        Ok(reads)
    }
}
