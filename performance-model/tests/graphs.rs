//! Loops through rows of graphs and sparse matrices, tiles in banks, and groups of at most so many work-items. Where a time is
//! said to be measured, it is that of a kernel of the same kind in the repository that is named; the kernels are our own.

use crate::predicted::{given, predicted};
use fpgacc_performance_model::{Board, LaunchShape, Prediction};

/// So many work-items in groups, on a board; loops run so often.
fn on(board: &str, text: &str, (items, group): (f64, f64), trips: Option<f64>) -> Prediction {
    let launch = LaunchShape {
        global: [given(items), given(1.0), given(1.0)],
        local: [given(group), given(1.0), given(1.0)],
        ..LaunchShape::default()
    };
    predicted(text, &Board::named(board).unwrap(), launch, trips)
}

/// Sums of rows, so many at a time.
fn sums_of_rows(board: &str, at_once: u64) -> Prediction {
    let text = format!(
        "__kernel void k(__global const int *restrict start, __global const float *restrict a, __global float *restrict b, int n) {{
            #pragma unroll {at_once}
            for (int i = 0; i < n; i++) {{
                float s = 0.0f;
                for (int j = start[i]; j < start[i + 1]; j++) s += a[j];
                b[i] = s;
            }}
        }}"
    );
    on(board, &text, (1.0, 1.0), Some(4000.0))
}

/// 57.9 and 29.4 ms for one row and two at a time (mwasfy/gale, PageRank on a PAC, aoc of 2020). Older compilers run copies of
/// a loop one after another (Boyi's TQH, aoc 16.1).
#[test]
fn copies_of_a_loop_inside_run_at_the_same_time() {
    let part = |board| sums_of_rows(board, 2).busy_cycles / sums_of_rows(board, 1).busy_cycles;
    assert!(
        (0.45..=0.6).contains(&part("pac-a10")),
        "{}",
        part("pac-a10")
    );
    assert!(part("de5a-net") > 0.9, "{}", part("de5a-net"));
}

/// Where a row ends at which the next one begins, work-items side by side go through memory in order: 5 ns for each of 12
/// million rows of one element, with two loads and a sum (mwasfy/gale), where a word of its own for each takes 9 ns.
#[test]
fn rows_that_follow_each_other_are_read_in_order() {
    let seconds = |end: &str, trips| {
        let text = format!(
            "__kernel void k(__global const int *restrict start, __global const int *restrict ends,
                             __global const float *restrict a, __global float *restrict b) {{
                int i = get_global_id(0);
                float s = 0.0f;
                for (int j = start[i]; j < {end}; j++) s += a[j];
                b[i] = s;
            }}"
        );
        on("pac-a10", &text, (1e6, 64.0), Some(trips)).memory_seconds
    };
    for trips in [1.0, 28.0] {
        let (following, anywhere) = (seconds("start[i + 1]", trips), seconds("ends[i]", trips));
        assert!(
            following < 0.7 * anywhere,
            "{trips}: {following} {anywhere}"
        );
    }
}

/// Shortest paths compare `x[col[i]]` and take it: as fast as PageRank, which reads it once (mwasfy/gale).
#[test]
fn what_is_read_again_is_read_once() {
    let units = |between: &str| {
        let text = format!(
            "__kernel void k(__global const int *restrict col, __global int *restrict x, __global int *restrict b, int n) {{
                int least = 99999999;
                for (int i = 0; i < n; i++) {{
                    if (x[col[i]] < least) {{ {between} least = x[col[i]]; }}
                }}
                b[0] = least;
            }}"
        );
        let prediction = on("pac-a10", &text, (1.0, 1.0), None);
        let loads = prediction.lsus.iter();
        loads
            .filter(|lsu| lsu.array == "x" && !lsu.is_store)
            .count()
    };
    assert_eq!(units(""), 1);
    assert_eq!(units("x[i] = 0;"), 2);
}

