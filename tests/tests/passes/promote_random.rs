//! Random loops that read the same memory again, through `promote`: whatever it does to them, every byte
//! stays, and nothing is read that the original does not read.

use fpgacc_tests::random::Random;
use fpgacc_tests::rereads::{Kernel, job, kernel};
use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::trial::{Trial, Way, is_done};

/// The name of the pass.
const PASS: &str = "promote";

fn kernels(seed: u64) -> Vec<Kernel> {
    let mut random = Random::new(seed);
    (0..16).map(|number| kernel(&mut random, number)).collect()
}

fn way(seed: u64) -> Way {
    match seed % 3 {
        0 => Way::alone(PASS),
        1 => Way::by(Rewrites::All).knowing(Knowledge::All),
        _ => Way::by(Rewrites::Unrolled),
    }
}

#[test]
fn random_loops_read_once_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_loops_read_once_compute_the_same_bytes",
        programs: 3,
        kernels,
        job: |all, _| job(all),
        ways: |seed| vec![way(seed)],
    };
    trial.fires((1, 4), way, |_, made| is_done(made, PASS));
    trial.compare();
}
