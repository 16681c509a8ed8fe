//! Memory that loops read once: what the kernels compute stays, and what is not there is not read.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::Job;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::run::Platform;

/// The name of the pass.
const PASS: &str = "promote";

#[test]
fn kernels_that_read_once_do_the_same() {
    let text = include_str!("../cases/loops/read_once.yaml");
    let job: Job = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}"));
    if let Err(problem) = certify(&job) {
        panic!("not certified: {problem}");
    }
    let alone = Rewrites::Only(PASS.to_string());
    for knowledge in [Knowledge::Nothing, Knowledge::All] {
        for rewrites in [&alone, &Rewrites::Wide, &Rewrites::All] {
            let made = rewrite(&job, |_| knowledge, rewrites, &PassOptions::default())
                .unwrap_or_else(|error| panic!("{knowledge:?}: {rewrites}: {error}"));
            let mut remarks = made.remarks.iter();
            assert!(remarks.any(|remark| remark.pass == PASS && remark.kind != Kind::Missed));
            let platforms = [Platform::Intel, Platform::Pocl, Platform::Oclgrind];
            if let Err(difference) = same(&job, &made.job, &platforms, &Bound::Exact) {
                panic!("{knowledge:?}: {rewrites}: {difference}");
            }
        }
    }
}
