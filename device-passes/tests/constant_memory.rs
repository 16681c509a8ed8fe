//! The pass `constant-memory`: which parameters it moves, and why it leaves others alone.

mod common;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::options::General;
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, QueueOrder, RecordedLaunch,
    Value,
};

/// A kernel `k` whose body is this, with a table of a type.
fn kernel(ty: &str, body: &str) -> String {
    format!(
        "typedef struct {{ float at[3]; int step; }} entry;\nfloat sum(__global const float *from) {{ \
         return from[0] + from[1]; }}\n__kernel void k(__global {ty} *table, __global float *out, int n)\
         \n{{\n    int i = get_global_id(0);\n    {body}\n}}\n"
    )
}

fn simple() -> String {
    kernel("const float", "out[i] = table[i & 15];")
}

fn site(line: u32) -> Location {
    Location {
        file: "host.c".to_string(),
        line,
        column: 5,
    }
}

fn launch(line: u32, table: &str, out: &str) -> Launch {
    let arg = |index, name: &str| Arg {
        index,
        value: match name {
            "?" => ArgValue::Unknown("set in another file".to_string()),
            name => ArgValue::Memory(name.to_string()),
        },
    };
    Launch {
        site: site(line),
        kernels: Known::Is(vec!["k".to_string()]),
        work_dim: Value::Const(1),
        offset: vec![Value::Const(0)],
        global: vec![Value::Const(64)],
        local: LocalSize::Null,
        args: vec![arg(0, table), arg(1, out)],
        queue: QueueOrder::Unknown,
        within: None,
        same: Vec::new(),
        recorded: None,
    }
}

fn buffer(name: &str, flags: &[&str], size: Value) -> Buffer {
    Buffer {
        site: site(10),
        variable: Some(name.to_string()),
        use_host_ptr: flags.contains(&"USE_HOST_PTR"),
        sub_buffer: false,
        flags: Some(flags.iter().map(ToString::to_string).collect()),
        parent: None,
        origin: None,
        size,
        recorded: None,
    }
}

/// A table of 64 bytes and memory for results.
fn facts() -> Facts {
    Facts {
        buffers: vec![
            buffer("t", &["READ_ONLY", "COPY_HOST_PTR"], Value::Const(64)),
            buffer("u", &["READ_ONLY"], Value::OneOf(vec![16, 4096])),
            buffer("o", &["READ_WRITE"], Value::Const(1 << 20)),
        ],
        launches: vec![launch(20, "t", "o")],
        ..Facts::default()
    }
}

fn moved_with(source: &str, facts: &Facts, change: impl Fn(&mut Pipeline)) -> Rewritten {
    let mut pipeline = Pipeline {
        switches: BTreeMap::from([("constant-memory".to_string(), true)]),
        ..Pipeline::default()
    };
    change(&mut pipeline);
    rewrite(source, facts, &pipeline)
}

fn moved(source: &str, facts: &Facts) -> Rewritten {
    moved_with(source, facts, |_| {})
}

