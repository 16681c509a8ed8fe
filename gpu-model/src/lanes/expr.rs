//! Expressions.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, IncDecOp, Scalar, SizeOfArg, Type, TypeId, UnaryOp,
    VarRef,
};
use fpgacc_kernel_analysis::{constant, short_circuit};

use super::machine::{Machine, Values, Ways};
use super::observed::BranchKind;
use super::ops::{self, Outcome, Products};
use super::value::{Linear, Object, Origin, Value};
use super::wide::{Mask, Wide};

/// What an lvalue names.
enum Spot {
    /// A scalar, vector or pointer variable.
    Variable((u32, VarRef)),
    /// Components of a vector variable.
    Components((u32, VarRef), Vec<u8>),
    /// A part of an array or record of a lane's own.
    Part((u32, VarRef), Wide),
    /// Memory that lanes share.
    Memory {
        pointer: Wide,
        space: AddressSpace,
        ty: TypeId,
        components: usize,
        bytes: u64,
    },
    /// It is not followed.
    Lost,
}

impl<'a> Machine<'a> {
    /// The value of a scalar; the first component of a vector.
    pub(super) fn one(&mut self, id: ExprId, mask: Mask) -> Wide {
        let values = self.values(id, mask);
        values.into_iter().next().unwrap_or_else(|| Wide::int(0))
    }

    /// The components of a value.
    pub(super) fn values(&mut self, id: ExprId, mask: Mask) -> Values {
        let function = self.function();
        match function.exprs.get(id) {
            Expr::Int { value, .. } => vec![Wide::int(*value)],
            Expr::Float { value, .. } => {
                let scalar = self.scalar(self.ty(id));
                vec![Wide::Same(Value::Float(ops::rounded(*value, scalar)))]
            }
            Expr::Str(_) | Expr::BuiltinConst(_) => vec![self.unknown(Origin::Computed)],
            Expr::EnumConst(..) => {
                let value = constant::integer(self.module, &function.exprs, id);
                vec![Wide::int(value.unwrap_or_default())]
            }
            Expr::Var(_) | Expr::Index { .. } | Expr::Member { .. } | Expr::Swizzle { .. } => {
                self.read(id, mask)
            }
            Expr::Unary { op, operand } => self.unary(id, *op, *operand, mask),
            Expr::IncDec { op, operand } => self.step_by_one(id, *op, *operand, mask),
            Expr::Binary { op, lhs, rhs } => match op {
                BinaryOp::And | BinaryOp::Or => vec![self.logic(id, *op, (*lhs, *rhs), mask)],
                _ => {
                    let (lhs, rhs) = (self.values(*lhs, mask), self.values(*rhs, mask));
                    self.operate(id, *op, &lhs, &rhs, mask)
                }
            },
            Expr::Assign { op, lhs, rhs } => self.assign(id, *op, *lhs, *rhs, mask),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => self.select(*cond, *then, *otherwise, mask),
            Expr::Cast { operand, .. } => {
                let values = self.values(*operand, mask);
                self.cast(id, values, mask)
            }
            Expr::VectorLit { elements } => {
                let all = elements
                    .iter()
                    .flat_map(|element| self.values(*element, mask));
                let mut all: Values = all.collect();
                let count = self.components(self.ty(id));
                if let [one] = &all[..] {
                    all = vec![one.clone(); count];
                }
                all
            }
            Expr::Compound { .. } => vec![self.unknown(Origin::Computed)],
            Expr::SizeOf(arg) => {
                let ty = match arg {
                    SizeOfArg::Type(ty) => ty.ty,
                    SizeOfArg::Expr(id) => self.ty(*id),
                };
                vec![Wide::int(i128::from(self.size(ty)))]
            }
            Expr::Call { callee, args } => self.call(id, callee, args, mask),
            Expr::Comma { lhs, rhs } => {
                self.values(*lhs, mask);
                self.values(*rhs, mask)
            }
        }
    }

    /// Applies an operation to each lane: one result where all lanes have one value.
    pub(super) fn each(
        &mut self,
        mask: Mask,
        operands: &[&Wide],
        op: impl Fn(&[&Value]) -> Option<Value>,
    ) -> Wide {
        self.step();
        let same: Option<Vec<&Value>> = operands.iter().map(|operand| operand.same()).collect();
        if let Some(values) = same {
            return match op(&values) {
                Some(value) if value.is_one() => Wide::Same(value),
                _ => self.unknown(Origin::Computed),
            };
        }
        let lost = self.fresh(Origin::Computed);
        let mut values: Vec<&Value> = Vec::with_capacity(operands.len());
        Wide::of_lanes(self.width, mask, |lane| {
            values.clear();
            values.extend(operands.iter().map(|operand| operand.lane(lane)));
            op(&values).unwrap_or_else(|| doubtful(&values).unwrap_or(Value::Open(lost)))
        })
    }

