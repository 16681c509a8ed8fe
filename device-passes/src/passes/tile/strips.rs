//! Cuts loops into strips, with a tile for each.
//!
//! All work-items of a group go through the strips together, those too that skip the loop in the original:
//! what stands around the loop under a condition is done in parts, each under that condition.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Expr, ExprId, Init, Qualifiers, Scalar, Stmt, StmtKind, VarId,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::loops;

use super::codegen::Codegen;
use super::reads::{Strip, guard};

/// A loop that is cut into strips, and what each strip begins with.
pub struct Cut {
    /// The loop.
    pub strip: Strip,
    /// Iterations of a strip.
    pub length: u64,
    /// The counter of a strip's iterations.
    pub iteration: VarId,
    /// Loads what the strip reads.
    pub fill: Vec<Stmt>,
}

/// Whether what stands around a loop can be done in parts.
pub fn can_open(stmts: &[Stmt], number: usize) -> bool {
    let Some((at, inside)) = holder(stmts, number) else {
        return false;
    };
    // A list cannot be assigned.
    let is_list = |stmt: &Stmt| {
        matches!(
            &stmt.kind,
            StmtKind::Decl {
                init: Some(Init::List(_)),
                ..
            }
        )
    };
    !stmts[..at].iter().any(is_list)
        && match &stmts[at].kind {
            StmtKind::If { then, .. } => can_open(&then.stmts, inside),
            StmtKind::Block(block) => can_open(&block.stmts, inside),
            _ => inside == 0,
        }
}

/// Which statement holds the loop with a number, and its number among the loops there.
fn holder(stmts: &[Stmt], number: usize) -> Option<(usize, usize)> {
    let mut before = 0;
    for (at, stmt) in stmts.iter().enumerate() {
        let held = loops::count(stmt);
        if number < before + held {
            return Some((at, number - before));
        }
        before += held;
    }
    None
}

/// Cuts the loop with a number among these statements' loops.
pub fn open(
    code: &mut Codegen<'_>,
    mut stmts: Vec<Stmt>,
    number: usize,
    cut: &mut Cut,
    active: Option<VarId>,
) -> Vec<Stmt> {
    let Some((at, inside)) = holder(&stmts, number) else {
        return stmts;
    };
    let after = stmts.split_off(at + 1);
    let holds = stmts.pop();
    let mut out = Vec::new();
    let mut active = active;
    let mut part = Vec::new();
    for stmt in stmts {
        match guard(&stmt) {
            Some(_) => {
                out.append(&mut in_part(code, std::mem::take(&mut part), active));
                let (mut made, goes_on) = leave(code, stmt, active);
                out.append(&mut made);
                active = Some(goes_on);
            }
            None => part.push(stmt),
        }
    }
    out.append(&mut in_part(code, part, active));
    let Some(holds) = holds else { return out };
    match holds.kind {
        StmtKind::If { cond, then, .. } => {
            let runs = code.variable("runs", Scalar::Bool);
            let cond = with(code, active, cond);
            out.push(Stmt::define(runs, cond));
            out.append(&mut open(code, then.stmts, inside, cut, Some(runs)));
        }
        StmtKind::Block(block) => {
            out.append(&mut open(code, block.stmts, inside, cut, active));
        }
        _ => out.append(&mut in_strips(code, holds, cut, active)),
    }
    // `__local` memory is declared in no inner block.
    let is_local = |stmt: &Stmt| match stmt.kind {
        StmtKind::Decl { var, .. } => code.function.vars[var].space == AddressSpace::Local,
        _ => false,
    };
    let (mut arrays, after): (Vec<Stmt>, Vec<Stmt>) = after.into_iter().partition(is_local);
    out.append(&mut arrays);
    if !after.is_empty() {
        match active {
            Some(active) => {
                let cond = code.function.use_var(active);
                out.push(Stmt::only_if(cond, after));
            }
            None => out.extend(after),
        }
    }
    out
}

/// `active && cond`
fn with(code: &mut Codegen<'_>, active: Option<VarId>, cond: ExprId) -> ExprId {
    match active {
        Some(active) => {
            let active = code.function.use_var(active);
            code.binary(BinaryOp::And, active, cond)
        }
        None => cond,
    }
}

/// Statements under a condition; what they declare is declared outside.
fn in_part(code: &mut Codegen<'_>, stmts: Vec<Stmt>, active: Option<VarId>) -> Vec<Stmt> {
    let Some(active) = active.filter(|_| !stmts.is_empty()) else {
        return stmts;
    };
    let (mut out, mut inside) = (Vec::new(), Vec::new());
    for stmt in stmts {
        if is_constant(code, &stmt) {
            out.push(stmt);
            continue;
        }
        let StmtKind::Decl { var, init } = stmt.kind else {
            inside.push(stmt);
            continue;
        };
        let value = match init {
            Some(Init::Expr(value)) => Some(value),
            _ => None,
        };
        let kind = StmtKind::Decl { var, init: None };
        out.push(Stmt::at(kind, stmt.span));
        if let Some(value) = value {
            let variable = &mut code.function.vars[var];
            variable.ty.quals.remove(Qualifiers::CONST);
            let assign = code.function.assign_var(var, value);
            inside.push(Stmt::at(assign.kind, stmt.span));
        }
    }
    if !inside.is_empty() {
        let cond = code.function.use_var(active);
        out.push(Stmt::only_if(cond, inside));
    }
    out
}