/// The kernel stays; what is told contains the reason, or nothing is told of the pass.
#[track_caller]
fn stays(source: &str, facts: &Facts, reason: Option<&str>) {
    let rewritten = moved(source, facts);
    assert!(!rewritten.text.contains("__constant"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().constants(), []);
    assert_eq!(rewritten.contract().distinct_pairs(), []);
    let told = rewritten.remarks.join("\n");
    match reason {
        Some(reason) => {
            assert!(told.contains("stays __global: "), "told: {told}");
            assert!(told.contains(reason), "told: {told}");
            assert!(told.contains("[-Rpass-missed=constant-memory]"), "{told}");
        }
        None => assert_eq!(told, ""),
    }
}

#[test]
fn a_small_table_becomes_constant_memory() {
    let mut facts = facts();
    facts.launches.push(launch(30, "u", "o"));
    let rewritten = moved(&simple(), &facts);
    assert_eq!(
        rewritten.remarks,
        [
            "k.cl:3:39: remark: kernel 'k': parameter 'table' is __constant: the launches pass 't' and \
             others, at most 4096 bytes that no kernel writes (checked at each launch) \
             [-Rpass=constant-memory]"
        ]
    );
    let head = "__constant const float *table, __global float *out";
    assert!(rewritten.text.contains(head), "{}", rewritten.text);
    assert_eq!(rewritten.contract().constants(), [(0, 4096)]);
    assert_eq!(rewritten.contract().distinct_pairs(), [(0, 1)]);
}

/// Each is valid OpenCL C with a `__constant` table: the module is validated after the pass.
#[test]
fn reads_in_place_may_be_of_constant_memory() {
    for (ty, body) in [
        ("float", "out[i] = *table + *(table + i) + (1 + table)[i];"),
        (
            "const float",
            "out[i] = (&table[2])[i] + *&table[1] + (table + n - 1)[0];",
        ),
        ("const float4", "out[i] = table[i].x + table[1].zw.y;"),
        (
            "const entry",
            "out[i] = table->at[i] + table[i].at[1] + *table[1].at;",
        ),
        (
            "const entry",
            "entry one = table[i]; out[i] = *(&table[1].step) + one.step + *(table->at + 1);",
        ),
        (
            "const float",
            "float4 v = vload4(i, table) + vload4(0, table + 4); out[i] = v.x + v.w;",
        ),
        ("const half", "out[i] = vload_half(i, table + 1);"),
        (
            "const float",
            "for (int j = 0; j < n; j++) out[i] += sizeof(table[0]) * table[j];",
        ),
        ("const int", "out[table[i]] = table[table[i]];"),
    ] {
        let rewritten = moved(&kernel(ty, body), &facts());
        assert_eq!(rewritten.contract().constants(), [(0, 64)], "{body}");
        let head = format!("__constant {ty} *table");
        assert!(rewritten.text.contains(&head), "{}", rewritten.text);
    }
}

/// Variables that hold nothing but addresses in the table point to `__constant` memory, too.
#[test]
fn variables_that_walk_through_a_table_go_with_it() {
    let constant = "__constant const float *q";
    for body in [
        "__global const float *q = table + i; out[i] = q[0];",
        "__global const float *q; q = table; q += 2; out[i] = *q++ + *q;",
        "for (__global const float *q = table; q < table + n; q++) out[i] += *q;",
        "__global const float *q = table, *r = q + 1; out[i] = r - q + r[i] + *(q = r);",
        "for (; n > 0; n--, table++) out[i] += *table; __global const float *q = table; out[i] += q[0];",
        "__global const float *q = n > 1 ? table : table + 1; out[i] = *(n ? q : table);",
    ] {
        let rewritten = moved(&kernel("const float", body), &facts());
        assert_eq!(rewritten.contract().constants(), [(0, 64)], "{body}");
        assert!(rewritten.text.contains(constant), "{}", rewritten.text);
        assert!(
            !rewritten.text.contains("__global const float *q"),
            "{}",
            rewritten.text
        );
    }
    let array = "__global const float *q = table[i].at; out[i] = q[0] + (&table[i].at[1])[0];";
    let rewritten = moved(&kernel("const entry", array), &facts());
    assert!(rewritten.text.contains(constant), "{}", rewritten.text);
}

#[test]
fn other_uses_keep_a_parameter_where_it_is() {
    for (body, reason) in [
        (
            "__global const float *q = table; if (n) q = out; out[i] = q[0];",
            "it shares a variable with other pointers here",
        ),
        (
            "__global const float *q = out; if (n) q = table; out[i] = q[0];",
            "it shares a variable with other pointers here",
        ),
        (
            "__global const float *q[2] = {table, table + 1}; out[i] = q[n][0];",
            "it is kept in a variable here",
        ),
        (
            "__global const volatile float *q = table; out[i] = q[0];",
            "it is kept in a variable here",
        ),
        (
            "__global const float *q = table, **r = &q; out[i] = **r;",
            "it has its own address taken here",
        ),
        ("out[i] = table - out;", "it is used as a value here"),
        ("out[i] = table < out;", "it is compared here"),
        (
            "out[i] = *(n > 1 ? table : out);",
            "it is one of two pointers here",
        ),
        (
            "out[i] = sum(table + 1);",
            "it is passed to a function here",
        ),
        (
            "out[i] = ((__global const float2 *)table)[i].x;",
            "it is cast to another type here",
        ),
        ("if (table != 0) out[i] = table[0];", "it is compared here"),
        (
            "if (table) out[i] = table[0];",
            "it is used as a value here",
        ),
        (
            "prefetch(table, 16); out[i] = table[0];",
            "it is passed to a function here",
        ),
    ] {
        stays(&kernel("const float", body), &facts(), Some(reason));
    }
    let helper = kernel("const float", "out[i] = sum(table);");
    stays(
        &helper,
        &facts(),
        Some("k.cl:6:18: remark: kernel 'k': parameter 'table' stays"),
    );
    let volatile = kernel("const volatile float", "out[i] = table[i];");
    stays(&volatile, &facts(), Some("it is volatile"));
    let placed = simple().replace("*table", "*table __attribute__((buffer_location(\"ddr\")))");
    stays(
        &placed,
        &facts(),
        Some("it has the attribute 'buffer_location'"),
    );
}

#[test]
fn what_is_written_stays() {
    for body in [
        "table[i] = out[i];",
        "*(table + i) += out[i];",
        "vstore2((float2)(1, 2), i, table); out[i] = table[0];",
        "table[0]++;",
    ] {
        stays(&kernel("float", body), &facts(), None);
    }
    let atomic = kernel("int", "out[i] = atomic_add(&table[0], 1);");
    stays(&atomic, &facts(), None);
    let helper = kernel("float", "out[i] = 0; put(table);").replace(
        "float sum",
        "void put(__global float *to) { to[0] = 1; }\nfloat sum",
    );
    stays(&helper, &facts(), None);
}

#[test]
fn a_kernel_with_channels_may_wait_for_a_writer() {
    let source = format!(
        "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int go;\n{}",
        kernel("const float", "out[read_channel_intel(go)] = table[i];")
    );
    stays(
        &source,
        &facts(),
        Some("the kernel calls 'read_channel_intel'"),
    );
}

#[test]
fn nothing_is_done_for_memory_that_is_not_known_or_may_be_written() {
    let with = |change: &dyn Fn(&mut Facts)| {
        let mut facts = facts();
        change(&mut facts);
        facts
    };
    let no_launch = moved(&simple(), &with(&|facts| facts.launches.clear()));
    assert!(!no_launch.text.contains("__constant"), "{}", no_launch.text);
    let told = no_launch.remarks.join("\n");
    assert!(told.contains("no launch of this kernel is known"), "{told}");
    for change in [
        &|facts: &mut Facts| facts.launches.push(launch(30, "?", "o")),
        &|facts: &mut Facts| facts.launches.push(launch(30, "nowhere", "o")),
        &|facts: &mut Facts| facts.launches.push(launch(30, "o", "o")),
        &|facts: &mut Facts| facts.launches[0].kernels = Known::Unknown("read".to_string()),
        &|facts: &mut Facts| facts.buffers[0].flags = None,
        &|facts: &mut Facts| facts.buffers[0].size = Value::Const(65_537),
        &|facts: &mut Facts| {
            let other = buffer("t", &["READ_WRITE"], Value::Const(64));
            facts.buffers.push(other);
        },
    ] as [&dyn Fn(&mut Facts); 7]
    {
        stays(&simple(), &with(change), None);
    }
}

#[test]
fn read_only_memory_of_which_too_little_is_known_is_told() {
    let stays_with = |change: &dyn Fn(&mut Facts), reason: &str| {
        let mut facts = facts();
        change(&mut facts);
        stays(&simple(), &facts, Some(reason));
    };
    stays_with(
        &|facts| facts.buffers[0].size = Value::symbolic("n"),
        "the size of the buffer that the launch at host.c:20:5 passes is not known",
    );
    stays_with(
        &|facts| facts.buffers[0].use_host_ptr = true,
        "the launch at host.c:20:5 passes 't', which lies in the host's memory (CL_MEM_USE_HOST_PTR at \
         host.c:10:5)",
    );
    stays_with(
        &|facts| facts.buffers[0].sub_buffer = true,
        "the launch at host.c:20:5 passes 't', which is a part of another buffer",
    );
    stays_with(
        &|facts| facts.launches[0].args[1].value = ArgValue::Memory("t".to_string()),
        "passes the buffer 't' twice",
    );
}

#[test]
fn what_only_a_run_showed_counts_with_a_general_version() {
    let mut facts = facts();
    facts.launches[0].recorded = Some(RecordedLaunch {
        count: 1,
        caller: "app+0x1234".to_string(),
        program: None,
        proved: vec![],
        overlapping: vec![],
        types: vec![],
        sizes: vec![],
        time: None,
    });
    stays(&simple(), &facts, Some("was only seen in a run"));
    let rewritten = moved_with(&simple(), &facts, |p| p.options.general = General::Always);
    assert!(
        rewritten.text.contains("fpgacc_general_k"),
        "{}",
        rewritten.text
    );
    assert!(
        rewritten.text.contains("__constant const float *table"),
        "{}",
        rewritten.text
    );
}

#[test]
fn the_cache_holds_all_constants_of_the_program() {
    let table = |bytes: u64| {
        format!(
            "__constant float own[{}] = {{1.0f}};\n{}",
            bytes / 4,
            simple()
        )
    };
    let limit = |bytes: u64| move |p: &mut Pipeline| p.options.constant_cache = Some(bytes);
    let fits = moved_with(&table(16_320), &facts(), limit(16_384));
    assert_eq!(fits.contract().constants(), [(0, 64)]);
    let full = moved_with(&table(16_384), &facts(), limit(16_384));
    assert_eq!(full.contract().constants(), []);
    let told = full.remarks.join("\n");
    let reason =
        "the program would have 16448 bytes of constant memory, and the cache has 16384 at most";
    assert!(told.contains(reason), "{told}");
    // Nobody knows what is passed to the other kernel.
    let other = format!(
        "__kernel void other(__constant int *c, __global int *o) {{ o[0] = c[0]; }}\n{}",
        simple()
    );
    let rewritten = moved(&other, &facts());
    let told = rewritten.remarks.join("\n");
    assert!(
        told.contains("the size of the program's other constant memory is not known"),
        "{told}"
    );
}

#[test]
fn there_are_no_more_constant_parameters_than_any_device_takes() {
    let params: String = (0..10)
        .map(|i| format!("__global const float *t{i}, "))
        .collect();
    let sum: Vec<String> = (0..10).map(|i| format!("t{i}[i]")).collect();
    let source = format!(
        "__kernel void k({params}__global float *out) {{ int i = get_global_id(0); out[i] = {}; }}\n",
        sum.join(" + ")
    );
    let mut facts = facts();
    facts.launches[0].args = (0..11)
        .map(|index| Arg {
            index,
            value: ArgValue::Memory(if index < 10 { "t" } else { "o" }.to_string()),
        })
        .collect();
    let rewritten = moved(&source, &facts);
    assert_eq!(rewritten.contract().constants().len(), 8);
    let told = rewritten.remarks.join("\n");
    let reason = "parameter 't8' stays __global: the kernel has 8 __constant parameters already";
    assert!(told.contains(reason), "{told}");
}
