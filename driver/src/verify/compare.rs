//! What two runs of a program read back, compared.

use super::record::{Readback, Record};

/// How far a floating-point value may be from the original where the order of additions and
/// multiplications was changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Of `float`: a factor of the larger magnitude of both values.
    pub value: f64,
    /// Of `float`: a factor of the largest magnitude in the read-back. Sums may cancel out.
    pub largest: f64,
}

impl Comparison {
    /// The largest of the drifts that are known.
    pub fn drift(&self) -> f64 {
        let known = self.drifts.iter().filter(|drift| drift.is_finite());
        known.fold(0.0, |largest, drift| largest.max(*drift))
    }
}

impl Bound {
    /// For `float`.
    pub const FLOAT: Bound = Bound {
        value: 1e-4,
        largest: 1e-6,
    };
    /// For `double`.
    pub const DOUBLE: Bound = Bound {
        value: 1e-12,
        largest: 1e-14,
    };

    fn admits(self, a: f64, b: f64, largest: f64) -> bool {
        let allowed = (self.value * a.abs().max(b.abs())).max(self.largest * largest);
        let close = a.is_finite() && b.is_finite() && (a - b).abs() <= allowed;
        close || a == b || (a.is_nan() && b.is_nan())
    }
}

/// What came out.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Read-backs compared.
    pub readbacks: usize,
    /// Bytes compared.
    pub bytes: usize,
    /// Values that differ within the bound.
    pub within_bounds: usize,
    /// Read-backs that differ.
    pub different: usize,
    /// Of each read-back: its largest difference of two floating-point values, as a factor of the
    /// largest value that it has; infinite where something else differs.
    pub drifts: Vec<f64>,
    /// The first of these; or the first that only one of the runs has.
    pub first: Option<Difference>,
}

/// A difference between the same read-back of two runs.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// Which read-back, from 0.
    pub index: usize,
    /// What is different.
    pub what: What,
}

/// See [`Difference`].
#[derive(Debug, PartialEq)]
pub enum What {
    /// One of the runs reads back more.
    Missing,
    /// The host calls another function, for another buffer or offset.
    Call,
    /// The results of the commands.
    Error(i64, i64),
    /// The numbers of bytes.
    Length(usize, usize),
    /// Bytes.
    Bytes {
        /// The first of them.
        first: usize,
        /// How many.
        count: usize,
    },
}

/// Compares two runs. With `reassociated`, floating-point values may differ within [`Bound`].
pub fn compare(original: &Record, other: &Record, reassociated: bool) -> Comparison {
    let mut comparison = Comparison::default();
    let pairs = original.readbacks.iter().zip(&other.readbacks);
    for (index, (a, b)) in pairs.enumerate() {
        comparison.readbacks += 1;
        let sides = (original.data(a), other.data(b));
        comparison.bytes += sides.0.len().min(sides.1.len());
        let mut drift = 0.0;
        let what = if (&a.call, a.buffer, a.offset) != (&b.call, b.buffer, b.offset) {
            Some(What::Call)
        } else if a.error != b.error {
            Some(What::Error(a.error, b.error))
        } else if sides.0.len() != sides.1.len() {
            Some(What::Length(sides.0.len(), sides.1.len()))
        } else {
            // Only kernels that fpgacc compiled have types.
            let mut different = match b.element.as_deref().and_then(elements) {
                Some(elements) => {
                    numbers(sides, elements, reassociated, &mut comparison, &mut drift)
                }
                None => differing_bytes(sides.0, sides.1),
            };
            different.retain(|&at| !is_padding(b, at));
            bytes(different)
        };
        if what.is_some() && drift == 0.0 {
            drift = f64::INFINITY;
        }
        comparison.drifts.push(drift);
        if let Some(what) = what {
            comparison.different += 1;
            comparison.first.get_or_insert(Difference { index, what });
        }
    }
    if original.readbacks.len() != other.readbacks.len() {
        comparison.drifts.push(f64::INFINITY);
        comparison.first.get_or_insert(Difference {
            index: comparison.readbacks,
            what: What::Missing,
        });
    }
    comparison
}

/// Whether a run differs from the original in nothing but bytes of words of four in which a third
/// one differs from the original as well, and somewhere does.
pub fn differ_only_where(original: &Record, [other, third]: [&Record; 2]) -> bool {
    let count = original.readbacks.len();
    if other.readbacks.len() != count || third.readbacks.len() != count {
        return false;
    }
    let all = original.readbacks.iter();
    let all = all.zip(&other.readbacks).zip(&third.readbacks);
    let mut found = false;
    for ((a, b), c) in all {
        let key = |r: &Readback| (r.call.clone(), r.buffer, r.offset, r.error);
        let [x, y, z] = [original.data(a), other.data(b), third.data(c)];
        if key(a) != key(b) || key(a) != key(c) || x.len() != y.len() || x.len() != z.len() {
            return false;
        }
        let word = |at: usize| at / 4 * 4..(at / 4 * 4 + 4).min(x.len());
        let mut different = differing_bytes(x, y);
        different.retain(|&at| !is_padding(b, at));
        if !different.iter().all(|&at| x[word(at)] != z[word(at)]) {
            return false;
        }
        found |= !different.is_empty();
    }
    found
}

