//! One interface to everything that turns kernels into an .aocx.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::aoc::{Aoc, AocError, AocVersion};
use crate::cache::{Cache, Facts, copy_folder};
use crate::durations::Durations;
use crate::emulator::{Emulator, EmulatorError};
use crate::inputs;
use crate::output::{self, Mode, OutputError};
use crate::process::Command;
use crate::progress::{Display, Progress};
use crate::request::{BuildRequest, Target};
use crate::scratch::Scratch;
use crate::worker::Implementation;

/// Why there is no .aocx.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Nothing on this machine builds for the target.
    #[error("nothing on this machine builds for --target={target}{reasons}")]
    NoBackend {
        /// The target.
        target: &'static str,
        /// A line for each way out.
        reasons: String,
    },
    /// The backend builds for emulators only.
    #[error("{name} cannot build for --target={target}: that needs Intel's SDK with aoc")]
    WrongTarget {
        /// The backend.
        name: &'static str,
        /// The target.
        target: &'static str,
    },
    /// The platform that was asked for is none.
    #[error("there is no platform '{0}': expected aoc, intel, pocl or nvidia")]
    BadPlatform(String),
    /// aoc failed.
    #[error(transparent)]
    Aoc(#[from] AocError),
    /// An emulator failed.
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The tool's output could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The reports could not be put beside the output.
    #[error("cannot write the reports to {}: {source}", .path.display())]
    Reports {
        /// Their folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl BuildError {
    /// The tool's own messages, if it got as far as compiling. Those of aoc were shown while it
    /// ran, unless the build was quiet.
    pub fn log(&self) -> Option<&str> {
        match self {
            BuildError::Emulator(
                EmulatorError::Kernels { log } | EmulatorError::Call { log, .. },
            ) => Some(log),
            BuildError::Aoc(error) => error.log(),
            _ => None,
        }
    }
}

/// A tool that builds kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// Intel's offline compiler.
    Aoc(Aoc),
    /// An OpenCL implementation on this machine's processor.
    Emulator(Emulator),
}

/// What a build made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The tool's messages: warnings, if any.
    pub log: String,
    /// Names of the kernels, where the tool reports them.
    pub kernels: Vec<String>,
    /// The folder with the tool's reports, beside the output.
    pub reports: Option<PathBuf>,
    /// Whether the tool did not run: an earlier build was the same.
    pub cached: bool,
}

/// What builds for a target on this machine, in order of preference, and why what could build for
/// it does not.
#[derive(Debug, Default)]
pub struct Discovered {
    /// What is there.
    pub backends: Vec<Backend>,
    /// What is not.
    pub missing: Vec<BuildError>,
}

impl Discovered {
    /// The best one.
    pub fn first(self, target: Target) -> Result<Backend, BuildError> {
        let reasons = self.missing.iter().map(|reason| format!("\n  {reason}"));
        let mut reasons: String = reasons.collect();
        if target != Target::Emulator {
            reasons += "\n  emulators need no aoc: --target=emulator";
        }
        self.backends
            .into_iter()
            .next()
            .ok_or(BuildError::NoBackend {
                target: target.name(),
                reasons,
            })
    }

    fn add(&mut self, found: Result<Backend, BuildError>) {
        match found {
            Ok(backend) => self.backends.push(backend),
            Err(error) => self.missing.push(error),
        }
    }
}

/// Looks for what builds for a target: aoc first, then, for the emulator, the Intel FPGA
/// Emulation Platform, then PoCL; for the emulator `platform` (`aoc`, `intel`, `pocl` or `nvidia`,
/// which is only taken if it is asked for) allows only one. `aoc` is a path that the user gave.
pub fn discover(target: Target, aoc: Option<&Path>, platform: Option<&str>) -> Discovered {
    let mut discovered = Discovered::default();
    let kinds = match (target, platform) {
        (Target::Emulator, Some(platform)) => vec![platform],
        (Target::Emulator, None) => vec!["aoc", "intel", "pocl"],
        _ => vec!["aoc"],
    };
    for kind in kinds {
        discovered.add(find(kind, aoc));
    }
    discovered
}

/// What there is of a kind.
fn find(kind: &str, aoc: Option<&Path>) -> Result<Backend, BuildError> {
    let emulator = match kind {
        "aoc" => return Ok(Backend::Aoc(Aoc::find(aoc)?)),
        "intel" => Emulator::find_intel(),
        "pocl" => Emulator::find_pocl(),
        "nvidia" => Emulator::find_nvidia(),
        _ => return Err(BuildError::BadPlatform(kind.to_string())),
    };
    Ok(Backend::Emulator(emulator?))
}

