//! Following a kernel at the points of [`Value`]: every loop's body is looked at twice, once for what an
//! iteration changes, and once in the middle of its iterations, where bounds of triangular nests have their mean.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, Function, FunctionId, IncDecOp, Init, InitItem, Module,
    Scalar, Stmt, StmtKind, TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::constant;

use super::arithmetic;
use super::value::{Root, Value};
use super::work::{Access, Profile, Scope, Sizes};

/// Expressions that are looked at before a kernel is given up: what was seen until then is its profile.
const MOST_STEPS: u32 = 400_000;

/// The part that a branch on data takes: a guess.
const BRANCH: f64 = 0.5;

/// How far apart the numbers of arrays' first elements are: more than an array of a work-item has bytes.
const ARRAY: i64 = 1 << 24;

/// Integers that are remembered as computed.
pub(super) const RECENT: usize = 1024;

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
        seldom: 0,
        conditions: 0,
        touched: 0,
        guard: 0,
        computed: Box::new([0; RECENT]),
        copy: 0,
        registers: BTreeMap::new(),
        arrays: 0,
        vectors: Vec::new(),
        calls: 0,
        steps: 0,
    };
    probe.profile.scopes.push(Scope {
        trips: 1.0,
        runs: 1.0,
        ..Scope::default()
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
                probe.converted(Value::constant(*value), ty).of_argument()
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
pub(super) fn low(value: i128) -> i64 {
    value as i64
}

/// A function that is followed, and its variables.
pub(super) struct Frame<'a> {
    pub(super) function: &'a Function,
    pub(super) vars: Vec<Value>,
    /// How often each was written.
    pub(super) writes: Vec<u32>,
    pub(super) returned: Option<Value>,
}

impl<'a> Frame<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
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
pub(super) enum Flow {
    Next,
    Leave,
}

/// What an lvalue is.
enum Lvalue {
    Var(usize),
    Memory(Value),
}

pub(super) struct Probe<'a> {
    pub(super) module: &'a Module,
    pub(super) sizes: &'a Sizes,
    pub(super) profile: Profile,
    pub(super) scope: usize,
    /// How often the statement at hand runs each time that its scope does.
    pub(super) share: f64,
    /// Nothing is noted while this is not 0.
    pub(super) quiet: u32,
    /// What is noted is [`Profile::seldom`] while this is not 0.
    pub(super) seldom: u32,
    /// Conditions that are being evaluated, one in another.
    conditions: u32,
    /// The points at which something that was evaluated in them is another value, as bits.
    touched: u8,
    /// The points at which the conditions around may have another result, as bits.
    pub(super) guard: u8,
    /// Integers that were computed lately, by their hashes; where two of these meet, the later one.
    pub(super) computed: Box<[u64; RECENT]>,
    /// See [`Profile::copies`].
    pub(super) copy: u32,
    /// What elements of arrays hold that are registers, and how often each was written.
    pub(super) registers: BTreeMap<i64, (Value, u32)>,
    /// Arrays that were declared.
    arrays: i64,
    /// Components of vectors of integers.
    pub(super) vectors: Vec<Vec<Value>>,
    pub(super) calls: u32,
    steps: u32,
}

