//! Which sizes and shapes of work-groups suit a kernel on a device.

pub mod legality;
pub mod model;
pub mod rule;
pub mod shape;

use crate::device::Device;
use crate::profile::Profile;
use model::Prediction;
use shape::Shape;

/// Shapes whose predicted times differ by less than this are taken to be equal, and the rule of thumb decides:
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

/// The shapes that divide a launch, best first; empty where nothing is known of the device's units.
pub fn rank(device: &Device, profile: &Profile, global: [u64; 3]) -> Vec<Ranked> {
    let Some(units) = &device.units else {
        return Vec::new();
    };
    let shapes = shape::candidates(
        global,
        u64::from(units.max_group_size),
        u64::from(device.warp),
    );
    let kernel = model::Kernel::new(device, units, profile, global);
    let ranked = shapes.into_iter().map(|shape| Ranked {
        shape,
        prediction: kernel.predict(shape),
    });
    let mut all: Vec<Ranked> = ranked.collect();
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

/// What another shape must gain over the author's to be taken, who may have measured.
const WORTH: f64 = 1.06;

/// The shape to take: the best of those that [`rank`] gives, or the author's where that is hardly slower.
pub fn choose(ranked: &[Ranked], author: Option<Shape>) -> Option<&Ranked> {
    let best = ranked.first()?;
    let own = author.and_then(|shape| ranked.iter().find(|one| one.shape == shape));
    let near = own.filter(|own| own.prediction.seconds < best.prediction.seconds * WORTH);
    near.or(Some(best))
}
