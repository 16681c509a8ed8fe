//! Memory through which the work-items of a launch may exchange values.
//!
//! `restrict` promises that what a work-item accesses through a pointer changes, while it runs, through that
//! pointer only (C11 6.7.3.1). Where a work-item accesses, after a barrier, what another one wrote before it, the
//! promise is false, whatever buffers the launch passes: compilers then keep values across the barrier, which is a
//! call that cannot reach memory of such a pointer. Intel's emulator and PoCL do so.
//!
//! Without a barrier between, an access and a write of another work-item are a data race. So nothing is
//! exchanged through memory that is only read, or that is only accessed between two barriers. Where there are
//! atomic operations or fences, too, which may make a lock, it may not be both read and written.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Callee, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, VarId, builtin_has_effects,
};

use super::accesses::{Access, Accesses, Summaries};
use super::alias::Aliases;
use super::calls::{calls_builtin, reachable, talks};
use super::{faults, loops};

/// What orders accesses of one work-item and another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// A barrier: those of a group are before it, or after it.
    Barrier,
    /// A relaxed atomic operation. It orders nothing, but programs rely on more (a lock).
    Atomic,
    /// A fence, or anything else that is not known.
    Other,
}

/// Of a kernel, the pointer parameters through which its work-items may exchange values, each with a call, such as of
/// `barrier`, before and after which it is accessed.
///
/// `is_single`: it runs as one work-item, which meets nobody but other kernels, at channels and pipes.
pub fn exchanged(
    module: &Module,
    kernel: FunctionId,
    called: &BTreeSet<FunctionId>,
    is_single: bool,
) -> BTreeMap<VarId, ExprId> {
    let function = &module.functions[kernel];
    let meetings = meetings(module, kernel, is_single);
    let (Some(body), false) = (&function.body, meetings.is_empty()) else {
        return BTreeMap::new();
    };
    let summaries = Summaries::reachable(module, kernel, called);
    let mut walk = Walk {
        aliases: &Aliases::new(module, kernel, called),
        summaries: &summaries,
        meetings: &meetings,
        atomics: atomic_operands(function),
        crossed: Vec::new(),
        touched: BTreeMap::new(),
    };
    match loops::has_labels(body) {
        // Control may go back to anywhere.
        true => walk.on_both_sides(&body.stmts),
        false => walk.stmts(&body.stmts),
    }
    if faults::is_on("exchange-missed") {
        return BTreeMap::new();
    }
    let is_lock = |(_, meeting): &(_, &Meeting)| **meeting != Meeting::Barrier;
    let lock = meetings.iter().find(is_lock).map(|(call, _)| *call);
    let touched = walk.touched.into_iter();
    touched
        .filter_map(|(var, touched)| Some((var, touched.exchange(lock)?)))
        .collect()
}

/// The calls at which a work-item may meet another.
fn meetings(module: &Module, kernel: FunctionId, is_single: bool) -> BTreeMap<ExprId, Meeting> {
    let function = &module.functions[kernel];
    let of_name = |name: &str| meeting_at(name).filter(|_| !is_single || talks(name));
    let calls = |callee: FunctionId, is_one: &dyn Fn(Meeting) -> bool| {
        let is_one = |name: &str| of_name(name).is_some_and(is_one);
        let calls = |id: &FunctionId| calls_builtin(&module.functions[*id], is_one);
        reachable(module, callee).iter().chain([&callee]).any(calls)
    };
    let of_function = |callee: FunctionId| match calls(callee, &|_| true) {
        true if calls(callee, &|meeting| meeting != Meeting::Barrier) => Some(Meeting::Other),
        true => Some(Meeting::Barrier),
        false => None,
    };
    let mut functions: BTreeMap<FunctionId, Option<Meeting>> = BTreeMap::new();
    let mut meetings = BTreeMap::new();
    let Some(body) = &function.body else {
        return meetings;
    };
    body.for_each_expr(&function.exprs, &mut |id| {
        let Expr::Call { callee, .. } = function.exprs.get(id) else {
            return;
        };
        let meeting = match callee {
            Callee::Builtin(name) => of_name(name),
            Callee::Function(callee) => {
                let found = functions.entry(*callee);
                *found.or_insert_with(|| of_function(*callee))
            }
        };
        meetings.extend(meeting.map(|meeting| (id, meeting)));
    });
    meetings
}

fn meeting_at(name: &str) -> Option<Meeting> {
    match name {
        "printf" | "prefetch" => None,
        _ if name.starts_with("vstore") || !builtin_has_effects(name) => None,
        _ if is_relaxed(name) => Some(Meeting::Atomic),
        "fract" | "frexp" | "lgamma_r" | "modf" | "remquo" | "sincos" => None,
        "barrier" | "work_group_barrier" => Some(Meeting::Barrier),
        _ => Some(Meeting::Other),
    }
}

