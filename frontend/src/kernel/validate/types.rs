//! Types of expressions: recomputed from those of their operands, by C's and OpenCL C's rules.

use crate::ir::{
    BinaryOp, Callee, Expr, ExprId, Exprs, Function, Init, Module, Qualifiers, Scalar, Stmt,
    StmtKind, Type, TypeId, UnaryOp, VarRef,
};
use crate::source::Span;

use super::faults::Faults;
use super::literals;

pub(super) fn check(module: &Module, faults: &mut Faults) {
    let mut check = Check {
        module,
        exprs: &module.exprs,
        function: None,
        faults,
    };
    for (_, global) in module.globals.iter() {
        if let Some(init) = &global.init {
            check.init(init, global.variable.ty.ty, global.variable.span);
        }
    }
    for (_, enumeration) in module.enums.iter() {
        for written in enumeration.enumerators.iter().filter_map(|e| e.written) {
            check.tree(written);
        }
    }
    for (_, function) in module.functions.iter() {
        let Some(body) = &function.body else {
            continue;
        };
        check.exprs = &function.exprs;
        check.function = Some(function);
        check.faults.enter(Some(function));
        body.for_each_stmt(&mut |stmt| check.stmt(function, stmt));
        check.faults.enter(None);
    }
}

struct Check<'a> {
    module: &'a Module,
    exprs: &'a Exprs,
    function: Option<&'a Function>,
    faults: &'a mut Faults,
}

