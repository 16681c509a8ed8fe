//! Loops of the host's text that launch kernels and say in their heads how often they go round:
//! `for (i = a; i < b; i++)`. The runtime is told how many launches are to come
//! (`FPGACC_LOOP` in `runtime/c/fpgacc_rt.h`). Both ends are evaluated once more, before the loop, so that they may
//! only be what nobody sees evaluated: names, numbers and arithmetic.

use std::collections::BTreeMap;

use crate::syntax::lex::{Token, TokenKind};

/// A loop that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedLoop {
    /// Offset of its `for`.
    pub offset: usize,
    /// What announces it, to stand before it.
    pub announcement: String,
}

/// Tokens of a file, and which names in them are no macros, or ones of numbers.
#[derive(Clone, Copy)]
pub(crate) struct Text<'t> {
    pub bytes: &'t [u8],
    pub tokens: &'t [Token],
    pub is_value: &'t dyn Fn(&str) -> bool,
}

/// The innermost loops around launches, given by the offsets of their calls in order, if these count.
pub(crate) fn counted_loops(text: Text<'_>, launches: &[usize]) -> Vec<CountedLoop> {
    if launches.is_empty() || text.has_nests_of_pragmas() {
        return Vec::new();
    }
    let shape = Shape::of(text);
    let own = launches_of_loops(text, &shape, launches);
    let announced = own.into_iter().filter_map(|(at, launches)| {
        let head = text.head(at, &shape)?;
        Some(CountedLoop {
            offset: text.tokens[at].start,
            announcement: format!("FPGACC_LOOP({head}, {launches}) "),
        })
    });
    announced.collect()
}

/// How many launches have a loop as their innermost one, by the index of its keyword.
fn launches_of_loops(text: Text<'_>, shape: &Shape, launches: &[usize]) -> BTreeMap<usize, usize> {
    let mut launches = launches.iter().peekable();
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut own = BTreeMap::new();
    for (at, token) in text.tokens.iter().enumerate() {
        while around.last().is_some_and(|(_, end)| *end <= at) {
            around.pop();
        }
        around.extend(text.body(at, shape).map(|end| (at, end)));
        if launches.next_if(|offset| **offset == token.start).is_some()
            && let Some((innermost, _)) = around.last()
        {
            *own.entry(*innermost).or_default() += 1;
        }
    }
    own
}

/// Where brackets and statements end, by the index of their first token.
struct Shape {
    closing: Vec<Option<usize>>,
    ends: Vec<usize>,
}

impl Shape {
    fn of(text: Text<'_>) -> Self {
        let count = text.tokens.len();
        let mut closing = vec![None; count];
        let mut open = Vec::new();
        for at in 0..count {
            match text.word(at) {
                b"(" | b"{" | b"[" => open.push(at),
                b")" | b"}" | b"]" => {
                    if let Some(open) = open.pop() {
                        closing[open] = Some(at);
                    }
                }
                _ => {}
            }
        }
        // Of a block, or behind the first `;` or block outside of parentheses.
        let mut ends = vec![count; count + 1];
        for at in (0..count).rev() {
            ends[at] = match (text.word(at), closing[at]) {
                (b";", _) => at + 1,
                (b"{", close) => close.map_or(count, |close| close + 1),
                (b"(", close) => close.map_or(count, |close| ends[close + 1]),
                _ => ends[at + 1],
            };
        }
        Shape { closing, ends }
    }
}

