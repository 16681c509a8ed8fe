//! Modes that treat sources one by one: `-c`, `-S`, `-E`.

use std::ffi::OsString;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Language};
use fpgacc_aoc_wrappers::output::Mode as FileMode;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::Facts;

use crate::depfile::Dependencies;
use crate::foreign;
use crate::gather;
use crate::hosts::{self, Host};
use crate::kernels;
use crate::opt_record::OptRecord;
use crate::options::{Input, InputKind, Mode};
use crate::outputs;
use crate::programs;
use crate::session::{self, Session, Step, Stop};
use crate::unit::{self, KernelUnit, Unit};

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
            InputKind::Facts => Ok(()),
            // As in cc.
            InputKind::Linker => {
                let message = format!("'{}' is not used: nothing is linked", path.display());
                session.report(Diagnostic::warning(message));
                Ok(())
            }
            InputKind::Foreign(language) => foreign_file(session, &path, language),
        };
        failed |= done.is_err();
    }
    if failed { Err(Stop) } else { Ok(()) }
}

fn host(session: &mut Session, path: &Path, language: Language) -> Step<()> {
    match session.options.mode {
        Mode::Preprocess => return preprocess_host(session, path, language),
        Mode::Rules => return rule_of_host(session, path, language),
        _ => {}
    }
    let host = hosts::load(session, path, language)?;
    if session.options.mode == Mode::Assemble {
        let output = outputs::of_source(&session.options, path, "s");
        return hosts::assemble(session, &host, &output);
    }
    if session.options.mode == Mode::Syntax {
        return hosts::check(session, &host);
    }
    let output = outputs::of_source(&session.options, path, "o");
    let folder = session.temporary_folder()?;
    let object = folder.path().join("host.o");
    host_object(session, host, &object, &output)?;
    put_in_place(session, &object, &output)
}

/// An object that holds what the link step must know of its host.
pub fn host_object(session: &mut Session, host: Host, object: &Path, made: &Path) -> Step<()> {
    hosts::compile(session, &host, object, made)?;
    let section = unit::encode(&Unit::Host(host.unit));
    let attached = cc::attach_section(object, unit::SECTION, &section);
    session.check_cc(attached)
}

/// An object that holds kernels for the link step. Their text is checked now, so that mistakes show where
/// the file is compiled; it is rewritten at the link, where the host is known.
pub fn kernel_object(session: &mut Session, unit: KernelUnit, object: &Path) -> Step<()> {
    kernels::check(session, &unit)?;
    let compiler = session.compiler(Language::C)?;
    let section = unit::encode(&Unit::Kernels(unit));
    let made = compiler.data_object(unit::SECTION, &section, object);
    session.check_cc(made)
}

fn foreign_file(session: &mut Session, path: &Path, language: Option<&'static str>) -> Step<()> {
    let (stage, suffix) = match session.options.mode {
        Mode::Compile => ("-c", outputs::foreign_suffix(path, language)),
        Mode::Assemble => ("-S", "s"),
        Mode::Syntax => ("-fsyntax-only", ""),
        _ => ("-E", ""),
    };
    if !suffix.is_empty() {
        let output = outputs::of_source(&session.options, path, suffix);
        return foreign::make(session, path, language, stage, &output);
    }
    let mut args = session.options.host_flags.clone();
    args.extend(session.options.show_flags.iter().cloned());
    args.extend(foreign::words(stage, language, path));
    hand_on(session, foreign::main_language(session), args, None)
}

/// Has the host compiler do something with these words, and writes what it says where `-o` says.
fn hand_on(
    session: &mut Session,
    language: Language,
    args: Vec<OsString>,
    stdin: Option<Vec<u8>>,
) -> Step<()> {
    let compiler = session.compiler(language)?;
    let answered = compiler.hand_on(&args, stdin);
    let (captured, warnings) = session.check_cc(answered)?;
    session.messages.pass_on(&warnings);
    // What it names was read, and is not written over.
    let text = String::from_utf8_lossy(&captured.stdout);
    session.dependencies.add_preprocessed(&text);
    session.write_bytes(&captured.stdout)
}

/// A question about the compiler: its own answer.
pub fn ask(session: &mut Session) -> Step<()> {
    let options = &session.options;
    let mut args = options.host_flags.clone();
    args.retain(|flag| flag != "-v");
    args.extend(
        options
            .link_flags
            .iter()
            .filter(|flag| *flag != "-v")
            .cloned(),
    );
    args.extend(options.questions.iter().cloned());
    let language = foreign::main_language(session);
    let compiler = session.compiler(language)?;
    let answered = compiler.hand_on(&args, None);
    let (captured, output) = session.check_cc(answered)?;
    session.messages.pass_on(&output);
    session.print_bytes(&captured.stdout)
}

/// The host compiler's own work: nothing of it is fpgacc's.
fn preprocess_host(session: &mut Session, path: &Path, language: Language) -> Step<()> {
    let options = &session.options;
    let mut args = [options.host_flags.clone(), options.show_flags.clone()].concat();
    args.extend(["-E", "-x", language.name()].map(OsString::from));
    let is_stdin = session::is_stdin(path);
    args.push(
        match path.as_os_str().as_encoded_bytes().starts_with(b"-") && !is_stdin {
            true => Path::new(".").join(path).into(),
            false => path.into(),
        },
    );
    let bytes = session.read(path)?;
    hand_on(session, language, args, is_stdin.then_some(bytes))?;
    if session.options.dependencies.is_none() {
        return Ok(());
    }
    hosts::load(session, path, language)?;
    let object = outputs::named(path, "o");
    let output = session.options.output.clone().unwrap_or(object);
    write_rule(session, &output)
}

/// The dependency file of an output that is there already.
fn write_rule(session: &mut Session, output: &Path) -> Step<()> {
    match session.dependency_file(output) {
        Some((file, rule)) => session.write(&file, rule.as_bytes()),
        None => Ok(()),
    }
}

/// `-M`
fn rule_of_host(session: &mut Session, path: &Path, language: Language) -> Step<()> {
    let original = session.read(path)?;
    session.dependencies.add_source(path);
    let compiler = session.compiler(language)?;
    let shown = session::shown(path);
    let source = cc::Source {
        path: &shown,
        text: session::is_stdin(path).then_some(original.as_slice()),
    };
    let flags = session.options.host_flags.clone();
    let made = compiler.preprocess_host(source, &flags);
    let made = session.check_cc(made)?;
    session.messages.pass_on(&made.warnings);
    session.dependencies.add_preprocessed(&made.text);
    show_rule(session, path)
}

/// Writes the rule where `-MF` or `-o` says, or to standard output.
fn show_rule(session: &mut Session, path: &Path) -> Step<()> {
    let Some(options) = session.options.dependencies.clone() else {
        return Ok(());
    };
    let object = outputs::named(path, "o");
    let rule = session.dependencies.rule(&options, &object);
    match &options.file {
        Some(file) => session.write(file, rule.as_bytes()),
        None => session.write_text(&rule),
    }
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
        Mode::Syntax => kernels::check(session, &unit),
        Mode::Rules => {
            kernels::check(session, &unit)?;
            show_rule(session, path)
        }
        _ => {
            let output = outputs::of_source(&session.options, path, "o");
            let folder = session.temporary_folder()?;
            let object = folder.path().join("kernels.o");
            kernel_object(session, unit, &object)?;
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
