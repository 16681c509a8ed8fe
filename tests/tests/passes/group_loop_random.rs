//! Random kernels whose groups are rounds of others: whatever they do, every byte stays.

use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::rounds::{Rounds, job};
use fpgacc_tests::trial::{Trial, Way, is_coarsened, many};

/// With and without what is known of launches. Where groups do not divide, the kernel as it is runs.
const WAYS: [(Knowledge, &str); 4] = [
    (Knowledge::All, "4"),
    (Knowledge::Nothing, "2"),
    (Knowledge::Local, "1:2"),
    (Knowledge::Nothing, "1:4"),
];

fn way(seed: u64) -> Way {
    let (knowledge, how) = WAYS[seed as usize % WAYS.len()];
    let options = PassOptions {
        general: General::Always,
        ..PassOptions::default()
    };
    let rounds = Way::by(Rewrites::GroupLoop(how.to_string()));
    rounds.knowing(knowledge).with(options)
}

#[test]
fn groups_in_rounds_compute_the_same_bytes() {
    let trial = Trial {
        test: "groups_in_rounds_compute_the_same_bytes",
        programs: 4,
        kernels: |seed| many(12, seed, Rounds::random),
        job: |all, _| job(all),
        ways: |seed| vec![way(seed)],
    };
    trial.fires((1, 3), way, |_, made| is_coarsened(made));
    trial.compare();
}
