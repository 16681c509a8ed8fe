//! Random tables of dynamic programming through `wavefront`: whatever it does to them, every byte stays.

use fpgacc_device_passes::passes::WAVEFRONT;
use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::trial::{Trial, Way, is_done, many};
use fpgacc_tests::waves::{Wave, job};

/// With all passes, after `ndrange-to-loop`.
fn with_all(_: u64) -> Way {
    Way::by(Rewrites::All).knowing(Knowledge::Local)
}

#[test]
fn random_waves_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_waves_compute_the_same_bytes",
        programs: 2,
        kernels: |seed| many(24, seed, Wave::random),
        job: |all, _| job(all),
        ways: |_| vec![Way::alone(WAVEFRONT), with_all(0)],
    };
    trial.fires((1, 4), with_all, |_, made| is_done(made, WAVEFRONT));
    trial.compare();
}
