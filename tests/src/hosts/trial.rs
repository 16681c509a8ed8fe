//! Building a program twice, by the system's compiler and by fpgacc, and running both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_aoc_wrappers::emulator::Emulator;
use fpgacc_aoc_wrappers::process::{Captured, Command, ProcessError};
use serde::{Deserialize, Serialize};

use crate::command::built;
use crate::run::Platform;

use super::program::Program;

/// No build and no run takes as long, also at the lowest priority on a machine that does much other work.
const LIMIT: Duration = Duration::from_secs(1200);

/// A folder in memory, if there is one: most of what is written for a program is read once and removed.
const MEMORY: &str = "/dev/shm";

/// How many threads the Intel emulator starts: its own choice is 32, which takes longer than what most programs do.
const THREADS: (&str, &str) = ("DPCPP_CPU_NUM_CUS", "2");

/// What came of a program on an implementation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same text and exit code.
    Same,
    /// fpgacc said why it does not build or launch it, and what was printed before is the same.
    Refused(String),
    /// Something else.
    Different(String),
    /// The original does not run there: nothing was compared.
    Original(String),
}

/// A verdict, and what it was made from.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The verdict.
    pub verdict: Verdict,
    /// Where the original ran that it was compared with.
    pub reference: Platform,
    /// What each build and run wrote, by name.
    pub outputs: BTreeMap<String, String>,
    /// What fpgacc's program warned of.
    pub warnings: Vec<String>,
    /// What to type to see it again, in the program's folder.
    pub script: String,
}

/// A place where programs are built and run.
#[derive(Debug)]
pub struct Bench {
    fpgacc: PathBuf,
    libraries: BTreeMap<Platform, PathBuf>,
    scratch: PathBuf,
}

impl Bench {
    /// Finds fpgacc and the implementations.
    ///
    /// # Panics
    /// If fpgacc is not built.
    pub fn new() -> Self {
        let found = [
            (Platform::Intel, Emulator::find_intel()),
            (Platform::Pocl, Emulator::find_pocl()),
        ];
        let libraries = found.into_iter().filter_map(|(platform, emulator)| {
            let library = emulator.ok()?.library().to_path_buf();
            Some((platform, library))
        });
        Bench {
            fpgacc: built().join("fpgacc"),
            libraries: libraries.collect(),
            scratch: match (std::env::var_os("TMPDIR"), Path::new(MEMORY)) {
                (None, memory) if memory.is_dir() => memory.to_path_buf(),
                _ => std::env::temp_dir(),
            },
        }
    }

    /// Runs a command in a folder.
    fn capture(&self, command: Command, folder: &Path) -> Result<Captured, ProcessError> {
        let command = command.dir(folder).env("TMPDIR", &self.scratch);
        command.limit(LIMIT).capture()
    }

