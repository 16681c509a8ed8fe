//! Loops that work-items of a group may leave at different iterations. Such a kernel is not
//! vectorised by `num_simd_work_items`: its work-items go through control flow together.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Callee, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, UnaryOp,
    VarId, VarRef, builtin_has_effects,
};
use fpgacc_frontend::source::Span;

use super::calls::reachable_from;
use super::faults;
use super::loops;
use super::trip_count::{Constants, trip_count};
use super::work_item::query;

/// A loop of a kernel that work-items of a group go through with a non-uniform trip count, or which only some
/// of them reach. What is not known counts as different: values of memory and of functions. A loop that is unrolled
/// whole is none: nothing branches backwards ("Avoid Work-Item ID-Dependent Backward Branching", Intel's best practices
/// guide).
pub fn divergent_loop(module: &Module, kernel: FunctionId) -> Option<Option<Span>> {
    let function = &module.functions[kernel];
    let body = function.body.as_ref()?;
    let divergence = Divergence::of(module, kernel, Memory::Differs);
    divergence.find(&body.stmts, false)
}

/// The loops of a kernel that all work-items of a group come to, and go through equally often, by their indices
/// ([`loops::for_each`]): a barrier may stand in their bodies. What is not known counts as different, as above.
pub fn uniform_loops(module: &Module, kernel: FunctionId) -> BTreeSet<usize> {
    let mut uniform = BTreeSet::new();
    let body = module.functions[kernel].body.as_ref();
    if let Some(body) = body.filter(|body| !loops::has_labels(body)) {
        let divergence = Divergence::of(module, kernel, Memory::Differs);
        divergence.find_uniform(&body.stmts, false, (&mut 0, &mut uniform));
    }
    uniform
}

/// What work-items of a group read from one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Nobody knows whether it is the same for all: somebody may have written in between.
    Differs,
    /// It is taken to be the same.
    IsOneForAll,
}

/// What may differ between work-items of a group.
pub struct Divergence<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Variables whose values may differ between work-items of a group.
    differing: BTreeSet<VarId>,
    memory: Memory,
}

impl<'a> Divergence<'a> {
    /// Looks at a kernel.
    pub fn of(module: &'a Module, kernel: FunctionId, memory: Memory) -> Self {
        let function = &module.functions[kernel];
        let mut divergence = Divergence {
            module,
            function,
            differing: BTreeSet::new(),
            memory,
        };
        if let Some(body) = &function.body {
            // Each round finds at least one variable more, or is the last.
            while divergence.spread(&body.stmts, false) {}
        }
        divergence
    }
}

