//! Dependence tests: after how many iterations of a loop two accesses may meet.
//!
//! Addresses are polynomials of loop counters. What does not cancel between the two and is no multiple
//! of a counter is unknown, and unknown means that the very next iteration may depend on it, as aoc
//! assumes. The rest is one linear equation with bounded integer variables, decided with the GCD test
//! (Banerjee, Wolfe) and, distance by distance, Banerjee's inequalities. Bounds that are no constants are
//! left to Fourier-Motzkin elimination ([`super::iteration_space`]).

use std::cell::OnceCell;
use std::collections::BTreeMap;

use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::graph::{Graph, RegionId};
use super::iteration_space::{Reach, last};
use super::prediction::TripOrigin;

/// Distances up to this are tested one by one; beyond, bounds are halved. It only costs time.
const MAX_DISTANCE: i128 = 64;

/// A coefficient times a counter in a range from 0.
#[derive(Clone, Copy)]
struct Term {
    coefficient: i128,
    /// The counter's greatest value; `None`: it is not known.
    last: Option<i128>,
}

/// What moves of an address in a loop: `rest + step * counter + terms`.
struct Affine {
    step: i128,
    /// Of the loops inside.
    terms: Vec<Term>,
    /// What stays while the loop runs.
    rest: Poly,
}

impl Affine {
    /// What moves of an address in iterations of `region`; `None` if it is not linear in its counter and those inside with
    /// known coefficients, or if an iteration computes a part of it: that cancels only within the iteration.
    fn new(graph: &Graph, region: RegionId, address: &Poly) -> Option<Self> {
        let counter = Sym::Iter(region);
        let mut rest = address.clone();
        let mut terms = Vec::new();
        for sym in address.symbols() {
            let Sym::Iter(inner) = sym else { continue };
            if inner == region || !graph.is_within(inner, region) {
                continue;
            }
            terms.push(Term {
                coefficient: rest.coefficient(sym)?.as_constant()?,
                last: last(graph, inner),
            });
            rest = rest.without(sym);
        }
        let step = rest.coefficient(counter)?.as_constant()?;
        let rest = rest.without(counter);
        let moves = rest
            .symbols()
            .iter()
            .any(|sym| graph.moves_in(*sym, region));
        (!moves).then_some(Affine { step, terms, rest })
    }
}

/// Accesses of one loop inside whose addresses differ by constants, with what comparing them with others takes.
pub struct Compared {
    /// What of their addresses moves, if they are known, and what it is in an iteration.
    address: Option<(Poly, Option<Affine>)>,
    /// The innermost loop around them.
    own: RegionId,
    /// The text states how often all loops around them run.
    has_constant_bounds: bool,
    /// Computed when it is asked for.
    reach: OnceCell<Option<Reach>>,
}

impl Compared {
    /// Accesses of the loop `own` in iterations of `region`; `moves`: what of their addresses moves.
    pub fn new(graph: &Graph, region: RegionId, own: RegionId, moves: Option<&Poly>) -> Self {
        let mut loops = graph.ancestors(own);
        Compared {
            address: moves.map(|moves| (moves.clone(), Affine::new(graph, region, moves))),
            own,
            has_constant_bounds: loops.all(|at| has_constant_bounds(graph, at)),
            reach: OnceCell::new(),
        }
    }

    fn affine(&self) -> Option<&Affine> {
        self.address.as_ref()?.1.as_ref()
    }

    fn reach(&self, graph: &Graph, region: RegionId) -> Option<&Reach> {
        let reach = || Reach::new(graph, region, self.own, &self.address.as_ref()?.0);
        self.reach.get_or_init(reach).as_ref()
    }
}

/// After how many iterations accesses of one kind may touch what others touched. Copies that unrolling makes are compared
/// with each other, each with each: how far apart their constants are says it all.
#[derive(Default)]
pub struct Distances {
    equation: Option<Equation>,
    /// By how many bytes the later one starts after the earlier one, and their bytes.
    known: BTreeMap<(i128, [u64; 2]), Option<u64>>,
}

impl Distances {
    /// Between accesses in iterations of `region`.
    pub fn new(graph: &Graph, region: RegionId, earlier: &Compared, later: &Compared) -> Self {
        let both = earlier.affine().zip(later.affine());
        Distances {
            equation: both.and_then(|(from, to)| Equation::new(graph, region, from, to)),
            known: BTreeMap::new(),
        }
    }

