//! Operators: operand checks and result types.

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, ConditionalExpression, Expression, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::{Lowered, Lowerer};
use crate::ir::{
    BinaryOp, Expr, ExprId, IncDecOp, QualType, Qualifiers, Scalar, Type, TypeId, UnaryOp,
};

/// What a lang-c operator is in the IR.
enum Operator {
    Index,
    Binary(BinaryOp),
    Assign(Option<BinaryOp>),
}

fn operator(op: &BinaryOperator) -> Operator {
    use BinaryOperator as B;
    match op {
        B::Index => Operator::Index,
        B::Multiply => Operator::Binary(BinaryOp::Mul),
        B::Divide => Operator::Binary(BinaryOp::Div),
        B::Modulo => Operator::Binary(BinaryOp::Rem),
        B::Plus => Operator::Binary(BinaryOp::Add),
        B::Minus => Operator::Binary(BinaryOp::Sub),
        B::ShiftLeft => Operator::Binary(BinaryOp::Shl),
        B::ShiftRight => Operator::Binary(BinaryOp::Shr),
        B::Less => Operator::Binary(BinaryOp::Lt),
        B::Greater => Operator::Binary(BinaryOp::Gt),
        B::LessOrEqual => Operator::Binary(BinaryOp::Le),
        B::GreaterOrEqual => Operator::Binary(BinaryOp::Ge),
        B::Equals => Operator::Binary(BinaryOp::Eq),
        B::NotEquals => Operator::Binary(BinaryOp::Ne),
        B::BitwiseAnd => Operator::Binary(BinaryOp::BitAnd),
        B::BitwiseXor => Operator::Binary(BinaryOp::BitXor),
        B::BitwiseOr => Operator::Binary(BinaryOp::BitOr),
        B::LogicalAnd => Operator::Binary(BinaryOp::And),
        B::LogicalOr => Operator::Binary(BinaryOp::Or),
        B::Assign => Operator::Assign(None),
        B::AssignMultiply => Operator::Assign(Some(BinaryOp::Mul)),
        B::AssignDivide => Operator::Assign(Some(BinaryOp::Div)),
        B::AssignModulo => Operator::Assign(Some(BinaryOp::Rem)),
        B::AssignPlus => Operator::Assign(Some(BinaryOp::Add)),
        B::AssignMinus => Operator::Assign(Some(BinaryOp::Sub)),
        B::AssignShiftLeft => Operator::Assign(Some(BinaryOp::Shl)),
        B::AssignShiftRight => Operator::Assign(Some(BinaryOp::Shr)),
        B::AssignBitwiseAnd => Operator::Assign(Some(BinaryOp::BitAnd)),
        B::AssignBitwiseXor => Operator::Assign(Some(BinaryOp::BitXor)),
        B::AssignBitwiseOr => Operator::Assign(Some(BinaryOp::BitOr)),
    }
}

