//! Loop nests that can become one loop: perfect ones, whose loops run equally often in each iteration of
//! those around.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Init, LoopHints, Module, Stmt, StmtKind, UnaryOp, VarId,
    VarRef,
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
type Writes = BTreeMap<VarId, usize>;

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
        let mut writes = Writes::new();
        accesses_of_stmt(
            &self.module.types,
            self.function,
            stmt,
            &mut |var, access| {
                *writes.entry(var).or_default() += usize::from(access.may_write());
            },
        );
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
        let StmtKind::For {
            init,
            cond: Some(cond),
            step: Some(step),
            body,
            hints,
        } = &stmt.kind
        else {
            return false;
        };
        let Some((counter, start)) = self.start(init) else {
            return false;
        };
        // Its first value and its step: nothing else may change it.
        let is_own = writes.get(&counter) == Some(&2) && !self.exposed.contains(&counter);
        is_own
            && allows(hints, is_first)
            && self.stays(start, writes)
            && self.is_bound(*cond, counter, writes)
            && self.is_step(*step, counter, writes)
            && !body
                .stmts
                .iter()
                .any(|stmt| loops::leaves(stmt, true, false))
    }

    /// The variable that a loop counts with, and its first value.
    fn start(&self, init: &[Stmt]) -> Option<(VarId, ExprId)> {
        let [only] = init else { return None };
        match &only.kind {
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } => Some((*var, *value)),
            StmtKind::Expr(expr) => match *self.function.exprs.get(*expr) {
                Expr::Assign { op: None, lhs, rhs } => Some((self.variable(lhs)?, rhs)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A comparison of the counter with what stays.
    fn is_bound(&self, cond: ExprId, counter: VarId, writes: &Writes) -> bool {
        use BinaryOp::{Ge, Gt, Le, Lt, Ne};
        let Expr::Binary {
            op: Lt | Le | Gt | Ge | Ne,
            lhs,
            rhs,
        } = *self.function.exprs.get(cond)
        else {
            return false;
        };
        let is_counter = |id| self.variable(self.uncast(id)) == Some(counter);
        is_counter(lhs) && self.stays(rhs, writes) || is_counter(rhs) && self.stays(lhs, writes)
    }

    fn is_step(&self, step: ExprId, counter: VarId, writes: &Writes) -> bool {
        match *self.function.exprs.get(step) {
            Expr::IncDec { operand, .. } => self.variable(operand) == Some(counter),
            Expr::Assign {
                op: Some(BinaryOp::Add | BinaryOp::Sub),
                lhs,
                rhs,
            } => self.variable(lhs) == Some(counter) && self.stays(rhs, writes),
            _ => false,
        }
    }

    /// Whether an integer is made of constants and of variables that nothing in the nest writes.
    fn stays(&self, id: ExprId, writes: &Writes) -> bool {
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

    fn variable(&self, id: ExprId) -> Option<VarId> {
        match self.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => Some(*var),
            _ => None,
        }
    }

    fn uncast(&self, id: ExprId) -> ExprId {
        match *self.function.exprs.get(id) {
            Expr::Cast { operand, .. } => self.uncast(operand),
            _ => id,
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
fn only(stmts: &[Stmt]) -> Option<&Stmt> {
    let mut real = stmts
        .iter()
        .filter(|stmt| !matches!(stmt.kind, StmtKind::Comment(_)));
    let first = real.next().filter(|_| real.next().is_none())?;
    match &first.kind {
        StmtKind::Block(block) => only(&block.stmts),
        _ => Some(first),
    }
}
