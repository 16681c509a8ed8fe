//! The initiation intervals that the performance model gives loops with known answers.

use std::collections::BTreeMap;

use fpgacc_performance_model::{
    Board, LaunchShape, Limit, LoopReport, LsuKind, Pipelining, TripOrigin, calibration,
};
use serde::Deserialize;

use crate::predicted::{given, predicted};

/// A loop nest and its intervals.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// Why the answer is known.
    why: String,
    kernel: String,
    #[serde(default = "arria10")]
    board: String,
    /// Latencies of operators that differ from the board's.
    #[serde(default)]
    latencies: BTreeMap<String, f64>,
    /// Sums may be reassociated.
    #[serde(default)]
    relaxed: bool,
    /// Of each loop that remains, in the order of the text; null where no answer is known.
    ii: Vec<Option<f64>>,
    /// What sets the interval of the innermost loop that comes last.
    #[serde(default)]
    limit: Option<String>,
}

fn arria10() -> String {
    "pac-a10".to_string()
}

fn board(name: &str, latencies: &BTreeMap<String, f64>) -> Board {
    let board = Board::named(name).expect("a built-in board");
    board.with_latencies(latencies).expect("known operators")
}

fn loops(case: &Case) -> Vec<LoopReport> {
    let launch = LaunchShape {
        fp_relaxed: case.relaxed,
        ..LaunchShape::default()
    };
    predicted(
        &case.kernel,
        &board(&case.board, &case.latencies),
        launch,
        None,
    )
    .loops
}

#[test]
fn speed_ups_are_within_a_factor_of_two() {
    for pair in calibration::pairs().unwrap() {
        assert!(!pair.why.is_empty(), "{}: why?", pair.name);
        let board = board(&pair.board, &pair.latencies);
        let [slow, fast] = [&pair.slow, &pair.fast].map(|text| {
            let launch = pair.launch(&crate::module::module(text));
            predicted(text, &board, launch, None).seconds.value
        });
        let off = slow / fast / pair.measured;
        assert!(
            (0.5..=2.0).contains(&off),
            "{}: {:.1}x",
            pair.name,
            slow / fast
        );
        for (seconds, measured) in [slow, fast].iter().zip(pair.milliseconds.iter().flatten()) {
            let off = seconds * 1e3 / measured;
            let name = &pair.name;
            assert!(
                (0.5..=2.0).contains(&off),
                "{name}: {seconds} s, {measured} ms"
            );
        }
    }
}

fn limit(report: &LoopReport) -> String {
    let name = match &report.limit {
        Limit::None => "none",
        Limit::Recurrence { .. } => "recurrence",
        Limit::Chain { .. } => "chain",
        Limit::MemoryDependence { array, .. } => return format!("memory {array}"),
        Limit::LocalPorts { array, .. } => return format!("ports {array}"),
        Limit::Bandwidth => "bandwidth",
        Limit::Serialised(_) => "serialised",
        Limit::Copies { array, copies } => return format!("{copies} copies of {array}"),
        Limit::VariableTrips(_) => "variable trips",
        Limit::Asked => "asked",
    };
    name.to_string()
}

