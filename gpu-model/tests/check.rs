//! Sites of small kernels whose sectors, turns and lanes are counted by hand.

use crate::common::sites::{found_on, kernel, launch, told, told_on};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, parse};
use fpgacc_frontend::source::SourceMap;
use fpgacc_gpu_model::check::{Findings, Site, Thresholds, What, check};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::lanes::observed::BranchKind;
use fpgacc_gpu_model::recorded::Seen;
use fpgacc_launch_facts::{ArgValue, Launch, LocalSize, RecordedLaunch, Value};

/// What is found of a kernel `k` with a body on one line a statement.
fn found(text: &str, launch: &Launch) -> (Findings, SourceMap) {
    found_on("warp32", text, launch)
}

#[test]
fn neighbours_that_are_rows_apart_move_a_sector_each() {
    let text = "__kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                b[i] = a[i * 1024];\n\
                b[i] += a[i];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    assert_eq!(
        told,
        [
            "3 write 4.0/4.0 proved",
            "3 read 32.0/4.0 proved !",
            "4 read 4.0/4.0 proved",
            "4 write 4.0/4.0 proved",
            "4 read 4.0/4.0 proved",
        ]
    );
}

#[test]
fn an_unknown_row_is_taken_to_be_long() {
    let text = "__kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                if (i < n)\n\
                b[i] = a[i * n + 3];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    assert_eq!(
        told,
        [
            "3 branch 0.00 proved",
            "4 write 4.0/4.0 proved",
            "4 read 32.0/4.0 proved for large arguments !",
        ]
    );
}

#[test]
fn structures_that_are_read_whole_waste_nothing() {
    let whole = "struct p { float x, y; };\n\
                 __kernel void k(__global struct p *a, __global float *b) {\n\
                 int i = get_global_id(0);\n\
                 b[i] = a[i].x + a[i].y;\n\
                 }\n";
    let seen = told(whole, &launch(&[4096], &[64], &[]));
    assert!(seen.iter().all(|line| !line.ends_with('!')), "{seen:?}");
    assert!(
        seen.contains(&"4 read 8.0/4.0 proved".to_string()),
        "{seen:?}"
    );
    let part = "struct p { float x, y, z, u, v, w; };\n\
                __kernel void k(__global struct p *a, __global float *b) {\n\
                int i = get_global_id(0);\n\
                b[i] = a[i].x;\n\
                }\n";
    let seen = told(part, &launch(&[4096], &[64], &[]));
    assert_eq!(seen[1], "4 read 24.0/4.0 proved !");
}

#[test]
fn lanes_that_wait_are_counted() {
    let text = "__kernel void k(__global float *a) {\n\
                int l = get_local_id(0);\n\
                float s = 0;\n\
                if (l % 32 < 16)\n\
                for (int i = 0; i < 100; i++) s += i * s;\n\
                if (l < 64)\n\
                s *= 2;\n\
                for (int i = 0; i < l % 4; i++) s += i * s;\n\
                a[get_global_id(0)] = s;\n\
                }\n";
    let told = told(text, &launch(&[4096], &[128], &[]));
    assert!(
        told.contains(&"4 branch 1.00 proved !".to_string()),
        "{told:?}"
    );
    // Whole warps go one way.
    assert!(
        told.contains(&"6 branch 0.00 proved".to_string()),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|line| line.starts_with("8 branch 1.00 proved")),
        "{told:?}"
    );
}

#[test]
fn columns_of_a_local_tile_share_banks() {
    let text = "__kernel void k(__global float *a, __global float *b) {\n\
                __local float plain[32][32], padded[32][33];\n\
                int x = get_local_id(0), y = get_local_id(1);\n\
                plain[y][x] = padded[y][x] = a[get_global_id(1) * 1024 + get_global_id(0)];\n\
                barrier(CLK_LOCAL_MEM_FENCE);\n\
                b[get_global_id(1) * 1024 + get_global_id(0)] = plain[x][y]\n\
                + padded[x][y];\n\
                }\n";
    let told = told(text, &launch(&[1024, 1024], &[32, 8], &[]));
    assert!(
        told.contains(&"6 local read 32.0/1 proved !".to_string()),
        "{told:?}"
    );
    assert!(
        told.contains(&"7 local read 1.0/1 proved".to_string()),
        "{told:?}"
    );
}