impl Divergence<'_> {
    /// Whether the value of an expression of the kernel may differ between work-items of a group.
    pub fn differs(&self, id: ExprId) -> bool {
        let exprs = &self.function.exprs;
        let may_differ = self.memory == Memory::Differs;
        exprs.any(id, &mut |id| match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => match self.function.vars[*var].space {
                AddressSpace::Local => may_differ,
                _ => self.differing.contains(var),
            },
            Expr::Var(VarRef::Global(_)) | Expr::Index { .. } => may_differ,
            Expr::Unary { op, .. } => *op == UnaryOp::Deref && may_differ,
            Expr::Call { callee, .. } => match (callee, query(self.module, self.function, id)) {
                (_, Some(query)) => query.quantity.differs_in_group(),
                (Callee::Function(_), None) => true,
                (Callee::Builtin(name), None) => builtin_has_effects(name),
            },
            _ => false,
        })
    }

    /// Adds the variables that statements give values which may differ; `is_partial`: only some
    /// work-items may get there. Whether there was one more.
    fn spread(&mut self, stmts: &[Stmt], is_partial: bool) -> bool {
        let mut found = false;
        for stmt in stmts {
            if let StmtKind::Decl { var, .. } = &stmt.kind {
                let differs = stmt.exprs().into_iter().any(|id| self.differs(id));
                found |= differs && self.differing.insert(*var);
            }
            for root in stmt.exprs() {
                found |= self.spread_expr(root, is_partial);
            }
            let inside = is_partial || self.decides(stmt);
            for list in stmt.lists() {
                found |= self.spread(list, inside);
            }
        }
        found
    }

    fn spread_expr(&mut self, root: ExprId, is_partial: bool) -> bool {
        let function = self.function;
        let mut changed = Vec::new();
        function
            .exprs
            .for_each(root, &mut |id| match function.exprs.get(id) {
                Expr::Assign { lhs, rhs, .. } => {
                    changed.push((*lhs, is_partial || self.differs(*rhs)));
                }
                Expr::IncDec { operand, .. } => changed.push((*operand, is_partial)),
                // Somebody may write through it.
                Expr::Unary {
                    op: UnaryOp::AddressOf,
                    operand,
                } => changed.push((*operand, true)),
                _ => {}
            });
        let mut found = false;
        for (target, differs) in changed {
            if let Some(var) = self.root(target).filter(|_| differs) {
                found |= self.differing.insert(var);
            }
        }
        found
    }

    /// The variable that an assignment to an expression changes, with all of it.
    fn root(&self, id: ExprId) -> Option<VarId> {
        match self.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => Some(*var),
            // What a pointer points to is no part of it.
            Expr::Member { base, .. } | Expr::Swizzle { base, .. } | Expr::Index { base, .. } => {
                let types = &self.module.types;
                let is_pointer = types.as_pointer(self.function.exprs.ty(*base)).is_some();
                (!is_pointer).then(|| self.root(*base)).flatten()
            }
            _ => None,
        }
    }

    /// Whether nothing of a loop is left but copies of its body.
    fn is_unrolled_whole(&self, stmt: &Stmt) -> bool {
        let factor = loops::hints(stmt).and_then(|hints| loops::unroll_factor(hints).0);
        let trips = || trip_count(&Constants::new(self.module, self.function), stmt);
        factor.is_some_and(|factor| factor > 1 && trips().is_some_and(|trips| trips <= factor))
    }

    /// Whether work-items may go different ways at a statement.
    fn decides(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::If { cond, .. }
            | StmtKind::While { cond, .. }
            | StmtKind::DoWhile { cond, .. }
            | StmtKind::For {
                cond: Some(cond), ..
            }
            | StmtKind::Switch { value: cond, .. } => self.differs(*cond),
            _ => false,
        }
    }

    fn find(&self, stmts: &[Stmt], is_partial: bool) -> Option<Option<Span>> {
        let mut is_partial = is_partial;
        for stmt in stmts {
            let is_loop = loops::hints(stmt).is_some() && !self.is_unrolled_whole(stmt);
            let inside = is_partial || self.decides(stmt);
            if is_loop && (inside || leaves_early(stmt, self)) || inside && self.calls_loop(stmt) {
                return Some(stmt.span);
            }
            let mut lists = stmt.lists().into_iter();
            if let Some(found) = lists.find_map(|list| self.find(list, inside)) {
                return Some(found);
            }
            // Only some get to what follows.
            is_partial |= !is_loop && leaves_early(stmt, self);
        }
        None
    }

    /// The counter is the index of the next loop. `is_partial`: only some work-items get there.
    fn find_uniform(
        &self,
        stmts: &[Stmt],
        is_partial: bool,
        (next, uniform): (&mut usize, &mut BTreeSet<usize>),
    ) {
        let mut is_partial = is_partial;
        for stmt in stmts {
            let leaves = leaves_early(stmt, self);
            let differs = self.decides(stmt) && !faults::is_on("lockstep-apart");
            let inside = is_partial || leaves || differs;
            if loops::hints(stmt).is_some() {
                uniform.extend((!inside).then_some(*next));
                *next += 1;
            }
            // Work-items may reach what is in a loop that some of them leave early differently often.
            for list in stmt.lists() {
                self.find_uniform(list, inside, (next, uniform));
            }
            is_partial |= leaves;
        }
    }

    /// Whether a statement itself, those inside it not counted, calls a function with a loop.
    fn calls_loop(&self, stmt: &Stmt) -> bool {
        let exprs = &self.function.exprs;
        let mut called = Vec::new();
        for root in stmt.exprs() {
            exprs.for_each(root, &mut |id| {
                if let Expr::Call {
                    callee: Callee::Function(of),
                    ..
                } = exprs.get(id)
                {
                    called.push(*of);
                }
            });
        }
        let inside = reachable_from(self.module, called.clone());
        let mut bodies = called
            .iter()
            .chain(&inside)
            .filter_map(|of| self.module.functions[*of].body.as_ref());
        bodies.any(|body| body.stmts.iter().any(|stmt| loops::count(stmt) > 0))
    }
}

/// Whether some work-items may leave a loop by a jump inside it.
fn leaves_early(stmt: &Stmt, divergence: &Divergence<'_>) -> bool {
    let mut found = false;
    stmt.for_each(&mut |inside| {
        let jumps = |stmt: &Stmt| {
            matches!(
                stmt.kind,
                StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Goto(_)
            )
        };
        if !divergence.decides(inside) {
            return;
        }
        inside.for_each(&mut |stmt| found |= jumps(stmt));
    });
    found
}
