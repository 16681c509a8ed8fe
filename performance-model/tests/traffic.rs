//! What the memory is asked for: atomic operations, words of small buffers, components of vectors. Where a time is said to be
//! measured, it is that of a kernel of the same kind in the repository that is named; the kernels are our own.

use crate::predicted::{given, predicted};
use fpgacc_performance_model::{Board, LaunchShape, Prediction};

/// Work-items of all launches here.
const ITEMS: f64 = 32_768_000.0;

/// On a Stratix 10 with one bank, the first buffer of so many bytes.
fn on_s10(text: &str, bytes: u64) -> Prediction {
    let launch = LaunchShape {
        global: [given(ITEMS), given(1.0), given(1.0)],
        local: [given(32768.0), given(1.0), given(1.0)],
        scalars: [(2, given(1e6).unwrap())].into(),
        bytes: [(0, bytes)].into(),
        ..LaunchShape::default()
    };
    predicted(text, &Board::named("s10gx").unwrap(), launch, None)
}

fn lanes(lanes: u64, body: &str) -> String {
    format!(
        "__attribute__((reqd_work_group_size(32768, 1, 1), num_simd_work_items({lanes})))\n\
         __kernel void k(__global int *restrict d, __global const int *restrict a, int n) {{\n\
           int i = get_global_id(0);\n {body}\n}}\n"
    )
}

/// 10.4, 21.3 and 43.4 s for one, two and four words that all work-items add to (angelicadavila/FPGA_MEMORY_HLS).
#[test]
fn atomic_operations_of_a_work_item_add_up() {
    for (body, measured) in [
        ("atomic_add(&d[0], a[i]);", 10.4),
        ("atomic_add(&d[0], a[i]); atomic_add(&d[1], a[i]);", 21.3),
        ("for (int u = 0; u < 4; u++) atomic_add(&d[u], a[i]);", 43.4),
    ] {
        let body = body.replace("for", "\n#pragma unroll\nfor");
        for width in [2, 16] {
            let prediction = on_s10(&lanes(width, &body), 64);
            let ratio = prediction.seconds.value / measured;
            assert!((0.9..=1.1).contains(&ratio), "{body} {width}: {ratio}");
        }
    }
}

/// 5.11, 2.56, 1.28 and 0.64 s with 2, 4, 8 and 16 lanes that count (the same).
#[test]
fn lanes_that_do_the_same_to_one_word_are_one_operation() {
    for (width, measured) in [(2, 5.11), (4, 2.56), (8, 1.28), (16, 0.64)] {
        let prediction = on_s10(&lanes(width, "atomic_add(&d[0], 1);"), 64);
        let ratio = prediction.seconds.value / measured;
        assert!((0.9..=1.1).contains(&ratio), "{width}: {ratio}");
    }
}

/// 152 ms for words of 8 KB at random, which is the time of as many whole words in order (the same). What is more than the
/// open rows hold takes a row for each.
#[test]
fn rows_of_a_small_buffer_stay_open() {
    let text = lanes(1, "d[a[i] & 2047] = i;");
    let seconds = |bytes| on_s10(&text, bytes).seconds.value;
    assert!((0.15..=0.19).contains(&seconds(8192)), "{}", seconds(8192));
    assert_eq!(seconds(8192), seconds(16 * 8192));
    assert!(seconds(16 * 8192 + 4) > 2.5 * seconds(8192));
}

/// A component of a vector is a number of its own: what carries one does not wait for the others.
#[test]
fn components_of_vectors_are_apart() {
    let sum = |carried: &str| {
        let text = format!(
            "__kernel void k(__global float4 *restrict d, __global const float4 *restrict a, int n) {{\n\
               float4 t = (float4)(0.0f);\n\
               for (int i = 0; i < n; i++) {{\n\
                 float4 v = a[i];\n\
                 t.y = {carried} * v.x; t.z = t.y * v.y; t.w = t.z * v.z;\n\
                 d[i] = t; t.x = v.w;\n\
               }}\n}}\n"
        );
        on_s10(&text, 1 << 24).loops[0].ii
    };
    assert_eq!(sum("t.x"), 1.0);
    assert!(sum("t.w") > 10.0, "{}", sum("t.w"));
}

