//! Expressions.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, IncDecOp, Scalar, TypeId, UnaryOp, VarRef};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::constant;
use fpgacc_kernel_analysis::poly::Poly;

use super::value::{Pointer, Slot, Target, Value};
use super::{Lowering, UNKNOWN_BYTES, memory_kind, ops};
use crate::board::Operator;
use crate::depends::Depends;
use crate::graph::{ADDITION, Array, NodeId, Op};

impl<'a> Lowering<'a> {
    /// Evaluates an expression.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        let exprs = &self.at.function.exprs;
        let span = exprs.span(id);
        let ty = exprs.ty(id);
        let scalar = self.scalar(ty);
        match exprs.get(id) {
            Expr::Int { value, .. } => Value::integer(Poly::constant(*value)),
            Expr::EnumConst(..) | Expr::SizeOf(_) => {
                match constant::integer(self.module, exprs, id) {
                    Some(value) => Value::integer(Poly::constant(value)),
                    None => self.opaque(Default::default(), false),
                }
            }
            Expr::Float { value, .. } => Value {
                is_zero: *value == 0.0,
                ..Value::default()
            },
            Expr::Str(_) | Expr::BuiltinConst(_) => Value::default(),
            Expr::Var(_)
            | Expr::Index { .. }
            | Expr::Member { .. }
            | Expr::Swizzle { .. }
            | Expr::Unary {
                op: UnaryOp::Deref, ..
            } => self.read_expr(id),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => {
                let target = self.target(*operand);
                self.address_of(target)
            }
            Expr::Unary { op, operand } => self.unary(*op, *operand, span),
            Expr::IncDec { op, operand } => self.step_by_one(id, *op, *operand),
            Expr::Binary { op, lhs, rhs } => {
                let x = self.value(*lhs);
                // The right operand is only evaluated where the left one does not decide.
                let left = x.constant().map(|left| left != 0);
                match (op, left) {
                    (BinaryOp::And, Some(false)) | (BinaryOp::Or, Some(true)) => {
                        let decided = i128::from(*op == BinaryOp::Or);
                        return Value::integer(Poly::constant(decided));
                    }
                    _ => {}
                }
                let y = match op {
                    BinaryOp::And => self.value_in(self.part_taken(*lhs), *lhs, *rhs),
                    BinaryOp::Or => self.value_in(self.part_left(*lhs), *lhs, *rhs),
                    _ => self.value(*rhs),
                };
                let operand = self.scalar(exprs.ty(*lhs)).max(self.scalar(exprs.ty(*rhs)));
                self.binary(*op, x, y, id, operand, span)
            }
            Expr::Assign { op, lhs, rhs } => self.assignment(id, *op, (*lhs, *rhs)),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => self.choice(*cond, [*then, *otherwise], span),
            Expr::Cast { operand, .. } => self.cast(*operand, scalar, span),
            Expr::VectorLit { elements } => {
                let values: Vec<Value> = elements.iter().map(|e| self.value(*e)).collect();
                Value {
                    is_zero: values.iter().all(Value::is_nought),
                    ..self.compute(Operator::default(), "vector", &values, span)
                }
            }
            Expr::Compound { items, .. } => {
                let mut below = Vec::new();
                for item in items {
                    item.value.exprs(&mut below);
                }
                let values: Vec<Value> = below.into_iter().map(|e| self.value(e)).collect();
                self.compute(Operator::default(), "literal", &values, span)
            }
            Expr::Call { callee, args } => self.call(id, callee, args),
            Expr::Comma { lhs, rhs } => {
                self.value(*lhs);
                self.value(*rhs)
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Option<Span>) -> Value {
        let value = self.value(operand);
        match op {
            UnaryOp::Plus => value,
            UnaryOp::Minus => Value {
                poly: value.poly.as_ref().map(|p| Poly::default().plus(p, -1)),
                pointer: None,
                ..value
            },
            _ => self.compute(self.table.int_logic, "logic", &[value], span),
        }
    }

    /// An increment or decrement.
    fn step_by_one(&mut self, id: ExprId, op: IncDecOp, operand: ExprId) -> Value {
        let (span, ty) = self.position(id);
        let target = self.target(operand);
        let old = self.read(&target, span, ty);
        let by = match op {
            IncDecOp::PreInc | IncDecOp::PostInc => 1,
            IncDecOp::PreDec | IncDecOp::PostDec => -1,
        };
        let one = Value::integer(Poly::constant(by));
        let new = self.add(&old, &one, 1, id, span);
        self.write(target, new.clone(), span, ty);
        match op {
            IncDecOp::PreInc | IncDecOp::PreDec => new,
            IncDecOp::PostInc | IncDecOp::PostDec => old,
        }
    }

    fn assignment(
        &mut self,
        id: ExprId,
        op: Option<BinaryOp>,
        (lhs, rhs): (ExprId, ExprId),
    ) -> Value {
        let (span, _) = self.position(id);
        let value = self.value(rhs);
        let target = self.target(lhs);
        let exprs = &self.at.function.exprs;
        let ty = exprs.ty(lhs);
        let value = match op {
            None => value,
            Some(op) => {
                let old = self.read(&target, span, ty);
                let operand = self.scalar(ty).max(self.scalar(exprs.ty(rhs)));
                self.binary(op, old, value, id, operand, span)
            }
        };
        self.write(target, value.clone(), span, ty);
        value
    }

    /// `cond ? then : otherwise`
    fn choice(&mut self, asked: ExprId, of: [ExprId; 2], span: Option<Span>) -> Value {
        let [then, otherwise] = of;
        let (taken, left) = (self.part_taken(asked), self.part_left(asked));
        let cond = self.value(asked);
        if let Some(constant) = cond.constant() {
            return self.value(if constant != 0 { then } else { otherwise });
        }
        let x = self.value_in(taken, asked, then);
        let y = self.value_in(left, asked, otherwise);
        if x.poly.is_some() && x.poly == y.poly {
            return x;
        }
        self.goes_to_both(x.pointer.as_ref(), y.pointer.as_ref());
        let pointer = x.pointer.clone().or(y.pointer.clone());
        let known = (self.decided(&cond), self.usually(&cond));
        let of = x.poly.clone().zip(y.poly.clone());
        let select = self.widened(self.table.select, self.at.function.exprs.ty(then));
        let asked_of = cond.clone();
        let mut value = self.compute(select, "choice", &[cond, x, y], span);
        if let (Some((then, otherwise)), Some(own)) = (of, &value.poly) {
            let (depends, loaded) = (self.varies(own), self.is_loaded(own));
            value.poly = self.chosen(known, (&then, &otherwise), depends, loaded);
            self.note_choice(value.poly.as_ref(), &asked_of, [&then, &otherwise]);
        }
        Value { pointer, ..value }
    }

    /// Where an expression stands, and its type.
    fn position(&self, id: ExprId) -> (Option<Span>, TypeId) {
        let exprs = &self.at.function.exprs;
        (exprs.span(id), exprs.ty(id))
    }

    fn cast(&mut self, operand: ExprId, to: Option<Scalar>, span: Option<Span>) -> Value {
        let from = self.scalar(self.at.function.exprs.ty(operand));
        let value = self.value(operand);
        match (from, to) {
            (Some(from), Some(to)) if from.is_float() != to.is_float() => {
                self.compute(self.table.convert, "conversion", &[value], span)
            }
            _ => value,
        }
    }

    /// An expression that only a part of what gets here evaluates, as a condition says.
    fn value_in(&mut self, part: f64, cond: ExprId, id: ExprId) -> Value {
        let around = (self.at.share, self.at.picked, self.at.branch);
        self.at.share *= part;
        self.at.picked |= self.picks(cond);
        let branch = self.new_branch();
        self.enter_arm(branch, self.at.branch);
        let value = self.value(id);
        (self.at.share, self.at.picked, self.at.branch) = around;
        value
    }

    /// An element of an array in registers, by an index that is not constant.
    fn choose(&mut self, operands: &[Value], span: Option<Span>) -> Value {
        let select = self.table.select;
        self.compute_by(Op::Select, select, "choice of an element", operands, span)
    }

    /// An operation on values; of its result it is only known what it depends on.
    pub(super) fn compute(
        &mut self,
        operator: Operator,
        what: &'static str,
        operands: &[Value],
        span: Option<Span>,
    ) -> Value {
        self.compute_by(Op::Operator, operator, what, operands, span)
    }

    /// The same, of a kind of operation.
    fn compute_by(
        &mut self,
        op: Op,
        operator: Operator,
        what: &'static str,
        operands: &[Value],
        span: Option<Span>,
    ) -> Value {
        let inputs: Vec<NodeId> = operands.iter().filter_map(|value| value.node).collect();
        let is_constant = operands.iter().all(|v| v.constant().is_some() || v.is_zero);
        let node = match is_constant && inputs.is_empty() {
            true => None,
            false => Some(self.node(op, operator, what, inputs, span)),
        };
        let mut value = Value {
            node,
            ..Value::default()
        };
        let mut depends = Depends::default();
        let mut loaded = false;
        for operand in operands {
            match &operand.poly {
                Some(poly) => {
                    depends.extend(&self.varies(poly));
                    loaded |= self.is_loaded(poly);
                }
                None if operand.node.is_some() => {
                    depends.extend(&self.here());
                    loaded = true;
                }
                None => {}
            }
        }
        value.poly = self.opaque(depends, loaded).poly;
        value
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        x: Value,
        y: Value,
        id: ExprId,
        operand: Option<Scalar>,
        span: Option<Span>,
    ) -> Value {
        let exprs = &self.at.function.exprs;
        if x.pointer.is_some() || y.pointer.is_some() {
            return self.pointer_sum(op, x, y, id);
        }
        let Some(operand) = operand else {
            return self.compute(self.table.int_logic, "logic", &[x, y], span);
        };
        if !operand.is_integer() {
            return self.operation(op, x, y, id, operand, span);
        }
        let key = self.operation_key((op, operand, exprs.ty(id)), &x, &y);
        if let Some(value) = key.as_ref().and_then(|key| self.done_before(key)) {
            return value;
        }
        let value = match op {
            BinaryOp::Add => self.add(&x, &y, 1, id, span),
            BinaryOp::Sub => self.add(&x, &y, -1, id, span),
            _ => match self.fold(op, &x, &y, operand, span) {
                Some(value) => value,
                None => self.operation(op, x, y, id, operand, span),
            },
        };
        if let Some(key) = key {
            self.note_operation(key, &value);
        }
        value
    }

    /// An operation on numbers that is not followed.
    fn operation(
        &mut self,
        op: BinaryOp,
        x: Value,
        y: Value,
        id: ExprId,
        operand: Scalar,
        span: Option<Span>,
    ) -> Value {
        let exprs = &self.at.function.exprs;
        let (operator, what) = ops::binary(self.table, op, operand);
        let operator = ops::times(operator, self.lanes(exprs.ty(id)));
        let compared = match (&x.poly, &y.poly) {
            (Some(a), Some(b)) if op.is_comparison() => Some((op, a.clone(), b.clone())),
            _ => None,
        };
        let usual = self.usually_joined(op, [&x, &y]);
        let of = x.poly.clone().zip(y.poly.clone());
        let kind = match op {
            BinaryOp::Add | BinaryOp::Sub => adding(operand),
            _ => Op::Operator,
        };
        let mut value = self.compute_by(kind, operator, what, &[x, y], span);
        if let Some((a, b)) = of.filter(|_| operand.is_integer()) {
            self.number(op, operand, (a, b), &mut value);
        }
        value.compared = compared;
        value.usual = usual;
        value
    }

    /// `x + sign * y` of integers.
    fn add(&mut self, x: &Value, y: &Value, sign: i128, id: ExprId, span: Option<Span>) -> Value {
        let poly = match (&x.poly, &y.poly) {
            (Some(a), Some(b)) => Some(a.plus(b, sign)),
            _ => None,
        };
        if let Some(value) = poly.as_ref().and_then(Poly::as_constant) {
            return Value::integer(Poly::constant(value));
        }
        let ty = self.at.function.exprs.ty(id);
        let scalar = self.scalar(ty).unwrap_or(Scalar::Int);
        let (operator, what) = ops::binary(self.table, BinaryOp::Add, scalar);
        let operator = ops::times(operator, self.lanes(ty));
        let mut operands = [x.clone(), y.clone()];
        // Constants that are added one after another are one (LLVM's InstCombine).
        let moved = match (x.constant(), y.constant()) {
            (None, Some(_)) => Some(0),
            (Some(_), None) if sign > 0 => Some(1),
            _ => None,
        };
        if let Some(node) = moved.and_then(|at| operands[at].node.as_mut())
            && let Some(from) = self.moved_from(*node)
        {
            *node = from;
        }
        let mut sum = self.compute_by(adding(scalar), operator, what, &operands, span);
        if let (Some(at), Some(node)) = (moved, sum.node)
            && let Some(from) = operands[at].node
            && self.builds()
            && !self.is_ndrange()
        {
            self.known.moved_from.insert(node, from);
        }
        if scalar.is_integer() {
            sum.poly = poly.or(sum.poly);
        }
        sum
    }

    /// What an operation adds a constant to. Numbers of operations that were taken back are given again.
    fn moved_from(&self, node: NodeId) -> Option<NodeId> {
        let from = *self.known.moved_from.get(&node)?;
        let node = self.graph.nodes.get(node)?;
        (node.what == ADDITION && node.inputs == [from]).then_some(from)
    }

    fn pointer_sum(&mut self, op: BinaryOp, x: Value, y: Value, id: ExprId) -> Value {
        let ty = self.at.function.exprs.ty(id);
        let (pointer, index, sign) = match (&x.pointer, &y.pointer, op) {
            (Some(_), None, BinaryOp::Add) => (&x, &y, 1),
            (Some(_), None, BinaryOp::Sub) => (&x, &y, -1),
            (None, Some(_), BinaryOp::Add) => (&y, &x, 1),
            _ => return self.compute(self.table.int_compare, "comparison", &[x, y], None),
        };
        let Some((pointee, _)) = self.module.types.as_pointer(ty) else {
            return Value::default();
        };
        let size = self.size(pointee.ty) as i128;
        let pointer = self.moved(pointer.pointer.clone(), index, sign * size);
        let inputs = [x.node, y.node].into_iter().flatten();
        let node = self.node(Op::Operator, Operator::default(), "address", inputs, None);
        Value {
            node: Some(node),
            pointer,
            ..Value::default()
        }
    }

    /// A pointer `factor * index` bytes further.
    fn moved(&mut self, pointer: Option<Pointer>, index: &Value, factor: i128) -> Option<Pointer> {
        match pointer? {
            Pointer::Memory(array, offset) => {
                let index = match &index.poly {
                    Some(poly) => poly.clone(),
                    None => {
                        let here = self.here();
                        self.opaque(here, true).poly.unwrap_or_default()
                    }
                };
                Some(Pointer::Memory(array, offset.plus(&index, factor)))
            }
            // Elements of arrays in registers are not followed through pointers.
            slot @ Pointer::Slot(_) => Some(slot),
        }
    }

    fn address_of(&mut self, target: Target) -> Value {
        match target {
            Target::Slot(slot) | Target::Element(slot, _) => Value {
                pointer: Some(Pointer::Slot(slot)),
                ..Value::default()
            },
            Target::Memory {
                array,
                address,
                inputs,
            } => {
                let node = match inputs.is_empty() {
                    true => None,
                    false => {
                        Some(self.node(Op::Operator, Operator::default(), "address", inputs, None))
                    }
                };
                Value {
                    node,
                    pointer: Some(Pointer::Memory(array, address)),
                    ..Value::default()
                }
            }
            Target::Components(inner) => self.address_of(*inner),
            Target::Nowhere => Value::default(),
        }
    }

    /// What an lvalue names.
    pub(super) fn target(&mut self, id: ExprId) -> Target {
        let exprs = &self.at.function.exprs;
        match exprs.get(id) {
            Expr::Var(var) => {
                let slot = self.slot(*var);
                if let VarRef::Global(_) = var {
                    self.declare_global(*var);
                }
                match self.memory_of(&slot) {
                    Some(array) => Target::Memory {
                        array,
                        address: Poly::default(),
                        inputs: Vec::new(),
                    },
                    None => Target::Slot(slot),
                }
            }
            Expr::Index { base, index } => {
                let size = self.size(exprs.ty(id)) as i128;
                let base = match self.is_pointer(*base) {
                    true => {
                        let pointer = self.value(*base);
                        self.pointee(pointer)
                    }
                    false => self.target(*base),
                };
                let index = self.value(*index);
                self.element(base, index, size)
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => {
                let pointer = self.value(*operand);
                self.pointee(pointer)
            }
            Expr::Member {
                base,
                record,
                field,
                arrow,
            } => {
                let base = match arrow {
                    true => {
                        let pointer = self.value(*base);
                        self.pointee(pointer)
                    }
                    false => self.target(*base),
                };
                match base {
                    Target::Slot(slot) => Target::Slot(slot.part(*field)),
                    other => {
                        let offsets = self.module.field_offsets(*record).unwrap_or_default();
                        let offset = offsets.get(*field as usize).copied().unwrap_or(0);
                        other.moved(offset.into())
                    }
                }
            }
            Expr::Swizzle {
                base, components, ..
            } => {
                let element = self
                    .scalar(exprs.ty(*base))
                    .map_or(UNKNOWN_BYTES, Scalar::size);
                match self.target(*base) {
                    memory @ Target::Memory { .. } => {
                        let first = i128::from(components.first().copied().unwrap_or(0));
                        memory.moved(first * i128::from(element))
                    }
                    Target::Slot(slot) if components.len() == 1 => {
                        Target::Slot(slot.part(components[0].into()))
                    }
                    other => Target::Components(Box::new(other)),
                }
            }
            Expr::Cast { operand, .. } => self.target(*operand),
            _ => Target::Nowhere,
        }
    }

    fn element(&mut self, base: Target, index: Value, size: i128) -> Target {
        match base {
            Target::Memory {
                array,
                address,
                mut inputs,
            } => {
                inputs.extend(index.node);
                if index.constant().is_none()
                    && let Some(key) = self.at.array_keys.get(&array)
                {
                    self.at.dynamic.insert(*key);
                }
                let index = match index.poly {
                    Some(poly) => poly,
                    None => {
                        let here = self.here();
                        self.opaque(here, true).poly.unwrap_or_default()
                    }
                };
                Target::Memory {
                    array,
                    address: address.plus(&index, size),
                    inputs,
                }
            }
            Target::Slot(slot) => match index.constant() {
                Some(at) => Target::Slot(slot.part(at.clamp(0, i128::from(u32::MAX)) as u32)),
                None => {
                    let key = (self.function_id(), slot.var);
                    self.at.dynamic.insert(key);
                    Target::Element(slot, index)
                }
            },
            other => other,
        }
    }

    fn pointee(&mut self, pointer: Value) -> Target {
        match pointer.pointer {
            Some(Pointer::Memory(array, address)) => Target::Memory {
                array,
                address,
                inputs: pointer.node.into_iter().collect(),
            },
            Some(Pointer::Slot(slot)) => Target::Slot(slot),
            None => Target::Nowhere,
        }
    }

    fn declare_global(&mut self, var: VarRef) {
        let VarRef::Global(global) = var else { return };
        if self.at.arrays.contains_key(&(0, var)) {
            return;
        }
        let variable = &self.module.globals[global].variable;
        let array = Array {
            name: variable.name.clone(),
            root: Root::Object(var),
            memory: memory_kind(variable.space),
            element: None,
            bytes: self.module.layout(variable.ty.ty).map(|layout| layout.size),
            is_restrict: false,
            written: false,
            volatile: false,
            copies: None,
            home: None,
            scope: 0,
            banks: super::stmt::banks(self.module, variable),
            by_item: false,
        };
        let id = self.add_array(array);
        self.at.arrays.insert((0, var), id);
    }

    fn read_expr(&mut self, id: ExprId) -> Value {
        let exprs = &self.at.function.exprs;
        let (span, ty) = (exprs.span(id), exprs.ty(id));
        if let Expr::Swizzle { base, .. } = exprs.get(id)
            && !matches!(
                exprs.get(*base),
                Expr::Var(_) | Expr::Index { .. } | Expr::Member { .. } | Expr::Unary { .. }
            )
        {
            return self.value(*base);
        }
        let target = self.target(id);
        let types = &self.module.types;
        let is_record = types.as_record(ty).is_some() && matches!(target, Target::Slot(_));
        // A record is passed on by where its fields are.
        if is_record || types.as_array(ty).is_some() {
            return self.address_of(target);
        }
        self.read(&target, span, ty)
    }

    /// Reads an lvalue.
    pub(super) fn read(&mut self, target: &Target, span: Option<Span>, ty: TypeId) -> Value {
        match target {
            Target::Slot(slot) if self.module.types.as_vector(ty).is_some() => {
                self.vector(slot, span, ty)
            }
            Target::Slot(slot) => self.variable(slot, ty),
            Target::Element(slot, index) => {
                let parts: Vec<Value> = self.env.parts(slot).into_iter().map(|(_, v)| v).collect();
                let mut operands = vec![index.clone()];
                operands.extend(parts);
                self.choose(&operands, span)
            }
            Target::Memory {
                array,
                address,
                inputs,
            } => self.load(*array, address.clone(), inputs.clone(), span, ty),
            Target::Components(inner) => {
                let inner: &Target = inner;
                self.read(&inner.clone(), span, ty)
            }
            Target::Nowhere => self.unknown(ty),
        }
    }

    fn unknown(&mut self, ty: TypeId) -> Value {
        match self.scalar(ty) {
            Some(scalar) if scalar.is_integer() => {
                let here = self.here();
                self.opaque(here, true)
            }
            _ => Value::default(),
        }
    }

    pub(super) fn variable(&mut self, slot: &Slot, ty: TypeId) -> Value {
        if let Some(value) = self.env.get(slot) {
            let mut value = value.clone();
            let is_integer = self.scalar(ty).is_some_and(Scalar::is_integer);
            if value.poly.is_none() && is_integer {
                // It has no value yet, or one that a write through a pointer left.
                let depends = if value.node.is_some() {
                    self.here()
                } else {
                    Default::default()
                };
                value.poly = self.opaque(depends, false).poly;
                self.env.insert(slot.clone(), value.clone());
            }
            return value;
        }
        // A part of something that is known as a whole, such as a parameter of record type.
        let mut whole = slot.clone();
        while whole.path.pop().is_some() {
            if let Some(value) = self.env.get(&whole).cloned() {
                let value = self.part_of(&value, ty);
                self.env.insert(slot.clone(), value.clone());
                return value;
            }
        }
        let value = self.opaque_typed(ty, None);
        self.env.insert(slot.clone(), value.clone());
        value
    }

    pub(super) fn opaque_typed(&mut self, ty: TypeId, node: Option<NodeId>) -> Value {
        let poly = match self.scalar(ty) {
            Some(scalar) if scalar.is_integer() => {
                let depends = if node.is_some() {
                    self.here()
                } else {
                    Default::default()
                };
                self.opaque(depends, false).poly
            }
            _ => None,
        };
        Value {
            node,
            poly,
            ..Value::default()
        }
    }

    /// Sets a variable; a record field by field.
    pub(super) fn set(&mut self, to: &Slot, value: Value, ty: TypeId) {
        let types = &self.module.types;
        let is_record = types.as_record(ty).is_some();
        let has_parts = is_record || types.as_vector(ty).is_some();
        match &value.pointer {
            Some(Pointer::Slot(from)) if is_record => {
                let parts = self.env.parts(from);
                self.env.remove_parts(to);
                for (key, value) in parts {
                    let mut copy = to.clone();
                    copy.path.extend(&key.path[from.path.len()..]);
                    self.assign(copy, value);
                }
            }
            _ => {
                if has_parts {
                    self.env.remove_parts(to);
                }
                self.set_components(to, &value, ty);
                self.assign(to.clone(), value);
            }
        }
    }

    /// Writes an lvalue.
    pub(super) fn write(&mut self, target: Target, value: Value, span: Option<Span>, ty: TypeId) {
        match target {
            Target::Slot(slot) => {
                self.set(&slot, value, ty);
            }
            Target::Element(slot, index) => {
                for (key, old) in self.env.parts(&slot) {
                    let operands = [index.clone(), value.clone(), old];
                    let new = self.choose(&operands, span);
                    self.assign(key, new);
                }
            }
            Target::Memory {
                array,
                address,
                inputs,
            } => {
                self.store(array, address, inputs, (value.node, ty), span);
            }
            Target::Components(inner) => {
                let old = self.read(&inner, span, ty);
                let new = self.compute(Operator::default(), "vector", &[old, value], span);
                self.write(*inner, new, span, ty);
            }
            Target::Nowhere => {}
        }
    }
}

/// What an addition is: of floats, those that aoc may accumulate are a kind of their own.
fn adding(scalar: Scalar) -> Op {
    match scalar {
        Scalar::Float => Op::FloatAdd,
        _ => Op::Operator,
    }
}
