//! Random stencils through `window`: whatever it does to them, every byte stays, and nothing is read that
//! does not lie in a buffer.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::{WINDOW, ndrange_to_loop, window};
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::{Fill, Geometry, Job};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};
use fpgacc_tests::stencils::{Stencil, job, job_in_a_row};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 20;

/// Rewritten by `window` alone; kernels that are NDRanges by every pass of the pipeline.
fn windowed(job: &Job, lanes: u64, items: bool) -> Job {
    let mut options = PassOptions::default();
    options.of_mut::<window::Options>().lanes = lanes;
    options.of_mut::<ndrange_to_loop::Options>().ungrouped = true;
    let alone = Rewrites::Only(WINDOW.to_string());
    let made = match items {
        true => rewrite(job, |_| Knowledge::All, &Rewrites::All, &options),
        false => rewrite(job, |_| Knowledge::Nothing, &alone, &options),
    };
    made.unwrap_or_else(|error| panic!("{error}")).job
}

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(stencils: &[Stencil]) -> Option<String> {
    let original = job(stencils);
    [1, 4].into_iter().find_map(|lanes| {
        let rewritten = windowed(&original, lanes, stencils[0].items);
        unchanged(&original, &rewritten)
            .err()
            .map(|error| format!("{lanes} lanes: {error}\n{}", rewritten.source))
    })
}

fn batch(seed: u64) -> Vec<Stencil> {
    let mut random = Random::new(seed);
    let items = seed.is_multiple_of(2);
    (0..BATCH)
        .map(|_| Stencil::random(&mut random, items))
        .collect()
}

#[test]
fn random_stencils_compute_the_same_bytes() {
    let name = "random_stencils_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(2) {
        let stencils = batch(seed);
        for stencil in &stencils {
            let one = job(std::slice::from_ref(stencil));
            fired += usize::from(windowed(&one, 1, stencil.items).source.contains("_window["));
            all += 1;
        }
        if let Some(why) = fault(&stencils) {
            fail_smallest(name, seed, &stencils, &why, fault, |some| job(some).source);
        }
    }
    println!("{fired} of {all} kernels have windows");
    assert!(3 * fired > all, "{fired} of {all} have windows");
}

/// The stencils, launched in rows of which the passes make fewer launches.
fn in_a_row(stencils: &[Stencil], seed: u64) -> Job {
    job_in_a_row(stencils, &mut Random::new(seed))
}

/// Compares rows of launches before and after.
fn fault_in_a_row(stencils: &[Stencil], seed: u64) -> Option<String> {
    let original = in_a_row(stencils, seed);
    [(1, 3), (4, 5)].into_iter().find_map(|(lanes, steps)| {
        let rewritten = rewritten_in_a_row(&original, lanes, steps);
        unchanged(&original, &rewritten).err().map(|error| {
            format!(
                "{lanes} lanes, {steps} steps: {error}\n{}",
                rewritten.source
            )
        })
    })
}

fn rewritten_in_a_row(job: &Job, lanes: u64, steps: u64) -> Job {
    let rewrites = Rewrites::InARow(lanes, steps);
    let made = rewrite(job, |_| Knowledge::All, &rewrites, &PassOptions::default());
    made.unwrap_or_else(|error| panic!("{error}")).job
}

#[test]
fn launches_in_a_row_compute_the_same_bytes() {
    let name = "launches_in_a_row_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(2) {
        let mut random = Random::new(seed);
        let stencils: Vec<Stencil> = (0..BATCH / 2)
            .map(|_| Stencil::random(&mut random, true))
            .collect();
        for stencil in &stencils {
            let one = in_a_row(std::slice::from_ref(stencil), seed);
            let made = rewritten_in_a_row(&one, 1, 3);
            fired += usize::from(made.launches.len() < one.launches.len());
            all += 1;
        }
        let compare = |some: &[Stencil]| fault_in_a_row(some, seed);
        if let Some(why) = compare(&stencils) {
            let text = |some: &[Stencil]| in_a_row(some, seed).source;
            fail_smallest(name, seed, &stencils, &why, compare, text);
        }
    }
    println!("of {fired} of {all} kernels several launches are one");
    assert!(5 * fired > all, "{fired} of {all} kernels");
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
    let rewritten = rewritten_in_a_row(&job, 1, 3);
    assert!(
        rewritten.source.contains("fpgacc_steps"),
        "{}",
        rewritten.source
    );
    unchanged(&job, &rewritten).unwrap();
}
