//! Random kernels with loops of their own, which run outside of those over work-items: whatever is done to
//! them, every byte stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::{NDRANGE_TO_LOOP, ndrange_to_loop};
use fpgacc_tests::job::Job;
use fpgacc_tests::planes::{Planes, job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten};
use fpgacc_tests::trial::{Trial, Way, many};

fn interchanged(way: Way, ungrouped: bool) -> Way {
    let mut options = PassOptions::default();
    let loops: &mut ndrange_to_loop::Options = options.of_mut();
    loops.interchange = true;
    loops.ungrouped = ungrouped;
    way.knowing(Knowledge::All).with(options)
}

/// With all other passes without groups.
fn together(_seed: u64) -> Way {
    interchanged(Way::by(Rewrites::All), true)
}

fn is_moved(made: &Rewritten) -> bool {
    let mut remarks = made.remarks.iter();
    remarks.any(|remark| {
        let text = &remark.note.text;
        text.contains("runs outside of those over work-items")
    })
}

#[test]
fn random_planes_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_planes_compute_the_same_bytes",
        programs: 3,
        kernels: |seed| many(8, seed, Planes::random),
        job: |all, _| job(all),
        // Alone it is in groups.
        ways: |seed| {
            let alone = interchanged(Way::alone(NDRANGE_TO_LOOP), false);
            vec![alone, together(seed)]
        },
    };
    trial.fires((1, 2), together, |_, made| is_moved(made));
    let is_unspilled =
        |_: &Job, made: &Rewritten| is_moved(made) && !made.job.source.contains("_saved[");
    trial.fires((1, 8), together, is_unspilled);
    trial.compare();
}

/// Loops run outside between barriers, too, and those of the kernels at hand are parted by nothing else.
#[test]
fn random_planes_with_barriers_compute_the_same_bytes() {
    let trial = Trial {
        test: "random_planes_with_barriers_compute_the_same_bytes",
        programs: 3,
        kernels: |seed| many(8, seed, Planes::with_barriers),
        job: |all, _| job(all),
        ways: |seed| {
            let alone = interchanged(Way::alone(NDRANGE_TO_LOOP), false);
            vec![alone, together(seed)]
        },
    };
    trial.fires((1, 2), together, |_, made| is_moved(made));
    trial.compare();
}
