//! Work-items that race for `__local` memory: code that relies on work-items running in lockstep.
//!
//! On GPUs 32 or 64 work-items run in lockstep, and programs for them leave out barriers:
//! `if (tid < 32) { s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; }`. By OpenCL's rules that is a data
//! race, and a loop over work-items gives another result. Here the first work-items of a group are run with
//! what is known: ids, constants, and what is computed of them. An element that one work-item writes and
//! another reads without a barrier between is a race for sure. So is one behind conditions on numbers that are the same
//! in all work-items (parameters, ids of groups): `if (l < n) { x = s[2 * l]; s[l] = x; }` races wherever a few
//! work-items get in, and nobody writes such a condition for fewer. What depends on anything else (data, other functions) is
//! not followed, and such a race is not found.

mod active;
mod scopes;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Callee, Expr, ExprId, Function, FunctionId, IncDecOp, Init,
    Module, Stmt, StmtKind, UnaryOp, VarId, VarRef,
};

use self::active::{Active, Frame, assumed, leave, masked, maybe};
use self::scopes::{KNOWN, Scope, Scopes};
use self::value::{Symbol, Value, are_same, combined, joined, moved, unary};
use super::constant;
use super::loops;
use super::variables;
use super::work_item::{self, Dim, Quantity};

/// Work-items that are looked at.
const ITEMS: u64 = 64;
/// Values that are computed at most, so that long loops end.
const BUDGET: usize = 200_000;

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The array or pointer.
    pub array: String,
    /// One work-item writes an element.
    pub write: ExprId,
    /// Another reads it.
    pub read: ExprId,
}

/// Finds a race of the work-items of a group of these sizes.
pub fn find(module: &Module, kernel: FunctionId, sizes: [u64; 3]) -> Option<Race> {
    let function = &module.functions[kernel];
    let items = sizes.iter().product::<u64>().min(ITEMS) as usize;
    let mut run = Run {
        module,
        function,
        sizes,
        items,
        values: BTreeMap::new(),
        escaped: escaped(module, function),
        cells: BTreeMap::new(),
        scopes: Scopes::new(),
        scope: KNOWN,
        computed: 0,
        budget: BUDGET,
        race: None,
    };
    for &param in &function.params {
        let ty = function.vars[param].ty.ty;
        let start = match module.types.as_pointer(ty) {
            Some((_, AddressSpace::Local)) => Value::Pointer(param, 0),
            None if is_integer(module, ty) => Value::Sum(Symbol::Parameter(param), 0),
            _ => continue,
        };
        run.values.insert(param, vec![start; items]);
    }
    if let Some(body) = &function.body {
        let mut frame = Frame::of(vec![Active::Yes; items]);
        run.stmts(&body.stmts, &mut frame);
    }
    run.race
}

/// Variables that are changed through pointers.
fn escaped(module: &Module, function: &Function) -> BTreeSet<VarId> {
    let uses = variables::uses(&module.types, function);
    let is_escaped = |accesses: &Vec<_>| accesses.contains(&variables::Access::Address);
    let uses = uses.into_iter().filter(|(_, all)| is_escaped(all));
    uses.map(|(var, _)| var).collect()
}

/// Accesses of an element that are remembered.
const REMEMBERED: usize = 16;

/// An access of an element.
#[derive(Clone, Copy)]
struct Access {
    item: usize,
    at: ExprId,
    scope: Scope,
}

/// What happened to an element since the last barrier.
#[derive(Clone, Default)]
struct Cell {
    writes: Vec<Access>,
    reads: Vec<Access>,
}

struct Run<'a> {
    module: &'a Module,
    function: &'a Function,
    sizes: [u64; 3],
    items: usize,
    values: BTreeMap<VarId, Vec<Value>>,
    escaped: BTreeSet<VarId>,
    cells: BTreeMap<(VarId, i64), Cell>,
    scopes: Scopes,
    /// What is assumed where it is.
    scope: Scope,
    /// How many numbers there are that nobody knows.
    computed: usize,
    budget: usize,
    race: Option<Race>,
}

