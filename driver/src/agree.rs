//! Whether two accounts of a program can both be true: what was analysed against what a user gives
//! or a run showed.

use std::path::Path;

use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, Program, QueueOrder,
    Symbolic, Value,
};

/// Two facts that exclude each other.
#[derive(Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The call, in the first account.
    pub site: Location,
    /// Which fact of it: `global size 0`.
    pub what: String,
    /// What the first account says.
    pub first: String,
    /// What the second account says.
    pub second: String,
}

/// Whether two calls are the same: in files of one name, in one line.
pub fn is_same_call(a: &Location, b: &Location) -> bool {
    let name = |site: &Location| Path::new(&site.file).file_name().map(ToOwned::to_owned);
    a.line > 0 && a.line == b.line && name(a) == name(b)
}

/// What is reported of a call may be so many lines away from it.
const CALL_LINES: u32 = 8;

/// Puts recorded calls where the host's text has them. A compiler reports a call over several lines the
/// line of any of its arguments, and of one in a macro's argument the macro's: what is in no call's line
/// is the nearest call of its kind.
pub fn align(text: &Facts, recorded: &mut Facts) {
    let launches: Vec<&Location> = text.launches.iter().map(|l| &l.site).collect();
    let programs: Vec<&Location> = text.programs.iter().map(|p| &p.site).collect();
    let buffers: Vec<&Location> = text.buffers.iter().map(|b| &b.site).collect();
    let sites = recorded.launches.iter_mut().map(|l| &mut l.site);
    sites.for_each(|site| align_site(&launches, site));
    let sites = recorded.programs.iter_mut().map(|p| &mut p.site);
    sites.for_each(|site| align_site(&programs, site));
    let sites = recorded.buffers.iter_mut().map(|b| &mut b.site);
    sites.for_each(|site| align_site(&buffers, site));
}

fn align_site(calls: &[&Location], site: &mut Location) {
    if site.line == 0 {
        return;
    }
    let in_file = |call: &&&Location| {
        let line = call.line;
        is_same_call(
            call,
            &Location {
                line,
                ..site.clone()
            },
        )
    };
    let lines = calls.iter().filter(in_file).map(|call| call.line);
    let near = lines.filter(|line| line.abs_diff(site.line) < CALL_LINES);
    // Of two, the one in front.
    if let Some(line) = near.min_by_key(|line| (line.abs_diff(site.line), *line)) {
        site.line = line;
    }
}

/// All contradictions between two accounts, of the calls that both know.
pub fn contradictions(first: &Facts, second: &Facts) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for b in &second.launches {
        let here = first.launches.iter().filter(|a| is_launch(a, b, first));
        found.extend(least(here, |a, found| of_launches(a, b, found)));
    }
    for b in &second.programs {
        let all = first.programs.iter();
        let here: Vec<&Program> = all.filter(|a| is_same_call(&a.site, &b.site)).collect();
        of_programs(&here, b, &mut found);
    }
    for a in &first.buffers {
        // One call may make several buffers: which is which is known by names only.
        let at_call = |b: &&Buffer| is_same_call(&a.site, &b.site);
        let several = first.buffers.iter().filter(|b| b.site == a.site).count() > 1;
        if several {
            continue;
        }
        for b in second.buffers.iter().filter(at_call) {
            of_buffers(a, b, &mut found);
        }
    }
    found
}

/// One call may have several entries, as of the instances of a template: one of them must be it. What
/// contradicts the one that fits best.
fn least<'a, T: 'a>(
    entries: impl Iterator<Item = &'a T>,
    compare: impl Fn(&T, &mut Vec<Contradiction>),
) -> Vec<Contradiction> {
    let all = entries.map(|entry| {
        let mut found = Vec::new();
        compare(entry, &mut found);
        found
    });
    all.min_by_key(Vec::len).unwrap_or_default()
}

/// Launches of the second account that the first does not have.
pub fn not_found(first: &Facts, second: &Facts) -> Vec<Location> {
    let known = |launch: &Launch| {
        let mut all = first.launches.iter();
        match launch.site.line {
            0 => all.any(|a| match (&a.kernels, &launch.kernels) {
                (Known::Is(a), Known::Is(b)) => b.iter().all(|name| a.contains(name)),
                _ => true,
            }),
            _ => all.any(|a| is_same_call(&a.site, &launch.site)),
        }
    };
    let launches = second.launches.iter().filter(|launch| !known(launch));
    let mut sites: Vec<Location> = launches.map(|launch| launch.site.clone()).collect();
    sites.sort();
    sites.dedup();
    sites
}

