//! The pass `reduction`: what it writes, and why it leaves things alone.

mod common;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::reduction::{Options, Order};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::Facts;

fn only_reduction(options: PassOptions) -> Pipeline {
    Pipeline {
        switches: BTreeMap::from([("reduction".to_string(), true)]),
        options,
        ..Pipeline::default()
    }
}

fn with(order: Order) -> PassOptions {
    let mut options = PassOptions::default();
    options.of_mut::<Options>().order = order;
    options
}

fn reduce(source: &str) -> Rewritten {
    let pipeline = only_reduction(PassOptions::default());
    rewrite(source, &Facts::default(), &pipeline)
}

/// A kernel of one work-item around a loop.
fn kernel(body: &str) -> String {
    format!(
        "typedef struct {{ float x; volatile float y; }} S;\n\
         __kernel void k(__global float *a, __global float *restrict b, __global int *restrict c,\n\
         int n, float h, volatile __global float *v, __local float *l)\n{{\n\
         float s = 0.0f, t = 0.0f;\nint k = 0;\n{body}\na[0] = s + t;\n}}\n"
    )
}

#[track_caller]
fn refused(body: &str, reason: &str) {
    let source = kernel(body);
    let unchanged = rewrite(&source, &Facts::default(), &Pipeline::default());
    let rewritten = reduce(&source);
    assert_eq!(rewritten.text, unchanged.text, "rewritten: {body}");
    let remarks = rewritten.remarks.join("\n");
    assert!(remarks.contains(reason), "{body}\n{remarks}");
    assert!(remarks.contains("[-Rpass-missed=reduction]"), "{remarks}");
}

/// Nothing that a user could take for a missed chance.
#[track_caller]
fn ignored(body: &str) {
    let source = kernel(body);
    let unchanged = rewrite(&source, &Facts::default(), &Pipeline::default());
    let rewritten = reduce(&source);
    assert_eq!(rewritten.text, unchanged.text, "rewritten: {body}");
    assert_eq!(rewritten.remarks, [""; 0], "{body}");
}

#[track_caller]
fn accepted(body: &str, registers: usize) {
    let rewritten = reduce(&kernel(body));
    let text = &rewritten.text;
    let found = text.matches("[8] = ").count();
    assert_eq!(found, registers, "{body}\n{text}\n{:?}", rewritten.remarks);
    assert!(rewritten.remarks.iter().any(|r| r.contains("reassociates")));
}

#[test]
fn check_1_the_type_is_float_or_double() {
    refused(
        "float4 q = (float4)(0.0f);\nfor (int i = 0; i < n; i++) q += (float4)(a[i]);\ns = q.x;",
        "'q' is not accumulated in a shift register: its type is neither float nor double",
    );
    refused(
        "half *hp = (half *)&s;\nfor (int i = 0; i < n; i++) *hp += 1;",
        "its type is neither float nor double",
    );
    // Integers add in one cycle.
    ignored("for (int i = 0; i < n; i++) k += c[i];");
}

#[test]
fn check_2_the_value_is_not_used_elsewhere_in_the_loop() {
    let used = "its value is used elsewhere in the loop";
    refused("for (int i = 0; i < n; i++) { s += a[i]; a[i] = s; }", used);
    refused(
        "for (int i = 0; i < n; i++) { if (s < h) k++; s += a[i]; }",
        used,
    );
    refused("for (int i = 0; i < n && s < h; i++) s += a[i];", used);
    refused("for (int i = 0; i < n; s = h, i++) s += a[i];", used);
    refused(
        "for (int i = 0; i < n; i++) { s += a[i]; s = sin(h); }",
        used,
    );
    refused("for (int i = 0; i < n; i++) s += s * a[i];", used);
    // Welford's running mean, which the other running value reads.
    refused(
        "for (int i = 0; i < n; i++) { float d = a[i] - s; s += d / (i + 1); b[i] = d * (a[i] - s); }",
        used,
    );
    // The same location under another name.
    let other = "another access in the loop may touch the same memory";
    refused(
        "float *p = &s;\nfor (int i = 0; i < n; i++) { s += a[i]; t = *p; }",
        other,
    );
    refused("for (int i = 0; i < n; i++) a[n] += a[i];", other);
    refused(
        "for (int i = 0; i < n; i++) { b[0] += h; c[i] = (int)b[i]; }",
        other,
    );
    refused(
        "for (int i = 0; i < n; i++) a[0] += v[i];",
        "another pointer in the loop may point to it, since neither is restrict",
    );
    refused(
        "for (int i = 0; i < n; i++) { b[k] += h; b[n] += h; }",
        other,
    );
    refused(
        "for (int i = 0; i < n; i++) { float w; b[0] += fract(h, &b[i]); }",
        other,
    );
    refused("for (int i = 0; i < n; i++) b[0] += vload4(i, b).x;", other);
}

