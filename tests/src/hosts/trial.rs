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

/// No build and no run takes as long.
const LIMIT: Duration = Duration::from_secs(180);

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
        }
    }

    /// Builds a program in both ways and runs it.
    ///
    /// # Errors
    /// Files cannot be written, or a compiler cannot be run.
    pub fn trial(&self, program: &Program, platform: Platform) -> Result<Trial, String> {
        let folder = tempfile::Builder::new().prefix("fpgacc-hosts-").tempdir();
        let folder = folder.map_err(|e| e.to_string())?;
        let mut attempt = Attempt {
            bench: self,
            program,
            platform,
            root: folder.path(),
            outputs: BTreeMap::new(),
        };
        let verdict = attempt.verdict()?;
        let said = attempt.outputs.get("fpgacc.run.stderr");
        let warnings = said.map(|text| messages(text, "warning: "));
        Ok(Trial {
            verdict,
            warnings: warnings.unwrap_or_default(),
            script: attempt.script(),
            outputs: attempt.outputs,
        })
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

struct Attempt<'a> {
    bench: &'a Bench,
    program: &'a Program,
    platform: Platform,
    root: &'a Path,
    outputs: BTreeMap<String, String>,
}

impl Attempt<'_> {
    fn verdict(&mut self) -> Result<Verdict, String> {
        // Each in a folder of its own: programs write files.
        let plain = self.root.join("plain");
        let ours = self.root.join("ours");
        for folder in [&plain, &ours] {
            self.program.write(folder).map_err(|e| e.to_string())?;
        }
        let build = self.plain_build().dir(&plain).limit(LIMIT);
        let done = build.capture().map_err(|e| e.to_string())?;
        self.keep("gcc", &done);
        if !done.status.success() {
            return Err(format!("the host does not compile: {}", done.stderr_text()));
        }
        let original = match self.run(&plain, "gcc.run")? {
            Ok(done) => done,
            Err(error) => return Ok(Verdict::Original(error.to_string())),
        };
        if !original.status.success() {
            let output = format!("{}{}", original.stdout_text(), original.stderr_text());
            return Ok(Verdict::Original(format!("{}: {output}", original.status)));
        }
        for (number, build) in self.our_builds().into_iter().enumerate() {
            let done = match build.dir(&ours).limit(LIMIT).capture() {
                Ok(done) => done,
                Err(error) => return Ok(Verdict::Different(format!("the build: {error}"))),
            };
            self.keep(&format!("fpgacc.{number}"), &done);
            if !done.status.success() {
                return Ok(failed_build(&done));
            }
        }
        Ok(match self.run(&ours, "fpgacc.run")? {
            Err(error) => Verdict::Different(error.to_string()),
            Ok(done) => compare(&original, &done),
        })
    }

    fn keep(&mut self, name: &str, captured: &Captured) {
        let texts = [
            ("stdout", captured.stdout_text()),
            ("stderr", captured.stderr_text()),
        ];
        for (stream, text) in texts {
            self.outputs.insert(format!("{name}.{stream}"), text);
        }
    }

    fn plain_build(&self) -> Command {
        Command::new(self.program.compiler())
            .args(["-w", "-O1", self.program.host.as_str(), "-o", "app"])
            .args(["-lOpenCL", "-lpthread"])
    }

    fn our_builds(&self) -> Vec<Command> {
        let platform = match self.platform {
            Platform::Intel => "--platform=intel",
            _ => "--platform=pocl",
        };
        let program = self.program;
        let fpgacc = || {
            Command::new(&self.bench.fpgacc)
                .args(["-w", platform])
                .args(program.build.options.iter().map(String::as_str))
        };
        let sources = std::iter::once(&program.host).chain(&program.kernels);
        let sources: Vec<&str> = sources.map(String::as_str).collect();
        if !program.build.separately {
            let all = fpgacc().args(sources).args(["-o", "app", "-lpthread"]);
            return vec![all];
        }
        // Kernels that only build with the host's options are compiled when these are known: at the link.
        let is_object = |source: &&str| !program.needs_options.contains(*source);
        let object = |source: &&str| match is_object(source) {
            true => format!("{source}.o"),
            false => source.to_string(),
        };
        let objects: Vec<String> = sources.iter().map(object).collect();
        let parts = sources
            .iter()
            .zip(&objects)
            .filter(|(source, _)| is_object(source));
        let mut builds: Vec<Command> = parts
            .map(|(source, object)| fpgacc().args(["-c", source, "-o", object.as_str()]))
            .collect();
        builds.push(fpgacc().args(objects).args(["-o", "app", "-lpthread"]));
        builds
    }

    fn run(&mut self, folder: &Path, name: &str) -> Result<Result<Captured, ProcessError>, String> {
        let library = self.bench.libraries.get(&self.platform);
        let library = library.ok_or(format!("{:?} is not installed", self.platform))?;
        let mut command = Command::new(folder.join("app"))
            .args(self.program.words.iter().map(String::as_str))
            .dir(folder)
            .limit(LIMIT)
            .env_remove("OCL_ICD_FILENAMES");
        command = match name {
            "gcc.run" => command.env("OCL_ICD_VENDORS", library).envs(cpu_target()),
            _ => command.env_remove("OCL_ICD_VENDORS"),
        };
        let done = command.capture();
        if let Ok(done) = &done {
            self.keep(name, done);
            let code = format!("{}\n", done.status);
            self.outputs.insert(format!("{name}.status"), code);
        }
        Ok(done)
    }

    /// The same by hand.
    fn script(&self) -> String {
        let mut out = String::from("#!/bin/sh\n# The original, and what fpgacc makes of it.\n");
        let library = self.bench.libraries.get(&self.platform);
        let library = library.map(|path| path.display().to_string());
        let target = cpu_target().into_iter();
        let target: String = target
            .map(|(name, value)| format!(" {name}={value}"))
            .collect();
        let words = self.program.words.join(" ");
        out += &format!(
            "{} &&\n",
            self.plain_build().line().replace(" app", " plain")
        );
        out += &format!(
            "OCL_ICD_VENDORS={}{} ./plain {words} >plain.txt\n",
            library.unwrap_or_default(),
            target
        );
        let fpgacc = self.bench.fpgacc.display().to_string();
        for build in self.our_builds() {
            out += &format!(
                "{} &&\n",
                build.line().replace(&fpgacc, "${FPGACC:-fpgacc}")
            );
        }
        out += &format!("./app {words} >ours.txt\ndiff plain.txt ours.txt\n");
        out
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
        return Verdict::Same;
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
