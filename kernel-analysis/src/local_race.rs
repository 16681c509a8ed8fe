//! Work-items that race for `__local` memory: code that relies on work-items running in lockstep.
//!
//! On GPUs 32 or 64 work-items run in lockstep, and programs for them leave out barriers:
//! `if (tid < 32) { s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; }`. By OpenCL's rules that is a data
//! race, and a loop over work-items gives another result. Here the first work-items of a group are run with
//! what is known: ids, constants, and what is computed of them. An element that one work-item writes and
//! another reads without a barrier between is a race for sure. So is one behind conditions on numbers that are the same
//! in all work-items (parameters, ids of groups): `if (l < n) { x = s[2 * l]; s[l] = x; }` races wherever a few
//! work-items get in, and nobody writes such a condition for fewer. Called functions are followed. What depends on data is
//! not, and such a race is not found.

mod active;
mod expressions;
mod scopes;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Block, ExprId, Function, FunctionId, Init, Module, Stmt, StmtKind, VarId,
};
use fpgacc_frontend::source::Span;

use self::active::{Active, Frame, assumed, leave, masked, maybe};
use self::scopes::{KNOWN, Scope, Scopes};
use self::value::{Root, Symbol, Value};
use super::loops;
use super::variables;

/// Work-items that are looked at.
const ITEMS: u64 = 64;
/// Values that are computed at most, so that long loops end.
const BUDGET: usize = 200_000;

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The array or pointer.
    pub array: String,
    /// One work-item writes an element.
    pub write: Option<Span>,
    /// Another reads it.
    pub read: Option<Span>,
}

/// Finds a race of the work-items of a group of these sizes.
pub fn find(module: &Module, kernel: FunctionId, sizes: [u64; 3]) -> Option<Race> {
    let function = &module.functions[kernel];
    let items = sizes.iter().product::<u64>().min(ITEMS) as usize;
    let mut run = Run {
        module,
        called: kernel,
        function,
        depth: 0,
        returned: vec![None; items],
        sizes,
        items,
        values: BTreeMap::new(),
        escaped: escaped(module, function),
        cells: BTreeMap::new(),
        scopes: Scopes::new(),
        scope: KNOWN,
        computed: 0,
        budget: BUDGET,
        race: None,
    };
    for &param in &function.params {
        let ty = function.vars[param].ty.ty;
        let start = match module.types.as_pointer(ty) {
            Some((_, AddressSpace::Local)) => Value::Pointer(Root::of(kernel, param), 0),
            None if is_integer(module, ty) => Value::Sum(Symbol::Parameter(param), 0),
            _ => continue,
        };
        run.values.insert(param, vec![start; items]);
    }
    if let Some(body) = &function.body {
        let mut frame = Frame::of(vec![Active::Yes; items]);
        run.stmts(&body.stmts, &mut frame);
    }
    run.race
}

/// Variables that are changed through pointers.
fn escaped(module: &Module, function: &Function) -> BTreeSet<VarId> {
    let uses = variables::uses(&module.types, function);
    let is_escaped = |accesses: &Vec<_>| accesses.contains(&variables::Access::Address);
    let uses = uses.into_iter().filter(|(_, all)| is_escaped(all));
    uses.map(|(var, _)| var).collect()
}

/// An access of an element.
#[derive(Clone, Copy)]
struct Access {
    item: usize,
    at: Option<Span>,
    scope: Scope,
}

/// What happened to an element since the last barrier.
#[derive(Clone, Default)]
struct Cell {
    writes: Vec<Access>,
    reads: Vec<Access>,
}

struct Run<'a> {
    module: &'a Module,
    /// The one that is run: the kernel, or what it calls.
    called: FunctionId,
    function: &'a Function,
    depth: usize,
    /// What the function returns.
    returned: Vec<Option<Value>>,
    sizes: [u64; 3],
    items: usize,
    values: BTreeMap<VarId, Vec<Value>>,
    escaped: BTreeSet<VarId>,
    cells: BTreeMap<(Root, i64), Cell>,
    scopes: Scopes,
    /// What is assumed where it is.
    scope: Scope,
    /// How many numbers there are that nobody knows.
    computed: usize,
    budget: usize,
    race: Option<Race>,
}

