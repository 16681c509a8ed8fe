//! Whether two loops may be one.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    ExprId, FunctionId, Init, LoopHints, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::{Access, Accesses, Summaries};
use fpgacc_kernel_analysis::alias::{Aliases, Root};
use fpgacc_kernel_analysis::dependence::{Body, Effects, may_conflict, sets, touches};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::independence::Later;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Header, Nests};
use fpgacc_kernel_analysis::trip_count::{Constants, counting};

use super::candidates::Pair;
use super::merge::Merged;
use crate::copy::redirect;
use crate::pass::Context;
use crate::position::{Position, list};

/// Whether what stands between two loops may come before both.
///
/// # Errors
/// It may not.
pub fn between(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    pair: &Pair,
) -> Result<(), Refusal> {
    let function = &module.functions[kernel];
    let stmts = list(function, &pair.path).unwrap_or_default();
    let between = &stmts[pair.first + 1..pair.second];
    let is_more = |stmt: &&Stmt| {
        !matches!(
            stmt.kind,
            StmtKind::Comment(_) | StmtKind::Decl { init: None, .. }
        )
    };
    if !between.iter().any(|stmt| is_more(&stmt)) {
        return Ok(());
    }
    let aliases = Aliases::new(module, kernel, context.called);
    let summaries = context.summaries(module, kernel);
    let first = std::slice::from_ref(&stmts[pair.first]);
    let of_first = Accesses::of_stmts(&aliases, summaries, first);
    for stmt in between.iter().filter(is_more) {
        let own = std::slice::from_ref(stmt);
        let accesses = Accesses::of_stmts(&aliases, summaries, own);
        let is_plain = Effects::of(&aliases, summaries, own) == Effects::default();
        if !is_plain || may_conflict(&aliases, &accesses, &of_first) {
            return Err(Refusal {
                reason: "what stands between may not come before the first one".to_string(),
                also: stmt.exprs().first().map(|at| (*at, "it stands here")),
            });
        }
    }
    Ok(())
}

/// The counters of two loops whose heads say the same.
///
/// # Errors
/// They do not, or what else stands before the loops says more.
pub fn heads(module: &mut Module, kernel: FunctionId, pair: &Pair) -> Result<[VarId; 2], Refusal> {
    let function = &module.functions[kernel];
    let unknown = || refuse("they do not count");
    let [first, second] = pair.loops(function).ok_or_else(unknown)?;
    let header = |stmt| Header::of(function, stmt).ok_or_else(unknown);
    let counters = [header(first)?.counter, header(second)?.counter];
    let [a, b] = counters;
    let scalar = |var: VarId| module.types.as_scalar(function.vars[var].ty.ty);
    if scalar(a).is_none() || scalar(a) != scalar(b) {
        return Err(refuse("their counters are of different types"));
    }
    if a != b && !(is_declared(first) && is_declared(second)) {
        return Err(refuse("a counter is declared outside of its loop"));
    }
    let says_more = |stmt: &Stmt| {
        loops::hints(stmt).is_some_and(|LoopHints { pragmas, attrs }| {
            !attrs.is_empty() || pragmas.iter().any(|text| !text.starts_with("ivdep"))
        })
    };
    if says_more(first) || says_more(second) {
        return Err(refuse("a pragma or attribute is about one of them alone"));
    }
    let constants = Constants::new(module, function);
    let counted = [first, second].map(|stmt| {
        let counting = counting(&constants, stmt)?;
        Some((counting.start, counting.by, counting.trips))
    });
    let is_equal = counted[0].is_some() && counted[0] == counted[1];
    if is_equal || faults::is_on("fuse-trips-unchecked") || say_the_same(module, kernel, pair, b, a)
    {
        return Ok(counters);
    }
    Err(refuse(
        "it is not known that they run equally often, from the same start",
    ))
}

/// Whether a loop declares what it counts with.
fn is_declared(stmt: &Stmt) -> bool {
    let StmtKind::For { init, .. } = &stmt.kind else {
        return false;
    };
    init.iter()
        .all(|stmt| matches!(stmt.kind, StmtKind::Decl { .. }))
}

