//! Building rewritten kernels: asking the tool, keeping what it says.

use std::ffi::OsString;
use std::path::Path;

use fpgacc_aoc_wrappers::backend::{Backend, BuildError};
use fpgacc_aoc_wrappers::cache::Cache;
use fpgacc_aoc_wrappers::emulator::EmulatorError;
use fpgacc_aoc_wrappers::progress::Progress;
use fpgacc_aoc_wrappers::request::{self, BuildRequest};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest;

use crate::compiled::Compiled;
use crate::kernels;
use crate::options::{Target, asks_for_cache};
use crate::programs::Program;
use crate::session::{Session, Step, Stop};
use crate::tool;
use crate::wrong_kernels;

/// What came of a build.
pub enum Built {
    /// The .aocx is there.
    Made,
    /// An emulator's compiler refuses kernels that may be wrong, and says this.
    Refused(String),
}

/// Reports why a program's kernels cannot be built, and what can be done. The device's compiler finds
/// errors, too: the front end's messages say where and why.
fn refuse(session: &mut Session, program: &Program, errors: &[Diagnostic]) -> Step<Built> {
    let Some((last, others)) = errors.split_last() else {
        return Err(Stop);
    };
    for error in others {
        session.report(error.clone());
    }
    let waits = session.options.target == Target::Emulator && !program.is_string();
    let last = match waits {
        true => last.clone().help(wrong_kernels::leave_out(program)),
        false => last.clone(),
    };
    session.fail(last)
}

/// Builds a program's .aocx in the folder `made`; it will be at last beside `output`.
pub fn build(
    session: &mut Session,
    backend: &Backend,
    compiled: &Compiled,
    made: &Path,
    output: &Path,
    described: &manifest::Program,
) -> Step<Built> {
    let Compiled { program, rewritten } = compiled;
    let options = &session.options;
    let prelude = options.rounding.prelude().unwrap_or_default();
    let mut source = compiled.source_to_build();
    source.text.insert_str(0, prelude);
    let mut request = BuildRequest::new(vec![source], made.join(&described.aocx));
    request.destination = Some(output.with_file_name(&described.aocx));
    request.cl_options = compiled.cl_options();
    request.board = options.board.clone();
    request.vectors = options.rounding.vectors();
    request.extra = options.aoc_args.iter().map(OsString::from).collect();
    request.target = tool::request_target(options);
    // An emulator has no cache, and what the user says counts.
    let is_given = options.aoc_args.iter().any(|arg| asks_for_cache(arg));
    if request.target != request::Target::Emulator && !is_given {
        request.constant_cache = rewritten.constant_cache;
    }
    request.verbose = options.verbose;
    if rewritten.untouched {
        request.defines = program.options.defines.clone();
        request.undefines = program.options.undefines.clone();
        request.includes = program.include_folders();
    }
    if options.verbose || options.dry_run {
        let line = backend.command_line(&request);
        session.messages.pass_on(&format!(" {line}"));
    }
    if session.options.dry_run {
        return match rewritten.doubts.is_empty() {
            true => Ok(Built::Made),
            false => refuse(session, program, &rewritten.doubts),
        };
    }
    let progress = Progress::unless(session.options.quiet);
    match backend.build(&request, Cache::open().as_ref(), progress) {
        Ok(built) => {
            if session.options.verbose {
                let log = compiled.with_positions(&built.log, &session.sources);
                session.messages.pass_on(&log);
            }
            kernels::untouched(session, rewritten.doubts.clone());
            Ok(Built::Made)
        }
        Err(BuildError::Emulator(EmulatorError::Kernels { log })) if rewritten.may_be_wrong => Ok(
            Built::Refused(compiled.with_positions(&log, &session.sources)),
        ),
        Err(_) if !rewritten.doubts.is_empty() => refuse(session, program, &rewritten.doubts),
        Err(error) => {
            // What aoc says was shown while it ran.
            let shown = matches!(error, BuildError::Aoc(_)) && !session.options.quiet;
            if let Some(log) = error.log().filter(|_| !shown) {
                let log = compiled.with_positions(log, &session.sources);
                session.messages.pass_on(&log);
            }
            let is_of_kernels =
                matches!(error, BuildError::Emulator(EmulatorError::Kernels { .. }));
            let error = compiled.with_positions(&error.to_string(), &session.sources);
            let error = Diagnostic::error(format!("{}: {error}", program.name()));
            match is_of_kernels {
                true => refuse(session, program, &[error]),
                false => session.fail(error),
            }
        }
    }
}
