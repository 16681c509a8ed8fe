//! Bad inputs, and what fpgacc says to them.
//!
//! Each file in `tests/bad/` is a case: shell commands after `$ `, and the files that they see besides those
//! of `tests/fixture/`. Its snapshot is everything that they print, with the exit code where it is not 0.
//! The commands run in a folder of their own; what is in it after one that failed must be what was
//! there before. In a snapshot, `...` stands for the rest of a line, and on a line of its own for any
//! lines: what compilers say differs between their versions.
//!
//! `INSTA_UPDATE=always` writes the snapshots that do not fit anew: read the diff before you commit it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use insta::Snapshot;
use insta::comparator::Comparator;
use insta::internals::SnapshotContents;

/// A case: commands and files.
#[derive(Default)]
struct Case {
    commands: Vec<String>,
    files: BTreeMap<String, String>,
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
            case.files.insert(name.to_string(), String::new());
        } else if let Some(file) = &section {
            case.files.get_mut(file).unwrap().push_str(line);
        } else {
            let command = line.strip_prefix("$ ").map(|c| c.trim_end().to_string());
            case.commands.extend(command);
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

/// Compares what was printed with a snapshot that has `...` in it.
#[derive(Clone)]
struct Wildcards;

impl Comparator for Wildcards {
    fn matches(&self, reference: &Snapshot, test: &Snapshot) -> bool {
        let (SnapshotContents::Text(expected), SnapshotContents::Text(got)) =
            (reference.contents(), test.contents())
        else {
            return false;
        };
        let (expected, got) = (expected.to_string(), got.to_string());
        let [expected, got] = [&expected, &got].map(|text| text.lines().collect::<Vec<_>>());
        !expected.is_empty() && fits(&expected, &got)
    }

    fn dyn_clone(&self) -> Box<dyn Comparator> {
        Box::new(self.clone())
    }
}

fn check(path: &Path, settings: &insta::Settings) {
    let got = run(&parse(&fs::read_to_string(path).unwrap()));
    let name = path.file_name().unwrap().to_string_lossy();
    settings.bind(|| insta::assert_snapshot!(name.as_ref(), got));
}

#[test]
fn every_bad_input_gets_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bad");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|path| path.extension().is_none())
        .collect();
    paths.sort();
    assert!(paths.len() >= 60, "cases are missing: {}", paths.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_comparator(Box::new(Wildcards));
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // The snapshot that does not fit is printed.
                    if std::panic::catch_unwind(AssertUnwindSafe(|| check(path, &settings)))
                        .is_err()
                    {
                        wrong.lock().unwrap().push(path);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
}
