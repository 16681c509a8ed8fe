//! Vectors, coarsening and work-groups of kernels, all variants measured on a GPU or processor
//! (`benchmarks/space/variants_h100.csv`), each predicted by the model that chooses sizes of work-groups.

use std::path::Path;

use fpgacc_gpu_model::device::Device;

use super::kept::Space;
use super::table::Design;
use crate::geometry::device;
use crate::geometry::kernels::{Data, Entry};
use crate::means::geometric_mean;
use crate::model::error::ModelError;
use crate::variants::case::Case;
use crate::variants::space::Point;
use crate::variants::{Row, read, usual_list};

/// What was measured.
#[derive(clap::Args, Clone, Debug)]
pub struct Measured {
    /// Vectors, coarsening and work-groups as measured: benchmarks/space/variants_h100.csv
    #[arg(long, value_name = "CSV", requires = "checkouts")]
    variants: Option<std::path::PathBuf>,
    /// The folder that holds the checkouts of these kernels, each under its repository's name
    #[arg(long, value_name = "DIR")]
    checkouts: Option<std::path::PathBuf>,
    /// The sizes of their data
    #[arg(long, value_enum, default_value = "large")]
    sizes: Data,
    /// The device that they were measured on
    #[arg(long, value_name = "DEVICE", default_value = "h100")]
    device: String,
}

/// A space for each kernel that was measured.
pub fn spaces(options: &Measured) -> Result<Vec<Space>, ModelError> {
    let (Some(table), Some(checkouts)) = (&options.variants, &options.checkouts) else {
        return Ok(Vec::new());
    };
    let fault = |why| ModelError::Kernel(table.display().to_string(), why);
    let rows = read(table)?;
    let device = device::find(&options.device).map_err(fault)?;
    let entries = Entry::read(&usual_list()).map_err(fault)?;
    let mut spaces = Vec::new();
    for entry in &entries {
        let own = rows.iter().filter(|row| row.kernel == entry.kernel);
        let own: Vec<&Row> = own.filter(|row| row.is_right).collect();
        if own.is_empty() {
            continue;
        }
        let designs = designs(entry, options.sizes, checkouts, (&device, &own)).map_err(fault)?;
        spaces.push(Space {
            set: format!("Vectors, coarsening and work-groups, {}", device.title),
            name: entry.kernel.clone(),
            designs,
        });
    }
    Ok(spaces)
}

/// The knob that says whether merged work-items lie apart, which mostly makes no difference.
const FAR: &str = "far";

/// What may be found at most with so few of the variants, if what is measured twice is not the same: each is predicted by the
/// measured time of its twin, in which merged work-items lie the other way. `None`: these are no such variants.
pub fn limit(spaces: &[Space], few: usize) -> Option<String> {
    let speeds: Vec<f64> = spaces
        .iter()
        .filter_map(|space| of_twins(space, few))
        .collect();
    (!speeds.is_empty()).then(|| {
        let mean = geometric_mean(speeds.into_iter());
        format!(
            "after one design in {few}, each predicted by the measured time of its twin: {:.1} %\n",
            100.0 * mean
        )
    })
}

fn of_twins(space: &Space, few: usize) -> Option<f64> {
    let is_twin = |a: &Design, b: &Design| {
        let others = |design: &Design| {
            let mut knobs = design.knobs.clone();
            knobs.remove(FAR).map(|far| (knobs, far))
        };
        let (a, b) = (others(a), others(b));
        a.zip(b)
            .is_some_and(|((a, far), (b, other))| a == b && far != other)
    };
    let timed = |design: &Design| {
        let twin = space.designs.iter().find(|other| is_twin(design, other));
        Some((twin.unwrap_or(design).seconds?, design.seconds?))
    };
    if !space
        .designs
        .iter()
        .any(|design| design.knobs.contains_key(FAR))
    {
        return None;
    }
    let mut all: Vec<(f64, f64)> = space.designs.iter().filter_map(timed).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let least = |part: &[(f64, f64)]| part.iter().map(|one| one.1).fold(f64::INFINITY, f64::min);
    Some(least(&all) / least(&all[..all.len().div_ceil(few)]))
}

fn designs(
    entry: &Entry,
    data: Data,
    checkouts: &Path,
    (device, rows): (&Device, &[&Row]),
) -> Result<Vec<Design>, String> {
    let mut designs = Vec::new();
    for entry in entry.in_each_size() {
        let case = Case::read(&entry, data, checkouts)?;
        let is_own = |point: &Point| Some(&point.local) == entry.local.as_ref();
        for row in rows.iter().filter(|row| is_own(&row.point)) {
            let made = case.make(&row.point)?;
            designs.push(Design {
                knobs: row.point.knobs(),
                predicted: made.and_then(|made| case.seconds(&made, device)),
                area: None,
                seconds: Some(row.after * 1e-6),
                measured_area: None,
            });
        }
    }
    Ok(designs)
}
