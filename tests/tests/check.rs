//! `fpgacc check`: what it warns of, what it advises, and how sure it is.

use fpgacc_tests::command::{Outcome, Workshop};
use serde_json::Value;

/// `rows` walks along rows, `columns` across them.
const KERNELS: &str = "\
__kernel void rows(__global const float *a, __global float *sum, int width) {
    int i = get_global_id(0);
    for (int k = 0; k < width; k++)
        sum[i] += a[i * width + k];
}
__kernel void scale(__global float *a, int width) {
    int row = get_global_id(0), column = get_global_id(1);
    a[row * width + column] *= 2.0f;
}
";

/// Rows over `items`, and a square.
fn host(items: usize) -> String {
    format!(
        r#"
#include <CL/cl.h>
void run(cl_command_queue q, cl_program p, cl_mem a, cl_mem b)
{{
    size_t items = {items}, group = 256, square[2] = {{2048, 2048}}, tile[2] = {{16, 16}};
    int width = 2048;
    cl_kernel rows = clCreateKernel(p, "rows", NULL);
    clSetKernelArg(rows, 0, sizeof a, &a);
    clSetKernelArg(rows, 1, sizeof b, &b);
    clSetKernelArg(rows, 2, sizeof width, &width);
    clEnqueueNDRangeKernel(q, rows, 1, NULL, &items, &group, 0, NULL, NULL);
    cl_kernel scale = clCreateKernel(p, "scale", NULL);
    clSetKernelArg(scale, 0, sizeof a, &a);
    clSetKernelArg(scale, 1, sizeof width, &width);
    clEnqueueNDRangeKernel(q, scale, 2, NULL, square, tile, 0, NULL, NULL);
}}
"#
    )
}

fn check(items: usize, options: &str) -> Outcome {
    let shop = Workshop::new();
    shop.write("host.c", host(items));
    shop.write("k.cl", KERNELS);
    shop.fpgacc(&format!("check -w host.c k.cl {options}"))
        .success()
}

#[test]
fn advice_says_what_it_gains() {
    let text = check(1 << 20, "--device=h200").stdout;
    insta::assert_snapshot!(text);
}

#[test]
fn what_gains_nothing_is_not_advised() {
    let few = check(1 << 14, "--device=h200").stdout;
    let many = check(1 << 20, "--device=h200").stdout;
    let nothing = "other accesses alone would make it";
    assert!(
        few.contains(nothing) && !many.contains(nothing),
        "{few}\n{many}"
    );
    // Without a device whose times are known, only traffic is.
    let unknown = check(1 << 14, "").stdout;
    assert!(!unknown.contains("by the model"), "{unknown}");
}

#[test]
fn all_sites_are_in_the_json() {
    let report: Value =
        serde_json::from_str(&check(1 << 20, "--device=h200 --json").stdout).expect("JSON");
    let kernels = report["kernels"].as_array().expect("kernels");
    assert_eq!(kernels.len(), 2);
    let sites = kernels[0]["sites"].as_array().expect("sites");
    let is_row = |site: &&Value| site["stride_bytes"] == 8192;
    let row = sites.iter().find(is_row).expect("the walk along rows");
    assert_eq!(
        (
            row["sectors_a_warp"].as_f64(),
            row["ideal_sectors"].as_f64()
        ),
        (Some(32.0), Some(4.0))
    );
    assert_eq!(row["verdict"], "proved");
    assert!(row["gain"].as_f64().is_some_and(|gain| gain > 1.1), "{row}");
    let sure = sites.iter().filter(|site| site["warning"] == true).count();
    assert_eq!(sure, 1, "{sites:?}");
}

#[test]
fn thresholds_decide_what_is_worth_a_warning() {
    let warnings = |options: &str| check(1 << 20, options).stdout.matches("warning:").count();
    assert_eq!(warnings(""), 3);
    assert_eq!(warnings("--waste-ratio=9"), 0);
    // The tiles' 16 rows of 64 bytes for 32 lanes.
    assert!(warnings("--waste-ratio=4.5") < 3);
    assert_eq!(warnings("--waste-share=99"), 0);
}

/// Walks along edges of the work-items that memory names.
const GRAPH: &str = "\
__kernel void k(__global const int *at, __global int *level, int now) {
    int i = get_global_id(0);
    if (level[i] == now) {
        for (int j = at[i]; j < at[i + 1]; j++)
            level[j] = now + 1;
    }
}
";

