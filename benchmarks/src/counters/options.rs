//! `fpgacc-bench counters`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::counted::Counted;
use super::judge::{self, Totals};
use crate::geometry::device;
use crate::geometry::kernels::{Data, Entry};

/// What `fpgacc-bench counters` is asked.
#[derive(Args)]
pub struct Options {
    /// The folder that holds the checkouts, each under its repository's name
    #[arg(long, value_name = "DIR")]
    checkouts: PathBuf,
    /// Lists of kernels [default: benchmarks/geometry/kernels.yaml and benchmarks/counters/kernels.yaml of this build]
    #[arg(long, value_name = "YAML")]
    kernels: Vec<PathBuf>,
    /// The sizes of their data
    #[arg(long, value_enum, default_value = "small")]
    data: Data,
    /// What was counted; without it the plan is printed
    #[arg(long, value_name = "CSV")]
    measured: Option<PathBuf>,
    /// The device's name, or its file
    #[arg(long, value_name = "DEVICE", default_value = "h200")]
    device: String,
    /// Only kernels whose program and name contain TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Options {
    /// Prints the plan, or a line a kernel and what differs.
    ///
    /// # Errors
    ///
    /// What cannot be read.
    pub fn run(&self) -> Result<bool, String> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let usual = ["geometry/kernels.yaml", "counters/kernels.yaml"].map(|name| own.join(name));
        let lists = match self.kernels.is_empty() {
            true => &usual[..],
            false => &self.kernels,
        };
        let mut entries = Vec::new();
        for list in lists {
            entries.extend(Entry::read(list)?);
        }
        entries.retain(|entry| {
            let name = format!("{} {}", entry.program, entry.kernel);
            self.only
                .as_ref()
                .is_none_or(|text| name.contains(text.as_str()))
        });
        let Some(measured) = &self.measured else {
            let root = self.checkouts.display().to_string();
            for entry in &entries {
                print!("{}", entry.plan(&root, self.data));
            }
            return Ok(true);
        };
        let measured = Counted::read(measured).map_err(|error| error.to_string())?;
        let device = device::find(&self.device)?;
        let mut totals = Totals::default();
        for entry in &entries {
            let Some(counted) = measured.get(&(entry.program.clone(), entry.kernel.clone())) else {
                println!("{} {}: not measured", entry.program, entry.kernel);
                continue;
            };
            let found = judge::findings(entry, self.data, counted, &self.checkouts, &device)?;
            print!("{}", totals.add(entry, counted, &found));
        }
        print!("{totals}");
        Ok(true)
    }
}
