//! Small hosts, each with one way in which real ones hide a size, a kernel, a buffer or a text.
//!
//! What is right stands in comments of the host, before the call that it describes:
//!
//! ```text
//! // flags: -DN=64
//! // with: second_file.c
//! // launch: kernel=scale; dim=1; global=n rounded {multiple_of 64, at_least n}; local=64;
//! //   0=main::x; 1=local 256; 2=n; queue=in_order; changes=argument 0
//! // program: options=-DW=16; sources=<k.cl> "text"; kernels=scale, add
//! // buffer: name=main::x; flags=READ_ONLY|USE_HOST_PTR; size=4096; parent=main::y; origin=64
//! ```
//!
//! A launch is the first call after its comment that launches; several comments in a row describe
//! several launches of one macro. Numbers are `64`, `16 or 32`, `1024..4096 by 64`, or an expression
//! as the host spells it, with what must hold of it in braces. `? reason` is an unknown value, with
//! a part of its reason. Several dimensions have `,` between them. What a comment leaves out is not
//! looked at, except that launches need `kernel`, `dim`, `global` and `local`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::analyse;
use fpgacc_host_analysis::syntax::{HostFile, Language, Preprocessed};
use fpgacc_launch_facts::{
    ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, Program, ProgramSource,
    QueueOrder, Symbolic, Value,
};

/// The fewest hosts that there must be.
const FEWEST_HOSTS: usize = 80;

/// What a comment expects.
struct Expectation {
    kind: Kind,
    file: String,
    line: u32,
    /// Name and value of each entry.
    entries: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Launch,
    Program,
    Buffer,
}

/// A host, and what its comments say.
struct Host {
    path: PathBuf,
    files: Vec<PathBuf>,
    flags: Vec<String>,
    expectations: Vec<Expectation>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts")
}

/// All files of the folders of `tests/hosts`, in order.
fn host_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let subject = entry.unwrap().path();
        if !subject.is_dir() || subject.ends_with("include") {
            continue;
        }
        for entry in std::fs::read_dir(subject).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_some_and(|e| e == "c" || e == "cpp") {
                files.push(file);
            }
        }
    }
    files.sort();
    files
}

/// The comments of a file that expect something, and the values of `flags` and `with`.
fn read_comments(path: &Path) -> (Vec<Expectation>, Vec<String>, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut found, mut flags, mut with) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let Some(comment) = line.trim().strip_prefix("// ") else {
            continue;
        };
        let Some((key, rest)) = comment.split_once(": ") else {
            continue;
        };
        let words = || rest.split_whitespace().map(str::to_string).collect();
        let kind = match key {
            "flags" => {
                flags = words();
                continue;
            }
            "with" => {
                with = words();
                continue;
            }
            "launch" => Kind::Launch,
            "program" => Kind::Program,
            "buffer" => Kind::Buffer,
            _ => continue,
        };
        let mut whole = rest.to_string();
        while let Some((_, next)) = lines.peek()
            && let Some(more) = next.trim().strip_prefix("//   ")
        {
            whole.push(' ');
            whole.push_str(more);
            lines.next();
        }
        let mut entries: Vec<(String, String)> = Vec::new();
        for piece in whole.split(';').filter(|p| !p.trim().is_empty()) {
            let entry = piece.split_once('=').filter(|(name, _)| {
                let name = name.trim();
                !name.is_empty() && name.chars().all(char::is_alphanumeric)
            });
            match (entry, entries.last_mut()) {
                (Some((name, value)), _) => {
                    entries.push((name.trim().to_string(), value.trim().to_string()));
                }
                // A text with `;` in it.
                (None, Some((_, value))) => value.push_str(&format!(";{}", piece.trim_end())),
                _ => panic!("{}:{}: `{piece}` has no `=`", path.display(), at + 1),
            }
        }
        found.push(Expectation {
            kind,
            file: path.to_string_lossy().into_owned(),
            line: at as u32 + 1,
            entries,
        });
    }
    (found, flags, with)
}

fn all_hosts() -> Vec<Host> {
    let all = host_files();
    let mut parts = BTreeSet::new();
    let mut hosts = Vec::new();
    for path in &all {
        let (mut expectations, flags, with) = read_comments(path);
        let mut files = vec![path.clone()];
        for name in with {
            let other = path.with_file_name(name);
            expectations.extend(read_comments(&other).0);
            parts.insert(other.clone());
            files.push(other);
        }
        hosts.push(Host {
            path: path.clone(),
            files,
            flags,
            expectations,
        });
    }
    hosts.retain(|host| !parts.contains(&host.path));
    hosts
}

