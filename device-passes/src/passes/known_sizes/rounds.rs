//! Loops that walk through a row by the size of the launch, and that each work-item runs equally often.
//!
//! `while (i < n) { .. i += get_global_size(0); }` runs `n` over the size times for all where that divides. With
//! a counter of rounds, `i` is `first + round * size`: the trip count is a constant, and the addresses of
//! neighbours are as far apart in each round.

use fpgacc_frontend::ir::{
    BinaryOp, Block, Expr, ExprId, Exprs, FileNames, Function, FunctionId, Init, Module, Scalar,
    Stmt, StmtKind, Types, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::id_range::{Ranges, Relied};
use fpgacc_kernel_analysis::interval::Interval;
use fpgacc_kernel_analysis::loops;

use crate::copy::redirect;

/// Rounds are counted in an `int`.
const MOST_ROUNDS: i128 = i32::MAX as i128;

/// A loop over a row, and how often it runs.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Its condition: which loop it is.
    pub cond: ExprId,
    /// How often it runs.
    pub trips: i128,
    counter: VarId,
    by: i128,
}

/// A loop that changes its counter once, at the end of each iteration.
struct Shape<'s> {
    cond: ExprId,
    step: ExprId,
    /// What runs before the step.
    body: &'s [Stmt],
    /// Where the loop sets the counter first; `None`: it is declared before.
    init: Option<&'s Stmt>,
}

fn shape(stmt: &Stmt) -> Option<Shape<'_>> {
    match &stmt.kind {
        StmtKind::For {
            init,
            cond: Some(cond),
            step: Some(step),
            body,
            ..
        } if init.len() <= 1 => Some(Shape {
            cond: *cond,
            step: *step,
            body: &body.stmts,
            init: init.first(),
        }),
        StmtKind::While { cond, body, .. } => {
            let (last, body) = body.stmts.split_last()?;
            let StmtKind::Expr(step) = last.kind else {
                return None;
            };
            Some(Shape {
                cond: *cond,
                step,
                body,
                init: None,
            })
        }
        _ => None,
    }
}

/// What a statement sets a variable to.
fn set(function: &Function, stmt: &Stmt) -> Option<(VarId, ExprId)> {
    match &stmt.kind {
        StmtKind::Decl {
            var,
            init: Some(Init::Expr(first)),
        } => Some((*var, *first)),
        StmtKind::Expr(expr) => match function.exprs.get(*expr) {
            Expr::Assign { op: None, lhs, rhs } => Some((function.exprs.local_var(*lhs)?, *rhs)),
            _ => None,
        },
        _ => None,
    }
}

/// The rounds of a loop, which stands after these statements of its list.
pub fn rounds(
    ranges: &Ranges<'_>,
    stmt: &Stmt,
    before: &[Stmt],
    relied: &mut Relied,
) -> Option<Rounds> {
    let Ranges {
        function,
        constants,
        ..
    } = ranges;
    let exprs = &function.exprs;
    let shape = shape(stmt)?;
    let (counter, step) = added_to(exprs, shape.step)?;
    let sets = |stmt: &&Stmt| set(function, stmt).is_some_and(|(var, _)| var == counter);
    let start = match shape.init {
        Some(init) => Some(init),
        None => before.iter().rev().find(sets),
    };
    let (found, first) = set(function, start?)?;
    let at = before
        .iter()
        .position(|stmt| std::ptr::eq(stmt, start.unwrap_or(stmt)));
    let between = match shape.init {
        Some(_) => &[],
        None => &before[at? + 1..],
    };
    let is_left = |stmt: &Stmt| loops::leaves(stmt, true, true);
    let stays = |stmts: &[Stmt]| constants.stays_in(counter, stmts);
    if found != counter
        || !stays(between)
        || !stays(shape.body)
        || shape.body.iter().any(is_left)
        || exprs.has_effects(shape.cond)
        || !is_compared(ranges, shape.cond, counter)
    {
        return None;
    }
    let mut own = Relied::new();
    let first = ranges.interval(first, None, &mut own)?;
    let by = ranges.interval(step, None, &mut own)?;
    let by = (by.low == by.high && by.low > 0).then_some(by.low)?;
    let at = |round: i128| first.plus(Interval::of(by.checked_mul(round)?));
    let mut runs = |round: i128| {
        let known = Some((counter, at(round).filter(|at| ranges.holds(counter, *at))?));
        ranges.decide(shape.cond, known, &mut own)
    };
    let trips = last_that(&mut |round| runs(round) == Some(true))? + 1;
    if runs(trips) != Some(false) || trips < 2 || own.is_empty() || !first.is_natural() {
        return None;
    }
    relied.extend(own);
    Some(Rounds {
        cond: shape.cond,
        trips,
        counter,
        by,
    })
}

