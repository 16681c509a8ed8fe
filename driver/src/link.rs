//! The link step: it sees everything, rewrites kernels, builds them, and links the executable.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::backend::Backend;
use fpgacc_aoc_wrappers::cache::Cache;
use fpgacc_aoc_wrappers::cc::{Language, Source};
use fpgacc_aoc_wrappers::library;
use fpgacc_aoc_wrappers::output::Mode as FileMode;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest::{Manifest, Target};

use crate::aocx;
use crate::build::{self, Built};
use crate::compile;
use crate::compiled::{Compiled, Programs};
use crate::foreign;
use crate::gather::{self, Gathered};
use crate::hosts;
use crate::images;
use crate::left::Left;
use crate::manifest;
use crate::options::{self, Input, InputKind, LinkKind};
use crate::outputs;
use crate::rewriting;
use crate::session::{Session, Step};
use crate::source_folder;
use crate::stage_texts;
use crate::tool;
use crate::wrong_kernels;

/// Links the inputs into an executable and its .aocx files.
pub fn run(session: &mut Session) -> Step<()> {
    let output = session.options.output.clone();
    let output = output.unwrap_or_else(|| PathBuf::from(outputs::EXECUTABLE));
    if session.options.target == options::Target::Source {
        return source_folder::write(session, &output);
    }
    build(session, &output).map(|_| ())
}

/// Makes an executable and its .aocx files.
pub fn build(session: &mut Session, output: &Path) -> Step<Vec<Compiled>> {
    if session.options.link_kind == LinkKind::Relocatable {
        return relocatable(session, output).map(|()| Vec::new());
    }
    let folder = session.temporary_folder()?;
    let gathered = gather::gather(session, folder.path(), output)?;
    let mut programs = rewriting::all(session, &gathered)?;
    if aocx::is_wanted(output, &gathered) {
        return aocx::build(session, &gathered, programs, output);
    }
    need_host(session, &gathered)?;
    if programs.compiled.is_empty() && !gathered.uses_opencl {
        return plain(session, &gathered, folder.path(), output).map(|()| programs.compiled);
    }
    let backend = tool::choose(session)?;
    images::warn(session, &backend, &programs.compiled);
    let executable = Executable {
        gathered: &gathered,
        backend: &backend,
        folder: folder.path(),
        output,
    };
    loop {
        let refused = executable.make(session, &programs)?;
        if refused.is_empty() {
            return Ok(programs.compiled);
        }
        for at in refused.into_iter().rev() {
            let program = programs.compiled.remove(at).program;
            let (warning, left) = match program.is_part {
                true => (wrong_kernels::linked_later(&program.name()), Left::Part),
                false => (wrong_kernels::left_to_device(&program.name()), Left::Errors),
            };
            session.report(warning);
            programs.left_to_device.push(left.describe(&program));
        }
    }
}

/// What an executable is made of, besides its programs.
struct Executable<'a> {
    gathered: &'a Gathered,
    backend: &'a Backend,
    folder: &'a Path,
    output: &'a Path,
}

impl Executable<'_> {
    /// Makes it. Gives the programs that the device's compiler refuses; nothing was made if there are any.
    fn make(&self, session: &mut Session, programs: &Programs) -> Step<Vec<usize>> {
        let compiled = &programs.compiled;
        let Executable {
            gathered,
            backend,
            folder,
            output,
        } = *self;
        let target = tool::manifest_target(backend);
        let manifest = manifest::of(&session.options, programs, target, output);
        let written = stage_texts::of_link(session, gathered, compiled, &manifest, output);
        session.may_write(&written)?;
        // The link comes first: kernels take longer, hours on hardware.
        let executable = folder.join("executable");
        let runtime = runtime(session, &manifest, folder)?;
        if !link(session, gathered, runtime, &executable)? && !session.options.dry_run {
            return Ok(Vec::new());
        }
        let made = outputs::folder(session, output)?;
        let mut refused = Vec::new();
        for (at, (compiled, program)) in compiled.iter().zip(&manifest.programs).enumerate() {
            match build::build(session, backend, compiled, made.path(), output, program)? {
                Built::Made => {}
                Built::Refused(log) => {
                    // What a part lacks is in the others.
                    if !compiled.program.is_part {
                        session.messages.pass_on(&wrong_kernels::as_warnings(&log));
                    }
                    refused.push(at);
                }
            }
        }
        if !refused.is_empty() {
            return Ok(refused);
        }
        stage_texts::save(session, gathered, compiled, &manifest)?;
        if !session.options.dry_run {
            outputs::put_in_place(session, &manifest, made.path(), &executable, output)?;
        }
        Ok(Vec::new())
    }
}

/// A link needs something with a `main`; what the linker would say of it does not help.
fn need_host(session: &mut Session, gathered: &Gathered) -> Step<()> {
    if !gathered.link_args.is_empty() {
        return Ok(());
    }
    session.fail(Diagnostic::error("there is no host among the inputs").help(
        "give the program that launches these kernels: fpgacc host.c kernels.cl; or use -c, \
             --emit=kernels or --target=source",
    ))
}

