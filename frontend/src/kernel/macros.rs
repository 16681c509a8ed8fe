//! The macro table of a preprocessed text (`cc -E -dD` keeps the definitions), for pragmas, which no
//! preprocessor expands, and for positions of what came out of a macro.

use std::collections::BTreeMap;

use super::token::{SourceLine, TokenKind, text_of, tokens_of};

/// Macros nest at most this deep when a pragma is expanded.
const MAX_EXPANSION_DEPTH: usize = 32;
/// A pragma expands to at most this many tokens.
const MAX_EXPANSION_TOKENS: usize = 1000;

/// A macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Macro {
    /// Has parameters.
    pub function_like: bool,
    /// What an object-like one stands for.
    pub body: String,
}

/// A definition of a macro.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// Has parameters.
    pub function_like: bool,
    /// Where it starts.
    pub source_line: SourceLine,
    /// What stands after `#define`.
    pub text: String,
}

/// The macros that are defined at some position of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Macros {
    live: BTreeMap<String, Macro>,
    /// All names that ever were macros, each with its last definition.
    ever: BTreeMap<String, Definition>,
}

impl Macros {
    /// Takes in the text after `#define `, which starts at a position.
    pub fn define(&mut self, text: &str, source_line: SourceLine) {
        let text = text.trim_start();
        let end = text
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() {
            return;
        }
        let function_like = rest.starts_with('(');
        let definition = Definition {
            function_like,
            source_line,
            text: text.to_string(),
        };
        self.ever.insert(name.to_string(), definition);
        let body = if function_like {
            String::new()
        } else {
            rest.trim().to_string()
        };
        self.live.insert(
            name.to_string(),
            Macro {
                function_like,
                body,
            },
        );
    }

    /// Takes in the text after `#undef `.
    pub fn undef(&mut self, text: &str) {
        self.live.remove(text.trim());
    }

    /// Whether a name was a macro at any position, and if so whether it had parameters.
    pub fn was_macro(&self, name: &str) -> Option<bool> {
        Some(self.ever.get(name)?.function_like)
    }

    /// The last definition of a name.
    pub fn definition(&self, name: &str) -> Option<&Definition> {
        self.ever.get(name)
    }

    /// Expands the object-like macros of a text.
    pub fn expand(&self, text: &str) -> String {
        let mut out = Vec::new();
        self.expand_into(text, &mut Vec::new(), &mut out);
        join(&out)
    }

    fn expand_into(&self, text: &str, active: &mut Vec<String>, out: &mut Vec<String>) {
        for token in tokens_of(text) {
            if out.len() >= MAX_EXPANSION_TOKENS {
                return;
            }
            let word = text_of(text, &token);
            let body = match self.live.get(word) {
                Some(found)
                    if !found.function_like
                        && token.kind == TokenKind::Ident
                        && active.len() < MAX_EXPANSION_DEPTH
                        && !active.iter().any(|name| name == word) =>
                {
                    &found.body
                }
                _ => {
                    out.push(word.to_string());
                    continue;
                }
            };
            active.push(word.to_string());
            self.expand_into(body, active, out);
            active.pop();
        }
    }
}

