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
    /// The first with `--kernel-opt=3`, which also prices kernels that are too large without it.
    pub before_search: f64,
    /// The second with `--kernel-opt=3`.
    pub after_search: f64,
    /// Numbers that neither the host nor the kernels state, and that are guessed.
    pub guesses: usize,
}

impl Gain {
    fn factor(&self) -> f64 {
        self.before / self.after
    }

    /// With `--kernel-opt=3`.
    fn factor_of_search(&self) -> f64 {
        self.before_search / self.after_search
    }
}

/// Predicts each program of a list.
///
/// # Errors
/// A report cannot be made.
pub fn predict(programs: &[Program], folder: &Path, fpgacc: &Path) -> Result<Vec<Gain>, String> {
    let report = |program: &Program, level: &str| {
        let words = ["report", "--json", "-w", level].map(OsString::from);
        let given = program.flags.iter().chain(&program.sources);
        let command = Command::new(fpgacc).args(words.into_iter().chain(given.map(OsString::from)));
        let output = command.dir(folder.join(&program.name)).capture();
        let output = output.map_err(|error| format!("{}: {error}", program.title()))?;
        serde_json::from_slice(&output.stdout).map_err(|error| {
            let said = String::from_utf8_lossy(&output.stderr);
            format!("{}: {error}: {said}", program.title())
        })
    };
    let one = |program: &Program| {
        let [usual, search] =
            ["--kernel-opt=2", "--kernel-opt=3"].map(|level| report(program, level));
        Ok(gain(name(program, programs), &usual?, &search?))
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

/// All programs of a report together; `search` is that of `--kernel-opt=3`.
fn gain(program: String, usual: &Value, search: &Value) -> Gain {
    let kernels =
        || programs(usual).flat_map(|one| one["kernels"].as_array().into_iter().flatten());
    let parts = kernels().flat_map(|kernel| kernel["parts"].as_array().into_iter().flatten());
    Gain {
        program,
        kernels: kernels().count(),
        before: sum(usual, "before"),
        after: sum(usual, "seconds"),
        before_search: sum(search, "before"),
        after_search: sum(search, "seconds"),
        guesses: parts
            .filter_map(|part| part["assumed"].as_array())
            .map(Vec::len)
            .sum(),
    }
}

fn programs(report: &Value) -> impl Iterator<Item = &Value> {
    report["programs"].as_array().into_iter().flatten()
}

/// Seconds of all programs of a report.
fn sum(report: &Value, key: &str) -> f64 {
    let times = programs(report).filter_map(|one| one["total"][key]["value"].as_f64());
    times.sum()
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
const RIGHT: f64 = 660.0;
const TOP: f64 = 44.0;
const ROW: f64 = 21.0;
/// Colours of a light and a dark page.
const STYLE: &str = "<style>\ntext { font: 13px system-ui, sans-serif; fill: #4b5157; }\n.title { font-weight: 600; }\nline { \
                     stroke: #8a8f98; stroke-opacity: .35; }\n.known { fill: #2e9e5b; }\n.guessed { fill: #4f86b8; \
                     }\n.search { fill-opacity: .35; }\n@media (prefers-color-scheme: dark) { text { fill: #c3c8cd; } }\n</style>";
/// The chart ends at this factor, and at powers of two beyond it.
const LEAST_END: f64 = 4.0;

/// The chart as SVG: the largest gain first. A bar is what `--kernel-opt=3` gains, its dark part the default.
pub fn svg(gains: &[Gain]) -> String {
    let mut gains: Vec<&Gain> = gains.iter().collect();
    gains.sort_by(|a, b| {
        let larger = b.factor_of_search().total_cmp(&a.factor_of_search());
        larger.then(a.program.cmp(&b.program))
    });
    let most = gains
        .iter()
        .map(|one| one.factor_of_search())
        .fold(LEAST_END, f64::max);
    let powers = most.log2().ceil();
    let x = |factor: f64| LEFT + factor.max(1.0).log2() / powers * (RIGHT - LEFT);
    let bottom = TOP + ROW * gains.len() as f64;
    let height = bottom + 46.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Predicted \
         gain of each program\">\n{STYLE}\n"
    );
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"8\" y=\"22\">Predicted speed over the input, {} programs: mean {} by default, \
         {} with --kernel-opt=3</text>",
        gains.len(),
        times(mean(gains.iter().map(|one| one.factor()))),
        times(mean(gains.iter().map(|one| one.factor_of_search())))
    );
    let step = (powers as usize).div_ceil(8);
    for power in (0..=powers as i32).step_by(step) {
        let (at, factor) = (x(2f64.powi(power)), 2f64.powi(power));
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/><text x=\"{at:.1}\" y=\"{:.0}\" \
             text-anchor=\"middle\">{factor}x</text>",
            bottom + 16.0
        );
    }
    for (at, one) in gains.iter().enumerate() {
        out += &bars(one, TOP + ROW * at as f64, x);
    }
    let _ = writeln!(
        out,
        "<text x=\"8\" y=\"{:.0}\">dark: default options; light: --kernel-opt=3; blue: some sizes or trip counts are guessed, \
         in both</text>\n</svg>",
        bottom + 36.0
    );
    out
}

/// A program's row of the chart: its name, its bars and their numbers.
fn bars(one: &Gain, y: f64, x: impl Fn(f64) -> f64) -> String {
    let class = if one.guesses > 0 { "guessed" } else { "known" };
    let [usual, search] = [one.factor(), one.factor_of_search()];
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>",
        LEFT - 8.0,
        y + 15.0,
        one.program.replace('&', "&amp;").replace('<', "&lt;"),
    );
    for (kind, factor) in [("search", search), ("usual", usual)] {
        let _ = writeln!(
            out,
            "<rect class=\"{kind} {class}\" x=\"{LEFT}\" y=\"{:.0}\" width=\"{:.1}\" height=\"{:.0}\" rx=\"2\"/>",
            y + 3.0,
            (x(factor) - LEFT).max(1.0),
            ROW - 6.0,
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.0}\">{}, {}</text>",
        x(usual.max(search)) + 6.0,
        y + 15.0,
        times(usual),
        times(search)
    );
    out
}

/// The geometric mean.
fn mean(factors: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = factors.len() as f64;
    (factors.map(f64::ln).sum::<f64>() / count).exp()
}

/// `1.7x`, `45x`.
fn times(factor: f64) -> String {
    match factor >= 9.95 {
        true => format!("{factor:.0}x"),
        false => format!("{factor:.1}x"),
    }
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
            gains
                .iter()
                .all(|one| one.factor() >= 0.98 && one.factor_of_search() >= 0.98),
            "never slower than the input"
        );
        assert!(read("program,kernels,before,after,before_search,after_search,guesses\n").is_err());
        assert!(read("nonsense").is_err());
    }

    #[test]
    fn bars_are_as_long_as_gains_are_large() {
        let one = |program: &str, after: f64| Gain {
            program: program.to_string(),
            kernels: 1,
            before: 8.0,
            after,
            before_search: 8.0,
            after_search: after / 2.0,
            guesses: 0,
        };
        let chart = svg(&[one("a<b", 8.0), one("c", 1.0)]);
        let full = format!("width=\"{:.1}\"", RIGHT - LEFT);
        assert!(
            chart.contains(&full) && chart.contains("width=\"1.0\""),
            "{chart}"
        );
        assert!(chart.find(">c<") < chart.find("a&lt;b"), "{chart}");
        assert!(
            chart.contains("2 programs: mean 2.8x by default, 5.7x with"),
            "{chart}"
        );
    }
}
