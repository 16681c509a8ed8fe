//! Following a kernel at the points of [`Value`]: every loop's body is looked at twice, once for what an
//! iteration changes, and once in the middle of its iterations, where bounds of triangular nests have their mean.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Callee, Expr, ExprId, Function, FunctionId, IncDecOp, Init,
    InitItem, Module, Scalar, Stmt, StmtKind, TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::constant;
use fpgacc_kernel_analysis::work_item::{self, Dim, Quantity};

use super::arithmetic;
use super::value::{FIRST_LOOP, POINTS, Root, Value};
use super::work::{ASSUMED_TRIPS, Access, Profile, Scope, Sizes};

/// Expressions that are looked at before a kernel is given up: what was seen until then is its profile.
const MOST_STEPS: u32 = 400_000;
/// Calls inside calls.
const MOST_CALLS: u32 = 16;

/// What a work-item of a kernel does in a launch.
pub fn profile(module: &Module, kernel: FunctionId, sizes: &Sizes) -> Profile {
    let function = &module.functions[kernel];
    let mut probe = Probe {
        module,
        sizes,
        profile: Profile::default(),
        scope: 0,
        share: 1.0,
        quiet: 0,
        calls: 0,
        steps: 0,
    };
    probe.profile.scopes.push(Scope {
        parent: 0,
        depth: 0,
        trips: 1.0,
        runs: 1.0,
        operations: 0.0,
    });
    let mut frame = Frame::new(function);
    for (index, &param) in function.params.iter().enumerate() {
        let index = index as u32;
        let pointer = module.types.as_pointer(function.vars[param].ty.ty);
        frame.vars[param.index()] = match (pointer, sizes.scalars.get(&index)) {
            (Some((_, AddressSpace::Local)), _) => Value::start_of(Root::Local),
            (Some(_), _) => Value::start_of(Root::Buffer(index)),
            (None, Some(value)) => {
                let ty = function.vars[param].ty.ty;
                probe.converted(Value::constant(*value), ty)
            }
            (None, None) => Value::unknown(0),
        };
    }
    if let Some(body) = &function.body {
        probe.block(&mut frame, &body.stmts);
    }
    probe.profile
}

/// The low 64 bits of a number, which is as much as the points of a value hold.
fn low(value: i128) -> i64 {
    value as i64
}

/// A function that is followed, and its variables.
struct Frame<'a> {
    function: &'a Function,
    vars: Vec<Value>,
    /// How often each was written.
    writes: Vec<u32>,
    returned: Option<Value>,
}

impl<'a> Frame<'a> {
    fn new(function: &'a Function) -> Self {
        let count = function.vars.ids().count();
        Frame {
            function,
            vars: vec![Value::unknown(0); count],
            writes: vec![0; count],
            returned: None,
        }
    }
}

/// Whether the statements after one are reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Leave,
}

/// What an lvalue is.
enum Lvalue {
    Var(usize),
    Memory(Value),
}

struct Probe<'a> {
    module: &'a Module,
    sizes: &'a Sizes,
    profile: Profile,
    scope: usize,
    /// How often the statement at hand runs each time that its scope does.
    share: f64,
    /// Nothing is noted while this is not 0.
    quiet: u32,
    calls: u32,
    steps: u32,
}

