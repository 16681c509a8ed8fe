//! `fission`: the body of a loop of single work-items is distributed over several loops.
//!
//! A part whose iterations wait for each other then holds up no other; loops inside become nests of their own,
//! which are perfect, and windows, sums and the like are found in what is left of the loop.
//!
//! Statements stay together that depend on each other in a circle; the others are distributed in an order that
//! keeps all dependences (Kennedy and Allen, "Optimizing Compilers for Modern Architectures", 2001, section
//! 6.2.4). They are put together again where that gains nothing: only loops inside, parts with a loop-carried
//! dependence and parts without become loops of their own. Values that flow from one part to another are
//! computed again where that is cheap; others take an array with an element for each iteration, if it is small.

mod plan;
mod split;

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{ExprId, Function, FunctionId, Module, Stmt, StmtKind};
use fpgacc_kernel_analysis::loops;

use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::position::{Path, Position};

/// The name of the pass that makes several loops of one.
pub const FISSION: &str = "fission";

/// The pass.
pub struct Fission;

impl Pass for Fission {
    fn about(&self) -> About {
        About {
            name: FISSION,
            description: "distribute a loop's body over several loops, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["ndrange-to-loop", "delinearise", "restrict", "fuse"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        next(&module.functions[kernel], &BTreeSet::new()).is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        if loops::structured_body(&module.functions[kernel]).is_none() {
            return Outcome::Nothing;
        }
        let mut seen = BTreeSet::new();
        while let Some((position, cond)) = next(&module.functions[kernel], &seen) {
            seen.insert(cond);
            let span = position
                .get(&module.functions[kernel])
                .and_then(|stmt| stmt.span);
            match plan::plan(module, kernel, context, &position) {
                Ok(plan) => {
                    let text = plan.text(&module.functions[kernel]);
                    done.push(Note::new(text, span).names_form("loops distributed"));
                    seen.extend(split::apply(module, kernel, &position, &plan));
                }
                Err(Some(reason)) => {
                    let text = format!("a loop stays one: {reason}");
                    missed.push(Note::new(text, span));
                }
                Err(None) => {}
            }
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}

/// The first loop of several statements that was not looked at, outer ones first, and its condition.
fn next(function: &Function, seen: &BTreeSet<ExprId>) -> Option<(Position, ExprId)> {
    let body = function.body.as_ref()?;
    of_list(&body.stmts, &mut Vec::new(), seen)
}

fn of_list(stmts: &[Stmt], path: &mut Path, seen: &BTreeSet<ExprId>) -> Option<(Position, ExprId)> {
    for (index, stmt) in stmts.iter().enumerate() {
        if let StmtKind::For {
            cond: Some(cond),
            body,
            ..
        } = &stmt.kind
        {
            let is_real = |stmt: &&Stmt| !stmt.is_comment();
            if !seen.contains(cond) && body.stmts.iter().filter(is_real).count() > 1 {
                let path = path.clone();
                return Some((Position { path, index }, *cond));
            }
        }
        // What an arm of a switch declares is seen in those after it.
        if matches!(stmt.kind, StmtKind::Switch { .. }) {
            continue;
        }
        for (inner, list) in stmt.lists().into_iter().enumerate() {
            path.push((index, inner));
            let found = of_list(list, path, seen);
            path.pop();
            if found.is_some() {
                return found;
            }
        }
    }
    None
}
