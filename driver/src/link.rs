//! The link step: it sees everything, rewrites kernels, builds them, and links the executable.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::backend::{self, Backend};
use fpgacc_aoc_wrappers::cache::Cache;
use fpgacc_aoc_wrappers::cc::Language;
use fpgacc_aoc_wrappers::output::{self, Mode as FileMode};
use fpgacc_aoc_wrappers::progress::Progress;
use fpgacc_aoc_wrappers::request::{self, BuildRequest, KernelSource};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest::{self, Manifest};

use crate::facts;
use crate::gather::{self, Gathered};
use crate::kernels::{self, Rewritten};
use crate::options::Target;
use crate::programs::{self, Program};
use crate::session::{Session, Step, Stop};

/// A program with its rewritten text.
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Its kernels.
    pub rewritten: Rewritten,
}

/// Links the inputs into an executable and its .aocx files.
pub fn run(session: &mut Session) -> Step<()> {
    let output = session
        .options
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from("a.out"));
    let folder = session.temporary_folder()?;
    let gathered = gather::gather(session, folder.path())?;
    let compiled = rewrite_all(session, &gathered)?;
    if session.options.target == Target::Source {
        return write_sources(session, &gathered, &compiled, &output);
    }
    let backend = choose_backend(session)?;
    let manifest = manifest(&compiled, &backend, &output);
    for (compiled, program) in compiled.iter().zip(&manifest.programs) {
        let built = folder.path().join(&program.aocx);
        build(session, &backend, compiled, &built)?;
    }
    let executable = folder.path().join("executable");
    link(session, &gathered, &manifest, folder.path(), &executable)?;
    save_temps(session, &gathered, &compiled, &manifest)?;
    if session.options.dry_run {
        return Ok(());
    }
    put_in_place(session, &manifest, folder.path(), &executable, &output)
}

/// Analyses the hosts and takes every program through the passes.
pub fn rewrite_all(session: &mut Session, gathered: &Gathered) -> Step<Vec<Compiled>> {
    let facts = facts::of(session, gathered)?;
    let (programs, diagnostics) = programs::pair(&facts, &gathered.kernels);
    for diagnostic in diagnostics {
        session.tell(diagnostic);
    }
    let mut compiled = Vec::new();
    let mut failed = false;
    for program in programs {
        // Errors of all programs are told, not only those of the first.
        match kernels::rewrite(session, &program, &facts) {
            Ok(rewritten) => compiled.push(Compiled { program, rewritten }),
            Err(Stop) => failed = true,
        }
    }
    if failed {
        return Err(Stop);
    }
    facts::warn_about_launches(session, &facts, &compiled);
    Ok(compiled)
}

fn choose_backend(session: &mut Session) -> Step<Backend> {
    let target = match session.options.target {
        Target::Emulator | Target::Source => request::Target::Emulator,
        Target::Simulator => request::Target::Simulator,
        Target::Hardware => request::Target::Hardware,
    };
    let options = &session.options;
    let found = backend::discover(target, options.aoc.as_deref(), options.platform.as_deref());
    session.check(found.first(target))
}

fn manifest_target(backend: &Backend) -> manifest::Target {
    match backend.kind() {
        "intel" => manifest::Target::IntelEmulator {
            library: backend
                .runtime_library()
                .map(|path| path.display().to_string()),
        },
        "pocl" => manifest::Target::Pocl,
        _ => manifest::Target::Sdk,
    }
}

fn manifest(compiled: &[Compiled], backend: &Backend, output: &Path) -> Manifest {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let several = compiled.len() > 1;
    let programs = compiled.iter().map(|Compiled { program, rewritten }| {
        let aocx = match several {
            true => format!("{name}.{}.aocx", program.stem),
            false => format!("{name}.aocx"),
        };
        manifest::Program {
            aocx,
            ..rewritten.manifest.clone()
        }
    });
    Manifest {
        target: manifest_target(backend),
        programs: programs.collect(),
    }
}

