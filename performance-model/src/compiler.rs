//! What versions of aoc do differently (`compilers.yaml`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of aoc, such as 18.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "String")]
pub struct Version {
    /// The year.
    pub major: u32,
    /// The release of the year.
    pub minor: u32,
}

/// A version in a file: `"18.1"`, or 18.1 without quotes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Number(f64),
}

impl TryFrom<Written> for Version {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let text = match written {
            Written::Text(text) => text,
            Written::Number(number) => format!("{number:?}"),
        };
        let mut parts = text.split('.').map(str::parse);
        match (parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Ok(Version { major, minor }),
            _ => Err(format!("'{text}' is no version of aoc, such as \"18.1\"")),
        }
    }
}

impl From<Version> for String {
    fn from(version: Version) -> String {
        version.to_string()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What a compiler does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compiler {
    /// Instructions, all iterations together, up to which loops are unrolled although the source does not ask for it.
    pub unrolls_instructions: u64,
    /// Iterations overlap in which a loop inside has a variable trip count.
    pub overlaps_variable_trip_counts: bool,
    /// Iterations that a loop starts before it is known that they run, where the source does not say.
    pub speculated_iterations: f64,
    /// Before an iteration fills an array on the chip that is declared outside its loop, the last one has read all of it:
    /// there are no copies of the array for iterations that overlap.
    #[serde(default)]
    pub refills_in_turn: bool,
    /// A kernel may read or write a channel in one place only: loops whose copies would do it in several are not unrolled.
    #[serde(default)]
    pub one_call_per_channel: bool,
}

impl Compiler {
    /// What a version of aoc does.
    pub fn of(version: Version) -> &'static Compiler {
        static ALL: OnceLock<BTreeMap<Version, Compiler>> = OnceLock::new();
        let all = ALL.get_or_init(|| {
            serde_yaml::from_str(include_str!("../compilers.yaml")).expect("the file is tested")
        });
        let before = all.range(..=version).next_back();
        let (_, compiler) = before.or_else(|| all.iter().next()).expect("a compiler");
        compiler
    }
}

/// The compiler of a board: a version of aoc, or all that it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CompilerRef {
    /// A version, where the aoc that builds is not known.
    Version(#[schemars(with = "String")] Version),
    /// All that it does, whatever aoc builds.
    Own(Compiler),
}

impl CompilerRef {
    /// What it does.
    pub fn get(&self) -> &Compiler {
        match self {
            CompilerRef::Version(version) => Compiler::of(*version),
            CompilerRef::Own(compiler) => compiler,
        }
    }
}

impl Default for CompilerRef {
    /// The version that most measurements are of (docs/model-evaluation.md).
    fn default() -> Self {
        CompilerRef::Version(Version {
            major: 16,
            minor: 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unrolls(major: u32, minor: u32) -> u64 {
        Compiler::of(Version { major, minor }).unrolls_instructions
    }

    #[test]
    fn a_compiler_is_that_of_the_version_or_of_one_before() {
        assert_eq!((unrolls(12, 0), unrolls(16, 1)), (140, 140));
        assert_eq!(
            (unrolls(18, 1), unrolls(19, 1), unrolls(21, 4)),
            (140, 0, 0)
        );
        let overlaps =
            |major, minor| Compiler::of(Version { major, minor }).overlaps_variable_trip_counts;
        assert!(!overlaps(18, 1) && overlaps(19, 1) && overlaps(22, 2));
        let refills = |major, minor| Compiler::of(Version { major, minor }).refills_in_turn;
        assert!(!refills(16, 1) && refills(20, 1));
    }

    #[test]
    fn versions_are_read_with_and_without_quotes() {
        let read = |text: &str| serde_yaml::from_str::<Version>(text);
        let version = Version {
            major: 18,
            minor: 1,
        };
        for text in ["18.1", "\"18.1\"", "18.1.2"] {
            assert_eq!(read(text).unwrap(), version, "{text}");
        }
        let wrong = read("new").unwrap_err().to_string();
        assert!(wrong.contains("'new' is no version of aoc"), "{wrong}");
    }
}
