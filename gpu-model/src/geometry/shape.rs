//! Sizes and shapes of work-groups.

use std::fmt;

/// A local size; 1 beyond the launch's own dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape(pub [u64; 3]);

impl Shape {
    /// Work-items of a group.
    pub fn items(self) -> u64 {
        self.0.iter().product()
    }

    /// Groups of a launch.
    pub fn groups(self, global: [u64; 3]) -> u64 {
        let along = self.0.iter().zip(global);
        along
            .map(|(local, global)| global.div_ceil((*local).max(1)))
            .product()
    }

    /// Whether a launch divides into such groups.
    pub fn divides(self, global: [u64; 3]) -> bool {
        let mut along = self.0.iter().zip(global);
        along.all(|(local, global)| *local > 0 && global.is_multiple_of(*local))
    }

    /// Where in its group the work-item of a number is: the first dimension counts fastest, as on every device
    /// that is known.
    pub fn coordinates(self, number: u64) -> [u64; 3] {
        let [x, y, _] = self.0;
        [number % x, number / x % y, number / (x * y)]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [x, 1, 1] => write!(to, "{x}"),
            [x, y, 1] => write!(to, "{x}x{y}"),
            [x, y, z] => write!(to, "{x}x{y}x{z}"),
        }
    }
}

/// The shapes that are looked at: those that divide the global size, of powers of two, and in one dimension of
/// multiples of a warp.
pub fn candidates(global: [u64; 3], most: u64, warp: u64) -> Vec<Shape> {
    let is_line = global[1] == 1 && global[2] == 1;
    let mut all = Vec::new();
    for z in powers(global[2], most.min(8)) {
        for y in powers(global[1], most / z) {
            all.extend(powers(global[0], most / (y * z)).map(|x| Shape([x, y, z])));
        }
    }
    if is_line {
        let multiples = (1..=most / warp).map(|count| Shape([count * warp, 1, 1]));
        all.extend(multiples.filter(|shape| shape.divides(global)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn powers(size: u64, most: u64) -> impl Iterator<Item = u64> {
    let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(2));
    powers.take_while(move |power| *power <= most && size.is_multiple_of(*power))
}

#[cfg(test)]
mod tests {
    use super::{Shape, candidates};

    #[test]
    fn candidates_divide_the_global_size() {
        let all = candidates([96, 4, 1], 64, 32);
        assert!(all.iter().all(|shape| shape.divides([96, 4, 1])));
        assert_eq!(all.len(), 6 + 6 + 5);
        assert!(candidates([96, 1, 1], 256, 32).contains(&Shape([96, 1, 1])));
    }

    #[test]
    fn the_first_dimension_counts_fastest() {
        assert_eq!(Shape([4, 2, 2]).coordinates(13), [1, 1, 1]);
        assert_eq!(Shape([4, 2, 1]).to_string(), "4x2");
    }
}
