//! Places that loops keep in registers: what the kernels compute stays, and what is not sure to be the
//! same place, or the only access to it, stays in memory.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::job::Job;
use fpgacc_tests::one_pass::does_the_same;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};

/// The name of the pass.
const PASS: &str = "scalar-replacement";

fn job() -> Job {
    let text = include_str!("../cases/loops/kept_in_registers.yaml");
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn kernels_with_registers_do_the_same() {
    let all = [Knowledge::Nothing, Knowledge::Local, Knowledge::All];
    does_the_same(&job(), PASS, &all);
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
