//! Points of a wavefront, by time and lane, and the inequalities that bound them.

use fpgacc_kernel_analysis::fourier_motzkin::{Linear, Range, range_of};

/// The coordinates of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Axis {
    Time,
    Lane,
}

/// How far a point is from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Vector {
    /// In steps.
    pub time: i128,
    /// In lanes.
    pub lane: i128,
}

impl Vector {
    /// From a point to itself.
    pub const HERE: Self = Vector { time: 0, lane: 0 };
}

/// `time * t + lane * l + constant`; as an inequality, it is not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    /// By which the time is multiplied.
    pub time: i128,
    /// By which the lane is.
    pub lane: i128,
    /// What is added.
    pub constant: i128,
}

impl Affine {
    /// The time.
    pub const TIME: Self = Affine {
        time: 1,
        lane: 0,
        constant: 0,
    };
    /// The lane.
    pub const LANE: Self = Affine {
        time: 0,
        lane: 1,
        constant: 0,
    };

    /// A constant.
    pub fn constant(constant: i128) -> Self {
        Affine {
            time: 0,
            lane: 0,
            constant,
        }
    }

    /// It, if it is a constant.
    pub fn as_constant(self) -> Option<i128> {
        (self.time == 0 && self.lane == 0).then_some(self.constant)
    }

    /// `self + factor * other`.
    pub fn plus(self, other: Affine, factor: i128) -> Self {
        Affine {
            time: self.time + factor * other.time,
            lane: self.lane + factor * other.lane,
            constant: self.constant + factor * other.constant,
        }
    }

    /// The same with other coordinates: the time and the lane are these sums of them.
    pub fn over(self, time: Affine, lane: Affine) -> Self {
        Self::constant(self.constant)
            .plus(time, self.time)
            .plus(lane, self.lane)
    }

    /// What it is at the point that is so far from a point.
    pub fn moved(self, by: Vector) -> Self {
        let more = self.time * by.time + self.lane * by.lane;
        self.plus(Self::constant(more), 1)
    }

    /// The sum with the other sign.
    pub fn negated_sum(self) -> Self {
        Self::constant(0).plus(self, -1)
    }

    /// The inequality that holds where this one does not.
    pub fn negated(self) -> Self {
        Self::constant(-1).plus(self, -1)
    }

    fn linear(self) -> Option<Linear<Axis>> {
        let mut linear = Linear::constant(self.constant);
        linear.add(Axis::Time, self.time)?;
        linear.add(Axis::Lane, self.lane)?;
        Some(linear)
    }
}

/// The points of a box: times and lanes from 0.
pub fn within(times: i128, lanes: i128) -> [Affine; 4] {
    let below = |axis: Affine, end: i128| Affine::constant(end - 1).plus(axis, -1);
    [
        Affine::TIME,
        below(Affine::TIME, times),
        Affine::LANE,
        below(Affine::LANE, lanes),
    ]
}

/// Whether no point fulfils all.
pub fn is_empty(all: &[Affine]) -> bool {
    let linear: Option<Vec<Linear<Axis>>> = all.iter().map(|one| one.linear()).collect();
    linear.is_some_and(|all| range_of(&Axis::Time, &all) == Range::Empty)
}

/// Whether an inequality holds at all points that fulfil some.
pub fn follows(from: &[Affine], one: Affine) -> bool {
    let mut all = from.to_vec();
    all.push(one.negated());
    is_empty(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_has_its_borders_only() {
        // Lanes up to the time, 8 times, 8 lanes.
        let mut all = within(8, 8).to_vec();
        all.push(Affine::TIME.plus(Affine::LANE, -1));
        assert!(!is_empty(&all));
        let before = Vector { time: -1, lane: -1 };
        assert!(follows(&all, all[4].moved(before)));
        assert!(!follows(&all, Affine::LANE.moved(before)));
        // Where there is a lane before this one, there was a time before.
        all.push(Affine::LANE.moved(before));
        assert!(follows(&all, Affine::TIME.moved(before)));
    }

    #[test]
    fn other_coordinates_keep_points() {
        let at = Affine {
            time: 3,
            lane: -2,
            constant: 5,
        };
        // t = t' - l.
        let skewed = at.over(Affine::TIME.plus(Affine::LANE, -1), Affine::LANE);
        assert_eq!(skewed.lane, -5);
        assert_eq!(skewed.time, 3);
    }
}