impl<'a> Probe<'a> {
    pub(super) fn block(&mut self, frame: &mut Frame<'a>, stmts: &'a [Stmt]) -> Flow {
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
                let (condition, dims) = self.condition(frame, *cond);
                let otherwise = otherwise.as_ref().map_or(&[][..], |block| &block.stmts);
                let outside = self.guard;
                self.guard |= dims;
                let flow = self.branch(frame, condition.is_true(), &then.stmts, otherwise, dims);
                if !leaves(&then.stmts) {
                    self.guard = outside;
                }
                flow
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
                hints,
            } => {
                self.block(frame, init);
                self.repeat(frame, (*cond, *step, body), hints);
                Flow::Next
            }
            StmtKind::While { cond, body, hints } | StmtKind::DoWhile { cond, body, hints } => {
                self.repeat(frame, (Some(*cond), None, body), hints);
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
        frame.vars[var.index()] = match is_memory {
            true if root == Root::Private => {
                self.arrays += 1;
                Value::constant(self.arrays * ARRAY).within(Some(root))
            }
            true => Value::start_of(root),
            false => value,
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
        dims: u8,
    ) -> Flow {
        let known = taken.map(|taken| {
            if taken {
                (then, otherwise)
            } else {
                (otherwise, then)
            }
        });
        if let Some((taken, other)) = known {
            if dims != 0 {
                self.apart(frame, other);
            }
            return self.block(frame, taken);
        }
        let whole = self.share;
        self.share *= BRANCH;
        let before = (frame.vars.clone(), self.registers.clone());
        self.block(frame, then);
        let after = std::mem::replace(&mut frame.vars, before.0);
        let kept = std::mem::replace(&mut self.registers, before.1);
        self.block(frame, otherwise);
        self.merge(kept);
        for (own, other) in frame.vars.iter_mut().zip(after) {
            if !own.is_same(&other) {
                *own = either(own, &other);
            }
        }
        self.share = whole;
        Flow::Next
    }

    /// What registers hold where some of it is from another way.
    fn merge(&mut self, other: BTreeMap<i64, (Value, u32)>) {
        for (at, (value, writes)) in other {
            let own = self.registers.entry(at).or_insert((value, 0));
            if !own.0.is_same(&value) {
                own.0 = either(&own.0, &value);
            }
            own.1 = own.1.max(writes);
        }
    }

    /// A condition, and the points at which what it looks at differs, as bits.
    fn condition(&mut self, frame: &mut Frame<'a>, cond: ExprId) -> (Value, u8) {
        let before = std::mem::take(&mut self.touched);
        self.conditions += 1;
        let value = self.value(frame, cond);
        self.conditions -= 1;
        let dims = self.touched;
        self.touched |= before;
        self.instruction(dims);
        (value, dims)
    }

    /// What the work-item at hand does not run, but others may.
    fn apart(&mut self, frame: &mut Frame<'a>, stmts: &'a [Stmt]) {
        let (vars, writes, returned) = (frame.vars.clone(), frame.writes.clone(), frame.returned);
        let registers = self.registers.clone();
        self.quiet += 1;
        self.seldom += 1;
        self.block(frame, stmts);
        self.seldom -= 1;
        self.quiet -= 1;
        (frame.vars, frame.writes, frame.returned) = (vars, writes, returned);
        self.registers = registers;
    }

    /// The value of an expression; its operations and accesses are noted.
    pub(super) fn value(&mut self, frame: &mut Frame<'a>, id: ExprId) -> Value {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Value::unknown(u8::MAX);
        }
        let value = self.evaluated(frame, id);
        if self.conditions > 0 {
            self.touched |= value.varies();
        }
        value
    }