    /// How many comparisons took long enough to keep what they showed.
    pub fn solved(&self) -> usize {
        self.known.len()
    }

    /// The fewest iterations of `region`, at least 1, after which `later` may touch what `earlier` touched, which starts
    /// so many bytes before it; `None`: it never does.
    pub fn least(
        &mut self,
        (graph, region): (&Graph, RegionId),
        [earlier, later]: [&Compared; 2],
        (apart, bytes): (i128, [u64; 2]),
    ) -> Option<u64> {
        if earlier.address.is_none() || later.address.is_none() {
            return Some(1);
        }
        let is_bounded = earlier.has_constant_bounds && later.has_constant_bounds;
        let is_alone = |equation: &Equation| equation.terms.is_empty();
        if is_bounded && self.equation.as_ref().is_none_or(is_alone) {
            // To compute it takes no longer than to look it up.
            return match &self.equation {
                Some(equation) => equation.least_distance(apart, bytes),
                None => Some(1),
            };
        }
        if let Some(known) = self.known.get(&(apart, bytes)) {
            return *known;
        }
        let least = || {
            let least = match &self.equation {
                Some(equation) => equation.least_distance(apart, bytes)?,
                None => 1,
            };
            if is_bounded {
                return Some(least);
            }
            let both = earlier.reach(graph, region).zip(later.reach(graph, region));
            let Some((first, second)) = both else {
                return Some(least);
            };
            let bounded = first.least_distance(second, apart, bytes)?;
            Some(u64::try_from(bounded).unwrap_or(u64::MAX).max(least))
        };
        let least = least();
        self.known.insert((apart, bytes), least);
        least
    }
}

/// Whether the text states how often a loop runs, so that its condition adds nothing.
fn has_constant_bounds(graph: &Graph, region: RegionId) -> bool {
    graph.regions[region].trip.origin == TripOrigin::Known
}

/// `step * d + terms`, where `d` is the distance.
struct Equation {
    step: i128,
    terms: Vec<Term>,
    /// The greatest distance that the trip count allows.
    furthest: Option<i128>,
}

impl Equation {
    /// The address of `to` minus that of `from`, constants apart; `None` if not all that is unknown cancels. Each of the two
    /// accesses has counters of its own in the loops inside.
    fn new(graph: &Graph, region: RegionId, from: &Affine, to: &Affine) -> Option<Self> {
        if from.step != to.step || from.rest != to.rest {
            return None;
        }
        let negative = from.terms.iter().map(|term| Term {
            coefficient: term.coefficient.saturating_neg(),
            ..*term
        });
        Some(Equation {
            step: to.step,
            terms: negative.chain(to.terms.iter().copied()).collect(),
            furthest: last(graph, region),
        })
    }

    /// The least distance at which accesses of so many bytes meet, the later of which starts so many bytes after the
    /// earlier one.
    fn least_distance(&self, apart: i128, [from, to]: [u64; 2]) -> Option<u64> {
        let low = -i128::from(to) + 1;
        let high = i128::from(from) - 1;
        self.least_within(low.saturating_sub(apart), high.saturating_sub(apart))
    }

    /// The least distance at which it is in `low..=high`.
    fn least_within(&self, low: i128, high: i128) -> Option<u64> {
        let furthest = self.furthest.unwrap_or(i128::MAX);
        if self.terms.is_empty() {
            return self.least_alone(furthest, low, high);
        }
        if !self.may_be_within(1, furthest.max(1), low, high) {
            return None;
        }
        for distance in 1..=MAX_DISTANCE.min(furthest) {
            if self.may_be_within(distance, distance, low, high) {
                return u64::try_from(distance).ok();
            }
        }
        let beyond = MAX_DISTANCE + 1;
        if furthest >= beyond && self.may_be_within(beyond, furthest, low, high) {
            return self.jump(beyond, furthest, low, high);
        }
        None
    }

