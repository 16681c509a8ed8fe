//! The pass `specialise`: what becomes a constant, what the runtime is told of it, and what stays.

mod common;
#[path = "common/launches.rs"]
mod launches;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::{ArgValue, Facts, Known, Launch, LocalSize, RecordedLaunch, Value};
use fpgacc_runtime::guard::{ScalarFact, ScalarKind};

/// A launch with these arguments.
fn launch(line: u32, args: &[(u32, ArgValue)]) -> Launch {
    launches::launch("k", line, args.iter().cloned())
}

fn number(value: u64) -> ArgValue {
    ArgValue::Scalar(Value::Const(value))
}

fn text(value: &str) -> ArgValue {
    ArgValue::Scalar(Value::symbolic(value))
}

fn specialise(source: &str, launches: Vec<Launch>) -> Rewritten {
    let facts = Facts {
        launches,
        ..Facts::default()
    };
    let pipeline = Pipeline {
        level: 0,
        switches: BTreeMap::from([("specialise".to_string(), true)]),
        ..Pipeline::default()
    };
    rewrite(source, &facts, &pipeline)
}

/// The kernel after its comments.
fn kernel(rewritten: &Rewritten) -> &str {
    let at = rewritten.text.find("__kernel").unwrap();
    &rewritten.text[at..]
}

#[track_caller]
fn untouched(source: &str, launches: Vec<Launch>) {
    let rewritten = specialise(source, launches);
    assert_eq!(kernel(&rewritten), kernel(&specialise(source, vec![])));
    assert_eq!(rewritten.contract().scalars(), []);
}

const SUM: &str = "__kernel void k(__global int *a, int n) {\n    int s = 0;\n    for (int i = 0; \
                   i < n; i++)\n        s += a[i];\n    a[0] = s;\n}\n";

#[test]
fn uses_become_the_literal_and_the_parameter_stays() {
    let rewritten = specialise(SUM, vec![launch(20, &[(1, number(64))])]);
    assert_eq!(
        rewritten.text,
        "// specialise: parameter 'n' is the constant 64, as the launch at host.c:20:5 passes it \
         (checked at each launch)\n\
         __kernel void k(__global int *a, int n) {\n    int s = 0;\n    for (int i = 0; i < 64; \
         i++) {\n        s += a[i];\n    }\n    a[0] = s;\n}\n"
    );
    assert_eq!(
        rewritten.remarks,
        [
            "k.cl:1:38: remark: kernel 'k': parameter 'n' is the constant 64, as the launch at \
             host.c:20:5 passes it (checked at each launch) [-Rpass=specialise]"
        ]
    );
    assert_eq!(
        rewritten.contract().scalars(),
        [ScalarFact {
            param: 1,
            kind: ScalarKind::Signed,
            size: 4,
            bits: 64,
        }]
    );
}

#[test]
fn literals_have_the_types_of_the_parameters() {
    let source = "__kernel void k(__global double *a, char c, uchar u, ushort s, uint i, long l, \
                  ulong m, float f, double d) {\n    a[0] = c + u + s + i + l + m + f + d;\n}\n";
    let args = [
        (1, text("-3")),
        (2, number(200)),
        (3, number(65535)),
        (4, number(4_000_000_000)),
        (5, text("-9223372036854775808")),
        (6, number(u64::MAX)),
        (7, text("-0.5f")),
        (8, text("2.25")),
    ];
    let rewritten = specialise(source, vec![launch(20, &args)]);
    let body = kernel(&rewritten);
    assert!(
        body.replace("\n            ", " ").contains(
            "a[0] = (char)-3 + (uchar)200 + (ushort)65535 + 4000000000u + (-9223372036854775807L \
             - 1) + 18446744073709551615UL + -0.5f + 2.25;"
        ),
        "{body}"
    );
    let facts = rewritten.contract().scalars();
    let shown: Vec<String> = facts.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "-3",
            "200",
            "65535",
            "4000000000",
            "-9223372036854775808",
            "18446744073709551615",
            "-0.5",
            "2.25"
        ]
    );
    let sizes: Vec<u8> = facts.iter().map(|fact| fact.size).collect();
    assert_eq!(sizes, [1, 1, 2, 4, 8, 8, 4, 8]);
}

#[test]
fn what_the_kernel_changes_is_a_variable() {
    let source = "__kernel void k(__global int *a, int n, int m) {\n    while (n > m) {\n        int \
                  n_2 = a[n];\n        a[n_2] = n--;\n    }\n    int *p = &m;\n    *p = n;\n}\n";
    let rewritten = specialise(source, vec![launch(20, &[(1, number(9)), (2, number(4))])]);
    assert_eq!(
        kernel(&rewritten),
        "__kernel void k(__global int *a, int n, int m) {\n    int m_2 = 4;\n    int n_3 = \
         9;\n    while (n_3 > m_2) {\n        int n_2 = a[n_3];\n        a[n_2] = n_3--;\n    \
         }\n    int *p = &m_2;\n    *p = n_3;\n}\n"
    );
}

