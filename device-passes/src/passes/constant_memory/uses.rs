//! What a kernel does with a pointer, and whether all of it may be done with a `__constant` one.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Function, FunctionId, Init, Module, Qualifiers,
    SizeOfArg, Stmt, StmtKind, Type, UnaryOp, VarId, VarRef,
};

/// A use that wants a `__global` pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The pointer.
    pub at: ExprId,
    /// What is done with it, after "it".
    pub what: &'static str,
}

/// A parameter and all that is made from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointers {
    /// The parameter, and variables that hold nothing but addresses in what it points to.
    vars: BTreeSet<VarId>,
    /// Expressions that are such an address.
    exprs: Vec<ExprId>,
}

/// The parameter `var` and what is made from it. All that is used for is to read.
///
/// # Errors
/// The first use that is another: an address is passed on, cast, compared with others, or kept where others
/// are.
pub fn pointers(module: &Module, function: &Function, var: VarId) -> Result<Pointers, Obstacle> {
    let mut uses = Uses {
        module,
        function,
        found: Pointers::default(),
        obstacle: None,
    };
    uses.found.vars.insert(var);
    let mut known = 0;
    while known < uses.found.vars.len() {
        known = uses.found.vars.len();
        uses.add_variables();
    }
    if let Some(body) = &function.body {
        body.for_each_stmt(&mut |stmt| uses.stmt(stmt));
    }
    match uses.obstacle {
        Some(obstacle) => Err(obstacle),
        None => Ok(uses.found),
    }
}

impl Pointers {
    /// Makes them point to `__constant` memory.
    pub fn move_to_constant(&self, module: &mut Module, kernel: FunctionId) {
        let Module {
            types, functions, ..
        } = module;
        let function = &mut functions[kernel];
        let mut constant = |ty| match types.as_pointer(ty) {
            Some((pointee, AddressSpace::Global)) => types.intern(Type::Pointer {
                pointee,
                space: AddressSpace::Constant,
            }),
            _ => ty,
        };
        for &at in &self.exprs {
            let ty = constant(function.exprs.ty(at));
            let expr = function.exprs.get(at).clone();
            function.exprs.replace(at, expr, ty);
        }
        for &var in &self.vars {
            let ty = &mut function.vars[var].ty.ty;
            *ty = constant(*ty);
        }
    }
}

struct Uses<'a> {
    module: &'a Module,
    function: &'a Function,
    found: Pointers,
    obstacle: Option<Obstacle>,
}

