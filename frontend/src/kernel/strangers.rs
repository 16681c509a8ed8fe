//! Names that nobody declares: they may be macros of build options.

use std::collections::BTreeSet;

use super::builtins::{constants, functions, types};
use super::token::{TokenKind, text_of, tokens_of};

/// Words after which a name may be declared, besides types.
const SPECIFIERS: [&str; 37] = [
    "__constant",
    "__global",
    "__inline",
    "__inline__",
    "__kernel",
    "__local",
    "__private",
    "__read_only",
    "__read_write",
    "__restrict",
    "__restrict__",
    "__write_only",
    "auto",
    "const",
    "constant",
    "enum",
    "extern",
    "global",
    "goto",
    "inline",
    "kernel",
    "local",
    "private",
    "read_only",
    "read_write",
    "register",
    "restrict",
    "signed",
    "static",
    "struct",
    "typedef",
    "union",
    "unsigned",
    "volatile",
    "write_only",
    "__volatile__",
    "__const",
];

/// All other words of the language.
const OTHER_WORDS: [&str; 19] = [
    "_Alignof",
    "__alignof__",
    "__attribute",
    "__attribute__",
    "__extension__",
    "__typeof__",
    "break",
    "case",
    "continue",
    "default",
    "do",
    "else",
    "for",
    "if",
    "return",
    "sizeof",
    "switch",
    "typeof",
    "while",
];

/// Whether a preprocessed text has names that are neither the language's nor declared there: as far as its tokens
/// show, without a parse.
pub fn has_undeclared_names(preprocessed: &str) -> bool {
    let tokens = tokens_of(preprocessed);
    let words: Vec<&str> = tokens
        .iter()
        .map(|token| text_of(preprocessed, token))
        .collect();
    let mut declared = BTreeSet::new();
    // Of these, names of types, and what a `typedef` has between its braces.
    let mut named_types = BTreeSet::new();
    let mut used = BTreeSet::new();
    let (mut declares, mut has_type, mut enumerates) = (false, false, false);
    let (mut defines_type, mut depth) = (false, 0_usize);
    let mut has_declarations = false;
    for (at, token) in tokens.iter().enumerate() {
        let word = words[at];
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        if token.kind != TokenKind::Ident {
            let opens_enum = word == "{" && (before == "enum" || at > 1 && words[at - 2] == "enum");
            enumerates = opens_enum || enumerates && word != "}";
            declares &= !matches!(word, ";" | "{" | "}" | "(" | ")");
            has_type &= declares;
            match word {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            defines_type &= word != ";" || depth > 0;
            continue;
        }
        defines_type |= word == "typedef";
        if is_type(word) || SPECIFIERS.contains(&word) {
            (declares, has_declarations) = (true, true);
            // A parameter has a type of its own.
            has_type = is_type(word) || is_tag(word) || has_type && before != ",";
            continue;
        }
        let after = words.get(at + 1).copied().unwrap_or_default();
        let is_named = match before {
            "." | "->" => true,
            "}" => matches!(after, ";" | "," | "[" | "="),
            "{" | "," if enumerates => true,
            "*" | "," => declares,
            // `T v` and `T *const v`, where `T` is declared.
            before => {
                let is_qualified = has_type && SPECIFIERS.contains(&before);
                is_type(before) || is_tag(before) || is_qualified || named_types.contains(before)
            }
        };
        match is_named {
            true => declared.insert(word),
            false => used.insert(word),
        };
        if is_named && (defines_type || is_tag(before)) {
            named_types.insert(word);
        }
        // A name of a type starts a declaration.
        if named_types.contains(word) && !matches!(before, "." | "->" | "," | "=") {
            (declares, has_type) = (true, true);
        }
    }
    // What declares nothing is no text of kernels.
    has_declarations
        && used
            .iter()
            .any(|word| !declared.contains(word) && !is_known(word))
}

fn is_type(word: &str) -> bool {
    types::builtin_type(word).is_some() || matches!(word, "unsigned" | "signed")
}

/// A name after it is declared there, or was before.
fn is_tag(word: &str) -> bool {
    matches!(word, "struct" | "union" | "enum" | "goto")
}

fn is_known(word: &str) -> bool {
    OTHER_WORDS.contains(&word)
        || word.starts_with("__builtin_")
        || functions::function(word).is_some()
        || functions::conversion(word).is_some()
        || constants::scalar_of(word).is_some()
        || matches!(word, "true" | "false" | "NULL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_macros_are_nobody_s() {
        for text in [
            "kernel void f(QUAL int *x) { x[0] = 1; }",
            "kernel void f(global int *x) begin x[0] = 1; end",
            "kernel void f(global int *x) { FOREACH(i, 4) x[i] = 1; }",
            "kernel void f(global int *x) { UNROLL for (int i = 0; i < 4; i++) x[i] = 1; }",
            "DECLARE(foo) kernel void f(global int *x) { x[0] = 1; }",
            "kernel REQD void f(global real *x) { x[0] = 1; }",
            "INLINE int g(int a) { return a; }",
            "kernel void f(global real *x) { x[0] = 1; }",
            "kernel void f(int a, __global const real *x) { int b; }",
            "kernel void f(global int *x, int n ARGS) { x[0] = n; }",
            "kernel void f(global int *x) { x[0] = x[1] op 2; }",
            "kernel void f(global int *x) { int a = 1, b = n; }",
            "kernel void f(global int *x) { int a = 1, b = 2 c = 3; x[0] = a + b; }",
        ] {
            assert!(has_undeclared_names(text), "{text}");
        }
    }

    #[test]
    fn names_of_a_text_are_its_own() {
        for text in [
            "!<arch>",
            "kernel void f(global int *x) { x[0] = 1 }",
            "# 1 \"k.cl\"\nkernel void f(global int *x) { int a = 1, b = 2; x[0] = a + b }",
            "typedef struct { float re, im; } cplx;\ncplx g(cplx a, const cplx b) { cplx c; c.re = a.re; return c;",
            "enum E { A, B = 2, C };\nenum { D };\nkernel void f(global int *x) { enum E e = A; x[0] = e + B + D }",
            "struct s { int a; struct s *n; };\nstatic int g(struct s v) { struct s w = v; return w.n->a; } }",
            "kernel void f(global float4 *x, uint n) { for (size_t i = 0; i < n; i++) x[i] = convert_float4((int4)(1)) }",
            "constant sampler_t smp = CLK_FILTER_NEAREST; kernel void f() { float a[3], *p = a; goto end; end: barrier(1) }",
            "kernel void f(const global int *const restrict x, __constant float4 *y) { unsigned i; const int n = 3 }",
            "int g(int a) { return min(a, INT_MAX); } kernel void f(global int *x) { x[0] = g(as_int(M_PI_F)) }",
        ] {
            assert!(!has_undeclared_names(text), "{text}");
        }
    }
}
