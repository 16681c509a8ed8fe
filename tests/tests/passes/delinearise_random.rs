//! Random loops over rows through `delinearise`: whatever it does to them, every byte stays.

use fpgacc_device_passes::passes::DELINEARISE;
use fpgacc_tests::rewrite::Rewrites;
use fpgacc_tests::rows::{Rows, job};
use fpgacc_tests::trial::{Trial, Way, is_done, many};

#[test]
fn random_rows_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_rows_compute_the_same_bytes",
        programs: 2,
        kernels: |seed| many(24, seed, Rows::random),
        job: |all, _| job(all),
        ways: |_| vec![Way::alone(DELINEARISE), Way::by(Rewrites::All)],
    };
    let all = |_| Way::by(Rewrites::All);
    trial.fires((1, 4), all, |_, made| is_done(made, DELINEARISE));
    trial.compare();
}
