//! What a kernel does, and the reasons to leave it alone.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Block, Callee, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, Type,
    VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::work_item::{self, Dim, Quantity, Query};

use crate::pass::Note;
use crate::passes::ndrange_to_loop::work_items::grid::Needs;

/// What a kernel and the functions that it calls do.
pub struct Survey {
    /// What its groups must be.
    pub needs: Needs,
    /// It asks for ids or sizes.
    pub has_queries: bool,
    /// Where its barriers stand, if it has any.
    pub barriers: Vec<Barrier>,
    /// It prints.
    pub prints: bool,
    /// It has atomic operations: work-items touch the same memory between barriers.
    pub atomics: bool,
    /// The functions that it calls, directly or not.
    pub callees: Vec<FunctionId>,
    /// Why it cannot be rewritten, whatever its groups are.
    pub problems: Vec<Note>,
}

/// A barrier of the kernel's own body, or of a function that it calls.
pub struct Barrier {
    /// The call.
    pub span: Option<Span>,
    /// What it stands in.
    pub site: BarrierSite,
}

/// Where a barrier stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierSite {
    /// A statement of the kernel.
    Statement,
    /// Inside an expression that is more than the call.
    Expression,
    /// In a function that the kernel calls.
    Helper,
}

/// Whether a builtin is a barrier, or parts regions as one does.
pub fn is_barrier(name: &str) -> bool {
    name == "barrier" || name == "work_group_barrier" || name == SPLIT
}

/// A call that parts regions and does nothing else. Only passes make it, and none leaves it.
pub const SPLIT: &str = "fpgacc_split";

/// Whether a builtin only orders the memory accesses of a work-item as others see them, or is a hint.
pub fn is_fence(name: &str) -> bool {
    matches!(
        name,
        "mem_fence" | "read_mem_fence" | "write_mem_fence" | "atomic_work_item_fence" | "prefetch"
    )
}

/// The builtin that a statement calls, if the statement is a call.
pub fn builtin_stmt<'f>(function: &'f Function, stmt: &Stmt) -> Option<&'f str> {
    let StmtKind::Expr(mut id) = stmt.kind else {
        return None;
    };
    while let Expr::Cast { operand, .. } = function.exprs.get(id) {
        id = *operand;
    }
    match function.exprs.get(id) {
        Expr::Call {
            callee: Callee::Builtin(name),
            ..
        } => Some(name),
        _ => None,
    }
}

/// Looks at a kernel and all that it calls. `called` holds the functions that others call.
pub fn survey(module: &Module, kernel: FunctionId, called: &BTreeSet<FunctionId>) -> Survey {
    let callees = calls::reachable(module, kernel);
    let mut survey = Survey {
        needs: Needs::default(),
        has_queries: false,
        barriers: Vec::new(),
        prints: false,
        atomics: false,
        callees: callees.clone(),
        problems: Vec::new(),
    };
    for id in std::iter::once(kernel).chain(callees) {
        let mut look = Look {
            module,
            function: &module.functions[id],
            is_kernel: id == kernel,
            survey: &mut survey,
        };
        look.all();
    }
    if called.contains(&kernel) {
        survey.problem("another function calls this kernel", None);
    }
    survey
}

impl Survey {
    fn problem(&mut self, text: impl Into<String>, span: Option<Span>) {
        let note = Note::new(text, span);
        if !self.problems.contains(&note) {
            self.problems.push(note);
        }
    }
}

struct Look<'a> {
    module: &'a Module,
    function: &'a Function,
    is_kernel: bool,
    survey: &'a mut Survey,
}

