//! Commands that take what a build takes, and options of their own: `fpgacc report`, `check` and `tune`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use fpgacc_frontend::diag::Diagnostic;

use crate::messages::Messages;
use crate::response::{self, Expanded};
use crate::{MISUSED, cli};

/// What was given to such a command.
pub struct Given {
    /// The words, with those of response files.
    pub words: Vec<String>,
    /// What clap makes of them.
    pub matches: ArgMatches,
    /// The response files.
    pub files: Vec<PathBuf>,
}

/// Reads the words of a command, of which the first is its name.
///
/// # Errors
///
/// It is done: its help was asked for, or the words are wrong, which was reported.
pub fn read(
    words: Vec<String>,
    own: fn() -> Command,
    messages: &mut Messages,
) -> Result<Given, ExitCode> {
    let Expanded { words, files } = response::expand(words)
        .map_err(|message| crate::fail(messages, Diagnostic::error(message), MISUSED))?;
    let is_help = |word: &String| word == "-h" || word == "--help";
    if words[1..].iter().any(is_help) {
        return Err(crate::print(own().render_help().to_string().as_bytes()));
    }
    let normal = cli::normalise(words.iter().cloned());
    let matches = cli::with_build_options(&own()).try_get_matches_from(normal);
    let matches = matches.map_err(|error| crate::command_usage(&error, &words, messages))?;
    Ok(Given {
        words,
        matches,
        files,
    })
}
