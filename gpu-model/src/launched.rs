//! Predicts the execution time of a launch of a rewritten kernel, by the model of [`crate::geometry`].

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_launch_facts::{ArgValue, Launch, Value};
use fpgacc_runtime::contract::{Form, Hidden, LaunchContract};

use crate::device::Device;
use crate::geometry;
use crate::geometry::shape::Shape;
use crate::profile::{self, Sizes};

/// The seconds of a launch of what the passes made of a kernel; `None`: its sizes are not known.
pub fn seconds(
    device: &Device,
    module: &Module,
    kernel: FunctionId,
    contract: &LaunchContract,
    launch: &Launch,
) -> Option<f64> {
    let known = Geometry::of([launch]);
    let [Some(x), Some(y), Some(z)] = known.global else {
        return None;
    };
    let host = [x, y, z];
    let local = contract.chosen_local(host).or(match known.local {
        LocalGeometry::Sizes([Some(x), Some(y), Some(z)]) => Some([x, y, z]),
        _ => None,
    });
    let mut sizes = Sizes {
        global: host,
        local: None,
        scalars: scalars(launch),
    };
    let mut shape = local.map(Shape);
    match &contract.form {
        Form::NdRange => {}
        Form::Coarsened(by) => {
            let divided = |size: u64, by: u64| (size / by).max(1);
            for dim in 0..3 {
                let (of_global, of_local) = by.divides(dim);
                sizes.global[dim] = divided(host[dim], of_global);
                if let Some(Shape(local)) = &mut shape {
                    local[dim] = divided(local[dim], of_local);
                }
            }
        }
        Form::Task(task) => {
            let own = module.functions[kernel].params.len() - task.hidden.len();
            let hidden = task.hidden.iter().zip(own as u32..);
            let hidden = hidden.filter_map(|(what, at)| Some((at, value(*what, host, local)?)));
            sizes.scalars.extend(hidden.collect::<BTreeMap<_, _>>());
            sizes.global = [1; 3];
            shape = Some(Shape([1; 3]));
        }
    }
    sizes.local = shape.map(|Shape(local)| local);
    let profile = profile::profile(module, kernel, &sizes);
    let predicted = match shape {
        Some(shape) => geometry::predict(device, &profile, sizes.global, shape)?,
        // The runtime finds a good one.
        None => (geometry::rank(device, &profile, sizes.global).first()?).prediction,
    };
    Some(predicted.seconds)
}

/// What the runtime passes as a hidden argument.
fn value(what: Hidden, global: [u64; 3], local: Option<[u64; 3]>) -> Option<i64> {
    Some(match what {
        Hidden::Offset(_) => 0,
        Hidden::Global(dim) => global[usize::from(dim)] as i64,
        Hidden::Local(dim) => local?[usize::from(dim)] as i64,
        Hidden::Steps(_) => 1,
        Hidden::WorkDim => return None,
    })
}

/// Integer arguments that are constants.
pub fn scalars(launch: &Launch) -> BTreeMap<u32, i64> {
    let known = launch.args.iter().filter_map(|arg| match arg.value {
        ArgValue::Scalar(Value::Const(value)) => Some((arg.index, value as i64)),
        _ => None,
    });
    known.collect()
}