impl Run<'_> {
    fn is_over(&self) -> bool {
        self.race.is_some() || self.budget == 0
    }

    fn stmts(&mut self, stmts: &[Stmt], frame: &mut Frame) {
        for stmt in stmts {
            if self.is_over() || frame.is_idle() {
                return;
            }
            self.stmt(stmt, frame);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, frame: &mut Frame) {
        match &stmt.kind {
            StmtKind::Decl { var, init } => {
                let value = match init {
                    Some(Init::Expr(init)) => self.eval(*init, &frame.active),
                    _ => vec![Value::Unknown; self.items],
                };
                self.store(*var, &value, &frame.active);
            }
            StmtKind::Expr(expr) => {
                self.eval(*expr, &frame.active);
            }
            StmtKind::Block(block) => self.stmts(&block.stmts, frame),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => self.branch(*cond, then, otherwise.as_ref(), frame),
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => {
                self.stmts(init, frame);
                self.repeat(*cond, *step, body, true, frame);
            }
            StmtKind::While { cond, body, .. } => self.repeat(Some(*cond), None, body, true, frame),
            StmtKind::DoWhile { cond, body, .. } => {
                self.repeat(Some(*cond), None, body, false, frame);
            }
            StmtKind::Switch { value, arms } => {
                self.eval(*value, &frame.active);
                let mut inner = Frame::of(maybe(&frame.active));
                for arm in arms {
                    self.stmts(&arm.body, &mut inner);
                }
                self.leave_unknown(stmt, frame);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.eval(*value, &frame.active);
                    self.give_back(&value, &frame.active);
                }
                leave(&mut frame.active, None);
            }
            StmtKind::Break => leave(&mut frame.active, Some(&mut frame.broken)),
            StmtKind::Continue => leave(&mut frame.active, Some(&mut frame.continued)),
            // Where they lead is not followed.
            StmtKind::Goto(_) | StmtKind::Label(_) => self.budget = 0,
            StmtKind::Pragma(_) | StmtKind::Comment(_) => {}
        }
    }

    fn branch(&mut self, cond: ExprId, then: &Block, otherwise: Option<&Block>, frame: &mut Frame) {
        let cond = self.eval(cond, &frame.active);
        if leaves(then, otherwise) || assumed(&frame.active, &cond, true).is_none() {
            return self.branch_as_known(&cond, then, otherwise, frame);
        }
        let before = frame.active.clone();
        let values = self.values.clone();
        for (wanted, block) in [(true, Some(then)), (false, otherwise)] {
            let Some(block) = block else { continue };
            self.values.clone_from(&values);
            frame.active.clone_from(&before);
            self.assuming(&cond, wanted, frame, |run, frame| {
                run.stmts(&block.stmts, frame)
            });
        }
        self.values = values;
        for block in [Some(then), otherwise].into_iter().flatten() {
            self.havoc(block, None);
        }
        frame.active = before;
    }

    /// Goes on where a condition that nobody knows is what is asked for, for a few lots of work-items.
    fn assuming(
        &mut self,
        cond: &[Value],
        wanted: bool,
        frame: &mut Frame,
        go: impl FnOnce(&mut Self, &mut Frame),
    ) {
        let around = self.scope;
        frame.active = match self.enter(&frame.active, cond, wanted) {
            Some(active) => active,
            None => masked(&frame.active, cond, wanted),
        };
        go(self, frame);
        self.scope = around;
    }

    /// Who takes part where a condition is what is asked for. That it is so is assumed from here on.
    fn enter(&mut self, active: &[Active], cond: &[Value], wanted: bool) -> Option<Vec<Active>> {
        let (active, ranks) = assumed(active, cond, wanted)?;
        self.scope = self.scopes.within(self.scope, ranks)?;
        Some(active)
    }

    fn branch_as_known(
        &mut self,
        cond: &[Value],
        then: &Block,
        otherwise: Option<&Block>,
        frame: &mut Frame,
    ) {
        let before = frame.active.clone();
        let mut sides = [true, false].map(|side| masked(&before, cond, side));
        for (side, block) in sides.iter_mut().zip([Some(then), otherwise]) {
            let Some(block) = block else { continue };
            std::mem::swap(&mut frame.active, side);
            self.stmts(&block.stmts, frame);
            std::mem::swap(&mut frame.active, side);
        }
        if otherwise.is_none() && always_leaves(then) {
            let rest = self.enter(&before, cond, false);
            frame.active = rest.unwrap_or_else(|| masked(&before, cond, false));
            return;
        }
        for (at, active) in frame.active.iter_mut().enumerate() {
            *active = sides[0][at].max(sides[1][at]);
            // Who may have gone either way is back, unless it left in one of them.
            let is_open = before[at] == Active::Yes && cond[at].truth().is_none();
            if is_open
                && sides[0][at].min(sides[1][at]) == Active::Maybe
                && !leaves(then, otherwise)
            {
                *active = Active::Yes;
            }
        }
    }

    /// A loop, as long as all conditions are known.
    fn repeat(
        &mut self,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: &Block,
        cond_first: bool,
        frame: &mut Frame,
    ) {
        let before = frame.active.clone();
        let mut inner = Frame::of(before.clone());
        let mut done = vec![Active::No; self.items];
        let around = self.scope;
        let mut is_first = true;
        while !self.is_over() {
            if let (Some(cond), true) = (cond, cond_first || !is_first) {
                let cond = self.eval(cond, &inner.active);
                let is_unknown =
                    |at: usize| inner.active[at] != Active::No && cond[at].truth().is_none();
                if (0..self.items).any(is_unknown) {
                    self.first_turn(&cond, (body, step), &mut inner, is_first);
                    frame.active = match has_return(body) {
                        true => maybe(&before),
                        false => before,
                    };
                    return;
                }
                for at in 0..self.items {
                    if cond[at].truth() == Some(false) {
                        done[at] = done[at].max(inner.active[at]);
                        inner.active[at] = Active::No;
                    }
                }
            }
            is_first = false;
            if inner.is_idle() {
                break;
            }
            self.stmts(&body.stmts, &mut inner);
            for at in 0..self.items {
                inner.active[at] = inner.active[at].max(inner.continued[at]);
                inner.continued[at] = Active::No;
            }
            if let Some(step) = step {
                self.eval(step, &inner.active);
            }
            if inner.is_idle() {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
        }
        let left = done.iter().zip(&inner.broken);
        frame.active = left.map(|(done, broken)| *done.max(broken)).collect();
        // Who comes to the end of a loop that nobody returns from does, whatever was assumed in it.
        if !has_return(body) {
            self.scope = around;
        }
    }

    /// A turn of a loop of which nobody knows whether there is one: the first, where that is so, or any.
    fn first_turn(
        &mut self,
        cond: &[Value],
        (body, step): (&Block, Option<ExprId>),
        inner: &mut Frame,
        is_first: bool,
    ) {
        if is_first && assumed(&inner.active, cond, true).is_some() {
            self.assuming(cond, true, inner, |run, inner| {
                run.stmts(&body.stmts, inner)
            });
        } else {
            self.havoc(body, step);
            inner.active = maybe(&inner.active);
            self.stmts(&body.stmts, inner);
        }
        self.havoc(body, step);
    }

    /// After control that was not followed.
    fn leave_unknown(&mut self, stmt: &Stmt, frame: &mut Frame) {
        let mut returns = false;
        stmt.for_each(&mut |stmt| {
            returns |= matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Continue);
        });
        if returns {
            frame.active = maybe(&frame.active);
        }
    }

    /// All that a loop assigns to may have any value.
    fn havoc(&mut self, body: &Block, step: Option<ExprId>) {
        let (types, function) = (&self.module.types, self.function);
        let mut written = BTreeSet::new();
        let mut visit = |var, access: variables::Access| {
            if access.may_write() {
                written.insert(var);
            }
        };
        for stmt in &body.stmts {
            variables::accesses_of_stmt(types, function, stmt, &mut visit);
        }
        if let Some(step) = step {
            variables::accesses(types, &function.exprs, step, &mut |var, access, _| {
                visit(var, access);
            });
        }
        for var in written {
            self.values.remove(&var);
        }
    }

    fn store(&mut self, var: VarId, new: &[Value], active: &[Active]) {
        let unknown = || vec![Value::Unknown; self.items];
        let values = self.values.entry(var).or_insert_with(unknown);
        for ((value, new), active) in values.iter_mut().zip(new).zip(active) {
            match active {
                Active::Yes => *value = *new,
                Active::Maybe => *value = Value::Unknown,
                Active::No => {}
            }
        }
    }
}

fn leaves(then: &Block, otherwise: Option<&Block>) -> bool {
    let mut found = false;
    for block in std::iter::once(then).chain(otherwise) {
        block.for_each_stmt(&mut |stmt| {
            let kind = &stmt.kind;
            found |= matches!(
                kind,
                StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue
            );
        });
    }
    found
}

/// Whether nobody comes to the end of a block.
fn always_leaves(block: &Block) -> bool {
    let last = block.stmts.last().map(|stmt| &stmt.kind);
    matches!(
        last,
        Some(StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue)
    )
}

fn is_integer(module: &Module, ty: fpgacc_frontend::ir::TypeId) -> bool {
    let scalar = module.types.as_scalar(ty);
    scalar.is_some_and(fpgacc_frontend::ir::Scalar::is_integer)
}

fn has_return(block: &Block) -> bool {
    block.stmts.iter().any(loops::returns)
}
