//! Loads: of what a cache holds, through a constant cache that holds too little, ahead, and in small loops. Where a time is said to be
//! measured, it is that of a kernel of the same kind in the repository that is named; the kernels are our own.

use crate::predicted::{assert_time, given, on};
use fpgacc_performance_model::{LaunchShape, LsuKind, Prediction};

/// So many work-items in groups, with the sizes of buffers and arguments by index.
fn launch(items: f64, group: f64, bytes: &[(u32, u64)], scalars: &[(u32, f64)]) -> LaunchShape {
    let scalars = scalars
        .iter()
        .filter_map(|(at, value)| Some((*at, given(*value)?)));
    LaunchShape {
        global: [given(items), given(1.0), given(1.0)],
        local: [given(group), given(1.0), given(1.0)],
        scalars: scalars.collect(),
        bytes: bytes.iter().copied().collect(),
        ..LaunchShape::default()
    }
}

/// A load whose address is what the last one has read has a cache: 2424 ms for 2^26 of them in 8 KB, and 4700 ms for 2^24 that
/// miss (chrisjia6412/stencil-codes-tuning, DE5-Net).
#[test]
fn loads_from_what_was_read_come_from_a_cache_that_holds_it() {
    let chain = |links: u64, bytes: u64| {
        let text = format!(
            "__kernel void k(__global const int *restrict a, __global int *restrict out) {{\n\
               int at = get_local_id(0);\n\
               for (int i = 0; i < {links}; i++) at = a[at];\n\
               out[0] = at;\n}}\n"
        );
        on("de5-net", &text, launch(1.0, 1.0, &[(0, bytes)], &[]))
    };
    let near = chain(1 << 26, 8 << 10);
    assert_time("8 KB", &near, 2424.0, 1.4);
    assert!(near.lsus.iter().any(|lsu| lsu.kind == LsuKind::BurstCached));
    assert_time("64 MB", &chain(1 << 24, 64 << 20), 4700.0, 2.0);
}

/// 10 million work-items that read a constant buffer of 4 bytes for each: 306 ms, with 16 bytes for each 289 ms, with four lanes
/// 92 ms (SamyuelDanyo/OpenCLMachineLearningAcceleration, DE1-SoC).
#[test]
fn constants_beyond_the_cache_are_waited_for() {
    let items = 1e7;
    let line = |attributes: &str, of: u64| {
        let terms: Vec<String> = (0..of)
            .map(|at| format!("x[i * {of} + {at}] * w"))
            .collect();
        let text = format!(
            "{attributes} __kernel void k(__constant float *restrict x, __global float *restrict y, float w) {{\n\
               int i = get_global_id(0);\n y[i] = {};\n}}\n",
            terms.join(" + ")
        );
        move |bytes: u64| on("c5soc", &text, launch(items, 10000.0, &[(0, bytes)], &[]))
    };
    assert_time("4 bytes", &line("", 1)(40_000_000), 306.0, 1.4);
    assert_time("16 bytes", &line("", 4)(160_000_000), 289.0, 1.4);
    let lanes = "__attribute__((reqd_work_group_size(10000, 1, 1), num_simd_work_items(4)))";
    assert_time("lanes", &line(lanes, 1)(40_000_000), 92.0, 1.4);
    // What the cache holds is waited for once.
    assert!(line("", 1)(8 << 10).seconds.value < 0.15);
}

/// What does not change in a loop counts for nothing where small loops are unrolled: of a filter of 9 x 9 aoc unrolls the rows,
/// which then take 9 multipliers, and a filter of 17 it leaves alone (chrisjia6412/stencil-codes-tuning).
#[test]
fn what_stays_the_same_in_a_small_loop_counts_for_nothing() {
    let loops = |text: &str, scalars: &[(u32, f64)]| {
        let at = launch(1.0, 1.0, &[], scalars);
        on("de5-net", text, at).loops.len()
    };
    let rows = "__kernel void k(__global float *restrict o, __global const float *restrict s,\n\
                                __global const float *restrict f, int width, int n) {\n\
                  for (int y = 0; y < n; y++)\n\
                    for (int x = 0; x < n; x++) {\n\
                      float sum = 0.0f;\n\
                      for (int a = 0; a < 9; a++)\n\
                        for (int b = 0; b < 9; b++)\n\
                          sum += s[(y + 8 - a) * width + x + 8 - b] * f[a * 9 + b];\n\
                      o[y * n + x] = sum;\n\
                    }\n\
                }\n";
    assert_eq!(loops(rows, &[(3, 1032.0), (4, 1024.0)]), 3);
    let row = "__kernel void k(__global float *restrict o, __global const float *restrict s,\n\
                               __global const float *restrict f, int n) {\n\
                 for (int x = 0; x < n; x++) {\n\
                   float sum = 0.0f;\n\
                   for (int a = 0; a < 17; a++) sum += s[x + 16 - a] * f[a];\n\
                   o[x] = sum;\n\
                 }\n\
               }\n";
    assert_eq!(loops(row, &[(3, 1048576.0)]), 2);
}

