//! Which atomics of a loop may count on the chip.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Callee, Expr, ExprId, Function, FunctionId, Module, Qualifiers,
    Stmt, StmtKind, TypeId, UnaryOp, VarId, VarRef, builtin_has_effects,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::accesses::{Accesses, Summaries};
use fpgacc_kernel_analysis::interval::interval;
use fpgacc_kernel_analysis::location::{Around, Locations, Refusal, Region, is_loop, refuse};
use fpgacc_kernel_analysis::loops;

use super::early_returns::can_stay;
use crate::around_loop::Plan;
use crate::pass::Note;

/// What forms that count so are called by.
const FORM: &str = "counts on the chip";
/// The most elements of an array: more would take a good part of a device.
const MOST: i128 = 1 << 16;
/// The most elements that a work-group counts in: 32 KiB of `__local` memory.
const MOST_OF_GROUPS: i128 = 1 << 13;

/// An atomic whose result nobody uses, a statement of its own.
#[derive(Clone, Copy, Debug)]
pub struct Atomic {
    /// The call.
    pub call: ExprId,
    /// Its pointer.
    pub pointer: ExprId,
    /// The parameter that it points into.
    base: VarId,
    /// The element; `None`: the first.
    pub index: Option<ExprId>,
    /// What is added; `None`: 1.
    pub amount: Option<ExprId>,
    /// It is taken away.
    pub is_sub: bool,
    /// The function that adds such numbers to memory.
    pub add: &'static str,
}

/// Counts of a loop that an array on the chip takes.
#[derive(Clone, Debug)]
pub struct Counts {
    /// The parameter.
    pub base: VarId,
    /// The type of an element.
    pub ty: TypeId,
    /// Elements of the array.
    pub elements: u64,
    /// The atomics of the loop.
    pub atomics: Vec<Atomic>,
}

/// Plans the rewrite of a kernel: its outermost loops, one by one.
pub fn plan(
    module: &Module,
    kernel: FunctionId,
    summaries: &Summaries,
    called: &BTreeSet<FunctionId>,
) -> Plan<Counts> {
    let function = &module.functions[kernel];
    let Some(body) = loops::structured_body(function) else {
        return Plan::default();
    };
    let mut judge = Judge::new(module, kernel, summaries, called);
    judge.block(body, &mut 0);
    judge.plan
}

/// What the groups of an NDRange kernel count, and notes on what they do and do not.
pub fn plan_groups(
    module: &Module,
    kernel: FunctionId,
    summaries: &Summaries,
    called: &BTreeSet<FunctionId>,
) -> (Vec<Counts>, [Vec<Note>; 2]) {
    let mut judge = Judge::new(module, kernel, summaries, called);
    judge.whole = "kernel";
    judge.most = MOST_OF_GROUPS;
    let body = loops::structured_body(&module.functions[kernel]);
    body.map_or_else(Default::default, |body| judge.groups(body))
}

struct Judge<'a> {
    locations: Locations<'a>,
    plan: Plan<Counts>,
    /// What counts: a loop, or a kernel.
    whole: &'static str,
    /// The most elements of an array.
    most: i128,
}

impl<'a> Judge<'a> {
    fn new(
        module: &'a Module,
        kernel: FunctionId,
        summaries: &'a Summaries,
        called: &BTreeSet<FunctionId>,
    ) -> Self {
        Judge {
            locations: Locations::of(module, kernel, called, summaries),
            plan: Plan::default(),
            whole: "loop",
            most: MOST,
        }
    }
}

/// Why nothing may be counted on the chip, and where that is seen.
type Obstacle = (&'static str, Option<ExprId>);

/// Atomics on one parameter.
struct Found<'a> {
    /// The parameter.
    name: &'a str,
    /// The first of them.
    span: Option<Span>,
    /// What becomes of them.
    counts: Result<Counts, Refusal>,
}

