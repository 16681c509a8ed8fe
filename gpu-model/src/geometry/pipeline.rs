//! The time of a launch in a pipeline that a compiler makes of a kernel for an FPGA: work-items enter it one after the
//! other, or several at a time where their number divides the rows of groups (`num_simd_work_items`). What memory
//! does is the same whatever the shape.

use crate::device::Pipeline;

use super::model::{Limit, Prediction};
use super::shape::Shape;

/// What groups of a shape cost.
pub fn predict(pipeline: &Pipeline, global: [u64; 3], shape: Shape) -> Prediction {
    let groups = shape.groups(global) as f64;
    let items: f64 = global.iter().map(|size| *size as f64).product();
    let lanes = lanes(pipeline, shape);
    let cycle = 1e-6 / pipeline.clock_mhz;
    let starts = groups * pipeline.group_cycles * cycle;
    let issue = items / lanes * cycle;
    Prediction {
        seconds: pipeline.launch_us * 1e-6 + starts + issue,
        limit: if starts > issue {
            Limit::Starts
        } else {
            Limit::Issue
        },
        parts: [starts, issue, 0.0, 0.0, 0.0, 0.0],
        units: 1,
        warps: lanes,
        sectors: 0.0,
    }
}

/// The most lanes, a power of two, that divide the rows of a group.
fn lanes(pipeline: &Pipeline, shape: Shape) -> f64 {
    let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(2));
    let fitting = powers.take_while(|power| {
        *power <= u64::from(pipeline.most_lanes) && shape.0[0].is_multiple_of(*power)
    });
    fitting.last().unwrap_or(1) as f64
}
