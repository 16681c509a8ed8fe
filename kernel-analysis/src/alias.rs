//! Which memory a pointer may point into, and whether two accesses may touch the same bytes.
//!
//! The analysis is flow-insensitive (Andersen's inclusion constraints over one function): every
//! pointer variable has one set of roots, the union over all its assignments. A pointer that is
//! loaded from memory, made from an integer or returned by a function has the root
//! [`Root::Unknown`].

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Function, FunctionId, Module, Qualifiers,
    RecordKind, StmtKind, UnaryOp, VarId, VarRef,
};

use super::calls::callees;

/// What a pointer may point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// A variable itself, or a part of it.
    Object(VarRef),
    /// What the caller, or the host, passed as this parameter.
    Param(VarId),
    /// Anything whose address something outside of this function, or memory, may hold.
    Unknown,
}

/// All that a pointer may point into.
pub type Roots = BTreeSet<Root>;

/// The pointers of one function.
pub struct Aliases<'a> {
    /// The module.
    pub module: &'a Module,
    /// The function.
    pub function: &'a Function,
    /// A kernel that no other function calls: its parameters come from the host.
    entry: bool,
    /// By variable; empty for what is no pointer.
    pointers: Vec<Roots>,
    /// Objects whose address is taken, or that decay to a pointer outside of a plain index.
    exposed: BTreeSet<VarRef>,
}

impl<'a> Aliases<'a> {
    /// Analyses a function; `called` holds those that others call ([`called_functions`]).
    pub fn new(module: &'a Module, id: FunctionId, called: &BTreeSet<FunctionId>) -> Self {
        let function = &module.functions[id];
        let mut aliases = Aliases {
            module,
            function,
            entry: function.is_kernel && !called.contains(&id),
            pointers: vec![Roots::new(); function.vars.len()],
            exposed: BTreeSet::new(),
        };
        aliases.expose();
        aliases.solve();
        aliases
    }

    /// Whether an object's address may be held by a pointer.
    pub fn is_exposed(&self, object: VarRef) -> bool {
        self.exposed.contains(&object)
    }

    /// What a pointer variable may point into over its whole life.
    pub fn var_roots(&self, var: VarId) -> &Roots {
        &self.pointers[var.index()]
    }

    fn expose(&mut self) {
        let Some(body) = &self.function.body else {
            return;
        };
        let mut found = BTreeSet::new();
        body.for_each_stmt(&mut |stmt| {
            for root in stmt.exprs() {
                if !matches!(stmt.kind, StmtKind::Expr(_)) {
                    self.expose_decayed(root, &mut found);
                }
                self.function.exprs.for_each(root, &mut |id| {
                    self.expose_below(id, &mut found);
                });
            }
        });
        self.exposed = found;
    }

    fn expose_below(&self, id: ExprId, found: &mut BTreeSet<VarRef>) {
        match self.function.exprs.get(id) {
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => found.extend(self.object(*operand)),
            Expr::Unary {
                op: UnaryOp::Deref, ..
            }
            | Expr::Member { .. }
            | Expr::SizeOf(_) => {}
            Expr::Index { index, .. } => self.expose_decayed(*index, found),
            _ => {
                for child in self.function.exprs.children(id) {
                    self.expose_decayed(child, found);
                }
            }
        }
    }

    fn expose_decayed(&self, id: ExprId, found: &mut BTreeSet<VarRef>) {
        let ty = self.function.exprs.ty(id);
        if self.module.types.as_array(ty).is_some() {
            found.extend(self.object(id));
        }
    }

    /// The variable that an lvalue is a part of, if it is reached without a pointer.
    pub fn object(&self, lvalue: ExprId) -> Option<VarRef> {
        match self.function.exprs.get(lvalue) {
            Expr::Var(var) => Some(*var),
            Expr::Index { base, .. } if !self.is_pointer(*base) => self.object(*base),
            Expr::Member {
                base, arrow: false, ..
            }
            | Expr::Swizzle { base, .. } => self.object(*base),
            _ => None,
        }
    }

    /// Whether an expression is a pointer (arrays are none).
    pub fn is_pointer(&self, id: ExprId) -> bool {
        let ty = self.function.exprs.ty(id);
        self.module.types.as_pointer(ty).is_some()
    }

