//! Addresses that mostly go on, and loops that few work-items enter. Where a time is said to be measured, it is that of
//! a kernel of the same kind in the repository that is named; the kernels are our own.

use crate::predicted::{given, on};
use fpgacc_performance_model::{LaunchShape, Prediction, TripOrigin};

/// With the third argument.
fn third(value: u64) -> LaunchShape {
    LaunchShape {
        scalars: [(2, given(value as f64).unwrap())].into(),
        ..LaunchShape::default()
    }
}

fn groups(global: u64, local: u64) -> LaunchShape {
    LaunchShape {
        global: [given(global as f64), given(1.0), given(1.0)],
        local: [given(local as f64), given(1.0), given(1.0)],
        ..LaunchShape::default()
    }
}

/// Reads blocks of 1024 floats, so many at a time, with these statements that move the column on.
fn blocks(wide: u64, moves: &str) -> String {
    format!(
        "__kernel void k(__global const float *restrict a, __global float *restrict d, long n) {{\n\
           int x = 0; long block = 0;\n\
           for (long i = 0; i < n; i++) {{\n\
             #pragma unroll\n for (int u = 0; u < {wide}; u++) d[block + x + u] = a[block + x + u];\n\
             {moves}\n\
           }}\n}}\n"
    )
}

/// A GiB copied so on a 385A: 256, 132 and 93 ms for 4, 8 and 16 floats at a time (zohourih/FPGAMemBench).
#[test]
fn a_column_that_wraps_where_a_row_begins_is_a_walk() {
    for (wide, measured) in [(4, 255.9), (8, 132.3), (16, 92.6)] {
        let wraps = format!("x = (x + {wide}) & 1023; if (x == 0) block += 1024;");
        let resets = format!("x += {wide}; if (x == 1024) {{ x = 0; block += 1024; }}");
        for moves in [wraps, resets] {
            let launch = third((1 << 28) / wide);
            let prediction = on("385a", &blocks(wide, &moves), launch);
            let ratio = prediction.seconds.value * 1e3 / measured;
            assert!((0.7..=1.3).contains(&ratio), "{wide}, {moves}: {ratio}");
        }
    }
}

/// Planes of rows of columns: each begins where the one before ends, and is seen only from then on.
#[test]
fn rows_in_rows_are_followed() {
    let moves = "x = (x + 4) & 1023; if (x == 0) { y = (y + 1) & 511; if (y == 0) block += 1024; }";
    let text = blocks(4, moves).replace("int x = 0;", "int x = 0, y = 0;");
    let text = text.replace("block + x", "block + y * 4096 + x");
    let prediction = on("385a", &text, third(1 << 20));
    let loads = prediction.lsus.iter().map(|unit| unit.stride);
    assert_eq!(loads.collect::<Vec<_>>(), [Some(16), Some(16)]);
}

/// What happens only where a counter has one value takes the memory as rarely.
#[test]
fn what_happens_at_one_of_many_rows_is_rare() {
    let text = |guard: &str| {
        let moves =
            "x = (x + 4) & 1023; if (x == 0) { y++; if (y == m) { y = 0; block += 1024; } }";
        let text = blocks(4, moves).replace("int x = 0;", "int x = 0, y = 0;");
        let text = text.replace("long n)", "long n, int m)");
        text.replace("d[block", &format!("{guard} d[block"))
    };
    let seconds = |guard: &str| on("385a", &text(guard), third(1 << 20)).memory_seconds;
    let (always, rarely) = (seconds(""), seconds("if (y == m - 1)"));
    assert!(rarely < 0.6 * always, "{rarely} of {always}");
    assert_eq!(seconds("if (y != m - 1)"), seconds("if (m - 1 != y)"));
}

/// All work-items read the same distance from a table and add their ids: 110 million such pairs of loads take 417 ms on a
/// Stratix V, a cycle each (leukocyte's first kernel in comododragon/opencl-4all).
#[test]
fn what_all_work_items_read_at_one_place_moves_none_of_them() {
    let text = |index: &str| {
        format!(
            "__attribute__((reqd_work_group_size(256, 1, 1)))\n\
             __kernel void k(__global const float *restrict a, __global const int *restrict far,\n\
                             __global float *restrict d) {{\n\
               int i = get_global_id(0); float s = 0.0f;\n\
               for (int n = 0; n < 64; n++) s += a[i + far[{index}]];\n\
               d[i] = s;\n}}\n"
        )
    };
    let seconds = |index: &str| on("s5phq", &text(index), groups(1 << 16, 256)).memory_seconds;
    let (table, own) = (seconds("n"), seconds("i * 64 + n"));
    assert!(table * 5.0 < own, "{table}, {own}");
}

