//! The pass `restrict`: which parameters it marks, and why it leaves others alone.

mod common;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_frontend::facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, QueueOrder, Value,
};

const ADD: &str = "__kernel void add(__global const float *a, __global float *b, __global float *c, \
                   int n)\n{\n    int i = get_global_id(0);\n    if (i < n)\n        c[i] = a[i] + \
                   b[i];\n}\n";

fn site(line: u32) -> Location {
    Location {
        file: "host.c".to_string(),
        line,
        column: 5,
    }
}

/// A launch of a kernel with these buffers as its first arguments; `?` is not known.
fn launch(kernel: &str, line: u32, buffers: &[&str]) -> Launch {
    let args = (0..).zip(buffers).map(|(index, name)| Arg {
        index,
        value: match *name {
            "?" => ArgValue::Unknown("set in another file".to_string()),
            name => ArgValue::Memory(name.to_string()),
        },
    });
    Launch {
        site: site(line),
        kernels: Known::Is(vec![kernel.to_string()]),
        work_dim: Value::Const(1),
        offset: vec![Value::Const(0)],
        global: vec![Value::symbolic("n")],
        local: LocalSize::Null,
        args: args.collect(),
        queue: QueueOrder::Unknown,
        within: None,
        recorded: None,
    }
}

fn buffer(name: &str, line: u32) -> Buffer {
    Buffer {
        site: site(line),
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
    assert_eq!(rewritten.contract().distinct, []);
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
             passes distinct buffers [-Rpass=restrict]"
        ]
    );
    for pointer in ["*restrict a", "*restrict b", "*restrict c"] {
        assert!(rewritten.text.contains(pointer), "{}", rewritten.text);
    }
    // a and b are only read: that they are the same buffer would do no harm.
    assert_eq!(rewritten.contract().distinct, [(0, 2), (1, 2)]);
}

#[test]
fn what_is_not_known_is_left_to_the_check_at_launch() {
    let facts = facts(vec![launch("add", 20, &["?", "db"])]);
    let rewritten = restrict(ADD, &facts);
    assert!(rewritten.text.contains("*restrict a"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().distinct, [(0, 2), (1, 2)]);
}

#[test]
fn a_buffer_that_is_passed_twice() {
    let facts = facts(vec![
        launch("add", 20, &["da", "db", "dc"]),
        launch("add", 30, &["da", "db", "da"]),
    ]);
    refused(
        ADD,
        &facts,
        "kernel 'add': parameters are not made restrict: the launch at host.c:30:5 passes the buffer \
         'da' twice",
    );
}

#[test]
fn one_buffer_in_host_memory_is_fine_two_are_not() {
    let mut facts = facts(vec![launch("add", 20, &["da", "db", "dc"])]);
    facts.buffers[0].use_host_ptr = true;
    assert!(restrict(ADD, &facts).text.contains("*restrict a"));
    facts.buffers[3].use_host_ptr = true;
    assert!(
        restrict(ADD, &facts).text.contains("*restrict a"),
        "dd is not passed"
    );
    facts.buffers[2].use_host_ptr = true;
    refused(
        ADD,
        &facts,
        "the launch at host.c:20:5 may pass more than one buffer that lies in host memory \
         (CL_MEM_USE_HOST_PTR at host.c:12:5)",
    );
}

#[test]
fn unknown_buffers_may_be_any_in_host_memory() {
    let mut facts = facts(vec![launch("add", 20, &["da", "?", "other"])]);
    facts.buffers[3].use_host_ptr = true;
    refused(
        ADD,
        &facts,
        "may pass more than one buffer that lies in host memory",
    );
}

#[test]
fn parts_of_buffers_may_overlap() {
    let mut facts = facts(vec![launch("add", 20, &["da", "db", "dc"])]);
    facts.buffers[1].sub_buffer = true;
    refused(
        ADD,
        &facts,
        "the launch at host.c:20:5 may pass a part of another buffer (clCreateSubBuffer at \
         host.c:11:5)",
    );
}

#[test]
fn a_creation_into_an_unknown_place_may_be_any_buffer() {
    let mut facts = facts(vec![launch("add", 20, &["da", "db", "dc"])]);
    facts.buffers.push(Buffer {
        variable: None,
        sub_buffer: true,
        ..buffer("", 14)
    });
    refused(ADD, &facts, "clCreateSubBuffer at host.c:14:5");
}

#[test]
fn a_kernel_that_no_known_launch_starts() {
    refused(ADD, &facts(vec![]), "no launch of this kernel is known");
    let other = facts(vec![launch("sub", 20, &["da", "db", "dc"])]);
    refused(ADD, &other, "no launch of this kernel is known");
    let mut any = facts(vec![launch("", 20, &["da", "da"])]);
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
    assert_eq!(rewritten.contract().distinct, [(1, 2)]);
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
    let distinct = &rewritten.contract().distinct;
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
    assert_eq!(rewritten.contract().distinct, [(0, 2), (1, 2)]);
}

#[test]
fn a_pointer_that_may_be_either_parameter_is_legal() {
    let source = "__kernel void either(__global float *a, __global float *b, int n)\n{\n    __global \
        float *p = n ? a : b;\n    *p = 1.0f;\n}\n";
    let rewritten = restrict(source, &facts(vec![launch("either", 20, &["da", "db"])]));
    assert!(rewritten.text.contains("*restrict a"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().distinct, [(0, 1)]);
}

#[test]
fn a_pointer_typedef_is_marked_too() {
    let source = "typedef __global float *buf;\n__kernel void k(buf a, buf b) { a[0] = b[0]; }\n";
    let rewritten = restrict(source, &facts(vec![launch("k", 20, &["da", "db"])]));
    assert!(rewritten.text.contains("restrict"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().distinct, [(0, 1)]);
}
