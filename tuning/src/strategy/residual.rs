//! What predictions are off by: the logarithm of measured over predicted cost as a Gaussian process over the points'
//! features and the prediction, over all settings of the process, each weighted with how well it explains what was
//! measured. How much each feature counts is learned, too ([`super::relevance`]).

use std::rc::Rc;

use super::candidate::{Candidate, Tried};
use super::gaussian::{self, Covariance, Fitted};
use super::relevance::relevances;

/// What is assumed before anything is measured. The numbers of `default` were chosen on Spector's spaces
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
            first: 10,
        }
    }
}

impl Settings {
    /// Those of a search: predictions may be far too steep, such as where all that is fast takes the time of a launch, and
    /// of many points the best ones are also those that were lucky. What is most likely of each point from three or four
    /// measurements comes out 1 to 2 % better with the usual slope.
    pub fn of_search() -> Self {
        Settings {
            slope: 1.0,
            noise: 0.02,
            ..Settings::default()
        }
    }
}

/// After so many measurements it is looked at which features count more than others.
const FOR_FACTORS: usize = 4;

/// A setting of the process counts if it is so likely beside the likeliest one.
const COUNTS: f64 = 0.05;

/// Where nothing is predicted, what is slower than the best by more than this factor, as a logarithm, is as bad as that: how
/// bad does not matter.
const BAD: f64 = 1.0;
/// The most that a process is fitted to where nothing is predicted.
const MOST: usize = 100;

/// What is likely of candidates that were not tried.
pub struct Posterior<'a> {
    prior: &'a Prior<'a>,
    level: f64,
    scale: f64,
    fitted: Vec<(f64, Fitted<Errors<'a>>)>,
}

impl<'a> Posterior<'a> {
    /// After these.
    pub fn of(settings: &Settings, prior: &'a Prior<'a>, seen: &Seen) -> Self {
        let alike = settings.each(prior, seen, &prior.alike());
        let factors = settings.factors(prior, seen, &alike);
        let learned = factors.map(|factors| settings.each(prior, seen, &factors));
        Posterior::weighted(prior, seen, learned.unwrap_or(alike))
    }

    /// The same, but that all features count alike. What a few measurements say of the features is the most likely, and
    /// no doubt is left about it.
    pub fn doubting(settings: &Settings, prior: &'a Prior<'a>, seen: &Seen) -> Self {
        let alike = settings.each(prior, seen, &prior.alike());
        Posterior::weighted(prior, seen, alike)
    }

    /// Processes, each with the logarithm of how likely it is.
    fn weighted(
        prior: &'a Prior<'a>,
        seen: &Seen,
        mut fitted: Vec<(f64, Fitted<Errors<'a>>)>,
    ) -> Self {
        let most = fitted.iter().map(|(log, _)| *log).fold(f64::MIN, f64::max);
        for (weight, _) in &mut fitted {
            *weight = (*weight - most).exp();
        }
        fitted.retain(|(weight, _)| *weight >= COUNTS);
        let sum: f64 = fitted.iter().map(|(weight, _)| *weight).sum();
        for (weight, _) in &mut fitted {
            *weight /= sum;
        }
        Posterior {
            prior,
            level: seen.level,
            scale: seen.scale,
            fitted,
        }
    }

    /// Of the logarithm of a candidate's cost: normal distributions, each with its weight, mean and deviation.
    pub fn at(&self, candidate: usize) -> impl Iterator<Item = (f64, f64, f64)> {
        self.fitted.iter().map(move |(weight, process)| {
            let (error, variance) = process.at(candidate);
            let mean = self.prior.logs[candidate] + self.level + self.scale * error;
            (*weight, mean, (self.scale * variance.sqrt()).max(1e-9))
        })
    }
}

impl Settings {
    fn covariances<'a>(
        &self,
        prior: &'a Prior<'a>,
        seen: &Seen,
        factors: &Rc<[f64]>,
    ) -> Vec<Errors<'a>> {
        let mut all = Vec::new();
        for &amplitude in &self.amplitudes {
            for &length in &self.lengths {
                all.push(Errors {
                    prior,
                    factors: Rc::clone(factors),
                    offset: self.offset,
                    slope: self.slope,
                    amplitude: amplitude * seen.amplitude(self),
                    length,
                });
            }
        }
        all
    }

    /// The process of each setting, with the logarithm of how likely it is.
    fn each<'a>(
        &self,
        prior: &'a Prior<'a>,
        seen: &Seen,
        factors: &Rc<[f64]>,
    ) -> Vec<(f64, Fitted<Errors<'a>>)> {
        let usual = self.usual_amplitude * seen.amplitude(self);
        let covariances = self.covariances(prior, seen, factors).into_iter();
        let fitted = covariances.filter_map(|covariance| {
            let unusual = (covariance.amplitude / usual).ln();
            let fitted = self.fit(covariance, seen)?;
            Some((fitted.log_likelihood - 0.5 * unusual * unusual, fitted))
        });
        fitted.collect()
    }

    fn fit<'a>(&self, covariance: Errors<'a>, seen: &Seen) -> Option<Fitted<Errors<'a>>> {
        gaussian::fit(covariance, &seen.at, &seen.errors, self.noise * self.noise)
    }

    /// How much each feature counts, by what the likeliest process of features that are all alike makes of it. `None`: too
    /// little was measured, or nothing is predicted: then the process has few of the turns, and would take long.
    fn factors(
        &self,
        prior: &Prior<'_>,
        seen: &Seen,
        fitted: &[(f64, Fitted<Errors<'_>>)],
    ) -> Option<Rc<[f64]>> {
        if prior.is_blind || seen.at.len() < FOR_FACTORS {
            return None;
        }
        let likeliest = fitted
            .iter()
            .max_by(|a, b| a.0.total_cmp(&b.0))?
            .1
            .covariance();
        let likelihood = |factors: &[f64]| {
            let covariance = Errors {
                factors: factors.into(),
                ..likeliest.clone()
            };
            let fitted = self.fit(covariance, seen);
            fitted.map_or(f64::MIN, |fitted| fitted.log_likelihood)
        };
        Some(relevances(prior.features(), likelihood).into())
    }
}

/// What is known of the candidates before any is tried.
pub struct Prior<'a> {
    pub candidates: &'a [Candidate],
    /// Logarithms of predicted costs, of which the mean is 0.
    pub logs: Vec<f64>,
    /// Nothing is predicted.
    pub is_blind: bool,
}