/// A host that launches it, and what a run saw: 9 of 10 warps go different ways, 225 of 320 lanes wait meanwhile.
const GRAPH_HOST: &str = r#"
#include <CL/cl.h>
void run(cl_command_queue q, cl_program p, cl_mem at, cl_mem level)
{
    size_t items = 64;
    int now = 1;
    cl_kernel k = clCreateKernel(p, "k", NULL);
    clSetKernelArg(k, 0, sizeof at, &at);
    clSetKernelArg(k, 1, sizeof level, &level);
    clSetKernelArg(k, 2, sizeof now, &now);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &items, 0, NULL, NULL);
}
"#;
const GRAPH_RUN: &str = "\
version: 1
recording:
  runs: 1
programs:
- site: {file: host.c, line: 3, column: 1}
  sources:
    is:
    - file: k.cl
  options:
  - is: ''
  kernels:
  - is: k
  recorded:
    hash: 9a8421f8febe7a49
    caller: host+0x1
    ways:
    - site: {file: k.cl, line: 3, column: 9}
      kernel: k
      warp: 32
      launches: 5
      warps: 10
      diverged: 9
      rounds: 10
      idle: [225, 63]
    - site: {file: k.cl, line: 4, column: 29}
      kernel: k
      warp: 32
      launches: 5
      warps: 9
      diverged: 0
      rounds: 45
      idle: [0, 0]
";

#[test]
fn lanes_that_a_run_saw_wait_are_a_part_of_what_it_did() {
    let shop = Workshop::new();
    shop.write("host.c", GRAPH_HOST);
    shop.write("k.cl", GRAPH);
    shop.write("seen.yaml", GRAPH_RUN);
    let checked = shop
        .fpgacc("check -w --json --facts seen.yaml host.c k.cl")
        .success();
    let report: Value = serde_json::from_str(&checked.stdout).expect("JSON");
    let sites = report["kernels"][0]["sites"].as_array().expect("sites");
    let is_guard = |site: &&Value| site["line"] == 3 && site["kind"] == "branch";
    let guard = sites.iter().find(is_guard).expect("the branch");
    assert_eq!(guard["verdict"], "measured", "{guard}");
    // 70 % of the lanes wait for almost all that the kernel does, which 92 % of the warps do.
    let share = guard["share"].as_f64().expect("a number");
    assert!((0.6..0.76).contains(&share), "{guard}");
}

/// Divides a warp of a group that is not looked at.
const BORDER: &str = "\
__kernel void k(__global int *level) {
    int i = get_global_id(0);
    if (i < 500016)
        level[i] = i;
}
";

#[test]
fn what_a_run_saw_comes_before_estimates() {
    let shop = Workshop::new();
    shop.write(
        "host.c",
        r#"
#include <CL/cl.h>
void run(cl_command_queue q, cl_program p, cl_mem level)
{
    size_t items = 1 << 20, group = 128;
    cl_kernel k = clCreateKernel(p, "k", NULL);
    clSetKernelArg(k, 0, sizeof level, &level);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &group, 0, NULL, NULL);
}
"#,
    );
    shop.write("k.cl", BORDER);
    let loops = GRAPH_RUN
        .find("    - site: {file: k.cl, line: 4")
        .expect("the loop");
    shop.write("seen.yaml", &GRAPH_RUN[..loops]);
    let branch = |facts: &str| {
        let checked = shop.fpgacc(&format!("check -w --json {facts} host.c k.cl"));
        let report: Value = serde_json::from_str(&checked.success().stdout).expect("JSON");
        let sites = report["kernels"][0]["sites"].as_array().expect("sites");
        let is_guard = |site: &&Value| site["kind"] == "branch";
        let guard = sites.iter().find(is_guard).expect("the branch");
        (guard["verdict"].clone(), guard["diverged_warps"].clone())
    };
    assert_eq!(branch(""), ("estimated".into(), 0.0.into()));
    assert_eq!(branch("--facts seen.yaml"), ("measured".into(), 0.9.into()));
}

/// Ends work-items beyond `n` before their group meets; `sum` lets all come.
const BARRIERS: &str = "\
__kernel void early(__global float *a, __local float *tile, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    if (i >= n)
        return;
    tile[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = tile[get_local_size(0) - 1 - l];
}
__kernel void sum(__global float *a, __local float *tile, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = i < n ? a[i] : 0;
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            tile[l] += tile[l + s];
    }
    if (l == 0)
        a[get_group_id(0)] = tile[0];
}
__kernel void by_data(__global float *a, __local float *tile, int n) {
    if (a[get_global_id(0)] > 0)
        barrier(CLK_LOCAL_MEM_FENCE);
}
";

