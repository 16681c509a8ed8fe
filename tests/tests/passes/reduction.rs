//! `reduction` keeps what kernels compute: original and rewritten text run on both emulators.
//!
//! Sums and products of small integers are exact in any order, minima and maxima too, so that every
//! byte must be equal; trip counts around the register's depth, and none at all, are tried.

use std::path::{Path, PathBuf};

use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::run::Platform;

use super::reduced::{reduced, small_integers};

const TRIPS: [i32; 6] = [0, 1, 7, 8, 9, 1000];

/// The cases of the pass's own golden tests.
fn cases() -> Vec<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../device-passes/tests/golden/reduction");
    let mut cases: Vec<_> = std::fs::read_dir(folder)
        .expect("the cases are there")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cl"))
        .collect();
    assert!(cases.len() > 10, "cases are missing");
    cases.sort();
    cases
}

/// The values of a fill by its name: small integers unless it says otherwise.
fn values(fill: &str, count: usize, seed: u32) -> Vec<f64> {
    let integers = small_integers(seed);
    let value = |(at, integer): (usize, i32)| match fill {
        "signs" if integer < 0 => -1.0,
        "signs" => 1.0,
        "minus_zero" => -0.0,
        // No zeros: which of 0.0 and -0.0 is less is nobody's business.
        "any" if at % 13 == 5 => f64::NAN,
        "any" if at % 17 == 3 => f64::INFINITY,
        "any" if at % 19 == 7 => f64::NEG_INFINITY,
        "any" => f64::from(integer) * 1.37 + 0.1,
        _ => f64::from(integer),
    };
    integers.take(count).enumerate().map(value).collect()
}

/// Adds the launches that a case's first line describes, one for each trip count.
fn add_launches(job: &mut Job, source: &str) {
    let first = source.lines().next().expect("a case has lines");
    let mut words = first
        .strip_prefix("// launch: ")
        .expect("a case starts with its launch")
        .split_whitespace();
    let kernel = words.next().expect("a kernel's name");
    let specs: Vec<_> = words.collect();
    for (trips, seed) in TRIPS.into_iter().zip(1..) {
        let args: Vec<_> = specs
            .iter()
            .zip(1..)
            .map(|(spec, place)| argument(job, spec, trips, seed * 100 + place))
            .collect();
        job.launch(kernel, Geometry::range(&[1], &[1]), args);
    }
}

/// `int=N`, `float[count]`, `double[count]:fill`.
fn argument(job: &mut Job, spec: &str, trips: i32, seed: u32) -> Arg {
    if spec == "int=N" {
        return Arg::int(trips);
    }
    let (ty, rest) = spec.split_once('[').expect("an array");
    let (count, fill) = rest.split_once(']').expect("an array");
    let count = count.parse().expect("a number");
    let values = values(fill.trim_start_matches(':'), count, seed);
    let bytes: Vec<u8> = match ty {
        "float" => values
            .iter()
            .flat_map(|v| (*v as f32).to_ne_bytes())
            .collect(),
        _ => values.iter().flat_map(|v| v.to_ne_bytes()).collect(),
    };
    job.buffer(bytes.len(), Fill::Bytes(bytes))
}

#[test]
fn every_case_computes_the_same_bytes() {
    let cases = cases();
    assert!(cases.len() >= 12);
    // One program of all cases: building costs more than running.
    let mut original = Job::new("");
    let mut owners = String::new();
    for case in cases {
        let source = std::fs::read_to_string(&case).expect("a case is text");
        let text = reduced(&Job::new(source.as_str())).source;
        assert!(text.contains("shift_reg"), "{} stays", case.display());
        original.source.push_str(&source);
        add_launches(&mut original, &source);
        let buffers = original.buffers.len();
        owners.push_str(&format!("buffers below {buffers}: {}\n", case.display()));
    }
    let rewritten = reduced(&original);
    let result = certify(&original)
        .and_then(|()| certify(&rewritten))
        .and_then(|()| same(&original, &rewritten, &Platform::EMULATORS, &Bound::Exact));
    if let Err(difference) = result {
        panic!("{owners}{difference}");
    }
}
