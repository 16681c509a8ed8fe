//! The harness that compares kernels distinguishes good from bad.

use std::collections::BTreeSet;

use fpgacc_runtime::manifest::{Hidden, NullLocal, Task};
use fpgacc_tests::compare::{self, Bound, Difference};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::run::{Platform, RunError, run};

const SCALE: &str = "
__kernel void scale(__global const float *a, __global float *b, float c) {
    int i = get_global_id(0);
    b[i] = a[i] * c;
}";

/// [`SCALE`] as a single work-item.
const SCALE_TASK: &str = "
__kernel void scale(__global const float *a, __global float *b, float c, int n) {
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * c;
    }
}";

fn scale() -> Job {
    let mut job = Job::new(SCALE);
    let a = job.buffer(96 * 4, Fill::floats(1, -1.0, 1.0));
    let b = job.buffer(96 * 4, Fill::Zero);
    job.launch(
        "scale",
        Geometry::range(&[96], &[8]),
        [a, b, Arg::float(1.5)],
    );
    job
}

fn global_size_hidden() -> Task {
    Task {
        hidden: vec![Hidden::Global(0)],
        max_group_size: None,
        null_local: NullLocal::Whole,
    }
}

fn barriers(kernel: &str, arg: Option<i32>) -> Job {
    let mut job = Job::new(include_str!("../cases/barriers.cl"));
    let out = job.buffer(64, Fill::Zero);
    let args = std::iter::once(out).chain(arg.map(Arg::int));
    job.launch(kernel, Geometry::range(&[16], &[8]), args);
    job
}

fn expected(kernel: &str) -> Vec<u8> {
    let lines = include_str!("../cases/barriers.expected").lines();
    let line = lines
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| *name == kernel)
        .expect("every kernel has a line");
    let values = line.1.split_whitespace();
    values
        .flat_map(|value| value.parse::<i32>().expect("an integer").to_ne_bytes())
        .collect()
}

#[test]
fn barrier_kernels_give_the_right_answers() {
    for (kernel, arg) in [("k1", None), ("k3", Some(3)), ("k4", Some(1)), ("k5", None)] {
        let job = barriers(kernel, arg);
        for platform in [Platform::Intel, Platform::Pocl, Platform::Oclgrind] {
            let output = run(&job, platform).unwrap_or_else(|e| panic!("{kernel}: {e}"));
            assert_eq!(
                output.buffers[0],
                expected(kernel),
                "{kernel} on {platform:?}"
            );
        }
    }
    // PoCL hangs on this one.
    let output = run(&barriers("k2", None), Platform::Intel).expect("it runs");
    assert_eq!(output.buffers[0], expected("k2"));
}

#[test]
fn a_task_with_hidden_arguments_equals_its_range() {
    let original = scale();
    let rewritten = original
        .as_task("scale", &global_size_hidden(), &BTreeSet::new())
        .expect("the launch fits")
        .with_source(SCALE_TASK);
    compare::certify(&original).expect("it has no race");
    compare::same(&original, &rewritten, &Platform::EMULATORS, &Bound::Exact)
        .unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn a_wrong_rewrite_is_found() {
    let original = scale();
    let wrong = SCALE_TASK.replace("i < n", "i < n - 1");
    let rewritten = original
        .as_task("scale", &global_size_hidden(), &BTreeSet::new())
        .expect("the launch fits")
        .with_source(wrong);
    let found = compare::same(&original, &rewritten, &[Platform::Pocl], &Bound::Exact);
    let message = found.expect_err("the last element is missing").to_string();
    assert!(message.contains("buffer 1, byte 380"), "{message}");
}

#[test]
fn a_write_beyond_a_buffer_is_found() {
    let original = scale();
    let wrong = SCALE_TASK.replace("i < n", "i < n + 1");
    let rewritten = original
        .as_task("scale", &global_size_hidden(), &BTreeSet::new())
        .expect("the launch fits")
        .with_source(wrong);
    for platform in Platform::EMULATORS {
        let found = run(&rewritten, platform).expect_err("it writes one too many");
        assert!(
            found.to_string().contains("beyond the end of buffer 1"),
            "{found}"
        );
    }
}

#[test]
fn a_race_is_found() {
    let text = "__kernel void race(__global int *a) {
        int i = get_global_id(0);
        a[i] = a[(i + 1) % get_global_size(0)] + 1;
    }";
    let mut job = Job::new(text);
    let a = job.buffer(64, Fill::Iota);
    job.launch("race", Geometry::range(&[16], &[16]), [a]);
    let found = compare::certify(&job).expect_err("neighbours race");
    let Difference::Complaints(text) = found else {
        panic!("{found}");
    };
    assert!(text.contains("data race"), "{text}");
}

#[test]
fn errors_of_the_compiler_are_reported() {
    let mut job = Job::new("__kernel void k(__global int *a) { a[0] = undeclared; }");
    let a = job.buffer(4, Fill::Zero);
    job.launch("k", Geometry::Task, [a]);
    for platform in Platform::EMULATORS {
        let Err(RunError::Failed { message, .. }) = run(&job, platform) else {
            panic!("it built on {platform:?}");
        };
        assert!(message.contains("undeclared"), "{message}");
    }
}

#[test]
fn one_buffer_may_be_passed_twice_and_launched_over_again() {
    let mut job = scale();
    let Arg::Buffer(_) = job.launches[0].args[0] else {
        panic!("the first argument is a buffer");
    };
    job.launches[0].args[1] = job.launches[0].args[0].clone();
    let again = job.launches[0].clone();
    job.launches.push(again);
    let output = run(&job, Platform::Pocl).expect("it runs");
    let before = job.buffers[0].contents();
    let value = |bytes: &[u8]| f32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    assert_eq!(value(&output.buffers[0]), value(&before) * 1.5 * 1.5);
    assert_eq!(output.buffers[1], vec![0; 96 * 4]);
}
