//! Which program a text is: all that the preprocessor sees of it.
//!
//! Two programs of one text differ if their macros, their options or the contents of their headers
//! do. What was seen when a program is compiled goes into the manifest, and the runtime compares it
//! with what a host asks for (`runtime/c/options.c`, `headers.c`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use fpgacc_runtime::manifest::{self, Header};

use crate::kernel_options::{identifiers, macro_name, words};
use crate::line_marker;
use crate::programs::Program;

/// What the manifest says of a program, without its kernels and its .aocx.
pub fn describe(program: &Program, preprocessed: &str) -> manifest::Program {
    let text = program.text();
    let options = &program.options;
    let included = included_files(program, preprocessed);
    let contents = included
        .iter()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes));
    let texts: Vec<Cow<'_, str>> = contents.chain([text.as_str().into()]).collect();
    let expanded = without_directives(preprocessed);
    let read = texts.iter().map(|text| &**text).chain([expanded.as_str()]);
    let names = Names::read(&read.collect::<Vec<_>>().join("\n"), &options.defines);
    let folders = options.includes.iter();
    manifest::Program {
        name: program.name(),
        source_hash: manifest::text_hash(&program.bytes()),
        aocx: String::new(),
        build: None,
        defines: options.defines_among(|name| names.matters(name)),
        any_macro: names.pastes,
        macro_names: names.sorted,
        options: options.others.clone(),
        folders: folders.map(|folder| folder.display().to_string()).collect(),
        headers: headers(program, &included, &texts),
        kernels: None,
    }
}

/// The names that a `-D` may change the text by.
struct Names {
    /// In order. Where names are pasted, with numbers, which may be parts of them.
    sorted: Vec<String>,
    pastes: bool,
}

impl Names {
    /// Names in what the preprocessor reads and makes, and in the values of macros that matter.
    fn read(text: &str, defines: &[String]) -> Self {
        let pastes = text.contains("##") || defines.iter().any(|define| define.contains("##"));
        let in_text = if pastes { words } else { identifiers };
        let mut names = Names {
            sorted: in_text(text),
            pastes,
        };
        let mut left: Vec<&String> = defines.iter().collect();
        loop {
            let matters = |define: &&String| names.matters(macro_name(define));
            let (found, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(matters);
            if found.is_empty() {
                return names;
            }
            for define in found {
                names
                    .sorted
                    .extend(in_text(&define[macro_name(define).len()..]));
            }
            names.sorted.sort_unstable();
            names.sorted.dedup();
            left = rest;
        }
    }

    fn matters(&self, name: &str) -> bool {
        let is_there = self
            .sorted
            .binary_search_by(|n| n.as_str().cmp(name))
            .is_ok();
        is_there || (self.pastes && self.can_be_pasted(name))
    }

    /// Whether a name can be put together from the words. The runtime does the same.
    fn can_be_pasted(&self, name: &str) -> bool {
        let mut reached = vec![false; name.len() + 1];
        reached[0] = true;
        for start in 0..name.len() {
            if !reached[start] {
                continue;
            }
            let rest = name.get(start..).unwrap_or_default();
            let parts = self
                .sorted
                .iter()
                .filter(|word| rest.starts_with(word.as_str()));
            parts.for_each(|word| reached[start + word.len()] = true);
        }
        reached[name.len()]
    }
}

fn without_directives(preprocessed: &str) -> String {
    let lines = preprocessed.lines().filter(|line| !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

/// Paths and contents of the files that the preprocessor opened, in order of path.
fn included_files(program: &Program, preprocessed: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let own: BTreeSet<&str> = program
        .pieces
        .iter()
        .map(|piece| piece.name.as_str())
        .collect();
    let paths = line_marker::files(preprocessed).into_iter();
    (paths.filter(|path| !own.contains(path.as_ref())))
        .map(|path| PathBuf::from(path.as_ref()))
        .filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?)))
        .collect()
}

