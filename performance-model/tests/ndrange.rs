//! How work-items share a pipeline. Where a time is said to be measured, it is that of a design of the same algorithm in
//! Spector (Gautier et al., FPT 2016; `KastnerRG/spector`, aoc 14.1, DE5-Net); the kernels are our own.

use std::collections::BTreeMap;

use crate::predicted::{assert_time, given, predicted};
use fpgacc_performance_model::{Board, Form, LaunchShape, Prediction};

/// A launch in two dimensions, with integer arguments by index.
fn launch<const N: usize>(global: [u64; 2], local: [u64; 2], args: [(u32, u64); N]) -> LaunchShape {
    let scalars = args
        .into_iter()
        .filter_map(|(at, value)| Some((at, given(value as f64)?)));
    LaunchShape {
        global: [given(global[0] as f64), given(global[1] as f64), given(1.0)],
        local: [given(local[0] as f64), given(local[1] as f64), given(1.0)],
        scalars: scalars.collect(),
        speculated: Some(0.0),
        ..LaunchShape::default()
    }
}

fn on_de5_net(text: &str, launch: LaunchShape) -> Prediction {
    predicted(text, &Board::named("de5-net").unwrap(), launch, None)
}

/// Tiles of 16 x 16 for matrices of 1024 x 1024; a work-item computes `columns` numbers, and `at_once` products of each
/// sum in a cycle.
fn multiplication(columns: u64, at_once: u64) -> Prediction {
    let text = format!(
        "__attribute__((reqd_work_group_size(16, 16, 1)))\n\
         __kernel void k(__global float *restrict c, __global const float *restrict a,\n\
                         __global const float *restrict b, int width) {{\n\
           __local float left[16][16], right[{columns} * 16][16];\n\
           int x = get_local_id(0), y = get_local_id(1);\n\
           int row = get_global_id(1), first = get_group_id(0) * 16 * {columns};\n\
           float sums[{columns}];\n\
           for (int s = 0; s < {columns}; s++) sums[s] = 0.0f;\n\
           for (int tile = 0; tile < width; tile += 16) {{\n\
             left[y][x] = a[row * width + tile + x];\n\
             for (int s = 0; s < {columns}; s++)\n\
               right[s * 16 + x][y] = b[(tile + y) * width + first + s * 16 + x];\n\
             barrier(CLK_LOCAL_MEM_FENCE);\n\
             for (int s = 0; s < {columns}; s++)\n\
               #pragma unroll {at_once}\n\
               for (int i = 0; i < 16; i++) sums[s] += left[y][i] * right[x * {columns} + s][i];\n\
             barrier(CLK_LOCAL_MEM_FENCE);\n\
           }}\n\
           for (int s = 0; s < {columns}; s++) c[row * width + first + x * {columns} + s] = sums[s];\n\
         }}\n"
    );
    on_de5_net(&text, launch([1024 / columns, 1024], [16, 16], [(3, 1024)]))
}

/// A loop in a loop with barriers starts an iteration a cycle.
#[test]
fn nested_loops_of_work_items_start_an_iteration_a_cycle() {
    for (at_once, measured) in [(2, 2052.0), (4, 1021.9), (8, 513.3), (16, 262.5)] {
        let what = format!("{at_once} at once");
        assert_time(&what, &multiplication(1, at_once), measured, 1.3);
    }
}

