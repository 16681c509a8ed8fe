//! What the first iteration of a loop is sure to evaluate.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Init, Stmt, StmtKind};

use super::location::Locations;
use super::loops;
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
    pub fn of(locations: &Locations<'_>, stmt: &Stmt) -> Self {
        let mut sure = Sure {
            in_cond: BTreeSet::new(),
            in_body: BTreeSet::new(),
        };
        match &stmt.kind {
            StmtKind::For { cond, body, .. } => {
                cond.iter()
                    .for_each(|cond| always(locations, *cond, &mut sure.in_cond));
                sure_stmts(locations, &body.stmts, &mut sure.in_body);
            }
            StmtKind::While { cond, body, .. } => {
                always(locations, *cond, &mut sure.in_cond);
                sure_stmts(locations, &body.stmts, &mut sure.in_body);
            }
            StmtKind::DoWhile { body, .. } => {
                sure_stmts(locations, &body.stmts, &mut sure.in_body);
            }
            _ => {}
        }
        sure
    }
}

/// Collects what is sure to be evaluated; whether the end of the list is sure to be reached.
fn sure_stmts(locations: &Locations<'_>, stmts: &[Stmt], found: &mut BTreeSet<ExprId>) -> bool {
    stmts.iter().all(|stmt| {
        sure_stmt(locations, stmt, found);
        !loops::leaves(stmt, true, true)
    })
}

fn sure_stmt(locations: &Locations<'_>, stmt: &Stmt, found: &mut BTreeSet<ExprId>) {
    match &stmt.kind {
        StmtKind::Decl {
            init: Some(init), ..
        } => {
            let mut exprs = Vec::new();
            Init::exprs(init, &mut exprs);
            exprs.iter().for_each(|id| always(locations, *id, found));
        }
        StmtKind::Expr(id) => always(locations, *id, found),
        StmtKind::Block(block) => {
            sure_stmts(locations, &block.stmts, found);
        }
        StmtKind::If { cond, .. } => always(locations, *cond, found),
        StmtKind::While { cond, .. } => always(locations, *cond, found),
        StmtKind::Switch { value, .. } => always(locations, *value, found),
        StmtKind::DoWhile { body, .. } => {
            sure_stmts(locations, &body.stmts, found);
        }
        StmtKind::For {
            init, cond, body, ..
        } => {
            sure_stmts(locations, init, found);
            cond.iter().for_each(|cond| always(locations, *cond, found));
            if cond.is_none() || trip_count(&locations.constants, stmt).is_some_and(|n| n > 0) {
                sure_stmts(locations, &body.stmts, found);
            }
        }
        _ => {}
    }
}

/// The parts of an expression that its evaluation is sure to reach.
fn always(locations: &Locations<'_>, id: ExprId, found: &mut BTreeSet<ExprId>) {
    found.insert(id);
    let exprs = &locations.aliases.function.exprs;
    match exprs.get(id) {
        Expr::Binary {
            op: BinaryOp::And | BinaryOp::Or,
            lhs,
            ..
        } => always(locations, *lhs, found),
        Expr::Cond { cond, .. } => always(locations, *cond, found),
        Expr::SizeOf(_) => {}
        _ => {
            for child in exprs.children(id) {
                always(locations, child, found);
            }
        }
    }
}