impl<'a> Probe<'a> {
    fn block(&mut self, frame: &mut Frame<'a>, stmts: &'a [Stmt]) -> Flow {
        for stmt in stmts {
            if self.stmt(frame, stmt) == Flow::Leave {
                return Flow::Leave;
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, frame: &mut Frame<'a>, stmt: &'a Stmt) -> Flow {
        match &stmt.kind {
            StmtKind::Decl { var, init } => {
                self.declare(frame, *var, init.as_ref());
                Flow::Next
            }
            StmtKind::Expr(expr) => {
                self.value(frame, *expr);
                Flow::Next
            }
            StmtKind::Block(block) => self.block(frame, &block.stmts),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let condition = self.value(frame, *cond);
                let otherwise = otherwise.as_ref().map_or(&[][..], |block| &block.stmts);
                self.branch(frame, condition.is_true(), &then.stmts, otherwise)
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => {
                self.block(frame, init);
                self.repeat(frame, *cond, *step, body);
                Flow::Next
            }
            StmtKind::While { cond, body, .. } | StmtKind::DoWhile { cond, body, .. } => {
                self.repeat(frame, Some(*cond), None, body);
                Flow::Next
            }
            StmtKind::Switch { value, arms } => {
                self.value(frame, *value);
                let whole = self.share;
                self.share /= arms.len().max(1) as f64;
                for arm in arms {
                    self.block(frame, &arm.body);
                }
                self.share = whole;
                Flow::Next
            }
            StmtKind::Return(value) => {
                let value = value.map(|value| self.value(frame, value));
                frame.returned = frame.returned.or(value);
                Flow::Leave
            }
            StmtKind::Break | StmtKind::Continue => Flow::Leave,
            StmtKind::Goto(_) | StmtKind::Label(_) | StmtKind::Pragma(_) | StmtKind::Comment(_) => {
                Flow::Next
            }
        }
    }

    fn declare(&mut self, frame: &mut Frame<'a>, var: VarId, init: Option<&Init>) {
        let variable = &frame.function.vars[var];
        let is_array = self.module.types.as_array(variable.ty.ty).is_some();
        let ty = variable.ty.ty;
        let root = match variable.space {
            AddressSpace::Local => Root::Local,
            _ => Root::Private,
        };
        let value = match init {
            Some(Init::Expr(expr)) => {
                let value = self.value(frame, *expr);
                self.converted(value, ty)
            }
            Some(Init::List(items)) => {
                self.elements(frame, items);
                Value::unknown(0)
            }
            None => Value::unknown(0),
        };
        let is_memory = is_array || root == Root::Local;
        frame.vars[var.index()] = if is_memory {
            Value::start_of(root)
        } else {
            value
        };
    }

    fn elements(&mut self, frame: &mut Frame<'a>, items: &[InitItem]) {
        let mut exprs = Vec::new();
        for item in items {
            item.value.exprs(&mut exprs);
        }
        for expr in exprs {
            self.value(frame, expr);
        }
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        taken: Option<bool>,
        then: &'a [Stmt],
        otherwise: &'a [Stmt],
    ) -> Flow {
        match taken {
            Some(true) => return self.block(frame, then),
            Some(false) => return self.block(frame, otherwise),
            None => {}
        }
        let whole = self.share;
        self.share *= 0.5;
        let before = frame.vars.clone();
        self.block(frame, then);
        let after = std::mem::replace(&mut frame.vars, before);
        self.block(frame, otherwise);
        for (own, other) in frame.vars.iter_mut().zip(after) {
            if *own != other {
                let root = own.root.or(other.root);
                *own = Value::unknown(u8::MAX).within(root);
            }
        }
        self.share = whole;
        Flow::Next
    }

    fn repeat(
        &mut self,
        frame: &mut Frame<'a>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: &'a Block,
    ) {
        let before = frame.vars.clone();
        let writes = frame.writes.clone();
        let start = self.margins(frame, cond);
        self.quiet += 1;
        self.iteration(frame, cond, step, body);
        self.quiet -= 1;
        let after = frame.vars.clone();
        let trips = trips(&start, &self.margins(frame, cond));
        let around = self.profile.scopes[self.scope];
        let point = FIRST_LOOP + around.depth;
        let point = (point < POINTS).then_some(point);
        let written: Vec<bool> = (frame.writes.iter().zip(&writes))
            .map(|(now, then)| now != then)
            .collect();
        let at = |iterations, point| {
            let vars = before.iter().zip(&after).zip(&written);
            let moved = vars.map(move |((a, b), written)| match written {
                true => Value::after(a, b, iterations, point),
                false => *b,
            });
            moved.collect::<Vec<Value>>()
        };
        frame.vars = at((trips / 2.0).floor(), point);
        let outside = (self.scope, self.share);
        if self.quiet == 0 {
            self.profile.scopes.push(Scope {
                parent: self.scope,
                depth: around.depth + 1,
                trips,
                runs: around.runs * self.share * trips,
                operations: 0.0,
            });
            self.scope = self.profile.scopes.len() - 1;
            self.share = 1.0;
        }
        self.iteration(frame, cond, step, body);
        (self.scope, self.share) = outside;
        frame.vars = at(trips, None);
    }

    fn iteration(
        &mut self,
        frame: &mut Frame<'a>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: &'a Block,
    ) {
        if let Some(expr) = cond {
            self.value(frame, expr);
        }
        self.block(frame, &body.stmts);
        if let Some(expr) = step {
            self.value(frame, expr);
        }
    }

    /// How far the comparisons that a loop's condition is made of are from failing.
    fn margins(&mut self, frame: &mut Frame<'a>, cond: Option<ExprId>) -> Vec<Option<i64>> {
        let Some(cond) = cond else { return Vec::new() };
        let Expr::Binary { op, lhs, rhs } = *frame.function.exprs.get(cond) else {
            return vec![None];
        };
        if op == BinaryOp::And {
            let mut both = self.margins(frame, Some(lhs));
            both.extend(self.margins(frame, Some(rhs)));
            return both;
        }
        self.quiet += 1;
        let sides = (self.value(frame, lhs).here(), self.value(frame, rhs).here());
        self.quiet -= 1;
        let (Some(a), Some(b)) = sides else {
            return vec![None];
        };
        vec![match op {
            BinaryOp::Lt => Some(b.wrapping_sub(a)),
            BinaryOp::Le => Some(b.wrapping_sub(a).wrapping_add(1)),
            BinaryOp::Gt => Some(a.wrapping_sub(b)),
            BinaryOp::Ge => Some(a.wrapping_sub(b).wrapping_add(1)),
            BinaryOp::Ne => Some(a.wrapping_sub(b).wrapping_abs()),
            _ => None,
        }]
    }

    /// The value of an expression; its operations and accesses are noted.
    fn value(&mut self, frame: &mut Frame<'a>, id: ExprId) -> Value {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Value::unknown(u8::MAX);
        }
        let exprs = &frame.function.exprs;
        let ty = exprs.ty(id);
        match exprs.get(id) {
            Expr::Int { value, .. } => Value::constant(*value as i64),
            Expr::EnumConst(id, index) => {
                let all = &self.module.enums[*id].enumerators;
                Value::constant(all[*index as usize].value)
            }
            Expr::Float { .. } | Expr::Str(_) | Expr::BuiltinConst(_) => Value::unknown(0),
            Expr::Var(_) | Expr::Index { .. } | Expr::Member { .. } => self.read(frame, id),
            Expr::Unary {
                op: UnaryOp::Deref, ..
            } => self.read(frame, id),
            Expr::Unary { op, operand } => self.unary(frame, *op, *operand, ty),
            Expr::IncDec { op, operand } => self.count(frame, *op, *operand),
            Expr::Binary { op, lhs, rhs } => {
                let a = self.value(frame, *lhs);
                let b = self.value(frame, *rhs);
                let wide = exprs.ty(*lhs);
                self.binary(*op, (a, wide), (b, exprs.ty(*rhs)), ty)
            }
            Expr::Assign { op, lhs, rhs } => self.assign(frame, *op, *lhs, *rhs),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                let condition = self.value(frame, *cond);
                let then = self.value(frame, *then);
                let otherwise = self.value(frame, *otherwise);
                self.work(0.5);
                Value::select(&condition, &then, &otherwise)
            }
            Expr::Swizzle { base, .. } => {
                let base = self.value(frame, *base);
                Value::unknown(base.varies())
            }
            Expr::Cast { operand, .. } => {
                let value = self.value(frame, *operand);
                self.converted(value, ty)
            }
            Expr::VectorLit { elements } => {
                let all = elements.iter().map(|id| self.value(frame, *id).varies());
                Value::unknown(all.fold(0, |bits, more| bits | more))
            }
            Expr::Compound { items, .. } => {
                self.elements(frame, items);
                Value::unknown(u8::MAX)
            }
            Expr::SizeOf(_) => Value::unknown(0),
            Expr::Call { callee, args } => self.call(frame, id, callee, args),
            Expr::Comma { lhs, rhs } => {
                self.value(frame, *lhs);
                self.value(frame, *rhs)
            }
        }
    }

