//! What one part of an iteration stores and a later one reads stays in a register, and arrays that nobody reads
//! any more go.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Expr, ExprId, Function, FunctionId, Init, Module, Stmt, StmtKind, Storage,
    TypeId, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::Access;
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::dependence::Body;
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::independence::Later;
use fpgacc_kernel_analysis::nest::Nests;
use fpgacc_kernel_analysis::usage::names;

use super::names::forget;
use crate::around_loop::{Names, private_variable};
use crate::pass::Context;
use crate::position::Position;

/// What is in registers.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The arrays of which elements are.
    arrays: Vec<VarId>,
    /// Those of them that are no arrays any more.
    gone: Vec<VarId>,
}

impl Kept {
    /// What is said of it, after a sentence.
    pub fn text(&self, function: &Function) -> String {
        let mut text = String::new();
        let stay = self.arrays.iter().filter(|var| !self.gone.contains(var));
        let stay: Vec<VarId> = stay.copied().collect();
        if !stay.is_empty() {
            text += &format!(
                "; what is stored into {} is read from registers",
                names(function, &stay)
            );
        }
        if !self.gone.is_empty() {
            text += &format!(
                "; registers take the place of {}",
                names(function, &self.gone)
            );
        }
        text
    }
}

/// A store of which reads know the value.
struct Found {
    /// The assignment, a statement of the body.
    store: ExprId,
    array: VarId,
    ty: TypeId,
    reads: Vec<ExprId>,
    /// The variable that is stored, if it keeps the value for the rest of the iteration.
    value: Option<VarId>,
}

/// Keeps what a loop's body stores and reads later in the same iteration.
pub fn keep(module: &mut Module, kernel: FunctionId, context: &Context<'_>, at: &Position) -> Kept {
    let found = stores(module, kernel, context, at);
    let mut kept = Kept::default();
    for one in found {
        rewrite(module, kernel, at, &one);
        if !kept.arrays.contains(&one.array) {
            kept.arrays.push(one.array);
        }
    }
    for &array in &kept.arrays {
        if is_unread(module, kernel, context, array) {
            remove(&mut module.functions[kernel], array);
            kept.gone.push(array);
        }
    }
    kept
}

fn stores(module: &Module, kernel: FunctionId, context: &Context<'_>, at: &Position) -> Vec<Found> {
    let function = &module.functions[kernel];
    let Some(stmt) = at.get(function) else {
        return Vec::new();
    };
    let StmtKind::For { body, .. } = &stmt.kind else {
        return Vec::new();
    };
    let aliases = Aliases::new(module, kernel, context.called);
    let nests = Nests::of(module, function);
    let summaries = context.summaries(module, kernel);
    let Some(order) = Body::of(&aliases, summaries, &nests, stmt) else {
        return Vec::new();
    };
    let mut finder = Finder {
        aliases: &aliases,
        order,
        stmts: &body.stmts,
        taken: BTreeSet::new(),
    };
    // The last first: a read finds what was stored last.
    let found = (0..body.stmts.len())
        .rev()
        .filter_map(|at| finder.store(at));
    let mut found: Vec<Found> = found.collect();
    found.reverse();
    found
}

struct Finder<'a, 's> {
    aliases: &'a Aliases<'a>,
    order: Body<'a>,
    stmts: &'s [Stmt],
    /// Reads that were found.
    taken: BTreeSet<ExprId>,
}

impl Finder<'_, '_> {
    /// A statement that stores what later ones read.
    fn store(&mut self, at: usize) -> Option<Found> {
        let exprs = &self.aliases.function.exprs;
        let (store, lhs, rhs, array) = self.stored(at)?;
        let is_own = |access: &&Access| access.write && access.at == lhs;
        let own = self.order.accesses(at).list.iter().find(is_own).cloned()?;
        let reads = self.reads_after(at, &own);
        if reads.is_empty() {
            return None;
        }
        self.taken.extend(&reads);
        let ty = exprs.ty(lhs);
        let value = exprs.local_var(rhs).filter(|var| self.is_fixed(*var, ty));
        Some(Found {
            store,
            array,
            ty,
            reads,
            value,
        })
    }

