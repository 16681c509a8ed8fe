//! Makes the code of one work-item that stands for all lanes.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Arena, BinaryOp, Callee, Expr, ExprId, Init, InitItem, QualType, Scalar, Stmt,
    StmtKind, Type, TypeId, UnaryOp, VarId, VarRef, Variable, builtin_has_effects,
};
use fpgacc_frontend::source::Span;

use crate::copy::redirect_all;
use crate::pass::Note;
use crate::passes::ndrange_to_loop::work_items::ids::Target;
use crate::passes::vectorise::shapes::{Shape, Shapes, Storage, kept};

/// One of the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// This one.
    Of(u8),
    /// The one that an `int` variable counts.
    At(VarId),
}

/// What stands in the way of most expressions with assignments in them.
pub const INSIDE: &str = "an assignment stands inside an expression that differs between lanes";

/// Variables of the source that one lane has of its own, in code for single lanes.
pub type Own = BTreeMap<VarId, VarId>;

/// What lane 0 gets of a work-item function.
pub trait First {
    /// The answer to the query that `slot` is.
    fn query(
        &self,
        target: &mut Target<'_>,
        slot: ExprId,
        query: fpgacc_kernel_analysis::work_item::Query,
    ) -> ExprId;
}

/// Makes vector code of scalar code. What it is given it leaves as it is: it makes new expressions.
pub struct Emitter<'a> {
    /// The function under change.
    pub target: Target<'a>,
    /// How values differ between lanes.
    pub shapes: &'a Shapes,
    /// Work-item functions.
    pub first: &'a dyn First,
    /// Lanes.
    pub width: u8,
    /// The variables as they were.
    pub originals: Arena<Variable>,
    /// What stands in the way.
    pub problems: Vec<Note>,
    /// Operations, loads and stores that are vectors now.
    pub vectors: usize,
    /// Expressions and statements that are done lane by lane.
    pub serial: usize,
}

impl<'a> Emitter<'a> {
    /// For statements whose shapes are known; variables get the types that they have from now on.
    pub fn new(target: Target<'a>, shapes: &'a Shapes, first: &'a dyn First, width: u8) -> Self {
        let originals = target.function.vars.clone();
        let mut emitter = Emitter {
            target,
            shapes,
            first,
            width,
            originals,
            problems: Vec::new(),
            vectors: 0,
            serial: 0,
        };
        let vars: Vec<VarId> = emitter.target.function.vars.ids().collect();
        for var in vars {
            emitter.retype(var);
        }
        emitter
    }

    fn retype(&mut self, var: VarId) {
        let before = self.originals[var].ty;
        let ty = match self.shapes.storage(var) {
            Storage::Scalar => return,
            Storage::Vector(scalar) => self.vector_type(scalar),
            Storage::Array => self.array_of_vectors(before.ty),
            Storage::PerLane => self.target.types.intern(Type::Array {
                element: before,
                len: Some(u64::from(self.width)),
            }),
        };
        let variable = &mut self.target.function.vars[var];
        variable.ty.ty = ty;
        if self.shapes.storage(var) == Storage::PerLane {
            variable.ty = QualType::plain(ty);
        }
    }

    fn array_of_vectors(&mut self, ty: TypeId) -> TypeId {
        match self.target.types.as_array(ty) {
            Some((element, len)) => {
                let inner = self.array_of_vectors(element.ty);
                let element = QualType {
                    ty: inner,
                    quals: element.quals,
                };
                self.target.types.intern(Type::Array { element, len })
            }
            None => {
                let scalar = self.target.types.as_scalar(ty).unwrap_or(Scalar::Int);
                self.vector_type(kept(scalar))
            }
        }
    }

    /// Vectors with an element for each lane.
    pub fn vector_type(&mut self, scalar: Scalar) -> TypeId {
        self.target.types.intern(Type::Vector(scalar, self.width))
    }

    /// An expression of the source.
    pub fn get(&self, id: ExprId) -> Expr {
        self.target.function.exprs.get(id).clone()
    }

    /// The scalar type of an expression of the source.
    pub fn scalar(&self, id: ExprId) -> Option<Scalar> {
        self.target
            .types
            .as_scalar(self.target.function.exprs.ty(id))
    }

    /// Notes what stands in the way.
    pub fn problem(&mut self, text: impl Into<String>, span: Option<Span>) {
        let note = Note::new(text, span);
        if !self.problems.contains(&note) {
            self.problems.push(note);
        }
    }