/// Whether a launch of the second account may be one of the first: it is in its line; where lines are
/// not known, it starts a kernel that only this launch starts.
fn is_launch(a: &Launch, b: &Launch, first: &Facts) -> bool {
    if b.site.line > 0 {
        return is_same_call(&a.site, &b.site);
    }
    let starts = |launch: &Launch, name: &String| match &launch.kernels {
        Known::Is(names) => names.contains(name),
        Known::Unknown(_) => true,
    };
    match b.kernels.get().map(Vec::as_slice) {
        Some([name]) => {
            starts(a, name) && first.launches.iter().filter(|l| starts(l, name)).count() == 1
        }
        _ => false,
    }
}

fn of_launches(a: &Launch, b: &Launch, found: &mut Vec<Contradiction>) {
    let mut contradict = |what: String, first: String, second: String| {
        found.push(Contradiction {
            site: a.site.clone(),
            what,
            first,
            second,
        });
    };
    if let (Known::Is(first), Known::Is(second)) = (&a.kernels, &b.kernels)
        && !second.iter().all(|name| first.contains(name))
    {
        contradict("the kernel".into(), first.join(" or "), second.join(" or "));
    }
    let mut compare = |what: String, a: &Value, b: &Value| {
        if !allows(a, b) {
            contradict(what, describe(a), describe(b));
        }
    };
    compare("work_dim".into(), &a.work_dim, &b.work_dim);
    let dims = b.work_dim.constant().unwrap_or(3) as usize;
    let mut all = |name: &str, a: &[Value], b: &[Value]| {
        for (index, (a, b)) in a.iter().zip(b).take(dims).enumerate() {
            compare(format!("{name} {index}"), a, b);
        }
    };
    all("global offset", &a.offset, &b.offset);
    all("global size", &a.global, &b.global);
    match (&a.local, &b.local) {
        (LocalSize::Sizes(a), LocalSize::Sizes(b)) => all("local size", a, b),
        (LocalSize::Null, LocalSize::Sizes(sizes)) => {
            let sizes: Vec<_> = sizes.iter().map(describe).collect();
            contradict("the local size".into(), "NULL".into(), sizes.join(", "));
        }
        (LocalSize::Sizes(sizes), LocalSize::Null) => {
            let sizes: Vec<_> = sizes.iter().map(describe).collect();
            contradict("the local size".into(), sizes.join(", "), "NULL".into());
        }
        _ => {}
    }
    if a.queue != b.queue && ![a.queue, b.queue].contains(&QueueOrder::Unknown) {
        let order = |queue| match queue {
            QueueOrder::OutOfOrder => "out of order",
            _ => "in order",
        };
        contradict(
            "the queue".into(),
            order(a.queue).into(),
            order(b.queue).into(),
        );
    }
    for arg in &a.args {
        if let Some(other) = b.args.iter().find(|other| other.index == arg.index) {
            of_args(arg, other, &mut contradict);
        }
    }
    let overlapping = b.recorded.iter().flat_map(|recorded| &recorded.overlapping);
    for &(i, j) in overlapping {
        if let (Some(first), Some(second)) = (memory(a, i), memory(a, j))
            && first != second
        {
            contradict(
                format!("the memory of arguments {i} and {j}"),
                format!("`{first}` and `{second}`"),
                "the same or overlapping memory".into(),
            );
        }
    }
}

fn memory(launch: &Launch, index: u32) -> Option<&str> {
    match launch.argument(index)? {
        ArgValue::Memory(name) => Some(name),
        _ => None,
    }
}

fn of_args(a: &Arg, b: &Arg, contradict: &mut impl FnMut(String, String, String)) {
    let what = format!("argument {}", a.index);
    match (&a.value, &b.value) {
        (ArgValue::Scalar(first), ArgValue::Scalar(second)) if !allows(first, second) => {
            contradict(what, describe(first), describe(second));
        }
        (ArgValue::Local(first), ArgValue::Local(second)) if !allows(first, second) => {
            contradict(
                format!("the bytes of {what}"),
                describe(first),
                describe(second),
            );
        }
        (first, second) => {
            if let (Some(first), Some(second)) = (kind(first), kind(second))
                && first != second
            {
                contradict(what, first.into(), second.into());
            }
        }
    }
}