    /// The store that a statement is: itself, where it stores, what, and the array.
    fn stored(&self, at: usize) -> Option<(ExprId, ExprId, ExprId, VarId)> {
        let function = self.aliases.function;
        let exprs = &function.exprs;
        let StmtKind::Expr(store) = self.stmts[at].kind else {
            return None;
        };
        let Expr::Assign { op: None, lhs, rhs } = *exprs.get(store) else {
            return None;
        };
        let Expr::Index { base, .. } = *exprs.get(lhs) else {
            return None;
        };
        let array = root(function, base)?;
        let (types, ty) = (&self.aliases.module.types, exprs.ty(lhs));
        let is_value = types.component(ty).is_some();
        if !is_value || self.aliases.is_volatile(lhs) || exprs.has_effects(lhs) {
            return None;
        }
        Some((store, lhs, rhs, array))
    }

    /// The reads of what a statement stores, up to the first statement that may write there again.
    fn reads_after(&mut self, at: usize, own: &Access) -> Vec<ExprId> {
        let exprs = &self.aliases.function.exprs;
        let ty = exprs.ty(own.at);
        let mut reads = Vec::new();
        for later in at + 1..self.stmts.len() {
            let accesses = self.order.accesses(later).list.clone();
            for access in accesses
                .iter()
                .filter(|access| !access.write && access.exact)
            {
                let is_whole = matches!(exprs.get(access.at), Expr::Index { .. })
                    && exprs.ty(access.at) == ty
                    && !self.is_written(later, access.at);
                if is_whole && !self.taken.contains(&access.at) && self.order.are_same(own, access)
                {
                    reads.push(access.at);
                }
            }
            // A plain assignment writes when all is read.
            let last = match self.stmts[later].kind {
                StmtKind::Expr(root) => match *exprs.get(root) {
                    Expr::Assign { op: None, lhs, rhs } if !exprs.has_effects(rhs) => Some(lhs),
                    _ => None,
                },
                _ => None,
            };
            let is_lost = |finder: &mut Self, is_last: bool| {
                let mut writes = accesses.iter().filter(|access| access.write);
                writes.any(|write| {
                    (is_last || Some(write.at) != last)
                        && !finder.order.are_apart(own, write, Later::Same)
                        && !faults::is_on("fuse-write-forgotten")
                })
            };
            if is_lost(self, false) {
                reads.retain(|read| !self.is_in(later, *read));
                break;
            }
            if is_lost(self, true) {
                break;
            }
        }
        reads
    }

    /// Whether an expression stands in a statement.
    fn is_in(&self, at: usize, id: ExprId) -> bool {
        let list = &self.order.accesses(at).list;
        list.iter().any(|access: &Access| access.at == id)
    }

    /// Whether a statement writes to this very expression.
    fn is_written(&self, at: usize, id: ExprId) -> bool {
        let mut writes = self.order.accesses(at).writes();
        writes.any(|write| write.at == id)
    }

    /// Whether a variable of the body has one value in each iteration, of this type.
    fn is_fixed(&self, var: VarId, ty: TypeId) -> bool {
        let is_declared = self.stmts.iter().any(
            |stmt| matches!(stmt.kind, StmtKind::Decl { var: own, init: Some(_) } if own == var),
        );
        let mut all = (0..self.stmts.len()).flat_map(|at| self.order.accesses(at).writes());
        let is_written =
            all.any(|write| self.aliases.function.exprs.local_var(write.at) == Some(var));
        let variable = &self.aliases.function.vars[var];
        is_declared
            && !is_written
            && !self.aliases.is_exposed(VarRef::Local(var))
            && variable.ty.ty == ty
            && variable.storage == Storage::None
            && variable.space == AddressSpace::Private
    }
}

/// The variable that indices lead to.
fn root(function: &Function, base: ExprId) -> Option<VarId> {
    match *function.exprs.get(base) {
        Expr::Var(VarRef::Local(var)) => Some(var),
        Expr::Index { base, .. } => root(function, base),
        _ => None,
    }
}