/// Work-items side by side that go to rows of their own, on a DE10-Nano: 136, 82, 42, 38 and 38 ns for a load and a store, by the
/// distance of the rows (tirumalnaidu/opencl-hls-cnn-accelerator, batch normalisation).
#[test]
fn words_of_one_bank_open_a_row_each() {
    for (rows, distance, measured) in [
        (16.0, 65536.0, 143.1),
        (64.0, 4096.0, 21.5),
        (128.0, 1024.0, 5.50),
        (256.0, 256.0, 2.48),
        (512.0, 64.0, 1.26),
    ] {
        let launch = LaunchShape {
            global: [given(rows), given(distance), given(1.0)],
            local: [given(f64::min(rows, 256.0)), given(1.0), given(1.0)],
            scalars: [(2, given(distance).unwrap())].into(),
            ..LaunchShape::default()
        };
        let text =
            "__kernel void k(__global float *restrict b, __global float *restrict a, int n) {
            int i = get_global_id(0) * n + get_global_id(1);
            b[i] = a[i] * 0.5f;
        }";
        let board = Board::named("c5soc").expect("a board");
        let prediction = predicted(text, &board, launch, None);
        let ratio = prediction.seconds.value * 1e3 / measured;
        assert!((0.6..=1.5).contains(&ratio), "{distance}: {ratio}");
    }
}

/// A DE5-Net reads 96 GB/s of weights that groups side by side have in common (doonny/PipeCNN).
#[test]
fn groups_that_read_alike_find_it_in_a_cache() {
    let seconds = |index: &str| {
        let launch = LaunchShape {
            global: [given(135.0), given(135.0), given(96.0)],
            local: [given(5.0), given(5.0), given(6.0)],
            ..LaunchShape::default()
        };
        let text = format!(
            "typedef struct {{ float lane[128]; }} vec;
            __kernel void k(__global vec *restrict b, __global const vec *restrict a) {{
                int z = get_global_id(2) * 25 + get_local_id(1) * 5 + get_local_id(0);
                int all = z + 2400 * (get_group_id(1) * 27 + get_group_id(0));
                b[all & 15] = a[{index}];
            }}"
        );
        let board = Board::named("de5-net").expect("a board");
        predicted(&text, &board, launch, None).memory_seconds
    };
    let (alike, apart) = (seconds("z"), seconds("all"));
    assert!(apart > 1.5 * alike, "{alike} {apart}");
}

/// What all work-items walk through is asked for once by those that come by after each other, unless the unit has a cache, which
/// what is not `restrict` cannot have beside a store: SqueezeNet on a DE10-Nano, and Boyi's RSCD, which moves it for each.
#[test]
fn words_of_all_work_items_are_asked_for_once_without_a_cache() {
    let seconds = |pointer: &str| {
        let text = format!(
            "__kernel void k(__global const float *{pointer} a, __global float *{pointer} b) {{
                int i = get_global_id(0);
                float s = 0.0f;
                for (int j = 0; j < 50000; j++) s += a[j];
                b[i] = s;
            }}"
        );
        let launch = LaunchShape {
            global: [given(4096.0), given(1.0), given(1.0)],
            local: [given(64.0), given(1.0), given(1.0)],
            bytes: [(0, 200_000), (1, 16384)].into(),
            ..LaunchShape::default()
        };
        let board = Board::named("de5a-net").expect("a board");
        predicted(&text, &board, launch, None).memory_seconds
    };
    let (cached, together) = (seconds("restrict"), seconds(""));
    assert!(cached > 10.0 * together, "{cached} {together}");
}