fn kind(value: &ArgValue) -> Option<&'static str> {
    match value {
        ArgValue::Memory(_) | ArgValue::AnyOf(_) => Some("a memory object"),
        ArgValue::Local(_) => Some("local memory"),
        ArgValue::Scalar(_) | ArgValue::Seen(_) => Some("a value"),
        ArgValue::Unknown(_) => None,
    }
}

/// One call may make several programs, and a run puts those of one text together.
fn of_programs(all: &[&Program], b: &Program, found: &mut Vec<Contradiction>) {
    let Some(first) = all.first() else {
        return;
    };
    let mut compare = |what: &str, of: fn(&Program) -> &[Known<String>]| {
        let known: Option<Vec<&String>> = all.iter().flat_map(|a| of(a)).map(Known::get).collect();
        let Some(known) = known else {
            return;
        };
        if all.iter().any(|a| of(a).is_empty()) {
            return;
        }
        for other in of(b).iter().filter_map(Known::get) {
            if known.iter().any(|one| one.trim() == other.trim()) {
                continue;
            }
            let known: Vec<_> = known.iter().map(|one| format!("\"{one}\"")).collect();
            found.push(Contradiction {
                site: first.site.clone(),
                what: what.to_string(),
                first: known.join(" or "),
                second: format!("\"{other}\""),
            });
        }
    };
    compare("the build options", |program| &program.options);
    compare("the kernels", |program| &program.kernels);
}

fn of_buffers(a: &Buffer, b: &Buffer, found: &mut Vec<Contradiction>) {
    let mut contradict = |what: &str, first: String, second: String| {
        found.push(Contradiction {
            site: a.site.clone(),
            what: what.to_string(),
            first,
            second,
        });
    };
    if !allows(&a.size, &b.size) {
        contradict("the buffer's size", describe(&a.size), describe(&b.size));
    }
    if let (Some(first), Some(second)) = (&a.origin, &b.origin)
        && !allows(first, second)
    {
        contradict("the sub-buffer's origin", describe(first), describe(second));
    }
    if let (Some(first), Some(second)) = (&a.flags, &b.flags)
        && first != second
    {
        contradict("the buffer's flags", first.join(" "), second.join(" "));
    }
    if a.sub_buffer != b.sub_buffer {
        let part = |is: bool| if is { "a sub-buffer" } else { "a buffer" };
        contradict(
            "the call",
            part(a.sub_buffer).into(),
            part(b.sub_buffer).into(),
        );
    }
}

/// Whether a number may be what the other account says of it.
pub fn allows(a: &Value, b: &Value) -> bool {
    match b {
        Value::Const(number) => may_be(a, *number),
        Value::OneOf(all) => all.iter().all(|number| may_be(a, *number)),
        Value::AnyOf(all) => all.iter().all(|value| allows(a, value)),
        Value::Range { min, max, .. } => may_be(a, *min) && may_be(a, *max),
        Value::Symbolic(_) | Value::Unknown(_) => true,
    }
}

/// What bits mean: a number, or a negative one of 32 or 64 bits.
fn readings(bits: u64) -> impl Iterator<Item = i128> {
    let narrow = u32::try_from(bits).ok().map(|bits| i128::from(bits as i32));
    [
        Some(i128::from(bits)),
        narrow,
        Some(i128::from(bits as i64)),
    ]
    .into_iter()
    .flatten()
}

fn is_within(symbolic: &Symbolic, number: i128) -> bool {
    number % i128::from(symbolic.multiple_of.max(1)) == 0
        && symbolic.min.is_none_or(|min| number >= i128::from(min))
        && symbolic.max.is_none_or(|max| number <= i128::from(max))
}

/// Whether a number, of which these are the bits, may be what is said.
pub fn may_be(value: &Value, number: u64) -> bool {
    match value {
        Value::Const(known) => *known == number,
        Value::OneOf(all) => all.contains(&number),
        Value::AnyOf(all) => all.iter().any(|one| may_be(one, number)),
        Value::Range { min, max, step } => {
            (*min..=*max).contains(&number) && (number - min).is_multiple_of((*step).max(1))
        }
        Value::Symbolic(symbolic) => readings(number).any(|number| is_within(symbolic, number)),
        Value::Unknown(_) => true,
    }
}

