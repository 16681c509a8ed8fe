//! Copies of a function's statements in another function.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    Arm, Block, CaseLabel, Expr, ExprId, Function, Init, Stmt, StmtKind, VarId, VarRef,
};

use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// What stands for a variable of the function that is copied.
#[derive(Clone, Copy, Debug)]
pub enum Stand {
    /// A variable.
    Var(VarId),
    /// A copy of an expression wherever it is used.
    Expr(ExprId),
}

/// Copies from one function to another.
pub struct Import<'i, 't> {
    /// Where to.
    pub target: &'i mut Target<'t>,
    /// Where from.
    pub from: &'i Function,
    /// What stands for the variables; those that are not here are copied when they are met.
    pub vars: BTreeMap<VarId, Stand>,
}

impl Import<'_, '_> {
    fn var(&mut self, var: VarId) -> Stand {
        if let Some(stand) = self.vars.get(&var) {
            return *stand;
        }
        let mut copy = self.from.vars[var].clone();
        copy.name = self
            .target
            .function
            .fresh_name(&copy.name, self.target.taken);
        let stand = Stand::Var(self.target.function.vars.add(copy));
        self.vars.insert(var, stand);
        stand
    }

    /// A copy of an expression.
    pub fn expr(&mut self, id: ExprId) -> ExprId {
        let mut expr = self.from.exprs.get(id).clone();
        let (mut ty, span) = (self.from.exprs.ty(id), self.from.exprs.span(id));
        if let Expr::Var(VarRef::Local(var)) = expr {
            match self.var(var) {
                Stand::Expr(value) => return self.target.function.exprs.duplicate(value),
                Stand::Var(var) => {
                    expr = Expr::Var(VarRef::Local(var));
                    ty = self.target.function.vars[var].ty.ty;
                }
            }
        }
        expr.map_operands(&mut |operand| self.expr(operand));
        self.target.function.exprs.add(expr, ty, span)
    }

    fn init(&mut self, init: &Init) -> Init {
        let mut copy = init.clone();
        copy.map_exprs(&mut |value| self.expr(value));
        copy
    }

    /// Copies of statements.
    pub fn stmts(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn block(&mut self, block: &Block) -> Block {
        Block::of(self.stmts(&block.stmts))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let kind = match &stmt.kind {
            StmtKind::Decl { var, init } => {
                let var = match self.var(*var) {
                    Stand::Var(var) => var,
                    Stand::Expr(_) => unreachable!("only parameters are replaced by expressions"),
                };
                StmtKind::Decl {
                    var,
                    init: init.as_ref().map(|init| self.init(init)),
                }
            }
            StmtKind::Expr(expr) => StmtKind::Expr(self.expr(*expr)),
            StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => StmtKind::If {
                cond: self.expr(*cond),
                then: self.block(then),
                otherwise: otherwise.as_ref().map(|block| self.block(block)),
            },
            StmtKind::For {
                init,
                cond,
                step,
                body,
                hints,
            } => StmtKind::For {
                init: self.stmts(init),
                cond: cond.map(|cond| self.expr(cond)),
                step: step.map(|step| self.expr(step)),
                body: self.block(body),
                hints: hints.clone(),
            },
            StmtKind::While { cond, body, hints } => StmtKind::While {
                cond: self.expr(*cond),
                body: self.block(body),
                hints: hints.clone(),
            },
            StmtKind::DoWhile { body, cond, hints } => StmtKind::DoWhile {
                body: self.block(body),
                cond: self.expr(*cond),
                hints: hints.clone(),
            },
            StmtKind::Switch { value, arms } => StmtKind::Switch {
                value: self.expr(*value),
                arms: arms.iter().map(|arm| self.arm(arm)).collect(),
            },
            StmtKind::Return(value) => StmtKind::Return(value.map(|value| self.expr(value))),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Pragma(_)
            | StmtKind::Comment(_) => stmt.kind.clone(),
        };
        Stmt::at(kind, stmt.span)
    }

    fn arm(&mut self, arm: &Arm) -> Arm {
        let labels = arm.labels.iter().map(|label| match label {
            CaseLabel::Case(value) => CaseLabel::Case(self.expr(*value)),
            CaseLabel::Range(from, to) => CaseLabel::Range(self.expr(*from), self.expr(*to)),
            CaseLabel::Default => CaseLabel::Default,
        });
        Arm {
            labels: labels.collect(),
            body: self.stmts(&arm.body),
        }
    }
}
