//! Random kernels with two launches, of which the passes know the first: the second may pass something else.

use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_device_passes::remark::Kind;

use crate::compare::{Bound, certify, same};
use crate::job::Job;
use crate::random::Random;
use crate::rewrite::{Knowledge, RewriteError, Rewrites, Rewritten, rewrite_knowing};
use crate::run::Platform;
use crate::seeds::{fail, seeds};

/// What a pass did to the kernels, and what became of the second launches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Remarks of what it did, and of what it did not do.
    pub done: u32,
    /// See [`Self::done`].
    pub missed: u32,
    /// Second launches that the rewritten kernel took, and those that the general one took.
    pub held: u32,
    /// See [`Self::held`].
    pub general: u32,
    /// Second launches that are refused without a general kernel.
    pub refused: u32,
}

/// Rewrites random kernels with all passes, and with one alone. With general versions all is computed as by the
/// original: by all passes on the Intel emulator and Oclgrind, by the one on `platforms`. Without, what
/// does not hold is refused.
///
/// # Panics
/// As a failed test does.
pub fn check(
    test: &str,
    pass: &str,
    platforms: &[Platform],
    job: impl Fn(&mut Random) -> Job,
) -> Seen {
    let mut seen = Seen::default();
    let only = Rewrites::Only(pass.to_string());
    for seed in seeds(5) {
        let job = job(&mut Random::new(seed));
        for (rewrites, platforms) in [
            (
                &Rewrites::All,
                &[Platform::Intel, Platform::Oclgrind] as &[Platform],
            ),
            (&only, platforms),
        ] {
            let rewritten = rewrite(&job, rewrites, General::Always)
                .unwrap_or_else(|error| fail(test, seed, &job.source, &error.to_string()));
            if let Err(difference) =
                certify(&job).and_then(|()| same(&job, &rewritten.job, platforms, &Bound::Exact))
            {
                fail(test, seed, &job.source, &difference.to_string());
            }
            for remark in rewritten.remarks.iter().filter(|r| r.pass == pass) {
                match remark.kind {
                    Kind::Missed => seen.missed += 1,
                    _ => seen.done += 1,
                }
            }
            assert_eq!(rewritten.job.launches[0].kernel, "k");
        }
        match rewrite(&job, &only, General::Always) {
            Ok(rewritten) if rewritten.job.launches[1].kernel == "k" => seen.held += 1,
            Ok(_) => seen.general += 1,
            Err(error) => fail(test, seed, &job.source, &error.to_string()),
        }
        match rewrite(&job, &only, General::Never) {
            Ok(rewritten) => assert_eq!(rewritten.job.launches[1].kernel, "k"),
            Err(RewriteError::Contract { .. }) => seen.refused += 1,
            Err(error) => fail(test, seed, &job.source, &error.to_string()),
        }
    }
    seen
}

fn rewrite(job: &Job, rewrites: &Rewrites, general: General) -> Result<Rewritten, RewriteError> {
    let knowledge = |launch| match launch {
        0 => Knowledge::All,
        _ => Knowledge::Nothing,
    };
    let options = PassOptions {
        general,
        ..PassOptions::default()
    };
    rewrite_knowing(job, knowledge, rewrites, &options)
}
