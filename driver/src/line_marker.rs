//! The preprocessor's line markers: `# 12 "a.c" 1 3`.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Where the text after it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMarker<'a> {
    /// The number of the next line.
    pub line: u32,
    /// The file's name; `<built-in>` and its like are none.
    pub file: Cow<'a, str>,
    /// Whether it is a system header.
    pub system: bool,
}

impl<'a> LineMarker<'a> {
    /// What a line says; `None`: it is no marker.
    pub fn parse(line: &'a str) -> Option<Self> {
        let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
        let (name, flags) = rest.rsplit_once('"')?;
        Some(LineMarker {
            line: number.parse().ok()?,
            file: match name.contains('\\') {
                true => name.replace("\\\\", "\\").replace("\\\"", "\"").into(),
                false => name.into(),
            },
            system: flags.split_whitespace().any(|flag| flag == "3"),
        })
    }
}

/// The files that a preprocessed text names, in order of name.
pub fn files(preprocessed: &str) -> BTreeSet<Cow<'_, str>> {
    let markers = preprocessed.lines().filter_map(LineMarker::parse);
    let names = markers.map(|marker| marker.file);
    names.filter(|name| !name.starts_with('<')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_name_files_and_their_kind() {
        let marker = |line, file: &'static str, system| LineMarker {
            line,
            file: file.into(),
            system,
        };
        let parse = LineMarker::parse;
        assert_eq!(
            parse("# 12 \"a b.c\" 1 3 4"),
            Some(marker(12, "a b.c", true))
        );
        assert_eq!(
            parse("# 1 \"a\\\"\\\\.c\""),
            Some(marker(1, "a\"\\.c", false))
        );
        for line in [
            "#define A \"b\"",
            "# define A \"b\"",
            "# 12",
            "int a;",
            "# x \"a\"",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
        let text = "# 1 \"<built-in>\"\n# 1 \"b.h\" 1\n# 2 \"a.h\"\n# 3 \"b.h\" 2\n";
        assert_eq!(Vec::from_iter(files(text)), ["a.h", "b.h"]);
    }
}