/// The loop over the sums is unrolled if it is small enough: then less hardware in it makes more in all.
#[test]
fn old_compilers_unroll_small_loops_automatically() {
    for (columns, at_once, measured) in
        [(2, 4, 543.7), (4, 2, 536.6), (4, 4, 1127.0), (2, 16, 259.5)]
    {
        let what = format!("{columns} columns, {at_once} at once");
        assert_time(&what, &multiplication(columns, at_once), measured, 1.3);
    }
    let text = |pragma: &str| {
        format!(
            "__kernel void k(__global int *restrict a, __global const int *restrict b) {{\n\
             int i = get_global_id(0);\n {pragma}\n for (int j = 0; j < 8; j++) a[i * 8 + j] = b[i * 8 + j] + j;\n}}\n"
        )
    };
    let loops = |board: &str, pragma: &str| {
        let board = Board::named(board).unwrap();
        predicted(&text(pragma), &board, launch([4096, 1], [64, 1], []), None)
            .loops
            .len()
    };
    assert_eq!(loops("de5-net", ""), 0);
    assert_eq!(loops("de5-net", "#pragma unroll 1"), 1);
    assert_eq!(loops("pac-d5005", ""), 1, "its compilers are younger");
}

/// What a loop leaves early or waits in is not unrolled, nor what has many instructions.
#[test]
fn only_small_and_simple_loops_are_unrolled_automatically() {
    let loops = |body: &str| {
        let text = format!(
            "__kernel void k(__global float *restrict a, __global const float *restrict b, int n) {{\n\
             __local float x[64];\n int i = get_local_id(0);\n{body}\n}}\n"
        );
        on_de5_net(&text, launch([4096, 1], [64, 1], [(2, 100)]))
            .loops
            .len()
    };
    assert_eq!(loops("for (int j = 0; j < 4; j++) a[i + j] = b[j];"), 0);
    assert_eq!(
        loops("for (int j = 0; j < 4; j++) { if (b[j] > 0) break; a[i] = b[j]; }"),
        1
    );
    assert_eq!(
        loops(
            "for (int j = 0; j < 4; j++) { x[i] = j; barrier(CLK_LOCAL_MEM_FENCE); a[i] = x[j]; }"
        ),
        1
    );
    assert_eq!(loops("for (int j = 0; j < 400; j++) a[i + j] = b[j];"), 1);
    assert_eq!(loops("for (int j = 0; j < n; j++) a[i + j] = b[j];"), 1);
    // Two loops of four in a loop of four.
    let nest = "for (int j = 0; j < 4; j++) for (int l = 0; l < 4; l++) a[i + j * 4 + l] = b[l];";
    assert_eq!(loops(nest), 0);
}

/// Each loop is tried once: a time that doubles with each loop around would not end here.
#[test]
fn deep_nests_of_small_loops_are_priced() {
    let heads: String = (0..40)
        .map(|at| format!("for (int i{at} = 0; i{at} < 2; i{at}++)\n"))
        .collect();
    let text = format!(
        "__kernel void k(__global int *restrict a) {{\n int s = 0;\n{heads} s += i0 + i39;\n \
         a[get_global_id(0)] = s;\n}}\n"
    );
    let loops = on_de5_net(&text, launch([64, 1], [64, 1], [])).loops.len();
    assert!(
        (30..40).contains(&loops),
        "the innermost ones are gone: {loops}"
    );
}

/// A work-item's own iterations do not overlap, so that sixteen take as long as two.
#[test]
fn few_work_items_do_not_fill_the_pipeline() {
    let text = "__kernel void k(__global float *restrict out, __global const float *restrict in, int n) {\n\
                  int row = get_global_id(0);\n float s = 0;\n\
                  for (int i = 0; i < n; i++) s = s * 0.5f + in[row * n + i];\n\
                  out[row] = s;\n}\n";
    let cycles = |items: u64| {
        let shape = launch([items, 1], [items.min(64), 1], [(2, 10_000)]);
        on_de5_net(text, shape).cycles.value
    };
    let [two, sixteen, many, more] = [2, 16, 4096, 8192].map(cycles);
    assert!((0.99..=1.01).contains(&(sixteen / two)), "{two}, {sixteen}");
    assert!(two / 10_000.0 > 30.0, "a load, a product and a sum: {two}");
    assert!((1.9..=2.1).contains(&(more / many)), "{many}, {more}");
}