/// The elements of a type: their size, their value, the bound.
type Elements = (usize, fn(&[u8]) -> f64, Bound);

fn elements(name: &str) -> Option<Elements> {
    let digits = name.trim_start_matches(char::is_alphabetic);
    let scalar = &name[..name.len() - digits.len()];
    match scalar {
        "float" => Some((4, |bytes| f64::from(float(bytes)), Bound::FLOAT)),
        "double" => Some((8, double, Bound::DOUBLE)),
        _ => None,
    }
}

/// The first four bytes as a `float`, 0 if there are fewer.
pub fn float(bytes: &[u8]) -> f32 {
    bytes
        .first_chunk()
        .map_or(0.0, |bytes| f32::from_ne_bytes(*bytes))
}

/// The first eight bytes as a `double`, 0 if there are fewer.
pub fn double(bytes: &[u8]) -> f64 {
    bytes
        .first_chunk()
        .map_or(0.0, |bytes| f64::from_ne_bytes(*bytes))
}

/// Whether a byte lies after a vector of three, which takes the room of four: compilers may write
/// anything there. Rectangles and images come in another order.
fn is_padding(readback: &Readback, at: usize) -> bool {
    let scalar = readback
        .element
        .as_deref()
        .and_then(|name| name.strip_suffix('3'));
    let size: u64 = match scalar {
        Some("char" | "uchar") => 1,
        Some("short" | "ushort" | "half") => 2,
        Some("int" | "uint" | "float") => 4,
        Some("long" | "ulong" | "double") => 8,
        _ => return false,
    };
    let is_linear = matches!(
        readback.call.as_str(),
        "clEnqueueReadBuffer" | "clEnqueueMapBuffer"
    );
    is_linear && (readback.offset + at as u64) % (4 * size) >= 3 * size
}

fn bytes(different: Vec<usize>) -> Option<What> {
    let first = *different.first()?;
    let count = different.len();
    Some(What::Bytes { first, count })
}

/// Compares floating-point values, exactly or within the bound.
fn numbers(
    (a, b): (&[u8], &[u8]),
    (size, value, bound): Elements,
    is_bounded: bool,
    comparison: &mut Comparison,
    drift: &mut f64,
) -> Vec<usize> {
    if a == b {
        return Vec::new();
    }
    let values = a.chunks_exact(size).map(value);
    let finite = values.filter(|value| value.is_finite());
    let largest = finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let mut different = Vec::new();
    for (at, (x, y)) in a.chunks(size).zip(b.chunks(size)).enumerate() {
        if x == y {
            continue;
        }
        let is_whole = x.len() == size;
        *drift = match is_whole {
            true => drift.max(distance(value(x), value(y)) / largest),
            false => f64::INFINITY,
        };
        match is_bounded && is_whole && bound.admits(value(x), value(y), largest) {
            true => comparison.within_bounds += 1,
            false => different.extend(differing_bytes(x, y).iter().map(|i| at * size + i)),
        }
    }
    different
}

/// Infinite where only one of them is a number, or they have different signs of infinity.
fn distance(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let distance = (a - b).abs();
    if distance.is_nan() {
        f64::INFINITY
    } else {
        distance
    }
}

fn differing_bytes(a: &[u8], b: &[u8]) -> Vec<usize> {
    let pairs = a.iter().zip(b).enumerate();
    pairs
        .filter(|(_, (a, b))| a != b)
        .map(|(at, _)| at)
        .collect()
}

