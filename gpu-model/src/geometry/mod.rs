//! Which sizes and shapes of work-groups suit a kernel on a device.

pub mod cores;
pub mod model;
pub mod pipeline;
pub mod rule;
pub mod shape;
pub mod vectors;
mod walk;

use crate::device::Device;
use crate::profile::Profile;
use model::Prediction;
use shape::Shape;

/// Shapes whose predicted times differ by less than this are taken to be equal (a guess), and the rule of thumb decides:
/// four warps or more, long in the first dimension.
const EQUAL: f64 = 1.02;

/// A shape and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The local size.
    pub shape: Shape,
    /// What it costs.
    pub prediction: Prediction,
}

/// The shapes that divide a launch, best first; empty where nothing is known of the device's units or cores.
pub fn rank(device: &Device, profile: &Profile, global: [u64; 3]) -> Vec<Ranked> {
    let mut all = if let Some(units) = &device.units {
        let kernel = model::Kernel::new(device, units, profile, global);
        predict_all(device, global, |shape| kernel.predict(shape))
    } else if let Some(cores) = &device.cores {
        let kernel = cores::Kernel::new(device, cores, profile, global);
        predict_all(device, global, |shape| kernel.predict(shape))
    } else if let Some(pipeline) = &device.pipeline {
        predict_all(device, global, |shape| {
            pipeline::predict(pipeline, global, shape)
        })
    } else {
        return Vec::new();
    };
    let best = all
        .iter()
        .map(|one| one.prediction.seconds)
        .fold(f64::INFINITY, f64::min);
    let key = |one: &Ranked| {
        let is_equal = one.prediction.seconds <= best * EQUAL;
        let time = if is_equal {
            best
        } else {
            one.prediction.seconds
        };
        (time, one.shape.items(), one.shape.0[0])
    };
    all.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then((b.1, b.2).cmp(&(a.1, a.2)))
    });
    all
}

/// What a launch with groups of a shape takes; `None`: nothing is known of the device's units or cores.
pub fn predict(
    device: &Device,
    profile: &Profile,
    global: [u64; 3],
    shape: Shape,
) -> Option<Prediction> {
    if let Some(units) = &device.units {
        return Some(model::Kernel::new(device, units, profile, global).predict(shape));
    }
    let cores = device.cores.as_ref()?;
    Some(cores::Kernel::new(device, cores, profile, global).predict(shape))
}

fn predict_all(
    device: &Device,
    global: [u64; 3],
    predict: impl Fn(Shape) -> Prediction,
) -> Vec<Ranked> {
    let most = device.max_group_size().unwrap_or(1);
    let shapes = shape::candidates(global, u64::from(most), u64::from(device.warp));
    let ranked = shapes.into_iter().map(|shape| Ranked {
        shape,
        prediction: predict(shape),
    });
    ranked.collect()
}

/// As many groups as become one in a loop, and the time of the launch then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    /// As many groups along the first dimension are one.
    pub factor: u64,
    /// The time of the launch.
    pub seconds: f64,
}

/// The most groups that become one: later ones gain nothing that is not gained already (measured: docs/geometry.md).
const MOST_ROUNDS: u64 = 16;

/// How many groups of a shape are better one group that loops over them; `None`: that gains too little.
pub fn rounds(
    device: &Device,
    profile: &Profile,
    global: [u64; 3],
    ranked: &Ranked,
) -> Option<Rounds> {
    let kernel = model::Kernel::new(device, device.units.as_ref()?, profile, global);
    let groups = global[0] / ranked.shape.0[0].max(1);
    let factors = std::iter::successors(Some(2u64), |factor| Some(factor * 2));
    let factors = factors.take_while(|factor| *factor <= MOST_ROUNDS);
    let all = factors.filter(|factor| groups.is_multiple_of(*factor));
    let all = all.map(|factor| Rounds {
        factor,
        seconds: kernel.in_rounds(ranked.shape, factor).seconds,
    });
    let all: Vec<Rounds> = all.collect();
    let best = all.iter().map(|one| one.seconds);
    let best = best.fold(f64::INFINITY, f64::min);
    let mut near = all.into_iter().filter(|one| one.seconds <= best * EQUAL);
    near.next()
        .filter(|one| one.seconds * WORTH < ranked.prediction.seconds)
}

/// What another shape must gain over the author's to be taken, who may have measured: chosen with the measurements of
/// docs/geometry.md in sight.
const WORTH: f64 = 1.06;

/// The shape to take: the best of those that [`rank`] gives, or the author's where that is hardly slower.
pub fn choose(ranked: &[Ranked], author: Option<Shape>) -> Option<&Ranked> {
    let best = ranked.first()?;
    let own = author.and_then(|shape| ranked.iter().find(|one| one.shape == shape));
    let near = own.filter(|own| own.prediction.seconds < best.prediction.seconds * WORTH);
    near.or(Some(best))
}
