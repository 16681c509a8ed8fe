//! Tables that become constant memory: random kernels, original against rewritten, with launches that
//! hold what the passes were told and launches that do not.

use fpgacc_device_passes::pass::PassOptions;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{RewriteError, Rewrites, Told, rewrite_knowing};
use fpgacc_tests::run::Platform;
use fpgacc_tests::seeds::{fail, seeds};
use fpgacc_tests::tables::job;

const PASS: &str = "constant-memory";

fn options(keep_general: bool) -> PassOptions {
    PassOptions {
        keep_general,
        ..PassOptions::default()
    }
}

/// The first launch is known to the passes, the second passes other buffers: with general versions all is
/// computed as by the original; without, what does not hold is refused.
#[test]
fn launches_that_hold_and_launches_that_do_not() {
    const TEST: &str = "launches_that_hold_and_launches_that_do_not";
    let (mut tables, mut left) = (0, 0);
    let (mut held, mut general, mut refused) = (0, 0, 0);
    for seed in seeds(8) {
        let job = job(&mut Random::new(seed));
        let told = |launch| match launch {
            0 => Told::All,
            _ => Told::Nothing,
        };
        let only = Rewrites::Only(PASS.to_string());
        for (rewrites, platforms) in [
            (Rewrites::All, &[Platform::Intel, Platform::Oclgrind][..]),
            (only.clone(), &[Platform::Pocl]),
        ] {
            let rewritten = rewrite_knowing(&job, told, &rewrites, &options(true))
                .unwrap_or_else(|error| fail(TEST, seed, &job.source, &error.to_string()));
            if let Err(difference) =
                certify(&job).and_then(|()| same(&job, &rewritten.job, platforms, &Bound::Exact))
            {
                fail(TEST, seed, &job.source, &difference.to_string());
            }
            let ours = rewritten.remarks.iter().filter(|r| r.pass == PASS);
            for remark in ours {
                *(if remark.missed {
                    &mut left
                } else {
                    &mut tables
                }) += 1;
            }
            assert_eq!(rewritten.job.launches[0].kernel, "k");
        }
        match rewrite_knowing(&job, told, &only, &options(true)) {
            Ok(rewritten) if rewritten.job.launches[1].kernel == "k" => held += 1,
            Ok(_) => general += 1,
            Err(error) => fail(TEST, seed, &job.source, &error.to_string()),
        }
        match rewrite_knowing(&job, told, &only, &options(false)) {
            Ok(rewritten) => assert_eq!(rewritten.job.launches[1].kernel, "k"),
            Err(RewriteError::Contract { .. }) => refused += 1,
            Err(error) => fail(TEST, seed, &job.source, &error.to_string()),
        }
    }
    assert!(tables > 0 && left > 0, "{tables} {left}");
    assert!(
        general > 0 && refused == general,
        "{held} {general} {refused}"
    );
}