    /// Whether evaluating an expression assigns something.
    pub fn assigns(&self, id: ExprId) -> bool {
        let exprs = &self.target.function.exprs;
        exprs.any(id, &mut |id| {
            matches!(exprs.get(id), Expr::Assign { .. } | Expr::IncDec { .. })
        })
    }

    /// Whether it assigns what differs between lanes.
    fn assigns_lanes(&self, id: ExprId) -> bool {
        let exprs = &self.target.function.exprs;
        exprs.any(id, &mut |id| match exprs.get(id) {
            Expr::Assign { lhs: location, .. }
            | Expr::IncDec {
                operand: location, ..
            } => self
                .variable(*location)
                .is_some_and(|var| self.shapes.storage(var) != Storage::Scalar),
            _ => false,
        })
    }

    /// The variable that an lvalue is a part of.
    fn variable(&self, id: ExprId) -> Option<VarId> {
        let exprs = &self.target.function.exprs;
        match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => Some(*var),
            Expr::Index { base, .. } | Expr::Member { base, .. } | Expr::Swizzle { base, .. } => {
                self.variable(*base)
            }
            _ => None,
        }
    }

    /// Whether an expression may be evaluated where the source does not: it neither reads memory nor
    /// divides integers nor has effects.
    pub fn is_speculable(&self, id: ExprId) -> bool {
        let exprs = &self.target.function.exprs;
        !exprs.any(id, &mut |id| match exprs.get(id) {
            Expr::Index { .. }
            | Expr::Assign { .. }
            | Expr::IncDec { .. }
            | Expr::Compound { .. } => true,
            Expr::Unary { op, .. } => matches!(op, UnaryOp::Deref | UnaryOp::AddressOf),
            Expr::Member { arrow, .. } => *arrow,
            Expr::Binary {
                op: BinaryOp::Div | BinaryOp::Rem,
                ..
            } => self.scalar(id).is_none_or(Scalar::is_integer),
            Expr::Call { callee, .. } => match callee {
                Callee::Function(_) => true,
                Callee::Builtin(name) => {
                    builtin_has_effects(name)
                        || name.starts_with("vload")
                        || name.starts_with("read_")
                }
            },
            Expr::Var(VarRef::Global(_)) => false,
            _ => false,
        })
    }

    /// An expression of the source as lane 0 has it.
    pub fn of_first(&mut self, id: ExprId) -> ExprId {
        if self.assigns_lanes(id) {
            let span = self.target.function.exprs.span(id);
            self.problem(INSIDE, span);
        }
        self.lane(id, Lane::Of(0), &Own::new())
    }

    /// An expression of the source as a lane has it.
    pub fn lane(&mut self, id: ExprId, lane: Lane, own: &Own) -> ExprId {
        let (ty, span) = (
            self.target.function.exprs.ty(id),
            self.target.function.exprs.span(id),
        );
        let mut expr = self.get(id);
        match expr {
            Expr::Var(VarRef::Local(var)) => return self.lane_of_var(var, lane, own),
            Expr::Index { .. } => {
                if let Some(var) = self.array_of(id).filter(|var| !own.contains_key(var)) {
                    let element = self.element(id, var, lane, own);
                    return self.component(element, lane);
                }
            }
            Expr::Call { .. } if self.shapes.queries.contains_key(&id) => {
                let query = self.shapes.queries[&id];
                if self.shapes.expr(id) == Shape::Varying {
                    self.problem("it asks for an id in a dimension that is computed", span);
                }
                let first = self.first.query(&mut self.target, id, query);
                let uses = self.target.function.exprs.local_uses(first);
                redirect_all(self.target.function, uses, own);
                return self.ahead(first, self.shapes.expr(id), lane);
            }
            _ => {}
        }
        expr.map_operands(&mut |child| self.lane(child, lane, own));
        if let Expr::Assign { op, lhs, rhs } = expr
            && self.target.types.as_scalar(ty) == Some(Scalar::Bool)
        {
            return self.assign_truth(op, lhs, rhs);
        }
        self.target.function.exprs.add(expr, ty, span)
    }

    /// `lhs op= rhs` of a `bool`, which a vector may keep as an `int`: 0 or 1 all the same.
    fn assign_truth(&mut self, op: Option<BinaryOp>, lhs: ExprId, rhs: ExprId) -> ExprId {
        let truth = self.target.types.scalar(Scalar::Bool);
        let exprs = &mut self.target.function.exprs;
        if exprs.ty(lhs) == truth {
            return exprs.assign(op, lhs, rhs);
        }
        let value = match op {
            None => rhs,
            Some(op) => {
                let held = exprs.duplicate(lhs);
                exprs.binary(self.target.types, op, held, rhs)
            }
        };
        let value = exprs.cast(truth, value);
        exprs.assign(None, lhs, value)
    }

    /// What a lane has of a value whose lane 0 has `first`.
    fn ahead(&mut self, first: ExprId, shape: Shape, lane: Lane) -> ExprId {
        let Shape::Linear(linear) = shape else {
            return first;
        };
        let (op, stride) = match linear.stride < 0 {
            true => (BinaryOp::Sub, -linear.stride),
            false => (BinaryOp::Add, linear.stride),
        };
        let distance = match lane {
            Lane::Of(0) => return first,
            Lane::Of(number) => self.target.int(i64::from(number) * stride),
            Lane::At(var) => {
                let number = self.target.function.use_var(var);
                match stride {
                    1 => number,
                    _ => {
                        let stride = self.target.int(stride);
                        self.target.binary(BinaryOp::Mul, number, stride)
                    }
                }
            }
        };
        self.target.binary(op, first, distance)
    }

    fn lane_of_var(&mut self, var: VarId, lane: Lane, own: &Own) -> ExprId {
        if let Some(own) = own.get(&var) {
            return self.target.function.use_var(*own);
        }
        let whole = self.target.function.use_var(var);
        match self.shapes.storage(var) {
            Storage::Scalar => self.ahead(whole, self.shapes.var(var), lane),
            Storage::Vector(_) => self.component(whole, lane),
            Storage::Array => whole,
            Storage::PerLane => {
                let number = match lane {
                    Lane::Of(number) => self.target.int(i64::from(number)),
                    Lane::At(var) => self.target.function.use_var(var),
                };
                self.target
                    .function
                    .exprs
                    .index(self.target.types, whole, number)
            }
        }
    }

    /// The component of a vector, an lvalue if the vector is one.
    pub fn component(&mut self, vector: ExprId, lane: Lane) -> ExprId {
        let ty = self.target.function.exprs.ty(vector);
        let Some((scalar, _)) = self.target.types.as_vector(ty) else {
            return vector;
        };
        let element = self.target.types.scalar(scalar);
        match lane {
            Lane::Of(number) => {
                let swizzle = Expr::Swizzle {
                    base: vector,
                    components: vec![number],
                    spelling: format!("s{number:x}"),
                };
                self.target.function.exprs.add(swizzle, element, None)
            }
            Lane::At(var) => {
                let elements = self.pointer_to(QualType::plain(element), AddressSpace::Private);
                let vectors = self.pointer_to(QualType::plain(ty), AddressSpace::Private);
                let address = Expr::Unary {
                    op: UnaryOp::AddressOf,
                    operand: vector,
                };
                let address = self.target.function.exprs.add(address, vectors, None);
                let first = self.target.function.exprs.cast(elements, address);
                let number = self.target.function.use_var(var);
                self.target
                    .function
                    .exprs
                    .index(self.target.types, first, number)
            }
        }
    }

    /// The type of pointers to something.
    pub fn pointer_to(&mut self, pointee: QualType, space: AddressSpace) -> TypeId {
        self.target.types.intern(Type::Pointer { pointee, space })
    }

    /// The array of vectors that an expression is an element of.
    pub fn array_of(&self, id: ExprId) -> Option<VarId> {
        let types = &self.target.types;
        let exprs = &self.target.function.exprs;
        types.as_scalar(exprs.ty(id))?;
        let mut at = id;
        loop {
            match exprs.get(at) {
                Expr::Index { base, .. } if types.as_pointer(exprs.ty(*base)).is_none() => {
                    at = *base
                }
                Expr::Var(VarRef::Local(var)) => {
                    return (at != id && self.shapes.storage(*var) == Storage::Array)
                        .then_some(*var);
                }
                _ => return None,
            }
        }
    }

    /// The element, a vector, that an expression of the source is a part of.
    pub fn element(&mut self, id: ExprId, var: VarId, lane: Lane, own: &Own) -> ExprId {
        match self.get(id) {
            Expr::Index { base, index } => {
                let base = self.element(base, var, lane, own);
                let index = self.lane(index, lane, own);
                self.target
                    .function
                    .exprs
                    .index(self.target.types, base, index)
            }
            _ => self.target.function.use_var(var),
        }
    }

    /// The statements of the source as a lane does them, with variables of its own for those that they
    /// declare. `inside` loops, these may be left.
    pub fn lane_list(
        &mut self,
        stmts: &[Stmt],
        lane: Lane,
        own: &mut Own,
        inside: bool,
    ) -> Vec<Stmt> {
        stmts
            .iter()
            .map(|stmt| self.lane_stmt(stmt, lane, own, inside))
            .collect()
    }

    fn lane_stmt(&mut self, stmt: &Stmt, lane: Lane, own: &mut Own, inside: bool) -> Stmt {
        let mut copy = stmt.clone();
        let is_loop = fpgacc_kernel_analysis::loops::hints(stmt).is_some();
        let leaves = match &stmt.kind {
            StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Label(_) => true,
            StmtKind::Break | StmtKind::Continue => !inside,
            _ => false,
        };
        if leaves {
            self.problem("only some lanes leave here", stmt.span);
        }
        if let StmtKind::Decl { var, .. } = &mut copy.kind {
            let variable = self.originals[*var].clone();
            if variable.space != AddressSpace::Private {
                self.problem(
                    "__local memory is declared where only some lanes may go",
                    stmt.span,
                );
            }
            let fresh = self.target.function.vars.add(variable);
            own.insert(*var, fresh);
            *var = fresh;
        }
        // What a `for` declares stands before what it evaluates.
        let is_inside = inside || is_loop || matches!(stmt.kind, StmtKind::Switch { .. });
        let mut lists: Vec<Vec<Stmt>> = stmt
            .lists()
            .into_iter()
            .map(|list| self.lane_list(list, lane, own, is_inside))
            .collect();
        for (slot, list) in copy.lists_mut().into_iter().zip(&mut lists) {
            *slot = std::mem::take(list);
        }
        map_exprs(&mut copy, &mut |id| self.lane(id, lane, own));
        copy
    }

    /// Notes a call of a builtin that no lane may make alone.
    pub fn check_calls(&mut self, stmts: &[Stmt]) {
        let mut found = BTreeSet::new();
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                let name = crate::passes::ndrange_to_loop::survey::builtin_stmt(
                    self.target.function,
                    stmt,
                );
                if name.is_some_and(crate::passes::ndrange_to_loop::survey::is_barrier) {
                    found.insert(stmt.span);
                }
            });
        }
        for span in found {
            self.problem("a barrier stands where only some lanes may go", span);
        }
    }

    /// `T v[LANES] = {..}` for an initialiser of one.
    pub fn init_of_lanes(&mut self, init: &Init) -> Init {
        let items = (0..self.width).map(|number| {
            let mut value = init.clone();
            value.map_exprs(&mut |id| self.lane(id, Lane::Of(number), &Own::new()));
            InitItem {
                path: Vec::new(),
                value,
            }
        });
        Init::List(items.collect())
    }
}

