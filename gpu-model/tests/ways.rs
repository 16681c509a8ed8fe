//! Branches that are no statements: which lanes go which ways there, and who waits.

use crate::common::sites::{kernel, launch, told};

/// Branches of such a kernel on line 3, of 1024 work-items in groups of 64.
fn branches(body: &str) -> Vec<String> {
    let told = told(&kernel(body), &launch(&[1024], &[64], &[]));
    let is_meant = |told: &String| told.starts_with("3 branch");
    told.into_iter().filter(is_meant).collect()
}

#[test]
fn the_left_side_of_and_and_or_is_a_branch_where_the_right_one_accesses_memory() {
    for side in [
        "(l & 1) && a[i] > 0",
        "l % 4 == 0 || (l % 4 == 1 && a[i] > 0)",
    ] {
        let found = branches(&format!("v = {side};"));
        let diverges = |told: &String| told.starts_with("3 branch 1.00 proved");
        assert!(found.iter().any(diverges), "{side}: {found:?}");
    }
    // All lanes of a warp go one way.
    assert_eq!(
        branches("v = l < 32 && a[i] > 0;"),
        ["3 branch 0.00 proved"]
    );
    // Both sides are computed.
    for side in [
        "(l & 1) && i > 5",
        "(l & 1) || sqrt(v) > 1.0f",
        "(l & 1) && sizeof(*a) > 3",
    ] {
        assert!(branches(&format!("v = {side};")).is_empty(), "{side}");
    }
}

#[test]
fn lanes_wait_for_the_right_side_of_and_and_or() {
    let text = "float far(__global float *a, int i) {\n\
                float v = 0; for (int k = 0; k < 100; k++) v = v * 2 + a[i]; return v; }\n\
                __kernel void k(__global float *a, __global float *o) {\n\
                int i = get_global_id(0), l = get_local_id(0);\n\
                o[i] = OPERANDS;\n\
                }\n";
    for operands in ["(l & 1) && far(a, i) > 0", "(l & 1) || far(a, i) > 0"] {
        let told = told(
            &text.replace("OPERANDS", operands),
            &launch(&[1024], &[64], &[]),
        );
        assert!(
            told.contains(&"5 branch 1.00 proved !".to_string()),
            "{told:?}"
        );
    }
}

#[test]
fn which_lanes_evaluate_the_right_side_may_depend_on_memory() {
    let found = told(
        &kernel("v = a[i] > 0 || a[i + 5] > 0;"),
        &launch(&[1024], &[64], &[]),
    );
    assert_eq!(
        found[..3],
        [
            "3 read 4.0/4.0 proved",
            "3 branch 0.00 depends on data",
            "3 read 5.0/4.0 depends on data",
        ]
    );
}
