//! What stands in the outer loop beside the inner one, as part of what the inner one does.
//!
//! `for i { cur[0] = i; for j in 1..n { .. } }` sets the border of a row before the row: that is a lane more, before all
//! others. What stands after the row is a lane after all others. Variables that the outer loop declares are computed in
//! each lane.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Block, ExprId, Function, FunctionId, Init, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::{Accesses, Summaries};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting, integer_range};

use super::stores::{stored, stores_in};
use crate::pass::Context;
use crate::position::{Position, outermost};

/// Loops with a loop inside that stores in arrays of the function's own, beside which there are other statements.
pub fn nests(function: &Function) -> Vec<Position> {
    outermost(function, &|stmt| is_nest(function, stmt))
}

fn is_nest(function: &Function, stmt: &Stmt) -> bool {
    let Some(parts) = Parts::of(stmt) else {
        return false;
    };
    let reads_and_stores = |array: VarId| {
        let uses = parts.inner.local_uses(&function.exprs).into_iter();
        uses.filter(|(_, var)| *var == array).count() > 1
    };
    let mut stores = stores_in(function, parts.body).into_iter();
    stores.any(|store| stored(function, store).is_some_and(reads_and_stores))
}

/// A loop, with one loop inside.
struct Parts<'s> {
    before: &'s [Stmt],
    inner: &'s Stmt,
    body: &'s [Stmt],
    after: &'s [Stmt],
}

impl<'s> Parts<'s> {
    /// Of a loop in which something stands beside the one inside.
    fn of(stmt: &'s Stmt) -> Option<Self> {
        let StmtKind::For { body, .. } = &stmt.kind else {
            return None;
        };
        let is_loop = |stmt: &Stmt| matches!(stmt.kind, StmtKind::For { .. });
        let at = body.stmts.iter().position(is_loop)?;
        let (before, rest) = body.stmts.split_at(at);
        let (inner, after) = rest.split_first()?;
        let StmtKind::For { body, .. } = &inner.kind else {
            return None;
        };
        let mut beside = before.iter().chain(after);
        let is_alone = beside.all(|stmt| loops::count(stmt) == 0) && loops::count(inner) == 1;
        let is_beside = !before.iter().chain(after).all(Stmt::is_comment);
        (is_alone && is_beside).then_some(Parts {
            before,
            inner,
            body: &body.stmts,
            after,
        })
    }
}

/// What becomes of the statements of a nest.
struct Sunk {
    /// Declarations that each lane repeats.
    repeated: Vec<Stmt>,
    /// What the lane before all others does.
    before: Vec<Stmt>,
    /// What the one after all others does.
    after: Vec<Stmt>,
    /// What the others do.
    body: Vec<Stmt>,
    /// The inner loop.
    counting: Counting,
}

