//! The brute-forced spaces of AutoTuningAssociation/benchmark_hub, in Kernel Tuner's T4 format.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use libflate::gzip::Decoder;
use serde::Deserialize;

use super::table::{Design, Table};
use crate::model::error::ModelError;

#[derive(Deserialize)]
struct Results {
    results: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    configuration: BTreeMap<String, f64>,
    invalidity: String,
    #[serde(default)]
    measurements: Vec<Measured>,
}

#[derive(Deserialize)]
struct Measured {
    name: String,
    value: serde_json::Value,
}

/// All spaces below `cachefiles`, by kernel and device, and those that the hub keeps for later. Files that are only pointers
/// to a large store are left out.
pub fn tables(checkout: &Path) -> Result<Vec<Table>, ModelError> {
    let fault = |path: &Path, e| ModelError::File(path.display().to_string(), e);
    let folder = checkout.join("cachefiles");
    let kernels = fs::read_dir(&folder).map_err(|e| fault(&folder, e))?;
    let later = fs::read_dir(checkout.join("currently_unused/cachefiles"));
    let kernels = kernels
        .flatten()
        .chain(later.into_iter().flatten().flatten());
    let mut files: Vec<PathBuf> = Vec::new();
    for kernel in kernels {
        let inside = fs::read_dir(kernel.path()).map_err(|e| fault(&kernel.path(), e))?;
        files.extend(inside.flatten().map(|entry| entry.path()));
    }
    files.retain(|path| !is_pointer(path));
    files.retain(|path| path.to_string_lossy().ends_with("_T4.json.gz"));
    files.sort();
    files.iter().map(|path| table(path)).collect()
}

/// Whether a file only names what Git LFS keeps elsewhere.
fn is_pointer(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"version https://git-lfs"))
}

fn table(path: &Path) -> Result<Table, ModelError> {
    let name = path.display().to_string();
    let fault = |e| ModelError::File(name.clone(), e);
    let file = File::open(path).map_err(fault)?;
    let text = Decoder::new(file).map_err(fault)?;
    let read: Results = serde_json::from_reader(text)
        .map_err(|error| ModelError::Matrix(name.clone(), error.to_string()))?;
    let design = |one: One| {
        let time = one
            .measurements
            .iter()
            .find(|measured| measured.name == "time");
        let seconds = time.and_then(|time| time.value.as_f64());
        Design {
            knobs: one.configuration,
            predicted: None,
            area: None,
            seconds: seconds.filter(|_| one.invalidity == "correct"),
            measured_area: None,
        }
    };
    let designs: Vec<Design> = read.results.into_iter().map(design).collect();
    let kernel = path.parent().and_then(Path::file_name).unwrap_or_default();
    let device = path.file_name().unwrap_or_default().to_string_lossy();
    let device = device.trim_end_matches("_T4.json.gz");
    Ok(Table::of(
        &format!("{} {device}", kernel.to_string_lossy()),
        &designs,
    ))
}
