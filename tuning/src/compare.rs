//! Whether a variant is faster than another beyond what noise explains.
//!
//! Both run by turns, so that each pair of runs meets the same machine. The sign test (Dixon and Mood, "The statistical
//! sign test", 1946) asks of the pairs how likely it is that chance alone lets the variant win so many. It assumes nothing
//! of how times are distributed but that, without a difference, either is as likely to win a pair: by how much it wins or
//! loses does not count, so that a run that something else delayed decides no more than its pair.

use crate::random::Random;

/// The most likely that the program as it is be given up for something that is no faster.
pub const LEVEL: f64 = 0.01;

/// The middle of numbers; of an even number the mean of the two in the middle.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(0.5 * (sorted[middle - 1] + sorted[middle])),
    }
}

/// The probability that of so many pairs without a difference at least so many are won.
pub fn by_chance(pairs: usize, won: usize) -> f64 {
    // Of all outcomes of the pairs, the part with each number of wins.
    let mut parts = vec![0.0; pairs + 1];
    parts[0] = 1.0;
    for _ in 0..pairs {
        for at in (0..=pairs).rev() {
            let with = if at > 0 { parts[at - 1] } else { 0.0 };
            parts[at] = 0.5 * (parts[at] + with);
        }
    }
    parts[won..].iter().sum()
}

/// How much faster a variant is than the baseline, of runs in pairs: the median of their ratios. `None`: chance may
/// explain it, at `level`.
pub fn faster(own: &[f64], baseline: &[f64], level: f64) -> Option<f64> {
    let ratios = baseline
        .iter()
        .zip(own)
        .map(|(baseline, own)| baseline / own);
    let ratios: Vec<f64> = ratios.collect();
    // A draw is not won.
    let won = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    median(&ratios).filter(|_| by_chance(ratios.len(), won) <= level)
}

/// Of how many variants so many pairs of runs could show that one is faster.
pub fn proves(pairs: usize) -> usize {
    // The least probability is that all pairs favour the variant.
    let least = 0.5_f64.powi(pairs.min(60) as i32);
    (LEVEL / least) as usize
}

/// The fastest of several variants that is surely faster than the baseline, and by at least `gain`; `None`: there is none,
/// and the baseline stays. The more there are, the surer each must be (Bonferroni), so that the chance that any is taken
/// wrongly is [`LEVEL`].
pub fn winner(own: &[Vec<f64>], baseline: &[f64], gain: f64) -> Option<usize> {
    let level = LEVEL / own.len().max(1) as f64;
    let faster = own.iter().enumerate().filter_map(|(at, runs)| {
        let ratio = faster(runs, baseline, level)?;
        (ratio * (1.0 - gain) >= 1.0).then_some((at, ratio))
    });
    let best = faster.max_by(|a, b| a.1.total_cmp(&b.1));
    best.map(|(at, _)| at)
}

/// The order in which so many are run in a round: another one each round, so that none always follows the same.
pub fn turns(count: usize, round: usize, seed: u64) -> Vec<usize> {
    Random::new(seed.wrapping_mul(1000).wrapping_add(round as u64)).order(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_binomial_distribution() {
        assert_eq!(by_chance(3, 3), 0.125);
        assert_eq!(by_chance(3, 0), 1.0);
        assert_eq!(by_chance(12, 10), 79.0 / 4096.0);
        assert_eq!(by_chance(0, 0), 1.0);
    }

    #[test]
    fn a_draw_is_not_won() {
        let baseline = [1.0; 10];
        let mut own = [0.5; 10];
        assert_eq!(faster(&own, &baseline, 0.01), Some(2.0));
        own[..2].fill(1.0);
        assert_eq!(faster(&own, &baseline, 0.01), None);
    }

    /// A machine that is busy for a while every now and then, and interrupts.
    struct Machine {
        random: Random,
        busy: f64,
    }

    impl Machine {
        fn run(&mut self, seconds: f64) -> f64 {
            if self.random.below(60) == 0 {
                self.busy = 1.0 + 2.0 * self.random.unit();
            }
            let interrupted = match self.random.below(12) {
                0 => 1.0 + 3.0 * self.random.unit(),
                _ => 1.0,
            };
            seconds * self.busy * interrupted * (1.0 + 0.05 * self.random.unit())
        }
    }

    /// How often a variant that takes so long is taken in place of a baseline of one second.
    fn taken(seconds: f64, variants: usize) -> f64 {
        const TIMES: usize = 2000;
        let random = Random::new(7);
        let mut machine = Machine { random, busy: 1.0 };
        let taken = (0..TIMES).filter(|_| {
            let mut own = vec![Vec::new(); variants];
            let mut baseline = Vec::new();
            for _ in 0..20 {
                baseline.push(machine.run(1.0));
                own.iter_mut()
                    .for_each(|own| own.push(machine.run(seconds)));
            }
            winner(&own, &baseline, 0.02).is_some()
        });
        taken.count() as f64 / TIMES as f64
    }

    #[test]
    fn what_is_no_faster_is_hardly_ever_taken_whatever_the_machine_does() {
        assert!(taken(1.0, 1) <= 0.015, "{}", taken(1.0, 1));
        assert!(taken(1.0, 3) <= 0.015, "{}", taken(1.0, 3));
        assert!(taken(1.03, 1) <= 0.002, "{}", taken(1.03, 1));
        assert!(taken(0.8, 1) >= 0.9, "{}", taken(0.8, 1));
        assert!(taken(0.5, 3) >= 0.99, "{}", taken(0.5, 3));
    }

    #[test]
    fn few_pairs_prove_nothing() {
        assert_eq!([6, 7, 8, 9].map(proves), [0, 1, 2, 5]);
    }

    #[test]
    fn the_fastest_that_is_sure_is_taken() {
        let baseline = vec![1.0; 12];
        let sure = vec![0.8; 12];
        let mut wild = vec![0.5; 12];
        wild[..6].fill(2.0);
        assert_eq!(
            winner(&[wild.clone(), sure.clone()], &baseline, 0.02),
            Some(1)
        );
        assert_eq!(winner(&[sure, vec![0.7; 12]], &baseline, 0.02), Some(1));
        assert_eq!(winner(&[wild], &baseline, 0.02), None);
        // Surely faster, but not worth it.
        assert_eq!(winner(&[vec![0.99; 12]], &baseline, 0.02), None);
        assert_eq!(winner(&[], &baseline, 0.02), None);
        // So few runs say nothing.
        assert_eq!(winner(&[vec![0.5; 6]], &[1.0; 6], 0.02), None);
    }
}