#[test]
fn what_depends_on_data_or_on_an_open_local_size_is_said() {
    let gather = "__kernel void k(__global float *a, __global int *at, __global float *b) {\n\
                  int i = get_global_id(0);\n\
                  b[i] = a[at[i]];\n\
                  if (at[i] > 3)\n\
                  b[i] = 0;\n\
                  }\n";
    let seen = told(gather, &launch(&[4096], &[64], &[]));
    assert!(
        seen.contains(&"3 read 0.0/0.0 depends on data".to_string()),
        "{seen:?}"
    );
    assert!(
        seen.contains(&"4 branch 0.00 depends on data".to_string()),
        "{seen:?}"
    );
    let column = "__kernel void k(__global float *a) {\n\
                  a[get_global_id(0) * 1024 + get_global_id(1)] = 0;\n\
                  }\n";
    let seen = told(column, &launch(&[1024, 1024], &[], &[]));
    assert_eq!(seen.len(), 1);
    assert!(seen[0].ends_with("unknown"), "{seen:?}");
}

#[test]
fn long_loops_count_whole() {
    let text = "__kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                float s = 0;\n\
                for (int j = 0; j < n; j++)\n\
                s += a[j * 4096 + i] * b[j];\n\
                for (int j = 1; j < 64; j *= 2)\n\
                s += b[j];\n\
                a[i] = s;\n\
                }\n";
    let launch = launch(&[4096], &[64], &[(2, 1000)]);
    let (findings, _) = found(text, &launch);
    // 128 warps read 4 sectors of `a` and 1 of `b` in each of 1000 iterations; 6 of `b`; and write 4.
    let sectors = 128.0 * (1000.0 * 5.0 + 6.0 + 4.0);
    let ratio = findings.traffic / (sectors * 32.0);
    assert!((0.999..1.001).contains(&ratio), "{ratio}");
}

#[test]
fn helpers_returns_and_selects_are_followed() {
    let text = "int row(int i, int w) { if (i % 2) return i / w * w; return i / w * w + 1; }\n\
                __kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                if (i >= n) return;\n\
                int at = min(row(i, 32) + (i & 31), n - 1);\n\
                b[i] = i > 5 ? a[at] : a[0];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[(2, 4000)]));
    // Each lane of a warp reads its own position or the next: 32 or 33 floats in a row.
    let read = told
        .iter()
        .find(|line| line.starts_with("6 read 4"))
        .expect("a read");
    assert!(read.contains("proved") && !read.ends_with('!'), "{told:?}");
    // 4000 is no multiple of 64, but of 32: no warp is split there.
    assert!(
        told.contains(&"4 branch 0.00 proved".to_string()),
        "{told:?}"
    );
}

#[test]
fn guards_that_memory_decides_make_lanes_a_guess() {
    let text = "__kernel void k(__global int *d, __global float *a) {\n\
                int i = get_global_id(0);\n\
                if (d[i] > 3)\n\
                a[i * 16] = 1;\n\
                if (d[i] > 7) return;\n\
                a[i * 16 + 1] = 1;\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    for line in [
        "4 write 32.0/4.0 depends on data",
        "6 write 32.0/4.0 depends on data",
    ] {
        assert!(told.contains(&line.to_string()), "{told:?}");
    }
}

#[test]
fn without_a_launch_nothing_is_proved() {
    let text = "__kernel void k(__global float *a) { a[get_global_id(0) * 16] = 1; }\n";
    let mut sources = SourceMap::new();
    let module =
        parse(&Input::new("k.cl", text, Dialect::Cl12), &mut sources).expect("it is valid");
    let kernel = module.kernels().next().expect("a kernel");
    let device = Device::named("warp32").expect("a device");
    let findings = check(
        &module,
        kernel,
        &[],
        &device,
        &Thresholds::default(),
        &Seen::default(),
    );
    assert_eq!(findings.sites.len(), 1);
    assert_eq!(findings.sites[0].verdict.name(), "unknown");
    assert!(!findings.is_counted && !findings.sites[0].is_warning);
}