/// What is said of these kernels, each over 1024 work-items in groups of 64, with an argument.
fn barriers(n: u32, options: &str) -> Outcome {
    let launch = |name: &str| {
        format!(
            "cl_kernel {name} = clCreateKernel(p, \"{name}\", NULL);
    clSetKernelArg({name}, 0, sizeof a, &a);
    clSetKernelArg({name}, 1, 256, NULL);
    clSetKernelArg({name}, 2, sizeof n, &n);
    clEnqueueNDRangeKernel(q, {name}, 1, NULL, &items, &group, 0, NULL, NULL);\n"
        )
    };
    let launches = ["early", "sum", "by_data"].map(launch).concat();
    let shop = Workshop::new();
    shop.write(
        "host.c",
        format!(
            "#include <CL/cl.h>\nvoid run(cl_command_queue q, cl_program p, cl_mem a)\n{{\n\
             size_t items = 1024, group = 64;\nint n = {n};\n{launches}}}\n"
        ),
    );
    shop.write("k.cl", BARRIERS);
    shop.fpgacc(&format!("check -w host.c k.cl {options}"))
        .success()
}

#[test]
fn barriers_that_some_work_items_of_a_group_miss_are_errors() {
    insta::assert_snapshot!(barriers(1000, "").stdout);
    for options in [
        "",
        "--device=de5a-net",
        "--sarif",
        "--sarif --device=de5a-net",
    ] {
        let missing = |n: u32| {
            barriers(n, options)
                .stdout
                .matches("missed-barrier")
                .count()
        };
        assert!(missing(1000) > 0, "{options}");
        // Whole groups return.
        assert_eq!(missing(1024) + missing(960), 0, "{options}");
    }
}

#[test]
fn barriers_that_data_may_keep_work_items_from_are_in_the_json() {
    let verdicts = |options: &str| -> Vec<Value> {
        let report = barriers(1024, &format!("--json {options}")).stdout;
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let kernels = report["kernels"].as_array().expect("kernels").iter();
        let sites = kernels.flat_map(|kernel| kernel["sites"].as_array().expect("sites"));
        let missed = sites.filter(|site| site["kind"] == "missed_barrier");
        missed.map(|site| site["verdict"].clone()).collect()
    };
    assert_eq!(verdicts(""), ["depends on data"]);
    assert_eq!(verdicts("--device=de5a-net"), ["depends on data"]);
}

/// Rows of a tile that lie in one bank of local memory, read in several lines.
const TRANSPOSE: &str = "\
__kernel void transpose(__global const float *a, __global float *b) {
    __local float tile[32][32];
    int x = get_local_id(0), y = get_group_id(0) * 32;
    for (int i = 0; i < 32; i++)
        tile[i][x] = a[(y + i) * 32 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[y * 32 + x] = tile[x][0];
    b[(y + 1) * 32 + x] = tile[x][1];
    b[(y + 2) * 32 + x] = tile[x][2];
    b[(y + 4) * 32 + x] = 2.0f *
                          tile[x][4];
}
";

#[test]
fn warnings_that_say_the_same_are_one() {
    let shop = Workshop::new();
    shop.write("k.cl", TRANSPOSE);
    shop.write(
        "host.c",
        "#include <CL/cl.h>\nvoid run(cl_command_queue q, cl_program p)\n{\n\
         size_t items = 1024, group = 32;\n\
         cl_kernel k = clCreateKernel(p, \"transpose\", NULL);\n\
         clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &group, 0, NULL, NULL);\n}\n",
    );
    let check = |layout: &str| {
        let command = format!("check -w host.c k.cl {layout}");
        shop.fpgacc(&command).success().stdout
    };
    let text = check("");
    assert_eq!(text.matches("[-Wbank-conflicts]").count(), 1, "{text}");
    let others = "the same at 3 more places, in lines 8, 9, 11";
    assert!(text.contains(others), "{text}");
    // Tools get each place.
    let sarif = check("--sarif");
    assert_eq!(
        sarif.matches("\"ruleId\": \"bank-conflicts\"").count(),
        4,
        "{sarif}"
    );
}
