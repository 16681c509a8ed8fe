//! Returns of some lanes only become branches around what follows.

use fpgacc_frontend::ir::{Block, Stmt, StmtKind};

use crate::passes::ndrange_to_loop::work_items::ids::Target;
use crate::passes::vectorise::emitter::Emitter;
use crate::passes::vectorise::shapes::Shapes;

/// Of `if (c) return; rest` makes `if (!c) { rest }`, where lanes differ in `c`. Gives whether there was
/// one.
pub fn into_branches(target: &mut Target<'_>, shapes: &Shapes, stmts: &mut Vec<Stmt>) -> bool {
    let Some(at) = stmts.iter().position(|stmt| returns_early(shapes, stmt)) else {
        return false;
    };
    let mut rest = stmts.split_off(at + 1);
    into_branches(target, shapes, &mut rest);
    let Some(stmt) = stmts.last_mut() else {
        return false;
    };
    if let StmtKind::If {
        cond,
        then,
        otherwise,
    } = &mut stmt.kind
    {
        then.stmts.pop();
        match then.stmts.is_empty() {
            true => {
                *cond = Emitter::negated(target, *cond);
                then.stmts = rest;
            }
            false => *otherwise = Some(Block::of(rest)),
        }
    }
    true
}

/// Whether a statement is a branch that some lanes may take, with nothing but a return at its end.
fn returns_early(shapes: &Shapes, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If {
            cond,
            then,
            otherwise: None,
        } if !shapes.is_uniform(*cond) => {
            matches!(
                then.stmts.last().map(|stmt| &stmt.kind),
                Some(StmtKind::Return(None))
            )
        }
        _ => false,
    }
}
