//! Writing a wave: one loop over steps, its lanes unrolled, and registers between steps.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, FileNames, Function, FunctionId, Module, QualType, Stmt, StmtKind,
    Type, TypeId, Types, VarId,
};
use fpgacc_kernel_analysis::faults;

use super::Found;
use super::phase::{Phase, counters};
use super::space::{Affine, Vector};
use super::wave::{Read, Wave};
use crate::around_loop::private_variable;
use crate::pass::Context;
use crate::position::list_mut;

/// Puts a wave in the place of its loops.
pub fn write(module: &mut Module, kernel: FunctionId, context: &Context<'_>, found: Found) {
    let Some(first) = found.phases.first() else {
        return;
    };
    if names_meet(&module.functions[kernel], first) {
        module.functions[kernel].make_names_unique(context.names);
    }
    let element = element(&module.types, &module.functions[kernel], first);
    let mut writer = Writer {
        function: &mut module.functions[kernel],
        types: &mut module.types,
        taken: context.names,
        wave: &found.wave,
        array: first.array,
        element,
    };
    let stmts = writer.all(first);
    if let Some(list) = list_mut(&mut module.functions[kernel], &found.path) {
        list.splice(found.at, stmts);
    }
}

/// Asks for whole rows at once, before any wave is written: that moves what comes after it.
pub fn widen(function: &mut Function, all: &[Found]) {
    for found in all {
        let Some(list) = list_mut(function, &found.path) else {
            continue;
        };
        for at in &found.rows {
            if let StmtKind::For { body, .. } = &mut list[*at].kind {
                unroll(&mut body.stmts);
            }
        }
    }
}

/// Unrolls the loop in a list.
fn unroll(stmts: &mut [Stmt]) {
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::For { hints, .. } => hints.pragmas = vec!["unroll".to_string()],
            StmtKind::Block(block) => unroll(&mut block.stmts),
            _ => {}
        }
    }
}

/// Whether variables that stood in blocks of their own would have the name of another.
fn names_meet(function: &Function, first: &Phase) -> bool {
    let counters = first.counts.iter().map(|count| count.counter);
    let declared = first.body.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Decl { var, .. } => Some(var),
        _ => None,
    });
    let mut seen = BTreeSet::new();
    let mut names = counters
        .chain(declared)
        .map(|var| function.vars[var].name.as_str());
    names.any(|name| !seen.insert(name))
}

/// The type of the elements.
fn element(types: &Types, function: &Function, phase: &Phase) -> TypeId {
    let mut ty = function.vars[phase.array].ty.ty;
    while let Some((inner, _)) = types.as_array(ty) {
        ty = inner.ty;
    }
    ty
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    taken: &'a FileNames,
    wave: &'a Wave,
    array: VarId,
    element: TypeId,
}