    /// The least distance where only the loop itself counts: `from <= step * d <= to`.
    fn least_alone(&self, furthest: i128, from: i128, to: i128) -> Option<u64> {
        let least = match self.step {
            0 => (from <= 0 && to >= 0).then_some(1)?,
            step => {
                let (near, far) = if step > 0 { (from, to) } else { (-to, -from) };
                let step = step.abs();
                let least = near.div_euclid(step) + i128::from(near.rem_euclid(step) != 0);
                let least = least.max(1);
                (least.checked_mul(step)? <= far).then_some(least)?
            }
        };
        (least <= furthest).then(|| u64::try_from(least).ok())?
    }

    /// The least distance beyond those that were tried: found by halving, as the bounds only widen.
    fn jump(&self, from: i128, to: i128, low: i128, high: i128) -> Option<u64> {
        let (mut least, mut most) = (from, to);
        while least < most {
            let middle = least + (most - least) / 2;
            match self.may_be_within(from, middle, low, high) {
                true => most = middle,
                false => least = middle + 1,
            }
        }
        u64::try_from(least).ok()
    }

    /// Whether the sum can lie in `low..=high` at some distance of `from..=to`.
    fn may_be_within(&self, from: i128, to: i128, low: i128, high: i128) -> bool {
        let ends = [self.step.saturating_mul(from), self.step.saturating_mul(to)];
        let mut least = Some(ends[0].min(ends[1]));
        let mut most = Some(ends[0].max(ends[1]));
        for term in &self.terms {
            let reach = term.last.map(|last| term.coefficient.saturating_mul(last));
            let add = |bound: Option<i128>, by: Option<i128>| Some(bound?.saturating_add(by?));
            if term.coefficient < 0 {
                least = add(least, reach);
            } else if term.coefficient > 0 {
                most = add(most, reach);
            }
        }
        let banerjee =
            least.is_none_or(|least| least <= high) && most.is_none_or(|most| most >= low);
        banerjee && self.gcd_allows(from, to, low, high)
    }

    /// Whether a multiple of the coefficients' greatest common divisor lies in the range.
    fn gcd_allows(&self, from: i128, to: i128, low: i128, high: i128) -> bool {
        let fixed = from == to;
        let mut divisor = if fixed { 0 } else { self.step.abs() };
        for term in &self.terms {
            divisor = gcd(divisor, term.coefficient.abs());
        }
        let base = if fixed {
            self.step.saturating_mul(from)
        } else {
            0
        };
        if divisor == 0 {
            return (low..=high).contains(&base);
        }
        // The first number of the range that differs from the base by a multiple.
        low + (base - low).rem_euclid(divisor) <= high
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equation(step: i128, terms: &[(i128, Option<i128>)]) -> Equation {
        Equation {
            step,
            terms: terms
                .iter()
                .map(|&(coefficient, last)| Term { coefficient, last })
                .collect(),
            furthest: None,
        }
    }

    #[test]
    fn distances_are_exact_where_only_the_loop_itself_counts() {
        // a[i] = a[i - 3]: the load is 12 bytes after.
        assert_eq!(equation(4, &[]).least_distance(-12, [4, 4]), Some(3));
        // a[i] = a[i + 3] never reads what it wrote.
        assert_eq!(equation(4, &[]).least_distance(12, [4, 4]), None);
        // a[2 * i] and a[2 * i + 1] have nothing in common.
        assert_eq!(equation(8, &[]).least_distance(4, [4, 4]), None);
        // The same element in each iteration.
        assert_eq!(equation(0, &[]).least_distance(0, [4, 4]), Some(1));
        // Far away.
        assert_eq!(equation(4, &[]).least_distance(-4000, [4, 4]), Some(1000));
    }

    #[test]
    fn trip_counts_bound_distances() {
        let mut near = equation(4, &[]);
        near.furthest = Some(7);
        assert_eq!(near.least_distance(-40, [4, 4]), None);
    }

    #[test]
    fn inner_loops_are_bounded_by_banerjee_and_gcd() {
        // Rows of 100 elements, 100 of them used: rows do not meet.
        assert_eq!(
            equation(400, &[(4, Some(99)), (-4, Some(99))]).least_distance(0, [4, 4]),
            None
        );
        // Rows of 100 elements, 101 of them used: the next row meets.
        assert_eq!(
            equation(400, &[(4, Some(100)), (-4, Some(100))]).least_distance(0, [4, 4]),
            Some(1)
        );
        // Even and odd elements.
        assert_eq!(
            equation(8, &[(8, None), (-8, None)]).least_distance(4, [4, 4]),
            None
        );
    }
}