/// Puts what stands beside the inner loop of a nest into it.
///
/// # Errors
/// It stays as it is.
pub fn sink(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<(), Refusal> {
    let sunk = look(module, kernel, context, at)?;
    let mut inner = sunk.write(module, kernel);
    let body = at
        .get_mut(&mut module.functions[kernel])
        .and_then(|stmt| match &mut stmt.kind {
            StmtKind::For { body, .. } => Some(body),
            _ => None,
        })
        .ok_or_else(Refusal::default)?;
    let mut own = body.stmts.iter().filter(|stmt| loops::count(stmt) == 1);
    let own = own.next().ok_or_else(Refusal::default)?;
    if let (StmtKind::For { hints, .. }, StmtKind::For { hints: asked, .. }) =
        (&mut inner.kind, &own.kind)
    {
        hints.clone_from(asked);
    }
    inner.span = own.span;
    *body = Block::of(vec![inner]);
    Ok(())
}

fn look(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<Sunk, Refusal> {
    let function = &module.functions[kernel];
    let stmt = at.get(function).ok_or_else(Refusal::default)?;
    let parts = Parts::of(stmt).ok_or_else(Refusal::default)?;
    let constants = Constants::new(module, function);
    let declares = match &parts.inner.kind {
        StmtKind::For { init, .. } => {
            matches!(init.as_slice(), [one] if matches!(one.kind, StmtKind::Decl { .. }))
        }
        _ => false,
    };
    let counting = counting(&constants, parts.inner)
        .filter(|count| count.trips > 0 && declares)
        .ok_or_else(|| refuse("its trip counts are not constants"))?;
    let aliases = Aliases::new(module, kernel, context.called);
    let summaries = context.summaries(module, kernel);
    let movable = Movable::new(&aliases, summaries, stmt);
    let Before {
        repeated,
        own: before,
        declared,
    } = movable.split(parts.before);
    let after = parts.after.iter().filter(|stmt| !stmt.is_comment());
    let after: Vec<Stmt> = after.cloned().collect();
    let leaves = |stmt: &Stmt| loops::leaves(stmt, true, true) || loops::returns(stmt);
    let beside = || before.iter().chain(&after);
    let others = [parts.body, &after].concat();
    let mut uses = others
        .iter()
        .flat_map(|stmt| stmt.local_uses(&function.exprs));
    let is_needed = uses.any(|(_, var)| declared.contains(&var));
    if is_needed {
        return Err(refuse(
            "what is declared beside the loop over lanes changes, or is made of what does",
        ));
    }
    if beside().any(leaves) {
        return Err(refuse("the loop over steps may end early"));
    }
    let sunk = Sunk {
        repeated,
        before,
        after,
        body: parts.body.to_vec(),
        counting,
    };
    match sunk.fits(module, function) {
        true => Ok(sunk),
        false => Err(refuse("its counter cannot count a lane more")),
    }
}

/// What stands before the inner loop.
#[derive(Default)]
struct Before {
    /// Declarations that each lane repeats.
    repeated: Vec<Stmt>,
    /// The rest.
    own: Vec<Stmt>,
    /// Variables that the rest declares: what others would need of them has no lane.
    declared: BTreeSet<VarId>,
}

/// Which declarations have the same value in each lane.
struct Movable<'a> {
    aliases: &'a Aliases<'a>,
    summaries: &'a Summaries,
    /// Of the nest.
    accesses: Accesses,
}

impl<'a> Movable<'a> {
    fn new(aliases: &'a Aliases<'a>, summaries: &'a Summaries, nest: &Stmt) -> Self {
        let StmtKind::For { body, .. } = &nest.kind else {
            return Movable {
                aliases,
                summaries,
                accesses: Accesses::default(),
            };
        };
        Movable {
            aliases,
            summaries,
            accesses: Accesses::of_stmts(aliases, summaries, &body.stmts),
        }
    }

    /// What each lane repeats, and what is left to the first.
    fn split(&self, stmts: &[Stmt]) -> Before {
        let mut split = Before::default();
        for stmt in stmts {
            if stmt.is_comment() {
                continue;
            }
            let uses = stmt.local_uses(&self.aliases.function.exprs);
            let is_of_all = uses.iter().all(|(_, var)| !split.declared.contains(var));
            if is_of_all && self.is_repeatable(stmt) {
                split.repeated.push(stmt.clone());
                continue;
            }
            if let StmtKind::Decl { var, .. } = stmt.kind {
                split.declared.insert(var);
            }
            split.own.push(stmt.clone());
        }
        split
    }

    fn is_repeatable(&self, stmt: &Stmt) -> bool {
        let StmtKind::Decl {
            var,
            init: Some(Init::Expr(init)),
        } = stmt.kind
        else {
            return false;
        };
        let own = VarRef::Local(var);
        let exprs = &self.aliases.function.exprs;
        let writes = || self.accesses.writes();
        let is_written = writes().any(|write| exprs.local_var(write.at) == Some(var));
        let read = Accesses::of_expr(self.aliases, self.summaries, init);
        let meets = |read| writes().any(|write| self.aliases.may_overlap(read, write));
        !self.aliases.is_exposed(own)
            && !is_written
            && !exprs.has_effects(init)
            && !read.list.iter().any(meets)
    }
}

impl Sunk {
    /// The first value of the counter, and the last one.
    fn ends(&self) -> [i128; 2] {
        let Counting {
            start, by, trips, ..
        } = self.counting;
        let last = start + by * (i128::from(trips) - 1);
        let before = if self.before.is_empty() { 0 } else { by };
        let after = if self.after.is_empty() { 0 } else { by };
        [start - before, last + after]
    }

    /// Whether the counter holds all values, and those that its loop compares with.
    fn fits(&self, module: &Module, function: &Function) -> bool {
        let ty = function.vars[self.counting.counter].ty.ty;
        let range = module.types.as_scalar(ty).and_then(integer_range);
        let [first, last] = self.ends();
        let end = last + self.counting.by;
        let is_small = |value: i128| i32::try_from(value).is_ok();
        range.is_some_and(|range| {
            let all = [first, last, end];
            all.iter()
                .all(|value| range.contains(value) && is_small(*value))
        })
    }

    /// The inner loop.
    fn write(self, module: &mut Module, kernel: FunctionId) -> Stmt {
        let [first, last] = self.ends();
        let Counting { counter, by, .. } = self.counting;
        let mut writer = Writer {
            module,
            kernel,
            counter,
        };
        let mut body = self.body;
        if !self.after.is_empty() {
            let cond = writer.compared(BinaryOp::Ne, last);
            body = vec![either(cond, body, self.after)];
        }
        if !self.before.is_empty() {
            let cond = writer.compared(BinaryOp::Eq, first);
            body = vec![either(cond, self.before, body)];
        }
        let all = [self.repeated, body].concat();
        let op = if by > 0 { BinaryOp::Lt } else { BinaryOp::Gt };
        let cond = writer.compared(op, last + by);
        let start = writer.int(first);
        let step = writer.step(by);
        Stmt::counting((counter, start), (cond, step), all)
    }
}

/// `if (cond) { then } else { otherwise }`
fn either(cond: ExprId, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    Stmt::new(StmtKind::If {
        cond,
        then: Block::of(then),
        otherwise: Some(Block::of(otherwise)),
    })
}

struct Writer<'m> {
    module: &'m mut Module,
    kernel: FunctionId,
    counter: VarId,
}

impl Writer<'_> {
    fn int(&mut self, value: i128) -> ExprId {
        let function = &mut self.module.functions[self.kernel];
        // It was found to fit.
        let value = i64::try_from(value).unwrap_or(0);
        let ty = function.vars[self.counter].ty.ty;
        let value = function.exprs.int(&mut self.module.types, value);
        function.exprs.converted(&self.module.types, value, ty)
    }

    fn compared(&mut self, op: BinaryOp, with: i128) -> ExprId {
        let with = self.int(with);
        let function = &mut self.module.functions[self.kernel];
        let counter = function.use_var(self.counter);
        function
            .exprs
            .binary(&mut self.module.types, op, counter, with)
    }

    fn step(&mut self, by: i128) -> ExprId {
        let by = self.int(by);
        let function = &mut self.module.functions[self.kernel];
        let counter = function.use_var(self.counter);
        function.exprs.assign(Some(BinaryOp::Add), counter, by)
    }
}
