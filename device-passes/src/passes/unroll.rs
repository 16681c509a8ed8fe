//! `unroll`: copies the bodies of loops, so that one iteration does the work of several. Which loops
//! and how often is for the decision to say.
//!
//! The compiler behind does the copying, on a pragma. Nothing in the meaning of a loop changes.

use fpgacc_frontend::ir::{Block, Function, FunctionId, LoopHints, Module, Stmt, StmtKind};
use fpgacc_frontend::source::Span;

use crate::pass::{Context, LaunchContract, Note, Outcome, Pass};

/// The pass.
pub struct Unroll;

/// How often a loop's body is to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor {
    /// Which loop: its place among the kernel's loops as this pass finds them, outer ones first.
    pub index: usize,
    /// Copies.
    pub copies: u64,
}

/// A loop that may be unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// See [`Factor::index`].
    pub index: usize,
    /// Where it stands; `None`: a pass made it.
    pub span: Option<Span>,
}

impl Pass for Unroll {
    fn name(&self) -> &'static str {
        "unroll"
    }

    fn description(&self) -> &'static str {
        "unroll loops, where that pays"
    }

    fn level(&self) -> u8 {
        3
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let mut done = Vec::new();
        let candidates = candidates(&module.functions[kernel]);
        for factor in &context.options.unroll {
            let Some(found) = candidates.iter().find(|c| c.index == factor.index) else {
                continue;
            };
            let function = &mut module.functions[kernel];
            let mut body = function.body.take().unwrap_or_default();
            mark(&mut body.stmts, &mut 0, *factor);
            function.body = Some(body);
            let text = format!("the loop is unrolled {} times", factor.copies);
            done.push(Note::new(text, found.span));
        }
        match done.is_empty() {
            true => Outcome::Nothing,
            false => Outcome::Done(done),
        }
    }
}

/// The loops of a kernel that hold no others, no barriers and no wish of the user's.
pub fn candidates(function: &Function) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut index = 0;
    if let Some(body) = &function.body {
        collect(function, body, &mut index, &mut found);
    }
    found
}

fn collect(function: &Function, body: &Block, index: &mut usize, found: &mut Vec<Candidate>) {
    body.for_each_stmt(&mut |stmt| {
        let Some(hints) = hints(stmt) else { return };
        if is_asked(hints).is_none() && is_innermost(stmt) && !has_barrier(function, stmt) {
            found.push(Candidate {
                index: *index,
                span: stmt.span,
            });
        }
        *index += 1;
    });
}

fn hints(stmt: &Stmt) -> Option<&LoopHints> {
    match &stmt.kind {
        StmtKind::For { hints, .. }
        | StmtKind::While { hints, .. }
        | StmtKind::DoWhile { hints, .. } => Some(hints),
        _ => None,
    }
}

/// What the user, or another pass, asks of unrolling.
fn is_asked(hints: &LoopHints) -> Option<&str> {
    let pragma = hints.pragmas.iter().map(String::as_str);
    let attr = hints.attrs.iter().map(|attr| attr.name.as_str());
    let mut words = pragma.chain(attr);
    words.find(|word| word.contains("unroll") || word.starts_with("ii "))
}

/// Loops that are unrolled whole are none any more.
fn is_innermost(stmt: &Stmt) -> bool {
    let mut inner = false;
    for inside in stmt.lists().into_iter().flatten() {
        inside.for_each(&mut |stmt| {
            inner |= hints(stmt).is_some_and(|hints| is_asked(hints) != Some("unroll"));
        });
    }
    !inner
}

fn has_barrier(function: &Function, stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| {
        for root in stmt.exprs() {
            found |= function.exprs.any(root, &mut |id| {
                use fpgacc_frontend::ir::{Callee, Expr};
                matches!(
                    function.exprs.get(id),
                    Expr::Call { callee: Callee::Builtin(name), .. }
                        if name.contains("barrier") || name.starts_with("work_group_")
                            || name.starts_with("async_work_group_") || name == "wait_group_events"
                )
            });
        }
    });
    found
}

/// Puts the pragma in front of the loop. Counts as [`collect`] does: outer loops first.
fn mark(stmts: &mut [Stmt], index: &mut usize, factor: Factor) {
    for stmt in stmts {
        if let StmtKind::For { hints, .. }
        | StmtKind::While { hints, .. }
        | StmtKind::DoWhile { hints, .. } = &mut stmt.kind
        {
            if *index == factor.index {
                hints.pragmas.push(format!("unroll {}", factor.copies));
            }
            *index += 1;
        }
        for list in stmt.lists_mut() {
            mark(list, index, factor);
        }
    }
}
