//! The folder `share`: all that is installed beside the commands, for an administrator and for
//! `--generate=share -o ~/.local/share`.

use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};

use clap_complete::Shell;

use super::{completions, man};

/// Writes everything into a folder; what is there is replaced.
///
/// # Errors
/// A file cannot be written: which one, and why.
pub fn write(folder: &Path) -> Result<(), (PathBuf, Error)> {
    for (name, text) in files() {
        let path = folder.join(name);
        let home = path.parent().unwrap_or(folder);
        let written = fs::create_dir_all(home).and_then(|()| fs::write(&path, text));
        written.map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Names below the folder, and texts.
fn files() -> Vec<(String, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let mut files = vec![
        (
            "bash-completion/completions/fpgacc".to_string(),
            completions::text(Shell::Bash),
        ),
        (
            "bash-completion/completions/fpgacc++".to_string(),
            completions::of_cxx(Shell::Bash).to_string(),
        ),
        (
            "zsh/site-functions/_fpgacc".to_string(),
            completions::text(Shell::Zsh),
        ),
        (
            "fish/vendor_completions.d/fpgacc.fish".to_string(),
            completions::text(Shell::Fish),
        ),
        (
            "fish/vendor_completions.d/fpgacc++.fish".to_string(),
            completions::of_cxx(Shell::Fish).to_string(),
        ),
        (
            "cmake/fpgacc/fpgaccConfig.cmake".to_string(),
            include_str!("../../share/fpgaccConfig.cmake").to_string(),
        ),
        (
            "cmake/fpgacc/fpgaccConfigVersion.cmake".to_string(),
            include_str!("../../share/fpgaccConfigVersion.cmake").replace("@VERSION@", version),
        ),
        (
            "cmake/fpgacc/launch".to_string(),
            include_str!("../../share/launch").to_string(),
        ),
        (
            "pkgconfig/fpgacc-runtime.pc".to_string(),
            pkg_config(version),
        ),
    ];
    for page in man::pages() {
        files.push((format!("man/man1/{}.1", page.name), page.text));
    }
    for (name, text) in fpgacc_runtime::SOURCES {
        files.push((format!("fpgacc/runtime/{name}"), (*text).to_string()));
    }
    files
}

/// How the runtime is compiled and linked where its sources are, as in the folders of
/// `--target=source`.
fn pkg_config(version: &str) -> String {
    let wraps: Vec<String> = (fpgacc_runtime::WRAPPED.iter())
        .chain(fpgacc_runtime::WRAPPED_LOOKUPS)
        .map(|name| format!("-Wl,--wrap={name}"))
        .collect();
    include_str!("../../share/fpgacc-runtime.pc")
        .replace("@VERSION@", version)
        .replace("@WRAPS@", &wraps.join(" "))
}
