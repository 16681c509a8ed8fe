//! What two runs of a program print, compared.

/// How two texts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Not at all.
    None,
    /// The same lines in another order, as work-items print.
    Order(Line),
    /// Only in numbers, as times do.
    Numbers(Line),
    /// In words.
    Words(Line),
}

/// A line, as both sides have it; `None`: one side has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which, from 1.
    pub number: usize,
    /// The original's.
    pub original: Option<String>,
    /// The other's.
    pub other: Option<String>,
}

/// Compares line by line; of the worst kind of difference, the first line.
pub fn compare(original: &[u8], other: &[u8]) -> Difference {
    if original == other {
        return Difference::None;
    }
    let (a, b) = (lines(original), lines(other));
    let is_other_order = sorted(&a) == sorted(&b);
    let mut in_numbers = None;
    for number in 0..a.len().max(b.len()) {
        let (a, b) = (a.get(number), b.get(number));
        if a == b {
            continue;
        }
        let line = Line {
            number: number + 1,
            original: a.cloned(),
            other: b.cloned(),
        };
        match (a, b) {
            _ if is_other_order => return Difference::Order(line),
            (Some(a), Some(b)) if without_numbers(a) == without_numbers(b) => {
                in_numbers.get_or_insert(line);
            }
            _ => return Difference::Words(line),
        }
    }
    in_numbers.map_or(Difference::None, Difference::Numbers)
}

fn sorted(lines: &[String]) -> Vec<&String> {
    let mut lines: Vec<&String> = lines.iter().collect();
    lines.sort_unstable();
    lines
}

/// The lines of a text.
pub fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().map(String::from).collect()
}

/// A line with one mark for each number, and without blanks, which move when numbers get longer.
fn without_numbers(line: &str) -> String {
    line.split_whitespace().map(word_without_numbers).collect()
}

fn word_without_numbers(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    // Checksums and addresses.
    let hexadecimal = bare.trim_start_matches("0x");
    if hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit())
        && hexadecimal.bytes().any(|byte| byte.is_ascii_digit())
    {
        return word.replacen(bare, "#", 1).replace("-#", "#");
    }
    let mut out = String::new();
    let mut in_number = false;
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = after_address(rest).filter(|_| !in_number) {
            out.push('#');
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let goes_on = in_number && matches!(c, '.' | 'e' | 'E' | '+' | '-');
        let is_number = c.is_ascii_digit() || goes_on;
        if is_number && !in_number {
            out.push('#');
        }
        if !is_number {
            out.push(c);
        }
        in_number = is_number;
    }
    out.replace("-#", "#")
}

/// What stands after `0x` and its digits.
fn after_address(text: &str) -> Option<&str> {
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    let after = digits.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    (after.len() < digits.len()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_distinguished_from_words() {
        let a = b"Time: 12.5 s\nPASS\n";
        assert_eq!(compare(a, a), Difference::None);
        let Difference::Numbers(line) = compare(a, b"Time:  1.25e-05 s\nPASS\n") else {
            panic!("numbers");
        };
        assert_eq!(line.number, 1);
        for (a, b) in [
            ("sum e08f", "sum 1203"),
            ("x=-1,", "x=20,"),
            ("t 1s", "t 2s"),
            ("id=0x56411a729818", "id=0x55649de316a8"),
            ("at 0xaf: 1", "at 0xfa: 2"),
        ] {
            let difference = compare(a.as_bytes(), b.as_bytes());
            assert!(matches!(difference, Difference::Numbers(_)), "{a} {b}");
        }
        let Difference::Words(line) = compare(a, b"Time: 1.25 s\nFAIL\n") else {
            panic!("words");
        };
        assert_eq!((line.number, line.other.as_deref()), (2, Some("FAIL")));
        assert!(matches!(
            compare(a, b"PASS\nTime: 12.5 s\n"),
            Difference::Order(_)
        ));
        assert!(matches!(
            compare(b"a\nb\na\n", b"b\na\nb\n"),
            Difference::Words(_)
        ));
        let Difference::Words(line) = compare(a, b"Time: 12.5 s\n") else {
            panic!("an end");
        };
        assert_eq!((line.number, line.other), (2, None));
    }
}
