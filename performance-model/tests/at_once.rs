//! Kernels that channels connect, at the same time, and what a loop waits for on the chip, against measured times of kernels
//! of the same kind; the kernels are our own. 10,000 matrices of 128 x 128 complex numbers are transposed by a kernel
//! between one that reads and one that writes, on a 520N with a bank for each (arjunramaswami/MatrixTranspose-FPGA).

use crate::predicted::predicted;
use fpgacc_performance_model::{Board, LaunchShape, Launched, Prediction, Program, Version};

/// Of all matrices, in vectors of eight numbers.
const VECTORS: u64 = 10_000 * 128 * 128 / 8;

fn bank_each() -> Board {
    let aoc = Version {
        major: 20,
        minor: 1,
    };
    let mut board = Board::named("520n").unwrap().built_with(aoc);
    board.memory.banks = 2;
    board
}

fn priced(text: &str, board: &Board) -> Prediction {
    predicted(text, board, LaunchShape::default(), None)
}

/// 72.8 and 76.5 ms, through diagonals and through two buffers: each bank moves 1.3 GB.
#[test]
fn kernels_at_once_share_the_memory() {
    let board = bank_each();
    let read = format!(
        "channel float16 c;\n__kernel void k(__global const float16 *restrict a) {{\n  \
         for (uint i = 0; i < {VECTORS}; i++) write_channel_intel(c, a[i]);\n}}\n"
    );
    let write = format!(
        "channel float16 c;\n__kernel void k(__global float16 *restrict a) {{\n  \
         for (uint i = 0; i < {VECTORS}; i++) a[i] = read_channel_intel(c);\n}}\n"
    );
    let predictions = [read, write].map(|text| priced(&text, &board));
    let launched = predictions.each_ref().map(|prediction| Launched {
        prediction,
        times: 1.0,
        again: false,
    });
    let seconds = Program::at_once(&launched, &board).seconds.value;
    for measured in [72.79e-3, 76.49e-3] {
        let ratio = seconds / measured;
        assert!((0.9..=1.1).contains(&ratio), "{ratio}");
    }
}

/// A kernel that fills `declared` and reads it by columns, for each matrix.
fn transposition(declared_outside: bool) -> String {
    let buffer = "local float2 kept[128][128];";
    let (outside, inside) = match declared_outside {
        true => (buffer, ""),
        false => ("", buffer),
    };
    let all = "#pragma loop_coalesce 2\nfor (uint i = 0; i < 128; i++) for (uint o = 0; o < 16; o++) {\n\
               #pragma unroll\nfor (uint u = 0; u < 8; u++)";
    format!(
        "channel float2 c[8], d[8];\n__kernel void k() {{\n{outside}\n\
         for (uint j = 0; j < 10000; j++) {{\n{inside}\n\
         {all} kept[i][o * 8 + u] = read_channel_intel(c[u]);\n}}\n\
         {all} write_channel_intel(d[u], kept[o * 8 + u][i]);\n}}\n}}\n}}\n"
    )
}

/// 110.75 ms at 410 MHz, through one buffer: 4541 cycles a matrix, of 2048 vectors.
#[test]
fn one_buffer_is_filled_when_all_of_it_is_read() {
    let board = bank_each();
    let measured = 110.75e-3 * 410e6;
    let ratio = priced(&transposition(true), &board).busy_cycles / measured;
    assert!((0.9..=1.1).contains(&ratio), "{ratio}");
    let copied = priced(&transposition(false), &board).busy_cycles / measured;
    assert!(copied < 0.6, "{copied}");
}
