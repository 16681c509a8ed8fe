//! Trip counts that runs recorded (`fpgacc trace --trip-counts`), by the loops of a module.

use std::collections::BTreeMap;
use std::path::Path;

use fpgacc_frontend::ir::{Module, StmtKind};
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_launch_facts::recorded::RecordedLoop;
use fpgacc_launch_facts::{Facts, Location};

/// The file of a text that is in none.
const TEXT: &str = "<text>";

/// The average trip count of each loop that was seen. Loops that were never entered have none.
pub fn trips(module: &Module, facts: &Facts, sources: &SourceMap) -> BTreeMap<Span, f64> {
    let recorded = facts
        .programs
        .iter()
        .filter_map(|program| program.recorded.as_ref());
    let recorded: Vec<&RecordedLoop> = recorded.flat_map(|program| &program.loops).collect();
    let mut trips = BTreeMap::new();
    if recorded.is_empty() {
        return trips;
    }
    for (_, function) in module.functions.iter() {
        let Some(body) = &function.body else { continue };
        body.for_each_stmt(&mut |stmt| {
            let is_loop = matches!(
                stmt.kind,
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
            );
            let Some(span) = stmt.span.filter(|_| is_loop) else {
                return;
            };
            let at = sources.location(span);
            let own = recorded.iter().filter(|one| {
                one.function == function.name && one.entries > 0 && is_same(&one.site, &at)
            });
            let (entries, iterations) = own.fold((0, 0), |(entries, iterations), one| {
                (entries + one.entries, iterations + one.iterations)
            });
            if entries > 0 {
                trips.insert(span, iterations as f64 / entries as f64);
            }
        });
    }
    trips
}

/// Whether two places are one: programs may run in another folder than the compiler.
fn is_same(recorded: &Location, own: &Location) -> bool {
    let name = |at: &Location| {
        Path::new(&at.file)
            .file_name()
            .map(|name| name.to_os_string())
    };
    let same_file = recorded.file == TEXT || name(recorded) == name(own);
    same_file && (recorded.line, recorded.column) == (own.line, own.column)
}
