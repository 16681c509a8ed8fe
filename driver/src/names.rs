//! `-Rpass=REGEX`: the passes whose remarks are shown, by a regular expression that is searched for in their names, as
//! clang's `-Rpass` does. A plain name is one.

use fpgacc_frontend::diag::Diagnostic;
use regex::Regex;

/// A regular expression of names.
#[derive(Clone, Debug)]
pub struct Names(Regex);

impl Names {
    /// # Errors
    /// It is no regular expression; `option` is what it was given to.
    pub fn new(option: &str, text: &str) -> Result<Self, Diagnostic> {
        Regex::new(text).map(Names).map_err(|error| {
            // The last line says what is wrong, those before draw it.
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ").to_string();
            Diagnostic::error(format!("{option}={text}: this is no regular expression"))
                .note(reason)
                .help(format!("{option}=restrict, {option}='restrict|unroll'"))
        })
    }

    /// Whether it matches somewhere in a name.
    pub fn has(&self, name: &str) -> bool {
        self.0.is_match(name)
    }

    /// As it was given.
    pub fn text(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_looked_for_anywhere() {
        let names = |text: &str| Names::new("-Rpass", text).expect("an expression");
        assert!(names("loop").has("ndrange-to-loop"));
        assert!(names(".").has("restrict"));
        assert!(names("").has("restrict"));
        assert!(names("^(tile|restrict)$").has("tile"));
        assert!(!names("^loop").has("ndrange-to-loop"));
    }

    #[test]
    fn what_is_no_expression_is_an_error_with_its_reason() {
        let error = Names::new("-Rpass", "(a").expect_err("a parenthesis is open");
        assert!(error.message.contains("-Rpass=(a"), "{error:?}");
        assert!(error.notes[0].contains("unclosed group"), "{error:?}");
    }
}
