//! A table of measured points (Boyi's), predicted and judged.

use std::path::Path;

use super::cases::{Case, Said};
use super::error::ModelError;
use super::judge::judge;
use super::points::predict_all;
use super::{data, launches, left_out, points, report};

/// What is judged, and how it is reported.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The checkout with the kernels.
    pub checkout: &'a Path,
    /// The table of measurements.
    pub table: &'a Path,
    /// The launches; `None`: those of this source tree.
    pub launches: Option<&'a Path>,
    /// The designs whose kernels channels connect, in the place of all others.
    pub channels: bool,
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
    if request.channels {
        measured.retain(data::Measured::has_channels);
    }
    let board = points::board(&launches)?;
    let subjects = points::read_all(request.checkout, &launches, &measured, request.channels)?;
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

/// All times of the table that can be predicted.
///
/// # Errors
/// A file cannot be read.
pub fn cases(checkout: &Path, table: &Path) -> Result<Vec<Case>, ModelError> {
    let launches = launches::read(None)?;
    let board = points::board(&launches)?;
    let subjects = points::read_all(checkout, &launches, &data::read(table)?, false)?;
    let case = |points::Subject { measured, kernel }| {
        let ready = kernel.ok()?;
        Some(Case {
            set: "Boyi",
            application: measured.app.to_lowercase(),
            board: board.clone(),
            seconds: measured.ms / 1e3,
            mhz: measured.clk_mhz,
            predict: Box::new(move |board| {
                let said = ready.predict(board);
                Said {
                    seconds: said.seconds,
                    causes: Some(said.program.penalty_causes),
                }
            }),
        })
    };
    Ok(subjects.into_iter().filter_map(case).collect())
}
