//! Random recurrences through `forward`: whatever it does to them, every byte stays, and nothing is read that
//! the original does not read.

use fpgacc_device_passes::passes::FORWARD;
use fpgacc_tests::recurrences::{Recurrence, job};
use fpgacc_tests::rewrite::Rewrites;
use fpgacc_tests::trial::{Trial, Way, is_done, many};

#[test]
fn random_recurrences_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_recurrences_compute_the_same_bytes",
        programs: 2,
        kernels: |seed| many(16, seed, Recurrence::random),
        job: |all, _| job(all),
        ways: |_| vec![Way::alone(FORWARD)],
    };
    let all = |_| Way::by(Rewrites::All);
    trial.fires((1, 6), all, |_, made| is_done(made, FORWARD));
    trial.compare();
}
