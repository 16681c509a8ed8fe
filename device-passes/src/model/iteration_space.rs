//! Which iterations of a loop two accesses may meet in, given the conditions under which loops go on:
//! in triangular nests, bounds of inner loops depend on counters of outer ones, and `i < n` also tells of
//! an offset `n`. The conditions and the addresses are inequalities; Fourier-Motzkin elimination leaves
//! those on the distance.

use super::dependence::last;
use super::fourier_motzkin::{Linear, Range, range_of};
use super::graph::{Access, Graph, RegionId};
use super::poly::{Poly, Sym};

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

/// The fewest iterations of `region` after which `later` may touch what `earlier` touched, as far as
/// bounds of loops tell: at least 1. `None`: it never does.
pub fn least_distance(
    graph: &Graph,
    region: RegionId,
    earlier: &Access,
    later: &Access,
) -> Option<i128> {
    let space = Space { graph, region };
    let Some(all) = space.inequalities(earlier, later) else {
        return Some(1);
    };
    match range_of(&Var::Distance, &all) {
        Range::Empty => None,
        Range::Within(low, _) => Some(low.unwrap_or(1).max(1)),
    }
}

struct Space<'a> {
    graph: &'a Graph,
    region: RegionId,
}

impl Space<'_> {
    /// All that holds where the two meet; `None`: their addresses are not linear.
    fn inequalities(&self, earlier: &Access, later: &Access) -> Option<Vec<Linear<Var>>> {
        let from = self.linear(earlier.address.as_ref()?, Side::Earlier)?;
        let to = self.linear(later.address.as_ref()?, Side::Later)?;
        let apart = to.plus(&from, -1)?;
        let mut distance = Linear::constant(-1);
        distance.add(Var::Distance, 1)?;
        // -later.bytes < apart < earlier.bytes
        let mut all = vec![
            distance,
            apart.plus(&Linear::constant(i128::from(later.bytes) - 1), 1)?,
            Linear::constant(i128::from(earlier.bytes) - 1).plus(&apart, -1)?,
        ];
        for (access, side) in [(earlier, Side::Earlier), (later, Side::Later)] {
            for region in self.graph.ancestors(access.region) {
                self.iterations(region, side, &mut all);
            }
        }
        Some(all)
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
