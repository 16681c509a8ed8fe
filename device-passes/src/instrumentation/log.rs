//! Kernels that keep a log, for `fpgacc trace --accesses`: which addresses work-items access and which ways they go.
//!
//! This is no pass: what it makes computes what the kernel computed before. An access `a[i]` becomes
//! `*(T *)fpgacc_at_global(&a[i], ..)`, a condition `c` becomes `fpgacc_taken(!!c, ..)`, and each work-item knows in
//! which iterations of which loops it is, so that what lanes of a warp do together can be found again. What they
//! call is [`TEXT`], which stands before the text that is parsed. Every kernel gets two more parameters: the memory
//! of the log, and which work-items of the launch write into it.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, FileNames, Function, FunctionId, Init, Module,
    QualType, Qualifiers, Stmt, StmtKind, Type, TypeId, UnaryOp, VarId,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::short_circuit;

use super::hidden::{self, before_ends, hand_down, insert};

/// The functions that kernels with a log call, in OpenCL C.
pub const TEXT: &str = include_str!("log.cl");

/// Whether a function is none of the program's own: it is of [`TEXT`], or was made.
pub(super) fn is_made(function: &Function) -> bool {
    const OWN: [&str; 9] = [
        "note",
        "begin",
        "end",
        "round",
        "inside",
        "at_global",
        "at_constant",
        "at_local",
        "taken",
    ];
    let name = function.name.strip_prefix("fpgacc_");
    function.span.is_none() || name.is_some_and(|name| OWN.contains(&name))
}

/// What is noted at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An access to memory.
    Access {
        /// It reads.
        reads: bool,
        /// It writes.
        writes: bool,
        /// The memory is local; otherwise it is global or constant.
        is_local: bool,
        /// Bytes from the address that is noted to those that are accessed.
        offset: u64,
        /// These bytes.
        bytes: u64,
    },
    /// The condition of an `if` or a `?:`.
    Branch,
    /// The left operand of an `&&` or `||` whose right one is more than arithmetic.
    ShortCircuit,
    /// The condition of a loop.
    Loop,
}

/// A site that notes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What it is.
    pub what: What,
    /// Where: the access, or the condition.
    pub span: Option<Span>,
}

/// What lies before the text's own functions.
struct Callees {
    begin: FunctionId,
    end: FunctionId,
    round: FunctionId,
    inside: FunctionId,
    at: [FunctionId; 3],
    taken: FunctionId,
    /// The types of the log, of `now`, and of what describes the launch.
    memory: TypeId,
    now: TypeId,
    launch: TypeId,
}

impl Callees {
    fn of(module: &Module) -> Option<Self> {
        let named = |name: &str| module.function_named(&format!("fpgacc_{name}"));
        let (begin, end) = (named("begin")?, named("end")?);
        let parameter = |id: FunctionId, at: usize| {
            let function = &module.functions[id];
            function.vars[function.params[at]].ty.ty
        };
        Some(Callees {
            begin,
            end,
            round: named("round")?,
            inside: named("inside")?,
            at: [
                named("at_global")?,
                named("at_constant")?,
                named("at_local")?,
            ],
            taken: named("taken")?,
            memory: parameter(end, 0),
            now: parameter(end, 1),
            launch: parameter(begin, 0),
        })
    }

    fn at(&self, space: AddressSpace) -> Option<FunctionId> {
        match space {
            AddressSpace::Global => Some(self.at[0]),
            AddressSpace::Constant => Some(self.at[1]),
            AddressSpace::Local => Some(self.at[2]),
            AddressSpace::Private | AddressSpace::Generic => None,
        }
    }
}

/// What a site of the text becomes.
enum Edit {
    /// An lvalue whose address is noted.
    Lvalue(AddressSpace, Qualifiers),
    /// A pointer that is noted.
    Pointer(AddressSpace),
    /// `vloadN` or `vstoreN`: their offset and pointer, and the elements of each.
    Vector(AddressSpace, usize, i64),
    /// A condition.
    Condition,
    /// The condition of a loop.
    LoopCondition,
}

