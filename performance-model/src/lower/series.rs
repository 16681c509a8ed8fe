//! Variables that a loop doubles, halves, or changes in another way that depends on nothing but the variable itself: `d <<= 1`,
//! `d /= 2`, `d = 2 * d + 1`. Where their start is known, so are all their values.

use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::value::Value;
use super::{Lowering, sole_symbol};
use crate::depends::Depends;
use crate::graph::{Made, RegionId};
use crate::prediction::{Trip, TripOrigin};

/// What an iteration does to a variable, one step after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// It is multiplied by the first, and the second added.
    Times(i128, i128),
    /// It is divided, and rounded towards 0.
    Divided(i128),
}

/// A variable that starts somewhere and is changed by the same steps in each iteration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    /// The loop.
    pub region: RegionId,
    /// Before the first iteration.
    pub start: Poly,
    /// What an iteration does.
    pub steps: Vec<Step>,
}

/// No more values of a series are looked at: it only bounds the time.
const MOST_VALUES: usize = 4096;

impl Step {
    fn of(self, value: i128) -> Option<i128> {
        match self {
            Step::Times(by, more) => value.checked_mul(by)?.checked_add(more),
            Step::Divided(by) => Some(value / by),
        }
    }
}

/// The next value.
pub(super) fn next(steps: &[Step], value: i128) -> Option<i128> {
    steps.iter().try_fold(value, |value, step| step.of(value))
}

impl Lowering<'_> {
    /// The steps that make a value of the number that a symbol stands for.
    pub(super) fn steps(&self, new: &Poly, mark: Sym) -> Option<Vec<Step>> {
        let (rest, more) = new.split_constant();
        let mut symbols = rest.symbols().into_iter();
        let (sym, None) = (symbols.next()?, symbols.next()) else {
            return None;
        };
        let by = rest.coefficient(sym)?.as_constant()?;
        let mut steps = match sym {
            sym if sym == mark => Vec::new(),
            Sym::Opaque(number) => match self.known.opaques[number].made.as_ref()? {
                Made::Quotient(of, by) => {
                    let mut inside = self.steps(of, mark)?;
                    inside.push(Step::Divided(by.as_constant().filter(|by| *by > 1)?));
                    inside
                }
                _ => return None,
            },
            _ => return None,
        };
        if (by, more) != (1, 0) {
            steps.push(Step::Times(by, more));
        }
        Some(steps)
    }

    /// Notes that a value in a loop is a series.
    pub(super) fn start_series(
        &mut self,
        value: &Value,
        start: Poly,
        region: RegionId,
        steps: Vec<Step>,
    ) {
        let Some(Sym::Opaque(number)) = sole_symbol(value) else {
            return;
        };
        self.note_made(value, Made::Series(region));
        let series = Series {
            region,
            start,
            steps,
        };
        self.known.series.insert(number, series);
    }

    /// The value of a series after the loop.
    pub(super) fn end_series(&mut self, start: &Poly, steps: &[Step], trip: Trip) -> Option<Poly> {
        let end = self.after_series(start, steps, trip.value);
        if let (Some(end), Some(_), TripOrigin::Known) = (end, start.as_constant(), trip.origin) {
            return Some(Poly::constant(end as i128));
        }
        let depends = match end {
            Some(_) => Depends::default(),
            None => self.here(),
        };
        let value = self.opaque(depends, false);
        if let (Some(end), Some(sym)) = (end, sole_symbol(&value)) {
            self.graph.set_value(sym, end);
        }
        value.poly
    }

    /// Whether a symbol stands for a series of a loop.
    pub(super) fn is_series_of(&self, number: usize, region: RegionId) -> bool {
        let series = self.known.series.get(&number);
        series.is_some_and(|series| series.region == region)
    }

    /// The series in a polynomial, if it is one of this loop, and what it is multiplied by.
    fn series_in(&self, poly: &Poly, region: RegionId) -> Option<(&Series, Sym, i128)> {
        let is_series = |sym: &Sym| match sym {
            Sym::Opaque(number) => self.is_series_of(*number, region),
            _ => false,
        };
        let sym = poly.symbols().into_iter().find(is_series)?;
        let Sym::Opaque(number) = sym else {
            return None;
        };
        let by = poly.coefficient(sym)?.as_constant()?;
        Some((&self.known.series[&number], sym, by))
    }

    /// The iterations until a condition on a series no longer holds: exactly, by going through them. The origin says how
    /// the numbers are known.
    pub(super) fn count_series(
        &self,
        difference: &Poly,
        region: RegionId,
        holds: impl Fn(f64) -> bool,
    ) -> Option<(f64, TripOrigin)> {
        let (series, sym, by) = self.series_in(difference, region)?;
        let rest = difference.without(sym);
        let (start, beside) = (self.exact(&series.start)?, self.exact(&rest)?);
        let mut value = start as i128;
        let mut count = 0;
        while holds(by as f64 * value as f64 + beside) {
            let after = next(&series.steps, value)?;
            count += 1;
            if count > MOST_VALUES || after == value {
                return None;
            }
            value = after;
        }
        let constant = series.start.as_constant().is_some() && rest.as_constant().is_some();
        let origin = match constant {
            true => TripOrigin::Known,
            false => TripOrigin::Symbolic,
        };
        Some((count as f64, origin))
    }

    /// Gives the series of a loop that runs so often their mean values.
    pub(super) fn settle_series(&mut self, region: RegionId, trips: f64) {
        let all = self.known.series.iter().filter(|(_, s)| s.region == region);
        let means: Vec<(usize, f64)> = all
            .filter_map(|(number, series)| Some((*number, self.mean(series, trips)?)))
            .collect();
        for (number, mean) in means {
            self.graph.set_value(Sym::Opaque(number), mean);
        }
    }

    fn mean(&self, series: &Series, trips: f64) -> Option<f64> {
        let mut value = self.exact(&series.start)? as i128;
        let count = (trips.round() as usize).clamp(1, MOST_VALUES);
        let mut sum = 0.0;
        for _ in 0..count {
            sum += value as f64;
            value = next(&series.steps, value)?;
        }
        Some(sum / count as f64)
    }

    /// The value of a variable after so many iterations.
    fn after_series(&self, start: &Poly, steps: &[Step], trips: f64) -> Option<f64> {
        let mut value = self.exact(start)? as i128;
        if trips.fract() != 0.0 || trips > MOST_VALUES as f64 {
            return None;
        }
        for _ in 0..trips as usize {
            value = next(steps, value)?;
        }
        Some(value as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_one_after_another() {
        // `d += 1; d <<= 1`: 0, 2, 6, 14.
        let steps = [Step::Times(1, 1), Step::Times(2, 0)];
        let values: Vec<i128> = std::iter::successors(Some(0), |v| next(&steps, *v))
            .take(4)
            .collect();
        assert_eq!(values, [0, 2, 6, 14]);
        assert_eq!(next(&[Step::Divided(2)], 5), Some(2));
        assert_eq!(next(&[Step::Times(i128::MAX, 0)], 2), None);
    }
}
