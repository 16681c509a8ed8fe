//! What measured times of a few variants say of the times of all: predictions are off alike where variants are alike.
//!
//! The same process as that of the strategy `model` ([`crate::strategy`]): the logarithm of measured over predicted time,
//! over the variants' features, which few and doubtful measurements move little.

use crate::compare::median;
use crate::strategy::{Candidate, Posterior, Prior, Seen, Settings, Tried};

/// Fewer measured times than this say nothing of others that could be checked.
pub const LEAST: usize = 3;

/// How far 80 % of a normal distribution reach, in deviations.
const REACH: f64 = 1.28;

/// A time that is likely, by what was predicted and measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corrected {
    /// The most likely one.
    pub seconds: f64,
    /// The true one lies within this factor with a probability of 80 %.
    pub within: f64,
}

/// The likely times of all candidates, each of which has a prediction, after some were measured; `None`: none was.
pub fn correct(candidates: &[Candidate], measured: &[Tried]) -> Option<Vec<Corrected>> {
    let prior = Prior::of(candidates, |one| one.predicted);
    let seen = Seen::of(&prior, measured)?;
    let posterior = Posterior::of(&Settings::default(), &prior, &seen);
    let likely = |at| {
        let (mut mean, mut square) = (0.0, 0.0);
        for (weight, log, deviation) in posterior.at(at) {
            mean += weight * log;
            square += weight * (log * log + deviation * deviation);
        }
        Corrected {
            seconds: f64::exp(mean),
            within: (REACH * (square - mean * mean).max(0.0).sqrt()).exp(),
        }
    };
    Some((0..candidates.len()).map(likely).collect())
}

/// How far off times are that were measured, without their own measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    /// The median factor by which predictions are off.
    pub predicted: f64,
    /// The same, corrected by the measurements of all other groups.
    pub corrected: f64,
}

impl LeftOut {
    /// Whether corrections are to be believed.
    pub fn is_better(&self) -> bool {
        self.corrected < self.predicted
    }
}

/// Leaves out the measurements of each group in turn (`group` is that of a candidate), and predicts them by the others.
/// `None`: there are too few to say.
pub fn left_out<G: PartialEq>(
    candidates: &[Candidate],
    measured: &[Tried],
    group: impl Fn(usize) -> G,
) -> Option<LeftOut> {
    if measured.len() < LEAST {
        return None;
    }
    let (mut predicted, mut corrected) = (Vec::new(), Vec::new());
    for own in measured {
        let is_other = |other: &&Tried| group(other.candidate) != group(own.candidate);
        let others: Vec<Tried> = measured.iter().filter(is_other).copied().collect();
        let found = correct(candidates, &others)?;
        let seconds = own.cost?;
        let factor = |said: f64| (said / seconds).ln().abs();
        predicted.push(factor(candidates[own.candidate].predicted?));
        corrected.push(factor(found[own.candidate].seconds));
    }
    Some(LeftOut {
        predicted: median(&predicted)?.exp(),
        corrected: median(&corrected)?.exp(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two kinds of variants of several sizes; one kind is predicted too fast.
    fn kinds() -> Vec<Candidate> {
        let one = |at: u32| Candidate {
            features: vec![f64::from(at % 2), f64::from(at / 2) / 8.0],
            predicted: Some(1.0 + f64::from(at)),
            ..Candidate::default()
        };
        (0..16).map(one).collect()
    }

    fn measured(at: &[usize], factor: impl Fn(usize) -> f64) -> Vec<Tried> {
        let all = kinds();
        let tried = |&at: &usize| Tried {
            candidate: at,
            cost: all[at].predicted.map(|seconds| seconds * factor(at)),
            area: None,
        };
        at.iter().map(tried).collect()
    }

    fn of_kind(at: usize) -> f64 {
        if at % 2 == 1 { 4.0 } else { 1.0 }
    }

    #[test]
    fn what_is_alike_is_off_alike() {
        let all = kinds();
        let found = correct(&all, &measured(&[0, 3, 4, 7, 10, 13], of_kind)).unwrap();
        for at in 0..16 {
            let ratio = found[at].seconds / (all[at].predicted.unwrap() * of_kind(at));
            assert!((0.75..1.35).contains(&ratio), "{at}: {ratio}");
            assert!(found[at].within >= 1.0);
        }
        // What was measured is known best.
        assert!(found[3].within < found[15].within);
    }

    #[test]
    fn corrections_are_checked_on_what_they_have_not_seen() {
        let all = kinds();
        let check = |times: &[Tried]| left_out(&all, times, |at| at).unwrap();
        let good = check(&measured(&[0, 3, 4, 7, 10, 13], of_kind));
        assert!(good.is_better(), "{good:?}");
        // Errors without any order say nothing of others.
        let noise = [1.0, 3.0, 0.4, 2.2, 0.5, 1.1];
        let at = [0, 2, 4, 6, 8, 10];
        let bad = check(&measured(&at, |at| noise[at / 2]));
        assert!(bad.corrected > 0.8 * bad.predicted, "{bad:?}");
        assert_eq!(left_out(&all, &measured(&[0, 1], of_kind), |at| at), None);
        assert_eq!(correct(&all, &[]), None);
    }
}
