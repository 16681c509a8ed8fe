//! Judging the performance model on measurements of others: kernels from a checkout, measured times
//! from a table, launches from `model/launches.yaml`.

mod data;
mod judge;
mod launches;
mod points;
mod report;

use std::path::Path;

pub use judge::{Family, Judgement, judge};
pub use points::Point;

/// Why the model could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file cannot be read.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// The table is not as expected.
    #[error("{0}")]
    Table(#[from] csv::Error),
    /// The launches are not as expected.
    #[error("{0}: {1}")]
    Launches(String, serde_yaml::Error),
    /// There is no such board.
    #[error("no board has the name '{0}'")]
    Board(String),
    /// The preprocessor cannot be run.
    #[error("{0}")]
    Compiler(#[from] fpgacc_aoc_wrappers::cc::CcError),
}

/// Predicts every measured point of the table whose kernel is under `checkout`, and gives the report as
/// text. `rows`: with a line for each point. `explain`: instead, all that is predicted of one point.
///
/// # Errors
/// A file cannot be read.
pub fn run(
    checkout: &Path,
    table: &Path,
    rows: bool,
    explain: Option<&str>,
) -> Result<String, ModelError> {
    let launches = launches::read()?;
    let mut measured = data::read(table)?;
    if let Some(name) = explain {
        measured.retain(|m| format!("{} {} {}", m.app, m.model, m.variant) == name);
    }
    let points = points::predict_all(checkout, &launches, &measured)?;
    if explain.is_some() {
        return Ok(points.iter().map(|point| format!("{point:#?}\n")).collect());
    }
    let judgement = judge(&points);
    Ok(report::render(&points, &judgement, rows))
}
