//! Work-items that become vectors leave results as they are: random kernels, on all implementations.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::run::Platform;
use fpgacc_tests::seeds::{fail, seeds};
use fpgacc_tests::vectors::job;

/// Kernels in one program: building costs more than running.
const BATCH: usize = 20;

fn vectorised(job: &Job, lanes: u64, how: Option<&str>, knowledge: Knowledge) -> Rewritten {
    let rewrites = Rewrites::Vectorised(lanes, how.map(str::to_string));
    let made = rewrite(job, |_| knowledge, &rewrites, &PassOptions::default());
    made.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn random_vectors_compute_the_same_bytes() {
    let name = "random_vectors_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(3) {
        let original = job(&mut Random::new(seed), BATCH);
        certify(&original)
            .unwrap_or_else(|error| fail(name, seed, &original.source, &error.to_string()));
        let lanes = [4, 2, 8][seed as usize % 3];
        let how = [None, Some("1:2"), Some("0:2:local"), None][seed as usize % 4];
        // Groups have eight work-items in dimension 0.
        let lanes = if how == Some("0:2:local") {
            lanes.min(4)
        } else {
            lanes
        };
        let knowledge = [Knowledge::All, Knowledge::Local, Knowledge::Nothing][seed as usize % 3];
        let made = vectorised(&original, lanes, how, knowledge);
        all += BATCH;
        // Launches that do not divide would take the kernel as it is.
        fired += (made.job.launches.iter())
            .filter(|launch| {
                made.contracts
                    .get(&launch.kernel)
                    .is_some_and(|contract| contract.coarsened().is_some())
            })
            .count();
        let emulator = Platform::EMULATORS[seed as usize % 2];
        let platforms = [Platform::Oclgrind, emulator];
        if let Err(difference) = same(&original, &made.job, &platforms, &Bound::Exact) {
            fail(
                name,
                seed,
                &original.source,
                &format!("{lanes} lanes: {difference}"),
            );
        }
    }
    println!("{fired} of {all} kernels are vectors");
    assert!(3 * fired > 2 * all, "{fired} of {all} are vectors");
}
