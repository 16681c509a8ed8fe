//! What an iteration keeps of memory that nobody writes is read again by the next one: `before = here; here =
//! a[c];` is `before = a[c - w];`.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Stmt, StmtKind, VarId, VarRef};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::nest::Header;
use fpgacc_kernel_analysis::poly::Poly;

use super::closed::{Growing, first, twin};
use super::steady::Steady;
use super::straight::point_to;
use super::values::{New, Value, Values, assigned};
use super::{is_scalar, uses_in};
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// What a variable is at the head of an iteration: an element that an earlier one read.
#[derive(Clone, Copy, Debug)]
struct Start {
    array: VarId,
    /// The index, in the iteration that read it.
    index: ExprId,
    /// So many iterations ago.
    back: i128,
    /// The index of the statement that gives it its next value.
    at: usize,
}

/// A loop's body, and what grows in it.
struct Body<'b> {
    stmts: &'b [Stmt],
    growing: &'b [Growing],
    writes: BTreeMap<VarId, usize>,
    header: Header,
}

/// Reads again what iterations keep; gives what stands at the head of the body, and what after the loop.
pub fn read_again(
    target: &mut Target<'_>,
    steady: &Steady,
    header: Header,
    (stmts, growing): (&mut Vec<Stmt>, &[Growing]),
    values: &Values,
) -> (Vec<Stmt>, Vec<Stmt>) {
    let (mut head, mut after) = (Vec::new(), Vec::new());
    if first(target, header).is_none() {
        return (head, after);
    }
    let (writes, _) = uses_in(target, stmts);
    let body = Body {
        stmts,
        growing,
        writes,
        header,
    };
    let starts = starts(target, steady, &body, values);
    for (var, start) in &starts {
        let (_, reads) = uses_in(target, &stmts[..=start.at]);
        if reads.contains(var) {
            let own = twin(target, *var);
            let value = element(target, growing, start);
            head.push(declaration(own, Some(value)));
            for stmt in &stmts[..=start.at] {
                point_to(target, stmt, &BTreeMap::from([(*var, own)]));
            }
        }
        let value = element(target, growing, start);
        after.push(target.function.assign_var(*var, value));
    }
    for (var, start) in &starts {
        let own = twin(target, *var);
        let value = match stmts[start.at].kind {
            StmtKind::Expr(id) => match *target.function.exprs.get(id) {
                Expr::Assign { rhs, .. } => rhs,
                _ => continue,
            },
            _ => continue,
        };
        stmts[start.at] = declaration(own, Some(value));
        for stmt in &stmts[start.at + 1..] {
            point_to(target, stmt, &BTreeMap::from([(*var, own)]));
        }
    }
    (head, after)
}

/// The variables that are elements of memory at the head of each iteration.
fn starts(
    target: &Target<'_>,
    steady: &Steady,
    body: &Body<'_>,
    values: &Values,
) -> BTreeMap<VarId, Start> {
    let mut found: BTreeMap<VarId, Start> = BTreeMap::new();
    loop {
        let known = found.len();
        for (at, stmt) in body.stmts.iter().enumerate() {
            let is_new = |var: &VarId| {
                !found.contains_key(var)
                    && body.writes.get(var) == Some(&1)
                    && is_scalar(target, *var)
                    && !steady.is_exposed(*var)
                    && !target.function.params.contains(var)
            };
            let Some((var, New::Is(value))) = assigned(target, stmt) else {
                continue;
            };
            if matches!(stmt.kind, StmtKind::Decl { .. }) || !is_new(&var) {
                continue;
            }
            let start = start(target, steady, body, (value, at), &found);
            let start = start
                .filter(|(_, ty)| *ty == target.types.as_scalar(target.function.vars[var].ty.ty));
            if let Some((start, _)) = start
                && holds_at_entry(target, steady, body, (var, &start), values)
            {
                found.insert(var, start);
            }
        }
        if found.len() == known {
            return found;
        }
    }
}

fn start(
    target: &Target<'_>,
    steady: &Steady,
    body: &Body<'_>,
    (value, at): (ExprId, usize),
    found: &BTreeMap<VarId, Start>,
) -> Option<(Start, Option<fpgacc_frontend::ir::Scalar>)> {
    let exprs = &target.function.exprs;
    let ty = target.types.as_scalar(exprs.ty(value));
    match *exprs.get(value) {
        Expr::Var(VarRef::Local(of)) => {
            let of = found.get(&of)?;
            // What it is given then is what the other was before the other changed.
            let back = of.back + i128::from(of.at > at);
            Some((Start { back, at, ..*of }, ty))
        }
        Expr::Index { base, index } => {
            let array = exprs.local_var(base)?;
            let fits = steady.is_unwritten(array) && body.is_followed(target, index, at);
            let start = Start {
                array,
                index,
                back: 1,
                at,
            };
            fits.then_some((start, ty))
        }
        _ => None,
    }
}

impl Body<'_> {
    /// Whether all that an index is made of stays, or moves on by a constant after the statement at hand.
    fn is_followed(&self, target: &Target<'_>, index: ExprId, at: usize) -> bool {
        let exprs = &target.function.exprs;
        let is_else = exprs.any(index, &mut |id| match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                let mut growing = self.growing.iter();
                let grows = growing.find(|growing| growing.var == *var);
                match grows {
                    Some(grows) => grows.at < at || grows.step.is_none(),
                    // The counter after the loop is not at hand.
                    None => *var == self.header.counter || self.writes.contains_key(var),
                }
            }
            Expr::Int { .. }
            | Expr::Cast { .. }
            | Expr::Unary { .. }
            | Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
                ..
            } => false,
            _ => true,
        });
        !is_else
    }
}

/// Whether a variable is that element when the loop begins, too.
fn holds_at_entry(
    target: &Target<'_>,
    steady: &Steady,
    body: &Body<'_>,
    (var, start): (VarId, &Start),
    values: &Values,
) -> bool {
    let earlier = body.growing.iter().filter_map(|growing| {
        let now = values.of(target, steady, growing.var)?;
        let back = start.back.checked_mul(growing.step?)?;
        Some((growing.var, now.plus(&Poly::constant(back), -1)))
    });
    let earlier = values.with(earlier);
    let index = earlier.number(target, steady, start.index);
    match (values.get(var), index) {
        (Some(Value::Element(array, at)), Some(index)) => {
            *array == start.array && (*at == index || faults::is_on("interchange-reread-anywhere"))
        }
        _ => false,
    }
}

/// The element, of what grows as it is at the head of an iteration.
fn element(target: &mut Target<'_>, growing: &[Growing], start: &Start) -> ExprId {
    let index = target.function.exprs.duplicate(start.index);
    for (slot, var) in target.function.exprs.local_uses(index) {
        let Some(grows) = growing.iter().find(|growing| growing.var == var) else {
            continue;
        };
        let value = target.function.use_var(var);
        let less = start.back * grows.step.unwrap_or(0);
        let op = if less < 0 {
            BinaryOp::Add
        } else {
            BinaryOp::Sub
        };
        let by = target.int(less.abs() as i64);
        let ty = target.function.exprs.ty(slot);
        let sum = target.binary(op, value, by);
        let expr = target.function.exprs.get(sum).clone();
        target.function.exprs.replace(slot, expr, ty);
    }
    let base = target.function.use_var(start.array);
    target.function.exprs.index(target.types, base, index)
}
