//! The launches that are walked: those of the host's text, and those of runs, whose numbers may have been several.

use fpgacc_frontend::ir::{Expr, FunctionId, Module};
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_kernel_analysis::scalars;
use fpgacc_kernel_analysis::work_item::{self, Dim};
use fpgacc_launch_facts::{ArgValue, Launch as LaunchFact, LocalSize, Value};

use crate::device::Device;
use crate::lanes::range::Launch;

/// A launch with each local size and each of the numbers of a run that it may have.
pub(crate) struct Shapes {
    /// The likeliest first.
    pub all: Vec<Launch>,
    /// What is not known where there are several.
    pub open: &'static str,
    /// The host leaves the local size open, and this is what the device's runtime usually takes: the first of all.
    pub usual: Option<[u64; 3]>,
}

impl Shapes {
    /// The local sizes, if these are all that is open.
    pub fn local_sizes(&self) -> Vec<[u64; 3]> {
        match self.open == OPEN_SIZE {
            true => self.all.iter().map(|one| one.local).collect(),
            false => Vec::new(),
        }
    }
}

/// What is not known of a launch whose local size the host leaves open.
const OPEN_SIZE: &str = "the local size";

/// The launch with all that is open about it: one shape, if nothing is, or makes a difference.
pub(crate) fn of(
    module: &Module,
    kernel: FunctionId,
    launch: Option<&LaunchFact>,
    device: &Device,
) -> Shapes {
    let seen = match launch {
        Some(launch) if launch.recorded.is_some() => as_seen(launch),
        _ => launch.cloned().into_iter().collect(),
    };
    let mut all: Vec<Launch> = match &seen[..] {
        [] => with_local_sizes(module, kernel, None),
        seen => seen
            .iter()
            .flat_map(|launch| with_local_sizes(module, kernel, Some(launch)))
            .collect(),
    };
    let usual = match &seen[..] {
        [one] if one.local == LocalSize::Null => all.first().and_then(|one| usual(one, device)),
        _ => None,
    };
    if let (Some(local), Some(first)) = (usual, all.first().cloned()) {
        all.insert(0, Launch { local, ..first });
    }
    let mut kept: Vec<Launch> = Vec::new();
    all.retain(|one| {
        let is_new = !kept.contains(one);
        kept.extend(is_new.then(|| one.clone()));
        is_new
    });
    Shapes {
        all,
        open: match seen.len() > 1 {
            true => "which numbers of the run go together",
            false => OPEN_SIZE,
        },
        usual,
    }
}

/// The group that a device's runtime takes for a launch whose local size is left open.
fn usual(launch: &Launch, device: &Device) -> Option<[u64; 3]> {
    let (most, size) = (u64::from(device.open_group?), launch.global[0]?);
    let longest = (1..=most.min(size)).rev().find(|x| size.is_multiple_of(*x));
    Some([longest?, 1, 1])
}

/// How numbers that were several in a run are taken: by their positions, the largest or the smallest.
const PICKS: [fn(usize) -> bool; 4] = [|_| true, |_| false, |at| at % 2 == 0, |at| at % 2 == 1];

/// A launch of a run. Of one number that was several, the largest is taken; of more, nobody knows which go together.
fn as_seen(launch: &LaunchFact) -> Vec<LaunchFact> {
    let mut open = 0;
    let picked = |pick: fn(usize) -> bool| {
        let mut launch = launch.clone();
        let mut at = 0;
        let mut settle = |value: &mut Value| {
            let (least, most) = match value {
                Value::OneOf(all) => (all.first().copied(), all.last().copied()),
                Value::Range { min, max, .. } => (Some(*min), Some(*max)),
                _ => return,
            };
            let taken = if pick(at) { most } else { least };
            at += 1;
            if let Some(taken) = taken {
                *value = Value::Const(taken);
            }
        };
        launch
            .global
            .iter_mut()
            .chain(&mut launch.offset)
            .for_each(&mut settle);
        if let LocalSize::Sizes(sizes) = &mut launch.local {
            sizes.iter_mut().for_each(&mut settle);
        }
        for arg in &mut launch.args {
            if let ArgValue::Scalar(value) = &mut arg.value {
                settle(value);
            }
        }
        (launch, at)
    };
    let mut all = Vec::new();
    for pick in PICKS {
        let (launch, count) = picked(pick);
        open = count.max(open);
        all.push(launch);
        if open < 2 {
            break;
        }
    }
    all
}

/// The launch with each local size that it may have.
fn with_local_sizes(
    module: &Module,
    kernel: FunctionId,
    launch: Option<&LaunchFact>,
) -> Vec<Launch> {
    let geometry = launch.map_or_else(Geometry::unknown, |launch| Geometry::of([launch]));
    let dims = match geometry.work_dim {
        Some(dims) => dims,
        None => dimensions(module, kernel),
    };
    let guesses: &[[u64; 3]] = match dims {
        1 => &[[256, 1, 1], [64, 1, 1], [32, 1, 1]],
        _ => &[[16, 16, 1], [64, 1, 1], [8, 8, 1], [1, 64, 1]],
    };
    let required = module.functions[kernel].reqd_work_group_size();
    let local: Vec<[u64; 3]> = match (required, &geometry.local) {
        (Some(sizes), _) => vec![sizes],
        (None, LocalGeometry::Sizes(sizes)) => {
            let fill = |guess: &[u64; 3]| [0, 1, 2].map(|dim| sizes[dim].unwrap_or(guess[dim]));
            let mut all: Vec<_> = guesses.iter().map(fill).collect();
            all.dedup();
            all
        }
        _ => guesses.to_vec(),
    };
    let beyond = |dim: usize| (dim >= dims as usize).then_some(1);
    let global = [0, 1, 2].map(|dim| geometry.global[dim].or(beyond(dim)));
    let scalars = known_scalars(module, kernel, launch);
    let fits =
        |local: &[u64; 3]| (0..3).all(|dim| global[dim].is_none_or(|size| local[dim] <= size));
    let fitting: Vec<[u64; 3]> = local.iter().copied().filter(fits).collect();
    let local = if fitting.is_empty() { local } else { fitting };
    let shape = |local: [u64; 3]| Launch {
        work_dim: dims,
        global,
        // No group is larger than the NDRange.
        local: [0, 1, 2].map(|dim| local[dim].min(global[dim].unwrap_or(u64::MAX)).max(1)),
        offset: geometry.offset.map(|offset| offset.or(Some(0))),
        scalars: scalars.clone(),
    };
    local.into_iter().map(shape).collect()
}

/// The dimensions in which a kernel asks for ids.
fn dimensions(module: &Module, kernel: FunctionId) -> u32 {
    let function = &module.functions[kernel];
    let asked = function
        .exprs
        .ids()
        .filter_map(|id| match function.exprs.get(id) {
            Expr::Call { .. } => match work_item::query(module, function, id)?.dim {
                Dim::Of(dim) => Some(u32::from(dim) + 1),
                _ => None,
            },
            _ => None,
        });
    asked.max().unwrap_or(1)
}

/// Integer arguments that are constants.
fn known_scalars(
    module: &Module,
    kernel: FunctionId,
    launch: Option<&LaunchFact>,
) -> Vec<Option<i128>> {
    let function = &module.functions[kernel];
    let value = |index: usize| {
        let arg = launch?
            .args
            .iter()
            .find(|arg| arg.index as usize == index)?;
        let ty = function.vars[function.params[index]].ty.ty;
        scalars::integer_of(&arg.value, module.types.as_scalar(ty)?)
    };
    (0..function.params.len()).map(value).collect()
}
