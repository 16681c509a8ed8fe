//! Random stencils through `window`: whatever it does to them, every byte stays, and nothing is read that
//! does not lie in a buffer.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::{WINDOW, ndrange_to_loop, window};
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::{Fill, Geometry, Job};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::stencils::{Stencil, job, job_in_a_row};
use fpgacc_tests::trial::{Trial, Way, many};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 20;

/// By `window` alone; kernels that are NDRanges, those of even seeds, by every pass of the pipeline.
fn windowed(seed: u64, lanes: u64) -> Way {
    let mut options = PassOptions::default();
    options.of_mut::<window::Options>().lanes = lanes;
    options.of_mut::<ndrange_to_loop::Options>().ungrouped = true;
    let way = match seed.is_multiple_of(2) {
        true => Way::by(Rewrites::All).knowing(Knowledge::All),
        false => Way::alone(WINDOW),
    };
    way.with(options)
}

#[test]
fn random_stencils_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_stencils_compute_the_same_bytes",
        programs: 2,
        kernels: |seed| {
            let items = seed.is_multiple_of(2);
            many(BATCH, seed, |random| Stencil::random(random, items))
        },
        job: |all, _| job(all),
        ways: |seed| vec![windowed(seed, 1), windowed(seed, 4)],
    };
    let one_lane = |seed| windowed(seed, 1);
    trial.fires((1, 3), one_lane, |_, made| {
        made.job.source.contains("_window[")
    });
    trial.compare();
}

/// For so many launches in a row.
fn in_a_row(lanes: u64, steps: u64) -> Way {
    Way::by(Rewrites::InARow(lanes, steps)).knowing(Knowledge::All)
}

#[test]
fn launches_in_a_row_compute_the_same_bytes() {
    let trial = Trial {
        test: "launches_in_a_row_compute_the_same_bytes",
        programs: 2,
        kernels: |seed| many(BATCH / 2, seed, |random| Stencil::random(random, true)),
        job: |all, seed| job_in_a_row(all, &mut Random::new(seed)),
        ways: |_| vec![in_a_row(1, 3), in_a_row(4, 5)],
    };
    let three = |_| in_a_row(1, 3);
    trial.fires((1, 5), three, |one, made| {
        made.job.launches.len() < one.launches.len()
    });
    trial.compare();
}

/// A launch that is for one only does not divide by what it leaves behind: zeros.
#[test]
fn later_launches_are_not_computed() {
    let source = "__kernel void divide(__global const int *a, __global int *b) {\n\
                  \x20   int x = get_global_id(0), y = get_global_id(1);\n\
                  \x20   int c = y * 16 + x;\n\
                  \x20   if (y == 0 || y == 7)\n\
                  \x20       return;\n\
                  \x20   b[c] = a[c - 16] / a[c] / 10 + a[c + 16] % a[c];\n}\n";
    let mut job = Job::new(source);
    let from = job.buffer(16 * 8 * 4, Fill::ints(1, 1, 3));
    let to = job.buffer(16 * 8 * 4, Fill::Zero);
    job.launch("divide", Geometry::range(&[16, 8], &[]), vec![from, to]);
    let rewritten = in_a_row(1, 3).rewritten(&job).job;
    assert!(
        rewritten.source.contains("fpgacc_steps"),
        "{}",
        rewritten.source
    );
    unchanged(&job, &rewritten).unwrap();
}
