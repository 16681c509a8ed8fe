//! All measurements that the model is judged by, together (docs/model-evaluation.md).

use std::path::Path;

use super::error::ModelError;
use super::{blind, boyi, clocks, joint, needleman_wunsch, pairs, spector};

/// Where the measurements are; what is left out is not judged.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// A checkout of jjiantong/Boyi, and the table of its measurements.
    pub boyi: Option<(&'a Path, &'a Path)>,
    /// A checkout of KastnerRG/spector.
    pub spector: Option<&'a Path>,
    /// A checkout of cabreraam/iwocl2019_artifacts.
    pub needleman_wunsch: Option<&'a Path>,
    /// A folder with the checkouts that `model/blind.yaml` names.
    pub blind: Option<&'a Path>,
    /// Times of an application and set that have a part.
    pub most: usize,
    /// Only their clocks, and how far off these are.
    pub clocks: bool,
}

/// Fits the model to all of them, and to all but each application, which is then predicted. Intel's pairs are always there.
///
/// # Errors
/// A file cannot be read.
pub fn run(request: &Request<'_>) -> Result<String, ModelError> {
    let mut cases = pairs::cases()?;
    if let Some((checkout, table)) = request.boyi {
        cases.extend(boyi::cases(checkout, table)?);
    }
    if let Some(checkout) = request.spector {
        cases.extend(spector::cases(checkout, request.most)?);
    }
    if let Some(checkout) = request.needleman_wunsch {
        cases.extend(needleman_wunsch::cases(checkout)?);
    }
    if let Some(checkouts) = request.blind {
        cases.extend(blind::cases(checkouts)?);
    }
    Ok(match request.clocks {
        true => clocks::report(&cases, request.most),
        false => joint::report(&cases, request.most),
    })
}