/// Terms that may be added in any order are added as a tree.
#[test]
fn sums_that_may_be_reassociated_are_trees() {
    let terms: String = (0..32)
        .map(|i| format!(" + in[row * 32 + {i}] * {i}.5f"))
        .collect();
    let text = format!(
        "__kernel void k(__global float *restrict out, __global const float *restrict in, int n) {{\n\
         int row = get_global_id(0);\n float t = 0.0f;\n\
         for (int j = 0; j < n; j++) {{ t = (t * 0.5f){terms}; out[j] = t; }}\n}}\n"
    );
    let cycles = |fp_relaxed: bool| {
        let shape = LaunchShape {
            fp_relaxed,
            ..launch([2, 1], [2, 1], [(2, 1000)])
        };
        on_de5_net(&text, shape).cycles.value / 1000.0
    };
    let [row, tree] = [false, true].map(cycles);
    // 32 additions of 7 cycles in a row, or 6.
    assert!(row - tree > 150.0 && row - tree < 190.0, "{row}, {tree}");
}

/// Compressed rows: 512 of 256 numbers each on average, which work-items read from caches.
#[test]
fn caches_hold_the_words_of_rows() {
    let text = "__kernel void k(__global const int *restrict first, __global const int *restrict column,\n\
                                __global const float *restrict value, __constant float *restrict x,\n\
                                __global float *restrict y) {\n\
                  int row = get_global_id(0);\n float s = y[row];\n\
                  for (int i = first[row]; i < first[row + 1]; i++) s += value[i] * x[column[i]];\n\
                  y[row] = s;\n}\n";
    let shape = LaunchShape {
        bytes: BTreeMap::from([(3, 2048)]),
        ..launch([512, 1], [64, 1], [])
    };
    let board = Board::named("de5-net").unwrap();
    let prediction = predicted(text, &board, shape, Some(256.0));
    assert_time("sparse matrix by vector", &prediction, 0.6134, 1.3);
}

/// Groups of 8 x 4 work-items, each of which copies 8 numbers of a column in an image of 2048 x 2048: as the discrete
/// cosine transformation of its rows does. These of its groups are bound by memory, those of one row by computing.
#[test]
fn rows_of_groups_that_lie_apart_open_rows_of_memory() {
    let moved: String = (0..8)
        .map(|i| format!("out[at + {i} * pitch] = in[at + {i} * pitch];\n"))
        .collect();
    let text = format!(
        "__kernel void k(__global float *restrict out, __global const float *restrict in, int pitch) {{\n\
         int at = get_global_id(1) * 8 * pitch + get_global_id(0);\n{moved}}}\n"
    );
    let time = |width: u64, height: u64| {
        on_de5_net(&text, launch([2048, 256], [width, height], [(2, 2048)]))
    };
    for (width, height, measured) in [(8, 4, 16.73), (8, 8, 17.16), (32, 4, 4.48)] {
        assert_time(
            &format!("{width} x {height}"),
            &time(width, height),
            measured,
            1.2,
        );
    }
}

/// Groups that stay together read what follows itself in bursts, and open a row of memory for each row that lies apart;
/// without a barrier each word is by itself.
#[test]
fn groups_in_lockstep_read_in_bursts() {
    let memory = |width: u64, barrier: &str| {
        let text = format!(
            "__attribute__((reqd_work_group_size(64, 1, 1)))\n\
             __kernel void k(__global int *restrict out, __global const int *restrict in, int n) {{\n\
               int at = get_group_id(0) * 64 * n + get_local_id(0), sum = 0;\n\
               for (int y = 0; y < n; y++) {{ sum += in[at + y * {width}]; {barrier} }}\n\
               out[get_global_id(0)] = sum;\n\
             }}\n"
        );
        let launched = launch([1 << 16, 1], [64, 1], [(2, 256)]);
        on_de5_net(&text, launched).memory_seconds
    };
    let meet = "barrier(CLK_LOCAL_MEM_FENCE);";
    let (stream, rows) = (memory(64, meet), memory(1 << 12, meet));
    let [apart, far] = [64, 1 << 12].map(|width| memory(width, ""));
    assert!(
        stream * 1.2 < rows && rows * 2.0 < apart,
        "{stream} {rows} {apart}"
    );
    assert_eq!(apart, far);
}

