//! Scalars that become constants, and versions of kernels: random types and values, original against
//! rewritten kernel, with launches that hold what the passes knew and launches that do not.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::half_known;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite_knowing};
use fpgacc_tests::run::Platform;
use fpgacc_tests::scalars::job;
use fpgacc_tests::seeds::{fail, seeds};

/// The first launch is known to the passes, the second comes as it comes.
#[test]
fn launches_that_hold_and_launches_that_do_not() {
    let test = "launches_that_hold_and_launches_that_do_not";
    let seen = half_known::check(test, "specialise", &[Platform::Pocl], job);
    assert!(seen.general > 0 && seen.refused > 0, "{seen:?}");
}

/// All launches are known: what they agree on is a constant, and none is refused.
#[test]
fn what_all_launches_agree_on() {
    let (mut constants, mut versions) = (0, 0);
    for seed in seeds(3) {
        let mut random = Random::new(1000 + seed);
        let job = job(&mut random);
        let rewritten = rewrite_knowing(
            &job,
            |_| Knowledge::All,
            &Rewrites::All,
            &PassOptions::default(),
        )
        .unwrap_or_else(|e| {
            fail(
                "what_all_launches_agree_on",
                seed,
                &job.source,
                &e.to_string(),
            )
        });
        if let Err(difference) = certify(&job)
            .and_then(|()| same(&job, &rewritten.job, &Platform::EMULATORS, &Bound::Exact))
        {
            fail(
                "what_all_launches_agree_on",
                seed,
                &job.source,
                &difference.to_string(),
            );
        }
        versions += usize::from(rewritten.job.launches[1].kernel == "fpgacc_2_k");
        let is_constant = |text: &str| text.contains("is the constant");
        constants += rewritten
            .remarks
            .iter()
            .filter(|r| is_constant(&r.note.text))
            .count();
    }
    assert!(constants > 0 && versions > 0, "{constants} {versions}");
}
