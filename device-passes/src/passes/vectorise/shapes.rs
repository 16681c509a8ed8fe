//! How values differ between lanes: not at all, by a constant from each lane to the next, or anyhow.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Callee, Expr, ExprId, Function, IncDecOp, Init, Module, Scalar,
    Stmt, StmtKind, UnaryOp, VarId, VarRef, builtin_has_effects,
};
use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::constant;
use fpgacc_kernel_analysis::work_item::{Dim, Quantity, Query, query};

/// How a value differs between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing is known yet.
    Unset,
    /// All lanes have the same.
    Uniform,
    /// It grows from lane to lane.
    Linear(Linear),
    /// Anyhow.
    Varying,
}

/// A value that grows by a constant from lane to lane, at least modulo two to its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// By how much.
    pub stride: i64,
    /// It does not wrap between lanes.
    pub exact: bool,
    /// That of lane 0 is a multiple of the number of lanes.
    pub aligned: bool,
}

impl Shape {
    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Unset, one) | (one, Shape::Unset) => one,
            (Shape::Uniform, Shape::Uniform) => Shape::Uniform,
            (Shape::Linear(a), Shape::Linear(b)) if a.stride == b.stride => Shape::Linear(Linear {
                stride: a.stride,
                exact: a.exact && b.exact,
                aligned: a.aligned && b.aligned,
            }),
            _ => Shape::Varying,
        }
    }

    /// The shape of what is computed of two values in no way that is looked at.
    fn mix(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Unset, _) | (_, Shape::Unset) => Shape::Unset,
            (Shape::Uniform, Shape::Uniform) => Shape::Uniform,
            _ => Shape::Varying,
        }
    }

    /// The stride, 0 for what is uniform.
    pub fn stride(self) -> Option<i64> {
        match self {
            Shape::Uniform => Some(0),
            Shape::Linear(linear) => Some(linear.stride),
            Shape::Unset | Shape::Varying => None,
        }
    }

    /// Whether it does not wrap between lanes.
    pub fn is_exact(self) -> bool {
        match self {
            Shape::Linear(linear) => linear.exact,
            _ => self == Shape::Uniform,
        }
    }
}

/// What of lanes differs to begin with.
pub trait Lanes {
    /// The shape of a work-item function's answer.
    fn query(&self, query: Query) -> Shape;
    /// The shape of a variable whose changes are not looked at.
    fn given(&self, var: VarId) -> Option<Shape>;
}

/// Neighbouring work-items in dimension 0, of launches without an offset.
pub struct WorkItems;

impl Lanes for WorkItems {
    fn query(&self, query: Query) -> Shape {
        let counts = Shape::Linear(Linear {
            stride: 1,
            exact: true,
            aligned: true,
        });
        match (query.quantity, query.dim) {
            (Quantity::GlobalLinearId | Quantity::LocalLinearId, _) => counts,
            (Quantity::GlobalId | Quantity::LocalId, Dim::Of(0)) => counts,
            (Quantity::GlobalId | Quantity::LocalId, Dim::Computed(_)) => Shape::Varying,
            _ => Shape::Uniform,
        }
    }

    fn given(&self, _: VarId) -> Option<Shape> {
        None
    }
}

/// How a variable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As it is: it is uniform, or what lane 0 has determines what the others have.
    Scalar,
    /// As a vector of these elements.
    Vector(Scalar),
    /// As an array of vectors.
    Array,
    /// As an array with one for each lane.
    PerLane,
}

/// The shapes of a piece of code.
pub struct Shapes {
    vars: BTreeMap<VarId, Shape>,
    exprs: BTreeMap<ExprId, Shape>,
    /// The calls of work-item functions.
    pub queries: BTreeMap<ExprId, Query>,
    /// Integer constants, by expression.
    pub constants: BTreeMap<ExprId, i128>,
    storage: BTreeMap<VarId, Storage>,
}

