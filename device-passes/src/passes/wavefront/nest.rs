//! A loop over steps with a loop over lanes inside, as it stands in a kernel.

use fpgacc_frontend::ir::{ExprId, Function, Init, Module, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Nests, only};
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};

use super::arms;
use super::space::Affine;
use super::stores::{stored, stores_in};

/// What is known of a kernel.
pub struct Scope<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    pub aliases: &'a Aliases<'a>,
    pub nests: &'a Nests<'a>,
    pub summaries: &'a Summaries,
}

/// The loop inside of a loop that is all of its body.
pub fn inner(stmt: &Stmt) -> Option<&Stmt> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    only(&body.stmts).filter(|inner| matches!(inner.kind, StmtKind::For { .. }))
}

/// What the loop inside of a loop does in each iteration.
pub fn lane(stmt: &Stmt) -> Option<&[Stmt]> {
    match &inner(stmt)?.kind {
        StmtKind::For { body, .. } => Some(&body.stmts),
        _ => None,
    }
}

/// Arrays of the function's own that a loop inside a loop stores in and reads: a look that takes no time. For each list of
/// a lane's statements in which it stores, the innermost first.
pub fn written(function: &Function, stmt: &Stmt) -> Vec<Vec<VarId>> {
    let lane = lane(stmt).unwrap_or_default();
    if lane.iter().any(|stmt| loops::count(stmt) > 0) {
        return Vec::new();
    }
    let uses = stmt.local_uses(&function.exprs);
    let is_read = |array: &VarId| uses.iter().filter(|(_, var)| var == array).count() > 1;
    let lists = lists(function, lane).into_iter().rev();
    let arrays = lists.map(|list| {
        let stores = list.iter().flat_map(|stmt| stores_of(function, stmt));
        let mut arrays: Vec<VarId> = stores.filter_map(|store| stored(function, store)).collect();
        arrays.retain(is_read);
        arrays.sort_unstable();
        arrays.dedup();
        arrays
    });
    arrays.filter(|arrays| !arrays.is_empty()).collect()
}

/// Lists of a lane's statements, each in a branch or block of the one before it, as far as there are stores inside.
pub fn lists<'s>(function: &Function, stmts: &'s [Stmt]) -> Vec<&'s [Stmt]> {
    let deeper = stmts
        .iter()
        .filter_map(inside)
        .map(|list| lists(function, list));
    let mut found = deeper.max_by_key(Vec::len).unwrap_or_default();
    let mut stores = stmts.iter().flat_map(|stmt| stores_of(function, stmt));
    if !found.is_empty() || stores.next().is_some() {
        found.insert(0, stmts);
    }
    found
}

/// The statements in a block, or in a branch without another arm.
pub fn inside(stmt: &Stmt) -> Option<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If {
            then,
            otherwise: None,
            ..
        } => Some(&then.stmts),
        StmtKind::Block(block) => Some(&block.stmts),
        _ => None,
    }
}

/// The stores in arrays of the function's own that a statement is, or a branch with two arms has.
pub fn stores_of(function: &Function, stmt: &Stmt) -> Vec<ExprId> {
    let is_direct = matches!(
        stmt.kind,
        StmtKind::Expr(_)
            | StmtKind::If {
                otherwise: Some(_),
                ..
            }
    );
    match is_direct {
        true => stores_in(function, std::slice::from_ref(stmt)),
        false => Vec::new(),
    }
}

/// Whether the lanes of loops store in each arm of a branch.
pub fn branches(function: &Function, stmt: &Stmt) -> bool {
    lists(function, lane(stmt).unwrap_or_default())
        .into_iter()
        .flatten()
        .any(|stmt| {
            arms::store(function, stmt).is_some_and(|store| stored(function, store).is_some())
        })
}

/// What both loops count with, by the numbers of their iterations.
pub fn counters(counts: &[Counting; 2], iterations: [Affine; 2]) -> [Affine; 2] {
    let counter = |at: usize| {
        let Counting { start, by, .. } = counts[at];
        Affine::constant(start).plus(iterations[at], by)
    };
    [counter(0), counter(1)]
}

/// How both loops count.
pub fn counts(scope: &Scope<'_>, stmt: &Stmt) -> Result<[Counting; 2], Refusal> {
    let constants = Constants::new(scope.module, scope.function);
    let of = |stmt: &Stmt, may_be: &[&str]| {
        let StmtKind::For { init, hints, .. } = &stmt.kind else {
            return None;
        };
        let declares = matches!(init.as_slice(), [one] if matches!(one.kind, StmtKind::Decl { init: Some(Init::Expr(_)), .. }));
        let mut pragmas = hints.pragmas.iter();
        let is_free = hints.attrs.is_empty()
            && pragmas.all(|text| text.starts_with("ivdep") || may_be.contains(&text.as_str()));
        counting(&constants, stmt).filter(|_| declares && is_free)
    };
    // All lanes at once is what becomes of them.
    let both = inner(stmt).and_then(|inner| Some([of(stmt, &[])?, of(inner, &["unroll"])?]));
    both.ok_or_else(|| {
        refuse("its trip counts are not constants, or a pragma says what becomes of its loops")
    })
}
