//! Options of clBuildProgram, as hosts write them.

use std::path::PathBuf;

use fpgacc_frontend::ir::Dialect;

/// A clBuildProgram option string, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelOptions {
    /// `-D`, without the letter, in order.
    pub defines: Vec<String>,
    /// `-U`, without the letter: names that have no definition after all options.
    pub undefines: Vec<String>,
    /// `-I`
    pub includes: Vec<PathBuf>,
    /// Folders of the command line, which help to find what the host's own options name.
    pub more_includes: Vec<PathBuf>,
    /// All others, in order: `-cl-fast-relaxed-math`, `-w`, ..
    pub others: Vec<String>,
}

impl KernelOptions {
    /// Splits an option string as OpenCL implementations do: at blanks, with quotes.
    pub fn parse(text: &str) -> Self {
        let words = shlex::split(text)
            .unwrap_or_else(|| text.split_whitespace().map(String::from).collect());
        Self::from_words(words)
    }

    /// Options that are words already.
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Self {
        let mut options = KernelOptions::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = |prefix: &str| match word.strip_prefix(prefix) {
                Some("") => words.next(),
                Some(value) => Some(value.to_string()),
                None => None,
            };
            if let Some(define) = value("-D") {
                options.define(define);
            } else if let Some(name) = value("-U") {
                options.undefine(name);
            } else if let Some(folder) = value("-I") {
                options.includes.push(folder.into());
            } else {
                options.others.push(word);
            }
        }
        options
    }

    /// The text ends in the middle of an option: what a host writes piece by piece, before it is whole.
    /// No implementation takes that.
    pub fn are_unfinished(&self) -> bool {
        let last = self.others.last().map(String::as_str);
        matches!(last, Some("-D" | "-U" | "-I"))
    }

    fn define(&mut self, define: String) {
        self.undefines.retain(|name| name != macro_name(&define));
        self.defines.push(define);
    }

    fn undefine(&mut self, name: String) {
        self.defines.retain(|define| macro_name(define) != name);
        if !self.undefines.contains(&name) {
            self.undefines.push(name);
        }
    }

    /// All folders in which includes are looked for, in order.
    pub fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.includes.iter().chain(&self.more_includes)
    }

    /// Takes away what lets device compilers round otherwise than the text says. The runtime does the
    /// same under `FPGACC_PRELUDE`.
    pub fn forbid_contraction(&mut self) {
        self.others.retain(|option| {
            !matches!(
                option.as_str(),
                "-cl-mad-enable" | "-cl-unsafe-math-optimizations" | "-cl-fast-relaxed-math"
            )
        });
    }

    /// The language that `-cl-std=` names.
    pub fn dialect(&self) -> Dialect {
        let standard = self
            .others
            .iter()
            .rev()
            .find_map(|o| o.strip_prefix("-cl-std="));
        match standard {
            Some("CL2.0" | "CL3.0") => Dialect::Cl20,
            _ => Dialect::Cl12,
        }
    }

    /// The macros whose name matters, the last definition of each, in order of name.
    pub fn defines_among(&self, matters: impl Fn(&str) -> bool) -> Vec<String> {
        let mut last = std::collections::BTreeMap::new();
        for define in &self.defines {
            let name = macro_name(define);
            if matters(name) {
                last.insert(name, define.clone());
            }
        }
        last.into_values().collect()
    }
}

/// The name in `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
pub fn macro_name(define: &str) -> &str {
    define.split(['=', '(']).next().unwrap_or(define)
}

/// All identifiers in a text, sorted: the names of macros that could change it.
pub fn identifiers(text: &str) -> Vec<String> {
    let mut names = words(text);
    names.retain(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    names
}

/// All identifiers and numbers in a text, sorted: what names can be pasted from.
pub fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words: Vec<&str> = text.split(|c| !is_word(c)).collect();
    words.sort_unstable();
    words.dedup();
    let words = words.into_iter().filter(|word| !word.is_empty());
    words.map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_split_like_an_implementation_does() {
        let options = KernelOptions::parse("-D N=16 -DM -I. -I inc -cl-std=CL2.0 -DT=\"a b\"");
        assert_eq!(options.defines, ["N=16", "M", "T=a b"]);
        assert_eq!(options.includes, [PathBuf::from("."), PathBuf::from("inc")]);
        assert_eq!(options.dialect(), Dialect::Cl20);
    }

    #[test]
    fn options_without_their_values_are_unfinished() {
        for text in ["-D", "-DN=3 -D", "-w -I", "-D N -U"] {
            assert!(KernelOptions::parse(text).are_unfinished(), "{text}");
        }
        for text in ["", "-w", "-D N", "-D -w", "-DN -I ."] {
            assert!(!KernelOptions::parse(text).are_unfinished(), "{text}");
        }
    }

    #[test]
    fn only_macros_that_the_text_names_matter() {
        let names = identifiers("int a[N]; // 1M\n");
        assert_eq!(names, ["N", "a", "int"]);
        let options = KernelOptions::parse("-DN=1 -DTIMING -DN=2");
        let named = |name: &str| names.iter().any(|n| n == name);
        assert_eq!(options.defines_among(named), ["N=2"]);
    }
}
