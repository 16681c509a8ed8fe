//! Hosts: preprocess, patch, compile.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, CcError, Language};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::{SourceMap, without_bom};
use fpgacc_host_analysis::patch::{Patched, patch_bytes_except};
use fpgacc_host_analysis::syntax::lex::{Lexer, TokenKind};
use fpgacc_host_analysis::syntax::{LiveLines, Preprocessed, Unit};

use crate::ahead::Job;
use crate::options::{Mode, Options};
use crate::session::{self, Session, Step};
use crate::unit::{HostUnit, without_system_headers};

/// A host that was read and patched.
pub struct Host {
    /// What the link step needs of it.
    pub unit: HostUnit,
    /// With the calls changed.
    pub patched: Patched,
}

impl Host {
    /// The patched text, as the compiler is given it.
    fn source(&self) -> cc::Source<'_> {
        cc::Source {
            path: &self.unit.path,
            text: Some(&self.patched.text),
        }
    }
}

/// Reads a host, preprocesses it with the user's flags and patches its calls.
pub fn load(session: &mut Session, path: &Path, language: Language) -> Step<Host> {
    let original = session.read(path)?;
    session.dependencies.add_source(path);
    let compiler = session.compiler(language)?;
    let shown = session::shown(path);
    let flags = analysis_flags(&session.options);
    let made = match session::is_stdin(path) {
        true => {
            let text = Some(original.as_slice());
            let source = cc::Source { path: &shown, text };
            compiler.preprocess_host(source, &flags)
        }
        false => session.ahead.take(&job(&session.options, path, language)),
    };
    // Where the preprocessor fails the compiler will fail too, and say so better.
    let preprocessed = made.ok().map(|made| made.text);
    if let Some(text) = &preprocessed {
        session.dependencies.add_preprocessed(text);
    }
    let name = shown.display().to_string();
    let text = without_bom(&String::from_utf8_lossy(&original)).to_string();
    let read = preprocessed.as_deref().map(Preprocessed::read);
    let headers = user_headers(&name, read.as_ref());
    let lines = match &read {
        Some(read) => read.live_lines(&name, &text),
        None => LiveLines::all(text.lines().count() as u32),
    };
    let unit = HostUnit {
        path: shown,
        text,
        headers,
        preprocessed: preprocessed
            .as_deref()
            .zip(read.as_ref())
            .map(|(text, read)| without_system_headers(text, read.system_functions())),
        is_cxx: language == Language::Cxx,
    };
    let is_macro = |function: &str| read.as_ref().is_some_and(|read| read.is_macro(function));
    let is_value = |name: &str| read.as_ref().is_some_and(|read| read.is_value(name));
    let patched = patch_bytes_except(&original, &name, &lines, is_macro, is_value);
    Ok(Host { unit, patched })
}

/// What is asked of the preprocessor for the analysis of a host.
pub fn job(options: &Options, path: &Path, language: Language) -> Job {
    Job::Host {
        path: path.to_path_buf(),
        language,
        flags: analysis_flags(options),
    }
}

fn analysis_flags(options: &Options) -> Vec<OsString> {
    let mut flags = options.host_flags.clone();
    // The compiler says the same.
    flags.extend(["-w", "-fmax-errors=100"].map(OsString::from));
    flags
}

/// Compiles a patched host to an object. The object is a step towards `made`, beside which files for
/// coverage and the like belong.
pub fn compile(session: &mut Session, host: &Host, output: &Path, made: &Path) -> Step<()> {
    let language = host.unit.language();
    let compiler = session.compiler(language)?;
    let mut flags = compile_flags(session)?;
    if cc::leaves_side_files(&flags) {
        let name = host.unit.path.file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let beside = made.parent().unwrap_or(Path::new(""));
        let beside = Path::new(".").join(beside);
        let stem = made.file_stem().unwrap_or_default().to_string_lossy();
        // As cc does: x.o has x.gcno, an executable `app` has app-x.gcno.
        let named = match session.options.mode == Mode::Compile {
            true => compiler.side_file_flags(&beside.join(""), &format!("{stem}.c")),
            false => compiler.side_file_flags(&beside.join(format!("{stem}-")), &name),
        };
        flags.extend(named);
    }
    let compiled = compiler.compile(host.source(), &flags, output);
    let warnings = checked(session, host, compiled)?;
    session.messages.pass_on(&warnings);
    Ok(())
}

