//! Tables of what `fpgacc-bench spector --rows` and `model --rows` printed: replays take seconds then, and pricing all
//! designs minutes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::boyi;
use super::table::{Design, Table};
use crate::model::error::ModelError;

/// The tables of a file. Of a design that is told twice, as `--fit` does, the last counts: it is predicted with constants that
/// were fitted without its application.
pub fn tables(path: &Path) -> Result<Vec<Table>, ModelError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|e| ModelError::File(name, e))?;
    let mut applications: BTreeMap<String, BTreeMap<String, Design>> = BTreeMap::new();
    for line in text.lines() {
        let read = spector(line).or_else(|| of_boyi(line));
        if let Some((application, name, design)) = read {
            applications
                .entry(application)
                .or_default()
                .insert(name, design);
        }
    }
    let tables = applications.iter().map(|(name, designs)| {
        let designs: Vec<&Design> = designs.values().collect();
        Table::of(name, &designs)
    });
    Ok(tables.collect())
}

/// `mm         2,1,1  2014.7162 ms 2131.2746 ms   1.06 | 263  252 MHz | ..`
fn spector(line: &str) -> Option<(String, String, Design)> {
    let (timed, _) = line.split_once(" | ")?;
    let words: Vec<&str> = timed.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "ms")?;
    let [knobs, seconds] = words.get(at.checked_sub(2)?..at)? else {
        return None;
    };
    let predicted: f64 = words.get(at + 1)?.parse().ok()?;
    let numbers: Option<Vec<f64>> = knobs.split(',').map(|knob| knob.parse().ok()).collect();
    let all = numbers?.into_iter().enumerate();
    let design = Design {
        knobs: all.map(|(at, knob)| (format!("{at:02}"), knob)).collect(),
        predicted: Some(predicted * 1e-3),
        area: None,
        seconds: Some(seconds.parse::<f64>().ok()? * 1e-3),
    };
    Some((words[..at - 2].join(" "), (*knobs).to_string(), design))
}

/// `BFS  NDRange cu2   1127.565   1113.184   0.99   222   224 ..`
fn of_boyi(line: &str) -> Option<(String, String, Design)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [application, family, variant, measured, predicted, ..] = words[..] else {
        return None;
    };
    if !matches!(family, "NDRange" | "SWI") {
        return None;
    }
    let design = Design {
        knobs: boyi::knobs(family, variant),
        predicted: Some(predicted.parse::<f64>().ok()? * 1e-3),
        area: None,
        seconds: Some(measured.parse::<f64>().ok()? * 1e-3),
    };
    Some((
        application.to_string(),
        format!("{family} {variant}"),
        design,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_are_read() {
        let line = "spmv 0.6%  2,1,4   0.0425 ms    0.0623 ms   1.47 |  263  234 MHz | 1 2 ALM";
        let (application, name, design) = spector(line).unwrap();
        assert_eq!(
            (application.as_str(), name.as_str()),
            ("spmv 0.6%", "2,1,4")
        );
        assert_eq!(
            (design.seconds, design.predicted),
            (Some(0.0425e-3), Some(0.0623e-3))
        );
        assert_eq!(design.knobs.len(), 3);
        let line = "BFS  NDRange atomic-1_cu2    681.164     597.347   0.88    235    225";
        let (application, name, design) = of_boyi(line).unwrap();
        assert_eq!(
            (application.as_str(), name.as_str()),
            ("BFS", "NDRange atomic-1_cu2")
        );
        assert_eq!(design.seconds, Some(0.681164));
        assert!(spector("").is_none() && of_boyi("BFS 1.2 3 4 5 6").is_none());
    }
}