    fn unary(&mut self, frame: &mut Frame<'a>, op: UnaryOp, operand: ExprId, ty: TypeId) -> Value {
        if op == UnaryOp::AddressOf {
            return match self.lvalue(frame, operand) {
                Lvalue::Memory(at) => at,
                Lvalue::Var(_) => Value::start_of(Root::Private),
            };
        }
        let value = self.value(frame, operand);
        let made = match op {
            UnaryOp::Minus => value.map(i64::wrapping_neg),
            UnaryOp::Not => value.map(|v| i64::from(v == 0)),
            UnaryOp::Complement => value.map(|v| !v),
            _ => value,
        };
        self.work(self.width(ty) * 0.5);
        self.converted(made, ty)
    }

    fn count(&mut self, frame: &mut Frame<'a>, op: IncDecOp, operand: ExprId) -> Value {
        let ty = frame.function.exprs.ty(operand);
        let size = self.pointee_size(ty);
        let by = match op {
            IncDecOp::PreInc | IncDecOp::PostInc => size,
            IncDecOp::PreDec | IncDecOp::PostDec => -size,
        };
        let before = self.read(frame, operand);
        let after = self.converted(before.map(|v| v.wrapping_add(by)), ty);
        self.work(0.5);
        self.write(frame, operand, after);
        match op {
            IncDecOp::PreInc | IncDecOp::PreDec => after,
            IncDecOp::PostInc | IncDecOp::PostDec => before,
        }
    }