/// Two arrays that one pointer goes to in turn may be the same for aoc: a merge of them waits for what it has stored, as aoc
/// schedules it and where work-items are few. Of Spector's merge sort each number takes 230 cycles, which no chain of loads
/// does (`KastnerRG/spector`, DE5-Net).
#[test]
fn pointers_that_are_swapped_may_go_to_the_same_array() {
    let merge = |swap: &str, id: &str| {
        let text = format!(
            "__kernel void k(__global int *restrict a, __global int *restrict b, int n) {{\n\
               __global int *from = a + {id};\n __global int *to = b + {id};\n\
               for (int step = 0; step < 10; step++) {{\n\
                 int i = 0, j = 0, k = 0;\n\
                 while (i < n && j < n) {{\n\
                   int x = from[i], y = from[j + n];\n\
                   if (x <= y) {{ to[k] = x; i++; }} else {{ to[k] = y; j++; }}\n\
                   k++;\n\
                 }}\n\
                 {swap}\n\
               }}\n\
             }}\n"
        );
        on("de5-net", &text, launch(1.0, 1.0, &[], &[(2, 512.0)]))
    };
    let swap = "__global int *other = from; from = to; to = other;";
    let interval = |prediction: &Prediction| prediction.loops.last().unwrap().ii;
    let (apart, shared) = (merge("", "0"), merge(swap, "0"));
    assert!(interval(&apart) < 200.0, "{}", interval(&apart));
    assert!(interval(&shared) > 300.0, "{}", interval(&shared));
    // The same of an NDRange of one work-item.
    let (apart, shared) = (
        merge("", "get_global_id(0)"),
        merge(swap, "get_global_id(0)"),
    );
    let ratio = shared.seconds.value / apart.seconds.value;
    assert!((1.1..4.0).contains(&ratio), "{ratio}");
}

/// Two arms of a branch that store wait like one store that both need, as one of them is taken in each iteration. Each number
/// that Spector's merge sort merges in external memory takes 430 ns with 2 to 16 work-items (DE5-Net).
#[test]
fn an_iteration_waits_for_what_either_arm_stores() {
    let merge = |stores: &str| {
        let text = format!(
            "__kernel void k(__global int *restrict a, __global int *restrict b, int n) {{\n\
               __global int *from = a + get_global_id(0);\n\
               __global int *to = b + get_global_id(0);\n\
               for (int step = 0; step < 10; step++) {{\n\
                 int i = 0, j = 0;\n\
                 for (int k = 0; k < 1000; k++) {{\n\
                   int x = from[i], y = from[j + n];\n\
                   {stores}\n\
                 }}\n\
                 __global int *other = from; from = to; to = other;\n\
               }}\n\
             }}\n"
        );
        on("de5-net", &text, launch(2.0, 2.0, &[], &[(2, 512.0)]))
            .seconds
            .value
    };
    let arms = "if (x <= y) { to[k] = x; i++; } else { to[k] = y; j++; }";
    let one = "int z = y; if (x <= y) { z = x; i++; } else j++; to[k] = z;";
    let [both, one] = [arms, one].map(merge);
    assert!((both / one - 1.0).abs() < 0.1, "{both} {one}");
    let each = both / 1e4 * 1e9;
    assert!((each / 430.0 - 1.0).abs() < 0.25, "{each} ns");
}

/// Lanes make one unit wide, other units stand beside it: of a product of matrices 258 MHz with two units of 8 lanes, and 212
/// with one of 16 (Boyi's MM, DE5a-Net).
#[test]
fn other_units_lower_the_clock_less_than_lanes() {
    let mhz = |lanes: u64, units: u64| {
        let text = format!(
            "__attribute__((reqd_work_group_size(64, 1, 1), num_simd_work_items({lanes}), \
             num_compute_units({units})))\n\
             __kernel void k(__global float *restrict c, __global const float *restrict a) {{\n\
               int i = get_global_id(0);\n float sum = 0.0f;\n\
               #pragma unroll\n for (int j = 0; j < 64; j++) sum += sqrt(a[i] + j);\n\
               c[i] = sum;\n}}\n"
        );
        let prediction = on("de5a-net", &text, launch(65536.0, 64.0, &[], &[]));
        prediction.clock_mhz.value
    };
    assert!(mhz(2, 2) > 1.05 * mhz(4, 1), "{} {}", mhz(2, 2), mhz(4, 1));
    assert!(mhz(2, 2) < mhz(2, 1));
}