fn facts_of(host: &Host) -> Facts {
    let mut sources = SourceMap::new();
    let mut parsed = Vec::new();
    for path in &host.files {
        let name = path.to_string_lossy().into_owned();
        let language = match path.extension().is_some_and(|e| e == "cpp") {
            true => Language::Cpp,
            false => Language::C,
        };
        let output = Command::new("cc")
            .args(["-E", "-dD", "-DCL_TARGET_OPENCL_VERSION=200", "-I"])
            .arg(folder().join("include"))
            .args(&host.flags)
            .arg(path)
            .output()
            .expect("cc runs (Debian packages gcc, g++ and opencl-headers)");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let pre = Preprocessed::read(&String::from_utf8_lossy(&output.stdout));
        let file = sources.add(name.clone(), std::fs::read_to_string(path).unwrap());
        let headers: Vec<_> = pre
            .user_headers(&name)
            .into_iter()
            .map(|header| {
                let text = std::fs::read_to_string(&header).unwrap();
                sources.add(header, text)
            })
            .collect();
        parsed.push(HostFile::parse(
            &sources,
            file,
            &headers,
            Some(&pre),
            language,
        ));
    }
    analyse(&parsed, &sources).facts
}

/// Where a value differs from what is expected.
fn check_value(expected: &str, value: &Value) -> Result<(), String> {
    let differs = || Err(format!("expected `{expected}`, found `{}`", shown(value)));
    if let Some(reason) = expected.strip_prefix('?') {
        return match value {
            Value::Unknown(why) if why.contains(reason.trim()) => Ok(()),
            _ => differs(),
        };
    }
    if let Some((text, rest)) = expected.split_once('{') {
        let Value::Symbolic(symbolic) = value else {
            return differs();
        };
        if symbolic.text != text.trim() {
            return differs();
        }
        let mut wanted = rest.trim_end_matches('}').split(',').map(str::trim);
        return match wanted.find(|p| !holds(symbolic, p)) {
            Some(property) => Err(format!(
                "`{property}` is not known of `{}`: {symbolic:?}",
                symbolic.text
            )),
            None => Ok(()),
        };
    }
    match shown(value) == expected {
        true => Ok(()),
        false => differs(),
    }
}

fn holds(symbolic: &Symbolic, property: &str) -> bool {
    let (name, value) = property.split_once(' ').unwrap_or((property, ""));
    match name {
        "multiple_of" => symbolic.multiple_of.to_string() == value,
        "min" => symbolic.min.is_some_and(|m| m.to_string() == value),
        "max" => symbolic.max.is_some_and(|m| m.to_string() == value),
        "at_least" => symbolic.at_least.iter().any(|text| text == value),
        "input" => symbolic.inputs.contains_key(value),
        _ => panic!("`{name}` is no property of expressions"),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Const(v) => v.to_string(),
        Value::OneOf(all) => {
            let all: Vec<_> = all.iter().map(u64::to_string).collect();
            all.join(" or ")
        }
        Value::AnyOf(all) => all.iter().map(shown).collect::<Vec<_>>().join(" or "),
        Value::Range { min, max, step } => format!("{min}..{max} by {step}"),
        Value::Symbolic(symbolic) => symbolic.text.clone(),
        Value::Unknown(reason) => format!("? {reason}"),
    }
}

fn check_values(expected: &str, values: &[Value]) -> Result<(), String> {
    let wanted: Vec<_> = split_top(expected);
    if wanted.len() != values.len() {
        let found: Vec<_> = values.iter().map(shown).collect();
        return Err(format!("expected `{expected}`, found {found:?}"));
    }
    wanted
        .iter()
        .zip(values)
        .try_for_each(|(expected, value)| check_value(expected, value))
}

/// Splits at commas outside of all brackets.
fn split_top(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        match (c, depth) {
            (',', 0) => parts.push(String::new()),
            _ => parts.last_mut().unwrap().push(c),
        }
    }
    parts.iter().map(|p| p.trim().to_string()).collect()
}

fn check_text(expected: &str, found: &str) -> Result<(), String> {
    let same = match (expected.strip_prefix('?'), found.strip_prefix('?')) {
        (Some(reason), Some(why)) => why.contains(reason.trim()),
        (None, None) => expected == found,
        _ => false,
    };
    match same {
        true => Ok(()),
        false => Err(format!("expected `{expected}`, found `{found}`")),
    }
}

