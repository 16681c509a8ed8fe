//! What PoCL makes of work-items, and which groups follow from it.

use fpgacc_gpu_model::device::{Cores, Device};
use fpgacc_gpu_model::geometry::shape::Shape;
use fpgacc_gpu_model::geometry::vectors::{Rows, rows};
use fpgacc_gpu_model::geometry::{predict, rank};
use fpgacc_gpu_model::profile::Profile;

const SIDE: i64 = 512;
const GLOBAL: [u64; 3] = [SIDE as u64, SIDE as u64, 1];

/// Of a kernel whose last argument is the side of a matrix.
fn profile_of(text: &str, count: u32) -> Profile {
    crate::common::profile_of(text, GLOBAL, &[(count - 1, SIDE)])
}

fn device() -> Device {
    Device::named("pocl").expect("a device")
}

fn cores() -> Cores {
    device().cores.expect("cores")
}

fn rows_of(profile: &Profile, local: [u64; 3]) -> Rows {
    rows(&cores(), profile, Shape(local))
}

fn seconds(profile: &Profile, local: [u64; 3]) -> f64 {
    let predicted = predict(&device(), profile, GLOBAL, Shape(local));
    predicted.expect("a prediction").seconds
}

/// The means of columns are taken from them, as in PolyBench's covariance.
const CENTRE: &str =
    "__kernel void centre(__global const float *means, __global float *data, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n)
        data[y * n + x] -= means[x];
}";

/// A step of an LU decomposition, as in PolyBench's lu: each row has a factor, in column 5.
const FACTORS: &str = "__kernel void step(__global float *a, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n)
        a[y * n + x] = a[y * n + x] - a[y * n + 5] * a[5 * n + x];
}";

/// The same, with the factors beside each other.
const APART: &str = "__kernel void step(__global float *a, __global const float *factors, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n)
        a[y * n + x] = a[y * n + x] - factors[y] * a[5 * n + x];
}";

/// As seen in the code of PoCL 3.1 with LLVM 15 for PolyBench's covariance.
#[test]
fn short_rows_are_unrolled_and_long_ones_become_vectors() {
    let profile = profile_of(CENTRE, 3);
    assert_eq!(rows_of(&profile, [16, 1, 1]).lanes, 1);
    let short = rows_of(&profile, [64, 1, 1]);
    assert_eq!((short.lanes, short.length, short.iterations), (8, 64, 0));
    let long = rows_of(&profile, [256, 1, 1]);
    assert_eq!((long.lanes, long.iterations), (8, 32));
}

#[test]
fn rows_are_copies_or_iterations_of_a_loop() {
    let profile = profile_of(CENTRE, 3);
    assert!(!rows_of(&profile, [64, 8, 1]).is_repeated);
    assert!(rows_of(&profile, [64, 16, 1]).is_repeated);
    // What is the same in all rows is computed once, where these are iterations; measured: 1.8 times as fast.
    assert!(seconds(&profile, [64, 8, 1]) > 1.3 * seconds(&profile, [64, 16, 1]));
}

#[test]
fn loops_of_a_kernel_keep_work_items_one_by_one() {
    let text = "__kernel void f(__global const float *a, __global float *b, int n) {
        int x = get_global_id(0);
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[k * n + x];
        b[x] = sum;
    }";
    let profile = profile_of(text, 3);
    assert_eq!(rows_of(&profile, [64, 1, 1]).lanes, 1);
}

/// PolyBench's lu: rows of a loop whose step is an argument are left to a version of the code that never runs;
/// measured: 64x16 takes 2.7 times as long as 64x8. A step of 1 is one.
#[test]
fn steps_that_an_argument_gives_make_no_vectors() {
    let profile = profile_of(FACTORS, 2);
    assert_eq!(rows_of(&profile, [64, 8, 1]).lanes, 8);
    assert_eq!(rows_of(&profile, [64, 16, 1]).lanes, 1);
    assert!(seconds(&profile, [64, 16, 1]) > 1.5 * seconds(&profile, [64, 8, 1]));
    let best = rank(&device(), &profile, GLOBAL)[0].shape.0;
    assert_eq!(rows_of(&profile, best).lanes, 8, "{best:?}");
    assert_eq!(rows_of(&profile_of(APART, 3), [64, 16, 1]).lanes, 8);
    // Along a column.
    assert_eq!(rows_of(&profile, [1, 64, 1]).lanes, 1);
}

