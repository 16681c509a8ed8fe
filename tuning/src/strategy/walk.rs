//! Searches that walk: a genetic algorithm and a greedy local search, as Kernel Tuner has them (van Werkhoven, "Kernel
//! Tuner: A search-optimizing GPU code auto-tuner", FGCS 90, 2019; Schoonhoven, van Werkhoven and Batenburg,
//! "Benchmarking optimization algorithms for auto-tuning GPU kernels", 2022). They use nothing but costs: what others
//! are held against, and a way to search where nothing is known.
//!
//! A walk is begun anew at each call, and ends at the first candidate whose cost is not known: that is the next one.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::{Candidate, Strategy, Tried, untried};
use super::neighbours::Neighbours;
use crate::random::Random;

/// A way to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Generations of 20, parents by rank, values of either, one in ten at random.
    Genetic,
    /// To the first better neighbour as long as there is one, then from some other index near the best.
    Greedy,
}

/// See the head of this file.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// How.
    pub way: Way,
    /// Another seed is another walk.
    pub seed: u64,
}

/// Candidates of a generation.
const GENERATION: usize = 20;
/// One value in so many is any.
const MUTATION: usize = 10;
/// One value in so many is any, where a greedy walk begins anew.
const LEAP: usize = 5;
/// Looks at known costs, one after the other, after which a walk is thought to lead nowhere.
const IDLE: usize = 5_000;

/// What is known.
struct Costs {
    known: BTreeMap<usize, f64>,
    idle: usize,
    wanted: Option<usize>,
}

impl Costs {
    /// `None`: it is to be tried, or the walk leads nowhere.
    fn of(&mut self, candidate: usize) -> Option<f64> {
        let known = self.known.get(&candidate).copied();
        self.idle += 1;
        if known.is_none() {
            self.wanted = Some(candidate);
        }
        known.filter(|_| self.idle < IDLE)
    }
}

impl Strategy for Walk {
    fn name(&self) -> &'static str {
        match self.way {
            Way::Genetic => "genetic",
            Way::Greedy => "greedy",
        }
    }

    fn next(&self, candidates: &[Candidate], history: &[Tried], most: usize) -> Vec<usize> {
        let neighbours = Neighbours::of(candidates);
        let cost = |tried: &Tried| (tried.candidate, tried.cost.unwrap_or(f64::INFINITY));
        let mut known: BTreeMap<usize, f64> = history.iter().map(cost).collect();
        let mut batch = Vec::new();
        while batch.len() < most && known.len() < candidates.len() {
            let mut costs = Costs {
                known,
                idle: 0,
                wanted: None,
            };
            let mut random = Random::new(self.seed);
            match self.way {
                Way::Genetic => genetic(candidates, &neighbours, &mut random, &mut costs),
                Way::Greedy => greedy(candidates, &neighbours, &mut random, &mut costs),
            };
            let next = costs.wanted;
            known = costs.known;
            // One that leads nowhere goes on anywhere.
            let next = next.unwrap_or_else(|| {
                let tried: BTreeSet<usize> = known.keys().copied().collect();
                let mut order = random.order(candidates.len()).into_iter();
                order.find(|at| !tried.contains(at)).expect("some are left")
            });
            batch.push(next);
            // Those of a batch are chosen as if the others had failed.
            known.insert(next, f64::INFINITY);
        }
        debug_assert!(
            batch
                .iter()
                .all(|at| untried(candidates, history).contains(at))
        );
        batch
    }
}

