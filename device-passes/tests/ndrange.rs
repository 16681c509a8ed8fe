//! What is done to kernels that stay NDRanges, and to their loops.

mod common;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::options::Factor;
use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::{
    Arg, ArgValue, Facts, Known, Launch, LocalSize, Location, QueueOrder, Value,
};

const SCALE: &str = "__kernel void scale(__global float *a, float f)\n{\n    \
                     a[get_global_id(0)] *= f;\n}\n";

fn launch(local: LocalSize) -> Launch {
    Launch {
        site: Location {
            file: "host.c".to_string(),
            line: 1,
            column: 1,
        },
        kernels: Known::Is(vec!["scale".to_string()]),
        work_dim: Value::Const(2),
        offset: vec![Value::Const(0); 2],
        global: vec![Value::Const(1024); 2],
        local,
        args: Vec::new(),
        queue: QueueOrder::Unknown,
        within: None,
        same: Vec::new(),
        recorded: None,
    }
}

fn sized(x: u64, y: u64) -> Launch {
    launch(LocalSize::Sizes(vec![Value::Const(x), Value::Const(y)]))
}

/// Only passes of NDRanges run.
fn attributes(source: &str, launches: Vec<Launch>, options: PassOptions) -> Rewritten {
    let on = [
        "work-group-size",
        "replicate",
        "local-memory-size",
        "unroll",
        "coalesce",
    ];
    let pipeline = Pipeline {
        level: 0,
        switches: on.map(|name| (name.to_string(), true)).into(),
        options,
        stop_after: None,
    };
    let facts = Facts {
        launches,
        ..Facts::default()
    };
    rewrite(source, &facts, &pipeline)
}

fn lanes(simd: u64, compute_units: u64) -> PassOptions {
    PassOptions {
        simd,
        compute_units,
        ..PassOptions::default()
    }
}

#[test]
fn the_local_size_of_all_launches_is_stated_and_checked() {
    let both = vec![sized(64, 4), sized(64, 4)];
    let rewritten = attributes(SCALE, both, PassOptions::default());
    let attribute = "__attribute__((reqd_work_group_size(64, 4, 1)))";
    assert!(rewritten.text.contains(attribute), "{}", rewritten.text);
    assert_eq!(rewritten.contract().local_size(), Some([64, 4, 1]));
}

#[test]
fn a_local_size_that_is_not_the_same_everywhere_is_not_stated() {
    for (launches, reason) in [
        (vec![sized(64, 4), sized(32, 4)], "not the same constant"),
        (vec![launch(LocalSize::Null)], "leaves the local size open"),
        (vec![sized(64, 4), launch(LocalSize::Null)], "not known"),
        (Vec::new(), "no launch of this kernel is known"),
    ] {
        let rewritten = attributes(SCALE, launches, lanes(4, 1));
        assert!(!rewritten.text.contains("attribute"), "{}", rewritten.text);
        assert_eq!(rewritten.contract().local_size(), None);
        assert!(
            rewritten.remarks[0].contains(reason),
            "{:?}",
            rewritten.remarks
        );
    }
}

#[test]
fn single_work_items_have_no_groups() {
    let task = "__kernel void scale(__global float *a, float f)\n{\n    for (int i = 0; i < 8; i++)\n        \
                a[i] *= f;\n}\n";
    let rewritten = attributes(task, vec![sized(1, 1)], lanes(4, 4));
    assert!(!rewritten.text.contains("attribute"), "{}", rewritten.text);
    assert_eq!(rewritten.contract().local_size(), None);
}

#[test]
fn lanes_and_compute_units_are_set_where_the_decision_asks() {
    let rewritten = attributes(SCALE, vec![sized(64, 1)], lanes(8, 3));
    for attribute in ["num_simd_work_items(8)", "num_compute_units(3)"] {
        assert!(rewritten.text.contains(attribute), "{}", rewritten.text);
    }
    // Lanes divide the groups.
    let rewritten = attributes(SCALE, vec![sized(12, 1)], lanes(8, 1));
    assert!(!rewritten.text.contains("simd"), "{}", rewritten.text);
    let told = rewritten.remarks.join("\n");
    assert!(
        told.contains("12 work-items in a row do not divide into 8"),
        "{told}"
    );
}

