//! Numbers with their uncertainty.

use std::ops::{Add, Mul};

/// A predicted number and the range in which the true one is expected to lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// At least this.
    pub low: f64,
    /// At most this.
    pub high: f64,
}

impl Estimate {
    /// A number that is known.
    pub fn exact(value: f64) -> Self {
        Estimate {
            value,
            low: value,
            high: value,
        }
    }

    /// A number that may be smaller or larger by a factor of `factor` (at least 1).
    pub fn within(value: f64, factor: f64) -> Self {
        Estimate {
            value,
            low: value / factor,
            high: value * factor,
        }
    }

    /// The same, with a further uncertainty of a factor of `factor`.
    pub fn widened(self, factor: f64) -> Self {
        Estimate {
            value: self.value,
            low: self.low / factor,
            high: self.high * factor,
        }
    }

    /// The quotient of two positive numbers.
    pub fn over(self, other: Estimate) -> Self {
        Estimate {
            value: self.value / other.value,
            low: self.low / other.high,
            high: self.high / other.low,
        }
    }

    /// The larger of two.
    pub fn max(self, other: Estimate) -> Self {
        Estimate {
            value: self.value.max(other.value),
            low: self.low.max(other.low),
            high: self.high.max(other.high),
        }
    }
}

impl Add for Estimate {
    type Output = Estimate;
    fn add(self, other: Estimate) -> Estimate {
        Estimate {
            value: self.value + other.value,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

impl Mul<f64> for Estimate {
    type Output = Estimate;
    fn mul(self, by: f64) -> Estimate {
        Estimate {
            value: self.value * by,
            low: self.low * by,
            high: self.high * by,
        }
    }
}
