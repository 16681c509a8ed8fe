//! Writing registers that go from one iteration to the next.

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, Types, VarId,
};
use fpgacc_kernel_analysis::faults;

use super::legality::Forwarded;
use crate::around_loop::{self, Names, Plan, Rewrite, private_variable};

/// Carries out a plan.
pub fn apply(module: &mut Module, id: FunctionId, plan: &Plan<Forwarded>) {
    around_loop::apply(module, id, plan, |function, types, names| Writer {
        function,
        types,
        names,
    });
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    names: Names,
}

impl Rewrite for Writer<'_> {
    type Kept = Forwarded;

    const NESTED: bool = false;

    fn function(&mut self) -> &mut Function {
        self.function
    }

    fn rewrite(&mut self, stmt: &mut Stmt, all: &[Forwarded]) -> [Vec<Stmt>; 2] {
        // All are copied before any is replaced: one may be a part of another's address.
        let firsts: Vec<Vec<ExprId>> = all.iter().map(|one| self.firsts(one)).collect();
        let mut before = Vec::new();
        let mut chains = Vec::new();
        for (forwarded, firsts) in all.iter().zip(firsts) {
            let ty = self.function.exprs.ty(forwarded.first);
            let names = firsts
                .iter()
                .map(|_| self.variable(forwarded, "before", ty));
            let chain: Vec<VarId> = names.collect();
            before.extend(
                chain
                    .iter()
                    .zip(firsts)
                    .map(|(var, value)| Stmt::define(*var, value)),
            );
            chains.push(chain);
        }
        let StmtKind::For { body, .. } = &mut stmt.kind else {
            return [before, Vec::new()];
        };
        let mut last = Vec::new();
        for (forwarded, chain) in all.iter().zip(&chains) {
            if let Some(new) = self.keep(forwarded, chain, &mut body.stmts) {
                self.shift(chain, new, &mut last);
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

    /// Reads a chain's registers in place of memory, and keeps what is stored in a variable, which it returns.
    fn keep(
        &mut self,
        forwarded: &Forwarded,
        chain: &[VarId],
        stmts: &mut Vec<Stmt>,
    ) -> Option<VarId> {
        let at = stmts.iter().position(
            |stmt| matches!(stmt.kind, StmtKind::Expr(store) if store == forwarded.store),
        )?;
        let Expr::Assign { lhs, rhs, .. } = *self.function.exprs.get(forwarded.store) else {
            return None;
        };
        let ty = self.function.exprs.ty(lhs);
        for &(read, distance) in &forwarded.reads {
            self.function.point_to(read, chain[distance - 1]);
        }
        let new = self.variable(forwarded, "new", ty);
        let value = self.function.use_var(new);
        let store = self.function.exprs.assign(None, lhs, value);
        let span = stmts[at].span;
        let store = Stmt::at(StmtKind::Expr(store), span);
        stmts.splice(at..=at, [Stmt::define(new, rhs), store]);
        Some(new)
    }

    /// Moves the values of a chain on by one iteration, oldest first.
    fn shift(&mut self, chain: &[VarId], new: VarId, last: &mut Vec<Stmt>) {
        let forgotten = match () {
            () if faults::is_on("forward-forgotten") => Some(0),
            () if faults::is_on("forward-chain-short") => Some(1),
            () => None,
        };
        for at in (0..chain.len()).rev() {
            if forgotten == Some(at) {
                continue;
            }
            let from = at.checked_sub(1).map_or(new, |newer| chain[newer]);
            let value = self.function.use_var(from);
            last.push(self.function.assign_var(chain[at], value));
        }
    }

    /// What a chain holds before the loop, newest first.
    ///
    /// Of elements that nobody is sure to read it reads only such as lie between what the first iteration
    /// reads and what it stores, which are elements of the same array.
    fn firsts(&mut self, forwarded: &Forwarded) -> Vec<ExprId> {
        let depth = forwarded.depth;
        let newest_first = 1..=depth;
        newest_first
            .map(|distance| {
                let read = self.function.exprs.duplicate(forwarded.first);
                self.expand(forwarded, read);
                let later = (depth - distance) as i128;
                self.moved_on(read, forwarded, later * forwarded.moves)
            })
            .collect()
    }

    /// The element that is some elements after another.
    fn moved_on(&mut self, read: ExprId, forwarded: &Forwarded, by: i128) -> ExprId {
        let Expr::Index { base, index } = *self.function.exprs.get(read) else {
            return read;
        };
        if by == 0 {
            return read;
        }
        let exprs = &mut self.function.exprs;
        // The sum is between two indices of which each fits its type: in the wider type it fits.
        let wider = match forwarded.index {
            Some(ty) if exprs.ty(index) != ty => exprs.cast(ty, index),
            _ => index,
        };
        let (op, by) = match by > 0 {
            true => (BinaryOp::Add, by),
            false => (BinaryOp::Sub, -by),
        };
        let by = exprs.int(self.types, by as i64);
        let index = exprs.binary(self.types, op, wider, by);
        exprs.index(self.types, base, index)
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
        for (slot, var) in self.function.exprs.local_uses(root) {
            let Some(value) = value(var) else { continue };
            self.function.put_value(slot, value);
            if var != counter {
                self.expand(forwarded, slot);
            }
        }
    }
}
