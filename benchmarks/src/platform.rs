//! The OpenCL implementations of this machine.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::emulator::Emulator;

/// The folder that the ICD loader reads by default.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// An OpenCL implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// A short name: `intel` (the FPGA emulation platform), `pocl`, else the library's name.
    pub name: String,
    /// The library that the ICD loader loads: a path, or a name for the system's linker.
    pub library: PathBuf,
    /// Whether fpgacc compiles kernels for it (`--platform=<name>`).
    pub is_target: bool,
}

/// Every implementation that is installed: the Intel FPGA emulator, PoCL, and what else the ICD
/// loader's folder names.
pub fn find() -> Vec<Platform> {
    let mut platforms = Vec::new();
    let found = [
        ("intel", Emulator::find_intel()),
        ("pocl", Emulator::find_pocl()),
    ];
    for (name, emulator) in found {
        if let Ok(emulator) = emulator {
            platforms.push(Platform {
                name: name.to_string(),
                library: emulator.library().to_path_buf(),
                is_target: true,
            });
        }
    }
    let known: BTreeSet<PathBuf> = platforms.iter().map(|p| p.library.clone()).collect();
    for library in vendor_libraries(Path::new(VENDORS)) {
        if !known.contains(&library) {
            platforms.push(Platform {
                name: short_name(&library),
                library,
                is_target: false,
            });
        }
    }
    platforms
}

impl Platform {
    /// Makes a folder under `parent` that shows the ICD loader this implementation alone; it goes
    /// into `$OCL_ICD_VENDORS`.
    pub fn vendors_folder(&self, parent: &Path) -> io::Result<PathBuf> {
        let folder = parent.join(format!("icd-{}", self.name));
        fs::create_dir_all(&folder)?;
        let line = format!("{}\n", self.library.display());
        fs::write(folder.join(format!("{}.icd", self.name)), line)?;
        Ok(folder)
    }
}

/// The libraries that the .icd files of a folder name, in order of file name.
fn vendor_libraries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "icd"));
    files.sort();
    let first_line = |path: &PathBuf| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().next()?.trim();
        (!line.is_empty()).then(|| PathBuf::from(line))
    };
    files.iter().filter_map(first_line).collect()
}

/// `libnvidia-opencl.so.1` is `nvidia-opencl`.
fn short_name(library: &Path) -> String {
    let file = library.file_name().unwrap_or(library.as_os_str());
    let file = file.to_string_lossy();
    let name = file.strip_prefix("lib").unwrap_or(&file);
    name.split('.').next().unwrap_or(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_icd_files_come_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("b.icd", "/opt/libb.so\n");
        write("a.icd", "  libnvidia-opencl.so.1  \nmore\n");
        write("c.icd", "\n");
        write("d.txt", "/opt/libd.so\n");
        let libraries = vendor_libraries(folder.path());
        let expected = ["libnvidia-opencl.so.1", "/opt/libb.so"];
        assert_eq!(libraries, expected.map(PathBuf::from));
        assert_eq!(short_name(&libraries[0]), "nvidia-opencl");
        assert_eq!(
            vendor_libraries(Path::new("/nonexistent")),
            [""; 0].map(PathBuf::from)
        );
    }

    #[test]
    fn a_vendors_folder_names_one_library() {
        let folder = tempfile::tempdir().unwrap();
        let platform = Platform {
            name: "x".into(),
            library: "/opt/libx.so".into(),
            is_target: false,
        };
        let vendors = platform.vendors_folder(folder.path()).unwrap();
        assert_eq!(vendor_libraries(&vendors), [platform.library]);
    }
}
