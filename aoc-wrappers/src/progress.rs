//! What the user sees while a build runs.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// What takes less needs no estimate.
const WORTH: Duration = Duration::from_secs(3);

/// How much to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing (`--quiet`).
    Quiet,
    /// The tool's lines on standard error, and a spinner with the elapsed time on a terminal.
    Shown,
}

impl Progress {
    /// None of it, if so.
    pub fn unless(quiet: bool) -> Self {
        match quiet {
            true => Progress::Quiet,
            false => Progress::Shown,
        }
    }
}

/// The display of what takes its time; gone when dropped.
pub struct Display {
    progress: Progress,
    what: String,
    spinner: Option<ProgressBar>,
}

impl Display {
    /// Starts to show that `what` is under way, and how long it may take.
    pub fn new(progress: Progress, what: &str, estimate: Option<Duration>) -> Self {
        let shown = progress == Progress::Shown && std::io::stderr().is_terminal();
        let spinner = shown.then(|| {
            let bar = ProgressBar::new_spinner().with_message(what.to_string());
            if let Ok(style) = ProgressStyle::with_template(&template(estimate)) {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Display {
            progress,
            what: what.to_string(),
            spinner,
        }
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
            Some(bar) => {
                bar.suspend(print);
                if let Some(stage) = stage(text) {
                    bar.set_message(format!("{}: {stage}", self.what));
                }
            }
            None => print(),
        }
    }
}

/// The line of a build: what is done, since when, and how long such builds took.
fn template(estimate: Option<Duration>) -> String {
    match estimate.filter(|time| *time >= WORTH) {
        Some(time) => format!(
            "{{spinner}} {{wide_msg}} [{{elapsed}} / about {}]",
            HumanDuration(time)
        ),
        None => "{spinner} {wide_msg} [{elapsed}]".to_string(),
    }
}

/// What aoc says that it begins: `aoc: Linking with IP library ...`.
fn stage(line: &str) -> Option<&str> {
    let stage = line.strip_prefix("aoc: ")?.trim_end_matches(['.', ' ']);
    (!stage.is_empty()).then_some(stage)
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.spinner {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_builds_have_an_estimate() {
        let of = |seconds| template(Some(Duration::from_secs(seconds)));
        assert!(
            of(7200).ends_with("[{elapsed} / about 2 hours]"),
            "{}",
            of(7200)
        );
        assert!(
            of(40).ends_with("[{elapsed} / about 40 seconds]"),
            "{}",
            of(40)
        );
        assert!(!of(2).contains("about") && !template(None).contains("about"));
    }

    #[test]
    fn stages_are_what_aoc_says() {
        assert_eq!(
            stage("aoc: Running OpenCL parser...."),
            Some("Running OpenCL parser")
        );
        assert_eq!(stage("aoc: ..."), None);
        assert_eq!(stage("k.cl:1: warning: x"), None);
    }
}
