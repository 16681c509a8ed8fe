//! Finding statements that look like reductions: `x += e` and its kin.

use fpgacc_frontend::ir::{BinaryOp, Callee, Expr, ExprId, Exprs, Stmt, StmtKind};

/// How two partial results become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combine {
    /// `a + b`
    Add,
    /// `a * b`
    Mul,
    /// `name(a, b)`: `fmin`, `fmax`, `min`, `max`.
    Call(String),
    /// `b op a ? b : a`: a minimum or maximum that keeps its value where a NaN comes by.
    Select(BinaryOp),
}

impl Combine {
    /// What the result is, for messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Combine::Add => "sum",
            Combine::Mul => "product",
            Combine::Call(name) if name.ends_with("min") => "minimum",
            Combine::Select(BinaryOp::Lt | BinaryOp::Le) => "minimum",
            Combine::Call(_) | Combine::Select(_) => "maximum",
        }
    }

    /// Partial results, for comments.
    pub fn plural(&self) -> &'static str {
        match self.noun() {
            "sum" => "sums",
            "product" => "products",
            "minimum" => "minima",
            _ => "maxima",
        }
    }

    /// Combining a value with itself changes nothing.
    pub fn is_idempotent(&self) -> bool {
        matches!(self, Combine::Call(_) | Combine::Select(_))
    }
}

/// How a reduction statement is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `x op= e`
    Compound {
        /// Add, Sub or Mul.
        op: BinaryOp,
        /// `e`
        value: ExprId,
    },
    /// `x = f(x, ..)`: the value with its reads of `x` in place.
    InPlace {
        /// The right-hand side.
        value: ExprId,
    },
    /// `x = x + a - b ..`: a chain of more than one operation around `x`.
    Chain {
        /// The right-hand side.
        value: ExprId,
    },
    /// `if (e < x) x = e;`
    Branch {
        /// The condition.
        cond: ExprId,
        /// `e`
        value: ExprId,
    },
}

/// A statement that reads a location and stores into it what it makes of that.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The statement's own expression: the assignment, or the condition of a [`Form::Branch`].
    pub key: ExprId,
    /// The location, as the statement stores to it.
    pub location: ExprId,
    /// Where the statement reads the location.
    pub reads: Vec<ExprId>,
    /// How; `None` if the operation is not associative and commutative.
    pub how: Option<(Combine, Form)>,
    /// The first iteration is sure to reach it.
    pub sure: bool,
}

/// All candidates in the body of a loop without inner loops.
pub fn candidates(exprs: &Exprs, body: &[Stmt]) -> Vec<Candidate> {
    let mut out = Vec::new();
    collect(exprs, body, &mut true, &mut out);
    out
}

fn collect(exprs: &Exprs, stmts: &[Stmt], sure: &mut bool, out: &mut Vec<Candidate>) {
    for stmt in stmts {
        if let Some(mut candidate) = candidate(exprs, stmt) {
            candidate.sure = *sure;
            out.push(candidate);
            continue;
        }
        match &stmt.kind {
            StmtKind::Block(block) => collect(exprs, &block.stmts, sure, out),
            _ => {
                for list in stmt.lists() {
                    collect(exprs, list, &mut false, out);
                }
                *sure &= !may_leave(stmt);
            }
        }
    }
}

/// Whether control may leave the statement other than at its end.
fn may_leave(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Goto(_)
        );
    });
    found
}

fn candidate(exprs: &Exprs, stmt: &Stmt) -> Option<Candidate> {
    match &stmt.kind {
        StmtKind::Expr(key) => assignment(exprs, *key),
        StmtKind::If {
            cond,
            then,
            otherwise,
        } => {
            let [only] = then.stmts.as_slice() else {
                return None;
            };
            if otherwise
                .as_ref()
                .is_some_and(|block| !block.stmts.is_empty())
            {
                return None;
            }
            branch(exprs, *cond, only)
        }
        _ => None,
    }
}