    fn solve(&mut self) {
        for (var, variable) in self.function.vars.iter() {
            if self.module.types.as_pointer(variable.ty.ty).is_none() {
                continue;
            }
            if self.function.params.contains(&var) {
                self.pointers[var.index()].insert(Root::Param(var));
            }
            // A write through a pointer to the pointer escapes this analysis.
            if self.exposed.contains(&VarRef::Local(var)) {
                self.pointers[var.index()].insert(Root::Unknown);
            }
        }
        let assignments = self.assignments();
        loop {
            let mut changed = false;
            for &(var, value) in &assignments {
                let roots = self.roots(value);
                let known = &mut self.pointers[var.index()];
                let before = known.len();
                known.extend(roots);
                changed |= known.len() != before;
            }
            if !changed {
                return;
            }
        }
    }

    /// Every `pointer = value` of the function, initialisers included.
    fn assignments(&self) -> Vec<(VarId, ExprId)> {
        let mut out = Vec::new();
        let Some(body) = &self.function.body else {
            return out;
        };
        let is_pointer = |var: VarId| {
            let ty = self.function.vars[var].ty.ty;
            self.module.types.as_pointer(ty).is_some()
        };
        body.for_each_stmt(&mut |stmt| {
            if let StmtKind::Decl {
                var,
                init: Some(init),
            } = &stmt.kind
                && is_pointer(*var)
            {
                let mut values = Vec::new();
                init.exprs(&mut values);
                out.extend(values.into_iter().map(|value| (*var, value)));
            }
        });
        body.for_each_expr(&self.function.exprs, &mut |id| {
            if let Expr::Assign { op: None, lhs, rhs } = self.function.exprs.get(id)
                && let Expr::Var(VarRef::Local(var)) = self.function.exprs.get(*lhs)
                && is_pointer(*var)
            {
                out.push((*var, *rhs));
            }
        });
        out
    }