#[test]
fn loops_start_as_often_as_is_known() {
    let cases: Vec<Case> = serde_yaml::from_str(include_str!("cases/ii.yaml")).unwrap();
    assert!(cases.len() >= 40);
    let mut faults = Vec::new();
    for case in &cases {
        assert!(!case.why.is_empty(), "{}: why?", case.name);
        let reports = loops(case);
        let found: Vec<f64> = reports.iter().map(|report| report.ii).collect();
        let agree =
            |(known, found): (&Option<f64>, &f64)| known.is_none_or(|known| known == *found);
        if found.len() != case.ii.len() || !case.ii.iter().zip(&found).all(agree) {
            faults.push(format!(
                "{}: expected {:?}, found {found:?}: {:?}",
                case.name,
                case.ii,
                reports.last().map(|r| &r.limit)
            ));
        }
        if let (Some(expected), Some(last)) = (&case.limit, reports.last())
            && limit(last) != *expected
        {
            faults.push(format!(
                "{}: expected {expected}, found {}",
                case.name,
                limit(last)
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_pragma_makes_a_loop_serial() {
    let case = Case {
        name: "serial".to_string(),
        why: "asked".to_string(),
        kernel:
            "__kernel void k(__global int *restrict a, __global const int *restrict b, int n) {\n  \
                 #pragma disable_loop_pipelining\n  for (int i = 0; i < n; i++) a[i] = b[i];\n}\n"
                .to_string(),
        board: arria10(),
        latencies: BTreeMap::new(),
        relaxed: false,
        ii: Vec::new(),
        limit: None,
    };
    let reports = loops(&case);
    assert_eq!(reports[0].pipelined, Pipelining::Serial);
    assert!(reports[0].ii > 5.0);
}

/// "The number of iterations of the inner loops might differ for different outer loop iterations" (Intel's best
/// practices guide, 18.1, 2.8.4): then the outer loop is not pipelined. aoc 15.0 says so of a bilateral filter
/// that returns from its nest, too.
#[test]
fn iterations_that_could_overtake_each_other_do_not_overlap() {
    let nest = |outer: &str, inner: &str, more: &str| {
        format!(
            "__kernel void k(__global float *restrict out, __global const float *restrict in, \
             __global const int *restrict first, int n, int m) {{\n  for ({outer}) {{\n    float s = 0;\n    \
             {more}\n    for ({inner}) s += in[i + j];\n    out[i] = s;\n  }}\n}}\n"
        )
    };
    let rows = "int i = 0; i < n; i++";
    let cases = [
        (nest(rows, "int j = 0; j < m; j++", ""), false),
        (nest(rows, "int j = 0; j < i; j++", ""), true),
        (nest(rows, "int j = i; j < m; j++", ""), true),
        (
            nest(rows, "int j = first[i]; j < first[i + 1]; j++", ""),
            true,
        ),
        (nest(rows, "int j = 0; j < first[n]; j++", ""), false),
        (nest(rows, "int j = 0; j < m && j < i + 4; j++", ""), true),
        (
            nest(rows, "int j = 0; j < m; j++", "if (in[i] == 0) return;"),
            true,
        ),
        // Ten forms of RSCD take 3,000 to 5,000 cycles an iteration, however far the loop inside is unrolled.
        (
            nest(rows, "int j = 0; j < m; j++", "if (in[i] == 0) continue;"),
            true,
        ),
    ];
    for (text, overtakes) in cases {
        for name in ["de5-net", "de5a-net", "pac-a10"] {
            let board = Board::named(name).unwrap();
            let loops = predicted(&text, &board, LaunchShape::default(), None).loops;
            let expected = match overtakes && name != "pac-a10" {
                true => Pipelining::Serial,
                false => Pipelining::Pipelined,
            };
            assert_eq!(loops[0].pipelined, expected, "{name}: {text}");
            let is_why = matches!(loops[0].limit, Limit::VariableTrips(Some(inner)) if Some(inner) == loops[1].span);
            assert_eq!(is_why, expected == Pipelining::Serial, "{name}: {text}");
            assert_eq!(loops[1].pipelined, Pipelining::Pipelined, "{name}: {text}");
        }
    }
}

/// The loop whose iterations differ is the one that waits, and not those between.
#[test]
fn loops_between_still_overlap() {
    let text = "__kernel void k(__global float *restrict out, __global const float *restrict in, int n, int m) {\n  \
                for (int i = 0; i < n; i++)\n    for (int j = 0; j < m; j++) {\n      float s = 0;\n      \
                for (int l = 0; l < i; l++) s += in[j + l];\n      out[i * m + j] = s;\n    }\n}\n";
    let board = Board::named("de5-net").unwrap();
    let loops = predicted(text, &board, LaunchShape::default(), None).loops;
    let found: Vec<Pipelining> = loops.iter().map(|report| report.pipelined).collect();
    let expected = [
        Pipelining::Serial,
        Pipelining::Pipelined,
        Pipelining::Pipelined,
    ];
    assert_eq!(found, expected);
}

/// A guess must not say that a loop never runs.
#[test]
fn unknown_bounds_on_both_sides_are_assumed() {
    let text = "__kernel void k(__global float *restrict out, int r) {\n  \
                for (int i = -r + 1; i <= r; i++) out[i + r] = i;\n}\n";
    let board = Board::named("de5-net").unwrap();
    let loops = predicted(text, &board, LaunchShape::default(), None).loops;
    assert_eq!(loops[0].trip.origin, TripOrigin::Assumed);
    assert_eq!(loops[0].trip.value, 16.0);
}

/// Each entry of a loop costs a cycle besides its iterations; of loops that are one there is one entry.
#[test]
fn nested_loops_made_one_are_entered_once() {
    let text = |pragma: &str| {
        format!(
            "__kernel void k(__global int *restrict a, __global const int *restrict b) {{\n  {pragma}\n  \
             for (int i = 0; i < 100000; i++)\n    for (int j = 0; j < 4; j++)\n      \
             a[i * 4 + j] = b[i * 4 + j] + 1;\n}}\n"
        )
    };
    let board = Board::named("pac-a10").unwrap();
    let [apart, one] = ["", "#pragma loop_coalesce 2"]
        .map(|pragma| predicted(&text(pragma), &board, LaunchShape::default(), None));
    let faster = apart.cycles.value / one.cycles.value;
    assert!((1.24..=1.26).contains(&faster), "{faster}");
    assert_eq!(one.loops.len(), 1);
    assert_eq!(one.loops[0].trip.value, 400_000.0);
    assert!(one.area.alut.value < apart.area.alut.value);
    // One loop's latency, not that of a loop in a loop.
    assert!(one.loops[0].latency < apart.loops[0].latency);
}

#[test]
fn only_accesses_that_happen_are_waited_for() {
    let text = "__kernel void k(__global int *a, int n, int m) {\n  \
                for (int i = 0; i < n; i++)\n    if (i < m) a[0] += i;\n}\n";
    let board = Board::named("de5a-net").unwrap();
    let [seldom, always] = [1e5, 1e6].map(|taken| {
        let launch = LaunchShape {
            scalars: [(1, given(1e6).unwrap()), (2, given(taken).unwrap())].into(),
            ..LaunchShape::default()
        };
        predicted(text, &board, launch, None)
    });
    assert_eq!(
        seldom.loops[0].ii, always.loops[0].ii,
        "aoc's report does not know"
    );
    let faster = always.seconds.value / seldom.seconds.value;
    assert!((5.0..=10.0).contains(&faster), "{faster}");
}

/// A store waits for a store, and not for the loop that this is in; unless the loop reads what is stored.
#[test]
fn stores_wait_for_the_stores_of_a_loop_and_not_for_its_loads() {
    let text = |value: &str| {
        format!(
            "__kernel void k(__global float *restrict a, __global const float *restrict b, int n, \
             int m) {{\n  for (int i = 0; i < n; i++) {{\n    a[i * m] = b[i];\n    \
             for (int j = 0; j < 8; j++) a[i * m + j * n] = {value};\n    \
             a[i * m + n] = b[i + 1];\n  }}\n}}\n"
        )
    };
    let board = Board::named("pac-a10").unwrap();
    let intervals = |value: &str| {
        let loops = predicted(&text(value), &board, LaunchShape::default(), None).loops;
        [loops[0].ii, loops[1].ii]
    };
    let [short, _] = intervals("b[i + j]");
    let long = ["exp(b[i + j])", "sqrt(b[i + j]) / b[i]"].map(|value| intervals(value)[0]);
    assert_eq!(long, [short; 2]);
    let [outer, inner] = intervals("a[i * m + j * n] + b[i + j]");
    assert!(inner > 100.0 && outer > 8.0 * inner, "{outer}, {inner}");
}

#[test]
fn barriers_in_loops_cost_less_where_the_size_of_groups_is_known() {
    let text = |attribute: &str| {
        format!(
            "__kernel {attribute} void k(__global int *restrict a, int n) {{\n  \
             __local int x[65];\n  int t = get_local_id(0);\n  x[t] = a[get_global_id(0)];\n  \
             for (int i = 0; i < n; i++) {{\n    barrier(CLK_LOCAL_MEM_FENCE);\n    \
             x[t + 1] = x[t] + i;\n  }}\n  a[get_global_id(0)] = x[t];\n}}\n"
        )
    };
    let board = Board::named("de5a-net").unwrap();
    let sized = "__attribute__((reqd_work_group_size(64, 1, 1)))";
    let [any, sized] = ["", sized].map(|attribute| {
        let launch = LaunchShape {
            global: [given(65536.0), None, None],
            local: [given(64.0), None, None],
            scalars: [(1, given(1000.0).unwrap())].into(),
            ..LaunchShape::default()
        };
        predicted(&text(attribute), &board, launch, None)
            .seconds
            .value
    });
    // 64 cycles an iteration of a group, and some more until the last work-item has passed the barrier.
    let slower = any / sized;
    assert!((1.15..=1.5).contains(&slower), "{slower}");
}

/// The unit of the only load from `in`.
fn load_of(text: &str) -> (LsuKind, u64) {
    let board = board("pac-a10", &BTreeMap::new());
    let prediction = predicted(text, &board, LaunchShape::default(), Some(64.0));
    let mut loads = prediction.lsus.iter().filter(|lsu| lsu.array == "in");
    let load = loads.next().expect("a load");
    assert!(loads.next().is_none(), "{text}");
    (load.kind, load.bytes_wide)
}

/// "Nonaligned" units are those whose accesses cross the ends of words, whatever buffer is passed.
#[test]
fn units_are_aligned_where_no_access_crosses_the_end_of_a_word() {
    let kernel = |attributes: &str, body: &str| {
        format!(
            "{attributes} __kernel void k(__global int *restrict in, __global int *restrict out) {{ \
             int i = get_global_id(0); {body} }}"
        )
    };
    let three = kernel("", "out[i] = in[3 * i] + in[3 * i + 1] + in[3 * i + 2];");
    assert_eq!(load_of(&three), (LsuKind::BurstNonAligned, 12));
    let four = "out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];";
    assert_eq!(load_of(&kernel("", four)), (LsuKind::BurstCoalesced, 16));
    let shifted = "out[i] = in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3] + in[4 * i + 4];";
    assert_eq!(
        load_of(&kernel("", shifted)),
        (LsuKind::BurstNonAligned, 16)
    );
    let apart = "out[i] = in[2 * i] + in[2 * i + 1] + in[2 * i + 2] + in[2 * i + 3];";
    assert_eq!(load_of(&kernel("", apart)), (LsuKind::BurstNonAligned, 16));
    let lanes = "__attribute__((num_simd_work_items(4))) \
                 __attribute__((reqd_work_group_size(64, 1, 1)))";
    let one = kernel(lanes, "out[i] = in[i];");
    assert_eq!(load_of(&one), (LsuKind::BurstCoalesced, 16));
    let next = kernel(lanes, "out[i] = in[i + 1];");
    assert_eq!(load_of(&next), (LsuKind::BurstNonAligned, 16));
}

/// Each copy of the loop has a counter that is that of the copy before, or one more: 2^60 ways through all of them.
#[test]
fn what_values_are_made_of_is_looked_at_once() {
    let text = "kernel void k(global int *a, global int *out) {
        int n = 0, base = get_global_id(0) * 64;
        #pragma unroll 60
        for (int i = 0; i < 60; i++) {
            out[base + n] += i;
            if (a[base + i] > 3) n++;
        }
    }";
    let board = board("pac-a10", &BTreeMap::new());
    let prediction = predicted(text, &board, LaunchShape::default(), Some(64.0));
    assert!(prediction.seconds.value > 0.0);
}

#[test]
fn local_memory_has_units_that_take_requests_in_turn() {
    let text = "__kernel void k(__global int *restrict a) {\n  __local int tile[64];\n  \
                int l = get_local_id(0);\n  tile[l] = a[l];\n  \
                barrier(CLK_LOCAL_MEM_FENCE);\n  a[l] = tile[63 - l];\n}\n";
    let board = Board::named("de5a-net").expect("a built-in board");
    let prediction = predicted(text, &board, LaunchShape::default(), None);
    let kinds: Vec<_> = prediction
        .lsus
        .iter()
        .map(|lsu| (&lsu.array[..], lsu.is_store, lsu.kind))
        .collect();
    let [pipelined, external] = [LsuKind::Pipelined, LsuKind::BurstCoalesced];
    assert!(kinds.contains(&("tile", true, pipelined)), "{kinds:?}");
    assert!(kinds.contains(&("tile", false, pipelined)), "{kinds:?}");
    assert!(kinds.contains(&("a", true, external)), "{kinds:?}");
}
