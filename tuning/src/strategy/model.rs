//! The default: what a performance model predicts, corrected by what was measured.
//!
//! The logarithm of measured over predicted time is a Gaussian process over the points' features and the predicted time.
//! The next point is the one that is the likeliest to be faster than the best measured one by 2 % (Kushner, "A new method of
//! locating the maximum point of an arbitrary multipeak curve in the presence of noise", 1964), over all settings of the
//! process, each weighted with how well it explains what was measured. Further points of a batch are chosen as if those
//! before had come out as expected.

use super::candidate::{Candidate, Strategy, Tried, untried};
use super::gaussian::{self, Covariance, Fitted};
use crate::random::Random;

/// What is assumed before anything is measured. The numbers of `default` were chosen on Spector's eight spaces
/// (`fpgacc-bench tune-replay`), and are round: their neighbours do as well.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Standard deviation of the model's error that all points share, as a logarithm.
    pub offset: f64,
    /// Standard deviation of the error that grows with the logarithm of the predicted time.
    pub slope: f64,
    /// Standard deviations of the error that nearby points share.
    pub amplitudes: Vec<f64>,
    /// Which of these is likely: a logarithmic normal distribution around it, of deviation 1.
    pub usual_amplitude: f64,
    /// Distances over which errors change, where features go from 0 to 1.
    pub lengths: Vec<f64>,
    /// Standard deviation of the error of a single point.
    pub noise: f64,
    /// A point counts as better if it is faster by this part.
    pub gain: f64,
    /// The search is over if no point is better with at least this probability.
    pub hope: f64,
    /// Points that are tried at random where nothing is predicted, before there is anything to learn from.
    pub first: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            offset: 1.0,
            slope: 0.3,
            amplitudes: vec![0.1, 0.2, 0.4, 0.8],
            usual_amplitude: 0.25,
            lengths: vec![0.5, 1.0, 2.0, 4.0],
            noise: 0.01,
            gain: 0.02,
            hope: 0.01,
            first: 5,
        }
    }
}

/// A setting of the process counts if it is so likely beside the likeliest one.
const COUNTS: f64 = 0.05;

/// See the head of this file.
#[derive(Clone, Debug)]
pub struct Model {
    settings: Settings,
    seed: u64,
}

