//! The default: what a performance model predicts, corrected by what was measured.
//!
//! The logarithm of measured over predicted time is a Gaussian process over the points' features and the predicted time.
//! The next point is the one that is the likeliest to be faster than the best measured one by 2 % (Kushner, "A new method of
//! locating the maximum point of an arbitrary multipeak curve in the presence of noise", 1964), over all settings of the
//! process, each weighted with how well it explains what was measured. Further points of a batch are chosen as if those
//! before had come out as expected.
//!
//! This is one of several ways that take turns: see [`super::turns`].

use super::candidate::{Candidate, Strategy, Tried, untried_that_fit};
use super::normal::below;
use super::residual::{Posterior, Prior, Seen, Settings};
use super::turns::{Turn, View};
use super::twins::Twins;
use crate::random::Random;

/// How many deviations below the mean of trees a candidate may come out: far, where nothing else says where to look.
const BOLD: f64 = 2.0;
/// The same where predictions do.
const CAREFUL: f64 = 1.0;

/// See the head of this file.
#[derive(Clone, Debug)]
pub struct Model {
    settings: Settings,
    seed: u64,
}

impl Model {
    /// With the settings that were found good.
    pub fn new(seed: u64) -> Self {
        Model::with(Settings::of_search(), seed)
    }

    /// With others.
    pub fn with(settings: Settings, seed: u64) -> Self {
        Model { settings, seed }
    }
}

impl Strategy for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn next(&self, candidates: &[Candidate], history: &[Tried], most: usize) -> Vec<usize> {
        let mut left = untried_that_fit(candidates, history);
        let prior = Prior::of(candidates, |one| one.predicted);
        let twins = Twins::of(candidates);
        let mut history = history.to_vec();
        let mut batch = Vec::new();
        while batch.len() < most && !left.is_empty() {
            let promising = twins.without_known(&left, &history, self.settings.gain);
            let Some((next, cost)) = self.best(&prior, &history, &promising) else {
                break;
            };
            batch.push(next);
            left.retain(|at| *at != next);
            history.push(Tried {
                candidate: next,
                cost: Some(cost),
                area: None,
            });
        }
        batch
    }
}

impl Model {
    /// The most promising point, and what it is expected to cost.
    fn best(&self, prior: &Prior<'_>, history: &[Tried], left: &[usize]) -> Option<(usize, f64)> {
        let seen = Seen::of(prior, history);
        let Some(seen) =
            seen.filter(|seen| !prior.is_blind || seen.at.len() >= self.settings.first)
        else {
            return self.first(prior, left);
        };
        let mut view = View::of(prior.candidates, history, left, self.seed);
        let pool = match prior.is_blind {
            true => view.pool(),
            false => left.to_vec(),
        };
        let found = match Turn::after(history.len(), prior.is_blind) {
            Turn::Process if prior.is_blind => {
                return self.by_process(prior, &seen.fewer(), &pool);
            }
            Turn::Process => return self.by_process(prior, &seen, &pool),
            Turn::Beside => view.beside(),
            Turn::Trees => None,
        };
        let deviations = match prior.is_blind {
            true => BOLD,
            false => CAREFUL,
        };
        let found = found.or_else(|| view.by_trees(&pool, prior, &seen, deviations));
        found.map(|at| (at, (prior.logs[at] + seen.level).exp()))
    }

    /// The most promising one by a Gaussian process. It gives up only where it would do so if it had learned nothing of the
    /// features, too.
    fn by_process(&self, prior: &Prior<'_>, seen: &Seen, left: &[usize]) -> Option<(usize, f64)> {
        let learned = Posterior::of(&self.settings, prior, seen);
        let promising = self.promising(&learned, seen, left);
        promising.or_else(|| {
            let doubting = Posterior::doubting(&self.settings, prior, seen);
            self.promising(&doubting, seen, left)
        })
    }

    /// The most promising one by what is likely, if any promises enough.
    fn promising(
        &self,
        posterior: &Posterior<'_>,
        seen: &Seen,
        left: &[usize],
    ) -> Option<(usize, f64)> {
        let goal = seen.least + (1.0 - self.settings.gain).ln();
        let promise = |&at: &usize| {
            let mut promise = Promise {
                at,
                log: 0.0,
                chance: 0.0,
            };
            for (weight, log, deviation) in posterior.at(at) {
                promise.log += weight * log;
                promise.chance += weight * below((goal - log) / deviation);
            }
            promise
        };
        // Of equal ones the first.
        let best = left.iter().map(promise);
        let best = best.max_by(|a, b| a.chance.total_cmp(&b.chance))?;
        (best.chance >= self.settings.hope).then(|| (best.at, best.log.exp()))
    }