/// Groups that meet in loops are in the pipeline at a time as often as their arrays fit into the memory blocks of one: 128
/// of 4 words, 4 of 128, and none of 512 more than the least. Spector's products of tiles of 2 x 2 start
/// a work-item a cycle; tiles of 17 x 17 of Needleman-Wunsch take 475 to 1478 cycles a group of 16.
#[test]
fn as_many_groups_meet_in_loops_as_have_copies_of_their_arrays() {
    let cycles = |words: u64| {
        let text = format!(
            "__attribute__((reqd_work_group_size(4, 1, 1)))\n\
             __kernel void k(__global float *restrict a, int m) {{\n\
             __local float x[{words}];\n int t = get_local_id(0);\n x[t] = a[get_global_id(0)];\n\
             #pragma unroll 1\n for (int i = 0; i < m; i++) {{\n barrier(CLK_LOCAL_MEM_FENCE);\n\
             float y = x[(t + i) & 3] * 1.5f;\n barrier(CLK_LOCAL_MEM_FENCE);\n x[t] = y;\n }}\n\
             barrier(CLK_LOCAL_MEM_FENCE);\n a[get_global_id(0)] = x[t];\n}}\n"
        );
        let shape = launch([1 << 20, 1], [4, 1], [(1, 64)]);
        on_de5_net(&text, shape).cycles.value / f64::from(1 << 18) / 64.0
    };
    let (many, few, least) = (cycles(4), cycles(128), cycles(512));
    assert!((4.0..4.2).contains(&many), "a work-item a cycle: {many}");
    assert!(few > 1.5 * many, "{many}, {few}");
    assert!((few - least).abs() < 0.01 * few, "{few}, {least}");
}

const GUARDED: &str = "if (get_global_id(0) >= n) return;";

/// A loop of 8 additions between barriers, with this before and this after it.
fn between_barriers(before: &str, after: &str) -> String {
    format!(
        "__attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((num_simd_work_items(2)))\n\
         __kernel void k(__global float *restrict a, int n, int m) {{\n\
         __local float x[8];\n int t = get_local_id(0);\n{before}\n\
         float s = a[get_global_id(0)];\n\
         #pragma unroll 1\n for (int i = 0; i < m; i++) s = s * 1.5f + i;\n\
         x[t] = s;\n{after}\n a[get_global_id(0)] = x[7 - t];\n}}\n"
    )
}

/// A group has the size that its kernel requires, where the launch says none.
#[test]
fn groups_have_the_size_that_the_kernel_requires() {
    let given = launch([1 << 20, 1], [8, 1], [(1, 1 << 20), (2, 64)]);
    let unknown = LaunchShape {
        local: [None; 3],
        ..given.clone()
    };
    let text = between_barriers(GUARDED, "barrier(CLK_LOCAL_MEM_FENCE);");
    let cycles = |shape| on_de5_net(&text, shape).cycles.value;
    assert_eq!(cycles(given), cycles(unknown));
}

/// Where work-items may skip a loop, work-groups are serialised, to meet at the barrier in order. The
/// discrete cosine transformation with loops takes 918, 933 and 947 cycles for a group of 8, 16 and 32.
#[test]
fn groups_pass_loops_one_after_another_where_work_items_part_ways() {
    let barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
    let cycles = |before: &str, after: &str| {
        let shape = launch([1 << 20, 1], [8, 1], [(1, 1 << 20), (2, 64)]);
        on_de5_net(&between_barriers(before, after), shape)
            .cycles
            .value
    };
    let together = cycles("", barrier);
    let in_turn = cycles(GUARDED, barrier);
    let without = cycles(GUARDED, "");
    assert!(in_turn > 3.0 * together, "{together}, {in_turn}");
    assert!(
        without < 2.5 * together,
        "nothing to meet for: {together}, {without}"
    );
}

