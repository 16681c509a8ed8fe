//! `fpgacc-diff ORIGINAL REWRITTEN`: runs two jobs (YAML or JSON files, see the library's
//! `job::Job`) on the Intel FPGA emulator and on PoCL and says whether they do the same. With one
//! job it certifies that under Oclgrind. Exit code 0: the same, 1: not, 2: wrong usage.
//!
//! It is also the process that the library runs jobs in.

use std::process::ExitCode;

use fpgacc_tests::compare::{self, Bound};
use fpgacc_tests::job::Job;
use fpgacc_tests::run::Platform;
use fpgacc_tests::worker;

fn main() -> ExitCode {
    if worker::run_if_asked() {
        return ExitCode::SUCCESS;
    }
    let files: Vec<String> = std::env::args().skip(1).collect();
    let result = match files.as_slice() {
        [only] => read(only).and_then(|job| compare::certify(&job).map_err(|e| e.to_string())),
        [original, rewritten] => read(original).and_then(|original| {
            let rewritten = read(rewritten)?;
            compare::same(&original, &rewritten, &Platform::EMULATORS, &Bound::Exact)
                .map_err(|e| e.to_string())
        }),
        _ => {
            eprintln!("usage: fpgacc-diff ORIGINAL [REWRITTEN]");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fpgacc-diff: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &str) -> Result<Job, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    serde_yaml::from_str(&text).map_err(|e| format!("{path}: {e}"))
}
