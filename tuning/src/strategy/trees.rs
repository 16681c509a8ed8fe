//! Regression by extremely randomised trees (Geurts, Ernst and Wehenkel, "Extremely randomized trees", Machine Learning
//! 63, 2006): each node tries one random threshold of each feature and keeps the best. What the trees disagree about is
//! not known.

use crate::random::Random;

enum Node {
    Leaf(f64),
    Split {
        feature: usize,
        /// What is at most this goes on at `below`, all else at `above`.
        threshold: f64,
        below: usize,
        above: usize,
    },
}

struct Tree(Vec<Node>);

/// Trees that were fitted to observations.
pub struct Trees(Vec<Tree>);

/// Observations: features and a value of each.
struct Observed<'a> {
    features: &'a [Vec<f64>],
    values: &'a [f64],
}

/// Fits so many trees to the values of observations, of which there is at least one.
pub fn fit(features: &[Vec<f64>], values: &[f64], count: usize, random: &mut Random) -> Trees {
    let observed = Observed { features, values };
    let tree = |_| {
        let mut tree = Tree(Vec::new());
        tree.grow(&observed, (0..values.len()).collect(), random);
        tree
    };
    Trees((0..count).map(tree).collect())
}

impl Trees {
    /// Mean and variance of what the trees say of a point.
    pub fn at(&self, features: &[f64]) -> (f64, f64) {
        let count = self.0.len() as f64;
        let values: Vec<f64> = self.0.iter().map(|tree| tree.at(features)).collect();
        let mean = values.iter().sum::<f64>() / count;
        let variance = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / count;
        (mean, variance)
    }
}

impl Tree {
    /// Adds what distinguishes these observations, and returns its index.
    fn grow(&mut self, observed: &Observed<'_>, these: Vec<usize>, random: &mut Random) -> usize {
        let own = self.0.len();
        let values = these.iter().map(|&at| observed.values[at]);
        let mean = values.clone().sum::<f64>() / these.len() as f64;
        self.0.push(Node::Leaf(mean));
        let is_pure = values.clone().all(|value| (value - mean).abs() < 1e-12);
        let split = (!is_pure).then(|| observed.split(&these, random));
        if let Some((feature, threshold)) = split.flatten() {
            let is_below = |at: &usize| observed.features[*at][feature] <= threshold;
            let (below, above): (Vec<usize>, Vec<usize>) = these.into_iter().partition(is_below);
            self.0[own] = Node::Split {
                feature,
                threshold,
                below: self.grow(observed, below, random),
                above: self.grow(observed, above, random),
            };
        }
        own
    }

    fn at(&self, features: &[f64]) -> f64 {
        let mut at = 0;
        loop {
            at = match self.0[at] {
                Node::Leaf(value) => return value,
                Node::Split {
                    feature,
                    threshold,
                    below,
                    ..
                } if features[feature] <= threshold => below,
                Node::Split { above, .. } => above,
            };
        }
    }
}

impl Observed<'_> {
    /// Of one random threshold for each feature the one that leaves the least variance.
    fn split(&self, these: &[usize], random: &mut Random) -> Option<(usize, f64)> {
        let mut best: Option<(f64, usize, f64)> = None;
        for feature in 0..self.features[0].len() {
            let of = these.iter().map(|&at| self.features[at][feature]);
            let least = of.clone().fold(f64::MAX, f64::min);
            let most = of.fold(f64::MIN, f64::max);
            if most <= least {
                continue;
            }
            let threshold = least + (most - least) * random.unit();
            let left = self.variance(these, |at| self.features[at][feature] <= threshold)
                + self.variance(these, |at| self.features[at][feature] > threshold);
            if best.is_none_or(|(known, ..)| left < known) {
                best = Some((left, feature, threshold));
            }
        }
        best.map(|(_, feature, threshold)| (feature, threshold))
    }

    /// The sum of squares around the mean of some.
    fn variance(&self, these: &[usize], is_one: impl Fn(usize) -> bool) -> f64 {
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for &at in these.iter().filter(|at| is_one(**at)) {
            sum += self.values[at];
            squares += self.values[at] * self.values[at];
            count += 1.0;
        }
        match count > 0.0 {
            true => squares - sum * sum / count,
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_are_met_and_steps_are_found() {
        let features: Vec<Vec<f64>> = (0..20).map(|x| vec![f64::from(x) / 19.0, 0.5]).collect();
        let step = |x: f64| if x < 0.5 { 1.0 } else { 3.0 };
        let values: Vec<f64> = features.iter().map(|one| step(one[0])).collect();
        let trees = fit(&features, &values, 100, &mut Random::new(1));
        for (features, value) in features.iter().zip(&values) {
            let (mean, variance) = trees.at(features);
            assert!((mean - value).abs() < 1e-9 && variance < 1e-9);
        }
        assert_eq!(trees.at(&[0.2, 0.9]).0, 1.0);
        let (mean, variance) = trees.at(&[0.5, 0.5]);
        assert!(mean > 1.0 && mean < 3.0 && variance > 0.1);
    }

    #[test]
    fn one_observation_is_all_that_there_is() {
        let trees = fit(&[vec![0.3]], &[7.0], 5, &mut Random::new(1));
        assert_eq!(trees.at(&[0.9]), (7.0, 0.0));
    }
}
