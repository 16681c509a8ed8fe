//! Writing windows.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Block, Expr, ExprId, Function, FunctionId, Init, Module, QualType, Scalar, Stmt,
    StmtKind, Type, TypeId, Types, VarId,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::Around;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::variables::declared;

use super::address::{Address, Cond};
use super::nests::counter_of;
use super::plan::Planned;
use super::slots::{Tap, Window};
use super::walk::{Step, Walk};
use crate::around_loop::{self, Names, Plan, Rewrite, private_variable};

/// Gives a nest its windows.
pub fn apply(module: &mut Module, id: FunctionId, planned: &Planned) {
    let mut plan: Plan<Walk> = Plan::default();
    let around = Around {
        hoist_init: false,
        guard: planned.walk.may_be_empty,
    };
    plan.keep(planned.root, [planned.walk.clone()], around);
    around_loop::apply(module, id, &plan, |function, types, mut names| Writer {
        counter: names.fresh("j"),
        fixed: fixed(function),
        types,
        function,
        names,
    });
}

/// The values with which variables are declared. Only those of variables that nothing else writes are
/// looked up.
fn fixed(function: &Function) -> BTreeMap<VarId, ExprId> {
    let mut fixed = BTreeMap::new();
    if let Some(body) = &function.body {
        body.for_each_stmt(&mut |stmt| {
            if let StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } = stmt.kind
            {
                fixed.insert(var, value);
            }
        });
    }
    fixed
}

/// Where a nest is that became one loop.
#[derive(Clone, Copy)]
pub struct At {
    /// The first location of an iteration.
    pub position: VarId,
    /// The location after that, if there are several.
    pub lane: Option<VarId>,
}

/// Writes windows.
pub struct Writer<'a> {
    /// The module's types.
    pub types: &'a mut Types,
    /// The function.
    pub function: &'a mut Function,
    /// Names that are free.
    pub names: Names,
    /// The name of the counters of all loops that are made; their scopes are apart.
    counter: String,
    fixed: BTreeMap<VarId, ExprId>,
}

/// What the variables of an index are replaced by.
struct Substitution<'s> {
    /// Counters, by expressions.
    counters: BTreeMap<VarId, ExprId>,
    /// Counters of loops in the body, by their values.
    copies: &'s BTreeMap<VarId, i128>,
    /// Variables that stand for what they are declared with.
    inner: &'s BTreeSet<VarId>,
}

impl Rewrite for Writer<'_> {
    type Kept = Walk;

    const NESTED: bool = false;

    fn function(&mut self) -> &mut Function {
        self.function
    }

    fn rewrite(&mut self, stmt: &mut Stmt, walks: &[Walk]) -> [Vec<Stmt>; 2] {
        let mut before = Vec::new();
        for walk in walks {
            let arrays = walk.windows.iter().map(|w| self.array(walk, w));
            let arrays: Vec<VarId> = arrays.collect();
            for (window, &array) in walk.windows.iter().zip(&arrays) {
                match walk.positions.is_none() && is_filled(walk, window) {
                    true => before.push(Stmt::declare(array)),
                    false => self.declare(array, &mut before),
                }
            }
            match walk.positions {
                None => self.primed(walk, stmt, &arrays, &mut before),
                Some(positions) => self.collapsed(walk, stmt, &arrays, positions, &mut before),
            }
        }
        [before, Vec::new()]
    }
}

