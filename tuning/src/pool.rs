//! A part of a space that is too large to be looked at whole: points that are drawn, and those around the best ones.

use std::collections::BTreeSet;

use crate::random::Random;
use crate::space::{Point, Space};

/// See the head of this file.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    known: BTreeSet<Vec<usize>>,
}

impl Pool {
    /// Draws `count` points, of which the first changes nothing; fewer, if the space has hardly more.
    pub fn draw(&mut self, space: &Space, count: usize, seed: u64) -> Vec<Point> {
        let mut random = Random::new(seed);
        let mut points = self.unknown(space, [space.first()]);
        for _ in 0..2 * count {
            if points.len() >= count {
                break;
            }
            points.extend(self.unknown(space, space.draw(&mut random)));
        }
        points
    }

    /// The points beside another that are not here yet.
    pub fn around(&mut self, space: &Space, point: &Point) -> Vec<Point> {
        self.unknown(space, space.neighbours(point))
    }

    /// Those that are not here yet, which are here from now on.
    fn unknown(&mut self, space: &Space, points: impl IntoIterator<Item = Point>) -> Vec<Point> {
        let is_new = |point: &Point| self.known.insert(space.indices(point));
        points.into_iter().filter(is_new).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, Rule};

    /// 2^40 combinations.
    fn large() -> Space {
        let parameters = (0..40).map(|number| Parameter::new(format!("p{number}"), [1, 2]));
        let all = (0..40).map(|number| format!("p{number}"));
        Space {
            parameters: parameters.collect(),
            rules: vec![Rule::Product {
                product_of: all.collect(),
                at_most: 1 << 10,
            }],
        }
    }

    #[test]
    fn a_large_space_is_drawn_from_and_widened() {
        let space = large();
        let mut pool = Pool::default();
        let drawn = pool.draw(&space, 500, 1);
        assert_eq!(drawn.len(), 500);
        assert_eq!(drawn[0], space.first());
        assert!(drawn.iter().all(|point| space.has(point)));
        assert_eq!(Pool::default().draw(&space, 500, 1), drawn);
        assert_ne!(Pool::default().draw(&space, 500, 2), drawn);
        let around = pool.around(&space, &space.first());
        assert!(
            around
                .iter()
                .all(|point| space.has(point) && !drawn.contains(point))
        );
        assert!(around.len() > 30, "{}", around.len());
        assert!(pool.around(&space, &space.first()).is_empty());
    }

    #[test]
    fn a_small_space_is_drawn_whole() {
        let space = Space {
            parameters: vec![Parameter::new("a", [1, 2]), Parameter::new("b", [1, 2])],
            rules: Vec::new(),
        };
        let drawn = Pool::default().draw(&space, 100, 1);
        assert_eq!(drawn.len(), 4);
    }

    /// The best point is found by going from neighbour to neighbour, though no more than a sample is ever looked at.
    #[test]
    fn what_lies_around_the_best_leads_to_the_best_of_all() {
        let space = large();
        let goal: Vec<usize> = (0..40).map(|at| usize::from(at % 4 == 0)).collect();
        let off = |point: &Point| {
            let indices = space.indices(point);
            indices.iter().zip(&goal).filter(|(a, b)| a != b).count()
        };
        let mut pool = Pool::default();
        let mut looked = pool.draw(&space, 100, 3);
        for _ in 0..40 {
            let best = looked
                .iter()
                .min_by_key(|point| off(point))
                .unwrap()
                .clone();
            looked.extend(pool.around(&space, &best));
        }
        assert!(looked.iter().any(|point| off(point) == 0));
        assert!(looked.len() < 2000, "{}", looked.len());
    }
}
