//! Random kernels with barriers in the loops that all work-items of a group go through equally often: every byte stays.

use fpgacc_device_passes::passes::LOCKSTEP;
use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::together::{Together, job};
use fpgacc_tests::trial::{Trial, Way, is_done, many};

fn alone(_: u64) -> Way {
    Way::alone(LOCKSTEP)
}

/// Alone, and after the other passes for NDRanges.
fn ways(seed: u64) -> Vec<Way> {
    let all = Way::by(Rewrites::NdRange);
    let knowledge = [Knowledge::All, Knowledge::Local][seed as usize % 2];
    vec![alone(seed), all.knowing(knowledge)]
}

#[test]
fn work_groups_in_lockstep_compute_the_same_bytes() {
    let trial = Trial {
        test: "work_groups_in_lockstep_compute_the_same_bytes",
        programs: 4,
        kernels: |seed| many(12, seed, Together::random),
        job: |all, _| job(all),
        ways,
    };
    let is = |_: &_, made: &_| is_done(made, LOCKSTEP);
    trial.fires_where((9, 10), alone, Together::has_uniform_loop, is);
    trial.compare();
}
