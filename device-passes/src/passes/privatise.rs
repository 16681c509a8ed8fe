//! `privatise`: counts are made on the chip, and added to memory at the end.
//!
//! A loop of a single work-item that adds to locations of global memory by atomics, as histograms do, waits for
//! memory at each of them: hundreds of cycles. Here the loop adds to an array of its own that starts at 0, and
//! after the loop what is there is added to memory, by the same atomics: others that count in the same memory
//! meanwhile lose nothing, and locations to which nothing was added are not touched. In an NDRange each work-group
//! does so, in `__local` memory. Reinders, Ashbaugh et al., "Data parallel C++" (2021), chapter 17, and
//! Gómez-Luna et al., "An optimized approach to histogram computation on GPU" (2013), call it privatisation.

mod codegen;
mod early_returns;
mod groups;
mod legality;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::single_work_item::is_single_work_item;

use crate::pass::{About, Context, LaunchContract, Outcome, Pass};

/// The pass.
pub struct Privatise;

impl Pass for Privatise {
    fn about(&self) -> About {
        About {
            name: super::PRIVATISE,
            description: "count on the chip what kernels add to memory by atomics",
            level: 3,
            after: &["ndrange-to-loop", "restrict"],
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
        if !is_single_work_item(module, kernel, summaries, context.geometry, contract) {
            return self.run_groups(module, kernel, context);
        }
        let plan = legality::plan(module, kernel, summaries, context.called);
        if !plan.loops.is_empty() {
            codegen::apply(module, kernel, &plan);
        }
        self.outcome(&mut module.functions[kernel], plan.done, plan.missed)
    }
}

impl Privatise {
    /// Of a kernel that stays an NDRange.
    fn run_groups(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
    ) -> Outcome {
        // A call would have groups of its own.
        if context.called.contains(&kernel) {
            return Outcome::Nothing;
        }
        let summaries = context.summaries(module, kernel);
        let (counts, [done, missed]) =
            legality::plan_groups(module, kernel, summaries, context.called);
        if !counts.is_empty() {
            groups::apply(module, kernel, &counts, context.names);
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}
