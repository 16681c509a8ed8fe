//! Recorded facts beside analysed ones: what the analysis does not know is taken from the runs.
//!
//! A launch that was found in the host is replaced by what was seen of it: entries for each kernel
//! and local size, in which the analysis' constants and memory stand, marked as proved. Kernels that it may start too, but that
//! no run showed, keep it as it is. Global sizes are not fixed by having been seen. Every recorded
//! fact is checked when the kernel is launched.

use std::collections::BTreeSet;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::{
    Arg, ArgValue, Facts, Known, LOCAL_WORD, Launch, LocalSize, Location, Program, Value,
    argument_word,
};

use crate::agree;

/// Adds recorded facts to those of an analysis. What they contradict is returned as warnings.
pub fn apply(facts: &mut Facts, recorded: &Facts) -> Vec<Diagnostic> {
    let mut recorded = recorded.clone();
    agree::align(facts, &mut recorded);
    let recorded = &recorded;
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
        prove(&mut launch, Vec::new());
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
    // Several texts from one call: each is a program of its own, which the runs name.
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
        // Without lines, sizes are all that tells which of a host's launches it was.
        _ => seen.site.line > 0 || has_sizes_of(launch, seen),
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

/// Whether a launch may have had the sizes that were seen.
fn has_sizes_of(launch: &Launch, seen: &Launch) -> bool {
    let all = |known: &[Value], seen: &[Value]| {
        known.len() == seen.len() && known.iter().zip(seen).all(|(a, b)| agree::allows(a, b))
    };
    let local = match (&launch.local, &seen.local) {
        (LocalSize::Sizes(known), LocalSize::Sizes(seen)) => all(known, seen),
        (LocalSize::Null, LocalSize::Sizes(_)) | (LocalSize::Sizes(_), LocalSize::Null) => false,
        _ => true,
    };
    local
        && agree::allows(&launch.work_dim, &seen.work_dim)
        && (launch.work_dim.constant().is_none() || all(&launch.global, &seen.global))
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

/// Says what of a launch is not only seen.
fn prove(launch: &mut Launch, proved: Vec<String>) {
    if let Some(recorded) = &mut launch.recorded {
        recorded.proved = proved;
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
    let mut join = Join::default();
    join.value("work_dim", &launch.work_dim, &mut out.work_dim);
    for (proved, seen) in launch.offset.iter().zip(&mut out.offset) {
        join.value("offset", proved, seen);
    }
    for (proved, seen) in launch.global.iter().zip(&mut out.global) {
        join.value("global size", proved, seen);
    }
    let is_proved = |dim: usize| {
        launch
            .global
            .get(dim)
            .is_some_and(|v| v.constant().is_some())
    };
    open_sizes(&mut out, is_proved);
    join.local(&launch.local, &mut out.local);
    for arg in &launch.args {
        join.argument(arg, &mut out.args);
    }
    out.args.sort_by_key(|arg| arg.index);
    prove(&mut out, join.proved);
    for text in join.contradictions {
        warnings.push(
            Diagnostic::warning(format!("{}: the host says {text}", launch.site))
                .note("recorded facts of another version of the host?")
                .help("record again: fpgacc trace -o facts.yaml -- ./app"),
        );
    }
    out
}

/// What was seen, on its way to what the host proves.
#[derive(Default)]
struct Join {
    contradictions: Vec<String>,
    /// See [`fpgacc_launch_facts::RecordedLaunch::proved`].
    proved: Vec<String>,
}

impl Join {
    /// Whether the number is proved now.
    fn value(&mut self, what: &str, proved: &Value, seen: &mut Value) -> bool {
        if let (Some(a), Some(b)) = (proved.constant(), seen.constant())
            && a != b
        {
            self.contradictions
                .push(format!("{what} {a}, a run had {b}"));
        }
        if proved.is_number() {
            *seen = proved.clone();
        }
        proved.is_number()
    }

    fn local(&mut self, proved: &LocalSize, seen: &mut LocalSize) {
        let mut all = proved == seen;
        if let (LocalSize::Sizes(proved), LocalSize::Sizes(seen)) = (proved, seen) {
            all = proved.len() == seen.len();
            for (proved, seen) in proved.iter().zip(seen) {
                all &= self.value("local size", proved, seen);
            }
        }
        if all {
            self.proved.push(LOCAL_WORD.to_string());
        }
    }

    /// A buffer that the host names counts more than where a run created it: the names of the one
    /// and the other account are not compared.
    fn argument(&mut self, proved: &Arg, seen: &mut Vec<Arg>) {
        let here = match seen.iter().position(|arg| arg.index == proved.index) {
            Some(at) => &mut seen[at].value,
            None => {
                seen.push(proved.clone());
                &mut seen.last_mut().expect("it was just added").value
            }
        };
        let word = argument_word(proved.index);
        let is_proved = match (&proved.value, here) {
            (ArgValue::Scalar(proved), ArgValue::Scalar(seen))
            | (ArgValue::Local(proved), ArgValue::Local(seen)) => self.value(&word, proved, seen),
            (ArgValue::Scalar(number), seen) if number.is_number() => {
                *seen = proved.value.clone();
                true
            }
            (ArgValue::Memory(_) | ArgValue::AnyOf(_), seen) => {
                *seen = proved.value.clone();
                true
            }
            _ => false,
        };
        if is_proved {
            self.proved.push(word);
        }
    }
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
    use fpgacc_launch_facts::RecordedLaunch;

    fn launch(kernels: &[&str], line: u32, global: Value, local: LocalSize) -> Launch {
        let names = kernels.iter().map(ToString::to_string);
        Launch {
            work_dim: Value::Const(1),
            offset: vec![Value::Const(0)],
            global: vec![global],
            local,
            ..Launch::of(Location::new("host.c", line, 1), names.collect())
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
    fn a_contradiction_is_reported_and_the_host_counts() {
        let analysed = launch(&["a"], 5, Value::Const(64), local(16));
        let seen = launch(&["a"], 5, Value::Const(64), local(8));
        let (launches, warnings) = apply_to(vec![analysed.clone()], vec![seen]);
        assert_eq!(launches, [analysed]);
        assert_eq!(warnings, 1);
    }

    #[test]
    fn what_the_host_proves_stays_proved() {
        let arg = |index, value| Arg { index, value };
        let memory = |name: &str| ArgValue::Memory(name.to_string());
        let scalar = |value| ArgValue::Scalar(value);
        let mut analysed = launch(&["a"], 5, Value::Const(64), local(16));
        analysed.args = vec![
            arg(0, memory("d_a")),
            arg(1, scalar(Value::Const(4))),
            arg(2, scalar(Value::symbolic("n"))),
            arg(3, scalar(Value::symbolic("0.5f"))),
            arg(4, ArgValue::Unknown("computed".to_string())),
            arg(5, scalar(Value::Const(7))),
        ];
        let mut seen = launch(&["a"], 5, Value::Const(64), local(16));
        seen.args = vec![
            arg(0, memory("clCreateBuffer 1")),
            arg(1, scalar(Value::Const(4))),
            arg(2, scalar(Value::Const(9))),
            arg(3, ArgValue::Seen(vec!["0.5".to_string()])),
            arg(4, scalar(Value::Const(3))),
        ];
        seen.recorded = Some(RecordedLaunch {
            count: 1,
            caller: "app+0x12".to_string(),
            program: None,
            // Only what stands beside it in the host is proved.
            proved: vec!["argument 2".to_string()],
            overlapping: vec![],
            types: vec![],
            sizes: vec![],
            time: None,
        });
        let (launches, warnings) = apply_to(vec![analysed.clone()], vec![seen.clone()]);
        assert_eq!(warnings, 0);
        let joined = &launches[0];
        let proved = [
            "local",
            "argument 0",
            "argument 1",
            "argument 3",
            "argument 5",
        ];
        assert_eq!(joined.recorded.as_ref().unwrap().proved, proved);
        let values: Vec<&ArgValue> = joined.args.iter().map(|arg| &arg.value).collect();
        let (host, run) = (&analysed.args, &seen.args);
        let expected = [&host[0], &host[1], &run[2], &host[3], &run[4], &host[5]];
        assert_eq!(values, expected.map(|arg| &arg.value));
        assert!(!joined.argument_is_proved(2) && joined.argument_is_proved(0));

        let (launches, _) = apply_to(vec![], vec![seen.clone()]);
        assert!(!launches[0].argument_is_proved(2));
        analysed.args[1].value = scalar(Value::Const(5));
        let (launches, warnings) = apply_to(vec![analysed.clone()], vec![seen]);
        assert_eq!(launches[0].args[1], analysed.args[1]);
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

    #[test]
    fn without_lines_sizes_tell_launches_of_unknown_kernels_apart() {
        let any = |line: u32, size: u64| Launch {
            kernels: Known::Unknown("of a structure".to_string()),
            ..launch(&[], line, Value::symbolic("n"), local(size))
        };
        let seen = vec![
            launch(&["a"], 0, Value::Const(64), local(8)),
            launch(&["b"], 0, Value::Const(64), local(32)),
        ];
        let (launches, _) = apply_to(vec![any(5, 8), any(9, 32), any(12, 16)], seen);
        assert_eq!(
            launches,
            [
                launch(&["a"], 5, about(64), local(8)),
                launch(&["b"], 9, about(64), local(32)),
                any(12, 16),
            ]
        );
    }
}