#[test]
fn lanes_that_memory_sent_apart_meet_again_after_the_function_or_loop() {
    let text = "int last(__global int *d, int at) {\n\
                if (d[at] > 3) return d[at]; else return 1;\n\
                }\n\
                __kernel void k(__global int *d, __global float *a) {\n\
                int i = get_global_id(0);\n\
                int v = last(d, i);\n\
                a[i * 16] = v;\n\
                for (int t = 0; t < 8; t++) {\n\
                if (d[i + t] == 5) break;\n\
                a[i * 16 + 1] = t;\n\
                }\n\
                a[i * 16 + 2] = 1;\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    for line in [
        "7 write 32.0/4.0 proved !",
        "10 write 32.0/4.0 depends on data",
        "12 write 32.0/4.0 proved !",
    ] {
        assert!(told.contains(&line.to_string()), "{told:?}");
    }
}

#[test]
fn arrays_of_a_caller_may_have_higher_numbers_than_a_function_has_variables() {
    let text = "void set(float *p, __global float *a, int i) { p[0] = a[i * 16]; }\n\
                __kernel void k(__global float *a) {\n\
                int i = get_global_id(0); int x; int y; int z; int w; float kept[4];\n\
                set(kept, a, i);\n\
                a[i] = kept[0];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    let line = "1 read 32.0/4.0 proved !".to_string();
    assert!(told.contains(&line), "{told:?}");
}

/// A launch of a run in which the global size and the argument 1 had these values.
fn recorded(sizes: &[u64], strides: &[u64]) -> Launch {
    let mut launch = launch(&[sizes[0]], &[64], &[(1, strides[0])]);
    let all = |values: &[u64]| match values {
        [one] => Value::Const(*one),
        several => Value::OneOf(several.to_vec()),
    };
    launch.global = vec![all(sizes)];
    launch.args[0].value = ArgValue::Scalar(all(strides));
    launch.recorded = Some(RecordedLaunch::default());
    launch
}

#[test]
fn numbers_of_a_run_are_taken_together_only_if_one_is_open() {
    let text = "__kernel void k(__global float *a, int stride) {\n\
                a[get_global_id(0) * stride] = 1;\n\
                }\n";
    let of = |sizes: &[u64], strides: &[u64]| told(text, &recorded(sizes, strides));
    assert_eq!(of(&[4096], &[16]), ["2 write 32.0/4.0 measured !"]);
    assert_eq!(of(&[256, 4096], &[16]), ["2 write 32.0/4.0 measured !"]);
    assert_eq!(of(&[4096], &[1, 16]), ["2 write 32.0/4.0 measured !"]);
    assert_eq!(of(&[256, 4096], &[1, 16]), ["2 write 32.0/4.0 unknown"]);
    // It makes no difference.
    assert_eq!(of(&[256, 4096], &[8, 16]), ["2 write 32.0/4.0 measured !"]);
}

#[test]
fn warps_wait_at_barriers_for_the_last_of_their_group() {
    let kernel = |bound: &str| {
        format!(
            "__kernel void k(__global float *a, __global const int *d, __local float *t) {{\n\
             int l = get_local_id(0);\n\
             float s = 0;\n\
             for (int j = 0; j < {bound}; j++) s += j;\n\
             t[l] = s;\n\
             barrier(CLK_LOCAL_MEM_FENCE);\n\
             a[get_global_id(0)] = t[0];\n\
             }}\n"
        )
    };
    let barrier = |bound: &str, local: u64| {
        let told = told(&kernel(bound), &launch(&[4096], &[local], &[]));
        let found = told.iter().find(|line| line.starts_with("6 barrier"));
        found.cloned().unwrap_or_default()
    };
    assert_eq!(barrier("64", 256), "6 barrier 0.00 proved");
    // Warp w goes on until its last lane is done: 32 (w + 1) - 1 iterations of at most 255; on average 143.
    assert_eq!(barrier("l", 256), "6 barrier 0.44 proved !");
    // A group of one warp waits for nothing.
    assert_eq!(barrier("l", 32), "");
    assert_eq!(barrier("d[l]", 256), "6 barrier 0.00 depends on data");
}

