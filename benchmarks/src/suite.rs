//! Programs of others, built by the system's compiler and by fpgacc with its default options: what
//! runs in one form must run in the other, and print the same.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fpgacc_aoc_wrappers::cc::{CcError, Compiler, Language};
use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_aoc_wrappers::process::{Captured, Command, ProcessError};

use crate::build;
use crate::catalog::Program;
use crate::differences::{Differences, Rounding};
use crate::platform::Platform;

/// A build or a run may take so long.
const LIMIT: Duration = Duration::from_secs(240);
/// How often the original runs again, at most, to learn what changes from run to run.
const ORIGINALS: usize = 2;
/// Shows originals the implementation's device whatever type they ask for, as fpgacc's runtime does.
const ANY_DEVICE: &str = include_str!("any_device.c");
/// Gives programs that seed their input with the time the same input in each run.
const FIXED_TIME: &str = include_str!("fixed_time.c");

/// The library that shows originals the implementation's device whatever type they ask for, made in a folder.
///
/// # Errors
/// It does not build.
pub fn any_device(work: &Path) -> Result<PathBuf, SuiteError> {
    preloaded(work, "any_device", ANY_DEVICE)
}

/// The library that gives programs the same time in each run, made in a folder.
///
/// # Errors
///
/// It cannot be made.
pub fn fixed_time(work: &Path) -> Result<PathBuf, SuiteError> {
    preloaded(work, "fixed_time", FIXED_TIME)
}

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The same text, files and exit code.
    Same,
    /// The same with `--strict-fp`; without it, `reduction` sums in another order, and numbers are no further
    /// apart than that explains.
    Rounded(Rounding),
    /// The original does not build or run here.
    Original(String),
    /// fpgacc said that it does not compile or launch something.
    Refused(String),
    /// Something else.
    Different(String),
}

impl Verdict {
    /// Whether fpgacc's build falls short of the original.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Verdict::Refused(_) | Verdict::Different(_))
    }

    /// What the tables say.
    fn word(&self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Rounded(_) => "rounded",
            Verdict::Original(_) => "original fails",
            Verdict::Refused(_) => "refused",
            Verdict::Different(_) => "different",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Verdict::Same => return f.write_str(self.word()),
            Verdict::Rounded(rounding) => rounding.to_string(),
            Verdict::Original(why) | Verdict::Refused(why) | Verdict::Different(why) => why.clone(),
        };
        write!(f, "{}: {why}", self.word())
    }
}

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A program could not be run at all.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// There is no compiler.
    #[error(transparent)]
    Compiler(#[from] CcError),
    /// A file of the runner's own.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The command that prepares a list of programs failed.
    #[error("`{line}`: {output}")]
    Prepare {
        /// The command.
        line: String,
        /// What it wrote.
        output: String,
    },
}

/// How programs are tried.
#[derive(Clone, Debug)]
pub struct Suite {
    /// fpgacc.
    pub fpgacc: PathBuf,
    /// The programs' folders are in it.
    pub programs: PathBuf,
    /// The runner's own files go here.
    pub work: PathBuf,
    /// Options of fpgacc besides those of the program; usually none.
    pub options: Vec<String>,
}

/// One run of a program on a platform.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The program's arguments.
    pub args: Vec<String>,
    /// What came of it.
    pub verdict: Verdict,
    /// What fpgacc's program warned of, if it did.
    pub warning: Option<String>,
    /// If it is different: how far numbers are apart, where nothing else differs.
    pub rounding: Option<Rounding>,
}

impl Outcome {
    fn new(args: &[String], verdict: Verdict) -> Self {
        Outcome {
            args: args.to_vec(),
            verdict,
            warning: None,
            rounding: None,
        }
    }