impl<'t> Text<'t> {
    fn word(self, at: usize) -> &'t [u8] {
        self.tokens
            .get(at)
            .map_or(b"", |token| token.bytes(self.bytes))
    }

    /// Whether a pragma is of loops that follow each other immediately (`collapse`): nothing may come between them.
    fn has_nests_of_pragmas(self) -> bool {
        const CLAUSES: [&str; 4] = ["collapse", "ordered", "tile", "interchange"];
        self.tokens.iter().any(|token| {
            let text = String::from_utf8_lossy(token.bytes(self.bytes));
            token.kind == TokenKind::Directive
                && text.contains("pragma")
                && CLAUSES.iter().any(|clause| text.contains(clause))
        })
    }

    /// The end of a loop's body, if a keyword begins one.
    fn body(self, at: usize, shape: &Shape) -> Option<usize> {
        if self.tokens[at].kind != TokenKind::Ident {
            return None;
        }
        match self.word(at) {
            b"do" => Some(shape.ends[at + 1]),
            b"for" | b"while" if self.word(at + 1) == b"(" => {
                shape.closing[at + 1].map(|close| shape.ends[close + 1])
            }
            _ => None,
        }
    }

    /// What a loop's head says: from, to, slack and step, of a `for` that may get another one around it.
    fn head(self, at: usize, shape: &Shape) -> Option<String> {
        let is_pragma = at.checked_sub(1).is_some_and(|before| {
            let word = self.word(before);
            let directive = self.tokens[before].kind == TokenKind::Directive;
            // `_Pragma(..)` and attributes stand before what they are of, as conditions do.
            directive || matches!(word, b")" | b"]")
        });
        if self.word(at) != b"for" || is_pragma {
            return None;
        }
        let close = (*shape.closing.get(at + 1)?)?;
        let inside = at + 2..close;
        let is_plain = |index: &usize| self.tokens[*index].kind != TokenKind::Directive;
        if !inside.clone().all(|index| is_plain(&index)) {
            return None;
        }
        let mut parts = self.tokens[inside.clone()].split(|token| token.bytes(self.bytes) == b";");
        let (Some(init), Some(test), Some(step), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let (counter, first) = self.initial(init)?;
        let (is_up, is_reached, limit) = self.test(test, counter)?;
        let by = self.step(step, counter, is_up)?;
        let (first, limit) = (self.value(first, counter)?, self.value(limit, counter)?);
        let (from, to) = if is_up {
            (first, limit)
        } else {
            (limit, first)
        };
        Some(format!("{from}, {to}, {}, {by}", u8::from(is_reached)))
    }

    /// `i = a`, with a type before it or not: the counter, and its first value.
    fn initial<'a>(self, tokens: &'a [Token]) -> Option<(&'t [u8], &'a [Token])> {
        let word = |at: usize| tokens.get(at).map(|token: &Token| token.bytes(self.bytes));
        let assign = tokens
            .iter()
            .position(|token| token.bytes(self.bytes) == b"=")?;
        let declares = tokens[..assign]
            .iter()
            .all(|token| token.kind == TokenKind::Ident || token.kind == TokenKind::Punct(b':'));
        let name = assign.checked_sub(1).and_then(word)?;
        declares.then_some((name, &tokens[assign + 1..]))
    }

    /// `i < b`, `i <= b`, or down: whether up, whether the limit is reached, and the limit.
    fn test<'a>(self, tokens: &'a [Token], counter: &[u8]) -> Option<(bool, bool, &'a [Token])> {
        let [name, compare, rest @ ..] = tokens else {
            return None;
        };
        let is_up = match compare.kind {
            TokenKind::Punct(b'<') => true,
            TokenKind::Punct(b'>') => false,
            _ => return None,
        };
        let is_reached = rest
            .first()
            .is_some_and(|next| next.kind == TokenKind::Punct(b'=') && next.start == compare.end);
        let is_own = name.bytes(self.bytes) == counter;
        is_own.then_some((is_up, is_reached, &rest[usize::from(is_reached)..]))
    }

    /// The amount of `i++`, `++i` and `i += 2`, or down.
    fn step(self, tokens: &[Token], counter: &[u8], is_up: bool) -> Option<u32> {
        let sign: &[u8] = if is_up { b"+" } else { b"-" };
        let words: Vec<&[u8]> = tokens.iter().map(|token| token.bytes(self.bytes)).collect();
        match words[..] {
            [name, a, b] | [a, b, name] if name == counter && (a, b) == (sign, sign) => Some(1),
            [name, a, b"=", amount] if name == counter && a == sign => {
                let amount = std::str::from_utf8(amount).ok()?;
                amount.parse().ok().filter(|by| (1..=1 << 20).contains(by))
            }
            _ => None,
        }
    }

    /// A number that may be evaluated once more, as it is written.
    fn value(self, tokens: &[Token], counter: &[u8]) -> Option<String> {
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            let word = std::str::from_utf8(token.bytes(self.bytes)).ok()?;
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let next = tokens.get(at + 1);
            let touches = |other: Option<&Token>, byte: u8| {
                other.is_some_and(|other| {
                    other.kind == TokenKind::Punct(byte)
                        && (other.start == token.end || other.end == token.start)
                })
            };
            let fits = match token.kind {
                TokenKind::Number => true,
                TokenKind::Ident => {
                    let is_call = next.is_some_and(|next| next.kind == TokenKind::Punct(b'('));
                    !is_call && word.as_bytes() != counter && (self.is_value)(word)
                }
                TokenKind::Punct(b'+') => !touches(next, b'+'),
                TokenKind::Punct(b'-') => !touches(next, b'-'),
                TokenKind::Punct(b'>') => touches(before, b'-'),
                TokenKind::Punct(byte) => b"*/%().[]".contains(&byte),
                _ => false,
            };
            if !fits {
                return None;
            }
            if before.is_some_and(|before| before.end < token.start) {
                text.push(' ');
            }
            text.push_str(word);
        }
        // `(f)(x)` and `a[i](x)` are calls.
        let calls = [")(", ") (", "](", "] ("];
        let is_one = !text.is_empty() && !calls.iter().any(|call| text.contains(call));
        is_one.then_some(text)
    }
}
