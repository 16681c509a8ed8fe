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

/// Kernels that see nothing of their work-groups, in work-groups that the host does not ask for.
const REGROUPED: &str = "
__kernel void sums(__global int *out, __global const int *in, int n)
{
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += in[(at + i * n) & 127] * (i + (int)get_global_id(1));
    out[at] = sum;
}

__kernel void copies(__global int *out, __global const int *in, int n)
{
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    if (in[at] > 50)
        out[at] = in[at] + n;
}
";

#[test]
fn merged_in_work_groups_that_are_chosen_they_compute_the_same_bytes() {
    let kernels = ["sums", "copies"];
    let mut original = Job::new(REGROUPED);
    let input = original.buffer(128 * 4, Fill::ints(7, 0, 100));
    for kernel in kernels {
        // The host's own work-groups do not divide.
        let geometry = Geometry::range(&[16, 8], &[1, 1]);
        let out = original.buffer(128 * 4, Fill::Zero);
        original.launch(kernel, geometry, [out, input.clone(), Arg::int(1)]);
    }
    certify(&original).unwrap_or_else(|error| panic!("{error}"));
    let ways = [
        (None, Some("0:2")),
        (None, Some("0:4:local")),
        (None, Some("1:2")),
        (Some(4), None),
        (Some(2), Some("1:2")),
        (None, Some("0:2:2")),
    ];
    for (number, (lanes, how)) in ways.into_iter().enumerate() {
        let rewrites = Rewrites::Regrouped(lanes, how.map(str::to_string));
        let options = PassOptions::default();
        let made = rewrite(&original, |_| Knowledge::All, &rewrites, &options)
            .unwrap_or_else(|error| panic!("{rewrites}: {error}"));
        for kernel in kernels {
            let contract = &made.contracts[kernel];
            let is_both = contract.coarsened().is_some() && contract.local_sizes.len() == 1;
            assert!(is_both, "{rewrites}: {kernel}: {:?}", made.remarks);
        }
        for launch in &made.job.launches {
            let Geometry::Range { global, local, .. } = &launch.geometry else {
                panic!("{rewrites}: no range");
            };
            let items = global.iter().product::<u64>();
            assert!(
                items < 128 && local.iter().product::<u64>() > 1,
                "{local:?}"
            );
        }
        let emulator = Platform::EMULATORS[number % 2];
        let platforms = [Platform::Oclgrind, emulator];
        if let Err(difference) = same(&original, &made.job, &platforms, &Bound::Exact) {
            panic!("{rewrites}: {difference}");
        }
    }
}
