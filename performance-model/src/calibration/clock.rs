//! Fitting the clock: least squares of the logarithm of measured clocks.

use crate::board::{Board, ClockPenalties};
use crate::prediction::PenaltyCauses;

/// A measured clock, and what lowered it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// In MHz.
    pub mhz: f64,
    /// The highest of the board, in MHz.
    pub highest_mhz: f64,
    /// What lowered it.
    pub causes: PenaltyCauses,
    /// How much it counts.
    pub weight: f64,
}

impl Sample {
    /// A clock of a board, that counts once.
    pub fn new(mhz: f64, board: &Board, causes: PenaltyCauses) -> Self {
        Sample {
            mhz,
            highest_mhz: board.clock.highest_mhz,
            causes,
            weight: 1.0,
        }
    }
}

const SLOPES: usize = ClockPenalties::COUNT;
/// Keeps slopes near 0 on which the samples say nothing.
const RIDGE: f64 = 1e-3;

/// The slopes that fit the samples best, of those causes for which `shipped` has one. None is below 0: nothing raises a
/// clock.
pub fn fit(samples: &[Sample], shipped: &ClockPenalties) -> ClockPenalties {
    let row = |sample: &Sample| Row {
        causes: sample.causes.terms(),
        target: (sample.highest_mhz / sample.mhz).ln(),
        weight: sample.weight,
    };
    let rows: Vec<Row> = samples.iter().map(row).collect();
    let mut used = shipped.slopes().map(|slope| slope > 0.0);
    loop {
        let slopes = least_squares(&rows, &used);
        let negative = (0..SLOPES).min_by(|a, b| slopes[*a].total_cmp(&slopes[*b]));
        match negative.filter(|at| slopes[*at] < 0.0) {
            Some(at) => used[at] = false,
            None => return ClockPenalties::of(slopes),
        }
    }
}

/// An equation: the causes, how far the clock is below the highest, as a logarithm, and how much it counts.
struct Row {
    causes: [f64; SLOPES],
    target: f64,
    weight: f64,
}

/// Solves the normal equations of the slopes in use by elimination.
fn least_squares(rows: &[Row], used: &[bool; SLOPES]) -> [f64; SLOPES] {
    let mut matrix = [[0.0; SLOPES + 1]; SLOPES];
    for (at, row) in matrix.iter_mut().enumerate() {
        if !used[at] {
            row[at] = 1.0;
            continue;
        }
        for one in rows {
            let cause = one.causes[at] * one.weight;
            for other in (0..SLOPES).filter(|other| used[*other]) {
                row[other] += cause * one.causes[other];
            }
            row[SLOPES] += cause * one.target;
        }
        row[at] += RIDGE;
    }
    // The matrix is positive definite: no pivot is 0.
    for at in 0..SLOPES {
        let pivot = matrix[at];
        for (_, row) in matrix
            .iter_mut()
            .enumerate()
            .filter(|(other, _)| *other != at)
        {
            let factor = row[at] / pivot[at];
            for column in at..=SLOPES {
                row[column] -= factor * pivot[column];
            }
        }
    }
    std::array::from_fn(|at| matrix[at][SLOPES] / matrix[at][at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(logic: f64, ram: f64, mhz: f64, board: &Board) -> Sample {
        let causes = PenaltyCauses {
            logic,
            ram,
            ..PenaltyCauses::default()
        };
        Sample::new(mhz, board, causes)
    }

    #[test]
    fn slopes_are_found_again_and_none_raises_the_clock() {
        let board = Board::named("de5a-net").unwrap();
        let shipped = board.clock.penalties;
        let clock =
            |logic: f64, ram: f64| board.clock.highest_mhz * (-0.2 - 1.5 * logic + ram).exp();
        let places = [(0.1, 0.1), (0.3, 0.1), (0.2, 0.4), (0.5, 0.2), (0.9, 0.9)];
        let falling = places.map(|(x, _)| sample(x, 0.0, clock(x, 0.0), &board));
        let found = fit(&falling.repeat(100), &shipped);
        assert!((found.logic - 1.5).abs() < 1e-3, "{found:?}");
        assert!((found.any_logic - 0.2).abs() < 1e-3, "{found:?}");
        let rising = places.map(|(x, y)| sample(x, y, clock(x, y), &board));
        assert_eq!(fit(&rising, &shipped).ram, 0.0);
        let only_any = ClockPenalties {
            any_logic: 0.3,
            ..ClockPenalties::default()
        };
        assert_eq!(fit(&falling, &only_any).logic, 0.0);
    }

    #[test]
    fn weights_count_as_copies_do() {
        let board = Board::named("de5a-net").unwrap();
        let (low, high) = (
            sample(0.1, 0.0, 300.0, &board),
            sample(0.3, 0.2, 200.0, &board),
        );
        let twice = Sample { weight: 2.0, ..low };
        let shipped = &board.clock.penalties;
        assert_eq!(
            fit(&[twice, high], shipped),
            fit(&[low, low, high], shipped)
        );
    }
}
