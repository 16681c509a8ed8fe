//! Random kernels with loops of their own, which run outside of those over work-items: whatever is done to
//! them, every byte stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::NDRANGE_TO_LOOP;
use fpgacc_device_passes::passes::ndrange_to_loop;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::planes::{Planes, job};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 8;

fn interchanged(job: &Job, ungrouped: bool, rewrites: &Rewrites) -> Rewritten {
    let mut options = PassOptions::default();
    let loops: &mut ndrange_to_loop::Options = options.of_mut();
    loops.interchange = true;
    loops.ungrouped = ungrouped;
    rewrite(job, |_| Knowledge::All, rewrites, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Alone in groups, and with all other passes without groups.
fn ways() -> [(bool, Rewrites); 2] {
    let alone = Rewrites::Only(NDRANGE_TO_LOOP.to_string());
    [(false, alone), (true, Rewrites::All)]
}

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(planes: &[Planes]) -> Option<String> {
    let original = job(planes);
    ways().into_iter().find_map(|(ungrouped, rewrites)| {
        let rewritten = interchanged(&original, ungrouped, &rewrites).job;
        unchanged(&original, &rewritten).err().map(|error| {
            format!(
                "{rewrites}, ungrouped {ungrouped}: {error}\n{}",
                rewritten.source
            )
        })
    })
}

#[test]
fn random_planes_compute_the_same_bytes() {
    let name = "random_planes_compute_the_same_bytes";
    let (mut fired, mut unspilled, mut all) = (0, 0, 0);
    for seed in seeds(3) {
        let mut random = Random::new(seed);
        let planes: Vec<Planes> = (0..BATCH).map(|_| Planes::random(&mut random)).collect();
        for one in &planes {
            let made = interchanged(&job(std::slice::from_ref(one)), true, &ways()[1].1);
            let knowledge = |what: &str| {
                made.remarks
                    .iter()
                    .any(|remark| remark.note.text.contains(what))
            };
            let moved = knowledge("runs outside of those over work-items");
            fired += usize::from(moved);
            unspilled += usize::from(moved && !made.job.source.contains("_saved["));
            all += 1;
        }
        if let Some(why) = fault(&planes) {
            fail_smallest(name, seed, &planes, &why, fault, |some| job(some).source);
        }
    }
    println!("{fired} of {all} kernels have loops outside, {unspilled} without spilled values");
    assert!(
        2 * fired > all && 8 * unspilled > all,
        "{fired}, {unspilled} of {all}"
    );
}
