//! `zero-offset`: kernels that stay NDRanges say that no launch of theirs has a global offset.
//!
//! aoc then leaves out the adders that every id passes through (`uses_global_work_offset`).

use fpgacc_device_passes::pass::{
    About, Context, LaunchContract, Note, Outcome, Pass, Requirement,
};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_runtime::guard::{Fact, Guard};

/// The pass.
pub struct ZeroOffset;

impl Pass for ZeroOffset {
    fn about(&self) -> About {
        About {
            name: "zero-offset",
            description: "say of NDRange kernels that no launch has a global offset",
            level: 3,
            requires: &[
                Requirement::ManyWorkItems,
                Requirement::EntryPoint,
                Requirement::KnownLaunches,
            ],
            after: &["ndrange-to-loop"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        module.functions[kernel]
            .attr("uses_global_work_offset")
            .is_none()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        if context.geometry.offset != [Some(0); 3] {
            let text = "some launch may have a global offset".to_string();
            return Outcome::Missed(vec![Note::new(text, None)]);
        }
        for dim in 0..3 {
            contract.guard(Guard::Geometry(Fact::Offset(dim, 0)));
        }
        let function = &mut module.functions[kernel];
        function.set_attr("uses_global_work_offset", Some("0".to_string()));
        let note = Note::new("no launch has a global offset".to_string(), None);
        self.outcome(function, vec![note], Vec::new())
    }
}