impl Shapes {
    /// Of statements; variables that they do not declare have what `lanes` gives.
    pub fn of(
        module: &Module,
        function: &Function,
        summaries: &Summaries,
        lanes: &dyn Lanes,
        stmts: &[Stmt],
    ) -> Self {
        let mut finder = Finder {
            module,
            function,
            summaries,
            lanes,
            vars: BTreeMap::new(),
            per_lane: BTreeSet::new(),
            regions: Vec::new(),
            changed: false,
        };
        finder.expose(stmts);
        loop {
            finder.changed = false;
            finder.list(stmts);
            if !finder.changed {
                break;
            }
        }
        let mut shapes = Shapes {
            vars: BTreeMap::new(),
            exprs: BTreeMap::new(),
            queries: BTreeMap::new(),
            constants: BTreeMap::new(),
            storage: BTreeMap::new(),
        };
        Block::of(stmts.to_vec()).for_each_expr(&function.exprs, &mut |id| {
            finder.index_by_lane(id);
            shapes.exprs.insert(id, settled(finder.shape(id)));
            if let Some(query) = query(module, function, id) {
                shapes.queries.insert(id, query);
            }
            if let Some(value) = constant::integer(module, &function.exprs, id) {
                shapes.constants.insert(id, value);
            }
        });
        for var in function.vars.ids() {
            let shape = settled(finder.var(var));
            shapes.vars.insert(var, shape);
            shapes.storage.insert(var, finder.storage(var, shape));
        }
        shapes
    }

    /// Of a variable.
    pub fn var(&self, var: VarId) -> Shape {
        self.vars.get(&var).copied().unwrap_or(Shape::Uniform)
    }

    /// Of an expression of the code.
    pub fn expr(&self, id: ExprId) -> Shape {
        self.exprs.get(&id).copied().unwrap_or(Shape::Varying)
    }

    /// Whether all lanes have the same.
    pub fn is_uniform(&self, id: ExprId) -> bool {
        self.expr(id) == Shape::Uniform
    }

    /// How a variable is kept.
    pub fn storage(&self, var: VarId) -> Storage {
        self.storage.get(&var).copied().unwrap_or(Storage::Scalar)
    }
}

/// What was never given a value has any.
fn settled(shape: Shape) -> Shape {
    match shape {
        Shape::Unset => Shape::Uniform,
        other => other,
    }
}

struct Finder<'a> {
    module: &'a Module,
    function: &'a Function,
    summaries: &'a Summaries,
    lanes: &'a dyn Lanes,
    vars: BTreeMap<VarId, Shape>,
    /// Variables that differ between lanes and whose address is taken, or that lanes index differently.
    per_lane: BTreeSet<VarId>,
    /// For each branch around that only some lanes may take, what is declared in it.
    regions: Vec<BTreeSet<VarId>>,
    changed: bool,
}