/// The sectors that 1024 work-items of such a kernel move, a warp; whether that is an estimate.
fn sectors(body: &str) -> (f64, bool) {
    let (findings, _) = found(&kernel(body), &launch(&[1024], &[64], &[]));
    (findings.traffic / 32.0 / 32.0, findings.is_rough)
}

/// Lines of a site of such a kernel.
fn at(body: &str, line: &str) -> Vec<String> {
    let told = told(&kernel(body), &launch(&[1024], &[64], &[]));
    let is_meant = |told: &String| told.starts_with(line);
    told.into_iter().filter(is_meant).collect()
}

/// The part of lane-operations that wait at the first branch of this kind.
fn idle(body: &str, kind: BranchKind) -> f64 {
    let (findings, _) = found(&kernel(body), &launch(&[1024], &[64], &[]));
    let is_meant =
        |site: &&Site| matches!(site.what, What::Branch { kind: own, .. } if own == kind);
    let site = findings.sites.iter().find(is_meant);
    site.expect("a branch").share
}

#[test]
fn loops_of_some_tens_of_iterations_are_walked_whole() {
    // A warp's lanes are 4 k bytes apart in iteration k: k < 8 take 4 k sectors (1 for 0), the others 32.
    let all = (1.0 + 4.0 * 28.0 + 12.0 * 32.0) / 20.0;
    let strides = "for (int k = 0; k < 20; k++)\nv += a[i * k];";
    let read = format!("4 read {all:.1}");
    assert!(
        at(strides, "4 read")[0].starts_with(&read),
        "{:?}",
        at(strides, "4 read")
    );
    let late = "for (int k = 0; k < 16; k++) if (k >= 12)\nv += a[i * 32]; else v += a[i];";
    assert_eq!(sectors(late), (4.0 * 32.0 + 12.0 * 4.0 + 4.0, false));
    assert_eq!(at(late, "4 read")[0], "4 read 32.0/4.0 proved !");
    let odd = "for (int k = 0; k < 20; k++)\nif (k < 10 || l % 2) v += a[i];";
    assert!(at(odd, "4 branch").contains(&"4 branch 0.50 proved !".to_string()));
    let inner = "for (int k = 0; k < 18; k++) { if (k < 12) v += a[i + k]; else\nif (l & 1)\n\
                 { for (int j = 0; j < 20; j++) v = v * 0.5f + a[j]; } }";
    assert_eq!(at(inner, "4 branch"), ["4 branch 1.00 proved !"]);
}

#[test]
fn samples_of_long_loops_are_spread_evenly_and_said_to_be_estimates() {
    let late = "for (int k = 0; k < 1000; k++) if (k >= 700)\nv += a[i * 32]; else v += a[i];";
    let (seen, is_rough) = sectors(late);
    let ratio = seen / (300.0 * 32.0 + 700.0 * 4.0 + 4.0);
    assert!(
        (0.97..1.03).contains(&ratio) && is_rough,
        "{ratio} {is_rough}"
    );
    // Each access of it is the same wherever it happens.
    assert_eq!(at(late, "4 read")[0], "4 read 32.0/4.0 proved !");
    let strides = "for (int k = 0; k < 300; k++)\nv += a[i * (k / 50)];";
    assert!(
        at(strides, "4 read")[0].contains("estimated"),
        "{:?}",
        at(strides, "4 read")
    );
    // What is the same in each iteration is exact.
    let alike = "for (int k = 0; k < 1000; k++) v += a[i + k * 1024];";
    assert_eq!(sectors(alike), (4004.0, false));
}

