//! Asking the device's compiler about texts.

use fpgacc_aoc_wrappers::cache::Cache;
use fpgacc_aoc_wrappers::progress::Progress;
use fpgacc_aoc_wrappers::request::{BuildRequest, KernelSource};

use crate::options::Target;
use crate::programs::Program;
use crate::session::{Session, Step};
use crate::tool;

/// Whether the compiler of the emulator that is built for, if there is one, takes a text as it is.
pub fn takes(session: &mut Session, program: &Program) -> Step<bool> {
    let Some(backend) = tool::expected(&session.options) else {
        return Ok(false);
    };
    if session.options.target != Target::Emulator || session.options.dry_run {
        return Ok(false);
    }
    let folder = session.temporary_folder()?;
    let source = KernelSource {
        path: program.pieces[0].name.clone().into(),
        text: program.text(),
    };
    let mut request = BuildRequest::new(vec![source], folder.path().join("tried.aocx"));
    request.cl_options = program.options.others.clone();
    request.target = tool::request_target(&session.options);
    request.defines = program.options.defines.clone();
    request.undefines = program.options.undefines.clone();
    request.includes = program.include_folders();
    let progress = Progress::unless(session.options.quiet);
    let built = backend.build(&request, Cache::open().as_ref(), progress);
    Ok(built.is_ok())
}
