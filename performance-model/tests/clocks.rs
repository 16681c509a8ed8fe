//! What clocks designs reach, against measurements (`benchmarks/model/blind.yaml` has the sources).

use fpgacc_performance_model::{Board, LaunchShape, Launched, Prediction, Program};

use crate::predicted::predicted;

fn price(text: &str, board: &Board) -> Prediction {
    predicted(text, board, LaunchShape::default(), Some(64.0))
}

fn board(name: &str) -> Board {
    Board::named(name).expect("a built-in board")
}

/// What so many kernels reach that are built into one image.
fn together(prediction: &Prediction, kernels: usize, board: &Board) -> f64 {
    let one = Launched {
        prediction,
        times: 1.0,
        again: false,
    };
    Program::of(&vec![one; kernels], board).clock_mhz.value
}

/// A kernel that adds so many arrays, 16 work-items at a time.
fn sum(loads: usize) -> String {
    let names = ["a", "b", "c", "d"];
    let names = names[..loads].iter();
    let params: String = (names.clone())
        .map(|name| format!("__global const int *restrict {name}, "))
        .collect();
    let sum: String = names.map(|name| format!(" + {name}[i]")).collect();
    format!(
        "__attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((num_simd_work_items(16)))\n\
         __kernel void k({params}__global int *restrict out) {{\n  int i = get_global_id(0);\n  out[i] = i{sum};\n}}\n"
    )
}

/// FPGA_MEMORY_HLS, `test_bw10`: 16 lanes.
#[test]
fn streams_on_a_stratix_10_run_at_nearly_the_highest_clock() {
    let board = board("s10gx");
    for (loads, measured) in [(1, 467.0), (2, 458.0), (3, 438.0), (4, 460.0)] {
        let mhz = price(&sum(loads), &board).clock_mhz.value;
        let off = mhz / measured;
        assert!((0.85..=1.15).contains(&off), "{loads} loads: {mhz} MHz");
    }
}

/// A layer of a network: three loops, and sums in external memory.
const LAYER: &str = "__kernel void k(__global const float *restrict in, __global const float *restrict weights, \
                     __global const float *restrict bias, __global float *restrict out, int n) {\n\
                     for (int i = 0; i < n; i++)\n  for (int j = 0; j < n; j++) {\n    float sum = 0;\n    \
                     for (int k = 0; k < n; k++) sum += in[i * n + k] * weights[j * n + k];\n    \
                     out[i * n + j] = sum + bias[j];\n  }\n}";

/// CustoNN2, ResNet-50 as TVM writes it: 19 to 26 such kernels in one image run at 191 to 212 MHz, though they take a tenth
/// of the device.
#[test]
fn units_and_loops_of_all_kernels_in_an_image_count() {
    let board = board("520n");
    let layer = price(LAYER, &board);
    for (kernels, measured) in [(19, 207.0), (22, 211.0), (26, 191.0)] {
        let mhz = together(&layer, kernels, &board);
        let off = mhz / measured;
        assert!((0.85..=1.15).contains(&off), "{kernels} kernels: {mhz} MHz");
    }
    assert!(
        layer.clock_mhz.value > 300.0,
        "{} MHz",
        layer.clock_mhz.value
    );
}

/// Numbers that are sorted or shifted in memory on the chip, `stores` of them at a time.
fn stores(stores: usize, array: &str) -> String {
    let each = (0..stores).map(|at| format!("    kept[(i * 7 + {at} * x) & 1023] = x + {at};\n"));
    let each: String = each.collect();
    format!(
        "__kernel void k(__global const int *restrict in, __global int *restrict out) {{\n  {array};\n  \
         for (int i = 0; i < 1024; i++) {{\n    int x = in[i];\n{each}  }}\n  \
         for (int i = 0; i < 1024; i++) out[i] = kept[i];\n}}\n"
    )
}

/// opencl-4all's sort in groups stores to one array in 12 places, and runs at 153 MHz on a Stratix V, where it takes 2 % of
/// the device; FPGA_MEMORY_HLS' matrices of 64 x 64, with 16 lanes, at 295 on a Stratix 10 (178 with HBM).
#[test]
fn stores_that_share_an_array_lower_the_clock() {
    let plain = "int kept[1024]";
    for (name, least, most) in [("s5phq", 0.75, 0.85), ("520n", 0.45, 0.65)] {
        let board = board(name);
        let clock = |text: &str| price(text, &board).clock_mhz.value;
        let ratio = clock(&stores(12, plain)) / clock(&stores(1, plain));
        assert!((least..=most).contains(&ratio), "{name}: {ratio}");
    }
    // A bank serves the stores to it alone.
    let board = board("520n");
    let clock = |array: &str| price(&stores(8, array), &board).penalty_causes.stores;
    let banked = "int __attribute__((numbanks(8), bankwidth(4))) kept[1024]";
    assert_eq!(clock(banked), 0.0);
    assert_eq!(clock(plain), 8f64.ln());
}