#[test]
fn all_launches_must_agree() {
    let (a, b) = (number(64), number(32));
    let same = vec![launch(20, &[(1, a.clone())]), launch(30, &[(1, a.clone())])];
    let rewritten = specialise(SUM, same);
    assert!(rewritten.remarks[0].contains("as all 2 launches pass it"));
    let different = vec![launch(20, &[(1, a.clone())]), launch(30, &[(1, b)])];
    assert_eq!(
        specialise(SUM, different.clone()).remarks,
        [
            "k.cl:1:38: remark: kernel 'k': parameter 'n' is not made a constant: the launch at \
             host.c:20:5 passes 64, the launch at host.c:30:5 passes 32 \
             [-Rpass-missed=specialise]"
        ]
    );
    untouched(SUM, different);
    untouched(SUM, vec![launch(20, &[(1, a.clone())]), launch(30, &[])]);
    let mut unknown = launch(30, &[(1, a.clone())]);
    unknown.kernels = Known::Unknown("it is read from a file".to_string());
    untouched(SUM, vec![launch(20, &[(1, a.clone())]), unknown]);
    let mut other = launch(30, &[]);
    other.kernels = Known::Is(vec!["other".to_string()]);
    assert_eq!(
        specialise(SUM, vec![launch(20, &[(1, a)]), other])
            .contract()
            .scalars()
            .len(),
        1
    );
}

#[test]
fn types_that_do_not_fit_are_no_facts() {
    let float = "__kernel void k(__global float *a, float f) {\n    a[0] = f;\n}\n";
    untouched(float, vec![launch(20, &[(1, number(5))])]);
    untouched(float, vec![launch(20, &[(1, text("0.5"))])]);
    untouched(SUM, vec![launch(20, &[(1, text("5.0f"))])]);
    untouched(SUM, vec![launch(20, &[(1, number(1 << 32))])]);
    untouched(SUM, vec![launch(20, &[(1, text("n"))])]);
    let vector = "__kernel void k(__global int2 *a, int2 v) {\n    a[0] = v;\n}\n";
    untouched(vector, vec![launch(20, &[(1, number(5))])]);
}

#[test]
fn without_a_use_there_is_nothing_to_rely_on() {
    let source = "__kernel void k(__global int *a, int n) {\n    a[0] = sizeof(n);\n}\n";
    untouched(source, vec![launch(20, &[(1, number(5))])]);
}

#[test]
fn kernels_that_others_call_get_other_arguments() {
    let source = format!("{SUM}__kernel void other(__global int *a) {{\n    k(a, 3);\n}}\n");
    let rewritten = specialise(&source, vec![launch(20, &[(1, number(64))])]);
    assert!(rewritten.text.contains("i < n"), "{}", rewritten.text);
}

#[test]
fn a_general_version_stays_as_it_is() {
    let pipeline = |level| Pipeline {
        level,
        options: PassOptions {
            general: General::Always,
            ..PassOptions::default()
        },
        ..Pipeline::default()
    };
    let source = "int twice(int x) {\n    return 2 * x * (int)get_local_id(0);\n}\n__kernel void \
                  k(__global int *a, int n) {\n    int fpgacc_general_k = n;\n    \
                  a[get_global_id(0)] = twice(fpgacc_general_k);\n}\n__kernel void idle() {}\n";
    let facts = Facts {
        launches: vec![launch(20, &[(1, number(64))])],
        ..Facts::default()
    };
    let rewritten = rewrite(source, &facts, &pipeline(2));
    let versions = &rewritten.report.versions;
    assert_eq!(versions.of("k"), ["fpgacc_general_k_2"]);
    let general = "__kernel void fpgacc_general_k_2(__global int *a, int n) {\n    int \
                   fpgacc_general_k = n;\n    a[get_global_id(0)] = twice(fpgacc_general_k);\n}\n";
    assert!(rewritten.text.contains(general), "{}", rewritten.text);
    // Nothing was done to the kernels, nothing can be refused.
    let rewritten = rewrite(source, &facts, &pipeline(0));
    assert_eq!(rewritten.report.versions.of("k"), Vec::<String>::new());
    assert!(!rewritten.text.contains("void fpgacc_general"));
}

