//! All measurements that the model is judged by, in one report (docs/model-evaluation.md).

use std::fmt::Write;
use std::path::Path;

use super::error::ModelError;
use super::{boyi, needleman_wunsch, spector};

/// Where the measurements are; what is left out is not judged.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// A checkout of jjiantong/Boyi, and the table of its measurements.
    pub boyi: Option<(&'a Path, &'a Path)>,
    /// A checkout of KastnerRG/spector.
    pub spector: Option<&'a Path>,
    /// Of Spector, one design in so many.
    pub every: usize,
    /// A checkout of cabreraam/iwocl2019_artifacts.
    pub needleman_wunsch: Option<&'a Path>,
}

/// Judges the model on all of them. Of Boyi's applications, each is also predicted with constants, slopes of the clock and a
/// scale that are fitted to the others.
///
/// # Errors
/// A file cannot be read.
pub fn run(request: &Request<'_>) -> Result<String, ModelError> {
    let mut text = String::new();
    if let Some((checkout, table)) = request.boyi {
        let boyi = boyi::Request {
            checkout,
            table,
            launches: None,
            rows: false,
            explain: None,
            fit: true,
        };
        let _ = writeln!(
            text,
            "Boyi's applications on a DE5a-Net\n{}",
            boyi::run(&boyi)?
        );
    }
    if let Some(checkout) = request.spector {
        let spaces = spector::Request {
            checkout,
            only: None,
            every: request.every,
            rows: false,
            fit: true,
            explain: None,
        };
        let _ = writeln!(text, "Spector on a DE5-Net\n{}", spector::run(&spaces)?);
    }
    if let Some(checkout) = request.needleman_wunsch {
        let versions = needleman_wunsch::run(checkout, None)?;
        let _ = writeln!(text, "Needleman-Wunsch on an Arria 10\n{versions}");
    }
    let _ = writeln!(
        text,
        "Intervals and pairs that are published: cargo test -p fpgacc-performance-model --test ii"
    );
    Ok(text)
}
