//! Loops of all kinds as one.

use fpgacc_frontend::ir::{Block, ExprId, LoopHints, Stmt, StmtKind};
use fpgacc_frontend::source::Span;

/// A loop, split into regions.
pub struct Parts {
    /// Before the first iteration.
    pub init: Vec<Stmt>,
    /// None means true.
    pub cond: Option<ExprId>,
    /// After each iteration.
    pub step: Option<ExprId>,
    /// Its body.
    pub body: Vec<Stmt>,
    /// Pragmas and attributes.
    pub hints: LoopHints,
    /// The condition comes after the body: `do`.
    pub at_end: bool,
    /// Its position.
    pub span: Option<Span>,
}

impl Parts {
    /// Splits a loop into regions.
    pub fn of(stmt: Stmt) -> Parts {
        let span = stmt.span;
        let (init, cond, step, body, hints, at_end) = match stmt.kind {
            StmtKind::For {
                init,
                cond,
                step,
                body,
                hints,
            } => (init, cond, step, body, hints, false),
            StmtKind::While { cond, body, hints } => {
                (Vec::new(), Some(cond), None, body, hints, false)
            }
            StmtKind::DoWhile { body, cond, hints } => {
                (Vec::new(), Some(cond), None, body, hints, true)
            }
            other => {
                let body = Block::of(vec![Stmt::at(other, span)]);
                (Vec::new(), None, None, body, LoopHints::default(), true)
            }
        };
        Parts {
            init,
            cond,
            step,
            body: body.stmts,
            hints,
            at_end,
            span,
        }
    }

    /// Puts it together again.
    pub fn join(self) -> Stmt {
        let (body, hints) = (Block::of(self.body), self.hints);
        let kind = match (self.cond, self.at_end) {
            (Some(cond), true) => StmtKind::DoWhile { body, cond, hints },
            (Some(cond), false) if self.init.is_empty() && self.step.is_none() => {
                StmtKind::While { cond, body, hints }
            }
            _ => StmtKind::For {
                init: self.init,
                cond: self.cond,
                step: self.step,
                body,
                hints,
            },
        };
        Stmt::at(kind, self.span)
    }
}