/// One work-item of a group copies 32 numbers before a barrier: its loads wait for each other, and the groups for it. 64
/// groups take 0.96 ms on a Stratix V (bitonic sorting in comododragon/opencl-4all).
#[test]
fn a_loop_of_one_work_item_takes_the_time_of_its_group() {
    let text = |guard: &str| {
        format!(
            "__attribute__((reqd_work_group_size(32, 1, 1)))\n\
             __kernel void k(__global const int *restrict a, __global int *restrict d, int m) {{\n\
               __local int x[32]; int t = get_local_id(0);\n\
               {guard} for (int i = 0; i < m; i++) x[i] = a[get_group_id(0) * 32 + i];\n\
               barrier(CLK_LOCAL_MEM_FENCE);\n\
               d[get_global_id(0)] = x[31 - t];\n}}\n"
        )
    };
    let cycles = |guard: &str| {
        let mut launch = groups(2048, 32);
        launch.scalars.insert(2, given(32.0).unwrap());
        on("s5phq", &text(guard), launch).busy_cycles
    };
    let (alone, all) = (cycles("if (t == 0)"), cycles("if (t < m)"));
    // 64 groups by 32 iterations, each of which waits for its load.
    assert!(alone > 64.0 * 32.0 * 40.0, "{alone}");
    assert!(alone < 64.0 * 32.0 * 80.0, "{alone}");
    assert!(all < alone * 1.5, "{all}, {alone}");
}

/// A copy of 100 rows of 64, in a loop whose counters move on like this.
fn nest_in_one_loop(counters: &str, goes_on: &str) -> Prediction {
    let text = format!(
        "__kernel void k(__global const float *restrict a, __global float *restrict d, int n) {{\n\
           int x = 0, y = 0, z = 0;\n\
           while ({goes_on}) {{ d[y * 64 + x] = a[y * 64 + x]; {counters} }}\n\
         }}\n"
    );
    on("385a", &text, third(64))
}

/// Optical flow of 1280 x 800 points takes a cycle for each (Intel's example on a Cyclone V SoC, 13.2 ms at 80 MHz), where 800
/// iterations were priced.
#[test]
fn counters_of_a_nest_in_one_loop_move_where_the_one_before_starts_again() {
    for counters in [
        "y = (x + 1) >= 64 ? (y + 1) : y; x = (x + 1) >= 64 ? 0 : (x + 1);",
        "if (++x == 64) { x = 0; y++; }",
        "if (x == n - 1) { x = 0; y++; } else { x++; }",
        "if (x < n - 1) x++; else { x = 0; y++; }",
        "x += 4; if (x > n * 4 - 4) { x = 0; y++; }",
    ] {
        let prediction = nest_in_one_loop(counters, "y < 100");
        let own = &prediction.loops[0];
        assert_eq!(own.trip.value, 6400.0, "{counters}");
        assert_ne!(own.trip.origin, TripOrigin::Assumed, "{counters}");
        let wide = if counters.contains("+= 4") { 16 } else { 4 };
        let strides: Vec<_> = prediction.lsus.iter().map(|lsu| lsu.stride).collect();
        assert_eq!(strides, [Some(wide); 2], "{counters}");
    }
    let three = "if (++x == 64) { x = 0; if (++y == 10) { y = 0; z++; } }";
    let prediction = nest_in_one_loop(three, "z < 5");
    assert_eq!(prediction.loops[0].trip.value, 3200.0);
}

#[test]
fn counters_that_do_not_start_again_where_they_began_are_not_followed() {
    for counters in [
        // It starts again elsewhere.
        "if (++x == 64) { x = 8; y++; }",
        // It never does: it is beyond that from the start on.
        "if (++x == 0) { x = 0; y++; }",
        // Data decide.
        "if (++x == (int)a[x]) { x = 0; y++; }",
        // The other one moves elsewhere.
        "if (x == 32) y++; if (++x == 64) x = 0;",
    ] {
        let prediction = nest_in_one_loop(counters, "y < 100");
        let trip = prediction.loops[0].trip;
        assert_ne!(trip.value, 6400.0, "{counters}");
    }
}

#[test]
fn numbers_of_the_launch_decide_branches() {
    let copy = |cond: &str, n: u64| {
        let text = format!(
            "__kernel void k(__global const float *restrict a, __global float *restrict d, int n) {{\n\
               for (int i = 0; i < 1000000; i++) if ({cond}) d[i] = a[i];\n\
             }}\n"
        );
        on("385a", &text, third(n)).memory_seconds
    };
    let all = copy("1", 0);
    assert_eq!(copy("n", 3), all);
    assert_eq!(copy("!n", 0), all);
    assert_eq!(copy("n", 0), 0.0);
    assert_eq!(copy("!n", 3), 0.0);
}
