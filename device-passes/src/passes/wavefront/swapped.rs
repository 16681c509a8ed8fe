//! Rows behind two pointers that each step exchanges, as rows that are used by turns.
//!
//! `for i { for j { q[j] = f(p[j], q[j - 1]); } t = p; p = q; q = t; }` writes into the row that the step before has read.
//! Where nothing else sets the pointers, it is known in each step which row they point to, and they are not needed.

use fpgacc_frontend::ir::{Expr, Function, FunctionId, Init, Module, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};

use super::turns::{Pair, Row, Turns, When};
use crate::pass::{Context, Note};
use crate::position::{Position, list, outermost};

/// Loops that begin or end with an exchange of pointers: a look that takes no time.
pub fn nests(function: &Function) -> Vec<Position> {
    outermost(function, &|stmt| exchange_in(function, stmt).is_some())
}

/// An exchange of two pointers in a loop's body.
struct Exchange {
    /// The one that is kept meanwhile, and the other.
    pointers: [VarId; 2],
    /// What it is kept in.
    kept: VarId,
    /// Its statements.
    at: [usize; 3],
    /// It is the first that a step does, and not the last.
    is_first: bool,
}

fn exchange_in(function: &Function, stmt: &Stmt) -> Option<Exchange> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    let real = body.stmts.iter().enumerate();
    let real: Vec<usize> = real
        .filter(|(_, stmt)| !stmt.is_comment())
        .map(|(at, _)| at)
        .collect();
    let ends = [
        (real.last_chunk::<3>()?, false),
        (real.first_chunk()?, true),
    ];
    let mut ends = ends.into_iter().filter(|_| real.len() > 3);
    ends.find_map(|(at, is_first)| {
        let [keep, move_on, back] = at.map(|at| set(function, &body.stmts[at]));
        let ((kept, first), (to, from), (last, again)) = (keep?, move_on?, back?);
        let is_exchange = to == first && last == from && again == kept && kept != from;
        (is_exchange && first != from).then_some(Exchange {
            pointers: [first, from],
            kept,
            at: *at,
            is_first,
        })
    })
}

/// `to = from;`, also where `to` is declared.
fn set(function: &Function, stmt: &Stmt) -> Option<(VarId, VarId)> {
    match stmt.kind {
        StmtKind::Decl {
            var,
            init: Some(Init::Expr(init)),
        } => Some((var, function.exprs.local_var(init)?)),
        StmtKind::Expr(root) => match *function.exprs.get(root) {
            Expr::Assign { op: None, lhs, rhs } => Some((
                function.exprs.local_var(lhs)?,
                function.exprs.local_var(rhs)?,
            )),
            _ => None,
        },
        _ => None,
    }
}

/// A step that may use its rows by turns.
struct Step {
    exchange: Exchange,
    /// Where the pointers are declared.
    declared: [usize; 2],
    /// What they point to first.
    arrays: [VarId; 2],
    pair: Pair,
    outer: Counting,
}

