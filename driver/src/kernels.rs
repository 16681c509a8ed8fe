//! Kernels: preprocess, parse, rewrite, print.

use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, Language};
use fpgacc_device_passes::pipeline::{self, Report};
use fpgacc_frontend::diag::{Diagnostic, Severity};
use fpgacc_frontend::facts::Facts;
use fpgacc_frontend::ir::Module;
use fpgacc_frontend::kernel::{self, ParseError, PrintOptions};
use fpgacc_runtime::manifest;

use crate::kernel_options::identifiers;
use crate::programs::{Piece, Program};
use crate::session::{Session, Step, Stop};
use crate::signature;

/// A program behind the rewrites.
pub struct Rewritten {
    /// OpenCL C for the FPGA compiler.
    pub text: String,
    /// The file in which the text starts, for messages.
    pub path: PathBuf,
    /// The text is the user's own, with its options still to be applied.
    pub untouched: bool,
    /// What the runtime must know; without its .aocx's name.
    pub manifest: manifest::Program,
    /// What the passes did; empty if the text is untouched.
    pub report: Report,
    /// The module as it was parsed, for `--emit=ast`.
    pub parsed: Option<Module>,
}

/// Takes a program through front end and passes. What the front end does not take stays as it is,
/// with a warning.
pub fn rewrite(session: &mut Session, program: &Program, facts: &Facts) -> Step<Rewritten> {
    let preprocessed = preprocess(session, program)?;
    let mut rewritten = Rewritten {
        text: program.text(),
        path: PathBuf::from(&program.pieces[0].name),
        untouched: true,
        manifest: describe(program, &preprocessed),
        report: Report::default(),
        parsed: None,
    };
    let Some(mut module) = parse(session, program, &preprocessed)? else {
        return Ok(rewritten);
    };
    rewritten.parsed = Some(module.clone());
    let pipeline = session.options.pipeline.clone();
    rewritten.report = pipeline::run(&mut module, facts, &pipeline);
    for remark in rewritten.report.remarks.clone() {
        session.tell(remark);
    }
    let originals = rewritten.parsed.as_ref().expect("it was parsed");
    rewritten.manifest.kernels = kernels(originals, &rewritten.report);
    rewritten.text = print(session, &module, true)?;
    rewritten.untouched = false;
    Ok(rewritten)
}

/// A module as OpenCL C.
pub fn print(session: &mut Session, module: &Module, line_directives: bool) -> Step<String> {
    match kernel::validate(module) {
        Ok(proof) => {
            let options = PrintOptions { line_directives };
            Ok(kernel::print(module, &proof, &session.sources, &options))
        }
        Err(faults) => {
            for fault in faults {
                session.tell(fault);
            }
            session.fail(
                Diagnostic::error("fpgacc made kernels that it knows to be wrong, and stops").help(
                    "this is a fault of fpgacc: please report it; -O0 leaves kernels as they are",
                ),
            )
        }
    }
}

/// The program's text behind the preprocessor.
pub fn preprocess(session: &mut Session, program: &Program) -> Step<String> {
    let compiler = session.compiler(Language::C)?;
    let others: Vec<&str> = program.options.others.iter().map(String::as_str).collect();
    let mut text = kernel::predefined(program.options.dialect(), &others);
    for piece in &program.pieces {
        session
            .sources
            .add(piece.name.as_str(), piece.text.as_str());
        text.push_str(&format!("#line 1 {}\n{}", quoted(&piece.name), piece.text));
        if !piece.text.ends_with('\n') {
            text.push('\n');
        }
    }
    let path = path_of(&program.pieces[0]);
    let source = cc::Source {
        path: &path,
        text: Some(text.as_bytes()),
    };
    let options = &program.options;
    let mut includes = options.includes.clone();
    includes.extend(
        program
            .pieces
            .iter()
            .skip(1)
            .map(|piece| piece.folder.clone()),
    );
    let made = compiler.preprocess_kernel(source, &options.defines, &[], &includes);
    if made.is_err() && !program.options_known {
        session.tell(unknown_options_hint(program));
    }
    let made = session.check_cc(made)?;
    register_headers(session, &made.text);
    session.dependencies.add_preprocessed(&made.text);
    Ok(made.text)
}

/// The module; `None` if the front end does not take this text, which was told.
pub fn parse(session: &mut Session, program: &Program, preprocessed: &str) -> Step<Option<Module>> {
    let name = program.pieces[0].name.clone();
    let input = kernel::Input {
        name: &name,
        preprocessed,
        dialect: program.options.dialect(),
    };
    match kernel::parse(&input, &mut session.sources) {
        Ok(module) => Ok(Some(module)),
        Err(ParseError::Unsupported(reasons)) => {
            for mut reason in reasons {
                reason.severity = Severity::Warning;
                session.tell(
                    reason.note("this program stays as it is: its kernels are not rewritten"),
                );
            }
            Ok(None)
        }
        Err(ParseError::Invalid(errors)) => {
            for error in errors {
                session.tell(error);
            }
            if !program.options_known {
                session.tell(unknown_options_hint(program));
            }
            Err(Stop)
        }
    }
}

fn unknown_options_hint(program: &Program) -> Diagnostic {
    Diagnostic::warning(format!(
        "the options with which the host builds '{}' are not known",
        program.name()
    ))
    .help("if the kernels need macros of them, give these: -Xkernel -DNAME=VALUE")
}

/// Texts of included headers, for messages that point into them.
fn register_headers(session: &mut Session, preprocessed: &str) {
    let mut names: Vec<&str> = preprocessed
        .lines()
        .filter_map(|line| line.strip_prefix("# ")?.split('"').nth(1))
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        if session.sources.find(name).is_none()
            && let Ok(text) = std::fs::read_to_string(name)
        {
            session.sources.add(name, text);
        }
    }
}

fn describe(program: &Program, preprocessed: &str) -> manifest::Program {
    let text = program.text();
    // Names in headers count too: a macro may change those.
    let names = identifiers(&format!("{text}\n{}", without_directives(preprocessed)));
    manifest::Program {
        name: program.name(),
        source_hash: manifest::text_hash(text.as_bytes()),
        aocx: String::new(),
        defines: program.options.defines_among(&names),
        macro_names: names,
        kernels: Vec::new(),
    }
}

fn without_directives(preprocessed: &str) -> String {
    let lines = preprocessed.lines().filter(|line| !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

fn kernels(module: &Module, report: &Report) -> Vec<manifest::Kernel> {
    let describe = |id| {
        let kernel = &module.functions[id];
        let contract = report
            .contracts
            .get(&kernel.name)
            .cloned()
            .unwrap_or_default();
        manifest::Kernel {
            name: kernel.name.clone(),
            form: contract.form,
            params: signature::params(module, kernel),
            reqd_work_group_size: kernel.reqd_work_group_size(),
            distinct: contract.distinct,
            local_bytes: contract.local_bytes,
        }
    };
    module.kernels().map(describe).collect()
}

/// Where the preprocessor looks for quoted includes of a piece.
fn path_of(piece: &Piece) -> PathBuf {
    let name = Path::new(&piece.name).file_name().unwrap_or_default();
    piece.folder.join(name)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