struct Planned {
    at: ExprId,
    edit: Edit,
    /// From 1.
    site: usize,
}

/// Makes the kernels of a module keep a log; gives its sites, which have numbers from 1. `None`: [`TEXT`] is not a
/// part of the module.
pub fn log(module: &mut Module) -> Option<Vec<Site>> {
    let callees = Callees::of(module)?;
    let mut sites = Vec::new();
    let ids = module
        .functions
        .ids()
        .filter(|id| !is_made(&module.functions[*id]));
    let plans: Vec<(FunctionId, Vec<Planned>)> = ids
        .map(|id| (id, Planner::new(module, id, &mut sites).plan()))
        .collect();
    let logging: BTreeSet<FunctionId> = plans
        .iter()
        .filter(|(id, plan)| module.functions[*id].is_kernel || !plan.is_empty())
        .map(|(id, _)| *id)
        .collect();
    let needing = hidden::needing(module, &|id, _| logging.contains(&id));
    let taken = module.global_names();
    for (id, plan) in plans {
        if !needing.contains(&id) {
            continue;
        }
        Writer::new(module, id, &callees, &taken).write(plan, &needing);
    }
    Some(sites)
}

/// Finds what a function does that is noted.
struct Planner<'a> {
    module: &'a Module,
    function: &'a Function,
    aliases: Aliases<'a>,
    sites: &'a mut Vec<Site>,
    plan: Vec<Planned>,
}

impl<'a> Planner<'a> {
    fn new(module: &'a Module, id: FunctionId, sites: &'a mut Vec<Site>) -> Self {
        Planner {
            module,
            function: &module.functions[id],
            aliases: Aliases::new(module, id, &BTreeSet::new()),
            sites,
            plan: Vec::new(),
        }
    }

    fn plan(mut self) -> Vec<Planned> {
        if let Some(body) = &self.function.body {
            self.list(&body.stmts);
        }
        self.plan
    }

    fn list(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
            for list in stmt.lists() {
                self.list(list);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            // What it begins with must stay a constant.
            StmtKind::Decl { var, .. }
                if self.function.vars[*var].space != AddressSpace::Private => {}
            // Labels are constants.
            StmtKind::Switch { value, .. } => self.value(*value),
            StmtKind::If { cond, .. } => self.condition(*cond, false, stmt.span),
            StmtKind::For { cond, step, .. } => {
                if let Some(cond) = cond {
                    self.condition(*cond, true, stmt.span);
                }
                step.iter().for_each(|step| self.value(*step));
            }
            StmtKind::While { cond, .. } | StmtKind::DoWhile { cond, .. } => {
                self.condition(*cond, true, stmt.span);
            }
            _ => stmt.exprs().into_iter().for_each(|expr| self.value(expr)),
        }
    }

    fn add(&mut self, at: ExprId, what: What, span: Option<Span>, edit: Edit) {
        self.sites.push(Site { what, span });
        let site = self.sites.len();
        self.plan.push(Planned { at, edit, site });
    }

    fn condition(&mut self, cond: ExprId, is_loop: bool, around: Option<Span>) {
        self.value(cond);
        let span = self.function.exprs.span(cond).or(around);
        match is_loop {
            true => self.add(cond, What::Loop, span, Edit::LoopCondition),
            false => self.add(cond, What::Branch, span, Edit::Condition),
        }
    }