/// Uses the rows behind two pointers by turns, in place of exchanging these: their array, and what is done.
///
/// # Errors
/// They stay as they are.
pub fn turn(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<(VarId, Note), Refusal> {
    let step = look(module, kernel, at)?;
    let function = &module.functions[kernel];
    let [first, second] = step
        .exchange
        .pointers
        .map(|pointer| &function.vars[pointer].name);
    let text =
        format!("'{first}' and '{second}' point to rows of one array by turns: none is exchanged");
    let note = Note::new(text, at.get(function).and_then(|stmt| stmt.span));
    let turns = Turns {
        pair: &step.pair,
        named_as: step.arrays[0],
        left_out: (&step.exchange.at, &step.declared),
        outer: &step.outer,
    };
    let row = |var: VarId, when: When| step.row(var, when);
    let rows = turns.write(module, kernel, context, at, &row);
    Ok((rows, note))
}

fn look(module: &Module, kernel: FunctionId, at: &Position) -> Result<Step, Refusal> {
    let function = &module.functions[kernel];
    let stmts = list(function, &at.path).unwrap_or_default();
    let nest = stmts.get(at.index).ok_or_else(Refusal::default)?;
    let exchange = exchange_in(function, nest).ok_or_else(Refusal::default)?;
    let before = &stmts[..at.index];
    let no_arrays =
        || refuse("pointers that it exchanges do not start at two arrays beside the loop");
    let starts = exchange
        .pointers
        .map(|pointer| start(function, before, pointer));
    let ([Some(p), Some(q)], StmtKind::For { body, .. }) = (starts, &nest.kind) else {
        return Err(no_arrays());
    };
    let arrays = [p.array, q.array];
    let pair = Pair::of(module, function, before, arrays)
        .filter(|_| p.array != q.array)
        .ok_or_else(no_arrays)?;
    let constants = Constants::new(module, function);
    let outer = counting(&constants, nest)
        .filter(|outer| outer.by == 1 && outer.trips > 0)
        .ok_or_else(|| refuse("its trip counts are not constants"))?;
    let leaves = |stmt: &Stmt| loops::leaves(stmt, true, true) || loops::returns(stmt);
    if body.stmts.iter().any(leaves) {
        return Err(refuse("the loop over steps may end early"));
    }
    let exchanging = exchange.at.map(|at| &body.stmts[at]);
    let own = [&before[p.at], &before[q.at]].into_iter().chain(exchanging);
    let vars = [exchange.pointers, arrays].concat();
    let is_kept = is_used_beside(function, exchange.kept, exchanging);
    if is_kept || !are_only_indexed(function, &vars, own) {
        return Err(refuse(
            "rows whose pointers it exchanges are not only used by their elements",
        ));
    }
    Ok(Step {
        exchange,
        declared: [p.at, q.at],
        arrays,
        pair,
        outer,
    })
}

impl Step {
    /// The row of the array that an array is, or where a pointer points.
    fn row(&self, var: VarId, when: When) -> Option<Row> {
        let second = |of: &[VarId; 2]| of.iter().position(|one| *one == var).map(|at| at as i128);
        if let Some(row) = second(&self.arrays) {
            return Some(Row::Always(row));
        }
        let row = second(&self.exchange.pointers)?;
        Some(match when {
            When::Before => Row::Always(row),
            When::Inside => Row::Turn(row - self.outer.start + i128::from(self.exchange.is_first)),
            When::After => Row::Always(row + i128::from(self.outer.trips)),
        })
    }
}

/// Where a pointer is declared, and the array that it points to first.
struct Start {
    at: usize,
    array: VarId,
}

fn start(function: &Function, stmts: &[Stmt], pointer: VarId) -> Option<Start> {
    let found = |(at, stmt): (usize, &Stmt)| {
        let (var, array) = set(function, stmt)?;
        let is_declared = matches!(stmt.kind, StmtKind::Decl { .. });
        (is_declared && var == pointer).then_some(Start { at, array })
    };
    stmts.iter().enumerate().find_map(found)
}

/// How often variables are named in statements.
fn uses<'s>(
    function: &Function,
    stmts: impl IntoIterator<Item = &'s Stmt>,
    vars: &[VarId],
) -> usize {
    let stmts = stmts.into_iter();
    let all = stmts.flat_map(|stmt| stmt.local_uses(&function.exprs));
    all.filter(|(_, var)| vars.contains(var)).count()
}

fn body(function: &Function) -> impl Iterator<Item = &Stmt> {
    function.body.iter().flat_map(|body| &body.stmts)
}

/// Whether a variable is used elsewhere than in these statements.
fn is_used_beside(function: &Function, var: VarId, stmts: [&Stmt; 3]) -> bool {
    uses(function, body(function), &[var]) != uses(function, stmts, &[var])
}

/// Whether variables are only used by their elements, but for what sets and exchanges them.
fn are_only_indexed<'s>(
    function: &Function,
    vars: &[VarId],
    but: impl Iterator<Item = &'s Stmt>,
) -> bool {
    let mut indexed = 0;
    for stmt in body(function) {
        stmt.for_each_expr(&function.exprs, &mut |id| {
            if let Expr::Index { base, .. } = *function.exprs.get(id) {
                let var = function.exprs.local_var(base);
                indexed += usize::from(var.is_some_and(|var| vars.contains(&var)));
            }
        });
    }
    uses(function, body(function), vars) == indexed + uses(function, but, vars)
}
