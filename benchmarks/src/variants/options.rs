//! `fpgacc-bench variants`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::case::Case;
use super::{plan, published, table};
use crate::geometry::kernels::{Data, Entry};

/// What `fpgacc-bench variants` is asked.
#[derive(Args)]
pub struct Options {
    /// The folder that holds the checkouts, each under its repository's name
    #[arg(long, value_name = "DIR", requires = "folder")]
    checkouts: Option<PathBuf>,
    /// The list of kernels [default: benchmarks/space/variants.yaml of this build]
    #[arg(long, value_name = "YAML")]
    kernels: Option<PathBuf>,
    /// The sizes of their data
    #[arg(long, value_enum, default_value = "large")]
    data: Data,
    /// The folder for the variants; the plan that times them is printed
    #[arg(long, value_name = "DIR", requires = "checkouts")]
    folder: Option<PathBuf>,
    /// The widest vectors
    #[arg(long, value_name = "N", default_value_t = 16)]
    widest: u64,
    /// Times that pairs.c printed: tell what is gained
    #[arg(long, value_name = "CSV", conflicts_with = "folder", required_unless_present_any = ["folder", "published"])]
    measured: Option<PathBuf>,
    /// Published times of coarsened kernels on four GPUs: tell what a choice without a run gains
    #[arg(long, value_name = "CSV", conflicts_with_all = ["folder", "measured"])]
    published: Option<PathBuf>,
    /// Only kernels whose program and name contain TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// The list that is used if none is given.
pub fn usual_list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("space/variants.yaml")
}

impl Options {
    /// Prints the plan, or a table.
    ///
    /// # Errors
    ///
    /// What cannot be read, made or written.
    pub fn run(&self) -> Result<bool, String> {
        if let Some(published) = &self.published {
            print!("{}", published::table(published)?);
            return Ok(true);
        }
        let mut entries = Entry::read(self.kernels.as_ref().unwrap_or(&usual_list()))?;
        entries.retain(|entry| entry.is_meant(self.only.as_deref()));
        if let Some(measured) = &self.measured {
            let rows = table::read(measured).map_err(|error| error.to_string())?;
            print!("{}", table::table(&entries, &rows));
            return Ok(true);
        }
        if let (Some(folder), Some(checkouts)) = (&self.folder, &self.checkouts) {
            self.make(&entries, folder, checkouts)?;
        }
        Ok(true)
    }

    fn make(&self, entries: &[Entry], folder: &Path, checkouts: &Path) -> Result<(), String> {
        let failed = |why| format!("{}: {why}", folder.display());
        std::fs::create_dir_all(folder).map_err(failed)?;
        let root = checkouts.display().to_string();
        for entry in entries.iter().flat_map(Entry::in_each_size) {
            let case = Case::read(&entry, self.data, checkouts)?;
            print!("{}", plan::of(&case, self.widest, (&root, folder))?);
        }
        Ok(())
    }
}
