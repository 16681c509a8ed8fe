//! What a kernel does with a pointer, and whether all of it may be done with a `__constant` one.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Function, Module, SizeOfArg, StmtKind, Type,
    UnaryOp, VarId, VarRef,
};

/// A use that wants a `__global` pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The pointer.
    pub at: ExprId,
    /// What is done with it, behind "it".
    pub what: &'static str,
}

/// The expressions that are the parameter `var` or an address made from it in place. All they are used
/// for is to read.
///
/// # Errors
/// The first use that is another: the pointer is kept, passed on, cast or compared.
pub fn pointers(module: &Module, function: &Function, var: VarId) -> Result<Vec<ExprId>, Obstacle> {
    let mut uses = Uses {
        module,
        function,
        var,
        found: Vec::new(),
        obstacle: None,
    };
    if let Some(body) = &function.body {
        body.for_each_stmt(&mut |stmt| {
            let what = match stmt.kind {
                StmtKind::Decl { .. } => "is kept in a variable",
                _ => "is used as a value",
            };
            for root in stmt.exprs() {
                uses.visit(root, Some(what));
            }
        });
    }
    match uses.obstacle {
        Some(obstacle) => Err(obstacle),
        None => Ok(uses.found),
    }
}

/// Makes the parameter and what is made from it (see [`pointers`]) point to `__constant` memory.
pub fn move_to_constant(module: &mut Module, function: FunctionOf, pointers: &[ExprId]) {
    let FunctionOf { id, var } = function;
    let mut constant = |ty| {
        let (pointee, space) = module.types.as_pointer(ty)?;
        (space == AddressSpace::Global).then(|| {
            module.types.intern(Type::Pointer {
                pointee,
                space: AddressSpace::Constant,
            })
        })
    };
    let function = &mut module.functions[id];
    for &at in pointers {
        if let Some(ty) = constant(function.exprs.ty(at)) {
            let expr = function.exprs.get(at).clone();
            function.exprs.replace(at, expr, ty);
        }
    }
    let ty = &mut function.vars[var].ty.ty;
    *ty = constant(*ty).unwrap_or(*ty);
}

/// A parameter and the function that it is one of.
#[derive(Clone, Copy, Debug)]
pub struct FunctionOf {
    /// The function.
    pub id: fpgacc_frontend::ir::FunctionId,
    /// The parameter.
    pub var: VarId,
}

struct Uses<'a> {
    module: &'a Module,
    function: &'a Function,
    var: VarId,
    found: Vec<ExprId>,
    obstacle: Option<Obstacle>,
}

impl Uses<'_> {
    fn expr(&self, id: ExprId) -> &Expr {
        self.function.exprs.get(id)
    }

    fn is_array(&self, id: ExprId) -> bool {
        let ty = self.function.exprs.ty(id);
        self.module.types.as_array(ty).is_some()
    }

    /// Whether an expression is an address in what the parameter points to. An array as a value is its
    /// address.
    fn is_address(&self, id: ExprId) -> bool {
        match self.expr(id) {
            Expr::Var(VarRef::Local(var)) => *var == self.var,
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                lhs,
                rhs,
            } => self.is_address(*lhs) != self.is_address(*rhs),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.is_place(*operand),
            _ => self.is_array(id) && self.is_place(id),
        }
    }

    /// Whether an expression is a place in what the parameter points to.
    fn is_place(&self, id: ExprId) -> bool {
        match self.expr(id) {
            Expr::Index { base, .. } => self.is_address(*base) || self.is_place(*base),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.is_address(*operand),
            Expr::Member { base, arrow, .. } => match arrow {
                true => self.is_address(*base),
                false => self.is_place(*base),
            },
            Expr::Swizzle { base, .. } => self.is_place(*base),
            _ => false,
        }
    }

    /// An expression and all below it. `refused` says what becomes of its value, if that wants no
    /// `__constant` pointer.
    fn visit(&mut self, id: ExprId, refused: Option<&'static str>) {
        if self.is_address(id) {
            self.found.push(id);
            if let Some(what) = refused {
                self.obstacle.get_or_insert(Obstacle { at: id, what });
            }
        }
        let exprs = &self.function.exprs;
        for child in exprs.children(id) {
            let refused = self.refusal(id, child);
            self.visit(child, refused);
        }
    }

    /// What an expression does with an operand that is a pointer, unless it takes any.
    fn refusal(&self, parent: ExprId, child: ExprId) -> Option<&'static str> {
        match self.expr(parent) {
            Expr::Index { base, .. } if *base == child => None,
            Expr::Unary {
                op: UnaryOp::Deref | UnaryOp::AddressOf,
                ..
            }
            | Expr::Member { .. }
            | Expr::Swizzle { .. }
            | Expr::SizeOf(SizeOfArg::Expr(_)) => None,
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                ..
            } if self.is_address(parent) => None,
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } if name.starts_with("vload") => None,
            Expr::Call { .. } => Some("is passed to a function"),
            Expr::Cast { .. } => Some("is cast to another type"),
            Expr::Assign { .. } | Expr::IncDec { .. } => Some("is assigned"),
            Expr::Cond { .. } => Some("is one of two pointers"),
            Expr::Binary { op, .. } if op.is_comparison() => Some("is compared"),
            _ => Some("is used as a value"),
        }
    }
}
