//! Bad inputs, and what fpgacc says to them.
//!
//! Each file in `tests/bad/` is a case: shell commands behind `$ `, the files that they see besides those
//! of `tests/fixture/`, and, under `-- expected --`, everything that they print, with the exit code where
//! it is not 0. The commands run in a folder of their own; what is in it after one that failed must
//! be what was there before. In the expectation, `...` stands for the rest of a line, and on a line
//! of its own for any lines: what compilers say differs between their versions.
//!
//! `UPDATE_EXPECT=1 cargo test -p fpgacc-tests --test bad_inputs` writes the expectations that do
//! not fit anew: read the diff before you commit it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A case: commands, files, and the expected output.
#[derive(Default)]
struct Case {
    /// All but the expectation, as it is written.
    head: String,
    commands: Vec<String>,
    files: BTreeMap<String, String>,
    expected: String,
}

fn parse(text: &str) -> Case {
    let mut case = Case::default();
    let mut section: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let name = line
            .trim_end()
            .strip_prefix("-- ")
            .and_then(|l| l.strip_suffix(" --"));
        if let Some(name) = name {
            section = Some(name.to_string());
            if name != "expected" {
                case.files.insert(name.to_string(), String::new());
                case.head.push_str(line);
            }
            continue;
        }
        match section.as_deref() {
            Some("expected") => case.expected.push_str(line),
            Some(file) => {
                case.head.push_str(line);
                case.files.get_mut(file).unwrap().push_str(line);
            }
            None => {
                case.head.push_str(line);
                let command = line.strip_prefix("$ ").map(|c| c.trim_end().to_string());
                case.commands.extend(command);
            }
        }
    }
    case
}

/// Everything in a folder: files with their bytes, folders.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(contents(&path));
            out.insert(path, None);
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            out.insert(path, Some(bytes));
        }
    }
    out
}

fn run(case: &Case) -> String {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture");
    for name in ["host.c", "k.cl"] {
        fs::copy(fixture.join(name), folder.path().join(name)).unwrap();
    }
    for (name, text) in &case.files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut out = String::new();
    for command in &case.commands {
        run_command(command, folder.path(), &mut out);
    }
    out
}

/// Runs a command; what it prints joins `out`, unless it only prepares the folder.
fn run_command(command: &str, folder: &Path, out: &mut String) {
    let before = contents(folder);
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", fpgacc_tests::path_with_fpgacc())
        .env("LC_ALL", "C")
        .env_remove("FPGACC_TARGET")
        .env_remove("FPGACC_PLATFORM")
        .env_remove("FPGACC_AOC")
        .env_remove("INTELFPGAOCLSDKROOT")
        .env_remove("ALTERAOCLSDKROOT")
        .env_remove("CC")
        .env_remove("CXX")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !command.contains("fpgacc") {
        assert!(output.status.success(), "{command}:\n{text}");
        return;
    }
    assert!(!text.contains("panicked at"), "{command}:\n{text}");
    // Cases that build the same kernels at the same time wait for each other.
    let text = text.replace(
        "fpgacc: waiting for another build of the same kernels\n",
        "",
    );
    out.push_str(&text.replace(&*folder.to_string_lossy(), "<folder>"));
    match output.status.code() {
        Some(0) => {}
        Some(code) => {
            let _ = writeln!(out, "exit {code}");
            assert!(
                before == contents(folder),
                "{command}: a failed run changed the folder"
            );
        }
        None => panic!("{command}: killed by a signal:\n{text}"),
    }
}

/// Whether lines fit lines with `...` in them.
fn fits(expected: &[&str], got: &[&str]) -> bool {
    let Some((first, rest)) = expected.split_first() else {
        return got.is_empty();
    };
    if *first == "..." {
        return (0..=got.len()).any(|skipped| fits(rest, &got[skipped..]));
    }
    let Some((line, lines)) = got.split_first() else {
        return false;
    };
    let same = match first.strip_suffix("...") {
        Some(start) => line.starts_with(start),
        None => line == first,
    };
    same && fits(rest, lines)
}

/// What is wrong with a case; empty if nothing is.
fn check(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let case = parse(&text);
    let got = run(&case);
    let expected: Vec<&str> = case.expected.lines().collect();
    let shown: Vec<&str> = got.lines().collect();
    if fits(&expected, &shown) && !expected.is_empty() {
        return String::new();
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, format!("{}-- expected --\n{got}", case.head)).unwrap();
        return String::new();
    }
    let name = path.file_name().unwrap().to_string_lossy();
    format!("== {name}\nexpected:\n{}got:\n{got}", case.expected)
}

#[test]
fn every_bad_input_gets_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bad");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 60, "cases are missing: {}", paths.len());
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let fault = std::panic::catch_unwind(|| check(path));
                    let fault = fault.unwrap_or_else(|_| format!("== {}\n", path.display()));
                    wrong.lock().unwrap().insert(path, fault);
                }
            });
        }
    });
    let wrong: String = wrong.into_inner().unwrap().into_values().collect();
    assert!(wrong.is_empty(), "{wrong}");
}