/// `num_simd_work_items` has no effect where work-items may diverge at a loop: the designs of the cosine transformation with
/// loops have the same size and time for 1, 2, 4 and 8 lanes.
#[test]
fn kernels_whose_work_items_part_ways_are_not_vectorised() {
    let lanes = |before: &str| {
        let shape = launch([1 << 20, 1], [8, 1], [(1, 1 << 20), (2, 64)]);
        match on_de5_net(&between_barriers(before, ""), shape).form {
            Form::NdRange { simd, .. } => simd,
            Form::SingleWorkItem => 0,
        }
    };
    assert_eq!(lanes(""), 2);
    assert_eq!(lanes(GUARDED), 1);
    assert_eq!(lanes("if (n > 5) return;"), 2, "all or none");
    // A loop two calls away, of which the caller knows nothing.
    let called = |cond: &str| {
        let text = format!(
            "float inner(float x, int n) {{ for (int i = 0; i < n; i++) x = x * 1.5f + i; return x; }}\n\
             float outer(float x, int n) {{ return inner(x, n) + 1.0f; }}\n\
             __attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((num_simd_work_items(2)))\n\
             __kernel void k(__global float *restrict a, int n) {{\n\
             int i = get_global_id(0);\n if ({cond}) a[i] = outer(a[i], n);\n}}\n"
        );
        match on_de5_net(&text, launch([1 << 20, 1], [8, 1], [(1, 100)])).form {
            Form::NdRange { simd, .. } => simd,
            Form::SingleWorkItem => 0,
        }
    };
    assert_eq!(called("i > 5"), 1);
    assert_eq!(called("n > 5"), 2);
}

/// A layer of 256 maps in tiles of 16 x 16, of which a work-item makes a column of 8 in a window: 37 ms at 183.5 MHz
/// (nachiket/papaa-opencl, DE5-Net, aoc 16.0), four lanes wide, though only some of the work-items read the tile. That loop is
/// unrolled whole: nothing branches backwards.
#[test]
fn a_loop_that_is_unrolled_whole_parts_no_work_items() {
    let windows = |pragma: &str| {
        let text = format!(
            "__attribute__((reqd_work_group_size(16, 2, 16))) __attribute__((num_simd_work_items(4)))\n\
             __kernel void k(__global const float *restrict in, __global const float *restrict w,\n\
                             __global float *restrict out, int maps) {{\n\
               __local float tile[18][32];\n\
               int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2), map = get_global_id(2);\n\
               float sums[8];\n\
               #pragma unroll\n\
               for (int s = 0; s < 8; s++) sums[s] = 0.0f;\n\
               for (int m = 0; m < maps; m++) {{\n\
                 if (z == 0 && y * 16 + x < 18) {{\n\
                   {pragma}\n\
                   for (int r = 0; r < 18; r++) tile[r][y * 16 + x] = in[(m * 18 + r) * 18 + y * 16 + x];\n\
                 }}\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n\
                 for (int s = 0; s < 8; s++)\n\
                   #pragma unroll\n\
                   for (int c = 0; c < 9; c++)\n\
                     sums[s] += tile[y * 8 + s + c / 3][x + c % 3] * w[(map * maps + m) * 9 + c];\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n\
               }}\n\
               for (int s = 0; s < 8; s++) out[((map * 2 + y) * 8 + s) * 16 + x] = sums[s];\n\
             }}\n"
        );
        let mut shape = launch([16, 2], [16, 2], [(3, 256)]);
        shape.global[2] = given(384.0);
        shape.local[2] = given(16.0);
        on_de5_net(&text, shape)
    };
    let lanes = |prediction: &Prediction| match prediction.form {
        Form::NdRange { simd, .. } => simd,
        Form::SingleWorkItem => 0,
    };
    let unrolled = windows("#pragma unroll");
    assert_eq!(lanes(&unrolled), 4);
    assert_time("windows", &unrolled, 37.0, 1.5);
    assert_eq!(lanes(&windows("")), 1);
    assert_eq!(lanes(&windows("#pragma unroll 6")), 1, "three times six");
}

