//! Facts of several runs as one: what differs becomes a set, then a range, then unknown.

use fpgacc_launch_facts::recorded::{
    RecordedAccess, RecordedBranch, RecordedLoop, RecordedWays, Time,
};
use fpgacc_launch_facts::{Arg, ArgValue, Buffer, Facts, Launch, Program, Value};

/// The most numbers that are listed; more become a range.
pub const SEEN_MOST: usize = 8;

/// The most buffers that are listed for an argument.
const BUFFERS_MOST: usize = 16;

/// Numbers that are one of two facts.
pub fn value(a: &Value, b: &Value) -> Value {
    if a == b {
        return a.clone();
    }
    match (listed(a), listed(b)) {
        (Some(a), Some(b)) => of_numbers(a.iter().chain(&b).copied()),
        _ => match (range(a), range(b)) {
            (Some(a), Some(b)) => join(a, b),
            _ => unknown(a, b),
        },
    }
}

/// A fact of numbers that were seen.
pub fn of_numbers(numbers: impl IntoIterator<Item = u64>) -> Value {
    let mut numbers: Vec<u64> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers[..] {
        [] => Value::Unknown("it was not seen".to_string()),
        [one] => Value::Const(one),
        _ if numbers.len() <= SEEN_MOST => Value::OneOf(numbers),
        [min, .., max] => Value::Range {
            min,
            max,
            step: numbers.iter().fold(0, |step, n| divisor(step, n - min)),
        },
    }
}

fn listed(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::Const(one) => Some(vec![*one]),
        Value::OneOf(all) => Some(all.clone()),
        _ => None,
    }
}

/// Least, greatest, step.
fn range(value: &Value) -> Option<(u64, u64, u64)> {
    match value {
        Value::Range { min, max, step } => Some((*min, *max, *step)),
        _ => {
            let all = listed(value)?;
            let min = *all.iter().min()?;
            let step = all.iter().fold(0, |step, n| divisor(step, n - min));
            Some((min, *all.iter().max()?, step))
        }
    }
}

fn join(a: (u64, u64, u64), b: (u64, u64, u64)) -> Value {
    let step = divisor(divisor(a.2, b.2), a.0.abs_diff(b.0));
    Value::Range {
        min: a.0.min(b.0),
        max: a.1.max(b.1),
        step: step.max(1),
    }
}

fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn unknown(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Unknown(_), _) => a.clone(),
        (_, Value::Unknown(_)) => b.clone(),
        _ => Value::Unknown("it differs from run to run".to_string()),
    }
}

fn argument(a: &ArgValue, b: &ArgValue) -> ArgValue {
    if a == b {
        return a.clone();
    }
    if let (Some(a), Some(b)) = (a.memory(), b.memory()) {
        return of_buffers(a.iter().chain(b).cloned());
    }
    match (a, b) {
        (ArgValue::Local(a), ArgValue::Local(b)) => ArgValue::Local(value(a, b)),
        (ArgValue::Scalar(a), ArgValue::Scalar(b)) => ArgValue::Scalar(value(a, b)),
        (ArgValue::Seen(a), ArgValue::Seen(b)) => of_texts(a.iter().chain(b).cloned()),
        (ArgValue::Unknown(_), _) => a.clone(),
        (_, ArgValue::Unknown(_)) => b.clone(),
        _ => ArgValue::Unknown("it was of different kinds".to_string()),
    }
}

/// An argument that was one of these buffers, in the order in which they were seen.
pub fn of_buffers(names: impl IntoIterator<Item = String>) -> ArgValue {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    match all.len() {
        0 => ArgValue::Unknown("memory that another call created".to_string()),
        1 => ArgValue::Memory(all.remove(0)),
        2..=BUFFERS_MOST => ArgValue::AnyOf(all),
        _ => ArgValue::Unknown(format!("more than {BUFFERS_MOST} buffers were passed")),
    }
}

/// An argument that was one of these values.
pub fn of_texts(texts: impl IntoIterator<Item = String>) -> ArgValue {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    match all.len() {
        1..=SEEN_MOST => ArgValue::Seen(all),
        _ => ArgValue::Unknown(format!("more than {SEEN_MOST} values were passed")),
    }
}

