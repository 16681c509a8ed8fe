//! Statements and conditions that several parts of the pass write.

use fpgacc_frontend::ir::{BinaryOp, Block, ExprId, Stmt, StmtKind, VarId};

use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// The declaration of a variable.
pub fn declaration(var: VarId, init: Option<ExprId>) -> Stmt {
    match init {
        Some(value) => Stmt::define(var, value),
        None => Stmt::declare(var),
    }
}

/// `if (cond) { then } else { otherwise }`
pub fn branch(cond: ExprId, then: Vec<Stmt>, otherwise: Option<Vec<Stmt>>) -> Stmt {
    Stmt::new(StmtKind::If {
        cond,
        then: Block::of(then),
        otherwise: otherwise.map(Block::of),
    })
}

/// `for (int var = 0; var < bound; var++) { body }`
pub fn count(target: &mut Target<'_>, var: VarId, bound: ExprId, body: Vec<Stmt>) -> Stmt {
    target.function.count_to(target.types, var, bound, body)
}

/// `a && !b`; `true` for none. A mask implies those before it if it was taken under them.
pub fn conjunction(target: &mut Target<'_>, mask: &[(VarId, bool)]) -> ExprId {
    // A mask that holds implies all before it.
    let from = mask.iter().rposition(|(_, holds)| *holds).unwrap_or(0);
    let mut cond: Option<ExprId> = None;
    for &(var, holds) in &mask[from..] {
        let mut test = target.function.use_var(var);
        if !holds {
            test = target.not(test);
        }
        cond = Some(match cond {
            Some(before) => target.binary(BinaryOp::And, before, test),
            None => test,
        });
    }
    cond.unwrap_or_else(|| target.truth(true))
}