    fn assign(
        &mut self,
        frame: &mut Frame<'a>,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Value {
        let value = self.value(frame, rhs);
        let exprs = &frame.function.exprs;
        let ty = exprs.ty(lhs);
        let value = match op {
            None => self.converted(value, ty),
            Some(op) => {
                let before = self.read(frame, lhs);
                self.binary(op, (before, ty), (value, exprs.ty(rhs)), ty)
            }
        };
        self.write(frame, lhs, value);
        value
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (a, a_type): (Value, TypeId),
        (b, b_type): (Value, TypeId),
        ty: TypeId,
    ) -> Value {
        let (a_size, b_size) = (self.pointee_size(a_type), self.pointee_size(b_type));
        let is_offset = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let scale = |value: Value, by: i64| match is_offset && value.root.is_none() {
            true => value.map(|v| v.wrapping_mul(by)),
            false => value,
        };
        let (scaled_a, scaled_b) = (scale(a, b_size), scale(b, a_size));
        let scalar = self.scalar(if op.is_comparison() { a_type } else { ty });
        self.work(arithmetic::cost(op, scalar) * self.width(a_type).max(self.width(ty)));
        let made = scaled_a.combine(&scaled_b, |x, y| {
            constant::binary(op, x.into(), y.into()).map(low)
        });
        if op.is_comparison() {
            return made.within(None);
        }
        self.converted(made, ty)
    }

    fn call(
        &mut self,
        frame: &mut Frame<'a>,
        id: ExprId,
        callee: &'a Callee,
        args: &[ExprId],
    ) -> Value {
        if let Some(query) = work_item::query(self.module, frame.function, id) {
            return self.answer(query);
        }
        let values: Vec<Value> = args.iter().map(|arg| self.value(frame, *arg)).collect();
        match callee {
            Callee::Function(id) => self.follow(*id, &values),
            Callee::Builtin(name) => self.builtin(frame, name, &values, id, args),
        }
    }

    fn answer(&self, query: work_item::Query) -> Value {
        let Dim::Of(dim) = query.dim else {
            return Value::unknown(u8::MAX);
        };
        let dim = usize::from(dim);
        let global = self.sizes.global[dim] as i64;
        // The middle, where sizes that are multiples of a warp have a warp's first work-item.
        let mut id = [global / 2; POINTS];
        id[1 + dim] += 1;
        let local = self.sizes.local.map(|local| local[dim].max(1) as i64);
        match (query.quantity, local) {
            (Quantity::GlobalId, _) => Value::known(id),
            (Quantity::GlobalSize, _) => Value::constant(global),
            (Quantity::GlobalOffset, _) => Value::constant(0),
            (Quantity::LocalId, Some(local)) => Value::known(id.map(|id| id % local)),
            (Quantity::GroupId, Some(local)) => Value::known(id.map(|id| id / local)),
            (Quantity::LocalSize, Some(local)) => Value::constant(local),
            (Quantity::NumGroups, Some(local)) => Value::constant(global / local),
            _ => Value::unknown(u8::MAX),
        }
    }

    fn follow(&mut self, id: FunctionId, args: &[Value]) -> Value {
        let function = &self.module.functions[id];
        let varies = args.iter().fold(0, |bits, arg| bits | arg.varies());
        let Some(body) = function.body.as_ref().filter(|_| self.calls < MOST_CALLS) else {
            return Value::unknown(varies);
        };
        let mut frame = Frame::new(function);
        for (param, value) in function.params.iter().zip(args) {
            let ty = function.vars[*param].ty.ty;
            frame.vars[param.index()] = self.converted(*value, ty);
        }
        self.calls += 1;
        self.block(&mut frame, &body.stmts);
        self.calls -= 1;
        frame.returned.unwrap_or(Value::unknown(varies))
    }

