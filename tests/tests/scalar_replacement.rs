//! Places that loops keep in registers: what the kernels compute stays, and what is not sure to be the
//! same place, or the only access to it, stays in memory.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::Job;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::run::Platform;

/// The name of the pass.
const PASS: &str = "scalar-replacement";

fn job() -> Job {
    let text = include_str!("../cases/loops/kept_in_registers.yaml");
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn kernels_with_registers_do_the_same() {
    let job = job();
    if let Err(problem) = certify(&job) {
        panic!("not certified: {problem}");
    }
    let alone = Rewrites::Only(PASS.to_string());
    for knowledge in [Knowledge::Nothing, Knowledge::Local, Knowledge::All] {
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

#[test]
fn what_is_kept_and_what_is_not_is_reported() {
    let rewrites = Rewrites::Only(PASS.to_string());
    let made = rewrite(
        &job(),
        |_| Knowledge::Nothing,
        &rewrites,
        &PassOptions::default(),
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let mut knowledge: Vec<&str> = made
        .remarks
        .iter()
        .map(|remark| &*remark.note.text)
        .collect();
    knowledge.sort_unstable();
    knowledge.dedup();
    insta::assert_snapshot!(knowledge.join("\n"));
}
