//! `fpgacc check` against what Oclgrind sees: each program runs once in it, with a plugin that counts the sectors of every
//! access, and once under `fpgacc trace`, whose facts `fpgacc check` gets. Accesses of one line and direction are taken
//! together: such a line is wasteful if one of them is, and of its sectors those of the one that moves most count.

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
const LIMIT: Duration = Duration::from_secs(300);
/// The program that is built in its folder for the time of its runs.
const APP: &str = "fpgacc-truth-app";
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
    /// Where files are left: runs that are there already are not made again.
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
        let args = program.runs.first().unwrap_or(&program.certify_args);
        let run = Run {
            truth: self,
            program,
            args,
            kept: self.work.join(kept_name(program)),
        };
        if args.is_empty() {
            return Ok(Err("has no small run".to_string()));
        }
        if !run.sites().is_file() || !run.facts().is_file() {
            fs::create_dir_all(&run.kept).map_err(unwritten(&run.kept))?;
            if let Err(why) = run.execute(plugin, any_device)? {
                return Ok(Err(why));
            }
        }
        let report = match run.check()? {
            Ok(report) => report,
            Err(why) => return Ok(Err(why)),
        };
        let seen = fs::read_to_string(run.sites()).unwrap_or_default();
        Ok(Ok(judge(&executed(&seen), &said(&report))))
    }
}

fn unwritten(path: &Path) -> impl FnOnce(std::io::Error) -> TruthError {
    let path = path.to_path_buf();
    move |source| TruthError::Write { path, source }
}

/// The folder of a program's run: programs of one folder differ in their first source.
fn kept_name(program: &Program) -> String {
    let source = program.sources.first().map_or("", String::as_str);
    format!("{}-{source}", program.name).replace(['/', '.'], "_")
}

/// A program that is run twice: in Oclgrind with the plugin, and under `fpgacc trace`.
struct Run<'a> {
    truth: &'a Truth<'a>,
    program: &'a Program,
    args: &'a [String],
    /// Where its sites and facts are.
    kept: PathBuf,
}

impl Run<'_> {
    fn sites(&self) -> PathBuf {
        self.kept.join("sites.txt")
    }

    fn facts(&self) -> PathBuf {
        self.kept.join("facts.yaml")
    }

    fn home(&self) -> PathBuf {
        self.truth.folder.join(&self.program.name)
    }

    /// Builds and runs it; or why that does not work.
    fn execute(&self, plugin: &Path, any_device: &Path) -> Result<Result<(), String>, TruthError> {
        let app = self.home().join(APP);
        if let Err(why) = self.build(&app)? {
            return Ok(Err(why));
        }
        let done = self.execute_built(plugin, any_device);
        let _ = fs::remove_file(&app);
        done
    }

    fn build(&self, app: &Path) -> Result<Result<(), String>, TruthError> {
        let program = self.program;
        let is_c = program.hosts().all(|source| source.ends_with(".c")) && !program.is_cxx();
        let _ = fs::remove_file(app);
        let built = Command::new(if is_c { "cc" } else { "c++" })
            .args(["-w", "-g", "-o"])
            .arg(app)
            .args(program.flags.iter().chain(program.hosts()).cloned())
            .args(["-xnone", "-lOpenCL", "-lm"])
            .dir(self.home())
            .capture()?;
        let said = built.stderr_text();
        Ok(match app.exists() {
            true => Ok(()),
            false => Err(format!("does not build: {}", last_line(&said))),
        })
    }

    fn execute_built(
        &self,
        plugin: &Path,
        any_device: &Path,
    ) -> Result<Result<(), String>, TruthError> {
        let vendors = self.truth.work.join("vendors");
        let icd = vendors.join("oclgrind.icd");
        let made = fs::create_dir_all(&vendors).and_then(|()| fs::write(&icd, format!("{ICD}\n")));
        made.map_err(unwritten(&icd))?;
        let device = self.program.device.clone().unwrap_or_default();
        let under = |command: Command| {
            let command = command
                .env("OCL_ICD_VENDORS", &vendors)
                .env("LD_PRELOAD", any_device)
                .env("FPGACC_DEVICE_TYPE", &device);
            command.dir(self.home()).limit(LIMIT).capture()
        };
        // Some programs take their own path for an option: they get a short one.
        let line = format!("exec ./{APP} \"$@\"");
        let app = ["sh", "-c", &line, "sh"];
        let counting = Command::new(app[0])
            .args(&app[1..])
            .args(self.args.iter().cloned())
            .env("SITES", self.sites())
            .env("OCLGRIND_PLUGINS", plugin)
            .env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
        let ran = match under(counting) {
            Ok(ran) => ran,
            Err(error) => {
                // What was seen until then is not all.
                let _ = fs::remove_file(self.sites());
                return Ok(Err(error.to_string()));
            }
        };
        if !self.sites().is_file() {
            let said = ran.stderr_text();
            return Ok(Err(format!("does not run: {}", last_line(&said))));
        }
        let trace = Command::new(self.truth.fpgacc)
            .args(["trace", "--quiet", "-o"])
            .arg(self.facts())
            .arg("--")
            .args(app);
        Ok(under(trace.args(self.args.iter().cloned()))
            .map(|_| ())
            .map_err(|error| error.to_string()))
    }

    /// What `fpgacc check` says of the run; or why it says nothing.
    fn check(&self) -> Result<Result<Value, String>, TruthError> {
        let program = self.program;
        let check = Command::new(self.truth.fpgacc)
            .args(["check", "--json", "-w", "--facts"])
            .arg(self.facts())
            .args(program.flags.iter().chain(&program.sources).cloned())
            .dir(self.home())
            .capture()?;
        let report = serde_json::from_slice(&check.stdout);
        let said = check.stderr_text();
        Ok(report.map_err(|_| format!("no report: {}", last_line(&said))))
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// What the accesses of a line did.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Of the one that moves most.
    most: Sectors,
    /// Of one that is wasteful.
    waste: Option<Sectors>,
}