/// A table in the text is on the chip: SqueezeNet's and dct's kernels are as fast as without.
#[test]
fn constants_of_the_text_move_nothing() {
    let seconds = |value: &str| {
        let text = format!(
            "__constant float t[4] = {{1.0f, 2.0f, 3.0f, 4.0f}};
            __kernel void k(__global const int *restrict a, __global float *restrict b) {{
                int i = get_global_id(0);
                b[i] = {value};
            }}"
        );
        on_s10(&text, 1 << 27).memory_seconds
    };
    assert_eq!(seconds("t[a[i] & 3]"), seconds("(float)(a[i] & 3)"));
}

/// 288.4 ms for four turns through 1 GB that is read and stored in its place, 1024 bytes at a time, by a PAC with an Arria
/// 10; 276.7 ms, 512 bytes at a time (camaclean/roofline).
#[test]
fn what_follows_the_last_access_is_a_stream_however_wide() {
    for (ty, wide, measured) in [("double", 128, 0.2884), ("float", 128, 0.2767)] {
        let bytes = if ty == "double" { 8 } else { 4 };
        let rounds = (1u64 << 30) / (bytes * wide);
        let text = format!(
            "__kernel void k(__global {ty} *restrict a) {{\n  for (int j = 0; j < 4; j++)\n    \
             for (ulong i = 0; i < {rounds}; i++) {{\n#pragma unroll\n      \
             for (int u = 0; u < {wide}; u++) a[i * {wide} + u] = 2 + a[i * {wide} + u];\n    }}\n}}\n"
        );
        let board = Board::named("pac-a10").unwrap();
        let launch = LaunchShape {
            bytes: [(0, 1 << 30)].into(),
            ..LaunchShape::default()
        };
        let prediction = predicted(&text, &board, launch, None);
        let ratio = prediction.seconds.value / measured;
        assert!((0.9..=1.1).contains(&ratio), "{ty}: {ratio}");
    }
}

/// 0.28 ms for a product of 819,200 numbers by four parts, of which each reads 128 at a time at an address that an array
/// holds (tannguyen153/N10FGPABenchmarks, PAC with Arria 10): the words after the first are in the row that it opens.
#[test]
fn words_of_one_access_are_in_one_row() {
    let text = "__attribute__((reqd_work_group_size(1, 1, 1)))\n\
                __kernel void k(__global const float *restrict a, __global const float *restrict x,\n\
                                __global float *restrict out, int n) {\n\
                  float sums[4];\n int at[4], in[4];\n int done = 0;\n\
                  #pragma unroll\n\
                  for (int p = 0; p < 4; p++) { sums[p] = 0.0f; at[p] = p * 2048; in[p] = 0; }\n\
                  #pragma unroll 1\n\
                  for (int t = 0; t < 1600; t++) {\n\
                    #pragma unroll\n\
                    for (int p = 0; p < 4; p++) {\n\
                      float all = 0.0f;\n\
                      #pragma unroll\n\
                      for (int i = 0; i < 128; i++) all += a[at[p] + i] * x[at[p] + i];\n\
                      sums[p] += all;\n at[p] += 128;\n in[p] += 128;\n\
                      if (in[p] == 2048) { in[p] = 0; at[p] += 6144; }\n\
                    }\n\
                  }\n\
                  out[0] = sums[0] + sums[1] + sums[2] + sums[3];\n}\n";
    let launch = LaunchShape {
        global: [given(1.0), given(1.0), given(1.0)],
        local: [given(1.0), given(1.0), given(1.0)],
        scalars: [(3, given(819_200.0).unwrap())].into(),
        bytes: [(0, 3_276_800), (1, 3_276_800), (2, 4)].into(),
        fp_relaxed: true,
        ..LaunchShape::default()
    };
    let board = Board::named("pac-a10").unwrap();
    let ratio = predicted(text, &board, launch, None).seconds.value / 0.28e-3;
    assert!((0.7..=1.4).contains(&ratio), "{ratio}");
}
