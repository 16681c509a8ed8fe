//! Kernels that rely on work-items in lockstep stay as they are; those with barriers, or with work-items
//! that do not meet, do not.

mod common;

use common::rewrite;
use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::Facts;

/// The remarks on a kernel with this body, and whether it became a single work-item.
fn remarks(body: &str) -> (String, bool) {
    let source = format!(
        "void other(__local float *p) {{ p[0] = 1; }}\n\
         void warp(__local float *p) {{ int l = get_local_id(0); if (l < 32) {{ p[l] += p[l + 16]; \
         p[l] += p[l + 8]; }} }}\n\
         void sum(__local float *p, int by) {{ int l = get_local_id(0); if (l < by) p[l] += p[l + by]; }}\n\
         int twice(int x) {{ return 2 * x; }}\n\
         typedef struct {{ int n; float v[64]; }} Row;\n\
         void shift(__local Row *r) {{ r->v[get_local_id(0)] = r->v[63 - get_local_id(0)]; }}\n__kernel void k(__global float *a, __global int *c, \
         __local float *s, int n) {{\n    \
         __local float t[2][64];\n    __local int flag;\n    __local Row row;\n    __local float4 f[64];\n    int l = get_local_id(0);\n    \
         s[l] = a[get_global_id(0)];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    {body}\n    \
         barrier(CLK_LOCAL_MEM_FENCE);\n    a[get_global_id(0)] = s[l] + t[0][l] + flag;\n}}\n"
    );
    let pipeline = Pipeline {
        switches: [("ndrange-to-loop".to_string(), true)].into(),
        options: PassOptions::default(),
        ..Pipeline::default()
    };
    let rewritten = rewrite(&source, &Facts::default(), &pipeline);
    let is_task = rewritten.text.contains("max_global_work_dim(0)");
    (rewritten.remarks.join("\n"), is_task)
}

#[track_caller]
fn races(body: &str, array: &str) {
    let (remarks, is_task) = remarks(body);
    assert!(!is_task, "{body}");
    let wanted = format!("this reads an element of '{array}' that another work-item writes");
    assert!(remarks.contains(&wanted), "{body}\n{remarks}");
}

#[track_caller]
fn is_converted(body: &str) {
    let (remarks, is_task) = remarks(body);
    assert!(is_task, "{body}\n{remarks}");
}

#[test]
fn reductions_without_barriers_race() {
    races("if (l < 32) { s[l] += s[l + 16]; s[l] += s[l + 8]; }", "s");
    races(
        "if (l < 32) { volatile __local float *v = s; v[l] += v[l + 32]; v[l] += v[l + 16]; v[l] += v[l + 8]; }",
        "s",
    );
    races(
        "for (int w = 32; w > 0; w >>= 1) if (l < w) s[l] += s[l + w];",
        "s",
    );
    races(
        "for (int w = 1; w < 64; w *= 2) { if (l % (2 * w) == 0) s[l] += s[l + w]; }",
        "s",
    );
    races(
        "for (int w = get_local_size(0) / 2; w > 32; w >>= 1) { if (l < w) s[l] += s[l + w]; \
         barrier(CLK_LOCAL_MEM_FENCE); } if (l < 32) { s[l] += s[l + 32]; s[l] += s[l + 16]; }",
        "s",
    );
}

#[test]
fn scans_exchanges_and_flags_without_barriers_race() {
    races(
        "int lane = l & 31; if (lane >= 1) s[l] += s[l - 1]; if (lane >= 2) s[l] += s[l - 2];",
        "s",
    );
    races("t[0][l] = s[l]; t[1][l] = t[0][63 - l];", "t");
    races("float x = s[(l + 1) & 63]; s[l] = x;", "s");
    races("if (l == 0) flag = n; t[0][l] = flag;", "flag");
    races("*(s + l) = 1; float y = *(s + (l ^ 1)); t[0][l] = y;", "s");
    races(
        "if (n > 3) { } else { } if (l < 32) { s[l] += s[l + 16]; s[l] += s[l + 8]; }",
        "s",
    );
}

