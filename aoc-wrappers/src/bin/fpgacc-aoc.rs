//! An aoc-compatible command for machines without Intel's SDK.

use std::path::PathBuf;
use std::process::ExitCode;

use fpgacc_aoc_wrappers::backend::{self, Backend};
use fpgacc_aoc_wrappers::progress::Progress;
use fpgacc_aoc_wrappers::request::{BuildRequest, KernelSource, Target};
use fpgacc_aoc_wrappers::worker;

fn main() -> ExitCode {
    worker::run_if_asked();
    let mut args = std::env::args().skip(1);
    let mut inputs = Vec::new();
    let mut output = None;
    let mut pick = 0;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-o" => output = args.next().map(PathBuf::from),
            "--platform=pocl" => pick = 1,
            _ if arg.starts_with('-') => {}
            _ => inputs.push(PathBuf::from(arg)),
        }
    }
    let sources: Vec<_> = inputs
        .iter()
        .map(|path| KernelSource {
            path: path.clone(),
            text: std::fs::read_to_string(path).unwrap_or_default(),
        })
        .collect();
    let output = output.unwrap_or_else(|| inputs[0].with_extension("aocx"));
    let discovered = backend::discover(Target::Emulator, None);
    let backend: &Backend = &discovered.backends[pick];
    match backend.build(&BuildRequest::new(sources, output), None, Progress::Quiet) {
        Ok(built) => {
            eprint!("{}: {:?}\n{}", backend.name(), built.kernels, built.log);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("fpgacc-aoc: {error}");
            eprint!("{}", error.log().unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}