#[test]
fn wide_elements_make_vectors_of_fewer_work_items() {
    let of = |element: &str| {
        let text = format!(
            "__kernel void f(__global const {element} *a, __global {element} *b, int n) {{
                int x = get_global_id(0);
                b[x] = a[x] * a[x] + a[x] + a[x + 1];
            }}"
        );
        rows_of(&profile_of(&text, 3), [64, 1, 1]).lanes
    };
    assert_eq!(
        [of("char"), of("float"), of("double"), of("float4")],
        [32, 8, 4, 1]
    );
}

/// What only the first work-item of a row does is done for each vector, unless each is a piece of code of its own;
/// measured: rows of 128 take twice as long as those of 64 (the elimination of this repository, and Rodinia's).
#[test]
fn conditions_that_few_work_items_meet_cost_long_rows_more() {
    let text = "__kernel void f(__global float *a, __global float *b, __global const float *factors, int n) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x < n && y < n) {
            a[y * n + x] -= factors[y] * a[5 * n + x];
            if (x == 0)
                b[y] -= factors[y] * b[0];
        }
    }";
    let profile = profile_of(text, 4);
    assert_eq!(profile.seldom.len(), 4);
    assert_eq!(rows_of(&profile, [64, 1, 1]).iterations, 0);
    assert_eq!(rows_of(&profile, [128, 1, 1]).iterations, 16);
    assert!(seconds(&profile, [128, 1, 1]) > 1.3 * seconds(&profile, [64, 1, 1]));
}

#[test]
fn what_guards_an_access_and_moves_it_by_an_argument_is_seen() {
    let profile = profile_of(FACTORS, 2);
    let factor = profile.accesses.iter().find(|one| one.stride(1) == Some(0));
    let factor = factor.expect("the factor of a row");
    assert!(factor.is_guarded(1) && factor.is_guarded(2));
    assert!(factor.is_scaled(2) && !factor.is_scaled(1));
    let text = "__kernel void f(__global float *a, int n) {
        int x = get_global_id(0);
        if (x >= n)
            return;
        a[3 * x] = 0;
    }";
    let profile = profile_of(text, 2);
    assert!(profile.accesses[0].is_guarded(1) && !profile.accesses[0].is_guarded(2));
    assert!(!profile.accesses[0].is_scaled(1));
}

#[test]
fn instructions_are_counted_by_what_they_vary_along() {
    let code = profile_of(CENTRE, 3).code;
    // Along the first dimension: the comparison, the mean with its address; along both: the condition, the sum of
    // the index, the element with its address, the difference, and the write.
    assert_eq!(code[1], 4.0);
    assert!((6.0..=9.0).contains(&code[3]), "{code:?}");
}

/// On a CPU whose second cache does not hold the buffers, parts of rows are read less fast than whole ones; measured:
/// whole rows (512x2) take 0.7 times as long as 64x16 on an EPYC, and 1.4 times on a Xeon (PolyBench's covariance).
#[test]
fn groups_that_go_on_in_another_row_wait_for_it() {
    let profile = profile_of(CENTRE, 3);
    let whole_is_better = |name: &str| {
        let device = Device::named(name).expect("a device");
        let [whole, part] = [[512, 2, 1], [64, 16, 1]]
            .map(|local| predict(&device, &profile, GLOBAL, Shape(local)).expect("a prediction"));
        whole.seconds < part.seconds
    };
    assert!(whole_is_better("pocl-zen4"));
    assert!(!whole_is_better("pocl"));
}
