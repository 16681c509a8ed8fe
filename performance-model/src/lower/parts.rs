//! The parts of loops of all kinds.

use fpgacc_frontend::ir::{Block, ExprId, LoopHints, Stmt, StmtKind};
use fpgacc_kernel_analysis::loops::leaves;

/// The parts of a loop.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub stmt: &'a Stmt,
    pub init: &'a [Stmt],
    pub cond: Option<ExprId>,
    pub step: Option<ExprId>,
    pub body: &'a Block,
    pub hints: &'a LoopHints,
    /// The condition stands at the end.
    pub is_do: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn of(stmt: &'a Stmt) -> Option<Self> {
        Some(match &stmt.kind {
            StmtKind::For {
                init,
                cond,
                step,
                body,
                hints,
            } => Parts {
                stmt,
                init,
                cond: *cond,
                step: *step,
                body,
                hints,
                is_do: false,
            },
            StmtKind::While { cond, body, hints } | StmtKind::DoWhile { body, cond, hints } => {
                Parts {
                    stmt,
                    init: &[],
                    cond: Some(*cond),
                    step: None,
                    body,
                    hints,
                    is_do: matches!(stmt.kind, StmtKind::DoWhile { .. }),
                }
            }
            _ => return None,
        })
    }
}

/// Whether an iteration may end the loop other than by its condition.
pub(super) fn leaves_early(body: &Block) -> bool {
    body.stmts.iter().any(|stmt| leaves(stmt, true, false))
}

/// Whether control may leave the kernel in a loop.
pub(super) fn returns(body: &Block) -> bool {
    fn is_return(stmt: &Stmt) -> bool {
        let mut inner = stmt.lists().into_iter().flatten();
        matches!(stmt.kind, StmtKind::Return(_)) || inner.any(is_return)
    }
    body.stmts.iter().any(is_return)
}
