//! Random loops through `fuse` and `fission`: whatever these do to them, every byte stays.

use fpgacc_device_passes::passes::{FISSION, FUSE};
use fpgacc_tests::rewrite::Rewrites;
use fpgacc_tests::sequences::{Sequence, job};
use fpgacc_tests::trial::{Trial, Way, is_done, many};

#[test]
fn random_loops_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_loops_compute_the_same_bytes",
        programs: 2,
        kernels: |seed| many(24, seed, Sequence::random),
        job: |all, _| job(all),
        ways: |_| {
            let together = [Rewrites::All, Rewrites::Distributed].map(Way::by);
            [FUSE, FISSION]
                .map(Way::alone)
                .into_iter()
                .chain(together)
                .collect()
        },
    };
    trial.fires((1, 4), |_| Way::alone(FUSE), |_, made| is_done(made, FUSE));
    trial.fires(
        (1, 3),
        |_| Way::alone(FISSION),
        |_, made| is_done(made, FISSION),
    );
    trial.compare();
}
