//! How far a search goes. It is counted in forms and not timed, so that the same input gives the same choice
//! on every machine.

use std::str::FromStr;

use crate::size::Size;

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

/// What is laid aside for a form.
#[derive(Debug)]
pub struct Reserved(f64);

/// The passes that run for a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// All: the form has another structure.
    All,
    /// Those that do more of the work at a time: the others ran for the form that it widens.
    Last,
}

/// Operations and operands of forms that are made and priced in a second: about what one processor of 2026 does with the
/// program as it is released, so that two take half of it (docs/model-evaluation.md).
const A_SECOND: f64 = 360_000.0;
/// What a form takes however small it is, in the same: each pass has a look at it. One of 26 takes 0.7 ms.
const A_FORM: f64 = 130.0;
/// How many times as long as pricing a form all passes take, about.
const PASSES: f64 = 1.0;
/// Also of the largest kernels so many forms are made.
const LEAST: f64 = 32.0;
/// No form with copies takes more than this part of what is left, so that others are made as well.
const LARGEST: f64 = 0.4;
/// The same of a form that is huge: most are no better than smaller ones.
const LARGEST_HUGE: f64 = 0.1;

impl Effort {
    /// For a kernel of this size.
    pub fn of(time: SearchTime, size: Size) -> Self {
        let form = A_FORM + size.all();
        let left = match time {
            SearchTime::Unlimited => f64::INFINITY,
            SearchTime::Exhaustive(seconds) => seconds * A_SECOND,
            SearchTime::Seconds(seconds) => (seconds * A_SECOND).max(LEAST * form),
        };
        Effort { left, form, time }
    }

    /// The same before anything was spent, for a kernel that turns out to be of this size at least: loops that the source
    /// unrolls are long where they are priced.
    pub fn of_at_least(self, size: Size) -> Self {
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

    /// Lays aside about what a form needs that is so many times as large as one of this size at most; `None`: there is not so
    /// much left, or less of it may go to one form.
    pub fn reserve(&mut self, size: Size, growth: f64, is_huge: bool) -> Option<Reserved> {
        let needed = A_FORM + size.grown(growth);
        let largest = if is_huge { LARGEST_HUGE } else { LARGEST };
        let is_enough = self.left >= needed && (growth <= 1.0 || self.left * largest >= needed);
        is_enough.then(|| {
            self.left -= needed;
            Reserved(needed)
        })
    }

    /// Takes what a form needed, of what was laid aside for it: this was priced, after these passes.
    pub fn spend(&mut self, reserved: Reserved, priced: Size, passes: Passes) {
        let needed = A_FORM + priced.all();
        let passes = match passes {
            Passes::All => PASSES * (A_FORM + priced.operations()),
            Passes::Last => 0.0,
        };
        self.left += reserved.0 - needed - passes;
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left < self.form
    }
}

#[cfg(test)]
mod tests {
    use fpgacc_performance_model::Comparisons;

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

    /// Forms that are made of a kernel of this size, each so many times as large as that.
    fn forms(size: usize, growth: f64) -> usize {
        let size = Size::of_operations(size);
        let mut effort = Effort::of(SearchTime::default(), size);
        let made = (0..10_000).take_while(|_| effort.reserve(size, growth, false).is_some());
        made.count()
    }

    #[test]
    fn large_and_wide_forms_are_fewer() {
        assert_eq!(
            (forms(185, 1.0), forms(1850, 1.0), forms(1_000_000, 1.0)),
            (1142, 181, 32)
        );
        assert_eq!(forms(185, 4.0), 412);
        let of = Size::of_operations;
        // A form with many copies leaves most of the effort to others.
        let mut large = Effort::of(SearchTime::default(), of(1_000_000));
        assert!(large.reserve(of(1_000_000), 16.0, false).is_none());
        assert!(large.reserve(of(1_000_000), 7.0, true).is_none());
        assert!(large.reserve(of(1_000_000), 7.0, false).is_some());
        assert!(large.reserve(of(1_000_000), 1.0, false).is_some());
        let small = Effort::of(SearchTime::default(), of(185));
        assert_eq!(small.of_at_least(of(100)), small);
        let large = Effort::of(SearchTime::default(), of(1850));
        assert_eq!(small.of_at_least(of(1850)), large);
        let mut effort = Effort::of(SearchTime::Unlimited, of(1_000_000));
        let mut all = 0..10_000;
        assert!(all.all(|_| effort.reserve(of(1850), 16.0, false).is_some()) && !effort.is_spent());
    }

    #[test]
    fn what_was_laid_aside_and_not_needed_is_left() {
        let of = Size::of_operations;
        let whole = Effort::of(SearchTime::default(), of(185));
        let mut effort = whole;
        let reserved = effort.reserve(of(185), 16.0, false).expect("enough");
        effort.spend(reserved, of(185), Passes::Last);
        let mut other = whole;
        let reserved = other.reserve(of(185), 1.0, false).expect("enough");
        other.spend(reserved, of(185), Passes::Last);
        assert_eq!(effort, other);
    }

    #[test]
    fn comparing_accesses_takes_effort() {
        let whole = Effort::of(SearchTime::default(), Size::of_operations(185));
        let spent = |pairs: usize| {
            let mut effort = whole;
            let reserved = effort.reserve(Size::of_operations(185), 1.0, false);
            let priced = Size::of_counts(185, Comparisons { pairs, solved: 0 });
            effort.spend(reserved.expect("enough"), priced, Passes::Last);
            whole.left - effort.left
        };
        assert!(spent(100_000) > 3.0 * spent(100));
    }
}
