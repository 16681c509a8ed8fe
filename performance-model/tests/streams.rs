//! What streams of several arrays reach, against measurements: Davila-Guzman et al., FCCM 2020, a Stratix 10 with
//! one bank of DDR4-1866 (`Coalesced_1866.csv` of `angelicadavila/FPGA_MEMORY_HLS`, accesses of 512 bits).

use crate::predicted::predicted;
use fpgacc_performance_model::{Board, LaunchShape};

const ELEMENTS: u64 = 1 << 24;

/// A kernel that stores to one array what it loads from the others.
fn kernel(loads: usize) -> String {
    let names = ["a", "b", "c", "d"];
    let params = names[..loads].iter();
    let params: String = params
        .map(|name| format!("__global const int *restrict {name}, "))
        .collect();
    let sum: String = names[..loads]
        .iter()
        .map(|name| format!(" + {name}[i]"))
        .collect();
    format!(
        "__kernel void k({params}__global int *restrict out) {{\n  #pragma unroll 16\n  \
         for (int i = 0; i < {ELEMENTS}; i++) out[i] = i{sum};\n}}\n"
    )
}

#[test]
fn streams_share_the_bandwidth_as_measured() {
    let mut board = Board::named("520n").unwrap();
    board.memory.banks = 1;
    board.memory.bank_gigabytes_per_second = 14.93;
    let measured = [12.56, 14.27, 11.35, 10.85, 10.58];
    for (loads, measured) in measured.into_iter().enumerate() {
        let prediction = predicted(&kernel(loads), &board, LaunchShape::default(), None);
        let bytes = (loads as u64 + 1) * ELEMENTS * 4;
        let reached = bytes as f64 / prediction.memory_seconds * 1e-9;
        let off = reached / measured;
        assert!((0.9..=1.1).contains(&off), "{loads} loads: {reached} GB/s");
    }
}

/// HPCC FPGA's copy runs at 253 MHz in the processor's package, where kernels are around its interface (Meyer, Kenter and
/// Plessl, H2RC 2020); the same chip on a card reaches 15 % more.
#[test]
fn clocks_in_a_processors_package_are_as_measured() {
    let clock = |board: &str| {
        let board = Board::named(board).unwrap();
        let prediction = predicted(&kernel(1), &board, LaunchShape::default(), None);
        prediction.clock_mhz.value
    };
    let (package, card) = (clock("harp-a10"), clock("de5a-net"));
    assert!((0.95..=1.05).contains(&(package / 253.0)), "{package} MHz");
    assert!(card > 1.1 * package, "{card} MHz");
}
