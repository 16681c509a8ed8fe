//! `privatise`: counts of a single work-item are made on the chip, and added to memory at the end.
//!
//! A loop that adds to places of global memory by atomics, as histograms do, waits for memory at each of
//! them: hundreds of cycles. Here the loop adds to an array of its own that starts at 0, and after the
//! loop what is there is added to memory, by the same atomics: others that count in the same memory meanwhile
//! lose nothing, and places to which nothing was added are not touched. Reinders, Ashbaugh et al., "Data
//! parallel C++" (2021), chapter 17, and Gómez-Luna et al., "An optimized approach to histogram
//! computation on GPU" (2013), call it privatisation.

mod codegen;
mod legality;

use fpgacc_frontend::ir::{FunctionId, Module};

use crate::pass::{About, Context, LaunchContract, Outcome, Pass, Requirement};

/// The pass.
pub struct Privatise;

impl Pass for Privatise {
    fn about(&self) -> About {
        About {
            name: super::PRIVATISE,
            description: "count on the chip what loops of single work-items add to memory by atomics",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["ndrange-to-loop", "restrict"],
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
        let mut plan = legality::plan(module, kernel, summaries, context.called);
        if !plan.loops.is_empty() {
            codegen::apply(module, kernel, &plan);
            self.comment(&mut module.functions[kernel], &plan.done);
        }
        Outcome::of(
            std::mem::take(&mut plan.done),
            std::mem::take(&mut plan.missed),
        )
    }
}
