//! What a program read back from the device, and how two runs' read-backs differ.
//!
//! The format is that of `common/workload.h`: for each read-back a line `name type count`, then its
//! bytes in the machine's order.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// How far a value may be from the original: `|a - b| <= absolute + relative * |a|`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Factor of the original's magnitude.
    pub relative: f64,
    /// In the value's own unit.
    pub absolute: f64,
}

impl Bound {
    /// No difference at all.
    pub const EXACT: Bound = Bound {
        relative: 0.0,
        absolute: 0.0,
    };

    /// How much of the bound a difference takes: at most 1 within it. Infinities and NaN admit only
    /// their like.
    fn share(self, original: f64, other: f64) -> f64 {
        let difference = difference(original, other);
        let allowed = self.absolute + self.relative * original.abs();
        match difference == 0.0 {
            true => 0.0,
            false if difference.is_finite() => difference / allowed,
            false => f64::INFINITY,
        }
    }
}

/// The type of a read-back's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `float`
    F32,
    /// `double`
    F64,
    /// `int`
    I32,
    /// `unsigned char`
    U8,
}

impl Element {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "f32" => Element::F32,
            "f64" => Element::F64,
            "i32" => Element::I32,
            "u8" => Element::U8,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Element::F64 => 8,
            Element::F32 | Element::I32 => 4,
            Element::U8 => 1,
        }
    }

    fn value(self, bytes: &[u8]) -> f64 {
        let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
        match self {
            Element::F32 => f64::from(f32::from_ne_bytes(four())),
            Element::I32 => f64::from(i32::from_ne_bytes(four())),
            Element::U8 => f64::from(bytes[0]),
            Element::F64 => {
                let mut eight = [0; 8];
                eight.copy_from_slice(bytes);
                f64::from_ne_bytes(eight)
            }
        }
    }
}

/// One read-back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readback {
    /// What the program calls it; a name may come several times.
    pub name: String,
    /// The type of its elements.
    pub element: Element,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Why a file of read-backs is none.
#[derive(Debug, thiserror::Error)]
pub enum ReadbackError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It does not have the format.
    #[error("{}: no read-back at byte {offset}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: usize,
    },
}

/// Reads a file of read-backs.
pub fn read(path: &Path) -> Result<Vec<Readback>, ReadbackError> {
    let bytes = fs::read(path).map_err(|source| ReadbackError::Read {
        path: path.into(),
        source,
    })?;
    parse(&bytes).map_err(|offset| ReadbackError::Format {
        path: path.into(),
        offset,
    })
}

fn parse(bytes: &[u8]) -> Result<Vec<Readback>, usize> {
    let mut readbacks = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (readback, length) = parse_one(&bytes[at..]).ok_or(at)?;
        readbacks.push(readback);
        at += length;
    }
    Ok(readbacks)
}

fn parse_one(bytes: &[u8]) -> Option<(Readback, usize)> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut words = header.split(' ');
    let name = words.next()?.to_string();
    let element = Element::from_name(words.next()?)?;
    let count: usize = words.next()?.parse().ok()?;
    if words.next().is_some() {
        return None;
    }
    let start = end + 1;
    let stop = start.checked_add(count.checked_mul(element.size())?)?;
    let bytes = bytes.get(start..stop)?.to_vec();
    let readback = Readback {
        name,
        element,
        bytes,
    };
    Some((readback, stop))
}

/// How two runs' read-backs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// All bytes are the same.
    pub identical: bool,
    /// The largest |a - b| over all values; infinite where a value is not a number in one of them
    /// only.
    pub largest: f64,
    /// The largest part of its bound that a difference takes: 1 is all of it. Nothing where bytes
    /// must be equal.
    pub share: f64,
    /// What is out of bounds: the first such value, or that there are other read-backs.
    pub fault: Option<String>,
}

/// Compares a run's read-backs with the original's, each within its bound.
pub fn compare(
    original: &[Readback],
    other: &[Readback],
    bound: impl Fn(&str) -> Bound,
) -> Difference {
    let mut difference = Difference {
        identical: original == other,
        largest: 0.0,
        share: 0.0,
        fault: None,
    };
    let shape = |readbacks: &[Readback]| -> Vec<(String, usize)> {
        let shape = |r: &Readback| (r.name.clone(), r.bytes.len() / r.element.size());
        readbacks.iter().map(shape).collect()
    };
    if shape(original) != shape(other) {
        difference.largest = f64::INFINITY;
        difference.fault = Some(format!(
            "{} read-backs where the original has {}, or of other sizes",
            other.len(),
            original.len()
        ));
        return difference;
    }
    for (a, b) in original.iter().zip(other) {
        compare_one(a, b, bound(&a.name), &mut difference);
    }
    difference
}

