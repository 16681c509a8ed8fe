//! Sliding windows: shift registers of any length, and conditions in loops whose bodies are copied.

use crate::predicted::predicted;
use fpgacc_performance_model::{Board, LaunchShape, Limit, Prediction};

fn on_arria(text: &str) -> Prediction {
    let board = Board::named("de5a_net_ddr4").expect("a board");
    predicted(text, &board, LaunchShape::default(), None)
}

/// Sums of elements that lie far apart, from a window.
fn window(elements: usize) -> Prediction {
    on_arria(&format!(
        "__kernel void k(__global const int *restrict a, __global int *restrict b) {{
            int w[{elements}];
            for (int i = 0; i < 1000000; i++) {{
                #pragma unroll
                for (int j = 0; j < {elements} - 1; j++) w[j] = w[j + 1];
                w[{elements} - 1] = a[i];
                if (i >= {elements} - 1) b[i] = w[0] + w[{elements} / 2] + w[{elements} - 1];
            }}
        }}"
    ))
}

#[test]
fn windows_of_any_length_are_shift_registers() {
    let [short, long, longer] = [2000, 4000, 16000].map(window);
    for prediction in [&short, &long, &longer] {
        assert_eq!(prediction.loops[0].ii, 1.0);
    }
    let ram = |prediction: &Prediction| prediction.area.ram.value;
    let bits = |more: f64| more * 32.0;
    // Blocks of 20 kbit.
    let grown = (ram(&longer) - ram(&short)) * 20480.0 / bits(14000.0);
    assert!((0.9..1.4).contains(&grown), "{grown}");
    assert!(ram(&long) > ram(&short));
}

#[test]
fn conditions_count_in_loops_whose_bodies_are_copied() {
    let copy = |body: &str| {
        on_arria(&format!(
            "__kernel void k(__global const int *restrict a, __global int *restrict b) {{
                #pragma unroll 32
                for (int i = 0; i < 100000; i++) {{ {body} }}
            }}"
        ))
    };
    let all = copy("b[i] = a[i];");
    let most = copy("if (i >= 10 && i < 99000) b[i] = a[i];");
    let half = copy("if (i < 50000) b[i] = a[i];");
    let part = |prediction: Prediction| prediction.memory_seconds / all.memory_seconds;
    assert!((0.95..=1.0).contains(&part(most)));
    assert!((0.45..=0.55).contains(&part(half)));
}

/// The engine of a Fourier transform (pc2/HPCC_FPGA) is a function that its window is passed to.
#[test]
fn windows_of_a_caller_are_shift_registers() {
    let prediction = on_arria(
        "int step(int x, int w[8000], const int n) {
            int sum = w[0] + w[n / 2];
            #pragma unroll
            for (int j = 0; j < n - 1; j++) w[j] = w[j + 1];
            w[n - 1] = x;
            return sum;
        }
        __kernel void k(__global const int *restrict a, __global int *restrict b) {
            int w[8000];
            for (int i = 0; i < 1000000; i++) b[i] = step(a[i], w, 8000);
        }",
    );
    assert_eq!(prediction.loops.len(), 1);
    assert_eq!(prediction.loops[0].ii, 1.0);
    assert!(prediction.area.ram.value > 8000.0 * 32.0 / 20480.0);
}

/// A variable that each iteration of a loop writes before it reads it keeps no entry of the loop waiting (doonny/PipeCNN, whose
/// convolutions take a cycle for each number of all entries).
#[test]
fn what_is_written_first_does_not_wait() {
    let prediction = on_arria(
        "__kernel void k(__global const int *restrict a, __global int *restrict b, int n) {
            int x;
            for (int i = 0; i < 1000; i++) {
                int most = 0;
                for (int j = 0; j < n; j++) {
                    x = a[i * n + j];
                    most = max(most, x);
                }
                b[i] = most;
            }
        }",
    );
    let outer = &prediction.loops[0];
    assert!(
        !matches!(outer.limit, Limit::Serialised(_)),
        "{:?}",
        outer.limit
    );
}

/// aoc 21.1 reports for convolutions with such an array that their outer loops run as far ahead as they hold
/// (JoeRock1298/TFM).
#[test]
fn arrays_of_an_iteration_do_not_wait_for_loops_further_out() {
    let prediction = on_arria(
        "__kernel void k(__global const float *restrict a, __global float *restrict b, int n, int m) {
            for (int f = 0; f < m; f++)
                for (int i = 0; i < m; i++) {
                    float sums[64];
                    for (int j = 0; j < 64; j++) sums[j] = 0;
                    for (int j = 0; j < n; j++) sums[j & 63] += a[j * m + i];
                    b[f * m + i] = sums[3];
                }
        }",
    );
    assert_eq!(
        prediction.loops[0].ii, 1.0,
        "{:?}",
        prediction.loops[0].limit
    );
}

/// What an iteration sets before it reads it goes round no loop, also where it ends as a constant.
#[test]
fn what_ends_as_a_constant_is_not_waited_for() {
    let prediction = on_arria(
        "__kernel void k(__global const int *restrict a, __global int *restrict b, int n) {
            int most = 0;
            for (int i = 0; i < 1000; i++)
                for (int j = 0; j < n; j++) {
                    most = max(a[i * n + j], 3);
                    b[i * n + j] = most;
                    most = 0;
                }
        }",
    );
    assert_eq!(
        prediction.loops[0].ii, 1.0,
        "{:?}",
        prediction.loops[0].limit
    );
}

/// Four copies of an array for as many iterations of a loop around loops: aoc's reports of SAXPY in blocks
/// (kenter/OpenCL-FPGA-examples), and 84 to 102 cycles for transforms of 64 to 256 points (arjunramaswami/FFT1D-FPGA).
#[test]
fn four_iterations_around_loops_have_an_array_each() {
    let prediction = on_arria(
        "__kernel void k(__global const float *restrict a, __global float *restrict b, int n) {
            for (int i = 0; i < n; i++) {
                float part[512];
                for (int j = 0; j < 512; j++) part[j] = a[i * 512 + j];
                for (int j = 0; j < 512; j++) b[i * 512 + j] = part[511 - j];
            }
        }",
    );
    let outer = &prediction.loops[0];
    let four = Limit::Copies {
        array: "part".to_string(),
        copies: 4,
    };
    assert_eq!(outer.limit, four);
    assert!((outer.ii - outer.latency / 4.0).abs() < 0.1 * outer.ii);
}

/// Entries of a loop that waits for a loop inside take turns, too: 6.3 billion terms of 5 x 5 in 29.4 s, one a cycle at 213
/// MHz (pc2/CustoNN2, the first state of a course's network).
#[test]
fn entries_of_loops_around_loops_take_turns() {
    let board = Board::named("385a").expect("a board");
    let text = "__kernel void k(__global const int *restrict a, __global int *restrict b) {
        for (int i = 0; i < 100000; i++) {
            int sum = 0;
            #pragma unroll 1
            for (int r = 0; r < 20; r++) {
                #pragma unroll 1
                for (int c = 0; c < 20; c++) sum += a[i + r * 40 + c];
            }
            b[i] = sum;
        }
    }";
    let prediction = predicted(text, &board, LaunchShape::default(), None);
    let each = prediction.busy_cycles / 100000.0;
    assert!((400.0..480.0).contains(&each), "{each}");
}
