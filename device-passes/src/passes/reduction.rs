//! `reduction`: floating-point reductions are accumulated in shift registers.
//!
//! Lloyd's thesis, section 4.2.2 and figure 4.3, after Intel's best-practices guide: the running
//! value of `x += e` is needed an addition's latency after it was asked for, so a loop can start an
//! iteration only once in that many cycles. With as many partial sums as the latency has cycles,
//! moved along a shift register, an iteration starts in every cycle; after the loop the partial
//! sums are added.

mod codegen;
mod legality;
mod matching;
pub mod options;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::single_work_item::{is_single_work_item, may_share};

pub use self::options::{Options, Order};
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass};
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
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        for function in summaries.functions() {
            let mut plan = legality::plan(module, function, summaries, context);
            missed.append(&mut plan.missed);
            if plan.loops.is_empty() {
                continue;
            }
            let reason = if !single {
                Some("the kernel runs as many work-items, whose additions interleave anyway")
            } else if function != kernel && !may_share(module, function) {
                Some("a kernel of many work-items calls this function too")
            } else {
                None
            };
            if let Some(reason) = reason {
                missed.extend(plan.done.into_iter().map(|note| left_alone(note, reason)));
                continue;
            }
            codegen::apply(module, function, &plan);
            self.comment(&mut module.functions[function], &plan.done);
            done.append(&mut plan.done);
        }
        Outcome::of(done, missed)
    }
}

fn left_alone(mut note: Note, reason: &str) -> Note {
    let name = note.text.split('\'').nth(1).unwrap_or_default();
    note.text = format!("'{name}' is not accumulated in a shift register: {reason}");
    note
}
