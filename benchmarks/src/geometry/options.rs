//! `fpgacc-bench geometry`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::device;
use super::fit::leave_one_out;
use super::judge::Case;
use super::kernels::{Data, Entry};
use super::measured::Measured;
use super::table::table;

/// What `fpgacc-bench geometry` is asked.
#[derive(Args)]
pub struct Options {
    /// The folder that holds the checkouts, each under its repository's name
    #[arg(long, value_name = "DIR")]
    checkouts: PathBuf,
    /// The list of kernels [default: benchmarks/geometry/kernels.yaml of this build]
    #[arg(long, value_name = "YAML")]
    kernels: Option<PathBuf>,
    /// The sizes of their data
    #[arg(long, value_enum, default_value = "large")]
    data: Data,
    /// The runner's times; without them the plan is printed
    #[arg(long, value_name = "CSV")]
    measured: Option<PathBuf>,
    /// The device's name, or its file
    #[arg(long, value_name = "DEVICE", default_value = "h200")]
    device: String,
    /// Fit constants of the device to all programs but one, and judge that one
    #[arg(long, requires = "measured")]
    fit: bool,
    /// Only kernels whose program and name contain TEXT, with all parts of the prediction
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Options {
    /// Prints the plan, or the table.
    ///
    /// # Errors
    ///
    /// What cannot be read.
    pub fn run(&self) -> Result<bool, String> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("geometry/kernels.yaml");
        let kernels = Entry::read(self.kernels.as_deref().unwrap_or(&own))?;
        let Some(measured) = &self.measured else {
            let root = self.checkouts.display().to_string();
            for entry in &kernels {
                print!("{}", entry.plan(&root, self.data));
            }
            return Ok(true);
        };
        let measured = Measured::read(measured).map_err(|e| e.to_string())?;
        let device = device::find(&self.device)?;
        let mut cases = Vec::new();
        for entry in &kernels {
            let is_meant = entry.is_meant(self.only.as_deref());
            let times = measured.get(&(entry.program.clone(), entry.kernel.clone()));
            if let (true, Some(times)) = (is_meant, times) {
                cases.push(Case::read(entry, self.data, times, &self.checkouts)?);
            }
        }
        let all = match self.fit {
            false => cases
                .iter()
                .filter_map(|case| case.judge(&device))
                .collect(),
            true => {
                let programs = leave_one_out(&cases, &device);
                for (program, _) in &programs {
                    println!("{program}");
                }
                programs
                    .into_iter()
                    .flat_map(|(_, own)| own)
                    .collect::<Vec<_>>()
            }
        };
        print!("{}", table(&all, self.only.is_some()));
        Ok(true)
    }
}
