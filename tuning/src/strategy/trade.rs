//! The front of two costs, time and area, by few builds: both are predicted, what predictions are off by is learned of both,
//! and the next candidate is the one that would add most to what the front dominates if each cost came out as low as it
//! may (Ponweiser, Wagner, Biermann and Vincze, "Multiobjective optimization on a limited budget of evaluations using
//! model-assisted S-metric selection", PPSN 2008). Both costs count as logarithms, so that halving one is worth the same
//! anywhere.

use super::candidate::{Candidate, Strategy, Tried, untried_that_fit};
use super::residual::{Posterior, Prior, Seen, Settings};

/// How many deviations below its mean a cost may come out.
const LOW: f64 = 0.5;

/// See the head of this file.
#[derive(Clone, Debug, Default)]
pub struct Trade {
    settings: Settings,
}

impl Strategy for Trade {
    fn name(&self) -> &'static str {
        "front"
    }

    fn next(&self, candidates: &[Candidate], history: &[Tried], most: usize) -> Vec<usize> {
        let left = untried_that_fit(candidates, history);
        let of_time = Prior::of(candidates, |one| one.predicted);
        let of_area = Prior::of(candidates, |one| one.area);
        let areas: Vec<Tried> = history.iter().map(of_its_area).collect();
        let times = Costs::of(&self.settings, &of_time, history);
        let areas = Costs::of(&self.settings, &of_area, &areas);
        let mut seen: Vec<[f64; 2]> = history
            .iter()
            .filter_map(|tried| Some([tried.cost?.ln(), tried.area?.ln()]))
            .collect();
        let low: Vec<(usize, [f64; 2])> = (left.iter())
            .map(|&at| (at, [times.low(at), areas.low(at)]))
            .collect();
        let worst = [0, 1].map(|cost| {
            let all = low.iter().map(|(_, low)| low).chain(&seen);
            all.map(|costs| costs[cost]).fold(f64::MIN, f64::max)
        });
        let mut batch: Vec<usize> = Vec::new();
        while batch.len() < most {
            let front = crate::front::front(&seen);
            let front: Vec<[f64; 2]> = front.iter().map(|&at| seen[at]).collect();
            let new = low.iter().filter(|(at, _)| !batch.contains(at));
            let gains = new.map(|(at, low)| (gain(&front, low, &worst), *at, *low));
            // Of equal ones the first.
            let best = gains.reduce(|best, one| if one.0 > best.0 { one } else { best });
            let Some((_, at, low)) = best else {
                break;
            };
            batch.push(at);
            seen.push(low);
        }
        batch
    }
}

fn of_its_area(tried: &Tried) -> Tried {
    Tried {
        cost: tried.area,
        ..*tried
    }
}

/// One of both costs.
struct Costs<'a> {
    prior: &'a Prior<'a>,
    posterior: Option<Posterior<'a>>,
}

impl<'a> Costs<'a> {
    fn of(settings: &Settings, prior: &'a Prior<'a>, history: &[Tried]) -> Self {
        let seen = Seen::of(prior, history);
        Costs {
            prior,
            posterior: seen.map(|seen| Posterior::of(settings, prior, &seen)),
        }
    }

    /// As low as the logarithm of a candidate's cost may come out.
    fn low(&self, candidate: usize) -> f64 {
        let Some(posterior) = &self.posterior else {
            return self.prior.logs[candidate];
        };
        let each = posterior.at(candidate);
        each.map(|(weight, mean, deviation)| weight * (mean - LOW * deviation))
            .sum()
    }
}

/// What a point would add to the area that a front dominates up to the worst costs; of one that adds nothing how far it is
/// from adding something, as a negative number.
fn gain(front: &[[f64; 2]], point: &[f64; 2], worst: &[f64; 2]) -> f64 {
    let beaten = front
        .iter()
        .map(|one| (point[0] - one[0]).min(point[1] - one[1]));
    let beaten = beaten.fold(f64::MIN, f64::max);
    if beaten >= 0.0 {
        return -beaten;
    }
    // By the first cost: steps from the left, each as high as the best second cost so far.
    let mut gain = 0.0;
    let mut height = worst[1];
    let mut at = point[0];
    for one in front {
        if one[0] > at {
            gain += (one[0].min(worst[0]) - at).max(0.0) * (height - point[1]).max(0.0);
            at = one[0];
        }
        height = height.min(one[1]);
    }
    gain + (worst[0] - at).max(0.0) * (height - point[1]).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::{adrs, front};

    #[test]
    fn gains_are_areas() {
        let front = [[1.0, 3.0], [2.0, 1.0]];
        let worst = [4.0, 4.0];
        // Left of all: 1 wide to the first step, 4 - 2 high; then 1 wide, 3 - 2 high.
        assert_eq!(gain(&front, &[0.0, 2.0], &worst), 2.0 + 1.0);
        assert_eq!(gain(&front, &[3.0, 0.5], &worst), 0.5);
        assert_eq!(gain(&[], &[3.0, 3.0], &worst), 1.0);
        assert!(gain(&front, &[2.5, 1.5], &worst) < 0.0);
    }

    #[test]
    fn most_of_a_front_is_found_with_a_twentieth() {
        // Copies of a loop and lanes: time falls, area rises; predictions are off by what one of them costs.
        let mut candidates = Vec::new();
        let mut truth = Vec::new();
        for x in 0..20 {
            for y in 0..20 {
                let (x, y) = (f64::from(x) / 19.0, f64::from(y) / 19.0);
                let costs = [(-2.0 * x - y).exp(), 0.1 * (1.5 * x + y).exp()];
                truth.push([
                    costs[0] * (1.0 + 2.0 * (x - 0.6).powi(2)),
                    costs[1] * (1.0 + 0.5 * y),
                ]);
                candidates.push(Candidate {
                    features: vec![x, y],
                    predicted: Some(costs[0]),
                    area: Some(costs[1]),
                    ..Candidate::default()
                });
            }
        }
        let mut history: Vec<Tried> = Vec::new();
        while history.len() < 20 {
            for candidate in Trade::default().next(&candidates, &history, 4) {
                assert!(history.iter().all(|tried| tried.candidate != candidate));
                history.push(Tried {
                    candidate,
                    cost: Some(truth[candidate][0]),
                    area: Some(truth[candidate][1]),
                });
            }
        }
        let of_front = |all: &[[f64; 2]]| -> Vec<[f64; 2]> {
            front(all).into_iter().map(|at| all[at]).collect()
        };
        let found: Vec<[f64; 2]> = history.iter().map(|one| truth[one.candidate]).collect();
        let off = adrs(&of_front(&truth), &of_front(&found));
        assert!(off < 0.1, "{off}");
    }
}
