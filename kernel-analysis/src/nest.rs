//! Loop nests that can become one loop: perfect ones, whose loops run equally often in each iteration of
//! those around.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, IncDecOp, Init, LoopHints, Module, Stmt, StmtKind, UnaryOp,
    VarId, VarRef,
};

use super::loops;
use super::variables::{Access, accesses_of_stmt};

/// The pragma that makes one loop of a nest, of SDK 17.1 and later (Intel FPGA SDK for OpenCL, programming
/// guide, "Coalescing Nested Loops").
pub const PRAGMA: &str = "loop_coalesce";

/// The levels for which a loop's hints ask to be one loop, itself counted; `u64::MAX`: all. `None`: they do
/// not ask.
pub fn asked(hints: &LoopHints) -> Option<u64> {
    let words = hints.pragmas.iter().map(|text| text.split_whitespace());
    let mut asked = words.filter_map(|mut words| {
        let is_ours = words.next() == Some(PRAGMA);
        is_ours.then(|| words.next().map(|number| number.trim_matches(['(', ')'])))
    });
    let number = asked.next()?;
    Some(number.and_then(|n| n.parse().ok()).unwrap_or(u64::MAX))
}

/// The nests of a function.
pub struct Nests<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Variables whose address is taken.
    exposed: BTreeSet<VarId>,
}

/// How often variables are written in a loop.
pub type Writes = BTreeMap<VarId, usize>;

/// What a counting loop says before its body.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The variable that it counts with.
    pub counter: VarId,
    /// Its first value.
    pub start: ExprId,
    /// How it is compared with the bound: `counter op bound`.
    pub op: BinaryOp,
    /// The counter in the comparison, perhaps cast.
    pub compared: ExprId,
    /// What it is compared with.
    pub bound: ExprId,
    /// What is added to it or, if `down`, taken from it; `None`: one.
    pub by: Option<ExprId>,
    /// It counts down.
    pub down: bool,
}

impl Header {
    /// Of a `for` loop that gives one variable a first value, compares it, and adds to it or takes from it.
    pub fn of(function: &Function, stmt: &Stmt) -> Option<Self> {
        let StmtKind::For {
            init,
            cond: Some(cond),
            step: Some(step),
            ..
        } = &stmt.kind
        else {
            return None;
        };
        let (counter, start) = start(function, init)?;
        let (op, compared, bound) = compared(function, *cond, counter)?;
        let (by, down) = match *function.exprs.get(*step) {
            Expr::IncDec { op, operand } if function.exprs.local_var(operand) == Some(counter) => {
                (None, matches!(op, IncDecOp::PreDec | IncDecOp::PostDec))
            }
            Expr::Assign {
                op: Some(op @ (BinaryOp::Add | BinaryOp::Sub)),
                lhs,
                rhs,
            } if function.exprs.local_var(lhs) == Some(counter) => (Some(rhs), op == BinaryOp::Sub),
            _ => return None,
        };
        Some(Header {
            counter,
            start,
            op,
            compared,
            bound,
            by,
            down,
        })
    }
}

/// The variable that a loop's init sets, and its value.
fn start(function: &Function, init: &[Stmt]) -> Option<(VarId, ExprId)> {
    let [only] = init else { return None };
    match &only.kind {
        StmtKind::Decl {
            var,
            init: Some(Init::Expr(value)),
        } => Some((*var, *value)),
        StmtKind::Expr(expr) => match *function.exprs.get(*expr) {
            Expr::Assign { op: None, lhs, rhs } => Some((function.exprs.local_var(lhs)?, rhs)),
            _ => None,
        },
        _ => None,
    }
}

/// A comparison of a counter, with the counter at the left.
fn compared(
    function: &Function,
    cond: ExprId,
    counter: VarId,
) -> Option<(BinaryOp, ExprId, ExprId)> {
    use BinaryOp::{Ge, Gt, Le, Lt, Ne};
    let Expr::Binary { op, lhs, rhs } = *function.exprs.get(cond) else {
        return None;
    };
    let mirrored = match op {
        Lt => Gt,
        Le => Ge,
        Gt => Lt,
        Ge => Le,
        Ne => Ne,
        _ => return None,
    };
    let is_counter = |id| function.exprs.local_var(uncast(function, id)) == Some(counter);
    if is_counter(lhs) {
        return Some((op, lhs, rhs));
    }
    is_counter(rhs).then_some((mirrored, rhs, lhs))
}

