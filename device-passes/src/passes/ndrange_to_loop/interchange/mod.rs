//! A kernel's own loops run outside of those over work-items: `for k { for items { .. } }` in place of
//! `for items { for k { .. } }`.
//!
//! Neighbours in memory are then read one after the other, sums of different work-items do not wait for each
//! other, and loops over planes stand around loops over rows, as `window` wants them.
//!
//! Why it is right: all work-items run the loop equally often, so that a barrier may stand at the head of its
//! body, and a barrier where all come by changes nothing. The pass makes regions of such a loop as it does
//! where there is one. What a work-item keeps from one iteration to the next would be spilled; most of it need
//! not be kept: a variable that grows by the same number in each iteration is computed ([`closed`]), and what
//! was read of memory that nobody writes is read again ([`again`]). Variables that straight code changes
//! become several ([`straight`]), each of which can be computed where it is needed.

mod again;
mod closed;
mod steady;
mod straight;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Block, Function, FunctionId, Init, Module, Stmt, StmtKind, Type, VarId,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::liveness::flow;
use fpgacc_kernel_analysis::nest::Header;
use fpgacc_kernel_analysis::variables::{Access, accesses_of_stmt};

use self::steady::Steady;
use self::values::{New, Values, assigned};
use crate::pass::{Context, Note};
use crate::passes::ndrange_to_loop::control::convergence::{has_exit, holds_barrier};
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::survey::SPLIT;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// A loop that all work-items run equally often.
#[derive(Clone, Copy)]
struct Loop {
    header: Header,
    span: Option<Span>,
}

/// Marks the loops of a kernel that can run outside of those over work-items, and makes what they keep from
/// one iteration to the next little. Gives a note for each loop, and for each that stays inside.
pub fn mark(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
) -> (Vec<Note>, Vec<Note>) {
    let steady = Steady::of(module, kernel, context);
    let mut function = module.functions[kernel].clone();
    let mut stmts = function.body.take().unwrap_or_default().stmts;
    let (mut found, mut missed) = (Vec::new(), Vec::new());
    look(&function, &steady, &stmts, &mut found, &mut missed);
    if found.is_empty() {
        return (found, missed);
    }
    function.make_names_unique(context.names);
    let target = Target {
        function: &mut function,
        types: &mut module.types,
        taken: context.names,
    };
    let known = target.function.vars.len();
    let mut marker = Marker {
        target,
        steady: &steady,
        known,
    };
    marker.list(&mut stmts, &mut Values::default());
    function.body = Some(Block::of(stmts));
    module.functions[kernel] = function;
    (found, missed)
}

/// Notes on the loops of a list, and of the branches in it.
fn look(
    function: &Function,
    steady: &Steady,
    stmts: &[Stmt],
    found: &mut Vec<Note>,
    missed: &mut Vec<Note>,
) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::For { .. } => match fits(function, steady, stmt) {
                Ok(Some(own)) => {
                    let name = &function.vars[own.header.counter].name;
                    let text =
                        format!("the loop over '{name}' runs outside of those over work-items");
                    found.push(Note::new(text, own.span).names_form("its own loops outside"));
                }
                Ok(None) => {}
                Err(reason) => {
                    let text = format!("a loop stays inside of those over work-items: {reason}");
                    missed.push(Note::new(text, stmt.span));
                }
            },
            StmtKind::If { .. } | StmtKind::Block(_) => {
                for list in stmt.lists() {
                    look(function, steady, list, found, missed);
                }
            }
            _ => {}
        }
    }
}

/// Whether a loop can run outside; `Ok(None)`: nothing would come of it.
///
/// # Errors
/// The reason why it cannot.
fn fits(function: &Function, steady: &Steady, stmt: &Stmt) -> Result<Option<Loop>, &'static str> {
    let StmtKind::For {
        init, body, hints, ..
    } = &stmt.kind
    else {
        return Ok(None);
    };
    if !touches_memory(function, &body.stmts)
        || holds_barrier(function, stmt)
        || !hints.attrs.is_empty()
        || !hints.pragmas.is_empty()
    {
        return Ok(None);
    }
    let header = Header::of(function, stmt).ok_or("it does not count")?;
    let declares =
        matches!(init.first(), Some(first) if matches!(first.kind, StmtKind::Decl { .. }));
    let own = steady.writes_in(function, stmt);
    if !declares || own.get(&header.counter) != Some(&2) || steady.is_exposed(header.counter) {
        return Err("more than its head changes its counter");
    }
    let ends = [Some(header.start), Some(header.bound), header.by];
    if !ends
        .into_iter()
        .flatten()
        .all(|id| steady.is_alike(function, id))
    {
        return Err("work-items may run it differently often");
    }
    if has_exit(&body.stmts, true, true, true) {
        return Err("work-items may leave it early");
    }
    let span = stmt.span;
    Ok(Some(Loop { header, span }))
}

fn touches_memory(function: &Function, stmts: &[Stmt]) -> bool {
    let exprs = &function.exprs;
    let mut found = false;
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            found |= stmt.exprs().iter().any(|root| exprs.touches_memory(*root));
        });
    }
    found
}

struct Marker<'m, 'a> {
    target: Target<'a>,
    steady: &'m Steady,
    /// Variables that there were before.
    known: usize,
}

