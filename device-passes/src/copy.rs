//! Copies of statements, with variables of their own.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Expr, ExprId, Function, Init, Stmt, StmtKind, VarId, VarRef};

/// A copy of a statement, to stand where the original is not seen. What it declares are variables of the same
/// names.
pub fn copy(function: &mut Function, stmt: &Stmt) -> Stmt {
    let mut copy = stmt.clone();
    let mut copier = Copier {
        function,
        own: BTreeMap::new(),
    };
    copier.stmt(&mut copy);
    copy
}

struct Copier<'a> {
    function: &'a mut Function,
    /// The variables of the copy, by those of the original.
    own: BTreeMap<VarId, VarId>,
}

impl Copier<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Decl { var, init } => {
                let variable = self.function.vars[*var].clone();
                let own = self.function.vars.add(variable);
                self.own.insert(*var, own);
                *var = own;
                if let Some(init) = init {
                    self.init(init);
                }
            }
            StmtKind::Expr(id) | StmtKind::Return(Some(id)) => *id = self.expr(*id),
            StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => *cond = self.expr(*cond),
            StmtKind::Switch { value, .. } => *value = self.expr(*value),
            _ => {}
        }
        // What a loop declares is seen in its condition.
        for list in stmt.lists_mut() {
            list.iter_mut().for_each(|stmt| self.stmt(stmt));
        }
        match &mut stmt.kind {
            StmtKind::For { cond, step, .. } => {
                for id in cond.iter_mut().chain(step) {
                    *id = self.expr(*id);
                }
            }
            StmtKind::DoWhile { cond, .. } => *cond = self.expr(*cond),
            _ => {}
        }
    }

    fn init(&mut self, init: &mut Init) {
        init.map_exprs(&mut |id| self.expr(id));
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        let copy = self.function.exprs.duplicate(id);
        let mut slots = Vec::new();
        self.function.exprs.for_each(copy, &mut |id| {
            if let Expr::Var(VarRef::Local(var)) = self.function.exprs.get(id)
                && let Some(own) = self.own.get(var)
            {
                slots.push((id, *own));
            }
        });
        for (slot, own) in slots {
            let ty = self.function.exprs.ty(slot);
            let var = Expr::Var(VarRef::Local(own));
            self.function.exprs.replace(slot, var, ty);
        }
        copy
    }
}
