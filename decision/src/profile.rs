//! Trip counts, and how often branches are taken, that runs recorded (`fpgacc trace --trip-counts`), by the loops and branches
//! of a module.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Module, StmtKind};
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_launch_facts::recorded::{BranchKind, RecordedBranch, RecordedLoop, RecordedProgram};
use fpgacc_launch_facts::{Facts, Location};

/// What runs showed of a module.
#[derive(Debug, Default)]
pub struct Profile {
    /// The average trip count of each loop that was seen. Loops that were never entered have none.
    pub trips: BTreeMap<Span, f64>,
    /// The part of the times that an `if` that was seen was taken.
    pub branches: BTreeMap<Span, f64>,
}

impl Profile {
    /// Of recorded facts.
    pub fn of(module: &Module, facts: &Facts, sources: &SourceMap) -> Self {
        let programs = facts.programs.iter();
        let recorded: Vec<&RecordedProgram> = programs
            .filter_map(|program| program.recorded.as_ref())
            .collect();
        let loops: Vec<Seen<'_>> = recorded
            .iter()
            .flat_map(|p| &p.loops)
            .map(of_loop)
            .collect();
        let branches = recorded.iter().flat_map(|program| &program.branches);
        let branches = branches.filter(|branch| branch.kind == BranchKind::If);
        let branches: Vec<Seen<'_>> = branches.map(of_branch).collect();
        let mut profile = Profile::default();
        if loops.is_empty() && branches.is_empty() {
            return profile;
        }
        for (_, function) in module.functions.iter() {
            let Some(body) = &function.body else { continue };
            body.for_each_stmt(&mut |stmt| {
                let (seen, into) = match stmt.kind {
                    StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                        (&loops, &mut profile.trips)
                    }
                    StmtKind::If { .. } => (&branches, &mut profile.branches),
                    _ => return,
                };
                let Some(span) = stmt.span else { return };
                let at = sources.location(span);
                let average = average(seen, &function.name, &at);
                into.extend(average.map(|average| (span, average)));
            });
        }
        profile
    }
}

/// How often something was reached, and how often it went on.
struct Seen<'a> {
    site: &'a Location,
    function: &'a str,
    reached: u64,
    went_on: u64,
}

fn of_loop(one: &RecordedLoop) -> Seen<'_> {
    Seen {
        site: &one.site,
        function: &one.function,
        reached: one.entries,
        went_on: one.iterations,
    }
}

fn of_branch(one: &RecordedBranch) -> Seen<'_> {
    Seen {
        site: &one.site,
        function: &one.function,
        reached: one.evaluated,
        went_on: one.taken,
    }
}

fn average(seen: &[Seen<'_>], function: &str, at: &Location) -> Option<f64> {
    let own = seen
        .iter()
        .filter(|one| one.function == function && one.site.is_same_position(at));
    let (reached, went_on) = own.fold((0, 0), |(reached, went_on), one| {
        (reached + one.reached, went_on + one.went_on)
    });
    (reached > 0).then(|| went_on as f64 / reached as f64)
}
