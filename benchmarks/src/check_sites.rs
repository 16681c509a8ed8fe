//! `fpgacc check` on sites of public kernels that were counted by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use fpgacc_aoc_wrappers::process::{Command, ProcessError};
use serde::Deserialize;
use serde_json::Value;

use crate::catalog::Program;

/// What must be said of a site, or of a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    program: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: u64,
    sectors: Option<f64>,
    diverged: Option<f64>,
    verdict: Option<String>,
    warns: Option<bool>,
    #[serde(default)]
    none: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sites {
    sites: Vec<Expected>,
}

/// Why the sites could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The list cannot be read.
    #[error("cannot read the list of sites: {0}")]
    Io(#[from] std::io::Error),
    /// It is no such list.
    #[error("the list of sites: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// fpgacc cannot be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// What it printed is no report.
    #[error("{program}: {error}: {said}")]
    Report {
        /// The program.
        program: String,
        /// What is wrong.
        error: serde_json::Error,
        /// What fpgacc said.
        said: String,
    },
}

/// A line a site, and whether all are as expected.
///
/// # Errors
/// The list cannot be read, or fpgacc says nothing of a program.
pub fn run(
    programs: &[Program],
    folder: &Path,
    fpgacc: &Path,
    list: &Path,
) -> Result<(String, bool), CheckError> {
    let expected: Sites = serde_yaml::from_str(&std::fs::read_to_string(list)?)?;
    let mut reports: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for one in &expected.sites {
        let program = programs.iter().find(|program| program.name == one.program);
        if let Some(program) = program.filter(|_| !reports.contains_key(one.program.as_str())) {
            reports.insert(&one.program, sites(program, folder, fpgacc)?);
        }
    }
    let mut text = String::new();
    let mut right = 0;
    for one in &expected.sites {
        let seen = reports
            .get(one.program.as_str())
            .map_or(&[][..], Vec::as_slice);
        let problem = judge(one, seen);
        right += usize::from(problem.is_none());
        let verdict = problem.unwrap_or_else(|| "as counted".to_string());
        let _ = writeln!(
            text,
            "{:<14} {:<26} {:>4}  {verdict}",
            one.program, one.file, one.line
        );
    }
    let all = expected.sites.len();
    let _ = writeln!(text, "{right} of {all} as counted");
    Ok((text, right == all))
}

/// All sites that `fpgacc check --json` reports of a program.
fn sites(program: &Program, folder: &Path, fpgacc: &Path) -> Result<Vec<Value>, CheckError> {
    let words = ["check", "--json", "-w"]
        .iter()
        .map(|word| word.to_string());
    let given = program.flags.iter().chain(&program.sources).cloned();
    let command = Command::new(fpgacc).args(words.chain(given).map(std::ffi::OsString::from));
    let captured = command.dir(folder.join(&program.name)).capture()?;
    let report: Value =
        serde_json::from_slice(&captured.stdout).map_err(|error| CheckError::Report {
            program: program.name.clone(),
            error,
            said: captured.stderr_text(),
        })?;
    let kernels = report["kernels"].as_array().into_iter().flatten();
    let sites = kernels.flat_map(|kernel| kernel["sites"].as_array().into_iter().flatten());
    Ok(sites.cloned().collect())
}

/// What is not as expected.
fn judge(expected: &Expected, seen: &[Value]) -> Option<String> {
    if expected.none {
        let is_warning = |site: &&Value| site["kind"] == "global" && site["warning"] == true;
        let warning = seen.iter().find(is_warning);
        return warning.map(|site| format!("a warning in line {}", site["line"]));
    }
    let number = |site: &Value| match expected.diverged {
        Some(_) => site["diverged_warps"].as_f64(),
        None => site["sectors_a_warp"]
            .as_f64()
            .or(site["diverged_warps"].as_f64()),
    };
    let is_here = |site: &&Value| {
        let file = site["file"].as_str().unwrap_or_default();
        file.ends_with(&expected.file) && site["line"] == expected.line && number(site).is_some()
    };
    let most = seen.iter().filter(is_here).max_by(|a, b| {
        number(a)
            .partial_cmp(&number(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let Some(site) = most else {
        return Some("no site is found".to_string());
    };
    let counted = expected.sectors.or(expected.diverged);
    if let (Some(counted), Some(seen)) = (counted, number(site))
        && (counted - seen).abs() > 0.01 * counted
    {
        return Some(format!("{seen} in place of {counted}"));
    }
    if let Some(verdict) = expected
        .verdict
        .as_deref()
        .filter(|verdict| site["verdict"] != **verdict)
    {
        return Some(format!("{} in place of {verdict}", site["verdict"]));
    }
    let warns = expected.warns.filter(|warns| site["warning"] != *warns)?;
    Some(if warns { "no warning" } else { "a warning" }.to_string())
}
