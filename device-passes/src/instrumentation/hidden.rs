//! Arguments that kernels have for themselves, handed down to the functions that need them.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Callee, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind};

/// The functions with bodies of which `own` says that they need the arguments, and those that call one.
pub(super) fn needing(
    module: &Module,
    own: &dyn Fn(FunctionId, &Function) -> bool,
) -> BTreeSet<FunctionId> {
    let functions = module.functions.iter();
    let mut needing: BTreeSet<FunctionId> = functions
        .filter(|(id, function)| function.body.is_some() && own(*id, function))
        .map(|(id, _)| id)
        .collect();
    loop {
        let before = needing.len();
        for (id, function) in module.functions.iter() {
            let calls = |expr: ExprId| match function.exprs.get(expr) {
                Expr::Call {
                    callee: Callee::Function(callee),
                    ..
                } => needing.contains(callee),
                _ => false,
            };
            if function.body.is_some() && function.exprs.ids().any(calls) {
                needing.insert(id);
            }
        }
        if needing.len() == before {
            return needing;
        }
    }
}

/// Gives the calls of functions that need them what `more` makes.
pub(super) fn hand_down(
    function: &mut Function,
    needing: &BTreeSet<FunctionId>,
    more: &mut dyn FnMut(&mut Function) -> Vec<ExprId>,
) {
    for call in function.exprs.ids() {
        let Expr::Call { callee, args } = function.exprs.get(call) else {
            continue;
        };
        if !matches!(callee, Callee::Function(callee) if needing.contains(callee)) {
            continue;
        }
        let (callee, mut args) = (callee.clone(), args.clone());
        args.extend(more(function));
        let ty = function.exprs.ty(call);
        let expr = Expr::Call { callee, args };
        function.exprs.replace(call, expr, ty);
    }
}

/// Puts what `make` makes wherever a function with these statements ends.
pub(super) fn before_ends(stmts: &mut Vec<Stmt>, make: &mut dyn FnMut() -> Vec<Stmt>) {
    let ends = !matches!(stmts.last(), Some(stmt) if is_return(stmt));
    before_returns(stmts, make);
    if ends {
        stmts.extend(make());
    }
}

fn before_returns(stmts: &mut Vec<Stmt>, make: &mut dyn FnMut() -> Vec<Stmt>) {
    for mut stmt in std::mem::take(stmts) {
        if is_return(&stmt) {
            stmts.extend(make());
        }
        for list in stmt.lists_mut() {
            before_returns(list, make);
        }
        stmts.push(stmt);
    }
}

fn is_return(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_))
}

/// Puts statements in front, after pragmas, which must be the first in their block.
pub(super) fn insert(stmts: &mut Vec<Stmt>, more: impl IntoIterator<Item = Stmt>) {
    let is_pragma = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Pragma(_));
    let at = stmts.iter().take_while(is_pragma).count();
    stmts.splice(at..at, more);
}
