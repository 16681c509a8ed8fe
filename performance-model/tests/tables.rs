//! What the sizes of buffers change in predictions: tables that caches hold.

use std::collections::BTreeMap;

use crate::predicted::predicted;
use fpgacc_performance_model::{Board, Given, LaunchShape, Prediction, TripOrigin};

const LOOKED_UP: &str = "__kernel void k(SPACE const int *restrict table, __global const int *restrict in, \
                         __global int *restrict out) { int i = get_global_id(0); out[i] = \
                         table[in[i] & 63]; }";

const IN_LOOP: &str = "__kernel void k(SPACE const int *restrict table, __global const int *restrict in, \
                       __global int *restrict out) { int i = get_global_id(0), x = 0; for (int j = 0; \
                       j < 64; j++) x += table[in[i + j] & 63]; out[i] = x; }";

/// A kernel with a table in this space, and of this size if it is known, on 65536 work-items.
fn price(text: &str, space: &str, bytes: Option<u64>) -> Prediction {
    let given = |value| {
        Some(Given {
            value,
            origin: TripOrigin::Symbolic,
        })
    };
    let launch = LaunchShape {
        global: [given(65536.0), given(1.0), given(1.0)],
        local: [given(64.0), given(1.0), given(1.0)],
        bytes: bytes
            .into_iter()
            .map(|bytes| (0, bytes))
            .collect::<BTreeMap<_, _>>(),
        ..LaunchShape::default()
    };
    let board = Board::named("de5a-net").expect("a built-in board");
    predicted(&text.replace("SPACE", space), &board, launch, Some(64.0))
}

fn seconds(prediction: &Prediction) -> f64 {
    prediction.seconds.value
}

#[test]
fn a_table_in_constant_memory_is_read_once() {
    let global = price(LOOKED_UP, "__global", Some(256));
    let constant = price(LOOKED_UP, "__constant", Some(256));
    assert!(constant.memory_seconds < global.memory_seconds / 4.0);
    assert!(seconds(&constant) < seconds(&global));
    // Where its size is not known, each access may miss, and open a row: the rows of a table of a known size stay open.
    let unknown = price(LOOKED_UP, "__constant", None);
    let far = price(LOOKED_UP, "__global", Some(1 << 20));
    assert_eq!(unknown.memory_seconds, far.memory_seconds);
    assert!(global.memory_seconds < far.memory_seconds);
}

#[test]
fn filling_the_constant_cache_takes_time_and_room() {
    let small = price(LOOKED_UP, "__constant", Some(256));
    let large = price(LOOKED_UP, "__constant", Some(64 << 10));
    // 1020 words more, one after the other, at 144 cycles each.
    let cycles = large.cycles.value - small.cycles.value;
    assert!((140_000.0..155_000.0).contains(&cycles), "{cycles}");
    // 64 KiB in blocks of 2 KiB, beside one for the small table.
    assert_eq!(large.area.ram.value - small.area.ram.value, 31.0);
}

#[test]
fn a_cached_unit_reads_a_table_once_that_it_holds() {
    let unknown = price(IN_LOOP, "__global", None);
    let known = price(IN_LOOP, "__global", Some(256));
    assert!(known.memory_seconds < unknown.memory_seconds / 1.5);
    // What is too large for the cache, but not for the rows that stay open, is read again and again, without opening rows.
    let large = price(IN_LOOP, "__global", Some(96 << 10));
    assert!(large.memory_seconds > 2.0 * known.memory_seconds);
    assert!(large.memory_seconds < unknown.memory_seconds);
    let far = price(IN_LOOP, "__global", Some(1 << 20));
    assert_eq!(far.memory_seconds, unknown.memory_seconds);
}

#[test]
fn channels_are_not_loaded_from() {
    let text = "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int go;\n\
                __kernel void k(__global int *restrict out) {\n  \
                for (int i = 0; i < 64; i++) out[i] = read_channel_intel(go);\n}\n";
    let units = price(text, "", None).lsus;
    let arrays: Vec<&str> = units.iter().map(|unit| unit.array.as_str()).collect();
    assert_eq!(arrays, ["out"]);
}
