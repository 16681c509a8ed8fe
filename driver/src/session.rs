//! What a run carries along: options, sources, messages, compilers.

use std::path::Path;

use fpgacc_aoc_wrappers::cc::{CcError, Compiler, Language};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;

use crate::depfile::Dependencies;
use crate::messages::Messages;
use crate::options::Options;

/// The run cannot go on; why was told.
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
}

impl Session {
    /// A run that has read nothing yet.
    pub fn new(options: Options, messages: Messages) -> Self {
        Session {
            options,
            sources: SourceMap::new(),
            messages,
            dependencies: Dependencies::default(),
        }
    }

    /// Tells a diagnostic.
    pub fn tell(&mut self, diagnostic: Diagnostic) {
        self.messages.tell(&diagnostic, &self.sources);
    }

    /// Tells an error and stops.
    pub fn fail<T>(&mut self, diagnostic: Diagnostic) -> Step<T> {
        self.tell(diagnostic);
        Err(Stop)
    }

    /// The value, or an error made of what went wrong.
    pub fn check<T, E: std::fmt::Display>(&mut self, result: Result<T, E>) -> Step<T> {
        match result {
            Ok(value) => Ok(value),
            Err(error) => self.fail(Diagnostic::error(error.to_string())),
        }
    }

    /// The value of a compiler's run; its own messages are passed on as they are.
    pub fn check_cc<T>(&mut self, result: Result<T, CcError>) -> Step<T> {
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if let Some(text) = error.diagnostics() {
            self.messages.pass_on(text);
        }
        self.fail(Diagnostic::error(error.to_string()))
    }

    /// The compiler of a language.
    pub fn compiler(&mut self, language: Language) -> Step<Compiler> {
        let found = Compiler::find(language);
        self.check_cc(found)
    }

    /// The bytes of an input file.
    pub fn read(&mut self, path: &Path) -> Step<Vec<u8>> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(bytes),
            Err(error) => {
                let name = path.display();
                let diagnostic = match error.kind() {
                    std::io::ErrorKind::NotFound => Diagnostic::error(format!("no such file: '{name}'")),
                    std::io::ErrorKind::IsADirectory => {
                        Diagnostic::error(format!("'{name}' is a folder, not a file"))
                    }
                    _ => Diagnostic::error(format!("cannot read '{name}': {error}")),
                };
                self.fail(diagnostic)
            }
        }
    }
}
