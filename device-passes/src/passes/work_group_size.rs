//! `work-group-size`: kernels that stay NDRanges state the local size that all their launches have.
//!
//! Without `reqd_work_group_size`, aoc builds local memory and the bookkeeping of barriers for the
//! largest group that there may be, and neither vectorises nor unrolls loops over the local size.

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::geometry::LocalGeometry;
use fpgacc_runtime::guard::Guard;

use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// The pass.
pub struct WorkGroupSize;

impl Pass for WorkGroupSize {
    fn about(&self) -> About {
        About {
            name: "work-group-size",
            description: "state the work-group size of NDRange kernels that all launches have",
            level: 1,
            requires: &[
                Requirement::ManyWorkItems,
                Requirement::EntryPoint,
                Requirement::KnownLaunches,
            ],
            after: &["ndrange-to-loop", "coarsen"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        module.functions[kernel]
            .attr("reqd_work_group_size")
            .is_none()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let sizes = match &context.geometry.local {
            LocalGeometry::Sizes([Some(x), Some(y), Some(z)]) => [*x, *y, *z],
            _ => return missed(context),
        };
        contract.guard(Guard::LocalSize(of_host(sizes, contract)));
        let [x, y, z] = match faults::is_on("group-size-misstated") {
            true => [sizes[0] + 1, sizes[1], sizes[2]],
            false => sizes,
        };
        let function = &mut module.functions[kernel];
        function.set_attr("reqd_work_group_size", Some(format!("{x}, {y}, {z}")));
        let form = format!("work-groups of {x} x {y} x {z}");
        let text = format!("{form}, as all launches have");
        function.comments.push(format!("work-group-size: {text}"));
        Outcome::Done(vec![Note::new(text, None).names_form(form)])
    }
}

/// The local size that the host gives where the kernel's is this one.
fn of_host(mut sizes: [u64; 3], contract: &LaunchContract) -> [u64; 3] {
    if let Some(by) = contract.coarsened() {
        for (dim, size) in sizes.iter_mut().enumerate() {
            *size *= by.divides(dim).1;
        }
    }
    sizes
}

fn missed(context: &Context<'_>) -> Outcome {
    let reason = match context.geometry.local {
        LocalGeometry::Null => "the host leaves the local size open",
        LocalGeometry::Sizes(_) => "the local size is not the same constant at all launches",
        LocalGeometry::Unknown => "the local size of some launch is not known",
    };
    let text = format!("the work-group size is not stated: {reason}");
    Outcome::Missed(vec![Note::new(text, None)])
}
