//! Random kernels whose groups are rounds of others: whatever they do, every byte stays.

use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::rounds::{Rounds, job};
use fpgacc_tests::seeds::{fail_smallest, seeds};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 12;

fn looped(job: &Job, knowledge: Knowledge, how: &str) -> Rewritten {
    let options = PassOptions {
        general: General::Always,
        ..PassOptions::default()
    };
    let rewrites = Rewrites::GroupLoop(how.to_string());
    rewrite(job, |_| knowledge, &rewrites, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// With and without what is known of launches. Where groups do not divide, the kernel as it is runs.
const WAYS: [(Knowledge, &str); 4] = [
    (Knowledge::All, "4"),
    (Knowledge::Nothing, "2"),
    (Knowledge::Local, "1:2"),
    (Knowledge::Nothing, "1:4"),
];

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(way: (Knowledge, &str), kernels: &[Rounds]) -> Option<String> {
    let original = job(kernels);
    let rewritten = looped(&original, way.0, way.1).job;
    let differs = unchanged(&original, &rewritten).err();
    differs.map(|error| format!("{way:?}: {error}\n{}", rewritten.source))
}

#[test]
fn groups_in_rounds_compute_the_same_bytes() {
    let name = "groups_in_rounds_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(4) {
        let way = WAYS[seed as usize % WAYS.len()];
        let mut random = Random::new(seed);
        let kernels: Vec<Rounds> = (0..BATCH).map(|_| Rounds::random(&mut random)).collect();
        let made = looped(&job(&kernels), way.0, way.1);
        // A version of a kernel has a name of its own.
        let launches = made.job.launches.iter();
        fired += launches
            .filter(|launch| {
                let contract = made.contracts.get(&launch.kernel);
                contract.is_some_and(|contract| contract.coarsened().is_some())
            })
            .count();
        all += kernels.len();
        if let Some(why) = fault(way, &kernels) {
            let again = |some: &[Rounds]| fault(way, some);
            fail_smallest(name, seed, &kernels, &why, again, |some| job(some).source);
        }
    }
    assert!(3 * fired > all, "{fired} of {all} kernels have rounds");
}
