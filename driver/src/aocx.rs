//! Kernels without a host: `app.aocx`, and beside it what `fpgacc run` must know of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::output::Mode as FileMode;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::Facts;
use fpgacc_runtime::Manifest;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::build::{self, Built};
use crate::compiled::{Compiled, Programs};
use crate::gather::Gathered;
use crate::images;
use crate::manifest;
use crate::outputs;
use crate::session::{Session, Step};
use crate::stage_texts;
use crate::tool;

/// The version of [`Description`] that this build reads and writes.
const VERSION: u32 = 2;

/// The file beside an .aocx: `app.aocx.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    version: u32,
    /// Of this fpgacc: manifest and runtime belong together.
    fpgacc: String,
    /// SHA-256 of each .aocx, by its name.
    files: BTreeMap<String, String>,
    /// SHA-256 of the facts that were given.
    facts: Option<String>,
    /// SHA-256 of `manifest`: a number in it that is not what was compiled would be believed.
    digest: String,
    /// What the runtime must know.
    pub manifest: Manifest,
}

fn manifest_digest(manifest: &Manifest) -> String {
    let text = serde_json::to_vec(manifest).expect("its keys are strings");
    digest(&text)
}

/// Whether an output without a host is asked for.
pub fn is_wanted(output: &Path, gathered: &Gathered) -> bool {
    output.extension().is_some_and(|suffix| suffix == "aocx")
        && gathered.link_args.is_empty()
        && !gathered.kernels.is_empty() | !gathered.given.is_empty()
}

/// Builds the .aocx files and their description.
pub fn build(
    session: &mut Session,
    gathered: &Gathered,
    programs: Programs,
    output: &Path,
) -> Step<Vec<Compiled>> {
    if programs.compiled.is_empty() {
        return session.fail(
            Diagnostic::error("there are no kernels among the inputs").help(
                "give the kernel files too: fpgacc kernels.cl --facts facts.yaml -o app.aocx",
            ),
        );
    }
    let backend = tool::choose(session)?;
    images::warn(session, &backend, &programs.compiled);
    let target = tool::manifest_target(&backend);
    let mut manifest = manifest::of(&session.options, &programs, target, output);
    let compiled = programs.compiled;
    name_files(&mut manifest, &compiled, output);
    // Hosts that are not of fpgacc's build may load these.
    for program in manifest.programs.iter_mut().filter(|p| p.is_for_anyone()) {
        program.build = None;
    }
    let mut written = stage_texts::of_link(session, gathered, &compiled, &manifest, output);
    written.push(description_of(output));
    session.may_write(&written)?;
    let made = outputs::folder(session, output)?;
    for (compiled, program) in compiled.iter().zip(&manifest.programs) {
        let built = build::build(session, &backend, compiled, made.path(), output, program)?;
        if let Built::Refused(log) = built {
            session.messages.pass_on(&log);
            let message = format!("{}: the kernels do not compile", compiled.program.name());
            return session.fail(Diagnostic::error(message));
        }
    }
    stage_texts::save(session, gathered, &compiled, &manifest)?;
    if session.options.dry_run {
        return Ok(compiled);
    }
    put_in_place(session, gathered, manifest, made.path(), output)?;
    Ok(compiled)
}

/// The first program has the output's own name.
fn name_files(manifest: &mut Manifest, compiled: &[Compiled], output: &Path) {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    for (at, (program, compiled)) in manifest.programs.iter_mut().zip(compiled).enumerate() {
        program.aocx = match at {
            0 => format!("{stem}.aocx"),
            _ => outputs::aocx_name(&stem, Some(&compiled.program.stem)),
        };
    }
}

fn put_in_place(
    session: &mut Session,
    gathered: &Gathered,
    manifest: Manifest,
    made: &Path,
    output: &Path,
) -> Step<()> {
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut digests = BTreeMap::new();
    for program in &manifest.programs {
        let bytes = outputs::sealed(session, made, program)?;
        digests.insert(program.aocx.clone(), digest(&bytes));
        files.push((output.with_file_name(&program.aocx), bytes));
    }
    let description = Description {
        version: VERSION,
        fpgacc: env!("CARGO_PKG_VERSION").to_string(),
        files: digests,
        facts: facts_digest(&gathered.given),
        digest: manifest_digest(&manifest),
        manifest,
    };
    let text = serde_json::to_string_pretty(&description);
    let text = session.check(text)?;
    files.push((description_of(output), text.into_bytes()));
    if let Some((file, rule)) = session.dependency_file(output) {
        files.push((file, rule.into_bytes()));
    }
    if let Some((file, record)) = session.record_file(output)? {
        files.push((file, record.into_bytes()));
    }
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes)| (path.clone(), bytes.as_slice(), FileMode::Plain))
        .collect();
    session.write_all(&files)
}

/// Where the description of an .aocx lies.
pub fn description_of(aocx: &Path) -> PathBuf {
    let mut name = aocx.file_name().unwrap_or_default().to_os_string();
    name.push(".json");
    aocx.with_file_name(name)
}

fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of what facts say, however their file is laid out.
fn facts_digest(given: &[Facts]) -> Option<String> {
    let texts: Vec<String> = given
        .iter()
        .filter_map(|f| serde_yaml::to_string(f).ok())
        .collect();
    (!given.is_empty()).then(|| digest(texts.concat().as_bytes()))
}

/// Reads the description of an .aocx and looks whether the files are those that it describes.
pub fn read(aocx: &Path, facts: &[Facts]) -> Result<Description, Diagnostic> {
    let shown = aocx.display();
    let again = "compile it again: fpgacc kernels.cl --facts facts.yaml -o app.aocx";
    let path = description_of(aocx);
    let bytes = std::fs::read(&path).map_err(|error| {
        Diagnostic::error(format!("cannot read {}: {error}", path.display()))
            .note(format!(
                "it lies beside {shown} and says how its kernels are launched"
            ))
            .help(again)
    })?;
    let description: Description = serde_json::from_slice(&bytes)
        .map_err(|error| Diagnostic::error(format!("{}: {error}", path.display())).help(again))?;
    if description.version != VERSION || description.fpgacc != env!("CARGO_PKG_VERSION") {
        return Err(Diagnostic::error(format!(
            "{shown} was made by another version of fpgacc ({})",
            description.fpgacc
        ))
        .help(again));
    }
    if manifest_digest(&description.manifest) != description.digest {
        let message = format!("{} is damaged", path.display());
        return Err(Diagnostic::error(message).help(again));
    }
    for (name, expected) in &description.files {
        let file = aocx.with_file_name(name);
        let bytes = std::fs::read(&file).map_err(|error| {
            Diagnostic::error(format!("cannot read {}: {error}", file.display())).help(again)
        })?;
        if digest(&bytes) != *expected {
            return Err(Diagnostic::error(format!(
                "{} is not the file that {} describes",
                file.display(),
                path.display()
            ))
            .help(again));
        }
    }
    if !facts.is_empty() && facts_digest(facts) != description.facts {
        return Err(
            Diagnostic::error(format!("{shown} was compiled with other facts")).help(again),
        );
    }
    Ok(description)
}
