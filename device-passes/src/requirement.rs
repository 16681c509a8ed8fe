//! What passes need of a kernel. The manager looks, and reports what is missing.

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::single_work_item::is_single_work_item;

use crate::options::Feature;
use crate::pass::{Context, LaunchContract, Pass, Requirement};

/// Why a pass does not run on a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// It is for kernels of the other form; that is no news.
    OtherForm,
    /// For a reason that a user may be able to change.
    Reason(&'static str),
}

/// What is said where the tool that builds a kernel does not know something.
fn unknown(feature: Feature) -> &'static str {
    match feature {
        Feature::AlignValue => "the tool that builds the kernel does not know 'align_value'",
        Feature::LoopCoalesce => "the tool that builds the kernel does not know 'loop_coalesce'",
    }
}

/// What speaks against it.
fn obstacle(
    needed: Requirement,
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    contract: &LaunchContract,
) -> Option<Unmet> {
    let is_single = || {
        let reached = context.summaries(module, kernel);
        is_single_work_item(module, kernel, reached, context.geometry, contract)
    };
    let (is_met, unmet) = match needed {
        Requirement::KnownLaunches => {
            let reason = Unmet::Reason("no launch of this kernel is known");
            (!context.launches.is_empty(), reason)
        }
        Requirement::EntryPoint => {
            let reason = Unmet::Reason("another function calls this kernel");
            (!context.called.contains(&kernel), reason)
        }
        Requirement::SingleWorkItem => (is_single(), Unmet::OtherForm),
        Requirement::ManyWorkItems => (!is_single(), Unmet::OtherForm),
        Requirement::Tool(feature) => {
            let is_known = !context.options.unknown_to_tool.contains(&feature);
            (is_known, Unmet::Reason(unknown(feature)))
        }
    };
    (!is_met).then_some(unmet)
}

/// The first requirement of a pass that a kernel does not meet.
pub fn unmet(
    pass: &dyn Pass,
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    contract: &LaunchContract,
) -> Option<Unmet> {
    let mut requirements = pass.about().requires.iter();
    requirements.find_map(|needed| obstacle(*needed, module, kernel, context, contract))
}
