//! Memory that loops read once: what the kernels compute stays, and what is not there is not read.

use fpgacc_tests::job::Job;
use fpgacc_tests::one_pass::does_the_same;
use fpgacc_tests::rewrite::Knowledge;

#[test]
fn kernels_that_read_once_do_the_same() {
    let text = include_str!("../../cases/loops/read_once.yaml");
    let job: Job = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}"));
    does_the_same(&job, "promote", &[Knowledge::Nothing, Knowledge::All]);
}
