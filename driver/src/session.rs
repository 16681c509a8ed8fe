//! What a run carries along: options, sources, messages, compilers.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{CcError, Compiler, Language};
use fpgacc_aoc_wrappers::claims::{self, Clash};
use fpgacc_aoc_wrappers::output::{self, Mode as FileMode};
use fpgacc_aoc_wrappers::process::Status;
use fpgacc_aoc_wrappers::scratch::Scratch;
use fpgacc_decision::measured::Measured;
use fpgacc_decision::timed::Timed;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;
use fpgacc_performance_model::Board;

use crate::advice;
use crate::ahead::Ahead;
use crate::depfile::{self, Dependencies};
use crate::messages::Messages;
use crate::opt_record::OptRecord;
use crate::options::Options;

/// The run cannot go on; why was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// A step of the plan.
pub type Step<T> = Result<T, Stop>;

/// A run.
pub struct Session {
    /// The command line.
    pub options: Options,
    /// All texts that messages may point into.
    pub sources: SourceMap,
    /// Where messages go.
    pub messages: Messages,
    /// What the output is made from.
    pub dependencies: Dependencies,
    /// Preprocessors that run already.
    pub ahead: Ahead,
    /// What was reported of kernels.
    pub record: OptRecord,
    /// The board that kernels are priced for, once it is known.
    pub board: Option<Board>,
    /// What aoc said of an earlier build, once it is read.
    pub measured: Option<Measured>,
    /// Times that were measured of forms, once they are read.
    pub times: Option<Vec<Timed>>,
    headers: Option<Scratch>,
    /// Compilers that are missing, as was reported.
    missing: BTreeSet<String>,
    /// Standard input, once it is read.
    stdin: Option<Vec<u8>>,
}

impl Session {
    /// A run that has read nothing yet.
    pub fn new(options: Options, messages: Messages) -> Self {
        Session {
            options,
            sources: SourceMap::new(),
            messages,
            dependencies: Dependencies::default(),
            ahead: Ahead::default(),
            record: OptRecord::default(),
            board: None,
            measured: None,
            times: None,
            headers: None,
            missing: BTreeSet::new(),
            stdin: None,
        }
    }

