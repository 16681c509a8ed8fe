//! `neighbour-tables`: the indices of neighbours come from counters where a table holds them.
//!
//! Hosts of stencils often fill arrays with the rows before and after each row, the first and the last being
//! their own neighbours, and kernels read `image[before[row] + ..]`: an address that depends on data, of
//! which nothing is known, though it moves element by element. Here the kernel looks through such tables once,
//! before the nest that reads them. If each holds for all of its elements the index before, or the index after,
//! the nest runs with indices made of its counters, which `window` and the memory system know how to treat;
//! otherwise it runs as it is. Nothing is taken on trust, so that nothing is checked at launch (an inspector
//! and an executor, Saltz, Mirchandaney and Crowley, "Run-time parallelization and scheduling of loops", IEEE
//! Transactions on Computers 1991).

mod codegen;
mod legality;

use fpgacc_frontend::ir::{FunctionId, Module};

use crate::pass::{About, Context, LaunchContract, Outcome, Pass, Requirement};

/// The pass.
pub struct NeighbourTables;

impl Pass for NeighbourTables {
    fn about(&self) -> About {
        About {
            name: super::NEIGHBOUR_TABLES,
            description: "take neighbours' indices from counters where tables hold them, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &[
                "ndrange-to-loop",
                "delinearise",
                "restrict",
                "constant-memory",
            ],
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
        let (planned, missed) = legality::plan(module, kernel, summaries, context.called);
        if planned.is_empty() {
            return Outcome::of(Vec::new(), missed);
        }
        module.functions[kernel].make_names_unique(context.names);
        // The last first: the indices of the others stay.
        for nest in planned.iter().rev() {
            codegen::apply(module, kernel, nest);
        }
        let done: Vec<_> = planned.into_iter().flat_map(|nest| nest.done).collect();
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}
