//! Texts of C whose bytes are no UTF-8, such as sources in Latin-1.

/// A text of C as UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// It means to a compiler what the bytes mean: in strings and characters, bytes that are no UTF-8
    /// are octal escapes; in comments and elsewhere they are U+FFFD.
    pub text: String,
    /// The offset in the bytes of the first such byte that stands in neither a comment nor a literal.
    pub stray: Option<usize>,
}

/// What a compiler is in the middle of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    LineComment,
    Comment,
    Literal(char),
}

/// Reads a text of C.
pub fn decode(bytes: &[u8]) -> Decoded {
    let mut out = Decoded {
        text: String::with_capacity(bytes.len()),
        stray: None,
    };
    let mut inside = Inside::Code;
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        let scanned = out.text.len();
        out.text.push_str(chunk.valid());
        inside = inside.after(chunk.valid(), out.text[..scanned].chars().next_back());
        at += chunk.valid().len();
        let is_literal = matches!(inside, Inside::Literal(_));
        if is_literal && ends_in_backslash(&out.text) {
            // An escape of no meaning is the character itself.
            out.text.pop();
        }
        for byte in chunk.invalid() {
            match is_literal {
                true => out.text.push_str(&format!("\\{byte:03o}")),
                false => out.text.push(char::REPLACEMENT_CHARACTER),
            }
        }
        if inside == Inside::Code && !chunk.invalid().is_empty() {
            out.stray.get_or_insert(at);
        }
        at += chunk.invalid().len();
    }
    out
}

fn ends_in_backslash(text: &str) -> bool {
    let run = text.len() - text.trim_end_matches('\\').len();
    run % 2 == 1
}

impl Inside {
    /// What stands open after `text`; `before` is the character before it.
    fn after(mut self, text: &str, before: Option<char>) -> Self {
        let mut before = before;
        for c in text.chars() {
            let (next, is_spent) = self.step(before, c);
            self = next;
            before = (!is_spent).then_some(c);
        }
        self
    }

    /// The state after a character, and whether it is the end of what it belongs to.
    fn step(self, before: Option<char>, c: char) -> (Self, bool) {
        match (self, c) {
            (Inside::Code, '/') if before == Some('/') => (Inside::LineComment, false),
            (Inside::Code, '*') if before == Some('/') => (Inside::Comment, true),
            (Inside::Code, '"' | '\'') => (Inside::Literal(c), false),
            (Inside::Comment, '/') if before == Some('*') => (Inside::Code, true),
            (Inside::Literal(_), '\\') if before == Some('\\') => (self, true),
            (Inside::Literal(quote), _) if c == quote && before != Some('\\') => {
                (Inside::Code, true)
            }
            // Unless the line goes on; literals without an end, as in `#error don't`, stop here too.
            (Inside::LineComment | Inside::Literal(_), '\n') if before != Some('\\') => {
                (Inside::Code, false)
            }
            _ => (self, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str, stray: Option<usize>) {
        let text = text.to_string();
        assert_eq!(decode(bytes), Decoded { text, stray });
    }

    #[test]
    fn utf8_stays() {
        check("\"ä\" // ö".as_bytes(), "\"ä\" // ö", None);
    }

    #[test]
    fn comments_may_hold_anything() {
        check(
            b"a /* \xe4 */ // \xf6\nb",
            "a /* \u{fffd} */ // \u{fffd}\nb",
            None,
        );
        check(b"// a\\\n\xe4\n\xf6", "// a\\\n\u{fffd}\n\u{fffd}", Some(8));
        check(b"/*/ \xe4", "/*/ \u{fffd}", None);
    }

    #[test]
    fn literals_get_escapes() {
        check(
            b"\"gr\xf6\xdf1e\" '\xe4'",
            "\"gr\\366\\3371e\" '\\344'",
            None,
        );
        check(
            b"\"\\\"\xf6\" \"\\\\\" \xe4",
            "\"\\\"\\366\" \"\\\\\" \u{fffd}",
            Some(11),
        );
        check(b"\"\\\xf6\"", "\"\\366\"", None);
        check(b"\"//\xf6\"", "\"//\\366\"", None);
    }

    #[test]
    fn lines_end_literals() {
        check(
            b"#error don't\n// \xe4\n\xf6",
            "#error don't\n// \u{fffd}\n\u{fffd}",
            Some(18),
        );
    }

    #[test]
    fn code_is_no_place_for_them() {
        check(b"int gr\xf6\xdfe;", "int gr\u{fffd}\u{fffd}e;", Some(6));
    }
}
