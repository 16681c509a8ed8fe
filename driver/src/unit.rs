//! Compilation units: what `fpgacc -c` stores in objects for the link step.
//!
//! Separate compilation is like link-time optimisation: an object of a host carries what the host
//! analysis reads, an object of kernels carries their text, in the section [`SECTION`]. The link step
//! sees all units of all objects, so that one command with all sources and separate steps do the same.
//! A section holds one JSON document a line, so that `ld -r` may join sections.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::Language;
use indexmap::IndexSet;
use object::{Object, ObjectSection};
use serde::{Deserialize, Serialize};

use crate::line_marker::LineMarker;

/// The section's name. It never reaches an executable.
pub const SECTION: &str = ".fpgacc";

/// What the link step must know of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A host.
    Host(HostUnit),
    /// A kernel file.
    Kernels(KernelUnit),
}

/// A host source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostUnit {
    /// Its path as the user gave it.
    pub path: PathBuf,
    /// Its text, without a byte order mark; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// Names and texts of the user's own headers that it includes.
    pub headers: Vec<(String, String)>,
    /// The preprocessor's output, without the text of system headers; `None` if it failed.
    pub preprocessed: Option<String>,
    /// C++ rather than C.
    pub is_cxx: bool,
}

impl HostUnit {
    /// Its language.
    pub fn language(&self) -> Language {
        match self.is_cxx {
            true => Language::Cxx,
            false => Language::C,
        }
    }
}

/// A kernel file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelUnit {
    /// Its path as the user gave it.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its bytes, if the text is not what they are: they are no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Vec<u8>>,
    /// Options for programs whose options are not known from the host: `-D`, `-U`, `-I` and
    /// `-Xkernel` of the command line, as words.
    pub options: Vec<String>,
}

/// Units as the contents of a section.
pub fn encode(unit: &Unit) -> Vec<u8> {
    let mut line = serde_json::to_vec(unit).expect("units have no maps with keys but strings");
    line.push(b'\n');
    line
}

/// The units in an object, or in anything else (then none); `path` is for messages.
///
/// # Errors
/// The section is there but cannot be read: a message.
pub fn of_object(path: &Path, bytes: &[u8]) -> Result<Vec<Unit>, String> {
    let Ok(file) = object::File::parse(bytes) else {
        return Ok(Vec::new());
    };
    let Some(section) = file.section_by_name(SECTION) else {
        return Ok(Vec::new());
    };
    let broken = |why: String| {
        format!(
            "cannot read section {SECTION} of {}: {why}; compile it again with this fpgacc",
            path.display()
        )
    };
    let data = section.data().map_err(|e| broken(e.to_string()))?;
    data.split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).map_err(|e| broken(e.to_string())))
        .collect()
}

/// Cuts the text of system headers out of the output of `cc -E -dD`. Macro definitions stay, and the
/// names of their functions that the rest uses.
pub fn without_system_headers<'a>(
    preprocessed: &str,
    functions: impl Iterator<Item = &'a str>,
) -> String {
    let mut out = String::new();
    let mut system = false;
    for line in preprocessed.lines() {
        if let Some(marker) = LineMarker::parse(line) {
            system = marker.system;
        } else if system && !line.starts_with("#define ") && !line.starts_with("#undef ") {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    // Thousands of names, looked up for each word.
    let functions: IndexSet<&str> = functions.collect();
    let words = out.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let used: BTreeSet<&str> = words
        .filter_map(|word| functions.get(word).copied())
        .collect();
    out.push_str("# 1 \"<functions>\" 1 3\n");
    for name in used {
        out.push_str(name);
        out.push_str("();\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use fpgacc_host_analysis::syntax::Preprocessed;

    #[test]
    fn system_headers_leave_only_their_macros() {
        let text = "# 1 \"a.c\"\nint a;\n# 1 \"/usr/include/x.h\" 1 3 4\nint x;\n#define X 1\n# 2 \"a.c\" 2\nint b;\n";
        let text = format!("{text}int c = x(a) + y(b);\n");
        let cut = without_system_headers(&text, ["x", "z"].into_iter());
        let read = Preprocessed::read(&cut);
        assert_eq!(read.system_functions().collect::<Vec<_>>(), ["x"]);
        assert!(!cut.contains("int x;"));
        assert!(cut.contains("#define X 1\n"));
        assert!(cut.contains("int a;") && cut.contains("int b;"));
    }
}
