//! Long lists of numbers, of which the parser need not see all. It takes about a microsecond for each
//! byte, and the analysis keeps each element of an array; a file of a trained network or of a
//! picture has millions. The first ones and the last one stay, so that the number of elements is known; between
//! them stands one element for a range, `[4096 ... 99998] = REST`, whose value nobody knows.

use super::expand::Edit;
use super::lex::{Lexer, Token, TokenKind, blank};
use super::words::Word;

/// Numbers of a list that stay.
const KEPT: usize = 4096;
/// The same where each is a byte: together they may be the text of kernels, as `xxd -i` writes it.
const KEPT_BYTES: usize = 1 << 17;
/// What stands for the others.
const REST: &str = "elements_of_a_long_list";

/// An element of a list: its index, and where it starts.
type Element = (usize, usize);

/// A list that is open.
struct List {
    /// Elements before the present one.
    before: usize,
    /// The present element, or the last one.
    last: Option<Element>,
    /// The present element has begun.
    begun: bool,
    /// Numbers so far that are not left out.
    numbers: usize,
    /// All elements are numbers of a byte.
    is_bytes: bool,
    /// The first element after so many numbers that others are left out.
    rest: Option<Element>,
    rest_of_bytes: Option<Element>,
}

impl List {
    fn new() -> List {
        List {
            before: 0,
            last: None,
            begun: false,
            numbers: 0,
            is_bytes: true,
            rest: None,
            rest_of_bytes: None,
        }
    }

    /// Something of an element starts here.
    fn begin(&mut self, at: usize) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        let element = Some((self.before, at));
        self.last = element;
        if self.numbers >= KEPT {
            self.rest = self.rest.or(element);
        }
        if self.numbers >= KEPT_BYTES {
            self.rest_of_bytes = self.rest_of_bytes.or(element);
        }
    }

    /// A comma.
    fn next(&mut self) {
        self.before += 1;
        self.begun = false;
    }

    /// The elements that are left out, as far as the last one.
    fn left_out(&self) -> Option<(Element, Element)> {
        let rest = match self.is_bytes {
            true => self.rest_of_bytes,
            false => self.rest,
        };
        let (first, last) = (rest?, self.last?);
        (first.0 < last.0).then_some((first, last))
    }

    /// Numbers that stay.
    fn kept(&self) -> usize {
        match (self.left_out(), self.is_bytes) {
            (None, _) => self.numbers,
            (Some(_), true) => KEPT_BYTES,
            (Some(_), false) => KEPT,
        }
    }
}

/// Takes from long lists in initialisers of arrays what the parser need not see; what is to stand there.
pub(super) fn shorten(text: &mut [u8]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut open: Vec<List> = Vec::new();
    let mut before = [None; 2];
    for token in Lexer::new(text) {
        let starts = is_start(before, token);
        before = [before[1], Some(token)];
        if open.is_empty() && !starts {
            continue;
        }
        if !look_at(text, token, &mut open) {
            open.clear();
            continue;
        }
        if token.kind != TokenKind::Punct(b'}') {
            continue;
        }
        let closed = open.pop();
        if let Some((first, last)) = closed.as_ref().and_then(List::left_out) {
            edits.retain(|edit| !(first.1..last.1).contains(&edit.range.start));
            edits.push(rest(first, last));
        }
        if let (Some(around), Some(closed)) = (open.last_mut(), closed) {
            around.numbers += closed.kept();
            around.is_bytes = false;
        }
    }
    edits.sort_by_key(|edit| edit.range.start);
    for edit in &edits {
        // A byte marks where the edit stands.
        blank(text, edit.range.start + 1..edit.range.end);
    }
    edits
}

/// Whether an array's initialiser opens: `] = {`.
fn is_start(before: [Option<Token>; 2], token: Token) -> bool {
    let is = |token: Option<Token>, byte| token.is_some_and(|t| t.kind == TokenKind::Punct(byte));
    is(Some(token), b'{') && is(before[1], b'=') && is(before[0], b']')
}

