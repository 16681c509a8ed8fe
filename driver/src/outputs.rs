//! Output files of the link step.

use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::output::{self, Mode as FileMode};
use fpgacc_aoc_wrappers::scratch::Scratch;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::Manifest;

use crate::gather::Gathered;
use crate::link::Compiled;
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
    if let Some((file, record)) = session.record_file(output)? {
        files.push((file, record.into_bytes(), FileMode::Plain));
    }
    let bytes = session.read(executable)?;
    files.push((output.to_path_buf(), bytes, FileMode::Executable));
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes, mode)| (path.clone(), bytes.as_slice(), *mode))
        .collect();
    session.check(output::write_all(&files))
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

/// Makes a folder for output files, with those above it.
pub fn make_folder(session: &mut Session, folder: &Path) -> Step<()> {
    let made = std::fs::create_dir_all(folder);
    session.check(made.map_err(|error| format!("cannot make {}: {error}", folder.display())))
}

/// Writes patched hosts, rewritten kernels and the manifest into a folder.
pub fn write_texts(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
    folder: &Path,
) -> Step<()> {
    let hosts = patched_names(gathered).into_iter();
    let mut files: Vec<(PathBuf, &[u8])> = hosts
        .zip(&gathered.patched)
        .map(|(name, (_, text))| (folder.join(name), text.as_slice()))
        .collect();
    for Compiled { program, rewritten } in compiled {
        let file = folder.join(format!("{}.fpga.cl", program.stem));
        files.push((file, rewritten.text.as_bytes()));
    }
    let manifest = manifest.to_c();
    files.push((folder.join("fpgacc_manifest.c"), manifest.as_bytes()));
    write(session, &files)
}

/// Writes files, all of them or none.
pub fn write(session: &mut Session, files: &[(PathBuf, &[u8])]) -> Step<()> {
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes)| (path.clone(), *bytes, FileMode::Plain))
        .collect();
    session.check(output::write_all(&files))
}

/// Names for the patched hosts, a different one for each: `main.fpga.c`, `main-2.fpga.c`.
pub fn patched_names(gathered: &Gathered) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (path, _) in &gathered.patched {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let suffix = path.extension().unwrap_or_default().to_string_lossy();
        let name = (1..)
            .map(|n| match n {
                1 => format!("{stem}.fpga.{suffix}"),
                n => format!("{stem}-{n}.fpga.{suffix}"),
            })
            .find(|name| !names.contains(name));
        names.extend(name);
    }
    names
}
