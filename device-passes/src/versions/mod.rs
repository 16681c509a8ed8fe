//! Versions of kernels: copies with names of their own, of which the runtime launches the first whose
//! facts hold.

pub mod assumed;
pub mod launch_classes;

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{FileNames, FunctionId, Item, Module};

use crate::options::General;
use crate::pass::LaunchContract;

/// The other versions of each kernel, by its name, in the order in which the runtime asks them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    others: BTreeMap<String, Vec<String>>,
    /// Untouched copies, after all other versions.
    general: BTreeMap<String, (String, FunctionId)>,
    /// Those of these copies that no launch should need.
    spare: BTreeSet<String>,
}

impl Versions {
    /// The names of a kernel's other versions.
    pub fn of(&self, kernel: &str) -> Vec<String> {
        let others = self.others.get(kernel).cloned().unwrap_or_default();
        let general = self.general.get(kernel).map(|(name, _)| name.clone());
        others.into_iter().chain(general).collect()
    }

    /// The kernel that a version is of, or which the name is of.
    pub fn original<'n>(&'n self, name: &'n str) -> &'n str {
        let mut kernels = self.others.iter();
        let found = kernels.find(|(_, others)| others.iter().any(|other| other == name));
        found.map_or(name, |(kernel, _)| kernel)
    }

    /// Whether some kernel has versions for different launches.
    pub fn are_several(&self) -> bool {
        !self.others.is_empty()
    }

    /// Copies a kernel for each of `count` groups of launches. The copies' names, and themselves.
    pub(crate) fn add(
        &mut self,
        module: &mut Module,
        kernel: FunctionId,
        count: usize,
    ) -> Vec<(String, FunctionId)> {
        let mut names = module.global_names();
        let name = module.functions[kernel].name.clone();
        let mut after = kernel;
        let mut made = Vec::new();
        for number in 2..count + 2 {
            let hint = format!("fpgacc_{number}_{name}");
            let copy = copy(module, kernel, after, &hint, &mut names);
            made.push((module.functions[copy].name.clone(), copy));
            after = copy;
        }
        let others = made.iter().map(|(name, _)| name.clone());
        self.others.insert(name, others.collect());
        made
    }

    /// The name of the version that relies on nothing.
    pub fn general_of(&self, kernel: &str) -> Option<&str> {
        let (name, _) = self.general.get(kernel)?;
        Some(name)
    }

    /// Whether a version is there for launches only that the analysis of the host did not find.
    pub fn is_spare(&self, version: &str) -> bool {
        self.spare.contains(version)
    }

    /// Notes which general versions no launch should need: `is_expected` is whether one of a kernel may.
    pub(crate) fn note_spare(&mut self, is_expected: impl Fn(&str) -> bool) {
        let general = self.general.iter();
        let spare = general.filter(|(kernel, _)| !is_expected(kernel));
        self.spare = spare.map(|(_, (name, _))| name.clone()).collect();
    }

    /// Copies kernels, so that there is a version that relies on nothing.
    pub(crate) fn keep_general(&mut self, module: &mut Module, is_copied: impl Fn(&str) -> bool) {
        let mut names = module.global_names();
        for kernel in module.kernels().collect::<Vec<_>>() {
            let name = module.functions[kernel].name.clone();
            if !is_copied(&name) {
                continue;
            }
            let hint = format!("fpgacc_general_{name}");
            let copy = copy(module, kernel, kernel, &hint, &mut names);
            let copied = module.functions[copy].name.clone();
            self.general.insert(name, (copied, copy));
        }
    }

    /// Takes the copies away of kernels that need none.
    pub(crate) fn drop_unneeded(&mut self, module: &mut Module, is_needed: impl Fn(&str) -> bool) {
        self.general.retain(|kernel, (_, copy)| {
            let needed = is_needed(kernel);
            if !needed {
                module.items.retain(|item| *item != Item::Function(*copy));
            }
            needed
        });
    }
}

/// Whether a kernel needs a version that relies on nothing. `contract` is that of its first version;
/// `is_assumed`: some version relies on what is not proved.
pub fn needs_general(
    general: General,
    contract: Option<&LaunchContract>,
    is_assumed: bool,
) -> bool {
    match general {
        General::Never => false,
        General::Assumed => is_assumed,
        General::Spare | General::Always => contract.is_some_and(LaunchContract::may_refuse),
    }
}

/// A copy of a kernel, after another function.
fn copy(
    module: &mut Module,
    kernel: FunctionId,
    after: FunctionId,
    hint: &str,
    names: &mut FileNames,
) -> FunctionId {
    let mut function = module.functions[kernel].clone();
    function.name = function.fresh_name(hint, names);
    names.insert(function.name.clone());
    let id = module.functions.add(function);
    let at = module.items.iter().rposition(|item| match item {
        Item::Function(id) => *id == after,
        _ => false,
    });
    let at = at.map_or(module.items.len(), |at| at + 1);
    module.items.insert(at, Item::Function(id));
    id
}
