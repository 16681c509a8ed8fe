//! Files that the host compiler deals with alone: assembly, headers to precompile.

use std::ffi::OsString;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::Language;

use crate::session::{Session, Step};

/// What the host compiler makes of a file that is no host.
pub fn make(
    session: &mut Session,
    path: &Path,
    language: Option<&str>,
    stage: &str,
    output: &Path,
) -> Step<()> {
    let mut args = session.options.host_flags.clone();
    args.extend(words(stage, language, path));
    let compiler = session.compiler(main_language(session))?;
    let made = compiler.link(&args, output);
    let made = session.check_cc(made)?;
    session.messages.pass_on(&made.warnings);
    Ok(())
}

/// What asks the host compiler for a stage of a file.
pub fn words(stage: &str, language: Option<&str>, path: &Path) -> Vec<OsString> {
    let mut words = vec![stage.into()];
    words.extend(
        language
            .into_iter()
            .flat_map(|name| ["-x".into(), name.into()]),
    );
    words.push(path.into());
    words
}

/// The language that the command's own name stands for.
pub fn main_language(session: &Session) -> Language {
    match session.options.cxx_mode {
        true => Language::Cxx,
        false => Language::C,
    }
}
