//! `reduction`: floating-point reductions are accumulated in shift registers.
//!
//! Lloyd's thesis, section 4.2.2 and figure 4.3, after Intel's best-practices guide: the running
//! value of `x += e` is needed an addition's latency after it was asked for, so a loop can start an
//! iteration only once in that many cycles. With as many partial sums as the latency has cycles,
//! moved along a shift register, an iteration starts in every cycle; after the loop the partial
//! sums are added.

mod codegen;
mod legality;
pub(crate) mod matching;
pub mod options;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::single_work_item::{is_single_work_item, may_share};

pub use self::options::{Options, Order};
use crate::around_loop::{Plan, apply_all};
use crate::pass::{About, Context, LaunchContract, Outcome, Pass};
use crate::setting::Setting;

/// The pass.
pub struct Reduction;

impl Pass for Reduction {
    fn about(&self) -> About {
        About {
            name: super::REDUCTION,
            description: "accumulate floating-point reductions in shift registers (reassociates)",
            level: 2,
            after: &["ndrange-to-loop", "restrict"],
            ..About::default()
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[options::STRICT]
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
            let plan = legality::plan(module, function, summaries, context);
            if plan.loops.is_empty() {
                return plan;
            }
            if !single {
                let reason =
                    "the kernel runs as many work-items, whose additions interleave anyway";
                return left_alone(plan, reason);
            }
            match function == kernel || may_share(module, function) {
                true => plan,
                false => left_alone(plan, "a kernel of many work-items calls this function too"),
            }
        };
        apply_all(self, module, summaries.functions(), plan, codegen::apply)
    }
}

/// Why nothing is done of a plan.
fn left_alone<T>(plan: Plan<T>, reason: &str) -> Plan<T> {
    let mut left = Plan {
        missed: plan.missed,
        ..Plan::default()
    };
    left.missed.extend(plan.done.into_iter().map(|mut note| {
        let name = note.text.split('\'').nth(1).unwrap_or_default();
        note.text = format!("'{name}' is not accumulated in a shift register: {reason}");
        note
    }));
    left
}
