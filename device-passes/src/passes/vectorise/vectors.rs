//! Expressions as vectors.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, QualType, Qualifiers, Scalar, UnaryOp, VarRef,
};

use fpgacc_kernel_analysis::faults;

use crate::passes::vectorise::builtins::{self, Kind};
use crate::passes::vectorise::emitter::{Emitter, INSIDE, Lane, Own};
use crate::passes::vectorise::shapes::{Linear, Shape, Storage, converted, kept, promoted};

impl Emitter<'_> {
    /// The values of all lanes, as a vector of elements of the expression's own type (`int` for `bool`).
    /// Only for scalars.
    pub fn vector(&mut self, id: ExprId) -> ExprId {
        let Some(scalar) = self.scalar(id) else {
            self.problem(
                "what differs between lanes is no number here",
                self.span(id),
            );
            return self.of_first(id);
        };
        let elements = kept(scalar);
        match self.shapes.expr(id) {
            Shape::Uniform | Shape::Unset => {
                let first = self.of_first(id);
                self.splat(first, elements)
            }
            Shape::Linear(linear) => self.ramp(id, linear, elements),
            Shape::Varying => self.varying(id, elements),
        }
    }

    /// The values of all lanes, converted as C does.
    pub fn vector_as(&mut self, id: ExprId, to: Scalar) -> ExprId {
        if to == Scalar::Bool {
            let (mask, elements) = self.mask(id);
            return self.truth_of(mask, elements);
        }
        if self.shapes.is_uniform(id) {
            let first = self.of_first(id);
            return self.splat(first, to);
        }
        let vector = self.vector(id);
        self.converted_to(vector, to)
    }

    /// The same, or a scalar that the other operand of a vector operation widens.
    fn operand(&mut self, id: ExprId, to: Scalar) -> ExprId {
        if !self.shapes.is_uniform(id) {
            return self.vector_as(id, to);
        }
        let first = self.of_first(id);
        match self.scalar(id) == Some(to) {
            true => first,
            false => {
                let ty = self.target.types.scalar(to);
                self.target.function.exprs.cast(ty, first)
            }
        }
    }

    pub(super) fn span(&self, id: ExprId) -> Option<fpgacc_frontend::source::Span> {
        self.target.function.exprs.span(id)
    }

    /// `(float4)(value)`
    pub fn splat(&mut self, value: ExprId, elements: Scalar) -> ExprId {
        self.literal(vec![value], elements)
    }

    fn literal(&mut self, values: Vec<ExprId>, elements: Scalar) -> ExprId {
        let ty = self.vector_type(elements);
        self.target
            .function
            .exprs
            .add(Expr::VectorLit { elements: values }, ty, None)
    }

    fn ramp(&mut self, id: ExprId, linear: Linear, elements: Scalar) -> ExprId {
        let first = self.of_first(id);
        let first = self.splat(first, elements);
        let steps =
            (0..i64::from(self.width)).map(|number| self.target.int(number * linear.stride));
        let steps: Vec<ExprId> = steps.collect();
        let steps = self.literal(steps, elements);
        self.vectors += 1;
        self.target.binary(BinaryOp::Add, first, steps)
    }

    /// A vector of other elements.
    pub fn converted_to(&mut self, vector: ExprId, to: Scalar) -> ExprId {
        let ty = self.target.function.exprs.ty(vector);
        match self.target.types.as_vector(ty) {
            Some((from, _)) if from != to => {
                let ty = self.vector_type(to);
                let name = format!("convert_{}{}", to.name(), self.width);
                self.target
                    .function
                    .exprs
                    .call_builtin(&name, ty, vec![vector])
            }
            _ => vector,
        }
    }

    /// An expression lane by lane, put into a vector.
    pub fn by_lanes(&mut self, id: ExprId, elements: Scalar) -> ExprId {
        if self.assigns(id) {
            self.problem(INSIDE, self.span(id));
        }
        self.serial += 1;
        let values = (0..self.width).map(|number| self.lane(id, Lane::Of(number), &Own::new()));
        let values = values.collect();
        self.literal(values, elements)
    }

    fn varying(&mut self, id: ExprId, elements: Scalar) -> ExprId {
        let made = match self.get(id) {
            Expr::Var(VarRef::Local(var))
                if matches!(self.shapes.storage(var), Storage::Vector(_)) =>
            {
                return self.target.function.use_var(var);
            }
            Expr::Unary { op, operand } if self.scalar(operand).is_some() => match op {
                UnaryOp::Plus => return self.vector_as(operand, elements),
                UnaryOp::Minus | UnaryOp::Complement => {
                    let operand = self.vector_as(operand, elements);
                    let ty = self.vector_type(elements);
                    Some(
                        self.target
                            .function
                            .exprs
                            .add(Expr::Unary { op, operand }, ty, None),
                    )
                }
                UnaryOp::Not => Some(self.truth(id)),
                UnaryOp::Deref | UnaryOp::AddressOf => None,
            },
            Expr::Binary { op, lhs, rhs } => self.binary(id, op, lhs, rhs, elements),
            Expr::Cast { ty, operand } if self.scalar(operand).is_some() => {
                return match self.target.types.as_scalar(ty.ty) {
                    Some(to) => self.vector_as(operand, to),
                    None => self.by_lanes(id, elements),
                };
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => self.choice(cond, then, otherwise, elements),
            Expr::Index { .. } => match self.array_of(id) {
                Some(var) => return self.element(id, var, Lane::Of(0), &Own::new()),
                None => self.load(id),
            },
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } => self.builtin(id, &name, &args),
            _ => None,
        };
        match made {
            Some(made) => {
                self.vectors += 1;
                made
            }
            None => self.by_lanes(id, elements),
        }
    }

    fn binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        elements: Scalar,
    ) -> Option<ExprId> {
        self.scalar(lhs)?;
        self.scalar(rhs)?;
        if op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or) {
            let is_plain = op.is_comparison() || self.is_speculable(rhs);
            return is_plain.then(|| self.truth(id));
        }
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        // The scalar that is shifted is not widened.
        let left = match is_shift {
            true => self.vector_as(lhs, elements),
            false => self.operand(lhs, elements),
        };
        let right = self.operand(rhs, elements);
        Some(self.operation(op, left, right, elements))
    }

    fn operation(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, elements: Scalar) -> ExprId {
        let ty = self.vector_type(elements);
        self.target
            .function
            .exprs
            .add(Expr::Binary { op, lhs, rhs }, ty, None)
    }

    /// `lhs op rhs`, of what a location holds, as a vector, and an expression; converted to what the location
    /// holds.
    pub fn combined(&mut self, op: BinaryOp, held: (ExprId, Scalar), rhs: ExprId) -> ExprId {
        let (held, scalar) = held;
        let Some(by) = self.scalar(rhs) else {
            return held;
        };
        let common = match op {
            BinaryOp::Shl | BinaryOp::Shr => promoted(scalar),
            _ => scalar.usual(by),
        };
        let left = self.converted_to(held, common);
        let right = self.operand(rhs, common);
        let value = self.operation(op, left, right, common);
        self.vectors += 1;
        if scalar == Scalar::Bool {
            let zero = self.zero(common);
            let ty = self.target.types.truth_vector((common, self.width));
            let truth = Expr::Binary {
                op: BinaryOp::Ne,
                lhs: value,
                rhs: zero,
            };
            let truth = self.target.function.exprs.add(truth, ty, None);
            return self.truth_of(truth, signed(common));
        }
        self.converted_to(value, scalar)
    }

    /// `cond ? then : otherwise`
    fn choice(
        &mut self,
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
        elements: Scalar,
    ) -> Option<ExprId> {
        self.scalar(then)?;
        self.scalar(otherwise)?;
        if self.shapes.is_uniform(cond) {
            let cond = self.of_first(cond);
            let then = self.vector_as(then, elements);
            let otherwise = self.vector_as(otherwise, elements);
            return Some(self.select(cond, then, otherwise));
        }
        if !self.is_speculable(then)
            || !self.is_speculable(otherwise)
            || self.scalar(cond).is_none()
        {
            return None;
        }
        let cond = self.mask_for(cond, elements);
        let then = self.vector_as(then, elements);
        let otherwise = self.vector_as(otherwise, elements);
        Some(self.select(cond, then, otherwise))
    }

    /// `cond ? then : otherwise` of what is converted already.
    pub fn select(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.target.function.exprs.ty(then);
        let choice = Expr::Cond {
            cond,
            then,
            otherwise,
        };
        self.target.function.exprs.add(choice, ty, None)
    }

    /// Where a condition holds, -1, else 0, in integers as wide as `elements`.
    pub fn mask_for(&mut self, id: ExprId, elements: Scalar) -> ExprId {
        let (mask, _) = self.mask(id);
        self.converted_to(mask, signed(elements))
    }

    /// Where a condition holds, -1, else 0, and the type of these integers.
    pub fn mask(&mut self, id: ExprId) -> (ExprId, Scalar) {
        if self.shapes.is_uniform(id) {
            return self.mask_of_all(id);
        }
        if let Some(mask) = self.mask_of_truth(id) {
            return mask;
        }
        let elements = self.scalar(id).map_or(Scalar::Int, kept);
        let value = match self.get(id) {
            // These would ask for the mask again.
            Expr::Binary { .. } if self.is_truth(id) => self.by_lanes(id, elements),
            Expr::Call { .. } if self.is_truth(id) => self.by_lanes(id, elements),
            _ => self.vector(id),
        };
        let zero = self.zero(elements);
        let ty = self.target.types.truth_vector((elements, self.width));
        let truth = Expr::Binary {
            op: BinaryOp::Ne,
            lhs: value,
            rhs: zero,
        };
        (
            self.target.function.exprs.add(truth, ty, None),
            signed(elements),
        )
    }

    /// The mask of a condition that is the same for all lanes.
    fn mask_of_all(&mut self, id: ExprId) -> (ExprId, Scalar) {
        let cond = self.of_first(id);
        let (yes, no) = (self.target.int(-1), self.target.int(0));
        let int = self.target.types.int();
        let choice = Expr::Cond {
            cond,
            then: yes,
            otherwise: no,
        };
        let choice = self.target.function.exprs.add(choice, int, None);
        (self.splat(choice, Scalar::Int), Scalar::Int)
    }

    /// The mask of a comparison, and of what is made of such.
    fn mask_of_truth(&mut self, id: ExprId) -> Option<(ExprId, Scalar)> {
        match self.get(id) {
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                let (left, right) = (self.scalar(lhs)?, self.scalar(rhs)?);
                Some(self.comparison(op, (lhs, left), (rhs, right)))
            }
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } if self.is_speculable(rhs)
                && self.scalar(lhs).is_some()
                && self.scalar(rhs).is_some() =>
            {
                let ((left, from), (right, by)) = (self.mask(lhs), self.mask(rhs));
                let wider = if from.size() >= by.size() { from } else { by };
                let (left, right) = (
                    self.converted_to(left, wider),
                    self.converted_to(right, wider),
                );
                let op = match op {
                    BinaryOp::And => BinaryOp::BitAnd,
                    _ => BinaryOp::BitOr,
                };
                Some((self.operation(op, left, right, wider), wider))
            }
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } if self.scalar(operand).is_some() => {
                let (operand, elements) = self.mask(operand);
                let ty = self.vector_type(elements);
                let op = UnaryOp::Complement;
                let complement = Expr::Unary { op, operand };
                let exprs = &mut self.target.function.exprs;
                Some((exprs.add(complement, ty, None), elements))
            }
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } if builtins::kind(&name) == Some(Kind::Relation) => self.relation(&name, &args),
            _ => None,
        }
    }

    fn is_truth(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Binary { op, .. } => {
                op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or)
            }
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => builtins::kind(&name) == Some(Kind::Relation),
            _ => false,
        }
    }

    fn comparison(
        &mut self,
        op: BinaryOp,
        lhs: (ExprId, Scalar),
        rhs: (ExprId, Scalar),
    ) -> (ExprId, Scalar) {
        let common = lhs.1.usual(rhs.1);
        let left = self.operand(lhs.0, common);
        let right = self.operand(rhs.0, common);
        let ty = self.target.types.truth_vector((common, self.width));
        let expr = Expr::Binary {
            op,
            lhs: left,
            rhs: right,
        };
        (
            self.target.function.exprs.add(expr, ty, None),
            signed(common),
        )
    }

    fn relation(&mut self, name: &str, args: &[ExprId]) -> Option<(ExprId, Scalar)> {
        let scalars: Option<Vec<Scalar>> = args.iter().map(|arg| self.scalar(*arg)).collect();
        let scalars = scalars?;
        let first = *scalars.first()?;
        if !first.is_float() || scalars.iter().any(|scalar| *scalar != first) {
            return None;
        }
        let args = args.iter().map(|arg| self.vector_as(*arg, first)).collect();
        let ty = self.target.types.truth_vector((first, self.width));
        Some((
            self.target.function.exprs.call_builtin(name, ty, args),
            signed(first),
        ))
    }

    fn zero(&mut self, elements: Scalar) -> ExprId {
        let ty = self.target.types.scalar(elements);
        match elements {
            Scalar::Int => self.target.int(0),
            scalar if scalar.is_float() => self.target.function.exprs.float(ty, 0.0),
            _ => {
                let zero = self.target.int(0);
                self.target.function.exprs.cast(ty, zero)
            }
        }
    }

    /// The `int`s that a condition gives.
    fn truth(&mut self, id: ExprId) -> ExprId {
        let (mask, elements) = self.mask(id);
        self.truth_of(mask, elements)
    }

    fn truth_of(&mut self, mask: ExprId, _: Scalar) -> ExprId {
        let mask = self.converted_to(mask, Scalar::Int);
        let ty = self.vector_type(Scalar::Int);
        let negated = Expr::Unary {
            op: UnaryOp::Minus,
            operand: mask,
        };
        self.target.function.exprs.add(negated, ty, None)
    }

    fn builtin(&mut self, id: ExprId, name: &str, args: &[ExprId]) -> Option<ExprId> {
        let to = self.scalar(id)?;
        let scalars: Option<Vec<Scalar>> = args.iter().map(|arg| self.scalar(*arg)).collect();
        let scalars = scalars?;
        if let Some((name, to)) = builtins::conversion(name, self.width)
            && let [arg] = args
        {
            let from = scalars[0];
            let arg = self.vector_as(*arg, kept(from));
            let ty = self.vector_type(to);
            return Some(
                self.target
                    .function
                    .exprs
                    .call_builtin(&name, ty, vec![arg]),
            );
        }
        match builtins::kind(name)? {
            Kind::Relation => Some(self.truth(id)),
            Kind::Same => {
                if scalars.iter().any(|scalar| *scalar != to) {
                    return None;
                }
                let args = args.iter().map(|arg| self.vector_as(*arg, to)).collect();
                let ty = self.vector_type(to);
                Some(self.target.function.exprs.call_builtin(name, ty, args))
            }
            Kind::Unsigned => {
                let from = *scalars.first()?;
                if scalars.iter().any(|scalar| *scalar != from) || from.size() != to.size() {
                    return None;
                }
                let args = args.iter().map(|arg| self.vector_as(*arg, from)).collect();
                let ty = self.vector_type(to);
                Some(self.target.function.exprs.call_builtin(name, ty, args))
            }
        }
    }

    /// What memory holds for all lanes, if that is contiguous.
    pub fn load(&mut self, id: ExprId) -> Option<ExprId> {
        let address = self.contiguous(id)?;
        let scalar = self.scalar(id)?;
        let ty = self.vector_type(scalar);
        let zero = self.target.int(0);
        let name = format!("vload{}", self.width);
        Some(
            self.target
                .function
                .exprs
                .call_builtin(&name, ty, vec![zero, address]),
        )
    }

    /// The address of what lane 0 accesses, if the other lanes access what follows it.
    pub fn contiguous(&mut self, id: ExprId) -> Option<ExprId> {
        let Expr::Index { base, index } = self.get(id) else {
            return None;
        };
        let element = self.scalar(id).filter(|scalar| *scalar != Scalar::Bool)?;
        let types = &self.target.types;
        let exprs = &self.target.function.exprs;
        let (quals, space) = match types.as_pointer(exprs.ty(base)) {
            Some((pointee, space)) => (pointee.quals, space),
            None => self.array_in_memory(base)?,
        };
        let in_memory = matches!(
            space,
            AddressSpace::Global | AddressSpace::Local | AddressSpace::Constant
        );
        if !in_memory || quals.contains(Qualifiers::VOLATILE) || !self.shapes.is_uniform(base) {
            return None;
        }
        let linear = match self.shapes.expr(index) {
            Shape::Linear(linear) if linear.stride == 1 => linear,
            Shape::Linear(linear) if faults::is_on("vector-stride-ignored") => linear,
            _ => return None,
        };
        let by = self.scalar(index)?;
        // What wraps within an object's first elements would be outside of it.
        let starts = matches!(exprs.get(base), Expr::Var(VarRef::Local(var))
            if self.target.function.params.contains(var) || types.as_pointer(exprs.ty(base)).is_none());
        let cannot_wrap = linear.exact || by.size() == 8 || by.is_signed_integer() && starts;
        if !cannot_wrap {
            return None;
        }
        let ty = self.target.types.scalar(element);
        let pointer = self.pointer_to(QualType { ty, quals }, space);
        let operand = self.of_first(id);
        let address = Expr::Unary {
            op: UnaryOp::AddressOf,
            operand,
        };
        Some(self.target.function.exprs.add(address, pointer, None))
    }

    /// The qualifiers and the space of an array that is no private one.
    fn array_in_memory(&self, id: ExprId) -> Option<(Qualifiers, AddressSpace)> {
        let exprs = &self.target.function.exprs;
        let types = &self.target.types;
        types.as_array(exprs.ty(id))?;
        match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                let variable = &self.originals[*var];
                Some((variable.ty.quals, variable.space))
            }
            Expr::Index { base, .. } => match types.as_pointer(exprs.ty(*base)) {
                Some((pointee, space)) => Some((pointee.quals, space)),
                None => self.array_in_memory(*base),
            },
            _ => None,
        }
    }

    /// A condition, uniform, that holds if one of the source holds for all lanes.
    pub fn holds_for_all(&mut self, id: ExprId) -> ExprId {
        if self.shapes.is_uniform(id) {
            return self.of_first(id);
        }
        if let Expr::Binary { op, lhs, rhs } = self.get(id) {
            if op == BinaryOp::And {
                let left = self.holds_for_all(lhs);
                let right = self.holds_for_all(rhs);
                return self.target.binary(BinaryOp::And, left, right);
            }
            if let Some(lane) = self.strictest(op, lhs, rhs) {
                return self.lane(id, lane, &Own::new());
            }
        }
        let (mask, _) = self.mask(id);
        let int = self.target.types.int();
        self.target
            .function
            .exprs
            .call_builtin("all", int, vec![mask])
    }

    /// The lane for which a comparison holds only if it holds for all.
    fn strictest(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<Lane> {
        let (left, right) = (self.scalar(lhs)?, self.scalar(rhs)?);
        let common = left.usual(right);
        let left = converted(self.shapes.expr(lhs), left, common);
        let right = converted(self.shapes.expr(rhs), right, common);
        if !left.is_exact() || !right.is_exact() {
            return None;
        }
        let grows = left.stride()? - right.stride()?;
        let last = Lane::Of(self.width - 1);
        match op {
            BinaryOp::Lt | BinaryOp::Le => Some(if grows > 0 { last } else { Lane::Of(0) }),
            BinaryOp::Gt | BinaryOp::Ge => Some(if grows > 0 { Lane::Of(0) } else { last }),
            _ => None,
        }
    }
}

/// The signed integers as wide as a scalar.
pub fn signed(scalar: Scalar) -> Scalar {
    match scalar.size() {
        1 => Scalar::Char,
        2 => Scalar::Short,
        4 => Scalar::Int,
        _ => Scalar::Long,
    }
}