/// Whether the heads of two loops are the same text, with the first one's counter in both.
fn say_the_same(
    module: &mut Module,
    kernel: FunctionId,
    pair: &Pair,
    from: VarId,
    to: VarId,
) -> bool {
    let function = &mut module.functions[kernel];
    let Some([first, second]) = pair.loops(function).map(|both| both.map(head)) else {
        return false;
    };
    let pairs = first.into_iter().zip(second);
    for (x, y) in pairs {
        let (Some(x), Some(y)) = (x, y) else {
            return false;
        };
        let copy = function.exprs.duplicate(y);
        redirect(function, &[Stmt::new(StmtKind::Expr(copy))], from, to);
        if !function.exprs.same(x, copy) {
            return false;
        }
    }
    true
}

/// The first value, condition and step of a loop.
fn head(stmt: &Stmt) -> [Option<ExprId>; 3] {
    let StmtKind::For {
        init, cond, step, ..
    } = &stmt.kind
    else {
        return [None; 3];
    };
    let start = init.first().and_then(|stmt| match &stmt.kind {
        StmtKind::Decl {
            init: Some(Init::Expr(value)),
            ..
        }
        | StmtKind::Expr(value) => Some(*value),
        _ => None,
    });
    [start, *cond, *step]
}

/// Whether a loop that was two does what they did; the pragmas that it has.
///
/// # Errors
/// It may not.
pub fn check(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    (at, merged): (&Position, &Merged),
) -> Result<Vec<String>, Refusal> {
    let function = &module.functions[kernel];
    let Some(stmt) = at.get(function) else {
        return Err(refuse("they do not count"));
    };
    let StmtKind::For { body, .. } = &stmt.kind else {
        return Err(refuse("they do not count"));
    };
    let (first, second) = body.stmts.split_at(merged.first);
    let leaves = |stmts: &[Stmt], continues| {
        let mut stmts = stmts.iter();
        stmts.any(|stmt| loops::leaves(stmt, true, continues))
    };
    if leaves(first, true) || leaves(second, false) {
        return Err(refuse(
            "an iteration may leave one of them, or end before its end",
        ));
    }
    let nests = Nests::of(module, function);
    if nests.levels(stmt) == 0 {
        return Err(refuse("a counter or a bound changes while they run"));
    }
    let aliases = Aliases::new(module, kernel, context.called);
    let summaries = context.summaries(module, kernel);
    may_mix([first, second].map(|stmts| Effects::of(&aliases, summaries, stmts)))?;
    let Some(mut order) = Body::of(&aliases, summaries, &nests, stmt) else {
        return Err(refuse("they do not count"));
    };
    let temporaries = temporaries(&aliases, summaries, [first, second]);
    let is_ordered = |access: &Access| match access.roots.iter().next() {
        Some(Root::Object(VarRef::Local(var))) if access.roots.len() == 1 => {
            !temporaries.contains(var)
        }
        _ => true,
    };
    let (firsts, seconds) = (0..merged.first, merged.first..body.stmts.len());
    for later in firsts.clone() {
        for earlier in seconds.clone() {
            let found = order.dependence_of(earlier, later, Later::Later, &is_ordered);
            if let Some(found) = found.filter(|_| !faults::is_on("fuse-dependence-ignored")) {
                return Err(Refusal {
                    reason: format!(
                        "an iteration of the second would come before a later one of the first, and {}",
                        found.reason
                    ),
                    also: Some((found.first, "the second one does this")),
                });
            }
        }
    }
    Ok(pragmas(&aliases, &mut order, merged, body.stmts.len()))
}

/// Whether iterations of two loops may take turns, whatever memory they access.
fn may_mix([x, y]: [Effects; 2]) -> Result<(), Refusal> {
    if x.prints && y.prints {
        return Err(refuse("both print"));
    }
    if x.synchronises || y.synchronises {
        return Err(refuse(
            "barriers, fences, atomics or channels in them order what is done",
        ));
    }
    match x.is_volatile || y.is_volatile {
        true => Err(refuse("they access volatile memory")),
        false => Ok(()),
    }
}

