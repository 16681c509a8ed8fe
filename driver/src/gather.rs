//! Everything that the link step sees: sources, and units stored in objects.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::c_text;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::Facts;

use crate::ahead::Ahead;
use crate::facts_file;
use crate::foreign;
use crate::hosts;
use crate::kernels;
use crate::objects::Objects;
use crate::options::{Input, InputKind, Options};
use crate::programs;
use crate::session::{self, Session, Step, Stop};
use crate::unit::{HostUnit, KernelUnit, Unit};

/// The inputs of a link, read and compiled.
#[derive(Default)]
pub struct Gathered {
    /// Hosts to analyse, in order.
    pub hosts: Vec<HostUnit>,
    /// Kernel files, in order.
    pub kernels: Vec<KernelUnit>,
    /// Facts that the user gave.
    pub given: Vec<Facts>,
    /// What the linker gets, in order.
    pub link_args: Vec<OsString>,
    /// Some object is C++.
    pub needs_cxx: bool,
    /// Some object calls OpenCL, or it cannot be known.
    pub uses_opencl: bool,
    /// An object or archive that launches kernels and that fpgacc did not compile.
    pub unseen: Option<PathBuf>,
    /// An object or archive that fpgacc did not compile builds programs.
    pub builds_unseen: bool,
    /// What the linker gets and hardly knows: neither object nor archive nor script.
    pub unknown: Vec<PathBuf>,
    /// Patched texts of the hosts that are compiled in this run.
    pub patched: Vec<(PathBuf, Vec<u8>)>,
}

/// Where objects go, and what is made of them.
struct OutputPaths<'a> {
    folder: &'a Path,
    output: &'a Path,
}

/// Reads all inputs. Hosts are compiled into `folder`, on the way to `output`.
pub fn gather(session: &mut Session, folder: &Path, output: &Path) -> Step<Gathered> {
    session.ahead = run_ahead(&session.options);
    let mut gathered = Gathered::default();
    let mut failed = false;
    for (number, input) in session.options.inputs.clone().into_iter().enumerate() {
        // Errors in all inputs are reported, not only those in the first.
        failed |= gathered
            .add(session, input, &OutputPaths { folder, output }, number)
            .is_err();
    }
    if !failed {
        return Ok(gathered);
    }
    for unit in &gathered.kernels {
        let _ = kernels::check(session, unit);
    }
    Err(Stop)
}

/// Reads sources and facts only: nothing is compiled.
pub fn read_sources(session: &mut Session) -> Step<Gathered> {
    session.ahead = run_ahead(&session.options);
    let mut gathered = Gathered::default();
    let mut failed = false;
    for input in session.options.inputs.clone() {
        failed |= gathered.add_source(session, input).is_err();
    }
    if failed { Err(Stop) } else { Ok(gathered) }
}

impl Gathered {
    fn add(
        &mut self,
        session: &mut Session,
        input: Input,
        paths: &OutputPaths,
        number: usize,
    ) -> Step<()> {
        match input {
            Input::Argument(argument) => {
                self.add_library(session, &argument)?;
                self.link_args.push(argument);
            }
            Input::File {
                path,
                kind: InputKind::Linker,
            } => self.add_object(session, path)?,
            Input::File {
                path,
                kind: InputKind::Host(language),
            } => {
                let host = hosts::load(session, &path, language)?;
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let object = paths.folder.join(format!("{number}-{stem}.o"));
                hosts::compile(session, &host, &object, paths.output)?;
                let made = std::fs::read(&object).unwrap_or_default();
                self.uses_opencl |= Objects::of(&object, &made).call_opencl();
                self.link_args.push(object.into());
                self.needs_cxx |= host.unit.is_cxx;
                self.patched.push((path, host.patched.text));
                self.hosts.push(host.unit);
            }
            Input::File {
                path,
                kind: InputKind::Foreign(language),
            } => {
                let object = paths.folder.join(format!("{number}-foreign.o"));
                foreign::make(session, &path, language, "-c", &object)?;
                session.dependencies.add_source(&path);
                self.add_object(session, object)?;
            }
            other => self.add_source(session, other)?,
        }
        Ok(())
    }

    fn add_source(&mut self, session: &mut Session, input: Input) -> Step<()> {
        let (path, kind) = match input {
            Input::File { path, kind } => (path, kind),
            Input::Argument(argument) => return self.add_library(session, &argument),
        };
        match kind {
            InputKind::Host(language) => {
                let host = hosts::load(session, &path, language)?;
                self.patched.push((path, host.patched.text));
                self.hosts.push(host.unit);
            }
            InputKind::Kernels => {
                let unit = read_kernels(session, &path)?;
                self.kernels.push(unit);
            }
            InputKind::Facts => self.given.push(read_facts(session, &path)?),
            InputKind::Foreign(_) => {}
            InputKind::Linker => {
                let bytes = session.read(&path)?;
                self.take_units(session, &path, &Objects::of(&path, &bytes))?;
            }
        }
        Ok(())
    }

    fn add_object(&mut self, session: &mut Session, path: PathBuf) -> Step<()> {
        let bytes = session.read(&path)?;
        session.dependencies.add_source(&path);
        let objects = Objects::of(&path, &bytes);
        if !objects.are_linkable() {
            self.unknown.push(path.clone());
        }
        let only_kernels = self.take_units(session, &path, &objects)?;
        self.needs_cxx |= objects.is_cxx();
        self.uses_opencl |= objects.call_opencl();
        if !only_kernels {
            self.link_args.push(path.into());
        }
        Ok(())
    }