impl Finder<'_> {
    fn scalar(&self, id: ExprId) -> Option<Scalar> {
        self.module.types.as_scalar(self.function.exprs.ty(id))
    }

    fn var(&self, var: VarId) -> Shape {
        if let Some(given) = self.lanes.given(var) {
            return given;
        }
        let is_param = self.function.params.contains(&var);
        let is_memory = self.function.vars[var].space != AddressSpace::Private;
        match self.vars.get(&var) {
            Some(shape) => *shape,
            None if is_param || is_memory => Shape::Uniform,
            None => Shape::Unset,
        }
    }

    /// What is reached by pointers has no shape that assignments give.
    fn expose(&mut self, stmts: &[Stmt]) {
        let function = self.function;
        for (var, variable) in function.vars.iter() {
            let types = &self.module.types;
            let is_private = types.as_pointer(variable.ty.ty).is_some_and(|(_, space)| {
                matches!(space, AddressSpace::Private | AddressSpace::Generic)
            });
            if is_private && !function.params.contains(&var) {
                self.vars.insert(var, Shape::Varying);
            }
        }
        Block::of(stmts.to_vec()).for_each_expr(&function.exprs, &mut |id| match function
            .exprs
            .get(id)
        {
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.take_address(*operand),
            // An array there is no pointer.
            Expr::Member { .. } | Expr::SizeOf(_) => {}
            Expr::Index { index, .. } => self.decay(*index),
            _ => {
                for child in function.exprs.children(id) {
                    self.decay(child);
                }
            }
        });
        // A declaration's or statement's own value may be an array, too.
        Block::of(stmts.to_vec()).for_each_stmt(&mut |stmt| {
            for root in stmt.exprs() {
                self.decay(root);
            }
        });
    }

    /// An array whose address is a value.
    fn decay(&mut self, id: ExprId) {
        if self
            .module
            .types
            .as_array(self.function.exprs.ty(id))
            .is_some()
        {
            self.take_address(id);
        }
    }

    fn take_address(&mut self, id: ExprId) {
        if let Some(var) = root(self.module, self.function, id)
            && self.function.vars[var].space == AddressSpace::Private
        {
            self.vars.insert(var, Shape::Varying);
            self.per_lane.insert(var);
        }
    }

    /// Notes arrays that differ between lanes and are indexed differently by them.
    fn index_by_lane(&mut self, id: ExprId) {
        if let Expr::Index { index, .. } = self.function.exprs.get(id)
            && self.shape(*index) != Shape::Uniform
            && let Some(var) = root(self.module, self.function, id)
        {
            self.per_lane.insert(var);
        }
    }

    fn storage(&self, var: VarId, shape: Shape) -> Storage {
        let variable = &self.function.vars[var];
        if shape != Shape::Varying || self.function.params.contains(&var) {
            return Storage::Scalar;
        }
        let types = &self.module.types;
        if self.per_lane.contains(&var) {
            return Storage::PerLane;
        }
        let mut ty = variable.ty.ty;
        let is_array = types.as_array(ty).is_some();
        while let Some((element, Some(_))) = types.as_array(ty) {
            ty = element.ty;
        }
        match types.as_scalar(ty) {
            Some(_) if is_array => Storage::Array,
            Some(scalar) => Storage::Vector(kept(scalar)),
            None => Storage::PerLane,
        }
    }

    fn list(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Decl { var, init } = &stmt.kind {
            for region in &mut self.regions {
                region.insert(*var);
            }
            match init {
                Some(Init::Expr(value)) => {
                    let shape = self.shape(*value);
                    let from = self.scalar(*value);
                    self.give(*var, shape, from);
                }
                Some(init @ Init::List(_)) => {
                    let mut values = Vec::new();
                    init.exprs(&mut values);
                    for value in values {
                        let shape = self.shape(value).mix(Shape::Uniform);
                        self.give(*var, shape, None);
                    }
                    self.give(*var, Shape::Uniform, None);
                }
                None => {}
            }
        }
        let differs = decides(stmt)
            .is_some_and(|cond| !matches!(self.shape(cond), Shape::Uniform | Shape::Unset));
        // What decides at a loop is evaluated again by those that go on.
        let is_loop = fpgacc_kernel_analysis::loops::hints(stmt).is_some();
        if !is_loop {
            self.all_effects(stmt);
        }
        if differs {
            self.regions.push(BTreeSet::new());
        }
        for list in stmt.lists() {
            self.list(list);
        }
        if is_loop {
            self.all_effects(stmt);
        }
        if differs {
            self.regions.pop();
        }
    }

    fn all_effects(&mut self, stmt: &Stmt) {
        for root in stmt.exprs() {
            self.effects(root);
        }
    }

    /// Looks at all that an expression assigns.
    fn effects(&mut self, id: ExprId) {
        let exprs = &self.function.exprs;
        if matches!(exprs.get(id), Expr::SizeOf(_)) {
            return;
        }
        for child in exprs.children(id) {
            self.effects(child);
        }
        match exprs.get(id) {
            Expr::Assign { op, lhs, rhs } => {
                let (shape, from) = match op {
                    None => (self.shape(*rhs), self.scalar(*rhs)),
                    Some(op) => {
                        let ty = self.compound_type(*op, *lhs, *rhs);
                        (self.binary(*op, *lhs, *rhs, ty), ty)
                    }
                };
                self.assign(*lhs, shape, from);
            }
            Expr::IncDec { op, operand } => {
                let ty = self.scalar(*operand);
                let sign = match op {
                    IncDecOp::PreInc | IncDecOp::PostInc => BinaryOp::Add,
                    IncDecOp::PreDec | IncDecOp::PostDec => BinaryOp::Sub,
                };
                let shape = self.sum(sign, (self.shape(*operand), ty), (Shape::Uniform, ty), ty);
                self.assign(*operand, shape, ty);
            }
            _ => {}
        }
    }

    fn compound_type(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<Scalar> {
        let left = self.scalar(lhs)?;
        Some(match op {
            BinaryOp::Shl | BinaryOp::Shr => promoted(left),
            _ => left.usual(self.scalar(rhs)?),
        })
    }

    fn assign(&mut self, lhs: ExprId, value: Shape, from: Option<Scalar>) {
        let Some(var) = root(self.module, self.function, lhs) else {
            return;
        };
        let is_whole = matches!(self.function.exprs.get(lhs), Expr::Var(_));
        let shape = match is_whole {
            true => value,
            false => value.mix(self.location(lhs)),
        };
        let is_partial = self.regions.iter().any(|region| !region.contains(&var));
        match is_partial {
            true => self.give(var, Shape::Varying, None),
            false => self.give(var, shape, from.filter(|_| is_whole)),
        }
    }

    /// Whether all lanes mean the same element or field of a variable.
    fn location(&self, lhs: ExprId) -> Shape {
        match self.function.exprs.get(lhs) {
            Expr::Index { base, index } => self.location(*base).mix(self.shape(*index)),
            Expr::Member { base, .. } | Expr::Swizzle { base, .. } => self.location(*base),
            _ => Shape::Uniform,
        }
    }

    fn give(&mut self, var: VarId, shape: Shape, from: Option<Scalar>) {
        if self.function.vars[var].space != AddressSpace::Private || shape == Shape::Unset {
            return;
        }
        let to = self.module.types.as_scalar(self.function.vars[var].ty.ty);
        let shape = match (from, to) {
            (Some(from), Some(to)) => converted(shape, from, to),
            _ => shape.mix(Shape::Uniform),
        };
        let before = self.vars.get(&var).copied().unwrap_or(Shape::Unset);
        let after = before.join(shape);
        if after != before {
            self.vars.insert(var, after);
            self.changed = true;
        }
    }

    fn shape(&self, id: ExprId) -> Shape {
        let exprs = &self.function.exprs;
        match exprs.get(id) {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Str(_)
            | Expr::EnumConst(..)
            | Expr::BuiltinConst(_)
            | Expr::SizeOf(_)
            | Expr::Var(VarRef::Global(_)) => Shape::Uniform,
            Expr::Var(VarRef::Local(var)) => self.var(*var),
            Expr::Unary { op, operand } => self.unary(*op, *operand, id),
            Expr::IncDec { operand, .. } => self.shape(*operand).mix(Shape::Uniform),
            Expr::Binary { op, lhs, rhs } => {
                let ty = self.scalar(id);
                self.binary(*op, *lhs, *rhs, ty)
            }
            Expr::Assign { lhs, rhs, .. } => self.shape(*lhs).mix(self.shape(*rhs)),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                let mixed = self.shape(*then).mix(self.shape(*otherwise));
                self.shape(*cond).mix(mixed)
            }
            Expr::Index { base, index } => {
                let held = match self.private_pointer(*base) {
                    true => Shape::Varying,
                    false => self.shape(*base),
                };
                held.mix(self.shape(*index))
            }
            Expr::Member { base, arrow, .. } => match *arrow && self.private_pointer(*base) {
                true => Shape::Varying,
                false => self.shape(*base).mix(Shape::Uniform),
            },
            Expr::Swizzle { base, .. } => self.shape(*base).mix(Shape::Uniform),
            Expr::Cast { operand, .. } => {
                let shape = self.shape(*operand);
                match (self.scalar(*operand), self.scalar(id)) {
                    (Some(from), Some(to)) => converted(shape, from, to),
                    _ => shape.mix(Shape::Uniform),
                }
            }
            Expr::VectorLit { .. } | Expr::Compound { .. } => self.all_of(&exprs.children(id)),
            Expr::Call { callee, args } => self.call(id, callee, args),
            Expr::Comma { rhs, .. } => self.shape(*rhs),
        }
    }

    fn private_pointer(&self, id: ExprId) -> bool {
        let pointer = self.module.types.as_pointer(self.function.exprs.ty(id));
        pointer.is_some_and(|(_, space)| {
            matches!(space, AddressSpace::Private | AddressSpace::Generic)
        })
    }

    fn all_of(&self, all: &[ExprId]) -> Shape {
        let shapes = all.iter().map(|id| self.shape(*id));
        shapes.fold(Shape::Uniform, Shape::mix)
    }

    fn call(&self, id: ExprId, callee: &Callee, args: &[ExprId]) -> Shape {
        if let Some(query) = query(self.module, self.function, id) {
            return self.lanes.query(query);
        }
        let is_pure = match callee {
            Callee::Builtin(name) => !builtin_has_effects(name),
            Callee::Function(of) => {
                let summary = self.summaries.get(self.module, *of);
                !summary.synchronises
                    && summary.unknown == (false, false)
                    && summary.globals.values().all(|written| !written)
                    && summary.params.iter().all(|(_, written)| !written)
            }
        };
        match is_pure {
            true => self.all_of(args),
            false => Shape::Varying,
        }
    }

    fn unary(&self, op: UnaryOp, operand: ExprId, id: ExprId) -> Shape {
        let shape = self.shape(operand);
        match op {
            UnaryOp::Plus => match (self.scalar(operand), self.scalar(id)) {
                (Some(from), Some(to)) => converted(shape, from, to),
                _ => shape.mix(Shape::Uniform),
            },
            UnaryOp::Minus => {
                let ty = self.scalar(id);
                let zero = (Shape::Uniform, ty);
                self.sum(BinaryOp::Sub, zero, (shape, self.scalar(operand)), ty)
            }
            UnaryOp::Deref if self.private_pointer(operand) => Shape::Varying,
            UnaryOp::AddressOf
                if root(self.module, self.function, operand)
                    .is_some_and(|var| self.function.vars[var].space == AddressSpace::Private) =>
            {
                Shape::Varying
            }
            UnaryOp::AddressOf => self.address(operand),
            UnaryOp::Not | UnaryOp::Complement | UnaryOp::Deref => shape.mix(Shape::Uniform),
        }
    }

    /// Of an lvalue's address, which is not read.
    fn address(&self, id: ExprId) -> Shape {
        match self.function.exprs.get(id) {
            Expr::Index { base, index } => self.shape(*base).mix(self.shape(*index)),
            Expr::Member {
                base, arrow: false, ..
            } => self.address(*base),
            Expr::Member { base, .. } => self.shape(*base).mix(Shape::Uniform),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.shape(*operand).mix(Shape::Uniform),
            _ => self.shape(id).mix(Shape::Uniform),
        }
    }

    /// `ty` is the type in which it is computed, `None` for pointers and vectors.
    fn binary(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId, ty: Option<Scalar>) -> Shape {
        let (left, right) = (self.shape(lhs), self.shape(rhs));
        let (from, by) = (self.scalar(lhs), self.scalar(rhs));
        let constant = |id| {
            let value = constant::integer(self.module, &self.function.exprs, id)?;
            i64::try_from(value)
                .ok()
                .filter(|value| value.unsigned_abs() <= 1 << 20)
        };
        match op {
            BinaryOp::Add | BinaryOp::Sub => self.sum(op, (left, from), (right, by), ty),
            BinaryOp::Mul => match (constant(lhs), constant(rhs)) {
                (_, Some(factor)) => self.scaled((left, from), factor, ty),
                (Some(factor), _) => self.scaled((right, by), factor, ty),
                (None, None) => left.mix(right),
            },
            BinaryOp::Shl => match constant(rhs) {
                Some(bits @ 0..=20) => self.scaled((left, from), 1 << bits, ty),
                _ => left.mix(right),
            },
            _ => left.mix(right),
        }
    }

    /// A sum or difference of values of these types, computed in `ty`.
    fn sum(
        &self,
        op: BinaryOp,
        (left, from): (Shape, Option<Scalar>),
        (right, by): (Shape, Option<Scalar>),
        ty: Option<Scalar>,
    ) -> Shape {
        let mixed = left.mix(right);
        let (Some(from), Some(by), Some(ty)) = (from, by, ty) else {
            return mixed;
        };
        if mixed != Shape::Varying {
            return mixed;
        }
        let (left, right) = (converted(left, from, ty), converted(right, by, ty));
        let (Some(a), Some(b)) = (left.stride(), right.stride()) else {
            return Shape::Varying;
        };
        let stride = match op {
            BinaryOp::Sub => a - b,
            _ => a + b,
        };
        self.linear(stride, left.is_exact() && right.is_exact(), ty)
    }

    fn scaled(
        &self,
        (shape, from): (Shape, Option<Scalar>),
        factor: i64,
        ty: Option<Scalar>,
    ) -> Shape {
        let mixed = shape.mix(Shape::Uniform);
        let (Some(from), Some(ty), Shape::Varying) = (from, ty, mixed) else {
            return mixed;
        };
        let shape = converted(shape, from, ty);
        match shape.stride().and_then(|stride| stride.checked_mul(factor)) {
            Some(stride) => self.linear(stride, shape.is_exact(), ty),
            None => Shape::Varying,
        }
    }

    /// What arithmetic gives; signed numbers do not overflow.
    fn linear(&self, stride: i64, exact: bool, ty: Scalar) -> Shape {
        if ty.is_float() || stride.unsigned_abs() > 1 << 30 {
            return Shape::Varying;
        }
        match stride {
            0 => Shape::Uniform,
            _ => Shape::Linear(Linear {
                stride,
                exact: exact && ty.is_signed_integer(),
                aligned: false,
            }),
        }
    }
}