/// Tiles of 32 x 32 that a work-item stores four numbers of, in quarters, and reads 32 rows of at a time: of bytes a
/// product takes no longer than of floats (7.3 and 8.0 ms, a-heintz/interaction-network-fpga-opencl, Stratix 10).
#[test]
fn quarters_of_a_tile_are_in_banks_of_their_own() {
    let cycles = |ty: &str| {
        let text = format!(
            "__attribute__((reqd_work_group_size(16, 16, 1)))\n\
             __kernel void k(__global const {ty} *restrict a, __global {ty} *restrict c, int tiles) {{\n\
               __local {ty} tile[32 * 32];\n\
               int y = get_local_id(0), x = get_local_id(1);\n {ty} sum = 0;\n\
               for (int t = 0; t < tiles; t++) {{\n\
                 #pragma unroll\n\
                 for (int v = 0; v < 2; v++)\n\
                   #pragma unroll\n\
                   for (int u = 0; u < 2; u++) tile[(y + v * 16) * 32 + x + u * 16] = a[t * 256 + y * 16 + x];\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n\
                 #pragma unroll\n\
                 for (int k = 0; k < 32; k++) sum += tile[k * 32 + x] * 3;\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n\
               }}\n c[get_global_id(1) * 1024 + get_global_id(0)] = sum;\n\
             }}\n"
        );
        on_de5_net(&text, launch([1024, 1024], [16, 16], [(2, 64)])).busy_cycles
    };
    let a_cycle = 1024.0 * 1024.0 * 64.0;
    for ty in ["char", "float"] {
        let each = cycles(ty) / a_cycle;
        assert!((1.0..=1.1).contains(&each), "{ty}: {each}");
    }
}

/// Ports count beside what a work-item's own iterations wait for: eight stores that may go to one bank take turns, whether
/// a float is summed, which other work-items' iterations fill, or an integer.
#[test]
fn ports_count_beside_what_iterations_wait_for() {
    let cycles = |ty: &str| {
        let text = format!(
            "__attribute__((reqd_work_group_size(256, 1, 1)))\n\
             __kernel void k(__global const int *restrict at, __global {ty} *restrict c, int rounds) {{\n\
               __local int kept[4096];\n int x = get_local_id(0);\n {ty} sum = 0;\n\
               for (int t = 0; t < rounds; t++) {{\n\
                 #pragma unroll\n\
                 for (int u = 0; u < 8; u++) kept[(at[t] + u * u * 3 + x) & 4095] = t;\n\
                 sum += kept[(x * 5 + t) & 4095];\n\
               }}\n c[get_global_id(0)] = sum;\n\
             }}\n"
        );
        on_de5_net(&text, launch([1 << 16, 1], [256, 1], [(2, 64)])).busy_cycles
    };
    let ratio = cycles("float") / cycles("int");
    assert!((0.95..=1.05).contains(&ratio), "{ratio}");
    assert!(cycles("float") > 2.0 * 64.0 * 65536.0);
}