const SHARED: &str = "__kernel void scale(__global float *a, __local float *t)\n{\n    \
                      int i = get_local_id(0);\n    t[i] = a[get_global_id(0)];\n    \
                      barrier(CLK_LOCAL_MEM_FENCE);\n    a[get_global_id(0)] = t[i ^ 1];\n}\n";

fn with_local(bytes: Value) -> Launch {
    Launch {
        args: vec![Arg {
            index: 1,
            value: ArgValue::Local(bytes),
        }],
        ..sized(64, 1)
    }
}

#[test]
fn local_parameters_state_what_the_launches_give() {
    let launches = vec![
        with_local(Value::Const(256)),
        with_local(Value::OneOf(vec![400, 600])),
    ];
    let rewritten = attributes(SHARED, launches, PassOptions::default());
    let attribute = "__attribute__((local_mem_size(1024)))";
    assert!(rewritten.text.contains(attribute), "{}", rewritten.text);
    assert_eq!(rewritten.contract().local_bytes(), [(1, 1024)]);

    let own = SHARED.replace("*t)", "*t __attribute__((local_mem_size(4096))))");
    for (source, bytes) in [
        (SHARED, Value::symbolic("n * 4")),
        (SHARED, Value::Unknown("computed".to_string())),
        (SHARED, Value::Const(0)),
        (own.as_str(), Value::Const(256)),
    ] {
        let launches = vec![with_local(Value::Const(256)), with_local(bytes)];
        let rewritten = attributes(source, launches, PassOptions::default());
        assert_eq!(rewritten.contract().local_bytes(), []);
        assert_eq!(rewritten.text.contains("local_mem_size("), source == own);
    }
}

/// aoc does not vectorise kernels whose work-items diverge in loops.
#[test]
fn lanes_go_through_loops_together() {
    let with = |body: &str| {
        let text = format!(
            "__kernel void scale(__global float *a, int n)\n{{\n    int g = get_global_id(0);\n    \
             float s = 0;\n    {body}\n    a[g] = s;\n}}\n"
        );
        attributes(&text, vec![sized(64, 1)], lanes(4, 1))
    };
    for together in [
        "for (int i = 0; i < n; i++) s += a[i * 64 + g];",
        "if (g < n) s = a[g + 1];",
        "for (int i = get_group_id(0); i < n; i++) s += i;",
    ] {
        let text = with(together).text;
        assert!(text.contains("num_simd_work_items(4)"), "{text}");
    }
    for apart in [
        "for (int i = 0; i < g; i++) s += a[i];",
        "for (int i = 0; i < n; i++) { if (a[i + g] > 0) break; s += 1; }",
        "if (g < n) for (int i = 0; i < n; i++) s += a[i];",
        "if (g >= n) return; for (int i = 0; i < n; i++) s += a[i];",
        "int m = a[g]; while (m > 0) { s += m; m -= 1; }",
        "int m = 0; if (g > 4) m = n; for (int i = 0; i < m; i++) s += 1;",
        "int m = n; for (int i = 0; i < 4; i++) if (a[i + g] > 0) m++; \
         for (int i = 0; i < m; i++) s += 1;",
    ] {
        let rewritten = with(apart);
        assert!(!rewritten.text.contains("simd"), "{}", rewritten.text);
        let told = rewritten.remarks.join("\n");
        assert!(told.contains("differently often, or pass it by"), "{told}");
    }
}

#[test]
fn loops_are_unrolled_by_their_place() {
    let text = "__kernel void scale(__global float *a, int n)\n{\n    for (int i = 0; i < n; i++) {\n        \
                for (int j = 0; j < n; j++)\n            a[i] += j;\n        #pragma unroll 2\n        \
                for (int j = 0; j < n; j++)\n            a[i] *= j;\n        int k = n;\n        \
                while (k > 0)\n            a[i] -= k--;\n    }\n}\n";
    let unrolled = |index| {
        let options = PassOptions {
            unroll: vec![Factor { index, copies: 4 }],
            ..PassOptions::default()
        };
        attributes(text, Vec::new(), options).text
    };
    let plain = unrolled(9);
    assert_eq!(plain.matches("unroll").count(), 1);
    // Around others, and asked for: left alone.
    assert_eq!(unrolled(0), plain);
    assert_eq!(unrolled(2), plain);
    let first = unrolled(1);
    assert!(
        first.contains(
            "#pragma unroll 4\n        for (int j = 0; j < n; j++) {\n            a[i] += j;"
        ),
        "{first}"
    );
    let last = unrolled(3);
    assert!(last.contains("#pragma unroll 4\n        while"), "{last}");
}

