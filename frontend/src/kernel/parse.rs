//! The stages of parsing, one after the other.

use super::macro_notes::Notes;
use super::positions::Files;
use super::syntax::Problem;
use super::{lower, positions, prepass, syntax};
use crate::diag::Diagnostic;
use crate::ir::{Dialect, Module};
use crate::kernel::source_text::SourceText;
use crate::source::SourceMap;

/// A kernel file, preprocessed.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The user's file, as the line markers name it.
    pub name: &'a str,
    /// What `cc -E -dD -undef -nostdinc -x c` gives for it after [`super::predefined()`], with line
    /// markers.
    pub preprocessed: &'a str,
    /// The language.
    pub dialect: Dialect,
}

impl<'a> Input<'a> {
    /// A file by its name, its text and its language.
    pub fn new(name: &'a str, preprocessed: &'a str, dialect: Dialect) -> Self {
        Input {
            name,
            preprocessed,
            dialect,
        }
    }
}

/// Why a text gives no module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The text is wrong: errors, at least one.
    Invalid(Vec<Diagnostic>),
    /// The text may be right, but holds what fpgacc does not take (block literals, functions in the
    /// style of K&R, inline assembly, ..): the reasons. Such a file is left as it is.
    Unsupported(Vec<Diagnostic>),
}

impl ParseError {
    /// The messages.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            ParseError::Invalid(diagnostics) | ParseError::Unsupported(diagnostics) => diagnostics,
        }
    }
}

/// The stack for lang-c and lowering. Only what is used becomes memory; limits on nesting keep the
/// use well below it.
const STACK: usize = 512 << 20;
/// Offsets are 32 bits wide, and lang-c's text is longer than the user's.
const MAX_TEXT: usize = 256 << 20;

/// Parses a kernel file: syntax, names and types.
///
/// The user's file and the files it includes should be in `sources`, under the names that the line
/// markers have: positions lead there. For files that are missing the preprocessed text is
/// registered in their place.
///
/// # Errors
/// [`ParseError`], with as many diagnostics as can be reported at once.
pub fn parse(input: &Input, sources: &mut SourceMap) -> Result<Module, ParseError> {
    if input.preprocessed.len() > MAX_TEXT {
        let message = format!("{}: more than 256 MiB of kernel text", input.name);
        return Err(ParseError::Invalid(vec![Diagnostic::error(message)]));
    }
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("kernel parser".to_string())
            .stack_size(STACK)
            .spawn_scoped(scope, || stages(input, sources));
        let failed = |message: &str| {
            let message = format!("{}: {message}", input.name);
            Err(ParseError::Invalid(vec![Diagnostic::error(message)]))
        };
        match worker.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => failed("the parser of kernels failed; please report this file"),
            Err(error) => failed(&format!("no thread for the parser of kernels: {error}")),
        }
    })
}

fn stages(input: &Input, sources: &mut SourceMap) -> Result<Module, ParseError> {
    let text = input.preprocessed;
    let scanned = prepass::scan(text, input.name);
    let (spans, files) = positions::locate(text, input.name, &scanned, sources);
    if !scanned.problems.is_empty() {
        let is_unsupported = scanned
            .problems
            .iter()
            .all(|problem| problem.is_unsupported);
        let messages = scanned.problems.iter().map(|problem| {
            let diagnostic = Diagnostic::error(&problem.message);
            match files.find_on_line(problem.source_line, &problem.text, sources) {
                Some(span) => diagnostic.at(span),
                None => diagnostic,
            }
        });
        let messages = messages.collect();
        return Err(match is_unsupported {
            true => ParseError::Unsupported(messages),
            false => ParseError::Invalid(messages),
        });
    }
    let mut source = SourceText {
        text,
        prepass: scanned,
        spans,
        starts: Vec::new(),
    };
    let parsed = syntax::check(&mut source)
        .map_err(|problem| vec![problem])
        .and_then(|()| syntax::parse(&mut source, input.dialect));
    let (unit, mut wrong) = match parsed {
        Ok(parsed) => parsed,
        Err(problems) => return Err(explained(problems, &source, &files, sources)),
    };
    match lower::lower(&source, &unit, input.dialect) {
        Ok(module) if wrong.is_empty() => Ok(module),
        Err(lower::Failure::Unsupported(diagnostics)) if wrong.is_empty() => {
            Err(ParseError::Unsupported(diagnostics))
        }
        lowered => {
            if let Err(lower::Failure::Invalid(diagnostics)) = lowered {
                wrong.extend(
                    diagnostics
                        .into_iter()
                        .map(|one| Problem::Invalid(Box::new(one))),
                );
            }
            Err(explained(wrong, &source, &files, sources))
        }
    }
}

/// What is wrong, in the order of the text, with the definitions of macros at fault; what fpgacc does not take stands
/// alone.
fn explained(
    problems: Vec<Problem>,
    source: &SourceText,
    files: &Files,
    sources: &SourceMap,
) -> ParseError {
    let macros = &source.prepass.macros;
    let notes = Notes {
        macros,
        files,
        sources,
    };
    let mut diagnostics = Vec::new();
    for problem in problems {
        match problem {
            Problem::Unsupported(diagnostic) => return ParseError::Unsupported(vec![*diagnostic]),
            Problem::Invalid(diagnostic) => diagnostics.push(notes.explain(*diagnostic)),
        }
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|(span, _)| *span));
    ParseError::Invalid(diagnostics)
}