/// A number as people read it.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Const(number) => number.to_string(),
        Value::OneOf(all) => {
            let all: Vec<_> = all.iter().map(u64::to_string).collect();
            all.join(" or ")
        }
        Value::AnyOf(all) => {
            let all: Vec<_> = all.iter().map(describe).collect();
            all.join(" or ")
        }
        Value::Range { min, max, step: 1 } => format!("{min} to {max}"),
        Value::Range { min, max, step } => format!("{min} to {max} in steps of {step}"),
        Value::Symbolic(symbolic) => {
            let mut text = format!("`{}`", symbolic.text);
            if symbolic.multiple_of > 1 {
                text.push_str(&format!(", a multiple of {}", symbolic.multiple_of));
            }
            match (symbolic.min, symbolic.max) {
                (Some(min), Some(max)) => text.push_str(&format!(", {min} to {max}")),
                (Some(min), None) => text.push_str(&format!(", at least {min}")),
                (None, Some(max)) => text.push_str(&format!(", at most {max}")),
                (None, None) => {}
            }
            for bound in &symbolic.at_least {
                text.push_str(&format!(", at least `{bound}`"));
            }
            text
        }
        Value::Unknown(_) => "not known".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_with_what_is_known_of_them() {
        let rounded = Value::Symbolic(Symbolic {
            text: "n * 64".into(),
            multiple_of: 64,
            min: Some(64),
            ..Symbolic::default()
        });
        let at_most = Value::Symbolic(Symbolic {
            multiple_of: 5,
            max: Some(100),
            ..Symbolic::default()
        });
        let one_of = Value::OneOf(vec![16, 32]);
        let range = Value::Range {
            min: 4,
            max: 12,
            step: 4,
        };
        let check = |value: &Value, number: u64, expected: bool| {
            assert_eq!(
                allows(value, &Value::Const(number)),
                expected,
                "{value:?} {number}"
            );
        };
        // -5 and -4 of 32 bits, as they are recorded.
        check(&at_most, 4_294_967_291, true);
        check(&at_most, 4_294_967_292, false);
        check(&at_most, 105, false);
        check(&Value::Const(3), 3, true);
        check(&Value::Const(3), 4, false);
        check(&one_of, 32, true);
        check(&one_of, 64, false);
        check(&range, 8, true);
        check(&range, 9, false);
        check(&rounded, 128, true);
        check(&rounded, 100, false);
        check(&rounded, 0, false);
        check(
            &Value::AnyOf(vec![Value::Const(1), rounded.clone()]),
            1,
            true,
        );
        assert!(allows(&Value::Const(3), &Value::Unknown("it".into())));
        assert!(!allows(&one_of, &range));
    }

    #[test]
    fn one_of_several_entries_of_a_call_must_fit() {
        let program = |options: &[&str]| Program {
            site: Location::new("host.cpp", 7, 1),
            sources: Known::Unknown(String::new()),
            options: options.iter().map(|o| Known::Is(o.to_string())).collect(),
            is_part: false,
            kernels: Vec::new(),
            recorded: None,
        };
        let facts = |programs| Facts {
            programs,
            ..Facts::default()
        };
        let instances = facts(vec![program(&["-DF"]), program(&["-DD", "-DE"])]);
        let seen = facts(vec![program(&["-DD"]), program(&["-DF", "-DE"])]);
        assert_eq!(contradictions(&instances, &seen), []);
        let seen = facts(vec![program(&["-DG"])]);
        let found = contradictions(&instances, &seen);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].first, "\"-DF\" or \"-DD\" or \"-DE\"");
    }

    #[test]
    fn recorded_calls_are_put_where_the_text_has_them() {
        let at = |line| Location::new("host.cpp", line, 1);
        let (three, nine) = (at(3), at(9));
        let aligned = |line| {
            let mut site = at(line);
            align_site(&[&three, &nine], &mut site);
            site.line
        };
        assert_eq!([1, 3, 5, 6, 8, 16].map(aligned), [3, 3, 3, 3, 9, 9]);
        assert_eq!([0, 17].map(aligned), [0, 17]);
    }

    #[test]
    fn calls_are_the_same_by_file_name_and_line() {
        let at = |file: &str, line| Location {
            file: file.into(),
            line,
            column: 1,
        };
        assert!(is_same_call(&at("a/./h.c", 3), &at("/tmp/a/h.c", 3)));
        assert!(!is_same_call(&at("h.c", 3), &at("g.c", 3)));
        assert!(!is_same_call(&at("h.c", 0), &at("h.c", 0)));
    }
}
