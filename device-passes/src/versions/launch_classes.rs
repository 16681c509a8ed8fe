//! Launch classes: which launches of a kernel that is launched in different ways get a version of their own.
//!
//! Until the cost of a version is known, there are at most [`MOST`], and only where local sizes differ
//! that the kernel can observe, or scalars that bound its loops.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{FunctionId, Module, Scalar, StmtKind, Type};
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::scalars;
use fpgacc_launch_facts::{Known, Launch, LocalSize, Value};

/// The most versions of a kernel, without a general one.
pub const MOST: usize = 4;

/// The launches that a version is made for, a launch class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchClass<'f> {
    /// What they have in common and others do not, described.
    pub what: String,
    /// In order; at least one.
    pub launches: Vec<&'f Launch>,
}

/// In what the launch classes of a kernel differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// After all others: what is compiled for NULL may take other launches too.
    is_null: bool,
    local: Vec<u64>,
    /// Index, type and bits.
    scalars: Vec<(u32, Scalar, u64)>,
}

/// The classes of a kernel's launches, if it is worth to distinguish them: two or more, the one of the
/// first launch first.
pub fn launch_classes<'f>(
    module: &Module,
    kernel: FunctionId,
    launches: &[&'f Launch],
    seen_counts: bool,
) -> Option<Vec<LaunchClass<'f>>> {
    let is_sure = |launch: &&Launch| matches!(launch.kernels, Known::Is(_));
    if launches.len() < 2 || !launches.iter().all(is_sure) {
        return None;
    }
    let local = looks_at_work_groups(module, kernel);
    let bounds = loop_bounds(module, kernel);
    let ways: [(bool, &[(u32, Scalar)]); 3] = [(local, &bounds), (local, &[]), (false, &bounds)];
    ways.iter()
        .find_map(|(local, bounds)| split(module, kernel, launches, *local, bounds, seen_counts))
}

fn split<'f>(
    module: &Module,
    kernel: FunctionId,
    launches: &[&'f Launch],
    local: bool,
    bounds: &[(u32, Scalar)],
    seen_counts: bool,
) -> Option<Vec<LaunchClass<'f>>> {
    // What some launch leaves open distinguishes none from the others; nor does what only runs showed.
    let is_local_known = |launch: &&Launch| {
        local_size(launch).is_some() && (seen_counts || launch.local_is_proved())
    };
    let local = local && launches.iter().all(is_local_known);
    let known = |(index, scalar): &&(u32, Scalar)| {
        let mut all = launches.iter();
        all.all(|launch| {
            let counts = seen_counts || launch.argument_is_proved(*index);
            counts && bits(launch, *index, *scalar).is_some()
        })
    };
    let bounds: Vec<(u32, Scalar)> = bounds.iter().filter(known).copied().collect();
    let mut found: Vec<(Key, Vec<&Launch>)> = Vec::new();
    for launch in launches {
        let size = local.then(|| local_size(launch)).flatten();
        let scalars = bounds
            .iter()
            .filter_map(|&(i, scalar)| Some((i, scalar, bits(launch, i, scalar)?)));
        let key = Key {
            is_null: size.as_ref().is_some_and(Vec::is_empty),
            local: size.unwrap_or_default(),
            scalars: scalars.collect(),
        };
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, class)) => class.push(launch),
            None => found.push((key, vec![launch])),
        }
    }
    if !(2..=MOST).contains(&found.len()) {
        return None;
    }
    found.sort_by_key(|(key, _)| key.is_null);
    let keys: Vec<Key> = found.iter().map(|(key, _)| key.clone()).collect();
    let classes = found.into_iter().map(|(key, launches)| LaunchClass {
        what: description(module, kernel, &key, &keys),
        launches,
    });
    Some(classes.collect())
}

/// What only this class has.
fn description(module: &Module, kernel: FunctionId, key: &Key, all: &[Key]) -> String {
    let mut parts = Vec::new();
    if all.iter().any(|other| other.local != key.local) {
        let sizes: Vec<String> = key.local.iter().map(u64::to_string).collect();
        parts.push(match key.is_null {
            true => "local size NULL".to_string(),
            false => format!("local size {}", sizes.join(" x ")),
        });
    }
    let function = &module.functions[kernel];
    for (at, &(index, scalar, bits)) in key.scalars.iter().enumerate() {
        if all.iter().any(|other| other.scalars[at].2 != bits) {
            let name = &function.vars[function.params[index as usize]].name;
            parts.push(format!("{name} = {}", scalars::fact(index, scalar, bits)));
        }
    }
    parts.join(", ")
}

/// Empty: NULL.
fn local_size(launch: &Launch) -> Option<Vec<u64>> {
    match &launch.local {
        LocalSize::Null => Some(Vec::new()),
        LocalSize::Sizes(sizes) => sizes.iter().map(Value::constant).collect(),
        LocalSize::Unknown(_) => None,
    }
}

fn bits(launch: &Launch, index: u32, scalar: Scalar) -> Option<u64> {
    scalars::bits(launch.argument(index)?, scalar)
}

/// Whether a kernel can observe how large its work-groups are: it has barriers, or asks.
fn looks_at_work_groups(module: &Module, kernel: FunctionId) -> bool {
    let mut reached: BTreeSet<FunctionId> = calls::reachable(module, kernel).into_iter().collect();
    reached.insert(kernel);
    let looks = |name: &str| {
        matches!(
            name,
            "barrier"
                | "get_local_id"
                | "get_local_size"
                | "get_enqueued_local_size"
                | "get_local_linear_id"
                | "get_group_id"
                | "get_num_groups"
        ) || name.starts_with("work_group_")
            || name.starts_with("async_work_group_")
    };
    let mut reached = reached.iter();
    reached.any(|id| calls::calls_builtin(&module.functions[*id], looks))
}

/// The scalar parameters in conditions of a kernel's loops.
fn loop_bounds(module: &Module, kernel: FunctionId) -> Vec<(u32, Scalar)> {
    let function = &module.functions[kernel];
    let mut used = BTreeSet::new();
    if let Some(body) = &function.body {
        body.for_each_stmt(&mut |stmt| {
            let cond = match &stmt.kind {
                StmtKind::For { cond, .. } => *cond,
                StmtKind::While { cond, .. } | StmtKind::DoWhile { cond, .. } => Some(*cond),
                _ => None,
            };
            if let Some(cond) = cond {
                used.extend(
                    function
                        .exprs
                        .local_uses(cond)
                        .into_iter()
                        .map(|(_, var)| var),
                );
            }
        });
    }
    let scalar = |(index, var): (u32, _)| match module.types.resolve(function.vars[var].ty.ty) {
        Type::Scalar(scalar) if used.contains(&var) => Some((index, scalar)),
        _ => None,
    };
    let params = function.params.iter().copied();
    (0..).zip(params).filter_map(scalar).collect()
}
