//! Random recurrences through `forward`: whatever it does to them, every byte stays, and nothing is read that
//! the original does not read.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::FORWARD;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::recurrences::{Recurrence, job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 16;

fn forwarded(job: &Job, rewrites: &Rewrites) -> Rewritten {
    let options = PassOptions::default();
    rewrite(job, |_| Knowledge::Nothing, rewrites, &options)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(all: &[Recurrence]) -> Option<String> {
    let original = job(all);
    let alone = Rewrites::Only(FORWARD.to_string());
    let made = forwarded(&original, &alone).job;
    let difference = unchanged(&original, &made).err();
    difference.map(|error| format!("{error}\n{}", made.source))
}

#[test]
fn random_recurrences_compute_the_same_bytes() {
    let name = "random_recurrences_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(2) {
        let mut random = Random::new(seed);
        let some: Vec<Recurrence> = (0..BATCH)
            .map(|_| Recurrence::random(&mut random))
            .collect();
        for one in &some {
            let made = forwarded(&job(std::slice::from_ref(one)), &Rewrites::All);
            let mut remarks = made.remarks.iter();
            let is_done =
                remarks.any(|remark| remark.pass == FORWARD && remark.kind == Kind::Passed);
            fired += usize::from(is_done);
            all += 1;
        }
        if let Some(why) = fault(&some) {
            fail_smallest(name, seed, &some, &why, fault, |some| job(some).source);
        }
    }
    println!("{fired} of {all} kernels forward what they store");
    assert!(6 * fired > all, "{fired} of {all} forward");
}
