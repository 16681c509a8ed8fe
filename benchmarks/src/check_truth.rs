//! `fpgacc check` against what Oclgrind sees: each program runs once in it, with a plugin that counts the sectors of every
//! access, and once under `fpgacc trace`, whose facts `fpgacc check` gets. Accesses of one line and direction are taken
//! together: of several, the one that moves most sectors a warp counts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fpgacc_aoc_wrappers::process::{Command, ProcessError};
use serde_json::Value;

use crate::catalog::Program;
use crate::suite::{self, SuiteError};

const PLUGIN: &str = include_str!("../oclgrind_sites.cpp");
const ICD: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
/// A run may take so long.
const LIMIT: Duration = Duration::from_secs(60);
/// Averages of sectors that are this close are the same.
const CLOSE: f64 = 0.01;
/// More sectors than so many times those that would do are waste.
const WASTE: f64 = 2.0;

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum TruthError {
    /// A tool cannot be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A library to preload cannot be made.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The plugin does not build.
    #[error("Oclgrind's plugin does not build (Debian: liboclgrind-dev, llvm-14-dev): {0}")]
    Plugin(String),
}

/// Kernel, line, whether it writes.
type Key = (String, u64, bool);

/// Sectors that a warp moves, and that would do.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sectors {
    moved: f64,
    ideal: f64,
}

impl Sectors {
    fn is_waste(self) -> bool {
        self.moved > WASTE * self.ideal * (1.0 + CLOSE)
    }
}

/// How programs are built and run.
pub struct Truth<'a> {
    /// Where their folders lie.
    pub folder: &'a Path,
    /// The command.
    pub fpgacc: &'a Path,
    /// Where files are left.
    pub work: &'a Path,
}

/// Counts over all programs.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Lines that a run executed.
    executed: usize,
    /// Lines of which `check` is sure.
    sure: usize,
    /// Of these, with the sectors that were seen.
    exact: usize,
    /// Wasteful lines; those that `check` says are wasteful; both.
    wasteful: usize,
    said: usize,
    both: usize,
}

impl Truth<'_> {
    /// A line a program, and the sum.
    ///
    /// # Errors
    /// The plugin does not build, or a tool cannot be started.
    pub fn run(&self, programs: &[Program]) -> Result<String, TruthError> {
        let plugin = self.plugin()?;
        let any_device = suite::any_device(self.work)?;
        let mut text = format!(
            "{:<22} {:>8} {:>6} {:>6} {:>8} {:>6} {:>6}\n",
            "program", "executed", "sure", "exact", "wasteful", "said", "both"
        );
        let mut all = Counts::default();
        for program in programs {
            let name = program.name.rsplit('/').next().unwrap_or(&program.name);
            match self.compare(program, &plugin, &any_device)? {
                Ok((counts, differing)) => {
                    line(&mut text, name, counts);
                    text.push_str(&differing);
                    all = all.and(counts);
                }
                Err(why) => {
                    let _ = writeln!(text, "{name:<22} {why}");
                }
            }
        }
        line(&mut text, "all", all);
        let part = |of: usize, all: usize| 100.0 * of as f64 / all.max(1) as f64;
        let _ = writeln!(
            text,
            "recall {:.0} %, precision {:.0} %, exact {:.0} % of the sure ones",
            part(all.both, all.wasteful),
            part(all.both, all.said),
            part(all.exact, all.sure),
        );
        Ok(text)
    }

    fn plugin(&self) -> Result<PathBuf, TruthError> {
        let source = self.work.join("oclgrind_sites.cpp");
        let made = self.work.join("oclgrind_sites.so");
        fs::write(&source, PLUGIN).map_err(|error| TruthError::Write {
            path: source.clone(),
            source: error,
        })?;
        let flags = [
            "-shared",
            "-fPIC",
            "-std=c++14",
            "-fno-rtti",
            "-O1",
            "-I/usr/lib/llvm-14/include",
            "-o",
        ];
        let built = Command::new("c++")
            .args(flags)
            .arg(&made)
            .arg(&source)
            .arg("-l:liboclgrind-21.10.so")
            .capture()?;
        match made.exists() {
            true => Ok(made),
            false => Err(TruthError::Plugin(built.stderr_text())),
        }
    }

    /// What a program's lines do and what is said of them; or why there is nothing to compare.
    fn compare(
        &self,
        program: &Program,
        plugin: &Path,
        any_device: &Path,
    ) -> Result<Result<(Counts, String), String>, TruthError> {
        let home = self.folder.join(&program.name);
        let app = self.work.join("app");
        let _ = fs::remove_file(&app);
        let is_host = |source: &&String| !source.ends_with(".cl");
        let is_c = program
            .sources
            .iter()
            .filter(is_host)
            .all(|source| source.ends_with(".c"))
            && !program.flags.iter().any(|flag| flag == "-xc++");
        let hosts = program
            .flags
            .iter()
            .chain(program.sources.iter().filter(is_host));
        let built = Command::new(if is_c { "cc" } else { "c++" })
            .args(["-w", "-g", "-o"])
            .arg(&app)
            .args(hosts.cloned())
            .args(["-xnone", "-lOpenCL", "-lm"])
            .dir(&home)
            .capture()?;
        if !app.exists() {
            let said = built.stderr_text();
            return Ok(Err(format!(
                "does not build: {}",
                said.lines().last().unwrap_or_default()
            )));
        }
        let vendors = self.work.join("vendors");
        let icd = vendors.join("oclgrind.icd");
        let made = fs::create_dir_all(&vendors).and_then(|()| fs::write(&icd, format!("{ICD}\n")));
        made.map_err(|source| TruthError::Write { path: icd, source })?;
        let (sites, facts) = (self.work.join("sites.txt"), self.work.join("facts.yaml"));
        let (_, _) = (fs::remove_file(&sites), fs::remove_file(&facts));
        let args = program.runs.first().unwrap_or(&program.certify_args);
        let under = |command: Command| {
            let command = command
                .env("OCL_ICD_VENDORS", &vendors)
                .env("LD_PRELOAD", any_device);
            command.dir(&home).limit(LIMIT).capture()
        };
        let counting = Command::new(&app)
            .args(args.iter().cloned())
            .env("SITES", &sites)
            .env("OCLGRIND_PLUGINS", plugin)
            .env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
        let ran = match under(counting) {
            Ok(ran) => ran,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let Ok(seen) = fs::read_to_string(&sites) else {
            let said = ran.stderr_text();
            return Ok(Err(format!(
                "does not run: {}",
                said.lines().last().unwrap_or_default()
            )));
        };
        let trace = Command::new(self.fpgacc)
            .args(["trace", "--quiet", "-o"])
            .arg(&facts)
            .arg("--")
            .arg(&app);
        if let Err(error) = under(trace.args(args.iter().cloned())) {
            return Ok(Err(error.to_string()));
        }
        let check = Command::new(self.fpgacc)
            .args(["check", "--json", "-w", "--facts"])
            .arg(&facts)
            .args(program.flags.iter().chain(&program.sources).cloned())
            .dir(&home)
            .capture()?;
        let report: Value = match serde_json::from_slice(&check.stdout) {
            Ok(report) => report,
            Err(_) => {
                let said = check.stderr_text();
                return Ok(Err(format!(
                    "no report: {}",
                    said.lines().last().unwrap_or_default()
                )));
            }
        };
        Ok(Ok(judge(&executed(&seen), &said(&report))))
    }
}

