//! The loops inside a loop, and which of them stand around an expression.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{ExprId, Exprs, Stmt, StmtKind};
use fpgacc_kernel_analysis::location::is_loop;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};

/// A loop inside the one at hand.
pub struct Inner {
    /// How it counts, if that is constant and nothing leaves it early.
    pub counting: Option<Counting>,
    /// Loops, itself and those inside.
    pub loops: usize,
    /// Nobody asks for anything else than to unroll it wholly.
    pub may_unroll: bool,
}

/// The loops inside a loop.
#[derive(Default)]
pub struct Inners {
    /// By their index among the loops of the outer one, which itself is the first.
    pub loops: BTreeMap<usize, Inner>,
    /// The loops whose bodies an expression stands in, outer ones first.
    around: BTreeMap<ExprId, Vec<usize>>,
}

impl Inners {
    /// Of a loop.
    pub fn of(exprs: &Exprs, constants: &Constants<'_>, stmt: &Stmt) -> Self {
        let mut walk = Walk {
            exprs,
            constants,
            seen: 1,
            path: Vec::new(),
            found: Inners::default(),
        };
        if let Some(body) = body(stmt) {
            walk.list(body);
        }
        walk.found
    }

    /// The loops whose bodies an expression stands in, outer ones first.
    pub fn around(&self, id: ExprId) -> &[usize] {
        self.around.get(&id).map_or(&[], Vec::as_slice)
    }
}

struct Walk<'a> {
    exprs: &'a Exprs,
    constants: &'a Constants<'a>,
    seen: usize,
    path: Vec<usize>,
    found: Inners,
}

impl Walk<'_> {
    fn list(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        // What a loop's head holds is not in its body: a step is looked at when the counter is what
        // nobody knows.
        for root in stmt.exprs() {
            self.exprs.for_each(root, &mut |id| {
                self.found.around.insert(id, self.path.clone());
            });
        }
        if !is_loop(stmt) {
            for list in stmt.lists() {
                self.list(list);
            }
            return;
        }
        let at = self.seen;
        self.seen += 1;
        self.found.loops.insert(at, self.inner(stmt));
        self.path.push(at);
        self.list(body(stmt).unwrap_or_default());
        self.path.pop();
    }

    fn inner(&self, stmt: &Stmt) -> Inner {
        let mut inside = body(stmt).unwrap_or_default().iter();
        let is_left = inside.any(|stmt| loops::leaves(stmt, true, false));
        Inner {
            counting: counting(self.constants, stmt).filter(|_| !is_left),
            loops: loops::count(stmt),
            may_unroll: has_no_request(stmt),
        }
    }
}

fn body(stmt: &Stmt) -> Option<&[Stmt]> {
    match &stmt.kind {
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => Some(&body.stmts),
        _ => None,
    }
}

fn has_no_request(stmt: &Stmt) -> bool {
    let Some(hints) = loops::hints(stmt) else {
        return false;
    };
    let mut pragmas = hints.pragmas.iter();
    hints.attrs.is_empty() && pragmas.all(|text| text == "unroll" || text.starts_with("ivdep"))
}
