//! The pass `restrict`: which parameters it marks, and why it leaves others alone.

mod common;
#[path = "common/launches.rs"]
mod launches;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::{ArgValue, Buffer, Facts, Known, Launch, RecordedLaunch, Value};

const ADD: &str = "__kernel void add(__global const float *a, __global float *b, __global float *c, \
                   int n)\n{\n    int i = get_global_id(0);\n    if (i < n)\n        c[i] = a[i] + \
                   b[i];\n}\n";

/// A launch of a kernel with these buffers as its first arguments; `?` is not known.
fn launch(kernel: &str, line: u32, buffers: &[&str]) -> Launch {
    let value = |name: &str| match name {
        "?" => ArgValue::Unknown("set in another file".to_string()),
        name => ArgValue::Memory(name.to_string()),
    };
    let args = (0..).zip(buffers.iter().map(|name| value(name)));
    launches::launch(kernel, line, args)
}

fn buffer(name: &str, line: u32) -> Buffer {
    Buffer {
        site: launches::site(line),
        variable: Some(name.to_string()),
        use_host_ptr: false,
        sub_buffer: false,
        size: Value::symbolic("bytes"),
        flags: None,
        parent: None,
        origin: None,
        recorded: None,
    }
}

/// Buffers `da`, `db`, `dc`, `dd` and launches.
fn facts(launches: Vec<Launch>) -> Facts {
    Facts {
        buffers: ["da", "db", "dc", "dd"]
            .iter()
            .zip(10..)
            .map(|(name, line)| buffer(name, line))
            .collect(),
        launches,
        ..Facts::default()
    }
}

fn restrict(source: &str, facts: &Facts) -> Rewritten {
    let pipeline = Pipeline {
        level: 0,
        switches: BTreeMap::from([("restrict".to_string(), true)]),
        ..Pipeline::default()
    };
    rewrite(source, facts, &pipeline)
}

#[track_caller]
fn refused(source: &str, facts: &Facts, reason: &str) {
    let rewritten = restrict(source, facts);
    assert!(!rewritten.text.contains("restrict "), "{}", rewritten.text);
    let told = rewritten.remarks.join("\n");
    assert!(told.contains(reason), "told: {told}");
    assert!(told.contains("[-Rpass-missed=restrict]"), "told: {told}");
    assert_eq!(rewritten.contract().distinct_pairs(), []);
}

#[test]
fn distinct_buffers_are_marked_and_written_ones_are_checked() {
    let facts = facts(vec![
        launch("add", 20, &["da", "db", "dc"]),
        launch("add", 30, &["dc", "db", "dd"]),
    ]);
    let rewritten = restrict(ADD, &facts);
    assert_eq!(
        rewritten.remarks,
        [
            "k.cl:1:41: remark: kernel 'add': parameters 'a', 'b' and 'c' are restrict: every launch \
             passes distinct buffers (proved) [-Rpass=restrict]"
        ]
    );
    for pointer in ["*restrict a", "*restrict b", "*restrict c"] {
        assert!(rewritten.text.contains(pointer), "{}", rewritten.text);
    }
    // a and b are only read: that they are the same buffer would do no harm.
    assert_eq!(rewritten.contract().distinct_pairs(), [(0, 2), (1, 2)]);
}

