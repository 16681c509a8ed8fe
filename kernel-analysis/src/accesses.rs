//! All reads and writes of variables and memory that a piece of code makes.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Callee, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, UnaryOp,
    VarId, VarRef, builtin_has_effects,
};

use super::alias::{Aliases, Root, Roots, spaces_differ};
use super::calls::callees;

/// One read or write.
#[derive(Clone, Debug)]
pub struct Access {
    /// The lvalue, or the pointer argument through which a call accesses memory.
    pub at: ExprId,
    /// A write; a read otherwise.
    pub write: bool,
    /// What is accessed.
    pub roots: Roots,
    /// The space it lies in, if the type states it.
    pub space: Option<AddressSpace>,
    /// `at` is the very lvalue; otherwise anything that the roots reach may be accessed.
    pub exact: bool,
}

impl Aliases<'_> {
    /// Whether two accesses may touch the same bytes.
    ///
    /// Expressions that both contain are taken to have the same value in both, so one of the two
    /// must be invariant in the region that is looked at.
    pub fn may_overlap(&self, a: &Access, b: &Access) -> bool {
        if spaces_differ(a.space, b.space) {
            return false;
        }
        self.roots_meet(&a.roots, &b.roots)
            && !(a.exact && b.exact && self.distinct_parts(a.at, b.at))
    }

    /// The pointer parameters that point to what is accessed, or may.
    pub fn parameters(&self, access: &Access) -> Vec<VarId> {
        let space = |param: VarId| {
            let ty = self.function.vars[param].ty.ty;
            self.module.types.as_pointer(ty).map(|(_, space)| space)
        };
        let params = self.function.params.iter().copied();
        let is_unknown = access.roots.contains(&Root::Unknown);
        params
            .filter(|&param| {
                let overlaps = |space| !spaces_differ(access.space, Some(space));
                (is_unknown && space(param).is_some_and(overlaps))
                    || access.roots.contains(&Root::Param(param))
            })
            .collect()
    }
}

/// The accesses of a piece of code.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// In the order of the source, operands before what uses them.
    pub list: Vec<Access>,
    /// Variables that it declares: each execution makes them anew.
    pub declared: Vec<VarId>,
    /// The first call that orders memory against other work-items or kernels: a barrier, a fence,
    /// an atomic, a channel.
    pub synchronises: Option<ExprId>,
}

/// What a function does to memory that is not its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By parameter: reads, writes through it.
    pub params: Vec<(bool, bool)>,
    /// Program-scope variables: whether they are written.
    pub globals: BTreeMap<VarRef, bool>,
    /// Reads, writes through pointers of unknown origin.
    pub unknown: (bool, bool),
    /// See [`Accesses::synchronises`].
    pub synchronises: bool,
}

impl Summary {
    /// Of a function of which nothing is known.
    fn worst(function: &Function) -> Self {
        Summary {
            params: vec![(true, true); function.params.len()],
            globals: BTreeMap::new(),
            unknown: (true, true),
            synchronises: true,
        }
    }
}

/// Summaries of the functions that some function calls, computed once each.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    /// `None` while it is computed: a recursive call takes the worst.
    known: BTreeMap<FunctionId, Option<Summary>>,
}

impl Summaries {
    /// The summaries of all functions that `root` calls, directly or not, and of itself.
    pub fn reachable(module: &Module, root: FunctionId, called: &BTreeSet<FunctionId>) -> Self {
        let mut summaries = Summaries::default();
        summaries.compute(module, root, called);
        summaries
    }

    /// The functions that were reached, callees included, in order of definition.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.known.keys().copied()
    }

    /// The summary of a function.
    pub fn get(&self, module: &Module, id: FunctionId) -> Summary {
        match self.known.get(&id) {
            Some(Some(summary)) => summary.clone(),
            _ => Summary::worst(&module.functions[id]),
        }
    }

    fn compute(&mut self, module: &Module, id: FunctionId, called: &BTreeSet<FunctionId>) {
        if self.known.contains_key(&id) {
            return;
        }
        self.known.insert(id, None);
        let function = &module.functions[id];
        let Some(body) = &function.body else {
            self.known.insert(id, Some(Summary::worst(function)));
            return;
        };
        for (callee, _) in callees(function) {
            self.compute(module, callee, called);
        }
        let aliases = Aliases::new(module, id, called);
        let accesses = Accesses::of_stmts(&aliases, self, &body.stmts);
        self.known.insert(id, Some(summarise(function, &accesses)));
    }
}

