//! Writing registers that go from one iteration to the next.

use fpgacc_frontend::ir::{
    Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;

use super::legality::Forwarded;
use crate::around_loop::{self, Names, Plan, Rewrite, declare, private_variable};

/// Carries out a plan.
pub fn apply(module: &mut Module, id: FunctionId, plan: &Plan<Forwarded>) {
    let names = Names::of(module, id);
    let function = &mut module.functions[id];
    around_loop::apply(&mut Writer { function, names }, plan);
}

struct Writer<'a> {
    function: &'a mut Function,
    names: Names,
}

impl Rewrite for Writer<'_> {
    type Kept = Forwarded;

    const NESTED: bool = false;

    fn function(&mut self) -> &mut Function {
        self.function
    }

    fn rewrite(&mut self, stmt: &mut Stmt, all: &[Forwarded]) -> [Vec<Stmt>; 2] {
        let mut before = Vec::new();
        // All are copied before any is replaced: one may be a part of another's address.
        for forwarded in all {
            let value = self.before(forwarded, forwarded.first);
            before.push(value);
        }
        let mut registers = Vec::new();
        for (forwarded, value) in all.iter().zip(&mut before) {
            let ty = self.function.exprs.ty(forwarded.first);
            let register = self.variable(forwarded, "before", ty);
            registers.push(register);
            *value = match value.kind {
                StmtKind::Expr(read) => declare(register, read),
                _ => continue,
            };
        }
        let StmtKind::For { body, .. } = &mut stmt.kind else {
            return [before, Vec::new()];
        };
        let mut last = Vec::new();
        for (forwarded, &register) in all.iter().zip(&registers) {
            let Some(at) = body.stmts.iter().position(
                |stmt| matches!(stmt.kind, StmtKind::Expr(store) if store == forwarded.store),
            ) else {
                continue;
            };
            let Expr::Assign { lhs, rhs, .. } = *self.function.exprs.get(forwarded.store) else {
                continue;
            };
            let ty = self.function.exprs.ty(lhs);
            for &read in &forwarded.reads {
                let value = Expr::Var(VarRef::Local(register));
                self.function.exprs.replace(read, value, ty);
            }
            let new = self.variable(forwarded, "new", ty);
            let value = self.function.use_var(new);
            let store = self.function.exprs.assign(None, lhs, value);
            let span = body.stmts[at].span;
            let store = Stmt::at(StmtKind::Expr(store), span);
            body.stmts.splice(at..=at, [declare(new, rhs), store]);
            if !faults::is_on("forward-forgotten") {
                let value = self.function.use_var(new);
                last.push(self.function.assign_var(register, value));
            }
        }
        body.stmts.extend(last);
        [before, Vec::new()]
    }
}

impl Writer<'_> {
    fn variable(
        &mut self,
        forwarded: &Forwarded,
        what: &str,
        ty: fpgacc_frontend::ir::TypeId,
    ) -> VarId {
        let array = &self.function.vars[forwarded.array].name;
        let name = self.names.fresh(&format!("{array}_{what}"));
        private_variable(self.function, name, ty)
    }

    /// What the first iteration reads, as it is before the loop.
    fn before(&mut self, forwarded: &Forwarded, read: ExprId) -> Stmt {
        let read = self.function.exprs.duplicate(read);
        self.expand(forwarded, read);
        Stmt::new(StmtKind::Expr(read))
    }

    /// Puts values in place of what only the loop knows.
    fn expand(&mut self, forwarded: &Forwarded, root: ExprId) {
        let (counter, start) = forwarded.start;
        let value = |var: VarId| match var == counter {
            true => Some(start),
            false => {
                let mut fixed = forwarded.fixed.iter();
                fixed.find(|(own, _)| *own == var).map(|(_, value)| *value)
            }
        };
        let mut slots = Vec::new();
        self.function.exprs.for_each(root, &mut |id| {
            if let Expr::Var(VarRef::Local(var)) = self.function.exprs.get(id)
                && let Some(value) = value(*var)
            {
                slots.push((id, *var, value));
            }
        });
        for (slot, var, value) in slots {
            let ty = self.function.vars[var].ty.ty;
            let mut copy = self.function.exprs.duplicate(value);
            if var != counter {
                self.expand(forwarded, copy);
            }
            if self.function.exprs.ty(copy) != ty {
                copy = self.function.exprs.cast(ty, copy);
            }
            let expr = self.function.exprs.get(copy).clone();
            self.function.exprs.replace(slot, expr, ty);
        }
    }
}
