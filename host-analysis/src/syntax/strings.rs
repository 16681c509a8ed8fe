//! Literals of characters and strings: their values, and where in the host each byte of a text stands.

use super::lex::{Lexer, TokenKind};

/// One character or escape sequence of a literal, and the rest.
fn unescape(bytes: &[u8]) -> Option<(Option<u32>, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if first != b'\\' {
        return Some((Some(u32::from(first)), rest));
    }
    let (&kind, rest) = rest.split_first()?;
    let value = match kind {
        b'n' => 10,
        b't' => 9,
        b'r' => 13,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' => 27,
        b'\n' => return Some((None, rest)),
        b'\r' => return Some((None, rest.strip_prefix(b"\n").unwrap_or(rest))),
        b'0'..=b'7' => {
            let len = rest
                .iter()
                .take(2)
                .take_while(|b| (b'0'..=b'7').contains(b))
                .count();
            let digits = std::iter::once(&kind).chain(&rest[..len]);
            let value = digits.fold(0u32, |v, b| v * 8 + u32::from(b - b'0'));
            return Some((Some(value & 255), &rest[len..]));
        }
        b'x' => {
            let len = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
            let text = std::str::from_utf8(&rest[..len]).ok()?;
            let value = u32::from_str_radix(text, 16).ok()?;
            return (value < 256).then_some((Some(value), &rest[len..]));
        }
        b'u' | b'U' | b'N' => return None,
        other => u32::from(other),
    };
    Some((Some(value), rest))
}

/// The value of a character literal; `None` for wide ones and what is not known.
pub(super) fn char_value(literal: &[u8]) -> Option<i64> {
    let inside = literal.strip_prefix(b"'")?.strip_suffix(b"'")?;
    let (value, rest) = unescape(inside)?;
    // Plain `char` is signed on all platforms that fpgacc knows.
    rest.is_empty()
        .then(|| i64::from(value.unwrap_or(0) as u8 as i8))
}

/// The value of one string literal; `None` for wide ones and what is not known.
pub(super) fn string_value(literal: &[u8]) -> Option<String> {
    let mut bytes = Vec::new();
    each_byte(literal, |byte, _| bytes.push(byte))?;
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error.into_bytes().iter().map(|&b| b as char).collect(),
    })
}

/// Calls `found` for each byte of a string literal's value, with where in the literal it is written.
fn each_byte(literal: &[u8], mut found: impl FnMut(u8, usize)) -> Option<()> {
    let plain = literal.strip_prefix(b"u8").unwrap_or(literal);
    let prefix = literal.len() - plain.len();
    if let Some(raw) = plain.strip_prefix(b"R\"") {
        let open = raw.iter().position(|&b| b == b'(')?;
        let inside = raw.get(open + 1..raw.len().checked_sub(open + 2)?)?;
        let start = prefix + 2 + open + 1;
        for (at, &byte) in inside.iter().enumerate() {
            found(byte, start + at);
        }
        return Some(());
    }
    let inside = plain.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut rest = inside;
    while !rest.is_empty() {
        let at = prefix + 1 + (inside.len() - rest.len());
        let (value, after) = unescape(rest)?;
        if let Some(value) = value {
            found(value as u8, at);
        }
        rest = after;
    }
    Some(())
}

/// Where the bytes of a text are written that stands in a host's string literals, the first of which starts at byte
/// `at`: pairs of offsets in the text and in the host, ascending, one wherever their distance changes. `None`: what
/// stands there is not this text, as of a macro's argument.
pub fn places(host: &str, at: usize, text: &str) -> Option<Vec<(u32, u32)>> {
    let host = host.as_bytes();
    let mut rest = text.bytes();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    let literals = Lexer::within(host, at..host.len());
    for literal in literals.take_while(|token| token.kind == TokenKind::Str) {
        let mut is_same = true;
        each_byte(literal.bytes(host), |byte, offset| {
            let own = text.len() - rest.len();
            is_same &= rest.next() == Some(byte);
            let (own, there) = (own as u32, (literal.start + offset) as u32);
            let goes_on = runs.last().is_some_and(|run| there - run.1 == own - run.0);
            if !goes_on {
                runs.push((own, there));
            }
        })?;
        if !is_same {
            return None;
        }
        if rest.len() == 0 {
            return Some(runs);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_texts_are_found_in_literals() {
        let host = "f(\"a\\tb\"  /* . */\n u8\"c\\x41\" R\"q(d\ne)q\", \"f\")";
        let found = places(host, 2, "a\tbcAd\ne").unwrap();
        let at = |offset: u32| {
            let run = found.iter().rev().find(|run| run.0 <= offset).unwrap();
            &host[(run.1 + offset - run.0) as usize..]
        };
        let starts = ["a", "\\t", "b\"", "c", "\\x41", "d", "\ne", "e)q"];
        for (offset, start) in starts.into_iter().enumerate() {
            assert!(at(offset as u32).starts_with(start), "{offset}");
        }
        for (from, text) in [(2, "a\tb."), (2, "a\tbcAd\nef"), (0, "a"), (2, "a\tbc")] {
            assert_eq!(places(host, from, text), None, "{text:?}");
        }
    }
}