    /// What a pointer, or an array that decays to one, points into.
    pub fn roots(&self, id: ExprId) -> Roots {
        if !self.is_pointer(id) {
            let ty = self.function.exprs.ty(id);
            return match self.module.types.as_array(ty) {
                Some(_) => self.lvalue_roots(id),
                None if self.is_null(id) => Roots::new(),
                None => Roots::from([Root::Unknown]),
            };
        }
        match self.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => self.pointers[var.index()].clone(),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.lvalue_roots(*operand),
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                lhs,
                rhs,
            } => {
                let pointer = if self.is_address(*lhs) { *lhs } else { *rhs };
                self.roots(pointer)
            }
            Expr::Cast { operand, .. } => self.roots(*operand),
            Expr::Cond {
                then, otherwise, ..
            } => {
                let mut all = self.roots(*then);
                all.extend(self.roots(*otherwise));
                all
            }
            Expr::Comma { rhs, .. } => self.roots(*rhs),
            Expr::Assign { op: None, rhs, .. } => self.roots(*rhs),
            Expr::Assign { lhs, .. } => self.roots(*lhs),
            Expr::IncDec { operand, .. } => self.roots(*operand),
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } if matches!(name.as_str(), "to_global" | "to_local" | "to_private") => {
                args.first().map_or_else(Roots::new, |arg| self.roots(*arg))
            }
            _ => Roots::from([Root::Unknown]),
        }
    }

    /// Whether an expression is a pointer or an array.
    pub fn is_address(&self, id: ExprId) -> bool {
        let ty = self.function.exprs.ty(id);
        self.is_pointer(id) || self.module.types.as_array(ty).is_some()
    }

    fn is_null(&self, id: ExprId) -> bool {
        matches!(self.function.exprs.get(id), Expr::Int { value: 0, .. })
    }

    /// What an lvalue lies in.
    pub fn lvalue_roots(&self, id: ExprId) -> Roots {
        match self.function.exprs.get(id) {
            Expr::Var(var) => Roots::from([Root::Object(*var)]),
            Expr::Index { base, .. } if self.is_pointer(*base) => self.roots(*base),
            Expr::Index { base, .. } => self.lvalue_roots(*base),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.roots(*operand),
            Expr::Member {
                base, arrow: true, ..
            } => self.roots(*base),
            Expr::Member { base, .. } | Expr::Swizzle { base, .. } => self.lvalue_roots(*base),
            _ => Roots::from([Root::Unknown]),
        }
    }

    /// The address space that an lvalue lies in; `None` if its type does not say.
    pub fn lvalue_space(&self, id: ExprId) -> Option<AddressSpace> {
        let pointee = |pointer: ExprId| {
            let ty = self.function.exprs.ty(pointer);
            self.module.types.as_pointer(ty).map(|(_, space)| space)
        };
        match self.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => Some(self.function.vars[*var].space),
            Expr::Var(VarRef::Global(global)) => Some(self.module.globals[*global].variable.space),
            Expr::Index { base, .. } => pointee(*base).or_else(|| self.lvalue_space(*base)),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => pointee(*operand).or_else(|| self.lvalue_space(*operand)),
            Expr::Member { base, arrow, .. } if *arrow => pointee(*base),
            Expr::Member { base, .. } | Expr::Swizzle { base, .. } => self.lvalue_space(*base),
            _ => None,
        }
    }

    /// Whether an access to it must stay as it is: it is volatile, or a bit-field.
    pub fn is_volatile(&self, location: ExprId) -> bool {
        let (module, function) = (self.module, self.function);
        let volatile = |quals: Qualifiers| quals.contains(Qualifiers::VOLATILE);
        let through = |pointer: ExprId| {
            let ty = function.exprs.ty(pointer);
            let pointee = module.types.as_pointer(ty).map(|(pointee, _)| pointee);
            pointee.is_some_and(|pointee| volatile(pointee.quals))
        };
        match function.exprs.get(location) {
            Expr::Var(VarRef::Local(var)) => volatile(function.vars[*var].ty.quals),
            Expr::Var(VarRef::Global(global)) => {
                volatile(module.globals[*global].variable.ty.quals)
            }
            Expr::Unary { operand, .. } => through(*operand),
            Expr::Index { base, .. } => {
                let element = module.types.as_array(function.exprs.ty(*base));
                through(*base)
                    || element.is_some_and(|(element, _)| volatile(element.quals))
                    || (!self.is_pointer(*base) && self.is_volatile(*base))
            }
            Expr::Member {
                base,
                record,
                field,
                arrow,
            } => {
                let field = module.field(*record, *field);
                field.is_none_or(|field| volatile(field.ty.quals) || field.bits.is_some())
                    || if *arrow {
                        through(*base)
                    } else {
                        self.is_volatile(*base)
                    }
            }
            Expr::Swizzle { base, .. } => self.is_volatile(*base),
            _ => false,
        }
    }

    /// Whether something may lie in both.
    pub fn roots_meet(&self, a: &Roots, b: &Roots) -> bool {
        a.iter().any(|&x| b.iter().any(|&y| !self.disjoint(x, y)))
    }

    /// Whether nothing can lie in both.
    fn disjoint(&self, a: Root, b: Root) -> bool {
        match (a, b) {
            (Root::Object(x), Root::Object(y)) => x != y,
            (Root::Unknown, Root::Object(object)) | (Root::Object(object), Root::Unknown) => {
                !self.is_exposed(object) && matches!(object, VarRef::Local(_))
            }
            (Root::Unknown, _) | (_, Root::Unknown) => false,
            // A parameter cannot point to a variable of this very call.
            (Root::Param(_), Root::Object(VarRef::Local(_)))
            | (Root::Object(VarRef::Local(_)), Root::Param(_)) => true,
            // The host's buffers are no program-scope constants; a helper may be passed one.
            (Root::Param(_), Root::Object(VarRef::Global(global)))
            | (Root::Object(VarRef::Global(global)), Root::Param(_)) => {
                let space = self.module.globals[global].variable.space;
                self.entry && space == AddressSpace::Constant
            }
            (Root::Param(x), Root::Param(y)) => x != y && self.params_disjoint(x, y),
        }
    }

    fn params_disjoint(&self, x: VarId, y: VarId) -> bool {
        let restrict = |var: VarId| {
            let quals = self.function.vars[var].ty.quals;
            quals.contains(Qualifiers::RESTRICT)
        };
        let space = |var: VarId| {
            let ty = self.function.vars[var].ty.ty;
            self.module.types.as_pointer(ty).map(|(_, space)| space)
        };
        // Each __local argument of a launch is an allocation of its own.
        let both_local =
            space(x) == Some(AddressSpace::Local) && space(y) == Some(AddressSpace::Local);
        restrict(x)
            || restrict(y)
            || spaces_differ(space(x), space(y))
            || (self.entry && both_local)
    }

    /// Whether two lvalues are provably different elements, fields or components of one thing.
    pub(crate) fn distinct_parts(&self, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.function.exprs;
        match (exprs.get(a), exprs.get(b)) {
            (Expr::Index { base: x, index: i }, Expr::Index { base: y, index: j }) => {
                if exprs.same(*x, *y) {
                    return self.differ_by_constant(*i, *j);
                }
                !self.is_pointer(*x) && !self.is_pointer(*y) && self.distinct_parts(*x, *y)
            }
            (
                Expr::Member {
                    base: x,
                    record: r,
                    field: f,
                    arrow: p,
                },
                Expr::Member {
                    base: y,
                    record: s,
                    field: g,
                    arrow: q,
                },
            ) => {
                let same_struct =
                    r == s && p == q && self.module.records[*r].kind == RecordKind::Struct;
                if same_struct && exprs.same(*x, *y) {
                    return f != g;
                }
                same_struct && f == g && !p && self.distinct_parts(*x, *y)
            }
            (
                Expr::Swizzle {
                    base: x,
                    components: c,
                    ..
                },
                Expr::Swizzle {
                    base: y,
                    components: d,
                    ..
                },
            ) => {
                if exprs.same(*x, *y) {
                    return c.iter().all(|component| !d.contains(component));
                }
                self.distinct_parts(*x, *y)
            }
            _ => false,
        }
    }

    /// Whether two indices are the same expression plus different constants.
    fn differ_by_constant(&self, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.function.exprs;
        if let (Expr::Int { value: x, .. }, Expr::Int { value: y, .. }) =
            (exprs.get(a), exprs.get(b))
        {
            return x != y;
        }
        let (rest_a, add_a) = self.split_constant(a);
        let (rest_b, add_b) = self.split_constant(b);
        // Small differences only: an index that wraps around cannot come back to the same element.
        let difference = (add_a - add_b).unsigned_abs();
        exprs.ty(a) == exprs.ty(b)
            && exprs.same(rest_a, rest_b)
            && (1..i32::MAX as u128).contains(&difference)
    }

    /// An index as `rest + constant`.
    fn split_constant(&self, id: ExprId) -> (ExprId, i128) {
        let exprs = &self.function.exprs;
        let literal = |id: ExprId| match exprs.get(id) {
            Expr::Int { value, .. } if i32::try_from(*value).is_ok() => Some(*value),
            _ => None,
        };
        match exprs.get(id) {
            Expr::Binary { op, lhs, rhs } => match (op, literal(*lhs), literal(*rhs)) {
                (BinaryOp::Add, None, Some(value)) => (*lhs, value),
                (BinaryOp::Add, Some(value), None) => (*rhs, value),
                (BinaryOp::Sub, None, Some(value)) => (*lhs, -value),
                _ => (id, 0),
            },
            _ => (id, 0),
        }
    }
}

/// Whether two spaces have no byte in common. A buffer may be passed as `__constant` and as
/// `__global`, so these two do.
pub(crate) fn spaces_differ(a: Option<AddressSpace>, b: Option<AddressSpace>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return false;
    };
    let same_memory = |space| match space {
        AddressSpace::Constant => AddressSpace::Global,
        other => other,
    };
    let (a, b) = (same_memory(a), same_memory(b));
    a != b && a != AddressSpace::Generic && b != AddressSpace::Generic
}

/// The functions that any function of the module calls.
pub fn called_functions(module: &Module) -> BTreeSet<FunctionId> {
    let callees = module
        .functions
        .iter()
        .flat_map(|(_, function)| callees(function));
    callees.map(|(callee, _)| callee).collect()
}