impl<'a> Prior<'a> {
    /// By what is predicted of each.
    pub fn of(candidates: &'a [Candidate], predicted: fn(&Candidate) -> Option<f64>) -> Self {
        let logs: Vec<Option<f64>> = candidates
            .iter()
            .map(|one| Some(predicted(one)?.ln()))
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

    /// How many features there are.
    fn features(&self) -> usize {
        self.candidates.first().map_or(0, |one| one.features.len())
    }

    /// Factors of features that count alike.
    fn alike(&self) -> Rc<[f64]> {
        vec![1.0; self.features()].into()
    }
}

/// What is known of those that were tried.
pub struct Seen {
    pub at: Vec<usize>,
    /// Of each, the logarithm of measured over predicted cost, less `level`, over `scale`.
    pub errors: Vec<f64>,
    /// Their mean.
    pub level: f64,
    /// Their standard deviation where nothing is predicted; else 1.
    pub scale: f64,
    /// The logarithm of the least cost.
    pub least: f64,
    is_blind: bool,
}

impl Seen {
    /// `None`: nothing was measured. What failed counts as the slowest that did not.
    pub fn of(prior: &Prior<'_>, history: &[Tried]) -> Option<Seen> {
        let costs = history.iter().filter_map(|tried| tried.cost);
        let slowest = costs.clone().reduce(f64::max)?;
        let least = costs.reduce(f64::min)?.ln();
        let at: Vec<usize> = history.iter().map(|tried| tried.candidate).collect();
        let worst = match prior.is_blind {
            true => least + BAD,
            false => f64::INFINITY,
        };
        let error = |tried: &Tried| {
            tried.cost.unwrap_or(slowest).ln().min(worst) - prior.logs[tried.candidate]
        };
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

    /// The best ones: a process of more takes too long.
    pub fn fewer(&self) -> Seen {
        let mut order: Vec<usize> = (0..self.at.len()).collect();
        order.sort_by(|a, b| self.errors[*a].total_cmp(&self.errors[*b]));
        order.truncate(MOST);
        Seen {
            at: order.iter().map(|&at| self.at[at]).collect(),
            errors: order.iter().map(|&at| self.errors[at]).collect(),
            ..*self
        }
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
#[derive(Clone)]
struct Errors<'a> {
    prior: &'a Prior<'a>,
    /// By how much a distance along each feature counts.
    factors: Rc<[f64]>,
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
        let distances = x.iter().zip(y).map(|(x, y)| (x - y).abs());
        let each = distances.zip(&*self.factors);
        let distance: f64 = each.map(|(distance, factor)| factor * distance).sum();
        self.offset * self.offset
            + self.slope * self.slope * logs[a] * logs[b]
            + self.amplitude * self.amplitude * (-distance / self.length).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors that the first of three features decides, at some points of a grid.
    #[test]
    fn features_that_errors_depend_on_count_more() {
        let features = |at: u32| [at % 4, at / 4 % 4, at / 16].map(|index| f64::from(index) / 3.0);
        let candidate = |at| Candidate {
            features: features(at).to_vec(),
            predicted: Some(1.0),
            ..Candidate::default()
        };
        let candidates: Vec<Candidate> = (0..64).map(candidate).collect();
        let prior = Prior::of(&candidates, |one| one.predicted);
        let measured = |step: usize| {
            let at = (step * 23) % 64;
            Tried {
                candidate: at,
                cost: Some((candidates[at].features[0] * 5.0).sin().exp()),
                area: None,
            }
        };
        let history: Vec<Tried> = (0..16).map(measured).collect();
        let seen = Seen::of(&prior, &history).unwrap();
        let settings = Settings::default();
        let fitted = settings.each(&prior, &seen, &prior.alike());
        let factors = settings.factors(&prior, &seen, &fitted).unwrap();
        assert!(factors[0] > 2.0 * factors[1].max(factors[2]), "{factors:?}");
        // So that of a point beside none that was measured, but for that feature, the cost is known.
        let posterior = Posterior::of(&settings, &prior, &seen);
        for (at, one) in candidates.iter().enumerate() {
            let mean: f64 = posterior.at(at).map(|(weight, log, _)| weight * log).sum();
            let off = mean - (one.features[0] * 5.0).sin();
            assert!(off.abs() < 0.1, "{at}: {off}");
        }
        // Too little says nothing of that, and where nothing is predicted all stay alike.
        let few = Seen::of(&prior, &history[..3]).unwrap();
        assert!(settings.factors(&prior, &few, &fitted).is_none());
        let blind = Prior::of(&candidates, |_| None);
        assert!(settings.factors(&blind, &seen, &fitted).is_none());
    }
}