impl Model {
    /// With the settings that were found good.
    pub fn new(seed: u64) -> Self {
        Model::with(Settings::default(), seed)
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
        let mut left = untried(candidates, history);
        // What the model takes for too large is tried only where nothing else is left.
        if left.iter().any(|at| candidates[*at].fits()) {
            left.retain(|at| candidates[*at].fits());
        }
        let prior = Prior::of(candidates);
        let mut history = history.to_vec();
        let mut batch = Vec::new();
        while batch.len() < most && !left.is_empty() {
            let Some((next, cost)) = self.best(&prior, &history, &left) else {
                break;
            };
            batch.push(next);
            left.retain(|at| *at != next);
            history.push(Tried {
                candidate: next,
                cost: Some(cost),
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
        let covariances = self.covariances(prior, &seen);
        let fitted = self.fitted(&covariances, &seen);
        let goal = seen.least + (1.0 - self.settings.gain).ln();
        let promise = |&at: &usize| {
            let mut promise = Promise {
                at,
                log: 0.0,
                chance: 0.0,
            };
            for (weight, process) in &fitted {
                let (error, variance) = process.at(at);
                let log = prior.logs[at] + seen.level + seen.scale * error;
                let deviation = (seen.scale * variance.sqrt()).max(1e-9);
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

    fn covariances<'a>(&self, prior: &'a Prior<'a>, seen: &Seen) -> Vec<Errors<'a>> {
        let settings = &self.settings;
        let mut all = Vec::new();
        for &amplitude in &settings.amplitudes {
            for &length in &settings.lengths {
                let amplitude = amplitude * seen.amplitude(settings);
                all.push(Errors {
                    prior,
                    offset: settings.offset,
                    slope: settings.slope,
                    amplitude,
                    length,
                });
            }
        }
        all
    }

    /// The processes that explain what was seen, and how much each counts.
    fn fitted<'a>(
        &self,
        covariances: &'a [Errors<'a>],
        seen: &Seen,
    ) -> Vec<(f64, Fitted<'a, Errors<'a>>)> {
        let noise = self.settings.noise * self.settings.noise;
        let usual = self.settings.usual_amplitude * seen.amplitude(&self.settings);
        let fitted = covariances.iter().filter_map(|covariance| {
            let fitted = gaussian::fit(covariance, &seen.at, &seen.errors, noise)?;
            let unusual = (covariance.amplitude / usual).ln();
            Some((fitted.log_likelihood - 0.5 * unusual * unusual, fitted))
        });
        let mut fitted: Vec<_> = fitted.collect();
        let most = fitted.iter().map(|(log, _)| *log).fold(f64::MIN, f64::max);
        for (weight, _) in &mut fitted {
            *weight = (*weight - most).exp();
        }
        fitted.retain(|(weight, _)| *weight >= COUNTS);
        let sum: f64 = fitted.iter().map(|(weight, _)| *weight).sum();
        for (weight, _) in &mut fitted {
            *weight /= sum;
        }
        fitted
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

/// What is known of the candidates before any is tried.
struct Prior<'a> {
    candidates: &'a [Candidate],
    /// Logarithms of predicted times, of which the mean is 0.
    logs: Vec<f64>,
    /// Nothing is predicted.
    is_blind: bool,
}

impl<'a> Prior<'a> {
    fn of(candidates: &'a [Candidate]) -> Self {
        let logs: Vec<Option<f64>> = candidates
            .iter()
            .map(|one| Some(one.predicted?.ln()))
            .collect();
        let known: Vec<f64> = logs.iter().flatten().copied().collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        Prior {
            candidates,
            // What is not predicted is taken for usual.
            logs: logs
                .iter()
                .map(|log| log.map_or(0.0, |log| log - mean))
                .collect(),
            is_blind: known.is_empty(),
        }
    }
}

/// What is known of those that were tried.
struct Seen {
    at: Vec<usize>,
    /// Of each, the logarithm of measured over predicted cost, less `level`, over `scale`.
    errors: Vec<f64>,
    /// Their mean.
    level: f64,
    /// Their standard deviation where nothing is predicted; else 1.
    scale: f64,
    /// The logarithm of the least cost.
    least: f64,
    is_blind: bool,
}

impl Seen {
    /// `None`: nothing was measured. What failed counts as the slowest that did not.
    fn of(prior: &Prior<'_>, history: &[Tried]) -> Option<Seen> {
        let costs = history.iter().filter_map(|tried| tried.cost);
        let slowest = costs.clone().reduce(f64::max)?;
        let least = costs.reduce(f64::min)?.ln();
        let at: Vec<usize> = history.iter().map(|tried| tried.candidate).collect();
        let error =
            |tried: &Tried| tried.cost.unwrap_or(slowest).ln() - prior.logs[tried.candidate];
        let mut errors: Vec<f64> = history.iter().map(error).collect();
        let level = errors.iter().sum::<f64>() / errors.len() as f64;
        errors.iter_mut().for_each(|error| *error -= level);
        let scale = match prior.is_blind {
            true => (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64)
                .sqrt()
                .max(1e-3),
            false => 1.0,
        };
        errors.iter_mut().for_each(|error| *error /= scale);
        Some(Seen {
            at,
            errors,
            level,
            scale,
            least,
            is_blind: prior.is_blind,
        })
    }

    /// What amplitudes are to be multiplied with: without predictions errors are all that there is, of deviation 1.
    fn amplitude(&self, settings: &Settings) -> f64 {
        match self.is_blind {
            true => 1.0 / settings.usual_amplitude,
            false => 1.0,
        }
    }
}

/// The covariance of errors.
struct Errors<'a> {
    prior: &'a Prior<'a>,
    offset: f64,
    slope: f64,
    amplitude: f64,
    length: f64,
}

impl Covariance for Errors<'_> {
    fn of(&self, a: usize, b: usize) -> f64 {
        let Prior {
            candidates, logs, ..
        } = self.prior;
        let (x, y) = (&candidates[a].features, &candidates[b].features);
        // Parameters act one by one: a product over them, of steep functions, since a step of one may change much.
        let distance: f64 = x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum();
        self.offset * self.offset
            + self.slope * self.slope * logs[a] * logs[b]
            + self.amplitude * self.amplitude * (-distance / self.length).exp()
    }
}

/// The standard normal distribution's part below `z` (Abramowitz and Stegun 26.2.17, to 7.5e-8).
fn below(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let terms = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let tail = sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    match z >= 0.0 {
        true => 1.0 - tail,
        false => tail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{builds_until, replay};

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
        assert!(builds <= 12, "{builds}");
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
                cost: None
            }
        );
        assert_eq!(history.len(), 3);
    }

    #[test]
    fn half_lies_below_the_mean() {
        assert!((below(0.0) - 0.5).abs() < 1e-6);
        assert!((below(1.959_964) - 0.975).abs() < 1e-6);
        assert!((below(-1.0) - 0.158_655).abs() < 1e-6);
    }
}
