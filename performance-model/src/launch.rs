//! The launch that is priced.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Function, Module, Type};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_launch_facts::{ArgValue, Launch, LocalSize, Value};
use fpgacc_runtime::contract::LaunchContract;
use fpgacc_runtime::manifest::{Form, Hidden};

use super::prediction::TripOrigin;

/// The work-items of a launch of which nothing is known: a guess.
const ASSUMED_ITEMS: f64 = 65536.0;
/// The work-items of a group where nothing is known: what aoc builds kernels with barriers for.
const ASSUMED_LOCAL: f64 = 256.0;

/// A number of a launch and how it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Given {
    /// The number.
    pub value: f64,
    /// How it is known.
    pub origin: TripOrigin,
}

/// Sizes and scalar arguments of a launch, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchShape {
    /// Global size by dimension.
    pub global: [Option<Given>; 3],
    /// Local size by dimension.
    pub local: [Option<Given>; 3],
    /// Integer arguments by the parameter's index.
    pub scalars: BTreeMap<u32, Given>,
    /// Bytes of the small buffers among the arguments, by the parameter's index. A kernel may read only a
    /// part of them.
    pub bytes: BTreeMap<u32, u64>,
    /// Average trip counts that a profile or a person gives, by the loop's span.
    pub trips: BTreeMap<Span, f64>,
    /// The same, of the work-item of an NDRange that has the most to do, where it differs from the average.
    pub most_trips: BTreeMap<Span, f64>,
    /// The part of the times that branches were taken in runs, by the span of the `if`.
    pub branches: BTreeMap<Span, f64>,
    /// Whether floating-point operations may be reassociated (`-fp-relaxed`).
    pub fp_relaxed: bool,
    /// Iterations that a loop starts before it is known that they run, where the source asks for none;
    /// `None`: as the compiler chooses.
    pub speculated: Option<f64>,
}

impl LaunchShape {
    /// What the launches of a kernel have in common.
    pub fn of(launches: &[&Launch]) -> Self {
        let geometry = Geometry::of(launches.iter().copied());
        let given = |value: Option<u64>| {
            value.map(|value| Given {
                value: value as f64,
                origin: TripOrigin::Symbolic,
            })
        };
        let local = match geometry.local {
            LocalGeometry::Sizes(sizes) => sizes,
            LocalGeometry::Null | LocalGeometry::Unknown => [None; 3],
        };
        let mut shape = LaunchShape {
            global: geometry.global.map(given),
            local: local.map(given),
            scalars: common_scalars(launches),
            ..LaunchShape::default()
        };
        if let [launch] = launches {
            shape.add_seen(launch);
        }
        shape
    }

    /// That of the smaller NDRange that a coarsened kernel is launched over in the place of this one.
    pub fn of_kernel(&self, contract: &LaunchContract) -> Self {
        let mut shape = self.clone();
        let Some(by) = contract.coarsened() else {
            return shape;
        };
        let divide = |size: &mut Option<Given>, by: u64| {
            if let Some(given) = size {
                given.value = (given.value / by as f64).max(1.0);
            }
        };
        let known = |value| {
            Some(Given {
                value,
                origin: TripOrigin::Assumed,
            })
        };
        for dim in 0..3 {
            let (by_global, by_local) = by.divides(dim);
            let (global, local) = self.sizes(dim);
            if by_global > 1 {
                shape.global[dim] = self.global[dim].or_else(|| known(global));
                divide(&mut shape.global[dim], by_global);
            }
            if by_local > 1 {
                shape.local[dim] = self.local[dim].or_else(|| known(local));
                divide(&mut shape.local[dim], by_local);
            }
        }
        shape
    }

    /// The same, of a kernel that may be launched with groups of one size only (`reqd_work_group_size`; OpenCL C, 6.7.2): where
    /// nothing is known of the group, it has that.
    pub fn required(&self, sizes: Option<[u64; 3]>) -> Self {
        let mut shape = self.clone();
        let Some(sizes) = sizes else {
            return shape;
        };
        for (local, size) in shape.local.iter_mut().zip(sizes) {
            local.get_or_insert(Given {
                value: size as f64,
                origin: TripOrigin::Known,
            });
        }
        shape
    }

    /// Sizes and scalars that differ from launch to launch: their mean stands for them.
    fn add_seen(&mut self, launch: &Launch) {
        let local = match &launch.local {
            LocalSize::Sizes(values) => &values[..],
            _ => &[],
        };
        for (own, values) in [
            (&mut self.global, &launch.global[..]),
            (&mut self.local, local),
        ] {
            for (own, value) in own.iter_mut().zip(values) {
                *own = own.or_else(|| seen(value));
            }
        }
        for arg in &launch.args {
            if let ArgValue::Scalar(value) = &arg.value
                && !self.scalars.contains_key(&arg.index)
                && let Some(given) = seen_scalar(value)
            {
                self.scalars.insert(arg.index, given);
            }
        }
    }