#[test]
fn accesses_that_cannot_meet_are_no_other_use() {
    accepted(
        "for (int i = 0; i < 20; i++) { b[0] += a[i]; b[1] += c[i]; }",
        2,
    );
    accepted(
        "for (int i = 0; i < 20; i++) { b[k] += a[i]; b[k + 1] += c[i]; }",
        2,
    );
    accepted(
        "for (int i = 0; i < 20; i++) { b[0] += a[i]; l[i] = h; }",
        1,
    );
    accepted("for (int i = 0; i < 20; i++) { a[0] += b[i] * c[i]; }", 1);
    accepted(
        "float w[2] = {0}; for (int i = 0; i < n; i++) { w[0] += a[i]; w[1] += b[i]; } s = w[0];",
        2,
    );
    accepted(
        "__global float *p = b + 4; for (int i = 0; i < 20; i++) { *p += a[i]; }",
        1,
    );
}

#[test]
fn check_3_base_and_index_are_invariant() {
    let varies = "it is another element in each iteration";
    refused("for (int i = 0; i < n; i++) b[i] += a[i];", varies);
    refused(
        "for (int i = 0; i < n; i++) { b[k] += a[i]; k = c[i]; }",
        varies,
    );
    refused(
        "__global float *p = b; for (int i = 0; i < n; i++) *p++ += a[i];",
        varies,
    );
    refused(
        "__global float *p = b; for (int i = 0; i < n; i++, p++) *p += a[i];",
        varies,
    );
    refused(
        "for (int i = 0; i < n; i++) { int j = c[i]; b[j] += a[i]; }",
        varies,
    );
    refused(
        "for (int i = 0; i < n; i++) { b[c[0]] += a[i]; c[i] = 0; }",
        varies,
    );
    accepted("for (int i = 0; i < 20; i++) b[c[0] * 2 + k] += a[i];", 1);
    // An index that the written element itself might be.
    refused(
        "__global int *ai = (__global int *)a; for (int i = 0; i < n; i++) a[ai[0]] += b[i];",
        varies,
    );
}

#[test]
fn check_4_the_operation_is_associative_and_commutative() {
    let operation = "the operation is not associative and commutative";
    refused("for (int i = 0; i < n; i++) s /= a[i];", operation);
    refused("for (int i = 0; i < n; i++) s = a[i] - s;", operation);
    refused("for (int i = 0; i < n; i++) s = s * h + a[i];", operation);
    refused("for (int i = 0; i < n; i++) s = s - (a[i] - s);", operation);
    refused(
        "for (int i = 0; i < n; i++) s = fma(s, h, a[i]);",
        operation,
    );
    refused("for (int i = 0; i < n; i++) s = fmod(s, a[i]);", operation);
    // Where a NaN comes by, this takes it and forgets what was before.
    refused(
        "for (int i = 0; i < n; i++) s = s < a[i] ? s : a[i];",
        operation,
    );
    let mixed = "different operations are mixed on it in one loop";
    refused("for (int i = 0; i < n; i++) { s += a[i]; s *= h; }", mixed);
    refused(
        "for (int i = 0; i < n; i++) { s = fmin(s, a[i]); s = fmax(s, b[i]); }",
        mixed,
    );
    accepted("for (int i = 0; i < n; i++) { s += a[i]; s -= b[i]; }", 2);
}

#[test]
fn check_5_the_trip_count_is_not_known_to_be_small() {
    refused(
        "for (int i = 0; i < 7; i++) s += a[i];",
        "the loop runs 7 times, less than the register's depth of 8",
    );
    refused(
        "for (int i = 0; i <= 20; i += 4) s += a[i];",
        "the loop runs 6 times",
    );
    refused(
        "for (uint i = 6; i > 0; --i) s += a[i];",
        "the loop runs 6 times",
    );
    refused(
        "const int m = 3; for (k = m; k != 0; k -= 1) s += a[k];",
        "the loop runs 3 times",
    );
    refused(
        "for (int i = 4; i < 4; i++) s += a[i];",
        "the loop runs 0 times",
    );
    refused("do s += h; while (0);", "the loop runs 1 times");
    accepted("for (int i = 0; i < 8; i++) s += a[i];", 1);
    accepted("for (int i = 0; i < n; i++) s += a[i];", 1);
    // The counter is changed in the body: the count is not known.
    accepted(
        "for (int i = 0; i < 4; i++) { s += a[i]; if (c[i]) i = 0; }",
        1,
    );
    // Unsigned wrap-around.
    accepted(
        "for (uint i = 4; i >= 0; --i) { s += a[i]; if (i == 2) break; }",
        1,
    );
}

