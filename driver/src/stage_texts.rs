//! The texts between the stages: patched hosts, rewritten kernels, the manifest.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use fpgacc_runtime::Manifest;

use crate::compiled::Compiled;
use crate::gather::Gathered;
use crate::outputs::{self, beside_link};
use crate::session::{Session, Step};

/// All files that the link step writes.
pub fn of_link(
    session: &Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
    output: &Path,
) -> Vec<PathBuf> {
    let options = &session.options;
    let kernels = manifest.programs.iter().map(|program| &program.aocx);
    let mut files: Vec<PathBuf> = kernels.map(|aocx| output.with_file_name(aocx)).collect();
    // Kernels without a host are the output.
    if !files.iter().any(|file| file == output) {
        files.push(output.to_path_buf());
    }
    files.extend(beside_link(options, output));
    if let Some(folder) = &options.save_temps {
        let texts = texts(gathered, compiled, manifest);
        files.extend(texts.into_iter().map(|(name, _)| folder.join(name)));
    }
    files
}

/// `--save-temps`: the texts between the stages.
pub fn save(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
) -> Step<()> {
    let Some(folder) = session.options.save_temps.clone() else {
        return Ok(());
    };
    outputs::make_folder(session, &folder)?;
    write_texts(session, gathered, compiled, manifest, &folder)
}

/// Writes patched hosts, rewritten kernels and the manifest into a folder.
fn write_texts(
    session: &mut Session,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
    folder: &Path,
) -> Step<()> {
    let texts = texts(gathered, compiled, manifest);
    let files: Vec<(PathBuf, &[u8])> = texts
        .iter()
        .map(|(name, text)| (folder.join(name), text.as_ref()))
        .collect();
    outputs::write(session, &files)
}

/// Names and texts of what is between the stages.
pub fn texts<'a>(
    gathered: &'a Gathered,
    compiled: &'a [Compiled],
    manifest: &Manifest,
) -> Vec<(String, Cow<'a, [u8]>)> {
    let hosts = patched_names(gathered).into_iter().zip(&gathered.patched);
    let hosts = hosts.map(|(name, (_, text))| (name, Cow::from(text.as_slice())));
    let kernels = compiled.iter().map(|Compiled { program, rewritten }| {
        let name = format!("{}.fpga.cl", program.stem);
        (name, Cow::from(rewritten.text.as_bytes()))
    });
    let manifest = (
        "fpgacc_manifest.c".to_string(),
        manifest.to_c().into_bytes().into(),
    );
    hosts.chain(kernels).chain([manifest]).collect()
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
