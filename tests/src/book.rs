//! Pages of the documentation, whose commands are run and whose files are compared.
//!
//! In a block of the language `console`, a line that starts with `$ ` is a command (with those after
//! it that a backslash at the end calls for), and the lines up to the next one are what it prints,
//! on standard output and standard error. A line `...` stands for any lines. A command must succeed,
//! unless `[exit code N]` ends what it prints. All commands of a page run one after another in a
//! folder that holds a copy of `examples/`.
//!
//! A comment `<!-- file: PATH -->` before a block says that the block is that file of the
//! repository, `<!-- write: PATH -->` that it is written into that folder; `<!-- table: NAME -->` to `<!-- end -->` is what a test makes.
//!
//! `INSTA_UPDATE=always` writes what comes out into the page in place of comparing it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::command::Workshop;

/// The folder of the repository.
pub fn repository() -> &'static Path {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("it lies in the repository")
}

/// Whether pages are written instead of compared.
fn blesses() -> bool {
    std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always")
}

/// Where pages are written, one test at a time reads a page and writes it: some pages have several.
fn turn() -> Option<MutexGuard<'static, ()>> {
    static WRITING: Mutex<()> = Mutex::new(());
    blesses().then(|| WRITING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Copies a folder of the repository, without what builds leave there.
///
/// # Panics
/// If a file cannot be read.
pub fn copy(shop: &Workshop, folder: &str) {
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(repository().join(&folder)).expect("a folder");
        for entry in entries.flatten() {
            let name = folder.join(entry.file_name());
            match entry.path().is_dir() {
                true => folders.push(name),
                false => shop.write(&name, std::fs::read(entry.path()).expect("a file")),
            }
        }
    }
}

/// Puts the first Python that knows pyopencl into the folder `bin` of a workshop, which is first in
/// the path of `shell`.
///
/// # Panics
/// If there is none: `make deps` installs it.
pub fn python(shop: &Workshop) {
    let knows = |python: &&&str| {
        let line = format!("command -v {python} && {python} -c 'import pyopencl, numpy'");
        shop.sh(&line).code == Some(0)
    };
    let names = ["python3", "/usr/bin/python3"];
    let python = names.iter().find(knows);
    let python = python.expect("make deps installs python3-pyopencl");
    let line = format!("mkdir -p bin && ln -s \"$(command -v {python})\" bin/python3");
    shop.sh(&line).success();
}

/// Puts a stand-in for Intel's aoc into a folder of a workshop.
///
/// # Panics
/// If it cannot be written.
pub fn stand_in(shop: &Workshop, folder: &str) {
    let text = repository().join("aoc-wrappers/tests/stand-in/aoc");
    shop.write(
        format!("{folder}/aoc"),
        std::fs::read(text).expect("the stand-in is there"),
    );
    shop.write(format!("{folder}/version"), "19.4\n");
    shop.write(format!("{folder}/mode"), "ok\n");
    shop.sh(&format!("chmod +x {folder}/aoc")).success();
}

/// Runs a command in the folder in which the one before it ended: what it prints, and its exit code.
fn shell(shop: &Workshop, command: &str) -> (String, Option<i32>) {
    let root = shop.path("");
    let root = root.display();
    let line = format!(
        "export PATH={root}/bin:$PATH CMAKE_PREFIX_PATH={root} FPGACC_CACHE={root}/.cache; exec 2>&1; cd \"$(cat {root}/.now)\" || exit; \
         trap 'pwd >{root}/.now' EXIT\n{command}"
    );
    let outcome = shop.sh(&line);
    let printed = outcome.stdout.replace(&format!("{root}"), "/home/me/");
    (printed, outcome.code)
}

/// Whether what was printed is what the page says, in which `...` stands for any lines.
fn is_as_said(said: &[&str], printed: &[&str]) -> bool {
    match said.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|at| is_as_said(rest, &printed[at..])),
        Some((first, rest)) => {
            let same = printed
                .first()
                .is_some_and(|line| line.trim_end() == *first);
            same && is_as_said(rest, &printed[1..])
        }
    }
}

