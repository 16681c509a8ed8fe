//! What a launch gains where an access that wastes sectors is mended, by the model of [`crate::geometry`].
//!
//! Sectors that a warp does not use are not always lost: the next iteration may find them in the unit's cache, and a
//! launch with few warps waits for results whatever moves. A walk along rows can be faster than the same along columns.

use fpgacc_frontend::source::Span;

use crate::device::Device;
use crate::geometry::model::{Kernel, Limit};
use crate::geometry::shape::Shape;
use crate::profile::{Access, FIRST_LOOP, POINTS, Profile};

/// A change of a kernel or of what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Dimensions 0 and 1 of all ids are exchanged.
    Exchange,
    /// The array is stored so that neighbouring work-items find neighbouring elements: transposed, or a field of a
    /// structure in an array of its own.
    Array,
}

/// What a change gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The change.
    pub mend: Mend,
    /// The launch takes so many times as long without it.
    pub times: f64,
    /// What limits the launch as it is.
    pub limit: Limit,
}

/// The change that gains most, for an access at a position; `None`: nothing is known of the device's times, or of the
/// access.
pub fn best(
    device: &Device,
    profile: &Profile,
    global: [u64; 3],
    shape: Shape,
    position: Span,
) -> Option<Gain> {
    let units = device.units.as_ref()?;
    let at = profile
        .positions
        .iter()
        .position(|positions| positions.contains(&position))?;
    let wanted = profile.accesses[at];
    wanted.at?;
    let predict =
        |profile: &Profile, global| Kernel::new(device, units, profile, global).predict(shape);
    let before = predict(profile, global);
    let gain = |mend, after: f64| Gain {
        mend,
        times: before.seconds / after,
        limit: before.limit,
    };
    let (apart, near) = steps(&wanted, profile)?;
    let mended = with(profile, |access| match access.root == wanted.root {
        true => stored_anew(access, apart, near),
        false => *access,
    });
    let array = gain(Mend::Array, predict(&mended, global).seconds);
    if global[1] == 1 {
        return Some(array);
    }
    let mended = with(profile, |access| exchanged(access, 1, 2));
    let turned = [global[1], global[0], global[2]];
    let exchange = gain(Mend::Exchange, predict(&mended, turned).seconds);
    Some(if exchange.times >= array.times {
        exchange
    } else {
        array
    })
}

fn with(profile: &Profile, change: impl Fn(&Access) -> Access) -> Profile {
    Profile {
        accesses: profile.accesses.iter().map(change).collect(),
        ..profile.clone()
    }
}

/// The access with the strides of two points exchanged.
fn exchanged(access: &Access, a: usize, b: usize) -> Access {
    let bit = |point: usize| access.varies >> point & 1;
    let others = access.varies & !(1 << a | 1 << b);
    Access {
        at: access.at.map(|mut at| {
            at.swap(a, b);
            at
        }),
        varies: others | bit(a) << b | bit(b) << a,
        ..*access
    }
}

/// The bytes between elements of neighbouring lanes, and those that could be between them: what the element moves along
/// another dimension or in a loop, or its size.
fn steps(access: &Access, profile: &Profile) -> Option<(i64, i64)> {
    let apart = access.stride(1)?.checked_abs()?;
    let depth = profile.scopes[access.scope].depth;
    let points = [2, 3].into_iter().chain(FIRST_LOOP..FIRST_LOOP + depth);
    let strides = points
        .filter(|point| *point < POINTS)
        .filter_map(|point| access.stride(point)?.checked_abs());
    let least = strides.filter(|stride| *stride > 0).min();
    let near = least.map_or(i64::from(access.bytes), |least| least.min(apart));
    (apart > near).then_some((apart, near))
}

/// The access to an array in which what was `apart` is now `near`, and the other way round.
fn stored_anew(access: &Access, apart: i64, near: i64) -> Access {
    let moved = |stride: i64| match stride {
        _ if stride % apart == 0 => stride / apart * near,
        _ if stride % near == 0 => (stride / near).saturating_mul(apart),
        _ => stride,
    };
    Access {
        at: access.at.map(|at| {
            let mut new = at;
            for point in 1..POINTS {
                new[point] = at[0].wrapping_add(moved(at[point].wrapping_sub(at[0])));
            }
            new
        }),
        ..*access
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fpgacc_frontend::source::SourceMap;

    use super::*;
    use crate::profile::{Root, Scope};

    /// `x[i] += a[i * 16384 + k]` in a loop over k.
    fn rows() -> Profile {
        let mut at = [1 << 20; POINTS];
        at[1] += 65536;
        at[FIRST_LOOP] += 4;
        let outside = Scope {
            trips: 1.0,
            runs: 1.0,
            operations: 5.0,
            ..Scope::default()
        };
        let inside = Scope {
            depth: 1,
            trips: 16384.0,
            runs: 16384.0,
            ..outside
        };
        let access = Access {
            root: Some(Root::Buffer(0)),
            write: false,
            bytes: 4,
            scope: 1,
            share: 1.0,
            at: Some(at),
            varies: 1 << 1 | 1 << FIRST_LOOP,
            scaled: 0,
            guard: 0,
        };
        let mut own = [0; POINTS];
        own[1] = 4;
        let sum = Access {
            root: Some(Root::Buffer(1)),
            at: Some(own),
            varies: 1 << 1,
            ..access
        };
        let stored = Access { write: true, ..sum };
        Profile {
            scopes: vec![outside, inside],
            accesses: vec![access, sum, stored],
            positions: vec![BTreeSet::new(); 3],
            ..Profile::default()
        }
    }

    #[test]
    fn an_array_that_is_stored_anew_has_its_strides_exchanged() {
        let access = rows().accesses[0];
        assert_eq!(steps(&access, &rows()), Some((65536, 4)));
        let stored = stored_anew(&access, 65536, 4);
        assert_eq!(
            (stored.stride(1), stored.stride(FIRST_LOOP)),
            (Some(4), Some(65536))
        );
        assert_eq!(stored_anew(&stored, 65536, 4), access);
    }

    #[test]
    fn few_work_items_walk_faster_along_rows() {
        let device = Device::named("h200").expect("a device");
        let file = SourceMap::new().add("k.cl", "a[i * n + k]");
        let position = Span {
            file,
            start: 0,
            end: 12,
        };
        let gain = |items: u64| {
            let mut profile = rows();
            profile.positions[0].insert(position);
            best(
                &device,
                &profile,
                [items, 1, 1],
                Shape([256, 1, 1]),
                position,
            )
            .expect("a gain")
        };
        assert!(gain(16384).times < 0.7, "{:?}", gain(16384));
        assert!(gain(1 << 22).times > 1.5, "{:?}", gain(1 << 22));
    }
}
