//! Barriers to which not all work-items of a group come.

use crate::common::sites::{launch, told};
use fpgacc_launch_facts::Launch;

/// What is said of who comes to the barriers of a kernel whose work-item `g`, number `l` of its group, does this.
fn missed(body: &str, launch: &Launch) -> Vec<String> {
    let text = format!(
        "void meet() {{ barrier(CLK_LOCAL_MEM_FENCE); }}\n\
         __kernel void k(__global int *a, __local int *t, int n) {{\n\
         int g = get_global_id(0), l = get_local_id(0), v = 0;\n\
         {body}\n\
         a[g] = v;\n\
         }}\n"
    );
    let told = told(&text, launch);
    let is_meant = |told: &String| told.contains(" missed ");
    told.into_iter().filter(is_meant).collect()
}

const BARRIER: &str = "barrier(CLK_LOCAL_MEM_FENCE);";

/// 1000 work-items in groups of 100, with an argument.
fn known(n: u64) -> Launch {
    launch(&[1000], &[100], &[(2, n)])
}

#[test]
fn barriers_in_branches_and_loops_that_some_skip_are_errors() {
    for (body, missed_part) in [
        (format!("if (l < 50) {BARRIER}"), "1.00"),
        // Whole warps skip it.
        (format!("if (l < 64) {BARRIER}"), "1.00"),
        (format!("if (l < 64) {{ v = 1; }} else {BARRIER}"), "1.00"),
        (format!("if (l == 0) return; {BARRIER}"), "1.00"),
        (format!("if (g >= n) return; {BARRIER}"), "0.10"),
        (
            format!("for (int k = 0; k < 8; k++) {{ if (k > l) break; {BARRIER} }}"),
            "0.88",
        ),
        (
            format!("for (int k = 0; k < 8; k++) {{ if (k + l < 4) continue; {BARRIER} }}"),
            "0.50",
        ),
        (format!("switch (l & 1) {{ case 0: {BARRIER} }}"), "1.00"),
    ] {
        let found = missed(&body, &known(950));
        assert_eq!(
            found,
            [format!("4 missed {missed_part} proved !")],
            "{body}"
        );
    }
    // Warps are looked at in some iterations.
    let long = missed(
        &format!("for (int k = 0; k < l; k++) {BARRIER}"),
        &known(950),
    );
    assert_eq!(long, ["4 missed 1.00 estimated !"]);
    let called = missed("if (l < 50) meet();", &known(950));
    assert_eq!(called, ["1 missed 1.00 proved !"]);
}

#[test]
fn what_all_work_items_of_a_group_do_is_no_error() {
    for body in [
        BARRIER.to_string(),
        // By the launch.
        format!("if (g < n) {BARRIER}"),
        format!("if (g >= n) return; {BARRIER}"),
        format!("if (l < 100) {BARRIER}"),
        // One way for a group.
        format!("if (get_group_id(0) == 3) {BARRIER}"),
        format!("if (get_group_id(0) == 3) return; {BARRIER}"),
        format!("for (int k = 0; k < n; k++) {{ v += t[k % 7]; {BARRIER} }}"),
        format!(
            "for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {{ if (l < s) v += s; {BARRIER} }}"
        ),
        format!("while (a[get_group_id(0)] > 0) {BARRIER}"),
        format!("t[l] = l; {BARRIER} if (t[0] > 3) {BARRIER}"),
        format!("for (int k = 0; k < 10; k++) {{ if (l & 1) continue; v += k; }} {BARRIER}"),
        "meet();".to_string(),
    ] {
        let found = missed(&body, &known(1000));
        assert!(found.is_empty(), "{body}: {found:?}");
    }
    // What the launch leaves open may be the same for all nevertheless.
    let open = launch(&[1000], &[100], &[]);
    let body = format!("for (int k = 0; k < n; k++) {BARRIER} if (n > 5) {BARRIER}");
    assert!(missed(&body, &open).is_empty());
}

#[test]
fn what_nobody_knows_is_said_and_no_warning() {
    for body in [
        format!("if (a[l] > 0) {BARRIER}"),
        format!("if (a[l / 32] > 0) {BARRIER}"),
        format!("if (a[g] > 0) return; {BARRIER}"),
        format!("for (int k = 0; k < a[g]; k++) {BARRIER}"),
        format!("switch (a[g]) {{ case 0: {BARRIER} }}"),
        format!("while (1) {{ if (a[g] > v++) break; {BARRIER} }}"),
    ] {
        let found = missed(&body, &known(1000));
        let is_open =
            |told: &String| told.starts_with("4 missed") && told.ends_with(" depends on data");
        assert!(
            found.len() == 1 && found.iter().all(is_open),
            "{body}: {found:?}"
        );
    }
    let open = launch(&[1000], &[100], &[]);
    for body in [
        format!("if (g < n) {BARRIER}"),
        format!("if (g >= n) return; {BARRIER}"),
    ] {
        assert_eq!(missed(&body, &open), ["4 missed 0.00 unknown"], "{body}");
    }
}

#[test]
fn warps_of_long_loops_come_there_as_often() {
    for body in [
        format!(
            "for (int k = 0; k < 5000; k++) {{ if (k % 7 == 3) {BARRIER} v += a[k * 16 + l]; }}"
        ),
        format!(
            "for (int k = 0; k < 5000; k++) {{ if (k >= 3000) break; {BARRIER} v += a[k * 16 + l]; }}"
        ),
        format!("for (int k = l; k < 5000 + l; k++) {{ {BARRIER} v += a[k * 16 + l]; }}"),
    ] {
        let found = missed(&body, &launch(&[65536], &[256], &[]));
        assert!(found.is_empty(), "{body}: {found:?}");
    }
    let body =
        format!("for (int k = 0; k < 1000 + l / 64; k++) {{ {BARRIER} v += a[k * 16 + l]; }}");
    let found = missed(&body, &launch(&[65536], &[256], &[]));
    assert_eq!(found, ["4 missed 0.00 estimated !"]);
}