/// `__fpga_reg` is a register: 3,200 products and sums of pc2/cannon-fpga, with one on each side, take 360,000 look-up tables
/// in all.
#[test]
fn registers_take_no_logic() {
    let alut = |value: &str| {
        let text = format!(
            "__kernel void k(__global const float *restrict a, __global float *restrict b, int n) {{
                for (int i = 0; i < n; i++) b[i] = {value} * 2.0f;
            }}"
        );
        on("520n", &text, (1.0, 1.0), None).area.alut.value
    };
    assert_eq!(alut("__fpga_reg(a[i])"), alut("a[i]"));
}

/// Each bank serves the loads that go to it: no copies of the memory. A block of 1 MB with 64 loads side by side takes 570
/// memory blocks (pc2/cannon-fpga), little more than it has bits.
#[test]
fn banks_need_no_copies() {
    let blocks = |attribute: &str| {
        let text = format!(
            "__kernel void k(__global const float *restrict a, __global float *restrict b, int n) {{
                float {attribute} t[4096][64];
                for (int i = 0; i < 262144; i++) t[i / 64][i % 64] = a[i];
                for (int i = 0; i < n; i++) {{
                    float s = 0.0f;
                    #pragma unroll
                    for (int u = 0; u < 64; u++) s += t[i & 4095][u];
                    b[i] = s;
                }}
            }}"
        );
        on("520n", &text, (1.0, 1.0), None).area.ram.value
    };
    let banked = blocks("__attribute__((numbanks(64)))");
    assert!((512.0..700.0).contains(&banked), "{banked}");
    assert!(blocks("") > 2.0 * banked);
}

/// Hardware for at most so many work-items lets groups follow each other at a barrier in a loop: 25 and 37 cycles a round of 12
/// and 32 work-items, where one alone takes 100 (doonny/PipeCNN's normalisation on a DE1-SoC).
#[test]
fn groups_of_at_most_so_many_work_items_follow_each_other() {
    let rounds = |attribute: &str| {
        let text = format!(
            "{attribute} __kernel void k(__global const float *restrict a, __global float *restrict b) {{
                __local float t[64];
                int i = get_local_id(0);
                t[i] = a[get_global_id(0)];
                for (int j = 0; j < 8; j++) {{
                    float x = t[i] * t[i] + t[i + 1] * t[i + 1];
                    barrier(CLK_LOCAL_MEM_FENCE);
                    t[i] = x;
                }}
                b[get_global_id(0)] = t[i];
            }}"
        );
        on("c5soc", &text, (32.0 * 256.0, 32.0), None).busy_cycles / 256.0 / 8.0
    };
    let sized = rounds("__attribute__((max_work_group_size(32)))");
    assert!((25.0..45.0).contains(&sized), "{sized}");
    assert!(rounds("") > 1.5 * sized);
}

#[test]
fn copies_of_operations_are_counted_in_the_loops_that_they_stand_in() {
    let text = |unroll: &str| {
        format!(
            "__kernel void k(__global const int *restrict a, __global int *restrict b, int n) {{
                for (int i = 0; i < n; i++) {{
                    int s = a[i];
                    {unroll}
                    for (int j = 0; j < 40; j++) s = (s ^ j) * s;
                    b[i] = s;
                }}
                for (int i = 0; i < n; i++) b[i] = b[i] * 3;
            }}"
        )
    };
    let parts = |unroll| {
        let priced = on("de5a-net", &text(unroll), (1.0, 1.0), Some(100.0));
        let all: u64 = priced.operations.iter().map(|one| one.count).sum();
        (priced.parts_in_loops, all as f64)
    };
    let (plain, few) = parts("");
    let (copied, many) = parts("#pragma unroll 8");
    assert_eq!((plain.len(), copied.len()), (3, 3));
    // A loop counts with those inside.
    assert!(
        plain[1] < plain[0] && plain[0] + plain[2] <= 1.0,
        "{plain:?}"
    );
    assert!(
        copied[1] > plain[1] && copied[2] < plain[2],
        "{plain:?} {copied:?}"
    );
    // What is said of the loop as it is says how many operations copies of it make.
    let expected = few * (1.0 + 7.0 * plain[1]);
    assert!((many / expected - 1.0).abs() < 0.25, "{many} {expected}");
}