    /// Builds a program by the system's compiler.
    ///
    /// # Errors
    /// It is not legal C or C++, files cannot be written, or the compiler cannot be run.
    pub fn stage<'a>(&'a self, program: &'a Program) -> Result<Stage<'a>, String> {
        let mut root = tempfile::Builder::new();
        let root = root.prefix("fpgacc-hosts-").tempdir_in(&self.scratch);
        let stage = Stage {
            bench: self,
            program,
            root: root.map_err(|e| e.to_string())?,
            originals: BTreeMap::new(),
            objects: None,
            runs: 0,
        };
        let folder = stage.root.path().join("plain");
        program.write(&folder).map_err(|e| e.to_string())?;
        let done = self.capture(stage.plain_build(), &folder);
        let done = done.map_err(|e| e.to_string())?;
        match done.status.success() {
            true => Ok(stage),
            false => Err(format!("the host does not compile: {}", done.stderr_text())),
        }
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

/// A program whose original is built.
#[derive(Debug)]
pub struct Stage<'a> {
    bench: &'a Bench,
    program: &'a Program,
    root: tempfile::TempDir,
    originals: BTreeMap<Platform, Ran>,
    /// Where objects lie that fpgacc made: they are the same for all implementations.
    objects: Option<PathBuf>,
    runs: usize,
}

/// What a run did, or why there was none.
type Ran = Result<Captured, String>;

impl Stage<'_> {
    /// Builds the program by fpgacc for an implementation, runs it, and compares it with the original.
    /// An original that did the same on another implementation, one of `others`, will do: then it need
    /// not run on this one.
    ///
    /// # Errors
    /// Files cannot be written.
    pub fn trial(&mut self, platform: Platform, others: &[Platform]) -> Result<Trial, String> {
        let mut outputs = BTreeMap::new();
        let ours = self.ours(platform, &mut outputs)?;
        let (mut verdict, mut reference) = (Verdict::Original(String::new()), platform);
        for &on in others.iter().chain([&platform]) {
            let original = self.original(on)?;
            verdict = match (&ours, original) {
                (_, Err(error)) => Verdict::Original(error.clone()),
                (_, Ok(original)) if !original.status.success() => {
                    let output = format!("{}{}", original.stdout_text(), original.stderr_text());
                    Verdict::Original(format!("{}: {output}", original.status))
                }
                (Ours::NotBuilt(verdict), Ok(_)) => verdict.clone(),
                (Ours::Ran(Err(error)), Ok(_)) => Verdict::Different(error.clone()),
                (Ours::Ran(Ok(ours)), Ok(original)) => compare(original, ours),
            };
            reference = on;
            if verdict == Verdict::Same {
                break;
            }
        }
        if let Some(Ok(original)) = self.originals.get(&reference) {
            keep_output(&mut outputs, "original.run", original);
        }
        let said = outputs.get("fpgacc.run.stderr");
        let warnings = said.map(|text| messages(text, "warning: "));
        Ok(Trial {
            verdict,
            reference,
            warnings: warnings.unwrap_or_default(),
            script: self.script(platform),
            outputs,
        })
    }

    fn ours(
        &mut self,
        platform: Platform,
        outputs: &mut BTreeMap<String, String>,
    ) -> Result<Ours, String> {
        let folder = self.root.path().join(format!("{platform:?}"));
        self.program.write(&folder).map_err(|e| e.to_string())?;
        let (mut compilations, link) = self.our_builds(platform);
        if let Some(objects) = &self.objects {
            compilations.clear();
            for object in self.objects_made() {
                fs::hard_link(objects.join(&object), folder.join(&object))
                    .map_err(|e| e.to_string())?;
            }
        }
        let builds = compilations.into_iter().chain([link]);
        for (number, build) in builds.enumerate() {
            let done = match self.bench.capture(build, &folder) {
                Ok(done) => done,
                Err(error) => {
                    let verdict = Verdict::Different(format!("the build: {error}"));
                    return Ok(Ours::NotBuilt(verdict));
                }
            };
            keep_output(outputs, &format!("fpgacc.{number}"), &done);
            if !done.status.success() {
                return Ok(Ours::NotBuilt(failed_build(&done)));
            }
        }
        if self.program.build.separately {
            self.objects.get_or_insert_with(|| folder.clone());
        }
        let command = Command::new(folder.join("app")).env_remove("OCL_ICD_VENDORS");
        let ran = self.run(command)?;
        if let Ok(ran) = &ran {
            keep_output(outputs, "fpgacc.run", ran);
        }
        Ok(Ours::Ran(ran))
    }

    /// What the original does on an implementation.
    fn original(&mut self, platform: Platform) -> Result<&Ran, String> {
        if !self.originals.contains_key(&platform) {
            let library = self.bench.libraries.get(&platform);
            let library = library.ok_or(format!("{platform:?} is not installed"))?;
            let command = Command::new(self.root.path().join("plain/app"))
                .env("OCL_ICD_VENDORS", library)
                .envs(cpu_target());
            let ran = self.run(command)?;
            self.originals.insert(platform, ran);
        }
        Ok(&self.originals[&platform])
    }

