//! What each line of the source takes of the device, and how long it takes.

use std::collections::BTreeMap;

use fpgacc_frontend::source::SourceMap;
use fpgacc_performance_model::{Operation, Resources};

use super::data::{LineCost, Position};
use super::position::position;

/// A line; what is of no line comes last.
type At = (bool, Option<(String, u32)>);

/// The operations of a kernel by lines, those of no line last.
pub fn costs(operations: &[Operation], sources: &SourceMap) -> Vec<LineCost> {
    let mut found: BTreeMap<At, Vec<&Operation>> = BTreeMap::new();
    for one in operations {
        let at = one.span.map(|span| position(sources, span));
        let key = (at.is_none(), at.map(|at| (at.file, at.line)));
        found.entry(key).or_default().push(one);
    }
    let line = |((_, at), all): (At, Vec<&Operation>)| LineCost {
        position: at.map(|(file, line)| Position { file, line }),
        operations: counted(&all),
        area: all
            .iter()
            .fold(Resources::default(), |sum, one| sum.plus(one.area, 1.0)),
        latency: slowest(&all).map_or(0.0, |one| one.latency),
        slowest: slowest(&all).map_or(String::new(), |one| one.what.to_string()),
    };
    found.into_iter().map(line).collect()
}

/// The first of those that take longest; `None`: none takes any time.
fn slowest<'a>(all: &[&'a Operation]) -> Option<&'a Operation> {
    let timed = all.iter().rev().filter(|one| one.latency > 0.0);
    timed
        .max_by(|a, b| a.latency.total_cmp(&b.latency))
        .copied()
}

/// How many there are of each kind.
fn counted(all: &[&Operation]) -> Vec<String> {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for one in all.iter().filter(|one| !one.what.is_empty()) {
        *kinds.entry(one.what).or_default() += one.count;
    }
    let words = |(what, count): (&str, u64)| match count {
        1 => what.to_string(),
        _ => format!("{count} x {what}"),
    };
    kinds.into_iter().map(words).collect()
}