/// Whether a condition compares a variable with something else: it holds up to some round.
fn is_compared(ranges: &Ranges<'_>, cond: ExprId, counter: VarId) -> bool {
    let exprs = &ranges.function.exprs;
    let Expr::Binary { op, lhs, rhs } = exprs.get(cond) else {
        return false;
    };
    let (of, to) = match op {
        BinaryOp::Lt | BinaryOp::Le => (*lhs, *rhs),
        BinaryOp::Gt | BinaryOp::Ge => (*rhs, *lhs),
        _ => return false,
    };
    let is_size = [lhs, rhs].iter().all(|side| {
        let scalar = ranges.module.types.as_scalar(exprs.ty(**side));
        scalar.is_some_and(|scalar| !scalar.is_float() && scalar.size() >= 4)
    });
    let counter = VarRef::Local(counter);
    let is_counter =
        matches!(exprs.get(through_casts(ranges, of)), Expr::Var(var) if *var == counter);
    is_size && is_counter && !exprs.uses(to, counter)
}

fn through_casts(ranges: &Ranges<'_>, mut id: ExprId) -> ExprId {
    while let Expr::Cast { operand, .. } = ranges.function.exprs.get(id) {
        id = *operand;
    }
    id
}

/// The last number for which something holds that holds up to a number.
fn last_that(holds: &mut dyn FnMut(i128) -> bool) -> Option<i128> {
    if !holds(0) {
        return None;
    }
    let mut beyond = 1;
    while holds(beyond) {
        beyond *= 2;
        if beyond > MOST_ROUNDS {
            return None;
        }
    }
    let mut last = beyond / 2;
    while last + 1 < beyond {
        let middle = last.midpoint(beyond);
        match holds(middle) {
            true => last = middle,
            false => beyond = middle,
        }
    }
    Some(last)
}

/// Makes loops count their rounds.
pub fn apply(module: &mut Module, kernel: FunctionId, names: &FileNames, all: &[Rounds]) {
    let Module {
        functions, types, ..
    } = module;
    let function = &mut functions[kernel];
    let Some(mut body) = function.body.take() else {
        return;
    };
    for rounds in all {
        // What else uses the counter needs its last value.
        let is_of_loop = |stmt: &Stmt| shape(stmt).is_some_and(|shape| shape.cond == rounds.cond);
        let mut writer = Writer {
            uses: uses_outside(function, &body.stmts, rounds, &is_of_loop),
            types,
            function,
            names,
            rounds,
        };
        writer.list(&mut body.stmts);
    }
    function.body = Some(body);
}

/// Whether anything but a loop reads its counter.
fn uses_outside(
    function: &Function,
    stmts: &[Stmt],
    rounds: &Rounds,
    is_of_loop: &dyn Fn(&Stmt) -> bool,
) -> bool {
    stmts.iter().any(|stmt| {
        if is_of_loop(stmt) {
            return false;
        }
        let reads = |id: &ExprId| function.exprs.uses(*id, VarRef::Local(rounds.counter));
        stmt.exprs().iter().any(reads)
            || stmt
                .lists()
                .iter()
                .any(|list| uses_outside(function, list, rounds, is_of_loop))
    })
}

struct Writer<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    names: &'a FileNames,
    rounds: &'a Rounds,
    /// Something else reads the counter.
    uses: bool,
}

