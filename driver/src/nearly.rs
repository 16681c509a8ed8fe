//! Words that were nearly right.

use fpgacc_frontend::diag::Diagnostic;

/// The one of these words that is nearly this one; of several, one that starts like it.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(word, other);
    let starts_otherwise = |other: &str| word.chars().next() != other.chars().next();
    let words = words.into_iter();
    let words = words.map(|other| (distance(other), starts_otherwise(other), other));
    let (distance, _, other) = words.min()?;
    (distance <= 2.min(word.len() / 3)).then_some(other)
}

/// "did you mean ..?" for the one of these words that is nearly this one.
pub fn did_you_mean<'a>(
    diagnostic: Diagnostic,
    word: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    match nearest(word, words) {
        Some(meant) => diagnostic.help(format!("did you mean '{meant}'?")),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_that_differ_little() {
        let words = ["kernels", "host", "facts"];
        assert_eq!(nearest("kernel", words), Some("kernels"));
        assert_eq!(nearest("hots", words), Some("host"));
        assert_eq!(nearest("poc", ["aoc", "pocl"]), Some("pocl"));
        assert_eq!(nearest("7", ["0", "1"]), None);
        assert_eq!(nearest("ast", words), None);
        assert_eq!(nearest("report", words), None);
    }
}