fn headers(
    program: &Program,
    included: &[(PathBuf, Vec<u8>)],
    texts: &[Cow<'_, str>],
) -> Vec<Header> {
    let directives: Vec<Directive> = texts.iter().flat_map(|text| directives(text)).collect();
    let in_brackets: BTreeSet<&str> = (directives.iter())
        .filter(|directive| !directive.quoted)
        .map(|directive| directive.name)
        .collect();
    let mut headers: BTreeSet<Header> = BTreeSet::new();
    for (path, bytes) in included {
        let name = name_from_folder(program, path);
        headers.insert(Header {
            quoted: !in_brackets.contains(name.as_str()),
            hash: Some(manifest::text_hash(bytes)),
            name,
        });
    }
    for asked in directives.iter().filter(|directive| directive.is_question) {
        if headers.iter().any(|header| header.name == asked.name) {
            continue;
        }
        headers.insert(Header {
            name: asked.name.to_string(),
            quoted: asked.quoted,
            hash: looked_up(program, asked).map(|bytes| manifest::text_hash(&bytes)),
        });
    }
    headers.into_iter().collect()
}

/// The folders in which the preprocessor looks, without `.`.
fn folders(program: &Program) -> impl Iterator<Item = PathBuf> {
    let own = program.pieces.first().map(|piece| piece.folder.clone());
    let all = own.into_iter().chain(program.include_folders());
    all.map(|folder| clean(&folder))
}

fn looked_up(program: &Program, asked: &Directive<'_>) -> Option<Vec<u8>> {
    let skipped = usize::from(!asked.quoted);
    folders(program)
        .skip(skipped)
        .find_map(|folder| std::fs::read(folder.join(asked.name)).ok())
}

/// A file's path from the folder in which it was found: the longest one that it lies in.
fn name_from_folder(program: &Program, path: &Path) -> String {
    let path = clean(path);
    let inner =
        folders(program).filter_map(|folder| path.strip_prefix(folder).ok().map(Path::to_path_buf));
    let name = inner.min_by_key(|name| name.components().count());
    name.unwrap_or(path).display().to_string()
}

/// A path without `./`.
fn clean(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

/// An `#include`, or a `__has_include`, of a name that is spelled out.
struct Directive<'a> {
    name: &'a str,
    quoted: bool,
    is_question: bool,
}

fn directives(text: &str) -> Vec<Directive<'_>> {
    let mut out = Vec::new();
    for line in text.lines() {
        let Some(directive) = line.trim_start().strip_prefix('#') else {
            continue;
        };
        if let Some(rest) = directive.trim_start().strip_prefix("include") {
            out.extend(named(rest, false));
        }
        for (at, word) in directive.match_indices("__has_include") {
            let rest = directive[at + word.len()..].trim_start();
            out.extend(rest.strip_prefix('(').and_then(|rest| named(rest, true)));
        }
    }
    out
}

fn named(rest: &str, is_question: bool) -> Option<Directive<'_>> {
    let rest = rest.trim_start();
    let quoted = rest.starts_with('"');
    let close = if quoted { '"' } else { '>' };
    let inside = rest.strip_prefix(['"', '<'])?;
    let name = &inside[..inside.find(close)?];
    Some(Directive {
        name,
        quoted,
        is_question,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_options::KernelOptions;
    use crate::programs::Piece;

    fn program(text: &str, options: &str) -> Program {
        Program {
            pieces: vec![Piece {
                name: "k.cl".into(),
                folder: "src".into(),
                text: text.into(),
                bytes: None,
                site: None,
            }],
            options: KernelOptions::parse(options),
            options_known: true,
            is_likely: false,
            is_part: false,
            is_unused: false,
            stem: String::new(),
        }
    }

    #[test]
    fn macros_of_macros_matter() {
        let described = describe(&program("int a[A];", "-DA=B -DB=3 -DC=4"), "int a[3];");
        assert_eq!(described.defines, ["A=B", "B=3"]);
        assert!(!described.any_macro);
    }

    #[test]
    fn where_names_are_pasted_what_can_be_pasted_matters() {
        let text = "#define P(a, b) a##b\nint x = P(N, N);";
        let described = describe(&program(text, "-DNN=3 -DN2=4 -DOTHER"), "int x = 3;");
        assert!(described.any_macro);
        assert_eq!(described.defines, ["NN=3"]);
    }

    #[test]
    fn names_of_headers_are_relative_to_where_they_were_found() {
        let program = program("", "-I inc -I inc/deep");
        let name = |path: &str| name_from_folder(&program, Path::new(path));
        assert_eq!(name("src/a.h"), "a.h");
        assert_eq!(name("./inc/b/c.h"), "b/c.h");
        assert_eq!(name("inc/deep/d.h"), "d.h");
        assert_eq!(name("src/../e.h"), "../e.h");
        assert_eq!(name("/usr/f.h"), "/usr/f.h");
    }

    #[test]
    fn directives_and_questions_are_found() {
        let text =
            " # include <a.h>\n#include \"b.h\"\n#if __has_include( \"c.h\" ) && 1\n#include M\n";
        let found: Vec<_> = directives(text)
            .iter()
            .map(|d| (d.name.to_string(), d.quoted, d.is_question))
            .collect();
        let expected = [
            ("a.h", false, false),
            ("b.h", true, false),
            ("c.h", true, true),
        ];
        assert_eq!(found, expected.map(|(name, q, a)| (name.to_string(), q, a)));
    }
}
