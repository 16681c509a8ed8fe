//! Whether a kernel is meant to run as one work-item.

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_runtime::contract::LaunchContract;

use super::accesses::Summaries;
use super::calls::{calls_builtin, reachable};
use crate::geometry::Geometry;

/// Whether a kernel runs as a single work-item: it was made one, it says so, or nothing in it says
/// work-items apart, which is the rule by which aoc itself decides. `reached` holds what it calls.
pub fn is_single_work_item(
    module: &Module,
    kernel: FunctionId,
    reached: &Summaries,
    geometry: &Geometry,
    contract: &LaunchContract,
) -> bool {
    runs_once(module, kernel, geometry, contract)
        || !reached
            .functions()
            .any(|id| depends_on_work_item(module, id))
}

/// Whether a kernel surely runs as a single work-item, whatever it does.
pub fn runs_once(
    module: &Module,
    kernel: FunctionId,
    geometry: &Geometry,
    contract: &LaunchContract,
) -> bool {
    contract.is_task() || geometry.global == [Some(1); 3] || says_so(module, kernel)
}

/// Whether every kernel that calls a function, directly or not, runs as a single work-item as far as
/// the module's text states.
pub fn may_share(module: &Module, function: FunctionId) -> bool {
    module.kernels().all(|kernel| {
        let called = reachable(module, kernel);
        let mut reached = called.iter().chain([&kernel]);
        !reached.clone().any(|id| *id == function)
            || says_so(module, kernel)
            || !reached.any(|id| depends_on_work_item(module, *id))
    })
}

/// An attribute that makes a kernel a task: `task` up to version 16, `max_global_work_dim(0)` since.
fn says_so(module: &Module, kernel: FunctionId) -> bool {
    let kernel = &module.functions[kernel];
    let dim = kernel.attr("max_global_work_dim");
    kernel.attr("task").is_some()
        || dim.is_some_and(|attr| attr.integers().as_deref() == Some(&[0]))
}

/// Whether a function asks for a work-item's id or meets others at a barrier.
fn depends_on_work_item(module: &Module, id: FunctionId) -> bool {
    calls_builtin(&module.functions[id], is_work_item_builtin)
}

fn is_work_item_builtin(name: &str) -> bool {
    matches!(
        name,
        "get_global_id"
            | "get_local_id"
            | "get_group_id"
            | "get_global_linear_id"
            | "get_local_linear_id"
            | "barrier"
    ) || name.starts_with("work_group_")
        || name.starts_with("sub_group_")
        || name.starts_with("get_sub_group_")
}