/// Overwrites the expressions that stand directly in a statement.
pub fn map_exprs(stmt: &mut Stmt, map: &mut dyn FnMut(ExprId) -> ExprId) {
    match &mut stmt.kind {
        StmtKind::Decl {
            init: Some(init), ..
        } => init.map_exprs(map),
        StmtKind::Expr(expr) => *expr = map(*expr),
        StmtKind::If { cond, .. }
        | StmtKind::While { cond, .. }
        | StmtKind::DoWhile { cond, .. } => {
            *cond = map(*cond);
        }
        StmtKind::For { cond, step, .. } => {
            for expr in cond.iter_mut().chain(step) {
                *expr = map(*expr);
            }
        }
        StmtKind::Switch { value, arms } => {
            *value = map(*value);
            for label in arms.iter_mut().flat_map(|arm| &mut arm.labels) {
                match label {
                    fpgacc_frontend::ir::CaseLabel::Case(expr) => *expr = map(*expr),
                    fpgacc_frontend::ir::CaseLabel::Range(from, to) => {
                        *from = map(*from);
                        *to = map(*to);
                    }
                    fpgacc_frontend::ir::CaseLabel::Default => {}
                }
            }
        }
        StmtKind::Return(Some(value)) => *value = map(*value),
        _ => {}
    }
}
