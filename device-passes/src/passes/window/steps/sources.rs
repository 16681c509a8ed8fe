//! What in an iteration depends on what arrays hold.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Stmt, StmtKind, UnaryOp, VarId, VarRef};
use fpgacc_kernel_analysis::alias::{Aliases, Root};
use fpgacc_kernel_analysis::faults;

/// The variables that depend on what some arrays hold, and the expressions that are only reached as it says.
pub struct Sources<'s, 'a> {
    aliases: &'s Aliases<'a>,
    arrays: &'s [VarId],
    vars: BTreeSet<VarId>,
    chosen: BTreeSet<ExprId>,
    /// A statement that leaves an iteration, or a loop in it, is reached as it says.
    may_leave: bool,
}

impl<'s, 'a> Sources<'s, 'a> {
    /// Of the body of a nest.
    pub fn of(aliases: &'s Aliases<'a>, arrays: &'s [VarId], body: &[Stmt]) -> Self {
        let mut sources = Sources {
            aliases,
            arrays,
            vars: BTreeSet::new(),
            chosen: BTreeSet::new(),
            may_leave: false,
        };
        // A later statement may be before an earlier one in the next iteration of a loop.
        loop {
            let known = (sources.vars.len(), sources.chosen.len());
            sources.list(body, false);
            if known == (sources.vars.len(), sources.chosen.len()) {
                return sources;
            }
        }
    }

    /// Whether an expression is only reached as the arrays say, for all that is known.
    pub fn is_chosen(&self, id: ExprId) -> bool {
        self.may_leave || self.chosen.contains(&id)
    }

    /// Whether these are all written by statements of their own, which the arrays have no say in.
    ///
    /// # Errors
    /// They are not.
    pub fn check(&self, body: &[Stmt], stores: &BTreeSet<ExprId>) -> Result<(), String> {
        let exprs = &self.aliases.function.exprs;
        let mut own = BTreeSet::new();
        for stmt in body {
            stmt.for_each(&mut |stmt| {
                if let StmtKind::Expr(id) = stmt.kind
                    && let Expr::Assign { op: None, lhs, .. } = *exprs.get(id)
                {
                    own.insert(lhs);
                }
            });
        }
        if !stores.is_subset(&own) {
            return Err("it writes within an expression".into());
        }
        let is_chosen = |id: &ExprId| self.is_chosen(*id) && !faults::is_on("stage-any-writes");
        match stores.iter().any(is_chosen) {
            true => Err("what it writes depends on what it reads".into()),
            false => Ok(()),
        }
    }

    fn list(&mut self, stmts: &[Stmt], chosen: bool) {
        stmts.iter().for_each(|stmt| self.stmt(stmt, chosen));
    }

    fn stmt(&mut self, stmt: &Stmt, chosen: bool) {
        if let StmtKind::Decl { var, .. } = stmt.kind
            && stmt.exprs().iter().any(|root| self.depends(*root))
        {
            self.vars.insert(var);
        }
        let mut inside = chosen;
        for root in stmt.exprs() {
            self.root(root, chosen);
            // Of what has lists, all roots are conditions, or the step of a loop.
            inside |= self.depends(root);
        }
        self.may_leave |= chosen
            && matches!(
                stmt.kind,
                StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Goto(_)
            );
        for list in stmt.lists() {
            self.list(list, inside);
        }
    }

    /// An expression with all that it does.
    fn root(&mut self, root: ExprId, chosen: bool) {
        let exprs = &self.aliases.function.exprs;
        let depends = chosen || self.depends(root);
        if !depends {
            return;
        }
        self.reach(root, chosen);
        let mut all = Vec::new();
        exprs.for_each(root, &mut |id| all.push(id));
        for id in &all {
            let written = match *exprs.get(*id) {
                Expr::Assign { lhs, .. } => Some(lhs),
                Expr::IncDec { operand, .. }
                | Expr::Unary {
                    op: UnaryOp::AddressOf,
                    operand,
                } => Some(operand),
                _ => None,
            };
            let roots = written.map(|lhs| self.aliases.lvalue_roots(lhs));
            for root in roots.into_iter().flatten() {
                if let Root::Object(VarRef::Local(var)) = root {
                    self.vars.insert(var);
                }
            }
        }
    }

    /// Notes what of an expression is only reached as the arrays say.
    fn reach(&mut self, id: ExprId, chosen: bool) {
        if chosen {
            self.chosen.insert(id);
        }
        let exprs = &self.aliases.function.exprs;
        let cond = match *exprs.get(id) {
            Expr::Cond { cond, .. } => Some(cond),
            Expr::Binary {
                op: BinaryOp::And | BinaryOp::Or,
                lhs,
                ..
            } => Some(lhs),
            _ => None,
        };
        let inside = chosen || cond.is_some_and(|cond| self.depends(cond));
        for child in exprs.children(id) {
            self.reach(child, if cond == Some(child) { chosen } else { inside });
        }
    }

    /// Whether a value depends on what the arrays hold.
    fn depends(&self, root: ExprId) -> bool {
        let exprs = &self.aliases.function.exprs;
        exprs.any(root, &mut |id| match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => self.arrays.contains(var) || self.vars.contains(var),
            _ => false,
        })
    }
}
