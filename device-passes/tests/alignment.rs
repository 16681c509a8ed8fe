//! The pass `alignment`: what it states of which parameters, and why it says nothing of others.

mod common;
#[path = "common/launches.rs"]
mod launches;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::options::General;
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::{ArgValue, Buffer, Facts, Known, Launch, RecordedLaunch, Value};

const COPY: &str = "__kernel void k(__global const float *in, __global float *out)\n\
                    {\n    int i = get_global_id(0);\n    out[i] = in[i];\n}\n";

/// A launch of `k` with these buffers as its arguments: several names separated by `|`, `?` is not known.
fn launch(line: u32, buffers: &[&str]) -> Launch {
    let value = |name: &str| match name {
        "?" => ArgValue::Unknown("set in another file".to_string()),
        name if name.contains('|') => {
            ArgValue::AnyOf(name.split('|').map(str::to_string).collect())
        }
        name => ArgValue::Memory(name.to_string()),
    };
    launches::launch("k", line, (0..).zip(buffers.iter().map(|name| value(name))))
}

fn buffer(name: &str, use_host_ptr: bool) -> Buffer {
    Buffer {
        site: launches::site(10),
        variable: Some(name.to_string()),
        use_host_ptr,
        sub_buffer: false,
        flags: None,
        parent: None,
        origin: None,
        size: Value::symbolic("bytes"),
        recorded: None,
    }
}

fn part(name: &str, whole: &str, origin: Value) -> Buffer {
    Buffer {
        sub_buffer: true,
        parent: Some(whole.to_string()),
        origin: Some(origin),
        ..buffer(name, false)
    }
}

/// Buffers of the device `a`, `b`, and `host` in the host's memory, further ones, and launches.
fn facts(more: Vec<Buffer>, launches: Vec<Launch>) -> Facts {
    let mut buffers = vec![buffer("a", false), buffer("b", false), buffer("host", true)];
    buffers.extend(more);
    Facts {
        buffers,
        launches,
        ..Facts::default()
    }
}

fn stated_with(source: &str, facts: &Facts, change: impl Fn(&mut Pipeline)) -> Rewritten {
    let mut pipeline = Pipeline {
        switches: BTreeMap::from([("alignment".to_string(), true)]),
        ..Pipeline::default()
    };
    change(&mut pipeline);
    rewrite(source, facts, &pipeline)
}

fn stated(source: &str, facts: &Facts) -> Rewritten {
    stated_with(source, facts, |_| {})
}

/// What is stated of `in`, where `out` gets memory that is not known.
fn stated_of(more: Vec<Buffer>, names: &[&str]) -> Rewritten {
    let launches = (20..).zip(names);
    let launches = launches.map(|(line, name)| launch(line, &[name, "?"]));
    stated(COPY, &facts(more, launches.collect()))
}

/// Nothing is stated of `in`, for this reason.
#[track_caller]
fn nothing_of(more: Vec<Buffer>, names: &[&str], reason: &str) {
    let rewritten = stated_of(more, names);
    assert_eq!(rewritten.contract().aligned(), []);
    assert!(
        !rewritten.text.contains("align_value"),
        "{}",
        rewritten.text
    );
    let told = &rewritten.remarks[0];
    let text = format!(
        "k.cl:1:39: remark: kernel 'k': the alignment of parameter 'in' is not stated: {reason} \
         [-Rpass-missed=alignment]"
    );
    assert_eq!(*told, text);
}

#[test]
fn buffers_of_the_device_are_aligned() {
    let rewritten = stated(COPY, &facts(vec![], vec![launch(20, &["a", "b"])]));
    assert_eq!(
        rewritten.remarks,
        [
            "k.cl:1:39: remark: kernel 'k': parameters 'in' and 'out' are aligned to 64 bytes, as the \
             buffers of the launches are (checked at each launch) [-Rpass=alignment]"
        ]
    );
    assert_eq!(rewritten.contract().aligned(), [(0, 64), (1, 64)]);
    let head = "__kernel void k(__global const float *__attribute__((align_value(64))) in,\n                \
                __global float *__attribute__((align_value(64))) out) {\n";
    assert!(rewritten.text.contains(head), "{}", rewritten.text);
}

