//! Random loops through `fuse` and `fission`: whatever these do to them, every byte stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::{FISSION, FUSE};
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};
use fpgacc_tests::sequences::{Sequence, job};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 24;

fn made(job: &Job, rewrites: &Rewrites) -> Rewritten {
    let options = PassOptions::default();
    rewrite(job, |_| Knowledge::Nothing, rewrites, &options)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Compares kernels before and after, by each pass alone and with others; `None` if nothing is wrong.
fn fault(all: &[Sequence]) -> Option<String> {
    let original = job(all);
    let alone = [FUSE, FISSION].map(|pass| Rewrites::Only(pass.to_string()));
    alone
        .iter()
        .chain([&Rewrites::All, &Rewrites::Distributed])
        .find_map(|rewrites| {
            let made = made(&original, rewrites).job;
            let difference = unchanged(&original, &made).err();
            difference.map(|error| format!("{rewrites}: {error}\n{}", made.source))
        })
}

#[test]
fn random_loops_compute_the_same_bytes() {
    let name = "random_loops_compute_the_same_bytes";
    let (mut fused, mut distributed, mut all) = (0, 0, 0);
    for seed in seeds(2) {
        let mut random = Random::new(seed);
        let some: Vec<Sequence> = (0..BATCH).map(|_| Sequence::random(&mut random)).collect();
        for one in &some {
            let is_done = |pass: &str| {
                let alone = Rewrites::Only(pass.to_string());
                let made = made(&job(std::slice::from_ref(one)), &alone);
                let mut remarks = made.remarks.iter();
                remarks.any(|remark| remark.pass == pass && remark.kind == Kind::Passed)
            };
            fused += usize::from(is_done(FUSE));
            distributed += usize::from(is_done(FISSION));
            all += 1;
        }
        if let Some(why) = fault(&some) {
            fail_smallest(name, seed, &some, &why, fault, |some| job(some).source);
        }
    }
    println!(
        "{fused} of {all} kernels have loops that are fused, {distributed} ones that are distributed"
    );
    assert!(
        4 * fused > all && 3 * distributed > all,
        "{fused} and {distributed} of {all}"
    );
}
