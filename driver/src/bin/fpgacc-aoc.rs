//! An aoc-compatible command for machines without Intel's SDK: see the library's `compat`.

use std::process::ExitCode;

use fpgacc_aoc_wrappers::{compat, worker};

fn main() -> ExitCode {
    worker::run_if_asked();
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    // Exit codes are small.
    ExitCode::from(u8::try_from(compat::run(&args)).unwrap_or(1))
}
