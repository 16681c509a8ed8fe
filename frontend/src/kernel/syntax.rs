//! From tokens to lang-c's syntax tree.
//!
//! lang-c takes text, so the tokens are written again, one blank apart, with what it does not know
//! replaced: address spaces and access qualifiers by attributes, literals by plain ones, `vec_step`
//! by `sizeof`. Names of OpenCL's own types stand as typedefs in front. The tree's spans lead back
//! to tokens ([`SourceText::tokens`]), and from there to what was written.

use std::collections::BTreeSet;

use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

use super::builtins::types as builtin_types;
use super::prepass::{BracketError, closer};
use super::source_text::{SourceText, Tokens};
use super::token::TokenKind;
use crate::diag::Diagnostic;
use crate::ir::Dialect;
use crate::source::Span;

/// Brackets nest at most this deep.
pub(super) const MAX_NESTING: usize = 256;
/// At most this many tokens may stand in constructs that are open at one place: lang-c recurses
/// along operators, `else if` and the like.
const MAX_OPEN_TOKENS: usize = 20_000;
/// `sizeof` inside `sizeof` doubles lang-c's time with each level.
const MAX_SIZEOF_NESTING: usize = 8;
/// At most this many errors of syntax are reported.
const MAX_PROBLEMS: usize = 20;

/// What stops a text before or in lang-c.
pub(super) enum Problem {
    /// It is wrong.
    Invalid(Box<Diagnostic>),
    /// It may be right, but fpgacc does not take it.
    Unsupported(Box<Diagnostic>),
}

/// The name of the attribute that stands for a keyword.
pub(super) fn keyword_attribute(word: &str, dialect: Dialect) -> Option<&'static str> {
    Some(match word {
        "kernel" | "__kernel" => "cl_kernel",
        "global" | "__global" => "cl_global",
        "local" | "__local" => "cl_local",
        "constant" | "__constant" => "cl_constant",
        "private" | "__private" => "cl_private",
        "__generic" => "cl_generic",
        "generic" if dialect == Dialect::Cl20 => "cl_generic",
        "read_only" | "__read_only" => "cl_read_only",
        "write_only" | "__write_only" => "cl_write_only",
        "read_write" | "__read_write" => "cl_read_write",
        _ => return None,
    })
}

/// Refuses what lang-c would take badly: too deep nesting, and constructs outside fpgacc's C.
pub(super) fn check(source: &mut SourceText) -> Result<(), Problem> {
    let text = source.text;
    if let Err(error) = source.prepass.match_brackets(text) {
        return Err(Problem::Invalid(Box::new(bracket_problem(source, error))));
    }
    let mut limits = Limits::default();
    for index in 0..source.prepass.tokens.len() {
        if let Some(diagnostic) = limits.step(source, index) {
            return Err(Problem::Invalid(Box::new(diagnostic)));
        }
        if let Some(diagnostic) = unsupported(source, index) {
            return Err(Problem::Unsupported(Box::new(diagnostic)));
        }
    }
    Ok(())
}