/// Of a value that becomes another type.
pub fn converted(shape: Shape, from: Scalar, to: Scalar) -> Shape {
    let Shape::Linear(linear) = shape else {
        return shape;
    };
    if to.is_float() || to.size() < 4 || from.is_float() {
        return Shape::Varying;
    }
    if from == to {
        return shape;
    }
    // Lanes of an aligned value lie between two multiples of any power of two.
    let fits = linear.aligned && linear.stride == 1 && linear.exact;
    let is_wider = to.size() > from.size();
    if is_wider && !linear.exact {
        return Shape::Varying;
    }
    let keeps_sign = is_wider && (!from.is_signed_integer() || to.is_signed_integer());
    Shape::Linear(Linear {
        exact: fits || keeps_sign,
        ..linear
    })
}

/// The expression that decides which way control goes at a statement.
pub fn decides(stmt: &Stmt) -> Option<ExprId> {
    match &stmt.kind {
        StmtKind::If { cond, .. }
        | StmtKind::While { cond, .. }
        | StmtKind::DoWhile { cond, .. }
        | StmtKind::Switch { value: cond, .. } => Some(*cond),
        StmtKind::For { cond, .. } => *cond,
        _ => None,
    }
}

/// The variable of the function that an lvalue is, or is a part of, without going through a pointer.
pub fn root(module: &Module, function: &Function, id: ExprId) -> Option<VarId> {
    match function.exprs.get(id) {
        Expr::Var(VarRef::Local(var)) => Some(*var),
        Expr::Index { base, .. } if module.types.as_pointer(function.exprs.ty(*base)).is_none() => {
            root(module, function, *base)
        }
        Expr::Member {
            base, arrow: false, ..
        }
        | Expr::Swizzle { base, .. } => root(module, function, *base),
        _ => None,
    }
}

/// The elements of a vector that keeps a scalar of a type: there are no vectors of `bool`.
pub fn kept(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool => Scalar::Int,
        other => other,
    }
}

/// C's integer promotions.
pub fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort => Scalar::Int,
        other => other,
    }
}
