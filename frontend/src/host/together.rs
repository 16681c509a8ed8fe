//! Several hosts of one program, parsed side by side.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use super::ast::Ast;
use super::{HostFile, Language, Preprocessed, lower_text, squeezed};
use crate::source::{FileId, SourceMap, Span};

/// Stack of a thread that parses, in bytes: as much as the driver's own. Texts may be nested deeply.
const STACK: usize = 256 << 20;

/// A host that is to be parsed.
#[derive(Clone, Debug)]
pub struct Unit<'t> {
    /// Its own text.
    pub main: FileId,
    /// Those of its headers that are given.
    pub headers: Vec<FileId>,
    /// The output of `cc -E -dD` on it, run so that it names files as the sources do. Without it
    /// all lines count as live, and macros are those of the text.
    pub preprocessed: Option<&'t str>,
    /// Its language.
    pub language: Language,
}

impl Unit<'_> {
    fn parse(&self, sources: &SourceMap, parsed: &Parsed) -> HostFile {
        let read = self.preprocessed.map(Preprocessed::read);
        let read = read.as_ref();
        HostFile::parse_shared(
            sources,
            self.main,
            &self.headers,
            read,
            self.language,
            parsed,
        )
    }
}

/// Parses hosts, as many at once as the machine has processors; in their order.
pub fn parse_all(sources: &SourceMap, units: &[Unit<'_>]) -> Vec<HostFile> {
    let parsed = Parsed::default();
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let slots: Vec<OnceLock<HostFile>> = units.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(unit), Some(slot)) = (units.get(at), slots.get(at)) else {
                return;
            };
            slot.get_or_init(|| unit.parse(sources, &parsed));
        }
    };
    thread::scope(|scope| {
        for _ in 1..processors.min(units.len()) {
            let thread = thread::Builder::new().stack_size(STACK);
            // Without another thread this one does it all.
            if thread.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let all = units.iter().zip(slots);
    all.map(|(unit, slot)| {
        slot.into_inner()
            .unwrap_or_else(|| unit.parse(sources, &parsed))
    })
    .collect()
}

/// What was parsed of files, by what the preprocessor left of them: a header that looks alike in
/// several hosts is parsed once.
#[derive(Debug, Default)]
pub struct Parsed {
    files: Mutex<BTreeMap<FileId, Vec<Arc<ParsedText>>>>,
}

#[derive(Debug)]
struct ParsedText {
    text: Vec<u8>,
    made: OnceLock<(Arc<Ast>, Vec<Span>)>,
}

impl Parsed {
    /// The syntax of a text, and where it is wrong.
    pub(super) fn parse(&self, file: FileId, text: Vec<u8>) -> (Arc<Ast>, Vec<Span>) {
        let known = self.text(file, text);
        let made = known.made.get_or_init(|| {
            let (short, places) = squeezed(&known.text);
            let (ast, errors) = lower_text(&short, &places, file, 0, None);
            (Arc::new(ast), errors)
        });
        made.clone()
    }

    fn text(&self, file: FileId, text: Vec<u8>) -> Arc<ParsedText> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.entry(file).or_default();
        if let Some(found) = known.iter().find(|known| known.text == text) {
            return found.clone();
        }
        let new = Arc::new(ParsedText {
            text,
            made: OnceLock::new(),
        });
        known.push(new.clone());
        new
    }
}
