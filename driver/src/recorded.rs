//! Recorded facts beside analysed ones: what the analysis does not know is taken from the runs.
//!
//! A launch that was found in the host is replaced by what was seen of it: entries for each kernel
//! and local size, in which the analysis' constants stand. Kernels that it may start too, but that
//! no run showed, keep it as it is. Global sizes are not fixed by having been seen. Every recorded
//! fact is checked when the kernel is launched.

use std::collections::BTreeSet;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::facts::{Facts, Known, Launch, LocalSize, Location, Program, Value};

/// Adds recorded facts to those of an analysis. What they contradict is returned as warnings.
pub fn apply(facts: &mut Facts, recorded: &Facts) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let mut used = vec![false; recorded.programs.len()];
    for program in &mut facts.programs {
        fill_program(program, &recorded.programs, &mut used);
    }
    let unused = recorded
        .programs
        .iter()
        .zip(&used)
        .filter(|(_, used)| !**used);
    facts
        .programs
        .extend(unused.map(|(program, _)| program.clone()));
    facts.buffers.extend(recorded.buffers.iter().cloned());
    let mut taken = vec![false; recorded.launches.len()];
    let mut launches = Vec::new();
    for launch in std::mem::take(&mut facts.launches) {
        let seen = seen_of(&launch, recorded, &mut taken);
        launches.extend(replace(launch, &seen, &mut warnings));
    }
    let unseen = recorded
        .launches
        .iter()
        .zip(&taken)
        .filter(|(_, taken)| !**taken);
    launches.extend(unseen.map(|(launch, _)| {
        let mut launch = launch.clone();
        open_sizes(&mut launch, |_| false);
        launch
    }));
    facts.launches = launches;
    facts.recording.clone_from(&recorded.recording);
    warnings
}

fn same_line(a: &Location, b: &Location) -> bool {
    a.line > 0 && a.line == b.line && a.file == b.file
}

/// Whether names that are known have one in common; what is not known may be any.
fn may_share(a: &[Known<String>], b: &[Known<String>]) -> bool {
    let names = |all: &[Known<String>]| -> Option<BTreeSet<String>> {
        all.iter().map(|name| name.get().cloned()).collect()
    };
    match (names(a), names(b)) {
        (Some(a), Some(b)) => !a.is_disjoint(&b),
        _ => true,
    }
}

fn fill_program(program: &mut Program, recorded: &[Program], used: &mut [bool]) {
    let at_line = |one: &Program| same_line(&one.site, &program.site);
    let any_at_line = recorded.iter().any(at_line);
    let matching: Vec<usize> = (0..recorded.len())
        .filter(|&at| match any_at_line {
            true => at_line(&recorded[at]),
            false => {
                recorded[at].site.line == 0 && may_share(&recorded[at].kernels, &program.kernels)
            }
        })
        .collect();
    let Some(&first) = matching.first() else {
        return;
    };
    // Several texts from one call: each is a program of its own, which the runs tell of.
    if program.sources.get().is_none() && matching.len() > 1 {
        return;
    }
    for &at in &matching {
        used[at] = true;
    }
    if program.sources.get().is_none() {
        program.sources = recorded[first].sources.clone();
    }
    let is_open = program
        .options
        .iter()
        .any(|options| options.get().is_none());
    if is_open || program.options.is_empty() {
        program.options.retain(|options| options.get().is_some());
        for options in matching.iter().flat_map(|&at| &recorded[at].options) {
            if !program.options.contains(options) {
                program.options.push(options.clone());
            }
        }
    }
    if program.kernels.iter().any(|name| name.get().is_none()) {
        program.kernels.retain(|name| name.get().is_some());
        for name in matching.iter().flat_map(|&at| &recorded[at].kernels) {
            if !program.kernels.contains(name) {
                program.kernels.push(name.clone());
            }
        }
    }
    program.recorded.clone_from(&recorded[first].recorded);
}

/// What runs showed of a launch: at its line, or, where lines are not known, of its kernels.
fn seen_of<'a>(launch: &Launch, recorded: &'a Facts, taken: &mut [bool]) -> Vec<&'a Launch> {
    let starts = |seen: &Launch| match (&launch.kernels, &seen.kernels) {
        (Known::Is(names), Known::Is(seen)) => seen.iter().any(|name| names.contains(name)),
        _ => true,
    };
    let at_line = |seen: &Launch| same_line(&seen.site, &launch.site);
    let any_at_line = recorded.launches.iter().any(at_line);
    let mut out = Vec::new();
    for (seen, taken) in recorded.launches.iter().zip(taken) {
        let is_here = match any_at_line {
            true => at_line(seen),
            false => seen.site.line == 0,
        };
        if is_here && starts(seen) {
            *taken = true;
            out.push(seen);
        }
    }
    out
}

fn replace(launch: Launch, seen: &[&Launch], warnings: &mut Vec<Diagnostic>) -> Vec<Launch> {
    let mut out: Vec<Launch> = Vec::new();
    let mut names = BTreeSet::new();
    for seen in seen {
        names.extend(seen.kernels.get().into_iter().flatten().cloned());
        out.push(joined(&launch, seen, warnings));
    }
    match &launch.kernels {
        Known::Is(all) => {
            let rest: Vec<String> = all
                .iter()
                .filter(|name| !names.contains(*name))
                .cloned()
                .collect();
            if !rest.is_empty() || seen.is_empty() {
                out.push(Launch {
                    kernels: Known::Is(rest),
                    ..launch
                });
            }
        }
        Known::Unknown(_) if seen.is_empty() => out.push(launch),
        Known::Unknown(_) => {}
    }
    out
}

