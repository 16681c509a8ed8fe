//! What fpgacc expects to gain of whole programs: a table, made by `fpgacc report --json`, and a chart of it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use fpgacc_aoc_wrappers::process::Command;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalog::Program;

/// A program, as fpgacc predicts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Its name.
    pub program: String,
    /// Its kernels.
    pub kernels: usize,
    /// Seconds of all launches as the input is.
    pub before: f64,
    /// Seconds of all launches as fpgacc builds them.
    pub after: f64,
    /// Numbers that neither the host nor the kernels tell, and that are guessed.
    pub guesses: usize,
}

impl Gain {
    fn factor(&self) -> f64 {
        self.before / self.after
    }
}

/// Predicts each program of a list.
///
/// # Errors
/// A report cannot be made.
pub fn predict(programs: &[Program], folder: &Path, fpgacc: &Path) -> Result<Vec<Gain>, String> {
    let one = |program: &Program| {
        let words = ["report", "--json", "-w"].iter().map(OsString::from);
        let given = program.flags.iter().chain(&program.sources);
        let command = Command::new(fpgacc).args(words.chain(given.map(OsString::from)));
        let told = command.dir(folder.join(&program.name)).capture();
        let told = told.map_err(|error| format!("{}: {error}", program.title()))?;
        let report: Value = serde_json::from_slice(&told.stdout).map_err(|error| {
            format!(
                "{}: {error}: {}",
                program.title(),
                String::from_utf8_lossy(&told.stderr)
            )
        })?;
        Ok(gain(name(program, programs), &report))
    };
    programs.iter().map(one).collect()
}

/// A program's name without folders for versions; where a list has several of that name, its kernel file's.
fn name(program: &Program, programs: &[Program]) -> String {
    let same = programs.iter().filter(|other| other.name == program.name);
    let kernels = program.sources.last().filter(|_| same.count() > 1);
    let kernels = kernels.and_then(|source| source.strip_suffix(".cl"));
    let short = program.name.split('/').next();
    kernels.or(short).unwrap_or(&program.name).to_string()
}

/// All programs of a report together.
fn gain(program: String, report: &Value) -> Gain {
    let programs = || report["programs"].as_array().into_iter().flatten();
    let sum = |key: &str| -> f64 {
        let times = programs().filter_map(|one| one["total"][key]["value"].as_f64());
        times.sum()
    };
    let kernels = || programs().flat_map(|one| one["kernels"].as_array().into_iter().flatten());
    let parts = kernels().flat_map(|kernel| kernel["parts"].as_array().into_iter().flatten());
    Gain {
        program,
        kernels: kernels().count(),
        before: sum("before"),
        after: sum("seconds"),
        guesses: parts
            .filter_map(|part| part["assumed"].as_array())
            .map(Vec::len)
            .sum(),
    }
}

/// The table as text.
///
/// # Errors
/// It cannot be written.
pub fn table(gains: &[Gain]) -> Result<String, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for one in gains {
        writer.serialize(one).map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// The table of a text.
///
/// # Errors
/// It is none, or has no line.
pub fn read(text: &str) -> Result<Vec<Gain>, String> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    let rows: Vec<Gain> = rows
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    match rows.is_empty() {
        true => Err("the table has no line".to_string()),
        false => Ok(rows),
    }
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = 690.0;
const TOP: f64 = 44.0;
const ROW: f64 = 21.0;
/// The chart ends at this factor, and at powers of two beyond it.
const LEAST_END: f64 = 4.0;

/// The chart as SVG: the largest gain first.
pub fn svg(gains: &[Gain]) -> String {
    let mut gains: Vec<&Gain> = gains.iter().collect();
    gains.sort_by(|a, b| {
        b.factor()
            .total_cmp(&a.factor())
            .then(a.program.cmp(&b.program))
    });
    let most = gains
        .iter()
        .map(|one| one.factor())
        .fold(LEAST_END, f64::max);
    let powers = most.log2().ceil();
    let x = |factor: f64| LEFT + factor.max(1.0).log2() / powers * (RIGHT - LEFT);
    let bottom = TOP + ROW * gains.len() as f64;
    let height = bottom + 46.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Predicted \
         gain of each program\">\n<style>\ntext {{ font: 13px system-ui, sans-serif; fill: #4b5157; }}\n.title {{ \
         font-weight: 600; }}\nline {{ stroke: #8a8f98; stroke-opacity: .35; }}\n.known {{ fill: #2e9e5b; }}\n.guessed {{ \
         fill: #2e9e5b; fill-opacity: .4; }}\n@media (prefers-color-scheme: dark) {{ text {{ fill: #c3c8cd; }} }}\n</style>\n"
    );
    let mean = (gains.iter().map(|one| one.factor().ln()).sum::<f64>() / gains.len() as f64).exp();
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"{LEFT}\" y=\"22\">Predicted speed over the input; geometric mean of {} programs: {mean:.1}x</text>",
        gains.len()
    );
    for power in 0..=powers as i32 {
        let (at, factor) = (x(2f64.powi(power)), 2f64.powi(power));
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/><text x=\"{at:.1}\" y=\"{:.0}\" \
             text-anchor=\"middle\">{factor}x</text>",
            bottom + 16.0
        );
    }
    for (at, one) in gains.iter().enumerate() {
        let y = TOP + ROW * at as f64;
        let class = if one.guesses > 0 { "guessed" } else { "known" };
        let end = x(one.factor());
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text><rect class=\"{class}\" x=\"{LEFT}\" y=\"{:.0}\" \
             width=\"{:.1}\" height=\"{:.0}\" rx=\"2\"/><text x=\"{:.1}\" y=\"{:.0}\">{:.1}x</text>",
            LEFT - 8.0,
            y + 15.0,
            one.program.replace('&', "&amp;").replace('<', "&lt;"),
            y + 3.0,
            (end - LEFT).max(1.0),
            ROW - 6.0,
            end + 6.0,
            y + 15.0,
            one.factor()
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{:.0}\">pale: some sizes or trip counts are guessed, before and after alike</text>\n</svg>",
        bottom + 36.0
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = include_str!("../rodinia_gains.csv");

    #[test]
    fn the_chart_is_that_of_the_table() {
        let chart = include_str!("../../docs/images/gains.svg");
        assert_eq!(
            svg(&read(TABLE).unwrap()),
            chart,
            "fpgacc-bench gains -o docs/images/gains.svg"
        );
    }

    #[test]
    fn tables_are_read_as_they_are_written() {
        let gains = read(TABLE).unwrap();
        assert_eq!(table(&gains).unwrap(), TABLE);
        assert!(
            gains.iter().all(|one| one.factor() >= 0.98),
            "never slower than the input"
        );
        assert!(read("program,kernels,before,after,guesses\n").is_err());
        assert!(read("nonsense").is_err());
    }

    #[test]
    fn bars_are_as_long_as_gains_are_large() {
        let one = |program: &str, after: f64| Gain {
            program: program.to_string(),
            kernels: 1,
            before: 4.0,
            after,
            guesses: 0,
        };
        let chart = svg(&[one("a<b", 4.0), one("c", 1.0)]);
        let full = format!("width=\"{:.1}\"", RIGHT - LEFT);
        assert!(
            chart.contains(&full) && chart.contains("width=\"1.0\""),
            "{chart}"
        );
        assert!(chart.find(">c<") < chart.find("a&lt;b"), "{chart}");
        assert!(chart.contains("2 programs: 2.0x"), "{chart}");
    }
}
