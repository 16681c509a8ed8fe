//! Coarsening that is chosen without a run, on published times of 17 kernels on four GPUs (Magni et al., "Automatic
//! optimization of thread-coarsening for graphics processors", PACT 2014, as ChrisCummins/paper-end2end-dl has them):
//! from features of a kernel and the times of all other kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use fpgacc_tuning::correction::{Corrected, correct};
use fpgacc_tuning::strategy::{Candidate, Tried};

use crate::means::geometric_mean;

/// What columns with times begin with; the GPU's name follows.
const RUNTIME: &str = "runtime_";
/// What columns with features begin with.
const FEATURE: &str = "PCA";

/// A factor of a kernel.
struct Row {
    kernel: String,
    factor: u64,
    features: Vec<f64>,
    /// By GPU.
    times: BTreeMap<String, f64>,
}

/// Chooses one of a kernel's rows; `None`: the kernel stays as it is.
type Way<'a> = dyn Fn(&[usize]) -> Option<usize> + 'a;

/// What a way to choose comes to: how much faster than without coarsening, in the geometric mean, and at worst.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gain {
    mean: f64,
    least: f64,
}

/// A line for each GPU: the best factors, factor 2 always, the factor that is predicted to be the fastest, and that
/// only where it is predicted to be faster with a probability of 90 %.
///
/// # Errors
///
/// What is wrong with the table.
pub fn table(path: &Path) -> Result<String, String> {
    let rows = read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut text =
        String::from("GPU          best        factor 2     predicted    if it is likely\n");
    let gpus: BTreeSet<&String> = rows.iter().flat_map(|row| row.times.keys()).collect();
    for gpu in gpus {
        // Not every factor ran on each.
        let rows = rows.iter().filter(|row| row.times.contains_key(gpu));
        let rows: Vec<&Row> = rows.collect();
        let said = predicted(&rows, gpu);
        let is_sure = |at: &usize| said[*at].seconds * said[*at].within < 1.0;
        let time = |at: usize| rows[at].times[gpu];
        let by_prediction = |a: &usize, b: &usize| said[*a].seconds.total_cmp(&said[*b].seconds);
        let ways: [&Way<'_>; 4] = [
            &|own| {
                own.iter()
                    .copied()
                    .min_by(|a, b| time(*a).total_cmp(&time(*b)))
            },
            &|own| own.iter().copied().find(|at| rows[*at].factor == 2),
            &|own| own.iter().copied().min_by(by_prediction),
            &|own| own.iter().copied().filter(is_sure).min_by(by_prediction),
        ];
        let _ = write!(text, "{gpu:10}");
        for way in ways {
            let Gain { mean, least } = gain(&rows, gpu, way);
            let _ = write!(text, "  {mean:4.2} ({least:4.2})");
        }
        text.push('\n');
    }
    text.push_str("geometric means; in parentheses the least of a kernel\n");
    Ok(text)
}

fn read(path: &Path) -> Result<Vec<Row>, csv::Error> {
    let mut rows = Vec::new();
    for record in csv::Reader::from_path(path)?.deserialize() {
        let record: BTreeMap<String, String> = record?;
        let number = |name: &str| record.get(name)?.parse::<f64>().ok();
        let of = |start: &'static str| {
            let columns = record
                .keys()
                .filter_map(move |name| name.strip_prefix(start));
            columns.filter_map(move |rest| Some((rest, number(&format!("{start}{rest}"))?)))
        };
        rows.push(Row {
            kernel: record.get("kernel").cloned().unwrap_or_default(),
            factor: number("cf").unwrap_or(1.0) as u64,
            features: of(FEATURE).map(|(_, value)| value).collect(),
            times: of(RUNTIME)
                .map(|(gpu, time)| (gpu.to_string(), time))
                .collect(),
        });
    }
    Ok(rows)
}

