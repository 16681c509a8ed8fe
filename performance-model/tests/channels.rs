//! Kernels that channels connect: what of them waits for what. Where a time is said to be measured, it is that of a design of
//! the same kind in Boyi (`jjiantong/Boyi`, aoc 16.1, DE5a-Net); the kernels are our own.

use std::collections::BTreeMap;

use crate::predicted::{assert_time, given, predicted};
use fpgacc_performance_model::{Board, LaunchShape, Launched, LsuKind, Program, Version};

fn de5a_net() -> Board {
    Board::named("de5a-net").unwrap()
}

fn launch(items: u64, local: u64, scalars: &[(u32, u64)], bytes: &[(u32, u64)]) -> LaunchShape {
    let scalars = scalars
        .iter()
        .filter_map(|(at, value)| Some((*at, given(*value as f64)?)));
    LaunchShape {
        global: [given(items as f64), given(1.0), given(1.0)],
        local: [given(local as f64), given(1.0), given(1.0)],
        scalars: scalars.collect(),
        bytes: bytes.iter().copied().collect::<BTreeMap<_, _>>(),
        speculated: Some(0.0),
        ..LaunchShape::default()
    }
}

/// A compaction of 65536 numbers, unrolled by 2: 0.275 ms, and 0.268 as it is, in the same area.
#[test]
fn loops_around_a_channel_are_not_unrolled_by_early_compilers() {
    let text = |pragma: &str, channel: &str| {
        format!(
            "channel int c[4];\n__kernel void k(__global int *out, int n) {{\n  int at = 0;\n  {pragma}\n  \
             for (int i = 0; i < n; i++) {{\n    int in = read_channel_altera(c[{channel}]);\n    \
             if (in != 0) {{ out[at] = in; at++; }}\n  }}\n}}\n"
        )
    };
    let priced =
        |text: &str, board: &Board| predicted(text, board, launch(1, 1, &[(1, 65536)], &[]), None);
    let unrolled = priced(&text("#pragma unroll 2", "0"), &de5a_net());
    assert_time("unrolled", &unrolled, 0.275, 1.3);
    let plain = priced(&text("", "0"), &de5a_net());
    assert_eq!(unrolled.cycles, plain.cycles);
    assert_eq!(unrolled.area, plain.area);
    // Each copy of the body has a channel of its own, or the compiler takes several places.
    assert_eq!(
        priced(&text("#pragma unroll 2", "i & 1"), &de5a_net()).loops[0].unroll,
        2
    );
    let aoc = Version {
        major: 18,
        minor: 1,
    };
    let later = priced(&text("#pragma unroll 2", "0"), &de5a_net().built_with(aoc));
    assert_eq!(later.loops[0].unroll, 2);
}

/// 157 million numbers into eight histograms side by side: 132 ms, and 1030 into one.
#[test]
fn atomics_on_arrays_apart_take_no_turns() {
    let text = |histograms: usize| {
        let each = |what: fn(usize) -> String| (0..histograms).map(what).collect::<String>();
        let arrays = each(|i| format!("  __local uint h{i}[256];\n"));
        let count =
            each(|i| format!("    atomic_add(&h{i}[read_channel_altera(c[{i}]) >> 4], 1);\n"));
        let sums = each(|i| format!("h{i}[get_local_id(0)] + "));
        format!(
            "channel uint c[8];\n__kernel void k(__global uint *out, int n) {{\n{arrays}  \
             for (int i = get_group_id(0); i < n; i += get_num_groups(0)) {{\n{count}  }}\n  \
             barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = {sums}0;\n}}\n"
        )
    };
    let tasks = 614_400;
    for (histograms, measured) in [(1, 1029.7), (8, 132.3)] {
        let shape = launch(4096, 256, &[(1, tasks / histograms as u64)], &[]);
        let priced = predicted(&text(histograms), &de5a_net(), shape, None);
        assert_time("histograms", &priced, measured, 1.2);
    }
}

/// Histograms of what vectors through a channel hold, renewed for each frame: 240.3 ms for 1600 frames, 16 numbers at a time.
/// Where an element lies is known once it is read.
#[test]
fn components_of_what_was_read_were_read() {
    let histograms: String = (0..16).map(|i| format!("int h{i}[256];\n")).collect();
    let zero: String = (0..16).map(|i| format!("h{i}[j] = 0; ")).collect();
    let count: String = (0..16)
        .map(|i| format!("h{i}[d.s{i:x} & 255]++;\n"))
        .collect();
    let sum: String = (0..16).map(|i| format!("h{i}[j] + ")).collect();
    let text = format!(
        "channel uint16 c;\nchannel int o;\n__kernel void k(int frames, int size) {{\n{histograms}\
         for (int i = 0; i < frames; i++) {{\n  for (int j = 0; j < 256; j++) {{ {zero} }}\n  \
         for (int j = 0; j < size; j++) {{\n    uint16 d = read_channel_altera(c);\n{count}  }}\n  \
         for (int j = 0; j < 256; j++) write_channel_altera(o, {sum}0);\n}}\n}}\n"
    );
    let shape = launch(1, 1, &[(0, 1600), (1, 101_376 / 16)], &[]);
    assert_time(
        "frames",
        &predicted(&text, &de5a_net(), shape, None),
        240.3,
        1.2,
    );
}

/// 1220 work-items go through 95 KB, 800 bytes at a time: 0.77 ms at 238 MHz where a channel lets them in. Without it their
/// traffic alone takes 3.8 (30 GB/s, as RSCD without channels).
#[test]
fn work_items_that_a_channel_lets_in_share_what_they_read() {
    let text = |from: &str| {
        format!(
            "channel int c;\n__kernel void k(__global const int4 *restrict in, __global int *restrict out, int n) {{\n  \
             int start = {from}, s = 0;\n  #pragma unroll 50\n  \
             for (int i = 0; i < n; i++) {{ int4 v = in[i]; s += v.s0 > start ? v.s1 : v.s2; }}\n  \
             out[get_global_id(0)] = s;\n}}\n"
        )
    };
    let priced = |from: &str| {
        let shape = launch(1220, 1, &[(2, 5922)], &[(0, 94_752)]);
        predicted(&text(from), &de5a_net(), shape, None)
    };
    let let_in = priced("read_channel_altera(c)");
    let ratio = let_in.cycles.value / (0.767e-3 * 238e6);
    assert!((0.75..=1.3).contains(&ratio), "let in: {ratio}");
    assert_eq!(let_in.lsus[0].kind, LsuKind::BurstCached);
    assert_time("together", &priced("get_global_id(0)"), 3.8, 1.15);
}

/// Rounds follow each other; the kernels of one run at the same time.
#[test]
fn rounds_add_up() {
    let text = |n: u32| {
        format!(
            "__kernel void k(__global int *restrict out) {{\n  \
             for (int i = 0; i < {n}; i++) out[i] = i;\n}}\n"
        )
    };
    let board = de5a_net();
    let [short, long] =
        [100_000, 1_000_000].map(|n| predicted(&text(n), &board, LaunchShape::default(), None));
    let each = [&short, &long].map(|prediction| Launched {
        prediction,
        times: 1.0,
        again: false,
    });
    let seconds = |rounds: &[&[Launched<'_>]]| Program::in_rounds(rounds, &board).seconds.value;
    let in_a_row = Program::of(&each, &board).seconds.value;
    let apart = seconds(&[&each[..1], &each[1..]]);
    assert!((apart / in_a_row - 1.0).abs() < 1e-9);
    assert_eq!(
        seconds(&[&each]),
        Program::at_once(&each, &board).seconds.value
    );
    assert!(seconds(&[&each]) < apart);
}
