//! Whether two jobs do the same.

use crate::job::Job;
use crate::run::{Platform, RunError, run};

/// How far results may lie apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// Not at all: every byte is equal.
    Exact,
    /// These buffers hold floats that may differ, since operations were reassociated; all others are
    /// equal.
    Floats {
        /// Indices of the buffers.
        buffers: Vec<usize>,
        /// `|a - b| <= relative * max(|a|, |b|)`, or ..
        relative: f64,
        /// .. `|a - b| <= absolute`.
        absolute: f64,
        /// 4 or 8 bytes.
        width: usize,
    },
}

/// Jobs that do not do the same, or could not be compared.
#[derive(Debug, thiserror::Error)]
pub enum Difference {
    /// The original does not run.
    #[error("the original does not run: {0}")]
    Original(RunError),
    /// The rewritten program does not run.
    #[error("the rewritten program does not run: {error}\n{source_text}")]
    Rewritten {
        /// Why.
        error: RunError,
        /// Its text.
        source_text: String,
    },
    /// Oclgrind complains of a job: comparing its results would prove nothing.
    #[error("Oclgrind complains:\n{0}")]
    Complaints(String),
    /// Results differ.
    #[error("on {platform:?}, {what}\n{source_text}")]
    Results {
        /// Where.
        platform: Platform,
        /// The first place that differs.
        what: String,
        /// The rewritten text.
        source_text: String,
    },
}

/// Whether a rewritten job is as legal as its original, and does exactly the same on both emulators.
///
/// # Errors
/// Where it is not, or differs.
pub fn unchanged(original: &Job, rewritten: &Job) -> Result<(), Difference> {
    certify(original)?;
    certify(rewritten)?;
    same(original, rewritten, &Platform::EMULATORS, &Bound::Exact)
}

/// Certifies a job: under Oclgrind no data race, no access out of bounds, no divergent barrier. Only
/// then must all implementations agree on its results.
///
/// # Errors
/// If it does not run there, or Oclgrind complains.
pub fn certify(job: &Job) -> Result<(), Difference> {
    let output = run(job, Platform::Oclgrind).map_err(Difference::Original)?;
    match output.complaints.trim().is_empty() {
        true => Ok(()),
        false => Err(Difference::Complaints(output.complaints)),
    }
}

/// Runs both jobs on each platform and compares all buffers.
///
/// # Errors
/// The first difference.
pub fn same(
    original: &Job,
    rewritten: &Job,
    platforms: &[Platform],
    bound: &Bound,
) -> Result<(), Difference> {
    for &platform in platforms {
        let before = run(original, platform).map_err(Difference::Original)?;
        let after = run(rewritten, platform).map_err(|error| Difference::Rewritten {
            error,
            source_text: rewritten.source.clone(),
        })?;
        if let Some(what) = difference(&before.buffers, &after.buffers, bound) {
            return Err(Difference::Results {
                platform,
                what,
                source_text: rewritten.source.clone(),
            });
        }
    }
    Ok(())
}

/// The first place at which buffers differ by more than the bound.
pub fn difference(before: &[Vec<u8>], after: &[Vec<u8>], bound: &Bound) -> Option<String> {
    if before.len() != after.len() {
        return Some("the jobs have different numbers of buffers".to_string());
    }
    let pairs = before.iter().zip(after).enumerate();
    pairs
        .filter(|(_, (a, b))| a != b)
        .find_map(|(index, (a, b))| match bound {
            Bound::Floats {
                buffers,
                relative,
                absolute,
                width,
            } if buffers.contains(&index) && a.len() == b.len() => {
                let near = |x: f64, y: f64| {
                    let apart = (x - y).abs();
                    x == y
                        || (x.is_nan() && y.is_nan())
                        || apart <= *absolute
                        || apart <= relative * x.abs().max(y.abs())
                };
                floats(a, *width)
                    .zip(floats(b, *width))
                    .position(|(x, y)| !near(x, y))
                    .map(|at| {
                        let (x, y) = (floats(a, *width).nth(at), floats(b, *width).nth(at));
                        let (x, y) = (x.unwrap_or(f64::NAN), y.unwrap_or(f64::NAN));
                        format!("buffer {index}, element {at}: {x} became {y}")
                    })
            }
            _ => Some(first_byte(index, a, b)),
        })
}

fn first_byte(index: usize, a: &[u8], b: &[u8]) -> String {
    let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(0);
    let word = |bytes: &[u8]| {
        let from = at / 4 * 4;
        let chunk = bytes.get(from..from + 4)?;
        let chunk = [chunk[0], chunk[1], chunk[2], chunk[3]];
        let (int, float) = (i32::from_ne_bytes(chunk), f32::from_ne_bytes(chunk));
        Some(format!("{int} (as float {float:e})"))
    };
    let differing = a.iter().zip(b).filter(|(x, y)| x != y).count();
    format!(
        "buffer {index}, byte {at} (of {differing} that differ): {} became {}",
        word(a).unwrap_or_default(),
        word(b).unwrap_or_default()
    )
}

fn floats(bytes: &[u8], width: usize) -> impl Iterator<Item = f64> {
    bytes.chunks_exact(width).map(|chunk| match *chunk {
        [a, b, c, d] => f64::from(f32::from_ne_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => f64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    #[test]
    fn bounds_hold_for_their_buffers_only() {
        let bound = Bound::Floats {
            buffers: vec![0],
            relative: 1e-5,
            absolute: 0.0,
            width: 4,
        };
        let (a, b) = (bytes(&[1.0, 2.0]), bytes(&[1.0, 2.000_001]));
        let near = difference(std::slice::from_ref(&a), std::slice::from_ref(&b), &bound);
        assert_eq!(near, None);
        let exact = difference(
            std::slice::from_ref(&a),
            std::slice::from_ref(&b),
            &Bound::Exact,
        );
        assert!(exact.is_some_and(|what| what.contains("buffer 0, byte 4")));
        let other = difference(&[Vec::new(), a], &[Vec::new(), b], &bound);
        assert!(other.is_some_and(|what| what.contains("buffer 1, byte 4")));
    }

    #[test]
    fn what_is_too_far_apart_is_named() {
        let bound = Bound::Floats {
            buffers: vec![0],
            relative: 1e-5,
            absolute: 0.0,
            width: 4,
        };
        let far = difference(&[bytes(&[1.0, 2.0])], &[bytes(&[1.0, 2.1])], &bound);
        assert!(far.is_some_and(|what| what.contains("element 1: 2 became 2.0999")));
    }
}