impl Writer<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        let at = stmts.iter().position(|stmt| {
            let shape = shape(stmt);
            shape.is_some_and(|shape| shape.cond == self.rounds.cond)
        });
        let Some(at) = at else {
            let inner = stmts.iter_mut().flat_map(Stmt::lists_mut);
            return inner.for_each(|list| self.list(list));
        };
        let stmt = stmts.remove(at);
        let made = self.counted(stmt);
        stmts.splice(at..at, made);
    }

    /// A loop with a counter of rounds.
    fn counted(&mut self, stmt: Stmt) -> Vec<Stmt> {
        let span = stmt.span;
        let (init, mut body, hints) = match stmt.kind {
            StmtKind::For {
                init, body, hints, ..
            } => (init, body, hints),
            StmtKind::While {
                mut body, hints, ..
            } => {
                body.stmts.pop();
                (Vec::new(), body, hints)
            }
            _ => return vec![stmt],
        };
        let Rounds {
            counter, by, trips, ..
        } = *self.rounds;
        let name = self.function.vars[counter].name.clone();
        let ty = self.function.vars[counter].ty.ty;
        let is_own = matches!(
            init.first().map(|stmt| &stmt.kind),
            Some(StmtKind::Decl { .. })
        );
        let (mut out, mut first) = (init, counter);
        if !is_own && let Some(stmt) = out.pop() {
            // The counter itself changes after the loop: `first` stays.
            let value = set(self.function, &stmt).map(|(_, value)| value);
            first = self
                .function
                .add_var(&format!("{name}_first"), ty, self.names);
            out.extend(value.map(|value| Stmt::define(first, value)));
        }
        let int = self.types.scalar(Scalar::Int);
        let round = self.function.add_var("turn", int, self.names);
        let current = self
            .function
            .add_var(&format!("{name}_now"), ty, self.names);
        let trips = match faults::is_on("known-trip-lost") {
            true => trips - 1,
            false => trips,
        };
        redirect(self.function, &body.stmts, self.rounds.counter, current);
        let number = self.function.use_var(round);
        let value = self.value(first, number, by);
        body.stmts.insert(0, Stmt::define(current, value));
        let zero = self.int(0);
        let (number, end) = (self.function.use_var(round), self.int(trips));
        let cond = self.binary(BinaryOp::Lt, number, end);
        let (number, one) = (self.function.use_var(round), self.int(1));
        let step = self.function.exprs.assign(Some(BinaryOp::Add), number, one);
        let kind = StmtKind::For {
            init: vec![Stmt::define(round, zero)],
            cond: Some(cond),
            step: Some(step),
            body,
            hints,
        };
        out.push(Stmt::at(kind, span));
        if !is_own && self.uses {
            let end = self.int(trips);
            let last = self.value(first, end, by);
            out.push(self.function.assign_var(counter, last));
        }
        match is_own {
            true => vec![Stmt::at(StmtKind::Block(Block::of(out)), span)],
            false => out,
        }
    }

    /// `first + round * by`, in the counter's type.
    fn value(&mut self, first: VarId, round: ExprId, by: i128) -> ExprId {
        let ty = self.function.vars[first].ty.ty;
        let round = match self.function.exprs.ty(round) == ty {
            true => round,
            false => self.function.exprs.cast(ty, round),
        };
        let by = self.int(by);
        let far = self.binary(BinaryOp::Mul, round, by);
        let first = self.function.use_var(first);
        self.binary(BinaryOp::Add, first, far)
    }

    fn int(&mut self, value: i128) -> ExprId {
        self.function.exprs.int(self.types, value as i64)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.exprs.binary(self.types, op, lhs, rhs)
    }
}

/// What an expression adds to a variable: `i += by`, `i = i + by`.
pub fn added_to(exprs: &Exprs, step: ExprId) -> Option<(VarId, ExprId)> {
    let Expr::Assign { op, lhs, rhs } = exprs.get(step) else {
        return None;
    };
    let var = exprs.local_var(*lhs)?;
    match (op, exprs.get(*rhs)) {
        (Some(BinaryOp::Add), _) => Some((var, *rhs)),
        (
            None,
            Expr::Binary {
                op: BinaryOp::Add,
                lhs,
                rhs,
            },
        ) if exprs.local_var(*lhs) == Some(var) => Some((var, *rhs)),
        _ => None,
    }
}