/// Numbers of a run mostly come from its input.
#[test]
fn what_was_only_seen_needs_a_general_version() {
    let mut seen = launch(20, &[(1, number(64))]);
    seen.recorded = Some(RecordedLaunch {
        count: 3,
        caller: "app+0x1234".to_string(),
        program: None,
        proved: vec![],
        overlapping: vec![],
        types: vec![],
        sizes: vec![],
        time: None,
    });
    untouched(SUM, vec![seen.clone()]);
    let rewritten = specialise(SUM, vec![seen.clone()]);
    assert!(
        rewritten.remarks[0].contains(
            "parameter 'n' is not made a constant: that the launch at host.c:20:5 passes 64 was \
             only seen in a run (with --keep-general it is) [-Rpass-missed=specialise]"
        ),
        "{:?}",
        rewritten.remarks
    );
    let mut proved = seen.clone();
    proved.recorded.as_mut().unwrap().proved = vec!["argument 1".to_string()];
    let rewritten = specialise(SUM, vec![proved]);
    assert_eq!(rewritten.report.contracts["k"].scalars().len(), 1);
    assert!(
        rewritten.remarks[0].contains("as the launch at host.c:20:5 passes it"),
        "{:?}",
        rewritten.remarks
    );
    let facts = Facts {
        launches: vec![seen],
        ..Facts::default()
    };
    let pipeline = Pipeline {
        level: 1,
        options: PassOptions {
            general: General::Always,
            ..PassOptions::default()
        },
        ..Pipeline::default()
    };
    let rewritten = rewrite(SUM, &facts, &pipeline);
    assert_eq!(rewritten.report.contracts["k"].scalars().len(), 1);
    assert!(rewritten.text.contains("i < 64") && rewritten.text.contains("i < n"));
}

/// Passes at level 2, without those that make loops of work-items.
fn versions(source: &str, launches: Vec<Launch>) -> Rewritten {
    let facts = Facts {
        launches,
        ..Facts::default()
    };
    let off = ["ndrange-to-loop", "reduction", "restrict"];
    let pipeline = Pipeline {
        level: 2,
        switches: off.map(|name| (name.to_string(), false)).into(),
        ..Pipeline::default()
    };
    rewrite(source, &facts, &pipeline)
}

fn with_local(mut launch: Launch, size: u64) -> Launch {
    launch.local = LocalSize::Sizes(vec![Value::Const(size)]);
    launch
}

#[test]
fn scalars_that_bound_loops_make_versions() {
    let launches = vec![
        launch(20, &[(1, number(64))]),
        launch(30, &[(1, number(32))]),
        launch(40, &[(1, number(64))]),
    ];
    let rewritten = versions(SUM, launches);
    assert_eq!(
        rewritten.remarks[0],
        "k.cl:1:15: remark: kernel 'k': built in 2 versions, of which the runtime takes the first \
         whose facts hold: 'k' for n = 64; 'fpgacc_2_k' for n = 32 [-Rpass=specialise]"
    );
    assert_eq!(rewritten.report.versions.of("k"), ["fpgacc_2_k"]);
    let bits = |name: &str| rewritten.report.contracts[name].scalars()[0].bits;
    assert_eq!((bits("k"), bits("fpgacc_2_k")), (64, 32));
    let at = rewritten.text.find("fpgacc_2_k(").unwrap();
    let (first, second) = rewritten.text.split_at(at);
    assert!(
        first.contains("i < 64") && !first.contains("i < 32"),
        "{first}"
    );
    assert!(second.contains("i < 32"), "{second}");
}

#[test]
fn local_sizes_make_versions_of_kernels_that_see_them() {
    let source = "__kernel void k(__global int *a, int n) {\n    a[get_global_id(0)] = \
                  get_local_id(0) + n;\n}\n";
    let launches = vec![
        launch(20, &[(1, number(64))]),
        with_local(launch(30, &[(1, number(64))]), 16),
        with_local(launch(40, &[(1, number(7))]), 32),
    ];
    let rewritten = versions(source, launches.clone());
    assert!(
        rewritten.remarks[0].contains(
            "built in 3 versions, of which the runtime takes the first whose facts hold: 'k' for \
             local size 16; 'fpgacc_2_k' for local size 32; 'fpgacc_3_k' for local size NULL"
        ),
        "{:?}",
        rewritten.remarks
    );
    let blind = source.replace("get_local_id(0)", "1");
    assert_eq!(
        versions(&blind, launches).report.versions.of("k"),
        Vec::<String>::new()
    );
}

#[test]
fn more_than_four_ways_are_not_told_apart() {
    let launches = |count: u64| -> Vec<Launch> {
        let one = |n: u64| launch(20 + n as u32, &[(1, number(n))]);
        (0..count).map(one).collect()
    };
    let of = |launches| versions(SUM, launches).report.versions.of("k");
    assert_eq!(of(launches(4)), ["fpgacc_2_k", "fpgacc_3_k", "fpgacc_4_k"]);
    assert_eq!(of(launches(5)), Vec::<String>::new());
    // What is not known at one launch tells none apart.
    let mut open = launches(3);
    open[1] = launch(21, &[(1, text("n"))]);
    assert_eq!(of(open), Vec::<String>::new());
    let mut any = launches(3);
    any[1].kernels = Known::Unknown("it is read from a file".to_string());
    assert_eq!(of(any), Vec::<String>::new());
}
