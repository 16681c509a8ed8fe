//! Regression by a Gaussian process (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, algorithm
//! 2.1): what a value at a point is likely to be, and how far off that may be.

/// A symmetric, positive function of two points, by their numbers.
pub trait Covariance {
    /// Of two points.
    fn of(&self, a: usize, b: usize) -> f64;
}

/// A process that was fitted to observations.
pub struct Fitted<C> {
    covariance: C,
    at: Vec<usize>,
    /// The lower triangle of the Cholesky factor, row by row.
    factor: Vec<Vec<f64>>,
    /// The inverse of the covariance matrix times the values.
    weights: Vec<f64>,
    /// Of the observations, by this covariance: the logarithm of their probability density.
    pub log_likelihood: f64,
}

/// Fits a process of mean 0 to values at distinct points, each with an error of this variance. `None`: the matrix is not
/// positive definite.
pub fn fit<C: Covariance>(
    covariance: C,
    at: &[usize],
    values: &[f64],
    variance: f64,
) -> Option<Fitted<C>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(at.len());
    for (row, &a) in at.iter().enumerate() {
        let mut line: Vec<f64> = Vec::with_capacity(row + 1);
        for (column, &b) in at[..=row].iter().enumerate() {
            let own = covariance.of(a, b) + if row == column { variance } else { 0.0 };
            let before = match row == column {
                true => &line,
                false => &factor[column],
            };
            let rest = own - dot(&line[..column], &before[..column]);
            line.push(match row == column {
                true if rest <= 0.0 => return None,
                true => rest.sqrt(),
                false => rest / factor[column][column],
            });
        }
        factor.push(line);
    }
    let solved = forward(&factor, values);
    let weights = backward(&factor, &solved);
    let determinant: f64 = factor
        .iter()
        .enumerate()
        .map(|(row, line)| line[row].ln())
        .sum();
    let constant = 0.5 * at.len() as f64 * (2.0 * std::f64::consts::PI).ln();
    Some(Fitted {
        covariance,
        at: at.to_vec(),
        log_likelihood: -0.5 * dot(values, &weights) - determinant - constant,
        factor,
        weights,
    })
}

impl<C: Covariance> Fitted<C> {
    /// What it was fitted with.
    pub fn covariance(&self) -> &C {
        &self.covariance
    }

    /// Mean and variance of the value at a point.
    pub fn at(&self, point: usize) -> (f64, f64) {
        let own: Vec<f64> = self
            .at
            .iter()
            .map(|&at| self.covariance.of(at, point))
            .collect();
        let solved = forward(&self.factor, &own);
        let variance = self.covariance.of(point, point) - dot(&solved, &solved);
        (dot(&own, &self.weights), variance.max(0.0))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves `L x = b`.
fn forward(factor: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let mut x: Vec<f64> = Vec::with_capacity(b.len());
    for (row, line) in factor.iter().enumerate() {
        let rest = b[row] - dot(&line[..row], &x);
        x.push(rest / line[row]);
    }
    x
}

/// Solves `L' x = b`.
fn backward(factor: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for row in (0..b.len()).rev() {
        x[row] /= factor[row][row];
        let own = x[row];
        for column in 0..row {
            x[column] -= factor[row][column] * own;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line, one apart.
    struct Near;

    impl Covariance for Near {
        fn of(&self, a: usize, b: usize) -> f64 {
            (-0.5 * (a as f64 - b as f64).powi(2)).exp()
        }
    }

    #[test]
    fn values_are_met_where_they_are_known_and_forgotten_far_away() {
        let fitted = fit(Near, &[0, 2], &[1.0, -1.0], 1e-9).unwrap();
        let (mean, variance) = fitted.at(2);
        assert!((mean + 1.0).abs() < 1e-6 && variance < 1e-6);
        let (mean, variance) = fitted.at(1);
        assert!(mean.abs() < 1e-9 && variance > 0.1 && variance < 1.0);
        let (mean, variance) = fitted.at(50);
        assert!(mean.abs() < 1e-9 && (variance - 1.0).abs() < 1e-9);
    }

    #[test]
    fn likelihood_is_that_of_the_normal_distribution() {
        // One observation of 1 with variance 2.
        let fitted = fit(Near, &[7], &[1.0], 1.0).unwrap();
        let density = (-0.25f64).exp() / (4.0 * std::f64::consts::PI).sqrt();
        assert!((fitted.log_likelihood - density.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_same_point_twice_without_errors_is_refused() {
        assert!(fit(Near, &[1, 1], &[0.0, 1.0], 0.0).is_none());
    }
}
