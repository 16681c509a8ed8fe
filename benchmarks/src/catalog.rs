//! The programs, as `programs.yaml` describes them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::readback::Bound;

/// Why there is no catalogue.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is not what it should be; the reason holds line and column.
    #[error("{}: {source}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: serde_yaml::Error,
    },
    /// A source that an entry names is not there.
    #[error("{}: program '{program}' has no file {}", .catalog.display(), .path.display())]
    NoSource {
        /// The catalogue.
        catalog: PathBuf,
        /// The entry.
        program: String,
        /// The missing file.
        path: PathBuf,
    },
}

/// A program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name, which is its folder's.
    pub name: String,
    /// Which of several programs of one folder it is.
    #[serde(default)]
    pub variant: Option<String>,
    /// Hosts and kernel files, relative to its folder.
    pub sources: Vec<String>,
    /// Flags for the C or C++ compiler and for fpgacc.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Arguments of a usual run.
    #[serde(default)]
    pub args: Vec<String>,
    /// Arguments of a run in which every reduction is exact in any order.
    #[serde(default)]
    pub integer_args: Option<Vec<String>>,
    /// Arguments of a run small enough for Oclgrind.
    #[serde(default)]
    pub certify_args: Vec<String>,
    /// Arguments of each run that the analysis of its launches is held against.
    #[serde(default)]
    pub runs: Vec<Vec<String>>,
    /// Files that a run writes, which count as what it prints does.
    #[serde(default)]
    pub outputs: Vec<String>,
    /// The type that the device claims to be in `--suite`: `gpu`, `cpu` or `accelerator`, for programs that
    /// list all devices and look for one.
    #[serde(default)]
    pub device: Option<String>,
    /// In `--suite`: how many additions a sum goes through at most, one sum of another included, where all terms have
    /// one sign. It says how far numbers may be apart when `reduction` adds in another order.
    #[serde(default)]
    pub terms: Option<u32>,
    /// How far read-backs may differ where a reduction was reassociated, by name; `default` for the
    /// others.
    #[serde(default)]
    pub bounds: BTreeMap<String, Bound>,
}

impl Program {
    /// Its name in tables.
    pub fn title(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{} ({variant})", self.name),
            None => self.name.clone(),
        }
    }

    /// The bound of a read-back.
    pub fn bound(&self, readback: &str) -> Bound {
        let bound = self.bounds.get(readback);
        bound
            .or_else(|| self.bounds.get("default"))
            .copied()
            .unwrap_or(Bound::EXACT)
    }

    /// Whether a host is C++.
    pub fn is_cxx(&self) -> bool {
        let cxx = [".cpp", ".cc", ".cxx"];
        let is_cxx = |source: &String| cxx.iter().any(|suffix| source.ends_with(suffix));
        self.sources.iter().any(is_cxx) || self.flags.iter().any(|flag| flag == "-xc++")
    }

    /// Its kernel files.
    pub fn kernels(&self) -> impl Iterator<Item = &String> {
        self.sources.iter().filter(|source| source.ends_with(".cl"))
    }

    /// Its sources without the kernel files.
    pub fn hosts(&self) -> impl Iterator<Item = &String> {
        self.sources
            .iter()
            .filter(|source| !source.ends_with(".cl"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// A line of shell to run first where the programs' folders lie.
    #[serde(default)]
    prepare: Option<String>,
    /// Flags of all programs, after their own.
    #[serde(default)]
    flags: Vec<String>,
    /// The sources of all programs, before their own.
    #[serde(default)]
    sources: Vec<String>,
    /// The device's type for all programs that name none.
    #[serde(default)]
    device: Option<String>,
    programs: Vec<Program>,
}

/// Reads a catalogue, whose programs lie in folders beside it.
pub fn read(path: &Path) -> Result<Vec<Program>, CatalogError> {
    read_in(path, path.parent().unwrap_or(Path::new(".")))
}

/// Reads a catalogue, whose programs lie in folders in `folder`.
pub fn read_in(path: &Path, folder: &Path) -> Result<Vec<Program>, CatalogError> {
    let mut file = parsed(path)?;
    for program in &mut file.programs {
        program.sources.splice(0..0, file.sources.iter().cloned());
        program.flags.extend(file.flags.iter().cloned());
        program.device = program.device.take().or_else(|| file.device.clone());
        for source in &program.sources {
            let source = folder.join(&program.name).join(source);
            if !source.is_file() {
                return Err(CatalogError::NoSource {
                    catalog: path.into(),
                    program: program.name.clone(),
                    path: source,
                });
            }
        }
    }
    Ok(file.programs)
}

/// What a catalogue wants to be run before its programs are built.
pub fn preparation(path: &Path) -> Result<Option<String>, CatalogError> {
    Ok(parsed(path)?.prepare)
}

fn parsed(path: &Path) -> Result<File, CatalogError> {
    let text = fs::read_to_string(path).map_err(|source| CatalogError::Read {
        path: path.into(),
        source,
    })?;
    serde_yaml::from_str(&text).map_err(|source| CatalogError::Format {
        path: path.into(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_reads() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs.yaml");
        let programs = read(&path).unwrap();
        let names: Vec<_> = programs.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(
            names,
            ["gaussian", "hotspot3d", "kmeans", "nn", "rlbd", "srad"]
        );
        let srad = &programs[5];
        assert_eq!(srad.bound("pixels").absolute, 1.0);
        assert_eq!(srad.bound("image"), srad.bound("q0_squared"));
        assert!(!srad.is_cxx() && programs[1].is_cxx());
        assert_eq!(programs[1].hosts().count(), 1);
    }

    #[test]
    fn a_wrong_key_and_a_missing_source_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("programs.yaml");
        fs::write(
            &path,
            "programs:\n  - {name: a, sources: [a.c], colour: red}\n",
        )
        .unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("unknown field `colour`"), "{error}");
        fs::write(&path, "programs:\n  - {name: a, sources: [a.c]}\n").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("program 'a' has no file"), "{error}");
    }
}