    /// Reports a diagnostic.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.messages.report(&diagnostic, &self.sources);
    }

    /// Reports an error and stops.
    pub fn fail<T>(&mut self, diagnostic: Diagnostic) -> Step<T> {
        self.report(diagnostic);
        Err(Stop)
    }

    /// The value, or an error made of what went wrong.
    pub fn check<T, E: std::fmt::Display>(&mut self, result: Result<T, E>) -> Step<T> {
        match result {
            Ok(value) => Ok(value),
            Err(error) => self.fail(Diagnostic::because(error)),
        }
    }

    /// The value of a compiler's run; its own messages are passed on as they are.
    pub fn check_cc<T>(&mut self, result: Result<T, CcError>) -> Step<T> {
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if let CcError::Failed {
            status,
            diagnostics,
            ..
        } = &error
        {
            self.messages.pass_on(diagnostics);
            // A compiler that said what is wrong needs no second line.
            if matches!(status, Status::Code(_)) && !diagnostics.trim().is_empty() {
                return Err(Stop);
            }
        }
        // A compiler that is missing is missing for each source.
        let is_missing = matches!(error, CcError::Missing { .. });
        if is_missing && !self.missing.insert(error.to_string()) {
            return Err(Stop);
        }
        self.fail(Diagnostic::because(error))
    }

    /// The compiler of a language.
    pub fn compiler(&mut self, language: Language) -> Step<Compiler> {
        let found = Compiler::find(language);
        self.check_cc(found)
    }

    /// Whether files may be written: none of them is one that is read, or another one of them. Called
    /// before anything is done, and again once it is known what headers are read, and what is written.
    pub fn may_write(&mut self, outputs: &[PathBuf]) -> Step<()> {
        let named = self.options.files(|_| true);
        let others = self.options.also_read.iter().map(PathBuf::as_path);
        let inputs = named.chain(others).chain(self.dependencies.files());
        match claims::check(inputs, outputs) {
            Ok(()) => Ok(()),
            Err(clash) => self.fail(clashing(&clash)),
        }
    }

    /// Whether all input files can be read; reports each that cannot.
    pub fn check_inputs(&mut self) -> Step<()> {
        let paths = self.options.files(|_| true).filter(|path| !is_stdin(path));
        let paths: Vec<PathBuf> = paths.map(PathBuf::from).collect();
        let mut checked = Ok(());
        for path in paths {
            if let Err(error) = can_read(&path) {
                self.report(cannot_read(&path, &error));
                checked = Err(Stop);
            }
        }
        checked
    }

    /// The bytes of an input file; `-` is standard input.
    pub fn read(&mut self, path: &Path) -> Step<Vec<u8>> {
        if is_stdin(path) {
            return self.read_stdin();
        }
        match std::fs::read(path) {
            Ok(bytes) => Ok(bytes),
            Err(error) => self.fail(cannot_read(path, &error)),
        }
    }

    fn read_stdin(&mut self) -> Step<Vec<u8>> {
        if self.stdin.is_none() {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            self.check(read.map_err(|error| format!("cannot read standard input: {error}")))?;
            self.stdin = Some(bytes);
        }
        Ok(self.stdin.clone().unwrap_or_default())
    }

    /// A folder that vanishes with the run.
    pub fn temporary_folder(&mut self) -> Step<Scratch> {
        match Scratch::new() {
            Ok(folder) => Ok(folder),
            Err(error) => {
                let folder = std::env::temp_dir();
                let why = reason(&error);
                let message = format!(
                    "cannot make a temporary folder in '{}': {why}",
                    folder.display()
                );
                self.fail(
                    Diagnostic::error(message)
                        .help("set TMPDIR to a folder with free space that you may write to"),
                )
            }
        }
    }

    /// A folder that holds the runtime's headers.
    pub fn runtime_headers(&mut self) -> Step<PathBuf> {
        if let Some(folder) = &self.headers {
            return Ok(folder.path().to_path_buf());
        }
        let folder = self.temporary_folder()?;
        for (name, text) in fpgacc_runtime::SOURCES
            .iter()
            .filter(|(name, _)| name.ends_with(".h"))
        {
            let written = std::fs::write(folder.path().join(name), text);
            self.check(written)?;
        }
        let path = folder.path().to_path_buf();
        self.headers = Some(folder);
        Ok(path)
    }

    /// Writes an output file, whole or not at all.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> Step<()> {
        self.write_all(&[(path.to_path_buf(), bytes, FileMode::Plain)])
    }

    /// Writes output files, all of them or none.
    pub fn write_all(&mut self, files: &[(PathBuf, &[u8], FileMode)]) -> Step<()> {
        let paths: Vec<PathBuf> = files.iter().map(|(path, ..)| path.clone()).collect();
        self.may_write(&paths)?;
        let written = output::write_all(files);
        self.check(written)
    }

    /// Writes text where `-o` says, or to standard output.
    pub fn write_text(&mut self, text: &str) -> Step<()> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes bytes where `-o` says, or to standard output.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Step<()> {
        match self.options.output.clone() {
            Some(path) if path.as_os_str() != "-" => self.write(&path, bytes),
            _ => self.print_bytes(bytes),
        }
    }

    /// Writes text to standard output.
    pub fn print(&mut self, text: &str) -> Step<()> {
        self.print_bytes(text.as_bytes())
    }

    /// Writes bytes to standard output.
    pub fn print_bytes(&mut self, bytes: &[u8]) -> Step<()> {
        match std::io::stdout().lock().write_all(bytes) {
            // A reader that has seen enough is no error.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => self.check(Err(error)),
            _ => Ok(()),
        }
    }

    /// Writes an output file and its dependency file, if one was asked for: both or none.
    pub fn write_with_dependencies(
        &mut self,
        output: &Path,
        bytes: &[u8],
        mode: FileMode,
    ) -> Step<()> {
        let rule = self.dependency_file(output);
        let mut files = vec![(output.to_path_buf(), bytes, mode)];
        if let Some((path, text)) = &rule {
            files.push((path.clone(), text.as_bytes(), FileMode::Plain));
        }
        self.write_all(&files)
    }

    /// Path and text of the optimization record of an output, if one was asked for.
    pub fn record_file(&mut self, output: &Path) -> Step<Option<(PathBuf, String)>> {
        let options = &self.options.record;
        let Some(path) = options.path(output) else {
            return Ok(None);
        };
        let text = self.record.text(options);
        Ok(Some((path, self.check(text)?)))
    }

    /// Writes the optimization record of an output that is text, if one was asked for.
    pub fn write_record(&mut self, output: &Path) -> Step<()> {
        match self.record_file(output)? {
            Some((file, text)) => self.write(&file, text.as_bytes()),
            None => Ok(()),
        }
    }

    /// Path and text of the dependency file of an output, if one was asked for.
    pub fn dependency_file(&self, output: &Path) -> Option<(PathBuf, String)> {
        let options = self.options.dependencies.as_ref()?;
        let rule = self.dependencies.rule(options, output);
        Some((depfile::file(options, output), rule))
    }
}

/// An error for files that may not be written.
pub fn clashing(clash: &Clash) -> Diagnostic {
    Diagnostic::error(clash.to_string())
        .help("nothing was written: name another file for the output")
}

/// Whether a path is cc's name for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A source's name in messages.
pub fn shown(path: &Path) -> PathBuf {
    match is_stdin(path) {
        true => PathBuf::from("<stdin>"),
        false => path.to_path_buf(),
    }
}

fn can_read(path: &Path) -> std::io::Result<()> {
    match std::fs::File::open(path)?.metadata()?.is_dir() {
        true => Err(std::io::ErrorKind::IsADirectory.into()),
        false => Ok(()),
    }
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Diagnostic {
    let name = path.display();
    if error.kind() == std::io::ErrorKind::NotFound {
        let error = Diagnostic::error(format!("no such file: '{name}'"));
        return advice::for_missing_file(error, path);
    }
    Diagnostic::error(match error.kind() {
        std::io::ErrorKind::IsADirectory => format!("'{name}' is a folder, not a file"),
        _ => format!("cannot read '{name}': {}", reason(error)),
    })
}

/// What the system says, without a path that is fpgacc's own.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" at path ").unwrap_or(text.len());
    text[..end].to_string()
}
