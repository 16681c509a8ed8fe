//! Systolic arrays as generators write them: shift registers of several dimensions, sums of vectors, counters that nests of
//! loops move on, and feeders that run for ever.

use crate::predicted::predicted;
use fpgacc_performance_model::{Board, LaunchShape, Pipelining, Prediction};

fn on(board: &str, text: &str) -> Prediction {
    let board = Board::named(board).expect("a board");
    predicted(text, &board, LaunchShape::default(), None)
}

/// 64 sums of products, each of 64 in turn, that go through a register of 64 elements for each (someoneinjd/t2sp: aoc 19.4
/// reports an interval of 1 for 80 sums of 16 products, each of 1024 in turn).
#[test]
fn shift_registers_may_have_several_dimensions() {
    let array = |moved: &str| {
        on(
            "pac-a10",
            &format!(
                "__kernel void k(__global const float *restrict a, __global float *restrict b) {{
                    float z[128][8][8];
                    float last[8][8];
                    for (int i = 0; i < 100000; i++) {{
                        #pragma unroll
                        for (int x = 0; x < 8; x++) {{
                            #pragma unroll
                            for (int y = 0; y < 8; y++) {{
                                last[x][y] = z[127][x][y];
                                #pragma unroll
                                for (int t = 0; t < 127; t++) {{
                                    {moved}
                                }}
                                z[0][x][y] = last[x][y] + a[i];
                            }}
                        }}
                        b[i] = z[0][7][7];
                    }}
                }}"
            ),
        )
    };
    let direct = array("z[127 - t][x][y] = z[126 - t][x][y];");
    let named = array(
        "int to = 127 - t; int from = to - 1; float moved = z[from][x][y]; z[to][x][y] = moved; (void)moved;",
    );
    for prediction in [&direct, &named] {
        assert_eq!(prediction.loops.len(), 1);
        assert_eq!(prediction.loops[0].ii, 1.0);
        assert_eq!(prediction.area, direct.area);
    }
    // Which of them moves is not known: a memory.
    let chosen = array("z[127 - t][x][(y + i) & 7] = z[126 - t][x][(y + i) & 7];");
    assert!(chosen.loops.iter().any(|report| report.ii > 1.0));
}

/// Sums of complex numbers, from 0 on, are accumulators too (someoneinjd/t2sp, cdot: aoc 19.4 reports an interval of 1).
#[test]
fn vectors_are_accumulated() {
    let sum = |start: &str| {
        on(
            "pac-a10",
            &format!(
                "__kernel void k(__global const float2 *restrict a, __global float2 *restrict b, int n) {{
                    float2 sum = {start};
                    for (int i = 0; i < n; i++) sum += a[i];
                    b[0] = sum;
                }}"
            ),
        )
    };
    assert_eq!(sum("(float2)(0.0f, 0.0f)").loops[0].ii, 1.0);
    assert!(sum("(float2)(0.0f, 1.0f)").loops[0].ii > 1.0);
}

/// A variable that each iteration moves on 16 times by 1 is moved on by 16 (someoneinjd/t2sp, ger).
#[test]
fn constants_are_added_together() {
    let prediction = on(
        "pac-a10",
        "__kernel void k(__global const float *restrict a, __global float *restrict b, int n) {
            int at = 0;
            for (int i = 0; i < n; i++) {
                float x = a[i];
                #pragma unroll
                for (int j = 0; j < 16; j++) {
                    b[at] = x;
                    int next = at + 1;
                    at = next;
                }
            }
        }",
    );
    assert_eq!(prediction.loops[0].ii, 1.0);
    // The unit stores 64 bytes after 64 bytes.
    let store = prediction.lsus.iter().find(|lsu| lsu.is_store);
    assert_eq!(store.and_then(|lsu| lsu.stride), Some(64));
}

/// What a loop has counted is known before it runs: entries do not wait for it.
#[test]
fn counters_of_nests_do_not_wait_for_loops_inside() {
    let nest = |step: &str| {
        on(
            "pac-a10",
            &format!(
                "__kernel void k(__global const int *restrict a, __global int *restrict b, int n) {{
                    int at = 0;
                    for (int i = 0; i < n; i++)
                        for (int j = 0; j < 16; j++) {{
                            b[at] = a[i];
                            {step}
                        }}
                }}"
            ),
        )
    };
    assert_eq!(nest("at = at + 1;").loops[0].ii, 1.0);
    assert!(nest("at = a[at] + 1;").loops[0].ii > 16.0);
}

/// An array of registers that each iteration writes before it reads it keeps no entry waiting, however small it is.
#[test]
fn small_arrays_that_are_written_first_do_not_wait() {
    let prediction = on(
        "pac-a10",
        "__kernel void k(__global const float *restrict a, __global float *restrict b, int n) {
            float y[16];
            for (int i = 0; i < n; i++)
                for (int j = 0; j < 16; j++) {
                    float x = a[16 * i + j];
                    #pragma unroll
                    for (int k = 0; k < 16; k++) {
                        y[k] = x * k;
                        x = y[k] + 1;
                    }
                    b[16 * i + j] = y[15];
                }
        }",
    );
    assert_eq!(prediction.loops[0].ii, 1.0);
}

/// What copies of an unrolled loop compute alike is computed once, and what a constant decides not at all (aoc's reports of
/// someoneinjd/t2sp have one remainder where the text has 1280).
#[test]
fn copies_share_what_they_compute_alike() {
    let logic = |copies: usize, body: &str| {
        let prediction = on(
            "pac-a10",
            &format!(
                "__kernel void k(__global const float *restrict a, __global float *restrict b, int n, int m) {{
                    for (int i = 0; i < n; i++) {{
                        float x[{copies}];
                        #pragma unroll
                        for (int j = 0; j < {copies}; j++) {{ x[j] = 0; {body} }}
                        b[i] = x[0] + x[{copies} - 1];
                    }}
                }}"
            ),
        );
        prediction.area.alut.value
    };
    let grows = |body: &str| logic(32, body) - logic(8, body);
    let each = grows("if (i % (m + j) == 3) x[j] = a[i];");
    let alike = grows("if (i % m == 3) x[j] = a[i];");
    let decided = grows("bool last = j == 7; if (last && i % m == 3) x[j] = a[i];");
    assert!(alike < 0.3 * each, "{alike} {each}");
    assert!(decided < alike, "{decided} {alike}");
}

/// A loop without an end carries nothing on: aoc 16.0 reports that its iterations start every cycle, around a loop of as
/// many iterations as data say (Xtra-Computing/HashjoinOnHARP).
#[test]
fn iterations_of_endless_loops_may_overtake_each_other() {
    let filter = |outer: &str, more: &str| {
        on(
            "de5-net",
            &format!(
                "__kernel void k(__global const int *restrict a, __global int *restrict b, int n) {{
                    int i = 0;
                    {outer} {{
                        int many = a[5];
                        for (int j = 0; j < many; j++) b[j] = many;
                        {more}
                    }}
                }}"
            ),
        )
    };
    let pipelined = |prediction: Prediction| prediction.loops[0].pipelined == Pipelining::Pipelined;
    assert!(pipelined(filter("while (1)", "")));
    assert!(pipelined(filter("while (1)", "b[n] = 1;")));
}