impl Backend {
    /// What `--platform` calls it.
    pub fn kind(&self) -> &'static str {
        match self {
            Backend::Aoc(_) => "aoc",
            Backend::Emulator(emulator) => match emulator.implementation() {
                Implementation::Intel => "intel",
                Implementation::Pocl => "pocl",
                Implementation::Nvidia => "nvidia",
            },
        }
    }

    /// Whether it makes one loop of nested loops where `#pragma loop_coalesce` asks for it: aoc does from 17.1
    /// on. Emulators take no notice of pragmas.
    pub fn knows_loop_coalesce(&self) -> bool {
        match self {
            Backend::Aoc(aoc) => aoc.version().at_least(17, 1),
            Backend::Emulator(_) => true,
        }
    }

    /// Whether it may be given `__attribute__((align_value(N)))`. The emulators take it, as clang does from
    /// 3.6 on; older ones warn and go on. No document of aoc's names it, so its version is a caution: the
    /// driver of 18.1 still lists `-simplify-libcalls`, a pass that LLVM dropped in 3.4.
    pub fn knows_align_value(&self) -> bool {
        match self {
            Backend::Aoc(aoc) => aoc.version().at_least(19, 1),
            Backend::Emulator(_) => true,
        }
    }

    /// The version of aoc; `None`: it is an emulator.
    pub fn aoc_version(&self) -> Option<&AocVersion> {
        match self {
            Backend::Aoc(aoc) => Some(aoc.version()),
            Backend::Emulator(_) => None,
        }
    }

    /// A name for messages.
    pub fn name(&self) -> String {
        match self {
            Backend::Aoc(aoc) => format!("aoc {}", aoc.version()),
            Backend::Emulator(emulator) => emulator.name().to_string(),
        }
    }

    /// The library of the OpenCL implementation that the result runs on, where an executable must
    /// name it to the ICD loader.
    pub fn runtime_library(&self) -> Option<&Path> {
        match self {
            Backend::Emulator(emulator) => match emulator.implementation() {
                Implementation::Intel => Some(emulator.library()),
                Implementation::Pocl | Implementation::Nvidia => None,
            },
            Backend::Aoc(_) => None,
        }
    }

    /// What distinguishes this tool from another version of it.
    fn identity(&self) -> String {
        match self {
            Backend::Aoc(aoc) => {
                format!("{}\n{}", aoc.banner(), inputs::file_identity(aoc.program()))
            }
            Backend::Emulator(emulator) => format!(
                "{}\n{}\n{}",
                emulator.name(),
                inputs::file_identity(&emulator.library_file()),
                inputs::processor_identity()
            ),
        }
    }

    /// The command that builds a request, for people: what aoc is called with, or `fpgacc-aoc` for an
    /// emulator.
    pub fn command_line(&self, request: &BuildRequest) -> String {
        let files = request.sources.iter().map(|source| source.path.clone());
        match self {
            Backend::Aoc(aoc) => aoc.command_line(request, &files.collect::<Vec<_>>()),
            Backend::Emulator(_) => Command::new("fpgacc-aoc")
                .arg("-march=emulator")
                .args(request.defines.iter().map(|define| format!("-D{define}")))
                .args(request.cl_options.iter().cloned())
                .args(files)
                .arg("-o")
                .arg(request.destination())
                .line(),
        }
    }

    /// Builds the request's output, whole or not at all; takes it from `cache` if the same was
    /// built before.
    pub fn build(
        &self,
        request: &BuildRequest,
        cache: Option<&Cache>,
        progress: Progress,
    ) -> Result<Built, BuildError> {
        if let Backend::Emulator(emulator) = self
            && request.target != Target::Emulator
        {
            return Err(BuildError::WrongTarget {
                name: emulator.name(),
                target: request.target.name(),
            });
        }
        let what = format!(
            "{}: building {}",
            self.name(),
            request.destination().display()
        );
        let durations = cache.map(|cache| Durations::of(cache.root()));
        let kind = self.kind_of_build(request);
        let estimate = durations.as_ref().and_then(|kept| kept.estimate(&kind));
        let display = Display::new(progress, &what, estimate);
        let key = cache.and_then(|_| inputs::digest(request, &self.identity()));
        let (Some(cache), Some(key)) = (cache, key) else {
            return self.build_now(request, None, &display);
        };
        if let Some(built) = take(cache, &key, request)? {
            return Ok(built);
        }
        let lock = cache.lock(&key, || {
            display.line("fpgacc: waiting for another build of the same kernels");
        });
        if lock.is_some()
            && let Some(built) = take(cache, &key, request)?
        {
            return Ok(built);
        }
        let start = Instant::now();
        let built = self.build_now(request, Some((cache, &key)), &display)?;
        if let Some(durations) = durations {
            durations.note(&kind, start.elapsed());
        }
        Ok(built)
    }

    /// Builds of one kind take about as long as each other.
    fn kind_of_build(&self, request: &BuildRequest) -> String {
        let board = request.board.as_deref().unwrap_or("no board");
        format!(
            "{} {} {:?} {board}",
            self.kind(),
            request.target.name(),
            request.stage
        )
    }

    fn build_now(
        &self,
        request: &BuildRequest,
        cache: Option<(&Cache, &str)>,
        display: &Display,
    ) -> Result<Built, BuildError> {
        let keep = |bytes: &[u8], reports: Option<&Path>, facts: Facts| {
            if let Some((cache, key)) = cache
                && let Err(error) = cache.store(key, bytes, reports, facts)
            {
                let root = cache.root().display();
                display.line(&format!(
                    "fpgacc: note: not kept in the cache {root}: {error}"
                ));
            }
        };
        match self {
            Backend::Emulator(emulator) => {
                let compiled = emulator.compile(request)?;
                output::write(&request.output, &compiled.binary, Mode::Plain)?;
                let facts = Facts {
                    log: compiled.log,
                    kernels: compiled.kernels,
                };
                keep(&compiled.binary, None, facts.clone());
                Ok(built(facts, None, false))
            }
            Backend::Aoc(aoc) => {
                let product = aoc.run(request, display)?;
                let bytes = fs::read(&product.output).map_err(|source| BuildError::Unread {
                    path: product.output.clone(),
                    source,
                })?;
                output::write(&request.output, &bytes, Mode::Plain)?;
                let facts = Facts {
                    log: product.log.clone(),
                    kernels: Vec::new(),
                };
                let reports = product.install_reports(request.destination())?;
                let worth = product.reports_worth_keeping(reports.as_deref());
                keep(&bytes, worth.as_deref(), facts.clone());
                Ok(built(facts, reports, false))
            }
        }
    }
}