/// Has the compiler look at a patched host, and makes nothing.
pub fn check(session: &mut Session, host: &Host) -> Step<()> {
    let compiler = session.compiler(host.unit.language())?;
    let flags = compile_flags(session)?;
    let looked_at = compiler.check_syntax(host.source(), &flags);
    let warnings = checked(session, host, looked_at)?;
    session.messages.pass_on(&warnings);
    Ok(())
}

/// What the compiler made of a host. Of a file of kernels with the name of a host it says much, but not that.
fn checked<T>(session: &mut Session, host: &Host, made: Result<T, CcError>) -> Step<T> {
    let checked = session.check_cc(made);
    if checked.is_err() && is_of_kernels(&host.unit.text) {
        let path = host.unit.path.display();
        let error = format!("'{path}' has kernels, and is compiled as a host, as its name says");
        let help = format!("if it is a file of kernels: -x cl {path} -x none");
        session.report(Diagnostic::error(error).help(help));
    }
    checked
}

/// Whether a text has a kernel's mark outside of strings.
fn is_of_kernels(text: &str) -> bool {
    let text = text.as_bytes();
    Lexer::new(text).any(|token| token.kind == TokenKind::Ident && token.bytes(text) == b"__kernel")
}

/// A unit as the host analysis reads it; its texts join `sources`.
pub fn add<'u>(unit: &'u HostUnit, sources: &mut SourceMap) -> Unit<'u> {
    let main = sources.add(unit.path.display().to_string(), unit.text.as_str());
    let headers: Vec<_> = unit
        .headers
        .iter()
        .map(|(name, text)| sources.add(name.as_str(), text.as_str()))
        .collect();
    Unit {
        main,
        headers,
        preprocessed: unit.preprocessed.as_deref(),
        language: match unit.is_cxx {
            true => fpgacc_host_analysis::syntax::Language::Cpp,
            false => fpgacc_host_analysis::syntax::Language::C,
        },
    }
}

/// Names and texts of the headers that the user wrote. One that cannot be read is left out: the
/// analysis then knows less.
fn user_headers(main: &str, preprocessed: Option<&Preprocessed>) -> Vec<(String, String)> {
    let names = preprocessed.map(|read| read.user_headers(main));
    names
        .unwrap_or_default()
        .into_iter()
        .filter_map(|name| {
            let bytes = std::fs::read(PathBuf::from(&name)).ok()?;
            let text = without_bom(&String::from_utf8_lossy(&bytes)).to_string();
            Some((name, text))
        })
        .collect()
}

/// Compiles a patched host to assembly.
pub fn assemble(session: &mut Session, host: &Host, output: &Path) -> Step<()> {
    let compiler = session.compiler(host.unit.language())?;
    let flags = compile_flags(session)?;
    let folder = session.temporary_folder()?;
    let shown = output.as_os_str() == "-";
    let path = match shown {
        true => folder.path().join("host.s"),
        false => output.to_path_buf(),
    };
    let compiled = compiler.assembly(host.source(), &flags, &path);
    let warnings = session.check_cc(compiled)?;
    session.messages.pass_on(&warnings);
    if shown && !session.options.dry_run {
        let text = session.read(&path)?;
        return session.print(&String::from_utf8_lossy(&text));
    }
    Ok(())
}

fn compile_flags(session: &mut Session) -> Step<Vec<OsString>> {
    let runtime = session.runtime_headers()?;
    let mut flags: Vec<OsString> = vec!["-idirafter".into(), runtime.clone().into()];
    // Debug information would otherwise name a folder that is another one at each run.
    flags.push(format!("-ffile-prefix-map={}=fpgacc", runtime.display()).into());
    // On noise, compilers print gigabytes otherwise. The user's own limit comes after.
    flags.push("-fmax-errors=100".into());
    flags.extend(session.options.host_flags.iter().cloned());
    Ok(flags)
}
