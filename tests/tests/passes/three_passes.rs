//! The thesis's three rewrites together: NDRange kernels become loops, their parameters restrict,
//! their reductions shift registers, and what they compute stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_runtime::guard::Guard;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::run::Platform;

use super::reduced::{reduced, small_integers};

const KERNELS: &str = include_str!("three_passes.cl");

fn floats(seed: u32, count: usize) -> (usize, Fill) {
    let values: Vec<f32> = small_integers(seed).take(count).map(|v| v as f32).collect();
    (count * 4, Fill::of_floats(&values))
}

fn job() -> Job {
    let mut job = Job::new(KERNELS);
    let mut buffer = |seed, count| {
        let (bytes, fill) = floats(seed, count);
        job.buffer(bytes, fill)
    };
    let (a, b) = (buffer(1, 1024), buffer(2, 1024));
    let (y, c, sums) = (buffer(3, 32), buffer(4, 256), buffer(5, 8));
    let member = buffer(6, 32);
    let ints = |values: &[i32]| values.iter().map(|v| Arg::int(*v)).collect::<Vec<_>>();
    let three = |x: &Arg, y: &Arg, z: &Arg| vec![x.clone(), y.clone(), z.clone()];
    let range = Geometry::range;
    let args = [three(&a, &b, &y), ints(&[30, 20])].concat();
    job.launch("matvec", range(&[32], &[8]), args);
    let args = [three(&a, &b, &y), ints(&[30, 0])].concat();
    job.launch("matvec", range(&[32], &[8]), args);
    let args = [three(&a, &b, &c), ints(&[16])].concat();
    job.launch("product", range(&[16, 16], &[4, 2]), args);
    let args = [three(&a, &b, &member), ints(&[12, 5])].concat();
    job.launch("nearest", range(&[32], &[16]), args);
    let args = [three(&a, &sums, &Arg::Local(64)), ints(&[1000])].concat();
    job.launch("group_sum", range(&[64], &[16]), args);
    job
}

/// The text of one kernel.
fn kernel<'t>(text: &'t str, name: &str) -> &'t str {
    let from = text
        .find(&format!("void {name}("))
        .expect("the kernel is there");
    let rest = &text[from..];
    &rest[..rest.find("\n}\n").map_or(rest.len(), |end| end + 3)]
}

#[test]
fn together_they_compute_the_same_bytes() {
    let original = job();
    let options = PassOptions::default();
    let made = rewrite(&original, |_| Knowledge::Local, &Rewrites::All, &options);
    let made = made.unwrap_or_else(|error| panic!("{error}"));
    let (rewritten, remarks) = (&made.job, &made.remarks);
    let text = &rewritten.source;
    for launch in &rewritten.launches {
        let name = &launch.kernel;
        assert_eq!(launch.geometry, Geometry::Task, "{name}: {remarks:?}");
        let body = kernel(text, name);
        assert!(body.contains("shift_reg"), "{name}: {remarks:?}");
        assert!(body.contains("restrict"), "{name}: {remarks:?}");
        let distinct = |guard: &Guard| matches!(guard, Guard::Distinct(..));
        assert!(made.contracts[name].guards.iter().any(distinct));
    }
    let result = certify(&original)
        .and_then(|()| certify(rewritten))
        .and_then(|()| same(&original, rewritten, &Platform::EMULATORS, &Bound::Exact));
    if let Err(difference) = result {
        panic!("{difference}\n{text}");
    }
}

#[test]
fn without_loops_over_work_items_there_are_no_registers() {
    assert!(!reduced(&job()).source.contains("shift_reg"));
}
