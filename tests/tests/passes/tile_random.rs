//! Random kernels whose work-items share what they read, through `tile`: whatever it does to them, every byte
//! stays, and nothing is read that no work-item of the original reads.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};
use fpgacc_tests::tiles::{Shared, job};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 20;

fn tiled(job: &Job, seed: u64) -> Job {
    let knowledge = [Knowledge::Local, Knowledge::All, Knowledge::Nothing][seed as usize % 3];
    let rewrites = match seed % 4 {
        3 => Rewrites::Wide,
        _ => Rewrites::NdRange,
    };
    let made = rewrite(job, |_| knowledge, &rewrites, &PassOptions::default());
    made.unwrap_or_else(|error| panic!("{error}\n{}", job.source))
        .job
}

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(seed: u64, kernels: &[Shared]) -> Option<String> {
    let original = job(kernels);
    let rewritten = tiled(&original, seed);
    let compared = unchanged(&original, &rewritten);
    compared
        .err()
        .map(|error| format!("{error}\n{}", rewritten.source))
}

#[test]
fn random_kernels_with_tiles_compute_the_same_bytes() {
    let name = "random_kernels_with_tiles_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(3) {
        let mut random = Random::new(seed);
        let kernels: Vec<Shared> = (0..BATCH).map(|_| Shared::random(&mut random)).collect();
        for kernel in &kernels {
            let made = tiled(&job(std::slice::from_ref(kernel)), seed).source;
            fired += usize::from(made.contains("_tile["));
            all += 1;
        }
        if let Some(why) = fault(seed, &kernels) {
            let one = |some: &[Shared]| fault(seed, some);
            fail_smallest(name, seed, &kernels, &why, one, |some| job(some).source);
        }
    }
    println!("{fired} of {all} kernels have tiles");
    assert!(3 * fired > all, "{fired} of {all} have tiles");
}