/// `None`: as [`Costs::of`] says.
fn genetic(
    candidates: &[Candidate],
    neighbours: &Neighbours<'_>,
    random: &mut Random,
    costs: &mut Costs,
) -> Option<()> {
    let mut generation = random.order(candidates.len());
    generation.truncate(GENERATION);
    loop {
        let mut ranked = Vec::new();
        for at in generation {
            ranked.push((costs.of(at)?, at));
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut next = vec![ranked[0].1];
        for _ in 0..100 * GENERATION {
            if next.len() >= GENERATION {
                break;
            }
            let parents = [by_rank(&ranked, random), by_rank(&ranked, random)];
            let indices = parents.map(|at| &candidates[at].indices);
            let mut child = indices[0].clone();
            for (at, index) in child.iter_mut().enumerate() {
                *index = indices[random.below(2)][at];
                if random.below(MUTATION) == 0 {
                    *index = random.below(neighbours.widths()[at]);
                }
            }
            let child = neighbours.at(&child);
            next.extend(child.filter(|child| !next.contains(child)));
        }
        generation = next;
    }
}

/// One of these, the better the likelier: the first as often as the last of n times n.
fn by_rank(ranked: &[(f64, usize)], random: &mut Random) -> usize {
    let count = ranked.len();
    let mut left = random.below(count * (count + 1) / 2);
    for (at, (_, candidate)) in ranked.iter().enumerate() {
        match left.checked_sub(count - at) {
            Some(rest) => left = rest,
            None => return *candidate,
        }
    }
    ranked[count - 1].1
}

/// `None`: as [`Costs::of`] says.
fn greedy(
    candidates: &[Candidate],
    neighbours: &Neighbours<'_>,
    random: &mut Random,
    costs: &mut Costs,
) -> Option<()> {
    let mut at = random.below(candidates.len());
    let mut best = (costs.of(at)?, at);
    loop {
        let mut own = costs.of(at)?;
        'climb: loop {
            let beside = neighbours.beside(at);
            for next in random.order(beside.len()) {
                let cost = costs.of(beside[next])?;
                if cost < own {
                    (own, at) = (cost, beside[next]);
                    continue 'climb;
                }
            }
            break;
        }
        if own < best.0 {
            best = (own, at);
        }
        at = leap(best.1, candidates, neighbours, random);
    }
}

/// Another index near one.
fn leap(
    from: usize,
    candidates: &[Candidate],
    neighbours: &Neighbours<'_>,
    random: &mut Random,
) -> usize {
    for _ in 0..100 {
        let mut indices = candidates[from].indices.clone();
        for (at, index) in indices.iter_mut().enumerate() {
            if random.below(LEAP) == 0 {
                *index = random.below(neighbours.widths()[at]);
            }
        }
        if let Some(found) = neighbours.at(&indices).filter(|found| *found != from) {
            return found;
        }
    }
    random.below(candidates.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{builds_until, replay};

    /// A bowl of 20 x 20 with a hole in it where nothing is.
    fn bowl() -> (Vec<Candidate>, Vec<Option<f64>>) {
        let all = (0..20).flat_map(|x| (0..20).map(move |y| (x, y)));
        let there = all.filter(|index| *index != (5, 5));
        let of = |(x, y): (usize, usize)| {
            let cost = 1.0 + (x as f64 - 13.0).powi(2) + (y as f64 - 4.0).powi(2);
            let candidate = Candidate {
                features: vec![x as f64 / 19.0, y as f64 / 19.0],
                indices: vec![x, y],
                ..Candidate::default()
            };
            (candidate, Some(cost))
        };
        there.map(of).unzip()
    }

    #[test]
    fn walks_find_the_best_sooner_than_luck() {
        let (candidates, costs) = bowl();
        for way in [Way::Genetic, Way::Greedy] {
            let mut builds: Vec<usize> = (0..11)
                .map(|seed| {
                    let walk = Walk { way, seed };
                    builds_until(&walk, &candidates, &costs, 1.02, 400).unwrap()
                })
                .collect();
            builds.sort_unstable();
            assert!(builds[5] < 120, "{way:?} {builds:?}");
        }
    }

    #[test]
    fn a_walk_tries_all_in_the_end_and_none_twice() {
        let (candidates, costs) = bowl();
        for way in [Way::Genetic, Way::Greedy] {
            let walk = Walk { way, seed: 1 };
            let history = replay(&walk, &candidates[..30], &costs[..30], 4, |_| false);
            let tried: BTreeSet<usize> = history.iter().map(|one| one.candidate).collect();
            assert_eq!((history.len(), tried.len()), (30, 30));
        }
    }
}
