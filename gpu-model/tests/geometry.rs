//! What a work-item is seen to do, and which groups follow from it.

use crate::common::profile_of;
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::geometry::model::Limit;
use fpgacc_gpu_model::geometry::shape::Shape;
use fpgacc_gpu_model::geometry::{Ranked, choose, rank};
use fpgacc_gpu_model::profile::{ASSUMED_TRIPS, FIRST_LOOP};

fn ranked(text: &str, global: [u64; 3], scalars: &[(u32, i64)]) -> Vec<Ranked> {
    let device = Device::named("h200").expect("a device");
    rank(&device, &profile_of(text, global, scalars), global)
}

const PRODUCT: &str = "__kernel void product(__global const float *a, __global const float *b,
    __global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}";

#[test]
fn strides_are_those_of_the_dimensions_and_the_loop() {
    let profile = profile_of(PRODUCT, [64, 64, 1], &[(3, 64)]);
    let strides = |at: usize| {
        let access = &profile.accesses[at];
        [1, 2, FIRST_LOOP].map(|point| access.stride(point))
    };
    assert_eq!(strides(0), [Some(0), Some(256), Some(4)]);
    assert_eq!(strides(1), [Some(4), Some(0), Some(256)]);
    assert_eq!(strides(2), [Some(4), Some(256), Some(0)]);
    assert!(profile.accesses[2].write);
    assert_eq!(profile.scopes[1].runs, 64.0);
}

#[test]
fn a_triangle_has_half_the_iterations_on_average() {
    let text = "__kernel void f(__global float *a, int n) {
        int x = get_global_id(0);
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++)
                a[x] += j;
    }";
    let profile = profile_of(text, [128, 1, 1], &[(1, 100)]);
    assert_eq!(profile.scopes[1].trips, 100.0);
    assert_eq!(profile.scopes[2].trips, 50.0);
    assert_eq!(profile.scopes[2].runs, 5000.0);
}

#[test]
fn what_depends_on_data_is_assumed() {
    let text = "__kernel void f(__global float *a, __global const int *from) {
        int x = get_global_id(0);
        for (int i = from[x]; i < from[x + 1]; i++)
            if (a[i] > 0)
                a[from[i]] = 0;
    }";
    let profile = profile_of(text, [128, 1, 1], &[]);
    assert_eq!(profile.scopes[1].trips, ASSUMED_TRIPS);
    let write = profile.accesses.iter().find(|access| access.write);
    let write = write.expect("a write");
    assert_eq!((write.share, write.at), (0.5, None));
    assert!(write.moves(1) && write.moves(FIRST_LOOP));
}

#[test]
fn functions_and_pointers_are_followed() {
    let text = "float at(__global const float *row, int x) { return row[2 * x]; }
    __kernel void f(__global const float *a, __global float *out) {
        int x = get_global_id(0);
        __global const float *p = a + 1000;
        for (int i = 0; i < 8; i++, p += 10)
            out[x] = at(p, x);
    }";
    let profile = profile_of(text, [128, 1, 1], &[]);
    let read = profile.accesses[0];
    assert_eq!(
        (read.stride(1), read.stride(FIRST_LOOP)),
        (Some(8), Some(40))
    );
    assert_eq!(profile.scopes[1].trips, 8.0);
}

#[test]
fn streams_want_groups_that_are_long_in_the_first_dimension() {
    let text = "__kernel void f(__global const float *a, __global float *b) {
        int i = get_global_id(1) * 4096 + get_global_id(0);
        b[i] = a[i];
    }";
    let all = ranked(text, [4096, 4096, 1], &[]);
    assert_eq!(all[0].shape.0, [256, 1, 1]);
    let single = all
        .iter()
        .find(|one| one.shape.0 == [1, 1, 1])
        .expect("one");
    assert_eq!(single.prediction.limit, Limit::Starts);
    assert!(single.prediction.seconds > 50.0 * all[0].prediction.seconds);
}

#[test]
fn columns_want_groups_that_are_long_in_the_dimension_of_the_columns() {
    let text = "__kernel void f(__global const float *a, __global float *b) {
        int i = get_global_id(0) * 4096 + get_global_id(1);
        b[i] = a[i];
    }";
    let all = ranked(text, [4096, 4096, 1], &[]);
    assert!(all[0].shape.0[1] >= 32, "{}", all[0].shape);
}