    /// Judges a difference that `--strict-fp` does not show.
    fn settle(&mut self, terms: Option<u32>) {
        let Verdict::Different(what) = &self.verdict else {
            return;
        };
        let strict = format!("{what}; the same with --strict-fp");
        self.verdict = match (&self.rounding, terms) {
            (Some(rounding), Some(terms)) if rounding.is_within(terms) => {
                Verdict::Rounded(rounding.clone())
            }
            (Some(rounding), Some(terms)) => {
                Verdict::Different(format!("{strict}, {}", rounding.against(terms)))
            }
            _ => Verdict::Different(strict),
        };
    }
}

/// Runs the command that a list of programs wants to be run first, where their folders lie.
///
/// # Errors
///
/// It fails.
pub fn prepare(line: &str, programs: &Path) -> Result<(), SuiteError> {
    let command = Command::new("sh").args(["-c", line]).dir(programs);
    let done = command.limit(LIMIT).capture()?;
    match done.status.success() {
        true => Ok(()),
        false => Err(SuiteError::Prepare {
            line: line.to_string(),
            output: format!("{}{}", done.stdout_text(), done.stderr_text()),
        }),
    }
}

impl Suite {
    /// Builds a program twice and tries each of its runs.
    ///
    /// # Errors
    ///
    /// A compiler, or the runner's own files, are not to be had.
    pub fn outcomes(
        &self,
        program: &Program,
        platform: &Platform,
    ) -> Result<Vec<Outcome>, SuiteError> {
        let attempt = Attempt::new(self, program, platform)?;
        let all = |verdict: Verdict| {
            let of = |args: &Vec<String>| Outcome::new(args, verdict.clone());
            program.runs.iter().map(of).collect::<Vec<_>>()
        };
        let original = attempt.plain_build()?.capture();
        if let Err(why) = built(original) {
            return Ok(all(Verdict::Original(format!("does not build: {why}"))));
        }
        let ours = attempt.our_build(&[]).capture();
        if let Err(why) = built(ours) {
            let refused = |args: &Vec<String>| {
                let verdict = match attempt.original(args) {
                    Ok(_) => Verdict::Refused(format!("build: {why}")),
                    Err(verdict) => verdict,
                };
                Outcome::new(args, verdict)
            };
            return Ok(program.runs.iter().map(refused).collect());
        }
        let runs = program.runs.iter();
        let mut outcomes: Vec<Outcome> = runs.map(|args| attempt.outcome(args)).collect();
        let differs = |outcome: &&mut Outcome| matches!(outcome.verdict, Verdict::Different(_));
        if !outcomes.iter_mut().any(|outcome| differs(&outcome)) {
            return Ok(outcomes);
        }
        let strict = attempt.our_build(&["--strict-fp"]).capture();
        if built(strict).is_err() {
            return Ok(outcomes);
        }
        for outcome in outcomes.iter_mut().filter(differs) {
            if attempt.outcome(&outcome.args).verdict == Verdict::Same {
                outcome.settle(program.terms);
            }
        }
        Ok(outcomes)
    }
}

struct Attempt<'a> {
    suite: &'a Suite,
    program: &'a Program,
    platform: &'a Platform,
    folder: PathBuf,
    vendors: PathBuf,
    any_device: PathBuf,
    fixed_time: PathBuf,
    /// Some programs look for kernels beside themselves.
    plain: PathBuf,
    ours: PathBuf,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        // Nobody wants what is left of a trial in a checkout; what is not there need not go.
        for file in [&self.plain, &self.ours] {
            let _ = fs::remove_file(file);
        }
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(OURS) && name.ends_with(".aocx") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The name of fpgacc's executable.
const OURS: &str = "fpgacc-suite-ours";

