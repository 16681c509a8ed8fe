//! What is installed beside the commands: manual pages and shell completions, made from the one
//! definition of the options, the CMake package, and the runtime's sources.

mod completions;
mod man;
mod share;

use std::path::Path;

use clap_complete::Shell;
use fpgacc_frontend::diag::Diagnostic;

/// The manual page (`man`) or a shell's completions (`bash`, `zsh`, `fish`), to be printed; `share`
/// writes everything into a folder.
///
/// # Errors
/// No folder is named, or it cannot be written.
pub fn command(what: &str, folder: Option<&Path>) -> Result<Vec<u8>, Diagnostic> {
    let shell = match what {
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        "share" => {
            let Some(folder) = folder else {
                let error = Diagnostic::error("--generate=share: no folder is named");
                return Err(error.help("name it with -o: --generate=share -o ~/.local/share"));
            };
            let written = share::write(folder);
            let failed = |(path, error): (std::path::PathBuf, std::io::Error)| {
                Diagnostic::error(format!("cannot write '{}': {error}", path.display()))
            };
            return written.map(|()| Vec::new()).map_err(failed);
        }
        _ => return Ok(man::main_page().into_bytes()),
    };
    Ok(completions::text(shell).into_bytes())
}
