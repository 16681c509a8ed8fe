//! Building rewritten kernels: choosing the tool, asking it, keeping what it says.

use std::ffi::OsString;
use std::path::Path;

use fpgacc_aoc_wrappers::backend::{self, Backend, BuildError};
use fpgacc_aoc_wrappers::cache::Cache;
use fpgacc_aoc_wrappers::emulator::EmulatorError;
use fpgacc_aoc_wrappers::progress::Progress;
use fpgacc_aoc_wrappers::request::{self, BuildRequest, KernelSource};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest;
use sha2::{Digest, Sha256};

use crate::kernels::{self, Rewritten};
use crate::link::Compiled;
use crate::options::{Options, Target, asks_for_cache};
use crate::session::{Session, Step, Stop};

/// The tool that builds for the target that the options name.
pub fn choose(session: &mut Session) -> Step<Backend> {
    let options = &session.options;
    let target = request_target(options);
    let found = backend::discover(target, options.aoc.as_deref(), options.platform.as_deref());
    session.check(found.first(target))
}

/// The tool that would build, if there is one yet.
pub fn expected(options: &Options) -> Option<Backend> {
    let target = request_target(options);
    let found = backend::discover(target, options.aoc.as_deref(), options.platform.as_deref());
    found.first(target).ok()
}

/// Whether what is made runs on Intel's emulator, the SDK's own too. What is made for other tools to build
/// (`--target=source`) does only if an emulator was asked for.
pub fn runs_on_intel_emulator(options: &Options) -> bool {
    let is_emulated = match options.target {
        Target::Emulator => true,
        Target::Source => options.platform.is_some(),
        Target::Simulator | Target::Hardware => false,
    };
    is_emulated && expected(options).is_some_and(|tool| tool.kind() != "pocl")
}

/// The kind of the emulator that builds, if one does.
pub fn emulator(options: &Options) -> Option<&'static str> {
    if options.target != Target::Emulator {
        return None;
    }
    expected(options)
        .map(|tool| tool.kind())
        .filter(|kind| *kind != "aoc")
}

fn request_target(options: &Options) -> request::Target {
    match options.target {
        Target::Emulator | Target::Source => request::Target::Emulator,
        Target::Simulator => request::Target::Simulator,
        Target::Hardware => request::Target::Hardware,
    }
}

/// Where an executable runs kernels that a tool built.
pub fn manifest_target(backend: &Backend) -> manifest::Target {
    match backend.kind() {
        "intel" => manifest::Target::IntelEmulator {
            library: backend
                .runtime_library()
                .map(|path| path.display().to_string()),
        },
        "pocl" => manifest::Target::Pocl,
        _ => manifest::Target::Sdk,
    }
}

/// The number of a program's build: a digest of all that its .aocx is made from and of all that the
/// runtime is told of it. The same program gives the same number.
pub fn number(options: &Options, rewritten: &Rewritten, target: &manifest::Target) -> u64 {
    // Where an emulator lies does not matter.
    let kind = match target {
        manifest::Target::IntelEmulator { .. } => "intel",
        manifest::Target::Pocl => "pocl",
        manifest::Target::Sdk => "sdk",
    };
    let described = serde_json::to_string(&rewritten.manifest).expect("its keys are strings");
    let version = env!("CARGO_PKG_VERSION");
    let board = options.board.as_deref().unwrap_or_default();
    let mut digest = Sha256::new();
    let parts = [version, kind, board, &described, &rewritten.text];
    for part in parts
        .into_iter()
        .chain(options.aoc_args.iter().map(String::as_str))
    {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let start = digest.finalize().first_chunk().copied();
    u64::from_le_bytes(start.expect("a digest has 32 bytes"))
}

/// What came of a build.
pub enum Built {
    /// The .aocx is there.
    Made,
    /// An emulator's compiler refuses kernels that may be wrong, and says this.
    Refused(String),
}

/// The device's compiler finds errors, too: the front end's messages say where and why.
fn refuse(session: &mut Session, errors: &[Diagnostic]) -> Step<Built> {
    for error in errors {
        session.tell(error.clone());
    }
    Err(Stop)
}

/// Builds a program's .aocx in the folder `made`; it will be at last beside `output`.
pub fn build(
    session: &mut Session,
    backend: &Backend,
    compiled: &Compiled,
    made: &Path,
    output: &Path,
    described: &manifest::Program,
) -> Step<Built> {
    let Compiled { program, rewritten } = compiled;
    let options = &session.options;
    let prelude = options.rounding.prelude().unwrap_or_default();
    let source = KernelSource {
        path: rewritten.path.clone(),
        text: format!("{prelude}{}", rewritten.text),
    };
    let mut request = BuildRequest::new(vec![source], made.join(&described.aocx));
    request.place = Some(output.with_file_name(&described.aocx));
    request.cl_options = compiled.cl_options();
    request.board = options.board.clone();
    request.vectors = options.rounding.vectors();
    request.extra = options.aoc_args.iter().map(OsString::from).collect();
    request.target = request_target(options);
    // An emulator has no cache, and what the user says counts.
    let is_given = options.aoc_args.iter().any(|arg| asks_for_cache(arg));
    if request.target != request::Target::Emulator && !is_given {
        request.constant_cache = rewritten.constant_cache;
    }
    request.verbose = options.verbose;
    if rewritten.untouched {
        request.defines = program.options.defines.clone();
        request.undefines = program.options.undefines.clone();
        request.includes = program.include_folders();
    }
    if options.verbose || options.dry_run {
        let line = backend.command_line(&request);
        session.messages.pass_on(&format!(" {line}"));
    }
    if session.options.dry_run {
        return match rewritten.doubts.is_empty() {
            true => Ok(Built::Made),
            false => refuse(session, &rewritten.doubts),
        };
    }
    let progress = match session.options.quiet {
        true => Progress::Quiet,
        false => Progress::Shown,
    };
    match backend.build(&request, Cache::open().as_ref(), progress) {
        Ok(built) => {
            if session.options.verbose {
                session.messages.pass_on(&built.log);
            }
            kernels::untouched(session, rewritten.doubts.clone());
            Ok(Built::Made)
        }
        Err(BuildError::Emulator(EmulatorError::Kernels { log })) if rewritten.may_be_wrong => {
            Ok(Built::Refused(log))
        }
        Err(_) if !rewritten.doubts.is_empty() => refuse(session, &rewritten.doubts),
        Err(error) => {
            // What aoc says was shown while it ran.
            let shown = matches!(error, BuildError::Aoc(_)) && !session.options.quiet;
            if let Some(log) = error.log().filter(|_| !shown) {
                let log = log.to_string();
                session.messages.pass_on(&log);
            }
            session.fail(Diagnostic::error(format!("{}: {error}", program.name())))
        }
    }
}
