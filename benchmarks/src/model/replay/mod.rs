//! How many builds each strategy of `fpgacc tune` takes, on spaces that others measured whole: no board is needed.
//!
//! Designs whose build failed are in none of these tables, so that a search here never meets one.

mod boyi;
mod hub;
mod report;
mod rows;
mod table;

use std::path::PathBuf;

use clap::Args;

use super::error::ModelError;
use super::spector;
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
    /// A checkout of AutoTuningAssociation/benchmark_hub
    #[arg(long, value_name = "DIR")]
    hub: Option<PathBuf>,
    /// Instead, what `spector --rows` or `model --rows [--fit]` printed into FILE
    #[arg(long, value_name = "FILE")]
    rows: Vec<PathBuf>,
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
/// A file cannot be read.
pub fn run(options: &Options) -> Result<String, ModelError> {
    let mut text = String::new();
    let mut add = |title: &str, tables: Vec<Table>| {
        let is_wanted = |table: &Table| {
            let only = options.only.as_deref();
            only.is_none_or(|only| table.name.starts_with(only))
        };
        let wanted: Vec<Table> = tables.into_iter().filter(is_wanted).collect();
        text.push_str(&report::text(title, &wanted, options.seeds, options.most));
    };
    for file in &options.rows {
        add(&file.display().to_string(), rows::tables(file)?);
    }
    if let Some(checkout) = &options.spector {
        let designs = spector::left_out(checkout, options.only.as_deref())?;
        let tables = designs.iter().map(|(name, rows)| {
            let designs: Vec<Design> = rows.iter().map(of_spector).collect();
            Table::of(name, &designs)
        });
        add(
            "Spector, DE5-Net; the clock's slopes fitted without the application",
            tables.collect(),
        );
    }
    if let (Some(checkout), Some(data)) = (&options.boyi, &options.data) {
        let tables = boyi::tables(checkout, data)?;
        add(
            "Boyi, DE5a-Net; constants fitted without the application",
            tables,
        );
    }
    if let Some(checkout) = &options.hub {
        add(
            "benchmark_hub; nothing is predicted",
            hub::tables(checkout)?,
        );
    }
    Ok(text)
}

fn of_spector(row: &spector::LeftOut) -> Design {
    let knobs = row.knobs.iter().enumerate();
    Design {
        knobs: knobs
            .map(|(at, knob)| (format!("{at:02}"), *knob as f64))
            .collect(),
        predicted: row.predicted,
        area: row.area,
        seconds: Some(row.seconds),
    }
}