fn build(session: &mut Session, backend: &Backend, compiled: &Compiled, output: &Path) -> Step<()> {
    let Compiled { program, rewritten } = compiled;
    let source = KernelSource {
        path: rewritten.path.clone(),
        text: rewritten.text.clone(),
    };
    let mut request = BuildRequest::new(vec![source], output);
    request.cl_options = program.options.others.clone();
    request.board = session.options.board.clone();
    request.extra = session
        .options
        .aoc_args
        .iter()
        .map(OsString::from)
        .collect();
    request.target = match session.options.target {
        Target::Emulator | Target::Source => request::Target::Emulator,
        Target::Simulator => request::Target::Simulator,
        Target::Hardware => request::Target::Hardware,
    };
    request.verbose = session.options.verbose;
    if rewritten.untouched {
        request.defines = program.options.defines.clone();
        request.includes = program.options.includes.clone();
    }
    let progress = match session.options.quiet {
        true => Progress::Quiet,
        false => Progress::Shown,
    };
    match backend.build(&request, Cache::open().as_ref(), progress) {
        Ok(built) => {
            if session.options.verbose {
                session.messages.pass_on(&built.log);
            }
            Ok(())
        }
        Err(error) => {
            if let Some(log) = error.log() {
                let log = log.to_string();
                session.messages.pass_on(&log);
            }
            session.fail(Diagnostic::error(format!("{}: {error}", program.name())))
        }
    }
}

fn link(
    session: &mut Session,
    gathered: &Gathered,
    manifest: &Manifest,
    folder: &Path,
    executable: &Path,
) -> Step<()> {
    let mut args = session.options.link_flags.clone();
    args.extend(gathered.link_args.iter().cloned());
    args.extend(runtime_objects(session, manifest, folder)?);
    args.extend(
        fpgacc_runtime::WRAPPED
            .iter()
            .map(|name| format!("-Wl,--wrap={name}").into()),
    );
    args.extend(["-lOpenCL", "-lpthread", "-ldl"].map(OsString::from));
    let language = if gathered.needs_cxx || session.options.cxx_mode {
        Language::Cxx
    } else {
        Language::C
    };
    let linker = session.compiler(language)?;
    let linked = linker.link(&args, executable);
    let warnings = session.check_cc(linked)?;
    session.messages.pass_on(&warnings);
    Ok(())
}

/// The runtime library and the manifest, compiled.
fn runtime_objects(
    session: &mut Session,
    manifest: &Manifest,
    folder: &Path,
) -> Step<Vec<OsString>> {
    let compiler = session.compiler(Language::C)?;
    let headers = session.runtime_headers()?;
    let manifest = manifest.to_c();
    let sources = fpgacc_runtime::SOURCES
        .iter()
        .copied()
        .chain([("fpgacc_manifest.c", manifest.as_str())])
        .filter(|(name, _)| name.ends_with(".c"));
    let flags = [OsString::from("-O2"), "-I".into(), headers.into()];
    let mut objects = Vec::new();
    for (name, text) in sources {
        let object = folder.join(name).with_extension("rt.o");
        let source = fpgacc_aoc_wrappers::cc::Source {
            path: Path::new(name),
            text: Some(text.as_bytes()),
        };
        let compiled = compiler.compile(source, &flags, &object, None);
        session.check_cc(compiled)?;
        objects.push(object.into());
    }
    Ok(objects)
}

/// Moves everything that was made to where it belongs. Nothing was touched there before.
fn put_in_place(
    session: &mut Session,
    manifest: &Manifest,
    folder: &Path,
    executable: &Path,
    output: &Path,
) -> Step<()> {
    for program in &manifest.programs {
        let bytes = session.read(&folder.join(&program.aocx))?;
        let written = output::write(
            &output.with_file_name(&program.aocx),
            &bytes,
            FileMode::Plain,
        );
        session.check(written)?;
    }
    let bytes = session.read(executable)?;
    let written = output::write(output, &bytes, FileMode::Executable);
    session.check(written)?;
    session.write_dependencies(output)
}

/// `--target=source`: the rewritten kernels and patched hosts in a folder.
fn write_sources(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    output: &Path,
) -> Step<()> {
    let made = std::fs::create_dir_all(output);
    session.check(made)?;
    write_texts(session, gathered, compiled, output)
}

fn save_temps(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
) -> Step<()> {
    let Some(folder) = session.options.save_temps.clone() else {
        return Ok(());
    };
    let made = std::fs::create_dir_all(&folder);
    session.check(made)?;
    write_texts(session, gathered, compiled, &folder)?;
    let file = folder.join("fpgacc_manifest.c");
    let written = output::write(&file, manifest.to_c().as_bytes(), FileMode::Plain);
    session.check(written)
}

fn write_texts(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    folder: &Path,
) -> Step<()> {
    for (path, text) in &gathered.patched {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let suffix = path.extension().unwrap_or_default().to_string_lossy();
        let file = folder.join(format!("{name}.fpga.{suffix}"));
        let written = output::write(&file, text, FileMode::Plain);
        session.check(written)?;
    }
    for Compiled { program, rewritten } in compiled {
        let file = folder.join(format!("{}.fpga.cl", program.stem));
        let written = output::write(&file, rewritten.text.as_bytes(), FileMode::Plain);
        session.check(written)?;
    }
    Ok(())
}
