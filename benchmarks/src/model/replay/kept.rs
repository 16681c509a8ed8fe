//! Designs with what is predicted of them, as a table: pricing all of them takes many minutes, and a replay seconds.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::table::Design;
use crate::model::error::ModelError;

/// A space: its set, its name and its designs.
pub struct Space {
    /// What it is one of, such as `Spector`.
    pub set: String,
    /// Its name.
    pub name: String,
    /// Its designs.
    pub designs: Vec<Design>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    set: String,
    space: String,
    /// `name=value`, with semicolons between.
    knobs: String,
    predicted: Option<f64>,
    area: Option<f64>,
    seconds: Option<f64>,
    measured_area: Option<f64>,
}

/// Writes spaces.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, spaces: &[Space]) -> Result<(), ModelError> {
    let mut writer = csv::Writer::from_path(path)?;
    for space in spaces {
        for design in &space.designs {
            let knobs = design.knobs.iter();
            let knobs = knobs.map(|(name, value)| format!("{name}={value}"));
            writer.serialize(Row {
                set: space.set.clone(),
                space: space.name.clone(),
                knobs: knobs.collect::<Vec<_>>().join(";"),
                predicted: design.predicted,
                area: design.area,
                seconds: design.seconds,
                measured_area: design.measured_area,
            })?;
        }
    }
    writer
        .flush()
        .map_err(|error| ModelError::File(path.display().to_string(), error))
}

/// Reads what was written.
///
/// # Errors
/// It is no such file.
pub fn read(path: &Path) -> Result<Vec<Space>, ModelError> {
    let mut spaces: Vec<Space> = Vec::new();
    for row in csv::Reader::from_path(path)?.deserialize() {
        let row: Row = row?;
        let is_own = |space: &Space| space.set == row.set && space.name == row.space;
        if !spaces.last().is_some_and(is_own) {
            spaces.push(Space {
                set: row.set.clone(),
                name: row.space.clone(),
                designs: Vec::new(),
            });
        }
        let space = spaces.last_mut().expect("it was added");
        space.designs.push(Design {
            knobs: knobs(&row.knobs),
            predicted: row.predicted,
            area: row.area,
            seconds: row.seconds,
            measured_area: row.measured_area,
        });
    }
    Ok(spaces)
}

fn knobs(text: &str) -> BTreeMap<String, f64> {
    let each = text.split(';').filter_map(|knob| {
        let (name, value) = knob.rsplit_once('=')?;
        Some((name.to_string(), value.parse().ok()?))
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let design = |seconds| Design {
            knobs: [("family SWI".to_string(), 1.0), ("ul 0".to_string(), 16.0)].into(),
            predicted: Some(0.1 + 0.2),
            area: None,
            seconds,
            measured_area: Some(0.25),
        };
        let space = |name: &str| Space {
            set: "one".to_string(),
            name: name.to_string(),
            designs: vec![design(Some(1e-3)), design(None)],
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("designs.csv");
        write(&path, &[space("a"), space("b")]).unwrap();
        let read = read(&path).unwrap();
        let names: Vec<&str> = read.iter().map(|space| space.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(read[1].designs, space("b").designs);
    }
}
