//! Fitting the clock: least squares of the logarithm of measured clocks.

use crate::board::{Board, ClockPenalties};
use crate::prediction::PenaltyCauses;

/// A measured clock, in MHz, and what lowered it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// In MHz.
    pub mhz: f64,
    /// What lowered it.
    pub causes: PenaltyCauses,
}

const SLOPES: usize = 6;
/// Keeps slopes near 0 on which the samples say nothing.
const RIDGE: f64 = 1e-3;

/// The slopes that fit the samples best, none below 0: nothing raises a clock.
pub fn fit(samples: &[Sample], board: &Board) -> ClockPenalties {
    let highest = board.clock.highest_mhz;
    let rows: Vec<([f64; SLOPES], f64)> = samples
        .iter()
        .map(|sample| (causes(&sample.causes), (highest / sample.mhz).ln()))
        .collect();
    let mut used = [true; SLOPES];
    loop {
        let slopes = least_squares(&rows, &used);
        let negative = (0..SLOPES).min_by(|a, b| slopes[*a].total_cmp(&slopes[*b]));
        match negative.filter(|at| slopes[*at] < 0.0) {
            Some(at) => used[at] = false,
            None => return penalties(slopes),
        }
    }
}

fn causes(causes: &PenaltyCauses) -> [f64; SLOPES] {
    [
        1.0,
        causes.logic,
        causes.ram,
        causes.divergent,
        causes.wide,
        causes.deep,
    ]
}

fn penalties([any_logic, logic, ram, divergent, wide, deep]: [f64; SLOPES]) -> ClockPenalties {
    ClockPenalties {
        any_logic,
        logic,
        ram,
        divergent,
        wide,
        deep,
    }
}

/// Solves the normal equations of the slopes in use by elimination.
fn least_squares(rows: &[([f64; SLOPES], f64)], used: &[bool; SLOPES]) -> [f64; SLOPES] {
    let mut matrix = [[0.0; SLOPES + 1]; SLOPES];
    for (at, row) in matrix.iter_mut().enumerate() {
        if !used[at] {
            row[at] = 1.0;
            continue;
        }
        for (causes, target) in rows {
            for other in (0..SLOPES).filter(|other| used[*other]) {
                row[other] += causes[at] * causes[other];
            }
            row[SLOPES] += causes[at] * target;
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

    fn sample(logic: f64, ram: f64, mhz: f64) -> Sample {
        Sample {
            mhz,
            causes: PenaltyCauses {
                logic,
                ram,
                ..PenaltyCauses::default()
            },
        }
    }

    #[test]
    fn slopes_are_found_again_and_none_raises_the_clock() {
        let board = Board::named("de5a-net").unwrap();
        let clock =
            |logic: f64, ram: f64| board.clock.highest_mhz * (-0.2 - 1.5 * logic + ram).exp();
        let places = [(0.1, 0.1), (0.3, 0.1), (0.2, 0.4), (0.5, 0.2), (0.9, 0.9)];
        let falling: Vec<Sample> = places.map(|(x, _)| sample(x, 0.0, clock(x, 0.0))).to_vec();
        let found = fit(&falling.repeat(100), &board);
        assert!((found.logic - 1.5).abs() < 1e-3, "{found:?}");
        assert!((found.any_logic - 0.2).abs() < 1e-3, "{found:?}");
        let rising: Vec<Sample> = places.map(|(x, y)| sample(x, y, clock(x, y))).to_vec();
        assert_eq!(fit(&rising, &board).ram, 0.0);
    }
}