/// A program without OpenCL, as the probes of configure scripts are: cc's own work.
fn plain(session: &mut Session, gathered: &Gathered, folder: &Path, output: &Path) -> Step<()> {
    let nothing = Manifest {
        target: Target::Sdk,
        programs: Vec::new(),
        left_to_device: Vec::new(),
        launched_at: Vec::new(),
    };
    let written = stage_texts::of_link(session, gathered, &[], &nothing, output);
    session.may_write(&written)?;
    let executable = folder.join("executable");
    let is_made = link(session, gathered, Vec::new(), &executable)?;
    if !is_made {
        return Ok(());
    }
    outputs::put_in_place(session, &nothing, folder, &executable, output)
}

/// `-r`: objects become one object, which keeps what each of them holds for the link of an executable.
fn relocatable(session: &mut Session, output: &Path) -> Step<()> {
    let folder = session.temporary_folder()?;
    let mut args = session.options.link_flags.clone();
    for (number, input) in session.options.inputs.clone().into_iter().enumerate() {
        let object = folder.path().join(format!("{number}.o"));
        match input {
            Input::Argument(argument) => args.push(argument),
            Input::File { path, kind } => match kind {
                InputKind::Host(language) => {
                    let host = hosts::load(session, &path, language)?;
                    compile::host_object(session, host, &object, output)?;
                    args.push(object.into());
                }
                InputKind::Kernels => {
                    let unit = gather::read_kernels(session, &path)?;
                    compile::kernel_object(session, unit, &object)?;
                    args.push(object.into());
                }
                InputKind::Foreign(language) => {
                    foreign::make(session, &path, language, "-c", &object)?;
                    args.push(object.into());
                }
                InputKind::Linker => args.push(path.into()),
                InputKind::Facts => {
                    let message = "-r makes an object, which holds no launch facts";
                    return session.fail(
                        Diagnostic::error(message).help("give them to the link of the executable"),
                    );
                }
            },
        }
    }
    let joined = folder.path().join("joined.o");
    let linker = session.compiler(Language::C)?;
    let linked = linker.link(&args, &joined);
    let linked = session.check_cc(linked)?;
    session.messages.pass_on(&linked.warnings);
    match linked.is_made {
        true => {
            let bytes = session.read(&joined)?;
            session.write_with_dependencies(output, &bytes, FileMode::Plain)
        }
        false => Ok(()),
    }
}

/// What the linker gets besides the user's words, so that all OpenCL calls reach the runtime.
fn runtime(session: &mut Session, manifest: &Manifest, folder: &Path) -> Step<Vec<OsString>> {
    let mut args = runtime_objects(session, manifest, folder)?;
    args.extend(
        (fpgacc_runtime::WRAPPED.iter())
            .chain(fpgacc_runtime::WRAPPED_LOOKUPS)
            .map(|name| format!("-Wl,--wrap={name}").into()),
    );
    args.extend(["-lOpenCL", "-lpthread", "-ldl"].map(OsString::from));
    Ok(args)
}

/// Links; returns whether something was made.
fn link(
    session: &mut Session,
    gathered: &Gathered,
    runtime: Vec<OsString>,
    executable: &Path,
) -> Step<bool> {
    let mut args = session.options.link_flags.clone();
    args.extend(gathered.link_args.iter().cloned());
    args.extend(runtime);
    let language = if gathered.needs_cxx || session.options.cxx_mode {
        Language::Cxx
    } else {
        Language::C
    };
    let linker = session.compiler(language)?;
    let linked = linker.link(&args, executable);
    let linked = session.check_cc(linked);
    if linked.is_err() {
        for path in &gathered.unknown {
            session.report(unknown_input(path));
        }
    }
    let linked = linked?;
    session.messages.pass_on(&linked.warnings);
    session.print_bytes(&linked.stdout)?;
    Ok(linked.is_made)
}

/// What the linker got because nobody else knows it, where it did not know it either.
fn unknown_input(path: &Path) -> Diagnostic {
    let name = path.display();
    let message = format!("'{name}' is no host, no kernel file and no object: the linker got it");
    Diagnostic::error(message)
        .note("hosts are C and C++ (.c .cc .cpp .cxx), kernel files OpenCL C (.cl .ocl)")
        .help("say what a file of another name is: -x c, -x c++ or -x cl before it, and -x none after it")
}

/// The runtime library and the manifest, compiled.
fn runtime_objects(
    session: &mut Session,
    manifest: &Manifest,
    folder: &Path,
) -> Step<Vec<OsString>> {
    let compiler = session.compiler(Language::C)?;
    let headers = session.runtime_headers()?;
    // Each executable and each library has a runtime of its own: none may take another's place.
    // What `$CC` says of a standard and of warnings is for the user's own files.
    let own = ["-std=gnu11", "-w", "-O2", "-fPIC", "-fvisibility=hidden"];
    let mut flags: Vec<OsString> = own.map(OsString::from).into();
    flags.extend(session.options.machine_flags.iter().cloned());
    let library = folder.join("runtime.o");
    let cache = Cache::open();
    let made = library::object(
        &compiler,
        fpgacc_runtime::SOURCES,
        &flags,
        cache.as_ref(),
        &library,
    );
    session.check_cc(made)?;
    flags.extend(["-I".into(), headers.into()]);
    let object = folder.join("manifest.o");
    let text = manifest.to_c();
    let source = Source {
        path: Path::new("fpgacc_manifest.c"),
        text: Some(text.as_bytes()),
    };
    let compiled = compiler.compile(source, &flags, &object);
    session.check_cc(compiled)?;
    Ok(vec![library.into(), object.into()])
}