    /// Each run in a folder of its own: programs write files.
    fn run(&mut self, command: Command) -> Result<Ran, String> {
        self.runs += 1;
        let folder = self.root.path().join(format!("run-{}", self.runs));
        self.program.write(&folder).map_err(|e| e.to_string())?;
        let command = command
            .args(self.program.words.iter().map(String::as_str))
            .envs([THREADS])
            .env_remove("OCL_ICD_FILENAMES");
        let run = || {
            let ran = self.bench.capture(command.clone(), &folder);
            ran.map_err(|error| error.to_string())
        };
        let mut whole = run();
        for _ in 1..self.program.runs {
            whole = match whole {
                Ok(before) if before.status.success() => run().map(|after| Captured {
                    status: after.status,
                    stdout: [before.stdout, after.stdout].concat(),
                    stderr: [before.stderr, after.stderr].concat(),
                }),
                ended => return Ok(ended),
            };
        }
        Ok(whole)
    }

    fn plain_build(&self) -> Command {
        Command::new(self.program.compiler())
            .args(["-w", "-O0"])
            .args(self.program.hosts.iter().map(String::as_str))
            .args(["-o", "app"])
            .args(["-lOpenCL", "-lpthread"])
    }

    /// What makes objects, and what makes the executable.
    fn our_builds(&self, platform: Platform) -> (Vec<Command>, Command) {
        // What boards get, on one of the two: the other also has what takes launches that nobody foresaw.
        let platform: &[&str] = match platform {
            Platform::Intel => &["--platform=intel", "--as-on-board"],
            _ => &["--platform=pocl"],
        };
        let program = self.program;
        let fpgacc = || {
            Command::new(&self.bench.fpgacc)
                .arg("-w")
                .args(platform.iter().copied())
                .args(program.build.options.iter().map(String::as_str))
        };
        let link = |inputs: &[String]| {
            let inputs = inputs.iter().map(String::as_str);
            fpgacc().args(inputs).args(["-o", "app", "-lpthread"])
        };
        let (mut compilations, mut inputs) = (Vec::new(), Vec::new());
        for source in self.sources() {
            if self.has_object(source) {
                let object = object(source);
                compilations.push(fpgacc().args(["-c", source, "-o", object.as_str()]));
                inputs.push(object);
            } else {
                inputs.push(source.clone());
            }
        }
        (compilations, link(&inputs))
    }

    fn sources(&self) -> impl Iterator<Item = &String> {
        self.program.hosts.iter().chain(&self.program.kernels)
    }

    /// Kernels that only build with the host's options are compiled when these are known: at the link.
    fn has_object(&self, source: &str) -> bool {
        self.program.build.separately && !self.program.needs_options.contains(source)
    }

    fn objects_made(&self) -> Vec<String> {
        let sources = self.sources().filter(|source| self.has_object(source));
        sources.map(|source| object(source)).collect()
    }

    /// The same by hand, original and ours in a folder each: programs write files.
    fn script(&self, platform: Platform) -> String {
        let mut files: Vec<&str> = self.program.files.keys().map(String::as_str).collect();
        for file in &mut files {
            *file = file.split('/').next().unwrap_or(file);
        }
        files.dedup();
        let library = self.bench.libraries.get(&platform);
        let library = library.map(|path| path.display().to_string());
        let target = cpu_target().into_iter();
        let target: String = target
            .map(|(name, value)| format!(" {name}={value}"))
            .collect();
        let choice = format!("OCL_ICD_VENDORS={}{target} ", library.unwrap_or_default());
        let words = self.program.words.join(" ");
        let runs = |choice: &str| {
            let run = format!("{choice}./app {words}");
            vec![run; self.program.runs].join(" && ")
        };
        let fpgacc = self.bench.fpgacc.display().to_string();
        let (compilations, link) = self.our_builds(platform);
        let builds = compilations.iter().chain([&link]);
        let builds: Vec<String> = builds
            .map(|build| build.line().replace(&fpgacc, "${FPGACC:-fpgacc}"))
            .collect();
        format!(
            "#!/bin/sh\n# The original, and what fpgacc makes of it, each in a folder of its own.\n\
             rm -rf plain ours && mkdir plain ours || exit 2\n\
             for folder in plain ours; do cp -r {} $folder || exit 2; done\n\
             (cd plain && {} && {}) >plain.txt\n\
             (cd ours && {} && {}) >ours.txt\n\
             diff plain.txt ours.txt\n",
            files.join(" "),
            self.plain_build().line(),
            runs(&choice),
            builds.join(" &&\n    "),
            runs(""),
        )
    }
}

