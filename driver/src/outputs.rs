//! Output files: which there are, and putting them in place.

use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::output::{self, Mode as FileMode};
use fpgacc_aoc_wrappers::scratch::Scratch;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::{Manifest, manifest, seal};

use crate::depfile;
use crate::options::{Input, InputKind, Mode, Options, Target};
use crate::session::{Session, Step};

/// What the linker calls an executable that nobody named.
pub const EXECUTABLE: &str = "a.out";

/// The name of a program's .aocx beside an executable. Of several programs each has its own, `stem`.
///
/// Names of executables that differ give names that differ: `app` with programs `a` and `b` has
/// `app@a.aocx`, and an `app@a` has `app@@a.aocx`.
pub fn aocx_name(executable: &str, stem: Option<&str>) -> String {
    let name = executable.replace('@', "@@");
    match stem {
        Some(stem) => format!("{name}@{stem}.aocx"),
        None => format!("{name}.aocx"),
    }
}

/// The files that a command line names or implies, before its inputs are read.
pub fn planned(options: &Options) -> Vec<PathBuf> {
    let given = || {
        let output = options.output.clone();
        output.filter(|path| path.as_os_str() != "-")
    };
    match options.mode {
        Mode::Syntax | Mode::Ask => Vec::new(),
        Mode::Rules => {
            let named = given().into_iter();
            let dependencies = options.dependencies.as_ref();
            named
                .chain(dependencies.and_then(|one| one.file.clone()))
                .collect()
        }
        Mode::Preprocess => given().into_iter().collect(),
        Mode::Compile | Mode::Assemble => of_sources(options),
        Mode::Emit(_) => given()
            .into_iter()
            .chain(options.record.path(&options.record_base()))
            .collect(),
        // Only the folder is known yet.
        Mode::Link if options.target == Target::Source => Vec::new(),
        // Without a name, it is in a temporary folder.
        Mode::Verify if options.output.is_none() => Vec::new(),
        Mode::Link | Mode::Verify => {
            let output = given().unwrap_or_else(|| PathBuf::from(EXECUTABLE));
            let mut files = beside_link(options, &output);
            files.extend(of_linker(options));
            let name = output.file_name().unwrap_or_default().to_string_lossy();
            if options.files(|kind| kind == InputKind::Kernels).count() > 0 {
                files.push(output.with_file_name(aocx_name(&name, None)));
            }
            files.push(output);
            files
        }
    }
}

/// What the linker is told to write besides its output: `-Wl,-Map=FILE`.
fn of_linker(options: &Options) -> Vec<PathBuf> {
    let arguments = options.inputs.iter().filter_map(|input| match input {
        Input::Argument(argument) => Some(argument),
        Input::File { .. } => None,
    });
    let flags = options.link_flags.iter().chain(arguments);
    let flags = flags.map(|flag| flag.to_string_lossy());
    let words: Vec<String> = flags
        .filter_map(|flag| Some(flag.strip_prefix("-Wl,")?.to_string()))
        .flat_map(|flag| flag.split(',').map(String::from).collect::<Vec<_>>())
        .collect();
    let next = words.iter().skip(1).map(Some).chain([None]);
    let files = words.iter().zip(next).filter_map(|(word, next)| {
        let option = word.trim_start_matches('-');
        match option.split_once('=') {
            Some(("Map" | "dependency-file", file)) => Some(file),
            None if option == "Map" => next.map(String::as_str),
            _ => None,
        }
    });
    files
        .filter(|file| *file != "-")
        .map(PathBuf::from)
        .collect()
}

/// The output of one source.
pub fn of_source(options: &Options, source: &Path, suffix: &str) -> PathBuf {
    let output = options.output.clone();
    output.unwrap_or_else(|| named(source, suffix))
}

/// What cc calls the output of a source, in the current folder.
pub fn named(source: &Path, suffix: &str) -> PathBuf {
    let name = Path::new(source.file_name().unwrap_or_default());
    match suffix {
        // After the header's own suffix.
        "gch" => PathBuf::from(format!("{}.gch", source.display())),
        _ => name.with_extension(suffix),
    }
}

