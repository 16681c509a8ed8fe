//! Whether an expression has the same value in every iteration of a loop.

use fpgacc_frontend::ir::{Callee, Expr, ExprId, UnaryOp, VarRef};

use super::accesses::{Access, Accesses, Summaries};
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
    if let Some(opaque) = opaque_part(aliases, lvalue) {
        return Some(opaque);
    }
    for read in &Accesses::of_address(aliases, summaries, lvalue).list {
        if let Some(culprit) = read_varies(aliases, read, region) {
            return Some(culprit);
        }
    }
    None
}

/// Finds what may change what a read reads from one iteration of a loop to the next.
pub fn read_varies(aliases: &Aliases<'_>, read: &Access, region: &Accesses) -> Option<Culprit> {
    let declared = read.roots.iter().any(
        |root| matches!(root, Root::Object(VarRef::Local(var)) if region.declared.contains(var)),
    );
    if declared || aliases.is_volatile(read.at) {
        return Some(read.at);
    }
    let mut writes = region.writes();
    let write = writes.find(|write| aliases.may_overlap(write, read));
    write.map(|write| write.at)
}

/// A part whose value this analysis does not follow: effects, calls of the module's functions, and
/// builtins that read images, pipes or channels.
pub fn opaque_part(aliases: &Aliases<'_>, root: ExprId) -> Option<ExprId> {
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
