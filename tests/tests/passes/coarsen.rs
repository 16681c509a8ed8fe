//! Merged work-items and groups leave results as they are: every kernel, in every way, on the emulators.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::run::Platform;

const KERNELS: [&str; 4] = ["ids", "across", "loops", "leave"];
const WAYS: [&str; 9] = [
    "0:2",
    "0:4:local",
    "0:2:2",
    "1:2",
    "1:4",
    "1:2:local",
    "0:2:1:groups",
    "1:2:local:groups",
    "1:2:1:groups",
];

fn job() -> Job {
    let mut job = Job::new(include_str!("coarsen.cl"));
    let input = job.buffer(128 * 4, Fill::ints(7, 0, 100));
    for kernel in KERNELS {
        let out = job.buffer(128 * 4, Fill::Zero);
        let geometry = Geometry::offset_range(&[3, 5], &[16, 8], &[8, 4]);
        job.launch(kernel, geometry, [out, input.clone(), Arg::int(1)]);
    }
    job
}

#[test]
fn coarsened_kernels_compute_the_same_bytes() {
    let original = job();
    certify(&original).unwrap_or_else(|error| panic!("{error}"));
    let options = PassOptions::default();
    for (number, how) in WAYS.into_iter().enumerate() {
        let knowledge = [Knowledge::Nothing, Knowledge::Local, Knowledge::All][number % 3];
        let rewrites = Rewrites::Coarsened(how.to_string());
        let made = rewrite(&original, |_| knowledge, &rewrites, &options)
            .unwrap_or_else(|error| panic!("{how}: {error}"));
        for kernel in KERNELS {
            let coarsened = made.contracts[kernel].coarsened();
            assert!(coarsened.is_some(), "{how}: {kernel}: {:?}", made.remarks);
        }
        // Building takes the emulators long.
        let emulator = Platform::EMULATORS[number % 2];
        let platforms = [Platform::Oclgrind, emulator];
        if let Err(difference) = same(&original, &made.job, &platforms, &Bound::Exact) {
            panic!("{how}: {difference}");
        }
    }
}