/// The bytes around an offset as the values that they may be: `0x3f800000, int 1065353216, float 1`.
pub fn value_at(data: &[u8], at: usize, readback: &Readback) -> String {
    let element = readback.element.as_deref().unwrap_or_default();
    let size = match element.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "double" | "long" | "ulong" => 8,
        _ => 4,
    };
    let from = at / size * size;
    match data.get(from..from + size) {
        Some(bytes) if size == 8 => {
            let bits = bytes.first_chunk().copied().unwrap_or_default();
            let value = i64::from_ne_bytes(bits);
            format!("{value:#018x}, long {value}, double {:?}", double(bytes))
        }
        Some(bytes) => {
            let bits = bytes.first_chunk().copied().unwrap_or_default();
            let value = i32::from_ne_bytes(bits);
            format!("{value:#010x}, int {value}, float {:?}", float(bytes))
        }
        None => format!("{:#04x}", data[at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(element: &str, blocks: &[&[u8]]) -> Record {
        let mut text = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let line = format!(
                "readback {index} 1 clEnqueueReadBuffer 1 {element} 0 0 0 {}\n",
                block.len()
            );
            text.extend_from_slice(line.as_bytes());
            text.extend_from_slice(block);
            text.push(b'\n');
        }
        Record::parse(text).unwrap()
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_ne_bytes())
            .collect()
    }

    #[test]
    fn the_first_different_byte_is_found() {
        let a = record("int", &[b"same", b"abcdefgh"]);
        let b = record("int", &[b"same", b"abcdXfgX"]);
        assert!(compare(&a, &a, false).first.is_none());
        let found = compare(&a, &b, false);
        let what = What::Bytes { first: 4, count: 2 };
        assert_eq!(found.first, Some(Difference { index: 1, what }));
        assert_eq!((found.readbacks, found.bytes, found.different), (2, 12, 1));
    }

    #[test]
    fn differences_where_a_third_run_differs_are_told_apart() {
        let a = record("int", &[b"same", b"abcdefgh"]);
        let there = record("int", &[b"same", b"abcdeXXX"]);
        let filled = record("int", &[b"same", b"abcd.fgh"]);
        assert!(differ_only_where(&a, [&there, &filled]));
        let elsewhere = record("int", &[b"same", b"aXcdeXXX"]);
        assert!(!differ_only_where(&a, [&elsewhere, &filled]));
        assert!(!differ_only_where(&a, [&there, &a]));
        assert!(!differ_only_where(&a, [&a, &filled]));
        let shorter = record("int", &[b"same"]);
        assert!(!differ_only_where(&a, [&there, &shorter]));
    }

    #[test]
    fn a_missing_read_back_and_another_length_are_differences() {
        let a = record("int", &[b"same", b"more"]);
        let missing = compare(&a, &record("int", &[b"same"]), false)
            .first
            .unwrap();
        assert_eq!((missing.index, missing.what), (1, What::Missing));
        let longer = compare(&a, &record("int", &[b"same5", b"more"]), false);
        assert_eq!(longer.first.unwrap().what, What::Length(4, 5));
    }

    #[test]
    fn floats_may_differ_within_the_bound_where_the_order_changed() {
        let a = record("float4", &[&floats(&[100.0, 1.0, 1e-9, f32::NAN])]);
        let b = record("float4", &[&floats(&[100.001, 1.0, 2e-9, f32::NAN])]);
        let found = compare(&a, &b, true);
        assert!(found.first.is_none(), "{found:?}");
        assert_eq!(found.within_bounds, 2);
        assert!(compare(&a, &b, false).first.is_some());
        let far = record("float4", &[&floats(&[100.0, 1.01, 1e-9, f32::NAN])]);
        let found = compare(&a, &far, true).first.unwrap();
        assert!(matches!(found.what, What::Bytes { first: 4..8, .. }));
        let ints = record("int", &[&floats(&[100.001, 1.0, 2e-9, f32::NAN])]);
        assert!(compare(&a, &ints, true).first.is_some());
    }

    #[test]
    fn drifts_tell_how_far_values_moved() {
        let a = record("float", &[&floats(&[1.0, 4.0]), &floats(&[1.0]), b"abcd"]);
        let b = record("float", &[&floats(&[1.5, 4.0]), &floats(&[1.0]), b"abcd"]);
        let found = compare(&a, &b, false);
        assert_eq!(
            (&found.drifts[..], found.drift()),
            (&[0.125, 0.0, 0.0][..], 0.125)
        );
        let ints = record("int", &[&floats(&[1.5, 4.0]), &floats(&[1.0])]);
        let found = compare(&a, &ints, false);
        assert_eq!(found.drifts, [f64::INFINITY, 0.0, f64::INFINITY]);
        let none = record("float", &[&floats(&[f32::NAN, 4.0])]);
        assert_eq!(compare(&a, &none, false).drifts[0], f64::INFINITY);
        let zeros = record("float", &[&floats(&[0.0])]);
        let moved = record("float", &[&floats(&[1.0])]);
        assert_eq!(compare(&zeros, &moved, false).drifts, [f64::INFINITY]);
    }

    #[test]
    fn what_lies_after_vectors_of_three_does_not_count() {
        let a = record("int3", &[b"xxxxyyyyzzzz....XXXXYYYYZZZZ...."]);
        let b = record("int3", &[b"xxxxyyyyzzzz,,,,XXXXYYYYZZZZ;;;;"]);
        assert!(compare(&a, &b, false).first.is_none());
        let c = record("int3", &[b"xxxxyyyyzzzz,,,,XXXXYYYYZZZz;;;;"]);
        let what = What::Bytes {
            first: 27,
            count: 1,
        };
        let first = compare(&a, &c, false).first;
        assert_eq!(first, Some(Difference { index: 0, what }));
        let four = record("int4", &[b"xxxxyyyyzzzz,,,,XXXXYYYYZZZZ;;;;"]);
        assert!(compare(&a, &four, false).first.is_some());
    }

    #[test]
    fn infinities_and_nans_admit_only_their_like() {
        for (x, y) in [
            (f32::INFINITY, 1e30),
            (1.0, f32::NAN),
            (f32::INFINITY, -f32::INFINITY),
        ] {
            let a = record("float", &[&floats(&[x])]);
            let b = record("float", &[&floats(&[y])]);
            assert!(compare(&a, &b, true).first.is_some(), "{x} {y}");
            assert!(compare(&b, &a, true).first.is_some(), "{y} {x}");
        }
    }
}
