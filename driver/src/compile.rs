//! Modes that treat sources one by one: `-c`, `-S`, `-E`.

use std::ffi::OsString;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Language};
use fpgacc_aoc_wrappers::output::Mode as FileMode;
use fpgacc_frontend::facts::Facts;

use crate::depfile::Dependencies;
use crate::gather;
use crate::hosts;
use crate::kernels;
use crate::opt_record::OptRecord;
use crate::options::{Input, InputKind, Mode};
use crate::outputs;
use crate::programs;
use crate::session::{Session, Step, Stop};
use crate::unit::{self, Unit};

/// Does what the mode says with every source.
pub fn run(session: &mut Session) -> Step<()> {
    let mut failed = false;
    for input in session.options.inputs.clone() {
        let Input::File { path, kind } = input else {
            continue;
        };
        session.dependencies = Dependencies::default();
        session.record = OptRecord::default();
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
        let output = outputs::of_source(&session.options, path, "s");
        return hosts::assemble(session, &host, &output);
    }
    let output = outputs::of_source(&session.options, path, "o");
    let folder = session.temporary_folder()?;
    let object = folder.path().join("host.o");
    hosts::compile(session, &host, &object)?;
    let section = unit::encode(&Unit::Host(host.unit));
    let attached = cc::attach_section(&object, unit::SECTION, &section);
    session.check_cc(attached)?;
    put_in_place(session, &object, &output)
}

fn preprocess_host(session: &mut Session, path: &Path, language: Language) -> Step<()> {
    session.read(path)?;
    let compiler = session.compiler(language)?;
    let source = cc::Source { path, text: None };
    let flags: Vec<OsString> = session.options.host_flags.clone();
    let made = compiler.preprocess_host(source, &flags);
    let text = session.check_cc(made)?.text;
    session.write_text(&without_definitions(&text))
}

fn kernel_file(session: &mut Session, path: &Path) -> Step<()> {
    let unit = gather::read_kernels(session, path)?;
    let program = programs::of_unit(&unit);
    match session.options.mode {
        Mode::Preprocess => {
            let made = kernels::preprocess(session, &program)?;
            session.messages.pass_on(&made.warnings);
            session.write_text(&without_definitions(&made.text))
        }
        Mode::Assemble => {
            let rewritten = kernels::rewrite(session, &program, &Facts::default())?;
            let output = outputs::of_source(&session.options, path, "fpga.cl");
            let is_stdout = output.as_os_str() == "-";
            let beside = if is_stdout { path } else { &output };
            session.write_record(beside)?;
            match is_stdout {
                true => session.print(&rewritten.text),
                false => session.write(&output, rewritten.text.as_bytes()),
            }
        }
        _ => {
            // The text is checked now, so that mistakes show where the file is compiled; it is
            // rewritten at the link, where the host is known.
            kernels::check(session, &unit)?;
            let output = outputs::of_source(&session.options, path, "o");
            let compiler = session.compiler(Language::C)?;
            let folder = session.temporary_folder()?;
            let object = folder.path().join("kernels.o");
            let section = unit::encode(&Unit::Kernels(unit));
            let made = compiler.data_object(unit::SECTION, &section, &object);
            session.check_cc(made)?;
            put_in_place(session, &object, &output)
        }
    }
}

/// The macro definitions are there for the analysis; cc -E does not show them, but blank lines.
fn without_definitions(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut in_file = true;
    for line in text.split_inclusive('\n') {
        if line.starts_with("# ") {
            in_file = !line.contains("\"<");
        }
        match line.starts_with("#define ") || line.starts_with("#undef ") {
            false => shown.push_str(line),
            true if in_file => shown.push('\n'),
            true => {}
        }
    }
    shown
}

/// The object and its dependency file, both or none.
fn put_in_place(session: &mut Session, object: &Path, output: &Path) -> Step<()> {
    if session.options.dry_run {
        return Ok(());
    }
    let bytes = session.read(object)?;
    session.write_with_dependencies(output, &bytes, FileMode::Plain)
}
