//! What the first iteration of a loop is sure to evaluate.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Init, Stmt, StmtKind};

use super::loops;
use super::place::Places;
use super::trip_count::trip_count;

/// What the first iteration of a loop is sure to evaluate.
pub struct Sure {
    /// In its condition, if that comes first.
    pub in_cond: BTreeSet<ExprId>,
    /// In its body.
    pub in_body: BTreeSet<ExprId>,
}

impl Sure {
    /// Of a loop.
    pub fn of(places: &Places<'_>, stmt: &Stmt) -> Self {
        let mut sure = Sure {
            in_cond: BTreeSet::new(),
            in_body: BTreeSet::new(),
        };
        match &stmt.kind {
            StmtKind::For { cond, body, .. } => {
                cond.iter()
                    .for_each(|cond| always(places, *cond, &mut sure.in_cond));
                sure_stmts(places, &body.stmts, &mut sure.in_body);
            }
            StmtKind::While { cond, body, .. } => {
                always(places, *cond, &mut sure.in_cond);
                sure_stmts(places, &body.stmts, &mut sure.in_body);
            }
            StmtKind::DoWhile { body, .. } => {
                sure_stmts(places, &body.stmts, &mut sure.in_body);
            }
            _ => {}
        }
        sure
    }
}

/// Collects what is sure to be evaluated; whether the end of the list is sure to be reached.
fn sure_stmts(places: &Places<'_>, stmts: &[Stmt], found: &mut BTreeSet<ExprId>) -> bool {
    stmts.iter().all(|stmt| {
        sure_stmt(places, stmt, found);
        !loops::leaves(stmt, true, true)
    })
}

fn sure_stmt(places: &Places<'_>, stmt: &Stmt, found: &mut BTreeSet<ExprId>) {
    match &stmt.kind {
        StmtKind::Decl {
            init: Some(init), ..
        } => {
            let mut exprs = Vec::new();
            Init::exprs(init, &mut exprs);
            exprs.iter().for_each(|id| always(places, *id, found));
        }
        StmtKind::Expr(id) => always(places, *id, found),
        StmtKind::Block(block) => {
            sure_stmts(places, &block.stmts, found);
        }
        StmtKind::If { cond, .. } => always(places, *cond, found),
        StmtKind::While { cond, .. } => always(places, *cond, found),
        StmtKind::Switch { value, .. } => always(places, *value, found),
        StmtKind::DoWhile { body, .. } => {
            sure_stmts(places, &body.stmts, found);
        }
        StmtKind::For {
            init, cond, body, ..
        } => {
            sure_stmts(places, init, found);
            cond.iter().for_each(|cond| always(places, *cond, found));
            if cond.is_none() || trip_count(&places.constants, stmt).is_some_and(|n| n > 0) {
                sure_stmts(places, &body.stmts, found);
            }
        }
        _ => {}
    }
}

/// The parts of an expression that its evaluation is sure to reach.
fn always(places: &Places<'_>, id: ExprId, found: &mut BTreeSet<ExprId>) {
    found.insert(id);
    let exprs = &places.aliases.function.exprs;
    match exprs.get(id) {
        Expr::Binary {
            op: BinaryOp::And | BinaryOp::Or,
            lhs,
            ..
        } => always(places, *lhs, found),
        Expr::Cond { cond, .. } => always(places, *cond, found),
        Expr::SizeOf(_) => {}
        _ => {
            for child in exprs.children(id) {
                always(places, child, found);
            }
        }
    }
}
