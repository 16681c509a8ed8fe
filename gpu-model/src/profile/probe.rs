//! Following a kernel at the points of [`Value`]: every loop's body is looked at twice, once for what an
//! iteration changes, and once in the middle of its iterations, where bounds of triangular nests have their mean.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Expr, ExprId, Function, FunctionId, IncDecOp, Init, InitItem,
    Module, Scalar, Stmt, StmtKind, TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::constant;

use super::arithmetic;
use super::value::{FIRST_LOOP, POINTS, Root, Value};
use super::work::{ASSUMED_TRIPS, Access, Profile, Scope, Sizes};

/// Expressions that are looked at before a kernel is given up: what was seen until then is its profile.
const MOST_STEPS: u32 = 400_000;

/// The part that a branch on data takes: a guess.
const BRANCH: f64 = 0.5;

/// Integers that are remembered as computed.
const RECENT: usize = 1024;

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
    writes: Vec<u32>,
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
    profile: Profile,
    scope: usize,
    /// How often the statement at hand runs each time that its scope does.
    share: f64,
    /// Nothing is noted while this is not 0.
    quiet: u32,
    /// What is noted is [`Profile::seldom`] while this is not 0.
    seldom: u32,
    /// Conditions that are being evaluated, one in another.
    conditions: u32,
    /// The points at which something that was evaluated in them is another value, as bits.
    touched: u8,
    /// The points at which the conditions around may have another result, as bits.
    pub(super) guard: u8,
    /// Integers that were computed lately, by [`key`]; where two of them meet, the later one.
    computed: Box<[u64; RECENT]>,
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
        let before = frame.vars.clone();
        self.block(frame, then);
        let after = std::mem::replace(&mut frame.vars, before);
        self.block(frame, otherwise);
        for (own, other) in frame.vars.iter_mut().zip(after) {
            if !own.is_same(&other) {
                let root = own.root.or(other.root);
                *own = Value::unknown(u8::MAX).within(root);
            }
        }
        self.share = whole;
        Flow::Next
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
        self.quiet += 1;
        self.seldom += 1;
        self.block(frame, stmts);
        self.seldom -= 1;
        self.quiet -= 1;
        (frame.vars, frame.writes, frame.returned) = (vars, writes, returned);
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
                self.work(arithmetic::INTEGER);
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
        self.work(self.width(ty) * arithmetic::INTEGER);
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
        self.work(arithmetic::INTEGER);
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
        let made = match op {
            BinaryOp::Mul => made.as_product_of(&a, &b),
            _ => made,
        };
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

    pub(super) fn note(&mut self, at: Value, write: bool, bytes: i64, span: Option<Span>) {
        let is_inside = matches!(at.root, Some(Root::Private | Root::Local));
        if self.quiet > 0 && self.seldom == 0 {
            return;
        }
        let varies = at.varies();
        self.work(arithmetic::INTEGER);
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
            self.profile.accesses.len() - 1
        });
        self.profile.positions[at].extend(span);
    }

    /// Counts the instructions that a value takes, unless it is there already.
    fn compute(&mut self, value: &Value, points: u8, instructions: f64) {
        let dims = usize::from(points >> 1) & 7;
        let is_noted = self.quiet == 0 || self.seldom > 0;
        if dims == 0 || !is_noted {
            return;
        }
        if let Some(at) = &value.at {
            let key = key(at);
            let place = &mut self.computed[key as usize % RECENT];
            if *place == key {
                return;
            }
            *place = key;
        }
        self.profile.code[dims] += instructions;
    }

    /// Counts an instruction that may do something else at points.
    fn instruction(&mut self, points: u8) {
        self.compute(&Value::unknown(0), points, 1.0);
    }

    pub(super) fn work(&mut self, operations: f64) {
        if self.quiet == 0 {
            self.profile.scopes[self.scope].operations += operations * self.share;
        }
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
            Some(_) => Value::unknown(value.varies()),
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

/// A number for what an integer is at a work-item and its neighbours (FNV-1a, a word at a time): that two have the same
/// is unlikely, and of no consequence.
fn key(at: &[i64; POINTS]) -> u64 {
    let words = at[..FIRST_LOOP].iter();
    let key = words.fold(0xcbf2_9ce4_8422_2325, |key, value| {
        (key ^ value.cast_unsigned()).wrapping_mul(0x100_0000_01b3)
    });
    key ^ key >> 32
}

/// Whether the statements after a block are not reached from it.
fn leaves(stmts: &[Stmt]) -> bool {
    let last = stmts.last().map(|stmt| &stmt.kind);
    matches!(last, Some(StmtKind::Return(_)))
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
