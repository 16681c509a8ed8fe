//! Writing a nest as one loop over locations of its arrays.

use fpgacc_frontend::ir::{BinaryOp, Block, ExprId, LoopHints, Scalar, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::codegen::{At, Writer};
use super::slots::Window;
use super::steps::without_continue;
use super::walk::{Step, Walk};
use super::when::Interval;
use crate::around_loop::private_variable;
use crate::copy::redirect;

/// What an iteration does.
#[derive(Clone, Default)]
pub struct Parts {
    /// Moves the counters of the original on.
    pub counts: Vec<Stmt>,
    /// Moves each window on.
    pub shifts: Vec<Stmt>,
    /// Reads what enters each window.
    pub enters: Vec<Stmt>,
    /// The body of the original.
    pub rest: Vec<Stmt>,
}

impl Parts {
    fn in_order(self) -> Vec<Stmt> {
        let windows = self.shifts.into_iter().zip(self.enters);
        let windows = windows.flat_map(|(shift, enter)| [shift, enter]);
        self.counts
            .into_iter()
            .chain(windows)
            .chain(self.rest)
            .collect()
    }
}

impl Writer<'_> {
    /// Makes one loop of a nest.
    pub fn collapsed(
        &mut self,
        walk: &Walk,
        stmt: &mut Stmt,
        arrays: &[VarId],
        (first, last): Interval,
        before: &mut Vec<Stmt>,
    ) {
        let at = self.at(walk);
        let mut rest = Vec::new();
        let mut hints = take_body(stmt, walk.levels.len(), &mut rest);
        if let Some(guard) = walk.guard {
            rest = guard.removed(rest);
        }
        if walk.row.is_some() && walk.lanes == 1 {
            // Later stages come after it.
            rest = without_continue(std::mem::take(&mut rest)).unwrap_or_default();
        }
        let mut parts = Parts::default();
        self.count(walk, before, &mut parts.counts);
        for (window, &array) in walk.windows.iter().zip(arrays) {
            let kept = window.elements() - 1;
            parts.shifts.push(self.shift(kept, walk.lanes, array));
            parts
                .enters
                .push(self.enter(walk, window, array, at, first));
        }
        for (id, poly) in &walk.moving {
            let ty = self.function.exprs.ty(*id);
            let is_long = self
                .types
                .as_scalar(ty)
                .is_some_and(|scalar| scalar.size() > 4);
            let mut value = self.moving(walk, at, poly, is_long);
            let scalar = self.types.as_scalar(self.function.exprs.ty(value));
            if scalar != self.types.as_scalar(ty) {
                value = self.function.exprs.cast(ty, value);
            }
            let expr = self.function.exprs.get(value).clone();
            self.function.exprs.replace(*id, expr, ty);
        }
        for (window, &array) in walk.windows.iter().zip(arrays) {
            self.replace(walk, window, array, Some(at));
        }
        self.unroll_all(walk, &mut rest);
        parts.rest = self.lanes(walk, at, rest);
        let (body, last) = match &walk.row {
            Some(row) => {
                let location = (at, first, last);
                self.in_a_row((walk, row, arrays), location, parts, before, &mut hints)
            }
            None => (parts.in_order(), last),
        };
        let start = self.function.exprs.int(self.types, first as i64);
        stmt.kind = StmtKind::For {
            init: vec![Stmt::define(at.position, start)],
            cond: Some(self.compare(at.position, BinaryOp::Le, last)),
            step: Some(self.step(at.position, walk.lanes)),
            body: Block::of(body),
            hints,
        };
    }

    /// The variables that say where the loop is.
    fn at(&mut self, walk: &Walk) -> At {
        if let ([only], 1) = (&walk.levels[..], walk.lanes) {
            return At {
                position: only.counter,
                lane: None,
            };
        }
        let int = self.types.int();
        let name = self.names.fresh("at");
        let position = private_variable(self.function, name, int);
        let lane = (walk.lanes > 1).then(|| {
            let name = self.names.fresh("lane");
            private_variable(self.function, name, int)
        });
        At { position, lane }
    }

    /// Moves the counters of the original on, at the head of an iteration: what stands after it may be
    /// left out.
    fn count(&mut self, walk: &Walk, before: &mut Vec<Stmt>, body: &mut Vec<Stmt>) {
        if walk.levels.len() == 1 {
            return;
        }
        let innermost = walk.levels.len() - 1;
        let mut next: Vec<Stmt> = Vec::new();
        for (at, step) in walk.levels.iter().enumerate() {
            let by = if at == innermost { walk.lanes } else { 1 };
            let (begin, end) = step.range;
            // The first iteration moves the innermost on to its first value.
            let start = if at == innermost { begin - by } else { begin };
            let start = self.function.exprs.int(self.types, start as i64);
            before.push(Stmt::define(step.counter, start));
            let mut stmts = vec![Stmt::new(StmtKind::Expr(self.step(step.counter, by)))];
            if at > 0 {
                let begin = self.function.exprs.int(self.types, begin as i64);
                let mut over = vec![self.function.assign_var(step.counter, begin)];
                over.append(&mut next);
                let is_over = self.compare(step.counter, BinaryOp::Gt, end);
                stmts.push(self.only_if(vec![is_over], over));
            }
            next = stmts;
        }
        body.append(&mut next);
    }

    /// Reads the elements that enter a window.
    fn enter(&mut self, walk: &Walk, window: &Window, array: VarId, at: At, begin: i128) -> Stmt {
        let newest = window.hull.1;
        let (low, high) = (window.sure.0 - newest, window.sure.1 - newest);
        let (first, last) = walk.positions.unwrap_or_default();
        let lanes = walk.lanes;
        let bounds = [
            (first < low).then_some((BinaryOp::Ge, low)),
            (last > high && !faults::is_on("window-beyond")).then_some((BinaryOp::Le, high)),
        ];
        // Where an iteration reads all or nothing, one condition is enough.
        let is_even = (low - begin).rem_euclid(lanes) == 0 && (high + 1 - begin) % lanes == 0;
        let slot = window.elements() - 1;
        if lanes == 1 {
            let load = self.load(window, walk, array, (slot, at.position, None));
            let conds = self.conditions(at.position, None, &bounds);
            return self.only_if(conds, vec![load]);
        }
        let lane = self.counter();
        let load = self.load(window, walk, array, (slot, at.position, Some(lane)));
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        match is_even {
            true => outer = self.conditions(at.position, None, &bounds),
            false => inner = self.conditions(at.position, Some(lane), &bounds),
        }
        let load = self.only_if(inner, vec![load]);
        let all = self.unrolled(lane, lanes, vec![load]);
        self.only_if(outer, vec![all])
    }

    fn load(
        &mut self,
        window: &Window,
        walk: &Walk,
        array: VarId,
        (slot, position, lane): (i128, VarId, Option<VarId>),
    ) -> Stmt {
        let newest = window.rest.plus(&Poly::constant(window.hull.1), 1);
        let index = self.moving(walk, At { position, lane }, &newest, window.is_long);
        let base = self.function.use_var(window.array);
        let value = self.function.exprs.index(self.types, base, index);
        let slot = self.function.exprs.int(self.types, slot as i64);
        let slot = match lane {
            Some(lane) => self.after(slot, lane),
            None => slot,
        };
        let slot = self.indexed(array, slot);
        let load = self.function.exprs.assign(None, slot, value);
        Stmt::new(StmtKind::Expr(load))
    }

    pub fn conditions(
        &mut self,
        position: VarId,
        lane: Option<VarId>,
        bounds: &[Option<(BinaryOp, i128)>],
    ) -> Vec<ExprId> {
        let bounds = bounds.iter().flatten();
        bounds
            .map(|(op, bound)| {
                let mut position = self.function.use_var(position);
                if let Some(lane) = lane {
                    position = self.after(position, lane);
                }
                let exprs = &mut self.function.exprs;
                let bound = exprs.int(self.types, *bound as i64);
                exprs.binary(self.types, *op, position, bound)
            })
            .collect()
    }

    /// The body of the original where it ran, once for each location of an iteration.
    fn lanes(&mut self, walk: &Walk, at: At, mut rest: Vec<Stmt>) -> Vec<Stmt> {
        let innermost = &walk.levels[walk.levels.len() - 1];
        let Some(lane) = at.lane else {
            let conds = self.within(&walk.levels, None);
            if conds.is_empty() {
                return rest;
            }
            return vec![self.only_if(conds, rest)];
        };
        // In the body, the counter is that of the lane.
        let first = match walk.levels.len() {
            1 => at.position,
            _ => innermost.counter,
        };
        let ty = self.function.vars[innermost.counter].ty.ty;
        let name = self.function.vars[innermost.counter].name.clone();
        let name = self.names.fresh(&format!("{name}_lane"));
        let own = private_variable(self.function, name, ty);
        if walk.levels.len() == 1 {
            let sum = self.function.use_var(first);
            let sum = self.after(sum, lane);
            rest.insert(0, Stmt::define(innermost.counter, sum));
            let conds = self.within_locations(walk, at);
            let inner = self.only_if(conds, rest);
            return vec![self.unrolled(lane, walk.lanes, vec![inner])];
        }
        redirect(self.function, &rest, innermost.counter, own);
        let sum = self.function.use_var(first);
        let sum = self.after(sum, lane);
        let conds = self.within(&walk.levels, Some(own));
        let inner = match conds.is_empty() {
            true => rest,
            false => vec![self.only_if(conds, rest)],
        };
        let mut all = vec![Stmt::define(own, sum)];
        all.extend(inner);
        vec![self.unrolled(lane, walk.lanes, all)]
    }

    /// Where the body of the original runs; the innermost counter may have another name.
    fn within(&mut self, levels: &[Step], own: Option<VarId>) -> Vec<ExprId> {
        let mut conds = Vec::new();
        for (at, step) in levels.iter().enumerate() {
            let own = own.filter(|_| at + 1 == levels.len());
            let counter = own.unwrap_or(step.counter);
            for (op, bound) in [(BinaryOp::Ge, step.from), (BinaryOp::Le, step.to)] {
                if let Some(bound) = bound {
                    conds.push(self.compare(counter, op, bound));
                }
            }
        }
        conds
    }

    fn within_locations(&mut self, walk: &Walk, at: At) -> Vec<ExprId> {
        let step = &walk.levels[0];
        let bounds = [
            step.from.map(|bound| (BinaryOp::Ge, bound)),
            step.to.map(|bound| (BinaryOp::Le, bound)),
        ];
        self.conditions(at.position, at.lane, &bounds)
    }

    /// A sum of the counters of the nest, each times its stride, and of more.
    pub fn moving(&mut self, walk: &Walk, at: At, poly: &Poly, is_long: bool) -> ExprId {
        let (rest, constant) = poly.split_constant();
        let mut sum = self.function.use_var(at.position);
        if let Some(lane) = at.lane {
            sum = self.after(sum, lane);
        }
        let is_own = |sym: &Sym| walk.numbers.iter().any(|at| *sym == Sym::Iter(*at));
        let others = rest
            .terms()
            .filter(|(symbols, _)| !symbols.iter().any(is_own));
        // Locations are small: only with more they may be no `int`.
        for (symbols, factor) in others {
            sum = self.wide(sum, is_long);
            let term = self.product(walk, symbols, factor.abs(), is_long);
            let op = if factor < 0 {
                BinaryOp::Sub
            } else {
                BinaryOp::Add
            };
            sum = self.function.exprs.binary(self.types, op, sum, term);
        }
        self.plus(sum, constant)
    }

    fn product(&mut self, walk: &Walk, symbols: &[Sym], factor: i128, is_long: bool) -> ExprId {
        let mut product = None;
        for symbol in symbols {
            let value = match symbol {
                Sym::Iter(at) => self.function.use_var(walk.counters[*at]),
                Sym::Opaque(at) => self.function.exprs.duplicate(walk.meanings[*at]),
                _ => self.function.exprs.int(self.types, 1),
            };
            let value = self.wide(value, is_long);
            let exprs = &mut self.function.exprs;
            product = Some(match product {
                None => value,
                Some(product) => exprs.binary(self.types, BinaryOp::Mul, product, value),
            });
        }
        let exprs = &mut self.function.exprs;
        let scale = exprs.int(self.types, factor as i64);
        match product {
            None => scale,
            Some(product) if factor == 1 => product,
            Some(product) => exprs.binary(self.types, BinaryOp::Mul, scale, product),
        }
    }

    /// A value as `long`, if that is asked for.
    fn wide(&mut self, value: ExprId, is_long: bool) -> ExprId {
        let long = self.types.scalar(Scalar::Long);
        let exprs = &mut self.function.exprs;
        match is_long && self.types.as_scalar(exprs.ty(value)) != self.types.as_scalar(long) {
            true => exprs.cast(long, value),
            false => value,
        }
    }
}

/// Takes the body of the innermost loop, after what those around it declare; what is said of all loops.
fn take_body(stmt: &mut Stmt, levels: usize, out: &mut Vec<Stmt>) -> LoopHints {
    let StmtKind::For { body, hints, .. } = &mut stmt.kind else {
        return LoopHints::default();
    };
    let mut common = std::mem::take(hints);
    common.attrs.clear();
    take_list(&mut body.stmts, levels, out, &mut common);
    common
}

fn take_list(stmts: &mut Vec<Stmt>, levels: usize, out: &mut Vec<Stmt>, common: &mut LoopHints) {
    if levels == 1 {
        out.append(stmts);
        return;
    }
    for mut stmt in std::mem::take(stmts) {
        if loops::hints(&stmt).is_some() {
            let inner = take_body(&mut stmt, levels - 1, out);
            common
                .pragmas
                .retain(|pragma| inner.pragmas.contains(pragma));
        } else if let StmtKind::Block(block) = &mut stmt.kind {
            take_list(&mut block.stmts, levels, out, common);
        } else if matches!(stmt.kind, StmtKind::Decl { .. }) {
            out.push(stmt);
        }
    }
}
