//! `fpgacc run`: starts a program that cannot be linked again with compiled kernels.
//!
//! The runtime library comes to it as a layer of the ICD loader.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fpgacc_aoc_wrappers::cache::Cache;
use fpgacc_aoc_wrappers::cc::{CcError, Compiler, Language};
use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_aoc_wrappers::library;
use fpgacc_aoc_wrappers::process::Command;
use fpgacc_aoc_wrappers::scratch::Scratch;
use fpgacc_frontend::diag::Diagnostic;

use fpgacc_launch_facts::Facts;
use fpgacc_runtime::manifest::Target;

use crate::aocx::{self, Description};
use crate::cli;
use crate::facts_file;
use crate::messages::Messages;

/// Runs the command; `words` begin with `run`. The exit code is the program's own, or 1 where it
/// could not be started, or 2 after a wrong use of options.
pub fn command(words: &[String], mut messages: Messages) -> ExitCode {
    let (front, after) = cli::split_at_dashes(words.to_vec());
    let matches = match cli::run_command().try_get_matches_from(front.clone()) {
        Ok(matches) => matches,
        Err(error) => return crate::command_usage(&error, &front, &mut messages),
    };
    if let Some(error) = cli::stray(&matches, "fpgacc run --aocx app.aocx -- ./app") {
        return crate::fail(&mut messages, error, crate::MISUSED);
    }
    let program = after.unwrap_or_default();
    let Some(aocx) = matches.get_one::<PathBuf>("aocx") else {
        let error = Diagnostic::error("no kernels are named")
            .help("fpgacc run --aocx app.aocx -- ./app; `fpgacc kernels.cl --facts facts.yaml -o app.aocx` makes them");
        return crate::fail(&mut messages, error, crate::MISUSED);
    };
    if program.is_empty() {
        let error = Diagnostic::error("there is no program to run")
            .help("it stands after `--`, with its arguments: fpgacc run --aocx app.aocx -- ./app");
        return crate::fail(&mut messages, error, crate::MISUSED);
    }
    let facts: Vec<PathBuf> = (matches.get_many::<PathBuf>("facts"))
        .map(|files| files.cloned().collect())
        .unwrap_or_default();
    match run(aocx, &facts, &program) {
        Ok(code) => code,
        Err(error) => crate::fail(&mut messages, error, crate::FAILED),
    }
}

fn run(aocx: &Path, facts: &[PathBuf], program: &[String]) -> Result<ExitCode, Diagnostic> {
    let facts: Result<Vec<Facts>, _> = facts.iter().map(|path| facts_file::read(path)).collect();
    let description = aocx::read(aocx, &facts?)?;
    let folder = Scratch::new().map_err(Diagnostic::because)?;
    let layer = layer(&description, folder.path())?;
    let (name, args) = program.split_first().expect("the caller looked");
    let mut command = with_plain_texts(Command::new(name).args(args.iter().cloned()))
        .env("OPENCL_LAYERS", prepended("OPENCL_LAYERS", &[layer.into()]))
        .env(
            "FPGACC_AOCX_PATH",
            prepended("FPGACC_AOCX_PATH", &folders(aocx)),
        );
    if let Target::IntelEmulator { library } = &description.manifest.target {
        command = command.envs(cpu_target());
        if let Some(library) = library
            && !is_chosen()
        {
            command = command
                .env("OCL_ICD_VENDORS", library)
                .env("OCL_ICD_FILENAMES", library);
        }
    }
    let status = command.attached().map_err(Diagnostic::because)?;
    Ok(ExitCode::from(status.code() as u8))
}

/// pyopencl's own cache puts a random name after each text: without it, texts are the program's.
pub fn with_plain_texts(command: Command) -> Command {
    command.env("PYOPENCL_NO_CACHE", "1")
}

/// The file itself, if it is the only one, and its folder.
fn folders(aocx: &Path) -> Vec<OsString> {
    let file = std::path::absolute(aocx).unwrap_or_else(|_| aocx.to_path_buf());
    let folder = file
        .parent()
        .map(|folder| folder.as_os_str().to_os_string());
    [Some(file.clone().into_os_string()), folder]
        .into_iter()
        .flatten()
        .collect()
}

/// Entries before those that a variable has, with `:` between.
fn prepended(variable: &str, entries: &[OsString]) -> OsString {
    let more = std::env::var_os(variable).filter(|value| !value.is_empty());
    let all: Vec<OsString> = entries.iter().cloned().chain(more).collect();
    all.join(std::ffi::OsStr::new(":"))
}

/// Whether the user's environment chooses the OpenCL implementation.
fn is_chosen() -> bool {
    ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// The runtime with the manifest of these kernels.
fn layer(description: &Description, folder: &Path) -> Result<PathBuf, Diagnostic> {
    let compiler = Compiler::find(Language::C).map_err(Diagnostic::because)?;
    let manifest = description.manifest.to_c();
    let mut sources = fpgacc_runtime::SOURCES.to_vec();
    sources.extend(fpgacc_runtime::LAYER_SOURCES);
    sources.push(("fpgacc_manifest.c", &manifest));
    let output = folder.join("fpgacc-run.so");
    shared(&compiler, &sources, &output)?;
    Ok(output)
}

/// Builds a layer of the ICD loader.
pub fn shared(
    compiler: &Compiler,
    sources: &[(&str, &str)],
    output: &Path,
) -> Result<(), Diagnostic> {
    let flags: Vec<OsString> = fpgacc_runtime::LAYER_FLAGS
        .iter()
        .map(OsString::from)
        .collect();
    let cache = Cache::open();
    let made = library::shared(compiler, sources, &flags, cache.as_ref(), output);
    made.map_err(|error| {
        let text = error.diagnostics().unwrap_or_default().to_string();
        let diagnostic = match &error {
            CcError::Failed { .. } if text.contains("CL/cl_layer.h") => {
                Diagnostic::error("there is no CL/cl_layer.h")
                    .help("install the package opencl-headers, of 2021 or later")
            }
            _ => Diagnostic::because(error),
        };
        text.lines()
            .take(3)
            .fold(diagnostic, |d, line| d.note(line.to_string()))
    })
}
