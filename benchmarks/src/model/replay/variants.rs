//! Vectors, coarsening and work-groups of kernels, all variants measured on a GPU or processor
//! (`benchmarks/space/variants_h100.csv`), each predicted by the model that chooses sizes of work-groups.

use std::path::Path;

use fpgacc_gpu_model::device::Device;

use super::kept::Space;
use super::table::Design;
use crate::geometry::device;
use crate::geometry::kernels::{Data, Entry};
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