/// The atomic functions of OpenCL 1.x.
fn is_relaxed(name: &str) -> bool {
    let operation = name
        .strip_prefix("atomic_")
        .or_else(|| name.strip_prefix("atom_"));
    let operations = [
        "add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor",
    ];
    operation.is_some_and(|operation| operations.contains(&operation))
}

/// The pointers that relaxed atomic operations are given.
fn atomic_operands(function: &Function) -> BTreeSet<ExprId> {
    let mut operands = BTreeSet::new();
    let Some(body) = &function.body else {
        return operands;
    };
    body.for_each_expr(&function.exprs, &mut |id| {
        if let Expr::Call {
            callee: Callee::Builtin(name),
            args,
        } = function.exprs.get(id)
            && is_relaxed(name)
        {
            operands.extend(args.first());
        }
    });
    operands
}

/// How a parameter's memory is accessed.
#[derive(Clone, Copy, Debug)]
struct Touched {
    /// How many meetings the source has before the last access that was looked at.
    at: usize,
    reads: bool,
    writes: bool,
    /// What is between two accesses, and orders them.
    apart: Option<ExprId>,
}

impl Touched {
    /// The call at which values may be exchanged, which may be one of a `lock`.
    fn exchange(self, lock: Option<ExprId>) -> Option<ExprId> {
        let meets = self.apart.or(lock.filter(|_| self.reads));
        meets.filter(|_| self.writes)
    }
}

struct Walk<'a> {
    aliases: &'a Aliases<'a>,
    summaries: &'a Summaries,
    meetings: &'a BTreeMap<ExprId, Meeting>,
    atomics: BTreeSet<ExprId>,
    /// The meetings so far, in the order of the source.
    crossed: Vec<(Meeting, ExprId)>,
    touched: BTreeMap<VarId, Touched>,
}

impl Walk<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let alone = std::slice::from_ref(stmt);
        if self.meetings_in(alone).is_empty() {
            return self.note(&Accesses::of_stmts(self.aliases, self.summaries, alone));
        }
        match &stmt.kind {
            StmtKind::If { cond, .. } | StmtKind::Switch { value: cond, .. } => {
                self.expr(*cond);
                for list in stmt.lists() {
                    self.stmts(list);
                }
            }
            StmtKind::Block(block) => self.stmts(&block.stmts),
            // An iteration comes before and after another.
            _ => self.on_both_sides(alone),
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let accesses = Accesses::of_expr(self.aliases, self.summaries, expr);
        let meetings = self.meetings_below(expr);
        self.note(&accesses);
        if !meetings.is_empty() {
            self.crossed.extend(meetings);
            self.note(&accesses);
        }
    }

    /// All that statements access is accessed before and after what meets in them.
    fn on_both_sides(&mut self, stmts: &[Stmt]) {
        let accesses = Accesses::of_stmts(self.aliases, self.summaries, stmts);
        self.note(&accesses);
        self.crossed.extend(self.meetings_in(stmts));
        self.note(&accesses);
    }

    fn meetings_in(&self, stmts: &[Stmt]) -> Vec<(Meeting, ExprId)> {
        let mut meetings = Vec::new();
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                let roots = stmt.exprs().into_iter();
                meetings.extend(roots.flat_map(|root| self.meetings_below(root)));
            });
        }
        meetings
    }

    fn meetings_below(&self, expr: ExprId) -> Vec<(Meeting, ExprId)> {
        let mut meetings = Vec::new();
        self.aliases.function.exprs.for_each(expr, &mut |id| {
            meetings.extend(self.meetings.get(&id).map(|m| (*m, id)));
        });
        meetings
    }

    fn note(&mut self, accesses: &Accesses) {
        for access in &accesses.list {
            if !access.exact && self.atomics.contains(&access.at) {
                continue;
            }
            for var in self.aliases.parameters(access) {
                self.touch(var, access);
            }
        }
    }

    fn touch(&mut self, var: VarId, access: &Access) {
        let here = self.crossed.len();
        let touched = self.touched.entry(var).or_insert(Touched {
            at: here,
            reads: false,
            writes: false,
            apart: None,
        });
        touched.reads |= !access.write;
        touched.writes |= access.write;
        let orders = |(meeting, _): &&(Meeting, ExprId)| *meeting != Meeting::Atomic;
        let between = self.crossed[touched.at..].iter().find(orders);
        touched.apart = touched.apart.or(between.map(|(_, call)| *call));
        touched.at = here;
    }
}
