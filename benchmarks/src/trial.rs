//! One program on one platform: the original, the program that fpgacc made, and what differs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::{self, BuildError, Built, Remark};
use crate::catalog::Program;
use crate::execute::{self, Run, RunError, Setting};
use crate::platform::Platform;
use crate::readback::{self, Bound, Difference};

/// The pass whose rewrites change the order of floating-point operations.
const REASSOCIATES: &str = "reduction";
/// The pass whose kernels are launched as one work-item.
const MAKES_TASKS: &str = "ndrange-to-loop";

/// What stays the same for all trials.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The folder that holds the programs' folders.
    pub programs: PathBuf,
    /// Where executables and read-backs go.
    pub work: PathBuf,
    /// fpgacc; `None` to build and run the originals only.
    pub fpgacc: Option<PathBuf>,
    /// How often each program runs; the shortest time counts.
    pub repeat: u32,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The original passes its own check; nothing was compared.
    Passes,
    /// Every byte read back is the original's.
    Identical,
    /// A reduction was reassociated, and every value is within its bound.
    WithinBounds,
    /// Something is wrong: what.
    Fault(String),
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program, and the kind of its input if it is not the usual one.
    pub program: String,
    /// The platform.
    pub platform: String,
    /// How many kernels it has.
    pub kernels: usize,
    /// How many kernels each pass rewrote.
    pub forms: BTreeMap<String, usize>,
    /// fpgacc's time for the build, or the plain compiler's where only the original was built.
    pub build: Option<Duration>,
    /// The original's run.
    pub original: Option<Duration>,
    /// The rewritten program's run.
    pub rewritten: Option<Duration>,
    /// How the read-backs differ.
    pub difference: Option<Difference>,
    /// How it ended.
    pub verdict: Verdict,
}

/// What keeps a trial from its end.
#[derive(Debug, thiserror::Error)]
enum TrialError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot write under {}: {source}", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },
}

impl Bench {
    /// Tries a program on a platform. More than one row where a reduction was reassociated: that
    /// program runs once more, on integers, where its read-backs must be the original's bytes.
    pub fn trial(&self, program: &Program, platform: &Platform) -> Vec<Row> {
        let mut rows = Vec::new();
        if let Err(error) = self.fill(program, platform, &mut rows) {
            let mut row = self.row(program, platform);
            row.verdict = Verdict::Fault(error.to_string());
            rows.push(row);
        }
        rows
    }

    fn fill(
        &self,
        program: &Program,
        platform: &Platform,
        rows: &mut Vec<Row>,
    ) -> Result<(), TrialError> {
        let bench = Trial::new(self, program, platform)?;
        let original = build::original(program, &bench.folder, &bench.work.join("original"))?;
        let fpgacc = self.fpgacc.as_ref().filter(|_| platform.is_target);
        let Some(fpgacc) = fpgacc else {
            let run = bench.run(&original, &program.args, "original")?;
            let mut row = self.row(program, platform);
            row.build = Some(original.time);
            row.original = Some(run.time);
            rows.push(row);
            return Ok(());
        };
        let output = bench.work.join("rewritten");
        let rewritten = build::with_fpgacc(fpgacc, program, &bench.folder, platform, &output)?;
        let reassociated = rewritten.remarks.iter().any(|r| r.pass == REASSOCIATES);

        let mut row = self.row(program, platform);
        row.forms = forms(&rewritten.remarks);
        row.build = Some(rewritten.time);
        let integers = row.clone();
        let bound = |name: &str| match reassociated {
            true => program.bound(name),
            false => Bound::EXACT,
        };
        bench.compare(&original, &rewritten, &program.args, bound, &mut row);
        rows.push(row);
        if !reassociated {
            return Ok(());
        }

        let mut row = integers;
        row.program = format!("{} (integers)", program.name);
        match &program.integer_args {
            Some(args) => {
                bench.compare(&original, &rewritten, args, |_| Bound::EXACT, &mut row);
            }
            None => {
                let text = "a reduction was reassociated, but there are no integer_args";
                row.verdict = Verdict::Fault(text.to_string());
            }
        }
        rows.push(row);
        Ok(())
    }