/// The time of each row as a part of that without coarsening, as the times of all other kernels say.
fn predicted(rows: &[&Row], gpu: &str) -> Vec<Corrected> {
    let relative = |row: &Row| Some(row.times[gpu] / plain(rows, &row.kernel)?.times[gpu]);
    let candidates = candidates(rows);
    let of_others = |kernel: &str| -> Vec<Tried> {
        let all = rows.iter().enumerate();
        let others = all.filter(|(_, row)| row.kernel != kernel);
        let tried = others.map(|(candidate, row)| Tried {
            candidate,
            cost: relative(row),
            area: None,
        });
        tried.collect()
    };
    let mut said = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let learned = correct(&candidates, &of_others(&row.kernel));
        // As long as without it, where nothing was learned.
        said.push(learned.map_or(
            Corrected {
                seconds: 1.0,
                within: 1.0,
            },
            |learned| learned[at],
        ));
    }
    said
}

fn plain<'r>(rows: &[&'r Row], kernel: &str) -> Option<&'r Row> {
    let mut own = rows.iter().copied().filter(|row| row.kernel == kernel);
    own.find(|row| row.factor == 1)
}

/// Features become numbers between 0 and 1; the factor counts by its logarithm.
fn candidates(rows: &[&Row]) -> Vec<Candidate> {
    let all = rows.iter().map(|row| {
        let factor = (row.factor as f64).log2();
        let features = row.features.iter().copied().chain([factor]);
        features.collect::<Vec<f64>>()
    });
    let all: Vec<Vec<f64>> = all.collect();
    let range = |column: usize| {
        let values = all.iter().map(|row| row[column]);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        (least, values.fold(f64::NEG_INFINITY, f64::max))
    };
    let columns = all.first().map_or(0, Vec::len);
    let ranges: Vec<(f64, f64)> = (0..columns).map(range).collect();
    let candidate = |row: &Vec<f64>| Candidate {
        features: (row.iter().zip(&ranges))
            .map(|(value, (least, most))| (value - least) / (most - least).max(f64::EPSILON))
            .collect(),
        predicted: Some(1.0),
        ..Candidate::default()
    };
    all.iter().map(candidate).collect()
}

/// What a way to choose gains over all kernels.
fn gain(rows: &[&Row], gpu: &str, way: &Way<'_>) -> Gain {
    let kernels: BTreeSet<&str> = rows.iter().map(|row| row.kernel.as_str()).collect();
    let gains = kernels.into_iter().filter_map(|kernel| {
        let own: Vec<usize> = (0..rows.len())
            .filter(|at| rows[*at].kernel == kernel)
            .collect();
        let plain = plain(rows, kernel)?.times[gpu];
        Some(way(&own).map_or(1.0, |at| plain / rows[at].times[gpu]))
    });
    let gains: Vec<f64> = gains.collect();
    Gain {
        mean: geometric_mean(gains.iter().copied()),
        least: gains.iter().copied().fold(f64::INFINITY, f64::min),
    }
}

#[cfg(test)]
mod tests {
    use super::table;

    /// Kernels that one feature tells apart: half of them gain by each factor, half lose.
    #[test]
    fn a_gain_that_a_feature_tells_is_chosen_and_nothing_that_loses() {
        let mut text = String::from("kernel,cf,PCA1,runtime_Some\n");
        for kernel in 0..12 {
            for (step, factor) in [1, 2, 4].into_iter().enumerate() {
                let gains = if kernel % 2 == 0 { 0.8f64 } else { 1.3 };
                let time = 1000.0 * gains.powi(step as i32);
                text.push_str(&format!("k{kernel},{factor},{},{time}\n", kernel % 2));
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("times.csv");
        std::fs::write(&file, text).expect("written");
        let told = table(&file).expect("a table");
        let line = told.lines().nth(1).expect("a line for the GPU");
        assert!(line.ends_with("1.25 (1.00)"), "{line}");
    }
}