/// Whether a statement declares a variable with a literal, which may be done anywhere.
fn is_constant(code: &Codegen<'_>, stmt: &Stmt) -> bool {
    let StmtKind::Decl {
        init: Some(Init::Expr(value)),
        ..
    } = stmt.kind
    else {
        return false;
    };
    let exprs = &code.function.exprs;
    matches!(exprs.get(value), Expr::Int { .. } | Expr::Float { .. })
}

/// `if (cond) { ..; return; }` as a condition on all that follows.
fn leave(code: &mut Codegen<'_>, stmt: Stmt, active: Option<VarId>) -> (Vec<Stmt>, VarId) {
    let goes_on = code.variable("runs", Scalar::Bool);
    let StmtKind::If { cond, mut then, .. } = stmt.kind else {
        unreachable!("a guard is an if");
    };
    then.stmts.pop();
    let not = code.function.exprs.not(code.types, cond);
    let cond = with(code, active, not);
    let mut out = vec![Stmt::define(goes_on, cond)];
    if !then.stmts.is_empty() {
        let runs = code.function.use_var(goes_on);
        let left = code.function.exprs.not(code.types, runs);
        let left = with(code, active, left);
        out.push(Stmt::only_if(left, then.stmts));
    }
    (out, goes_on)
}

/// The loop in strips.
fn in_strips(
    code: &mut Codegen<'_>,
    stmt: Stmt,
    cut: &mut Cut,
    active: Option<VarId>,
) -> Vec<Stmt> {
    let span = stmt.span;
    let StmtKind::For {
        init, cond, body, ..
    } = stmt.kind
    else {
        return vec![stmt];
    };
    let strip = cut.strip;
    let Some(first) = code.first else {
        return Vec::new();
    };
    let mut out = Vec::new();
    if !strip.is_own {
        out.append(&mut in_part(code, init, active));
    }
    let mut inside = std::mem::take(&mut cut.fill);
    if !faults::is_on("tile-barrier-lost") {
        inside.push(code.barrier());
    }
    let iterations = iterations(code, body, cut, first);
    match active {
        Some(active) => {
            let runs = code.function.use_var(active);
            inside.push(Stmt::only_if(runs, vec![iterations]));
        }
        None => inside.push(iterations),
    }
    inside.push(code.barrier());
    let start = code.writer().expanded(strip.start);
    let all = before_end(code, first, None, strip.end);
    let mut whole = code.counted((first, start), all, cut.length, inside);
    whole.span = span;
    out.push(whole);
    // The counter is seen after the loop.
    if let Some(cond) = cond.filter(|_| !strip.is_own) {
        let end = code.function.exprs.duplicate(strip.end);
        let last = code.function.assign_var(strip.counter, end);
        let last = Stmt::only_if(cond, vec![last]);
        out.append(&mut in_part(code, vec![last], active));
    }
    out
}

/// The iterations of a strip.
fn iterations(code: &mut Codegen<'_>, body: Block, cut: &Cut, first: VarId) -> Stmt {
    let strip = cut.strip;
    let ty = code.function.vars[strip.counter].ty.ty;
    let (from, by) = (
        code.function.use_var(first),
        code.function.use_var(cut.iteration),
    );
    let value = code.binary(BinaryOp::Add, from, by);
    let value = code.writer().converted(value, ty);
    let mut each = vec![match strip.is_own {
        true => Stmt::define(strip.counter, value),
        false => code.function.assign_var(strip.counter, value),
    }];
    each.extend(body.stmts);
    let is_even = strip.is_even || faults::is_on("tile-remainder-lost");
    if !is_even {
        let cond = before_end(code, first, Some(cut.iteration), strip.end);
        each = vec![Stmt::only_if(cond, each)];
    }
    let zero = code.function.exprs.int(code.types, 0);
    let counter = code.function.use_var(cut.iteration);
    let end = code.function.exprs.int(code.types, cut.length as i64);
    let cond = code.binary(BinaryOp::Lt, counter, end);
    code.counted((cut.iteration, zero), cond, 1, each)
}

/// `first + by < end`, in numbers of 64 bits.
fn before_end(code: &mut Codegen<'_>, first: VarId, by: Option<VarId>, end: ExprId) -> ExprId {
    let mut at = code.function.use_var(first);
    if let Some(by) = by {
        let by = code.function.use_var(by);
        at = code.binary(BinaryOp::Add, at, by);
    }
    let end = code.writer().expanded(end);
    code.binary(BinaryOp::Lt, at, end)
}