/// What the plugin wrote.
fn executed(text: &str) -> BTreeMap<Key, Sectors> {
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [kernel, line, _, direction, warps, moved, ideal] = words[..] else {
            continue;
        };
        let number = |word: &str| word.parse::<f64>().unwrap_or_default();
        let sectors = Sectors {
            moved: number(moved) / number(warps).max(1.0),
            ideal: number(ideal) / number(warps).max(1.0),
        };
        let key = (
            kernel.to_string(),
            number(line) as u64,
            direction == "write",
        );
        add(&mut lines, key, sectors);
    }
    lines
}

/// Of the accesses of a line, the one that moves most.
fn add(lines: &mut BTreeMap<Key, Sectors>, key: Key, sectors: Sectors) {
    let most = lines.entry(key).or_insert(sectors);
    if sectors.moved > most.moved {
        *most = sectors;
    }
}

/// What `check` is sure of, and `None` for lines of which it is not.
fn said(report: &Value) -> BTreeMap<Key, Option<Sectors>> {
    let mut sure = BTreeMap::new();
    let mut others = Vec::new();
    for kernel in report["kernels"].as_array().into_iter().flatten() {
        let name = kernel["name"].as_str().unwrap_or_default();
        for site in kernel["sites"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|site| site["kind"] == "global")
        {
            let line = site["line"].as_u64().unwrap_or_default();
            let key = (name.to_string(), line, site["write"] == true);
            let number = |field: &str| site[field].as_f64().unwrap_or_default();
            if ["proved", "measured"].contains(&site["verdict"].as_str().unwrap_or_default()) {
                let sectors = Sectors {
                    moved: number("sectors_a_warp"),
                    ideal: number("ideal_sectors"),
                };
                add(&mut sure, key, sectors);
            } else {
                others.push(key);
            }
        }
    }
    let mut all: BTreeMap<Key, Option<Sectors>> = sure
        .into_iter()
        .map(|(key, sectors)| (key, Some(sectors)))
        .collect();
    // A line of which one access is not known is not known.
    all.extend(others.into_iter().map(|key| (key, None)));
    all
}

/// Counts, and a line for each that differs.
fn judge(
    executed: &BTreeMap<Key, Sectors>,
    said: &BTreeMap<Key, Option<Sectors>>,
) -> (Counts, String) {
    let mut counts = Counts::default();
    let mut text = String::new();
    for (key, seen) in executed {
        counts.executed += 1;
        counts.wasteful += usize::from(seen.is_waste());
        let Some(said) = said.get(key).copied().flatten() else {
            continue;
        };
        counts.sure += 1;
        counts.said += usize::from(said.is_waste());
        counts.both += usize::from(said.is_waste() && seen.is_waste());
        match (said.moved - seen.moved).abs() <= CLOSE * seen.moved {
            true => counts.exact += 1,
            false => {
                let (kernel, line, write) = key;
                let direction = if *write { "write" } else { "read" };
                let _ = writeln!(
                    text,
                    "    {kernel} line {line} {direction}: {:.2} sectors a warp, said {:.2}",
                    seen.moved, said.moved
                );
            }
        }
    }
    (counts, text)
}

impl Counts {
    fn and(self, other: Counts) -> Counts {
        Counts {
            executed: self.executed + other.executed,
            sure: self.sure + other.sure,
            exact: self.exact + other.exact,
            wasteful: self.wasteful + other.wasteful,
            said: self.said + other.said,
            both: self.both + other.both,
        }
    }
}

fn line(text: &mut String, name: &str, counts: Counts) {
    let _ = writeln!(
        text,
        "{name:<22} {:>8} {:>6} {:>6} {:>8} {:>6} {:>6}",
        counts.executed, counts.sure, counts.exact, counts.wasteful, counts.said, counts.both
    );
}