impl Line {
    fn add(lines: &mut BTreeMap<Key, Line>, key: Key, sectors: Sectors) {
        let line = lines.entry(key).or_insert(Line {
            most: sectors,
            waste: None,
        });
        if sectors.moved > line.most.moved {
            line.most = sectors;
        }
        line.waste = line.waste.or(sectors.is_waste().then_some(sectors));
    }
}

/// What the plugin wrote.
fn executed(text: &str) -> BTreeMap<Key, Line> {
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
        Line::add(&mut lines, key, sectors);
    }
    lines
}

/// What is said of a line.
#[derive(Debug, Default)]
struct Said {
    /// The accesses that `check` is sure of.
    sure: Option<Line>,
    /// Of one of which it is not: why.
    unsure: Option<String>,
}

fn said(report: &Value) -> BTreeMap<Key, Said> {
    let mut lines: BTreeMap<Key, Said> = BTreeMap::new();
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
            let said = lines.entry(key).or_default();
            let verdict = site["verdict"].as_str().unwrap_or_default();
            if !["proved", "measured"].contains(&verdict) {
                said.unsure = Some(match site["depends_on"].as_array() {
                    Some(names) => format!("{verdict}: {}", names_of(names)),
                    None => verdict.to_string(),
                });
                continue;
            }
            let sectors = Sectors {
                moved: number("sectors_a_warp"),
                ideal: number("ideal_sectors"),
            };
            let most = said.sure.filter(|line| line.most.moved >= sectors.moved);
            let waste = said.sure.and_then(|line| line.waste);
            said.sure = Some(Line {
                most: most.map_or(sectors, |line| line.most),
                waste: waste.or(sectors.is_waste().then_some(sectors)),
            });
        }
    }
    lines
}

fn names_of(names: &[Value]) -> String {
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    names.join(", ")
}

/// Counts, and a line for each that differs, or is wasteful and not known to be.
fn judge(executed: &BTreeMap<Key, Line>, said: &BTreeMap<Key, Said>) -> (Counts, String) {
    let mut counts = Counts::default();
    let mut text = String::new();
    let nothing = Said::default();
    for (key, seen) in executed {
        let said = said.get(key).unwrap_or(&nothing);
        let (kernel, line, write) = key;
        let direction = if *write { "write" } else { "read" };
        let is_said = said.sure.is_some_and(|line| line.waste.is_some());
        counts.executed += 1;
        counts.wasteful += usize::from(seen.waste.is_some());
        counts.said += usize::from(is_said);
        counts.both += usize::from(is_said && seen.waste.is_some());
        let described = |sectors: Sectors| {
            let moved = sectors.moved;
            format!("    {kernel} line {line} {direction}: {moved:.2} sectors a warp")
        };
        if let (Some(waste), false) = (seen.waste, is_said) {
            let why = said.unsure.as_deref().unwrap_or("no such access is found");
            let _ = writeln!(
                text,
                "{} where {:.2} would do, {why}",
                described(waste),
                waste.ideal
            );
        }
        if let (None, true) = (seen.waste, is_said) {
            let _ = writeln!(text, "{} is no waste", described(seen.most));
        }
        // A line of which one access is not known is not known.
        let (None, Some(sure)) = (&said.unsure, said.sure) else {
            continue;
        };
        counts.sure += 1;
        match (sure.most.moved - seen.most.moved).abs() <= CLOSE * seen.most.moved {
            true => counts.exact += 1,
            false => {
                let _ = writeln!(
                    text,
                    "{}, said {:.2}",
                    described(seen.most),
                    sure.most.moved
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