fn built(facts: Facts, reports: Option<PathBuf>, cached: bool) -> Built {
    Built {
        log: facts.log,
        kernels: facts.kernels,
        reports,
        cached,
    }
}

/// Takes a build from the cache.
fn take(cache: &Cache, key: &str, request: &BuildRequest) -> Result<Option<Built>, BuildError> {
    let Some(entry) = cache.find(key) else {
        return Ok(None);
    };
    output::write(&request.output, &entry.output, Mode::Plain)?;
    let mut reports = None;
    if let Some(kept) = &entry.reports {
        let destination = crate::aoc::reports_folder(request.destination());
        let copied = restore_reports(kept, &destination);
        copied.map_err(|source| BuildError::Reports {
            path: destination.clone(),
            source,
        })?;
        reports = Some(destination);
    }
    Ok(Some(built(entry.facts, reports, true)))
}

/// Puts a copy of cached reports beside an output.
fn restore_reports(kept: &Path, destination: &Path) -> std::io::Result<()> {
    let parent = match destination.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let staged = Scratch::beside(parent)?;
    let copy = staged.path().join("reports");
    copy_folder(kept, &copy)?;
    crate::aoc::replace_folder(&copy, destination)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_can_be_asked_for() {
        let asked = |platform| discover(Target::Emulator, None, Some(platform));
        for platform in ["intel", "pocl"] {
            let found = asked(platform).first(Target::Emulator).unwrap();
            assert_eq!(found.kind(), platform);
        }
        let error = asked("cuda").first(Target::Emulator).unwrap_err();
        assert_eq!(
            error.to_string(),
            "nothing on this machine builds for --target=emulator\n  there is no platform 'cuda': \
             expected aoc, intel, pocl or nvidia"
        );
        // What others lack is no reason.
        let none = discover(Target::Emulator, Some(Path::new("/no/aoc")), Some("aoc"));
        let error = none.first(Target::Emulator).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 2, "{error}");
        assert!(error.contains("/no/aoc"), "{error}");
        let none = discover(Target::Hardware, Some(Path::new("/no/aoc")), None);
        let error = none.first(Target::Hardware).unwrap_err().to_string();
        assert!(
            error.ends_with("emulators need no aoc: --target=emulator"),
            "{error}"
        );
    }
}
