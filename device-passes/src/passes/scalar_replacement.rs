//! `scalar-replacement`: a location in memory that is the same in all iterations of a loop is kept in a
//! register while the loop runs.
//!
//! Callahan, Carr and Kennedy, "Improving register allocation for subscripted variables" (PLDI 1990), and
//! Cooper and Lu, "Register promotion in C programs" (PLDI 1997). On an FPGA the gain is not a load: a
//! value that goes from one iteration to the next through memory lets a loop start an iteration only
//! once in a memory's latency, which is hundreds of cycles; through a register it takes the latency of
//! one operation. A value that is only read needs no load unit in the loop.

mod codegen;
mod legality;

use fpgacc_frontend::ir::{Function, FunctionId, Module};
use fpgacc_kernel_analysis::location::is_loop;
use fpgacc_kernel_analysis::single_work_item::{is_single_work_item, may_share};

use crate::around_loop::{Plan, apply_all};
use crate::pass::{About, Context, LaunchContract, Outcome, Pass};

/// The pass.
pub struct ScalarReplacement;

impl Pass for ScalarReplacement {
    fn about(&self) -> About {
        About {
            name: super::SCALAR_REPLACEMENT,
            description: "keep what a loop reads and writes at one location in memory in a register",
            level: 2,
            after: &["restrict", "reduction"],
            ..About::default()
        }
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let summaries = context.summaries(module, kernel);
        let single = is_single_work_item(module, kernel, summaries, context.geometry, contract);
        let plan = |module: &Module, function| {
            // Who else calls a function is looked up in the whole module.
            if !has_loops(&module.functions[function]) {
                return Plan::default();
            }
            let alone = single && (function == kernel || may_share(module, function));
            legality::plan(module, function, summaries, context, alone)
        };
        apply_all(self, module, summaries.functions(), plan, codegen::apply)
    }
}

fn has_loops(function: &Function) -> bool {
    let mut found = false;
    if let Some(body) = &function.body {
        body.for_each_stmt(&mut |stmt| found |= is_loop(stmt));
    }
    found
}
