//! In which iterations of a nest a statement is reached.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::BinaryOp;

/// The first and the last value of a counter.
pub type Interval = (i128, i128);

/// The iterations in which a statement of a nest's body is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// What is known of counters, by their numbers.
    pub counters: BTreeMap<usize, Interval>,
    /// All of these iterations reach the statement, not only some of them.
    pub is_exact: bool,
    /// All iterations do.
    pub is_always: bool,
    /// None does.
    pub is_never: bool,
    /// The branch of an `if` that is sure to reach the statement once it is taken.
    pub branch: Option<Branch>,
}

/// A branch of an `if`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Counts the `if`s of the body.
    pub of: usize,
    /// The one where the condition holds.
    pub holds: bool,
}

impl When {
    /// All iterations.
    pub fn always(counters: BTreeMap<usize, Interval>) -> Self {
        When {
            counters,
            is_exact: true,
            is_always: true,
            is_never: false,
            branch: None,
        }
    }

    /// Some of these iterations, nobody knows which.
    #[must_use]
    pub fn perhaps(mut self) -> Self {
        self.is_exact = false;
        self.is_always = false;
        self.branch = None;
        self
    }

    /// The first and the last location of a nest that moves on by so many elements with each counter, the outermost
    /// first. The counters of the nest are the only ones that are known.
    pub fn span(&self, strides: &[i128]) -> Interval {
        let each = strides.iter().zip(self.counters.values());
        each.fold((0, 0), |span, (stride, (first, last))| {
            (span.0 + stride * first, span.1 + stride * last)
        })
    }

    /// Those in which a branch is taken.
    #[must_use]
    pub fn taking(mut self, of: usize, holds: bool) -> Self {
        self.branch = Some(Branch { of, holds });
        self
    }

    /// Those of them where `factor * counter + constant` compares with 0 as `op` says.
    #[must_use]
    pub fn where_linear(self, counter: usize, factor: i128, constant: i128, op: BinaryOp) -> Self {
        if factor < 0 {
            return self.where_linear(counter, -factor, -constant, op.mirrored());
        }
        let Some(&(first, last)) = self.counters.get(&counter) else {
            return self.perhaps();
        };
        let floor = (-constant).div_euclid(factor);
        let divides = (-constant).rem_euclid(factor) == 0;
        let (low, high) = match op {
            BinaryOp::Lt if divides => (first, floor - 1),
            BinaryOp::Lt | BinaryOp::Le => (first, floor),
            BinaryOp::Gt => (floor + 1, last),
            BinaryOp::Ge if divides => (floor, last),
            BinaryOp::Ge => (floor + 1, last),
            BinaryOp::Eq if divides => (floor, floor),
            BinaryOp::Eq => (1, 0),
            BinaryOp::Ne if divides && floor == first => (first + 1, last),
            BinaryOp::Ne if divides && floor == last => (first, last - 1),
            BinaryOp::Ne if divides && (first..=last).contains(&floor) => return self.perhaps(),
            BinaryOp::Ne => (first, last),
            _ => return self.perhaps(),
        };
        self.within(counter, (first.max(low), last.min(high)))
    }

    fn within(mut self, counter: usize, interval: Interval) -> Self {
        self.is_never |= interval.0 > interval.1;
        let before = self.counters.insert(counter, interval);
        self.is_always &= before == Some(interval);
        self.branch = None;
        self
    }

    /// All or none of them, as a comparison of constants says.
    #[must_use]
    pub fn if_so(mut self, is_so: bool) -> Self {
        self.is_never |= !is_so;
        self.is_always &= is_so;
        self.branch = None;
        self
    }
}

/// Whether two constants compare so.
pub fn compares(value: i128, op: BinaryOp) -> bool {
    match op {
        BinaryOp::Lt => value < 0,
        BinaryOp::Le => value <= 0,
        BinaryOp::Gt => value > 0,
        BinaryOp::Ge => value >= 0,
        BinaryOp::Eq => value == 0,
        _ => value != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters that fulfil a comparison, looked for one by one.
    #[test]
    fn comparisons_keep_exactly_the_iterations_where_they_hold() {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        for op in [Lt, Le, Gt, Ge, Eq, Ne] {
            for factor in [-3, -2, -1, 1, 2, 3] {
                for constant in -8..=8 {
                    let all = When::always([(0, (-2, 3))].into());
                    let when = all.where_linear(0, factor, constant, op);
                    let holds = |i: &i128| compares(factor * i + constant, op);
                    let (low, high) = when.counters[&0];
                    let kept = (-2..=3).filter(|i| (low..=high).contains(i) && !when.is_never);
                    if when.is_exact {
                        assert!(
                            kept.eq((-2..=3).filter(holds)),
                            "{op:?} {factor} {constant}"
                        );
                    } else {
                        assert!((-2..=3).filter(holds).all(|i| (low..=high).contains(&i)));
                    }
                    assert_eq!(when.is_always, (-2..=3).all(|i| holds(&i)) && when.is_exact);
                }
            }
        }
    }
}
