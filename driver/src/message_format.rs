//! How messages are written.

/// How messages are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people, as they come.
    #[default]
    Text,
    /// As gcc's JSON, at the end.
    Json,
    /// As SARIF, at the end.
    Sarif,
}

impl Format {
    /// The words of `-fdiagnostics-format=`, gcc's and clang's.
    pub const WORDS: [&'static str; 6] = [
        "text",
        "clang",
        "json",
        "json-stderr",
        "sarif",
        "sarif-stderr",
    ];

    /// The format with this word.
    pub fn named(word: &str) -> Self {
        match word {
            "json" | "json-stderr" => Format::Json,
            "sarif" | "sarif-stderr" => Format::Sarif,
            _ => Format::Text,
        }
    }
}