/// The suffix of what the host compiler makes of a file that is no host.
pub fn foreign_suffix(path: &Path, language: Option<&str>) -> &'static str {
    let is_header = match language {
        Some(language) => language.ends_with("-header"),
        None => path
            .extension()
            .is_some_and(|suffix| suffix.to_string_lossy().starts_with('h')),
    };
    if is_header { "gch" } else { "o" }
}

/// What `-c` and `-S` make of all sources.
fn of_sources(options: &Options) -> Vec<PathBuf> {
    let compiles = options.mode == Mode::Compile;
    let mut files = Vec::new();
    for input in &options.inputs {
        let Input::File { path, kind } = input else {
            continue;
        };
        let suffix = match kind {
            InputKind::Host(_) | InputKind::Kernels if compiles => "o",
            InputKind::Host(_) => "s",
            InputKind::Kernels => "fpga.cl",
            InputKind::Foreign(language) if compiles => foreign_suffix(path, *language),
            InputKind::Foreign(_) => "s",
            InputKind::Facts | InputKind::Linker => continue,
        };
        let output = of_source(options, path, suffix);
        if let Some(dependencies) = &options.dependencies {
            files.push(depfile::file(dependencies, &output));
        }
        if !compiles && *kind == InputKind::Kernels {
            files.extend(options.record.path(&output));
        }
        files.push(output);
    }
    files.retain(|path| path.as_os_str() != "-");
    files
}

/// Files that lie beside an executable whatever its kernels are.
pub fn beside_link(options: &Options, output: &Path) -> Vec<PathBuf> {
    let dependencies = options.dependencies.as_ref();
    let rule = dependencies.map(|options| depfile::file(options, output));
    let record = options.record.path(output);
    rule.into_iter().chain(record).collect()
}

/// A folder for what is made, from which it can be renamed to where `output` is.
pub fn folder(session: &mut Session, output: &Path) -> Step<Scratch> {
    if session.options.dry_run || output::is_special(output) {
        return session.temporary_folder();
    }
    let parent = match output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        let message = format!(
            "cannot write {}: the folder {} does not exist",
            output.display(),
            parent.display()
        );
        return session.fail(Diagnostic::error(message));
    }
    let made = Scratch::beside(parent);
    session.check(made.map_err(|error| format!("cannot write {}: {error}", output.display())))
}

/// The bytes of an .aocx that was made, with the seal of its build.
pub fn sealed(session: &mut Session, made: &Path, program: &manifest::Program) -> Step<Vec<u8>> {
    let bytes = session.read(&made.join(&program.aocx))?;
    Ok(match program.build {
        Some(build) => seal::seal(bytes, build, &program.name),
        None => bytes,
    })
}

/// Moves everything that was made to where it belongs, all of it or nothing. Nothing was touched
/// there before.
pub fn put_in_place(
    session: &mut Session,
    manifest: &Manifest,
    made: &Path,
    executable: &Path,
    output: &Path,
) -> Step<()> {
    let mut files: Vec<(PathBuf, Vec<u8>, FileMode)> = Vec::new();
    // Kernels beside /dev/null would be found by nobody.
    for program in manifest
        .programs
        .iter()
        .filter(|_| !output::is_special(output))
    {
        let bytes = sealed(session, made, program)?;
        files.push((output.with_file_name(&program.aocx), bytes, FileMode::Plain));
    }
    if let Some((file, rule)) = session.dependency_file(output) {
        files.push((file, rule.into_bytes(), FileMode::Plain));
    }
    if let Some((file, record)) = session.record_file(output)? {
        files.push((file, record.into_bytes(), FileMode::Plain));
    }
    let bytes = session.read(executable)?;
    files.push((output.to_path_buf(), bytes, FileMode::Executable));
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes, mode)| (path.clone(), bytes.as_slice(), *mode))
        .collect();
    session.write_all(&files)
}

/// Makes a folder for output files, with those above it.
pub fn make_folder(session: &mut Session, folder: &Path) -> Step<()> {
    let made = std::fs::create_dir_all(folder);
    session.check(made.map_err(|error| format!("cannot make {}: {error}", folder.display())))
}

/// Writes files, all of them or none.
pub fn write(session: &mut Session, files: &[(PathBuf, &[u8])]) -> Step<()> {
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes)| (path.clone(), *bytes, FileMode::Plain))
        .collect();
    session.write_all(&files)
}