/// What a loop multiplies up is not followed without end.
#[test]
fn products_in_loops_end() {
    for body in [
        "float p = 1; for (int i = 0; i < n; i++) p *= a[i]; a[0] = p;",
        "float p = 1; for (int i = 0; i < n; i++) p = p * a[i] + a[n - i]; a[0] = p;",
        "int p = 1; for (int i = 0; i < n; i++) p *= b[i]; a[0] = p;",
        "int p = m; for (int i = 0; i < n; i++) p = p * b[i] + p; a[p] = 1;",
        "int p = m; for (int i = 0; i < n; i++) p *= p; a[p] = 1;",
        "int p = m; for (int i = 0; i < n; i++) p *= m + 1; a[p] = 1;",
        "int p = 1; for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) p *= b[k] + m; a[p] = 1;",
    ] {
        let text = format!(
            "__kernel void k(__global float *a, __global const int *b, int n, int m) {{\n{body}\n}}\n"
        );
        let (findings, _) = found(&text, &launch(&[1], &[1], &[(2, 100)]));
        assert!(!findings.sites.is_empty());
    }
}

#[test]
fn what_differs_between_groups_that_stand_for_others_is_an_estimate() {
    let large = launch(&[1 << 22], &[64], &[]);
    let verdicts = |stride: &str| {
        let text = format!(
            "__kernel void k(__global float *a, __global float *b) {{\n\
             int i = get_global_id(0), g = get_group_id(0);\n\
             b[i] =\na[(size_t)i * ({stride})];\n}}\n"
        );
        told(&text, &large)
    };
    let is_estimate = |sites: &[String]| sites.iter().any(|site| site.contains("estimated"));
    let by_group = verdicts("g / 4000 + 1");
    assert!(is_estimate(&by_group), "{by_group:?}");
    // The first and the last group stand for none but themselves.
    for alike in ["8", "g == 0 ? 1 : 8", "g == get_num_groups(0) - 1 ? 1 : 8"] {
        assert!(!is_estimate(&verdicts(alike)), "{:?}", verdicts(alike));
    }
}

/// Rows of 128 elements, groups of 176: some warps that are no samples lie in two rows, of which one is guarded.
#[test]
fn a_guard_that_some_warps_pass_and_others_do_not_may_divide_one_between_them() {
    let rows = launch(&[1 << 20], &[176], &[]);
    let body = |guard: &str| {
        format!(
            "__kernel void k(__global float *a) {{\nint i = get_global_id(0);\nif ({guard})\n\
             a[i] += 1.0f;\n}}\n"
        )
    };
    let verdict = |guard: &str| {
        let sites = told(&body(guard), &rows);
        let branch = sites.into_iter().find(|site| site.contains("branch"));
        branch
            .expect("a branch")
            .rsplit(' ')
            .next()
            .map(str::to_string)
    };
    assert_eq!(verdict("i / 128 < 4000").as_deref(), Some("estimated"));
    assert_eq!(verdict("i / 128 >= 0").as_deref(), Some("proved"));
}

#[test]
fn loops_go_on_as_long_as_their_conditions_are_known() {
    for text in [
        "for (int k = 8; k > 0; k--) v += a[i + k * 1024];",
        "for (int k = 8; k; k--) v += a[i + k * 1024];",
        "int k = 8; while (k--) v += a[i + k * 1024];",
        "int k = 8; do v += a[i + k * 1024]; while (--k);",
        "for (int s = 128; s; s >>= 1) v += a[i + s * 1024];",
        "for (int k = 0; k != 8; k++) v += a[i + k * 1024];",
        "for (int k = 0; ; k++) { if (k == 8) break; v += a[i + k * 1024]; }",
        "int k = 0; for (;;) { v += a[i + k * 1024]; if (++k == 8) break; }",
        "int k = 0; do { v += a[i + k * 1024]; } while (min(++k, 8) < 8);",
    ] {
        assert_eq!(sectors(text), (8.0 * 4.0 + 4.0, false), "{text}");
    }
    for text in [
        "int k = 1000; while (k--) v += a[i + k * 1024];",
        "int k = 1000; while (k-- > 0) v += a[i + k * 1024];",
        "int k = 1000; do v += a[i + k * 1024]; while (--k);",
        "for (int k = 1000; k; k--) v += a[i + k * 1024];",
        "for (int k = 0; ; k++) { if (k == 1000) break; v += a[i + k * 1024]; }",
    ] {
        assert_eq!(sectors(text), (4004.0, false), "{text}");
    }
    // What the counter holds after it.
    let after = "int k = l + 200; while (k--) v += a[i]; v += a[i * 32 + k];";
    assert_eq!(at(after, "3 read 32")[0], "3 read 32.0/4.0 proved");
    // Nobody knows when it ends.
    let open = "for (int k = 0; ; k++) { if (a[k] == 3) break; v += a[i + k * 1024]; }";
    assert!(sectors(open).1);
}