fn object(source: &str) -> String {
    format!("{source}.o")
}

/// What fpgacc made of a program.
enum Ours {
    NotBuilt(Verdict),
    Ran(Ran),
}

fn keep_output(outputs: &mut BTreeMap<String, String>, name: &str, captured: &Captured) {
    let texts = [
        ("stdout", captured.stdout_text()),
        ("stderr", captured.stderr_text()),
        ("status", format!("{}\n", captured.status)),
    ];
    for (stream, text) in texts {
        outputs.insert(format!("{name}.{stream}"), text);
    }
}

fn failed_build(done: &Captured) -> Verdict {
    let text = done.stderr_text();
    let errors = messages(&text, "error: ");
    match errors.first() {
        Some(error) if done.status.code() == 1 && !text.contains("panicked") => {
            Verdict::Refused(format!("build: {error}"))
        }
        _ => Verdict::Different(format!("the build ended with {}", done.status)),
    }
}

fn compare(original: &Captured, ours: &Captured) -> Verdict {
    let (a, b) = (original.stdout_text(), ours.stdout_text());
    if a == b && original.status == ours.status {
        let warnings = messages(&ours.stderr_text(), "warning: ");
        let spare = warnings
            .iter()
            .find(|text| text.contains("runs as it was written"));
        return spare.map_or(Verdict::Same, |text| {
            Verdict::Refused(format!("on a board: {text}"))
        });
    }
    let errors = messages(&ours.stderr_text(), "error: ");
    if let Some(error) = errors.first()
        && before_the_last_scene(&b).is_some_and(|before| a.starts_with(before))
    {
        return Verdict::Refused(format!("run: {error}"));
    }
    let lines = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    Verdict::Different(match lines {
        Some((a, b)) => format!("`{a}` became `{b}`"),
        None => format!(
            "{} and {} lines, {} and {}",
            a.lines().count(),
            b.lines().count(),
            original.status,
            ours.status
        ),
    })
}

/// What was printed until the last scene began.
fn before_the_last_scene(text: &str) -> Option<&str> {
    text.rfind("scene ").map(|at| &text[..at])
}

/// Messages of fpgacc's, without places, names and numbers.
fn messages(text: &str, kind: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.split_once(kind));
    lines.map(|(_, message)| anonymous(message)).collect()
}

/// Without what stands in quotes, and numbers.
fn anonymous(text: &str) -> String {
    let parts = text.split(['\'', '`']).enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part,
        _ => "..",
    });
    let text: String = parts.collect();
    let digits = |c: char| if c.is_ascii_digit() { '#' } else { c };
    let mut out: String = text.chars().map(digits).collect();
    while out.contains("##") {
        out = out.replace("##", "#");
    }
    out
}

/// Writes a program and what came of it into a folder.
///
/// # Errors
/// It cannot be written.
pub fn keep(program: &Program, trial: &Trial, folder: &Path) -> std::io::Result<()> {
    program.write(folder)?;
    fs::create_dir_all(folder.join("outputs"))?;
    for (name, text) in &trial.outputs {
        fs::write(folder.join("outputs").join(name), text)?;
    }
    fs::write(folder.join("verdict.txt"), format!("{:?}\n", trial.verdict))?;
    fs::write(folder.join("reproduce.sh"), &trial.script)
}
