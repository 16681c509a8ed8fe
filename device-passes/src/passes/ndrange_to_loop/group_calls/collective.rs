//! Functions that all work-items of a group call together, in terms of `__local` memory and barriers.
//!
//! An asynchronous copy is done at once, by all work-items, and waited for with a barrier: nobody may
//! touch what it writes, or change what it reads, before that. What work-items compute together goes
//! over a `__local` variable that the first of them sets and each of them adds to. That would be a race
//! if they ran at the same time; one after the other, the first one first, they give the value that the
//! language asks for; what others see of it they see after a barrier. A scan goes over an array of all
//! values, which the first work-item scans.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Callee, Expr, ExprId, FileNames, Function, Init, QualType,
    Scalar, Stmt, StmtKind, Type, TypeId, Types, UnaryOp, VarId, VarRef, Variable,
};
use fpgacc_frontend::source::Span;

use crate::pass::Note;
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::work_items::grid::Grid;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Whether a builtin is one in which all work-items of a group take part, barriers aside.
pub fn is_collective(name: &str) -> bool {
    const OTHERS: [&str; 3] = ["work_group_all", "work_group_any", "work_group_broadcast"];
    name.starts_with("async_work_group_")
        || name == "wait_group_events"
        || name.starts_with("work_group_reduce_")
        || name.starts_with("work_group_scan_")
        || OTHERS.contains(&name)
}

/// Replaces all calls of collective builtins in a kernel whose calls are lifted. `grid` states what is
/// known of the local size; a group has at most `most` work-items where it is not.
///
/// # Errors
/// What cannot be replaced.
pub fn replace(
    function: &mut Function,
    types: &mut Types,
    taken: &FileNames,
    grid: &Grid,
    most: u64,
) -> Result<(), Vec<Note>> {
    let mut body = function.body.take().unwrap_or_default();
    let mut collective = Collective {
        target: Target {
            function,
            types,
            taken,
        },
        local: [0, 1, 2].map(|d| grid.known_local(d)),
        most,
        shared: Vec::new(),
        in_loop: false,
        problems: Vec::new(),
    };
    collective.list(&mut body.stmts);
    let (mut stmts, problems) = (collective.shared, collective.problems);
    stmts.append(&mut body.stmts);
    function.body = Some(Block::of(stmts));
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

struct Collective<'t> {
    target: Target<'t>,
    local: [Option<i64>; 3],
    most: u64,
    /// `__local` variables.
    shared: Vec<Stmt>,
    in_loop: bool,
    problems: Vec<Note>,
}

/// A call of a builtin whose value goes nowhere, to a variable or into a declaration.
struct Call {
    name: String,
    args: Vec<ExprId>,
    ty: TypeId,
    to: To,
    span: Option<Span>,
}

#[derive(Clone, Copy)]
enum To {
    Nothing,
    Variable(VarId),
    Declaration(VarId),
}

