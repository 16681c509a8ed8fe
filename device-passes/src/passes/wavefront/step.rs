//! A step that copies a row, and what else it does.

use std::ops::RangeInclusive;

use fpgacc_frontend::ir::{Expr, Function, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::only;
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};

/// The copy of a row in a loop's body.
#[derive(Clone, Copy)]
pub struct RowCopy {
    /// What a step stores.
    pub now: VarId,
    /// What it finds the step before in.
    pub before: VarId,
    /// Where the copy stands in the body.
    pub at: usize,
    /// It is the first that a step does, and not the last.
    pub is_first: bool,
}

/// The copy that a loop's body begins or ends with: a look that takes no time.
pub fn copy_in(function: &Function, stmt: &Stmt) -> Option<RowCopy> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    let is_real = |stmt: &Stmt| !stmt.is_comment();
    let first = body.stmts.iter().position(is_real)?;
    let last = body.stmts.iter().rposition(is_real)?;
    let ends = [(last, false), (first, true)];
    let mut copies = ends.into_iter().filter(|_| first < last);
    copies.find_map(|(at, is_first)| {
        let (before, now) = copied(function, &body.stmts[at])?;
        Some(RowCopy {
            now,
            before,
            at,
            is_first,
        })
    })
}

/// The rows of `for (..) to[k] = from[k];`
fn copied(function: &Function, stmt: &Stmt) -> Option<(VarId, VarId)> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    let StmtKind::Expr(copy) = only(&body.stmts)?.kind else {
        return None;
    };
    let Expr::Assign { op: None, lhs, rhs } = *function.exprs.get(copy) else {
        return None;
    };
    let element = |id| match *function.exprs.get(id) {
        Expr::Index { base, index } => Some((
            function.exprs.local_var(base)?,
            function.exprs.local_var(index)?,
        )),
        _ => None,
    };
    let ((to, at), (from, same)) = (element(lhs)?, element(rhs)?);
    (at == same && to != from).then_some((to, from))
}

/// The statements of a step, beside the copy.
pub struct Parts<'s> {
    /// What stands before the loop that stores a row.
    pub start: &'s [Stmt],
    /// What that loop does in each iteration.
    pub lane: &'s [Stmt],
    /// How it counts.
    pub inner: Counting,
    /// What stands after it.
    pub end: &'s [Stmt],
    /// The elements that are copied.
    pub range: RangeInclusive<i128>,
}

impl<'s> Parts<'s> {
    /// All but the copy.
    pub fn others(&self) -> impl Iterator<Item = &'s [Stmt]> {
        [self.start, self.lane, self.end].into_iter()
    }

    /// # Errors
    /// They are none whose elements are stored in order.
    pub fn of(constants: &Constants<'_>, nest: &'s Stmt, copy: RowCopy) -> Result<Self, Refusal> {
        let StmtKind::For { body, .. } = &nest.kind else {
            return Err(Refusal::default());
        };
        let forward = |stmt| {
            let found = counting(constants, stmt);
            let found = found.filter(|found| found.by == 1 && found.trips > 0);
            found.ok_or_else(|| refuse("its trip counts are not constants"))
        };
        let copied = forward(&body.stmts[copy.at])?;
        let others = match copy.is_first {
            true => &body.stmts[copy.at + 1..],
            false => &body.stmts[..copy.at],
        };
        let at = others.iter().position(|stmt| loops::count(stmt) > 0);
        let at = at.ok_or_else(|| refuse("beside the copy of a row there is no loop"))?;
        let (start, rest) = others.split_at(at);
        let StmtKind::For { body: lane, .. } = &rest[0].kind else {
            return Err(refuse(
                "beside the copy of a row there is no loop that counts",
            ));
        };
        let leaves = |stmt: &Stmt| loops::leaves(stmt, true, true) || loops::returns(stmt);
        if others.iter().chain(&lane.stmts).any(leaves) {
            return Err(refuse("the loop over steps may end early"));
        }
        Ok(Parts {
            start,
            lane: &lane.stmts,
            inner: forward(&rest[0])?,
            end: &rest[1..],
            range: copied.start..=copied.start + i128::from(copied.trips) - 1,
        })
    }
}
