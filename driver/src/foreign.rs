//! Files that the host compiler deals with alone: assembly, headers to precompile.

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
    args.push(stage.into());
    for word in language.into_iter().flat_map(|name| ["-x", name]) {
        args.push(word.into());
    }
    args.push(path.into());
    let compiler = session.compiler(main_language(session))?;
    let made = compiler.link(&args, output);
    let made = session.check_cc(made)?;
    session.messages.pass_on(&made.warnings);
    Ok(())
}

/// The language that the command's own name stands for.
pub fn main_language(session: &Session) -> Language {
    match session.options.cxx_mode {
        true => Language::Cxx,
        false => Language::C,
    }
}
