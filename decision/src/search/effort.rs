//! How far a search goes. It is counted in forms and not timed, so that the same input gives the same choice
//! on every machine.

use std::str::FromStr;

/// How long the search for forms of a kernel goes on (`--search-time`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchTime {
    /// About so many seconds, on a machine of 2026 with two processors.
    Seconds(f64),
    /// Until nothing is left that could be faster.
    Unlimited,
    /// Until nothing is left at all, though no bound says that it could be faster: to check the bounds. The
    /// number ends it like that of `Seconds`.
    Exhaustive(f64),
}

impl Default for SearchTime {
    fn default() -> Self {
        SearchTime::Seconds(1.0)
    }
}

/// What is no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no time\nsay seconds, such as 60s, or none for no limit")]
pub struct NoTime;

impl FromStr for SearchTime {
    type Err = NoTime;

    fn from_str(text: &str) -> Result<Self, NoTime> {
        if text == "none" {
            return Ok(SearchTime::Unlimited);
        }
        let number = text.strip_suffix('s').unwrap_or(text);
        let seconds: Option<f64> = number.parse().ok();
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && seconds.is_finite());
        match seconds {
            Some(seconds) => Ok(SearchTime::Seconds(seconds)),
            None => Err(NoTime),
        }
    }
}

/// How much a search does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// What is left.
    left: f64,
    /// What a form takes that copies nothing.
    form: f64,
    /// What was asked for.
    time: SearchTime,
}

/// Operations and operands of forms that are made and priced in a second: less than what two processors of 2026 do
/// with the program as it is released. A form of Rodinia's largest kernel, of 7400, takes one of them 40 ms.
const A_SECOND: f64 = 250_000.0;
/// What a form takes however small it is, in the same: each pass has a look at it. One of 26 takes 0.7 ms.
const A_FORM: f64 = 130.0;
/// Also of the largest kernels so many forms are made.
const LEAST: f64 = 32.0;
/// Copies of a loop's body that take as long to price as the kernel without them: most kernels do more
/// than that loop (measured of matrix multiplications and k-means).
const COPIES_OF_A_FORM: f64 = 4.0;

/// No form with copies takes more than this part of what is left, so that others are made as well.
const LARGEST: f64 = 0.25;

impl Effort {
    /// For a kernel of this size, in operations and operands.
    pub fn of(time: SearchTime, size: usize) -> Self {
        let form = A_FORM + size as f64;
        let left = match time {
            SearchTime::Unlimited => f64::INFINITY,
            SearchTime::Exhaustive(seconds) => seconds * A_SECOND,
            SearchTime::Seconds(seconds) => (seconds * A_SECOND).max(LEAST * form),
        };
        Effort { left, form, time }
    }

    /// The same before anything was spent, for a kernel that turns out to be of this size at least: loops that the source
    /// unrolls are long where they are priced.
    pub fn of_at_least(self, size: usize) -> Self {
        let known = Effort::of(self.time, size);
        match known.form > self.form {
            true => known,
            false => self,
        }
    }

    /// Whether forms that cannot be faster are made, too.
    pub fn is_exhaustive(&self) -> bool {
        matches!(self.time, SearchTime::Exhaustive(_))
    }

    /// Takes what a form with so many copies of loops' bodies needs; whether there was so much left.
    pub fn spend(&mut self, copies: f64) -> bool {
        let needed = self.form * (1.0 + copies / COPIES_OF_A_FORM);
        let is_enough = self.left >= needed && (copies == 0.0 || self.left * LARGEST >= needed);
        if is_enough {
            self.left -= needed;
        }
        is_enough
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left < self.form
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_none() {
        assert_eq!("60s".parse(), Ok(SearchTime::Seconds(60.0)));
        assert_eq!("0.5".parse(), Ok(SearchTime::Seconds(0.5)));
        assert_eq!("none".parse(), Ok(SearchTime::Unlimited));
        for wrong in ["", "s", "-1", "0", "nan", "inf", "1m"] {
            assert!(wrong.parse::<SearchTime>().is_err(), "{wrong}");
        }
    }

    /// Forms that are made of a kernel of this size.
    fn forms(size: usize, copies: f64) -> usize {
        let mut effort = Effort::of(SearchTime::default(), size);
        (0..10_000).take_while(|_| effort.spend(copies)).count()
    }

    #[test]
    fn large_and_wide_forms_are_fewer() {
        assert_eq!(
            (forms(185, 0.0), forms(1850, 0.0), forms(1_000_000, 0.0)),
            (793, 126, 32)
        );
        assert_eq!(forms(185, 12.0), 198);
        let small = Effort::of(SearchTime::default(), 185);
        assert_eq!(small.of_at_least(100), small);
        let large = Effort::of(SearchTime::default(), 1850);
        assert_eq!(small.of_at_least(1850), large);
        let mut effort = Effort::of(SearchTime::Unlimited, 1_000_000);
        assert!((0..10_000).all(|_| effort.spend(64.0)) && !effort.is_spent());
    }
}
