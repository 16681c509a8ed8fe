//! Variables that grow by the same number in each iteration become sums of what they were and a multiple of
//! the counter.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Scalar, Stmt, StmtKind, UnaryOp, VarId, VarRef};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::nest::Header;

use super::steady::Steady;
use super::straight::{grown, point_to};
use super::values::{New, Values, assigned};
use super::{is_scalar, uses_in};
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Products of steps and trip counts below this overflow no `int`.
const SMALL: i128 = 1 << 30;

/// A variable that grows.
#[derive(Clone, Copy, Debug)]
pub struct Growing {
    /// It.
    pub var: VarId,
    /// The index of the statement that lets it grow.
    pub at: usize,
    /// Whether it grows or falls.
    op: BinaryOp,
    /// By how much; `None`: one.
    by: Option<ExprId>,
    /// By how much, with its sign, if that is constant.
    pub step: Option<i128>,
}

/// The variables that grow in a loop that counts up by one from a constant.
pub fn find(
    target: &Target<'_>,
    steady: &Steady,
    header: Header,
    stmts: &[Stmt],
    values: &Values,
) -> Vec<Growing> {
    if first(target, header).is_none() {
        return Vec::new();
    }
    let (writes, _) = uses_in(target, stmts);
    let is_growing = |(at, stmt): (usize, &Stmt)| {
        let (var, op, by) = growth(target, stmt)?;
        let scalar = target.types.as_scalar(target.function.vars[var].ty.ty)?;
        let is_own = writes.get(&var) == Some(&1)
            && is_scalar(target, var)
            && !steady.is_exposed(var)
            && !target.function.params.contains(&var);
        let stays = |id: ExprId| {
            let by = target.types.as_scalar(target.function.exprs.ty(id));
            // Such a number becomes one of the variable's type as it is, or wraps as the variable does.
            let fits = |by: Scalar| {
                let is_same = by == scalar || by.is_signed_integer();
                by.is_integer() && by.size() <= scalar.size() && is_same
            };
            by.is_some_and(fits) && stays(target, steady, id, &writes, header.counter)
        };
        if !is_own || !by.is_none_or(stays) {
            return None;
        }
        let constant = match by {
            Some(by) => values
                .number(target, steady, by)
                .and_then(|by| by.as_constant()),
            None => Some(1),
        };
        let step = constant.map(|by| if op == BinaryOp::Sub { -by } else { by });
        let growing = Growing {
            var,
            at,
            op,
            by,
            step,
        };
        let fits = match scalar {
            Scalar::UInt | Scalar::ULong => true,
            Scalar::Int | Scalar::Long => {
                is_index(target, stmts, var) || is_small(target, steady, header, &growing, values)
            }
            _ => false,
        };
        fits.then_some(growing)
    };
    stmts.iter().enumerate().filter_map(is_growing).collect()
}

/// The first value of a counter that counts up by one, from a constant that is not negative.
pub fn first(target: &Target<'_>, header: Header) -> Option<i128> {
    let counter = target.function.vars[header.counter].ty.ty;
    let counts = header.by.is_none()
        && !header.down
        && matches!(header.op, BinaryOp::Lt | BinaryOp::Le)
        && target.types.as_scalar(counter) == Some(Scalar::Int)
        && target
            .types
            .as_scalar(target.function.exprs.ty(header.bound))
            == Some(Scalar::Int);
    match *target.function.exprs.get(header.start) {
        Expr::Int { value, .. } if counts && (0..SMALL).contains(&value) => Some(value),
        _ => None,
    }
}

/// How often a loop runs, if that is constant.
pub fn trips(
    target: &Target<'_>,
    steady: &Steady,
    header: Header,
    values: &Values,
) -> Option<i128> {
    let first = first(target, header)?;
    let bound = values.number(target, steady, header.bound)?.as_constant()?;
    let last = if header.op == BinaryOp::Le {
        bound
    } else {
        bound - 1
    };
    Some((last - first + 1).max(0))
}

