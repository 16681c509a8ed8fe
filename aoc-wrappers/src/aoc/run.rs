//! Running aoc in a folder of its own beside the output, so that what was there before stays
//! until the new build is whole.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::AocError;
use super::flags;
use super::installed::{Aoc, plain_name};
use crate::cache::copy_folder;
use crate::cc::c_string;
use crate::process::Command;
use crate::progress::Display;
use crate::request::{BuildRequest, Stage};
use crate::scratch::Scratch;

/// A finished build, still in its temporary folder.
pub(crate) struct Product {
    /// The folder; goes away when dropped.
    folder: Scratch,
    /// The file that aoc made.
    pub output: PathBuf,
    /// aoc's project folder with the reports, if it made one.
    pub project: Option<PathBuf>,
    /// All that aoc wrote.
    pub log: String,
}

impl Product {
    /// Moves the project folder beside the output, in place of an earlier build's.
    pub fn install_reports(&self, output: &Path) -> Result<Option<PathBuf>, AocError> {
        let Some(project) = &self.project else {
            return Ok(None);
        };
        let destination = reports_folder(output);
        replace_folder(project, &destination).map_err(|source| AocError::Io {
            path: destination.clone(),
            source,
        })?;
        Ok(Some(destination))
    }

    /// A copy of those parts of an installed project folder that people read: its `reports`, and
    /// the logs and texts beside it. The rest are Quartus' own files, gigabytes of them.
    pub fn reports_worth_keeping(&self, installed: Option<&Path>) -> Option<PathBuf> {
        let installed = installed?;
        let kept = self.folder.path().join("kept");
        fs::create_dir(&kept).ok()?;
        for entry in fs::read_dir(installed).ok()?.flatten() {
            let path = entry.path();
            let suffix = path.extension().unwrap_or_default();
            let target = kept.join(entry.file_name());
            if path.is_dir() && entry.file_name() == "reports" {
                copy_folder(&path, &target).ok()?;
            } else if path.is_file() && ["log", "txt", "rpt", "html"].iter().any(|s| suffix == *s) {
                fs::copy(&path, &target).ok()?;
            }
        }
        Some(kept)
    }
}

impl Aoc {
    /// Runs a build. Its result lies in a temporary folder beside the request's output.
    pub(crate) fn run(
        &self,
        request: &BuildRequest,
        display: &Display,
    ) -> Result<Product, AocError> {
        let parent = match request.output.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let folder = Scratch::beside(parent).map_err(|source| AocError::Io {
            path: request.output.clone(),
            source,
        })?;
        // Old versions put the project folder into the working folder, whatever -o says.
        let own_folder = self.version.two_dashes();
        let work = match own_folder {
            true => absolute(folder.path()),
            false => folder.path().to_path_buf(),
        };
        let stem = plain_name(request.output.file_stem().unwrap_or_default());
        let suffix = match request.stage {
            Stage::Full => "aocx",
            Stage::Rtl if !own_folder => "aocr",
            Stage::Object | Stage::Rtl => "aoco",
        };
        let name = format!("{stem}.{suffix}");
        let sources = self.write_sources(request, &work)?;
        let command = match own_folder {
            true => {
                let request = absolute_request(request);
                let output = Path::new(&name);
                let args = flags::arguments(&self.version, &request, &sources, output)?;
                Command::new(absolute(&self.program)).args(args).dir(&work)
            }
            false => {
                let output = work.join(&name);
                let args = flags::arguments(&self.version, request, &sources, &output)?;
                Command::new(&self.program).args(args)
            }
        };
        let mut log = String::new();
        if request.verbose {
            display.line(&command.line());
        }
        let status = command.stream(|line| {
            display.line(line);
            log.push_str(line);
            log.push('\n');
        })?;
        let project = Some(work.join(&stem)).filter(|project| project.is_dir());
        if !status.success() {
            let kept = project.and_then(|project| keep_failed(&project, request.destination()));
            return Err(AocError::Failed { status, log, kept });
        }
        let output = work.join(&name);
        if !output.is_file() {
            return Err(AocError::NoOutput(request.destination().to_path_buf()));
        }
        Ok(Product {
            folder,
            output,
            project,
            log,
        })
    }