impl Lowerer<'_> {
    pub(super) fn binary(&mut self, node: &Node<BinaryOperatorExpression>) -> Lowered<ExprId> {
        let lhs = self.expression(&node.node.lhs);
        let rhs = self.expression(&node.node.rhs);
        let (lhs, rhs) = (lhs?, rhs?);
        match operator(&node.node.operator.node) {
            Operator::Index => self.index(lhs, rhs, node.span),
            Operator::Binary(op) => {
                let ty = self.binary_type(op, lhs, rhs, node.span)?;
                self.add(Expr::Binary { op, lhs, rhs }, ty, node.span)
            }
            Operator::Assign(op) => self.assign(op, lhs, rhs, node),
        }
    }

    /// `lhs[rhs]`, and `rhs[lhs]` as C allows.
    pub(super) fn index(&mut self, lhs: ExprId, rhs: ExprId, at: SyntaxSpan) -> Lowered<ExprId> {
        let is_indexed = |lowerer: &Self, id| {
            let ty = lowerer.exprs.ty(id);
            let types = &lowerer.module.types;
            types.as_pointer(ty).is_some()
                || types.as_array(ty).is_some()
                || types.as_vector(ty).is_some()
        };
        let (base, index) = if !is_indexed(self, lhs) && is_indexed(self, rhs) {
            (rhs, lhs)
        } else {
            (lhs, rhs)
        };
        let ty = self.exprs.ty(base);
        let types = &self.module.types;
        let element = if let Some((pointee, _)) = types.as_pointer(ty) {
            pointee.ty
        } else if let Some((element, _)) = types.as_array(ty) {
            element.ty
        } else if let Some((scalar, _)) = types.as_vector(ty) {
            self.module.types.scalar(scalar)
        } else {
            let message = format!("a value of type `{}` cannot be indexed", self.type_name(ty));
            return Err(self.error(at, message));
        };
        if matches!(self.module.types.resolve(element), Type::Void) {
            return Err(self.error(at, "a pointer to `void` cannot be indexed"));
        }
        let index_ty = self.value_type(index);
        if !self.is_integer(index_ty) {
            let message = format!(
                "an index must be an integer, not `{}`",
                self.type_name(index_ty)
            );
            return Err(self.error(at, message));
        }
        self.add(Expr::Index { base, index }, element, at)
    }

    fn is_integer(&self, ty: TypeId) -> bool {
        self.module
            .types
            .as_scalar(ty)
            .is_some_and(Scalar::is_integer)
    }

    /// The element type of scalars and vectors.
    fn element(&self, ty: TypeId) -> Option<Scalar> {
        self.module.types.component(ty)
    }

    fn binary_type(
        &mut self,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        at: SyntaxSpan,
    ) -> Lowered<TypeId> {
        let (left, right) = (self.value_type(lhs), self.value_type(rhs));
        if let Some(ty) = self.pointer_type(op, left, right) {
            return Ok(ty);
        }
        let (Some(x), Some(y)) = (self.element(left), self.element(right)) else {
            return Err(self.bad_operands(op, left, right, at));
        };
        let needs_integers = matches!(
            op,
            BinaryOp::Rem
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::BitAnd
                | BinaryOp::BitXor
                | BinaryOp::BitOr
        );
        if needs_integers && (x.is_float() || y.is_float()) {
            return Err(self.bad_operands(op, left, right, at));
        }
        let types = &self.module.types;
        let vectors = (types.as_vector(left), types.as_vector(right));
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        match vectors {
            (Some(a), Some(b)) if a.1 != b.1 || (a.0 != b.0 && !shift) => {
                Err(self.bad_operands(op, left, right, at))
            }
            (None, Some(_)) if shift => Err(self.bad_operands(op, left, right, at)),
            _ => Ok(self.module.types.binary(op, left, right)),
        }
    }

    /// The type of an operation on pointers; `None` if it is none.
    fn pointer_type(&mut self, op: BinaryOp, left: TypeId, right: TypeId) -> Option<TypeId> {
        let types = &self.module.types;
        let (a, b) = (types.as_pointer(left), types.as_pointer(right));
        if a.is_none() && b.is_none() {
            return None;
        }
        let whole = |lowerer: &Self, ty| lowerer.is_integer(ty);
        match op {
            BinaryOp::Add if a.is_some() && whole(self, right) => Some(left),
            BinaryOp::Add if b.is_some() && whole(self, left) => Some(right),
            BinaryOp::Sub if a.is_some() && whole(self, right) => Some(left),
            BinaryOp::Sub if a.is_some() && b.is_some() => {
                Some(self.module.types.binary(op, left, right))
            }
            BinaryOp::And | BinaryOp::Or => {
                let scalar = |ty| types.as_pointer(ty).is_some() || types.as_scalar(ty).is_some();
                (scalar(left) && scalar(right)).then(|| self.module.types.int())
            }
            op if op.is_comparison() => {
                let fits = |lowerer: &Self, ty| {
                    lowerer.module.types.as_pointer(ty).is_some() || lowerer.is_integer(ty)
                };
                (fits(self, left) && fits(self, right)).then(|| self.module.types.int())
            }
            _ => None,
        }
    }

    fn bad_operands(
        &mut self,
        op: BinaryOp,
        left: TypeId,
        right: TypeId,
        at: SyntaxSpan,
    ) -> super::Reported {
        let message = format!(
            "`{}` does not take `{}` and `{}`",
            op.symbol(),
            self.type_name(left),
            self.type_name(right)
        );
        self.error(at, message)
    }

    fn assign(
        &mut self,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        node: &Node<BinaryOperatorExpression>,
    ) -> Lowered<ExprId> {
        self.check_assignable(lhs, node.node.lhs.span)?;
        let ty = self.exprs.ty(lhs);
        match op {
            None => self.check_convertible(rhs, ty, "assigned", node.node.rhs.span)?,
            Some(op) => {
                let result = self.binary_type(op, lhs, rhs, node.span)?;
                let types = &self.module.types;
                if types.as_vector(result).is_some() && types.as_vector(ty).is_none() {
                    let right = self.value_type(rhs);
                    return Err(self.bad_operands(op, ty, right, node.span));
                }
            }
        }
        self.add(Expr::Assign { op, lhs, rhs }, ty, node.span)
    }

    /// Refuses what cannot be assigned to.
    fn check_assignable(&mut self, lhs: ExprId, at: SyntaxSpan) -> Lowered<()> {
        let Some(lvalue) = self.lvalue(lhs) else {
            return Err(self.error(at, "this cannot be assigned to"));
        };
        if let Expr::Swizzle { components, .. } = self.exprs.get(lhs) {
            let twice = components
                .iter()
                .enumerate()
                .any(|(index, component)| components[..index].contains(component));
            if twice {
                return Err(self.error(at, "a component stands twice on the left of `=`"));
            }
        }
        if self.module.types.as_array(self.exprs.ty(lhs)).is_some() {
            return Err(self.error(at, "an array cannot be assigned to as a whole"));
        }
        if lvalue.quals.contains(Qualifiers::CONST)
            || lvalue.space == crate::ir::AddressSpace::Constant
        {
            let what = match self.exprs.get(lhs) {
                Expr::Var(var) => format!("`{}`", self.variable(*var).name),
                _ => "this".to_string(),
            };
            return Err(self.error(at, format!("{what} is constant and cannot be assigned to")));
        }
        Ok(())
    }

    pub(super) fn unary(&mut self, node: &Node<UnaryOperatorExpression>) -> Lowered<ExprId> {
        let operand = self.expression(&node.node.operand)?;
        let at = node.span;
        use UnaryOperator as U;
        match node.node.operator.node {
            U::PostIncrement => self.inc_dec(IncDecOp::PostInc, operand, at),
            U::PostDecrement => self.inc_dec(IncDecOp::PostDec, operand, at),
            U::PreIncrement => self.inc_dec(IncDecOp::PreInc, operand, at),
            U::PreDecrement => self.inc_dec(IncDecOp::PreDec, operand, at),
            U::Address => self.address_of(operand, at),
            U::Indirection => self.deref(operand, at),
            U::Plus => self.sign(UnaryOp::Plus, operand, at),
            U::Minus => self.sign(UnaryOp::Minus, operand, at),
            U::Complement => self.sign(UnaryOp::Complement, operand, at),
            U::Negate => {
                let ty = self.value_type(operand);
                let types = &self.module.types;
                if self.element(ty).is_none() && types.as_pointer(ty).is_none() {
                    return Err(self.bad_operand("!", ty, at));
                }
                let ty = self.module.types.truth(ty);
                let op = UnaryOp::Not;
                self.add(Expr::Unary { op, operand }, ty, at)
            }
        }
    }

    fn bad_operand(&mut self, symbol: &str, ty: TypeId, at: SyntaxSpan) -> super::Reported {
        let message = format!("`{symbol}` does not take `{}`", self.type_name(ty));
        self.error(at, message)
    }

    pub(super) fn inc_dec(
        &mut self,
        op: IncDecOp,
        operand: ExprId,
        at: SyntaxSpan,
    ) -> Lowered<ExprId> {
        self.check_assignable(operand, at)?;
        let ty = self.exprs.ty(operand);
        if self.element(ty).is_none() && self.module.types.as_pointer(ty).is_none() {
            let symbol = match op {
                IncDecOp::PreInc | IncDecOp::PostInc => "++",
                IncDecOp::PreDec | IncDecOp::PostDec => "--",
            };
            return Err(self.bad_operand(symbol, ty, at));
        }
        self.add(Expr::IncDec { op, operand }, ty, at)
    }

    fn sign(&mut self, op: UnaryOp, operand: ExprId, at: SyntaxSpan) -> Lowered<ExprId> {
        let value = self.value_type(operand);
        let element = self.element(value);
        let fits = match op {
            UnaryOp::Complement => element.is_some_and(Scalar::is_integer),
            _ => element.is_some(),
        };
        if !fits {
            let symbol = match op {
                UnaryOp::Plus => "+",
                UnaryOp::Minus => "-",
                _ => "~",
            };
            return Err(self.bad_operand(symbol, value, at));
        }
        let ty = self.module.types.promoted(value);
        self.add(Expr::Unary { op, operand }, ty, at)
    }

    fn deref(&mut self, operand: ExprId, at: SyntaxSpan) -> Lowered<ExprId> {
        let ty = self.exprs.ty(operand);
        let types = &self.module.types;
        let target = types
            .as_pointer(ty)
            .map(|(pointee, _)| pointee)
            .or_else(|| types.as_array(ty).map(|(element, _)| element));
        let Some(target) = target else {
            return Err(self.bad_operand("*", ty, at));
        };
        if matches!(self.module.types.resolve(target.ty), Type::Void) {
            return Err(self.error(at, "a pointer to `void` has no value behind it"));
        }
        let op = UnaryOp::Deref;
        self.add(Expr::Unary { op, operand }, target.ty, at)
    }

    fn address_of(&mut self, operand: ExprId, at: SyntaxSpan) -> Lowered<ExprId> {
        let Some(lvalue) = self.lvalue(operand) else {
            return Err(self.error(at, "`&` needs a variable or an element"));
        };
        let ty = self.module.types.intern(Type::Pointer {
            pointee: QualType {
                ty: self.exprs.ty(operand),
                quals: lvalue.quals,
            },
            space: lvalue.space,
        });
        let op = UnaryOp::AddressOf;
        self.add(Expr::Unary { op, operand }, ty, at)
    }

    pub(super) fn conditional(&mut self, node: &Node<ConditionalExpression>) -> Lowered<ExprId> {
        let cond = self.expression(&node.node.condition);
        let then = self.expression(&node.node.then_expression);
        let otherwise = self.expression(&node.node.else_expression);
        let (cond, then, otherwise) = (cond?, then?, otherwise?);
        let cond_ty = self.value_type(cond);
        if self.module.types.as_vector(cond_ty).is_none() {
            self.check_condition(cond, node.node.condition.span)?;
        }
        let Some(ty) = self.conditional_type(cond_ty, then, otherwise) else {
            let (a, b) = (self.value_type(then), self.value_type(otherwise));
            let message = format!(
                "`?:` cannot choose between `{}` and `{}`",
                self.type_name(a),
                self.type_name(b)
            );
            return Err(self.error(node.span, message));
        };
        let expr = Expr::Cond {
            cond,
            then,
            otherwise,
        };
        self.add(expr, ty, node.span)
    }

    fn conditional_type(
        &mut self,
        cond: TypeId,
        then: ExprId,
        otherwise: ExprId,
    ) -> Option<TypeId> {
        let (a, b) = (self.value_type(then), self.value_type(otherwise));
        let types = &self.module.types;
        if a == b {
            let is_small = types.as_scalar(a).is_some();
            let vector_cond = types.as_vector(cond);
            return Some(match vector_cond {
                // Scalars chosen by a vector become vectors of its width.
                Some((_, width)) if is_small => {
                    let scalar = types.as_scalar(a)?;
                    self.module.types.intern(Type::Vector(scalar, width))
                }
                _ if is_small => self.module.types.promoted(a),
                _ => a,
            });
        }
        if self.element(a).is_some() && self.element(b).is_some() {
            let vectors = (types.as_vector(a), types.as_vector(b));
            if let (Some(_), Some(_)) = vectors {
                return None;
            }
            return Some(self.module.types.usual(a, b));
        }
        match (types.as_pointer(a), types.as_pointer(b)) {
            (Some(_), Some((target, _))) => {
                let to_void = matches!(types.resolve(target.ty), Type::Void);
                Some(
                    if self.is_null(then) || to_void && !self.is_null(otherwise) {
                        b
                    } else {
                        a
                    },
                )
            }
            (Some(_), None) if self.is_integer(b) => Some(a),
            (None, Some(_)) if self.is_integer(a) => Some(b),
            _ => None,
        }
    }

    /// `a, b, c`
    pub(super) fn comma(&mut self, nodes: &[Node<Expression>], at: SyntaxSpan) -> Lowered<ExprId> {
        let mut whole: Option<ExprId> = None;
        for node in nodes {
            let value = self.expression(node)?;
            whole = Some(match whole {
                None => value,
                Some(lhs) => {
                    let ty = self.value_type(value);
                    self.add(Expr::Comma { lhs, rhs: value }, ty, at)?
                }
            });
        }
        whole.ok_or_else(|| self.error(at, "an expression is missing"))
    }
}
