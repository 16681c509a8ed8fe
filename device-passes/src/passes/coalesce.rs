//! `coalesce`: makes one loop of a nest of single work-items. Which nests is for the decision to say.
//!
//! aoc joins them, on a pragma. Nothing in the meaning of the loops changes. A loop inside
//! another costs its control, and a cycle each time that it is entered; as one loop, the nest starts an
//! iteration each interval from its first to its last. Only perfect nests are joined whose loops run equally
//! often in each iteration of those around, which needs no more than a counter for each.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Function, FunctionId, Module};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{self, Nests};

use crate::options::Feature;
use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::setting::{Setting, number};

/// The pass.
pub struct Coalesce;

/// What is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Nests to make one loop of, by [`Candidate::index`].
    pub nests: Vec<usize>,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options { nests: Vec::new() };
}

const COALESCE: Setting = Setting::new("coalesce", |options, text| {
    options.of_mut::<Options>().nests.push(number(text)?);
    Ok(())
});

/// A nest that may become one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The outermost loop's index among the kernel's loops, outer ones first.
    pub index: usize,
    /// Loops that become one.
    pub levels: u64,
    /// Where it stands; `None`: a pass made it.
    pub span: Option<Span>,
}

impl Pass for Coalesce {
    fn about(&self) -> About {
        About {
            name: "coalesce",
            description: "make one loop of nested loops of single work-items, where that pays",
            level: 3,
            // aoc joins the loops of NDRanges by itself.
            requires: &[
                Requirement::SingleWorkItem,
                Requirement::Tool(Feature::LoopCoalesce),
            ],
            after: &["unroll"],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[COALESCE]
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        !context.options.of::<Options>().nests.is_empty()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let options: &Options = context.options.of();
        let wanted: BTreeSet<usize> = options.nests.iter().copied().collect();
        let mut free = 0;
        let mut done = Vec::new();
        for nest in candidates(module, &module.functions[kernel]) {
            if nest.index < free || !wanted.contains(&nest.index) {
                continue;
            }
            // The loops of a perfect nest follow each other.
            free = nest.index + nest.levels as usize;
            if let Some(body) = &mut module.functions[kernel].body {
                let pragma = format!("{} {}", nest::PRAGMA, nest.levels);
                loops::add_pragma(body, nest.index, &pragma);
            }
            let text = format!("{} nested loops become one", nest.levels);
            done.push(Note::new(text, nest.span));
        }
        Outcome::of(done, Vec::new())
    }
}

/// The nests of a function of which no loop is part of one that its text joins, outer ones first; those of
/// inner loops alone are among them.
pub fn candidates(module: &Module, function: &Function) -> Vec<Candidate> {
    let nests = Nests::of(module, function);
    let mut found = Vec::new();
    let mut joined = 0;
    let Some(body) = &function.body else {
        return found;
    };
    loops::for_each(body, &mut |index, stmt| {
        let levels = nests.levels(stmt);
        if let Some(asked) = loops::hints(stmt).and_then(nest::asked) {
            joined = joined.max(index + levels.min(asked) as usize);
        }
        if index >= joined && levels > 1 {
            found.push(Candidate {
                index,
                levels,
                span: stmt.span,
            });
        }
    });
    found
}
