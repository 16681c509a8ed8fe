//! The times that `benchmarks/geometry/runner.c` prints.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    program: String,
    kernel: String,
    local: String,
    median_us: f64,
    least_us: f64,
}

/// The times of one kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Median times in microseconds, by local size.
    pub shapes: BTreeMap<[u64; 3], f64>,
    /// The time where the local size is left open.
    pub open: Option<f64>,
    /// Registers of a work-item, if the device's compiler states them.
    pub registers: u32,
    /// Work-items of the largest group.
    pub most: u64,
}

impl Measured {
    /// Reads the table: times by program and kernel.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<BTreeMap<(String, String), Self>, csv::Error> {
        let mut all: BTreeMap<(String, String), Self> = BTreeMap::new();
        for row in csv::Reader::from_path(path)?.deserialize() {
            let row: Row = row?;
            let times = all.entry((row.program, row.kernel)).or_default();
            match row.local.as_str() {
                "null" => times.open = Some(row.median_us),
                "info" => {
                    times.registers = row.median_us as u32;
                    times.most = row.least_us as u64;
                }
                shape => {
                    let sizes: Vec<u64> = shape.split('x').filter_map(|s| s.parse().ok()).collect();
                    if let Ok(sizes) = sizes.try_into() {
                        times.shapes.insert(sizes, row.median_us);
                    }
                }
            }
        }
        Ok(all)
    }

    /// The fastest shape and its time.
    pub fn best(&self) -> Option<([u64; 3], f64)> {
        let all = self.shapes.iter().map(|(shape, time)| (*shape, *time));
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}
