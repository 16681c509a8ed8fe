//! Copies of statements, with variables of their own.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{CaseLabel, ExprId, Function, Init, Stmt, StmtKind, VarId};

/// A copy of a statement, to stand where the original is not seen. What it declares are variables of the same
/// names.
pub fn copy(function: &mut Function, stmt: &Stmt) -> Stmt {
    let mut copy = vec![stmt.clone()];
    copy_all(function, &mut copy, BTreeMap::new());
    copy.remove(0)
}

/// What copies have in place of what the originals have.
pub struct Copied {
    /// The variables that they declare, and those that were given.
    pub vars: BTreeMap<VarId, VarId>,
    /// Their expressions.
    pub exprs: BTreeMap<ExprId, ExprId>,
}

/// Makes copies of clones of statements, in which some variables have others in their places.
pub fn copy_all(
    function: &mut Function,
    stmts: &mut [Stmt],
    vars: BTreeMap<VarId, VarId>,
) -> Copied {
    let copied = Copied {
        vars,
        exprs: BTreeMap::new(),
    };
    let mut copier = Copier { function, copied };
    stmts.iter_mut().for_each(|stmt| copier.stmt(stmt));
    copier.copied
}

struct Copier<'a> {
    function: &'a mut Function,
    copied: Copied,
}

impl Copier<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Decl { var, init } => {
                let variable = self.function.vars[*var].clone();
                let own = self.function.vars.add(variable);
                self.copied.vars.insert(*var, own);
                *var = own;
                if let Some(init) = init {
                    self.init(init);
                }
            }
            StmtKind::Expr(id) | StmtKind::Return(Some(id)) => *id = self.expr(*id),
            StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => *cond = self.expr(*cond),
            StmtKind::Switch { value, arms } => {
                *value = self.expr(*value);
                for label in arms.iter_mut().flat_map(|arm| &mut arm.labels) {
                    self.label(label);
                }
            }
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

    fn label(&mut self, label: &mut CaseLabel) {
        match label {
            CaseLabel::Case(id) => *id = self.expr(*id),
            CaseLabel::Range(from, to) => {
                *from = self.expr(*from);
                *to = self.expr(*to);
            }
            CaseLabel::Default => {}
        }
    }

    fn init(&mut self, init: &mut Init) {
        init.map_exprs(&mut |id| self.expr(id));
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        let copy = self.function.exprs.duplicate(id);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let exprs = &self.function.exprs;
        exprs.for_each(id, &mut |id| before.push(id));
        exprs.for_each(copy, &mut |id| after.push(id));
        self.copied.exprs.extend(before.into_iter().zip(after));
        let to = &self.copied.vars;
        redirect_all(self.function, self.function.exprs.local_uses(copy), to);
        copy
    }
}

/// Points all uses of a variable in statements at another.
pub fn redirect(function: &mut Function, stmts: &[Stmt], from: VarId, to: VarId) {
    let to = BTreeMap::from([(from, to)]);
    for stmt in stmts {
        redirect_all(function, stmt.local_uses(&function.exprs), &to);
    }
}

/// Points those of some uses of variables that have others to go to at them.
pub fn redirect_all(
    function: &mut Function,
    uses: Vec<(ExprId, VarId)>,
    to: &BTreeMap<VarId, VarId>,
) {
    for (at, var) in uses {
        if let Some(own) = to.get(&var) {
            function.point_to(at, *own);
        }
    }
}
