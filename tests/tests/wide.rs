//! Lanes, compute units and unrolled loops leave results as they are: kernels that stay NDRanges run on
//! the emulators as they are and made wider.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};

const KERNELS: &str = include_str!("inputs/wide.cl");

fn job() -> Job {
    let mut job = Job::new(KERNELS);
    let input = job.buffer(128 * 4, Fill::ints(7, -50, 50));
    for (trips, kernel) in [(0, "tile"), (7, "tile"), (16, "tile")] {
        let out = job.buffer(128 * 4, Fill::Zero);
        let args = [input.clone(), out, Arg::Local(16 * 4), Arg::int(trips)];
        job.launch(kernel, Geometry::range(&[128], &[16]), args);
    }
    for kernel in ["count", "apart"] {
        let out = job.buffer(128 * 4, Fill::Zero);
        let args = [input.clone(), out];
        job.launch(kernel, Geometry::range(&[128], &[16]), args);
    }
    job
}

#[test]
fn wide_kernels_compute_the_same_bytes() {
    let original = job();
    let options = PassOptions::default();
    let rewritten = rewrite(&original, |_| Knowledge::Local, &Rewrites::Wide, &options).unwrap();
    let text = &rewritten.job.source;
    for attribute in [
        "reqd_work_group_size(16, 1, 1)",
        "num_simd_work_items(2)",
        "num_compute_units(3)",
        "#pragma unroll 3",
    ] {
        assert!(text.contains(attribute), "{attribute}\n{text}");
    }
    // Work-items of `apart` diverge.
    assert_eq!(text.matches("num_simd_work_items").count(), 2, "{text}");
    assert_eq!(text.matches("num_compute_units").count(), 3, "{text}");
    unchanged(&original, &rewritten.job).unwrap();
}
