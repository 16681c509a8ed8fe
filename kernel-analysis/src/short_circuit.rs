//! `&&` and `||` that compilers for GPUs make branches of.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Function, Module, UnaryOp, VarRef,
    builtin_has_effects,
};

use super::calls::reachable_from;
use super::loops;

/// The left operand of an `&&` or `||`, if it is the condition of a branch: where the right operand accesses memory
/// that work-items share, or calls a function that does or that has loops. What is mere arithmetic, compilers compute
/// for all lanes; an access that the left operand guards may fault.
pub fn condition(module: &Module, function: &Function, id: ExprId) -> Option<ExprId> {
    let Expr::Binary {
        op: BinaryOp::And | BinaryOp::Or,
        lhs,
        rhs,
    } = function.exprs.get(id)
    else {
        return None;
    };
    // Of vectors, both sides are computed.
    let is_scalar = module.types.as_vector(function.exprs.ty(id)).is_none();
    (is_scalar && is_work(module, function, *rhs)).then_some(*lhs)
}

/// Whether an expression is more than arithmetic.
fn is_work(module: &Module, function: &Function, root: ExprId) -> bool {
    let own = match function.exprs.get(root) {
        Expr::SizeOf(_) => return false,
        Expr::Call {
            callee: Callee::Function(callee),
            ..
        } => {
            let below = reachable_from(module, vec![*callee]).into_iter();
            let mut all = below.chain([*callee]);
            all.any(|callee| works(module, &module.functions[callee]))
        }
        _ => accesses(module, function, root),
    };
    let mut children = function.exprs.children(root).into_iter();
    own || children.any(|child| is_work(module, function, child))
}

/// Whether a function itself accesses shared memory or has loops.
fn works(module: &Module, function: &Function) -> bool {
    let Some(body) = &function.body else {
        return true;
    };
    let mut found = false;
    body.for_each_stmt(&mut |stmt| found |= loops::hints(stmt).is_some());
    body.for_each_expr(&function.exprs, &mut |id| {
        found |= accesses(module, function, id);
    });
    found
}

/// Whether an expression, those below it not counted, may access memory that work-items share.
fn accesses(module: &Module, function: &Function, id: ExprId) -> bool {
    match function.exprs.get(id) {
        Expr::Index { base, .. }
        | Expr::Member {
            base, arrow: true, ..
        }
        | Expr::Unary {
            op: UnaryOp::Deref,
            operand: base,
        } => is_shared(module, function, *base),
        Expr::Var(var) => space(module, function, *var) == AddressSpace::Local,
        Expr::Call {
            callee: Callee::Builtin(name),
            ..
        } => builtin_has_effects(name) || name.starts_with("vload"),
        _ => false,
    }
}

/// Whether a pointer points into memory that work-items share. Where an array lies, what names it tells.
fn is_shared(module: &Module, function: &Function, base: ExprId) -> bool {
    let types = &module.types;
    let pointed = types.as_pointer(function.exprs.ty(base));
    pointed.is_some_and(|(_, space)| space != AddressSpace::Private)
        || matches!(function.exprs.get(base), Expr::Var(var)
            if space(module, function, *var) != AddressSpace::Private)
}

fn space(module: &Module, function: &Function, var: VarRef) -> AddressSpace {
    match var {
        VarRef::Local(local) => function.vars[local].space,
        VarRef::Global(global) => module.globals[global].variable.space,
    }
}