/// A histogram's counter is read again 7 cycles after it was written, measured of 40 designs. As an NDRange, each
/// work-item has counters of its own: 256 blocks of memory for each, measured as 616 - 357.
#[test]
fn histograms_are_as_measured() {
    let text = |start: &str| {
        format!(
            "__attribute__((reqd_work_group_size(1, 1, 1)))\n\
             __kernel void k(__global const uchar *restrict in, __global uint *restrict out, int n) {{\n\
             uint bins[257];\n int first = {start} * n;\n\
             for (int i = 0; i < 257; i++) bins[i] = 0;\n\
             for (int i = 0; i < n; i++) bins[in[first + i]]++;\n\
             for (int i = 0; i < 256; i++) out[{start} * 256 + i] = bins[i];\n}}\n"
        )
    };
    let one = on_de5_net(&text("0"), launch([1, 1], [1, 1], [(2, 1 << 20)]));
    assert_eq!(one.loops[1].ii, 7.0);
    assert_time("2^20 values", &one, 25.4, 1.3);
    let many = on_de5_net(
        &text("get_group_id(0)"),
        launch([32, 1], [1, 1], [(2, 1 << 15)]),
    );
    let more = many.area.ram.value - one.area.ram.value;
    assert!((200.0..=300.0).contains(&more), "{more}");
}

/// A kernel whose work-items, 64 in a group, store this; `i` and `t` are their numbers in all and in the group.
fn storing(value: &str) -> Prediction {
    let text = format!(
        "__kernel void k(__global int *restrict a, __global const int *restrict b, int n, int m) {{\n\
         int i = get_global_id(0), t = get_local_id(0);\n a[i] = {value};\n}}\n"
    );
    on_de5_net(&text, launch([1 << 20, 1], [64, 1], []))
}

/// Multiplying by a constant is adding: the Sobel filter's grey values take no multipliers.
#[test]
fn products_with_constants_take_no_multipliers() {
    let dsp = |value: &str| storing(value).area.dsp.value;
    assert_eq!(dsp("b[i] * 66 + b[i] * 129"), dsp("b[i] + b[i]"));
    assert!(dsp("b[i] * n + b[i] * m") > dsp("b[i] * 66 + b[i] * 129"));
}

/// What an operand loads that is not evaluated, is not loaded.
#[test]
fn operands_that_are_not_evaluated_load_nothing() {
    let seconds = |value: &str| storing(value).memory_seconds;
    let [never, seldom, always] = ["i", "t == 0 ? b[i * 64] : i", "b[i * 64]"].map(seconds);
    assert!(
        seldom - never < 0.05 * (always - never),
        "{never}, {seldom}, {always}"
    );
    let [seldom, mostly] = ["t == 0 && b[i * 64] > 3", "t == 0 || b[i * 64] > 3"].map(seconds);
    assert!(seldom - never < 0.05 * (always - never), "{seldom}");
    assert!(mostly - never > 0.9 * (always - never), "{mostly}");
}

/// A single work-item of a row moves a word of memory for itself: 64 bytes for each group of 64 here, where all of them
/// together move 256. So the Sobel filter's time goes with the rows of its groups, however wide they are.
#[test]
fn picked_work_items_move_words_of_their_own() {
    let seconds = |value: &str| storing(value).memory_seconds;
    let [none, one, half, all] =
        ["i", "t == 5 ? b[i] : i", "t < 32 ? b[i] : i", "b[i]"].map(seconds);
    let part = |of: f64| (of - none) / (all - none);
    assert!((0.24..=0.26).contains(&part(one)), "{}", part(one));
    assert!((0.49..=0.51).contains(&part(half)), "{}", part(half));
}

/// Neighbours that different work-items of a row are picked for have units of their own; a condition that all of them
/// share parts nothing.
#[test]
fn neighbours_for_different_work_items_are_not_one_access() {
    let units = |value: &str| {
        let lsus = storing(value).lsus;
        lsus.iter().filter(|lsu| lsu.array == "b").count()
    };
    assert_eq!(units("b[2 * i] + b[2 * i + 1]"), 1);
    assert_eq!(
        units("(n > 3 ? b[2 * i] : 0) + (n > 5 ? b[2 * i + 1] : 0)"),
        1
    );
    assert_eq!(
        units("(t == 0 ? b[2 * i] : 0) + (t == 63 ? b[2 * i + 1] : 0)"),
        2
    );
}

