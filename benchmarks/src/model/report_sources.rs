//! The kernels that aoc puts into its reports: `fileJSON` of `report_data.js`, for measurements that were published
//! with reports instead of sources.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

/// A file that was compiled.
#[derive(Deserialize)]
struct Compiled {
    path: PathBuf,
    content: String,
}

/// Writes the files of a report into a folder, below their paths, and says where the one of this name is.
///
/// # Errors
/// The report cannot be read, or has no such file.
pub fn unpack(report: &Path, name: &Path, folder: &Path) -> Result<PathBuf, String> {
    let shown = report.display();
    let text = fs::read(report).map_err(|e| format!("{shown}: {e}"))?;
    let files = files(&String::from_utf8_lossy(&text)).ok_or(format!("{shown}: no sources"))?;
    let mut found = None;
    for file in files {
        let below = file.path.components();
        let below =
            below.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        let path = folder.join(below.collect::<PathBuf>());
        let parent = path.parent().unwrap_or(folder);
        let made = fs::create_dir_all(parent).and_then(|()| fs::write(&path, &file.content));
        made.map_err(|e| e.to_string())?;
        if path.ends_with(name) {
            found = Some(path);
        }
    }
    found.ok_or(format!("{shown}: no {}", name.display()))
}

fn files(script: &str) -> Option<Vec<Compiled>> {
    let (_, list) = script.split_once("fileJSON=")?;
    let list = json(list);
    let mut values = serde_json::Deserializer::from_str(&list).into_iter();
    values.next()?.ok()
}

/// Strings of JavaScript as JSON has them: it knows neither `\012` nor `\'`, and tabs are to be escaped.
fn json(script: &str) -> String {
    let mut text = String::new();
    let script = script.replace('\t', " ");
    let mut rest = script.as_str();
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let digits = after
            .bytes()
            .take(3)
            .take_while(|c| matches!(c, b'0'..=b'7'));
        let taken = match digits.count() {
            0 => escaped(after, &mut text),
            count => {
                let code = u32::from_str_radix(&after[..count], 8).unwrap_or_default();
                text.push_str(&format!("\\u{code:04x}"));
                count
            }
        };
        rest = &after[taken..];
    }
    text + rest
}

/// What follows a backslash, and how long it is.
fn escaped(after: &str, text: &mut String) -> usize {
    let Some(first) = after.chars().next() else {
        return 0;
    };
    if !"\"\\/bfnrtu".contains(first) {
        return 0;
    }
    text.push('\\');
    text.push(first);
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reports_sources_are_files_again() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report_data.js");
        let script = r##"var infoJSON='{}';var fileJSON=[{"index":0,"path":"/home/a/device/k.cl","content":"#include \"../inc/n.h\"\012char c = \'a\'; // \\0"},{"index":1,"path":"/home/a/device/../inc/n.h","content":"\011int	n;"}];"##;
        fs::write(&report, script).unwrap();
        let kernel = unpack(&report, Path::new("k.cl"), folder.path()).unwrap();
        let text = fs::read_to_string(&kernel).unwrap();
        assert_eq!(text, "#include \"../inc/n.h\"\nchar c = 'a'; // \\0");
        let header = kernel.parent().unwrap().join("../inc/n.h");
        assert_eq!(fs::read_to_string(header).unwrap(), "\tint n;");
        assert!(unpack(&report, Path::new("other.cl"), folder.path()).is_err());
    }
}