fn known<T>(value: &Known<T>, text: impl Fn(&T) -> String) -> String {
    match value {
        Known::Is(value) => text(value),
        Known::Unknown(reason) => format!("? {reason}"),
    }
}

fn check_local(expected: &str, local: &LocalSize) -> Result<(), String> {
    match local {
        LocalSize::Null => check_text(expected, "NULL"),
        LocalSize::Unknown(reason) => check_text(expected, &format!("? {reason}")),
        LocalSize::Sizes(sizes) => check_values(expected, sizes),
    }
}

fn check_arg(expected: &str, value: &ArgValue) -> Result<(), String> {
    match (value, expected.strip_prefix("local ")) {
        (ArgValue::Local(bytes), Some(expected)) => check_value(expected, bytes),
        (ArgValue::Local(bytes), None) => check_text(expected, &format!("local {}", shown(bytes))),
        (ArgValue::Scalar(number), _) => check_value(expected, number),
        (ArgValue::Memory(name), _) => check_text(expected, name),
        (ArgValue::AnyOf(names), _) => check_text(expected, &names.join(" or ")),
        (ArgValue::Unknown(reason), _) => check_text(expected, &format!("? {reason}")),
        (ArgValue::Seen(all), _) => check_text(expected, &all.join(" or ")),
    }
}

fn check_launch(launch: &Launch, name: &str, expected: &str) -> Result<(), String> {
    match name {
        "kernel" => {
            let names = known(&launch.kernels, |names| {
                let mut names = names.clone();
                names.sort();
                names.join("|")
            });
            check_text(expected, &names)
        }
        "dim" => check_value(expected, &launch.work_dim),
        "global" => check_values(expected, &launch.global),
        "local" => check_local(expected, &launch.local),
        "offset" => check_values(expected, &launch.offset),
        "queue" => {
            let queue = match launch.queue {
                QueueOrder::InOrder => "in_order",
                QueueOrder::OutOfOrder => "out_of_order",
                QueueOrder::Unknown => "unknown",
            };
            check_text(expected, queue)
        }
        "same" => {
            let pairs = launch.same.iter().map(|(a, b)| format!("{a} and {b}"));
            check_text(expected, &pairs.collect::<Vec<_>>().join(", "))
        }
        "changes" => {
            let within = launch.within.as_ref();
            let changes = within.map_or("no loop".to_string(), |w| w.changes.join(", "));
            check_text(expected, &changes)
        }
        index => {
            let index: u32 = index.parse().expect("an entry of a launch");
            match launch.args.iter().find(|arg| arg.index == index) {
                Some(arg) => check_arg(expected, &arg.value),
                None => check_text(expected, "?"),
            }
        }
    }
}

fn check_program(program: &Program, name: &str, expected: &str) -> Result<(), String> {
    let text = match name {
        "options" => {
            let options = program.options.iter().map(|o| known(o, String::clone));
            options.collect::<Vec<_>>().join(" | ")
        }
        "kernels" => {
            let kernels = program.kernels.iter().map(|k| known(k, String::clone));
            kernels.collect::<Vec<_>>().join(", ")
        }
        "sources" => known(&program.sources, |pieces| {
            let pieces = pieces.iter().map(|piece| match piece {
                ProgramSource::File(name) => format!("<{name}>"),
                ProgramSource::Text { text, .. } => format!("{text:?}"),
            });
            pieces.collect::<Vec<_>>().join(" ")
        }),
        other => panic!("`{other}` is no entry of a program"),
    };
    check_text(expected, &text)
}

fn check_buffer(buffer: &Buffer, name: &str, expected: &str) -> Result<(), String> {
    let or_none = |text: &Option<String>| text.clone().unwrap_or("none".to_string());
    match name {
        "name" => check_text(expected, &or_none(&buffer.variable)),
        "flags" => {
            let flags = buffer.flags.as_ref().map(|flags| flags.join("|"));
            check_text(expected, &or_none(&flags))
        }
        "size" => check_value(expected, &buffer.size),
        "parent" => check_text(expected, &or_none(&buffer.parent)),
        "origin" => match &buffer.origin {
            Some(origin) => check_value(expected, origin),
            None => check_text(expected, "none"),
        },
        other => panic!("`{other}` is no entry of a buffer"),
    }
}