#[test]
fn lanes_that_left_a_loop_wait_for_its_condition_too() {
    let short = idle(
        "for (int k = 0; k < (l & 1 ? 100 : 1); k++) v += k;",
        BranchKind::Loop,
    );
    assert!((0.47..0.5).contains(&short), "{short}");
    let long = idle(
        "for (int k = 0; k < (l & 1 ? 1000 : 1); k++) v += k;",
        BranchKind::Loop,
    );
    assert!((0.49..0.5).contains(&long), "{long}");
}

#[test]
fn cases_of_a_switch_wait_for_each_other() {
    let long = "for (int k = 0; k < 50; k++) v = v * 2 + k;";
    let text = format!(
        "switch (i & 3) {{ case 0: {long} break; case 1: {long} break; default: v += 1; }}"
    );
    let share = idle(&text, BranchKind::Switch);
    assert!((0.7..0.75).contains(&share), "{share}");
    // Without a default, lanes of no case wait as well; those that fall through do not.
    let text = format!("switch (i & 1) {{ case 1: {long} }}");
    let share = idle(&text, BranchKind::Switch);
    assert!((0.45..0.5).contains(&share), "{share}");
    let text = format!("switch (i & 1) {{ case 0: v += 1; case 1: {long} }}");
    let share = idle(&text, BranchKind::Switch);
    assert!(share < 0.05, "{share}");
    assert_eq!(
        idle(
            "switch (l / 32) { case 0: v += 1; break; case 1: v += 2; }",
            BranchKind::Switch
        ),
        0.0
    );
}

#[test]
fn lanes_that_leave_early_wait_for_the_others() {
    let long = "for (int k = 0; k < 100; k++) v = v * 2 + k;";
    for (text, share) in [
        (format!("if (l & 1) return; {long}"), 0.5),
        (
            format!("if (l & 3) {{ if (l & 1) return; v += 1; }} {long}"),
            0.5,
        ),
        (
            format!("for (int j = 0; j < 8; j++) {{ if (l & 1) continue; {long} }}"),
            0.5,
        ),
        (
            format!("for (int j = 0; j < 8; j++) {{ if (l % 4) continue; {long} }}"),
            0.75,
        ),
        // Written as a branch, it is the same.
        (format!("if (!(l & 1)) {{ {long} }}"), 0.5),
        (
            format!("if (l & 1) {{ v += 1; return; }} else {{ {long} }} {long}"),
            0.5,
        ),
    ] {
        let told = told(&kernel(&text), &launch(&[1024], &[64], &[]));
        let (findings, _) = found(&kernel(&text), &launch(&[1024], &[64], &[]));
        let branches = findings
            .sites
            .iter()
            .filter(|site| matches!(site.what, What::Branch { .. }));
        let all: f64 = branches.map(|site| site.share).sum();
        assert!(
            (share - 0.05..share).contains(&all),
            "{text}: {all} {told:?}"
        );
    }
    // Lanes that leave a loop wait there, not at the condition that sends them away.
    let text = format!("for (int j = 0; j < 8; j++) {{ if (j == (l & 1)) break; {long} }}");
    assert_eq!(idle(&text, BranchKind::If), 0.0);
    // No lane ends both before the loop and in it.
    let helper = "int f(int l) { if (l & 1) return 1; int s = 0; for (int k = 0; k < 50; k++) s += k * s; return s; }\n\
                  __kernel void k(__global int *o) {\n\
                  o[get_global_id(0)] = f(get_local_id(0));\n\
                  }\n";
    let told = told(helper, &launch(&[1024], &[64], &[]));
    assert!(told[0].ends_with("1 branch 1.00 proved !"), "{told:?}");
}