    fn operate(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        lhs: &Values,
        rhs: &Values,
        mask: Mask,
    ) -> Values {
        let ty = self.ty(id);
        if let Some((pointee, _)) = self.pointee(ty) {
            return vec![self.moved(op, &lhs[0], &rhs[0], pointee, mask)];
        }
        let scalar = self.scalar(ty);
        let is_product = op == BinaryOp::Mul && !scalar.is_some_and(Scalar::is_float);
        let count = lhs.len().max(rhs.len());
        (0..count)
            .map(|at| {
                let (a, b) = (&lhs[at.min(lhs.len() - 1)], &rhs[at.min(rhs.len() - 1)]);
                let products = match is_product {
                    true => self.products(a, b),
                    false => Products::new(),
                };
                self.each(mask, &[a, b], |values| {
                    match (ops::binary(op, values[0], values[1], scalar), values) {
                        (Outcome::Known(value), _) => Some(value),
                        (Outcome::Lost, [Value::Int(a), Value::Int(b)]) if is_product => {
                            ops::product(a, b, &products).map(Value::Int)
                        }
                        (Outcome::Lost, _) => None,
                    }
                })
            })
            .collect()
    }

    /// The type that a pointer points to, and its size.
    fn pointee(&self, ty: TypeId) -> Option<(TypeId, u64)> {
        let types = &self.module.types;
        let pointee = types.as_pointer(ty).map(|(pointee, _)| pointee);
        let element = types.as_array(ty).map(|(element, _)| element);
        let pointee = pointee.or(element)?.ty;
        Some((pointee, self.size(pointee)))
    }

    /// A pointer, some elements on.
    fn moved(&mut self, op: BinaryOp, lhs: &Wide, rhs: &Wide, pointee: TypeId, mask: Mask) -> Wide {
        let size = i128::from(self.size(pointee));
        let times = if op == BinaryOp::Sub { -size } else { size };
        self.each(mask, &[lhs, rhs], |values| match (values[0], values[1]) {
            (Value::Pointer(object, from), Value::Int(by))
            | (Value::Int(by), Value::Pointer(object, from)) => {
                Some(Value::Pointer(*object, from.plus(by, times)?))
            }
            _ => None,
        })
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId, mask: Mask) -> Values {
        match op {
            UnaryOp::Deref => self.read(id, mask),
            UnaryOp::AddressOf => vec![self.address(operand, mask)],
            UnaryOp::Plus => self.values(operand, mask),
            UnaryOp::Minus | UnaryOp::Complement | UnaryOp::Not => {
                let scalar = self.scalar(self.ty(id));
                let values = self.values(operand, mask);
                let apply = |value: &Value| match (op, value) {
                    (_, Value::Data | Value::Open(_)) => Some(value.clone()),
                    (UnaryOp::Minus, Value::Int(linear)) => {
                        Some(Value::Int(ops::wrapped(linear.times(-1)?, scalar)))
                    }
                    (UnaryOp::Minus, Value::Float(number)) => Some(Value::Float(-number)),
                    (UnaryOp::Complement, Value::Int(linear)) => {
                        let value = Linear::constant(!linear.known()?);
                        Some(Value::Int(ops::wrapped(value, scalar)))
                    }
                    (UnaryOp::Not, value) => {
                        let is_zero = match value {
                            Value::Likely(holds, sym) => {
                                return Some(Value::Likely(!holds, *sym));
                            }
                            Value::Int(linear) => linear.known()? == 0,
                            Value::Float(number) => *number == 0.0,
                            _ => false,
                        };
                        Some(Value::int(i128::from(is_zero)))
                    }
                    _ => None,
                };
                let each = values
                    .iter()
                    .map(|value| self.each(mask, &[value], |v| apply(v[0])));
                each.collect()
            }
        }
    }

