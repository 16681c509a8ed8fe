//! How much each parameter matters: by which factor a distance along it counts, as what was measured is explained best
//! (automatic relevance determination: Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, section
//! 5.1). All start alike; one factor after the other moves as long as that helps.

/// Of the logarithm of a factor, before anything is measured: the standard deviation around 0.
const DEVIATION: f64 = 1.0;
/// How far a factor's logarithm moves at a time, and at most.
const STEP: f64 = 0.7;
const FARTHEST: f64 = 3.0;
/// How often all of them are moved.
const ROUNDS: usize = 3;
/// What moves the likelihood by less, as a logarithm, does not help.
const LEAST: f64 = 1e-3;

/// The factors of so many parameters. `likelihood` is the logarithm of that of what was measured, with these factors.
pub fn relevances(count: usize, likelihood: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let factors = |logs: &[f64]| -> Vec<f64> { logs.iter().map(|log| log.exp()).collect() };
    let value = |logs: &[f64]| {
        let unlikely: f64 = logs.iter().map(|log| (log / DEVIATION).powi(2)).sum();
        likelihood(&factors(logs)) - 0.5 * unlikely
    };
    let mut logs = vec![0.0; count];
    let mut best = value(&logs);
    for _ in 0..ROUNDS {
        let before = best;
        for parameter in 0..count {
            for step in [STEP, -STEP] {
                while let Some((moved, found)) = better(&logs, parameter, step, best, value) {
                    (logs, best) = (moved, found);
                }
            }
        }
        if best < before + LEAST {
            break;
        }
    }
    factors(&logs)
}

/// One step further, if that is better.
fn better(
    logs: &[f64],
    parameter: usize,
    step: f64,
    best: f64,
    value: impl Fn(&[f64]) -> f64,
) -> Option<(Vec<f64>, f64)> {
    let mut moved = logs.to_vec();
    moved[parameter] += step;
    if moved[parameter].abs() > FARTHEST {
        return None;
    }
    let found = value(&moved);
    (found > best + LEAST).then_some((moved, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_explains_more_counts_more_and_the_rest_stays() {
        // The first wants a factor of 4, the second one of 1/4, nothing depends on the third.
        let likelihood = |factors: &[f64]| {
            let off = [factors[0].ln() - 4f64.ln(), factors[1].ln() + 4f64.ln()];
            -50.0 * off.iter().map(|off| off * off).sum::<f64>()
        };
        let found = relevances(3, likelihood);
        assert!(found[0] > 2.5 && found[1] < 0.4, "{found:?}");
        assert_eq!(found[2], 1.0);
    }

    #[test]
    fn no_factor_grows_without_end() {
        let found = relevances(1, |factors| 100.0 * factors[0].ln());
        assert!(found[0] <= FARTHEST.exp(), "{found:?}");
    }
}