#[test]
fn guards_of_the_last_group_are_no_warning() {
    for guard in ["if (i >= n) return; a[i] = i;", "if (i < n) { a[i] = i; }"] {
        let text = format!(
            "__kernel void k(__global int *a, int n) {{\n\
             int i = get_global_id(0);\n\
             {guard}\n\
             }}\n"
        );
        let told = told(&text, &launch(&[128], &[64], &[(1, 100)]));
        assert_eq!(told[0], "3 branch 0.25 proved");
    }
}

#[test]
fn wide_elements_take_several_turns_anyway() {
    let text = "__kernel void k(__global float *a, __global float *o) {\n\
                __local double t[512]; __local float4 u[64]; int l = get_local_id(0);\n\
                t[l * 2] = a[l];\n\
                u[l] = a[l];\n\
                barrier(CLK_LOCAL_MEM_FENCE);\n\
                o[l] = t[l]\n\
                + t[(l * 16) & 511];\n\
                }\n";
    let told = told(text, &launch(&[256], &[64], &[]));
    for line in [
        "3 local write 4.0/2 proved !",
        "4 local write 4.0/4 proved",
        "6 local read 2.0/2 proved",
        "7 local read 32.0/2 proved !",
    ] {
        assert!(told.contains(&line.to_string()), "{told:?}");
    }
}

#[test]
fn fields_of_structures_bring_their_sectors_once() {
    let text = "struct p { float x, y, z; };\n\
                __kernel void k(__global const struct p *a, __global float *o) {\n\
                int i = get_global_id(0);\n\
                o[i] = a[i].x + a[i].y + a[i].z;\n\
                }\n";
    let (findings, _) = found(text, &launch(&[1024], &[64], &[]));
    // 12 sectors of structures a warp, and 4 that it writes.
    assert_eq!(
        (findings.traffic, findings.wasted),
        (32.0 * 16.0 * 32.0, 0.0)
    );
    let part = text.replace(" + a[i].z", "");
    let (findings, _) = found(&part, &launch(&[1024], &[64], &[]));
    assert_eq!(
        (findings.traffic, findings.wasted),
        (32.0 * 16.0 * 32.0, 32.0 * 4.0 * 32.0)
    );
    // One that is read more often than the other.
    let often = text.replace(
        "+ a[i].y + a[i].z",
        "; for (int k = 0; k < 7; k++) o[i] += a[i].y",
    );
    let (findings, _) = found(&often, &launch(&[1024], &[64], &[]));
    let sectors = 12.0 * 7.0 + 4.0 + 2.0 * 4.0 * 7.0;
    assert_eq!(findings.traffic, 32.0 * sectors * 32.0);
}

#[test]
fn banks_serve_as_many_lanes_as_they_are() {
    let text = "__kernel void k(__global float *a) {\n\
                __local float t[256];\n\
                int l = get_local_id(0);\n\
                t[l] = a[get_global_id(0)];\n\
                barrier(CLK_LOCAL_MEM_FENCE);\n\
                a[get_global_id(0)] = t[l * 2 & 255];\n\
                }\n";
    let told = told_on("wave64", text, &launch(&[4096], &[64], &[]));
    assert!(
        told.contains(&"4 local write 2.0/2 proved".to_string()),
        "{told:?}"
    );
    let is_here = |line: &&String| line.starts_with("6 local read 4.0/2");
    assert!(told.iter().any(|line| is_here(&line)), "{told:?}");
}

#[test]
fn fields_share_sectors_where_a_lane_skips_an_iteration() {
    let kernel = |skip: &str| {
        format!(
            "struct p {{ float x, y, z, w; }};\n\
             __kernel void k(__global const struct p *d, __global float *o, int n) {{\n\
             int b = get_global_id(0);\n\
             float s = 0;\n\
             for (int i = 0; i < n; i++) {{ {skip}\n\
             s += d[b].x * d[b].y * d[b].z; }}\n\
             o[b] = s;\n\
             }}\n"
        )
    };
    let launch = launch(&[256], &[64], &[(2, 256)]);
    let all = found(&kernel(""), &launch).0.traffic;
    let skipping = found(&kernel("if (i == b) continue;"), &launch).0.traffic;
    assert!(skipping <= 1.05 * all, "{skipping} {all}");
}