    /// Takes the units out of an archive that `-l` names and a folder of `-L` holds. Others are the
    /// system's: fpgacc did not make these.
    fn add_library(&mut self, session: &mut Session, argument: &OsStr) -> Step<()> {
        let argument = argument.to_string_lossy();
        let Some(name) = argument.strip_prefix("-l") else {
            return Ok(());
        };
        let file = match name.strip_prefix(':') {
            Some(file) => file.to_string(),
            None => format!("lib{name}.a"),
        };
        let folders = session.options.library_dirs.iter();
        let found = folders
            .map(|folder| folder.join(&file))
            .find(|path| path.is_file());
        if let Some(path) = found {
            let bytes = session.read(&path)?;
            session.dependencies.add_source(&path);
            let objects = Objects::of(&path, &bytes);
            self.uses_opencl |= objects.call_opencl();
            self.take_units(session, &path, &objects)?;
        }
        Ok(())
    }

    /// Takes the units out of an object; returns whether it holds kernels and nothing for the linker.
    fn take_units(
        &mut self,
        session: &mut Session,
        path: &Path,
        objects: &Objects<'_>,
    ) -> Step<bool> {
        if self.unseen.is_none() && objects.launch_unseen() {
            self.unseen = Some(path.to_path_buf());
        }
        self.builds_unseen |= objects.build_unseen();
        let units = session.check(objects.units(path))?;
        let only_kernels =
            !units.is_empty() && units.iter().all(|unit| matches!(unit, Unit::Kernels(_)));
        for unit in units {
            match unit {
                Unit::Host(host) => {
                    self.needs_cxx |= host.is_cxx;
                    self.hosts.push(host);
                }
                Unit::Kernels(kernels) => self.kernels.push(kernels),
            }
        }
        Ok(only_kernels && objects.is_object())
    }
}

/// Starts the preprocessors of all sources. Of kernels, with the options of the command line: if the host
/// has others, they are preprocessed again.
fn run_ahead(options: &Options) -> Ahead {
    // What is printed of commands comes in their order.
    if options.verbose || options.dry_run {
        return Ahead::default();
    }
    let inputs = options.inputs.iter().filter_map(|input| match input {
        Input::File { path, kind } if !session::is_stdin(path) => Some((path, kind)),
        _ => None,
    });
    let jobs = inputs.filter_map(|(path, kind)| match kind {
        InputKind::Host(language) => Some(hosts::job(options, path, *language)),
        InputKind::Kernels => {
            let unit = KernelUnit {
                path: path.clone(),
                text: std::fs::read_to_string(path).ok()?,
                bytes: None,
                options: kernel_words(options),
            };
            Some(kernels::job(&programs::of_unit(&unit)))
        }
        _ => None,
    });
    Ahead::start(jobs.collect())
}

/// A kernel file with the command line's options for it.
pub fn read_kernels(session: &mut Session, path: &Path) -> Step<KernelUnit> {
    let bytes = session.read(path)?;
    session.dependencies.add_source(path);
    let path = &session::shown(path);
    let options = kernel_words(&session.options);
    let decoded = c_text::decode(&bytes);
    if let Some(at) = decoded.stray {
        return stray_byte(session, path, &bytes, at);
    }
    Ok(KernelUnit {
        path: path.to_path_buf(),
        bytes: (decoded.text.as_bytes() != bytes).then_some(bytes),
        text: decoded.text,
        options,
    })
}

/// The command line's options for kernels, wherever these stand.
pub fn kernel_words(options: &Options) -> Vec<String> {
    let defines = options.defines.iter().map(|define| format!("-D{define}"));
    let includes = options
        .include_dirs
        .iter()
        .map(|dir| format!("-I{}", dir.display()));
    defines
        .filter(|define| !undefined_later(define, &options.undefines))
        .chain(includes)
        .chain(options.kernel_args.iter().cloned())
        .collect()
}

/// Names of C are UTF-8, or it is not known what they are.
fn stray_byte(session: &mut Session, path: &Path, bytes: &[u8], at: usize) -> Step<KernelUnit> {
    let before = String::from_utf8_lossy(&bytes[..at]).len();
    let text = String::from_utf8_lossy(bytes).into_owned();
    let file = session.sources.add(path.display().to_string(), text);
    let span = Span {
        file,
        start: before as u32,
        end: (before + char::REPLACEMENT_CHARACTER.len_utf8()) as u32,
    };
    session.fail(
        Diagnostic::error(format!("this is not UTF-8 text (byte 0x{:02x})", bytes[at]))
            .at(span)
            .help("OpenCL C is UTF-8: convert the file, for example with iconv"),
    )
}

fn undefined_later(define: &str, undefines: &[String]) -> bool {
    let name = define[2..].split('=').next().unwrap_or_default();
    undefines.iter().any(|undefined| undefined == name)
}

fn read_facts(session: &mut Session, path: &Path) -> Step<Facts> {
    let bytes = session.read(path)?;
    session.dependencies.add_source(path);
    let name = path.display().to_string();
    match facts_file::parse(&name, &bytes, &mut session.sources) {
        Ok(facts) => Ok(facts),
        Err(error) => session.fail(error),
    }
}