impl Collective<'_> {
    fn list(&mut self, list: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(list.len());
        for mut stmt in std::mem::take(list) {
            if let Some(call) = self.call(&stmt) {
                self.replace(&call, &mut out);
                continue;
            }
            if self.is_about_events(&stmt) {
                continue;
            }
            let before = self.in_loop;
            self.in_loop |= matches!(
                stmt.kind,
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
            );
            for inner in stmt.lists_mut() {
                self.list(inner);
            }
            self.in_loop = before;
            out.push(stmt);
        }
        *list = out;
    }

    fn call(&self, stmt: &Stmt) -> Option<Call> {
        let exprs = &self.target.function.exprs;
        let (value, to) = match &stmt.kind {
            StmtKind::Expr(root) => match exprs.get(*root) {
                Expr::Assign { op: None, lhs, rhs } => match exprs.get(*lhs) {
                    Expr::Var(VarRef::Local(var)) => (*rhs, To::Variable(*var)),
                    _ => return None,
                },
                _ => (*root, To::Nothing),
            },
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } => (*value, To::Declaration(*var)),
            _ => return None,
        };
        match exprs.get(value) {
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } if is_collective(name) => Some(Call {
                name: name.clone(),
                args: args.clone(),
                ty: exprs.ty(value),
                to,
                span: stmt.span,
            }),
            _ => None,
        }
    }

    fn replace(&mut self, call: &Call, out: &mut Vec<Stmt>) {
        let from = out.len();
        match call.name.as_str() {
            "async_work_group_copy" => self.copy(call, None, out),
            "async_work_group_strided_copy" => self.copy(call, Some(call.args[3]), out),
            "wait_group_events" => self.barrier(out),
            "work_group_broadcast" => self.broadcast(call, out),
            "work_group_all" | "work_group_any" => self.vote(call, out),
            name => match (name.rsplit_once('_'), name.contains("_scan_")) {
                (Some((_, op)), false) => self.reduce(call, op, out),
                (Some((kind, op)), true) => self.scan(call, kind.ends_with("exclusive"), op, out),
                (None, _) => {}
            },
        }
        for stmt in &mut out[from..] {
            stmt.span = stmt.span.or(call.span);
        }
    }

    // ---- Events ----

    fn is_event(&self, ty: TypeId) -> bool {
        let types = &self.target.types;
        match types.resolve(ty) {
            Type::Opaque(name) => name == "event_t",
            Type::Array { element, .. } => self.is_event(element.ty),
            Type::Pointer { pointee, .. } => self.is_event(pointee.ty),
            _ => false,
        }
    }

    /// Whether a statement only declares or sets an event, which nobody asks for any more.
    fn is_about_events(&mut self, stmt: &Stmt) -> bool {
        let exprs = &self.target.function.exprs;
        let roots = stmt.exprs();
        let about = match &stmt.kind {
            StmtKind::Decl { var, .. } => {
                self.is_event(self.target.function.vars[*var].ty.ty)
                    && !roots.iter().any(|root| exprs.has_effects(*root))
            }
            StmtKind::Expr(root) => match exprs.get(*root) {
                Expr::Assign { op: None, lhs, rhs } => {
                    self.is_event(exprs.ty(*lhs))
                        && !exprs.has_effects(*lhs)
                        && !exprs.has_effects(*rhs)
                }
                _ => self.is_event(exprs.ty(*root)) && !exprs.has_effects(*root),
            },
            _ => false,
        };
        let found = roots
            .iter()
            .find(|root| !about && exprs.any(**root, &mut |id| self.is_event(exprs.ty(id))));
        if let Some(root) = found {
            let text = "an event goes where no event is waited for";
            let note = Note::new(text, exprs.span(*root).or(stmt.span));
            self.problems.push(note);
        }
        about
    }

    // ---- Parts of the replacement ----

    fn use_var(&mut self, var: VarId) -> ExprId {
        self.target.function.use_var(var)
    }

    fn push(&self, out: &mut Vec<Stmt>, kind: StmtKind) {
        out.push(Stmt::new(kind));
    }

    fn push_if(&self, cond: ExprId, then: Block, out: &mut Vec<Stmt>) {
        let otherwise = None;
        self.push(
            out,
            StmtKind::If {
                cond,
                then,
                otherwise,
            },
        );
    }

    fn call_of(&mut self, name: &str, d: Option<i64>) -> ExprId {
        let args = d.map(|d| self.target.int(d)).into_iter().collect();
        let size_t = self.target.types.size_t();
        let exprs = &mut self.target.function.exprs;
        exprs.call_builtin(name, size_t, args)
    }

    /// The number of a work-item in its group.
    fn number(&mut self) -> ExprId {
        match self.local {
            [_, Some(1), Some(1)] => self.call_of("get_local_id", Some(0)),
            _ => self.call_of("get_local_linear_id", None),
        }
    }

    /// The number of work-items of a group, if it is known.
    fn known_size(&self) -> Option<i64> {
        self.local
            .iter()
            .try_fold(1i64, |product, size| product.checked_mul((*size)?))
    }

    fn size(&mut self) -> ExprId {
        if let Some(size) = self.known_size() {
            return self.target.int(size);
        }
        let mut product = None;
        for (d, known) in self.local.into_iter().enumerate() {
            if known == Some(1) {
                continue;
            }
            let size = self.call_of("get_local_size", Some(d as i64));
            product = Some(match product {
                None => size,
                Some(before) => self.target.binary(BinaryOp::Mul, before, size),
            });
        }
        product.unwrap_or_else(|| self.target.int(1))
    }

    fn barrier(&mut self, out: &mut Vec<Stmt>) {
        let flags = self.target.types.scalar(Scalar::UInt);
        let void = self.target.types.intern(Type::Void);
        let exprs = &mut self.target.function.exprs;
        let local = Expr::BuiltinConst("CLK_LOCAL_MEM_FENCE".to_string());
        let local = exprs.add(local, flags, None);
        let global = Expr::BuiltinConst("CLK_GLOBAL_MEM_FENCE".to_string());
        let global = exprs.add(global, flags, None);
        let both = self.target.binary(BinaryOp::BitOr, local, global);
        let call = self
            .target
            .function
            .exprs
            .call_builtin("barrier", void, vec![both]);
        self.push(out, StmtKind::Expr(call));
    }

    /// A barrier that keeps what a loop does next away from what work-items still read.
    fn barrier_after(&mut self, out: &mut Vec<Stmt>) {
        if self.in_loop {
            self.barrier(out);
        }
    }

    /// A new `__local` variable.
    fn shared(&mut self, hint: &str, ty: TypeId) -> VarId {
        let name = self.target.function.fresh_name(hint, self.target.taken);
        let var = self
            .target
            .function
            .vars
            .add(Variable::new(name, ty, AddressSpace::Local));
        self.shared.push(declaration(var, None));
        var
    }

    /// `var = value;`
    fn set(&mut self, var: VarId, value: ExprId, out: &mut Vec<Stmt>) {
        out.push(self.target.function.assign_var(var, value));
    }

    /// `if (number == 0) var = value;`
    fn first_sets(&mut self, var: VarId, value: ExprId, out: &mut Vec<Stmt>) {
        let number = self.number();
        let zero = self.target.int(0);
        let cond = self.target.binary(BinaryOp::Eq, number, zero);
        let then = Block::of(vec![self.target.function.assign_var(var, value)]);
        self.push_if(cond, then, out);
    }

    /// Gives the value to what the call gave it to.
    fn result(&mut self, call: &Call, value: ExprId, out: &mut Vec<Stmt>) {
        match call.to {
            To::Nothing => {}
            To::Variable(var) => self.set(var, value, out),
            To::Declaration(var) => out.push(declaration(var, Some(value))),
        }
    }

    /// An expression that can be evaluated again: a literal, or a variable.
    fn again(&mut self, id: ExprId, hint: &str, out: &mut Vec<Stmt>) -> ExprId {
        let exprs = &self.target.function.exprs;
        if matches!(exprs.get(id), Expr::Int { .. } | Expr::Var(_)) {
            return self.target.function.exprs.duplicate(id);
        }
        self.again_as(hint, id, out)
    }

    /// A new variable with a value.
    fn again_as(&mut self, hint: &str, value: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        let ty = self.target.function.exprs.ty(value);
        let var = self.target.function.add_var(hint, ty, self.target.taken);
        out.push(declaration(var, Some(value)));
        self.use_var(var)
    }

    /// `for (T i = first; i < bound; i += step) { body }`
    fn count(
        &mut self,
        counter: VarId,
        first: ExprId,
        bound: ExprId,
        step: ExprId,
        body: Vec<Stmt>,
    ) -> Stmt {
        let i = self.use_var(counter);
        let cond = self.target.binary(BinaryOp::Lt, i, bound);
        let function = &mut self.target.function;
        let step = match function.exprs.get(step) {
            Expr::Int { value: 1, .. } => function.increment(counter),
            _ => {
                let i = function.use_var(counter);
                function.exprs.assign(Some(BinaryOp::Add), i, step)
            }
        };
        Stmt::counting((counter, first), (cond, step), body)
    }

    // ---- Copies ----

    /// `for (i = number; i < n; i += size) dst[i] = src[i];`, with a stride where memory is global.
    fn copy(&mut self, call: &Call, stride: Option<ExprId>, out: &mut Vec<Stmt>) {
        let event = call.args[call.args.len() - 1];
        if self.target.function.exprs.has_effects(event) {
            let text = format!("the event that '{}' is given has side effects", call.name);
            self.problems.push(Note::new(text, call.span));
            return;
        }
        let [dst, src, n] = [call.args[0], call.args[1], call.args[2]];
        let Some(to_local) = self.points_to_local(dst) else {
            let text = format!("it is not clear where '{}' copies to", call.name);
            self.problems.push(Note::new(text, call.span));
            return;
        };
        let (dst, src) = (
            self.elements(dst, "to", out),
            self.elements(src, "from", out),
        );
        let n = self.again(n, "count", out);
        let stride = stride.map(|stride| self.again(stride, "stride", out));
        let constant = match self.target.function.exprs.get(n) {
            Expr::Int { value, .. } => i32::try_from(*value).ok(),
            _ => None,
        };
        // One element each.
        if constant.map(i64::from) == self.known_size() && constant.is_some() {
            let number = self.number();
            let assign = self.element_copy(dst, src, stride, to_local, number);
            out.push(assign);
            return;
        }
        let number = self.number();
        let size = self.size();
        let (counter, first) = if constant.is_some() {
            let int = self.target.types.int();
            (
                self.target.int_var("i"),
                self.target.function.exprs.cast(int, number),
            )
        } else {
            let size_t = self.target.types.size_t();
            let taken = self.target.taken;
            (self.target.function.add_var("i", size_t, taken), number)
        };
        let index = self.use_var(counter);
        let body = vec![self.element_copy(dst, src, stride, to_local, index)];
        let stmt = self.count(counter, first, n, size, body);
        out.push(stmt);
    }

    /// `dst[index] = src[index];`
    fn element_copy(
        &mut self,
        dst: ExprId,
        src: ExprId,
        stride: Option<ExprId>,
        to_local: bool,
        index: ExprId,
    ) -> Stmt {
        let other = self.target.function.exprs.duplicate(index);
        let (mut at, mut from) = (index, other);
        if let Some(stride) = stride {
            let far = if to_local { &mut from } else { &mut at };
            *far = self.target.binary(BinaryOp::Mul, *far, stride);
        }
        let Target {
            function, types, ..
        } = &mut self.target;
        let location = function.exprs.index(types, dst, at);
        let value = function.exprs.index(types, src, from);
        Stmt::new(StmtKind::Expr(function.exprs.assign(None, location, value)))
    }

    /// A pointer to copy by. Vectors of three count as four.
    fn elements(&mut self, pointer: ExprId, hint: &str, out: &mut Vec<Stmt>) -> ExprId {
        let types = &self.target.types;
        let ty = self.target.function.exprs.ty(pointer);
        let (pointee, space) = match (types.as_pointer(ty), types.as_array(ty)) {
            (Some(pointer), _) => pointer,
            (None, Some((element, _))) => {
                let in_local = self.points_to_local(pointer) == Some(true);
                let space = match in_local {
                    true => AddressSpace::Local,
                    false => AddressSpace::Constant,
                };
                (element, space)
            }
            (None, None) => return pointer,
        };
        let Some((scalar, 3)) = types.as_vector(pointee.ty) else {
            return self.again(pointer, hint, out);
        };
        let four = QualType {
            ty: self.target.types.intern(Type::Vector(scalar, 4)),
            quals: pointee.quals,
        };
        let ty = self.target.types.intern(Type::Pointer {
            pointee: four,
            space,
        });
        let cast = self.target.function.exprs.cast(ty, pointer);
        self.again(cast, hint, out)
    }

    /// Whether a pointer or array lies in `__local` memory.
    fn points_to_local(&self, id: ExprId) -> Option<bool> {
        let (types, function) = (&self.target.types, &self.target.function);
        if let Some((_, space)) = types.as_pointer(function.exprs.ty(id)) {
            return match space {
                AddressSpace::Generic => None,
                _ => Some(space == AddressSpace::Local),
            };
        }
        match function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => Some(function.vars[*var].space == AddressSpace::Local),
            Expr::Var(VarRef::Global(_)) => None,
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.points_to_local(*operand),
            Expr::Binary { lhs, .. } => self.points_to_local(*lhs),
            Expr::Index { base, .. } | Expr::Member { base, .. } => self.points_to_local(*base),
            _ => None,
        }
    }

    // ---- Values ----

    /// The value of the work-item that the arguments name.
    fn broadcast(&mut self, call: &Call, out: &mut Vec<Stmt>) {
        let value = self.again(call.args[0], "value", out);
        let mut cond = None;
        for (d, &id) in call.args[1..].iter().enumerate() {
            let own = self.call_of("get_local_id", Some(d as i64));
            let is = self.target.binary(BinaryOp::Eq, own, id);
            cond = Some(match cond {
                None => is,
                Some(before) => self.target.binary(BinaryOp::And, before, is),
            });
        }
        let Some(cond) = cond else { return };
        let shared = self.shared("broadcast", call.ty);
        let then = Block::of(vec![self.target.function.assign_var(shared, value)]);
        self.push_if(cond, then, out);
        self.barrier(out);
        let value = self.use_var(shared);
        self.result(call, value, out);
        self.barrier_after(out);
    }

    /// `work_group_all` and `work_group_any`.
    fn vote(&mut self, call: &Call, out: &mut Vec<Stmt>) {
        let all = call.name == "work_group_all";
        let int = self.target.types.int();
        let shared = self.shared(if all { "all" } else { "any" }, int);
        let vote = call.args[0];
        let first = self.target.int(i64::from(all));
        self.first_sets(shared, first, out);
        let Target {
            function, types, ..
        } = &mut self.target;
        let cond = match all {
            true => function.exprs.not(types, vote),
            false => vote,
        };
        let other = self.target.int(i64::from(!all));
        let then = Block::of(vec![self.target.function.assign_var(shared, other)]);
        self.push_if(cond, then, out);
        self.barrier(out);
        let value = self.use_var(shared);
        self.result(call, value, out);
        self.barrier_after(out);
    }

    fn reduce(&mut self, call: &Call, op: &str, out: &mut Vec<Stmt>) {
        let Some(first) = self.identity(call, op) else {
            return;
        };
        let shared = self.shared("reduced", call.ty);
        self.first_sets(shared, first, out);
        let location = self.use_var(shared);
        let stmt = self.accumulate(location, call.args[0], op);
        out.push(stmt);
        self.barrier(out);
        let value = self.use_var(shared);
        self.result(call, value, out);
        self.barrier_after(out);
    }

    /// All values go to an array, which the first work-item scans.
    fn scan(&mut self, call: &Call, exclusive: bool, op: &str, out: &mut Vec<Stmt>) {
        let Some(identity) = self.identity(call, op) else {
            return;
        };
        let len = self.known_size().map_or(self.most, |size| size as u64);
        let array = self.target.types.intern(Type::Array {
            element: QualType::plain(call.ty),
            len: Some(len),
        });
        let shared = self.shared("scanned", array);
        let number = self.number();
        let location = self.element(shared, number);
        let value = call.args[0];
        let own = self.target.function.exprs.assign(None, location, value);
        self.push(out, StmtKind::Expr(own));
        self.barrier(out);

        let counter = self.target.int_var("i");
        let i = self.use_var(counter);
        let location = self.element(shared, i);
        let (i, one) = (self.use_var(counter), self.target.int(1));
        let before = self.target.binary(BinaryOp::Sub, i, one);
        let before = self.element(shared, before);
        let step = self.accumulate(location, before, op);
        let (first, by, size) = (self.target.int(1), self.target.int(1), self.size());
        let scan = self.count(counter, first, size, by, vec![step]);
        let number = self.number();
        let zero = self.target.int(0);
        let cond = self.target.binary(BinaryOp::Eq, number, zero);
        self.push_if(cond, Block::of(vec![scan]), out);
        self.barrier(out);

        let number = self.number();
        let value = if exclusive {
            let (one, zero) = (self.target.int(1), self.target.int(0));
            let before = self.target.binary(BinaryOp::Sub, number, one);
            let before = self.element(shared, before);
            let number = self.number();
            let cond = self.target.binary(BinaryOp::Eq, number, zero);
            let choice = Expr::Cond {
                cond,
                then: identity,
                otherwise: before,
            };
            self.target.function.exprs.add(choice, call.ty, None)
        } else {
            self.element(shared, number)
        };
        self.result(call, value, out);
        self.barrier_after(out);
    }

    fn element(&mut self, array: VarId, index: ExprId) -> ExprId {
        let base = self.use_var(array);
        let Target {
            function, types, ..
        } = &mut self.target;
        function.exprs.index(types, base, index)
    }

    /// `location op= value;`
    fn accumulate(&mut self, location: ExprId, value: ExprId, op: &str) -> Stmt {
        let exprs = &mut self.target.function.exprs;
        let assign = if op == "add" {
            exprs.assign(Some(BinaryOp::Add), location, value)
        } else {
            let ty = exprs.ty(location);
            let old = exprs.duplicate(location);
            let value =
                match self.target.types.resolve(exprs.ty(value)) == self.target.types.resolve(ty) {
                    true => value,
                    false => exprs.cast(ty, value),
                };
            let new = exprs.call_builtin(op, ty, vec![old, value]);
            exprs.assign(None, location, new)
        };
        Stmt::new(StmtKind::Expr(assign))
    }

    /// What an operation on values of the type of a call starts with.
    fn identity(&mut self, call: &Call, op: &str) -> Option<ExprId> {
        let Some(scalar) = self.target.types.as_scalar(call.ty) else {
            let text = format!("'{}' is of no scalar", call.name);
            self.problems.push(Note::new(text, call.span));
            return None;
        };
        let name = match (op, scalar) {
            ("add", _) => None,
            ("min", Scalar::Int) => Some("INT_MAX"),
            ("min", Scalar::UInt) => Some("UINT_MAX"),
            ("min", Scalar::Long) => Some("LONG_MAX"),
            ("min", Scalar::ULong) => Some("ULONG_MAX"),
            ("max", Scalar::Int) => Some("INT_MIN"),
            ("max", Scalar::Long) => Some("LONG_MIN"),
            ("max", Scalar::UInt | Scalar::ULong) => None,
            ("min" | "max", Scalar::Float | Scalar::Double | Scalar::Half) => Some("INFINITY"),
            _ => {
                let text = format!("'{}' is not known for its type", call.name);
                self.problems.push(Note::new(text, call.span));
                return None;
            }
        };
        let Some(name) = name else {
            return Some(self.target.int(0));
        };
        let ty = match scalar.is_float() {
            true => self.target.types.scalar(Scalar::Float),
            false => self.target.types.scalar(scalar),
        };
        let exprs = &mut self.target.function.exprs;
        let value = exprs.add(Expr::BuiltinConst(name.to_string()), ty, None);
        if name != "INFINITY" || op == "min" {
            return Some(value);
        }
        let minus = Expr::Unary {
            op: UnaryOp::Minus,
            operand: value,
        };
        Some(exprs.add(minus, ty, None))
    }
}