    fn value(&mut self, id: ExprId) {
        let exprs = &self.function.exprs;
        match exprs.get(id) {
            Expr::SizeOf(_) => {}
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.address(*operand),
            Expr::Assign { op, lhs, rhs } => {
                self.value(*rhs);
                self.address(*lhs);
                self.access(*lhs, op.is_some(), true);
            }
            Expr::IncDec { operand, .. } => {
                self.address(*operand);
                self.access(*operand, true, true);
            }
            Expr::Cond { cond, .. } => {
                for child in exprs.children(id) {
                    self.value(child);
                }
                if self.module.types.as_vector(exprs.ty(*cond)).is_none() {
                    let span = exprs.span(*cond);
                    self.add(*cond, What::Branch, span, Edit::Condition);
                }
            }
            Expr::Call { callee, args } => {
                args.iter().for_each(|arg| self.value(*arg));
                if let Callee::Builtin(name) = callee {
                    self.builtin(id, name, args);
                }
            }
            _ if self.is_lvalue(id) => {
                self.address(id);
                self.access(id, true, false);
            }
            _ => {
                for child in exprs.children(id) {
                    self.value(child);
                }
                if let Some(left) = short_circuit::condition(self.module, self.function, id) {
                    self.add(left, What::ShortCircuit, exprs.span(left), Edit::Condition);
                }
            }
        }
    }

    fn is_lvalue(&self, id: ExprId) -> bool {
        match self.function.exprs.get(id) {
            Expr::Var(_)
            | Expr::Index { .. }
            | Expr::Unary {
                op: UnaryOp::Deref, ..
            } => true,
            Expr::Member { base, arrow, .. } => *arrow || self.is_lvalue(*base),
            Expr::Swizzle { base, .. } => self.is_lvalue(*base),
            _ => false,
        }
    }

    /// What is accessed to find an lvalue.
    fn address(&mut self, id: ExprId) {
        let exprs = &self.function.exprs;
        match exprs.get(id) {
            Expr::Var(_) => {}
            Expr::Unary { operand, .. } => self.value(*operand),
            Expr::Index { base, index } => {
                self.value(*index);
                match self.module.types.as_array(exprs.ty(*base)).is_some() && self.is_lvalue(*base)
                {
                    true => self.address(*base),
                    false => self.value(*base),
                }
            }
            Expr::Member { base, arrow, .. } if *arrow => self.value(*base),
            Expr::Member { base, .. } | Expr::Swizzle { base, .. } => self.address(*base),
            _ => {
                for child in exprs.children(id) {
                    self.value(child);
                }
            }
        }
    }

    fn access(&mut self, id: ExprId, reads: bool, writes: bool) {
        let types = &self.module.types;
        let ty = self.function.exprs.ty(id);
        let span = self.function.exprs.span(id);
        let Some(space) = self.aliases.lvalue_space(id).filter(is_shared) else {
            return;
        };
        let Some(layout) = self.module.layout(ty) else {
            return;
        };
        // An array or record is its address until a part of it is read.
        if types.as_array(ty).is_some() || types.as_record(ty).is_some() {
            return;
        }
        let (location, offset, bytes) = self.vector_part(id, layout.size);
        if self.is_bit_field(location) {
            return;
        }
        let quals = match self.aliases.is_volatile(location) {
            true => Qualifiers::VOLATILE,
            false => Qualifiers::empty(),
        };
        let what = What::Access {
            reads,
            writes,
            is_local: space == AddressSpace::Local,
            offset,
            bytes,
        };
        self.add(location, what, span, Edit::Lvalue(space, quals));
    }

    /// The vector that components are of, the bytes before the first of them, and theirs.
    fn vector_part(&self, id: ExprId, bytes: u64) -> (ExprId, u64, u64) {
        let Expr::Swizzle {
            base, components, ..
        } = self.function.exprs.get(id)
        else {
            return (id, 0, bytes);
        };
        let (location, before, _) = self.vector_part(*base, bytes);
        let types = &self.module.types;
        let vector = types.as_vector(self.function.exprs.ty(*base));
        let size = vector.map_or(1, |(scalar, _)| scalar.size());
        let first = u64::from(components.iter().copied().min().unwrap_or_default());
        (
            location,
            before + first * size,
            size * components.len() as u64,
        )
    }

    fn is_bit_field(&self, id: ExprId) -> bool {
        let Expr::Member { record, field, .. } = self.function.exprs.get(id) else {
            return false;
        };
        let field = self.module.field(*record, *field);
        field.is_none_or(|field| field.bits.is_some())
    }

