//! Scalars that become constants, and versions of kernels: random types and values, original against
//! rewritten kernel, with launches that hold what the passes were told and launches that do not.

use fpgacc_device_passes::pass::PassOptions;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{RewriteError, Rewrites, Told, rewrite_knowing};
use fpgacc_tests::run::Platform;
use fpgacc_tests::scalars::job;
use fpgacc_tests::seeds::{fail, seeds};

fn options(keep_general: bool) -> PassOptions {
    PassOptions {
        keep_general,
        ..PassOptions::default()
    }
}

/// The first launch is known to the passes, the second comes as it comes: with general versions all
/// is computed as by the original; without, what does not hold is refused.
#[test]
fn launches_that_hold_and_launches_that_do_not() {
    const TEST: &str = "launches_that_hold_and_launches_that_do_not";
    let (mut held, mut general, mut refused) = (0, 0, 0);
    for seed in seeds(5) {
        let mut random = Random::new(seed);
        let job = job(&mut random);
        let told = |launch| match launch {
            0 => Told::All,
            _ => Told::Nothing,
        };
        for (rewrites, platforms) in [
            (Rewrites::All, &[Platform::Intel, Platform::Oclgrind][..]),
            (Rewrites::Only("specialise".to_string()), &[Platform::Pocl]),
        ] {
            let rewritten = rewrite_knowing(&job, told, &rewrites, &options(true))
                .unwrap_or_else(|error| fail(TEST, seed, &job.source, &error.to_string()));
            if let Err(difference) =
                certify(&job).and_then(|()| same(&job, &rewritten.job, platforms, &Bound::Exact))
            {
                fail(TEST, seed, &job.source, &difference.to_string());
            }
            assert_eq!(rewritten.job.launches[0].kernel, "k");
            match rewritten.job.launches[1].kernel.as_str() {
                "k" => held += 1,
                "fpgacc_general_k" => general += 1,
                other => panic!("{other}"),
            }
        }
        match rewrite_knowing(&job, told, &Rewrites::All, &options(false)) {
            Ok(rewritten) => assert_eq!(rewritten.job.launches[1].kernel, "k"),
            Err(RewriteError::Contract { .. }) => refused += 1,
            Err(error) => fail(TEST, seed, &job.source, &error.to_string()),
        }
    }
    assert!(general > 0 && refused > 0, "{held} {general} {refused}");
}

/// All launches are known: what they agree on is a constant, and none is refused.
#[test]
fn what_all_launches_agree_on() {
    let (mut constants, mut versions) = (0, 0);
    for seed in seeds(3) {
        let mut random = Random::new(1000 + seed);
        let job = job(&mut random);
        let rewritten = rewrite_knowing(&job, |_| Told::All, &Rewrites::All, &options(false))
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
            .filter(|r| is_constant(&r.text))
            .count();
    }
    assert!(constants > 0 && versions > 0, "{constants} {versions}");
}
