//! `promote`: elements of memory that several iterations of a loop read again are loaded once, before
//! that loop, into an array on the chip.
//!
//! After the scratchpad promotion of S. Verdoolaege et al., "Polyhedral parallel code generation for CUDA"
//! (ACM TACO 9(4), 2013). A read whose address stays the same in all iterations of an outer loop, and only
//! varies with loops inside that count from a constant to a constant, touches the same few elements in
//! each of them. What each iteration writes as well is written once, after the loop. Where the elements
//! fit into registers, the loops that index them are unrolled wholly, so that each is a register of its own
//! and no load is left in the outer loop.

mod address;
mod codegen;
mod inner;
mod legality;

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::alias::called_functions;

use crate::around_loop::apply_all;
use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Outcome, Pass};
use crate::setting::{PassFlag, Setting, number};
use legality::Search;

pub use legality::Candidate;

/// The pass.
pub struct Promote;

/// What is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most elements of memory that it loads into one array on the chip; 0: it does nothing.
    pub most: u64,
}

impl Options {
    /// What suits where the user turns the pass on and nobody chooses.
    pub const ON: Options = Options { most: 256 };
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options { most: 0 };
}

/// A number, or `on`.
const PROMOTE: Setting = Setting::new("promote", |options, text| {
    *options.of_mut() = match text {
        "on" => Options::ON,
        _ => Options {
            most: number(text)?,
        },
    };
    Ok(())
})
.flag(PassFlag::Pass("on"), "");

/// The most elements of arrays that are worth a try.
const MOST_TRIED: u64 = 4096;

impl Pass for Promote {
    fn about(&self) -> About {
        About {
            name: "promote",
            description: "load what a loop reads again once, into an array, where that pays",
            level: 3,
            after: &["ndrange-to-loop", "restrict", "constant-memory"],
            ..About::default()
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[PROMOTE]
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        context.options.of::<Options>().most > 0
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let summaries = context.summaries(module, kernel);
        let search = Search {
            summaries,
            called: context.called,
            most: context.options.of::<Options>().most,
        };
        let plan = |module: &Module, function| search.plan(module, function);
        apply_all(self, module, summaries.functions(), plan, codegen::apply)
    }
}

/// What may be promoted in a kernel and what it calls, the fewest elements first.
pub fn candidates(module: &Module, kernel: FunctionId) -> Vec<Candidate> {
    let called: BTreeSet<FunctionId> = called_functions(module);
    let summaries = Summaries::reachable(module, kernel, &called);
    let search = Search {
        summaries: &summaries,
        called: &called,
        most: MOST_TRIED,
    };
    let functions = summaries.functions();
    let mut found: Vec<Candidate> = functions
        .flat_map(|function| search.candidates(module, function))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