#[test]
fn few_work_items_are_spread_over_the_units() {
    let text = "__kernel void f(__global const float *a, __global float *b, int n) {
        int x = get_global_id(0);
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[x * n + k];
        b[x] = sum;
    }";
    let all = ranked(text, [1024, 1, 1], &[(2, 4096)]);
    assert!(all[0].shape.items() <= 16, "{}", all[0].shape);
}

/// Rows that are added up in memory, over so many work-items and columns, with the sums so far apart.
fn sums_of_rows(rows: i64, apart: i64) -> impl Fn(u64) -> f64 {
    let text =
        "__kernel void f(__global const float *a, __global const float *x, __global float *sums,
        int n, int apart) {
        int i = get_global_id(0);
        for (int j = 0; j < n; j++)
            sums[i * apart] += a[i * n + j] * x[j];
    }";
    let global = [rows.unsigned_abs(), 1, 1];
    let all = ranked(text, global, &[(3, rows), (4, apart)]);
    move |size| {
        let mut shapes = all.iter().filter(|one| one.shape.0 == [size, 1, 1]);
        shapes.next().expect("a shape").prediction.seconds
    }
}

/// A row a work-item: each more of a warp is a line more to wait for. Measured: 1.44 times as long in groups of
/// 32 as of 8, 1.24 as of 16 (PolyBench's bicg, `benchmarks/geometry/h200.csv`), and 1.19 with twice the rows (mvt).
#[test]
fn warps_wait_for_each_of_their_lines() {
    for (rows, size, measured) in [(8192, 8, 1.44), (8192, 16, 1.24), (16384, 16, 1.19)] {
        let seconds = sums_of_rows(rows, 1);
        let slower = seconds(32) / seconds(size);
        assert!(slower > 1.05, "{rows}, {size}: {slower}");
        assert!(
            (0.85..1.15).contains(&(slower / measured)),
            "{rows}, {size}: {slower}"
        );
    }
}

/// Groups of 4 write half a sector each, in turn with others; measured: 1.56 times as long as groups of 8 (PolyBench's
/// atax), and 2.4 and 3.6 times in groups of 2 and 1.
#[test]
fn writes_to_one_sector_follow_each_other() {
    let seconds = sums_of_rows(4096, 1);
    for (size, measured) in [(4, 1.56), (2, 2.37), (1, 3.55)] {
        let slower = seconds(size) / seconds(8);
        assert!(
            (0.6..1.6).contains(&(slower / measured)),
            "{size}: {slower}"
        );
    }
    // Nobody else writes these sectors.
    let seconds = sums_of_rows(4096, 8);
    assert!(seconds(4) < 1.1 * seconds(8));
}

#[test]
fn a_device_without_units_ranks_nothing() {
    let device = Device::named("warp32").expect("a device");
    let profile = profile_of(PRODUCT, [64, 64, 1], &[(3, 64)]);
    assert!(rank(&device, &profile, [64, 64, 1]).is_empty());
}

#[test]
fn the_author_s_size_is_kept_unless_another_is_worth_it() {
    let ranked = ranked(PRODUCT, [1024, 1024, 1], &[(3, 1024)]);
    let chosen = |author: Option<[u64; 3]>| {
        let one = choose(&ranked, author.map(Shape)).expect("a shape");
        one.shape.0
    };
    let best = ranked[0].shape.0;
    assert_eq!(chosen(None), best);
    // As the best, to a hundredth; and one that is far slower.
    let near = |one: &&Ranked| one.prediction.seconds < ranked[0].prediction.seconds * 1.01;
    let alike = ranked.iter().rfind(near).expect("the best at least");
    assert_ne!(alike.shape.0, best);
    assert_eq!(chosen(Some(alike.shape.0)), alike.shape.0);
    assert_eq!(chosen(Some([1, 1, 1])), best);
    // One that does not divide the launch is none.
    assert_eq!(chosen(Some([7, 1, 1])), best);
}