impl<'a> Attempt<'a> {
    fn new(
        suite: &'a Suite,
        program: &'a Program,
        platform: &'a Platform,
    ) -> Result<Self, SuiteError> {
        let vendors = platform.vendors_folder(&suite.work);
        let vendors = vendors.map_err(|source| of_file(&suite.work, source))?;
        let any_device = preloaded(&suite.work, "any_device", ANY_DEVICE)?;
        let fixed_time = fixed_time(&suite.work)?;
        let folder = suite.programs.join(&program.name);
        Ok(Attempt {
            suite,
            program,
            platform,
            plain: folder.join("fpgacc-suite-plain"),
            ours: folder.join(OURS),
            folder,
            vendors,
            any_device,
            fixed_time,
        })
    }

    fn plain_build(&self) -> Result<Command, SuiteError> {
        let program = self.program;
        // The C++ compiler would take C files for C++.
        let has_c = program.hosts().any(|host| host.ends_with(".c"));
        let is_mixed = has_c && program.is_cxx() && build::language(program).is_none();
        let language = match program.is_cxx() && !is_mixed {
            true => Language::Cxx,
            false => Language::C,
        };
        let mut args: Vec<OsString> = vec!["-O2".into(), "-w".into()];
        args.extend(["-o".into(), self.plain.clone().into_os_string()]);
        args.extend(build::language(program).map(OsString::from));
        args.extend(program.hosts().map(OsString::from));
        args.extend(build::language(program).map(|_| OsString::from("-xnone")));
        args.extend(self.flags());
        args.push("-lOpenCL".into());
        args.extend(is_mixed.then(|| "-lstdc++".into()));
        let command = Compiler::find(language)?.command();
        Ok(command.args(args).dir(&self.folder).limit(LIMIT))
    }

    fn our_build(&self, further: &[&str]) -> Command {
        let program = self.program;
        Command::new(&self.suite.fpgacc)
            .args(["-O2", "-w"])
            .arg(format!("--platform={}", self.platform.name))
            .args(&self.suite.options)
            .args(further.iter().copied())
            .arg("-o")
            .arg(&self.ours)
            .args(build::language(program))
            .args(program.sources.iter().map(OsString::from))
            .args(build::language(program).map(|_| "-xnone"))
            .args(self.flags())
            .dir(&self.folder)
            .limit(LIMIT)
    }

    fn flags(&self) -> Vec<OsString> {
        let flags = self.program.flags.iter().filter(|flag| *flag != "-xc++");
        flags.map(OsString::from).collect()
    }

    fn run(&self, executable: &Path, args: &[String]) -> Result<Ran, String> {
        for output in &self.program.outputs {
            // A file of the run before would hide that this one writes none.
            let _ = fs::remove_file(self.folder.join(output));
        }
        let mut command = Command::new(executable)
            .args(args)
            .dir(&self.folder)
            .limit(LIMIT)
            .env_remove("OCL_ICD_FILENAMES");
        if let Some(device) = &self.program.device {
            // For fpgacc's runtime, and for what is preloaded into originals.
            command = command.env("FPGACC_DEVICE_TYPE", device);
        }
        command = match executable == self.plain {
            true => command
                .env("OCL_ICD_VENDORS", &self.vendors)
                .env("LD_PRELOAD", self.any_device_and_time())
                .envs(cpu_target()),
            false => command
                .env("LD_PRELOAD", &self.fixed_time)
                .env_remove("OCL_ICD_VENDORS"),
        };
        let captured = command.capture().map_err(|error| error.to_string())?;
        let outputs = self.program.outputs.iter();
        let read = |name: &String| (name.clone(), fs::read(self.folder.join(name)).ok());
        Ok(Ran {
            files: outputs.map(read).collect(),
            captured,
        })
    }

    fn any_device_and_time(&self) -> OsString {
        let mut libraries = self.any_device.clone().into_os_string();
        libraries.push(":");
        libraries.push(&self.fixed_time);
        libraries
    }

    /// A run of the original, which must succeed.
    fn original(&self, args: &[String]) -> Result<Ran, Verdict> {
        let ran = self.run(&self.plain, args).map_err(Verdict::Original)?;
        if ran.captured.status.success() {
            return Ok(ran);
        }
        let said = last_line(&ran.captured);
        let status = ran.captured.status;
        Err(Verdict::Original(format!("{status}: {said}")))
    }

