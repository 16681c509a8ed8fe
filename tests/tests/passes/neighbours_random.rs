//! Random nests through `neighbour-tables`: whatever tables hold, every byte stays.

use fpgacc_device_passes::passes::NEIGHBOUR_TABLES;
use fpgacc_tests::neighbours::{Neighbours, job};
use fpgacc_tests::rewrite::Rewrites;
use fpgacc_tests::trial::{Trial, Way, is_done, many};

#[test]
fn random_neighbours_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_neighbours_compute_the_same_bytes",
        programs: 2,
        kernels: |seed| many(16, seed, Neighbours::random),
        job: |all, _| job(all),
        ways: |_| vec![Way::alone(NEIGHBOUR_TABLES), Way::by(Rewrites::All)],
    };
    // With all passes, `fuse` makes nests that write too much for it.
    let alone = |_| Way::alone(NEIGHBOUR_TABLES);
    trial.fires((1, 3), alone, |_, made| is_done(made, NEIGHBOUR_TABLES));
    trial.compare();
}
