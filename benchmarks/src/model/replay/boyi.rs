//! Boyi's applications, each predicted with constants that were fitted without it.

use std::collections::BTreeMap;
use std::path::Path;

use fpgacc_performance_model::Board;

use super::table::Design;
use crate::model::error::ModelError;
use crate::model::points::{Subject, read_all};
use crate::model::{data, launches, left_out, points};

/// Designs of an application whose times constants are fitted to, evenly spread.
const FITTED: usize = 15;

/// Each application with its NDRanges and single work-items; those with channels are not read.
pub fn designs(checkout: &Path, csv: &Path) -> Result<Vec<(String, Vec<Design>)>, ModelError> {
    let launches = launches::read(None)?;
    let measured = data::read(csv)?;
    let board = points::board(&launches)?;
    let subjects = read_all(checkout, &launches, &measured, false)?;
    let read: Vec<Subject> = subjects
        .into_iter()
        .filter(|one| one.kernel.is_ok())
        .collect();
    let boards = left_out::boards(&read, &board, FITTED);
    let all = |(name, board): &(String, _)| {
        let own = read.iter().filter(|one| one.measured.app == *name);
        (name.clone(), own.map(|one| design(one, board)).collect())
    };
    Ok(boards.iter().map(all).collect())
}

fn design(subject: &Subject, board: &Board) -> Design {
    let predicted = subject.kernel.as_ref().ok();
    let predicted = predicted.map(|ready| ready.predict(board));
    let part = |alut: f64| alut / board.device.alut;
    Design {
        knobs: knobs(&subject.measured.model, &subject.measured.variant),
        predicted: predicted.as_ref().map(|one| one.seconds.value),
        area: (predicted.as_ref())
            .map(|one| part(board.interface.alut + one.program.area.alut.value)),
        seconds: Some(subject.measured.ms / 1e3),
        measured_area: subject.measured.alut.map(part),
    }
}

/// What the name of a variant says: `atomic-1_ul10-1_cu2`. The number of a knob is the first after its name; of one without a
/// number it is 1.
pub fn knobs(family: &str, variant: &str) -> BTreeMap<String, f64> {
    let mut knobs = BTreeMap::from([(format!("family {family}"), 1.0)]);
    for word in variant.split('_').filter(|word| !word.is_empty()) {
        let mut numbers = word
            .split(|c: char| !c.is_ascii_digit())
            .filter(|part| !part.is_empty());
        let end = word
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(word.len());
        let name = word[..end].trim_end_matches('-');
        let mut at = 0;
        // `ul10-1`: one loop 10 times, the next once.
        for number in numbers.by_ref() {
            knobs.insert(format!("{name} {at}"), number.parse().unwrap_or(1.0));
            at += 1;
        }
        if at == 0 {
            knobs.insert(name.to_string(), 1.0);
        }
    }
    knobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variants_are_taken_apart() {
        let all = knobs("NDRange", "atomic-1_ul10-1_cu2_lmem");
        let all: Vec<(&str, f64)> = all
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        let expected = [
            ("atomic 0", 1.0),
            ("cu 0", 2.0),
            ("family NDRange", 1.0),
            ("lmem", 1.0),
            ("ul 0", 10.0),
            ("ul 1", 1.0),
        ];
        assert_eq!(all, expected);
    }
}