/// Puts a variable in the place of what reads find.
fn rewrite(module: &mut Module, kernel: FunctionId, at: &Position, found: &Found) {
    let mut names = Names::of(module, kernel);
    let function = &mut module.functions[kernel];
    let name = format!("{}_kept", function.vars[found.array].name);
    let var = match found.value {
        Some(var) => var,
        None => private_variable(function, names.fresh(&name), found.ty),
    };
    for read in &found.reads {
        let value = Expr::Var(VarRef::Local(var));
        function.exprs.replace(*read, value, found.ty);
    }
    if found.value.is_some() {
        return;
    }
    let Expr::Assign { lhs, rhs, .. } = *function.exprs.get(found.store) else {
        return;
    };
    let value = function.use_var(var);
    let store = function.exprs.assign(None, lhs, value);
    let Some(StmtKind::For { body, .. }) = at.get_mut(function).map(|stmt| &mut stmt.kind) else {
        return;
    };
    let is_store = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Expr(root) if root == found.store);
    if let Some(index) = body.stmts.iter().position(is_store) {
        let span = body.stmts[index].span;
        let store = Stmt::at(StmtKind::Expr(store), span);
        body.stmts
            .splice(index..=index, [Stmt::define(var, rhs), store]);
    }
}

/// Whether all that is left of an array are stores into it.
fn is_unread(module: &Module, kernel: FunctionId, context: &Context<'_>, array: VarId) -> bool {
    let function = &module.functions[kernel];
    let ty = function.vars[array].ty.ty;
    let is_own = module.types.as_array(ty).is_some() && !function.params.contains(&array);
    let aliases = Aliases::new(module, kernel, context.called);
    let Some(body) = function.body.as_ref().filter(|_| is_own) else {
        return false;
    };
    if aliases.is_exposed(VarRef::Local(array)) {
        return false;
    }
    let exprs = &function.exprs;
    let (mut uses, mut stores) = (0, 0);
    body.for_each_stmt(&mut |stmt| {
        for root in stmt.exprs() {
            exprs.for_each(root, &mut |id| {
                uses += usize::from(*exprs.get(id) == Expr::Var(VarRef::Local(array)));
            });
        }
        match &stmt.kind {
            StmtKind::Decl {
                var,
                init: Some(init),
            } if *var == array => {
                let mut values = Vec::new();
                Init::exprs(init, &mut values);
                // Never unread then.
                uses += values
                    .iter()
                    .filter(|value| exprs.has_effects(**value))
                    .count();
            }
            _ => stores += usize::from(stored(function, stmt, array).is_some()),
        }
    });
    uses == stores
}

/// The value that a statement stores into an array, if it does nothing else.
fn stored(function: &Function, stmt: &Stmt, array: VarId) -> Option<ExprId> {
    let exprs = &function.exprs;
    let StmtKind::Expr(store) = stmt.kind else {
        return None;
    };
    let Expr::Assign { op: None, lhs, rhs } = *exprs.get(store) else {
        return None;
    };
    let is_element = matches!(exprs.get(lhs), Expr::Index { .. });
    let is_once = !exprs.has_effects(lhs) && !exprs.uses(rhs, VarRef::Local(array));
    (is_element && is_once && root(function, lhs) == Some(array)).then_some(rhs)
}

/// Takes an array away that is only stored into.
fn remove(function: &mut Function, array: VarId) {
    let Some(mut body) = function.body.take() else {
        return;
    };
    remove_from(function, &mut body.stmts, array);
    let named = format!("array({})", function.vars[array].name);
    for stmt in &mut body.stmts {
        forget(stmt, &named);
    }
    function.body = Some(body);
}

fn remove_from(function: &Function, stmts: &mut Vec<Stmt>, array: VarId) {
    stmts.retain_mut(|stmt| {
        if matches!(stmt.kind, StmtKind::Decl { var, .. } if var == array) {
            return false;
        }
        if let Some(value) = stored(function, stmt, array) {
            stmt.kind = StmtKind::Expr(value);
            return function.exprs.has_effects(value);
        }
        for list in stmt.lists_mut() {
            remove_from(function, list, array);
        }
        true
    });
}
