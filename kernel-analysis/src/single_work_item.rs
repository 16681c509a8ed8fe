//! Whether a kernel is meant to run as one work-item.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Callee, Expr, FunctionId, Module};
use fpgacc_runtime::contract::LaunchContract;

use super::accesses::Summaries;
use super::calls::calls_builtin;
use crate::geometry::Geometry;

/// Whether a kernel runs as a single work-item: it was made one, it says so, or nothing in it tells/// work-items apart, which is the rule by which aoc itself decides. `reached` holds what it calls.
pub fn is_single_work_item(
    module: &Module,
    kernel: FunctionId,
    reached: &Summaries,
    geometry: &Geometry,
    contract: &LaunchContract,
) -> bool {
    contract.is_task()
        || geometry.global == [Some(1); 3]
        || says_so(module, kernel)
        || !reached
            .functions()
            .any(|id| depends_on_work_item(module, id))
}

/// Whether every kernel that calls a function, directly or not, runs as a single work-item as far as
/// the module's text tells.
pub fn may_share(module: &Module, function: FunctionId) -> bool {
    module.kernels().all(|kernel| {
        let reached = reachable(module, kernel);
        !reached.contains(&function)
            || says_so(module, kernel)
            || !reached.iter().any(|id| depends_on_work_item(module, *id))
    })
}

/// A function and all that it calls, directly or not.
fn reachable(module: &Module, root: FunctionId) -> BTreeSet<FunctionId> {
    let mut seen = BTreeSet::from([root]);
    let mut stack = vec![root];
    while let Some(at) = stack.pop() {
        let function = &module.functions[at];
        let Some(body) = &function.body else { continue };
        body.for_each_expr(&function.exprs, &mut |expr| {
            if let Expr::Call {
                callee: Callee::Function(callee),
                ..
            } = function.exprs.get(expr)
                && seen.insert(*callee)
            {
                stack.push(*callee);
            }
        });
    }
    seen
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
