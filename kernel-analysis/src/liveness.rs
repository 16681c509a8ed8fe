//! Which values a list of statements needs from before, and which it surely replaces.

use fpgacc_frontend::ir::{ExprId, Function, Stmt, StmtKind, Types, VarId};

use super::variables::{Access, accesses};

/// What statements do to the value that a variable has before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// It may be read before it is overwritten.
    pub reads_first: bool,
    /// It is overwritten on every way through.
    pub overwrites: bool,
    /// It may be overwritten.
    pub may_write: bool,
}

impl Flow {
    fn then(&mut self, next: Flow) {
        self.reads_first |= next.reads_first && !self.overwrites;
        self.overwrites |= next.overwrites;
        self.may_write |= next.may_write;
    }

    /// What may be skipped or repeated.
    fn maybe(self) -> Flow {
        Flow {
            overwrites: false,
            ..self
        }
    }

    fn either(self, other: Flow) -> Flow {
        Flow {
            reads_first: self.reads_first || other.reads_first,
            overwrites: self.overwrites && other.overwrites,
            may_write: self.may_write || other.may_write,
        }
    }
}

/// What `stmts` do to the value of `var`.
pub fn flow<'s>(
    types: &Types,
    function: &Function,
    stmts: impl IntoIterator<Item = &'s Stmt>,
    var: VarId,
) -> Flow {
    let flow = Flows {
        types,
        function,
        var,
    };
    flow.list(stmts)
}

struct Flows<'a> {
    types: &'a Types,
    function: &'a Function,
    var: VarId,
}

impl Flows<'_> {
    fn list<'s>(&self, stmts: impl IntoIterator<Item = &'s Stmt>) -> Flow {
        let mut flow = Flow::default();
        for stmt in stmts {
            flow.then(self.stmt(stmt));
        }
        flow
    }

    fn expr(&self, id: ExprId) -> Flow {
        let mut flow = Flow::default();
        let visit = &mut |var, access: Access, conditional: bool| {
            if var != self.var {
                return;
            }
            let own = Flow {
                reads_first: !matches!(access, Access::Write | Access::Named),
                overwrites: matches!(access, Access::Write | Access::Update),
                may_write: access.may_write(),
            };
            flow.then(if conditional { own.maybe() } else { own });
        };
        accesses(self.types, &self.function.exprs, id, visit);
        flow
    }

    fn exprs(&self, ids: impl IntoIterator<Item = ExprId>) -> Flow {
        let mut flow = Flow::default();
        for id in ids {
            flow.then(self.expr(id));
        }
        flow
    }

    fn stmt(&self, stmt: &Stmt) -> Flow {
        match &stmt.kind {
            StmtKind::Decl { var, init } => {
                let mut flow = self.exprs(stmt.exprs());
                if *var == self.var {
                    flow.then(Flow {
                        overwrites: true,
                        may_write: init.is_some(),
                        ..Flow::default()
                    });
                }
                flow
            }
            StmtKind::Block(block) => self.list(&block.stmts),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let mut flow = self.expr(*cond);
                let other = otherwise.as_ref().map(|block| self.list(&block.stmts));
                flow.then(self.list(&then.stmts).either(other.unwrap_or_default()));
                flow
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => {
                let mut flow = self.list(init);
                flow.then(self.exprs(*cond));
                flow.then(self.list(&body.stmts).maybe());
                flow.then(self.exprs(*step).maybe());
                flow
            }
            StmtKind::While { cond, body, .. } => {
                let mut flow = self.expr(*cond);
                flow.then(self.list(&body.stmts).maybe());
                flow
            }
            StmtKind::DoWhile { body, cond, .. } => {
                // A `break` or `continue` may skip the rest of the body.
                let mut flow = self.list(&body.stmts).maybe();
                flow.then(self.expr(*cond).maybe());
                flow
            }
            StmtKind::Switch { value, arms } => {
                let mut flow = self.expr(*value);
                for arm in arms {
                    flow.then(self.list(&arm.body).maybe());
                }
                flow
            }
            _ => self.exprs(stmt.exprs()),
        }
    }
}
