//! Conditions that keep an iteration from doing anything: hosts round global sizes up to whole work-groups, and kernels
//! leave out what lies beyond the data (`if (x >= w || y >= h) return;`).

use fpgacc_frontend::ir::{Block, ExprId, Function, Init, Stmt, StmtKind};

/// A condition at the head of a body.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// It.
    pub cond: ExprId,
    /// The iteration does something where it is this.
    pub passes: bool,
}

impl Guard {
    /// The condition of a body before which it only computes values of its own.
    pub fn of(function: &Function, body: &[Stmt]) -> Option<Self> {
        let mut stmts = body.iter().filter(|stmt| !stmt.is_comment());
        let first = stmts.find(|stmt| !is_value(function, stmt))?;
        let StmtKind::If {
            cond,
            then,
            otherwise: None,
        } = &first.kind
        else {
            return None;
        };
        let passes = match &then.stmts[..] {
            [only] if matches!(only.kind, StmtKind::Continue) => false,
            _ if stmts.next().is_none() => true,
            _ => return None,
        };
        (!function.exprs.has_effects(*cond)).then_some(Guard {
            cond: *cond,
            passes,
        })
    }

    /// A body for iterations of which all do something.
    pub fn removed(self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut all = Vec::new();
        for stmt in body {
            match stmt.kind {
                StmtKind::If { cond, .. } if cond == self.cond && !self.passes => {}
                StmtKind::If { cond, then, .. } if cond == self.cond => {
                    all.push(Stmt::new(StmtKind::Block(Block::of(then.stmts))));
                }
                _ => all.push(stmt),
            }
        }
        all
    }
}

/// Whether a statement does nothing but give a variable that it declares a value.
fn is_value(function: &Function, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Decl { init: None, .. } => true,
        StmtKind::Decl {
            init: Some(Init::Expr(value)),
            ..
        } => !function.exprs.has_effects(*value),
        _ => false,
    }
}