impl Marker<'_, '_> {
    /// Marks the loops of a list; `values` is what variables are before it.
    fn list(&mut self, stmts: &mut Vec<Stmt>, values: &mut Values) {
        straight::take_chains_apart(&mut self.target, stmts);
        let mut at = 0;
        let mut has_loops = false;
        while at < stmts.len() {
            let stmt = &mut stmts[at];
            if let Ok(Some(own)) = fits(self.target.function, self.steady, stmt) {
                has_loops = true;
                self.own_variables(stmts, at);
                let stmt = &mut stmts[at];
                let after = self.around(own, stmt, values);
                values.havoc(&self.target, self.steady, stmt);
                let added = after.len();
                stmts.splice(at + 1..at + 1, after);
                for stmt in &stmts[at + 1..=at + added] {
                    values.step(&self.target, self.steady, stmt);
                }
                at += added + 1;
                continue;
            }
            if matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Block(_)) {
                for list in stmt.lists_mut() {
                    self.list(list, &mut values.clone());
                }
            }
            values.step(&self.target, self.steady, stmt);
            at += 1;
        }
        if has_loops {
            straight::rename(&mut self.target, stmts);
            self.drop_unread(stmts);
        }
    }

    /// Gives the loop with this index variables of its own for those that each iteration gives a value before it
    /// looks at them, and that nobody looks at after the loop before they get another.
    fn own_variables(&mut self, stmts: &mut [Stmt], at: usize) {
        let declared: BTreeSet<VarId> = stmts[..at]
            .iter()
            .filter_map(declared)
            .map(|d| d.0)
            .collect();
        let (before, after) = stmts.split_at_mut(at + 1);
        let StmtKind::For { body, .. } = &mut before[at].kind else {
            return;
        };
        let (writes, _) = uses_in(&self.target, &body.stmts);
        for at_stmt in 0..body.stmts.len() {
            let Some((var, New::Is(value))) = assigned(&self.target, &body.stmts[at_stmt]) else {
                continue;
            };
            let is_own = declared.contains(&var)
                && matches!(body.stmts[at_stmt].kind, StmtKind::Expr(_))
                && writes.get(&var) == Some(&1)
                && is_scalar(&self.target, var)
                && !self.steady.is_exposed(var);
            let (_, reads) = uses_in(&self.target, &body.stmts[..=at_stmt]);
            let next = flow(self.target.types, self.target.function, after.iter(), var);
            if !is_own || reads.contains(&var) || next.reads_first {
                continue;
            }
            let own = closed::twin(&mut self.target, var);
            body.stmts[at_stmt] = declaration(own, Some(value));
            for stmt in &body.stmts[at_stmt + 1..] {
                straight::point_to(&mut self.target, stmt, &BTreeMap::from([(var, own)]));
            }
        }
    }

    /// Drops what nobody reads of the values that were added.
    fn drop_unread(&self, stmts: &mut Vec<Stmt>) {
        loop {
            let (_, reads) = uses_in(&self.target, stmts);
            let before = stmts.len();
            stmts.retain(|stmt| match &stmt.kind {
                StmtKind::Decl {
                    var,
                    init: Some(Init::Expr(value)),
                } => {
                    let is_new = var.index() >= self.known;
                    let has_effects = self.target.function.exprs.has_effects(*value);
                    !is_new || has_effects || reads.contains(var)
                }
                _ => true,
            });
            if stmts.len() == before {
                return;
            }
        }
    }

    /// Marks a loop; gives what stands after it.
    fn around(&mut self, own: Loop, stmt: &mut Stmt, values: &Values) -> Vec<Stmt> {
        let StmtKind::For { body, .. } = &mut stmt.kind else {
            return Vec::new();
        };
        let mut stmts = std::mem::take(&mut body.stmts);
        straight::take_chains_apart(&mut self.target, &mut stmts);
        let growing = closed::find(&self.target, self.steady, own.header, &stmts, values);
        let trips = closed::trips(&self.target, self.steady, own.header, values);
        let (head, reread) = again::read_again(
            &mut self.target,
            self.steady,
            own.header,
            (&mut stmts, &growing),
            values,
        );
        stmts.splice(0..0, head);
        let how = (growing.as_slice(), trips);
        let mut after = closed::close(&mut self.target, own.header, &mut stmts, how);
        after.extend(reread);
        let void = self.target.types.intern(Type::Void);
        let call = self
            .target
            .function
            .exprs
            .call_builtin(SPLIT, void, Vec::new());
        stmts.insert(0, Stmt::new(StmtKind::Expr(call)));
        if let StmtKind::For { body, .. } = &mut stmt.kind {
            body.stmts = stmts;
        }
        after
    }
}

/// A scalar variable of a work-item.
fn is_scalar(target: &Target<'_>, var: VarId) -> bool {
    let variable = &target.function.vars[var];
    variable.space == AddressSpace::Private
        && variable.attrs.is_empty()
        && variable.ty.quals.is_empty()
        && target.types.as_scalar(variable.ty.ty).is_some()
}

/// The variable that a statement of its own gives a value, if it does nothing else with variables.
fn declared(stmt: &Stmt) -> Option<(VarId, Option<&Init>)> {
    match &stmt.kind {
        StmtKind::Decl { var, init } => Some((*var, init.as_ref())),
        _ => None,
    }
}

/// How often each variable is written in statements, and which are read.
fn uses_in(target: &Target<'_>, stmts: &[Stmt]) -> (BTreeMap<VarId, usize>, BTreeSet<VarId>) {
    let (mut writes, mut reads) = (BTreeMap::new(), BTreeSet::new());
    for stmt in stmts {
        accesses_of_stmt(target.types, target.function, stmt, &mut |var, access| {
            if access.may_write() {
                *writes.entry(var).or_default() += 1;
            }
            if !matches!(access, Access::Write | Access::Named) {
                reads.insert(var);
            }
        });
    }
    (writes, reads)
}