    fn step_by_one(&mut self, id: ExprId, op: IncDecOp, operand: ExprId, mask: Mask) -> Values {
        let spot = self.spot(operand, mask);
        let before = self.load(operand, &spot, mask);
        let by = match op {
            IncDecOp::PreInc | IncDecOp::PostInc => BinaryOp::Add,
            IncDecOp::PreDec | IncDecOp::PostDec => BinaryOp::Sub,
        };
        let after = self.operate(id, by, &before, &vec![Wide::int(1)], mask);
        self.store(operand, &spot, &after, mask);
        match op {
            IncDecOp::PreInc | IncDecOp::PreDec => after,
            IncDecOp::PostInc | IncDecOp::PostDec => before,
        }
    }

    fn assign(
        &mut self,
        id: ExprId,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        mask: Mask,
    ) -> Values {
        let value = self.values(rhs, mask);
        let spot = self.spot(lhs, mask);
        let value = match op {
            None => value,
            Some(op) => {
                let before = self.load(lhs, &spot, mask);
                self.operate(id, op, &before, &value, mask)
            }
        };
        let value = self.cast(lhs, value, mask);
        self.store(lhs, &spot, &value, mask);
        value
    }

    /// A value in the type of an expression.
    fn cast(&mut self, id: ExprId, values: Values, mask: Mask) -> Values {
        let ty = self.ty(id);
        let scalar = match self.module.types.resolve(ty) {
            Type::Pointer { .. } | Type::Void => return values,
            _ => self.scalar(ty),
        };
        let count = self.components(ty);
        let mut values: Values = values
            .iter()
            .map(|value| match value.same() {
                // No operation of its own.
                Some(same) => match ops::converted(same, scalar) {
                    Some(value) => Wide::Same(value),
                    None => self.kept_or_unknown(value),
                },
                None => Wide::of_lanes(self.width, mask, |lane| {
                    let value = value.lane(lane);
                    ops::converted(value, scalar).unwrap_or_else(|| value.clone())
                }),
            })
            .collect();
        if let ([one], true) = (&values[..], count > 1) {
            values = vec![one.clone(); count];
        }
        values
    }

    /// A number with unknown parts stays what it is in another type, but for floats, which are not followed.
    fn kept_or_unknown(&mut self, value: &Wide) -> Wide {
        match value.same() {
            Some(Value::Int(_)) => value.clone(),
            _ => self.unknown(Origin::Computed),
        }
    }

    /// `&&` and `||`: the right side is for lanes that the left one does not decide.
    fn logic(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        (lhs, rhs): (ExprId, ExprId),
        mask: Mask,
    ) -> Wide {
        let left = self.one(lhs, mask);
        let ways = self.ways(&left, mask);
        let branch = self.short_circuit(id);
        let decided = if op == BinaryOp::And {
            ways.no
        } else {
            ways.yes
        };
        let others = mask & !decided;
        let right = self.right(branch, (op, rhs), &ways, others);
        let short = Wide::int(i128::from(op == BinaryOp::Or));
        let Some(right) = right else {
            // It is as sure as the left side.
            return match ways.supposed {
                Some(sym) => Wide::Same(Value::Likely(op == BinaryOp::Or, sym)),
                None => short,
            };
        };
        let truth = |value: &Value| match value {
            Value::Likely(holds, _) => Some(*holds),
            Value::Int(linear) => linear.known().map(|known| known != 0),
            Value::Float(number) => Some(*number != 0.0),
            Value::Pointer(..) => Some(true),
            _ => None,
        };
        let decides = |truth: bool| truth == (op == BinaryOp::Or);
        let supposes = |values: &[&Value]| {
            values.iter().find_map(|value| match value {
                Value::Likely(_, sym) => Some(*sym),
                _ => None,
            })
        };
        let joined = self.each(others, &[&left, &right], |values| {
            let both = (truth(values[0]), truth(values[1]));
            if let (Some(a), Some(b), Some(sym)) = (both.0, both.1, supposes(values)) {
                let holds = if op == BinaryOp::And { a && b } else { a || b };
                return Some(Value::Likely(holds, sym));
            }
            match both {
                (Some(a), _) if decides(a) => Some(Value::int(i128::from(a))),
                (_, Some(b)) if decides(b) => Some(Value::int(i128::from(b))),
                (Some(_), Some(b)) => Some(Value::int(i128::from(b))),
                (None, _) => doubtful(&values[..1]),
                (_, None) => doubtful(&values[1..]),
            }
        });
        match decided & mask {
            0 => joined,
            _ => short.replaced(self.width, others, &joined),
        }
    }

    /// The condition of the branch that an `&&` or `||` is, if it is one.
    fn short_circuit(&mut self, id: ExprId) -> Option<ExprId> {
        let (module, function) = (self.module, self.frame.function);
        let known = self.short_circuits.entry((function, id));
        *known.or_insert_with(|| short_circuit::condition(module, &module.functions[function], id))
    }

