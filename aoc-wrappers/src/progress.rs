//! What the user sees while a build runs.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How much to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing (`--quiet`).
    Quiet,
    /// The tool's lines on standard error, and a spinner with the elapsed time on a terminal.
    Shown,
}

/// The display of one build; gone when dropped.
pub(crate) struct Display {
    progress: Progress,
    spinner: Option<ProgressBar>,
}

impl Display {
    /// Starts to show that `what` is under way.
    pub fn new(progress: Progress, what: &str) -> Self {
        let shown = progress == Progress::Shown && std::io::stderr().is_terminal();
        let spinner = shown.then(|| {
            let bar = ProgressBar::new_spinner().with_message(what.to_string());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Display { progress, spinner }
    }

    /// Shows a line of the tool's.
    pub fn line(&self, text: &str) {
        if self.progress == Progress::Quiet {
            return;
        }
        let print = || {
            // A closed standard error is no reason to stop a build.
            let _ = writeln!(std::io::stderr(), "{text}");
        };
        match &self.spinner {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.spinner {
            bar.finish_and_clear();
        }
    }
}
