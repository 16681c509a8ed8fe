//! Which statements the work-items of a group go through together: those that hold a barrier, and
//! those that decide whether a barrier is reached.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Function, Stmt, StmtKind, VarId};

use crate::passes::ndrange_to_loop::survey::{builtin_stmt, is_barrier};

/// What surrounds a list of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// `break` and `continue` belong to a loop that holds barriers.
    pub in_loop: bool,
    /// The group does something together after the list: who returns in it misses that.
    pub return_matters: bool,
}

impl Surroundings {
    /// Those of the body of a loop that holds barriers.
    pub const LOOP: Surroundings = Surroundings {
        in_loop: true,
        return_matters: true,
    };
}

/// Finds what a group does together. `shared` are uniform variables; what is done to
/// them is done once, too.
#[derive(Clone, Copy)]
pub struct Convergence<'a> {
    /// The kernel.
    pub function: &'a Function,
    /// The uniform variables.
    pub shared: &'a BTreeSet<VarId>,
}

impl Convergence<'_> {
    /// Whether a group must go through a statement together.
    pub fn is_convergent(&self, stmt: &Stmt, around: Surroundings) -> bool {
        holds_barrier(self.function, stmt)
            || has_exit(
                std::slice::from_ref(stmt),
                around.in_loop,
                around.in_loop,
                around.return_matters,
            )
    }

    /// What surrounds each statement of a list, for what stands inside it.
    pub fn surroundings(&self, list: &[Stmt], around: Surroundings) -> Vec<Surroundings> {
        let mut matters = around.return_matters;
        let mut out = vec![around; list.len()];
        for (at, stmt) in list.iter().enumerate().rev() {
            let barrier = holds_barrier(self.function, stmt);
            // What follows control with a barrier inside is another region than its end.
            let is_last = at + 1 == list.len();
            out[at].return_matters = matters || barrier && !is_last;
            matters |= barrier || self.changes_shared(stmt);
        }
        out
    }

    fn changes_shared(&self, stmt: &Stmt) -> bool {
        if self.shared.is_empty() {
            return false;
        }
        let exprs = &self.function.exprs;
        let is_shared = |var| self.shared.contains(&var);
        stmt.any_expr(exprs, &mut |id| {
            exprs.written_var(id).is_some_and(is_shared)
        })
    }
}

/// Whether a statement is a barrier.
pub fn is_barrier_stmt(function: &Function, stmt: &Stmt) -> bool {
    builtin_stmt(function, stmt).is_some_and(is_barrier)
}

/// Whether a statement is a barrier or has one inside.
pub fn holds_barrier(function: &Function, stmt: &Stmt) -> bool {
    is_barrier_stmt(function, stmt)
        || stmt
            .lists()
            .into_iter()
            .flatten()
            .any(|inside| holds_barrier(function, inside))
}

/// Whether statements may leave what they stand in, by the ways asked for.
pub fn has_exit(stmts: &[Stmt], breaks: bool, continues: bool, returns: bool) -> bool {
    stmts.iter().any(|stmt| {
        let (breaks, continues) = match stmt.kind {
            StmtKind::Break => return breaks,
            StmtKind::Continue => return continues,
            StmtKind::Return(_) => return returns,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                (false, false)
            }
            StmtKind::Switch { .. } => (false, continues),
            _ => (breaks, continues),
        };
        (breaks || continues || returns)
            && stmt
                .lists()
                .into_iter()
                .any(|list| has_exit(list, breaks, continues, returns))
    })
}

/// Whether no way leads past the end of statements.
pub fn never_ends(stmts: &[Stmt]) -> bool {
    match stmts.last().map(|stmt| &stmt.kind) {
        Some(StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)) => true,
        Some(StmtKind::Block(block)) => never_ends(&block.stmts),
        Some(StmtKind::If {
            then,
            otherwise: Some(otherwise),
            ..
        }) => never_ends(&then.stmts) && never_ends(&otherwise.stmts),
        _ => false,
    }
}