    fn builtin(
        &mut self,
        frame: &Frame<'a>,
        name: &str,
        args: &[Value],
        id: ExprId,
        positions: &[ExprId],
    ) -> Value {
        let ty = frame.function.exprs.ty(id);
        let span = frame.function.exprs.span(id);
        let varies = args.iter().fold(0, |bits, arg| bits | arg.varies());
        if let [offset, pointer] | [_, offset, pointer] = args
            && (name.starts_with("vload") || name.starts_with("vstore"))
        {
            let is_write = name.starts_with("vstore");
            let vector = match is_write {
                true => frame.function.exprs.ty(positions[0]),
                false => ty,
            };
            let width = self.width(vector) as i64;
            let bytes = self.size(vector);
            let step = if width > 0 {
                bytes / width * width
            } else {
                bytes
            };
            let at = pointer.combine(offset, |p, o| Some(p.wrapping_add(o.wrapping_mul(step))));
            self.note(at, is_write, bytes, span);
            return Value::unknown(varies);
        }
        if name.starts_with("atom") && !args.is_empty() {
            self.note(args[0], false, self.size(ty), span);
            self.note(args[0], true, self.size(ty), span);
            return Value::unknown(u8::MAX);
        }
        let scalar = self.scalar(ty);
        let base = arithmetic::cost_of_builtin(name);
        let more = if scalar == Scalar::Double { 4.0 } else { 1.0 };
        self.work(base * more * self.width(ty));
        if !scalar.is_integer() || args.iter().any(|arg| arg.root.is_some()) {
            return Value::unknown(varies);
        }
        let mut at = [0; POINTS];
        for (point, to) in at.iter_mut().enumerate() {
            let all: Option<Vec<i128>> = (args.iter())
                .map(|arg| Some(i128::from(arg.at?[point])))
                .collect();
            match all.and_then(|all| constant::builtin(name, &all)).map(low) {
                Some(value) => *to = value,
                None => return Value::unknown(varies),
            }
        }
        self.converted(Value::known(at), ty)
    }