impl<'a> Check<'a> {
    fn stmt(&mut self, function: &Function, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl {
                var,
                init: Some(init),
            } => return self.init(init, function.vars[*var].ty.ty, stmt.span),
            StmtKind::If { cond, .. }
            | StmtKind::While { cond, .. }
            | StmtKind::DoWhile { cond, .. }
            | StmtKind::For {
                cond: Some(cond), ..
            } => self.truth(*cond),
            StmtKind::Return(Some(value)) => {
                self.converts(
                    self.exprs.ty(*value),
                    function.ret.ty,
                    *value,
                    "returned value",
                );
            }
            StmtKind::Switch { value, .. } => {
                let integer = self.scalar(*value).is_some_and(Scalar::is_integer);
                self.need(integer, *value, "the value of a switch is no integer");
            }
            _ => {}
        }
        for root in stmt.exprs() {
            self.tree(root);
        }
    }

    fn init(&mut self, init: &Init, ty: TypeId, span: Option<Span>) {
        let mut all = Vec::new();
        init.exprs(&mut all);
        all.iter().for_each(|expr| self.tree(*expr));
        let Init::Expr(expr) = init else {
            return;
        };
        match self.module.types.resolve(ty) {
            Type::Array { .. } => {
                let string = matches!(self.exprs.get(*expr), Expr::Str(_) | Expr::Compound { .. });
                if !string {
                    let span = self.exprs.span(*expr).or(span);
                    self.faults.add("an array starts with a single value", span);
                }
            }
            _ => self.converts(self.exprs.ty(*expr), ty, *expr, "first value"),
        }
    }

    /// An expression and all below it.
    fn tree(&mut self, root: ExprId) {
        let exprs = self.exprs;
        exprs.for_each(root, &mut |id| self.node(id));
    }

    fn node(&mut self, id: ExprId) {
        if let Some(message) = literals::fault(self.module, self.exprs, id) {
            self.faults.add(message, self.exprs.span(id));
        }
        self.operands(id);
        let Some(expected) = self.rule(id) else {
            return;
        };
        let found = self.module.types.resolve(self.exprs.ty(id));
        if !self.equal(&expected, &found) {
            let what = self.exprs.get(id);
            let message =
                format!("{what:?} is of type {found:?} but its operands make {expected:?}");
            self.faults.add(message, self.exprs.span(id));
        }
    }

    /// What operands must be, beside what the type rules say.
    fn operands(&mut self, id: ExprId) {
        match self.exprs.get(id) {
            Expr::Assign { lhs, rhs, op } => {
                self.assignable(*lhs);
                let (from, to) = (self.exprs.ty(*rhs), self.exprs.ty(*lhs));
                if op.is_none() {
                    self.converts(from, to, *rhs, "assigned value");
                }
            }
            Expr::IncDec { operand, .. } => self.assignable(*operand),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => {
                let lvalue = self.is_lvalue(*operand);
                self.need(lvalue, *operand, "the operand of '&' is no lvalue");
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => {
                let pointer = self.is_address(*operand);
                self.need(pointer, *operand, "the operand of '*' is no pointer");
            }
            Expr::Cond { cond, .. }
                if self.module.types.as_vector(self.exprs.ty(*cond)).is_none() =>
            {
                self.truth(*cond);
            }
            Expr::Index { base, index } => {
                let indexed = self.is_address(*base)
                    || self.module.types.as_vector(self.exprs.ty(*base)).is_some();
                self.need(
                    indexed,
                    *base,
                    "what is indexed is neither pointer nor array",
                );
                let integer = self.scalar(*index).is_some_and(Scalar::is_integer);
                self.need(integer, *index, "an index is no integer");
            }
            Expr::Member {
                base,
                record,
                arrow,
                ..
            } => {
                let mut ty = self.exprs.ty(*base);
                if *arrow {
                    let (pointer, array) = (
                        self.module.types.as_pointer(ty),
                        self.module.types.as_array(ty),
                    );
                    ty = match (pointer, array) {
                        (Some((pointee, _)), _) => pointee.ty,
                        (None, Some((element, _))) => element.ty,
                        (None, None) => ty,
                    };
                }
                let fits = self.module.types.as_record(ty) == Some(*record);
                self.need(fits, *base, "a field is asked of something without it");
            }
            Expr::Swizzle {
                base, components, ..
            } => self.swizzle(*base, components),
            Expr::VectorLit { elements } => self.vector_literal(id, elements),
            Expr::Call {
                callee: Callee::Function(callee),
                args,
            } => {
                let callee = &self.module.functions[*callee];
                if callee.params.len() != args.len() {
                    let message = format!(
                        "'{}' takes {} arguments, not {}",
                        callee.name,
                        callee.params.len(),
                        args.len()
                    );
                    self.faults.add(message, self.exprs.span(id));
                }
                for (param, arg) in callee.params.iter().zip(args) {
                    let to = callee.vars[*param].ty.ty;
                    self.converts(self.exprs.ty(*arg), to, *arg, "argument");
                }
            }
            _ => {}
        }
    }

    fn swizzle(&mut self, base: ExprId, components: &[u8]) {
        match self.module.types.as_vector(self.exprs.ty(base)) {
            Some((_, width)) => {
                // The upper half of three components has an undefined fourth.
                let limit = if width == 3 { 4 } else { width };
                let fits = !components.is_empty() && components.iter().all(|c| *c < limit);
                self.need(fits, base, "a component is asked of a vector without it");
            }
            None => self.need(
                false,
                base,
                "components are asked of something that is no vector",
            ),
        }
    }

    fn vector_literal(&mut self, id: ExprId, elements: &[ExprId]) {
        let types = &self.module.types;
        let Some((_, width)) = types.as_vector(self.exprs.ty(id)) else {
            return self.need(false, id, "a vector literal is of no vector type");
        };
        let mut count = 0;
        for element in elements {
            let ty = self.exprs.ty(*element);
            match (types.as_vector(ty), types.as_scalar(ty)) {
                (Some((_, width)), _) => count += u32::from(width),
                (None, Some(_)) => count += 1,
                (None, None) => {
                    return self.need(false, *element, "an element is neither scalar nor vector");
                }
            }
        }
        let splat = elements.len() == 1 && count == 1;
        let fits = splat || count == u32::from(width);
        self.need(
            fits,
            id,
            "a vector literal has too few or too many elements",
        );
    }

    /// The type that an expression has by the rules; `None` where there is no rule to check.
    fn rule(&self, id: ExprId) -> Option<Type> {
        let types = &self.module.types;
        let ty = |id: ExprId| types.resolve(self.exprs.ty(id));
        match self.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => Some(types.resolve(self.function?.vars[*var].ty.ty)),
            Expr::Var(VarRef::Global(var)) => {
                let declared = types.resolve(self.module.globals[*var].variable.ty.ty);
                (!matches!(declared, Type::Array { len: None, .. })).then_some(declared)
            }
            Expr::EnumConst(..) => Some(Type::Scalar(Scalar::Int)),
            Expr::Unary { op, operand } => self.unary(*op, *operand),
            Expr::IncDec { operand, .. } => Some(ty(*operand)),
            Expr::Binary { op, lhs, rhs } => self.binary(*op, &ty(*lhs), &ty(*rhs)),
            Expr::Assign { lhs, .. } => Some(ty(*lhs)),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => self.cond(&ty(*cond), &ty(*then), &ty(*otherwise)),
            Expr::Index { base, .. } => match ty(*base) {
                Type::Pointer { pointee: of, .. } | Type::Array { element: of, .. } => {
                    Some(types.resolve(of.ty))
                }
                Type::Vector(scalar, _) => Some(Type::Scalar(scalar)),
                _ => None,
            },
            Expr::Member { record, field, .. } => {
                let fields = self.module.records[*record].fields.as_ref()?;
                Some(types.resolve(fields[*field as usize].ty.ty))
            }
            Expr::Swizzle {
                base, components, ..
            } => {
                let (scalar, _) = types.as_vector(self.exprs.ty(*base))?;
                Some(match components.len() {
                    1 => Type::Scalar(scalar),
                    count => Type::Vector(scalar, u8::try_from(count).ok()?),
                })
            }
            Expr::Cast { ty, .. } => Some(types.resolve(ty.ty)),
            Expr::Compound { ty, .. } => match types.resolve(ty.ty) {
                Type::Array { len: None, .. } => None,
                known => Some(known),
            },
            Expr::SizeOf(_) => Some(Type::Scalar(Scalar::ULong)),
            Expr::Call {
                callee: Callee::Function(callee),
                ..
            } => Some(types.resolve(self.module.functions[*callee].ret.ty)),
            Expr::Comma { rhs, .. } => Some(ty(*rhs)),
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Str(_)
            | Expr::BuiltinConst(_)
            | Expr::VectorLit { .. }
            | Expr::Call { .. } => None,
        }
    }

    fn unary(&self, op: UnaryOp, operand: ExprId) -> Option<Type> {
        let types = &self.module.types;
        let ty = types.resolve(self.exprs.ty(operand));
        match op {
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Complement => match ty {
                Type::Scalar(scalar) => Some(Type::Scalar(promoted(scalar))),
                Type::Enum(_) => Some(Type::Scalar(Scalar::Int)),
                other => Some(other),
            },
            UnaryOp::Not => match ty {
                Type::Vector(scalar, width) => Some(truth_vector(scalar, width)),
                _ => Some(Type::Scalar(Scalar::Int)),
            },
            UnaryOp::Deref => match ty {
                Type::Pointer { pointee: of, .. } | Type::Array { element: of, .. } => {
                    Some(types.resolve(of.ty))
                }
                _ => None,
            },
            // Its space is that of the operand's place.
            UnaryOp::AddressOf => None,
        }
    }

    fn binary(&self, op: BinaryOp, lhs: &Type, rhs: &Type) -> Option<Type> {
        let truth = op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or);
        match (lhs, rhs) {
            (Type::Vector(scalar, width), _) | (_, Type::Vector(scalar, width)) if truth => {
                Some(truth_vector(*scalar, *width))
            }
            (Type::Vector(..), _) => Some(lhs.clone()),
            (_, Type::Vector(..)) => Some(rhs.clone()),
            _ if truth => Some(Type::Scalar(Scalar::Int)),
            _ => {
                let (left, right) = (arithmetic(lhs)?, arithmetic(rhs)?);
                let scalar = match op {
                    BinaryOp::Shl | BinaryOp::Shr => promoted(left),
                    _ => usual(left, right),
                };
                Some(Type::Scalar(scalar))
            }
        }
    }

    fn cond(&self, cond: &Type, then: &Type, otherwise: &Type) -> Option<Type> {
        match (cond, then, otherwise) {
            (_, Type::Vector(..), _) => Some(then.clone()),
            (_, _, Type::Vector(..)) => Some(otherwise.clone()),
            // Scalars chosen by a vector are widened to it.
            (Type::Vector(..), ..) => None,
            _ => Some(Type::Scalar(usual(
                arithmetic(then)?,
                arithmetic(otherwise)?,
            ))),
        }
    }

    /// Equal, with enumerations as `int`.
    fn equal(&self, a: &Type, b: &Type) -> bool {
        match (arithmetic(a), arithmetic(b)) {
            (Some(x), Some(y)) => x == y,
            _ => a == b || self.same_derived(a, b),
        }
    }

    /// Pointers and arrays are compared by what they are made of, whatever typedef names that.
    fn same_derived(&self, a: &Type, b: &Type) -> bool {
        let types = &self.module.types;
        match (a, b) {
            (
                Type::Pointer {
                    pointee: p,
                    space: s,
                },
                Type::Pointer {
                    pointee: q,
                    space: t,
                },
            ) => s == t && self.equal(&types.resolve(p.ty), &types.resolve(q.ty)),
            (Type::Array { element: p, len: m }, Type::Array { element: q, len: n }) => {
                m == n && self.equal(&types.resolve(p.ty), &types.resolve(q.ty))
            }
            _ => false,
        }
    }

    fn scalar(&self, id: ExprId) -> Option<Scalar> {
        self.module.types.as_scalar(self.exprs.ty(id))
    }

    fn is_address(&self, id: ExprId) -> bool {
        let types = &self.module.types;
        let ty = self.exprs.ty(id);
        types.as_pointer(ty).is_some() || types.as_array(ty).is_some()
    }

    fn truth(&mut self, cond: ExprId) {
        let scalar = self.scalar(cond).is_some() || self.is_address(cond);
        self.need(scalar, cond, "a condition is neither number nor pointer");
    }

    fn is_lvalue(&self, id: ExprId) -> bool {
        match self.exprs.get(id) {
            Expr::Var(_) | Expr::Index { .. } | Expr::Compound { .. } | Expr::Str(_) => true,
            Expr::Unary { op, .. } => *op == UnaryOp::Deref,
            Expr::Member { base, arrow, .. } => *arrow || self.is_lvalue(*base),
            Expr::Swizzle { base, .. } => self.is_lvalue(*base),
            _ => false,
        }
    }

    fn assignable(&mut self, id: ExprId) {
        let lvalue = self.is_lvalue(id);
        self.need(lvalue, id, "what is assigned to is no lvalue");
        let array = self.module.types.as_array(self.exprs.ty(id)).is_some();
        self.need(!array, id, "an array is assigned to");
        let constant = self.is_const(id);
        self.need(!constant, id, "something const is assigned to");
    }

    /// Whether an lvalue is const by its variable or by what a pointer points to.
    fn is_const(&self, id: ExprId) -> bool {
        let types = &self.module.types;
        let is_const = |quals: Qualifiers| quals.contains(Qualifiers::CONST);
        match self.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => self
                .function
                .is_some_and(|f| is_const(f.vars[*var].ty.quals)),
            Expr::Var(VarRef::Global(var)) => is_const(self.module.globals[*var].variable.ty.quals),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand: base,
            }
            | Expr::Index { base, .. } => match types.resolve(self.exprs.ty(*base)) {
                Type::Pointer { pointee, .. } => is_const(pointee.quals),
                Type::Array { element, .. } => is_const(element.quals) || self.is_const(*base),
                _ => self.is_const(*base),
            },
            Expr::Member { base, arrow, .. } => match types.as_pointer(self.exprs.ty(*base)) {
                Some((pointee, _)) if *arrow => is_const(pointee.quals),
                _ => self.is_const(*base),
            },
            Expr::Swizzle { base, .. } => self.is_const(*base),
            _ => false,
        }
    }

    /// Whether C converts a value of type `from` to `to` without a cast.
    fn converts(&mut self, from: TypeId, to: TypeId, at: ExprId, what: &str) {
        let types = &self.module.types;
        let (from, to) = (types.resolve(from), types.resolve(to));
        let fits = match (&from, &to) {
            (Type::Array { .. } | Type::Pointer { .. }, Type::Pointer { .. }) => true,
            // Null, and integers that clang lets pass with a warning.
            (_, Type::Pointer { .. }) => arithmetic(&from).is_some_and(Scalar::is_integer),
            // C compilers warn of pointers that become integers, and go on.
            (Type::Array { .. } | Type::Pointer { .. }, Type::Scalar(_) | Type::Enum(_)) => {
                arithmetic(&to).is_some_and(Scalar::is_integer)
            }
            (_, Type::Vector(..)) => arithmetic(&from).is_some() || from == to,
            // Samplers and events start from integers.
            (_, Type::Opaque(_)) => arithmetic(&from).is_some() || from == to,
            (_, Type::Array { .. }) => matches!(from, Type::Array { .. } | Type::Pointer { .. }),
            (Type::Channel(_) | Type::Pipe { .. }, _) => from == to,
            _ => match (arithmetic(&from), arithmetic(&to)) {
                (Some(_), Some(_)) => true,
                _ => from == to,
            },
        };
        let message = format!("the {what} of type {from:?} does not convert to {to:?}");
        self.need(fits, at, &message);
    }

    fn need(&mut self, holds: bool, at: ExprId, message: &str) {
        if !holds {
            self.faults.add(message, self.exprs.span(at));
        }
    }
}

/// The scalar that a resolved type is in arithmetic.
fn arithmetic(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) => Some(*scalar),
        Type::Enum(_) => Some(Scalar::Int),
        _ => None,
    }
}

/// C's integer promotions.
fn promoted(scalar: Scalar) -> Scalar {
    if scalar.is_float() {
        return scalar;
    }
    scalar.max(Scalar::Int)
}

/// C's usual arithmetic conversions with OpenCL's sizes.
fn usual(a: Scalar, b: Scalar) -> Scalar {
    promoted(a).max(promoted(b))
}

/// What comparing vectors gives: a signed integer for each component, as wide as it.
fn truth_vector(scalar: Scalar, width: u8) -> Type {
    let element = match scalar.size() {
        1 => Scalar::Char,
        2 => Scalar::Short,
        4 => Scalar::Int,
        _ => Scalar::Long,
    };
    Type::Vector(element, width)
}
