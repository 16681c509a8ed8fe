//! `#pragma ivdep` on loops over work-items, by OpenCL's own rule.
//!
//! Two work-items may not touch the same location in memory between two barriers if one of them writes,
//! unless by atomics. So the iterations of a loop over the work-items of a group do not depend on each
//! other through memory that work-items share, nor those of a loop over groups through global memory. A compiler that sees only the loop cannot know. It is
//! said for each array by its name, so that it holds for nothing else: not for the values that are
//! spilled for each work-item, nor for what is uniform. Where there are atomics nothing is said.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Expr, ExprId, Function, Module, Qualifiers, Stmt, VarId, VarRef,
};

use crate::passes::ndrange_to_loop::survey::Survey;

/// Which arrays may be named.
pub struct Independent {
    /// Pointer parameters and `__local` arrays that keep what they point to.
    nameable: BTreeSet<VarId>,
    /// Pointer parameters to global memory.
    global: BTreeSet<VarId>,
}

impl Independent {
    /// Looks at the statements of a kernel. `arrays` are those that a group has for itself.
    pub fn of(
        module: &Module,
        function: &Function,
        stmts: &[&Stmt],
        arrays: BTreeSet<VarId>,
        survey: &Survey,
    ) -> Self {
        let mut nameable = BTreeSet::new();
        let params = function.params.iter().copied();
        let global = params.filter(|param| {
            let pointer = module.types.as_pointer(function.vars[*param].ty.ty);
            pointer.is_some_and(|(_, space)| space == AddressSpace::Global)
        });
        let global = global.collect();
        if survey.atomics {
            return Independent { nameable, global };
        }
        nameable.extend(
            function
                .vars
                .ids()
                .filter(|var| is_shared_memory(module, function, *var)),
        );
        nameable.extend(arrays);
        for stmt in stmts {
            stmt.for_each_expr(&function.exprs, &mut |id| {
                if let Some(var) = function.exprs.written_var(id) {
                    nameable.remove(&var);
                }
            });
        }
        Independent { nameable, global }
    }

    /// The arrays for a loop over groups that runs `stmts`: those that are written there, of memory that no
    /// group has for itself. Nothing orders the accesses of two groups to it, barriers neither. Iterations share
    /// `__local` arrays, which are other memory for each group by the language.
    pub fn of_groups(&self, function: &Function, stmts: &[Stmt]) -> BTreeSet<VarId> {
        let mut named = written_in(function, stmts);
        named.retain(|var| self.nameable.contains(var) && self.global.contains(var));
        named
    }

    /// The pragmas for a loop over work-items that runs `stmts`: for each array that is written there
    /// by its name.
    pub fn pragmas(&self, function: &Function, stmts: &[Stmt]) -> Vec<String> {
        let mut named = written_in(function, stmts);
        named.retain(|var| self.nameable.contains(var));
        spell(function, named)
    }
}

/// The pragmas that name arrays.
pub fn spell(function: &Function, named: BTreeSet<VarId>) -> Vec<String> {
    let names = named.into_iter().map(|var| &function.vars[var].name);
    names.map(|name| format!("ivdep array({name})")).collect()
}

/// The variables through which statements write memory.
fn written_in(function: &Function, stmts: &[Stmt]) -> BTreeSet<VarId> {
    let mut written = BTreeSet::new();
    for stmt in stmts {
        stmt.for_each_expr(&function.exprs, &mut |id| {
            let location = function.exprs.written(id);
            written.extend(location.and_then(|at| memory_of(function, at)));
        });
    }
    written
}

fn is_shared_memory(module: &Module, function: &Function, var: VarId) -> bool {
    let variable = &function.vars[var];
    if variable.space == AddressSpace::Local {
        return module.types.as_array(variable.ty.ty).is_some()
            && !variable.ty.quals.contains(Qualifiers::VOLATILE);
    }
    function.params.contains(&var)
        && module
            .types
            .as_pointer(variable.ty.ty)
            .is_some_and(|(to, space)| {
                matches!(space, AddressSpace::Global | AddressSpace::Local)
                    && !to.quals.contains(Qualifiers::VOLATILE)
            })
}

/// The array or pointer through which a location is reached, if it is a variable.
fn memory_of(function: &Function, location: ExprId) -> Option<VarId> {
    let exprs = &function.exprs;
    match exprs.get(location) {
        Expr::Index { base, .. } | Expr::Member { base, .. } | Expr::Swizzle { base, .. } => {
            match exprs.get(*base) {
                Expr::Var(VarRef::Local(var)) => Some(*var),
                _ => memory_of(function, *base),
            }
        }
        Expr::Unary { operand, .. } => match exprs.get(*operand) {
            Expr::Var(VarRef::Local(var)) => Some(*var),
            Expr::Binary { lhs, .. } => exprs.local_var(*lhs),
            _ => None,
        },
        _ => None,
    }
}
