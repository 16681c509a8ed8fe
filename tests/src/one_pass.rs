//! Cases that one pass rewrites: they do the same, whatever the other passes do.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::remark::Kind;

use crate::compare::{Bound, certify, same};
use crate::job::Job;
use crate::rewrite::{Knowledge, Rewrites, rewrite};
use crate::run::Platform;

/// Rewrites a case by a pass, alone and among all others, with each of these facts known, and compares it on each
/// implementation.
///
/// # Panics
/// If the case is not legal, the pass leaves it as it is, or it does not do the same.
#[track_caller]
pub fn does_the_same(job: &Job, pass: &str, all: &[Knowledge]) {
    if let Err(problem) = certify(job) {
        panic!("not certified: {problem}");
    }
    let alone = Rewrites::Only(pass.to_string());
    for &knowledge in all {
        for rewrites in [&alone, &Rewrites::Wide, &Rewrites::All] {
            let made = rewrite(job, |_| knowledge, rewrites, &PassOptions::default())
                .unwrap_or_else(|error| panic!("{knowledge:?}: {rewrites}: {error}"));
            let mut remarks = made.remarks.iter();
            assert!(remarks.any(|remark| remark.pass == pass && remark.kind != Kind::Missed));
            let platforms = [Platform::Intel, Platform::Pocl, Platform::Oclgrind];
            if let Err(difference) = same(job, &made.job, &platforms, &Bound::Exact) {
                panic!("{knowledge:?}: {rewrites}: {difference}");
            }
        }
    }
}
