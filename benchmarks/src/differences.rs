//! What a run prints otherwise than the original, and whether sums in another order explain it.

use std::fmt;

/// What differs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differences {
    found: Vec<Found>,
}

#[derive(Clone, Debug, PartialEq)]
enum Found {
    /// Two numbers, as they were written.
    Numbers(String, String),
    /// Anything else, described.
    Other(String),
}

impl Differences {
    /// Adds one that is described.
    pub fn add(&mut self, what: String) {
        self.found.push(Found::Other(what));
    }

    /// Adds those of a text. The original ran twice: what differs between these two is a time.
    pub fn compare(&mut self, original: &str, again: &str, ours: &str) {
        let lines = [original, again, ours].map(|text| text.lines().collect::<Vec<_>>());
        if lines[0].len() != lines[2].len() && lines[0].len() == lines[1].len() {
            let (a, b) = (lines[0].len(), lines[2].len());
            return self.add(format!("it prints {b} lines instead of {a}"));
        }
        for (at, (line, ours)) in lines[0].iter().zip(&lines[2]).enumerate() {
            let again = lines[1].get(at).copied().unwrap_or_default();
            self.compare_lines(line, again, ours);
        }
    }

    /// Adds the words of a line that changed, though they were the same in both runs of the original and
    /// are no time.
    fn compare_lines(&mut self, line: &str, again: &str, ours: &str) {
        if line == ours {
            return;
        }
        let words = [line, again, ours].map(|line| line.split_whitespace().collect::<Vec<_>>());
        let is_time = tells_a_time(line) && without_numbers(line) == without_numbers(ours);
        if is_time || (line != again && words[0].len() != words[1].len()) {
            return;
        }
        if words[0].len() != words[2].len() {
            return self.add(format!("`{}` became `{}`", line.trim(), ours.trim()));
        }
        for (at, (a, b)) in words[0].iter().zip(&words[2]).enumerate() {
            if a == b || words[1].get(at) != Some(a) {
                continue;
            }
            match (number(a), number(b)) {
                (Some(_), Some(_)) => {
                    let numbers = Found::Numbers(a.to_string(), b.to_string());
                    self.found.push(numbers);
                }
                _ => self.add(format!("`{a}` became `{b}`")),
            }
        }
    }

    /// The first one, described.
    pub fn first(&self) -> Option<String> {
        Some(match self.found.first()? {
            Found::Numbers(a, b) => format!("`{a}` became `{b}`"),
            Found::Other(what) => what.clone(),
        })
    }

    /// How far the numbers are apart, if nothing but numbers differs.
    pub fn rounding(&self) -> Option<Rounding> {
        let mut pairs = Vec::new();
        for found in &self.found {
            let Found::Numbers(a, b) = found else {
                return None;
            };
            pairs.push(Pair::new(a, b)?);
        }
        (!pairs.is_empty()).then_some(Rounding { pairs })
    }
}

/// Numbers that are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounding {
    pairs: Vec<Pair>,
}

impl Rounding {
    /// Whether two sums of terms of one sign, each in some order, of which none goes through more than this many
    /// additions, explain all differences.
    pub fn is_within(&self, terms: u32) -> bool {
        self.pairs.iter().all(|pair| pair.is_within(bound(terms)))
    }

    /// The largest relative difference.
    fn largest(&self) -> f64 {
        self.pairs.iter().map(Pair::relative).fold(0.0, f64::max)
    }

    /// The largest relative difference, and what is allowed.
    pub fn against(&self, terms: u32) -> String {
        let (largest, bound) = (self.largest(), bound(terms));
        format!("but apart by {largest:.1e} of themselves, and {bound:.1e} is allowed")
    }
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, largest) = (self.pairs.len(), self.largest());
        write!(
            f,
            "numbers apart: {count}, by {largest:.1e} of themselves at most"
        )
    }
}

/// How far apart two such sums of floats may be, as a part of themselves. Each addition is within 2^-24 of
/// its result, so each of the sums is within `terms` times that of the exact one.
fn bound(terms: u32) -> f64 {
    2.0 * f64::from(terms) * f64::from(f32::EPSILON) / 2.0
}

#[derive(Clone, Debug, PartialEq)]
struct Pair {
    numbers: [f64; 2],
    /// One in the last place that is printed.
    unit: f64,
}

impl Pair {
    fn new(a: &str, b: &str) -> Option<Pair> {
        Some(Pair {
            numbers: [number(a)?, number(b)?],
            unit: unit(a).max(unit(b)),
        })
    }

    fn is_within(&self, bound: f64) -> bool {
        let [a, b] = self.numbers;
        // Both may have been rounded apart when they were printed.
        (a - b).abs() <= (bound * a.abs().max(b.abs()) + self.unit) * (1.0 + f64::EPSILON)
    }

    fn relative(&self) -> f64 {
        let [a, b] = self.numbers;
        (a - b).abs() / a.abs().max(b.abs())
    }
}

/// The number that a word is, with what stands around it in lists.
fn number(word: &str) -> Option<f64> {
    let number: f64 = bare(word).parse().ok()?;
    number.is_finite().then_some(number)
}

fn bare(word: &str) -> &str {
    word.trim_matches([',', ';', ':', '(', ')', '[', ']'])
}

/// What one more in the last place of a printed number is.
fn unit(word: &str) -> f64 {
    let (mantissa, exponent) = match bare(word).split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(0)),
        None => (bare(word), 0),
    };
    let places = mantissa
        .split_once('.')
        .map_or(0, |(_, digits)| digits.len());
    10f64.powi(exponent - i32::try_from(places).unwrap_or(i32::MAX / 2))
}

/// What stays of a line when another run takes another time.
fn without_numbers(line: &str) -> String {
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | ' ' | 'e');
    line.chars().filter(|c| !number(*c)).collect()
}

/// Whether a line says how long something took, or how much was done in a second.
fn tells_a_time(line: &str) -> bool {
    let line = line.to_lowercase();
    let words = [
        "time", "sec", " ms", "runtime", "elapsed", "/s", "flops", "speed", "duration", "timer",
    ];
    words.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_the_last_place() {
        assert_eq!(unit("1785.98"), 0.01);
        assert_eq!(unit("3"), 1.0);
        assert!((unit("1.25e-3,") - 1e-5).abs() < 1e-20);
    }
}