impl Run<'_> {
    fn is_over(&self) -> bool {
        self.race.is_some() || self.budget == 0
    }

    fn stmts(&mut self, stmts: &[Stmt], frame: &mut Frame) {
        for stmt in stmts {
            if self.is_over() || frame.is_idle() {
                return;
            }
            self.stmt(stmt, frame);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, frame: &mut Frame) {
        match &stmt.kind {
            StmtKind::Decl { var, init } => {
                let value = match init {
                    Some(Init::Expr(init)) => self.eval(*init, &frame.active),
                    _ => vec![Value::Unknown; self.items],
                };
                self.store(*var, &value, &frame.active);
            }
            StmtKind::Expr(expr) => {
                self.eval(*expr, &frame.active);
            }
            StmtKind::Block(block) => self.stmts(&block.stmts, frame),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => self.branch(*cond, then, otherwise.as_ref(), frame),
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => {
                self.stmts(init, frame);
                self.repeat(*cond, *step, body, true, frame);
            }
            StmtKind::While { cond, body, .. } => self.repeat(Some(*cond), None, body, true, frame),
            StmtKind::DoWhile { cond, body, .. } => {
                self.repeat(Some(*cond), None, body, false, frame);
            }
            StmtKind::Switch { value, arms } => {
                self.eval(*value, &frame.active);
                let mut inner = Frame::of(maybe(&frame.active));
                for arm in arms {
                    self.stmts(&arm.body, &mut inner);
                }
                self.leave_unknown(stmt, frame);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.eval(*value, &frame.active);
                }
                leave(&mut frame.active, None);
            }
            StmtKind::Break => leave(&mut frame.active, Some(&mut frame.broken)),
            StmtKind::Continue => leave(&mut frame.active, Some(&mut frame.continued)),
            // Where they lead is not followed.
            StmtKind::Goto(_) | StmtKind::Label(_) => self.budget = 0,
            StmtKind::Pragma(_) | StmtKind::Comment(_) => {}
        }
    }

    fn branch(&mut self, cond: ExprId, then: &Block, otherwise: Option<&Block>, frame: &mut Frame) {
        let cond = self.eval(cond, &frame.active);
        if leaves(then, otherwise) || assumed(&frame.active, &cond, true).is_none() {
            return self.branch_as_known(&cond, then, otherwise, frame);
        }
        let before = frame.active.clone();
        let values = self.values.clone();
        for (wanted, block) in [(true, Some(then)), (false, otherwise)] {
            let Some(block) = block else { continue };
            self.values.clone_from(&values);
            frame.active.clone_from(&before);
            self.assuming(&cond, wanted, frame, |run, frame| {
                run.stmts(&block.stmts, frame)
            });
        }
        self.values = values;
        for block in [Some(then), otherwise].into_iter().flatten() {
            self.havoc(block, None);
        }
        frame.active = before;
    }

    /// Goes on where a condition that nobody knows is what is asked for, for a few lots of work-items.
    fn assuming(
        &mut self,
        cond: &[Value],
        wanted: bool,
        frame: &mut Frame,
        go: impl FnOnce(&mut Self, &mut Frame),
    ) {
        let around = self.scope;
        frame.active = match self.enter(&frame.active, cond, wanted) {
            Some(active) => active,
            None => masked(&frame.active, cond, wanted),
        };
        go(self, frame);
        self.scope = around;
    }

    /// Who takes part where a condition is what is asked for. That it is so is assumed from here on.
    fn enter(&mut self, active: &[Active], cond: &[Value], wanted: bool) -> Option<Vec<Active>> {
        let (active, ranks) = assumed(active, cond, wanted)?;
        self.scope = self.scopes.within(self.scope, ranks)?;
        Some(active)
    }

    fn branch_as_known(
        &mut self,
        cond: &[Value],
        then: &Block,
        otherwise: Option<&Block>,
        frame: &mut Frame,
    ) {
        let before = frame.active.clone();
        let mut sides = [true, false].map(|side| masked(&before, cond, side));
        for (side, block) in sides.iter_mut().zip([Some(then), otherwise]) {
            let Some(block) = block else { continue };
            std::mem::swap(&mut frame.active, side);
            self.stmts(&block.stmts, frame);
            std::mem::swap(&mut frame.active, side);
        }
        if otherwise.is_none() && always_leaves(then) {
            let rest = self.enter(&before, cond, false);
            frame.active = rest.unwrap_or_else(|| masked(&before, cond, false));
            return;
        }
        for (at, active) in frame.active.iter_mut().enumerate() {
            *active = sides[0][at].max(sides[1][at]);
            // Who may have gone either way is back, unless it left in one of them.
            let is_open = before[at] == Active::Yes && cond[at].truth().is_none();
            if is_open
                && sides[0][at].min(sides[1][at]) == Active::Maybe
                && !leaves(then, otherwise)
            {
                *active = Active::Yes;
            }
        }
    }

    /// A loop, as long as all conditions are known.
    fn repeat(
        &mut self,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: &Block,
        cond_first: bool,
        frame: &mut Frame,
    ) {
        let before = frame.active.clone();
        let mut inner = Frame::of(before.clone());
        let mut done = vec![Active::No; self.items];
        let around = self.scope;
        let mut is_checked = cond_first;
        let mut is_first = true;
        while !self.is_over() {
            if let (Some(cond), true) = (cond, is_checked) {
                let cond = self.eval(cond, &inner.active);
                let is_unknown =
                    |at: usize| inner.active[at] != Active::No && cond[at].truth().is_none();
                if (0..self.items).any(is_unknown) {
                    self.first_turn(&cond, (body, step), &mut inner, is_first && cond_first);
                    frame.active = match has_return(body) {
                        true => maybe(&before),
                        false => before,
                    };
                    return;
                }
                for at in 0..self.items {
                    if cond[at].truth() == Some(false) {
                        done[at] = done[at].max(inner.active[at]);
                        inner.active[at] = Active::No;
                    }
                }
            }
            is_checked = true;
            is_first = false;
            if inner.is_idle() {
                break;
            }
            self.stmts(&body.stmts, &mut inner);
            for at in 0..self.items {
                inner.active[at] = inner.active[at].max(inner.continued[at]);
                inner.continued[at] = Active::No;
            }
            if let Some(step) = step {
                self.eval(step, &inner.active);
            }
            if inner.is_idle() {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
        }
        let left = done.iter().zip(&inner.broken);
        frame.active = left.map(|(done, broken)| *done.max(broken)).collect();
        // Who comes to the end of a loop that nobody returns from does, whatever was assumed in it.
        if !has_return(body) {
            self.scope = around;
        }
    }

    /// A turn of a loop of which nobody knows whether there is one: the first, where that is so, or any.
    fn first_turn(
        &mut self,
        cond: &[Value],
        (body, step): (&Block, Option<ExprId>),
        inner: &mut Frame,
        is_first: bool,
    ) {
        if is_first && assumed(&inner.active, cond, true).is_some() {
            self.assuming(cond, true, inner, |run, inner| {
                run.stmts(&body.stmts, inner)
            });
        } else {
            self.havoc(body, step);
            inner.active = maybe(&inner.active);
            self.stmts(&body.stmts, inner);
        }
        self.havoc(body, step);
    }

    /// After control that was not followed.
    fn leave_unknown(&mut self, stmt: &Stmt, frame: &mut Frame) {
        let mut returns = false;
        stmt.for_each(&mut |stmt| {
            returns |= matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Continue);
        });
        if returns {
            frame.active = maybe(&frame.active);
        }
    }

    /// All that a loop assigns to may have any value.
    fn havoc(&mut self, body: &Block, step: Option<ExprId>) {
        let (types, function) = (&self.module.types, self.function);
        let mut written = BTreeSet::new();
        let mut visit = |var, access: variables::Access| {
            if access.may_write() {
                written.insert(var);
            }
        };
        for stmt in &body.stmts {
            variables::accesses_of_stmt(types, function, stmt, &mut visit);
        }
        if let Some(step) = step {
            variables::accesses(types, &function.exprs, step, &mut |var, access, _| {
                visit(var, access);
            });
        }
        for var in written {
            self.values.remove(&var);
        }
    }

    fn store(&mut self, var: VarId, new: &[Value], active: &[Active]) {
        let unknown = || vec![Value::Unknown; self.items];
        let values = self.values.entry(var).or_insert_with(unknown);
        for ((value, new), active) in values.iter_mut().zip(new).zip(active) {
            match active {
                Active::Yes => *value = *new,
                Active::Maybe => *value = Value::Unknown,
                Active::No => {}
            }
        }
    }

    /// The values of an expression; what it reads and writes is noted.
    fn eval(&mut self, id: ExprId, active: &[Active]) -> Vec<Value> {
        let unknown = vec![Value::Unknown; self.items];
        if self.is_over() {
            return unknown;
        }
        self.budget = self.budget.saturating_sub(self.items);
        let exprs = &self.function.exprs;
        if let Some(value) = constant::integer(self.module, exprs, id) {
            return vec![Value::Int(value); self.items];
        }
        match exprs.get(id).clone() {
            Expr::Var(VarRef::Local(var)) => self.variable(id, var, active),
            Expr::Index { .. }
            | Expr::Unary {
                op: UnaryOp::Deref, ..
            } => {
                let locations = self.address(id, active);
                if self
                    .module
                    .types
                    .as_array(self.function.exprs.ty(id))
                    .is_some()
                {
                    return locations;
                }
                self.note(id, &locations, active, false);
                unknown
            }
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.address(operand, active),
            Expr::Unary { op, operand } => {
                let values = self.eval(operand, active);
                let new = self.each(id, &values, &values, |value, _| unary(op, value));
                self.unary(op, &values, new)
            }
            Expr::Cast { operand, .. } => {
                let values = self.eval(operand, active);
                self.converted(id, &values)
            }
            Expr::Binary { op, lhs, rhs } => self.binary(id, op, lhs, rhs, active),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.eval(cond, active);
                let then = self.eval(then, &masked(active, &cond, true));
                let otherwise = self.eval(otherwise, &masked(active, &cond, false));
                let pick = |at: usize| match cond[at].truth() {
                    Some(true) => then[at],
                    Some(false) => otherwise[at],
                    None => Value::Unknown,
                };
                let picked = (0..self.items).map(pick).collect();
                self.named(&[&cond, &then, &otherwise], picked)
            }
            Expr::Assign { op, lhs, rhs } => {
                let new = self.eval(rhs, active);
                self.assign(lhs, op, &new, active);
                unknown
            }
            Expr::IncDec { op, operand } => {
                let one = vec![Value::Int(1); self.items];
                let op = match op {
                    IncDecOp::PreInc | IncDecOp::PostInc => BinaryOp::Add,
                    IncDecOp::PreDec | IncDecOp::PostDec => BinaryOp::Sub,
                };
                self.assign(operand, Some(op), &one, active);
                unknown
            }
            Expr::Call { callee, args } => {
                let args: Vec<_> = args.iter().map(|arg| self.eval(*arg, active)).collect();
                let result = self.call(id, &callee);
                let is_pure = |callee: &Callee| matches!(callee, Callee::Builtin(name) if ["min", "max", "clamp"].contains(&name.as_str()));
                match is_pure(&callee) {
                    true => {
                        let args: Vec<_> = args.iter().map(Vec::as_slice).collect();
                        self.named(&args, result)
                    }
                    false => result,
                }
            }
            _ => unknown,
        }
    }

    fn variable(&mut self, id: ExprId, var: VarId, active: &[Active]) -> Vec<Value> {
        let variable = &self.function.vars[var];
        if variable.space == AddressSpace::Local {
            let location = vec![Value::Pointer(var, 0); self.items];
            if self.module.types.as_array(variable.ty.ty).is_some() {
                return location;
            }
            self.note(id, &location, active, false);
            return vec![Value::Unknown; self.items];
        }
        match self.values.get(&var) {
            Some(values) if !self.escaped.contains(&var) => values.clone(),
            _ => vec![Value::Unknown; self.items],
        }
    }

    /// Where an lvalue lies in local memory.
    fn address(&mut self, id: ExprId, active: &[Active]) -> Vec<Value> {
        let unknown = vec![Value::Unknown; self.items];
        match *self.function.exprs.get(id) {
            Expr::Index { base, index } => {
                let start = self.eval(base, active);
                let index = self.eval(index, active);
                let ty = self.function.exprs.ty(id);
                let size = self.module.layout(ty).map(|layout| layout.size as i64);
                let location = |(start, index): (&Value, &Value)| match (start, index, size) {
                    (Value::Pointer(var, from), Value::Int(index), Some(size)) => {
                        moved(*var, *from, *index, size)
                    }
                    _ => Value::Unknown,
                };
                start.iter().zip(&index).map(location).collect()
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.eval(operand, active),
            Expr::Var(VarRef::Local(var))
                if self.function.vars[var].space == AddressSpace::Local =>
            {
                vec![Value::Pointer(var, 0); self.items]
            }
            _ => unknown,
        }
    }

    fn assign(&mut self, lhs: ExprId, op: Option<BinaryOp>, new: &[Value], active: &[Active]) {
        if let Some(var) = self.function.exprs.local_var(lhs)
            && self.function.vars[var].space != AddressSpace::Local
        {
            let value = match op {
                None => self.converted(lhs, new),
                Some(op) => {
                    let old = self.variable(lhs, var, active);
                    let moved = self.pointers(lhs, op, &old, new);
                    moved.unwrap_or_else(|| {
                        let known = self.each(lhs, &old, new, |a, b| constant::binary(op, a, b));
                        self.operated(op, &old, new, known)
                    })
                }
            };
            return self.store(var, &value, active);
        }
        let locations = self.address(lhs, active);
        if op.is_some() {
            self.note(lhs, &locations, active, false);
        }
        self.note(lhs, &locations, active, true);
    }

    fn binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        active: &[Active],
    ) -> Vec<Value> {
        let left = self.eval(lhs, active);
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let right = self.eval(rhs, &masked(active, &left, op == BinaryOp::And));
            let joined = left.iter().zip(&right).map(|(a, b)| joined(op, *a, *b));
            let joined = joined.collect();
            return self.named(&[&left, &right], joined);
        }
        let right = self.eval(rhs, active);
        if let Some(moved) = self.pointers(lhs, op, &left, &right) {
            return moved;
        }
        // Comparisons and divisions look at the operands' common type.
        let types = [lhs, rhs].map(|at| self.module.types.as_scalar(self.function.exprs.ty(at)));
        let is_unsigned = |scalar: fpgacc_frontend::ir::Scalar| {
            scalar.is_integer()
                && !scalar.is_signed_integer()
                && scalar >= fpgacc_frontend::ir::Scalar::UInt
        };
        let mixes = types.iter().flatten().any(|scalar| is_unsigned(*scalar));
        let known = self.each(id, &left, &right, |a, b| {
            let is_negative = mixes && (a < 0 || b < 0);
            (!is_negative).then(|| constant::binary(op, a, b)).flatten()
        });
        self.operated(op, &left, &right, known)
    }

    /// What an operation gives, also where a number is not known.
    fn operated(
        &mut self,
        op: BinaryOp,
        left: &[Value],
        right: &[Value],
        mut known: Vec<Value>,
    ) -> Vec<Value> {
        for (at, value) in known.iter_mut().enumerate() {
            let are_ints = [left[at], right[at]].map(|value| matches!(value, Value::Int(_)));
            if *value == Value::Unknown && are_ints != [true; 2] {
                *value = combined(op, left[at], right[at]);
            }
        }
        self.named(&[left, right], known)
    }

    fn unary(&mut self, op: UnaryOp, values: &[Value], mut known: Vec<Value>) -> Vec<Value> {
        for (value, new) in values.iter().zip(&mut known) {
            if let (UnaryOp::Not, Value::Ranked(rank)) = (op, value) {
                *new = Value::Ranked(-rank);
            }
        }
        self.named(&[values], known)
    }

    /// Values as another type holds them. That no number wraps that is not known is taken for granted.
    fn converted(&self, id: ExprId, values: &[Value]) -> Vec<Value> {
        let mut new = self.each(id, values, values, |value, _| Some(value));
        for (new, old) in new.iter_mut().zip(values) {
            if matches!(old, Value::Sum(..) | Value::Ranked(_)) {
                *new = *old;
            }
        }
        new
    }

    /// A result that is not known, of what is the same in all work-items, is the same in all as well.
    fn named(&mut self, of: &[&[Value]], result: Vec<Value>) -> Vec<Value> {
        let is_open = result.contains(&Value::Unknown);
        if !is_open || !of.iter().all(|values| are_same(values)) {
            return result;
        }
        self.computed += 1;
        vec![Value::Sum(Symbol::Computed(self.computed), 0); self.items]
    }

    /// `pointer + integer` and `pointer - integer`.
    fn pointers(
        &self,
        pointer: ExprId,
        op: BinaryOp,
        left: &[Value],
        right: &[Value],
    ) -> Option<Vec<Value>> {
        let types = &self.module.types;
        let ty = self.function.exprs.ty(pointer);
        let element = match (types.as_pointer(ty), types.as_array(ty)) {
            (Some((pointee, _)), _) => pointee.ty,
            (None, Some((element, _))) => element.ty,
            _ => return None,
        };
        let sign = match op {
            BinaryOp::Add => 1,
            BinaryOp::Sub => -1,
            _ => return Some(vec![Value::Unknown; self.items]),
        };
        let size = self.module.layout(element).map(|layout| layout.size as i64);
        let step = |(start, by): (&Value, &Value)| match (start, by, size) {
            (Value::Pointer(var, from), Value::Int(by), Some(size)) => {
                moved(*var, *from, sign * by, size)
            }
            _ => Value::Unknown,
        };
        Some(left.iter().zip(right).map(step).collect())
    }

    /// An operation on integers, with the value as the type of `id` holds it; pointers stay what they are.
    fn each(
        &self,
        id: ExprId,
        left: &[Value],
        right: &[Value],
        compute: impl Fn(i128, i128) -> Option<i128>,
    ) -> Vec<Value> {
        let exprs = &self.function.exprs;
        let one = |(a, b): (&Value, &Value)| match (a, b) {
            (Value::Int(a), Value::Int(b)) => compute(*a, *b)
                .and_then(|value| constant::wrap(&self.module.types, exprs, id, value))
                .map_or(Value::Unknown, Value::Int),
            (Value::Pointer(..), _) if a == b => *a,
            _ => Value::Unknown,
        };
        left.iter().zip(right).map(one).collect()
    }

    fn call(&mut self, id: ExprId, callee: &Callee) -> Vec<Value> {
        let unknown = vec![Value::Unknown; self.items];
        let name = match callee {
            Callee::Builtin(name) => name,
            // It may have barriers.
            Callee::Function(_) => {
                self.cells.clear();
                return unknown;
            }
        };
        let synchronises = ["barrier", "work_group_", "sub_group_", "wait_group_events"];
        if synchronises.iter().any(|start| name.starts_with(start)) {
            self.cells.clear();
        }
        let Some(query) = work_item::query(self.module, self.function, id) else {
            return unknown;
        };
        let Dim::Of(dim) = query.dim else {
            return unknown;
        };
        let [x, y, _] = self.sizes;
        let of_item = |item: u64| match dim {
            0 => item % x,
            1 => item / x % y,
            _ => item / x / y,
        };
        match query.quantity {
            Quantity::LocalId => {
                let ids = (0..self.items as u64).map(|item| Value::Int(of_item(item).into()));
                ids.collect()
            }
            Quantity::LocalSize => {
                let size = i128::from(self.sizes[usize::from(dim)]);
                vec![Value::Int(size); self.items]
            }
            Quantity::GlobalId => {
                let first =
                    |item| Value::Sum(Symbol::Query(query.quantity, dim), of_item(item).into());
                (0..self.items as u64).map(first).collect()
            }
            quantity if !quantity.differs_in_group() => {
                vec![Value::Sum(Symbol::Query(quantity, dim), 0); self.items]
            }
            _ => unknown,
        }
    }

    /// Notes accesses, and a race if there is one.
    fn note(&mut self, at: ExprId, locations: &[Value], active: &[Active], is_write: bool) {
        for (item, (location, active)) in locations.iter().zip(active).enumerate() {
            let (Value::Pointer(var, byte), Active::Yes) = (location, active) else {
                continue;
            };
            let scope = self.scope;
            let cell = self.cells.entry((*var, *byte)).or_default();
            let (own, others) = match is_write {
                true => (&mut cell.writes, &cell.reads),
                false => (&mut cell.reads, &cell.writes),
            };
            let alike = own.iter().filter(|own| own.scope == scope);
            let is_told = alike.clone().any(|own| own.item == item) || alike.count() > 1;
            if !is_told && own.len() < REMEMBERED {
                own.push(Access { item, at, scope });
            }
            let meets =
                |other: &&Access| other.item != item && self.scopes.are_nested(other.scope, scope);
            let Some(other) = others.iter().find(meets) else {
                continue;
            };
            let (write, read) = match is_write {
                true => (at, other.at),
                false => (other.at, at),
            };
            let array = self.function.vars[*var].name.clone();
            self.race = Some(Race { array, write, read });
            return;
        }
    }
}

fn leaves(then: &Block, otherwise: Option<&Block>) -> bool {
    let mut found = false;
    for block in std::iter::once(then).chain(otherwise) {
        block.for_each_stmt(&mut |stmt| {
            let kind = &stmt.kind;
            found |= matches!(
                kind,
                StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue
            );
        });
    }
    found
}

/// Whether nobody comes to the end of a block.
fn always_leaves(block: &Block) -> bool {
    let last = block.stmts.last().map(|stmt| &stmt.kind);
    matches!(
        last,
        Some(StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue)
    )
}

fn is_integer(module: &Module, ty: fpgacc_frontend::ir::TypeId) -> bool {
    let scalar = module.types.as_scalar(ty);
    scalar.is_some_and(fpgacc_frontend::ir::Scalar::is_integer)
}

fn has_return(block: &Block) -> bool {
    block.stmts.iter().any(loops::returns)
}
