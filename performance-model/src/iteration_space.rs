//! In which iterations of a loop two accesses may touch the same memory, given the conditions under which loops go on:
//! in triangular nests, bounds of inner loops depend on counters of outer ones, and `i < n` also bounds
//! an offset `n`. The conditions and the addresses are inequalities; Fourier-Motzkin elimination leaves
//! those on the distance.

use fpgacc_kernel_analysis::fourier_motzkin::{Linear, Range, range_of};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::graph::{Graph, RegionId};
use super::prediction::TripOrigin;

/// What inequalities are about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Var {
    /// Iterations from the earlier access to the later one.
    Distance,
    /// The iteration of the earlier access.
    First,
    /// The iteration of a loop inside, at an access.
    Inside(Side, RegionId),
    /// What is the same at both: products of numbers that do not change meanwhile.
    Same(Vec<Sym>),
}

/// One of the two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Earlier,
    Later,
}

/// An access in iterations of a loop, as the earlier and as the later one of two.
#[derive(Debug)]
pub struct Reach {
    earlier: Visit,
    later: Visit,
}

/// What holds where an access happens.
#[derive(Debug)]
struct Visit {
    address: Linear<Var>,
    /// None of these is negative.
    holds: Vec<Linear<Var>>,
}

impl Reach {
    /// An access of the loop `own` in iterations of `region`; `None`: its address is not linear.
    pub fn new(graph: &Graph, region: RegionId, own: RegionId, address: &Poly) -> Option<Self> {
        let space = Space { graph, region };
        Some(Reach {
            earlier: space.visit(own, address, Side::Earlier)?,
            later: space.visit(own, address, Side::Later)?,
        })
    }

    /// The fewest iterations of the loop after which another access, `apart` bytes further than its address says, may touch
    /// what this one touched, as far as bounds of loops show: at least 1. `None`: it never does.
    pub fn least_distance(&self, later: &Self, apart: i128, bytes: [u64; 2]) -> Option<i128> {
        let (from, to) = (&self.earlier, &later.later);
        let moved = to.address.plus(&Linear::constant(apart), 1);
        let meet = moved.and_then(|to| meeting(&from.address, &to, bytes.map(i128::from)));
        let Some(meet) = meet else {
            return Some(1);
        };
        let holds = from.holds.iter().chain(&to.holds);
        let all: Vec<&Linear<Var>> = meet.iter().chain(holds).collect();
        match range_of(&Var::Distance, &all) {
            Range::Empty => None,
            Range::Within(low, _) => Some(low.unwrap_or(1).max(1)),
        }
    }
}

/// What holds where two accesses of so many bytes meet; `None`: numbers grow too large.
fn meeting(
    from: &Linear<Var>,
    to: &Linear<Var>,
    [earlier, later]: [i128; 2],
) -> Option<[Linear<Var>; 3]> {
    let apart = to.plus(from, -1)?;
    let mut distance = Linear::constant(-1);
    distance.add(Var::Distance, 1)?;
    // -later < apart < earlier
    Some([
        distance,
        apart.plus(&Linear::constant(later - 1), 1)?,
        Linear::constant(earlier - 1).plus(&apart, -1)?,
    ])
}

struct Space<'a> {
    graph: &'a Graph,
    region: RegionId,
}

impl Space<'_> {
    fn visit(&self, own: RegionId, address: &Poly, side: Side) -> Option<Visit> {
        let address = self.linear(address, side)?;
        let mut holds = Vec::new();
        // What holds around the loop is the same for both, and said once.
        let is_said =
            |at: &RegionId| side == Side::Later && !self.graph.is_within(*at, self.region);
        let loops = self.graph.ancestors(own);
        for region in loops.take_while(|at| !is_said(at)) {
            self.iterations(region, side, &mut holds);
        }
        Some(Visit { address, holds })
    }

    /// What holds in the iterations of a loop.
    fn iterations(&self, region: RegionId, side: Side, all: &mut Vec<Linear<Var>>) {
        if region == 0 {
            return;
        }
        let counter = Poly::sym(Sym::Iter(region));
        let last = last(self.graph, region).map(|last| Poly::constant(last).plus(&counter, -1));
        let holds = self.graph.regions[region].holds.iter().cloned();
        let polys = std::iter::once(counter).chain(last).chain(holds);
        all.extend(polys.filter_map(|poly| self.linear(&poly, side)));
    }

    /// A polynomial at one of the accesses; `None`: it is not linear in what changes.
    fn linear(&self, poly: &Poly, side: Side) -> Option<Linear<Var>> {
        let mut linear = Linear::constant(0);
        for (monomial, by) in poly.terms() {
            if monomial.is_empty() {
                linear = linear.plus(&Linear::constant(by), 1)?;
                continue;
            }
            let changes = |sym: &&Sym| self.graph.moves_in(**sym, self.region);
            let Some(sym) = monomial.iter().find(changes) else {
                linear.add(Var::Same(monomial.to_vec()), by)?;
                continue;
            };
            let Sym::Iter(region) = *sym else {
                return None;
            };
            if monomial.len() > 1 {
                return None;
            }
            match region == self.region {
                true => {
                    linear.add(Var::First, by)?;
                    if side == Side::Later {
                        linear.add(Var::Distance, by)?;
                    }
                }
                false => linear.add(Var::Inside(side, region), by)?,
            }
        }
        Some(linear)
    }
}

/// The greatest value of a loop's counter, where the text states it: aoc does not see the launch.
pub fn last(graph: &Graph, region: RegionId) -> Option<i128> {
    let region = &graph.regions[region];
    let known = region.trip.origin == TripOrigin::Known;
    known.then(|| ((region.trip.value / region.unroll as f64).ceil() as i128 - 1).max(0))
}