    /// Writes the texts under names that aoc takes; their first line names the user's file.
    fn write_sources(&self, request: &BuildRequest, work: &Path) -> Result<Vec<PathBuf>, AocError> {
        let folder = work.join("kernels");
        let written = fs::create_dir(&folder);
        let failed = |source| AocError::Io {
            path: folder.clone(),
            source,
        };
        written.map_err(failed)?;
        let mut paths: Vec<PathBuf> = Vec::new();
        for source in &request.sources {
            let stem = plain_name(source.path.file_stem().unwrap_or_default());
            let mut path = folder.join(format!("{stem}.cl"));
            if paths.contains(&path) {
                path = folder.join(format!("{stem}_{}.cl", paths.len()));
            }
            let name = c_string(&source.path.to_string_lossy());
            fs::write(&path, format!("#line 1 {name}\n{}", source.text)).map_err(failed)?;
            paths.push(path);
        }
        Ok(paths)
    }
}

/// The request with every path that it names made absolute, for a run in another folder.
fn absolute_request(request: &BuildRequest) -> BuildRequest {
    let mut request = request.clone();
    for folder in &mut request.includes {
        *folder = absolute(folder);
    }
    for source in &mut request.sources {
        source.path = absolute(&source.path);
    }
    for arg in &mut request.extra {
        *arg = absolute_argument(arg);
    }
    request
}

/// An argument that is, or ends in, the relative path of something that exists, made absolute;
/// any other as it is.
fn absolute_argument(arg: &OsStr) -> OsString {
    let text = arg.to_string_lossy();
    let start = match text.starts_with('-') {
        false => 0,
        true if text.starts_with("-L") || text.starts_with("-I") => 2,
        true => text.find('=').map_or(text.len(), |at| at + 1),
    };
    let (head, path) = text.split_at(start);
    match !path.is_empty() && Path::new(path).is_relative() && Path::new(path).exists() {
        true => format!("{head}{}", absolute(Path::new(path)).display()).into(),
        false => arg.to_os_string(),
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Where the reports of an output go: `k.aocx` has `k.aocx.reports`.
pub(crate) fn reports_folder(output: &Path) -> PathBuf {
    suffixed(output, ".reports")
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Keeps the project folder of a failed build, whose logs say why, instead of that of an earlier
/// failure.
fn keep_failed(project: &Path, output: &Path) -> Option<PathBuf> {
    let kept = suffixed(output, ".failed");
    replace_folder(project, &kept).ok()?;
    Some(kept)
}

/// Moves a folder of the same file system into the place of another, which goes away.
pub(crate) fn replace_folder(from: &Path, to: &Path) -> io::Result<()> {
    if fs::symlink_metadata(to).is_err() {
        return fs::rename(from, to);
    }
    let parent = from.parent().unwrap_or(Path::new("."));
    let old = tempfile::Builder::new().prefix("old-").tempdir_in(parent)?;
    fs::rename(to, old.path().join("folder"))?;
    fs::rename(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_only_paths_that_exist_absolute() {
        let here = std::env::current_dir().unwrap();
        let made = |arg: &str| absolute_argument(OsStr::new(arg)).into_string().unwrap();
        let src = here.join("src").display().to_string();
        assert_eq!(made("-seed=7"), "-seed=7");
        assert_eq!(made("-Lsrc"), format!("-L{src}"));
        assert_eq!(
            made("--profile-config=src"),
            format!("--profile-config={src}")
        );
        assert_eq!(made("src"), src);
        assert_eq!(made("--weird"), "--weird");
    }

    #[test]
    fn a_folder_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        for path in [&from, &to] {
            fs::create_dir(path).unwrap();
        }
        fs::write(to.join("old"), "").unwrap();
        fs::write(from.join("new"), "").unwrap();
        replace_folder(&from, &to).unwrap();
        assert!(to.join("new").exists() && !to.join("old").exists() && !from.exists());
    }
}
