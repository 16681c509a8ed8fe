//! Random loops over rows through `delinearise`: whatever it does to them, every byte stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::DELINEARISE;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::rows::{Rows, job};
use fpgacc_tests::seeds::{fail_smallest, seeds};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 24;

fn nested(job: &Job, rewrites: &Rewrites) -> Rewritten {
    let options = PassOptions::default();
    rewrite(job, |_| Knowledge::Nothing, rewrites, &options)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Compares kernels before and after, by the pass alone and with all others; `None` if nothing is wrong.
fn fault(all: &[Rows]) -> Option<String> {
    let original = job(all);
    let alone = Rewrites::Only(DELINEARISE.to_string());
    [alone, Rewrites::All].iter().find_map(|rewrites| {
        let made = nested(&original, rewrites).job;
        let difference = unchanged(&original, &made).err();
        difference.map(|error| format!("{error}\n{}", made.source))
    })
}

#[test]
fn random_rows_compute_the_same_bytes() {
    let name = "random_rows_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(2) {
        let mut random = Random::new(seed);
        let some: Vec<Rows> = (0..BATCH).map(|_| Rows::random(&mut random)).collect();
        for one in &some {
            let made = nested(&job(std::slice::from_ref(one)), &Rewrites::All);
            let mut remarks = made.remarks.iter();
            let is_done =
                remarks.any(|remark| remark.pass == DELINEARISE && remark.kind == Kind::Passed);
            fired += usize::from(is_done);
            all += 1;
        }
        if let Some(why) = fault(&some) {
            fail_smallest(name, seed, &some, &why, fault, |some| job(some).source);
        }
    }
    println!("{fired} of {all} kernels become nests");
    assert!(4 * fired > all, "{fired} of {all} become nests");
}
