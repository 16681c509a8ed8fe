//! Random nests through `neighbour-tables`: whatever tables hold, every byte stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::NEIGHBOUR_TABLES;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::neighbours::{Neighbours, job};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 16;

fn computed(job: &Job, rewrites: &Rewrites) -> Rewritten {
    let options = PassOptions::default();
    rewrite(job, |_| Knowledge::Nothing, rewrites, &options)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Compares kernels before and after, by the pass alone and with all others; `None` if nothing is wrong.
fn fault(all: &[Neighbours]) -> Option<String> {
    let original = job(all);
    let alone = Rewrites::Only(NEIGHBOUR_TABLES.to_string());
    [alone, Rewrites::All].iter().find_map(|rewrites| {
        let made = computed(&original, rewrites).job;
        let difference = unchanged(&original, &made).err();
        difference.map(|error| format!("{error}\n{}", made.source))
    })
}

#[test]
fn random_neighbours_compute_the_same_bytes() {
    let name = "random_neighbours_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(2) {
        let mut random = Random::new(seed);
        let some: Vec<Neighbours> = (0..BATCH)
            .map(|_| Neighbours::random(&mut random))
            .collect();
        for one in &some {
            // How often it finds something to do; with all passes, `fuse` makes nests that write too much for it.
            let alone = Rewrites::Only(NEIGHBOUR_TABLES.to_string());
            let made = computed(&job(std::slice::from_ref(one)), &alone);
            let mut remarks = made.remarks.iter();
            let is_done = remarks
                .any(|remark| remark.pass == NEIGHBOUR_TABLES && remark.kind == Kind::Passed);
            fired += usize::from(is_done);
            all += 1;
        }
        if let Some(why) = fault(&some) {
            fail_smallest(name, seed, &some, &why, fault, |some| job(some).source);
        }
    }
    println!("{fired} of {all} kernels look through tables");
    assert!(3 * fired > all, "{fired} of {all} look through tables");
}