#[test]
fn memory_is_not_touched_where_the_original_does_not() {
    let sometimes = [
        "for (int i = 0; i < n; i++) if (c[i]) b[0] += c[i];",
        "for (int i = 0; i < n; i++) { if (c[i]) break; b[0] += c[i]; }",
        "while (k++ < n) if (c[k]) b[0] -= c[k];",
    ];
    for text in sometimes {
        let noted = reduce(&kernel(text));
        assert!(noted.text.contains("if (updated)"), "{}", noted.text);
    }
    // It would be read before the loop.
    refused(
        "for (int i = 0; i < n; i++) if (c[i]) b[0] = fmin(b[0], h);",
        "it is not updated in every iteration",
    );
    refused(
        "for (int i = 0; i < n; i++) { if (c[i]) b[0] += c[i]; mem_fence(CLK_GLOBAL_MEM_FENCE); }",
        "other work-items or kernels may look at it",
    );
    refused(
        "while (k++ < n) b[0] += a[k];",
        "the loop's condition has effects",
    );
    refused(
        "for (int i = 0; i < n; i++) { b[0] += a[i]; mem_fence(CLK_GLOBAL_MEM_FENCE); }",
        "other work-items or kernels may look at it",
    );
    let guarded = reduce(&kernel("for (int i = 0; i < n; i++) b[0] += c[i];"));
    assert!(guarded.text.contains("if (0 < n)"), "{}", guarded.text);
}

#[test]
fn loops_that_stay() {
    refused(
        "for (int i = 0; i < n; i++) { s += a[i]; if (c[i]) return; }",
        "contains a return",
    );
    refused(
        "for (int i = 0; i < n; i++) v[0] += a[i];",
        "it is volatile",
    );
    refused(
        "for (int i = 0; i < n; i++) b[(int)v[1]] += a[i];",
        "it is another element in each iteration",
    );
    // No pipeline.
    ignored("#pragma unroll\nfor (int i = 0; i < 8; i++) s += a[i];");
    ignored("#pragma unroll 16\nfor (int i = 0; i < 9; i++) s += a[i];");
    // Not innermost; a new variable in each iteration; a label.
    ignored("for (int i = 0; i < n; i++) { s += a[i]; for (int j = 0; j < n; j++) k++; }");
    ignored("for (int i = 0; i < n; i++) { float w = h; w += a[i]; b[i] = w; }");
    ignored("again: for (int i = 0; i < n; i++) s += a[i]; if (n-- > 5) goto again;");
}

#[test]
fn a_kernel_of_many_work_items_stays() {
    refused(
        "k = get_global_id(0); for (int i = 0; i < n; i++) s += a[i];",
        "the kernel runs as many work-items, whose additions interleave anyway",
    );
}

/// A sum, where the order of operations is kept for some reason.
fn kept_sum(order: Order) -> Rewritten {
    let source = kernel("for (int i = 0; i < n; i++) s += a[i];");
    let rewritten = rewrite(&source, &Facts::default(), &only_reduction(with(order)));
    assert!(!rewritten.text.contains("shift_reg"));
    rewritten
}

#[test]
fn strict_fp_forbids_it() {
    assert_eq!(
        kept_sum(Order::Strict).remarks,
        [
            "k.cl:7:29: remark: kernel 'k': 's' is not accumulated in a shift register: that \
             reassociates floating-point operations, which --strict-fp forbids \
             [-Rpass-missed=reduction]"
        ]
    );
}

#[test]
fn emulators_keep_the_order() {
    let rewritten = kept_sum(Order::Emulated);
    assert!(rewritten.remarks[0].contains("--as-on-board"));
}

/// Which of 0 and -0, or of several NaNs, comes out depends on the order.
#[test]
fn strict_fp_forbids_minima_and_maxima_too() {
    for body in [
        "if (a[i] > s) s = a[i];",
        "s = a[i] < s ? a[i] : s;",
        "s = fmax(s, a[i]);",
        "b[0] = min(b[0], a[i]);",
    ] {
        let source = kernel(&format!("for (int i = 0; i < n; i++) {{ {body} }}"));
        let text = |order| {
            let options = with(order);
            rewrite(&source, &Facts::default(), &only_reduction(options)).text
        };
        let unchanged = rewrite(&source, &Facts::default(), &Pipeline::default()).text;
        assert_eq!(text(Order::Strict), unchanged, "{body}");
        assert_ne!(text(Order::Free), unchanged, "{body}");
    }
}

#[test]
fn a_second_run_changes_nothing() {
    let first = reduce(&kernel(
        "for (int i = 0; i < n; i++) { s += a[i]; b[0] += h; }",
    ));
    let second = reduce(&first.text);
    let without = rewrite(&first.text, &Facts::default(), &Pipeline::default());
    assert_eq!(second.text, without.text);
    assert_eq!(second.remarks, [""; 0]);
}

#[test]
fn a_helper_that_ndrange_kernels_share_stays() {
    let helper = "float total(__global const float *a, int n)\n{\n    float s = 0.0f;\n    for (int \
                  i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n";
    let task = "__kernel void t(__global float *a, int n) { a[0] = total(a, n); }\n";
    let many = "__kernel void m(__global float *a, int n) { a[get_global_id(0)] = total(a, n); }\n";
    let alone = reduce(&format!("{helper}{task}"));
    assert!(alone.text.contains("shift_reg"), "{}", alone.text);
    let shared = reduce(&format!("{helper}{task}{many}"));
    assert!(!shared.text.contains("shift_reg"), "{}", shared.text);
    let remarks = shared.remarks.join("\n");
    assert!(
        remarks.contains("a kernel of many work-items calls this function too"),
        "{remarks}"
    );
}
