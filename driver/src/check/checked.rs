//! What is found of a kernel.

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_gpu_model::check::Findings;
use fpgacc_launch_facts::Launch;

/// A kernel and what is found of it.
pub struct Checked<'a> {
    /// Where it stands.
    pub module: &'a Module,
    /// Which it is.
    pub kernel: FunctionId,
    /// Its launches.
    pub launches: Vec<&'a Launch>,
    /// What they waste.
    pub findings: Findings,
}