/// Runs the commands of a block; the block with what they printed, and what differs from the page.
fn run_block(shop: &Workshop, block: &[&str], differences: &mut String) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < block.len() {
        let start = at;
        assert!(block[at].starts_with("$ "), "not a command: {}", block[at]);
        while block[at].ends_with('\\') {
            at += 1;
        }
        at += 1;
        let command = block[start..at].join("\n");
        let end = block[at..].iter().position(|line| line.starts_with("$ "));
        let end = end.map_or(block.len(), |end| at + end);
        let said = &block[at..end];
        at = end;
        let (mut printed, code) = shell(shop, &command[2..]);
        if code != Some(0) {
            let _ = writeln!(printed, "[exit code {}]", code.unwrap_or(-1));
        }
        let lines: Vec<&str> = printed.lines().collect();
        let _ = writeln!(out, "{command}");
        if is_as_said(said, &lines) {
            said.iter().for_each(|line| out.extend([line, "\n"]));
            continue;
        }
        lines
            .iter()
            .for_each(|line| out.extend([line.trim_end(), "\n"]));
        let _ = writeln!(
            differences,
            "{command}\n{printed}instead of\n{}\n",
            said.join("\n")
        );
    }
    out
}

/// Checks a page of the documentation, named from the repository's folder.
///
/// # Panics
/// If a command prints something else or a block is not the file that it is said to be; or the page
/// cannot be read.
pub fn check(page: &str) {
    let _turn = turn();
    let path = repository().join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let shop = Workshop::new();
    copy(&shop, "examples");
    shop.write(".now", shop.path("").display().to_string());
    if text.contains("$ fpgacc trace -o life.yaml") {
        python(&shop);
    }
    if text.contains("<!-- stand-in: aoc -->") {
        stand_in(&shop, "bin");
    }
    // The CMake package and all else that is installed.
    shop.sh(
        "mkdir -p bin && ln -s \"$(command -v fpgacc)\" bin && fpgacc --generate=share -o share",
    )
    .success();
    let mut out = String::new();
    let mut differences = String::new();
    let mut file = None;
    let mut write = None;
    let mut commands = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        if let Some(name) = between(line, "<!-- file: ", " -->") {
            file = Some(name);
        }
        if let Some(name) = between(line, "<!-- write: ", " -->") {
            write = Some(name);
        }
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let said: String = block.iter().map(|line| format!("{line}\n")).collect();
        if let Some(name) = write.take() {
            shop.write(name, &said);
        }
        let right = match (file.take(), language) {
            (Some(name), _) => {
                let path = repository().join(name);
                let right = std::fs::read_to_string(path).expect("the file is there");
                if right != said {
                    let _ = writeln!(differences, "{name} is another\n");
                }
                right
            }
            (None, "console") => {
                commands += block.len();
                run_block(&shop, &block, &mut differences)
            }
            _ => said,
        };
        let _ = writeln!(out, "{right}```");
    }
    assert!(commands > 0, "{page} has no command");
    settle(&path, &text, &out, &differences);
}

/// Compares a part of a page that a test makes, between `<!-- table: NAME -->` and `<!-- end -->`.
///
/// # Panics
/// If it is another, or the page has no such part.
pub fn check_table(page: &str, name: &str, right: &str) {
    let _turn = turn();
    let path = repository().join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let start = format!("<!-- table: {name} -->\n");
    let at = text.find(&start).expect("the page has the table") + start.len();
    let end = at + text[at..].find("<!-- end -->").expect("the table ends");
    let out = format!("{}{right}{}", &text[..at], &text[end..]);
    let differences = match text == out {
        true => String::new(),
        false => format!("{right}instead of\n{}", &text[at..end]),
    };
    settle(&path, &text, &out, &differences);
}

fn settle(path: &Path, text: &str, out: &str, differences: &str) {
    if differences.is_empty() {
        return;
    }
    if blesses() {
        assert_ne!(text, out, "{differences}");
        std::fs::write(path, out).expect("the page can be written");
        return;
    }
    let page = path.display();
    panic!("{page} is not what comes out (INSTA_UPDATE=always writes it anew):\n{differences}");
}

fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    line.strip_prefix(start)?.strip_suffix(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_for_any_lines() {
        let said = ["a", "...", "b"];
        assert!(is_as_said(&said, &["a", "b"]));
        assert!(is_as_said(&said, &["a", "x", "b", "b"]));
        assert!(!is_as_said(&said, &["a", "x"]));
        assert!(!is_as_said(&["a"], &["a", "b"]));
        assert!(!is_as_said(&["a", "b"], &["a"]));
    }
}