/// Notes a token of a list; false where it cannot be one of numbers.
fn look_at(text: &[u8], token: Token, open: &mut Vec<List>) -> bool {
    if let Some(list) = open.last_mut() {
        match token.kind {
            TokenKind::Punct(b'}') => return true,
            TokenKind::Punct(b',') => list.next(),
            _ => list.begin(token.start),
        }
    }
    match (token.kind, open.last_mut()) {
        (TokenKind::Punct(b'{'), _) => open.push(List::new()),
        (TokenKind::Number, Some(list)) => {
            list.numbers += 1;
            list.is_bytes &= is_byte(token.bytes(text));
        }
        (TokenKind::Char, Some(list)) => list.numbers += 1,
        (TokenKind::Punct(b',' | b'-' | b'+'), Some(_)) => {}
        _ => return false,
    }
    true
}

/// Whether a number is one of 0 to 255.
fn is_byte(digits: &[u8]) -> bool {
    match digits {
        [b'0', b'x' | b'X', hex @ ..] => hex.len() <= 2,
        [b'0'..=b'9', ..] if digits.len() <= 3 => {
            let digits = std::str::from_utf8(digits).ok();
            digits.is_some_and(|digits| digits.parse::<u8>().is_ok())
        }
        _ => false,
    }
}

/// What stands for the elements from one to before another.
fn rest((first, start): Element, (last, end): Element) -> Edit {
    let (from, to) = (first.to_string(), (last - 1).to_string());
    let words = ["[", &from, "...", &to, "]", "=", REST, ","];
    Edit {
        range: start..end,
        words: words.map(Word::added).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text with so many elements, and what the parser is to see of it.
    fn shortened(head: &str, element: impl Fn(usize) -> String, count: usize) -> String {
        let elements: Vec<String> = (0..count).map(element).collect();
        let mut text = format!("{head}{{\n{}}};\nint after;\n", elements.join(",\n")).into_bytes();
        let edits = shorten(&mut text);
        let (short, _) = crate::syntax::squeeze::squeezed(&text, &edits);
        String::from_utf8(short).unwrap()
    }

    fn tail(text: &str) -> &str {
        &text[text.len().saturating_sub(200)..]
    }

    #[test]
    fn many_numbers_are_left_out() {
        let text = shortened("int t[] = ", |i| format!("{}", i + 300), 100_000);
        assert!(text.len() < 50_000, "{}", text.len());
        assert!(text.starts_with("int t[] = {\n300,\n301,\n"));
        let end = "4395,\n [ 4096 ... 99998 ] = elements_of_a_long_list , 100299};\nint after;\n";
        assert!(text.ends_with(end), "{}", tail(&text));
    }

    #[test]
    fn rows_are_counted_as_elements() {
        let row = |i: usize| format!("{{{i}, -1.5e-3f, +2, 'c'}}");
        let text = shortened("const struct R t[][2] = ", row, 50_000);
        let end = "{1023, -1.5e-3f, +2, 'c'},\n [ 1024 ... 49998 ] = elements_of_a_long_list , \
                   {49999, -1.5e-3f, +2, 'c'}};\nint after;\n";
        assert!(text.ends_with(end), "{}", tail(&text));
        let long = |i: usize| format!("{{{}{i}}}", "300, ".repeat(50_000));
        let text = shortened("int t[3][50001] = ", long, 3);
        assert!(text.len() < 60_000, "{}", text.len());
        let end = "[ 4096 ... 49999 ] = elements_of_a_long_list , 2}};\nint after;\n";
        assert!(text.ends_with(end), "{}", tail(&text));
        assert!(text.contains("[ 1 ... 1 ] = elements_of_a_long_list ,"));
    }

    #[test]
    fn others_stay() {
        let whole = |head: &str, element: &dyn Fn(usize) -> String| {
            let text = shortened(head, element, 20_000);
            assert!(!text.contains(REST), "{head}");
        };
        // Texts of kernels, as `xxd -i` writes them.
        whole("char t[] = ", &|i| format!("0x{:02x}", i % 256));
        whole("char t[] = ", &|i| format!("{}", i % 256));
        whole("const char *t[] = ", &|i| format!("\"{i}\""));
        whole("int *t[] = ", &|i| format!("&v{i}"));
        // The number of elements of a container is that of its list.
        whole("std::vector<int> t = ", &|i| format!("{}", i + 300));
        whole("void f() ", &|i| format!("f({i});"));
    }
}
