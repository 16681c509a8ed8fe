//! `forward`: what an iteration stores and one of the next reads stays in registers.
//!
//! `a[i] = f(a[i - 1], ..)` lets a loop start an iteration once in the time in which memory takes a value and
//! gives it back, which is hundreds of cycles; through a register it takes the latency of `f`. The value is
//! stored as before; only the read goes (Callahan, Carr and Kennedy, "Improving register allocation for
//! subscripted variables", PLDI 1990). Where it is read some iterations later, a chain of as many registers
//! holds what is in between, and moves on once an iteration.
//!
//! What the first iteration would read is read before the loop, where that iteration is sure to read it, and
//! only if there is one. So is what lies between that and what it stores: in the same array, by its index.

mod codegen;
mod legality;

use fpgacc_frontend::ir::{FunctionId, Module};

use crate::pass::{About, Context, LaunchContract, Outcome, Pass, Requirement};

/// The pass.
pub struct Forward;

impl Pass for Forward {
    fn about(&self) -> About {
        About {
            name: super::FORWARD,
            description: "keep what the next iterations read again in registers, in single work-items",
            level: 2,
            requires: &[Requirement::SingleWorkItem],
            after: &["ndrange-to-loop", "restrict", "scalar-replacement"],
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
        let plan = legality::plan(module, kernel, summaries, context.called);
        if !plan.loops.is_empty() {
            codegen::apply(module, kernel, &plan);
        }
        self.outcome(&mut module.functions[kernel], plan.done, plan.missed)
    }
}
