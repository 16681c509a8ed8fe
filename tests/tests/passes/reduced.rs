//! Jobs with reductions in shift registers, and numbers to reduce.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::REDUCTION;
use fpgacc_tests::job::Job;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};

/// The job with only `reduction` applied.
pub fn reduced(job: &Job) -> Job {
    let alone = Rewrites::Only(REDUCTION.to_string());
    let made = rewrite(job, |_| Knowledge::Nothing, &alone, &PassOptions::default());
    made.unwrap_or_else(|error| panic!("{error}")).job
}

/// Numbers that look random, from -8 to 8.
pub fn small_integers(seed: u32) -> impl Iterator<Item = i32> {
    std::iter::successors(Some(seed), |x| {
        Some(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    })
    .skip(1)
    .map(|x| (x >> 16) as i32 % 17 - 8)
}