fn at_token(source: &SourceText, token: usize, diagnostic: Diagnostic) -> Diagnostic {
    match source.token_span(token) {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
}

fn bracket_problem(source: &SourceText, error: BracketError) -> Diagnostic {
    match error {
        BracketError::NeverOpened(token) => {
            let message = format!("`{}` closes nothing", source.word(token));
            at_token(source, token, Diagnostic::error(message))
        }
        BracketError::NeverClosed(token) => {
            let open = source.word(token);
            let message = format!("`{open}` has no matching `{}`", closer(open));
            at_token(source, token, Diagnostic::error(message))
        }
        BracketError::Mismatch(opener, token) => {
            let open = source.word(opener);
            let message = format!(
                "expected `{}`, found `{}`",
                closer(open),
                source.word(token)
            );
            let diagnostic = at_token(source, token, Diagnostic::error(message));
            match source.token_span(opener) {
                Some(span) => diagnostic.also(span, format!("to match this `{open}`")),
                None => diagnostic,
            }
        }
    }
}

/// Counts what is open at each token.
#[derive(Default)]
struct Limits {
    /// For each open bracket: tokens since the last separator, before it.
    outer: Vec<Level>,
    run: usize,
    open_tokens: usize,
    sizeofs: usize,
}

struct Level {
    run: usize,
    is_sizeof: bool,
}

impl Limits {
    fn step(&mut self, source: &SourceText, token: usize) -> Option<Diagnostic> {
        self.run += 1;
        self.open_tokens += 1;
        if self.open_tokens > MAX_OPEN_TOKENS {
            let message =
                format!("this is too long: more than {MAX_OPEN_TOKENS} tokens without a separator");
            return Some(at_token(source, token, Diagnostic::error(message)));
        }
        if source.kind(token) != Some(TokenKind::Punct) {
            return None;
        }
        match source.word(token) {
            "(" | "[" | "{" => return self.open(source, token),
            ")" | "]" => self.close(),
            "}" => {
                self.close();
                self.separate(source, token);
            }
            ";" | "," => self.separate(source, token),
            _ => {}
        }
        None
    }

    fn open(&mut self, source: &SourceText, token: usize) -> Option<Diagnostic> {
        let before = token
            .checked_sub(1)
            .map_or("", |before| source.word(before));
        let is_sizeof = matches!(
            before,
            "sizeof"
                | "vec_step"
                | "_Alignof"
                | "__alignof__"
                | "__alignof"
                | "typeof"
                | "__typeof__"
                | "__typeof"
        );
        self.sizeofs += usize::from(is_sizeof);
        self.outer.push(Level {
            run: self.run,
            is_sizeof,
        });
        self.run = 0;
        if self.outer.len() > MAX_NESTING {
            let message = format!("brackets nest deeper than {MAX_NESTING} levels");
            return Some(at_token(source, token, Diagnostic::error(message)));
        }
        if self.sizeofs > MAX_SIZEOF_NESTING {
            let message = format!("`sizeof` nests deeper than {MAX_SIZEOF_NESTING} levels");
            return Some(at_token(source, token, Diagnostic::error(message)));
        }
        None
    }

    fn close(&mut self) {
        self.open_tokens -= self.run;
        let Some(level) = self.outer.pop() else {
            return;
        };
        self.run = level.run;
        self.sizeofs -= usize::from(level.is_sizeof);
        // What stood between the brackets is closed, but counts as a token of this run.
        self.run += 1;
        self.open_tokens += 1;
    }

    fn separate(&mut self, source: &SourceText, token: usize) {
        if source.word(token + 1) == "else" {
            return;
        }
        self.open_tokens -= self.run;
        self.run = 0;
    }
}

/// Constructs that fpgacc does not take although some OpenCL compiler does.
fn unsupported(source: &SourceText, token: usize) -> Option<Diagnostic> {
    let word = source.word(token);
    let next = source.word(token + 1);
    let message = match (source.kind(token)?, word) {
        (TokenKind::Ident, "asm" | "__asm__" | "__asm")
            if matches!(next, "(" | "volatile" | "__volatile__" | "goto") =>
        {
            "inline assembly is not supported"
        }
        (TokenKind::Punct, "^") if !ends_operand(source, token) => {
            "block literals are not supported"
        }
        (TokenKind::Punct, "&&") if next_is_label(source, token) => {
            "addresses of labels are not supported"
        }
        (TokenKind::Punct, "?") if next == ":" => {
            "`?:` without an operand in the middle is not supported"
        }
        (TokenKind::Ident, "__auto_type") => "`__auto_type` is not supported",
        (TokenKind::Ident, "__int128" | "__int128_t" | "__uint128_t") => {
            "integers of 128 bits are not supported"
        }
        _ => return None,
    };
    let diagnostic = Diagnostic::error(message);
    Some(at_token(source, token, diagnostic))
}

fn ends_operand(source: &SourceText, token: usize) -> bool {
    let Some(before) = token.checked_sub(1) else {
        return false;
    };
    match source.kind(before) {
        Some(TokenKind::Punct) => {
            matches!(source.word(before), ")" | "]" | "++" | "--" | "}")
        }
        // `int (^b)(int)` has `(` in front; `return ^{..}` is the one keyword.
        Some(TokenKind::Ident) => source.word(before) != "return",
        Some(_) => true,
        None => false,
    }
}

fn next_is_label(source: &SourceText, token: usize) -> bool {
    let Some(before) = token.checked_sub(1) else {
        return false;
    };
    source.kind(before) == Some(TokenKind::Punct)
        && matches!(source.word(before), "=" | "," | "{")
        && source.kind(token + 1) == Some(TokenKind::Ident)
}

/// The text for lang-c, and where each token starts in it. Of tokens that are left out, `;` stands for the first.
fn compose(source: &SourceText, dialect: Dialect, left_out: &[Tokens]) -> (String, Vec<u32>) {
    let mut names = BTreeSet::new();
    for (index, token) in source.prepass.tokens.iter().enumerate() {
        if token.kind == TokenKind::Ident && builtin_types::is_type_name(source.word(index)) {
            names.insert(source.word(index));
        }
    }
    let mut out = String::with_capacity(source.text.len() * 2 + 4096);
    for name in names {
        out.push_str("typedef int ");
        out.push_str(name);
        out.push_str(";\n");
    }
    let mut starts = Vec::with_capacity(source.prepass.tokens.len());
    for (index, token) in source.prepass.tokens.iter().enumerate() {
        starts.push(out.len() as u32);
        let word = source.word(index);
        let holds = |tokens: &&Tokens| (tokens.from..tokens.to).contains(&index);
        if let Some(tokens) = left_out.iter().find(holds) {
            out.push_str(if index == tokens.from { ";" } else { " " });
            continue;
        }
        match token.kind {
            TokenKind::Number | TokenKind::Char => out.push('1'),
            TokenKind::Str => out.push_str("\"\""),
            TokenKind::Punct => out.push_str(word),
            TokenKind::Ident => push_word(source, index, word, dialect, &mut out),
        }
        out.push(' ');
    }
    (out, starts)
}

fn push_word(source: &SourceText, index: usize, word: &str, dialect: Dialect, out: &mut String) {
    if let Some(name) = keyword_attribute(word, dialect).filter(|_| !is_member_name(source, index))
    {
        out.push_str("__attribute__((");
        out.push_str(name);
        out.push_str("))");
        return;
    }
    match word {
        "vec_step" if source.word(index + 1) == "(" => out.push_str("sizeof"),
        "channel" | "pipe" if declares(source, index) => {
            out.push_str("__attribute__((cl_");
            out.push_str(word);
            out.push_str("))");
        }
        _ => out.push_str(word),
    }
}

/// `a.global`: a field may be called like that.
fn is_member_name(source: &SourceText, token: usize) -> bool {
    let before = token
        .checked_sub(1)
        .map_or("", |before| source.word(before));
    matches!(before, "." | "->")
}

/// `channel` and `pipe` are keywords only where a type follows: `channel float c;`.
fn declares(source: &SourceText, token: usize) -> bool {
    let before = token.checked_sub(1);
    let starts = match before.map(|before| (source.kind(before), source.word(before))) {
        None => true,
        Some((Some(TokenKind::Punct), word)) => matches!(word, ";" | "}" | "(" | "," | ")" | "{"),
        Some((_, word)) => matches!(
            word,
            "static"
                | "extern"
                | "const"
                | "read_only"
                | "__read_only"
                | "write_only"
                | "__write_only"
                | "global"
                | "__global"
        ),
    };
    starts && source.kind(token + 1) == Some(TokenKind::Ident)
}

/// Parses; call [`check`] before. What is wrong inside of functions is left out, and the rest is parsed all the same:
/// the tree without the bodies of these functions, and what is wrong.
pub(super) fn parse(
    source: &mut SourceText,
    dialect: Dialect,
) -> Result<(TranslationUnit, Vec<Problem>), Vec<Problem>> {
    let mut problems = Vec::new();
    let (mut statements, mut bodies) = (Vec::new(), Vec::new());
    let unit = loop {
        let error = match attempt(source, dialect, &statements) {
            Ok(unit) => break unit,
            Err(error) => error,
        };
        let token = token_at(source, &error);
        problems.push(syntax_problem(source, &error, token));
        let body = body_around(source, token);
        let statement = body.map(|body| statement_around(source, body, token));
        match (body, statement) {
            (Some(body), Some(statement))
                if problems.len() < MAX_PROBLEMS && !statements.contains(&statement) =>
            {
                statements.push(statement);
                bodies.push(body);
            }
            _ => return Err(problems),
        }
    };
    if problems.is_empty() {
        return Ok((unit, problems));
    }
    // What such a function declares may have been left out: nothing else can be said of it.
    match attempt(source, dialect, &bodies) {
        Ok(unit) => Ok((unit, problems)),
        Err(_) => Err(problems),
    }
}

fn attempt(
    source: &mut SourceText,
    dialect: Dialect,
    left_out: &[Tokens],
) -> Result<TranslationUnit, SyntaxError> {
    let (text, starts) = compose(source, dialect, left_out);
    source.starts = starts;
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    match parse_preprocessed(&config, text) {
        Ok(parsed) => Ok(parsed.unit),
        Err(error) => Err(error),
    }
}

/// The token at which lang-c gave up; after the last one: their number.
fn token_at(source: &SourceText, error: &SyntaxError) -> usize {
    let starts = &source.starts;
    starts.partition_point(|&start| (start as usize) < error.offset)
}

/// The body of the function that holds a token, with its braces.
fn body_around(source: &SourceText, token: usize) -> Option<Tokens> {
    let mut at = 0;
    while at <= token {
        let close = *source.prepass.close.get(at)? as usize;
        if close == 0 {
            at += 1;
            continue;
        }
        let is_body = source.word(at) == "{" && at > 0 && source.word(at - 1) == ")";
        if is_body && token <= close {
            return Some(Tokens {
                from: at,
                to: close + 1,
            });
        }
        at = close + 1;
    }
    None
}

/// The statement of a body that holds a token; the whole body if it cannot be known.
fn statement_around(source: &SourceText, body: Tokens, token: usize) -> Tokens {
    let (mut block, mut start, mut at) = (body, body.from + 1, body.from + 1);
    while at < token {
        match (source.word(at), source.prepass.close[at] as usize) {
            ("{", close) if token <= close && starts_block(source, at) => {
                block = Tokens {
                    from: at,
                    to: close + 1,
                };
                (start, at) = (at + 1, at + 1);
                continue;
            }
            (_, close) if token <= close => break,
            ("{", close) if close > 0 && starts_block(source, at) => {
                (start, at) = (close + 1, close + 1);
            }
            (_, close) if close > 0 => at = close + 1,
            (";", _) => {
                (start, at) = (at + 1, at + 1);
            }
            _ => at += 1,
        }
    }
    let end = block.to - 1;
    while at < end {
        match (source.word(at), source.prepass.close[at] as usize) {
            (";", _) => {
                return Tokens {
                    from: start,
                    to: at + 1,
                };
            }
            ("{", close) if close > 0 && starts_block(source, at) => {
                return Tokens {
                    from: start,
                    to: close + 1,
                };
            }
            (_, close) if close > 0 => at = close + 1,
            _ => at += 1,
        }
    }
    match start < end {
        true => Tokens {
            from: start,
            to: end,
        },
        false => body,
    }
}

/// Whether a brace starts statements, not values: `= {`, `){` of a vector stand in expressions.
fn starts_block(source: &SourceText, brace: usize) -> bool {
    let before = brace
        .checked_sub(1)
        .map_or("", |before| source.word(before));
    matches!(before, ")" | "{" | "}" | ";" | "else" | "do" | ":")
}

/// lang-c's error at a token, as text.
fn syntax_problem(source: &SourceText, error: &SyntaxError, token: usize) -> Problem {
    let count = source.starts.len();
    let expected: BTreeSet<&str> = error.expected.iter().copied().collect();
    if token >= count {
        let message = "the text ends in the middle of a declaration";
        let diagnostic = at_token(source, count.saturating_sub(1), Diagnostic::error(message));
        return Problem::Invalid(Box::new(diagnostic));
    }
    if let Some(diagnostic) = old_style_function(source, token) {
        return Problem::Unsupported(Box::new(diagnostic));
    }
    if let Some(diagnostic) = unknown_type(source, token) {
        return Problem::Invalid(Box::new(diagnostic));
    }
    let found = found_word(source, token);
    if token > 0 && source.word(token - 1) == "else" {
        let diagnostic = Diagnostic::error("`else` without an `if`");
        return Problem::Invalid(Box::new(at_token(source, token - 1, diagnostic)));
    }
    let wanted = match follows_function(source, token) {
        true => Some("a type"),
        false => wanted(&expected),
    };
    let message = match wanted {
        Some(wanted) => format!("expected {wanted}, found {found}"),
        None => format!("{found} does not belong here"),
    };
    let diagnostic = Diagnostic::error(message);
    let is_missing = wanted.is_some_and(|wanted| wanted.starts_with("`;`"));
    let end = is_missing
        .then(|| end_of_line_before(source, token))
        .flatten();
    Problem::Invalid(Box::new(match end {
        Some(span) => diagnostic.at(span),
        None => at_token(source, token, diagnostic),
    }))
}

/// Whether a token follows the body of a function: lang-c would take a `;` there.
fn follows_function(source: &SourceText, token: usize) -> bool {
    let before = token.checked_sub(1);
    let body = before.and_then(|before| body_around(source, before));
    body.is_some_and(|body| body.to == token)
}

/// Where the token before a token ends, if that is on a line before: there a `;` is missing.
fn end_of_line_before(source: &SourceText, token: usize) -> Option<Span> {
    let before = token.checked_sub(1)?;
    let (source_line, next) = (
        source.prepass.source_lines[before],
        source.prepass.source_lines[token],
    );
    let span = source.token_span(before)?;
    (source_line.file == next.file && source_line.line < next.line).then_some(Span {
        start: span.end,
        ..span
    })
}

/// `f(a) int a; { .. }`, where the token at fault is `f`, `a` or the inner `int`.
fn old_style_function(source: &SourceText, token: usize) -> Option<Diagnostic> {
    let first = (token.saturating_sub(4)..=token).find(|&start| {
        let starts = start == 0 || matches!(source.word(start - 1), ";" | "}");
        let open = start + 1 + usize::from(source.kind(start + 1) == Some(TokenKind::Ident));
        let named = source.kind(start) == Some(TokenKind::Ident)
            && (open == start + 2 || !is_keyword(source.word(start)));
        if !starts || !named || source.word(open) != "(" {
            return false;
        }
        let after = source.prepass.close[open] as usize + 1;
        let plain = (open + 1..after - 1).all(|inner| {
            source.word(inner) == ","
                || (source.kind(inner) == Some(TokenKind::Ident) && !is_keyword(source.word(inner)))
        });
        plain
            && source.kind(after) == Some(TokenKind::Ident)
            && (is_keyword(source.word(after)) || builtin_types::is_type_name(source.word(after)))
    })?;
    let message = "parameters in the style of K&R are not supported";
    Some(at_token(source, first, Diagnostic::error(message)))
}

fn found_word(source: &SourceText, token: usize) -> String {
    let word: String = source.word(token).chars().take(40).collect();
    match source.kind(token) {
        Some(TokenKind::Number) => format!("the number `{word}`"),
        Some(TokenKind::Str) => "a string".to_string(),
        Some(TokenKind::Ident) if is_keyword(&word) => format!("the keyword `{word}`"),
        _ => format!("`{word}`"),
    }
}

/// What lang-c waited for, as text.
fn wanted(expected: &BTreeSet<&str>) -> Option<&'static str> {
    let has = |word: &str| expected.contains(word);
    // Operators in the list say that an expression may go on here.
    let after_operand = has("*=") || has("+") && has("==");
    let operand = has("!") && has("~");
    match () {
        _ if operand && has("}") => Some("a statement or `}`"),
        _ if operand => Some("an expression"),
        _ if after_operand && has(";") => Some("`;` or an operator"),
        _ if after_operand && has(")") => Some("`)` or an operator"),
        _ if after_operand && has("]") => Some("`]` or an operator"),
        _ if after_operand && has(":") => Some("`:` or an operator"),
        _ if has(";") && has(",") => Some("`;` or `,`"),
        _ if has(";") => Some("`;`"),
        _ if has(",") && has(")") => Some("`,` or `)`"),
        _ if has(",") && has("}") => Some("`,` or `}`"),
        _ if has("(") && expected.len() == 1 => Some("`(`"),
        _ if has("while") && expected.len() == 1 => Some("`while`"),
        _ if has("<typedef_name>") => Some("a type"),
        _ if has("[_a-zA-Z]") => Some("a name"),
        _ if has(")") => Some("`)`"),
        _ if has("]") => Some("`]`"),
        _ if has("}") => Some("`}`"),
        _ if has(":") => Some("`:`"),
        _ => None,
    }
}