fn is_small(
    target: &Target<'_>,
    steady: &Steady,
    header: Header,
    growing: &Growing,
    values: &Values,
) -> bool {
    let trips = trips(target, steady, header, values);
    trips.zip(growing.step).is_some_and(|(trips, step)| {
        let product = trips.checked_mul(step.abs());
        product.is_some_and(|product| product < SMALL)
    })
}

/// `v += x`, `v = v + x` and the like.
fn growth(target: &Target<'_>, stmt: &Stmt) -> Option<(VarId, BinaryOp, Option<ExprId>)> {
    if matches!(stmt.kind, StmtKind::Decl { .. }) {
        return None;
    }
    match assigned(target, stmt)? {
        (var, New::More(op, by)) => Some((var, op, by)),
        (var, New::Is(value)) => match *target.function.exprs.get(value) {
            Expr::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub),
                lhs,
                rhs,
            } if *target.function.exprs.get(lhs) == Expr::Var(VarRef::Local(var)) => {
                Some((var, op, Some(rhs)))
            }
            _ => None,
        },
    }
}

/// Whether a number is made of what no iteration changes.
fn stays(
    target: &Target<'_>,
    steady: &Steady,
    id: ExprId,
    writes: &BTreeMap<VarId, usize>,
    counter: VarId,
) -> bool {
    let inner = |id| stays(target, steady, id, writes, counter);
    match *target.function.exprs.get(id) {
        Expr::Int { .. } => true,
        Expr::Var(VarRef::Local(var)) => {
            !writes.contains_key(&var)
                && var != counter
                && !steady.is_exposed(var)
                && (is_scalar(target, var) || steady.is_fixed_parameter(var))
        }
        Expr::Unary {
            op: UnaryOp::Plus | UnaryOp::Minus,
            operand,
        }
        | Expr::Cast { operand, .. } => inner(operand),
        Expr::Binary { op, lhs, rhs } => {
            let is_plain = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
            is_plain && inner(lhs) && inner(rhs)
        }
        _ => false,
    }
}

/// Whether each iteration is sure to use a variable as an index into a buffer, before it grows: it is not
/// negative then, so that the difference of two of its values fits its type.
fn is_index(target: &Target<'_>, stmts: &[Stmt], var: VarId) -> bool {
    let grows = stmts
        .iter()
        .position(|stmt| growth(target, stmt).is_some_and(|(own, ..)| own == var));
    let before = &stmts[..grows.unwrap_or(0)];
    before.iter().any(|stmt| {
        let is_straight = matches!(stmt.kind, StmtKind::Expr(_) | StmtKind::Decl { .. });
        is_straight
            && stmt
                .exprs()
                .into_iter()
                .any(|root| indexes(target, root, var))
    })
}

fn indexes(target: &Target<'_>, id: ExprId, var: VarId) -> bool {
    let exprs = &target.function.exprs;
    match *exprs.get(id) {
        Expr::Index { base, index } => {
            let is_parameter = matches!(exprs.get(base),
                Expr::Var(VarRef::Local(base)) if target.function.params.contains(base));
            is_parameter && *exprs.get(index) == Expr::Var(VarRef::Local(var))
                || indexes(target, index, var)
        }
        Expr::Cond { cond, .. } => indexes(target, cond, var),
        Expr::Binary {
            op: BinaryOp::And | BinaryOp::Or,
            lhs,
            ..
        } => indexes(target, lhs, var),
        Expr::SizeOf(_)
        | Expr::Unary {
            op: UnaryOp::AddressOf,
            ..
        } => false,
        _ => exprs
            .children(id)
            .into_iter()
            .any(|child| indexes(target, child, var)),
    }
}