#[test]
fn pointers_of_all_kinds_take_it() {
    let source = "typedef __global float *floats;\n\
                  typedef struct { float x; } one;\n\
                  __kernel void k(floats a, __global const one b[], __constant float *c,\n\
                  __global volatile float *restrict d, __global void *e)\n\
                  {\n    a[0] = b[1].x + c[2];\n    d[0] = *(__global float *)e;\n}\n";
    let passed = ["a", "b", "a|b", "b", "NULL|a"];
    let rewritten = stated(source, &facts(vec![], vec![launch(20, &passed)]));
    let all = [(0, 64), (1, 64), (2, 64), (3, 64), (4, 64)];
    assert_eq!(rewritten.contract().aligned(), all);
    let text = &rewritten.text;
    for declared in [
        "floats __attribute__((align_value(64))) a",
        "__global const one *__attribute__((align_value(64))) b",
        "__constant float *__attribute__((align_value(64))) c",
        "__global volatile float *restrict __attribute__((align_value(64))) d",
        "__global void *__attribute__((align_value(64))) e",
    ] {
        assert!(text.contains(declared), "{declared}: {text}");
    }
    // What is printed is read again, and stays as it is.
    let again = stated(text, &facts(vec![], vec![launch(20, &passed)]));
    assert_eq!(again.text.matches("align_value(64)").count(), 5);
    assert_eq!(again.contract().aligned(), []);
}

/// Parts are aligned as their origins are, and the least of all launches counts.
#[test]
fn parts_are_aligned_as_their_origins_are() {
    let range = |min, step| Value::Range {
        min,
        max: 1 << 20,
        step,
    };
    for (origin, bytes) in [
        (Value::Const(0), 64),
        (Value::Const(4096), 64),
        (Value::Const(4096 + 32), 32),
        (Value::Const(8), 8),
        (Value::OneOf(vec![0, 64, 80]), 16),
        (Value::AnyOf(vec![Value::Const(128), range(64, 32)]), 32),
        (range(16, 64), 16),
        (range(0, 128), 64),
    ] {
        let rewritten = stated_of(vec![part("p", "a", origin.clone())], &["a", "p"]);
        assert_eq!(rewritten.contract().aligned(), [(0, bytes)], "{origin:?}");
        let attribute = format!("align_value({bytes})");
        assert!(rewritten.text.contains(&attribute), "{}", rewritten.text);
    }
}

/// A `float` has its 4 bytes anyway, and vectors have more.
#[test]
fn what_the_type_tells_is_not_stated() {
    let rewritten = stated_of(vec![part("p", "a", Value::Const(12))], &["p"]);
    assert_eq!(rewritten.contract().aligned(), []);
    assert!(
        !rewritten.text.contains("align_value"),
        "{}",
        rewritten.text
    );
    assert!(!rewritten.remarks[0].contains("'in'"));
    let vectors = COPY.replace("float *", "float16 *");
    let rewritten = stated(&vectors, &facts(vec![], vec![launch(20, &["a", "b"])]));
    assert_eq!(rewritten.contract().aligned(), []);
    assert_eq!(rewritten.remarks, [""; 0]);
}

#[test]
fn unknown_memory_and_memory_of_the_host_may_lie_anywhere() {
    let host = "lies in the host's memory";
    nothing_of(
        vec![],
        &["a", "host"],
        &format!(
            "the launch at host.c:21:5 passes 'host', which {host} (CL_MEM_USE_HOST_PTR at host.c:10:5)"
        ),
    );
    nothing_of(
        vec![part("p", "host", Value::Const(64))],
        &["p"],
        &format!(
            "the launch at host.c:20:5 passes 'p', which {host} (clCreateSubBuffer at host.c:10:5)"
        ),
    );
    let unknown = "the launch at host.c:20:5 passes memory that is not known";
    nothing_of(vec![], &["?", "a"], unknown);
    nothing_of(
        vec![],
        &["a|c"],
        "the launch at host.c:20:5 passes 'c', whose creation is not known",
    );
    let part_of = |whole: &str, origin| vec![part("p", whole, origin)];
    let passes = "the launch at host.c:20:5 passes 'p', which is a part of a buffer";
    nothing_of(
        part_of("c", Value::Const(64)),
        &["p"],
        &format!("{passes} that is not known (clCreateSubBuffer at host.c:10:5)"),
    );
    nothing_of(
        part_of("a", Value::symbolic("n")),
        &["p"],
        &format!("{passes} from an origin that is not known on (clCreateSubBuffer at host.c:10:5)"),
    );
}