#[test]
fn loops_with_barriers_are_not_unrolled() {
    let text = "__kernel void scale(__global float *a, __local float *t, int n)\n{\n    \
                for (int i = 0; i < n; i++) {\n        t[get_local_id(0)] = a[i];\n        \
                barrier(CLK_LOCAL_MEM_FENCE);\n        a[i] = t[0];\n    }\n}\n";
    let options = PassOptions {
        unroll: vec![Factor {
            index: 0,
            copies: 4,
        }],
        ..PassOptions::default()
    };
    let rewritten = attributes(text, Vec::new(), options);
    assert!(!rewritten.text.contains("unroll"), "{}", rewritten.text);
}

#[test]
fn kernels_have_pipelines_of_their_own() {
    use fpgacc_device_passes::pipeline::run_each;
    use fpgacc_frontend::ir::Dialect;
    use fpgacc_frontend::kernel::{Input, parse};
    use fpgacc_frontend::source::SourceMap;
    let text = format!("{SCALE}{}", SCALE.replace("scale", "other"));
    let input = Input {
        name: "k.cl",
        preprocessed: &text,
        dialect: Dialect::Cl12,
    };
    let mut module = parse(&input, &mut SourceMap::new()).ok().unwrap();
    let loops = Pipeline {
        level: 1,
        ..Pipeline::default()
    };
    let own = BTreeMap::from([("other".to_string(), Pipeline::default())]);
    let report = run_each(&mut module, &Facts::default(), &loops, &own);
    let rewritten = |kernel: &str| !report.done[kernel].is_empty();
    assert!(rewritten("scale"));
    assert!(!report.done.contains_key("other") || !rewritten("other"));
}

/// The pragma stands where it is asked for, and only where nests are perfect and rectangular.
#[test]
fn nests_become_one_by_the_place_of_their_outermost_loop() {
    let nest = |outer: &str, inner: &str, body: &str| {
        format!(
            "__attribute__((max_global_work_dim(0)))\n__kernel void scale(__global float *a, int n)\n{{\n    \
             for (int k = 0; k < n; k++)\n        a[k] = 0;\n    {outer}\n    for (int i = 0; i < n; i++)\n        \
             {inner}\n        {{\n            {body}\n        }}\n}}\n"
        )
    };
    let coalesced = |text: &str, index| {
        let options = PassOptions {
            coalesce: vec![index],
            ..PassOptions::default()
        };
        attributes(text, Vec::new(), options)
    };
    let inner = "for (int j = 0; j < n * 2; j += 2)";
    let plain = nest("", inner, "a[i * n + j] += 1;");
    let one = coalesced(&plain, 1);
    assert!(
        one.text
            .contains("    #pragma loop_coalesce 2\n    for (int i = 0;"),
        "{}",
        one.text
    );
    assert!(
        one.remarks.join("\n").contains("2 nested loops become one"),
        "{:?}",
        one.remarks
    );
    for other in [0, 2, 9] {
        assert!(!coalesced(&plain, other).text.contains("loop_coalesce"));
    }
    let free = "#pragma ivdep array(a)";
    let independent = coalesced(&nest(free, inner, "a[i * n + j] += 1;"), 1).text;
    assert!(independent.contains("loop_coalesce 2"), "{independent}");
    let switched =
        "switch (j) { case 0: break; default: a[i] += 1; } if (a[j] > 0) continue; a[j] += 2;";
    let left = coalesced(&nest("", inner, switched), 1).text;
    assert!(left.contains("loop_coalesce 2"), "{left}");
    for (outer, inner, body) in [
        // Bounds, starts and steps that change.
        ("", "for (int j = 0; j < i; j++)", "a[j] += 1;"),
        ("", "for (int j = i; j < n; j++)", "a[j] += 1;"),
        ("", "for (int j = 1; j < n; j *= 2)", "a[j] += 1;"),
        ("", "for (int j = 0; j < n; j++)", "a[j] += 1; n--;"),
        ("", "for (int j = 0; j < n; j++)", "a[j] += 1; j++;"),
        ("", "for (int j = 0; a[j] > 0; j++)", "a[j] += 1;"),
        (
            "",
            "for (int j = 0; j < n; j++)",
            "int *p = &j; a[*p] += 1;",
        ),
        // Left early.
        ("", inner, "if (a[j] > 0) break; a[j] += 1;"),
        ("", inner, "if (a[j] > 0) return; a[j] += 1;"),
        // Not perfect.
        (
            "",
            "{ a[i] = 1; for (int j = 0; j < n; j++)",
            "a[j] += 1; }",
        ),
        ("", "while (n > 0)", "a[n--] += 1;"),
        // Asked for something else.
        ("#pragma loop_coalesce 1", inner, "a[j] += 1;"),
        ("#pragma unroll 2", inner, "a[j] += 1;"),
        ("#pragma ii 4", inner, "a[j] += 1;"),
    ] {
        let text = coalesced(&nest(outer, inner, body), 1).text;
        let asked = outer.matches("loop_coalesce").count();
        assert_eq!(text.matches("loop_coalesce").count(), asked, "{text}");
    }
}

