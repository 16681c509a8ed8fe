//! What an executable's runtime knows of its programs.

use std::path::Path;

use fpgacc_runtime::manifest::{Manifest, Program, Target};
use sha2::{Digest, Sha256};

use crate::compiled::{Compiled, Programs, Rewritten};
use crate::options::Options;
use crate::outputs;

/// The manifest of an executable.
pub fn of(options: &Options, all: &Programs, target: Target, output: &Path) -> Manifest {
    let compiled = &all.compiled;
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let several = compiled.len() > 1;
    let programs = compiled
        .iter()
        .map(|Compiled { program, rewritten }| Program {
            aocx: outputs::aocx_name(&name, several.then_some(program.stem.as_str())),
            build: Some(number(options, rewritten, &target)),
            ..rewritten.manifest.clone()
        });
    let programs = programs.collect();
    Manifest {
        target,
        programs,
        left_to_device: all.left_to_device.clone(),
        launched_at: all.launched_at.clone(),
    }
}

/// The number of a program's build: a digest of all that its .aocx is made from and of all that the
/// runtime knows of it. The same program gives the same number.
fn number(options: &Options, rewritten: &Rewritten, target: &Target) -> u64 {
    // Where an emulator lies does not matter.
    let kind = match target {
        Target::IntelEmulator { .. } => "intel",
        Target::Pocl => "pocl",
        Target::Nvidia => "nvidia",
        Target::Sdk => "sdk",
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