    fn pointed(&self, pointer: ExprId) -> Option<(AddressSpace, u64)> {
        let ty = self.function.exprs.ty(pointer);
        let (pointee, space) = self.module.types.as_pointer(ty)?;
        let size = self.module.layout(pointee.ty)?.size;
        is_shared(&space).then_some((space, size))
    }

    /// Atomic operations, and `vloadN` and `vstoreN`.
    fn builtin(&mut self, id: ExprId, name: &str, args: &[ExprId]) {
        let span = self.function.exprs.span(id);
        let access = |writes: bool, space: AddressSpace, bytes: u64| What::Access {
            reads: !writes,
            writes,
            is_local: space == AddressSpace::Local,
            offset: 0,
            bytes,
        };
        if name.starts_with("atomic_") || name.starts_with("atom_") {
            let Some((space, bytes)) = args.first().and_then(|arg| self.pointed(*arg)) else {
                return;
            };
            self.add(
                args[0],
                access(true, space, bytes),
                span,
                Edit::Pointer(space),
            );
            return;
        }
        let (width, writes) = match (name.strip_prefix("vload"), name.strip_prefix("vstore")) {
            (Some(width), _) => (width, false),
            (_, Some(width)) => (width, true),
            _ => return,
        };
        let at = usize::from(writes);
        let pointed = args.get(at + 1).and_then(|arg| self.pointed(*arg));
        if let (Ok(width), Some((space, bytes))) = (width.parse::<u8>(), pointed) {
            let what = access(writes, space, bytes * u64::from(width));
            self.add(id, what, span, Edit::Vector(space, at, width.into()));
        }
    }
}

/// Memory that lanes have in common.
fn is_shared(space: &AddressSpace) -> bool {
    matches!(
        space,
        AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local
    )
}

/// Rewrites a function.
struct Writer<'a> {
    module: &'a mut Module,
    id: FunctionId,
    callees: &'a Callees,
    taken: &'a FileNames,
    memory: VarId,
    now: VarId,
    /// Variables that loops need: what `now` was before, and the number of the iteration.
    loops: Vec<(VarId, VarId)>,
    number_of_sites: u32,
}

impl<'a> Writer<'a> {
    fn new(
        module: &'a mut Module,
        id: FunctionId,
        callees: &'a Callees,
        taken: &'a FileNames,
    ) -> Self {
        let function = &mut module.functions[id];
        let memory = function.add_var("fpgacc_log", callees.memory, taken);
        let now = function.add_var("fpgacc_now", callees.now, taken);
        Writer {
            module,
            id,
            callees,
            taken,
            memory,
            now,
            loops: Vec::new(),
            // Sites of different functions are different ones.
            number_of_sites: (id.index() as u32) << 12,
        }
    }

    fn function(&mut self) -> &mut Function {
        &mut self.module.functions[self.id]
    }

    fn write(mut self, plan: Vec<Planned>, needing: &BTreeSet<FunctionId>) {
        self.hand_down(needing);
        let mut body = self.function().body.take().unwrap_or_default();
        let mut outers = Vec::new();
        self.list(&mut body.stmts, &mut outers);
        for one in plan {
            let outer = outers.iter().find(|(cond, _)| *cond == one.at);
            self.edit(&one, outer.map_or(self.now, |(_, outer)| *outer));
        }
        let (memory, now) = (self.memory, self.now);
        let mut declared = Vec::new();
        if self.function().is_kernel {
            let (launch, callees) = (self.callees.launch, self.callees);
            let launch = {
                let taken = self.taken;
                self.function().add_var("fpgacc_launch", launch, taken)
            };
            self.function().params.extend([memory, launch]);
            let begin = {
                let launch = self.function().use_var(launch);
                self.call(callees.begin, vec![launch])
            };
            let init = Some(Init::Expr(begin));
            declared.push(Stmt::new(StmtKind::Decl { var: now, init }));
            before_ends(&mut body.stmts, &mut || {
                let args = vec![
                    self.function().use_var(memory),
                    self.function().use_var(now),
                ];
                let end = self.call(callees.end, args);
                vec![Stmt::new(StmtKind::Expr(end))]
            });
        } else {
            self.function().params.extend([memory, now]);
        }
        for (outer, round) in std::mem::take(&mut self.loops) {
            let declare = |var| Stmt::declare(var);
            declared.extend([declare(outer), declare(round)]);
        }
        insert(&mut body.stmts, declared);
        self.function().body = Some(body);
    }

