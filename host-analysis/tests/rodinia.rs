//! The launches of Rodinia's OpenCL programs, against a table that was made by reading their
//! sources.
//!
//! The sources are not part of this repository: `FPGACC_RODINIA` names their folder `opencl`, and
//! without it there is nothing to compare.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::analyse;
use fpgacc_host_analysis::syntax::{HostFile, Language, Preprocessed};
use fpgacc_launch_facts::{Facts, Known, Launch, LocalSize, Value};
use serde_yaml::Value as Yaml;

fn read(name: &str) -> Yaml {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks");
    let text = std::fs::read_to_string(path.join(name)).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

fn words(list: &Yaml) -> Vec<String> {
    let word = |item: &Yaml| match item {
        Yaml::String(text) => text.clone(),
        Yaml::Number(number) => number.to_string(),
        other => panic!("{other:?} is no word"),
    };
    list.as_sequence().into_iter().flatten().map(word).collect()
}

fn facts_of(folder: &Path, program: &Yaml) -> Facts {
    let folder = folder.join(program["name"].as_str().unwrap());
    let mut flags = words(&program["flags"]);
    let all_cpp = flags.iter().any(|f| f == "-xc++");
    flags.retain(|f| f != "-xc++");
    let mut sources = SourceMap::new();
    let mut hosts = Vec::new();
    for name in words(&program["sources"]) {
        if name.ends_with(".cl") {
            continue;
        }
        let cpp = all_cpp || !name.ends_with(".c");
        let language = if cpp { "c++" } else { "c" };
        let output = Command::new("cc")
            .current_dir(&folder)
            .args(["-E", "-dD", "-x", language])
            .args(&flags)
            .arg(&name)
            .output()
            .expect("cc runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let pre = Preprocessed::read(&text);
        let mut add = |name: &str| {
            let bytes = std::fs::read(folder.join(name)).ok()?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Some(sources.add(name.to_string(), text))
        };
        let main = add(&name).expect("the program's source is there");
        let headers = pre.user_headers(&name);
        let headers: Vec<_> = headers.iter().filter_map(|h| add(h)).collect();
        let language = if cpp { Language::Cpp } else { Language::C };
        let pre = Some(&pre);
        hosts.push(HostFile::parse(&sources, main, &headers, pre, language));
    }
    analyse(&hosts, &sources).facts
}

/// Constants and inputs of a size.
#[derive(Default)]
struct Size {
    constants: BTreeSet<u64>,
    inputs: BTreeSet<String>,
}

impl Size {
    /// `16 or 32 or of n, m`.
    fn expected(text: &str) -> Size {
        let mut size = Size::default();
        for part in text.split(" or ") {
            match part.strip_prefix("of ") {
                Some(names) => {
                    let names = names.split(',').map(|n| n.trim().to_string());
                    size.inputs.extend(names);
                }
                None => {
                    size.constants.insert(part.trim().parse().unwrap());
                }
            }
        }
        size
    }

    fn add(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Const(v) => {
                self.constants.insert(*v);
            }
            Value::OneOf(all) => self.constants.extend(all),
            Value::AnyOf(all) => all.iter().try_for_each(|v| self.add(v))?,
            Value::Symbolic(symbolic) => self.inputs.extend(symbolic.inputs.keys().cloned()),
            Value::Range { .. } => return Err("it is a range".to_string()),
            Value::Unknown(reason) => return Err(format!("it is not known: {reason}")),
        }
        Ok(())
    }
}

/// Whether a size is one that is expected. Where an input decides, the analysis may give constants
/// that it cannot rule out.
fn check_size(expected: &str, value: &Value) -> Result<(), String> {
    let wanted = Size::expected(expected);
    let mut found = Size::default();
    found.add(value)?;
    let fine = wanted.constants.is_subset(&found.constants)
        && found.inputs.is_subset(&wanted.inputs)
        && wanted.inputs.is_empty() == found.inputs.is_empty()
        && (!wanted.inputs.is_empty() || wanted.constants == found.constants);
    match fine {
        true => Ok(()),
        false => Err(format!("expected `{expected}`, found {value:?}")),
    }
}

fn check_sizes(expected: &[String], values: &[Value]) -> Result<(), String> {
    if expected.len() != values.len() {
        return Err(format!("expected {expected:?}, found {values:?}"));
    }
    let mut pairs = expected.iter().zip(values);
    pairs.try_for_each(|(expected, value)| check_size(expected, value))
}

fn check_local(expected: &Yaml, local: &LocalSize) -> Result<(), String> {
    match local {
        LocalSize::Null if expected.as_str() == Some("NULL") => Ok(()),
        LocalSize::Sizes(sizes) => check_sizes(&words(expected), sizes),
        other => Err(format!("expected {expected:?}, found {other:?}")),
    }
}

fn check_kernels(expected: &[String], launch: &Launch) -> Result<(), String> {
    match &launch.kernels {
        Known::Is(names) if expected.iter().all(|k| names.contains(k)) => Ok(()),
        Known::Is(names) => Err(format!("expected {expected:?}, found {names:?}")),
        Known::Unknown(reason) => Err(format!("it is not known: {reason}")),
    }
}

#[derive(Debug, Default)]
struct Counts {
    launches: usize,
    kernels: usize,
    dimensions: usize,
    local: usize,
    global: usize,
    options: usize,
    all_options: usize,
}

#[test]
fn launches_are_those_of_the_table() {
    let Some(folder) = std::env::var_os("FPGACC_RODINIA") else {
        eprintln!("nothing is compared: FPGACC_RODINIA does not name Rodinia's folder `opencl`");
        return;
    };
    let folder = Path::new(&folder);
    let programs = read("rodinia.yaml");
    let programs = programs["programs"].as_sequence().unwrap();
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for entry in read("rodinia_launches.yaml").as_sequence().unwrap() {
        let name = entry["program"].as_str().unwrap();
        let source = entry.get("source");
        let program = programs.iter().find(|p| {
            let first = source.is_none_or(|s| p["sources"][0] == *s);
            p["name"].as_str() == Some(name) && first
        });
        let facts = facts_of(folder, program.expect("a program of rodinia.yaml"));
        let known = |p: &fpgacc_launch_facts::Program| match &p.options[..] {
            [Known::Is(options)] => options.clone(),
            other => format!("{other:?}"),
        };
        let found: Vec<String> = facts.programs.iter().map(known).collect();
        counts.all_options += 1;
        match words(&entry["options"]) == found {
            true => counts.options += 1,
            false => wrong.push(format!("{name}: options are {found:?}")),
        }
        let table = entry["launches"].as_sequence().unwrap();
        if table.len() != facts.launches.len() {
            wrong.push(format!("{name}: {} launches", facts.launches.len()));
        }
        for expected in table {
            counts.launches += 1;
            let at = expected["at"].as_str().unwrap();
            let launch = facts.launches.iter().find(|l| {
                let site = &l.site;
                format!("{}:{}", site.file, site.line) == at
            });
            let Some(launch) = launch else {
                wrong.push(format!("{name}: no launch at {at}"));
                continue;
            };
            let mut note =
                |what: &str, count: &mut usize, checked: Result<(), String>| match checked {
                    Ok(()) => *count += 1,
                    Err(why) => wrong.push(format!("{name}, {at}: {what}: {why}")),
                };
            let kernels = check_kernels(&words(&expected["kernels"]), launch);
            note("kernel", &mut counts.kernels, kernels);
            let dim = expected["dim"].as_u64().unwrap();
            let same = match launch.work_dim == Value::Const(dim) {
                true => Ok(()),
                false => Err(format!("{:?}", launch.work_dim)),
            };
            note("work_dim", &mut counts.dimensions, same);
            let global = check_sizes(&words(&expected["global"]), &launch.global);
            note("global", &mut counts.global, global);
            let local = check_local(&expected["local"], &launch.local);
            note("local", &mut counts.local, local);
        }
    }
    println!("{counts:?}\n{}", wrong.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