/// A sum in external memory, at a location that stays the same: 245.6 ms at 212 MHz for 51.4 million terms, a cycle each, as TVM
/// writes convolutions (pc2/CustoNN2, Stratix 10, aoc 19.1). What only some iterations store stays in memory.
#[test]
fn what_stays_in_one_place_stays_in_a_register() {
    let sum = |when: &str| {
        let text = format!(
            "__kernel void k(__global float *restrict out, __global const float *restrict a, __global const float *restrict w) {{\n\
               for (int f = 0; f < 256; f++)\n\
                 for (int x = 0; x < 3136; x++) {{\n\
                   out[f * 3136 + x] = w[f];\n\
                   for (int c = 0; c < 64; c++)\n\
                     {when} out[f * 3136 + x] = out[f * 3136 + x] + a[c * 3136 + x] * w[f * 64 + c];\n\
                 }}\n}}\n"
        );
        on("520n", &text, launch(1.0, 1.0, &[], &[]))
    };
    let kept = sum("");
    let cycles = kept.busy_cycles / 51.4e6;
    assert!((0.9..1.3).contains(&cycles), "{cycles} cycles a term");
    let mut outs = kept.lsus.iter().filter(|lsu| lsu.array == "out");
    assert!(
        outs.all(|lsu| lsu.is_store),
        "what was stored before is known"
    );
    assert!(sum("if (a[c] > 0.5f)").busy_cycles > 10.0 * kept.busy_cycles);
}

/// The same of a window of 3 x 3: 6580 ms at 212 MHz for 115.6 million terms, as each row goes on with the sum of the one before.
#[test]
fn sums_that_a_loop_around_carries_on_wait_for_each_addition() {
    let text = "__kernel void k(__global float *restrict out, __global const float *restrict a, __global const float *restrict w) {\n\
         for (int f = 0; f < 64; f++)\n\
           for (int y = 0; y < 56; y++)\n\
             for (int x = 0; x < 56; x++) {\n\
               out[(f * 56 + y) * 56 + x] = w[f];\n\
               for (int c = 0; c < 64; c++)\n\
                 for (int j = 0; j < 3; j++)\n\
                   for (int i = 0; i < 3; i++)\n\
                     out[(f * 56 + y) * 56 + x] = out[(f * 56 + y) * 56 + x]\n\
                       + a[((c * 58) + y + j) * 58 + x + i] * w[((f * 64 + c) * 3 + j) * 3 + i];\n\
             }\n}\n";
    let sums = on("520n", text, launch(1.0, 1.0, &[], &[]));
    let cycles = sums.busy_cycles / 115.6e6;
    assert!(
        (9.0..15.0).contains(&cycles),
        "{cycles} cycles a term, 12.07 measured"
    );
}

/// What is read ahead is not kept: of 128 channels loaded at once, each of 3 KB, 512 filters read all anew, 205 MB in 3.31 ms
/// (and 3.08, of the same text at a higher clock); so do 256 filters with 64 channels of 12 KB, in 5.02 ms (pc2/CustoNN2).
#[test]
fn what_is_read_ahead_is_read_anew_by_each_loop_around() {
    let convolution = |filters: u64, size: u64, channels: u64| {
        let text = format!(
            "__kernel void k(__global float *restrict out, __global const float *restrict a, __global const float *restrict w) {{\n\
               for (int f = 0; f < {filters}; f++) {{\n\
                 float own[{channels}];\n\
                 for (int c = 0; c < {channels}; c++) own[c] = w[f * {channels} + c];\n\
                 for (int y = 0; y < {size}; y++)\n\
                   for (int x = 0; x < {size}; x++) {{\n\
                     float sum = 0.0f;\n\
                     #pragma unroll\n\
                     for (int c = 0; c < {channels}; c++) sum += a[(c * {size} + y) * {size} + x] * own[c];\n\
                     out[(f * {size} + y) * {size} + x] = sum;\n\
                   }}\n\
               }}\n}}\n"
        );
        let bytes = channels * size * size * 4;
        on("520n", &text, launch(1.0, 1.0, &[(1, bytes)], &[]))
    };
    let many = convolution(512, 28, 128);
    let ahead = many.lsus.iter().filter(|lsu| lsu.array == "a");
    assert!(ahead.clone().all(|lsu| lsu.kind == LsuKind::Prefetching));
    assert_eq!(ahead.count(), 128);
    assert_time("128 channels", &many, 3.31, 1.4);
    let few = convolution(256, 56, 64);
    assert!(few.memory_seconds > 0.0025, "{}", few.memory_seconds);
    assert_time("64 channels", &few, 5.02, 2.0);
}

/// 161 s for the sums of 784 products of 500 neurons and 14,000 pictures, of which a constant cache holds neither factor (the
/// same): both are missed at the same time.
#[test]
fn constants_of_one_iteration_are_missed_at_once() {
    let text = "__kernel void k(__constant float *restrict x, __constant float *restrict w, __global float *restrict y) {\n\
                  int at = get_global_id(0);\n\
                  for (int n = 0; n < 500; n++) {\n\
                    float sum = 0.0f;\n\
                    for (int f = 0; f < 784; f++) sum += x[at * 784 + f] * w[n * 784 + f];\n\
                    y[at * 500 + n] = sum;\n\
                  }\n}\n";
    let bytes = [(0, 43_904_000), (1, 1_568_000), (2, 28_000_000)];
    let prediction = on("c5soc", text, launch(14_000.0, 14_000.0, &bytes, &[]));
    assert_time("two factors", &prediction, 161_349.0, 1.4);
}