/// aoc joins loops of NDRanges by itself.
#[test]
fn nests_of_ndranges_are_left_to_aoc() {
    let text = "__kernel void scale(__global float *a, int n)\n{\n    for (int i = 0; i < n; i++)\n        \
                for (int j = 0; j < n; j++)\n            a[get_global_id(0)] += i * j;\n}\n";
    let options = PassOptions {
        coalesce: vec![0],
        ..PassOptions::default()
    };
    let rewritten = attributes(text, Vec::new(), options);
    assert!(
        !rewritten.text.contains("loop_coalesce"),
        "{}",
        rewritten.text
    );
}

/// The loops over work-items of a kernel that is launched with two dimensions, outermost first, and the
/// remarks.
fn loops_over_items(body: &str, innermost: Option<u8>) -> (Vec<char>, String) {
    let text =
        format!("__kernel void scale(__global float *a, __global int *b)\n{{\n    {body}\n}}\n");
    let pipeline = Pipeline {
        level: 0,
        switches: [("ndrange-to-loop".to_string(), true)].into(),
        options: PassOptions {
            innermost,
            ..PassOptions::default()
        },
        stop_after: None,
    };
    let facts = Facts {
        launches: vec![sized(8, 4)],
        ..Facts::default()
    };
    let rewritten = rewrite(&text, &facts, &pipeline);
    let loops = rewritten.text.lines();
    let loops = loops.filter_map(|line| line.trim().strip_prefix("for (int item_"));
    (
        loops.filter_map(|rest| rest.chars().next()).collect(),
        rewritten.remarks.join("\n"),
    )
}

#[test]
fn the_order_of_loops_is_free_where_nothing_shows_it() {
    let fast = "a[get_global_id(1) * 1024 + get_global_id(0)] *= 2;";
    let slow = "a[get_global_id(0) * 1024 + get_global_id(1)] *= 2;";
    let expected = [
        (fast, None, ['y', 'x'], false),
        (fast, Some(0), ['y', 'x'], false),
        (fast, Some(1), ['x', 'y'], true),
        // No third dimension.
        (fast, Some(2), ['y', 'x'], false),
        (slow, None, ['x', 'y'], false),
        (slow, Some(0), ['y', 'x'], true),
    ];
    for (body, innermost, order, is_told) in expected {
        let (loops, told) = loops_over_items(body, innermost);
        assert_eq!(loops, order, "{body} {innermost:?}");
        let asked = format!("dimension {} innermost", innermost.unwrap_or(9));
        assert_eq!(told.contains(&asked), is_told, "{told}");
    }
    // Between barriers, each part.
    let parts = "__local float t[4][8]; t[get_local_id(1)][get_local_id(0)] = 1; \
                 barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(1) * 1024 + get_global_id(0)] = t[0][0];";
    assert_eq!(loops_over_items(parts, Some(1)).0, ['x', 'y', 'x', 'y']);
}

#[test]
fn what_is_printed_and_what_atomics_give_comes_in_the_order_of_ids() {
    for body in [
        "printf(\"%d\", (int)(get_global_id(0) + get_global_id(1)));",
        "a[atomic_inc(b)] = get_global_id(0) + get_global_id(1);",
    ] {
        let (loops, told) = loops_over_items(body, Some(1));
        assert_eq!(loops, ['y', 'x'], "{body}");
        assert!(!told.contains("innermost"), "{told}");
    }
}