/// The things of one kind between two lines of a file, in order.
fn between<'f, T>(
    all: &'f [T],
    site: fn(&T) -> &Location,
    file: &str,
    lines: std::ops::Range<u32>,
) -> Vec<&'f T> {
    let inside = all.iter().filter(|t| {
        let site = site(t);
        site.file == file && lines.contains(&site.line)
    });
    let mut inside: Vec<_> = inside.collect();
    inside.sort_by_key(|t| (site(t).line, site(t).column));
    inside
}

/// All that is wrong with a host.
fn failures(host: &Host) -> Vec<String> {
    let mut failures = Vec::new();
    let facts = facts_of(host);
    let mut told = 0;
    for kind in [Kind::Launch, Kind::Program, Kind::Buffer] {
        let own: Vec<_> = host
            .expectations
            .iter()
            .filter(|e| e.kind == kind)
            .collect();
        if kind == Kind::Launch && own.is_empty() {
            failures.push(format!(
                "{}: it expects nothing of a launch",
                host.path.display()
            ));
        }
        let mut at = 0;
        while at < own.len() {
            // Comments in a row describe several things after the last of them.
            let in_a_row = |pair: &&[&Expectation]| {
                pair[0].file == pair[1].file
                    && between(
                        &facts.launches,
                        |l| &l.site,
                        &pair[0].file,
                        pair[0].line..pair[1].line,
                    )
                    .is_empty()
                    && kind == Kind::Launch
            };
            let count = 1 + own[at..].windows(2).take_while(in_a_row).count();
            let last = own[at + count - 1];
            let next = own.get(at + count).filter(|n| n.file == last.file);
            let lines = last.line..next.map_or(u32::MAX, |n| n.line);
            let group = &own[at..at + count];
            failures.extend(compare(&facts, kind, group, lines, &mut told));
            at += count;
        }
    }
    if told != facts.launches.len() {
        let places = facts.launches.iter();
        let places = places.map(|l| format!("{}:{}", l.site.file, l.site.line));
        failures.push(format!(
            "{}: there are launches that nothing is expected of, among {}",
            host.path.display(),
            places.collect::<Vec<_>>().join(", ")
        ));
    }
    failures
}

fn compare(
    facts: &Facts,
    kind: Kind,
    group: &[&Expectation],
    lines: std::ops::Range<u32>,
    told: &mut usize,
) -> Vec<String> {
    let mut failures = Vec::new();
    let file = &group[0].file;
    let launches = between(&facts.launches, |l| &l.site, file, lines.clone());
    let programs = between(&facts.programs, |p| &p.site, file, lines.clone());
    let buffers = between(&facts.buffers, |b| &b.site, file, lines);
    for (index, expectation) in group.iter().enumerate() {
        let place = format!("{}:{}", expectation.file, expectation.line);
        let found = match kind {
            Kind::Launch => launches.len() == group.len(),
            Kind::Program => !programs.is_empty(),
            Kind::Buffer => !buffers.is_empty(),
        };
        if !found {
            failures.push(format!(
                "{place}: {} such calls found instead of {}",
                launches.len(),
                group.len()
            ));
            continue;
        }
        if kind == Kind::Launch {
            *told += 1;
            for needed in ["kernel", "dim", "global", "local"] {
                if !expectation.entries.iter().any(|(name, _)| name == needed) {
                    failures.push(format!("{place}: `{needed}` is not given"));
                }
            }
        }
        for (name, expected) in &expectation.entries {
            let checked = match kind {
                Kind::Launch => check_launch(launches[index], name, expected),
                Kind::Program => check_program(programs[index], name, expected),
                Kind::Buffer => check_buffer(buffers[index], name, expected),
            };
            if let Err(what) = checked {
                failures.push(format!("{place}: {name}: {what}"));
            }
        }
    }
    failures
}

#[test]
fn hosts_are_understood() {
    let hosts = all_hosts();
    assert!(hosts.len() >= FEWEST_HOSTS, "only {} hosts", hosts.len());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let share = hosts.len().div_ceil(threads);
        let parts: Vec<_> = hosts
            .chunks(share)
            .map(|part| scope.spawn(|| part.iter().flat_map(failures).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|p| p.join().unwrap()).collect()
    });
    let count = hosts.len();
    assert!(
        failures.is_empty(),
        "of {count} hosts:\n{}",
        failures.join("\n")
    );
}
