//! Directives of OpenMP: what the parser sees in the place of those that the statement after them
//! depends on.

use super::lex::{Lexer, Token, TokenKind};

/// The function that says how often a region runs: one of no library. Variables whose addresses it
/// gets have other values in the region and after it than their text says.
pub const REGIONS: &str = "__omp";

/// Directives whose statement runs in several threads: any number of times.
const PARALLEL: &[&[u8]] = &[b"parallel", b"taskloop", b"task"];
/// Others whose clauses change variables.
const OTHERS: &[&[u8]] = &[
    b"for",
    b"simd",
    b"sections",
    b"scope",
    b"loop",
    b"teams",
    b"target",
    b"distribute",
];
/// Clauses whose variables start with another value in each thread, and end with one that is made of
/// all of these.
const COMBINED: &[&[u8]] = &[b"reduction", b"in_reduction", b"task_reduction", b"linear"];

/// What the statement after a directive runs under, if that matters, and where in the directive there
/// is room for it: lines stay lines.
pub(super) fn head(directive: &[u8]) -> Option<(usize, String)> {
    let tokens: Vec<Token> = Lexer::within(directive, 0..directive.len()).collect();
    let text = |at: usize| {
        tokens
            .get(at)
            .map_or(&b""[..], |token| token.bytes(directive))
    };
    let words: Vec<usize> = (0..tokens.len())
        .filter(|&at| tokens[at].kind == TokenKind::Ident)
        .collect();
    let word = |nth: usize| words.get(nth).map_or(&b""[..], |&at| text(at));
    if word(0) != b"pragma" || word(1) != b"omp" {
        return None;
    }
    let is_parallel = PARALLEL.contains(&word(2));
    let combined: Vec<String> = match is_parallel || OTHERS.contains(&word(2)) {
        true => words
            .iter()
            .filter(|&&at| COMBINED.contains(&text(at)) && text(at + 1) == b"(")
            .flat_map(|&at| variables(directive, &tokens[at + 2..]))
            .map(|name| format!("&{name}"))
            .collect(),
        false => Vec::new(),
    };
    if !is_parallel && combined.is_empty() {
        return None;
    }
    let head = |names: &[String]| format!("while({REGIONS}({}))", names.join(","));
    let positions = |head: String| {
        let mut start = 0;
        directive.split(|byte| *byte == b'\n').find_map(|line| {
            let at = start;
            start += line.len() + 1;
            (head.len() <= line.len()).then(|| (at, head.clone()))
        })
    };
    positions(head(&combined)).or_else(|| positions(head(&[])))
}

/// The variables that a clause names: all of `+:a,b`, and what stands before `:` in `a,b:2`. An operator
/// or a step that has a name of its own is forgotten too, and loses nothing that matters.
fn variables(directive: &[u8], clause: &[Token]) -> Vec<String> {
    let inside = clause
        .iter()
        .take_while(|token| token.kind != TokenKind::Punct(b')'));
    let names = inside.filter(|token| token.kind == TokenKind::Ident);
    let names = names.map(|token| String::from_utf8_lossy(token.bytes(directive)).into_owned());
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::head;

    fn of(directive: &str) -> String {
        let found = head(directive.as_bytes());
        found.map_or_else(String::new, |(_, head)| head)
    }

    #[test]
    fn statements_of_parallel_regions_run_any_number_of_times() {
        assert_eq!(of("#pragma omp parallel for private(i)"), "while(__omp())");
        assert_eq!(of("#pragma omp task"), "while(__omp())");
        assert_eq!(of("#pragma omp for schedule(static)"), "");
        assert_eq!(of("#pragma omp barrier"), "");
        assert_eq!(of("#pragma unroll"), "");
    }

    #[test]
    fn what_threads_combine_is_not_known() {
        let two = "#pragma omp parallel for reduction(+ : a, b)";
        assert_eq!(of(two), "while(__omp(&a,&b))");
        assert_eq!(of("#pragma omp for simd linear(p:2)"), "while(__omp(&p))");
    }

    #[test]
    fn lines_stay_where_they_are() {
        let first = "#pragma omp parallel \\\n for";
        assert_eq!(
            head(first.as_bytes()),
            Some((0, "while(__omp())".to_string()))
        );
        let second = "#pragma omp \\\n parallel reduction(+:total)";
        let found = Some((14, "while(__omp(&total))".to_string()));
        assert_eq!(head(second.as_bytes()), found);
    }
}