/// A branch that writes stays a branch in an NDRange: a work-item is done with one before it comes to the next.
#[test]
fn branches_that_write_are_passed_one_after_another() {
    let text = |first: &str, id: &str| {
        format!(
            "__kernel void k(__global float *restrict a, __global const float *restrict b, int n) {{\n\
             float p = 0.0f, q = 0.0f;\n\
             for (int i = {id}; i < n; i++) {{\n{first}\n\
             if (q > 0.5f) a[2 * i + 1] = sqrt(q) / 3.0f;\n\
             p = b[2 * i]; q = b[2 * i + 1];\n}}\n}}\n"
        )
    };
    let latency = |first: &str, id: &str| {
        let shape = launch([2, 1], [2, 1], [(2, 1000)]);
        on_de5_net(&text(first, id), shape).loops[0].latency
    };
    let branch = "if (p > 0.5f) a[2 * i] = sqrt(p) / 3.0f;";
    let id = "get_global_id(0)";
    // A root, a division and a comparison more.
    let more = latency(branch, id) - latency("", id);
    assert!((40.0..=50.0).contains(&more), "{more}");
    assert_eq!(
        latency(branch, "0"),
        latency("", "0"),
        "single work-items choose"
    );
}

/// The last of a few work-items sets the time; memory moves what all of them ask for.
#[test]
fn the_work_item_with_the_most_to_do_ends_last() {
    let text = "__attribute__((reqd_work_group_size(16, 1, 1)))\n\
        __kernel void k(__global float *restrict c, __global const float *restrict a, int n) {\n\
          int i = get_global_id(0);\n float sum = 0.0f;\n\
          for (int j = 0; j < n; j++) sum = sum * 0.5f + a[j * 1000 + i];\n\
          c[i] = sum;\n}\n";
    let module = crate::module::module(text);
    let body = module.functions[module.kernels().next().unwrap()]
        .body
        .as_ref();
    let mut spans = Vec::new();
    body.unwrap()
        .for_each_stmt(&mut |stmt| spans.extend(stmt.span));
    let run = |mean: f64, most: f64| {
        let each = |trips: f64| spans.iter().map(|span| (*span, trips)).collect();
        let shape = LaunchShape {
            trips: each(mean),
            most_trips: each(most),
            ..launch([16, 1], [16, 1], [])
        };
        on_de5_net(text, shape)
    };
    let (even, uneven, all) = (run(100.0, 100.0), run(100.0, 1000.0), run(1000.0, 1000.0));
    assert_eq!(uneven.memory_seconds, even.memory_seconds);
    assert_eq!(uneven.busy_cycles, all.busy_cycles);
    assert!(uneven.busy_cycles > 5.0 * even.busy_cycles);
}

/// Triangular loops: the last work-item goes through twice as many iterations as all of them on average.
#[test]
fn loops_up_to_an_id_are_longest_in_the_last_work_item() {
    let run = |end: &str| {
        let text = format!(
            "__attribute__((reqd_work_group_size(16, 1, 1)))\n\
             __kernel void k(__global float *restrict c, __global const float *restrict a) {{\n\
               int i = get_global_id(0);\n float sum = 0.0f;\n\
               for (int j = 0; j < {end}; j++) sum = sum * 0.5f + a[j];\n\
               c[i] = sum;\n}}\n"
        );
        on_de5_net(&text, launch([16, 1], [16, 1], []))
    };
    let (triangle, most) = (run("100 * i"), run("1500"));
    let trip = triangle.loops[0].trip;
    assert_eq!((trip.value, trip.most), (750.0, 1500.0));
    assert!((triangle.busy_cycles / most.busy_cycles - 1.0).abs() < 0.01);
}