    fn outcome(&self, args: &[String]) -> Outcome {
        self.compared(args)
            .unwrap_or_else(|verdict| Outcome::new(args, verdict))
    }

    fn compared(&self, args: &[String]) -> Result<Outcome, Verdict> {
        let original = self.original(args)?;
        let ours = self.run(&self.ours, args).map_err(Verdict::Different)?;
        let stderr = ours.captured.stderr_text();
        // What changes from run to run, such as who of several threads is first, need not change at once.
        let mut differences = Differences::default();
        for _ in 0..ORIGINALS {
            let again = self.original(args)?;
            differences = self::differences(&original, &again, &ours);
            if differences.first().is_none() {
                break;
            }
        }
        let verdict = match (differences.first(), message(&stderr, "error: ")) {
            (None, _) => Verdict::Same,
            (Some(_), Some(error)) => Verdict::Refused(error),
            (Some(what), None) => Verdict::Different(what),
        };
        Ok(Outcome {
            warning: message(&stderr, "warning: "),
            rounding: differences.rounding(),
            ..Outcome::new(args, verdict)
        })
    }
}

fn of_file(path: &Path, source: io::Error) -> SuiteError {
    SuiteError::File {
        path: path.to_path_buf(),
        source,
    }
}

/// Makes a library that programs are run with.
fn preloaded(work: &Path, name: &str, text: &str) -> Result<PathBuf, SuiteError> {
    let source = work.join(format!("{name}.c"));
    let library = work.join(format!("{name}.so"));
    fs::write(&source, text).map_err(|error| of_file(&source, error))?;
    let made = Compiler::find(Language::C)?
        .command()
        .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
        .args([library.as_os_str(), source.as_os_str()])
        .arg("-ldl")
        .capture()?;
    match made.status.success() {
        true => Ok(library),
        false => Err(SuiteError::Prepare {
            line: format!("{name}.c"),
            output: made.stderr_text(),
        }),
    }
}

struct Ran {
    captured: Captured,
    files: BTreeMap<String, Option<Vec<u8>>>,
}

fn built(done: Result<Captured, ProcessError>) -> Result<(), String> {
    let done = done.map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    let text = done.stderr_text();
    let error = text.lines().find(|line| line.contains("error:"));
    Err(error.or(text.lines().last()).unwrap_or("").to_string())
}

fn last_line(captured: &Captured) -> String {
    let text = format!("{}{}", captured.stdout_text(), captured.stderr_text());
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    last.unwrap_or("nothing is printed").trim().to_string()
}

/// A message of fpgacc's runtime.
fn message(stderr: &str, kind: &str) -> Option<String> {
    let mut ours = stderr.lines().filter(|line| line.starts_with("fpgacc: "));
    let line = ours.find(|line| line.contains(kind))?;
    Some(line.split_once(kind)?.1.to_string())
}

/// What our run does otherwise than the original, which ran twice: what differs between these two
/// is a time.
fn differences(original: &Ran, again: &Ran, ours: &Ran) -> Differences {
    let mut found = Differences::default();
    if original.captured.status != ours.captured.status {
        let said = last_line(&ours.captured);
        found.add(format!("{}: {said}", ours.captured.status));
    }
    for (name, bytes) in &original.files {
        let text = |ran: &Ran| String::from_utf8(ran.files.get(name)?.clone()?).ok();
        match (text(original), text(again), text(ours)) {
            (Some(original), Some(again), Some(ours)) => found.compare(&original, &again, &ours),
            _ if again.files.get(name) != Some(bytes) => {}
            _ if ours.files.get(name) == Some(bytes) => {}
            _ => found.add(format!("it writes another {name}")),
        }
    }
    let [original, again, ours] = [original, again, ours].map(|ran| printed(&ran.captured));
    found.compare(&original, &again, &ours);
    found
}

