//! `fpgacc-bench counters`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::counted::Counted;
use super::judge::{self, Totals};
use super::record;
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
    /// A folder of facts of the kernels, as --once makes them: what they showed counts beside the kernels' texts
    #[arg(long, value_name = "FOLDER")]
    recorded: Option<PathBuf>,
    /// The program of benchmarks/counters/once.c: run each kernel with it under `fpgacc trace --accesses`, and keep the
    /// facts in the folder of --recorded
    #[arg(long, value_name = "PROGRAM", requires = "recorded")]
    once: Option<PathBuf>,
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
        entries.retain(|entry| entry.is_meant(self.only.as_deref()));
        if let (Some(once), Some(folder)) = (&self.once, &self.recorded) {
            return self.record(&entries, once, folder);
        }
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
            let facts = match &self.recorded {
                Some(folder) => record::recorded(entry, folder)?,
                None => None,
            };
            let seen = judge::Scene {
                root: &self.checkouts,
                device: &device,
                facts: facts.as_ref(),
            };
            let found = judge::findings(entry, self.data, counted, &seen)?;
            print!("{}", totals.add(entry, counted, &found));
        }
        print!("{totals}");
        Ok(true)
    }

    /// Records a run of each kernel. Those that fail are reported.
    fn record(&self, entries: &[Entry], once: &Path, folder: &Path) -> Result<bool, String> {
        let whole = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let (once, root, folder) = (whole(once)?, whole(&self.checkouts)?, whole(folder)?);
        let mut is_whole = true;
        for entry in entries {
            if let Err(error) = record::record(entry, self.data, &root, &once, &folder) {
                eprintln!("{error}");
                is_whole = false;
            }
        }
        Ok(is_whole)
    }
}
