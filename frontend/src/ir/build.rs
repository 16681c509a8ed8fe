//! Making expressions: each constructor computes the type by OpenCL C's rules.

use super::expr::{BinaryOp, Callee, Expr, ExprId, Exprs, IncDecOp, Init, UnaryOp};
use super::module::{Function, VarId, VarRef};
use super::stmt::{Block, LoopHints, Stmt, StmtKind};
use super::types::{QualType, Scalar, Type, TypeId, Types};

impl Types {
    /// The type that a scalar has in arithmetic: C's integer promotions.
    pub fn promoted(&mut self, ty: TypeId) -> TypeId {
        match self.as_scalar(ty) {
            Some(Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort) => {
                self.int()
            }
            Some(scalar) => self.scalar(scalar),
            None => self.canonical(ty),
        }
    }

    /// The type of a comparison of vectors: signed integers as wide as what is compared.
    pub fn truth_vector(&mut self, (scalar, width): (Scalar, u8)) -> TypeId {
        let element = match scalar.size() {
            1 => Scalar::Char,
            2 => Scalar::Short,
            4 => Scalar::Int,
            _ => Scalar::Long,
        };
        self.intern(Type::Vector(element, width))
    }

    /// The type of a comparison of values of type `ty`: `int`, or [`Self::truth_vector`].
    pub fn truth(&mut self, ty: TypeId) -> TypeId {
        match self.as_vector(ty) {
            Some(vector) => self.truth_vector(vector),
            None => self.int(),
        }
    }

    /// The type of a binary operation on scalars, vectors and pointers.
    pub fn binary(&mut self, op: BinaryOp, left: TypeId, right: TypeId) -> TypeId {
        if op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or) {
            let vector = self.as_vector(left).or(self.as_vector(right));
            return match vector {
                Some(vector) => self.truth_vector(vector),
                None => self.int(),
            };
        }
        let pointers = self.as_pointer(left).is_some() && self.as_pointer(right).is_some();
        match op {
            BinaryOp::Shl | BinaryOp::Shr => self.promoted(left),
            BinaryOp::Sub if pointers => self.intern(Type::Named("ptrdiff_t", Scalar::Long)),
            _ => self.usual(left, right),
        }
    }

    /// The common type of two operands: C's usual arithmetic conversions; beside a vector a scalar
    /// becomes that vector; beside a pointer the pointer wins.
    pub fn usual(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if self.as_vector(a).is_some() || self.as_pointer(a).is_some() {
            return self.canonical(a);
        }
        if self.as_vector(b).is_some() || self.as_pointer(b).is_some() {
            return self.canonical(b);
        }
        if let Some((element, _)) = self.as_array(a) {
            return element.ty;
        }
        let (Some(x), Some(y)) = (self.as_scalar(a), self.as_scalar(b)) else {
            return self.canonical(a);
        };
        let common = x.usual(y);
        self.scalar(common)
    }
}

impl Scalar {
    /// The common type of two operands: C's usual arithmetic conversions, with OpenCL's fixed sizes.
    pub fn usual(self, other: Self) -> Self {
        for float in [Scalar::Double, Scalar::Float, Scalar::Half] {
            if self == float || other == float {
                return float;
            }
        }
        // From int on the enum is in order of conversion rank, unsigned above signed.
        self.max(other).max(Scalar::Int)
    }
}

impl Exprs {
    /// An integer literal of type `int` (or `long` if it does not fit).
    pub fn int(&mut self, types: &mut Types, value: i64) -> ExprId {
        let scalar = if i32::try_from(value).is_ok() {
            Scalar::Int
        } else {
            Scalar::Long
        };
        let ty = types.scalar(scalar);
        let expr = Expr::Int {
            value: i128::from(value),
            spelling: None,
        };
        self.add(expr, ty, None)
    }

    /// A floating-point literal of a given type.
    pub fn float(&mut self, ty: TypeId, value: f64) -> ExprId {
        let expr = Expr::Float {
            value,
            spelling: None,
        };
        self.add(expr, ty, None)
    }

    /// A binary operation.
    pub fn binary(&mut self, types: &mut Types, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = types.binary(op, self.ty(lhs), self.ty(rhs));
        self.add(Expr::Binary { op, lhs, rhs }, ty, None)
    }

    /// An assignment, `=` or `op=`.
    pub fn assign(&mut self, op: Option<BinaryOp>, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = self.ty(lhs);
        self.add(Expr::Assign { op, lhs, rhs }, ty, None)
    }

    /// `base[index]`.
    ///
    /// # Panics
    /// If `base` is neither pointer nor array.
    pub fn index(&mut self, types: &Types, base: ExprId, index: ExprId) -> ExprId {
        let ty = self.ty(base);
        let element = match types.as_pointer(ty) {
            Some((pointee, _)) => pointee.ty,
            None => {
                types
                    .as_array(ty)
                    .expect("only pointers and arrays have elements")
                    .0
                    .ty
            }
        };
        self.add(Expr::Index { base, index }, element, None)
    }

    /// `(ty)operand`.
    pub fn cast(&mut self, ty: TypeId, operand: ExprId) -> ExprId {
        let ty = QualType::plain(ty);
        self.add(Expr::Cast { ty, operand }, ty.ty, None)
    }

    /// A value as one of a type: cast, unless it is of that type.
    pub fn converted(&mut self, types: &Types, value: ExprId, ty: TypeId) -> ExprId {
        match types.resolve(self.ty(value)) == types.resolve(ty) {
            true => value,
            false => self.cast(ty, value),
        }
    }