fn compare_one(original: &Readback, other: &Readback, bound: Bound, difference: &mut Difference) {
    let size = original.element.size();
    let pairs = original
        .bytes
        .chunks_exact(size)
        .zip(other.bytes.chunks_exact(size));
    for (index, (a, b)) in pairs.enumerate() {
        if a == b {
            continue;
        }
        let (a, b) = (original.element.value(a), other.element.value(b));
        difference.largest = difference.largest.max(self::difference(a, b));
        // With an exact bound, 0.0 and -0.0 or two different NaN are a fault too.
        let share = match bound == Bound::EXACT {
            true => f64::INFINITY,
            false => bound.share(a, b),
        };
        if share <= 1.0 {
            difference.share = difference.share.max(share);
        } else if difference.fault.is_none() {
            let name = &original.name;
            difference.fault = Some(format!("{name}[{index}] is {b:e} where it was {a:e}"));
        }
    }
}

fn difference(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let difference = (a - b).abs();
    match difference.is_nan() {
        true => f64::INFINITY,
        false => difference,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(name: &str, values: &[f32]) -> Readback {
        Readback {
            name: name.into(),
            element: Element::F32,
            bytes: values.iter().flat_map(|v| v.to_ne_bytes()).collect(),
        }
    }

    const WIDE: Bound = Bound {
        relative: 0.0,
        absolute: 0.5,
    };

    #[test]
    fn reads_the_format() {
        let mut bytes = b"a f32 2\n".to_vec();
        bytes.extend(1.0f32.to_ne_bytes());
        bytes.extend(2.5f32.to_ne_bytes());
        bytes.extend(b"pixels u8 3\n\n\n\x07");
        let readbacks = parse(&bytes).unwrap();
        assert_eq!(readbacks[0], floats("a", &[1.0, 2.5]));
        assert_eq!(readbacks[1].bytes, b"\n\n\x07");
        assert_eq!(parse(b"").unwrap(), []);
    }

    #[test]
    fn refuses_what_is_cut_short_or_strange() {
        assert_eq!(parse(b"a f32 2\n1234567").unwrap_err(), 0);
        assert_eq!(parse(b"a u8 1\nxb u16 1\nxx").unwrap_err(), 8);
        assert_eq!(parse(b"a f32 99999999999999999999\n").unwrap_err(), 0);
        assert_eq!(parse(b"a f32 4611686018427387904\n").unwrap_err(), 0);
    }

    #[test]
    fn same_bytes_are_identical() {
        let a = [floats("a", &[1.0, f32::NAN])];
        let difference = compare(&a, &a, |_| Bound::EXACT);
        assert!(difference.identical && difference.fault.is_none());
        assert_eq!(difference.largest, 0.0);
    }

    #[test]
    fn a_bit_is_a_fault_unless_the_bound_admits_it() {
        let a = [floats("a", &[1.0, 4.0])];
        let b = [floats("a", &[1.0, 4.25])];
        let exact = compare(&a, &b, |_| Bound::EXACT);
        assert!(!exact.identical);
        assert_eq!(exact.largest, 0.25);
        assert_eq!(
            exact.fault.as_deref(),
            Some("a[1] is 4.25e0 where it was 4e0")
        );
        let wide = compare(&a, &b, |_| WIDE);
        assert!(wide.fault.is_none());
        assert_eq!(wide.share, 0.5);
    }

    #[test]
    fn zero_of_the_other_sign_and_nan_are_seen() {
        let a = [floats("a", &[0.0])];
        let b = [floats("a", &[-0.0])];
        assert!(compare(&a, &b, |_| Bound::EXACT).fault.is_some());
        assert!(compare(&a, &b, |_| WIDE).fault.is_none());
        let nan = [floats("a", &[f32::NAN])];
        let difference = compare(&a, &nan, |_| WIDE);
        assert!(difference.fault.is_some() && difference.largest.is_infinite());
    }

    #[test]
    fn other_shapes_are_a_fault() {
        let a = [floats("a", &[0.0])];
        for b in [vec![], vec![floats("b", &[0.0])], vec![floats("a", &[])]] {
            assert!(compare(&a, &b, |_| WIDE).fault.is_some());
        }
    }
}
