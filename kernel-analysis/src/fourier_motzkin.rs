//! Fourier-Motzkin elimination over integers, as it is used for dependence tests (Pugh, "The Omega test",
//! 1991, without its splintering: what is found impossible is; what is found possible may not be).

use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Elimination stops, and everything is possible, where it makes more inequalities than these.
const MOST: usize = 200;

/// A sum of integer multiples of variables, and a constant; as an inequality, it is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear<V> {
    terms: BTreeMap<V, i128>,
    constant: i128,
}

impl<V: Clone + Ord> Linear<V> {
    /// A constant.
    pub fn constant(constant: i128) -> Self {
        Linear {
            terms: BTreeMap::new(),
            constant,
        }
    }

    /// Adds a multiple of a variable; `None`: the numbers grow too large.
    pub fn add(&mut self, variable: V, by: i128) -> Option<()> {
        let coefficient = self.terms.entry(variable.clone()).or_default();
        *coefficient = coefficient.checked_add(by)?;
        if *coefficient == 0 {
            self.terms.remove(&variable);
        }
        Some(())
    }

    /// `self + factor * other`; `None`: the numbers grow too large.
    pub fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum
            .constant
            .checked_add(other.constant.checked_mul(factor)?)?;
        for (variable, by) in &other.terms {
            sum.add(variable.clone(), by.checked_mul(factor)?)?;
        }
        Some(sum)
    }
}

/// An inequality as a row of coefficients, one for each variable in order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    terms: Vec<i128>,
    constant: i128,
}

impl Row {
    fn of<V: Ord>(linear: &Linear<V>, variables: &[&V]) -> Self {
        let mut terms = vec![0; variables.len()];
        for (variable, by) in &linear.terms {
            if let Ok(at) = variables.binary_search(&variable) {
                terms[at] = *by;
            }
        }
        Row {
            terms,
            constant: linear.constant,
        }
        .tightened()
    }

    /// `self * a + other * b`; `None`: the numbers grow too large.
    fn combined(&self, a: i128, other: &Self, b: i128) -> Option<Self> {
        let both = |x: i128, y: i128| x.checked_mul(a)?.checked_add(y.checked_mul(b)?);
        let terms = self.terms.iter().zip(&other.terms);
        Some(Row {
            terms: terms.map(|(x, y)| both(*x, *y)).collect::<Option<_>>()?,
            constant: both(self.constant, other.constant)?,
        })
    }

    /// The same inequality between integers, with the least numbers.
    fn tightened(mut self) -> Self {
        let terms = self.terms.iter();
        let divisor = terms.fold(0, |gcd, by| greatest(gcd, by.abs()));
        if divisor > 1 {
            self.terms.iter_mut().for_each(|by| *by /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self
    }
}

/// The greatest common divisor of two numbers that are not negative.
pub fn greatest(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        b => greatest(b, a % b),
    }
}

/// What inequalities say of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// No integers fulfil all of them.
    Empty,
    /// Values outside of these do not; `None`: there is no bound.
    Within(Option<i128>, Option<i128>),
}

/// The range of a variable where all inequalities hold.
pub fn range_of<V: Ord>(variable: &V, all: &[impl Borrow<Linear<V>>]) -> Range {
    let terms = all.iter().flat_map(|one| one.borrow().terms.keys());
    let mut variables: Vec<&V> = terms.collect();
    variables.sort_unstable();
    variables.dedup();
    let rows = all.iter().map(|one| Row::of(one.borrow(), &variables));
    let rows = rows.collect();
    let kept = variables.binary_search(&variable).ok();
    match eliminate(kept, variables.len(), rows) {
        Some(rows) => bounds(kept, &rows),
        None => Range::Within(None, None),
    }
}

/// The inequalities on one variable alone that follow from all; `None`: there are too many on the way.
fn eliminate(kept: Option<usize>, variables: usize, mut all: Vec<Row>) -> Option<Vec<Row>> {
    while let Some(next) = next_to_go(kept, variables, &all) {
        let (with, mut rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|row| row.terms[next] != 0);
        let (lower, upper): (Vec<_>, Vec<_>) =
            with.into_iter().partition(|row| row.terms[next] > 0);
        for low in &lower {
            for high in &upper {
                let (a, b) = (low.terms[next], -high.terms[next]);
                let sum = low.combined(b, high, a)?.tightened();
                if !rest.contains(&sum) {
                    rest.push(sum);
                }
            }
        }
        if rest.len() > MOST {
            return None;
        }
        all = rest;
    }
    Some(all)
}

/// The variable that is eliminated next: the one that makes the fewest inequalities.
fn next_to_go(kept: Option<usize>, variables: usize, all: &[Row]) -> Option<usize> {
    let inequalities = |at: usize| {
        let lower = all.iter().filter(|row| row.terms[at] > 0).count();
        let upper = all.iter().filter(|row| row.terms[at] < 0).count();
        (lower + upper > 0).then_some((lower * upper, at))
    };
    let others = (0..variables).filter(|at| Some(*at) != kept);
    others.filter_map(inequalities).min().map(|(_, at)| at)
}

/// What inequalities on one variable alone, or on none, leave of it.
fn bounds(kept: Option<usize>, all: &[Row]) -> Range {
    let (mut low, mut high) = (None::<i128>, None::<i128>);
    for row in all {
        match kept.map_or(0, |at| row.terms[at]) {
            0 if row.constant < 0 => return Range::Empty,
            0 => {}
            by if by > 0 => {
                let bound = -row.constant.div_euclid(by);
                low = Some(low.map_or(bound, |low| low.max(bound)));
            }
            by => {
                let bound = row.constant.div_euclid(-by);
                high = Some(high.map_or(bound, |high| high.min(bound)));
            }
        }
    }
    match (low, high) {
        (Some(low), Some(high)) if low > high => Range::Empty,
        (low, high) => Range::Within(low, high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `constant + a * x + b * y + c * z` is not negative.
    fn at_least(constant: i128, terms: &[(char, i128)]) -> Linear<char> {
        let mut linear = Linear::constant(constant);
        for (variable, by) in terms {
            linear.add(*variable, *by).unwrap();
        }
        linear
    }

    #[test]
    fn bounds_of_other_variables_bound_the_one_that_is_kept() {
        // 0 <= y < z, z <= 9, x = z - y.
        let all = vec![
            at_least(0, &[('y', 1)]),
            at_least(-1, &[('z', 1), ('y', -1)]),
            at_least(9, &[('z', -1)]),
            at_least(0, &[('x', 1), ('y', 1), ('z', -1)]),
            at_least(0, &[('x', -1), ('y', -1), ('z', 1)]),
        ];
        assert_eq!(range_of(&'x', &all), Range::Within(Some(1), Some(9)));
    }

    #[test]
    fn integers_are_tighter_than_fractions() {
        // 2 * x is 1: no integer is.
        let all = vec![at_least(-1, &[('x', 2)]), at_least(1, &[('x', -2)])];
        assert_eq!(range_of(&'x', &all), Range::Empty);
        // 2 * x + 4 * y is 1.
        let all = vec![
            at_least(-1, &[('x', 2), ('y', 4)]),
            at_least(1, &[('x', -2), ('y', -4)]),
        ];
        assert_eq!(range_of(&'z', &all), Range::Empty);
    }

    #[test]
    fn what_is_free_has_no_bounds() {
        let all = vec![at_least(0, &[('x', 1), ('y', -1)])];
        assert_eq!(range_of(&'x', &all), Range::Within(None, None));
    }
}