    /// What is tried before there is anything to learn from: the fastest by prediction, or anything.
    fn first(&self, prior: &Prior<'_>, left: &[usize]) -> Option<(usize, f64)> {
        let order = Random::new(self.seed).order(prior.candidates.len());
        let mut order = order.into_iter().filter(|at| left.contains(at));
        let found = match prior.is_blind {
            true => order.next(),
            false => order.min_by(|a, b| prior.logs[*a].total_cmp(&prior.logs[*b])),
        }?;
        Some((found, prior.logs[found].exp()))
    }
}

/// A point that may be tried.
struct Promise {
    at: usize,
    /// The expected logarithm of its cost.
    log: f64,
    /// How likely it is to be better than the best one.
    chance: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{builds_until, replay};
    use crate::strategy::candidate::untried;

    /// Points on a grid, of which the model knows the time but for a factor that one feature decides.
    fn grid(is_blind: bool) -> (Vec<Candidate>, Vec<Option<f64>>) {
        let mut candidates = Vec::new();
        let mut costs = Vec::new();
        for x in 0..10 {
            for y in 0..10 {
                let (x, y) = (f64::from(x) / 9.0, f64::from(y) / 9.0);
                let predicted = 1.0 + (x - 0.7).powi(2) + 0.3 * (y - 0.2).powi(2);
                let factor = 1.0 + (1.0 - y);
                candidates.push(Candidate {
                    indices: [x, y].map(|at: f64| (at * 9.0).round() as usize).to_vec(),
                    features: vec![x, y],
                    predicted: (!is_blind).then_some(predicted),
                    ..Candidate::default()
                });
                costs.push(Some(predicted * factor));
            }
        }
        (candidates, costs)
    }

    #[test]
    fn the_best_is_found_with_few() {
        let (candidates, costs) = grid(false);
        let builds = builds_until(&Model::new(1), &candidates, &costs, 1.02, 100).unwrap();
        // Two of three builds are the trees', which find little where all is smooth: 12 were enough before they took turns.
        assert!(builds <= 2 * 12, "{builds}");
        let (candidates, costs) = grid(true);
        let builds = builds_until(&Model::new(1), &candidates, &costs, 1.02, 100).unwrap();
        assert!(builds <= 25, "{builds}");
    }

    #[test]
    fn the_search_ends_where_nothing_promises_to_be_faster() {
        let (candidates, costs) = grid(false);
        let history = replay(&Model::new(1), &candidates, &costs, 1, |_| false);
        assert!(history.len() < 60, "{}", history.len());
        let best = costs
            .iter()
            .flatten()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let found = history
            .iter()
            .filter_map(|tried| tried.cost)
            .fold(f64::INFINITY, f64::min);
        assert!(found <= best * 1.02);
    }

    #[test]
    fn a_batch_names_no_point_twice_and_none_that_was_tried() {
        let (candidates, costs) = grid(false);
        let model = Model::new(1);
        let first = model.next(&candidates, &[], 4);
        let tried: Vec<Tried> = (first.iter())
            .map(|&candidate| Tried {
                candidate,
                cost: costs[candidate],
                area: None,
            })
            .collect();
        let mut all = [first, model.next(&candidates, &tried, 4)].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 8);
    }

    #[test]
    fn what_does_not_fit_comes_last_and_failures_are_left_behind() {
        let (mut candidates, mut costs) = grid(false);
        let best = Model::new(1).next(&candidates, &[], 1)[0];
        candidates[best].area = Some(1.5);
        let next = Model::new(1).next(&candidates, &[], 1)[0];
        assert_ne!(next, best);
        costs[next] = None;
        let history = replay(&Model::new(1), &candidates, &costs, 1, |history| {
            history.len() >= 3
        });
        assert_eq!(
            history[0],
            Tried {
                candidate: next,
                cost: None,
                area: None,
            }
        );
        assert_eq!(history.len(), 3);
    }

    /// Costs are by the first of two features at all that was measured, which is so little that the other may still matter.
    #[test]
    fn what_was_learned_of_features_does_not_end_a_search_by_itself() {
        let candidate = |at: u32| Candidate {
            features: vec![f64::from(at % 8) / 7.0, f64::from(at / 8) / 7.0],
            predicted: Some(1.0),
            ..Candidate::default()
        };
        let candidates: Vec<Candidate> = (0..64).map(candidate).collect();
        let tried = |at: usize| Tried {
            candidate: at,
            cost: Some((4.0 * candidates[at].features[0]).sin().exp()),
            area: None,
        };
        let history: Vec<Tried> = (0..8).chain(32..40).map(tried).collect();
        let left = untried(&candidates, &history);
        let prior = Prior::of(&candidates, |one| one.predicted);
        let seen = Seen::of(&prior, &history).unwrap();
        // More than is promised once the second one is taken to matter less.
        let settings = Settings {
            hope: 0.4,
            noise: 0.01,
            ..Settings::of_search()
        };
        let model = Model::with(settings, 1);
        let learned = Posterior::of(&model.settings, &prior, &seen);
        assert_eq!(model.promising(&learned, &seen, &left), None);
        assert!(model.by_process(&prior, &seen, &left).is_some());
    }
}
