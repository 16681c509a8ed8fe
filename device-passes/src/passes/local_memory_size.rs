//! `local-memory-size`: `__local` parameters state how much memory the launches give.
//!
//! aoc builds local memory when it compiles, of 16 KiB for each parameter unless `local_mem_size` says
//! otherwise (Intel FPGA SDK for OpenCL, Programming Guide, section 5.3). A host that gives less wastes
//! block RAM, and one that gives more cannot launch the kernel. The runtime refuses launches with more
//! than is stated ([`Guard::LocalBytes`]).

use fpgacc_frontend::ir::{AddressSpace, Attr, FunctionId, Module, VarId};
use fpgacc_kernel_analysis::faults;
use fpgacc_launch_facts::{ArgValue, Launch, Value};
use fpgacc_runtime::guard::Guard;

use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// The attribute.
const ATTRIBUTE: &str = "local_mem_size";

/// The pass.
pub struct LocalMemorySize;

impl Pass for LocalMemorySize {
    fn about(&self) -> About {
        About {
            name: "local-memory-size",
            description: "state the size of __local parameters that the launches give",
            level: 1,
            requires: &[Requirement::EntryPoint, Requirement::KnownLaunches],
            after: &["ndrange-to-loop"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        !unstated_params(module, kernel).is_empty()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        for (index, var) in open_params(module, kernel, contract) {
            let function = &mut module.functions[kernel];
            let variable = &mut function.vars[var];
            let (name, span) = (variable.name.clone(), variable.span);
            match most(index, context.launches) {
                Ok(bytes) => {
                    // Memory of other sizes is rounded up in hardware.
                    let stated = match faults::is_on("local-memory-short") {
                        true => bytes.next_power_of_two() / 2,
                        false => bytes.next_power_of_two(),
                    };
                    variable.attrs.push(Attr {
                        name: ATTRIBUTE.to_string(),
                        args: Some(stated.to_string()),
                    });
                    contract.guard(Guard::LocalBytes {
                        param: index,
                        bytes: stated,
                    });
                    let text = format!(
                        "parameter '{name}' has {stated} bytes of local memory: the launches give \
                         {bytes} at most"
                    );
                    function.comments.push(format!("local-memory-size: {text}"));
                    done.push(Note::new(text, span));
                }
                Err(launch) => {
                    let text = format!(
                        "the size of parameter '{name}' is not stated: that of the launch at {} is \
                         not known",
                        launch.site
                    );
                    missed.push(Note::new(text, span));
                }
            }
        }
        Outcome::of(done, missed)
    }
}

/// `__local` pointer parameters without a size, which another pass has not given an array of its own.
fn open_params(
    module: &Module,
    kernel: FunctionId,
    contract: &LaunchContract,
) -> Vec<(u32, VarId)> {
    let mut params = unstated_params(module, kernel);
    let known = contract.local_bytes();
    params.retain(|(index, _)| known.iter().all(|(known, _)| known != index));
    params
}

/// The `__local` parameters whose size the source does not state, by their indices.
fn unstated_params(module: &Module, kernel: FunctionId) -> Vec<(u32, VarId)> {
    let function = &module.functions[kernel];
    let is_unstated = |(_, var): &(u32, VarId)| {
        let variable = &function.vars[*var];
        let space = module.types.as_pointer(variable.ty.ty);
        matches!(space, Some((_, AddressSpace::Local)))
            && variable.attrs.iter().all(|attr| attr.name != ATTRIBUTE)
    };
    let params = (0..).zip(function.params.iter().copied());
    params.filter(is_unstated).collect()
}

/// The most bytes that launches give; a launch of which that is not known.
fn most<'l>(index: u32, launches: &[&'l Launch]) -> Result<u64, &'l Launch> {
    let mut most = 0;
    for launch in launches {
        let bytes = match launch.argument(index) {
            Some(ArgValue::Local(bytes)) => upper_bound(bytes),
            _ => None,
        };
        most = most.max(bytes.filter(|bytes| *bytes > 0).ok_or(*launch)?);
    }
    Ok(most)
}

/// The greatest of the numbers that a value may be, if they are known one by one or as a range.
fn upper_bound(value: &Value) -> Option<u64> {
    match value {
        Value::Const(number) => Some(*number),
        Value::OneOf(all) => all.iter().max().copied(),
        Value::AnyOf(all) => {
            let bounds: Option<Vec<u64>> = all.iter().map(upper_bound).collect();
            bounds?.into_iter().max()
        }
        Value::Range { max, .. } => Some(*max),
        Value::Symbolic(_) | Value::Unknown(_) => None,
    }
}