/// Global sizes are what changes from run to run, with the input: kernels are not compiled for those
/// that were seen, unless the host proves them. They stay in the facts as ranges.
fn open_sizes(launch: &mut Launch, is_proved: impl Fn(usize) -> bool) {
    for (dim, size) in launch.global.iter_mut().enumerate() {
        if let Some(seen) = size.constant().filter(|_| !is_proved(dim)) {
            *size = Value::Range {
                min: seen,
                max: seen,
                step: 1,
            };
        }
    }
}

/// A launch as it was seen, with what the analysis proves of it.
fn joined(launch: &Launch, seen: &Launch, warnings: &mut Vec<Diagnostic>) -> Launch {
    let mut out = seen.clone();
    out.site = launch.site.clone();
    out.within = launch.within.clone();
    if out.queue == Default::default() {
        out.queue = launch.queue;
    }
    let mut contradictions = Vec::new();
    let mut join = |what: &str, proved: &Value, seen: &mut Value| {
        if let (Some(a), Some(b)) = (proved.constant(), seen.constant())
            && a != b
        {
            contradictions.push(format!("{what} {a}, a run had {b}"));
        }
        if proved.constant().is_some() {
            *seen = proved.clone();
        }
    };
    join("work_dim", &launch.work_dim, &mut out.work_dim);
    for (proved, seen) in launch.offset.iter().zip(&mut out.offset) {
        join("offset", proved, seen);
    }
    for (proved, seen) in launch.global.iter().zip(&mut out.global) {
        join("global size", proved, seen);
    }
    let is_proved = |dim: usize| {
        launch
            .global
            .get(dim)
            .is_some_and(|v| v.constant().is_some())
    };
    open_sizes(&mut out, is_proved);
    if let (LocalSize::Sizes(proved), LocalSize::Sizes(seen)) = (&launch.local, &mut out.local) {
        for (proved, seen) in proved.iter().zip(seen) {
            join("local size", proved, seen);
        }
    }
    for text in contradictions {
        warnings.push(
            Diagnostic::warning(format!("{}: the host says {text}", launch.site))
                .note("recorded facts of another version of the host?")
                .help("record again: fpgacc trace -o facts.yaml -- ./app"),
        );
    }
    out
}

/// Whether any launch was recorded.
pub fn is_recorded(facts: &Facts) -> bool {
    facts.recording.is_some()
        || facts
            .launches
            .iter()
            .any(|launch| launch.recorded.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fpgacc_frontend::facts::QueueOrder;

    fn launch(kernels: &[&str], line: u32, global: Value, local: LocalSize) -> Launch {
        Launch {
            site: Location {
                file: "host.c".to_string(),
                line,
                column: 1,
            },
            kernels: Known::Is(kernels.iter().map(ToString::to_string).collect()),
            work_dim: Value::Const(1),
            offset: vec![Value::Const(0)],
            global: vec![global],
            local,
            args: vec![],
            queue: QueueOrder::Unknown,
            within: None,
            recorded: None,
        }
    }

    /// A size that was seen, and that kernels are not compiled for.
    fn about(size: u64) -> Value {
        Value::Range {
            min: size,
            max: size,
            step: 1,
        }
    }

    fn local(size: u64) -> LocalSize {
        LocalSize::Sizes(vec![Value::Const(size)])
    }

    fn apply_to(analysed: Vec<Launch>, seen: Vec<Launch>) -> (Vec<Launch>, usize) {
        let mut facts = Facts {
            launches: analysed,
            ..Facts::default()
        };
        let recorded = Facts {
            launches: seen,
            ..Facts::default()
        };
        let warnings = apply(&mut facts, &recorded);
        (facts.launches, warnings.len())
    }

    #[test]
    fn what_is_not_known_is_taken_from_the_run() {
        let symbolic = Value::symbolic("n");
        let unknown = LocalSize::Unknown("computed".to_string());
        let analysed = launch(&["a", "b"], 5, symbolic.clone(), unknown.clone());
        let seen = launch(&["a"], 5, Value::Const(64), local(16));
        let (launches, warnings) = apply_to(vec![analysed], vec![seen]);
        let filled = launch(&["a"], 5, about(64), local(16));
        assert_eq!(launches, [filled, launch(&["b"], 5, symbolic, unknown)]);
        assert_eq!(warnings, 0);
    }

    #[test]
    fn a_contradiction_is_told_and_the_host_counts() {
        let analysed = launch(&["a"], 5, Value::Const(64), local(16));
        let seen = launch(&["a"], 5, Value::Const(64), local(8));
        let (launches, warnings) = apply_to(vec![analysed.clone()], vec![seen]);
        assert_eq!(launches, [analysed]);
        assert_eq!(warnings, 1);
    }

    #[test]
    fn without_lines_kernels_tell_launches_apart() {
        let unknown = || LocalSize::Unknown("computed".to_string());
        let symbolic = || Value::symbolic("n");
        let analysed = vec![
            launch(&["a"], 5, symbolic(), unknown()),
            launch(&["b"], 9, symbolic(), unknown()),
        ];
        let seen = vec![launch(&["b"], 0, Value::Const(64), local(8))];
        let (launches, _) = apply_to(analysed.clone(), seen);
        assert_eq!(
            launches,
            [analysed[0].clone(), launch(&["b"], 9, about(64), local(8))]
        );
    }
}