    fn row(&self, program: &Program, platform: &Platform) -> Row {
        Row {
            program: program.name.clone(),
            platform: platform.name.clone(),
            kernels: kernel_count(&self.programs.join(&program.name), program),
            forms: BTreeMap::new(),
            build: None,
            original: None,
            rewritten: None,
            difference: None,
            verdict: Verdict::Passes,
        }
    }
}

struct Trial<'a> {
    bench: &'a Bench,
    folder: PathBuf,
    work: PathBuf,
    vendors: PathBuf,
}

impl<'a> Trial<'a> {
    fn new(bench: &'a Bench, program: &Program, platform: &Platform) -> Result<Self, TrialError> {
        let failed = |source| TrialError::Folder {
            folder: bench.work.clone(),
            source,
        };
        let work = bench.work.join(&platform.name).join(&program.name);
        fs::create_dir_all(&work).map_err(failed)?;
        let vendors = platform.vendors_folder(&bench.work).map_err(failed)?;
        Ok(Trial {
            bench,
            folder: bench.programs.join(&program.name),
            work,
            vendors,
        })
    }

    fn run(&self, built: &Built, args: &[String], name: &str) -> Result<Run, RunError> {
        let setting = self.setting(name);
        execute::run(&built.executable, args, &setting)
    }

    fn setting(&self, name: &str) -> Setting<'_> {
        Setting {
            folder: &self.folder,
            vendors: &self.vendors,
            dump: self.work.join(format!("{name}.readbacks")),
            repeat: self.bench.repeat,
            env: &[],
        }
    }

    /// Runs the rewritten program once more, reporting its launches: a kernel that became one
    /// work-item must be launched as one, or equal results say nothing about it.
    fn never_launched(
        &self,
        rewritten: &Built,
        args: &[String],
        name: &str,
    ) -> Result<Option<String>, RunError> {
        let is_task = |remark: &&Remark| remark.pass == MAKES_TASKS;
        let mut tasks = rewritten.remarks.iter().filter(is_task).peekable();
        if tasks.peek().is_none() {
            return Ok(None);
        }
        let setting = Setting {
            repeat: 1,
            env: &[("FPGACC_VERBOSE", "1")],
            ..self.setting(&format!("{name}-launches"))
        };
        let run = execute::run(&rewritten.executable, args, &setting)?;
        let launched: BTreeSet<&str> = run.stderr.lines().filter_map(launched_as_task).collect();
        let missing = tasks.find(|remark| !launched.contains(remark.kernel.as_str()));
        Ok(missing.map(|remark| {
            let kernel = &remark.kernel;
            format!("kernel '{kernel}' was made one work-item, but was never launched as one")
        }))
    }

    /// Runs both, compares, and fills the row in.
    fn compare(
        &self,
        original: &Built,
        rewritten: &Built,
        args: &[String],
        bound: impl Fn(&str) -> Bound,
        row: &mut Row,
    ) {
        let kind = row.program.replace(['(', ')'], "").replace(' ', "-");
        let verdict = || -> Result<Verdict, RunError> {
            let first = self.run(original, args, &format!("{kind}-original"))?;
            row.original = Some(first.time);
            let second = self.run(rewritten, args, &format!("{kind}-rewritten"))?;
            row.rewritten = Some(second.time);
            let difference = readback::compare(&first.readbacks, &second.readbacks, bound);
            row.difference = Some(difference.clone());
            let fault = difference
                .fault
                .or_else(|| complaint(&first, &second))
                .or(self.never_launched(rewritten, args, &kind)?);
            if let Some(fault) = fault {
                return Ok(Verdict::Fault(fault));
            }
            if !difference.identical {
                return Ok(Verdict::WithinBounds);
            }
            match results(&first) == results(&second) {
                true => Ok(Verdict::Identical),
                false => Ok(Verdict::Fault("it prints other results".into())),
            }
        };
        row.verdict = verdict().unwrap_or_else(|error| Verdict::Fault(error.to_string()));
    }
}

