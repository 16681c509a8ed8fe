//! `__local` memory of merged work-groups: each has its own copy.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Expr, ExprId, Function, Module, QualType, Stmt, StmtKind, Type, TypeId, VarId,
};

use crate::pass::Note;
use crate::passes::coarsen::options::{Coarsening, Level};
use crate::passes::ndrange_to_loop::control::schedule;
use crate::passes::ndrange_to_loop::control::steps::Schedule;
use crate::passes::ndrange_to_loop::live_across::carry::Outside;

/// The variables that are copied.
pub struct LocalCopies {
    vars: BTreeSet<VarId>,
    copies: u64,
}

impl LocalCopies {
    /// Those among `shared`, declarations that a kernel has for its groups.
    pub fn new(function: &Function, shared: &[Stmt], how: Coarsening) -> Self {
        let is_copied = |stmt: &Stmt| match stmt.kind {
            StmtKind::Decl { var, .. } => {
                let is_local = function.vars[var].space == AddressSpace::Local;
                (is_local && how.level == Level::Groups).then_some(var)
            }
            _ => None,
        };
        LocalCopies {
            vars: shared.iter().filter_map(is_copied).collect(),
            copies: how.factor,
        }
    }

    /// Looks whether lanes alone use them.
    ///
    /// # Errors
    /// The location of one that is used for all lanes at once.
    pub fn check(
        &self,
        function: &Function,
        schedule: &Schedule,
        outside: &Outside,
    ) -> Result<(), Vec<Note>> {
        let mut once: Vec<&Stmt> = outside.kernel.iter().chain(&outside.group).collect();
        schedule::statements(&schedule.nodes, &mut once);
        let measured = measured(function, &once);
        let uses = once.into_iter().flat_map(|stmt| self.uses(function, stmt));
        let mut uses = uses.filter(|(id, _)| !measured.contains(id));
        match uses.next() {
            None => Ok(()),
            Some((id, _)) => {
                let text =
                    "it uses __local memory in a statement that merged work-groups pass together";
                Err(vec![Note::new(text, function.exprs.span(id))])
            }
        }
    }

    fn uses(&self, function: &Function, stmt: &Stmt) -> Vec<(ExprId, VarId)> {
        let mut uses = stmt.local_uses(&function.exprs);
        uses.retain(|(_, var)| self.vars.contains(var));
        uses
    }

    /// Makes the uses in `stmts` those of the copy of a lane; of any copy where only sizes are asked for.
    pub fn replace(
        &self,
        module: &mut Module,
        function: &mut Function,
        stmts: &[Stmt],
        lane: Option<VarId>,
    ) {
        let uses = stmts.iter().flat_map(|stmt| self.uses(function, stmt));
        for (slot, var) in uses.collect::<Vec<_>>() {
            let array = self.array_of(module, function.vars[var].ty);
            let element = function.vars[var].ty.ty;
            let whole = function.exprs.get(slot).clone();
            let base = function.exprs.add(whole, array, None);
            let index = match lane {
                Some(lane) => function.use_var(lane),
                None => function.exprs.int(&mut module.types, 0),
            };
            let copy = Expr::Index { base, index };
            function.exprs.replace(slot, copy, element);
        }
    }

    fn array_of(&self, module: &mut Module, element: QualType) -> TypeId {
        let len = Some(self.copies);
        module.types.intern(Type::Array { element, len })
    }

    /// Gives the variables room for the copies of all lanes.
    pub fn declare(&self, module: &mut Module, function: &mut Function) {
        for &var in &self.vars {
            let element = function.vars[var].ty;
            let array = self.array_of(module, element);
            function.vars[var].ty = QualType::plain(array);
        }
    }
}

/// What stands in `sizeof`, which is not looked at.
fn measured(function: &Function, stmts: &[&Stmt]) -> BTreeSet<ExprId> {
    let exprs = &function.exprs;
    let mut inside = BTreeSet::new();
    for stmt in stmts {
        stmt.for_each_expr(exprs, &mut |id| {
            if matches!(exprs.get(id), Expr::SizeOf(_)) {
                exprs.for_each(id, &mut |id| {
                    inside.insert(id);
                });
            }
        });
    }
    inside
}