/// Adds recorded facts to others of the same program.
pub fn add(facts: &mut Facts, more: Facts) {
    if let Some(more) = more.recording {
        let all = facts.recording.get_or_insert_default();
        all.runs += more.runs;
        all.devices.extend(more.devices);
        all.devices.sort();
        all.devices.dedup();
    }
    for program in more.programs {
        add_program(&mut facts.programs, program);
    }
    for buffer in more.buffers {
        add_buffer(&mut facts.buffers, buffer);
    }
    for launch in more.launches {
        add_launch(&mut facts.launches, launch);
    }
}

/// Whether facts describe a program that other facts describe too: one text in common.
pub fn is_same_program(a: &Facts, b: &Facts) -> bool {
    let hashes = |facts: &Facts| -> Vec<String> {
        let recorded = facts.programs.iter().filter_map(|p| p.recorded.as_ref());
        recorded.map(|recorded| recorded.hash.clone()).collect()
    };
    let (a, b) = (hashes(a), hashes(b));
    a.iter().any(|hash| b.contains(hash))
}

fn add_program(programs: &mut Vec<Program>, program: Program) {
    let hash = |p: &Program| p.recorded.as_ref().map(|recorded| recorded.hash.clone());
    let same = |p: &&mut Program| p.site == program.site && hash(p) == hash(&program);
    let Some(known) = programs.iter_mut().find(same) else {
        programs.push(program);
        return;
    };
    for options in program.options {
        if !known.options.contains(&options) {
            known.options.push(options);
        }
    }
    for kernel in program.kernels {
        if !known.kernels.contains(&kernel) {
            known.kernels.push(kernel);
        }
    }
    if let (Some(known), Some(more)) = (&mut known.recorded, program.recorded) {
        add_loops(&mut known.loops, more.loops);
        add_branches(&mut known.branches, more.branches);
        add_accesses(&mut known.accesses, more.accesses);
        add_ways(&mut known.ways, more.ways);
    }
}

/// Adds what loops of other runs, or of other build options, counted.
pub fn add_loops(loops: &mut Vec<RecordedLoop>, more: Vec<RecordedLoop>) {
    for one in more {
        let same = |l: &&mut RecordedLoop| l.site == one.site && l.function == one.function;
        match loops.iter_mut().find(same) {
            Some(known) => {
                known.entries = known.entries.saturating_add(one.entries);
                known.iterations = known.iterations.saturating_add(one.iterations);
            }
            None => loops.push(one),
        }
    }
    loops.sort_by(|a, b| (&a.site, &a.function).cmp(&(&b.site, &b.function)));
}

/// As [`add_loops`].
pub fn add_branches(branches: &mut Vec<RecordedBranch>, more: Vec<RecordedBranch>) {
    for one in more {
        let same = |b: &&mut RecordedBranch| {
            b.site == one.site && b.function == one.function && b.kind == one.kind
        };
        match branches.iter_mut().find(same) {
            Some(known) => {
                known.evaluated = known.evaluated.saturating_add(one.evaluated);
                known.taken = known.taken.saturating_add(one.taken);
            }
            None => branches.push(one),
        }
    }
    branches.sort_by(|a, b| (&a.site, &a.function, a.kind).cmp(&(&b.site, &b.function, b.kind)));
}

/// As [`add_loops`].
pub fn add_accesses(accesses: &mut Vec<RecordedAccess>, more: Vec<RecordedAccess>) {
    let key = |a: &RecordedAccess| (a.site.clone(), a.kernel.clone(), a.write, a.warp, a.sector);
    for one in more {
        match accesses.iter_mut().find(|known| key(known) == key(&one)) {
            Some(known) => known.add(&one),
            None => accesses.push(one),
        }
    }
    accesses.sort_by_cached_key(key);
}

