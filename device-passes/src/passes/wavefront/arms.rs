//! One store in place of those of all arms of a branch.
//!
//! `if (a[i] == b[j]) s[i][j] = s[i - 1][j - 1] + 1; else s[i][j] = max(..);` is how dynamic programming is mostly
//! written. A lane stores once in a step, and this does: `s[i][j] = a[i] == b[j] ? .. : ..`. What an arm reads is still
//! only read where it is taken.

use fpgacc_frontend::ir::{
    BinaryOp, Block, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind,
};

use crate::position::Position;

/// The store of the first arm of a branch, each arm of which stores the same element and does nothing else.
pub fn store(function: &Function, stmt: &Stmt) -> Option<ExprId> {
    let StmtKind::If {
        cond,
        then,
        otherwise: Some(otherwise),
    } = &stmt.kind
    else {
        return None;
    };
    let exprs = &function.exprs;
    let (first, second) = (arm(function, then)?, arm(function, otherwise)?);
    let [a, b] = [first, second].map(|store| exprs.written(store));
    let (a, b) = (a?, b?);
    let is_one = exprs.same(a, b) && !exprs.has_effects(a) && !exprs.has_effects(*cond);
    is_one.then_some(first)
}

/// The store that is all of an arm, or all of each arm of the branch that it is.
fn arm(function: &Function, block: &Block) -> Option<ExprId> {
    let only = only(block)?;
    match &only.kind {
        StmtKind::Expr(expr) => {
            let is_store = matches!(function.exprs.get(*expr), Expr::Assign { op: None, .. });
            is_store.then_some(*expr)
        }
        StmtKind::Block(block) => arm(function, block),
        _ => store(function, only),
    }
}

fn only(block: &Block) -> Option<&Stmt> {
    let mut real = block.stmts.iter().filter(|stmt| !stmt.is_comment());
    real.next().filter(|_| real.next().is_none())
}

/// Makes one store of a branch with which the lanes of loops store.
pub fn join(module: &mut Module, kernel: FunctionId, nest: &Position) {
    let function = &mut module.functions[kernel];
    let Some(StmtKind::For { body, .. }) = nest.get(function).map(|stmt| &stmt.kind) else {
        return;
    };
    let mut body = body.clone();
    let mut at = body.stmts.as_mut_slice();
    let branch = loop {
        if let Some(found) = at.iter().position(|stmt| store(function, stmt).is_some()) {
            break &mut at[found];
        }
        let Some(last) = at.iter_mut().rfind(|stmt| !stmt.is_comment()) else {
            return;
        };
        at = match &mut last.kind {
            StmtKind::For { body, .. } => &mut body.stmts,
            StmtKind::Block(block) => &mut block.stmts,
            StmtKind::If {
                then,
                otherwise: None,
                ..
            } => &mut then.stmts,
            _ => return,
        };
    };
    let joined = joined(module, kernel, branch);
    let function = &mut module.functions[kernel];
    if let Some(joined) = joined {
        *branch = Stmt::at(StmtKind::Expr(joined), branch.span);
        if let Some(StmtKind::For { body: own, .. }) =
            nest.get_mut(function).map(|stmt| &mut stmt.kind)
        {
            *own = body;
        }
    }
}

/// The store of a choice that a branch is.
fn joined(module: &mut Module, kernel: FunctionId, branch: &Stmt) -> Option<ExprId> {
    let first = store(&module.functions[kernel], branch)?;
    let at = module.functions[kernel].exprs.written(first)?;
    let value = value(module, kernel, branch)?;
    Some(module.functions[kernel].exprs.assign(None, at, value))
}

/// What a statement stores, as a value of the element's type.
fn value(module: &mut Module, kernel: FunctionId, stmt: &Stmt) -> Option<ExprId> {
    match &stmt.kind {
        StmtKind::Block(block) => value(module, kernel, only(block)?),
        StmtKind::Expr(store) => {
            let exprs = &mut module.functions[kernel].exprs;
            let Expr::Assign { lhs, rhs, .. } = *exprs.get(*store) else {
                return None;
            };
            Some(exprs.converted(&module.types, rhs, exprs.ty(lhs)))
        }
        StmtKind::If {
            cond,
            then,
            otherwise: Some(otherwise),
        } => {
            let then = value(module, kernel, only(then)?)?;
            let otherwise = value(module, kernel, only(otherwise)?)?;
            let exprs = &mut module.functions[kernel].exprs;
            let element = exprs.ty(then);
            // Narrow integers become `int` there.
            let ty = module.types.binary(BinaryOp::Add, element, element);
            let cond = *cond;
            let choice = Expr::Cond {
                cond,
                then,
                otherwise,
            };
            let choice = exprs.add(choice, ty, None);
            Some(exprs.converted(&module.types, choice, element))
        }
        _ => None,
    }
}