/// What a program prints of its results: all but the device's name.
fn results(run: &Run) -> Vec<&str> {
    let lines = run.stdout.lines();
    lines.filter(|line| !line.starts_with("device: ")).collect()
}

/// A message of fpgacc's runtime: that a launch or a build did not take the compiled kernels. Then
/// equal results say nothing about them.
fn complaint(original: &Run, rewritten: &Run) -> Option<String> {
    let known: BTreeSet<&str> = original.stderr.lines().collect();
    let is_complaint = |line: &&str| line.contains("warning: ") || line.contains("error: ");
    let mut lines = rewritten
        .stderr
        .lines()
        .filter(|line| !known.contains(line));
    lines.find(is_complaint).map(str::to_string)
}

/// The kernel of a line ``kernel `k` launched as one work-item: ..`` of fpgacc's runtime.
fn launched_as_task(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(": kernel `")?;
    let (kernel, rest) = rest.split_once('`')?;
    rest.starts_with(" launched as one work-item")
        .then_some(kernel)
}

/// How many kernels each pass rewrote.
fn forms(remarks: &[Remark]) -> BTreeMap<String, usize> {
    let mut kernels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for remark in remarks {
        let of_pass = kernels.entry(&remark.pass).or_default();
        of_pass.insert(&remark.kernel);
    }
    let count = |(pass, kernels): (&str, BTreeSet<&str>)| (pass.to_string(), kernels.len());
    kernels.into_iter().map(count).collect()
}

/// How often the sources say `__kernel` at the start of a line.
fn kernel_count(folder: &Path, program: &Program) -> usize {
    let of_file = |source: &String| {
        let text = fs::read_to_string(folder.join(source)).unwrap_or_default();
        text.lines()
            .filter(|line| line.starts_with("__kernel "))
            .count()
    };
    program.sources.iter().map(of_file).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(pass: &str, kernel: &str) -> Remark {
        Remark {
            kernel: kernel.into(),
            pass: pass.into(),
            text: String::new(),
        }
    }

    #[test]
    fn forms_count_kernels_not_remarks() {
        let remarks = [
            remark("restrict", "a"),
            remark("restrict", "a"),
            remark("restrict", "b"),
            remark("reduction", "a"),
        ];
        let forms = forms(&remarks);
        assert_eq!(forms["restrict"], 2);
        assert_eq!(forms["reduction"], 1);
    }

    fn run(stdout: &str, stderr: &str) -> Run {
        Run {
            readbacks: Vec::new(),
            stdout: stdout.into(),
            stderr: stderr.into(),
            time: Duration::ZERO,
        }
    }

    #[test]
    fn complaints_of_the_runtime_are_seen() {
        let original = run("", "a.c:1: warning: mine\n");
        let same = run("", "a.c:1: warning: mine\nkernels took 1 ms\n");
        assert_eq!(complaint(&original, &same), None);
        let other = run("", "a.c:9: warning: kernel 'k' runs as written\n");
        assert!(complaint(&original, &other).is_some());
    }

    #[test]
    fn launches_are_read() {
        let line = "fpgacc: a.c:12: kernel `f` launched as one work-item: offset 0, global size 8";
        assert_eq!(launched_as_task(line), Some("f"));
        let other = "fpgacc: a.c:12: kernel `f` launched as the host says";
        assert_eq!(launched_as_task(other), None);
    }

    #[test]
    fn the_device_is_no_result() {
        let a = run("device: A\nPASS\n", "");
        let b = run("device: B\nPASS\n", "");
        assert_eq!(results(&a), results(&b));
    }
}