#[test]
fn a_local_size_that_only_the_host_knows_proves_nothing() {
    let text = "__kernel void k(__global float *a) {\n\
                __local float t[1024];\n\
                int l = get_local_id(0);\n\
                t[l] = a[get_global_id(0)];\n\
                barrier(CLK_LOCAL_MEM_FENCE);\n\
                a[get_global_id(0)] = t[l * 2 % get_local_size(0)];\n\
                if (l < 128)\n\
                a[get_global_id(0)] += t[l];\n\
                }\n";
    let mut open = launch(&[4096], &[64], &[]);
    open.local = LocalSize::Sizes(vec![Value::Unknown("the device says".to_string())]);
    let told = told(text, &open);
    let of_line = |line: &str| told.iter().find(|text| text.starts_with(line));
    let name = |line: &str| of_line(line).is_some_and(|text| text.contains("unknown"));
    assert!(name("6 local read"), "{told:?}");
    assert!(!told.iter().any(|text| text.ends_with('!')), "{told:?}");
}

#[test]
fn what_depends_on_data_is_no_waste() {
    let text = "__kernel void k(__global const int *p, __global const float *x, __global float *o) {\n\
                int i = get_global_id(0);\n\
                o[i] = x[p[i]];\n\
                }\n";
    let (findings, _) = found(text, &launch(&[4096], &[64], &[]));
    assert_eq!(findings.wasted, 0.0);
    assert!(
        findings.traffic > 4096.0 * 32.0,
        "each lane may need a sector"
    );
}

/// With any local size a work-group waits at this barrier for nobody, and those of one warp have none to wait at.
#[test]
fn what_no_local_size_changes_is_known_without_one() {
    let text = "__kernel void k(__global float *a, __local float *t) {\n\
                int i = get_global_id(0), l = get_local_id(0);\n\
                t[l] = a[i];\n\
                barrier(CLK_LOCAL_MEM_FENCE);\n\
                a[i] = t[l] * 2;\n\
                }\n";
    let (findings, _) = found(text, &launch(&[4096], &[], &[]));
    for site in &findings.sites {
        assert!(site.verdict.is_sure(), "{site:?}");
    }
}

/// Lanes lie in one row of 64, or in two of 16: which, the local size says.
#[test]
fn sizes_that_decide_are_told_apart() {
    let text = "__kernel void k(__global float *a, __global float *o, int n) {\n\
                int x = get_global_id(0), y = get_global_id(1);\n\
                o[y * 1024 + x] = a[x * 1024 + y];\n\
                }\n";
    let (findings, _) = found(text, &launch(&[1024, 1024], &[], &[]));
    let [store, load] = &findings.sites[..] else {
        panic!("{findings:?}");
    };
    let sizes = store.by_size.as_ref().expect("it depends on the size");
    assert_eq!(sizes.warned, [[1, 64, 1]]);
    assert_eq!(sizes.fine, [[16, 16, 1], [64, 1, 1], [8, 8, 1]]);
    let sizes = load.by_size.as_ref().expect("it depends on the size");
    assert_eq!(sizes.fine, [[8, 8, 1], [1, 64, 1]]);
    assert!(!store.is_warning && !load.is_warning);
    // However long a row of lanes is, it is one element of each row of the array.
    let rows = text.replace("x * 1024 + y", "(y * 1024 + x) * 64");
    let (findings, _) = found(&rows, &launch(&[1024, 1024], &[], &[]));
    let load = findings
        .sites
        .iter()
        .find(|site| matches!(site.what, What::Global { write: false, .. }));
    let load = load.expect("a load");
    assert!(load.is_warning && load.by_size.is_none(), "{load:?}");
}
