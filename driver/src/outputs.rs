//! Output files of the link step.

use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::output::{self, Mode as FileMode};
use fpgacc_aoc_wrappers::scratch::Scratch;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest::{self, Manifest};

use crate::gather::{self, Gathered};
use crate::link::{self, Compiled};
use crate::session::{Session, Step};

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
        let bytes = session.read(&made.join(&program.aocx))?;
        files.push((output.with_file_name(&program.aocx), bytes, FileMode::Plain));
    }
    if let Some((file, rule)) = session.dependency_file(output) {
        files.push((file, rule.into_bytes(), FileMode::Plain));
    }
    let bytes = session.read(executable)?;
    files.push((output.to_path_buf(), bytes, FileMode::Executable));
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes, mode)| (path.clone(), bytes.as_slice(), *mode))
        .collect();
    session.check(output::write_all(&files))
}

/// `--target=source`: the rewritten kernels and patched hosts in a folder, with all that they need
/// to be built without fpgacc.
pub fn write_sources(session: &mut Session, output: &Path) -> Step<()> {
    let gathered = gather::read_sources(session)?;
    let compiled = link::rewrite_all(session, &gathered)?;
    let manifest = link::manifest(&compiled, manifest::Target::Sdk, Path::new("app"));
    make_folder(session, output)?;
    write_texts(session, &gathered, &compiled, &manifest, output)?;
    for (name, text) in fpgacc_runtime::SOURCES {
        let written = output::write(&output.join(name), text.as_bytes(), FileMode::Plain);
        session.check(written)?;
    }
    Ok(())
}

/// `--save-temps`: the texts between the stages.
pub fn save_temps(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
) -> Step<()> {
    let Some(folder) = session.options.save_temps.clone() else {
        return Ok(());
    };
    make_folder(session, &folder)?;
    write_texts(session, gathered, compiled, manifest, &folder)
}

fn make_folder(session: &mut Session, folder: &Path) -> Step<()> {
    let made = std::fs::create_dir_all(folder);
    session.check(made.map_err(|error| format!("cannot make {}: {error}", folder.display())))
}

fn write_texts(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
    folder: &Path,
) -> Step<()> {
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for (path, text) in &gathered.patched {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let suffix = path.extension().unwrap_or_default().to_string_lossy();
        let file = folder.join(format!("{name}.fpga.{suffix}"));
        files.push((file, text.clone()));
    }
    for Compiled { program, rewritten } in compiled {
        let file = folder.join(format!("{}.fpga.cl", program.stem));
        files.push((file, rewritten.text.clone().into_bytes()));
    }
    files.push((
        folder.join("fpgacc_manifest.c"),
        manifest.to_c().into_bytes(),
    ));
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes)| (path.clone(), bytes.as_slice(), FileMode::Plain))
        .collect();
    session.check(output::write_all(&files))
}