/// The `ivdep` pragmas of two loops that hold of both as one.
fn pragmas(
    aliases: &Aliases<'_>,
    order: &mut Body<'_>,
    merged: &Merged,
    all: usize,
) -> Vec<String> {
    let [first, second] = &merged.pragmas;
    let (firsts, seconds) = (0..merged.first, merged.first..all);
    let mut kept: Vec<String> = Vec::new();
    for text in first.iter().chain(second) {
        if kept.contains(text) {
            continue;
        }
        let is_in = |others: &[String]| others.contains(text);
        let name = match array_of(text) {
            Some(name) => name,
            None if text.trim() == "ivdep" => "",
            None => continue,
        };
        let vars: Vec<VarId> = match name {
            "" => Vec::new(),
            name => named(aliases, order, name, all),
        };
        if !name.is_empty() && vars.len() != 1 {
            continue;
        }
        let passes = |access: &Access| vars.is_empty() || touches(aliases, access, vars[0]);
        let is_free = |others: &[String], range: std::ops::Range<usize>| {
            is_in(others)
                || !vars.is_empty()
                    && range
                        .into_iter()
                        .all(|at| !order.accesses(at).list.iter().any(&passes))
        };
        if !is_free(first, firsts.clone()) || !is_free(second, seconds.clone()) {
            continue;
        }
        let is_apart = firsts.clone().all(|x| {
            seconds.clone().all(|y| {
                let mut meet = |a, b| order.dependence_of(a, b, Later::Later, &passes).is_some();
                !meet(x, y) && !meet(y, x)
            })
        });
        if is_apart {
            kept.push(text.clone());
        }
    }
    kept
}

/// The array that a pragma is about.
fn array_of(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("ivdep")?.trim();
    let inner = rest.strip_prefix("array")?.trim().strip_prefix('(')?;
    inner.strip_suffix(')').map(str::trim)
}

/// The variables of a name that statements access.
fn named(aliases: &Aliases<'_>, order: &Body<'_>, name: &str, all: usize) -> Vec<VarId> {
    let vars = aliases.function.vars.iter();
    let named = vars.filter(|(_, var)| var.name == name).map(|(id, _)| id);
    let is_accessed = |var: &VarId| {
        (0..all).any(|at| {
            let mut list = order.accesses(at).list.iter();
            list.any(|access| touches(aliases, access, *var))
        })
    };
    named.filter(is_accessed).collect()
}

/// Variables that each iteration of both loops gives a value before it uses them: one iteration's is no other's.
fn temporaries(
    aliases: &Aliases<'_>,
    summaries: &Summaries,
    parts: [&[Stmt]; 2],
) -> BTreeSet<VarId> {
    let function = aliases.function;
    let accesses = parts.map(|stmts| Accesses::of_stmts(aliases, summaries, stmts));
    let written = accesses.iter().flat_map(Accesses::writes);
    let written = written.filter_map(|access| function.exprs.local_var(access.at));
    let is_plain = |var: &VarId| {
        let ty = function.vars[*var].ty.ty;
        let types = &aliases.module.types;
        let is_value = types.component(ty).is_some();
        is_value && !aliases.is_exposed(VarRef::Local(*var))
    };
    let is_set_first = |var: &VarId| {
        parts.iter().all(|stmts| {
            let mut using = stmts.iter().filter(|stmt| uses(aliases, stmt, *var));
            using.next().is_none_or(|stmt| sets(function, stmt, *var))
        })
    };
    written.filter(is_plain).filter(is_set_first).collect()
}

fn uses(aliases: &Aliases<'_>, stmt: &Stmt, var: VarId) -> bool {
    let exprs = &aliases.function.exprs;
    stmt.any_expr(exprs, &mut |id| exprs.local_var(id) == Some(var))
}
