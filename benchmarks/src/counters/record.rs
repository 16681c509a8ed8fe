//! Runs of single kernels under `fpgacc trace --accesses`, with the data that the counters had.

use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::process::Command;
use fpgacc_launch_facts::Facts;

use crate::geometry::kernels::{Data, Entry};

/// Where the facts of a kernel lie in a folder.
fn facts_of(folder: &Path, entry: &Entry) -> PathBuf {
    let name = format!("{}-{}.yaml", entry.program, entry.kernel);
    folder.join(name.replace('/', "-"))
}

/// Runs a kernel once, and keeps the facts in a folder. `once`: the program of `benchmarks/counters/once.c`.
///
/// # Errors
///
/// The run fails.
pub fn record(
    entry: &Entry,
    data: Data,
    root: &Path,
    once: &Path,
    folder: &Path,
) -> Result<(), String> {
    let described =
        |error: &dyn std::fmt::Display| format!("{} {}: {error}", entry.program, entry.kernel);
    let own = std::env::current_exe().map_err(|error| described(&error))?;
    let plan = facts_of(folder, entry).with_extension("plan");
    std::fs::write(&plan, entry.plan(&root.display().to_string(), data))
        .map_err(|error| described(&error))?;
    let trace = Command::new(own.with_file_name("fpgacc"))
        .args(["trace", "--accesses", "--quiet", "-o"])
        .arg(facts_of(folder, entry))
        .arg("--")
        .arg(once)
        .arg(&plan)
        .dir(folder);
    let ran = trace.capture().map_err(|error| described(&error))?;
    std::fs::remove_file(&plan).map_err(|error| described(&error))?;
    match ran.status.success() && ran.stderr.is_empty() {
        true => Ok(()),
        false => Err(described(&ran.stderr_text())),
    }
}

/// What was recorded of a kernel; `None`: nothing.
///
/// # Errors
///
/// The file holds no facts.
pub fn recorded(entry: &Entry, folder: &Path) -> Result<Option<Facts>, String> {
    let path = facts_of(folder, entry);
    let Ok(text) = std::fs::read(&path) else {
        return Ok(None);
    };
    let facts = serde_yaml::from_slice(&text);
    facts
        .map(Some)
        .map_err(|error| format!("{}: {error}", path.display()))
}
