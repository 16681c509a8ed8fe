//! Random kernels whose work-items exchange values through `__global` memory, with `restrict` where that is true,
//! and compilers that make use of it: every byte stays.

use fpgacc_device_passes::passes::RESTRICT;
use fpgacc_tests::exchanges::{Exchange, job};
use fpgacc_tests::job::Job;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten};
use fpgacc_tests::trial::{Trial, Way, many};

fn way(seed: u64) -> Way {
    let way = match seed % 2 {
        0 => Way::alone(RESTRICT),
        _ => Way::by(Rewrites::NdRange),
    };
    way.knowing(Knowledge::All)
}

#[test]
fn random_kernels_that_exchange_values_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_kernels_that_exchange_values_compute_the_same_bytes",
        programs: 3,
        kernels: |seed| many(20, seed, Exchange::random),
        job: |all, _| job(all),
        ways: |seed| vec![way(seed)],
    };
    let is_restrict = |_: &Job, made: &Rewritten| made.job.source.contains("*restrict");
    trial.fires((1, 3), way, is_restrict);
    // Some pointers do reach the same memory.
    trial.fires((0, 1), way, |job, made| !is_restrict(job, made));
    trial.compare();
}