#[test]
fn work_items_race_wherever_a_few_get_in() {
    races("if (l < n) { float x = s[2 * l]; s[l] = x; }", "s");
    races("if (n > l) { float x = s[2 * l]; s[l] = x; }", "s");
    races(
        "uint m = (1 << n) / 2; for (int i = 0; i < n; ++i) { if (l < m) { float x = s[2 * l] + s[2 * l + 1]; \
         s[l] = x; } m >>= 1; barrier(CLK_LOCAL_MEM_FENCE); }",
        "s",
    );
    races(
        "if (n == 3) { t[0][l] = s[l]; t[1][l] = t[0][63 - l]; }",
        "t",
    );
    races(
        "if (get_global_id(0) < n) { float x = s[2 * l]; s[l] = x; }",
        "s",
    );
    races("if (get_global_id(0) >= n) return; s[l] = s[l + 1];", "s");
    races("if (n == 3) s[l] = 1; t[0][l] = s[63 - l];", "s");
    races(
        "int m = min(n, 16); if (l < m && n != 7) { float x = s[2 * l]; s[l] = x; }",
        "s",
    );
    races(
        "if (l >= n) t[0][l] = 0; else { float x = s[2 * l]; s[l] = x; }",
        "s",
    );
}

#[test]
fn called_functions_are_followed() {
    races("warp(s);", "s");
    races("sum(s, 32); sum(s, 16);", "s");
    races("float x = s[twice(l) & 63]; s[l] = x;", "s");
    races("shift(&row);", "row");
    races("row.v[l] = 2; t[0][l] = row.v[63 - l];", "row");
    races("f[l].x = 2; t[0][l] = f[63 - l].x;", "f");
    is_converted("sum(s, 32); barrier(CLK_LOCAL_MEM_FENCE); sum(s, 16);");
    is_converted("s[twice(l) & 63 | l & 1] = 2;");
    is_converted("row.v[l] = 2; t[0][l] = row.v[l] + row.n;");
    is_converted("f[l].x = 2; t[0][l] = f[63 - l].y;");
}

#[test]
fn work_items_that_conditions_keep_apart_do_not_race() {
    is_converted("if (l < n) { t[0][l] = s[l]; t[1][l] = t[0][l]; }");
    is_converted("if (l < n) t[0][l] = 1; else t[1][l] = t[0][l - n];");
    is_converted("if (n == 3) t[0][l] = 1; else t[1][l] = t[0][63 - l];");
    is_converted("if (n == 3) t[0][l] = 1; if (n != 3) t[1][l] = t[0][63 - l];");
    is_converted("if (l < n) { t[0][l] = 1; } if (l >= n) { t[1][l] = t[0][63 - l]; }");
    is_converted("if (l == n) { t[0][l] = s[l + 1]; s[l] = 1; }");
    is_converted("if (l < n) s[l] += s[l + n];");
    is_converted("if (l < n) s[l] += s[l + 32];");
    is_converted(
        "for (int w = n; w > 0; w >>= 1) { if (l < w) s[l] += s[l + w]; barrier(CLK_LOCAL_MEM_FENCE); }",
    );
    is_converted("if (l < n) { if (l >= c[0]) { t[0][l] = s[l + 1]; s[l] = 1; } }");
    is_converted("if (l < n) { if (l + 1 > c[0]) { t[0][l] = 1; } }");
}

#[test]
fn barriers_end_races() {
    is_converted(
        "for (int w = 32; w > 0; w >>= 1) { if (l < w) s[l] += s[l + w]; barrier(CLK_LOCAL_MEM_FENCE); }",
    );
    is_converted("t[0][l] = s[l]; barrier(CLK_LOCAL_MEM_FENCE); t[1][l] = t[0][63 - l];");
    is_converted("float x = s[(l + 1) & 63]; barrier(CLK_LOCAL_MEM_FENCE); s[l] = x;");
    is_converted("if (l == 0) flag = n; barrier(CLK_LOCAL_MEM_FENCE); t[0][l] = flag;");
}

#[test]
fn work_items_that_do_not_meet_do_not_race() {
    is_converted("if (l < 32) s[l] += s[l + 32];");
    is_converted("s[l] += 1; s[l] *= 2;");
    is_converted("if (l < 16) t[0][l] = 1; if (l >= 16 && l < 48) t[1][l] = t[0][l + 16];");
    is_converted("t[0][l] = s[63 - l]; t[1][l] = s[l];");
    is_converted("for (int i = 0; i < 64; i += 1) t[0][l] += s[i];");
    is_converted("for (int i = l; i < 64; i += 64) { t[0][i] = s[i]; t[1][i] = t[0][i]; }");
}

#[test]
fn what_is_not_known_is_no_race() {
    is_converted("if (l < n) { s[l] = 2; } t[0][l] = 1;");
    is_converted("s[c[l]] = 1; t[0][l] = 2;");
    is_converted("int i = l; while (i < n) { t[0][l] += 1; i += c[i]; }");
    is_converted("switch (n) { case 1: t[0][l] = 1; break; default: t[1][l] = s[l]; }");
}