fn assignment(exprs: &Exprs, key: ExprId) -> Option<Candidate> {
    let Expr::Assign { op, lhs, rhs } = *exprs.get(key) else {
        return None;
    };
    let candidate = |reads, how| {
        Some(Candidate {
            key,
            location: lhs,
            reads,
            how,
            sure: false,
        })
    };
    if let Some(op) = op {
        let combine = match op {
            BinaryOp::Add | BinaryOp::Sub => Some(Combine::Add),
            BinaryOp::Mul => Some(Combine::Mul),
            _ => None,
        };
        let form = Form::Compound { op, value: rhs };
        // Its own read of the location is no node: the assignment reads its left side.
        return candidate(vec![lhs], combine.map(|combine| (combine, form)));
    }
    let mut reads = Vec::new();
    exprs.for_each(rhs, &mut |id| {
        if exprs.same(id, lhs) {
            reads.push(id);
        }
    });
    if reads.is_empty() {
        return None;
    }
    let how = match *reads.as_slice() {
        [read] => one_read(exprs, rhs, read),
        [a, b] => select(exprs, rhs, a, b),
        _ => None,
    };
    candidate(reads, how)
}

fn one_read(exprs: &Exprs, value: ExprId, read: ExprId) -> Option<(Combine, Form)> {
    let in_place = Form::InPlace { value };
    if let Expr::Call {
        callee: Callee::Builtin(name),
        args,
    } = exprs.get(value)
    {
        return match (name.as_str(), args.as_slice()) {
            ("fmin" | "fmax" | "min" | "max", [a, b]) if *a == read || *b == read => {
                Some((Combine::Call(name.clone()), in_place))
            }
            ("fma" | "mad", [_, _, addend]) if *addend == read => Some((Combine::Add, in_place)),
            _ => None,
        };
    }
    for (combine, follow) in [(Combine::Add, BinaryOp::Add), (Combine::Mul, BinaryOp::Mul)] {
        if let Some(length) = chain_length(exprs, value, read, follow) {
            let form = match length {
                1 => in_place,
                _ => Form::Chain { value },
            };
            return Some((combine, form));
        }
    }
    None
}

/// The number of operations between `value` and its operand `read`, if all are additions (or
/// subtractions from `read`), or all are multiplications.
fn chain_length(exprs: &Exprs, value: ExprId, read: ExprId, follow: BinaryOp) -> Option<u32> {
    let mut at = value;
    let mut length = 0;
    while at != read {
        let Expr::Binary { op, lhs, rhs } = *exprs.get(at) else {
            return None;
        };
        let below = |id| exprs.any(id, &mut |node| node == read);
        let is_left = below(lhs);
        let minus = op == BinaryOp::Sub && follow == BinaryOp::Add && is_left;
        if op != follow && !minus {
            return None;
        }
        at = if is_left { lhs } else { rhs };
        length += 1;
    }
    (length > 0).then_some(length)
}

/// `e op x ? e : x`.
fn select(exprs: &Exprs, value: ExprId, a: ExprId, b: ExprId) -> Option<(Combine, Form)> {
    let Expr::Cond {
        cond,
        then,
        otherwise,
    } = *exprs.get(value)
    else {
        return None;
    };
    let (op, left, right) = compare(exprs, cond)?;
    let (op, compared, read) = if right == a || right == b {
        (op, left, right)
    } else {
        (op.mirrored(), right, left)
    };
    let reads_fit = [read, otherwise] == [a, b] || [read, otherwise] == [b, a];
    let fits = reads_fit && exprs.same(compared, then) && !exprs.has_effects(then);
    fits.then_some((Combine::Select(op), Form::InPlace { value }))
}

/// A condition that orders two values, as `left op right`.
fn compare(exprs: &Exprs, cond: ExprId) -> Option<(BinaryOp, ExprId, ExprId)> {
    let Expr::Binary { op, lhs, rhs } = *exprs.get(cond) else {
        return None;
    };
    matches!(
        op,
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge
    )
    .then_some((op, lhs, rhs))
}

/// `if (e op x) x = e;`
fn branch(exprs: &Exprs, cond: ExprId, then: &Stmt) -> Option<Candidate> {
    let StmtKind::Expr(assign) = then.kind else {
        return None;
    };
    let Expr::Assign {
        op: None,
        lhs: location,
        rhs: value,
    } = *exprs.get(assign)
    else {
        return None;
    };
    let (op, left, right) = compare(exprs, cond)?;
    let (op, read) = if exprs.same(left, value) && exprs.same(right, location) {
        (op, right)
    } else if exprs.same(right, value) && exprs.same(left, location) {
        (op.mirrored(), left)
    } else {
        return None;
    };
    if exprs.has_effects(value) {
        return None;
    }
    Some(Candidate {
        key: cond,
        location,
        reads: vec![read],
        how: Some((Combine::Select(op), Form::Branch { cond, value })),
        sure: false,
    })
}
