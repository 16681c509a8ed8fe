//! Which kernel files a program's text was read from.

use std::path::{Path, PathBuf};

use fpgacc_launch_facts::{Location, ProgramSource};
use fpgacc_runtime::manifest::text_hash;

/// How deep below the working folder kernel files are looked for, and how many files are read.
const DEPTH: usize = 4;
const FILES_MOST: usize = 4096;
/// Larger files are no kernels.
const SIZE_MOST: u64 = 4 << 20;

/// Kernel files at hand: those below the working folder, in order of name.
pub struct Texts {
    files: Vec<(String, String)>,
}

impl Texts {
    /// Reads the files.
    pub fn below(folder: &Path) -> Texts {
        let mut paths = Vec::new();
        collect(folder, DEPTH, &mut paths);
        paths.sort();
        let files = paths.into_iter().filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            let name = path.strip_prefix(folder).unwrap_or(&path);
            (!text.trim().is_empty()).then(|| (name.display().to_string(), text))
        });
        Texts {
            files: files.collect(),
        }
    }

    /// The sources of a program that was made from these strings.
    pub fn sources(&self, strings: &[String], site: &Location) -> Vec<ProgramSource> {
        let mut sources = Vec::new();
        for string in strings.iter().filter(|string| !string.is_empty()) {
            self.add(string, site, &mut sources);
        }
        sources
    }

    fn add(&self, string: &str, site: &Location, sources: &mut Vec<ProgramSource>) {
        let text = |text: &str| ProgramSource::Text {
            text: text.to_string(),
            site: site.clone(),
        };
        let hash = text_hash(string.as_bytes());
        let whole = self
            .files
            .iter()
            .find(|(_, file)| text_hash(file.as_bytes()) == hash);
        if let Some((name, _)) = whole {
            sources.push(ProgramSource::File(name.clone()));
            return;
        }
        // Hosts put definitions before what they read.
        let mut after = self.files.iter().filter_map(|(name, file)| {
            let front = string.trim_end().strip_suffix(file.trim_end())?;
            Some((front, name))
        });
        match after.next() {
            Some((front, name)) => {
                sources.push(text(front));
                sources.push(ProgramSource::File(name.clone()));
            }
            None => sources.push(text(string)),
        }
    }
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        if paths.len() >= FILES_MOST {
            return;
        }
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && depth > 0 && !is_hidden {
            collect(&path, depth - 1, paths);
        } else if is_kernels(&path) && entry.metadata().is_ok_and(|m| m.len() <= SIZE_MOST) {
            paths.push(path);
        }
    }
}

fn is_kernels(path: &Path) -> bool {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    matches!(suffix, Some("cl" | "ocl" | "clh" | "opencl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_files() {
        let texts = Texts {
            files: vec![("k.cl".to_string(), "kernel void a() {}\n".to_string())],
        };
        let site = Location::new("host.c", 3, 1);
        let file = || ProgramSource::File("k.cl".to_string());
        let text = |text: &str| ProgramSource::Text {
            text: text.to_string(),
            site: site.clone(),
        };
        let sources = |strings: &[&str]| {
            let strings: Vec<_> = strings.iter().map(ToString::to_string).collect();
            texts.sources(&strings, &site)
        };
        assert_eq!(sources(&["kernel void a() {}\r\n"]), [file()]);
        assert_eq!(
            sources(&["#define N 4\nkernel void a() {}"]),
            [text("#define N 4\n"), file()]
        );
        assert_eq!(
            sources(&["kernel void b() {}"]),
            [text("kernel void b() {}")]
        );
    }
}