    /// The right side of `&&` and `||`, for the lanes that need it; none, if no lane does. It may be a branch.
    fn right(
        &mut self,
        branch: Option<ExprId>,
        (op, rhs): (BinaryOp, ExprId),
        ways: &Ways,
        others: Mask,
    ) -> Option<Wide> {
        let Some(cond) = branch else {
            return (others != 0).then(|| self.one(rhs, others));
        };
        let side = usize::from(op == BinaryOp::Or);
        let taken = match ways.in_doubt() {
            0 => 1.0,
            _ => self.taken(cond, BranchKind::ShortCircuit)[side],
        };
        let (weight, guess, start) = (self.weight, self.guess, self.seen.operations);
        self.weight *= taken;
        let doubt = self.doubt(cond, ways);
        self.guess.condition.add(doubt);
        let right = (others != 0).then(|| self.one(rhs, others));
        (self.weight, self.guess) = (weight, guess);
        let mut issued = [0.0; 2];
        issued[side] = (self.seen.operations - start) / taken;
        let idle = self.idle(ways, issued);
        let span = self.function().exprs.span(cond);
        self.branch(span, BranchKind::ShortCircuit, ways, (idle, issued));
        right
    }

    fn select(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId, mask: Mask) -> Values {
        let condition = self.values(cond, mask);
        if condition.len() > 1 {
            let (then, otherwise) = (self.values(then, mask), self.values(otherwise, mask));
            let ways: Vec<_> = condition.iter().map(|one| self.ways(one, mask)).collect();
            let each = ways.iter().zip(then.iter().zip(&otherwise));
            return each
                .map(|(ways, (a, b))| self.either(a, b, ways, mask))
                .collect();
        }
        let ways = self.ways(&condition[0], mask);
        let doubt = ways.in_doubt();
        let start = self.seen.operations;
        let a = match ways.yes | doubt {
            0 => None,
            taken => Some(self.values(then, taken)),
        };
        let middle = self.seen.operations;
        let b = match ways.no | doubt {
            0 => None,
            taken => Some(self.values(otherwise, taken)),
        };
        let issued = [middle - start, self.seen.operations - middle];
        let idle = self.idle(&ways, issued);
        let span = self.function().exprs.span(cond);
        self.branch(span, BranchKind::Select, &ways, (idle, issued));
        match (a, b) {
            (Some(a), Some(b)) => {
                let pairs = a.iter().zip(&b);
                pairs.map(|(a, b)| self.either(a, b, &ways, mask)).collect()
            }
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => vec![Wide::int(0)],
        }
    }

    /// The address of an lvalue.
    fn address(&mut self, id: ExprId, mask: Mask) -> Wide {
        match self.spot(id, mask) {
            Spot::Memory { pointer, .. } => pointer,
            Spot::Variable((call, var))
            | Spot::Components((call, var), _)
            | Spot::Part((call, var), _) => Wide::Same(Value::Pointer(
                Object::Variable(call, var),
                Linear::default(),
            )),
            Spot::Lost => self.unknown(Origin::Computed),
        }
    }

    fn read(&mut self, id: ExprId, mask: Mask) -> Values {
        let spot = self.spot(id, mask);
        self.load(id, &spot, mask)
    }

    /// The key of a variable: variables of the program and local memory are one for all calls.
    fn key(&self, var: VarRef) -> (u32, VarRef) {
        match var {
            VarRef::Local(_) => (self.frame.id, var),
            VarRef::Global(_) => (0, var),
        }
    }

    fn variable(&self, var: VarRef) -> (AddressSpace, TypeId) {
        let variable = match var {
            VarRef::Local(local) => &self.function().vars[local],
            VarRef::Global(global) => &self.module.globals[global].variable,
        };
        (variable.space, variable.ty.ty)
    }