/// The calls of atomics.
fn calls(by_base: &BTreeMap<VarId, Vec<Atomic>>) -> BTreeSet<ExprId> {
    by_base.values().flatten().map(|one| one.call).collect()
}

/// How many elements counts take.
fn size(counts: &Counts) -> String {
    match counts.elements {
        1 => "one element".to_string(),
        elements => format!("{elements} elements"),
    }
}

impl<'a> Judge<'a> {
    /// Looks at all that a kernel counts.
    fn groups(&self, body: &Block) -> (Vec<Counts>, [Vec<Note>; 2]) {
        let aliases = &self.locations.aliases;
        let by_base = self.atomics(&body.stmts);
        let accesses = Accesses::of_stmts(aliases, self.locations.summaries, &body.stmts);
        let obstacle = self.obstacle_of_groups(body, &calls(&by_base));
        let (mut kept, mut done, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = MOST_OF_GROUPS;
        for Found { name, span, counts } in self.found(by_base, &accesses, obstacle) {
            match counts.and_then(|counts| self.fits(counts, &mut left)) {
                Ok(counts) => {
                    let text = format!(
                        "'{name}' is counted by each work-group in {} of __local memory, and added \
                         to memory at its end",
                        size(&counts)
                    );
                    done.push(Note::new(text, span).names_form(FORM));
                    kept.push(counts);
                }
                Err(refusal) => {
                    let text = format!(
                        "'{name}' is not counted in __local memory: {}",
                        refusal.reason
                    );
                    missed.push(refusal.note(&aliases.function.exprs, text, span));
                }
            }
        }
        (kept, [done, missed])
    }

    /// The atomics of statements, by the parameter in whose memory they count.
    fn atomics(&self, stmts: &[Stmt]) -> BTreeMap<VarId, Vec<Atomic>> {
        let mut by_base: BTreeMap<VarId, Vec<Atomic>> = BTreeMap::new();
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                if let Some(atomic) = self.atomic(stmt) {
                    by_base.entry(atomic.base).or_default().push(atomic);
                }
            });
        }
        by_base
    }

    /// What becomes of atomics that a loop or a kernel makes, with what it accesses.
    fn found(
        &self,
        by_base: BTreeMap<VarId, Vec<Atomic>>,
        accesses: &Accesses,
        obstacle: Option<Obstacle>,
    ) -> impl Iterator<Item = Found<'a>> {
        let function = self.locations.aliases.function;
        by_base.into_iter().map(move |(base, atomics)| Found {
            name: &function.vars[base].name,
            span: function.exprs.span(atomics[0].call),
            counts: match obstacle {
                Some((reason, at)) => Err(Refusal {
                    reason: reason.to_string(),
                    also: at.map(|at| (at, "here")),
                }),
                None => self.counts(accesses, base, atomics),
            },
        })
    }

    /// Whether there is room for counts.
    fn fits(&self, counts: Counts, left: &mut i128) -> Result<Counts, Refusal> {
        let scalar = self.locations.aliases.module.types.as_scalar(counts.ty);
        if scalar.is_none_or(|scalar| scalar.size() != 4) {
            return Err(refuse("there are no atomics of its size in __local memory"));
        }
        *left -= i128::from(counts.elements);
        match *left < 0 {
            true => Err(refuse(format!(
                "with it the kernel counts in more than {MOST_OF_GROUPS} elements"
            ))),
            false => Ok(counts),
        }
    }

    /// Why no atomic of a kernel may move.
    fn obstacle_of_groups(&self, body: &Block, known: &BTreeSet<ExprId>) -> Option<Obstacle> {
        if !can_stay(&body.stmts) {
            return Some(("work-items leave the kernel in its midst", None));
        }
        let exprs = &self.locations.aliases.function.exprs;
        let mut found = None;
        body.for_each_expr(exprs, &mut |id| {
            let is_barrier = matches!(
                exprs.get(id),
                Expr::Call { callee: Callee::Builtin(name), .. } if name.contains("barrier")
            );
            let is_other = !known.contains(&id) && !is_barrier && self.synchronises(id);
            if is_other && found.is_none() {
                found = Some(id);
            }
        });
        found.map(|at| ("memory is synchronised in the kernel", Some(at)))
    }

    /// Looks for the outermost loops. `seen`: loops that were met.
    fn block(&mut self, block: &Block, seen: &mut usize) {
        for stmt in &block.stmts {
            let (at, held) = (*seen, loops::count(stmt));
            *seen += held;
            match &stmt.kind {
                _ if is_loop(stmt) => self.judge_loop(at, stmt),
                StmtKind::Block(inner) => self.block(inner, &mut { at }),
                _ => {}
            }
        }
    }

    fn judge_loop(&mut self, at: usize, stmt: &Stmt) {
        let by_base = self.atomics(std::slice::from_ref(stmt));
        if by_base.is_empty() {
            return;
        }
        let Some(region) = Region::new(&self.locations, stmt) else {
            return;
        };
        let exprs = &self.locations.aliases.function.exprs;
        let obstacle = self.obstacle(&region, &calls(&by_base));
        let all: Vec<_> = self.found(by_base, &region.accesses, obstacle).collect();
        for Found { name, span, counts } in all {
            match counts {
                Ok(counts) => {
                    let text = format!(
                        "'{name}' is counted in {} on the chip, and added to memory after the loop",
                        size(&counts)
                    );
                    self.plan.done.push(Note::new(text, span).names_form(FORM));
                    self.plan.keep(at, [counts], Around::default());
                }
                Err(refusal) => {
                    let text = format!("'{name}' is not counted on the chip: {}", refusal.reason);
                    self.plan.missed.push(refusal.note(exprs, text, span));
                }
            }
        }
    }

    /// An atomic addition or subtraction that is a statement.
    fn atomic(&self, stmt: &Stmt) -> Option<Atomic> {
        let exprs = &self.locations.aliases.function.exprs;
        let StmtKind::Expr(root) = &stmt.kind else {
            return None;
        };
        let call = match exprs.get(*root) {
            Expr::Cast { operand, .. } => *operand,
            _ => *root,
        };
        let Expr::Call {
            callee: Callee::Builtin(name),
            args,
        } = exprs.get(call)
        else {
            return None;
        };
        let (name, add) = match name.strip_prefix("atomic_") {
            Some(name) => (name, "atomic_add"),
            None => (name.strip_prefix("atom_")?, "atom_add"),
        };
        let (amount, is_sub) = match (name, args.as_slice()) {
            ("add", [_, amount]) => (Some(*amount), false),
            ("sub", [_, amount]) => (Some(*amount), true),
            ("inc", [_]) => (None, false),
            ("dec", [_]) => (None, true),
            _ => return None,
        };
        let pointer = *args.first()?;
        let (base, index) = self.element(pointer)?;
        Some(Atomic {
            call,
            pointer,
            base,
            index,
            amount,
            is_sub,
            add,
        })
    }

    /// The parameter in global memory that a pointer points into, and at which element.
    fn element(&self, pointer: ExprId) -> Option<(VarId, Option<ExprId>)> {
        let function = self.locations.aliases.function;
        let exprs = &function.exprs;
        let param = |id: ExprId| {
            let Expr::Var(VarRef::Local(var)) = exprs.get(id) else {
                return None;
            };
            let (_, space) = self
                .locations
                .aliases
                .module
                .types
                .as_pointer(exprs.ty(id))?;
            let is_global = space == AddressSpace::Global && function.params.contains(var);
            is_global.then_some(*var)
        };
        match exprs.get(pointer) {
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => match exprs.get(*operand) {
                Expr::Index { base, index } => Some((param(*base)?, Some(*index))),
                _ => None,
            },
            Expr::Binary {
                op: BinaryOp::Add,
                lhs,
                rhs,
            } => Some((param(*lhs)?, Some(*rhs))),
            _ => Some((param(pointer)?, None)),
        }
    }

    /// Why no atomic of a loop may move: memory is ordered in it otherwise, or it may not come to its end.
    fn obstacle(&self, region: &Region<'_>, known: &BTreeSet<ExprId>) -> Option<Obstacle> {
        if region.has_return {
            return Some(("the loop contains a return", None));
        }
        let function = self.locations.aliases.function;
        let mut found = None;
        region.stmt.for_each_expr(&function.exprs, &mut |id| {
            let is_other = !known.contains(&id) && self.synchronises(id);
            if is_other && found.is_none() {
                found = Some(id);
            }
        });
        found.map(|at| ("memory is synchronised in the loop", Some(at)))
    }

    fn synchronises(&self, id: ExprId) -> bool {
        let aliases = &self.locations.aliases;
        match aliases.function.exprs.get(id) {
            Expr::Call {
                callee: Callee::Function(callee),
                ..
            } => {
                self.locations
                    .summaries
                    .get(aliases.module, *callee)
                    .synchronises
            }
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => builtin_has_effects(name) && !name.starts_with("vstore"),
            _ => false,
        }
    }

    fn counts(
        &self,
        accesses: &Accesses,
        base: VarId,
        atomics: Vec<Atomic>,
    ) -> Result<Counts, Refusal> {
        let aliases = &self.locations.aliases;
        let (types, function) = (&aliases.module.types, aliases.function);
        let pointee = types.as_pointer(function.vars[base].ty.ty);
        let pointee = pointee.map(|(pointee, _)| pointee);
        let integer = pointee.filter(|ty| types.as_scalar(ty.ty).is_some_and(|s| s.is_integer()));
        let Some(element) = integer else {
            return Err(refuse("it is no integer"));
        };
        if element.quals.contains(Qualifiers::VOLATILE) {
            return Err(refuse("it is volatile"));
        }
        if is_changed(function, base) {
            return Err(refuse("the pointer is changed"));
        }
        let own: BTreeSet<ExprId> = atomics.iter().map(|atomic| atomic.pointer).collect();
        let accesses = &accesses.list;
        let Some(whole) = accesses.iter().find(|access| own.contains(&access.at)) else {
            return Err(refuse("what it points to is not known"));
        };
        let mut others = accesses.iter().filter(|access| !own.contains(&access.at));
        if let Some(other) = others.find(|access| aliases.may_overlap(access, whole)) {
            return Err(Refusal {
                reason: format!(
                    "another access in the {} may touch the same memory",
                    self.whole
                ),
                also: Some((other.at, "this may be the same memory")),
            });
        }
        let elements = self.elements(&atomics)?;
        Ok(Counts {
            base,
            ty: element.ty,
            elements,
            atomics,
        })
    }

    /// How many elements all indices lie in.
    fn elements(&self, atomics: &[Atomic]) -> Result<u64, Refusal> {
        let aliases = &self.locations.aliases;
        let mut elements = 1;
        for index in atomics.iter().filter_map(|atomic| atomic.index) {
            let bounds = interval(
                aliases.module,
                aliases.function,
                &self.locations.constants,
                index,
            );
            let most = self.most;
            let within = bounds.filter(|bounds| bounds.is_natural() && bounds.high < most);
            let Some(bounds) = within else {
                return Err(Refusal {
                    reason: format!(
                        "its index may be anything; say it with a type or mask that leaves at most \
                         {most} elements, such as `& 255`"
                    ),
                    also: Some((index, "the index")),
                });
            };
            elements = elements.max(bounds.high + 1);
        }
        Ok(elements as u64)
    }
}

/// Whether a function may let a variable of its own have another value.
fn is_changed(function: &Function, var: VarId) -> bool {
    let mut found = false;
    let Some(body) = &function.body else {
        return found;
    };
    let exprs = &function.exprs;
    body.for_each_expr(exprs, &mut |id| {
        found |= exprs.written_var(id) == Some(var) || exprs.exposed_var(id) == Some(var);
    });
    found
}