/// `foo x;` where foo is no type: the name before the token at fault.
fn unknown_type(source: &SourceText, token: usize) -> Option<Diagnostic> {
    let plain = |token: usize| {
        source.kind(token) == Some(TokenKind::Ident)
            && !is_keyword(source.word(token))
            && keyword_attribute(source.word(token), Dialect::Cl20).is_none()
    };
    let starts_declaration = |token: usize| match token.checked_sub(1) {
        None => true,
        Some(before) => {
            matches!(source.word(before), ";" | "{" | "}" | "(" | "," | ")")
                || is_keyword(source.word(before)) && source.word(before) != "return"
                || keyword_attribute(source.word(before), Dialect::Cl20).is_some()
        }
    };
    let unknown = |token: usize| plain(token) && !builtin_types::is_type_name(source.word(token));
    let name = if token > 0 && unknown(token - 1) && plain(token) && starts_declaration(token - 1) {
        token - 1
    } else if unknown(token)
        && (plain(token + 1) || source.word(token + 1) == "*")
        && starts_declaration(token)
    {
        token
    } else {
        return None;
    };
    let message = format!("`{}` is not a type", source.word(name));
    let diagnostic = at_token(source, name, Diagnostic::error(message));
    let near = builtin_types::nearest(source.word(name));
    Some(match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    })
}

/// A keyword of C.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "auto"
            | "break"
            | "case"
            | "char"
            | "const"
            | "continue"
            | "default"
            | "do"
            | "double"
            | "else"
            | "enum"
            | "extern"
            | "float"
            | "for"
            | "goto"
            | "if"
            | "inline"
            | "int"
            | "long"
            | "register"
            | "restrict"
            | "return"
            | "short"
            | "signed"
            | "sizeof"
            | "static"
            | "struct"
            | "switch"
            | "typedef"
            | "union"
            | "unsigned"
            | "void"
            | "volatile"
            | "while"
    )
}
