//! Gives loops counters of their own.
//!
//! Many kernels have one `int i` at their head for all of their loops, some of which a group goes
//! through together, and some of which each work-item runs on its own. What is one variable to C is
//! several to the reader: `for (i = 0; ..)` starts a new one wherever nothing after the loop looks at
//! its last value.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{AddressSpace, Expr, ExprId, Init, Stmt, StmtKind, Type, VarId, VarRef};
use fpgacc_kernel_analysis::liveness::{Flow, flow};
use fpgacc_kernel_analysis::variables::{Access, accesses};

use crate::copy::redirect;
use crate::passes::ndrange_to_loop::control::convergence::{has_exit, holds_barrier};
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Renames the counters of loops that start anew.
pub fn split(target: &mut Target<'_>, stmts: &mut Vec<Stmt>) {
    let counters = shared_counters(target, stmts);
    if counters.is_empty() {
        return;
    }
    for &counter in &counters {
        split_one(target, stmts, counter, false);
    }
    drop_unused(target, stmts, &counters);
}

/// Scalars that several loops start with an assignment, one of them with barriers inside, and whose
/// address nobody takes.
fn shared_counters(target: &Target<'_>, stmts: &[Stmt]) -> BTreeSet<VarId> {
    let mut starts: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut of_groups = BTreeSet::new();
    let mut reached = BTreeSet::new();
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            if let Some((var, _)) = start(target, stmt) {
                *starts.entry(var).or_default() += 1;
                if holds_barrier(target.function, stmt) {
                    of_groups.insert(var);
                }
            }
            for root in stmt.exprs() {
                let exprs = &target.function.exprs;
                accesses(target.types, exprs, root, &mut |var, access, _| {
                    if access == Access::Address {
                        reached.insert(var);
                    }
                });
            }
        });
    }
    starts.retain(|var, count| {
        let variable = &target.function.vars[*var];
        *count > 1
            && of_groups.contains(var)
            && !reached.contains(var)
            && variable.space == AddressSpace::Private
            && variable.attrs.is_empty()
            && matches!(target.types.resolve(variable.ty.ty), Type::Scalar(_))
            && variable.ty.quals.is_empty()
            && !target.function.params.contains(var)
    });
    starts.into_keys().collect()
}

/// The counter that a `for` starts, and its first value: `for (i = value; ..)`.
fn start(target: &Target<'_>, stmt: &Stmt) -> Option<(VarId, ExprId)> {
    let StmtKind::For { init, .. } = &stmt.kind else {
        return None;
    };
    let [
        Stmt {
            kind: StmtKind::Expr(root),
            ..
        },
    ] = init.as_slice()
    else {
        return None;
    };
    let exprs = &target.function.exprs;
    let Expr::Assign { op: None, lhs, rhs } = *exprs.get(*root) else {
        return None;
    };
    match *exprs.get(lhs) {
        Expr::Var(VarRef::Local(var)) if !exprs.uses(rhs, VarRef::Local(var)) => Some((var, rhs)),
        _ => None,
    }
}

/// Splits one counter in a list; `live_after` states whether its value is looked at after the list.
fn split_one(target: &mut Target<'_>, list: &mut [Stmt], counter: VarId, live_after: bool) {
    // From the last to the first, so that what is live after each statement is known.
    let mut live = live_after;
    for at in (0..list.len()).rev() {
        let (stmt, after) = (&mut list[at], live);
        if !mentions(target, stmt, counter) {
            continue;
        }
        let leaves = has_exit(std::slice::from_ref(stmt), true, true, false);
        let of_stmt = flow_of(target, std::slice::from_ref(stmt), counter);
        // A `break` or `continue` may skip what overwrites it.
        live = of_stmt.reads_first || leaves || live && !of_stmt.overwrites;
        match start(target, stmt) {
            Some((var, value)) if var == counter && !after => {
                rename(target, stmt, counter, value);
                live = after;
            }
            _ => inside(target, stmt, counter, after),
        }
    }
}

fn inside(target: &mut Target<'_>, stmt: &mut Stmt, counter: VarId, after: bool) {
    let is_loop = matches!(
        stmt.kind,
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
    );
    // The next iteration may look at it; an arm of a switch may run into the next one.
    let around = match &stmt.kind {
        StmtKind::Switch { .. } => true,
        _ if is_loop => after || repeats_with(target, stmt, counter),
        _ => after,
    };
    for list in stmt.lists_mut() {
        split_one(target, list, counter, around);
    }
}

/// Whether the next iteration of a loop looks at what the one before left.
fn repeats_with(target: &Target<'_>, stmt: &Stmt, counter: VarId) -> bool {
    let header = stmt.exprs();
    let looks = header
        .into_iter()
        .any(|root| target.function.exprs.uses(root, VarRef::Local(counter)));
    let body = stmt.lists().into_iter().next_back().unwrap_or_default();
    looks || flow_of(target, body, counter).reads_first
}

fn flow_of(target: &Target<'_>, stmts: &[Stmt], var: VarId) -> Flow {
    flow(target.types, target.function, stmts, var)
}

fn mentions(target: &Target<'_>, stmt: &Stmt, var: VarId) -> bool {
    let exprs = &target.function.exprs;
    stmt.any_expr(exprs, &mut |id| exprs.local_var(id) == Some(var))
}

/// Gives a loop a counter of its own.
fn rename(target: &mut Target<'_>, stmt: &mut Stmt, counter: VarId, value: ExprId) {
    let mut variable = target.function.vars[counter].clone();
    variable.name = target.function.fresh_name(&variable.name, target.taken);
    let own = target.function.vars.add(variable);
    redirect(target.function, std::slice::from_ref(stmt), counter, own);
    if let StmtKind::For { init, .. } = &mut stmt.kind {
        for stmt in init {
            stmt.kind = StmtKind::Decl {
                var: own,
                init: Some(Init::Expr(value)),
            };
        }
    }
}

/// Drops the declarations of counters that nothing uses any more.
fn drop_unused(target: &Target<'_>, stmts: &mut Vec<Stmt>, counters: &BTreeSet<VarId>) {
    let unused: BTreeSet<VarId> = counters
        .iter()
        .copied()
        .filter(|counter| !stmts.iter().any(|stmt| mentions(target, stmt, *counter)))
        .collect();
    drop_declarations(target, stmts, &unused);
}

fn drop_declarations(target: &Target<'_>, stmts: &mut Vec<Stmt>, unused: &BTreeSet<VarId>) {
    stmts.retain(|stmt| match &stmt.kind {
        StmtKind::Decl { var, init } => {
            let has_effects = match init {
                Some(Init::Expr(init)) => target.function.exprs.has_effects(*init),
                Some(Init::List(_)) => true,
                None => false,
            };
            !unused.contains(var) || has_effects
        }
        _ => true,
    });
    for stmt in stmts {
        for list in stmt.lists_mut() {
            drop_declarations(target, list, unused);
        }
    }
}