    /// The value of a kernel's parameter: the host's, or a hidden one that the contract adds.
    pub fn param(
        &self,
        module: &Module,
        kernel: &Function,
        contract: &LaunchContract,
        index: usize,
    ) -> Option<Given> {
        if let Form::Task(task) = &contract.form {
            let own = kernel.params.len().checked_sub(task.hidden.len())?;
            if let Some(hidden) = index.checked_sub(own) {
                return self.hidden(*task.hidden.get(hidden)?);
            }
        }
        let ty = module
            .types
            .resolve(kernel.vars[kernel.params[index]].ty.ty);
        let is_integer = matches!(ty, Type::Scalar(scalar) if scalar.is_integer());
        is_integer
            .then(|| self.scalars.get(&(index as u32)).copied())
            .flatten()
    }

    /// Global and local size in a dimension, assumed where they are not known.
    pub fn sizes(&self, dim: usize) -> (f64, f64) {
        let unknown = self.global.iter().all(Option::is_none);
        let global = match self.global[dim] {
            Some(given) => given.value,
            None if dim == 0 && unknown => ASSUMED_ITEMS,
            None => 1.0,
        };
        let local = match self.local[dim] {
            Some(given) => given.value,
            None if dim == 0 => ASSUMED_LOCAL.min(global),
            None => 1.0,
        };
        (global.max(1.0), local.clamp(1.0, global.max(1.0)))
    }

    fn hidden(&self, hidden: Hidden) -> Option<Given> {
        match hidden {
            Hidden::Offset(_) => Some(Given {
                value: 0.0,
                origin: TripOrigin::Assumed,
            }),
            Hidden::Global(dim) => self.global[usize::from(dim)],
            Hidden::Local(dim) => self.local[usize::from(dim)],
            Hidden::WorkDim => None,
            // What it is made for.
            Hidden::Steps(steps) => Some(Given {
                value: f64::from(steps.most),
                origin: TripOrigin::Assumed,
            }),
        }
    }
}

/// The mean of the values that were seen, or that are possible. Of constants and expressions, the constants are what the
/// host takes if it is given nothing: these are assumed.
fn seen(value: &Value) -> Option<Given> {
    let middle = |min: u64, max: u64| (min as f64 + max as f64) / 2.0;
    let mean = |all: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = all.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
        (count > 0.0).then_some(sum / count)
    };
    let (mean, origin) = match value {
        Value::Const(value) => (*value as f64, TripOrigin::Profiled),
        Value::OneOf(values) => {
            let mut values = values.iter().map(|value| *value as f64);
            (mean(&mut values)?, TripOrigin::Profiled)
        }
        Value::Range { min, max, .. } => (middle(*min, *max), TripOrigin::Profiled),
        Value::Symbolic(symbolic) => (middle(symbolic.min?, symbolic.max?), TripOrigin::Symbolic),
        Value::AnyOf(all) => {
            let constants = all.iter().filter_map(Value::constant);
            let mut constants = constants.map(|value| value as f64);
            (mean(&mut constants)?, TripOrigin::Assumed)
        }
        Value::Unknown(_) => return None,
    };
    let value = mean.round();
    Some(Given { value, origin })
}

/// The mean of an argument that differs from launch to launch, unless it may be 0: that is a choice, for which no mean
/// stands.
fn seen_scalar(value: &Value) -> Option<Given> {
    let is_choice = match value {
        Value::OneOf(values) => values.contains(&0) || values.len() == 1,
        Value::AnyOf(all) => all.contains(&Value::Const(0)),
        _ => false,
    };
    seen(value).filter(|_| !is_choice)
}

/// Integer arguments that are the same constant at all launches.
fn common_scalars(launches: &[&Launch]) -> BTreeMap<u32, Given> {
    let mut all: BTreeMap<u32, Vec<Option<u64>>> = BTreeMap::new();
    for launch in launches {
        for arg in &launch.args {
            let value = match &arg.value {
                ArgValue::Scalar(Value::Const(value)) => Some(*value),
                ArgValue::Scalar(Value::OneOf(values)) if values.len() == 1 => Some(values[0]),
                _ => None,
            };
            all.entry(arg.index).or_default().push(value);
        }
    }
    let same = |values: Vec<Option<u64>>| {
        let first = values.first().copied().flatten()?;
        let agree = values.len() == launches.len() && values.iter().all(|v| *v == Some(first));
        agree.then_some(Given {
            value: first as f64,
            origin: TripOrigin::Symbolic,
        })
    };
    all.into_iter()
        .filter_map(|(index, values)| Some((index, same(values)?)))
        .collect()
}
