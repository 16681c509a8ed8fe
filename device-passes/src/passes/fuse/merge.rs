//! One loop of two.

use fpgacc_frontend::ir::{FunctionId, Module, Stmt, StmtKind, VarId};

use super::candidates::Pair;
use super::names::{Parts, separate};
use crate::copy::redirect;
use crate::pass::Context;
use crate::position::list_mut;

/// A loop that was two.
pub struct Merged {
    /// Statements of its body that were the first one's.
    pub first: usize,
    /// The pragmas that both had.
    pub pragmas: [Vec<String>; 2],
}

/// Makes one loop of two that run equally often; what stands between comes before it.
pub fn merge(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    pair: &Pair,
    counters: [VarId; 2],
) -> Option<Merged> {
    let stmts = list_mut(&mut module.functions[kernel], &pair.path)?;
    let mut taken: Vec<Stmt> = stmts.drain(pair.first..=pair.second).collect();
    let mut second = taken.pop()?;
    let mut first = taken.remove(0);
    let (
        StmtKind::For { body, hints, .. },
        StmtKind::For {
            body: other,
            hints: others,
            ..
        },
    ) = (&mut first.kind, &mut second.kind)
    else {
        return None;
    };
    let parts = Parts {
        counters,
        bodies: [&mut body.stmts, &mut other.stmts],
        between: &taken,
    };
    separate(module, kernel, context, parts);
    let function = &mut module.functions[kernel];
    if counters[0] != counters[1] {
        redirect(function, &other.stmts, counters[1], counters[0]);
    }
    let merged = Merged {
        first: body.stmts.len(),
        pragmas: [
            std::mem::take(&mut hints.pragmas),
            std::mem::take(&mut others.pragmas),
        ],
    };
    body.stmts.append(&mut other.stmts);
    taken.push(first);
    let stmts = list_mut(function, &pair.path)?;
    stmts.splice(pair.first..pair.first, taken);
    Some(merged)
}