    fn call(&mut self, callee: FunctionId, args: Vec<ExprId>) -> ExprId {
        let ty = self.module.functions[callee].ret.ty;
        let callee = Callee::Function(callee);
        self.function()
            .exprs
            .add(Expr::Call { callee, args }, ty, None)
    }

    fn site_number(&mut self) -> ExprId {
        self.number_of_sites += 1;
        let number = i64::from(self.number_of_sites);
        self.int(number)
    }

    fn int(&mut self, value: i64) -> ExprId {
        let exprs = &mut self.module.functions[self.id].exprs;
        exprs.int(&mut self.module.types, value)
    }

    fn hand_down(&mut self, needing: &BTreeSet<FunctionId>) {
        let (memory, now, inside) = (self.memory, self.now, self.callees.inside);
        let (ty, int) = (self.callees.now, self.module.types.int());
        let mut number_of_sites = self.number_of_sites;
        hand_down(&mut self.module.functions[self.id], needing, &mut |f| {
            number_of_sites += 1;
            let spelling = None;
            let value = i128::from(number_of_sites);
            let location = f.exprs.add(Expr::Int { value, spelling }, int, None);
            let args = vec![f.use_var(now), location];
            let callee = Callee::Function(inside);
            let way = f.exprs.add(Expr::Call { callee, args }, ty, None);
            vec![f.use_var(memory), way]
        });
        self.number_of_sites = number_of_sites;
    }

    /// Makes loops note their iterations; adds the variable around each condition to `outers`.
    fn list(&mut self, stmts: &mut Vec<Stmt>, outers: &mut Vec<(ExprId, VarId)>) {
        for mut stmt in std::mem::take(stmts) {
            for list in stmt.lists_mut() {
                self.list(list, outers);
            }
            let (cond, body) = match &mut stmt.kind {
                StmtKind::For { cond, body, .. } => (*cond, body),
                StmtKind::While { cond, body, .. } | StmtKind::DoWhile { cond, body, .. } => {
                    (Some(*cond), body)
                }
                _ => {
                    stmts.push(stmt);
                    continue;
                }
            };
            let (outer, round) = self.variables();
            outers.extend(cond.map(|cond| (cond, outer)));
            let number = self.function().increment(round);
            let (before, location) = (self.function().use_var(outer), self.site_number());
            let next = self.call(self.callees.round, vec![before, location, number]);
            let now = self.now;
            let begin = self.function().assign_var(now, next);
            insert(&mut body.stmts, [begin]);
            let held = self.function().use_var(now);
            let keep = self.function().assign_var(outer, held);
            let zero = self.int(0);
            let first = self.function().assign_var(round, zero);
            let held = self.function().use_var(outer);
            let after = self.function().assign_var(now, held);
            stmts.extend([keep, first, stmt, after]);
        }
    }

    /// What `now` was before a loop, and the number of its next iteration.
    fn variables(&mut self) -> (VarId, VarId) {
        let number = self.loops.len();
        let (now, taken) = (self.callees.now, self.taken);
        let uint = self.module.types.scalar(fpgacc_frontend::ir::Scalar::UInt);
        let outer = format!("fpgacc_outer{number}");
        let outer = self.function().add_var(&outer, now, taken);
        let round = format!("fpgacc_round{number}");
        let round = self.function().add_var(&round, uint, taken);
        self.loops.push((outer, round));
        (outer, round)
    }