/// Tokens as a person would write them: no blanks inside brackets, one after commas and between
/// words.
pub(super) fn join<S: AsRef<str>>(words: &[S]) -> String {
    let mut out = String::new();
    for word in words {
        let word = word.as_ref();
        let last = out.chars().next_back();
        let first = word.chars().next();
        let blank = match (last, first) {
            (None, _) | (_, None) => false,
            (Some(','), _) => true,
            (Some('(' | '['), _) | (_, Some(')' | ']' | ',' | '(' | '[')) => false,
            (Some(')'), Some(f)) => f.is_alphanumeric() || f == '_',
            (Some(l), Some(f)) => {
                let wordy = |c: char| c.is_alphanumeric() || c == '_' || c == '"';
                let signs = |c: char| "+-*/%<>=&|^!~:?.".contains(c);
                (wordy(l) && wordy(f)) || (signs(l) && signs(f)) || l == ':' || f == ':'
            }
        };
        if blank {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The text of a loop pragma or of an attribute's arguments with each argument that is an integer
/// expression replaced by its value: `unroll (4*2)` becomes `unroll 8`.
pub(super) fn fold_arguments(text: &str) -> String {
    let tokens = tokens_of(text);
    let words: Vec<&str> = tokens.iter().map(|token| text_of(text, token)).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let end = argument_end(&words, at);
        let slice = &words[at..end];
        match value_of(slice) {
            Some(value) if slice.len() > 1 => out.push(value.to_string()),
            _ => out.extend(slice.iter().map(|word| (*word).to_string())),
        }
        if let Some(comma) = words.get(end) {
            out.push((*comma).to_string());
        }
        at = end + 1;
    }
    join(&out)
}

fn argument_end(words: &[&str], from: usize) -> usize {
    let mut depth = 0usize;
    for (at, word) in words.iter().enumerate().skip(from) {
        match *word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => return at,
            _ => {}
        }
    }
    words.len()
}

/// The value of an integer expression of literals.
pub(super) fn value_of(words: &[&str]) -> Option<i64> {
    let mut reader = Reader {
        words,
        at: 0,
        depth: 0,
    };
    let value = reader.ternary()?;
    (reader.at == words.len()).then_some(value)
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.words.get(self.at).copied().unwrap_or("")
    }

    fn ternary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let cond = self.binary(0)?;
        let value = if self.peek() == "?" {
            self.at += 1;
            let then = self.ternary()?;
            if self.peek() != ":" {
                return None;
            }
            self.at += 1;
            let otherwise = self.ternary()?;
            if cond != 0 { then } else { otherwise }
        } else {
            cond
        };
        self.depth -= 1;
        Some(value)
    }

    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        loop {
            let op = self.peek().to_string();
            let Some(level) = precedence(&op).filter(|&level| level >= least) else {
                return Some(left);
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = apply(&op, left, right)?;
        }
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let word = self.peek().to_string();
        self.at += 1;
        let value = match word.as_str() {
            "-" => self.unary()?.checked_neg()?,
            "+" => self.unary()?,
            "~" => !self.unary()?,
            "!" => i64::from(self.unary()? == 0),
            "(" => {
                let value = self.ternary()?;
                if self.peek() != ")" {
                    return None;
                }
                self.at += 1;
                value
            }
            _ => integer(&word)?,
        };
        self.depth -= 1;
        Some(value)
    }
}

/// The value of an integer literal with any suffix.
fn integer(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = if let Some(hex) = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        i64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse()
    };
    value.ok()
}

fn precedence(op: &str) -> Option<u8> {
    Some(match op {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | ">" | "<=" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    })
}

fn apply(op: &str, x: i64, y: i64) -> Option<i64> {
    Some(match op {
        "||" => i64::from(x != 0 || y != 0),
        "&&" => i64::from(x != 0 && y != 0),
        "|" => x | y,
        "^" => x ^ y,
        "&" => x & y,
        "==" => i64::from(x == y),
        "!=" => i64::from(x != y),
        "<" => i64::from(x < y),
        ">" => i64::from(x > y),
        "<=" => i64::from(x <= y),
        ">=" => i64::from(x >= y),
        "<<" => x.checked_shl(u32::try_from(y).ok()?)?,
        ">>" => x.checked_shr(u32::try_from(y).ok()?)?,
        "+" => x.checked_add(y)?,
        "-" => x.checked_sub(y)?,
        "*" => x.checked_mul(y)?,
        "/" => x.checked_div(y)?,
        "%" => x.checked_rem(y)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: SourceLine = SourceLine { file: 0, line: 1 };

    #[test]
    fn pragmas_are_expanded_and_folded() {
        let mut macros = Macros::default();
        for text in ["N 4", "M (N*2)", "SELF SELF", "F(x) x"] {
            macros.define(text, PLACE);
        }
        let check = |text: &str, expected: &str| {
            assert_eq!(fold_arguments(&macros.expand(text)), expected, "{text}");
        };
        check("M", "8");
        check("N", "4");
        check("SELF", "SELF");
        check("array(a)  safelen(N)", "array(a) safelen(4)");
        check("M,M, 1", "8, 8, 1");
        check("(1 << 3) + 1", "9");
        check("1/0", "1/0");
    }

    #[test]
    fn hostile_macros_stop() {
        let mut macros = Macros::default();
        macros.define("A0 1", PLACE);
        for n in 1..30 {
            macros.define(&format!("A{n} A{} A{}", n - 1, n - 1), PLACE);
        }
        assert!(macros.expand("A29").len() < 10_000);
        let deep = "(".repeat(5000);
        assert_eq!(fold_arguments(&deep).len(), 5000);
    }
}