/// Computes the variables from the counter; gives the statements that give them their last values after the
/// loop.
pub fn close(
    target: &mut Target<'_>,
    header: Header,
    stmts: &mut Vec<Stmt>,
    (growing, trips): (&[Growing], Option<i128>),
) -> Vec<Stmt> {
    let Some(first) = first(target, header) else {
        return Vec::new();
    };
    let mut after = Vec::new();
    let mut head = Vec::new();
    for grows in growing {
        let Growing { var, .. } = *grows;
        let counter = target.function.use_var(header.counter);
        let iteration = match first {
            0 => counter,
            _ => {
                let first = target.int(first as i64);
                target.binary(BinaryOp::Sub, counter, first)
            }
        };
        let value = multiple(target, grows, iteration);
        let here = twin(target, var);
        head.push(declaration(here, Some(value)));
        let at = stmts
            .iter()
            .position(|stmt| growth(target, stmt).is_some_and(|(own, ..)| own == var));
        let Some(at) = at else { continue };
        for stmt in &stmts[..at] {
            point_to(target, stmt, &BTreeMap::from([(var, here)]));
        }
        let (_, reads) = uses_in(target, &stmts[at + 1..]);
        if reads.contains(&var) {
            let next = twin(target, var);
            let read = target.function.use_var(here);
            let grown = more(target, grows, read);
            stmts[at] = declaration(next, Some(grown));
            for stmt in &stmts[at + 1..] {
                point_to(target, stmt, &BTreeMap::from([(var, next)]));
            }
        } else {
            stmts.remove(at);
        }
        after.extend(last(target, header, grows, (first, trips)));
    }
    stmts.splice(0..0, head);
    after
}

/// `v = v + (trips - 1) * by + by`, of which no part is more than a value that the original has.
fn last(
    target: &mut Target<'_>,
    header: Header,
    grows: &Growing,
    (first, trips): (i128, Option<i128>),
) -> Option<Stmt> {
    if trips == Some(0) {
        return None;
    }
    let lost = i128::from(faults::is_on("interchange-last-lost"));
    let iteration = match trips {
        Some(trips) => target.int((trips - 1 - lost) as i64),
        None => {
            let bound = target.function.exprs.duplicate(header.bound);
            let less = if header.op == BinaryOp::Lt {
                first + 1
            } else {
                first
            };
            let less = target.int((less + lost) as i64);
            target.binary(BinaryOp::Sub, bound, less)
        }
    };
    let value = multiple(target, grows, iteration);
    let value = more(target, grows, value);
    let value = match trips {
        Some(_) => value,
        None => {
            let start = target.function.exprs.duplicate(header.start);
            let bound = target.function.exprs.duplicate(header.bound);
            let runs = target.binary(header.op, start, bound);
            let stays = target.function.use_var(grows.var);
            let ty = target.function.exprs.ty(value);
            let cond = Expr::Cond {
                cond: runs,
                then: value,
                otherwise: stays,
            };
            target.function.exprs.add(cond, ty, None)
        }
    };
    Some(target.function.assign_var(grows.var, value))
}

/// What a variable is after an iteration more.
fn more(target: &mut Target<'_>, grows: &Growing, value: ExprId) -> ExprId {
    let by = match grows.by {
        Some(by) => target.function.exprs.duplicate(by),
        None => target.int(1),
    };
    grown(target, grows.op, value, by)
}

/// What a variable is after so many iterations.
fn multiple(target: &mut Target<'_>, grows: &Growing, iterations: ExprId) -> ExprId {
    let ty = target.function.vars[grows.var].ty.ty;
    let scalar = |target: &Target<'_>, ty| target.types.as_scalar(ty);
    let iterations = match scalar(target, ty) == Some(Scalar::Int) {
        true => iterations,
        false => target.function.exprs.cast(ty, iterations),
    };
    let by = match grows.by {
        None => iterations,
        Some(by) => {
            let by = target.function.exprs.duplicate(by);
            target.binary(BinaryOp::Mul, iterations, by)
        }
    };
    let value = target.function.use_var(grows.var);
    grown(target, grows.op, value, by)
}

/// A variable of the same name and type.
pub fn twin(target: &mut Target<'_>, var: VarId) -> VarId {
    let (name, ty) = {
        let variable = &target.function.vars[var];
        (variable.name.clone(), variable.ty.ty)
    };
    target.function.add_var(&name, ty, target.taken)
}
