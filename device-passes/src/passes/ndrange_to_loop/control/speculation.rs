//! What a work-item may compute although it need not.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Expr, ExprId, Init, Stmt, StmtKind, UnaryOp, VarId, VarRef};
use fpgacc_kernel_analysis::variables::accesses_of_stmt;

use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// The variables that statements change, or may through pointers; a first value is no change.
pub fn written(target: &Target<'_>, stmts: &[Stmt]) -> BTreeSet<VarId> {
    let mut out = BTreeSet::new();
    if stmts.iter().any(|stmt| may_write_memory(target, stmt)) {
        out = addressed(target);
    }
    for stmt in stmts {
        let declared = match stmt.kind {
            StmtKind::Decl { var, .. } => Some(var),
            _ => None,
        };
        accesses_of_stmt(target.types, target.function, stmt, &mut |var, access| {
            if access.may_write() && declared != Some(var) {
                out.insert(var);
            }
        });
    }
    out
}

/// Whether a statement writes where a pointer leads, or calls what may.
fn may_write_memory(target: &Target<'_>, stmt: &Stmt) -> bool {
    let exprs = &target.function.exprs;
    stmt.any_expr(exprs, &mut |id| match exprs.get(id) {
        Expr::Assign { lhs: location, .. }
        | Expr::IncDec {
            operand: location, ..
        } => base_variable(target, *location).is_none(),
        Expr::Call { .. } => exprs.has_effects(id),
        _ => false,
    })
}

/// The variables whose addresses are taken somewhere.
fn addressed(target: &Target<'_>) -> BTreeSet<VarId> {
    let exprs = &target.function.exprs;
    let taken = exprs.ids().filter_map(|id| match exprs.get(id) {
        Expr::Unary {
            op: UnaryOp::AddressOf,
            operand,
        } => base_variable(target, *operand),
        _ => None,
    });
    taken.collect()
}

/// The variable that a location is a part of, if no pointer leads there.
fn base_variable(target: &Target<'_>, location: ExprId) -> Option<VarId> {
    let exprs = &target.function.exprs;
    match exprs.get(location) {
        Expr::Var(VarRef::Local(var)) => Some(*var),
        Expr::Member {
            base, arrow: false, ..
        }
        | Expr::Swizzle { base, .. } => base_variable(target, *base),
        Expr::Index { base, .. } if target.types.as_array(exprs.ty(*base)).is_some() => {
            base_variable(target, *base)
        }
        _ => None,
    }
}

/// Whether an initial value can be computed by everyone, before what changes `written`: it looks
/// at no memory, cannot trap, and has no effects.
pub fn is_free_init(target: &Target<'_>, init: &Init, written: &BTreeSet<VarId>) -> bool {
    let mut roots = Vec::new();
    init.exprs(&mut roots);
    roots.into_iter().all(|root| is_free(target, root, written))
}

fn is_free(target: &Target<'_>, root: ExprId, written: &BTreeSet<VarId>) -> bool {
    let exprs = &target.function.exprs;
    if exprs.has_effects(root) {
        return false;
    }
    !exprs.any(root, &mut |id| match exprs.get(id) {
        Expr::Var(VarRef::Local(var)) => {
            let is_array = target.types.as_array(exprs.ty(id)).is_some();
            let variable = &target.function.vars[*var];
            let in_memory = variable.space != fpgacc_frontend::ir::AddressSpace::Private;
            written.contains(var) || in_memory && !is_array
        }
        Expr::Var(VarRef::Global(_)) => target.types.as_array(exprs.ty(id)).is_none(),
        Expr::Unary {
            op: UnaryOp::Deref, ..
        }
        | Expr::Index { .. }
        | Expr::Member { arrow: true, .. }
        | Expr::Compound { .. } => true,
        Expr::Binary { op, rhs, .. } => {
            let divides = matches!(
                op,
                fpgacc_frontend::ir::BinaryOp::Div | fpgacc_frontend::ir::BinaryOp::Rem
            );
            let by_literal = matches!(exprs.get(*rhs), Expr::Int { value, .. } if *value != 0);
            divides && !by_literal
        }
        Expr::Call { args, .. } => args.iter().any(|arg| {
            let ty = exprs.ty(*arg);
            target.types.as_pointer(ty).is_some() || target.types.as_array(ty).is_some()
        }),
        _ => false,
    })
}
