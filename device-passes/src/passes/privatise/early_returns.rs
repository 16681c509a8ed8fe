//! Work-items that leave a kernel before its end.

use fpgacc_frontend::ir::{ExprId, Stmt, StmtKind};
use fpgacc_kernel_analysis::loops::returns;

/// Whether work-items leave a kernel nowhere but where `if (..) return;` stands among its own statements.
pub fn can_stay(stmts: &[Stmt]) -> bool {
    stmts
        .iter()
        .all(|stmt| leaves(stmt).is_some() || !returns(stmt))
}

/// The condition under which a statement leaves the kernel, if it does nothing else.
pub fn leaves(stmt: &Stmt) -> Option<ExprId> {
    let StmtKind::If {
        cond,
        then,
        otherwise: None,
    } = &stmt.kind
    else {
        return None;
    };
    let (last, before) = then.stmts.split_last()?;
    let is_plain = !before.iter().any(returns);
    (matches!(last.kind, StmtKind::Return(None)) && is_plain).then_some(*cond)
}
