//! `pad`: rows of arrays on the chip get as many elements as the next power of two.
//!
//! A memory on the chip has banks by the lowest bits of an index ("Local Memory Banks", Intel's best practices guide).
//! Accesses of one iteration that go to columns of their own are in banks of their own, whatever their rows are, if rows
//! have a power of two of elements: then the row changes none of these bits. Kernels for GPUs say `tile[16][17]`, since
//! their banks take turns row by row; on an FPGA the 17 makes the conflicts that it avoids there.
//!
//! Only the type of `a[N][L]` changes. Of `a[N * L]` all indices must be `L * row + column` with a column that never
//! leaves its row ([`fpgacc_kernel_analysis::rows`]); they are written anew.

mod codegen;
mod plan;

use fpgacc_frontend::ir::{FunctionId, Module};

use crate::pass::{About, Context, LaunchContract, Outcome, Pass, Requirement};

/// The pass.
pub struct Pad;

impl Pass for Pad {
    fn about(&self) -> About {
        About {
            name: super::PAD,
            description: "give rows of on-chip arrays a power of two of elements, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["ndrange-to-loop", "ivdep"],
        }
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let (planned, missed) = plan::plan(module, kernel, context.called);
        if planned.iter().any(plan::Padded::names_counters) {
            module.functions[kernel].make_names_unique(context.names);
        }
        let mut done = Vec::new();
        for padded in planned {
            codegen::apply(module, kernel, &padded);
            done.push(padded.done);
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}