    fn evaluated(&mut self, frame: &mut Frame<'a>, id: ExprId) -> Value {
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
                let (condition, dims) = self.condition(frame, *cond);
                let outside = self.guard;
                self.guard |= dims;
                let then = self.value(frame, *then);
                let otherwise = self.value(frame, *otherwise);
                self.guard = outside;
                self.work_on(arithmetic::INTEGER, ty);
                Value::select(&condition, &then, &otherwise)
            }
            Expr::Swizzle {
                base, components, ..
            } => {
                let base = self.value(frame, *base);
                let made = Value::unknown(base.varies()).computed_from([&base], 0);
                self.swizzled(made, &base, components, ty)
            }
            Expr::Cast { operand, .. } => {
                let value = self.value(frame, *operand);
                self.converted(value, ty)
            }
            Expr::VectorLit { elements } => {
                let all = elements.iter().map(|id| self.value(frame, *id));
                let all: Vec<Value> = all.collect();
                self.vector(&all, ty)
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
        self.work_on(arithmetic::INTEGER, ty);
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
        self.work_on(arithmetic::INTEGER, ty);
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
        let wider = match self.width(a_type) > self.width(ty) {
            true => a_type,
            false => ty,
        };
        match arithmetic::is_serial(op, scalar) {
            true => self.serial(arithmetic::cost(op, scalar), wider),
            false => self.work_on(arithmetic::cost(op, scalar), wider),
        }
        let made = scaled_a.combine(&scaled_b, |x, y| {
            constant::binary(op, x.into(), y.into()).map(low)
        });
        let made = match op {
            BinaryOp::Mul => made.as_product_of(&a, &b),
            _ => made,
        };
        let made = made.computed_from([&a, &b], arithmetic::latency(op, scalar));
        let made = self.of_vectors(made, op, (&a, &b), ty);
        self.compute(&made, made.operands_vary(), 1.0);
        if op.is_comparison() {
            return made.within(None);
        }
        self.converted(made, ty)
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
                if let Some(known) = register(&at).and_then(|at| self.registers.get(&at)) {
                    return known.0;
                }
                let root = self.module.types.as_pointer(ty).map(|_| Root::Private);
                let read = Value::unknown(at.varies()).within(root);
                read.computed_from([&at], arithmetic::LOAD_LATENCY)
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
                self.keep(&at, value);
            }
        }
    }

    /// Keeps what is written to an element of an array that is a register.
    fn keep(&mut self, at: &Value, value: Value) {
        match register(at) {
            Some(at) => {
                let kept = self.registers.entry(at).or_insert((value, 0));
                *kept = (value, kept.1 + 1);
            }
            None if at.root == Some(Root::Private) => self.registers.clear(),
            None => {}
        }
    }

    pub(super) fn note(&mut self, at: Value, write: bool, bytes: i64, span: Option<Span>) {
        let is_inside = matches!(at.root, Some(Root::Private | Root::Local));
        if self.quiet > 0 && self.seldom == 0 {
            return;
        }
        let varies = at.varies();
        if register(&at).is_some() {
            return;
        }
        self.work(arithmetic::INTEGER, bytes);
        self.instruction(varies);
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
            varies,
            scaled: at.scaled(),
            guard: self.guard,
        };
        // Its index in 64 bits, and the address.
        self.compute(&at, varies, 2.0);
        if self.seldom > 0 {
            self.profile.seldom.push(access);
            return;
        }
        // Compilers read once what is read twice in a piece of code.
        let same = |known: &Access| known.at.is_some() && known.is_same(&access);
        let known = self.profile.accesses.iter().rposition(same);
        let at = known.unwrap_or_else(|| {
            self.profile.accesses.push(access);
            self.profile.positions.push(BTreeSet::new());
            self.profile.copies.push(self.copy);
            self.profile.accesses.len() - 1
        });
        self.profile.positions[at].extend(span);
    }

    pub(super) fn converted(&self, value: Value, ty: TypeId) -> Value {
        if value.root.is_some() {
            return value;
        }
        match self.module.types.as_scalar(ty) {
            Some(Scalar::Bool) => value.map(|v| i64::from(v != 0)),
            Some(scalar) if scalar.is_integer() => {
                value.map(|v| low(constant::wrapped(v.into(), scalar)))
            }
            Some(_) => Value::unknown(value.varies()).computed_from([&value], 0),
            None => value,
        }
    }

    pub(super) fn scalar(&self, ty: TypeId) -> Scalar {
        self.module.types.component(ty).unwrap_or(Scalar::Long)
    }

    /// Components: 1 for what is no vector.
    pub(super) fn width(&self, ty: TypeId) -> f64 {
        let width = self.module.types.as_vector(ty).map(|(_, width)| width);
        width.map_or(1.0, f64::from)
    }

    pub(super) fn size(&self, ty: TypeId) -> i64 {
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

/// The number of an element of a variable of the work-item that is a register, as elements by a number are.
fn register(at: &Value) -> Option<i64> {
    let is_inside = at.root == Some(Root::Private) && at.varies() == 0;
    at.here().filter(|_| is_inside)
}

/// One of two values, by a condition on data.
fn either(own: &Value, other: &Value) -> Value {
    let root = own.root.or(other.root);
    let made = Value::unknown(u8::MAX).within(root);
    made.computed_from([own, other], 0)
}

/// Whether the statements after a block are not reached from it.
fn leaves(stmts: &[Stmt]) -> bool {
    let last = stmts.last().map(|stmt| &stmt.kind);
    matches!(last, Some(StmtKind::Return(_)))
}
