//! How many builds each strategy of `fpgacc tune` takes, on spaces that others measured whole: no board is needed.
//!
//! Designs whose build failed are in none of these tables, so that a search here never meets one.

mod boyi;
mod hub;
mod kept;
mod pruned;
mod report;
mod table;
mod variants;

use std::path::{Path, PathBuf};

use clap::Args;

use super::error::ModelError;
use super::spector;
use kept::Space;
use report::Effort;
use table::{Design, Table};

/// What is replayed.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// A checkout of KastnerRG/spector
    #[arg(long, value_name = "DIR")]
    spector: Option<PathBuf>,
    /// A checkout of jjiantong/Boyi
    #[arg(long, value_name = "DIR", requires = "data")]
    boyi: Option<PathBuf>,
    /// Boyi's measurements
    #[arg(long, value_name = "CSV")]
    data: Option<PathBuf>,
    /// Write the designs with what is predicted of them to FILE, and replay nothing
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Designs that --keep wrote
    #[arg(long, value_name = "FILE")]
    kept: Vec<PathBuf>,
    /// A checkout of AutoTuningAssociation/benchmark_hub
    #[arg(long, value_name = "DIR")]
    hub: Option<PathBuf>,
    #[command(flatten)]
    variants: variants::Measured,
    /// Only spaces whose name begins so
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Searches of each space, each with another seed
    #[arg(long, value_name = "N", default_value_t = 100)]
    seeds: u64,
    /// The most builds of a search
    #[arg(long, value_name = "N", default_value_t = 100)]
    most: usize,
}

/// Replays, and gives the report as text.
///
/// # Errors
/// A file cannot be read or written.
pub fn run(options: &Options) -> Result<String, ModelError> {
    let is_wanted = |name: &str| {
        let only = options.only.as_deref();
        only.is_none_or(|only| name.starts_with(only))
    };
    let mut spaces = Vec::new();
    for file in &options.kept {
        spaces.extend(kept::read(file)?);
    }
    if let Some(checkout) = &options.spector {
        spaces.extend(of_spector(checkout, options.only.as_deref())?);
    }
    if let (Some(checkout), Some(data)) = (&options.boyi, &options.data) {
        let designs = boyi::designs(checkout, data)?.into_iter();
        spaces.extend(designs.map(|(name, designs)| Space {
            set: BOYI.to_string(),
            name,
            designs,
        }));
    }
    spaces.extend(variants::spaces(&options.variants)?);
    spaces.retain(|space| is_wanted(&space.name));
    if let Some(path) = &options.keep {
        kept::write(path, &spaces)?;
        return Ok(format!("{} spaces are kept\n", spaces.len()));
    }
    let effort = Effort {
        seeds: options.seeds,
        most: options.most,
    };
    let mut text = String::new();
    while let Some(first) = spaces.first() {
        let set = first.set.clone();
        let (own, others): (Vec<Space>, Vec<Space>) =
            spaces.into_iter().partition(|space| space.set == set);
        spaces = others;
        let tables = own
            .iter()
            .map(|space| Table::of(&space.name, &space.designs));
        let tables: Vec<Table> = tables.collect();
        text.push_str(&report::text(&set, &tables, effort));
        text.extend(variants::limit(&own, report::FEW));
        text.push_str(&pruned::text(&set, &tables, options.seeds));
        text.push_str(&report::fronts(&set, &tables, options.seeds));
    }
    if let Some(checkout) = &options.hub {
        let mut tables = hub::tables(checkout)?;
        tables.retain(|table| is_wanted(&table.name));
        let title = "benchmark_hub; nothing is predicted";
        text.push_str(&report::blind(title, &tables, effort));
    }
    Ok(text)
}

const SPECTOR: &str =
    "Spector, DE5-Net; constants, launch and clock fitted without the application";
const BOYI: &str = "Boyi, DE5a-Net; constants and clock fitted without the application";

fn of_spector(checkout: &Path, only: Option<&str>) -> Result<Vec<Space>, ModelError> {
    let design = |row: spector::LeftOut| Design {
        knobs: (row.knobs.iter().enumerate())
            .map(|(at, knob)| (format!("{at:02}"), *knob as f64))
            .collect(),
        predicted: row.predicted,
        area: row.area,
        seconds: Some(row.seconds),
        measured_area: Some(row.measured_area),
    };
    let left_out = spector::left_out(checkout, only)?.into_iter();
    let spaces = left_out.map(|(name, rows)| Space {
        set: SPECTOR.to_string(),
        name,
        designs: rows.into_iter().map(design).collect(),
    });
    Ok(spaces.collect())
}
