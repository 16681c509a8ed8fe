//! Jobs with their kernels in single work-item form.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::NDRANGE_TO_LOOP;
use fpgacc_tests::job::{Geometry, Job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};

/// The job with every kernel that it launches in single work-item form, or why there is none.
pub fn as_tasks(job: &Job, knowledge: Knowledge) -> Result<Job, String> {
    let alone = Rewrites::Only(NDRANGE_TO_LOOP.to_string());
    let made = rewrite(job, |_| knowledge, &alone, &PassOptions::default());
    let made = made.map_err(|error| error.to_string())?;
    let mut launches = made.job.launches.iter();
    match launches.find(|launch| launch.geometry != Geometry::Task) {
        None => Ok(made.job),
        Some(launch) => Err(format!("'{}': {:?}", launch.kernel, made.remarks)),
    }
}
