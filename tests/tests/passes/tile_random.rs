//! Random kernels whose work-items share what they read, through `tile`: whatever it does to them, every byte
//! stays, and nothing is read that no work-item of the original reads.

use fpgacc_tests::rewrite::{Knowledge, Rewrites};
use fpgacc_tests::tiles::{Shared, job};
use fpgacc_tests::trial::{Trial, Way, many};

fn way(seed: u64) -> Way {
    let rewrites = match seed % 4 {
        3 => Rewrites::Wide,
        _ => Rewrites::NdRange,
    };
    let knowledge = [Knowledge::Local, Knowledge::All, Knowledge::Nothing][seed as usize % 3];
    Way::by(rewrites).knowing(knowledge)
}

#[test]
fn random_kernels_with_tiles_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_kernels_with_tiles_compute_the_same_bytes",
        programs: 3,
        kernels: |seed| many(20, seed, Shared::random),
        job: |all, _| job(all),
        ways: |seed| vec![way(seed)],
    };
    trial.fires((1, 3), way, |_, made| made.job.source.contains("_tile["));
    trial.compare();
}