/// What a program printed: its standard output, and its standard error without the messages of fpgacc
/// and of the device's compiler, which has compiled fpgacc's kernels before.
fn printed(captured: &Captured) -> String {
    let stderr = captured.stderr_text();
    let is_own = |line: &&str| !line.starts_with("fpgacc: ") && !is_count_of_warnings(line);
    let own = stderr.lines().filter(is_own);
    let lines: String = own.map(|line| format!("{line}\n")).collect();
    format!("{}{lines}", captured.stdout_text())
}

/// `2 warnings generated.`: what PoCL's compiler ends with, without the warnings.
fn is_count_of_warnings(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && [" warning generated.", " warnings generated."].contains(&rest)
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program, with its arguments.
    pub program: String,
    /// What came of it, by platform.
    pub verdicts: BTreeMap<String, Verdict>,
}

/// The table, as Markdown.
pub fn table(rows: &[Row], platforms: &[&str]) -> String {
    let mut out = format!("| program | {} | |\n", platforms.join(" | "));
    let _ = writeln!(out, "|---|{}---|", "---|".repeat(platforms.len()));
    for row in rows {
        let mut notes: Vec<String> = Vec::new();
        let _ = write!(out, "| {} |", row.program);
        for platform in platforms {
            let word = match row.verdicts.get(*platform) {
                None => String::new(),
                Some(verdict) if verdict.is_wrong() => format!("**{}**", verdict.word()),
                Some(verdict) => verdict.word().to_string(),
            };
            let _ = write!(out, " {word} |");
            let note = row.verdicts.get(*platform).map_or(String::new(), note);
            if !note.is_empty() && !notes.contains(&note) {
                notes.push(note);
            }
        }
        let _ = writeln!(out, " {} |", notes.join("; "));
    }
    out
}

/// Why a verdict is what it is.
fn note(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Same => String::new(),
        Verdict::Rounded(rounding) => rounding.to_string(),
        Verdict::Original(why) | Verdict::Refused(why) | Verdict::Different(why) => {
            let why: String = why.chars().take(160).collect();
            why.replace('|', "/")
        }
    }
}

