//! Judging the performance model on measurements of others: kernels from a checkout, measured times
//! from a table, launches from `model/launches.yaml`.

pub mod choices;
mod clock;
mod constants;
mod data;
mod fit;
mod judge;
mod kernels;
mod launches;
mod left_out;
pub mod needleman_wunsch;
mod points;
mod report;
pub mod spector;
pub mod thesis;

use std::path::Path;

pub use judge::{Family, Judgement, judge};
pub use points::Point;

use fpgacc_performance_model::Board;
use points::Subject;

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
    /// A kernel cannot be read.
    #[error("{0}: {1}")]
    Kernel(String, String),
    /// A table of designs is not as expected.
    #[error("{0}: {1}")]
    Matrix(String, String),
    /// The preprocessor cannot be run.
    #[error("{0}")]
    Compiler(#[from] fpgacc_aoc_wrappers::cc::CcError),
}

/// What is judged, and how it is told.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The checkout with the kernels.
    pub checkout: &'a Path,
    /// The table of measurements.
    pub table: &'a Path,
    /// The launches; `None`: those of this source tree.
    pub launches: Option<&'a Path>,
    /// With a line for each point.
    pub rows: bool,
    /// Instead, all that is predicted of the point with this name.
    pub explain: Option<&'a str>,
    /// Also fit the constants anew, to all applications and to all but one.
    pub fit: bool,
}

/// Predicts every measured point of the table whose kernel is in the checkout, and gives the report as
/// text.
///
/// # Errors
/// A file cannot be read.
pub fn run(request: &Request<'_>) -> Result<String, ModelError> {
    let launches = launches::read(request.launches)?;
    let mut measured = data::read(request.table)?;
    if let Some(name) = request.explain {
        measured.retain(|m| format!("{} {} {}", m.app, m.model, m.variant) == name);
    }
    let board = points::board(&launches)?;
    let subjects = points::read_all(request.checkout, &launches, &measured)?;
    let points = predict_all(&subjects, &board);
    if request.explain.is_some() {
        return Ok(points.iter().map(|point| format!("{point:#?}\n")).collect());
    }
    let mut text = report::render(&points, &judge(&points), request.rows);
    if request.fit {
        text.push_str(&left_out::report(&subjects, &board, request.rows));
    }
    Ok(text)
}

fn predict_all(subjects: &[Subject], board: &Board) -> Vec<Point> {
    subjects
        .iter()
        .map(|subject| subject.predict(board))
        .collect()
}
