//! Random kernels whose work-items exchange values through `__global` memory, with `restrict` where that is true,
//! and compilers that make use of it: every byte stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::exchanges::{Exchange, job};
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 20;

fn marked(job: &Job, seed: u64) -> Job {
    let rewrites = match seed % 2 {
        0 => Rewrites::Only("restrict".to_string()),
        _ => Rewrites::NdRange,
    };
    let made = rewrite(job, |_| Knowledge::All, &rewrites, &PassOptions::default());
    made.unwrap_or_else(|error| panic!("{error}\n{}", job.source))
        .job
}

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(seed: u64, kernels: &[Exchange]) -> Option<String> {
    let original = job(kernels);
    let rewritten = marked(&original, seed);
    let compared = unchanged(&original, &rewritten);
    compared
        .err()
        .map(|error| format!("{error}\n{}", rewritten.source))
}

#[test]
fn random_kernels_that_exchange_values_compute_the_same_bytes() {
    let name = "random_kernels_that_exchange_values_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(3) {
        let mut random = Random::new(seed);
        let kernels: Vec<Exchange> = (0..BATCH).map(|_| Exchange::random(&mut random)).collect();
        for kernel in &kernels {
            let made = marked(&job(std::slice::from_ref(kernel)), seed).source;
            fired += usize::from(made.contains("*restrict"));
            all += 1;
        }
        if let Some(why) = fault(seed, &kernels) {
            let one = |some: &[Exchange]| fault(seed, some);
            fail_smallest(name, seed, &kernels, &why, one, |some| job(some).source);
        }
    }
    println!("{fired} of {all} kernels have a parameter that is restrict");
    assert!(3 * fired > all && fired < all, "{fired} of {all}");
}