    fn spot(&mut self, id: ExprId, mask: Mask) -> Spot {
        let function = self.function();
        match function.exprs.get(id) {
            Expr::Var(var) => {
                let (space, ty) = self.variable(*var);
                let key = self.key(*var);
                let is_plain = !matches!(
                    self.module.types.resolve(ty),
                    Type::Array { .. } | Type::Record(_)
                );
                if space == AddressSpace::Private && is_plain {
                    return Spot::Variable(key);
                }
                let pointer = Value::Pointer(Object::Variable(key.0, key.1), Linear::default());
                self.at(Wide::Same(pointer), space, ty)
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => {
                let pointer = self.one(*operand, mask);
                let space = self.space_of(&pointer, *operand);
                let ty = self.ty(id);
                self.at(pointer, space, ty)
            }
            Expr::Index { base, index } => {
                let pointer = self.one(*base, mask);
                let index = self.one(*index, mask);
                let space = self.space_of(&pointer, *base);
                let ty = self.ty(id);
                let moved = self.moved(BinaryOp::Add, &pointer, &index, ty, mask);
                self.at(moved, space, ty)
            }
            Expr::Member {
                base,
                record,
                field,
                arrow,
            } => {
                let pointer = match arrow {
                    true => self.one(*base, mask),
                    false => self.address(*base, mask),
                };
                let space = self.space_of(&pointer, *base);
                let offsets = self.module.field_offsets(*record);
                let offset = offsets.and_then(|all| all.get(*field as usize).copied());
                let offset = i128::from(offset.unwrap_or_default());
                let moved = Wide::of_lanes(self.width, mask, |lane| match pointer.lane(lane) {
                    Value::Pointer(object, from) => {
                        let to = from.plus(&Linear::constant(offset), 1);
                        Value::Pointer(*object, to.unwrap_or_default())
                    }
                    other => other.clone(),
                });
                let ty = self.ty(id);
                self.at(moved, space, ty)
            }
            Expr::Swizzle {
                base, components, ..
            } => self.components_spot(id, *base, components, mask),
            _ => Spot::Lost,
        }
    }

    fn components_spot(&mut self, id: ExprId, base: ExprId, components: &[u8], mask: Mask) -> Spot {
        let is_lvalue = matches!(
            self.function().exprs.get(base),
            Expr::Var(_)
                | Expr::Index { .. }
                | Expr::Member { .. }
                | Expr::Swizzle { .. }
                | Expr::Unary {
                    op: UnaryOp::Deref,
                    ..
                }
        );
        if !is_lvalue {
            return Spot::Lost;
        }
        match self.spot(base, mask) {
            Spot::Variable(key) => Spot::Components(key, components.to_vec()),
            Spot::Memory { pointer, space, .. } => {
                let scalar = self.scalar(self.ty(id)).map_or(4, Scalar::size);
                let first = components.iter().copied().min().unwrap_or_default();
                let offset = Linear::constant(i128::from(first) * i128::from(scalar));
                let pointer = Wide::of_lanes(self.width, mask, |lane| match pointer.lane(lane) {
                    Value::Pointer(object, from) => {
                        Value::Pointer(*object, from.plus(&offset, 1).unwrap_or_default())
                    }
                    other => other.clone(),
                });
                Spot::Memory {
                    pointer,
                    space,
                    ty: self.ty(id),
                    components: components.len(),
                    bytes: scalar * components.len() as u64,
                }
            }
            other => other,
        }
    }

    /// What lies at an address: memory, or a part of a variable of a lane's own.
    fn at(&mut self, pointer: Wide, space: AddressSpace, ty: TypeId) -> Spot {
        let object = match pointer.lane(self.exists.trailing_zeros() as usize) {
            Value::Pointer(object, _) => Some(*object),
            _ => None,
        };
        match (space, object) {
            (AddressSpace::Private, Some(Object::Variable(call, var))) => {
                Spot::Part((call, var), pointer)
            }
            (AddressSpace::Private, _) => Spot::Lost,
            _ => Spot::Memory {
                pointer,
                space,
                ty,
                components: self.components(ty),
                bytes: self.size(ty),
            },
        }
    }

    /// The space that a pointer points into.
    fn space_of(&self, pointer: &Wide, id: ExprId) -> AddressSpace {
        let lane = self.exists.trailing_zeros() as usize;
        let by_type = self
            .module
            .types
            .as_pointer(self.ty(id))
            .map(|(_, space)| space);
        match (by_type, pointer.lane(lane)) {
            (Some(space), _) if space != AddressSpace::Generic => space,
            (_, Value::Pointer(Object::Variable(call, VarRef::Local(var)), _))
                if by_type.is_none() =>
            {
                let function = self.functions[*call as usize];
                self.module.functions[function].vars[*var].space
            }
            (_, Value::Pointer(Object::Variable(_, VarRef::Global(var)), _)) => {
                self.module.globals[*var].variable.space
            }
            _ => AddressSpace::Global,
        }
    }

    fn load(&mut self, id: ExprId, spot: &Spot, mask: Mask) -> Values {
        match spot {
            Spot::Variable(key) => match self.env.get(key) {
                Some(values) => values.clone(),
                None => vec![self.unknown(Origin::Computed); self.components(self.ty(id))],
            },
            Spot::Components(key, components) => {
                let known = self.env.get(key).cloned().unwrap_or_default();
                let pick = |at: &u8| known.get(usize::from(*at)).cloned();
                let picked: Option<Values> = components.iter().map(pick).collect();
                picked.unwrap_or_else(|| {
                    vec![Wide::of_lanes(self.width, mask, |_| Value::Data); components.len()]
                })
            }
            Spot::Part(key, pointer) => {
                let ty = self.ty(id);
                if self.is_aggregate(ty) {
                    return vec![pointer.clone()];
                }
                let is_same = pointer.same().is_some()
                    && self
                        .env
                        .get(key)
                        .is_none_or(|held| held.iter().all(|one| one.same().is_some()));
                let value = match is_same {
                    true => self.unknown(Origin::Computed),
                    false => Wide::of_lanes(self.width, mask, |_| Value::Data),
                };
                vec![value; self.components(ty)]
            }
            Spot::Memory {
                pointer,
                space,
                ty,
                components,
                bytes,
            } => {
                // An array or record is its address until a part of it is read.
                if self.is_aggregate(*ty) {
                    return vec![pointer.clone()];
                }
                self.step();
                self.access(id, (*space, *bytes, false), pointer, mask);
                let is_pointer = self.module.types.as_pointer(*ty).is_some();
                match pointer.same() {
                    Some(Value::Pointer(..)) if !is_pointer => (0..*components)
                        .map(|_| self.unknown(Origin::Memory))
                        .collect(),
                    _ => vec![Wide::of_lanes(self.width, mask, |_| Value::Data); *components],
                }
            }
            Spot::Lost => {
                // A swizzle of what is no lvalue.
                if let Expr::Swizzle {
                    base, components, ..
                } = self.function().exprs.get(id)
                {
                    let values = self.values(*base, mask);
                    let last = values.len().saturating_sub(1);
                    let pick = |at: &u8| values[usize::from(*at).min(last)].clone();
                    return components.iter().map(pick).collect();
                }
                vec![
                    Wide::of_lanes(self.width, mask, |_| Value::Data);
                    self.components(self.ty(id))
                ]
            }
        }
    }

    fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(
            self.module.types.resolve(ty),
            Type::Array { .. } | Type::Record(_)
        )
    }

