//! Kernels that rely on anything can only be launched by the runtime, which checks it.
//!
//! A launch that the runtime does not see (of a shared library, or through a function that the host fetched
//! while it ran) would pass the checks by: its NDRange would run a single work-item once for each
//! work-item, and a kernel made for one size would compute another. OpenCL refuses to launch kernels of
//! which not all arguments are set. So each has one that only the runtime sets: those of the NDRange, or
//! where all of that is constant, one that the kernel does not look at. The latter costs a register.

use fpgacc_frontend::ir::Module;
use fpgacc_runtime::manifest::Form;

use crate::pass::LaunchContract;
use crate::pipeline::Report;

/// The name of the argument.
const NAME: &str = "fpgacc_key";

/// Adds the argument to all kernels and versions that need one. The last thing that is done to a module.
pub fn lock(module: &mut Module, report: &mut Report) {
    let names = module.global_names();
    for kernel in module.kernels().collect::<Vec<_>>() {
        let int = module.types.int();
        let function = &mut module.functions[kernel];
        let Some(contract) = report.contracts.get_mut(&function.name) else {
            continue;
        };
        // Those without arguments are launched by nobody.
        if is_open(contract) && function.attr("autorun").is_none() {
            let var = function.add_var(NAME, int, &names);
            function.params.push(var);
            function.comments.push(format!(
                "{NAME}: only fpgacc's runtime sets it, so that nobody else can launch the kernel"
            ));
            contract.locked = true;
        }
    }
}

/// Whether a kernel relies on something, and has no argument that only the runtime sets.
fn is_open(contract: &LaunchContract) -> bool {
    match &contract.form {
        Form::Task(task) => task.hidden.is_empty(),
        Form::NdRange | Form::Coarsened(_) => contract.may_refuse(),
    }
}
