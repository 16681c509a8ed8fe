//! The one module that prints: diagnostics and command lines on standard error.

mod json;
mod record;
mod sarif;

use std::io::{IsTerminal, Write};

use fpgacc_frontend::diag::{Color, Diagnostic, Severity, render};
use fpgacc_frontend::source::SourceMap;

use crate::message_format::Format;
use crate::names::Names;
use crate::options::Options;
use record::Record;

/// Diagnostics as a SARIF log.
pub fn sarif(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let records: Vec<Record> = diagnostics
        .iter()
        .map(|one| Record::of(one, sources))
        .collect();
    sarif::text(&records)
}

/// Whether what goes to standard output is coloured.
pub fn color_of_output(asked: Option<&str>) -> Color {
    choose_color(asked, std::io::stdout().is_terminal())
}

/// Prints diagnostics and counts errors.
pub struct Messages {
    format: Format,
    /// What is reported at the end, in a format for machines.
    records: Vec<Record>,
    color: Color,
    no_warnings: bool,
    /// What stands after `-W` on the command line, in its order.
    warnings: Vec<String>,
    remarks: Option<Names>,
    missed_remarks: Option<Names>,
    analysis_remarks: Option<Names>,
    errors: usize,
    is_mute: bool,
}

impl Messages {
    /// Messages before the options are known: everything but remarks is printed.
    pub fn new(color: Option<&str>) -> Self {
        Messages {
            format: Format::Text,
            records: Vec::new(),
            color: choose_color(color, std::io::stderr().is_terminal()),
            no_warnings: false,
            warnings: Vec::new(),
            remarks: None,
            missed_remarks: None,
            analysis_remarks: None,
            errors: 0,
            is_mute: false,
        }
    }

    /// Messages that nobody reads: of what was reported before.
    pub fn mute() -> Self {
        let mut messages = Messages::new(Some("never"));
        messages.is_mute = true;
        messages
    }

    /// Takes over what the options say of messages.
    pub fn configure(&mut self, options: &Options) {
        self.format = options.format;
        self.no_warnings = options.no_warnings;
        self.warnings = options.warnings.clone();
        self.remarks = options.remarks.clone();
        self.missed_remarks = options.missed_remarks.clone();
        self.analysis_remarks = options.analysis_remarks.clone();
    }

    /// Prints a diagnostic, unless an option turned its kind off.
    pub fn report(&mut self, diagnostic: &Diagnostic, sources: &SourceMap) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        if !self.wants(diagnostic) {
            return;
        }
        match self.format {
            Format::Text => self.write(&render(diagnostic, sources, self.color)),
            _ => self.records.push(Record::of(diagnostic, sources)),
        }
    }

    /// Prints text that another tool made, such as the C compiler's messages.
    pub fn pass_on(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.format != Format::Text {
            return self.records.extend(Record::of_text(text));
        }
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.write(&format!("{text}{end}"));
    }

    /// Errors reported so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether `-Wno-..` turned a warning's kind off.
    pub fn is_unwanted(&self, warning: &Diagnostic) -> bool {
        let name = warning.option.as_deref();
        let name = name.and_then(|option| option.strip_prefix("-W"));
        name.is_some_and(|name| self.is_off(name))
    }

    /// Whether no option turned a diagnostic's kind off.
    fn wants(&self, diagnostic: &Diagnostic) -> bool {
        match diagnostic.severity {
            Severity::Error => true,
            Severity::Warning => !self.no_warnings && !self.is_unwanted(diagnostic),
            Severity::Remark => self.wants_remark(diagnostic.option.as_deref().unwrap_or("")),
        }
    }

    /// Whether `-Wno-NAME` was the last that was said of it.
    fn is_off(&self, name: &str) -> bool {
        let said = |word: &String| match word.strip_prefix("no-") {
            Some(off) => (off == name).then_some(true),
            None => (word == name).then_some(false),
        };
        self.warnings.iter().rev().find_map(said) == Some(true)
    }

    fn wants_remark(&self, option: &str) -> bool {
        let (filter, pass) = match option.split_once('=') {
            Some(("-Rpass", pass)) => (&self.remarks, pass),
            Some(("-Rpass-missed", pass)) => (&self.missed_remarks, pass),
            Some(("-Rpass-analysis", pass)) => (&self.analysis_remarks, pass),
            _ => return self.missed_remarks.is_some(),
        };
        filter.as_ref().is_some_and(|wanted| wanted.has(pass))
    }

    fn write(&self, text: &str) {
        if self.is_mute {
            return;
        }
        // A closed standard error is no reason to fail.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

impl Drop for Messages {
    /// Formats for machines are one document.
    fn drop(&mut self) {
        match self.format {
            Format::Text => {}
            Format::Json => self.write(&json::text(&self.records)),
            Format::Sarif => self.write(&sarif::text(&self.records)),
        }
    }
}

/// `--color`, then `NO_COLOR`, then whether a person is looking.
fn choose_color(asked: Option<&str>, is_terminal: bool) -> Color {
    let never = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match asked {
        Some("always") => Color::Always,
        Some("never") => Color::Never,
        _ if never || !is_terminal => Color::Never,
        _ => Color::Always,
    }
}