    /// What an lvalue names; what its address needs is evaluated.
    fn lvalue(&mut self, frame: &mut Frame<'a>, id: ExprId) -> Lvalue {
        let exprs = &frame.function.exprs;
        match *exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                let value = frame.vars[var.index()];
                let is_array = self.module.types.as_array(exprs.ty(id)).is_some();
                match is_array {
                    true => Lvalue::Memory(value),
                    false => Lvalue::Var(var.index()),
                }
            }
            Expr::Var(VarRef::Global(global)) => {
                Lvalue::Memory(Value::start_of(Root::Table(global)))
            }
            Expr::Index { base, index } => {
                let by = self.value(frame, index);
                let from = self.address(frame, base);
                let size = self.size(exprs.ty(id));
                let at = from.combine(&by, |from, by| {
                    Some(from.wrapping_add(by.wrapping_mul(size)))
                });
                Lvalue::Memory(at)
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => Lvalue::Memory(self.value(frame, operand)),
            Expr::Member {
                base,
                record,
                field,
                arrow,
            } => {
                let offsets = self.module.field_offsets(record);
                let offset = offsets.and_then(|all| all.get(field as usize).copied());
                let offset = offset.unwrap_or(0) as i64;
                let from = match arrow {
                    true => Lvalue::Memory(self.value(frame, base)),
                    false => self.lvalue(frame, base),
                };
                match from {
                    Lvalue::Memory(at) => Lvalue::Memory(at.map(|at| at.wrapping_add(offset))),
                    Lvalue::Var(_) => Lvalue::Memory(Value::start_of(Root::Private)),
                }
            }
            Expr::Swizzle { base, .. } => match self.lvalue(frame, base) {
                Lvalue::Memory(at) => Lvalue::Memory(at),
                Lvalue::Var(_) => Lvalue::Memory(Value::start_of(Root::Private)),
            },
            Expr::Cast { operand, .. } => self.lvalue(frame, operand),
            _ => {
                let value = self.value(frame, id);
                Lvalue::Memory(value)
            }
        }
    }

    /// Where a pointer or array points to.
    fn address(&mut self, frame: &mut Frame<'a>, id: ExprId) -> Value {
        let is_array = self
            .module
            .types
            .as_array(frame.function.exprs.ty(id))
            .is_some();
        if !is_array {
            return self.value(frame, id);
        }
        match self.lvalue(frame, id) {
            Lvalue::Memory(at) => at,
            Lvalue::Var(var) => frame.vars[var],
        }
    }

    fn read(&mut self, frame: &mut Frame<'a>, id: ExprId) -> Value {
        let ty = frame.function.exprs.ty(id);
        match self.lvalue(frame, id) {
            Lvalue::Var(var) => frame.vars[var],
            Lvalue::Memory(at) if self.module.types.as_array(ty).is_some() => at,
            Lvalue::Memory(at) => {
                let span = frame.function.exprs.span(id);
                self.note(at, false, self.size(ty), span);
                let root = self.module.types.as_pointer(ty).map(|_| Root::Private);
                Value::unknown(at.varies()).within(root)
            }
        }
    }

    fn write(&mut self, frame: &mut Frame<'a>, id: ExprId, value: Value) {
        // The parts of the address that have effects ran when it was read, or run now.
        match self.lvalue(frame, id) {
            Lvalue::Var(var) => {
                frame.vars[var] = value;
                frame.writes[var] += 1;
            }
            Lvalue::Memory(at) => {
                let size = self.size(frame.function.exprs.ty(id));
                let span = frame.function.exprs.span(id);
                self.note(at, true, size, span);
            }
        }
    }

    fn note(&mut self, at: Value, write: bool, bytes: i64, span: Option<Span>) {
        let is_inside = matches!(at.root, Some(Root::Private | Root::Local));
        if self.quiet > 0 {
            return;
        }
        self.work(0.5);
        if is_inside {
            return;
        }
        let access = Access {
            root: at.root,
            write,
            bytes: u32::try_from(bytes.max(1)).unwrap_or(u32::MAX),
            scope: self.scope,
            share: self.share,
            at: at.at,
            varies: at.varies(),
        };
        // Compilers read once what is read twice in a piece of code.
        let same = |known: &Access| known.at.is_some() && *known == access;
        let known = self.profile.accesses.iter().rposition(same);
        let at = known.unwrap_or_else(|| {
            self.profile.accesses.push(access);
            self.profile.positions.push(BTreeSet::new());
            self.profile.accesses.len() - 1
        });
        self.profile.positions[at].extend(span);
    }

    fn work(&mut self, operations: f64) {
        if self.quiet == 0 {
            self.profile.scopes[self.scope].operations += operations * self.share;
        }
    }

    fn converted(&self, value: Value, ty: TypeId) -> Value {
        if value.root.is_some() {
            return value;
        }
        match self.module.types.as_scalar(ty) {
            Some(Scalar::Bool) => value.map(|v| i64::from(v != 0)),
            Some(scalar) if scalar.is_integer() => {
                value.map(|v| low(constant::wrapped(v.into(), scalar)))
            }
            Some(_) => Value::unknown(value.varies()),
            None => value,
        }
    }

    fn scalar(&self, ty: TypeId) -> Scalar {
        let types = &self.module.types;
        let of_vector = types.as_vector(ty).map(|(scalar, _)| scalar);
        types.as_scalar(ty).or(of_vector).unwrap_or(Scalar::Long)
    }

    /// Components: 1 for what is no vector.
    fn width(&self, ty: TypeId) -> f64 {
        let width = self.module.types.as_vector(ty).map(|(_, width)| width);
        width.map_or(1.0, f64::from)
    }

    fn size(&self, ty: TypeId) -> i64 {
        self.module
            .layout(ty)
            .map_or(4, |layout| layout.size as i64)
    }

    /// By how many bytes a pointer moves when 1 is added; 1 for numbers.
    fn pointee_size(&self, ty: TypeId) -> i64 {
        let types = &self.module.types;
        let pointee = types.as_pointer(ty).map(|(pointee, _)| pointee);
        let element = types.as_array(ty).map(|(element, _)| element);
        pointee.or(element).map_or(1, |to| self.size(to.ty))
    }
}

/// The iterations of a loop, of how far its comparisons are from failing before the first and after it.
fn trips(before: &[Option<i64>], after: &[Option<i64>]) -> f64 {
    let known = before.iter().zip(after).filter_map(|(first, next)| {
        let (first, next) = ((*first)?, (*next)?);
        if first <= 0 {
            return Some(0.0);
        }
        (next < first).then(|| (first as f64 / (first - next) as f64).ceil())
    });
    let least = known.reduce(f64::min);
    least.unwrap_or(ASSUMED_TRIPS)
}
