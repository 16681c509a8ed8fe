//! Optimization records: remarks as the YAML documents that LLVM's tools read
//! (`-fsave-optimization-record`), among them opt-viewer, opt-stats, opt-diff and llvm-opt-report.
//!
//! The format is that of <https://llvm.org/docs/Remarks.html>: a stream of documents that are tagged
//! with the kind of the remark, whose message is the concatenation of all values of `Args`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fpgacc_device_passes::remark::{Kind, Remark};
use fpgacc_frontend::source::{SourceMap, Span};
use serde::Serialize;

/// Whether and where a record is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordOptions {
    /// `-fsave-optimization-record`
    pub is_wanted: bool,
    /// `-foptimization-record-file`
    pub file: Option<PathBuf>,
    /// `-foptimization-record-passes`: only of passes whose name contains this.
    pub passes: Option<String>,
}

impl RecordOptions {
    /// The file of the record that belongs to an output: `app.opt.yaml` beside `app`, `app.o` and
    /// `app.aocx`, as clang names it. `None`: no record is asked for.
    pub fn path(&self, output: &Path) -> Option<PathBuf> {
        if !self.is_wanted {
            return None;
        }
        let beside = || output.with_extension("opt.yaml");
        Some(self.file.clone().unwrap_or_else(beside))
    }
}

/// The remarks of a run so far.
#[derive(Debug, Default)]
pub struct OptRecord {
    documents: Vec<Document>,
}

#[derive(Debug, Serialize)]
enum Document {
    Passed(Body),
    Missed(Body),
    Analysis(Body),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Body {
    pass: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug_loc: Option<DebugLoc>,
    function: String,
    args: Vec<Arg>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct DebugLoc {
    file: String,
    line: u32,
    column: u32,
}

/// A piece of the message: one key that says what it is, with its text.
#[derive(Debug, Serialize)]
struct Arg {
    #[serde(flatten)]
    piece: BTreeMap<&'static str, String>,
    #[serde(rename = "DebugLoc", skip_serializing_if = "Option::is_none")]
    position: Option<DebugLoc>,
}

impl OptRecord {
    /// Adds a remark.
    pub fn add(&mut self, remark: &Remark, sources: &SourceMap) {
        let position = |span: Span| {
            let at = sources.location(sources.nearest(span));
            DebugLoc {
                file: at.file,
                line: at.line,
                column: at.column,
            }
        };
        let arg = |key, text: &str, span: Option<Span>| Arg {
            piece: BTreeMap::from([(key, text.to_string())]),
            position: span.map(position),
        };
        let mut args = vec![arg("String", &remark.note.text, None)];
        for (span, label) in &remark.note.also {
            args.push(arg("String", "; ", None));
            args.push(arg("Place", label, Some(*span)));
        }
        let body = Body {
            pass: remark.pass.to_string(),
            name: remark.name.clone(),
            debug_loc: remark.note.span.map(position),
            function: remark.kernel.clone(),
            args,
        };
        self.documents.push(match remark.kind {
            Kind::Passed => Document::Passed(body),
            Kind::Missed => Document::Missed(body),
            Kind::Analysis => Document::Analysis(body),
        });
    }

    /// The text of the file.
    ///
    /// # Errors
    /// What cannot be written as YAML.
    pub fn text(&self, options: &RecordOptions) -> Result<String, serde_yaml::Error> {
        let wanted = |document: &&Document| {
            let (Document::Passed(body) | Document::Missed(body) | Document::Analysis(body)) =
                document;
            let filter = options.passes.as_deref().unwrap_or_default();
            body.pass.contains(filter)
        };
        let mut text = String::new();
        for document in self.documents.iter().filter(wanted) {
            text.push_str(&format!("--- {}...\n", serde_yaml::to_string(document)?));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use fpgacc_device_passes::pass::Note;

    use super::*;

    #[test]
    fn remarks_are_tagged_documents_whose_arguments_join_to_the_message() {
        let mut sources = SourceMap::new();
        let file = sources.add("k.cl", "a\nb: '12'\n");
        let at = |start| Span {
            file,
            start,
            end: start + 1,
        };
        let mut note = Note::new("depends: on 'x'", Some(at(0)));
        note.also.push((at(2), "12".to_string()));
        let mut record = OptRecord::default();
        record.add(
            &Remark::new(Kind::Missed, "reduction", "k", &note, None),
            &sources,
        );
        let all = RecordOptions::default();
        let expected = "--- !Missed\nPass: reduction\nName: NoReduction\nDebugLoc:\n  File: k.cl\n  \
                        Line: 1\n  Column: 1\nFunction: k\nArgs:\n- String: 'depends: on ''x'''\n\
                        - String: '; '\n- Place: '12'\n  DebugLoc:\n    File: k.cl\n    Line: 2\n    \
                        Column: 1\n...\n";
        assert_eq!(record.text(&all).unwrap(), expected);
        let other = RecordOptions {
            passes: Some("restrict".to_string()),
            ..all
        };
        assert_eq!(record.text(&other).unwrap(), "");
    }

    #[test]
    fn records_lie_beside_the_output() {
        let mut options = RecordOptions::default();
        assert_eq!(options.path(Path::new("out/app")), None);
        options.is_wanted = true;
        for (output, file) in [
            ("out/app", "out/app.opt.yaml"),
            ("k.aocx", "k.opt.yaml"),
            ("k.fpga.cl", "k.fpga.opt.yaml"),
        ] {
            assert_eq!(options.path(Path::new(output)), Some(PathBuf::from(file)));
        }
    }
}