/// How many programs got which verdict, on each platform: a table of its own.
pub fn counts(rows: &[Row], platforms: &[&str]) -> String {
    let mut out = String::from(
        "| | runs | same | rounded | refused | different | original fails |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for platform in platforms {
        let mut of = [0; 5];
        for verdict in rows.iter().filter_map(|row| row.verdicts.get(*platform)) {
            of[match verdict {
                Verdict::Same => 0,
                Verdict::Rounded(_) => 1,
                Verdict::Refused(_) => 2,
                Verdict::Different(_) => 3,
                Verdict::Original(_) => 4,
            }] += 1;
        }
        let cells = of.map(|count| count.to_string()).join(" | ");
        let _ = writeln!(out, "| {platform} | {} | {cells} |", of.iter().sum::<u32>());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use fpgacc_aoc_wrappers::process::Status;

    fn ran(stdout: &str) -> Ran {
        Ran {
            captured: Captured {
                status: Status::Code(0),
                stdout: stdout.into(),
                stderr: Vec::new(),
            },
            files: BTreeMap::new(),
        }
    }

    fn differs(original: &Ran, again: &Ran, ours: &Ran) -> Option<String> {
        let found = differences(original, again, ours);
        found.first()
    }

    fn differ(original: &str, again: &str, ours: &str) -> Option<String> {
        differs(&ran(original), &ran(again), &ran(ours))
    }

    #[test]
    fn times_may_differ_and_results_may_not() {
        assert_eq!(differ("x 1\ny 2.5\n", "x 1\ny 2.6\n", "x 1\ny 9\n"), None);
        assert!(differ("x 1\n", "x 1\n", "x 2\n").is_some());
        assert_eq!(differ("time: 1\n", "time: 1\n", "time: 2\n"), None);
        assert!(differ("time: 1 ok\n", "time: 1 ok\n", "time: 2 no\n").is_some());
        assert!(differ("x\n", "x\n", "x\nerror\n").is_some());
    }

    #[test]
    fn what_the_device_s_compiler_says_is_not_the_program_s() {
        let said = |stderr: &str| Ran {
            captured: Captured {
                stderr: stderr.into(),
                ..ran("x").captured
            },
            files: BTreeMap::new(),
        };
        let original = said("1 warning generated.\n");
        assert_eq!(differs(&original, &original, &said("")), None);
        let original = said("1 warning generated by me.\n");
        assert!(differs(&original, &original, &said("")).is_some());
    }

    #[test]
    fn files_count() {
        let with = |bytes: &str| Ran {
            files: BTreeMap::from([("out".to_string(), Some(bytes.into()))]),
            ..ran("")
        };
        assert_eq!(differs(&with("a"), &with("a"), &with("a")), None);
        assert!(differs(&with("a"), &with("a"), &with("b")).is_some());
        assert_eq!(differs(&with("a"), &with("b"), &with("c")), None);
        let bytes = |byte: u8| Ran {
            files: BTreeMap::from([("out".to_string(), Some(vec![255, byte]))]),
            ..ran("")
        };
        assert_eq!(differs(&bytes(1), &bytes(1), &bytes(1)), None);
        assert!(differs(&bytes(1), &bytes(1), &bytes(2)).is_some());
    }

    #[test]
    fn rounded_is_only_what_another_order_explains() {
        let settled = |ours: &str, terms| {
            let differences = differences(
                &ran("sum 2000.5 of 8\n"),
                &ran("sum 2000.5 of 8\n"),
                &ran(ours),
            );
            let what = differences.first().unwrap();
            let mut outcome = Outcome {
                rounding: differences.rounding(),
                ..Outcome::new(&[], Verdict::Different(what))
            };
            outcome.settle(terms);
            outcome.verdict
        };
        let is_rounded = |verdict: Verdict| matches!(verdict, Verdict::Rounded(_));
        let close = settled("sum 2000.6 of 8\n", Some(64));
        assert_eq!(
            close.to_string(),
            "rounded: numbers apart: 1, by 5.0e-5 of themselves at most"
        );
        assert!(is_rounded(close));
        assert!(!is_rounded(settled("sum 2001.5 of 8\n", Some(64))));
        assert!(!is_rounded(settled("sum 2000.6 of 8\n", None)));
        assert!(!is_rounded(settled("sum 2000.6 at 8\n", Some(64))));
        assert!(!is_rounded(settled("sum nan of 8\n", Some(64))));
    }

    #[test]
    fn all_rows_are_counted() {
        let row = |verdict: Verdict| Row {
            program: "p".to_string(),
            verdicts: BTreeMap::from([("intel".to_string(), verdict)]),
        };
        let rows = [
            row(Verdict::Same),
            row(Verdict::Same),
            row(Verdict::Refused("why".to_string())),
        ];
        let text = counts(&rows, &["intel", "pocl"]);
        assert!(text.contains("| intel | 3 | 2 | 0 | 1 | 0 | 0 |"), "{text}");
        assert!(
            text.ends_with("| pocl | 0 | 0 | 0 | 0 | 0 | 0 |\n"),
            "{text}"
        );
    }

    #[test]
    fn the_table_says_why() {
        let verdicts = [
            ("intel".to_string(), Verdict::Refused("a|b".to_string())),
            ("pocl".to_string(), Verdict::Same),
        ];
        let row = Row {
            program: "p".to_string(),
            verdicts: BTreeMap::from(verdicts),
        };
        let text = table(&[row], &["intel", "pocl"]);
        assert!(
            text.ends_with("| p | **refused** | same | a/b |\n"),
            "{text}"
        );
    }
}
