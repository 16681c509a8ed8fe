//! Dependency files for make: what an output was made from.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use crate::line_marker::LineMarker;

/// `-MD` and its kin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyOptions {
    /// `-MMD`
    pub no_system: bool,
    /// `-MF`
    pub file: Option<PathBuf>,
    /// `-MT`
    pub targets: Vec<String>,
    /// `-MP`
    pub phony: bool,
}

/// The files that an output was made from, in order of first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Path, and whether it is a system header.
    files: IndexMap<PathBuf, bool>,
    sources: usize,
}

impl Dependencies {
    /// Adds a source that the user named.
    pub fn add_source(&mut self, path: &Path) {
        // Standard input is no file that make could look at.
        if path.as_os_str() == "-" {
            return;
        }
        if self.files.insert(path.to_path_buf(), false).is_none() {
            self.sources += 1;
        }
    }

    /// Adds the files that line markers of preprocessed text name.
    pub fn add_preprocessed(&mut self, text: &str) {
        for (path, system) in line_markers(text) {
            self.files.entry(path).or_insert(system);
        }
    }

    /// All of them.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// Those that are none of the system's.
    pub fn own_files(&self) -> impl Iterator<Item = &Path> {
        let own = self.files.iter().filter(|(_, system)| !**system);
        own.map(|(path, _)| path.as_path())
    }

    /// The rule as make reads it.
    pub fn rule(&self, options: &DependencyOptions, output: &Path) -> String {
        let target = match options.targets.is_empty() {
            true => make_word(&output.display().to_string()),
            false => options.targets.join(" "),
        };
        let wanted: Vec<String> = self
            .files
            .iter()
            .filter(|(_, system)| !(options.no_system && **system))
            .map(|(path, _)| make_word(&plain(&path.display().to_string())))
            .collect();
        let mut rule = format!("{target}:");
        for word in &wanted {
            rule.push_str(" \\\n  ");
            rule.push_str(word);
        }
        rule.push('\n');
        if options.phony {
            for word in wanted.iter().skip(self.sources) {
                rule.push_str(&format!("\n{word}:\n"));
            }
        }
        rule
    }
}

/// The file that the options name for the rule, or the one beside the output.
pub fn file(options: &DependencyOptions, output: &Path) -> PathBuf {
    match &options.file {
        Some(file) => file.clone(),
        None => output.with_extension("d"),
    }
}

/// Files of line markers, and whether each is a system header. `<built-in>` and its kin are not files.
fn line_markers(text: &str) -> impl Iterator<Item = (PathBuf, bool)> {
    text.lines().filter_map(|line| {
        let LineMarker { file, system, .. } = LineMarker::parse(line)?;
        if file.starts_with('<') || file.is_empty() || file.ends_with('/') {
            return None;
        }
        let path = PathBuf::from(file.as_ref());
        path.is_file().then_some((path, system))
    })
}

/// As cc: without `./` in front.
fn plain(name: &str) -> String {
    let mut name = name;
    while let Some(rest) = name.strip_prefix("./") {
        name = rest.trim_start_matches('/');
    }
    name.to_string()
}

/// A file name as a word of a makefile.
pub fn make_word(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            ' ' | '#' => out.push('\\'),
            '$' => out.push('$'),
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("a b.h");
        std::fs::write(&header, "").unwrap();
        let mut dependencies = Dependencies::default();
        dependencies.add_source(Path::new("k.cl"));
        dependencies.add_preprocessed(&format!(
            "# 1 \"<built-in>\"\n# 1 \"{0}\" 1\nint a;\n# 1 \"{0}\" 2 3\n",
            header.display()
        ));
        let options = DependencyOptions {
            no_system: false,
            file: None,
            targets: vec![],
            phony: true,
        };
        let word = header.display().to_string().replace(' ', "\\ ");
        let rule = dependencies.rule(&options, Path::new("k.o"));
        assert_eq!(rule, format!("k.o: \\\n  k.cl \\\n  {word}\n\n{word}:\n"));
        assert_eq!(file(&options, Path::new("d/k.o")), Path::new("d/k.d"));
    }
}
