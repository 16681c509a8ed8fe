//! Whether an expression has the same value in every iteration of a loop.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Callee, Expr, ExprId, UnaryOp, VarId, VarRef};

use super::accesses::{Accesses, Summaries};
use super::alias::{Aliases, Root};

/// What makes an expression change: the expression in the loop that writes one of its operands, or
/// the operand itself.
pub type Culprit = ExprId;

/// Finds what may change the *address* of an lvalue from one iteration of a loop to the next;
/// `None` if nothing does. `region` is all that an iteration does ([`Accesses::of_loop`]).
pub fn address_varies(
    aliases: &Aliases<'_>,
    summaries: &Summaries,
    lvalue: ExprId,
    region: &Accesses,
) -> Option<Culprit> {
    address_varies_but_for(aliases, summaries, lvalue, region, &BTreeSet::new())
}

/// The same, where some variables have the same values in each iteration, one after the other: counters
/// of loops inside.
pub fn address_varies_but_for(
    aliases: &Aliases<'_>,
    summaries: &Summaries,
    lvalue: ExprId,
    region: &Accesses,
    counters: &BTreeSet<VarId>,
) -> Option<Culprit> {
    if let Some(opaque) = opaque_part(aliases, lvalue) {
        return Some(opaque);
    }
    let is_counter = |at: ExprId| match aliases.function.exprs.get(at) {
        Expr::Var(VarRef::Local(var)) => counters.contains(var),
        _ => false,
    };
    let mut reads = Accesses::of_address(aliases, summaries, lvalue).list;
    reads.retain(|read| !is_counter(read.at));
    for read in &mut reads {
        // `x[i]` may be what `x[i + 1]` was, where `i` counts.
        read.exact &= counters.is_empty();
        let declared = read.roots.iter().any(|root| {
            matches!(root, Root::Object(VarRef::Local(var)) if region.declared.contains(var))
        });
        if declared || aliases.is_volatile(read.at) {
            return Some(read.at);
        }
        if let Some(write) = region.writes().find(|w| aliases.may_overlap(w, read)) {
            return Some(write.at);
        }
    }
    None
}

/// A part whose value this analysis does not follow: effects, calls of the module's functions, and
/// builtins that read images, pipes or channels.
fn opaque_part(aliases: &Aliases<'_>, root: ExprId) -> Option<ExprId> {
    let exprs = &aliases.function.exprs;
    let mut found = None;
    exprs.for_each(root, &mut |id| {
        let opaque = match exprs.get(id) {
            Expr::Assign { .. } | Expr::IncDec { .. } | Expr::Compound { .. } => true,
            Expr::Call { callee, .. } => match callee {
                Callee::Function(_) => true,
                Callee::Builtin(name) => name.starts_with("read_") || exprs.has_effects(id),
            },
            Expr::Unary {
                op: UnaryOp::AddressOf,
                ..
            } => false,
            _ => false,
        };
        if opaque {
            found.get_or_insert(id);
        }
    });
    found
}