#[test]
fn what_is_not_known_is_left_to_the_check_at_launch() {
    let facts = facts(vec![launch("add", 20, &["?", "db"])]);
    let rewritten = restrict(ADD, &facts);
    assert!(rewritten.text.contains("*restrict a"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().distinct_pairs(), [(0, 2), (1, 2)]);
}

#[track_caller]
fn marked(source: &str, facts: &Facts, why: &str) -> Rewritten {
    let rewritten = restrict(source, facts);
    let told = rewritten.remarks.join("\n");
    assert!(
        told.contains("parameters 'a', 'b' and 'c' are restrict: "),
        "told: {told}"
    );
    assert!(told.contains(why), "told: {told}");
    assert_eq!(rewritten.contract().distinct_pairs(), [(0, 2), (1, 2)]);
    rewritten
}

#[test]
fn a_buffer_that_is_passed_twice() {
    let facts = facts(vec![
        launch("add", 20, &["da", "db", "dc"]),
        launch("add", 30, &["da", "db", "da"]),
    ]);
    let rewritten = restrict(ADD, &facts);
    assert_eq!(
        rewritten.remarks,
        [
            "k.cl:1:60: remark: kernel 'add': parameter 'b' is restrict: every launch passes \
             distinct buffers (proved) [-Rpass=restrict]",
            "k.cl:1:41: remark: kernel 'add': parameters 'a' and 'c' are not made restrict: the \
             launch at host.c:30:5 passes the buffer 'da' twice [-Rpass-missed=restrict]"
        ]
    );
    for (pointer, is_marked) in [("a", false), ("b", true), ("c", false)] {
        let text = format!("*restrict {pointer}");
        assert_eq!(rewritten.text.contains(&text), is_marked, "{pointer}");
    }
    assert_eq!(rewritten.contract().distinct_pairs(), [(1, 2)]);
}

#[test]
fn arguments_that_are_only_read_may_share_a_buffer() {
    let facts = facts(vec![launch("add", 20, &["da", "da", "dc"])]);
    marked(ADD, &facts, "every launch passes distinct buffers (proved)");
}

#[test]
fn buffers_that_change_places_are_assumed_to_be_distinct() {
    let mut facts = facts(vec![launch("add", 20, &["?", "db", "?"])]);
    for arg in [0, 2] {
        let both = vec!["da".to_string(), "dc".to_string()];
        facts.launches[0].args[arg].value = ArgValue::AnyOf(both);
    }
    marked(
        ADD,
        &facts,
        "that 'a' and 'c' are distinct is assumed, and checked at each launch: the launch at \
         host.c:20:5 passes one of several buffers",
    );
}

#[test]
fn a_buffer_that_may_be_another_argument_is_shared() {
    // `a` is `da` or `dc`, and `c` is always `dc`.
    let mut facts = facts(vec![launch("add", 20, &["?", "db", "dc"])]);
    let both = vec!["da".to_string(), "dc".to_string()];
    facts.launches[0].args[0].value = ArgValue::AnyOf(both.clone());
    let rewritten = restrict(ADD, &facts);
    let shared = "'a' and 'c' are not made restrict: the launch at host.c:20:5 passes the buffer \
                  'dc' twice";
    assert!(
        rewritten.remarks[1].contains(shared),
        "{:?}",
        rewritten.remarks
    );
    // Both may be both, and on one way to the launch they are the same.
    facts.launches[0].args[2].value = ArgValue::AnyOf(both);
    facts.launches[0].same = vec![(0, 2)];
    let rewritten = restrict(ADD, &facts);
    let shared = "'a' and 'c' are not made restrict: the launch at host.c:20:5 passes one buffer \
                  as arguments 0 and 2 on one of the ways to it";
    assert!(
        rewritten.remarks[1].contains(shared),
        "{:?}",
        rewritten.remarks
    );
}

#[test]
fn one_buffer_in_host_memory_is_proved_two_are_assumed() {
    let mut facts = facts(vec![launch("add", 20, &["da", "db", "dc"])]);
    facts.buffers[0].use_host_ptr = true;
    marked(ADD, &facts, "(proved)");
    facts.buffers[3].use_host_ptr = true;
    marked(ADD, &facts, "(proved)");
    facts.buffers[2].use_host_ptr = true;
    marked(
        ADD,
        &facts,
        "that 'a' and 'c' are distinct is assumed, and checked at each launch: the launch at \
         host.c:20:5 passes two buffers that lie in host memory (CL_MEM_USE_HOST_PTR at \
         host.c:10:5 and host.c:12:5)",
    );
}

#[test]
fn what_is_not_known_is_assumed() {
    let mut unknown = facts(vec![launch("add", 20, &["da", "?", "other"])]);
    unknown.buffers[3].sub_buffer = true;
    unknown.buffers[3].parent = Some("da".to_string());
    marked(
        ADD,
        &unknown,
        "that 'a' and 'c' and one more pair are distinct is assumed, and checked at each launch: \
         the launch at host.c:20:5 passes 'other', whose creation is not known",
    );
    // Without a recording they would be proved.
    let mut seen = facts(vec![launch("add", 20, &["da", "db", "dc"])]);
    seen.launches[0].recorded = Some(recorded(vec![]));
    marked(
        ADD,
        &seen,
        "host.c:20:5 was only seen to pass distinct memory",
    );
    seen.launches[0].recorded = Some(recorded(vec![(0, 2), (1, 2)]));
    refused(
        ADD,
        &seen,
        "the launch at host.c:20:5 was seen to pass the same memory as arguments 0 and 2",
    );
}

/// A run fills in what the text leaves open, and takes nothing from what it proves.
#[test]
fn what_the_text_proves_stays_proved_beside_a_run() {
    let proves = |words: &[&str]| {
        let mut facts = facts(vec![launch("add", 20, &["da", "db", "dc"])]);
        facts.launches[0].recorded = Some(RecordedLaunch {
            proved: words.iter().map(ToString::to_string).collect(),
            ..recorded(vec![])
        });
        facts
    };
    let all = ["argument 0", "argument 1", "argument 2"];
    marked(ADD, &proves(&all), "(proved)");
    // The names of the text and of the run are not compared.
    marked(
        ADD,
        &proves(&all[..2]),
        "host.c:20:5 was only seen to pass distinct memory",
    );
}

fn recorded(overlapping: Vec<(u32, u32)>) -> RecordedLaunch {
    RecordedLaunch {
        count: 1,
        caller: "app+0x1234".to_string(),
        program: None,
        proved: vec![],
        overlapping,
        types: vec![],
        sizes: vec![],
        time: None,
    }
}

/// `db` and `dc` are parts of `da` or of `dd`, from an origin on.
fn parts(passed: &[&str], origins: [Option<u64>; 2], parents: [&str; 2]) -> Facts {
    let mut facts = facts(vec![launch("add", 20, passed)]);
    for ((buffer, origin), parent) in facts.buffers[1..3].iter_mut().zip(origins).zip(parents) {
        buffer.sub_buffer = true;
        buffer.size = Value::Const(256);
        buffer.parent = (parent != "?").then(|| parent.to_string());
        buffer.origin = Some(origin.map_or(Value::symbolic("o"), Value::Const));
    }
    facts
}

#[test]
fn parts_of_buffers_are_told_apart_by_their_ranges() {
    let passed = ["dd", "db", "dc"];
    let apart = [Some(0), Some(256)];
    marked(ADD, &parts(&passed, apart, ["da", "da"]), "(proved)");
    marked(ADD, &parts(&passed, [None, None], ["da", "dx"]), "(proved)");
    marked(
        ADD,
        &parts(&passed, [Some(0), None], ["da", "da"]),
        "host.c:20:5 passes parts of one buffer (clCreateSubBuffer at host.c:11:5 and host.c:12:5)",
    );
    marked(
        ADD,
        &parts(&passed, apart, ["da", "?"]),
        "passes a part of a buffer that is not known (clCreateSubBuffer at host.c:12:5)",
    );
    for (facts, why) in [
        (
            parts(&passed, [Some(0), Some(255)], ["da", "da"]),
            "passes parts of one buffer that overlap (clCreateSubBuffer at host.c:11:5 and \
             host.c:12:5)",
        ),
        (
            parts(&passed, apart, ["da", "dd"]),
            "passes a buffer and a part of it (clCreateSubBuffer at host.c:12:5)",
        ),
    ] {
        let told = restrict(ADD, &facts).remarks.join("\n");
        assert!(told.contains(why), "told: {told}");
        assert!(told.contains("[-Rpass-missed=restrict]"), "told: {told}");
    }
    // A part of memory of the host is memory of the host.
    let mut host = parts(&passed, [None, None], ["da", "dx"]);
    host.buffers[0].use_host_ptr = true;
    host.buffers[2].use_host_ptr = true;
    marked(ADD, &host, "two buffers that lie in host memory");
}

#[test]
fn a_kernel_that_no_known_launch_starts() {
    refused(ADD, &facts(vec![]), "no launch of this kernel is known");
    let other = facts(vec![launch("sub", 20, &["da", "db", "dc"])]);
    refused(ADD, &other, "no launch of this kernel is known");
    let mut any = facts(vec![launch("", 20, &["da", "da", "da"])]);
    any.launches[0].kernels = Known::Unknown("read from a file".to_string());
    refused(ADD, &any, "passes the buffer 'da' twice");
}

#[test]
fn a_kernel_that_another_one_calls() {
    let source = format!(
        "{ADD}__kernel void twice(__global float *p, int n)\n{{\n    add(p, p, p, n);\n}}\n"
    );
    let facts = facts(vec![launch("add", 20, &["da", "db", "dc"])]);
    refused(&source, &facts, "another function calls this kernel");
}

#[test]
fn one_pointer_has_nothing_to_be_distinct_from() {
    let source = "__kernel void one(__global float *a, __local float *l, int n) { a[n] = l[0]; }\n";
    let rewritten = restrict(source, &facts(vec![launch("one", 20, &["da"])]));
    assert!(!rewritten.text.contains("restrict"), "{}", rewritten.text);
    assert_eq!(rewritten.remarks, [""; 0]);
}

#[test]
fn the_users_own_restrict_is_their_promise() {
    let source = "__kernel void own(__global float *restrict a, __global float *b, __constant float \
                  *c)\n{\n    a[0] = b[0] + c[0];\n    b[1] = c[1];\n}\n";
    let rewritten = restrict(source, &facts(vec![launch("own", 20, &["da", "db", "dc"])]));
    assert!(
        rewritten.remarks[0].contains("parameters 'b' and 'c' are restrict"),
        "{:?}",
        rewritten.remarks
    );
    assert_eq!(rewritten.contract().distinct_pairs(), [(1, 2)]);
    let all = "__kernel void own(__global float *restrict a, __global float *restrict b)\n{\n    a[0] \
               = b[0];\n}\n";
    let rewritten = restrict(all, &facts(vec![launch("own", 20, &["da", "da"])]));
    assert_eq!(rewritten.remarks, [""; 0]);
}

#[test]
fn writes_are_found_through_other_pointers_and_helpers() {
    let source = "void store(__global float *p, float v) { *p = v; }\n\
        __kernel void k(__global float *a, __global float *b, __global float *c, __global float *d)\n{\n\
        __global float *q = a;\n    q += 2;\n    *q = c[0];\n    store(&b[1], d[0]);\n}\n";
    let rewritten = restrict(
        source,
        &facts(vec![launch("k", 20, &["da", "db", "dc", "dd"])]),
    );
    let distinct = &rewritten.contract().distinct_pairs();
    assert_eq!(distinct, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
}

#[test]
fn a_parameter_that_is_given_another_pointer_stays() {
    let source = "__kernel void swap(__global float *a, __global float *b, __global float *c)\n{\n    \
        for (int i = 0; i < 9; i++) {\n        b[i] = a[i] + c[i];\n        __global float *t = a;\n        \
        a = b;\n        b = t;\n    }\n}\n";
    let rewritten = restrict(
        source,
        &facts(vec![launch("swap", 20, &["da", "db", "dc"])]),
    );
    assert!(rewritten.text.contains("*restrict c"), "{}", rewritten.text);
    assert!(
        !rewritten.text.contains("*restrict a"),
        "{}",
        rewritten.text
    );
    let told = rewritten.remarks.join("\n");
    assert!(
        told.contains("parameter 'a' is not made restrict"),
        "{told}"
    );
    assert!(
        told.contains("parameter 'b' is not made restrict"),
        "{told}"
    );
    // c must still be none of the buffers that are written through a and b.
    assert_eq!(rewritten.contract().distinct_pairs(), [(0, 2), (1, 2)]);
}

#[test]
fn a_pointer_that_may_be_either_parameter_is_legal() {
    let source = "__kernel void either(__global float *a, __global float *b, int n)\n{\n    __global \
        float *p = n ? a : b;\n    *p = 1.0f;\n}\n";
    let rewritten = restrict(source, &facts(vec![launch("either", 20, &["da", "db"])]));
    assert!(rewritten.text.contains("*restrict a"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().distinct_pairs(), [(0, 1)]);
}

#[test]
fn a_pointer_typedef_is_marked_too() {
    let source = "typedef __global float *buf;\n__kernel void k(buf a, buf b) { a[0] = b[0]; }\n";
    let rewritten = restrict(source, &facts(vec![launch("k", 20, &["da", "db"])]));
    assert!(rewritten.text.contains("restrict"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().distinct_pairs(), [(0, 1)]);
}