impl Look<'_> {
    fn all(&mut self) {
        let function = self.function;
        if !self.is_kernel && function.is_kernel {
            let text = format!("it calls the kernel '{}'", function.name);
            self.survey.problem(text, function.span);
        }
        let Some(body) = &function.body else {
            let text = format!("it calls '{}', whose body is not known", function.name);
            self.survey.problem(text, function.span);
            return;
        };
        self.params();
        self.barriers(&body.stmts);
        body.for_each_stmt(&mut |stmt| self.stmt(stmt));
        body.for_each_expr(&function.exprs, &mut |id| self.expr(id));
    }

    fn params(&mut self) {
        for &param in &self.function.params {
            let variable = &self.function.vars[param];
            let types = &self.module.types;
            if let Type::Pipe { .. } = types.resolve(variable.ty.ty) {
                self.channel(variable.span);
            }
            if let Type::Opaque(name) = types.resolve(variable.ty.ty)
                && name.starts_with("read_write")
            {
                self.survey.problem(
                    "it reads what it writes to an image, which takes fences of work-items",
                    variable.span,
                );
            }
            let in_local = types
                .as_pointer(variable.ty.ty)
                .is_some_and(|(_, space)| space == AddressSpace::Local);
            if self.is_kernel && in_local {
                self.survey.needs.groups = true;
            }
        }
    }

    fn channel(&mut self, span: Option<Span>) {
        self.survey.problem(
            "it uses a channel or pipe, and the order in which work-items do so is not fixed",
            span,
        );
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Goto(_) => self.survey.problem("it uses goto", stmt.span),
            StmtKind::Decl { var, .. } if self.function.vars[*var].space == AddressSpace::Local => {
                self.survey.needs.groups = true;
                if !self.is_kernel {
                    self.survey.problem(
                        "a function that it calls declares __local memory",
                        stmt.span,
                    );
                }
            }
            StmtKind::While { cond, body, .. } => self.spin(*cond, body, stmt.span),
            StmtKind::DoWhile { cond, body, .. } => self.spin(*cond, body, stmt.span),
            StmtKind::For {
                cond: Some(cond),
                step: None,
                body,
                ..
            } => self.spin(*cond, body, stmt.span),
            _ => {}
        }
    }

    /// A loop that waits for what another work-item does would never end in a serial loop.
    fn spin(&mut self, cond: ExprId, body: &Block, span: Option<Span>) {
        let exprs = &self.function.exprs;
        let mut changes = exprs.has_effects(cond) && !self.has_atomic(cond);
        let mut looks = exprs.touches_memory(cond);
        for stmt in &body.stmts {
            stmt.for_each(&mut |stmt| {
                for root in stmt.exprs() {
                    changes |= exprs.has_effects(root);
                    looks |= exprs.touches_memory(root);
                }
            });
        }
        let waits = looks && !changes;
        if waits || self.has_atomic(cond) && !self.is_retry(cond, body) {
            self.survey.problem(
                "the loop may wait for another work-item, which a loop over work-items starts later",
                span,
            );
        }
    }

    /// Whether an expression has an atomic that may see nothing but what others did: a counter that
    /// the loop itself moves on comes to its end.
    fn has_atomic(&self, root: ExprId) -> bool {
        let exprs = &self.function.exprs;
        exprs.any(root, &mut |id| {
            matches!(exprs.get(id), Expr::Call { callee: Callee::Builtin(name), .. }
                if is_atomic(name) && !name.ends_with("_inc") && !name.ends_with("_dec"))
        })
    }

    /// `do { old = *p; .. } while (atomic_cmpxchg(p, old, new) != old)`: ends at once where nobody
    /// comes between.
    fn is_retry(&self, cond: ExprId, body: &Block) -> bool {
        let exprs = &self.function.exprs;
        let mut expected = None;
        let mut atomics = 0;
        exprs.for_each(cond, &mut |id| {
            if let Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } = exprs.get(id)
                && is_atomic(name)
            {
                atomics += 1;
                if name.ends_with("cmpxchg") {
                    expected = args.get(1).copied();
                }
            }
        });
        let Some(expected) = expected.filter(|_| atomics == 1) else {
            return false;
        };
        let uses = exprs.local_uses(expected).into_iter();
        let vars: BTreeSet<VarId> = uses.map(|(_, var)| var).collect();
        let mut loads = false;
        for stmt in &body.stmts {
            fpgacc_kernel_analysis::variables::accesses_of_stmt(
                &self.module.types,
                self.function,
                stmt,
                &mut |var, access| loads |= access.may_write() && vars.contains(&var),
            );
        }
        loads
    }

    fn expr(&mut self, id: ExprId) {
        let span = self.function.exprs.span(id);
        match self.function.exprs.get(id) {
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => self.builtin(&name.clone(), id, span),
            Expr::Var(VarRef::Global(global)) => {
                let ty = self.module.globals[*global].variable.ty.ty;
                let element = match self.module.types.resolve(ty) {
                    Type::Array { element, .. } => self.module.types.resolve(element.ty),
                    other => other,
                };
                if matches!(element, Type::Channel(_)) {
                    self.channel(span);
                }
                if self.module.globals[*global].variable.space == AddressSpace::Local {
                    self.survey.needs.groups = true;
                }
            }
            _ => {}
        }
    }

    fn builtin(&mut self, name: &str, id: ExprId, span: Option<Span>) {
        if let Some(query) = work_item::query(self.module, self.function, id) {
            self.query(query, span);
            return;
        }
        if is_barrier(name) {
            self.survey.needs.groups = true;
            return;
        }
        self.survey.prints |= name == "printf";
        self.survey.atomics |= is_atomic(name);
        if name.contains("_channel_") || name.contains("_pipe") {
            self.channel(span);
        }
        let works_as_group = name.starts_with("work_group_")
            || name.contains("sub_group")
            || name.starts_with("async_work_group_")
            || name == "wait_group_events";
        if works_as_group {
            let text = format!("all work-items of a work-group take part in '{name}'");
            self.survey.problem(text, span);
        }
        if name.starts_with("enqueue_") || name == "get_compute_id" {
            self.survey.problem(format!("it calls '{name}'"), span);
        }
    }

    fn query(&mut self, query: Query, span: Option<Span>) {
        self.survey.has_queries = true;
        self.survey.needs.parts |= !matches!(
            query.quantity,
            Quantity::GlobalId
                | Quantity::GlobalSize
                | Quantity::GlobalOffset
                | Quantity::GlobalLinearId
                | Quantity::WorkDim
        );
        match query.dim {
            Dim::Of(d) => self.survey.needs.dims[d as usize] = true,
            Dim::Computed(arg) => {
                self.survey.needs.dims = [true; 3];
                if self.function.exprs.has_effects(arg) {
                    self.survey.problem(
                        "the dimension that a work-item function is asked about has side effects",
                        span,
                    );
                }
            }
            Dim::None if query.quantity.name().ends_with("linear_id") => {
                self.survey.needs.dims = [true; 3];
            }
            Dim::None | Dim::Beyond => {}
        }
    }

    fn barriers(&mut self, list: &[Stmt]) {
        for stmt in list {
            if builtin_stmt(self.function, stmt).is_some_and(is_barrier) {
                self.barrier(stmt.span, BarrierSite::Statement);
                continue;
            }
            for root in stmt.exprs() {
                self.barrier_in(root);
            }
            for inside in stmt.lists() {
                self.barriers(inside);
            }
        }
    }

    fn barrier_in(&mut self, root: ExprId) {
        let exprs = &self.function.exprs;
        let mut found = None;
        exprs.for_each(root, &mut |id| {
            if let Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } = exprs.get(id)
                && is_barrier(name)
            {
                found = Some(id);
            }
        });
        if let Some(id) = found {
            self.barrier(exprs.span(id), BarrierSite::Expression);
        }
    }

    fn barrier(&mut self, span: Option<Span>, site: BarrierSite) {
        let site = if self.is_kernel {
            site
        } else {
            BarrierSite::Helper
        };
        self.survey.barriers.push(Barrier { span, site });
    }
}

/// Whether a builtin is an atomic operation.
fn is_atomic(name: &str) -> bool {
    name.starts_with("atomic_") || name.starts_with("atom_")
}