    fn store(&mut self, id: ExprId, spot: &Spot, values: &Values, mask: Mask) {
        match spot {
            Spot::Variable(key) => {
                let before = self.env.get(key).cloned();
                let values = match before {
                    Some(before) if mask != self.exists => self.replaced(&before, mask, values),
                    _ => values.clone(),
                };
                self.env.insert(*key, values);
            }
            Spot::Components(key, components) => {
                let mut known = self.env.get(key).cloned().unwrap_or_default();
                let most = components.iter().copied().max().unwrap_or_default();
                known.resize(known.len().max(usize::from(most) + 1), Wide::int(0));
                for (at, value) in components.iter().zip(values.iter().cycle()) {
                    let position = &mut known[usize::from(*at)];
                    *position = position.replaced(self.width, mask, value);
                }
                self.env.insert(*key, known);
            }
            Spot::Part(key, pointer) => {
                let is_same = pointer.same().is_some()
                    && mask == self.exists
                    && values.iter().all(|one| one.same().is_some());
                let held = self.env.entry(*key).or_default();
                match is_same {
                    true => held.extend(held.is_empty().then(|| Wide::int(0))),
                    false => *held = vec![Wide::of_lanes(self.width, mask, |_| Value::Data)],
                }
            }
            Spot::Memory {
                pointer,
                space,
                bytes,
                ..
            } => {
                self.step();
                self.access(id, (*space, *bytes, true), pointer, mask);
            }
            Spot::Lost => {}
        }
    }
}

/// What a result is that an operand makes unknown for its lane.
pub(super) fn doubtful(values: &[&Value]) -> Option<Value> {
    if values.iter().any(|value| matches!(value, Value::Data)) {
        return Some(Value::Data);
    }
    let mut open = values.iter().filter_map(|value| match value {
        Value::Open(sym) => Some(*sym),
        Value::Int(linear) | Value::Pointer(_, linear) => linear.terms.first().map(|(sym, _)| *sym),
        _ => None,
    });
    open.next().map(Value::Open)
}
