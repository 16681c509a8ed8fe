//! Random conditions and loops over ids, through `known-sizes`: whatever it decides, every byte stays.

use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::sizes::{job, kernels};
use fpgacc_tests::trial::{Trial, Way, is_done};

/// The name of the pass.
const PASS: &str = "known-sizes";

fn way(seed: u64) -> Way {
    let way = match seed % 2 {
        0 => Way::by(Rewrites::All),
        _ => Way::alone(PASS),
    };
    way.knowing(Knowledge::All)
}

#[test]
fn random_conditions_on_ids_stay_what_they_are() {
    let trial = Trial {
        test: "random_conditions_on_ids_stay_what_they_are",
        programs: 2,
        kernels,
        job: |all, _| job(all),
        ways: |seed| vec![way(seed)],
    };
    trial.fires((1, 2), way, |_, made| is_done(made, PASS));
    trial.compare();
}
