//! The hosts of one program, parsed side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use fpgacc_frontend::source::{FileId, SourceMap, Span};
use indexmap::IndexSet;

use super::ast::Ast;
use super::cpp::Preprocessed;
use super::host_file::{HostFile, Language};
use super::parse::lower_text;
use super::prepare::{Prepared, Unit, Visible};
use super::squeeze::squeezed;
use super::threads;

/// Parses hosts, as many files at once as the machine has processors; in their order.
pub fn parse_all(sources: &SourceMap, units: &[Unit<'_>]) -> Vec<HostFile> {
    let length = |unit: &Unit<'_>| unit.preprocessed.map_or(0, str::len);
    let prepared = in_parallel(units, length, |unit| {
        let read = unit.preprocessed.map(Preprocessed::read);
        Prepared::new(sources, unit, read.as_ref())
    });
    parse_prepared(prepared)
}

impl HostFile {
    /// Parses a host and those headers of it that are given. `preprocessed` is what
    /// [`Preprocessed::read`] made of the output of `cc -E -dD` on it, run so that it names files
    /// as `sources` does; without it all lines count as live, and macros are those of the text.
    /// [`parse_all`] is faster for several.
    pub fn parse(
        sources: &SourceMap,
        main: FileId,
        headers: &[FileId],
        preprocessed: Option<&Preprocessed>,
        language: Language,
    ) -> HostFile {
        let unit = Unit {
            main,
            headers: headers.to_vec(),
            preprocessed: None,
            language,
        };
        let prepared = Prepared::new(sources, &unit, preprocessed);
        parse_prepared(vec![prepared]).swap_remove(0)
    }
}

/// Parses what was prepared. A header that looks alike in several hosts is parsed once.
fn parse_prepared(mut all: Vec<Prepared>) -> Vec<HostFile> {
    let mut texts: IndexSet<(FileId, Visible)> = IndexSet::new();
    let mut texts_of = Vec::new();
    for (part, text) in all.iter_mut().flat_map(Prepared::parts) {
        texts_of.push(texts.insert_full((part.file, std::mem::take(text))).0);
    }
    let texts: Vec<_> = texts.into_iter().collect();
    let parsed = in_parallel(
        &texts,
        |(_, text)| text.bytes.len(),
        |(file, text)| parse(*file, text),
    );
    let parts = all.iter_mut().flat_map(Prepared::parts);
    for ((part, _), text) in parts.zip(texts_of) {
        (part.ast, part.errors) = parsed[text].clone();
    }
    all.into_iter().map(|prepared| prepared.host).collect()
}

/// The syntax of a text, and where it is wrong.
fn parse(file: FileId, text: &Visible) -> (Arc<Ast>, Vec<Span>) {
    let (short, positions) = squeezed(&text.bytes, &text.edits);
    let (ast, errors) = lower_text(&short, &positions, file, 0, None);
    (Arc::new(ast), errors)
}

/// What `work` makes of each item, in their order; the items of the highest cost are begun first,
/// so that no thread is left alone with one of them.
fn in_parallel<T: Sync, R: Send + Sync>(
    items: &[T],
    cost: impl Fn(&T) -> usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut slots: Vec<(&T, OnceLock<R>)> =
        items.iter().map(|item| (item, OnceLock::new())).collect();
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(cost(&items[*at])));
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (item, slot) = &slots[*at];
            slot.get_or_init(|| work(item));
        }
    };
    if let (Some(threads), true) = (threads::pool(), items.len() > 1) {
        threads.broadcast(|_| run());
    }
    slots
        .drain(..)
        .map(|(item, slot)| slot.into_inner().unwrap_or_else(|| work(item)))
        .collect()
}
