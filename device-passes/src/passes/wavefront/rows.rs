//! Loops beside a wave that go along rows of what it uses.

use std::collections::BTreeSet;
use std::ops::Range;

use fpgacc_frontend::ir::{Expr, ExprId, Stmt, VarId};
use fpgacc_kernel_analysis::independence::indexed;
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::{Constants, trip_count};

use super::nest::{Scope, inner, written};
use super::phase::Phase;

/// The loops of a list, but for those of the wave, whose inner loops have as many iterations as there are lanes and go from
/// each element to the next, in an array that the wave uses.
pub fn beside(
    scope: &Scope<'_>,
    stmts: &[Stmt],
    wave: &Range<usize>,
    (phase, lanes): (&Phase, i128),
) -> Vec<usize> {
    let used: BTreeSet<VarId> = arrays(scope, std::slice::from_ref(&phase.whole));
    let others = stmts
        .iter()
        .enumerate()
        .filter(|(at, _)| !wave.contains(at));
    let along = others.filter(|(_, stmt)| goes_along(scope, stmt, &used, lanes));
    along.map(|(at, _)| at).collect()
}

/// Arrays of the function's own that statements name.
fn arrays(scope: &Scope<'_>, stmts: &[Stmt]) -> BTreeSet<VarId> {
    let uses = stmts
        .iter()
        .flat_map(|stmt| stmt.local_uses(&scope.function.exprs));
    let is_array = |var: &VarId| {
        let ty = scope.function.vars[*var].ty.ty;
        scope.module.types.as_array(ty).is_some()
    };
    uses.map(|(_, var)| var).filter(is_array).collect()
}

fn goes_along(scope: &Scope<'_>, stmt: &Stmt, used: &BTreeSet<VarId>, lanes: i128) -> bool {
    let Some(row) = inner(stmt).filter(|row| loops::count(row) == 1) else {
        return false;
    };
    let constants = Constants::new(scope.module, scope.function);
    let is_long = trip_count(&constants, row).map(i128::from) == Some(lanes);
    let is_free = loops::hints(row).is_some_and(|hints| {
        hints.attrs.is_empty() && hints.pragmas.iter().all(|text| text.starts_with("ivdep"))
    });
    // What waits for what it stores itself gains nothing.
    let waits = !written(scope.function, stmt).is_empty();
    if !is_long || !is_free || waits {
        return false;
    }
    let mut indices = Indices::new(scope.aliases, scope.nests, stmt);
    if !indices.follow(stmt) || indices.counting.len() != 2 {
        return false;
    }
    let mut elements = Vec::new();
    row.for_each_expr(&scope.function.exprs, &mut |id| {
        if matches!(scope.function.exprs.get(id), Expr::Index { .. }) {
            elements.extend(indexed(scope.aliases, id).filter(|(array, _)| used.contains(array)));
        }
    });
    let one = Some(Poly::constant(1));
    let steps = |own: &[ExprId], indices: &mut Indices<'_>| {
        let last = indices.widened(*own.last()?);
        indices.poly(last)?.coefficient(Sym::Iter(1))
    };
    !elements.is_empty()
        && elements
            .iter()
            .all(|(_, own)| steps(own, &mut indices) == one)
}
