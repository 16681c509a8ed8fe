//! Rows that are copied, as rows that are used by turns.
//!
//! `for i { for j { now[j] = f(before[j], now[j - 1]); } for j { before[j] = now[j]; } }` moves a whole row in each step, so
//! that the next one finds it elsewhere. Where each step stores all of a row before it reads it, the two are rows of one
//! array by turns, and nothing has to be moved.

use fpgacc_frontend::ir::{Function, FunctionId, Module, VarId};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};

use super::row_uses::{Stored, Uses};
use super::step::{Parts, RowCopy, copy_in};
use super::turns::{Pair, Row, Turns, When};
use crate::pass::{Context, Note};
use crate::position::{Position, list, outermost};

/// Loops that begin or end with a copy of a row: a look that takes no time.
pub fn nests(function: &Function) -> Vec<Position> {
    outermost(function, &|stmt| copy_in(function, stmt).is_some())
}

/// A step that may use its two rows by turns.
struct Step {
    copy: RowCopy,
    outer: Counting,
    pair: Pair,
}

/// Uses two rows of a loop by turns, in place of copying them: their array, and what is done.
///
/// # Errors
/// They stay as they are.
pub fn turn(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<(VarId, Note), Refusal> {
    let step = look(module, kernel, context, at)?;
    let function = &module.functions[kernel];
    let name = |var: VarId| &function.vars[var].name;
    let RowCopy { now, before, .. } = step.copy;
    let text = format!(
        "'{}' and '{}' are rows of one array by turns: none is copied",
        name(before),
        name(now)
    );
    let span = at.get(function).and_then(|stmt| stmt.span);
    let rows = step.write(module, kernel, context, at);
    Ok((rows, Note::new(text, span)))
}

fn look(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<Step, Refusal> {
    let function = &module.functions[kernel];
    let stmts = list(function, &at.path).unwrap_or_default();
    let nest = stmts.get(at.index).ok_or_else(Refusal::default)?;
    let copy = copy_in(function, nest).ok_or_else(Refusal::default)?;
    let rows = [copy.now, copy.before];
    let pair = Pair::of(module, function, &stmts[..at.index], rows)
        .ok_or_else(|| refuse("a row that it copies is no array beside the loop"))?;
    let constants = Constants::new(module, function);
    let outer = counting(&constants, nest)
        .filter(|outer| outer.by == 1 && outer.trips > 0)
        .ok_or_else(|| refuse("its trip counts are not constants"))?;
    let parts = Parts::of(&constants, nest, copy)?;
    let uses = Uses::of(module, kernel, context, rows)?;
    if !uses.are_within(&parts.range) {
        return Err(refuse("not all of a row is copied that is used"));
    }
    let writes = |stmts, row| !uses.stores(function, stmts, row).is_empty();
    if parts.others().any(|stmts| writes(stmts, copy.before)) {
        return Err(refuse("the row of the step before is written"));
    }
    if rows.iter().any(|row| writes(&stmts[at.index + 1..], *row)) {
        return Err(refuse("a row that it copies is written after it"));
    }
    let stored = Stored::of(function, &uses, &parts, copy.now)?;
    if !stored.is_whole() && !faults::is_on("wavefront-part-of-a-row") {
        return Err(refuse(
            "a step does not store all of the row that is copied",
        ));
    }
    if !stored.is_before_reads(function, &uses, copy.now) {
        return Err(refuse("a step reads its row before it is stored"));
    }
    Ok(Step { copy, outer, pair })
}

impl Step {
    /// The row of the array that one of the two is.
    fn row(&self, var: VarId, when: When) -> Option<Row> {
        let RowCopy {
            now,
            before,
            is_first,
            ..
        } = self.copy;
        let is_now = var == now;
        if !is_now && var != before {
            return None;
        }
        let start = self.outer.start;
        let last = start + i128::from(self.outer.trips) - 1;
        Some(match when {
            When::Inside => Row::Turn(i128::from(!is_now)),
            // The first step finds there what it copies.
            When::Before if is_now == is_first => Row::Always(start - 1),
            When::Before => Row::Always(start),
            When::After if is_first && !is_now => Row::Always(last - 1),
            When::After => Row::Always(last),
        })
    }

    fn write(
        self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        at: &Position,
    ) -> VarId {
        let row = |var: VarId, when: When| self.row(var, when);
        let turns = Turns {
            pair: &self.pair,
            named_as: self.copy.now,
            left_out: (&[self.copy.at], &[]),
            outer: &self.outer,
        };
        turns.write(module, kernel, context, at, &row)
    }
}
