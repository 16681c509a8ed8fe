//! The launch that is priced.

use std::collections::BTreeMap;

use fpgacc_frontend::facts::{ArgValue, Launch, Value};
use fpgacc_frontend::ir::{Function, Module, Type};
use fpgacc_runtime::manifest::{Form, Hidden};

use crate::geometry::{Geometry, LocalGeometry};
use crate::pass::LaunchContract;

use super::prediction::TripOrigin;

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
    /// Average trip counts that a profile or a person gives, by the line (from 1) of the loop.
    pub trips: BTreeMap<u32, f64>,
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
        LaunchShape {
            global: geometry.global.map(given),
            local: local.map(given),
            scalars: common_scalars(launches),
            trips: BTreeMap::new(),
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

    fn hidden(&self, hidden: Hidden) -> Option<Given> {
        match hidden {
            Hidden::Offset(_) => Some(Given {
                value: 0.0,
                origin: TripOrigin::Assumed,
            }),
            Hidden::Global(dim) => self.global[usize::from(dim)],
            Hidden::Local(dim) => self.local[usize::from(dim)],
            Hidden::WorkDim => None,
        }
    }
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