fn summarise(function: &Function, accesses: &Accesses) -> Summary {
    let mut summary = Summary {
        params: vec![(false, false); function.params.len()],
        synchronises: accesses.synchronises.is_some(),
        ..Summary::default()
    };
    let note = |entry: &mut (bool, bool), write: bool| {
        entry.0 |= !write;
        entry.1 |= write;
    };
    for access in &accesses.list {
        for root in &access.roots {
            match root {
                Root::Param(var) => {
                    let at = function.params.iter().position(|param| param == var);
                    note(
                        &mut summary.params[at.expect("a parameter's root is one of its own")],
                        access.write,
                    );
                }
                Root::Object(VarRef::Local(_)) => {}
                Root::Object(global) => {
                    *summary.globals.entry(*global).or_default() |= access.write;
                }
                Root::Unknown => note(&mut summary.unknown, access.write),
            }
        }
    }
    summary
}

impl Accesses {
    /// Of statements and all inside them.
    pub fn of_stmts(aliases: &Aliases<'_>, summaries: &Summaries, stmts: &[Stmt]) -> Self {
        let mut collector = Collector::new(aliases, summaries);
        for stmt in stmts {
            collector.stmt(stmt);
        }
        collector.out
    }

    /// Of one loop, every iteration: its condition, step and body, not its init.
    pub fn of_loop(aliases: &Aliases<'_>, summaries: &Summaries, stmt: &Stmt) -> Self {
        let mut collector = Collector::new(aliases, summaries);
        let body = match &stmt.kind {
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => body,
            _ => return collector.out,
        };
        for inner in &body.stmts {
            collector.stmt(inner);
        }
        for expr in stmt.exprs() {
            collector.value(expr);
        }
        collector.out
    }

    /// Of an expression's evaluation.
    pub fn of_expr(aliases: &Aliases<'_>, summaries: &Summaries, expr: ExprId) -> Self {
        let mut collector = Collector::new(aliases, summaries);
        collector.value(expr);
        collector.out
    }

    /// Of computing an lvalue's address, without accessing it.
    pub fn of_address(aliases: &Aliases<'_>, summaries: &Summaries, lvalue: ExprId) -> Self {
        let mut collector = Collector::new(aliases, summaries);
        collector.address(lvalue);
        collector.out
    }

    /// The writes.
    pub fn writes(&self) -> impl Iterator<Item = &Access> {
        self.list.iter().filter(|access| access.write)
    }
}

struct Collector<'a> {
    aliases: &'a Aliases<'a>,
    summaries: &'a Summaries,
    out: Accesses,
}

