//! Launches that fail because their kernel requires another local size. No version of a kernel is for them.

use std::borrow::Cow;

use fpgacc_frontend::ir::{Function, Module};
use fpgacc_launch_facts::{Facts, Known, Launch, LocalSize};

use crate::agree::may_be;

/// The facts without the kernels of launches that none of a module's kernels can have: they fail.
pub fn without<'f>(facts: &'f Facts, module: &Module) -> Cow<'f, Facts> {
    let can_be = |launch: &Launch| {
        let Some([kernel]) = launch.kernels.get().map(Vec::as_slice) else {
            return true;
        };
        let mut functions = module.kernels().map(|id| &module.functions[id]);
        let function = functions.find(|function| function.name == *kernel);
        let required = function.and_then(Function::reqd_work_group_size);
        required.is_none_or(|sizes| fits(launch, &sizes))
    };
    if facts.launches.iter().all(can_be) {
        return Cow::Borrowed(facts);
    }
    let mut facts = facts.clone();
    for launch in &mut facts.launches {
        if !can_be(launch) {
            launch.kernels = Known::Is(Vec::new());
        }
    }
    Cow::Owned(facts)
}

/// Whether a launch may have these sizes.
pub fn fits(launch: &Launch, required: &[u64; 3]) -> bool {
    let LocalSize::Sizes(local) = &launch.local else {
        return true;
    };
    let is_whole = launch.work_dim.constant() == Some(local.len() as u64);
    required
        .iter()
        .enumerate()
        .all(|(at, &size)| match local.get(at) {
            Some(value) => may_be(value, size),
            None => !is_whole || size == 1,
        })
}
