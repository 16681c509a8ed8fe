//! Which functions give all work-items of a group the same for the same arguments, and do nothing
//! else.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Function, FunctionId, Module, Qualifiers, Stmt,
    StmtKind, UnaryOp, VarRef,
};
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::work_item;

/// What is known of the functions that a kernel calls.
#[derive(Debug, Default)]
pub struct Callees {
    /// They only compute, of what is the same for a whole group.
    uniform: BTreeSet<FunctionId>,
    /// Of these, the ones that a group may call although no work-item would: they look at no memory,
    /// and cannot trap or run for long.
    harmless: BTreeSet<FunctionId>,
}

impl Callees {
    /// Looks at all functions that `stmts` of `function` call, directly or not. `is_uniform_query` says
    /// of which work-item functions a whole group gets the same.
    pub fn of(
        module: &Module,
        function: &Function,
        stmts: &[Stmt],
        is_uniform_query: &dyn Fn(work_item::Query) -> bool,
    ) -> Self {
        let mut all = BTreeSet::new();
        for (_, callee) in calls::calls_in(function, stmts) {
            if all.insert(callee) {
                all.extend(calls::reachable(module, callee));
            }
        }
        let mut callees = Callees {
            uniform: all.clone(),
            harmless: all,
        };
        // By assuming the best and taking back; a function is no better than what it calls.
        loop {
            let before = (callees.uniform.len(), callees.harmless.len());
            for id in callees.uniform.clone() {
                let (uniform, harmless) = callees.look(module, id, is_uniform_query);
                if !uniform {
                    callees.uniform.remove(&id);
                }
                if !uniform || !harmless {
                    callees.harmless.remove(&id);
                }
            }
            if before == (callees.uniform.len(), callees.harmless.len()) {
                return callees;
            }
        }
    }

    /// Whether a call with the same arguments gives the same to a whole group.
    pub fn is_uniform(&self, id: FunctionId) -> bool {
        self.uniform.contains(&id)
    }

    /// Whether a group may call a function for nobody.
    pub fn is_harmless(&self, id: FunctionId) -> bool {
        self.harmless.contains(&id)
    }

    fn look(
        &self,
        module: &Module,
        id: FunctionId,
        is_uniform_query: &dyn Fn(work_item::Query) -> bool,
    ) -> (bool, bool) {
        let function = &module.functions[id];
        let Some(body) = &function.body else {
            return (false, false);
        };
        let mut uniform = !function.is_kernel;
        let mut harmless = true;
        body.for_each_stmt(&mut |stmt| match &stmt.kind {
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                harmless = false;
            }
            StmtKind::Goto(_) | StmtKind::Label(_) => uniform = false,
            StmtKind::Decl { var, .. } => {
                uniform &= function.vars[*var].space != AddressSpace::Local;
            }
            _ => {}
        });
        body.for_each_expr(&function.exprs, &mut |expr| {
            let (is_uniform, is_harmless) = self.expr(module, function, expr, is_uniform_query);
            uniform &= is_uniform;
            harmless &= is_harmless;
        });
        (uniform, harmless)
    }

    fn expr(
        &self,
        module: &Module,
        function: &Function,
        id: ExprId,
        is_uniform_query: &dyn Fn(work_item::Query) -> bool,
    ) -> (bool, bool) {
        let exprs = &function.exprs;
        match exprs.get(id) {
            Expr::Assign {
                lhs: location, op, ..
            } => {
                let divides = matches!(op, Some(BinaryOp::Div | BinaryOp::Rem));
                (is_own(module, function, *location), !divides)
            }
            Expr::IncDec { operand, .. } => (is_own(module, function, *operand), true),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                ..
            } => (false, true),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand: base,
            }
            | Expr::Index { base, .. }
            | Expr::Member {
                base, arrow: true, ..
            } => {
                if module.types.as_array(exprs.ty(*base)).is_some() {
                    return (true, false);
                }
                (is_steady_memory(module, function, *base), false)
            }
            Expr::Var(VarRef::Global(global)) => {
                let variable = &module.globals[*global].variable;
                let constant = variable.space == AddressSpace::Constant;
                (constant, constant)
            }
            Expr::Binary {
                op: BinaryOp::Div | BinaryOp::Rem,
                ..
            } => (true, false),
            Expr::Call {
                callee: Callee::Function(callee),
                ..
            } => (self.is_uniform(*callee), self.is_harmless(*callee)),
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } => {
                if let Some(query) = work_item::query(module, function, id) {
                    return (is_uniform_query(query), true);
                }
                let computes = calls::builtin_computes(module, function, name, args);
                (computes, true)
            }
            _ => (true, true),
        }
    }
}

/// A location in the function's own variables.
fn is_own(module: &Module, function: &Function, location: ExprId) -> bool {
    let exprs = &function.exprs;
    match exprs.get(location) {
        Expr::Var(VarRef::Local(var)) => {
            function.vars[*var].space == AddressSpace::Private
                && function.vars[*var].storage == fpgacc_frontend::ir::Storage::None
        }
        Expr::Index { base, .. } => {
            module.types.as_array(exprs.ty(*base)).is_some() && is_own(module, function, *base)
        }
        Expr::Member {
            base, arrow: false, ..
        }
        | Expr::Swizzle { base, .. } => is_own(module, function, *base),
        _ => false,
    }
}

/// Memory that a whole group shares, read through a pointer.
fn is_steady_memory(module: &Module, function: &Function, base: ExprId) -> bool {
    let pointer = module.types.as_pointer(function.exprs.ty(base));
    pointer.is_some_and(|(to, space)| {
        matches!(
            space,
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local
        ) && !to.quals.contains(Qualifiers::VOLATILE)
    })
}
