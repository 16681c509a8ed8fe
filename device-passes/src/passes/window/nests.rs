//! The loops around a body.

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Init, Stmt, StmtKind, Types, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::liveness::flow;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Header;
use fpgacc_kernel_analysis::trip_count::{Constants, trip_count};

use super::when::Interval;

/// A loop that counts.
#[derive(Clone, Copy)]
pub struct Level<'s> {
    /// The loop.
    pub stmt: &'s Stmt,
    /// What it says before its body.
    pub header: Header,
    /// The first and the last value of its counter, if these are constant and there is one.
    pub values: Option<Interval>,
}

/// A loop and those inside, each of which is all that the one around does.
pub fn chain<'s>(
    types: &Types,
    function: &Function,
    constants: &Constants<'_>,
    stmt: &'s Stmt,
) -> Vec<Level<'s>> {
    let mut levels = Vec::new();
    let mut next = Some(stmt);
    while let Some(stmt) = next {
        let Some(header) = Header::of(function, stmt).filter(|_| !is_taken(stmt)) else {
            break;
        };
        let values = values(constants, stmt, &header);
        levels.push(Level {
            stmt,
            header,
            values,
        });
        next = match &stmt.kind {
            StmtKind::For { body, .. } => only_loop(types, function, &body.stmts),
            _ => None,
        };
    }
    levels
}

impl Level<'_> {
    /// What an iteration does.
    pub fn body(&self) -> &[Stmt] {
        match &self.stmt.kind {
            StmtKind::For { body, .. } => &body.stmts,
            _ => &[],
        }
    }

    /// Whether nothing but the loop sees its counter.
    pub fn declares_counter(&self) -> bool {
        match &self.stmt.kind {
            StmtKind::For { init, .. } => {
                matches!(init.first(), Some(first) if matches!(first.kind, StmtKind::Decl { .. }))
            }
            _ => false,
        }
    }

    /// Whether an iteration may be the last by its own doing.
    pub fn may_end(&self) -> bool {
        self.body()
            .iter()
            .any(|stmt| loops::leaves(stmt, true, false))
    }
}

fn values(constants: &Constants<'_>, stmt: &Stmt, header: &Header) -> Option<Interval> {
    let counts = matches!(header.op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne);
    let first = constants.value(header.start)?;
    let trips = trip_count(constants, stmt).filter(|trips| *trips > 0 && counts)?;
    Some((first, first + i128::from(trips) - 1))
}

/// Whether a loop is to be copied, or said to carry no dependence through any array: windows carry one.
fn is_taken(stmt: &Stmt) -> bool {
    loops::hints(stmt).is_some_and(|hints| {
        let pragmas = hints.pragmas.iter().map(String::as_str);
        let attrs = hints.attrs.iter().map(|attr| attr.name.as_str());
        let says_all = |text: &str| text.contains("ivdep") && !text.contains("array");
        pragmas
            .chain(attrs)
            .any(|text| text.contains("unroll") || says_all(text))
    })
}

/// The loop that is all of a list, but for declarations that may run more often.
fn only_loop<'s>(types: &Types, function: &Function, stmts: &'s [Stmt]) -> Option<&'s Stmt> {
    let mut real = stmts.iter().filter(|stmt| !stmt.is_comment());
    let last = real.next_back()?;
    let found = match &last.kind {
        StmtKind::Block(block) => only_loop(types, function, &block.stmts),
        _ => loops::hints(last).map(|_| last),
    }?;
    let is_harmless = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Decl { var, init } => {
            is_repeatable(function, init.as_ref()) && !is_carried(types, function, found, *var)
        }
        _ => false,
    };
    real.all(is_harmless).then_some(found)
}

/// Whether a variable may be given its first value again.
fn is_repeatable(function: &Function, init: Option<&Init>) -> bool {
    match init {
        None => true,
        Some(Init::Expr(value)) => is_sum(function, *value),
        Some(Init::List(_)) => false,
    }
}

/// Whether an iteration of a loop may see what one before it left in a variable that is declared before the
/// loop.
fn is_carried(types: &Types, function: &Function, stmt: &Stmt, var: VarId) -> bool {
    if !flow(types, function, [stmt], var).may_write {
        return false;
    }
    let StmtKind::For {
        init,
        cond,
        step,
        body,
        ..
    } = &stmt.kind
    else {
        return true;
    };
    let mut heads = init.iter().flat_map(Stmt::exprs).chain(*cond).chain(*step);
    heads.any(|head| function.exprs.uses(head, VarRef::Local(var)))
        || flow(types, function, &body.stmts, var).reads_first
}

/// Sums and products, which may be formed of any numbers.
fn is_sum(function: &Function, id: ExprId) -> bool {
    match *function.exprs.get(id) {
        Expr::Int { .. } | Expr::Float { .. } => true,
        Expr::Var(var) => matches!(var, VarRef::Local(_)),
        Expr::Unary {
            op: UnaryOp::Plus | UnaryOp::Minus,
            operand,
        }
        | Expr::Cast { operand, .. } => is_sum(function, operand),
        Expr::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
            lhs,
            rhs,
        } => is_sum(function, lhs) && is_sum(function, rhs),
        _ => false,
    }
}

/// The counter of a loop, by the loop.
pub fn counter_of(function: &Function, stmt: &Stmt) -> Option<VarId> {
    Header::of(function, stmt).map(|header| header.counter)
}