    /// The expression, moved to another index of the arena: something else stands in its own then.
    fn moved(&mut self, id: ExprId) -> ExprId {
        let exprs = &mut self.function().exprs;
        let (expr, ty, span) = (exprs.get(id).clone(), exprs.ty(id), exprs.span(id));
        exprs.add(expr, ty, span)
    }

    /// `fpgacc_at_..(pointer, log, now, site)` as a pointer of this type.
    fn noted(&mut self, space: AddressSpace, pointer: ExprId, site: usize, ty: TypeId) -> Expr {
        let callee = self.callees.at(space).expect("only shared memory is noted");
        let (memory, now) = (self.memory, self.now);
        let args = vec![
            pointer,
            self.function().use_var(memory),
            self.function().use_var(now),
            self.int(site as i64),
        ];
        let operand = self.call(callee, args);
        let ty = QualType::plain(ty);
        Expr::Cast { ty, operand }
    }

    fn pointer_to(&mut self, pointee: QualType, space: AddressSpace) -> TypeId {
        self.module.types.intern(Type::Pointer { pointee, space })
    }

    fn edit(&mut self, planned: &Planned, outer: VarId) {
        let ty = self.function().exprs.ty(planned.at);
        let site = planned.site;
        let expr = match &planned.edit {
            Edit::Lvalue(space, quals) => {
                let pointee = QualType { ty, quals: *quals };
                let pointer = self.pointer_to(pointee, *space);
                let operand = self.moved(planned.at);
                let op = UnaryOp::AddressOf;
                let address = Expr::Unary { op, operand };
                let address = self.function().exprs.add(address, pointer, None);
                let noted = self.noted(*space, address, site, pointer);
                let operand = self.function().exprs.add(noted, pointer, None);
                let op = UnaryOp::Deref;
                Expr::Unary { op, operand }
            }
            Edit::Pointer(space) => {
                let pointer = self.moved(planned.at);
                self.noted(*space, pointer, site, ty)
            }
            Edit::Vector(space, at, width) => self.vector(planned, *space, *at, *width),
            Edit::Condition => self.condition(planned.at, site, self.now),
            Edit::LoopCondition => self.condition(planned.at, site, outer),
        };
        let ty = match planned.edit {
            Edit::Condition | Edit::LoopCondition => self.module.types.int(),
            _ => ty,
        };
        self.function().exprs.replace(planned.at, expr, ty);
    }

    /// `vloadN(i, p)` as `vloadN(0, noted(p + N * i))`.
    fn vector(&mut self, planned: &Planned, space: AddressSpace, at: usize, width: i64) -> Expr {
        let Expr::Call { callee, args } = self.function().exprs.get(planned.at).clone() else {
            unreachable!("it was planned for a call");
        };
        let mut args = args;
        let times = self.int(width);
        let size = self.module.types.size_t();
        let offset = self.function().exprs.cast(size, args[at]);
        let (module, id) = (&mut *self.module, self.id);
        let exprs = &mut module.functions[id].exprs;
        let elements = exprs.binary(&mut module.types, BinaryOp::Mul, times, offset);
        let pointer = exprs.binary(&mut module.types, BinaryOp::Add, args[at + 1], elements);
        let ty = exprs.ty(pointer);
        let noted = self.noted(space, pointer, planned.site, ty);
        args[at + 1] = self.function().exprs.add(noted, ty, None);
        args[at] = self.int(0);
        Expr::Call { callee, args }
    }

    fn condition(&mut self, at: ExprId, site: usize, outer: VarId) -> Expr {
        let held = self.moved(at);
        let (module, id) = (&mut *self.module, self.id);
        let exprs = &mut module.functions[id].exprs;
        let no = exprs.not(&mut module.types, held);
        let yes = exprs.not(&mut module.types, no);
        let (memory, now) = (self.memory, self.now);
        let args = vec![
            yes,
            self.function().use_var(memory),
            self.function().use_var(now),
            self.int(site as i64),
            self.function().use_var(outer),
        ];
        let callee = Callee::Function(self.callees.taken);
        Expr::Call { callee, args }
    }
}
