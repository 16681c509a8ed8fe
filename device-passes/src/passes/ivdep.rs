//! `ivdep`: says of loops of single work-items in which arrays their iterations never meet, where that is
//! proved.
//!
//! aoc keeps accesses to an array in order where they may alias, and then starts an
//! iteration once in a memory's latency. Its own tests are not documented; what is proved here by the lengths of
//! rows and the conditions of loops (`i * n + j` with `j < n`) is more than linear tests with constant
//! coefficients see. A distance that is known is not said (`safelen`): Intel's guide of 18.1 (Standard Edition) has no
//! such clause, and a compiler that skips it would take the loop for free of dependences.

use fpgacc_frontend::ir::{FunctionId, LoopHints, Module, VarId};
use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::independence::independent_arrays;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Nests;

use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// The pass.
pub struct Ivdep;

impl Pass for Ivdep {
    fn about(&self) -> About {
        About {
            name: "ivdep",
            description: "mark arrays without loop-carried dependences, where that is proved",
            level: 2,
            requires: &[Requirement::SingleWorkItem],
            after: &["restrict", "scalar-replacement"],
        }
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let summaries = context.summaries(module, kernel);
        let mut done = Vec::new();
        for (location, array, note) in proved(module, kernel, summaries, context) {
            if let Some(body) = &mut module.functions[kernel].body {
                loops::add_pragma(body, location, &format!("ivdep array({array})"));
            }
            done.push(note);
        }
        Outcome::of(done, Vec::new())
    }
}

/// Loops by their indices, with the names of arrays in which their iterations never meet.
fn proved(
    module: &Module,
    kernel: FunctionId,
    summaries: &Summaries,
    context: &Context<'_>,
) -> Vec<(usize, String, Note)> {
    let function = &module.functions[kernel];
    let aliases = Aliases::new(module, kernel, context.called);
    let nests = Nests::of(module, function);
    let mut found = Vec::new();
    let Some(body) = &function.body else {
        return found;
    };
    loops::for_each(body, &mut |location, stmt| {
        let Some(hints) = loops::hints(stmt) else {
            return;
        };
        let is_new = |array: VarId| !is_told(hints, &function.vars[array].name);
        for array in independent_arrays(&aliases, summaries, &nests, stmt, is_new) {
            let name = &function.vars[array].name;
            let text = format!("'{name}' has no loop-carried dependence in this loop (proved)");
            found.push((
                location,
                name.clone(),
                Note::new(text, stmt.span).names_form("ivdep"),
            ));
        }
    });
    found
}

/// Whether a loop's hints say already that it carries no dependence through an array, or something else of it; or
/// the loop is unrolled whole, and has no iterations.
fn is_told(hints: &LoopHints, array: &str) -> bool {
    let is_gone = |text: &String| text.split_whitespace().eq(["unroll"]);
    if hints.pragmas.iter().any(is_gone) || !hints.attrs.is_empty() {
        return true;
    }
    hints.pragmas.iter().any(|text| {
        let Some(rest) = text.strip_prefix("ivdep") else {
            return false;
        };
        let rest: String = rest.split_whitespace().collect();
        !rest.contains("array(") || rest.contains(&format!("array({array})"))
    })
}