fn uncast(function: &Function, id: ExprId) -> ExprId {
    match *function.exprs.get(id) {
        Expr::Cast { operand, .. } => uncast(function, operand),
        _ => id,
    }
}

impl<'a> Nests<'a> {
    /// Looks through a function.
    pub fn of(module: &'a Module, function: &'a Function) -> Self {
        let mut exposed = BTreeSet::new();
        for stmt in function.body.iter().flat_map(|body| &body.stmts) {
            accesses_of_stmt(&module.types, function, stmt, &mut |var, access| {
                if access == Access::Address {
                    exposed.insert(var);
                }
            });
        }
        Nests {
            module,
            function,
            exposed,
        }
    }

    /// The loops that can become one with `stmt`, itself counted. Each but the last holds nothing but the
    /// next; each counts by a fixed step up or down to a bound that does not change while the outermost
    /// runs, and is left in no other way. 0: not even `stmt` is such a loop.
    pub fn levels(&self, stmt: &Stmt) -> u64 {
        let writes = self.writes(stmt);
        let mut levels = 0;
        let mut next = Some(stmt);
        while let Some(stmt) = next.filter(|stmt| self.counts(stmt, &writes, levels == 0)) {
            levels += 1;
            next = only_loop(stmt);
        }
        levels
    }

    /// Whether a loop counts.
    fn counts(&self, stmt: &Stmt, writes: &Writes, is_first: bool) -> bool {
        let (Some(header), StmtKind::For { body, hints, .. }) =
            (Header::of(self.function, stmt), &stmt.kind)
        else {
            return false;
        };
        let by_constant = header.by.is_none_or(|by| self.stays(by, writes));
        self.is_own(header.counter, writes)
            && allows(hints, is_first)
            && self.stays(header.start, writes)
            && self.stays(header.bound, writes)
            && by_constant
            && !body
                .stmts
                .iter()
                .any(|stmt| loops::leaves(stmt, true, false))
    }

    /// How often variables are written in a statement.
    pub fn writes(&self, stmt: &Stmt) -> Writes {
        let mut writes = Writes::new();
        let types = &self.module.types;
        accesses_of_stmt(types, self.function, stmt, &mut |var, access| {
            *writes.entry(var).or_default() += usize::from(access.may_write());
        });
        writes
    }

    /// Whether nothing changes a loop's counter but its first value and its step, given the writes of the
    /// loop, or of one around.
    pub fn is_own(&self, counter: VarId, writes: &Writes) -> bool {
        writes.get(&counter) == Some(&2) && !self.exposed.contains(&counter)
    }

    /// Whether an integer is made of constants and of variables that nothing in the nest writes.
    pub fn stays(&self, id: ExprId, writes: &Writes) -> bool {
        let exprs = &self.function.exprs;
        let is_scalar = self.module.types.as_scalar(exprs.ty(id)).is_some();
        is_scalar
            && match *exprs.get(id) {
                Expr::Int { .. } | Expr::EnumConst(..) => true,
                Expr::Var(VarRef::Local(var)) => {
                    writes.get(&var).is_none_or(|times| *times == 0) && !self.exposed.contains(&var)
                }
                Expr::Unary {
                    op: UnaryOp::Plus | UnaryOp::Minus,
                    operand,
                }
                | Expr::Cast { operand, .. } => self.stays(operand, writes),
                Expr::Binary { lhs, rhs, .. } => self.stays(lhs, writes) && self.stays(rhs, writes),
                _ => false,
            }
    }
}

/// Whether what is said of a loop allows that it becomes one with others: only that its iterations do not
/// depend on each other.
fn allows(hints: &LoopHints, is_first: bool) -> bool {
    hints.attrs.is_empty()
        && hints.pragmas.iter().all(|text| {
            let word = text.split_whitespace().next();
            word == Some("ivdep") || is_first && word == Some(PRAGMA)
        })
}

/// The loop that is all of a loop's body.
fn only_loop(stmt: &Stmt) -> Option<&Stmt> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    only(&body.stmts)
}

/// The statement that is all of a list.
pub fn only(stmts: &[Stmt]) -> Option<&Stmt> {
    let mut real = stmts.iter().filter(|stmt| !stmt.is_comment());
    let first = real.next().filter(|_| real.next().is_none())?;
    match &first.kind {
        StmtKind::Block(block) => only(&block.stmts),
        _ => Some(first),
    }
}