impl Writer<'_> {
    fn all(&mut self, first: &Phase) -> Vec<Stmt> {
        let step = self.counter("step");
        let oldest = self.wave.reads.iter().filter_map(|read| read.from);
        let oldest = oldest.map(|from| -from.time).max().unwrap_or(1);
        // By age: what is stored in this step, in the one before it, and so on.
        let kept: Vec<VarId> = (0..=oldest).map(|age| self.registers(age)).collect();
        let mut out: Vec<Stmt> = kept[1..].iter().map(|var| Stmt::declare(*var)).collect();
        out.push(self.over_lanes(|own, lane| {
            let cleared = kept[1..].iter();
            cleared.map(|var| own.cleared(*var, lane)).collect()
        }));
        let mut body = vec![Stmt::declare(kept[0])];
        body.push(self.over_lanes(|own, lane| own.lane(first, (step, lane), &kept)));
        body.push(self.over_lanes(|own, lane| {
            let oldest_first = (1..kept.len()).rev();
            let copied = oldest_first.map(|age| own.copied(kept[age], kept[age - 1], lane));
            copied.collect()
        }));
        let bound = self.int(self.wave.times);
        let steps = self.function.count_to(self.types, step, bound, body);
        // What is read of memory was there before: no step stores it.
        let reads_memory = self
            .wave
            .reads
            .iter()
            .any(|read| read.from.is_none() || !read.there.is_empty());
        out.push(match reads_memory {
            true => {
                let array = &self.function.vars[self.array].name;
                let pragma = format!("ivdep array({array})");
                steps.under(&pragma)
            }
            false => steps,
        });
        out
    }

    /// What a lane does in a step.
    fn lane(&mut self, first: &Phase, (step, lane): (VarId, VarId), kept: &[VarId]) -> Vec<Stmt> {
        for read in &self.wave.reads {
            self.read(read, (step, lane), kept);
        }
        let iterations = [self.wave.iteration, Affine::LANE];
        let values = counters(&first.counts, iterations);
        let counters = first.counts.iter().zip(values).map(|(count, value)| {
            let value = self.sum(value, (step, lane));
            Stmt::define(count.counter, value)
        });
        let mut inside: Vec<Stmt> = counters.collect();
        inside.extend(first.body.iter().cloned());
        self.store(first, (lane, kept[0]), &mut inside);
        let inside = match self.all_of(&self.wave.guards.clone(), (step, lane)) {
            Some(guard) => vec![Stmt::only_if(guard, inside)],
            None => inside,
        };
        let mut out = vec![self.cleared(kept[0], lane)];
        out.extend(inside);
        out
    }

    /// Reads registers in place of memory, where they have it.
    fn read(&mut self, read: &Read, (step, lane): (VarId, VarId), kept: &[VarId]) {
        let Some(mut from) = read.from else {
            return;
        };
        if faults::is_on("wavefront-late") && kept.len() as i128 > 1 - from.time {
            from.time -= 1;
        }
        let at = self.sum(
            Affine::LANE.moved(Vector {
                time: 0,
                lane: from.lane,
            }),
            (step, lane),
        );
        let age = usize::try_from(-from.time).unwrap_or(0);
        let base = self.function.use_var(kept[age]);
        let register = self.function.exprs.index(self.types, base, at);
        let there = match faults::is_on("wavefront-border-lost") {
            true => None,
            false => self.all_of(&read.there, (step, lane)),
        };
        let value = match there {
            None => register,
            Some(cond) => {
                let memory = self.function.exprs.duplicate(read.expr);
                let choice = Expr::Cond {
                    cond,
                    then: register,
                    otherwise: memory,
                };
                // Narrow integers become `int` there.
                let ty = self.types.binary(BinaryOp::Add, self.element, self.element);
                let choice = self.function.exprs.add(choice, ty, None);
                self.function
                    .exprs
                    .converted(self.types, choice, self.element)
            }
        };
        self.function.exprs.replace_by(read.expr, value);
    }

    /// Keeps what a lane stores.
    fn store(&mut self, first: &Phase, (lane, kept): (VarId, VarId), inside: &mut Vec<Stmt>) {
        let Expr::Assign { lhs, rhs, .. } = *self.function.exprs.get(first.store) else {
            return;
        };
        let name = self.fresh("new");
        let new = private_variable(self.function, name, self.element);
        let value = self.function.use_var(new);
        let store = self.function.exprs.assign(None, lhs, value);
        let register = self.register(kept, lane);
        let value = self.function.use_var(new);
        let keep = self.function.exprs.assign(None, register, value);
        let span = inside.pop().and_then(|stmt| stmt.span);
        inside.push(Stmt::define(new, rhs));
        inside.push(Stmt::at(StmtKind::Expr(store), span));
        inside.push(Stmt::new(StmtKind::Expr(keep)));
    }

    /// A loop over all lanes, unrolled.
    fn over_lanes(&mut self, body: impl FnOnce(&mut Self, VarId) -> Vec<Stmt>) -> Stmt {
        let lane = self.counter("lane");
        let body = body(self, lane);
        let bound = self.int(self.wave.lanes);
        self.function
            .count_to(self.types, lane, bound, body)
            .under("unroll")
    }

    fn cleared(&mut self, registers: VarId, lane: VarId) -> Stmt {
        let register = self.register(registers, lane);
        let zero = self.int(0);
        let zero = self
            .function
            .exprs
            .converted(self.types, zero, self.element);
        let clear = self.function.exprs.assign(None, register, zero);
        Stmt::new(StmtKind::Expr(clear))
    }

    fn copied(&mut self, to: VarId, from: VarId, lane: VarId) -> Stmt {
        let (to, from) = (self.register(to, lane), self.register(from, lane));
        let copy = self.function.exprs.assign(None, to, from);
        Stmt::new(StmtKind::Expr(copy))
    }

    fn register(&mut self, registers: VarId, lane: VarId) -> ExprId {
        let (base, lane) = (
            self.function.use_var(registers),
            self.function.use_var(lane),
        );
        self.function.exprs.index(self.types, base, lane)
    }

    /// A register for each lane.
    fn registers(&mut self, age: i128) -> VarId {
        let element = QualType::plain(self.element);
        let len = u64::try_from(self.wave.lanes).ok();
        let ty = self.types.intern(Type::Array { element, len });
        let name = match age {
            0 => self.fresh("now"),
            age => self.fresh(&format!("before_{age}")),
        };
        private_variable(self.function, name, ty)
    }

    fn counter(&mut self, name: &str) -> VarId {
        let name = self.function.fresh_name(name, self.taken);
        let ty = self.types.int();
        private_variable(self.function, name, ty)
    }

    fn fresh(&mut self, what: &str) -> String {
        let hint = format!("{}_{what}", self.function.vars[self.array].name);
        self.function.fresh_name(&hint, self.taken)
    }

    fn int(&mut self, value: i128) -> ExprId {
        self.function.exprs.int(self.types, value as i64)
    }

    /// All inequalities as a condition; `None`: there are none.
    fn all_of(&mut self, all: &[Affine], at: (VarId, VarId)) -> Option<ExprId> {
        let mut conds = Vec::new();
        for one in all {
            conds.push(self.holds(*one, at));
        }
        let both = |x, y| self.function.exprs.binary(self.types, BinaryOp::And, x, y);
        conds.into_iter().reduce(both)
    }

    /// An inequality, with no minus in it.
    fn holds(&mut self, one: Affine, at: (VarId, VarId)) -> ExprId {
        let part = |sign: i128| Affine {
            time: (sign * one.time).max(0),
            lane: (sign * one.lane).max(0),
            constant: (sign * one.constant).max(0),
        };
        let more = self.sum(part(1), at);
        let less = self.sum(part(-1), at);
        self.function
            .exprs
            .binary(self.types, BinaryOp::Ge, more, less)
    }

    /// A sum of multiples of step and lane.
    fn sum(&mut self, sum: Affine, (step, lane): (VarId, VarId)) -> ExprId {
        let mut out = None;
        let terms = [
            (sum.time, Some(step)),
            (sum.lane, Some(lane)),
            (sum.constant, None),
        ];
        // What is added goes first.
        let (more, less): (Vec<_>, Vec<_>) = terms
            .into_iter()
            .filter(|(by, _)| *by != 0)
            .partition(|(by, _)| *by > 0);
        for (by, var) in more.into_iter().chain(less) {
            let size = match var {
                None => self.int(by.abs()),
                Some(var) => {
                    let value = self.function.use_var(var);
                    self.times(by.abs(), value)
                }
            };
            let (left, op) = match (out, by > 0) {
                (None, true) => {
                    out = Some(size);
                    continue;
                }
                (None, false) => (self.int(0), BinaryOp::Sub),
                (Some(left), true) => (left, BinaryOp::Add),
                (Some(left), false) => (left, BinaryOp::Sub),
            };
            out = Some(self.function.exprs.binary(self.types, op, left, size));
        }
        out.unwrap_or_else(|| self.int(0))
    }

    fn times(&mut self, by: i128, value: ExprId) -> ExprId {
        if by == 1 {
            return value;
        }
        let by = self.int(by);
        self.function
            .exprs
            .binary(self.types, BinaryOp::Mul, value, by)
    }
}