/// As [`add_loops`].
pub fn add_ways(ways: &mut Vec<RecordedWays>, more: Vec<RecordedWays>) {
    let key = |a: &RecordedWays| (a.site.clone(), a.short_circuit, a.kernel.clone(), a.warp);
    for one in more {
        match ways.iter_mut().find(|known| key(known) == key(&one)) {
            Some(known) => known.add(&one),
            None => ways.push(one),
        }
    }
    ways.sort_by_cached_key(key);
}

fn add_buffer(buffers: &mut Vec<Buffer>, buffer: Buffer) {
    let same = |b: &&mut Buffer| b.site == buffer.site && b.variable == buffer.variable;
    let Some(known) = buffers.iter_mut().find(same) else {
        buffers.push(buffer);
        return;
    };
    known.use_host_ptr |= buffer.use_host_ptr;
    known.sub_buffer |= buffer.sub_buffer;
    known.size = value(&known.size, &buffer.size);
    for flag in buffer.flags.into_iter().flatten() {
        let flags = known.flags.get_or_insert_default();
        if !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    if let (Some(a), Some(b)) = (&known.origin, &buffer.origin) {
        known.origin = Some(value(a, b));
    }
}

/// Launches that are one entry: of one kernel, from one position, with one local size.
fn is_same_launch(a: &Launch, b: &Launch) -> bool {
    let (Some(recorded_a), Some(recorded_b)) = (&a.recorded, &b.recorded) else {
        return false;
    };
    a.site == b.site
        && a.kernels == b.kernels
        && a.work_dim == b.work_dim
        && a.local == b.local
        && recorded_a.program == recorded_b.program
        && a.queue == b.queue
}

fn add_launch(launches: &mut Vec<Launch>, launch: Launch) {
    let Some(known) = launches.iter_mut().find(|l| is_same_launch(l, &launch)) else {
        launches.push(launch);
        return;
    };
    widen_geometry(known, &launch);
    let (Some(known), Some(more)) = (&mut known.recorded, launch.recorded) else {
        return;
    };
    known.count += more.count;
    known.overlapping.extend(more.overlapping);
    known.overlapping.sort_unstable();
    known.overlapping.dedup();
    known.time = match (known.time, more.time) {
        (Some(a), Some(b)) => Some(Time {
            count: a.count + b.count,
            min_ns: a.min_ns.min(b.min_ns),
            max_ns: a.max_ns.max(b.max_ns),
            total_ns: a.total_ns + b.total_ns,
        }),
        (a, b) => a.or(b),
    };
}

fn widen_geometry(known: &mut Launch, more: &Launch) {
    for (a, b) in known.offset.iter_mut().zip(&more.offset) {
        *a = value(a, b);
    }
    for (a, b) in known.global.iter_mut().zip(&more.global) {
        *a = value(a, b);
    }
    let both = known.args.iter().filter_map(|arg| {
        let other = more.args.iter().find(|other| other.index == arg.index)?;
        Some(Arg {
            index: arg.index,
            value: argument(&arg.value, &other.value),
        })
    });
    known.args = both.collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_a_set_then_a_range() {
        let c = Value::Const;
        assert_eq!(value(&c(4), &c(4)), c(4));
        let two = value(&c(64), &c(16));
        assert_eq!(two, Value::OneOf(vec![16, 64]));
        let many = of_numbers((0..10).map(|i| 8 + 24 * i));
        let range = |min, max, step| Value::Range { min, max, step };
        assert_eq!(many, range(8, 224, 24));
        assert_eq!(value(&many, &c(20)), range(8, 224, 12));
        assert_eq!(value(&two, &many), range(8, 224, 8));
        let lost = Value::Unknown("why".to_string());
        assert_eq!(value(&lost, &many), lost);
    }

    #[test]
    fn arguments_become_sets_of_buffers() {
        let buffer = |name: &str| ArgValue::Memory(name.to_string());
        let both = argument(&buffer("a"), &buffer("b"));
        assert_eq!(both, ArgValue::AnyOf(vec!["a".into(), "b".into()]));
        assert_eq!(argument(&both, &buffer("a")), both);
        assert!(matches!(
            argument(&buffer("a"), &ArgValue::Scalar(Value::Const(1))),
            ArgValue::Unknown(_)
        ));
    }
}
