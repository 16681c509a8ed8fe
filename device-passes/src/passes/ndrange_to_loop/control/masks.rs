//! Puts regions under their masks: `if (taken) { .. }`.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{Init, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::control::speculation;
use crate::passes::ndrange_to_loop::control::steps::Schedule;
use crate::passes::ndrange_to_loop::live_across::spill;
use crate::passes::ndrange_to_loop::statements::{branch, conjunction, declaration};
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// The mask of a region, and what stands after it, outside of the mask.
#[derive(Debug, Default)]
pub struct Masked {
    /// All of these hold, or do not.
    pub mask: Vec<(VarId, bool)>,
    /// Decides about masks of later regions.
    pub after: Vec<Stmt>,
}

/// Wraps the statements of the regions.
pub fn apply(target: &mut Target<'_>, schedule: &mut Schedule, masks: Vec<Masked>) {
    let crossing = crossing(target, schedule, &masks);
    for (region, masked) in schedule.regions.iter_mut().zip(masks) {
        let stmts = std::mem::take(&mut region.stmts);
        let unmasked = masked.mask.is_empty() || faults::is_on("mask-missed");
        region.stmts = match unmasked {
            true => stmts,
            false => wrap(target, &crossing, stmts, &masked.mask),
        };
        region.stmts.extend(masked.after);
    }
}

/// The variables that are used outside of the mask that they are declared under: in several regions,
/// or after the mask.
fn crossing(target: &Target<'_>, schedule: &Schedule, masks: &[Masked]) -> BTreeSet<VarId> {
    let mut seen: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut out = BTreeSet::new();
    let regions = schedule.regions.iter().map(|region| &region.stmts);
    let after = masks.iter().map(|masked| &masked.after);
    for (number, stmts) in regions.chain(after).enumerate() {
        for stmt in stmts {
            let mut note = |var| {
                if *seen.entry(var).or_insert(number) != number {
                    out.insert(var);
                }
            };
            stmt.for_each(&mut |stmt| {
                if let StmtKind::Decl { var, .. } = stmt.kind {
                    note(var);
                }
            });
            let uses = stmt.local_uses(&target.function.exprs).into_iter();
            uses.for_each(|(_, var)| note(var));
        }
    }
    out
}

fn wrap(
    target: &mut Target<'_>,
    crossing: &BTreeSet<VarId>,
    stmts: Vec<Stmt>,
    mask: &[(VarId, bool)],
) -> Vec<Stmt> {
    let mut written = speculation::written(target, &stmts);
    let mut outside = Vec::new();
    let mut inside = Vec::new();
    for stmt in stmts {
        let StmtKind::Decl { var, init } = &stmt.kind else {
            inside.push(stmt);
            continue;
        };
        let var = *var;
        let free = match init {
            None => true,
            Some(init) => speculation::is_free_init(target, init, &written),
        };
        if free {
            outside.push(stmt);
            continue;
        }
        // What is made of it cannot be computed before it.
        written.insert(var);
        if !crossing.contains(&var) {
            inside.push(stmt);
            continue;
        }
        inside.extend(assignment(target, &stmt, var));
        outside.push(declaration(var, None));
    }
    if !inside.is_empty() {
        let mut cond = conjunction(target, mask);
        if faults::is_on("mask-inverted") {
            cond = target.not(cond);
        }
        outside.push(branch(cond, inside, None));
    }
    outside
}

/// What gives a variable the value that its declaration gave it.
fn assignment(target: &mut Target<'_>, decl: &Stmt, var: VarId) -> Vec<Stmt> {
    target.function.vars[var]
        .ty
        .quals
        .remove(fpgacc_frontend::ir::Qualifiers::CONST);
    match &decl.kind {
        StmtKind::Decl {
            init: Some(Init::Expr(value)),
            ..
        } if target
            .types
            .as_array(target.function.vars[var].ty.ty)
            .is_none() =>
        {
            let mut stmt = target.function.assign_var(var, *value);
            stmt.span = decl.span;
            vec![stmt]
        }
        // Only a declaration takes a list: it fills a temporary.
        StmtKind::Decl { init, .. } => {
            let ty = spill::without_const(target, target.function.vars[var].ty);
            target.function.vars[var].ty = ty;
            let mut copy = target.function.vars[var].clone();
            copy.name = target
                .function
                .fresh_name(&format!("{}_first", copy.name), target.taken);
            let copy = target.function.vars.add(copy);
            let fill = Stmt::at(
                StmtKind::Decl {
                    var: copy,
                    init: init.clone(),
                },
                decl.span,
            );
            let (to, from) = (target.function.use_var(var), target.function.use_var(copy));
            let mut out = vec![fill];
            out.extend(spill::copy(target, to, from));
            out
        }
        _ => Vec::new(),
    }
}