    /// `!operand`.
    pub fn not(&mut self, types: &mut Types, operand: ExprId) -> ExprId {
        let ty = types.truth(self.ty(operand));
        let op = UnaryOp::Not;
        self.add(Expr::Unary { op, operand }, ty, None)
    }

    /// `barrier(CLK_LOCAL_MEM_FENCE);`
    pub fn local_barrier(&mut self, types: &mut Types) -> Stmt {
        let fence = Expr::BuiltinConst("CLK_LOCAL_MEM_FENCE".to_string());
        let fence = self.add(fence, types.scalar(Scalar::UInt), None);
        let call = self.call_builtin("barrier", types.intern(Type::Void), vec![fence]);
        Stmt::new(StmtKind::Expr(call))
    }

    /// What an assignment, increment or decrement writes.
    pub fn written(&self, id: ExprId) -> Option<ExprId> {
        match *self.get(id) {
            Expr::Assign { lhs, .. } => Some(lhs),
            Expr::IncDec { operand, .. } => Some(operand),
            _ => None,
        }
    }

    /// The variable of a function that an assignment, increment or decrement writes as a whole.
    pub fn written_var(&self, id: ExprId) -> Option<VarId> {
        self.local_var(self.written(id)?)
    }

    /// The variable of a function whose address is taken.
    pub fn exposed_var(&self, id: ExprId) -> Option<VarId> {
        match *self.get(id) {
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.local_var(operand),
            _ => None,
        }
    }

    /// The variable of a function that an expression is.
    pub fn local_var(&self, id: ExprId) -> Option<VarId> {
        match *self.get(id) {
            Expr::Var(VarRef::Local(var)) => Some(var),
            _ => None,
        }
    }

    /// A call of a builtin.
    pub fn call_builtin(&mut self, name: &str, ret: TypeId, args: Vec<ExprId>) -> ExprId {
        let callee = Callee::Builtin(name.to_string());
        self.add(Expr::Call { callee, args }, ret, None)
    }
}

impl Stmt {
    /// `T var;`
    pub fn declare(var: VarId) -> Self {
        Stmt::new(StmtKind::Decl { var, init: None })
    }

    /// `T var = value;`
    pub fn define(var: VarId, value: ExprId) -> Self {
        let init = Some(Init::Expr(value));
        Stmt::new(StmtKind::Decl { var, init })
    }

    /// `if (cond) { then }`
    pub fn only_if(cond: ExprId, then: Vec<Stmt>) -> Self {
        Stmt::new(StmtKind::If {
            cond,
            then: Block::of(then),
            otherwise: None,
        })
    }

    /// `for (T counter = start; cond; step) { body }`
    pub fn counting(
        (counter, start): (VarId, ExprId),
        (cond, step): (ExprId, ExprId),
        body: Vec<Stmt>,
    ) -> Self {
        Stmt::new(StmtKind::For {
            init: vec![Stmt::define(counter, start)],
            cond: Some(cond),
            step: Some(step),
            body: Block::of(body),
            hints: LoopHints::default(),
        })
    }

    /// A loop under a pragma.
    pub fn under(mut self, pragma: &str) -> Self {
        if let StmtKind::For { hints, .. } = &mut self.kind {
            hints.pragmas.push(pragma.to_string());
        }
        self
    }
}

impl Function {
    /// `for (T counter = 0; counter < bound; counter++) { body }`
    pub fn count_to(
        &mut self,
        types: &mut Types,
        counter: VarId,
        bound: ExprId,
        body: Vec<Stmt>,
    ) -> Stmt {
        let zero = self.exprs.int(types, 0);
        let value = self.use_var(counter);
        let cond = self.exprs.binary(types, BinaryOp::Lt, value, bound);
        let step = self.increment(counter);
        Stmt::counting((counter, zero), (cond, step), body)
    }

    /// `var++`
    pub fn increment(&mut self, var: VarId) -> ExprId {
        let (op, operand) = (IncDecOp::PostInc, self.use_var(var));
        let ty = self.vars[var].ty.ty;
        self.exprs.add(Expr::IncDec { op, operand }, ty, None)
    }

    /// A use of a variable.
    pub fn use_var(&mut self, var: VarId) -> ExprId {
        let ty = self.vars[var].ty.ty;
        self.exprs.add(Expr::Var(VarRef::Local(var)), ty, None)
    }

    /// Makes an expression a use of a variable.
    pub fn point_to(&mut self, at: ExprId, var: VarId) {
        let ty = self.vars[var].ty.ty;
        self.exprs.replace(at, Expr::Var(VarRef::Local(var)), ty);
    }

    /// Puts a copy of a value in the place of a use of a variable, as one of the variable's type.
    pub fn put_value(&mut self, at: ExprId, value: ExprId) {
        let ty = self.exprs.ty(at);
        let mut copy = self.exprs.duplicate(value);
        if self.exprs.ty(copy) != ty {
            copy = self.exprs.cast(ty, copy);
        }
        self.exprs.replace_by(at, copy);
    }

    /// `var = value;`
    pub fn assign_var(&mut self, var: VarId, value: ExprId) -> Stmt {
        let lhs = self.use_var(var);
        let assign = self.exprs.assign(None, lhs, value);
        Stmt::new(StmtKind::Expr(assign))
    }
}

impl Type {
    /// The integer types that a loop over work-items may count in.
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Scalar(scalar) if scalar.is_integer())
    }
}
