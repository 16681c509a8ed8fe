//! Loops that follow each other, and where they stand.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{ExprId, Function, Stmt, StmtKind};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::nest::Header;

use crate::position::{BODY, Path, Position, list};

/// Two loops of a list, with nothing between that is more than a declaration or an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The list.
    pub path: Path,
    /// The first loop's index.
    pub first: usize,
    /// The second one's.
    pub second: usize,
}

/// Two loops by their conditions, which stay what they are.
pub type Key = (Option<ExprId>, Option<ExprId>);

impl Pair {
    /// Both loops.
    pub fn loops<'f>(&self, function: &'f Function) -> Option<[&'f Stmt; 2]> {
        let stmts = list(function, &self.path)?;
        Some([stmts.get(self.first)?, stmts.get(self.second)?])
    }

    /// What distinguishes it from others.
    pub fn key(&self, function: &Function) -> Key {
        match self.loops(function) {
            Some([first, second]) => (cond(first), cond(second)),
            None => (None, None),
        }
    }

    /// Where both stand in the source.
    pub fn spans(&self, function: &Function) -> [Option<Span>; 2] {
        let loops = self.loops(function);
        loops.map_or([None; 2], |loops| loops.map(|stmt| stmt.span))
    }

    /// Where the loop stands that both become.
    pub fn position(&self) -> Position {
        Position {
            path: self.path.clone(),
            index: self.second - 1,
        }
    }

    /// The loops that are all of both, as they stand once both are one.
    pub fn inner(&self, function: &Function) -> Option<Pair> {
        let [first, second] = self.loops(function)?;
        let (first, all) = only_loop(first)?;
        let (second, _) = only_loop(second)?;
        let mut path = self.path.clone();
        path.push((self.second - 1, BODY));
        Some(Pair {
            path,
            first,
            second: all + second,
        })
    }
}

fn cond(stmt: &Stmt) -> Option<ExprId> {
    match &stmt.kind {
        StmtKind::For { cond, .. } => *cond,
        _ => None,
    }
}

/// The index of the loop that is all of a loop's body, and how many statements there are with comments.
fn only_loop(stmt: &Stmt) -> Option<(usize, usize)> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    let mut real = (0..body.stmts.len()).filter(|at| !body.stmts[*at].is_comment());
    let only = real.next().filter(|_| real.next().is_none())?;
    let is_loop = matches!(body.stmts[only].kind, StmtKind::For { .. });
    is_loop.then_some((only, body.stmts.len()))
}

/// Whether loops follow each other that count alike: a look that takes no time.
pub fn has_pairs(function: &Function) -> bool {
    let mut refused = BTreeSet::new();
    while let Some(pair) = next(function, &refused) {
        if pair
            .loops(function)
            .is_some_and(|[first, second]| count_alike(function, first, second))
        {
            return true;
        }
        refused.insert(pair.key(function));
    }
    false
}

/// Whether two loops start and end with the same expressions.
fn count_alike(function: &Function, first: &Stmt, second: &Stmt) -> bool {
    let [Some(x), Some(y)] = [first, second].map(|stmt| Header::of(function, stmt)) else {
        return false;
    };
    let same = |a, b| function.exprs.same(a, b);
    let is_same_step = match (x.by, y.by) {
        (Some(a), Some(b)) => same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    x.op == y.op
        && x.down == y.down
        && is_same_step
        && same(x.start, y.start)
        && same(x.bound, y.bound)
}

/// The first pair that is not refused, outer ones first.
pub fn next(function: &Function, refused: &BTreeSet<Key>) -> Option<Pair> {
    let body = function.body.as_ref()?;
    of_list(function, &body.stmts, &mut Vec::new(), refused)
}

fn of_list(
    function: &Function,
    stmts: &[Stmt],
    path: &mut Path,
    refused: &BTreeSet<Key>,
) -> Option<Pair> {
    let mut before = None;
    for (at, stmt) in stmts.iter().enumerate() {
        match &stmt.kind {
            StmtKind::For { .. } if Header::of(function, stmt).is_some() => {
                if let Some(first) = before.replace(at) {
                    let pair = Pair {
                        path: path.clone(),
                        first,
                        second: at,
                    };
                    if !refused.contains(&(cond(&stmts[first]), cond(stmt))) {
                        return Some(pair);
                    }
                }
            }
            StmtKind::Decl { .. } | StmtKind::Expr(_) | StmtKind::Comment(_) => {}
            _ => before = None,
        }
    }
    for (at, stmt) in stmts.iter().enumerate() {
        // What an arm of a switch declares is seen in those after it.
        if matches!(stmt.kind, StmtKind::Switch { .. }) {
            continue;
        }
        for (inner, list) in stmt.lists().into_iter().enumerate() {
            path.push((at, inner));
            let found = of_list(function, list, path, refused);
            path.pop();
            if found.is_some() {
                return found;
            }
        }
    }
    None
}
