//! What expressions are in each work-item, and what they access.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, FunctionId, IncDecOp, Scalar, UnaryOp, VarId,
    VarRef,
};

use super::active::{Active, Frame, masked};
use super::value::{Root, Symbol, Value, are_same, combined, joined, moved, unary};
use super::{Access, Race, Run, escaped};
use crate::constant;
use crate::work_item::{self, Dim, Quantity};

/// Accesses of an element that are remembered.
const REMEMBERED: usize = 16;
/// Calls in calls that are followed.
const DEPTH: usize = 16;

impl Run<'_> {
    /// The values of an expression; what it reads and writes is noted.
    pub(super) fn eval(&mut self, id: ExprId, active: &[Active]) -> Vec<Value> {
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
            | Expr::Member { .. }
            | Expr::Swizzle { .. }
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
                match callee {
                    Callee::Function(callee) => self.follow(callee, args, active),
                    Callee::Builtin(name) => self.call(id, &name, &args),
                }
            }
            _ => unknown,
        }
    }

    fn variable(&mut self, id: ExprId, var: VarId, active: &[Active]) -> Vec<Value> {
        let variable = &self.function.vars[var];
        if variable.space == AddressSpace::Local {
            let location = vec![self.start_of(var); self.items];
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
            Expr::Member {
                base,
                record,
                field,
                arrow,
            } => {
                let start = match arrow {
                    true => self.eval(base, active),
                    false => self.address(base, active),
                };
                let offsets = self.module.field_offsets(record).unwrap_or_default();
                let offset = offsets.get(field as usize).copied();
                self.further(&start, offset)
            }
            Expr::Swizzle {
                base,
                ref components,
                ..
            } => {
                let component = match components.as_slice() {
                    [only] => Some(u64::from(*only)),
                    _ => None,
                };
                let size = self.module.layout(self.function.exprs.ty(id));
                let offset = component.zip(size).map(|(at, layout)| at * layout.size);
                let start = self.address(base, active);
                self.further(&start, offset)
            }
            Expr::Var(VarRef::Local(var))
                if self.function.vars[var].space == AddressSpace::Local =>
            {
                vec![self.start_of(var); self.items]
            }
            _ => unknown,
        }
    }

    /// Locations, so many bytes further.
    fn further(&self, start: &[Value], bytes: Option<u64>) -> Vec<Value> {
        let further = |start: &Value| match (start, bytes) {
            (Value::Pointer(root, from), Some(bytes)) => moved(*root, *from, bytes.into(), 1),
            _ => Value::Unknown,
        };
        start.iter().map(further).collect()
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
        let is_unsigned = |scalar: Scalar| {
            scalar.is_integer() && !scalar.is_signed_integer() && scalar >= Scalar::UInt
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

    /// A call of another function, by what it does.
    fn follow(
        &mut self,
        callee: FunctionId,
        args: Vec<Vec<Value>>,
        active: &[Active],
    ) -> Vec<Value> {
        let function = &self.module.functions[callee];
        let Some(body) = function.body.as_ref().filter(|_| self.depth < DEPTH) else {
            // It may have barriers.
            self.cells.clear();
            return vec![Value::Unknown; self.items];
        };
        let values = function.params.iter().copied().zip(args).collect();
        let inner = (
            std::mem::replace(&mut self.called, callee),
            std::mem::replace(&mut self.function, function),
            std::mem::replace(&mut self.values, values),
            std::mem::replace(&mut self.escaped, escaped(self.module, function)),
            std::mem::replace(&mut self.returned, vec![None; self.items]),
            self.scope,
        );
        self.depth += 1;
        self.stmts(&body.stmts, &mut Frame::of(active.to_vec()));
        self.depth -= 1;
        let returned = std::mem::take(&mut self.returned);
        let scope = self.scope;
        (
            self.called,
            self.function,
            self.values,
            self.escaped,
            self.returned,
            self.scope,
        ) = inner;
        match scope == self.scope {
            true => returned
                .into_iter()
                .map(|value| value.unwrap_or(Value::Unknown))
                .collect(),
            false => vec![Value::Unknown; self.items],
        }
    }

    /// What work-items return: the first that they do, where it is sure that they do.
    pub(super) fn give_back(&mut self, values: &[Value], active: &[Active]) {
        for ((returned, value), active) in self.returned.iter_mut().zip(values).zip(active) {
            match active {
                Active::Yes => *returned = returned.or(Some(*value)),
                Active::Maybe => *returned = Some(Value::Unknown),
                Active::No => {}
            }
        }
    }

    fn start_of(&self, var: VarId) -> Value {
        Value::Pointer(Root::of(self.called, var), 0)
    }

    fn call(&mut self, id: ExprId, name: &str, args: &[Vec<Value>]) -> Vec<Value> {
        let unknown = vec![Value::Unknown; self.items];
        if ["min", "max", "clamp"].contains(&name) {
            let args: Vec<_> = args.iter().map(Vec::as_slice).collect();
            return self.named(&args, unknown);
        }
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
            let at = self.function.exprs.span(at);
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
            let array = self.module.functions[var.function].vars[var.var]
                .name
                .clone();
            self.race = Some(Race { array, write, read });
            return;
        }
    }
}