impl Uses<'_> {
    fn expr(&self, id: ExprId) -> &Expr {
        self.function.exprs.get(id)
    }

    fn is_pointer(&self, id: ExprId) -> bool {
        let ty = self.function.exprs.ty(id);
        self.module.types.as_pointer(ty).is_some()
    }

    fn is_array(&self, id: ExprId) -> bool {
        let ty = self.function.exprs.ty(id);
        self.module.types.as_array(ty).is_some()
    }

    /// A variable of [`Pointers::vars`].
    fn is_own(&self, id: ExprId) -> bool {
        matches!(self.expr(id), Expr::Var(VarRef::Local(var)) if self.found.vars.contains(var))
    }

    /// Whether an expression is an address in what the parameter points to. An array as a value is its
    /// address.
    fn is_address(&self, id: ExprId) -> bool {
        match self.expr(id) {
            Expr::Var(_) => self.is_own(id),
            Expr::Assign { lhs, .. } => self.is_own(*lhs),
            Expr::IncDec { operand, .. } => self.is_own(*operand),
            Expr::Comma { rhs, .. } => self.is_address(*rhs),
            Expr::Cond {
                then, otherwise, ..
            } => self.is_address(*then) && self.is_address(*otherwise),
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                lhs,
                rhs,
            } => self.is_pointer(id) && (self.is_address(*lhs) || self.is_address(*rhs)),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.is_location(*operand),
            _ => self.is_array(id) && self.is_location(id),
        }
    }

    /// Whether an expression is a location in what the parameter points to.
    fn is_location(&self, id: ExprId) -> bool {
        match self.expr(id) {
            Expr::Index { base, .. } => self.is_address(*base) || self.is_location(*base),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.is_address(*operand),
            Expr::Member { base, arrow, .. } => match arrow {
                true => self.is_address(*base),
                false => self.is_location(*base),
            },
            Expr::Swizzle { base, .. } => self.is_location(*base),
            _ => false,
        }
    }

    /// Adds variables that are given an address.
    fn add_variables(&mut self) {
        let mut given = Vec::new();
        let Some(body) = &self.function.body else {
            return;
        };
        body.for_each_stmt(&mut |stmt| {
            if let StmtKind::Decl {
                var,
                init: Some(Init::Expr(init)),
            } = &stmt.kind
            {
                given.push((*var, *init));
            }
            for root in stmt.exprs() {
                self.function.exprs.for_each(root, &mut |id| {
                    if let Expr::Assign { op: None, lhs, rhs } = self.expr(id)
                        && let Expr::Var(VarRef::Local(var)) = self.expr(*lhs)
                    {
                        given.push((*var, *rhs));
                    }
                });
            }
        });
        given.retain(|(var, value)| self.may_hold(*var) && self.is_address(*value));
        self.found
            .vars
            .extend(given.into_iter().map(|(var, _)| var));
    }

    /// Whether a variable is a pointer of the kernel's own to `__global` memory.
    fn may_hold(&self, var: VarId) -> bool {
        let pointer = self.module.types.as_pointer(self.function.vars[var].ty.ty);
        let is_plain = pointer.is_some_and(|(pointee, space)| {
            space == AddressSpace::Global && !pointee.quals.contains(Qualifiers::VOLATILE)
        });
        is_plain && !self.function.params.contains(&var)
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Decl { var, .. } = &stmt.kind {
            let is_own = self.found.vars.contains(var);
            for init in stmt.exprs() {
                self.need_address(is_own, init);
                self.visit(init, (!is_own).then_some("is kept in a variable"));
            }
            return;
        }
        for root in stmt.exprs() {
            let is_dropped = matches!(
                self.expr(root),
                Expr::Assign { .. } | Expr::IncDec { .. } | Expr::Comma { .. }
            );
            self.visit(root, (!is_dropped).then_some("is used as a value"));
        }
    }

    /// What a variable is given.
    fn need_address(&mut self, is_own: bool, value: ExprId) {
        if is_own && !self.is_address(value) {
            let what = "shares a variable with other pointers";
            self.obstacle.get_or_insert(Obstacle { at: value, what });
        }
    }

    /// An expression and all below it. `refused` says what becomes of its value, if that wants no
    /// `__constant` pointer.
    fn visit(&mut self, id: ExprId, refused: Option<&'static str>) {
        if self.is_address(id) {
            self.found.exprs.push(id);
            if let Some(what) = refused {
                self.obstacle.get_or_insert(Obstacle { at: id, what });
            }
        }
        if let Expr::Assign { op: None, lhs, rhs } = *self.expr(id) {
            self.need_address(self.is_own(lhs), rhs);
        }
        for child in self.function.exprs.children(id) {
            let refused = self.refusal(id, child);
            self.visit(child, refused);
        }
    }

    /// What an expression does with an operand that is an address, unless it takes any.
    fn refusal(&self, parent: ExprId, child: ExprId) -> Option<&'static str> {
        match self.expr(parent) {
            Expr::Index { base, .. } if *base == child => None,
            Expr::Unary {
                op: UnaryOp::AddressOf,
                ..
            } => (!self.is_location(child)).then_some("has its own address taken"),
            Expr::Unary {
                op: UnaryOp::Deref, ..
            }
            | Expr::Member { .. }
            | Expr::Swizzle { .. }
            | Expr::SizeOf(SizeOfArg::Expr(_)) => None,
            Expr::Binary { op, lhs, rhs } => self.refusal_of(parent, *op, [*lhs, *rhs]),
            Expr::Assign { .. } | Expr::IncDec { .. } if self.is_address(parent) => None,
            // Of the first nothing is left; the second is what the whole is.
            Expr::Comma { .. } => None,
            Expr::Cond { cond, .. } if self.is_address(parent) && *cond != child => None,
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } if name.starts_with("vload") => None,
            Expr::Call { .. } => Some("is passed to a function"),
            Expr::Cast { .. } => Some("is cast to another type"),
            Expr::Assign { .. } => Some("is kept in a variable"),
            Expr::Cond { .. } => Some("is one of two pointers"),
            _ => Some("is used as a value"),
        }
    }

    /// The same of an operator: it takes an address and a number, or two addresses.
    fn refusal_of(
        &self,
        parent: ExprId,
        op: BinaryOp,
        operands: [ExprId; 2],
    ) -> Option<&'static str> {
        let both = operands.iter().all(|operand| self.is_address(*operand));
        match op {
            BinaryOp::Add | BinaryOp::Sub if both || self.is_address(parent) => None,
            op if op.is_comparison() => (!both).then_some("is compared"),
            _ => Some("is used as a value"),
        }
    }
}