impl Writer<'_> {
    fn array(&mut self, walk: &Walk, window: &Window) -> VarId {
        let ty = self.types.intern(Type::Array {
            element: QualType::plain(window.element),
            len: Some((window.elements() + walk.lanes - 1) as u64),
        });
        let array = &self.function.vars[window.array].name;
        let name = self.names.fresh(&format!("{array}_window"));
        private_variable(self.function, name, ty)
    }

    /// A loop that stays; what its first iteration finds in windows is read before it.
    fn primed(&mut self, walk: &Walk, stmt: &mut Stmt, arrays: &[VarId], before: &mut Vec<Stmt>) {
        let step = &walk.levels[0];
        let mut inner = declared(std::slice::from_ref(stmt));
        inner.remove(&step.counter);
        let mut head = Vec::new();
        for (window, &array) in walk.windows.iter().zip(arrays) {
            self.prime(walk, window, array, &inner, before);
            head.push(self.shift(window.elements() - 1, 1, array));
            let value = self.element(window, window.hull.1, BTreeMap::new(), &inner);
            let slot = self.slot(array, window.elements() - 1);
            let load = self.function.exprs.assign(None, slot, value);
            let load = Stmt::new(StmtKind::Expr(load));
            let conds = self.is_read(walk, window, step.counter);
            head.push(self.only_if(conds, vec![load]));
        }
        for (window, &array) in walk.windows.iter().zip(arrays) {
            self.replace(walk, window, array, None);
        }
        if let StmtKind::For { body, .. } = &mut stmt.kind {
            self.unroll_all(walk, &mut body.stmts);
            body.stmts.splice(0..0, head);
        }
    }

    /// Whether an iteration may look at the newest element: the original reads it, or elements on both
    /// sides of it.
    fn is_read(&mut self, walk: &Walk, window: &Window, counter: VarId) -> Vec<ExprId> {
        let mut conds = Vec::new();
        let Some((first, last)) = walk.span else {
            return conds;
        };
        let newest = window.hull.1;
        if first + newest < window.sure.0 {
            conds.push(self.compare(counter, BinaryOp::Ge, window.sure.0 - newest));
        }
        if last + newest > window.sure.1 && !faults::is_on("window-beyond") {
            conds.push(self.compare(counter, BinaryOp::Le, window.sure.1 - newest));
        }
        conds
    }

    /// A comparison of a variable with a constant.
    pub fn compare(&mut self, counter: VarId, op: BinaryOp, bound: i128) -> ExprId {
        let counter = self.function.use_var(counter);
        let exprs = &mut self.function.exprs;
        let bound = exprs.int(self.types, bound as i64);
        exprs.binary(self.types, op, counter, bound)
    }

    /// Reads what the first iteration finds in the window.
    fn prime(
        &mut self,
        walk: &Walk,
        window: &Window,
        array: VarId,
        inner: &BTreeSet<VarId>,
        out: &mut Vec<Stmt>,
    ) {
        let step = &walk.levels[0];
        for offset in window.hull.0..window.hull.1 {
            if !is_there(walk, window, offset) {
                continue;
            }
            let start = self.start(step);
            let value = self.element(window, offset, [(step.counter, start)].into(), inner);
            let slot = self.slot(array, offset - window.hull.0 + 1);
            let store = self.function.exprs.assign(None, slot, value);
            out.push(Stmt::new(StmtKind::Expr(store)));
        }
    }

    /// The first value of a counter, of its type.
    fn start(&mut self, step: &Step) -> ExprId {
        let ty = self.function.vars[step.counter].ty.ty;
        let exprs = &mut self.function.exprs;
        let start = exprs.duplicate(step.start);
        match self.types.as_scalar(exprs.ty(start)) == self.types.as_scalar(ty) {
            true => start,
            false => exprs.cast(ty, start),
        }
    }

    /// Reads the element of the array at a distance.
    fn element(
        &mut self,
        window: &Window,
        offset: i128,
        counters: BTreeMap<VarId, ExprId>,
        inner: &BTreeSet<VarId>,
    ) -> ExprId {
        let tap = nearest(&window.taps, offset);
        let substitution = Substitution {
            counters,
            copies: &tap.copies,
            inner,
        };
        let index = self.substituted(tap.index, &substitution);
        let index = self.plus(index, offset - tap.offset);
        let base = self.function.use_var(window.array);
        self.function.exprs.index(self.types, base, index)
    }

    /// An index plus a constant.
    pub fn plus(&mut self, index: ExprId, constant: i128) -> ExprId {
        let (index, constant) = match self.sum(index) {
            Some((rest, known)) => (rest, known + constant),
            None => (Some(index), constant),
        };
        let Some(index) = index else {
            return self.function.exprs.int(self.types, constant as i64);
        };
        let (op, size) = match constant {
            0 => return index,
            1.. => (BinaryOp::Add, constant),
            _ => (BinaryOp::Sub, -constant),
        };
        let exprs = &mut self.function.exprs;
        let size = exprs.int(self.types, size as i64);
        exprs.binary(self.types, op, index, size)
    }

    /// An `int` as something plus a constant.
    fn sum(&self, id: ExprId) -> Option<(Option<ExprId>, i128)> {
        let exprs = &self.function.exprs;
        let is_int = |id| self.types.as_scalar(exprs.ty(id)) == Some(Scalar::Int);
        let constant = |id| match exprs.get(id) {
            Expr::Int { value, .. } if is_int(id) => Some(*value),
            _ => None,
        };
        if let Some(value) = constant(id) {
            return Some((None, value));
        }
        match *exprs.get(id) {
            Expr::Binary { op, lhs, rhs } if is_int(lhs) => match op {
                BinaryOp::Add => Some((Some(lhs), constant(rhs)?)),
                BinaryOp::Sub => Some((Some(lhs), -constant(rhs)?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A copy of an index that uses nothing that the nest declares but its counters.
    fn substituted(&mut self, id: ExprId, by: &Substitution<'_>) -> ExprId {
        let ty = self.function.exprs.ty(id);
        if let Some(var) = self.function.exprs.local_var(id) {
            if let Some(value) = by.copies.get(&var) {
                let value = self.function.exprs.int(self.types, *value as i64);
                return self.converted(value, ty);
            }
            if let Some(value) = by.counters.get(&var) {
                return self.function.exprs.duplicate(*value);
            }
            let value = self.fixed.get(&var).copied();
            if let Some(value) = value.filter(|_| by.inner.contains(&var)) {
                let value = self.substituted(value, by);
                return self.converted(value, ty);
            }
        }
        let copy = self.function.exprs.get(id).clone();
        let span = self.function.exprs.span(id);
        let copy = match copy {
            Expr::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (self.substituted(lhs, by), self.substituted(rhs, by));
                let folded = match (op, self.sum(rhs)) {
                    (BinaryOp::Add, Some((None, value))) => Some(value),
                    (BinaryOp::Sub, Some((None, value))) => Some(-value),
                    _ => None,
                };
                if let Some(value) = folded.filter(|_| self.sum(lhs).is_some()) {
                    return self.plus(lhs, value);
                }
                Expr::Binary { op, lhs, rhs }
            }
            Expr::Unary { op, operand } => Expr::Unary {
                op,
                operand: self.substituted(operand, by),
            },
            Expr::Cast { ty, operand } => Expr::Cast {
                ty,
                operand: self.substituted(operand, by),
            },
            other => other,
        };
        self.function.exprs.add(copy, ty, span)
    }

    fn converted(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let exprs = &mut self.function.exprs;
        match self.types.as_scalar(exprs.ty(value)) == self.types.as_scalar(ty) {
            true => value,
            false => exprs.cast(ty, value),
        }
    }

    /// Moves the first elements of a window on.
    pub fn shift(&mut self, elements: i128, by: i128, array: VarId) -> Stmt {
        let counter = self.counter();
        let here = self.function.use_var(counter);
        let to = self.indexed(array, here);
        let here = self.function.use_var(counter);
        let next = self.plus(here, by);
        let from = self.indexed(array, next);
        let body = self.function.exprs.assign(None, to, from);
        self.unrolled(counter, elements, vec![Stmt::new(StmtKind::Expr(body))])
    }

    /// Declares a register that moves on, as zeros: elements that are moved before one is loaded have no value
    /// otherwise, which C leaves undefined even where nobody looks at them.
    pub fn declare(&mut self, register: VarId, out: &mut Vec<Stmt>) {
        let ty = self.function.vars[register].ty.ty;
        let Some((element, Some(len))) = self.types.as_array(ty) else {
            let zero = self.zero(ty);
            return out.push(Stmt::define(register, zero));
        };
        out.push(Stmt::declare(register));
        let counter = self.counter();
        let here = self.function.use_var(counter);
        let slot = self.indexed(register, here);
        let zero = self.zero(element.ty);
        let clear = self.function.exprs.assign(None, slot, zero);
        let clear = vec![Stmt::new(StmtKind::Expr(clear))];
        out.push(self.unrolled(counter, i128::from(len), clear));
    }

    fn zero(&mut self, ty: TypeId) -> ExprId {
        let zero = self.function.exprs.int(self.types, 0);
        match self.types.as_scalar(ty) {
            Some(_) => zero,
            None => self.function.exprs.cast(ty, zero),
        }
    }

    /// A variable for a loop of [`Self::unrolled`].
    pub fn counter(&mut self) -> VarId {
        let int = self.types.int();
        private_variable(self.function, self.counter.clone(), int)
    }

    /// A loop that is copied.
    pub fn unrolled(&mut self, counter: VarId, trips: i128, body: Vec<Stmt>) -> Stmt {
        let start = self.function.exprs.int(self.types, 0);
        let cond = self.compare(counter, BinaryOp::Lt, trips);
        let step = self.function.increment(counter);
        Stmt::counting((counter, start), (cond, step), body).under("unroll")
    }

    /// `counter++` or `counter += by`.
    pub fn step(&mut self, counter: VarId, by: i128) -> ExprId {
        if by == 1 {
            return self.function.increment(counter);
        }
        let operand = self.function.use_var(counter);
        let exprs = &mut self.function.exprs;
        let by = exprs.int(self.types, by as i64);
        exprs.assign(Some(BinaryOp::Add), operand, by)
    }

    /// Statements under conditions, if there are any.
    pub fn only_if(&mut self, conds: Vec<ExprId>, mut then: Vec<Stmt>) -> Stmt {
        let exprs = &mut self.function.exprs;
        let all = conds
            .into_iter()
            .reduce(|all, cond| exprs.binary(self.types, BinaryOp::And, all, cond));
        let Some(cond) = all else {
            return match then.len() {
                1 => then.remove(0),
                _ => Stmt::new(StmtKind::Block(Block::of(then))),
            };
        };
        Stmt::only_if(cond, then)
    }

    /// Takes what is read from a window.
    pub fn replace(&mut self, walk: &Walk, window: &Window, array: VarId, at: Option<At>) {
        for (read, address) in &window.reads {
            let value = self.taken(walk, window, array, (address, at));
            let is_choice = matches!(address, Address::Choice { .. });
            let ty = self.function.exprs.ty(*read);
            // What is chosen from small numbers is an `int`.
            let expr = match self.types.as_scalar(ty) {
                Some(scalar) if is_choice && scalar.size() < 4 => Expr::Cast {
                    ty: QualType::plain(ty),
                    operand: value,
                },
                _ => self.function.exprs.get(value).clone(),
            };
            self.function.exprs.replace(*read, expr, ty);
        }
    }

    fn taken(
        &mut self,
        walk: &Walk,
        window: &Window,
        array: VarId,
        (address, at): (&Address, Option<At>),
    ) -> ExprId {
        match address {
            Address::At { poly, expr, .. } => {
                let (rest, offset) = poly.split_constant();
                let symbols = rest.symbols();
                let is_copied = walk
                    .copied
                    .keys()
                    .any(|at| symbols.contains(&Sym::Iter(*at)));
                if !is_copied && !(window.hull.0..=window.hull.1).contains(&offset) {
                    return self.read_from_memory(walk, window, poly, (*expr, at));
                }
                let mut index = self.distance(walk, poly, window.hull.0);
                if let Some(lane) = at.and_then(|at| at.lane) {
                    index = self.after(index, lane);
                }
                self.indexed(array, index)
            }
            Address::Choice {
                cond,
                then,
                otherwise,
            } => {
                let cond = match cond {
                    Cond::Given(cond) => self.function.exprs.duplicate(*cond),
                    Cond::Sign(poly, op) => self.sign(walk, poly, *op),
                };
                let then = self.taken(walk, window, array, (then, at));
                let otherwise = self.taken(walk, window, array, (otherwise, at));
                let ty = self.function.exprs.ty(then);
                let ty = self.types.promoted(ty);
                let choice = Expr::Cond {
                    cond,
                    then,
                    otherwise,
                };
                self.function.exprs.add(choice, ty, None)
            }
        }
    }

    /// Compares a sum of counters with 0: what is taken away stands on the right.
    fn sign(&mut self, walk: &Walk, poly: &Poly, op: BinaryOp) -> ExprId {
        let mut sides: [Option<ExprId>; 2] = [None; 2];
        let (rest, constant) = poly.split_constant();
        for (symbols, factor) in rest.terms() {
            let [Sym::Iter(at)] = symbols else { continue };
            let int = self.types.int();
            let counter = self.function.use_var(walk.counters[*at]);
            let mut term = self.converted(counter, int);
            if factor.abs() != 1 {
                let size = self.function.exprs.int(self.types, factor.abs() as i64);
                let exprs = &mut self.function.exprs;
                term = exprs.binary(self.types, BinaryOp::Mul, size, term);
            }
            let side = &mut sides[usize::from(factor < 0)];
            *side = Some(match *side {
                Some(sum) => {
                    let exprs = &mut self.function.exprs;
                    exprs.binary(self.types, BinaryOp::Add, sum, term)
                }
                None => term,
            });
        }
        let [left, right] = sides.map(|side| match side {
            Some(side) => side,
            None => self.function.exprs.int(self.types, 0),
        });
        let right = self.plus(right, -constant);
        self.function.exprs.binary(self.types, op, left, right)
    }

    /// A variable plus an index that may be 0.
    pub fn after(&mut self, index: ExprId, var: VarId) -> ExprId {
        let var = self.function.use_var(var);
        match self.sum(index) {
            Some((None, constant)) => self.plus(var, constant),
            _ => {
                let exprs = &mut self.function.exprs;
                exprs.binary(self.types, BinaryOp::Add, index, var)
            }
        }
    }

    /// What is read as before.
    fn read_from_memory(
        &mut self,
        walk: &Walk,
        window: &Window,
        poly: &Poly,
        (expr, at): (Option<ExprId>, Option<At>),
    ) -> ExprId {
        let index = match (at, expr) {
            (Some(at), _) => self.moving(walk, at, poly, window.is_long),
            (None, Some(expr)) => self.function.exprs.duplicate(expr),
            // The plan has none such.
            (None, None) => self.function.exprs.int(self.types, 0),
        };
        let base = self.function.use_var(window.array);
        self.function.exprs.index(self.types, base, index)
    }

    /// Where in a window that begins at a distance an address is: a constant, and counters of loops that
    /// are unrolled.
    fn distance(&mut self, walk: &Walk, poly: &Poly, first: i128) -> ExprId {
        let (rest, constant) = poly.split_constant();
        let mut constant = constant - first;
        if faults::is_on("window-shifted") {
            constant = (constant - 1).max(0);
        }
        let counters = rest.terms().filter_map(|(symbols, factor)| match symbols {
            [Sym::Iter(at)] => Some((factor, *walk.copied.get(at)?)),
            _ => None,
        });
        let (down, up): (Vec<_>, Vec<_>) = counters.partition(|(factor, _)| *factor < 0);
        let mut sum = None;
        for (factor, counter) in up.into_iter().chain(down) {
            let mut term = self.function.use_var(counter);
            let exprs = &mut self.function.exprs;
            if factor.abs() != 1 {
                let size = exprs.int(self.types, factor.abs() as i64);
                term = exprs.binary(self.types, BinaryOp::Mul, size, term);
            }
            sum = Some(match (factor > 0, sum) {
                (true, None) => term,
                (true, Some(sum)) => exprs.binary(self.types, BinaryOp::Add, sum, term),
                (false, sum) => {
                    let first = sum.unwrap_or_else(|| exprs.int(self.types, 0));
                    exprs.binary(self.types, BinaryOp::Sub, first, term)
                }
            });
        }
        match sum {
            Some(sum) => self.plus(sum, constant),
            None => self.function.exprs.int(self.types, constant as i64),
        }
    }

    fn slot(&mut self, array: VarId, at: i128) -> ExprId {
        let index = self.function.exprs.int(self.types, at as i64);
        self.indexed(array, index)
    }

    pub fn indexed(&mut self, array: VarId, index: ExprId) -> ExprId {
        let base = self.function.use_var(array);
        self.function.exprs.index(self.types, base, index)
    }

    /// Asks for copies of the loops by whose counters windows are read.
    fn unroll(&mut self, walk: &Walk, stmt: &mut Stmt) {
        let counter = counter_of(self.function, stmt);
        let is_copied = counter.is_some_and(|counter| walk.copied.values().any(|c| *c == counter));
        if let StmtKind::For { hints, .. } = &mut stmt.kind
            && is_copied
            && hints.pragmas.is_empty()
            && hints.attrs.is_empty()
        {
            hints.pragmas.push("unroll".to_string());
        }
        for list in stmt.lists_mut() {
            self.unroll_all(walk, list);
        }
    }

    /// The same in a list.
    pub fn unroll_all(&mut self, walk: &Walk, stmts: &mut [Stmt]) {
        for stmt in stmts {
            self.unroll(walk, stmt);
        }
    }
}

/// Whether all that the first iteration finds in a window is read before it.
fn is_filled(walk: &Walk, window: &Window) -> bool {
    (window.hull.0..window.hull.1).all(|offset| is_there(walk, window, offset))
}

/// Whether an element may be read before the first iteration: it lies between what that reads, or what
/// some iteration is sure to read.
fn is_there(walk: &Walk, window: &Window, offset: i128) -> bool {
    let is_read =
        |(first, _): (i128, i128)| (window.sure.0..=window.sure.1).contains(&(first + offset));
    walk.span.is_none_or(is_read)
}

/// The element whose index an expression is that lies nearest, rather before than after.
fn nearest(taps: &[Tap], offset: i128) -> &Tap {
    let before = taps.iter().rev().find(|tap| tap.offset <= offset);
    before.unwrap_or(&taps[0])
}
