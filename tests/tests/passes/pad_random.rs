//! Random kernels with arrays on the chip whose rows become longer: every byte stays.

use fpgacc_device_passes::passes::PAD;
use fpgacc_tests::padded::{Padded, job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::trial::{Trial, Way, is_done, many};

fn alone(_seed: u64) -> Way {
    Way::alone(PAD).knowing(Knowledge::All)
}

#[test]
fn random_rows_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_rows_compute_the_same_bytes",
        programs: 4,
        kernels: |seed| many(8, seed, Padded::random),
        job: |all, _| job(all),
        ways: |seed| {
            let all = Way::by(Rewrites::All).knowing(Knowledge::All);
            vec![alone(seed), all]
        },
    };
    trial.fires((1, 2), alone, |_, made| is_done(made, PAD));
    trial.compare();
}
