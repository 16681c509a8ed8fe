//! Kernel files parse and print without losing their meaning: clang makes the same of both texts.

use std::path::{Path, PathBuf};

use fpgacc_frontend::ir::Dialect;
use fpgacc_tests::random::Random;
use fpgacc_tests::roundtrip::{Options, Outcome, check, meaning};
use fpgacc_tests::seeds::seeds;

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new("cases").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cl"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}

#[test]
fn small_cases_keep_their_meaning() {
    let mut table = String::new();
    let mut texts = String::new();
    for path in cases("syntax") {
        let checked = check(&path, &Options::default());
        let outcome = &checked.outcome;
        assert!(!outcome.is_failure(), "{}: {outcome:?}", path.display());
        let name = stem(&path);
        table.push_str(&format!("{name}: {}\n", outcome.name()));
        let text = checked.printed.unwrap_or_default();
        texts.push_str(&format!("// {name}\n{text}\n"));
    }
    insta::assert_snapshot!("outcomes", table);
    insta::assert_snapshot!("small_cases", texts);
}

#[test]
fn large_cases_keep_their_meaning_and_build() {
    let options = Options {
        build: true,
        ..Options::default()
    };
    for path in cases("kernels") {
        let checked = check(&path, &options);
        assert_eq!(checked.outcome, Outcome::Same, "{}", path.display());
        insta::assert_snapshot!(stem(&path), checked.printed.unwrap_or_default());
    }
}

#[test]
fn the_check_tells_meanings_apart() {
    let of = |text| meaning(text, Dialect::Cl12).expect("clang takes it");
    let base = of("int f(int a, int b, int c) { return a - (b - c); }");
    assert_eq!(
        base,
        of("int f(int x, int y, int z) {\n  return x - (y - z);\n}")
    );
    assert_ne!(base, of("int f(int a, int b, int c) { return a - b - c; }"));
    let looped = of("void f(global int *a) { for (int i = 0; i < 8; i++) a[i] = 0; }");
    let unrolled =
        of("void f(global int *a) {\n#pragma unroll 4\nfor (int i = 0; i < 8; i++) a[i] = 0; }");
    assert_ne!(looped, unrolled);
    let free = of("kernel void f(global int *restrict a) { a[0] = 1; }");
    assert_ne!(free, of("kernel void f(global int *a) { a[0] = 1; }"));
    assert!(meaning("int f( {", Dialect::Cl12).is_err());
}

/// Expressions made at random, every operand in parentheses: the printer must find out which of them
/// it can leave away.
#[test]
fn random_expressions_keep_their_meaning() {
    let folder = tempfile::tempdir().expect("a folder");
    for seed in seeds(6) {
        let mut random = Random::new(seed);
        let mut text = String::from(
            "__kernel void k(__global int *o, int a, int b, uint u, long l, float f, char c,\n\
             __global int *p) {\n",
        );
        for index in 0..120 {
            let expr = expression(&mut random, 5);
            text.push_str(&format!("    o[{index}] = {expr};\n"));
        }
        text.push_str("}\n");
        let path = folder.path().join(format!("random{seed}.cl"));
        std::fs::write(&path, &text).expect("it is written");
        let checked = check(&path, &Options::default());
        assert_eq!(checked.outcome, Outcome::Same, "seed {seed}:\n{text}");
        let printed = checked.printed.expect("it was printed");
        assert!(printed.len() < text.len(), "no parenthesis was left away");
    }
}

/// An integer expression.
fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        let leaves = [
            "a", "b", "u", "l", "c", "1", "-1", "7u", "0x10", "'x'", "p[1]", "(int)f", "3L",
        ];
        return random.pick(&leaves).to_string();
    }
    let below = |random: &mut Random| {
        let depth = random.below(depth);
        expression(random, depth)
    };
    match random.below(12) {
        0..=5 => {
            let op = random.pick(&[
                "+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||",
            ]);
            let (x, y) = (below(random), below(random));
            format!("({x}) {op} ({y})")
        }
        6 => {
            let op = random.pick(&["<<", ">>"]);
            let x = below(random);
            format!("({x}) {op} (a & 7)")
        }
        7 => {
            let op = random.pick(&["-", "~", "!", "+"]);
            format!("{op}({})", below(random))
        }
        8 => {
            let ty = random.pick(&["int", "uint", "char", "long", "ushort"]);
            format!("({ty})({})", below(random))
        }
        9 => {
            let (x, y, z) = (below(random), below(random), below(random));
            format!("({x}) ? ({y}) : ({z})")
        }
        10 => {
            let (op, x) = (random.pick(&["=", "+=", "-=", "^="]), below(random));
            let place = random.pick(&["a", "b", "p[2]", "*p"]);
            format!("{place} {op} ({x})")
        }
        _ => {
            let (x, y) = (below(random), below(random));
            let text = [
                format!("({x}), ({y})"),
                format!("max((int)({x}), (int)({y}))"),
                format!("p[({x}) & 3]"),
                format!("(p + (({y}) & 3))[1]"),
                "a++".to_string(),
                "--b".to_string(),
                "-(--a)".to_string(),
                "*p++".to_string(),
            ];
            text[random.below(text.len())].clone()
        }
    }
}