impl<'a> Collector<'a> {
    fn new(aliases: &'a Aliases<'a>, summaries: &'a Summaries) -> Self {
        Collector {
            aliases,
            summaries,
            out: Accesses::default(),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Decl { var, .. } = &stmt.kind {
            self.out.declared.push(*var);
        }
        for expr in stmt.exprs() {
            self.value(expr);
        }
        for inner in stmt.lists().into_iter().flatten() {
            self.stmt(inner);
        }
    }

    fn value(&mut self, id: ExprId) {
        let exprs = &self.aliases.function.exprs;
        match exprs.get(id) {
            Expr::SizeOf(_) => {}
            Expr::Var(_)
            | Expr::Unary {
                op: UnaryOp::Deref, ..
            }
            | Expr::Index { .. }
            | Expr::Member { .. }
            | Expr::Swizzle { .. } => self.read(id),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.address(*operand),
            Expr::Assign { op, lhs, rhs } => {
                self.address(*lhs);
                self.value(*rhs);
                if op.is_some() {
                    self.note(*lhs, false);
                }
                self.note(*lhs, true);
            }
            Expr::IncDec { operand, .. } => {
                self.address(*operand);
                self.note(*operand, false);
                self.note(*operand, true);
            }
            Expr::Call { callee, args } => {
                for arg in args {
                    self.value(*arg);
                }
                match callee {
                    Callee::Function(function) => self.call(id, *function, args),
                    Callee::Builtin(name) => self.builtin(id, name, args),
                }
            }
            _ => {
                for child in exprs.children(id) {
                    self.value(child);
                }
            }
        }
    }

    /// Reads an lvalue; of what is none (a component of a call's result) its operand.
    fn read(&mut self, id: ExprId) {
        if !self.is_lvalue(id) {
            for child in self.aliases.function.exprs.children(id) {
                self.value(child);
            }
            return;
        }
        self.address(id);
        let ty = self.aliases.function.exprs.ty(id);
        // An array as a value is its address.
        if self.aliases.module.types.as_array(ty).is_none() {
            self.note(id, false);
        }
    }

    fn is_lvalue(&self, id: ExprId) -> bool {
        match self.aliases.function.exprs.get(id) {
            Expr::Var(_)
            | Expr::Unary {
                op: UnaryOp::Deref, ..
            } => true,
            Expr::Index { base, .. } => self.aliases.is_pointer(*base) || self.is_lvalue(*base),
            Expr::Member { base, arrow, .. } => *arrow || self.is_lvalue(*base),
            Expr::Swizzle { base, .. } => self.is_lvalue(*base),
            _ => false,
        }
    }

    fn address(&mut self, id: ExprId) {
        match self.aliases.function.exprs.get(id) {
            Expr::Var(_) => {}
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.value(*operand),
            Expr::Index { base, index } => {
                self.pointer(*base);
                self.value(*index);
            }
            Expr::Member { base, .. } | Expr::Swizzle { base, .. } => self.pointer(*base),
            _ => self.value(id),
        }
    }

    fn pointer(&mut self, base: ExprId) {
        if self.aliases.is_pointer(base) {
            self.value(base);
        } else {
            self.address(base);
        }
    }

    fn note(&mut self, at: ExprId, write: bool) {
        self.out.list.push(Access {
            at,
            write,
            roots: self.aliases.lvalue_roots(at),
            space: self.aliases.lvalue_space(at),
            exact: true,
        });
    }

    /// Through a pointer that a call gets.
    fn note_through(&mut self, pointer: ExprId, effects: (bool, bool)) {
        let ty = self.aliases.function.exprs.ty(pointer);
        let space = self.aliases.module.types.as_pointer(ty).map(|(_, s)| s);
        self.note_all(pointer, self.aliases.roots(pointer), space, effects);
    }

    /// Anything of what `roots` reach, in `space` if it is known.
    fn note_all(
        &mut self,
        at: ExprId,
        roots: Roots,
        space: Option<AddressSpace>,
        (reads, writes): (bool, bool),
    ) {
        for (happens, write) in [(reads, false), (writes, true)] {
            if happens {
                self.out.list.push(Access {
                    at,
                    write,
                    roots: roots.clone(),
                    space,
                    exact: false,
                });
            }
        }
    }

    fn call(&mut self, id: ExprId, function: FunctionId, args: &[ExprId]) {
        let summary = self.summaries.get(self.aliases.module, function);
        for (&arg, &effects) in args.iter().zip(&summary.params) {
            if self.aliases.is_address(arg) {
                self.note_through(arg, effects);
            }
        }
        for (&global, &written) in &summary.globals {
            let roots = Roots::from([Root::Object(global)]);
            self.note_all(id, roots, None, (true, written));
        }
        self.note_all(id, Roots::from([Root::Unknown]), None, summary.unknown);
        if summary.synchronises {
            self.out.synchronises.get_or_insert(id);
        }
    }

    fn builtin(&mut self, id: ExprId, name: &str, args: &[ExprId]) {
        let effects = builtin_has_effects(name);
        let writes = effects && !name.starts_with("printf") && !name.starts_with("prefetch");
        let is_copy = name.starts_with("async_work_group_");
        for (index, &arg) in args.iter().enumerate() {
            if self.aliases.is_address(arg) {
                // A copy writes its first argument, and reads its second.
                self.note_through(arg, (true, writes && !(is_copy && index == 1)));
            }
        }
        if effects && !is_local_effect(name) {
            self.out.synchronises.get_or_insert(id);
        }
    }
}

/// Builtins whose only effect is to write through a pointer argument, or to print.
fn is_local_effect(name: &str) -> bool {
    name.starts_with("vstore")
        || matches!(
            name,
            "printf" | "prefetch" | "fract" | "frexp" | "lgamma_r" | "modf" | "remquo" | "sincos"
        )
}
