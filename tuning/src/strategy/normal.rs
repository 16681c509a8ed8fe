//! The normal distribution, and Student's, which is what is known of a value whose deviation is learned from few others.

/// The standard normal distribution's part below `z` (Abramowitz and Stegun 26.2.17, to 7.5e-8).
pub fn below(z: f64) -> f64 {
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

/// The part below `t` of Student's distribution with so many degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
pub fn below_by_few(t: f64, degrees: usize) -> f64 {
    let angle = (t / (degrees.max(1) as f64).sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    let is_odd = degrees % 2 == 1;
    // 1 + 1/2 cos^2 + 1/2 3/4 cos^4 + .., or cos + 2/3 cos^3 + 2/3 4/5 cos^5 + ..
    let (mut term, first) = if is_odd { (cos, 3) } else { (1.0, 2) };
    let mut sum = 0.0;
    for next in (first..=degrees.max(first)).step_by(2) {
        sum += term;
        term *= cos * cos * (next - 1) as f64 / next as f64;
    }
    let within = match (degrees, is_odd) {
        (0 | 1, _) => angle * 2.0 / std::f64::consts::PI,
        (_, true) => (angle + sin * sum) * 2.0 / std::f64::consts::PI,
        (_, false) => sin * sum,
    };
    0.5 * (1.0 + within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_lies_below_the_mean() {
        assert!((below(0.0) - 0.5).abs() < 1e-6);
        assert!((below(1.959_964) - 0.975).abs() < 1e-6);
        assert!((below(-1.0) - 0.158_655).abs() < 1e-6);
    }

    #[test]
    fn few_leave_longer_tails() {
        // Quantiles of the distribution's tables.
        for (t, degrees) in [
            (6.314, 1),
            (2.920, 2),
            (2.353, 3),
            (2.132, 4),
            (2.015, 5),
            (1.697, 30),
        ] {
            assert!((below_by_few(t, degrees) - 0.95).abs() < 1e-4, "{degrees}");
            assert!((below_by_few(-t, degrees) - 0.05).abs() < 1e-4, "{degrees}");
        }
    }
}
