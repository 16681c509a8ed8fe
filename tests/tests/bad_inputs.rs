//! Bad inputs, and what fpgacc says to them.
//!
//! Each file in `tests/bad/` is a case: shell commands behind `$ `, the files that they see, and, under
//! `-- expected --`, everything that they print, with the exit code where it is not 0. The commands
//! run in a folder of their own; what is in it afterwards must be what was there before.
//! `UPDATE_EXPECT=1 cargo test -p fpgacc-tests --test bad_inputs` writes the expectations anew: read
//! the diff before you commit it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A case: commands, files, and the expected output.
struct Case {
    head: String,
    commands: Vec<String>,
    files: BTreeMap<String, String>,
    expected: String,
}

fn parse(text: &str) -> Case {
    let mut case = Case {
        head: String::new(),
        commands: Vec::new(),
        files: BTreeMap::new(),
        expected: String::new(),
    };
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
            }
        }
        match section.as_deref() {
            Some("expected") if name.is_none() => case.expected.push_str(line),
            Some("expected") => {}
            Some(file) => {
                case.head.push_str(line);
                if name.is_none() {
                    case.files.get_mut(file).unwrap().push_str(line);
                }
            }
            None => {
                case.head.push_str(line);
                if let Some(command) = line.strip_prefix("$ ") {
                    case.commands.push(command.trim_end().to_string());
                }
            }
        }
    }
    case
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.insert(path.clone(), Vec::new());
            out.extend(contents(&path));
        } else {
            out.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
    out
}

fn run(case: &Case) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &case.files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut out = String::new();
    for command in &case.commands {
        let sets_up = !command.contains("fpgacc");
        let before = contents(folder.path());
        let output = Command::new("sh")
            .args(["-c", &format!("{command} 2>&1")])
            .current_dir(folder.path())
            .env("PATH", fpgacc_tests::path_with_fpgacc())
            .env("LC_ALL", "C")
            .env_remove("FPGACC_TARGET")
            .env_remove("INTELFPGAOCLSDKROOT")
            .output()
            .unwrap();
        if sets_up {
            continue;
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!text.contains("panicked at"), "{command}:\n{text}");
        let _ = write!(
            out,
            "{}",
            text.replace(&*folder.path().to_string_lossy(), "<folder>")
        );
        match output.status.code() {
            Some(0) => {}
            Some(code) => {
                let _ = writeln!(out, "exit {code}");
                let after = contents(folder.path());
                assert!(
                    before == after,
                    "{command}: a failed run changed the folder"
                );
            }
            None => panic!("{command}: killed by a signal:\n{text}"),
        }
    }
    out
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
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = String::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let case = parse(&text);
        let got = run(&case);
        if got == case.expected {
            continue;
        }
        if update {
            fs::write(&path, format!("{}-- expected --\n{got}", case.head)).unwrap();
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy();
        let _ = write!(wrong, "== {name}\nexpected:\n{}got:\n{got}", case.expected);
    }
    assert!(wrong.is_empty(), "{wrong}");
}
