//! Modes that treat sources one by one: `-c`, `-S`, `-E`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, Language};
use fpgacc_frontend::facts::Facts;

use crate::depfile::Dependencies;
use crate::gather;
use crate::hosts;
use crate::kernels;
use crate::options::{Input, InputKind, Mode};
use crate::programs::{self, Program};
use crate::session::{Session, Step, Stop};
use crate::unit::{self, KernelUnit, Unit};

/// Does what the mode says with every source.
pub fn run(session: &mut Session) -> Step<()> {
    let mut failed = false;
    for input in session.options.inputs.clone() {
        let Input::File { path, kind } = input else {
            continue;
        };
        session.dependencies = Dependencies::default();
        let done = match kind {
            InputKind::Host(language) => host(session, &path, language),
            InputKind::Kernels => kernel_file(session, &path),
            // As in cc, what is for the linker is not used when there is no link.
            InputKind::Facts | InputKind::Linker => Ok(()),
        };
        failed |= done.is_err();
    }
    if failed { Err(Stop) } else { Ok(()) }
}

fn host(session: &mut Session, path: &Path, language: Language) -> Step<()> {
    if session.options.mode == Mode::Preprocess {
        return preprocess_host(session, path, language);
    }
    let host = hosts::load(session, path, language)?;
    if session.options.mode == Mode::Assemble {
        let output = output_path(session, path, "s");
        return hosts::assemble(session, &host, &output);
    }
    let output = output_path(session, path, "o");
    let folder = session.temporary_folder()?;
    let object = folder.path().join("host.o");
    hosts::compile(session, &host, &object)?;
    let section = unit::encode(&Unit::Host(host.unit));
    let attached = cc::attach_section(&object, unit::SECTION, &section);
    session.check_cc(attached)?;
    let bytes = session.read(&object)?;
    session.write(&output, &bytes)?;
    session.write_dependencies(&output)
}

fn preprocess_host(session: &mut Session, path: &Path, language: Language) -> Step<()> {
    session.read(path)?;
    let compiler = session.compiler(language)?;
    let source = cc::Source { path, text: None };
    let flags: Vec<OsString> = session.options.host_flags.clone();
    let made = compiler.preprocess_host(source, &flags);
    let text = session.check_cc(made)?.text;
    // The macro definitions are there for the analysis; cc -E does not show them.
    let shown: String = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("#define ") && !line.starts_with("#undef "))
        .collect();
    session.write_text(&shown)
}

fn kernel_file(session: &mut Session, path: &Path) -> Step<()> {
    let unit = gather::read_kernels(session, path)?;
    let program = program_of(&unit);
    match session.options.mode {
        Mode::Preprocess => {
            let text = kernels::preprocess(session, &program)?;
            session.write_text(&text)
        }
        Mode::Assemble => {
            let rewritten = kernels::rewrite(session, &program, &Facts::default())?;
            let output = output_path(session, path, "fpga.cl");
            session.write(&output, rewritten.text.as_bytes())
        }
        _ => {
            // The text is checked now, so that mistakes show where the file is compiled; it is
            // rewritten at the link, where the host is known.
            let preprocessed = kernels::preprocess(session, &program)?;
            kernels::parse(session, &program, &preprocessed)?;
            let output = output_path(session, path, "o");
            let compiler = session.compiler(Language::C)?;
            let folder = session.temporary_folder()?;
            let object = folder.path().join("kernels.o");
            let section = unit::encode(&Unit::Kernels(unit));
            let made = compiler.data_object(unit::SECTION, &section, &object);
            session.check_cc(made)?;
            let bytes = session.read(&object)?;
            session.write(&output, &bytes)?;
            session.write_dependencies(&output)
        }
    }
}

fn program_of(unit: &KernelUnit) -> Program {
    let (mut programs, _) = programs::pair(&Facts::default(), std::slice::from_ref(unit));
    programs.remove(0)
}

fn output_path(session: &Session, input: &Path, suffix: &str) -> PathBuf {
    match &session.options.output {
        Some(output) => output.clone(),
        None => PathBuf::from(input.file_name().unwrap_or_default()).with_extension(suffix),
    }
}
