//! The tool that builds kernels: which it is for the options, and where what it builds runs.

use fpgacc_aoc_wrappers::backend::{self, Backend};
use fpgacc_aoc_wrappers::request;
use fpgacc_runtime::manifest;

use crate::options::{Options, Target};
use crate::session::{Session, Step};

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

/// Whether what is made runs on PoCL.
pub fn runs_on_pocl(options: &Options) -> bool {
    is_emulated(options) && expected(options).is_some_and(|tool| tool.kind() == "pocl")
}

/// Whether what is made runs on Intel's emulator, the SDK's own too. What is made for other tools to build
/// (`--target=source`) does only if an emulator was asked for.
pub fn runs_on_intel_emulator(options: &Options) -> bool {
    let is_other = |kind: &str| ["pocl", "nvidia"].contains(&kind);
    is_emulated(options) && expected(options).is_some_and(|tool| !is_other(tool.kind()))
}

fn is_emulated(options: &Options) -> bool {
    match options.target {
        Target::Emulator => true,
        Target::Source => options.platform.is_some(),
        Target::Simulator | Target::Hardware => false,
    }
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

/// What facts that were tuned must be of, to be taken over: the board, or the kind of emulator. `None`: there is no
/// tool.
pub fn device(options: &Options) -> Option<String> {
    match options.target {
        Target::Hardware | Target::Simulator => Some(
            options
                .board
                .clone()
                .unwrap_or_else(|| "default board".to_string()),
        ),
        Target::Emulator | Target::Source => expected(options).map(|tool| tool.kind().to_string()),
    }
}

/// The target in the words of the tools.
pub fn request_target(options: &Options) -> request::Target {
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
        "nvidia" => manifest::Target::Nvidia,
        _ => manifest::Target::Sdk,
    }
}
