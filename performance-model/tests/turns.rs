//! Chains of operations that take turns in one loop, and what their pipelines are made of: integers that are masked and
//! resized, vectors, and loops that end when all have ended.

use crate::predicted::predicted;
use fpgacc_performance_model::{Board, Given, LaunchShape, Prediction, TripOrigin};

fn on_arria(text: &str) -> Prediction {
    let board = Board::named("385a").expect("a board");
    predicted(text, &board, LaunchShape::default(), None)
}

/// The interval of a loop in which each iteration makes `x` anew, and the loop's latency.
fn carried(ty: &str, next: &str) -> f64 {
    let prediction = on_arria(&format!(
        "__kernel void k(__global const {ty} *restrict a, __global {ty} *restrict b, int n) {{
            {ty} x = 0;
            for (int i = 0; i < n; i++) {{ x = {next}; b[i] = x; }}
        }}"
    ));
    prediction.loops[0].ii
}

#[test]
fn remainders_by_powers_of_two_are_masks() {
    assert_eq!(carried("uint", "(x ^ a[i]) % 64"), 1.0);
    assert_eq!(carried("int", "(x ^ a[i]) % 64"), 1.0);
    // No power of two: a division of 32 cycles.
    assert!(carried("uint", "(x ^ a[i]) % 63") > 30.0);
    assert!(carried("uint", "(x ^ a[i]) % a[i]") > 30.0);
}

#[test]
fn integers_are_resized_by_wires() {
    let through = |middle: &str| {
        let next = format!("convert_short8(convert_{middle}(x)) + a[i]");
        carried("short8", &next)
    };
    assert_eq!(through("int8"), 1.0);
    assert_eq!(through("char8_sat"), 1.0);
    // Two conversions of six cycles, and the sum.
    assert_eq!(through("float8"), 13.0);
}

#[test]
fn vectors_take_as_many_operators_as_they_have_lanes() {
    let logic = |ty: &str, next: &str| {
        let prediction = on_arria(&format!(
            "__kernel void k(__global {ty} *restrict b) {{
                {ty} x = b[0], y = b[1];
                int n = get_global_id(0);
                {next}
                b[2] = x;
            }}"
        ));
        prediction.area.alut.value
    };
    // Fifteen lanes more, of 32 units each.
    for next in ["x += y;", "x = n > 3 ? x : y;", "if (n > 3) x = y;"] {
        let grown = |ty: &str| logic(ty, next) - logic(ty, "x = y;");
        assert_eq!(grown("uint16") - grown("uint"), 15.0 * 32.0, "{next}");
    }
}

#[test]
fn as_many_take_turns_as_cover_what_a_step_takes() {
    let turns = |slots: usize| {
        let prediction = on_arria(&format!(
            "__kernel void k(__global const uint *restrict a, __global uint *restrict b, uint n) {{
                uint x[{slots}]; uint4 y[{slots}];
                #pragma unroll
                for (int i = 0; i < {slots}; i++) {{ x[i] = 1; y[i] = (uint4)(0); }}
                for (uint i = 0; i < n; i++) {{
                    uint own = a[i] / (x[0] + y[0].s1);
                    uint4 sum = y[0] + own;
                    b[i] = own;
                    #pragma unroll
                    for (int j = 0; j + 1 < {slots}; j++) {{ x[j] = x[j + 1]; y[j] = y[j + 1]; }}
                    x[{slots} - 1] = own; y[{slots} - 1] = sum;
                }}
            }}"
        ));
        prediction.loops[0].ii
    };
    assert_eq!(turns(48), 1.0);
    // A division of 32 cycles and sums, three times the turns later.
    assert_eq!(turns(8), 5.0);
    assert!(turns(1) > 30.0);
}

fn until(condition: &str, trips: Option<f64>) -> Prediction {
    let text = format!(
        "__kernel void k(__global const uint *restrict a, __global uint *restrict b, uint n) {{
            uint left = 1;
            for (uint i = 0; {condition}; i++) {{ b[i] = left; if (i % 256 == 255) left = a[i]; }}
        }}"
    );
    let launch = LaunchShape {
        scalars: [(
            2,
            Given {
                value: 5000.0,
                origin: TripOrigin::Symbolic,
            },
        )]
        .into(),
        ..LaunchShape::default()
    };
    predicted(&text, &Board::named("385a").unwrap(), launch, trips)
}

#[test]
fn a_loop_runs_at_least_as_often_as_one_of_its_conditions_says() {
    let both = until("i < n || left != 0", None);
    assert_eq!(both.loops[0].trip.value, 5000.0);
    let says = |p: &Prediction| {
        p.assumed
            .iter()
            .any(|a| a.what.contains("may keep it longer"))
    };
    assert_eq!(both.loops[0].trip.origin, TripOrigin::Assumed);
    assert!(says(&both));
    // The longer of two.
    let two = until("i < n || i < 6000", None);
    assert_eq!(two.loops[0].trip.value, 6000.0);
    assert!(!says(&two));
    // Of a conjunction, the shorter.
    assert_eq!(until("i < n && i < 6000", None).loops[0].trip.value, 5000.0);
    // A run says it better.
    assert_eq!(
        until("i < n || left != 0", Some(7000.0)).loops[0]
            .trip
            .value,
        7000.0
    );
    // Nothing is known.
    assert_eq!(
        until("left != 1 || left != 0", None).loops[0].trip.origin,
        TripOrigin::Assumed
    );
}

#[test]
fn what_several_conditions_must_let_happen_is_rare() {
    let stride = |turn: &str| {
        let prediction = on_arria(&format!(
            "__kernel void k(__global const int *restrict a, __global int *restrict b, int n) {{
                int row = 0, column = 0; int busy = 0;
                for (int i = 0; i < 100000; i++) {{
                    busy = a[row * 1024 + column];
                    b[i] = busy;
                    if ({turn}) {{ row++; column = 0; }} else column++;
                }}
            }}"
        ));
        prediction.lsus[0].stride
    };
    assert_eq!(stride("i % 1024 == 1023"), Some(4));
    assert_eq!(stride("i % 1024 == 1023 && busy == 0"), Some(4));
    assert_eq!(stride("busy == 0 && i % 1024 == 1023"), Some(4));
    // Either of two: nothing is said of the other one.
    assert_ne!(stride("i % 1024 == 1023 || busy > n"), Some(4));
}

#[test]
fn recorded_loops_are_still_unrolled() {
    let text = "__kernel void k(__global const int *restrict a, __global int *restrict b, int n) {
        int x[4];
        for (int i = 0; i < n; i++) {
            int sum = a[i];
            #pragma unroll
            for (int j = 0; j < 4; j++) sum += a[i + j];
            b[i] = sum;
        }
    }";
    let board = Board::named("385a").unwrap();
    let recorded = predicted(text, &board, LaunchShape::default(), Some(4.0));
    assert_eq!(recorded.loops.iter().filter(|l| l.unroll == 1).count(), 1);
    assert_eq!(recorded.loops[0].trip.origin, TripOrigin::Profiled);
}