/// Two calls may create a buffer into one variable.
#[test]
fn each_creation_of_a_buffer_counts() {
    let reason = "the launch at host.c:20:5 passes 'a', which lies in the host's memory \
                  (CL_MEM_USE_HOST_PTR at host.c:10:5)";
    nothing_of(vec![buffer("a", true)], &["a"], reason);
}

#[test]
fn launches_of_kernels_that_are_not_known_pass_anything() {
    let mut all = facts(
        vec![],
        vec![launch(20, &["a", "b"]), launch(21, &["a", "b"])],
    );
    all.launches[1].kernels = Known::Unknown("computed".to_string());
    let rewritten = stated(COPY, &all);
    assert_eq!(rewritten.contract().aligned(), []);
    assert!(rewritten.remarks[0].contains("host.c:21:5 passes memory that is not known"));
}

/// The attribute speaks of all that a variable holds.
#[test]
fn parameters_that_change_are_left() {
    for body in ["out[0] = *in++;", "in = out; out[0] = in[1];", "g(&in);"] {
        let source = format!(
            "void g(__global const float **p) {{ ++*p; }}\n\
             __kernel void k(__global const float *in, __global float *out) {{ {body} }}\n"
        );
        let rewritten = stated(&source, &facts(vec![], vec![launch(20, &["a", "b"])]));
        assert!(
            rewritten
                .contract()
                .aligned()
                .iter()
                .all(|(index, _)| *index == 1),
            "{body}"
        );
        let reason = "'in' is not stated: the kernel assigns to it or takes its address";
        let told = rewritten.remarks.join("\n");
        assert!(told.contains(reason), "{told}");
    }
}

/// Nobody needs to check what nobody uses.
#[test]
fn parameters_that_are_not_used_are_left() {
    let source = COPY.replace("= in[i]", "= i");
    let rewritten = stated(&source, &facts(vec![], vec![launch(20, &["a", "b"])]));
    assert_eq!(rewritten.contract().aligned(), [(1, 64)]);
}

#[test]
fn without_launches_or_with_calls_nothing_is_stated() {
    let called = format!("{COPY}__kernel void other(__global float *x) {{ k(x + 1, x); }}\n");
    let none = facts(vec![], vec![]);
    let one = facts(vec![], vec![launch(20, &["a", "b"])]);
    for (source, facts, reason) in [
        (COPY, &none, "no launch of this kernel is known"),
        (called.as_str(), &one, "another function calls this kernel"),
    ] {
        let rewritten = stated(source, facts);
        assert!(
            !rewritten.text.contains("align_value"),
            "{}",
            rewritten.text
        );
        let told = rewritten.remarks.join("\n");
        assert!(told.contains(reason), "{told}");
    }
}

/// Another input may make its buffers in another way.
#[test]
fn what_only_a_run_showed_counts_where_there_is_a_general_version() {
    let mut seen = facts(vec![], vec![launch(20, &["a", "b"])]);
    seen.launches[0].recorded = Some(RecordedLaunch {
        count: 1,
        caller: "app+0x1234".to_string(),
        program: None,
        proved: vec!["argument 1".to_string()],
        overlapping: vec![],
        types: vec![],
        sizes: vec![],
        time: None,
    });
    let rewritten = stated(COPY, &seen);
    assert_eq!(rewritten.contract().aligned(), [(1, 64)]);
    let told = rewritten.remarks.join("\n");
    assert!(
        told.contains("passes what was only seen in a run"),
        "{told}"
    );
    let general = stated_with(COPY, &seen, |p| p.options.general = General::Always);
    assert!(
        general
            .text
            .contains("fpgacc_general_k(__global const float *in, "),
        "{}",
        general.text
    );
    let contract = &general.report.contracts["k"];
    assert_eq!(contract.aligned(), [(0, 64), (1, 64)]);
}
