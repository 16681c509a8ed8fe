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
