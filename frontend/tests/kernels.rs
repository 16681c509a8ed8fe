//! The whole way of a kernel file: `cc -E`, parse, validate, print, and again.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fpgacc_frontend::diag::{Color, render};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{
    Input, LineDirectives, ParseError, parse, predefined, print, validate,
};
use fpgacc_frontend::source::SourceMap;

/// `cc -E` over a text that stands for the file `name`.
fn preprocess(name: &str, text: &str, dialect: Dialect) -> String {
    let mut child = Command::new("cc")
        .args([
            "-E",
            "-dD",
            "-undef",
            "-nostdinc",
            "-std=gnu99",
            "-w",
            "-x",
            "c",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cc starts");
    let input = format!("{}# 1 \"{name}\"\n{text}", predefined(dialect, &[]));
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("cc ends");
    feeder
        .join()
        .expect("the feeder ends")
        .expect("cc reads its input");
    String::from_utf8(output.stdout).expect("cc writes UTF-8")
}

/// The printed module, or the first lines of the diagnostics.
fn roundtrip(name: &str, text: &str, dialect: Dialect) -> Result<String, Vec<String>> {
    let preprocessed = preprocess(name, text, dialect);
    let mut sources = SourceMap::new();
    sources.add(name, text);
    let input = Input::new(name, &preprocessed, dialect);
    let module = parse(&input, &mut sources).map_err(|error| {
        let kind = match error {
            ParseError::Invalid(_) => "",
            ParseError::Unsupported(_) => "unsupported: ",
        };
        let head = |diagnostic| {
            let text = render(diagnostic, &sources, Color::Never);
            format!("{kind}{}", text.lines().next().unwrap_or_default())
        };
        error.diagnostics().iter().map(head).collect::<Vec<_>>()
    })?;
    let valid = validate(&module).unwrap_or_else(|faults| {
        let shown: Vec<String> = faults
            .iter()
            .map(|fault| render(fault, &sources, Color::Never))
            .collect();
        panic!("{name}: {}", shown.join(""));
    });
    Ok(print(&valid, &sources, LineDirectives::None))
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/syntax");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the cases are there")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    files
}

/// The cases that do not parse, with what is said of them.
const REFUSED: [(&str, &[&str]); 8] = [
    (
        "04_swz.cl",
        &[
            "04_swz.cl:1:66: error: `.sABCD` of a `float8`: there is no component 10",
            "04_swz.cl:1:76: error: `.s0f` of a `float8`: there is no component 15",
        ],
    ),
    (
        "32_block.cl",
        &["unsupported: 32_block.cl:1:16: error: block literals are not supported"],
    ),
    (
        "33_blockdecl.cl",
        &["unsupported: 33_blockdecl.cl:1:13: error: block literals are not supported"],
    ),
    (
        "34_implicit.cl",
        &["34_implicit.cl:1:19: error: the function `foo` is not declared"],
    ),
    (
        "53_generic.cl",
        &["53_generic.cl:1:28: error: expected a type, found `generic`"],
    ),
    (
        "67_assign_kr.cl",
        &[
            "unsupported: 67_assign_kr.cl:1:1: error: parameters in the style of K&R are not supported",
        ],
    ),
    (
        "72_c23.cl",
        &[
            "72_c23.cl:1:16: error: expected a type, found `x`",
            "72_c23.cl:2:1: error: expected a type, found `[`",
        ],
    ),
    (
        "73_c23attr.cl",
        &["73_c23attr.cl:1:1: error: expected a type, found `[`"],
    ),
];

#[test]
fn every_syntax_case_parses_and_prints_itself_or_is_refused_as_expected() {
    let files = cases();
    assert!(files.len() > 70, "only {} cases", files.len());
    for path in files {
        let name = path
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("a case can be read");
        let refused = REFUSED.iter().find(|(refused, _)| *refused == name);
        let found = roundtrip(&name, &text, Dialect::Cl12);
        match (found, refused) {
            (Ok(printed), None) => {
                let again = roundtrip(&name, &printed, Dialect::Cl12);
                assert_eq!(again.as_ref(), Ok(&printed), "{name}");
            }
            (Err(messages), Some((_, expected))) => assert_eq!(messages, *expected, "{name}"),
            (found, _) => panic!("{name}: {found:?}"),
        }
    }
}

#[test]
fn generic_pointers_belong_to_version_2() {
    let text = "void f(__generic float *p, generic int *q){ p[0] = q[0]; }";
    assert!(roundtrip("k.cl", text, Dialect::Cl20).is_ok());
}

#[test]
fn what_follows_a_vector_literal_belongs_to_the_literal() {
    let check = |text: &str, expected: &str| {
        let printed = roundtrip("k.cl", text, Dialect::Cl12).expect("it parses");
        assert!(printed.contains(expected), "{text}: {printed}");
        let again = roundtrip("k.cl", &printed, Dialect::Cl12);
        assert_eq!(again, Ok(printed), "{text}");
    };
    check(
        "float f(){ return (float4)(1,2,3,4).y; }",
        "return ((float4)(1, 2, 3, 4)).y;",
    );
    check(
        "float f(float a){ return (float4)(a).y; }",
        "return ((float4)(a)).y;",
    );
    check(
        "typedef float4 v4; float f(float a){ return (v4)(a).xyzw.s0; }",
        "return ((v4)(a)).xyzw.s0;",
    );
    // Without parentheses after the type it is a cast of what follows.
    check("int4 f(float4 v){ return (int4)v.x; }", "return (int4)v.x;");
    // So it is for scalars.
    check("int f(float4 v){ return (int)(v).x; }", "return (int)v.x;");
}

#[test]
fn macros_in_pragmas_are_expanded() {
    let text = "#define N 4\n#define M (N * 2)\nvoid f(){\n#pragma unroll M\nfor(int i=0;i<N;i++){}\n\
                _Pragma(\"ii N\") while(1){} }";
    let printed = roundtrip("k.cl", text, Dialect::Cl12).expect("it parses");
    assert!(printed.contains("#pragma unroll 8"), "{printed}");
    assert!(printed.contains("#pragma ii 4"), "{printed}");
}

#[test]
fn names_of_constants_survive_the_preprocessor() {
    let text = "#if INT_MAX == 2147483647 && defined(M_PI_F)\n\
                void f(){ float x = M_PI_F; barrier(CLK_LOCAL_MEM_FENCE); }\n#endif\n";
    let printed = roundtrip("k.cl", text, Dialect::Cl12).expect("it parses");
    assert!(printed.contains("float x = M_PI_F;"), "{printed}");
    assert!(
        printed.contains("barrier(CLK_LOCAL_MEM_FENCE);"),
        "{printed}"
    );
}

#[test]
fn errors_in_macros_stand_at_their_use_and_those_of_arguments_at_the_argument() {
    let check = |text: &str, expected: &str| {
        let found = roundtrip("k.cl", text, Dialect::Cl12);
        assert_eq!(found, Err(vec![expected.to_string()]), "{text}");
    };
    check(
        "#define ADD(a, b) ((a) + (b))\nvoid f(int n) {\n    n = ADD(n, /* no */ m);\n}\n",
        "k.cl:3:25: error: `m` is not declared",
    );
    check(
        "#define ADD(a) ((a) + m)\nvoid f(int n) {\n    n = ADD(n);\n}\n",
        "k.cl:3:9: error: `m` is not declared",
    );
}

/// What a text that is preprocessed already prints as.
fn printed(text: &str) -> Option<String> {
    let mut sources = SourceMap::new();
    sources.add("k.cl", text);
    let preprocessed = format!("# 1 \"k.cl\"\n{text}");
    let input = Input::new("k.cl", &preprocessed, Dialect::Cl12);
    let module = parse(&input, &mut sources).ok()?;
    let valid = validate(&module).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    Some(print(&valid, &sources, LineDirectives::None))
}

/// Attributes of random words, at every place where one may stand.
#[test]
fn nonsense_in_attributes_prints_as_it_is_read_or_is_refused() {
    const WORDS: [&str; 19] = [
        "(",
        ")",
        ",",
        "a",
        "b",
        "__a__",
        "____",
        "______",
        "____a____",
        "__attribute__",
        "__attribute",
        "attribute",
        "1",
        "\"s\"",
        "+",
        "const",
        "kernel",
        "((",
        "))",
    ];
    const PLACES: [&str; 10] = [
        "@ kernel void f(global int *a) { a[0] = 1; }",
        "kernel @ void f(global int *a) { a[0] = 1; }",
        "kernel void @ f(global int *a) { a[0] = 1; }",
        "kernel void f(global int *a) @; kernel void f(global int *a) { a[0] = 1; }",
        "kernel void f(global int *a @) { a[0] = 1; }",
        "kernel void f(global int *a) { int @ x @ = 1; a[0] = x; }",
        "kernel void f(global int *a) { @ for (int i = 0; i < 2; i++) { a[i] = 1; } }",
        "struct @ s { int x @; int y; } @; kernel void f(global struct s *a) { a[0].x = 1; }",
        "typedef int t @; kernel void f(global t *a) { a[0] = 1; }",
        "kernel void f(global int *a) { local int x[2] @, y @; a[0] = x[0]; }",
    ];
    let mut random = 1u64;
    let mut below = |limit: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..4000 {
        let words: Vec<&str> = (0..1 + below(5))
            .map(|_| WORDS[below(WORDS.len())])
            .collect();
        let attribute = format!("__attribute__(({}))", words.join(" "));
        let text = PLACES[below(PLACES.len())].replace('@', &attribute);
        let Some(once) = printed(&text) else {
            refused += 1;
            continue;
        };
        taken += 1;
        assert_eq!(
            printed(&once).as_ref(),
            Some(&once),
            "{text}\nprints as\n{once}"
        );
    }
    assert!(
        taken > 500 && refused > 500,
        "{taken} taken, {refused} refused"
    );
}

#[test]
fn strings_over_two_lines_are_one_line() {
    let text = "void f(void) {\n    printf(\"one \\\n  two %d\\n\", 1);\n}\n";
    let once = printed(text).expect("it parses");
    assert!(once.contains("\"one   two %d\\n\""), "{once}");
    assert_eq!(printed(&once).as_deref(), Some(once.as_str()));

    let text = "kernel void f(__attribute__((buffer_location(\"a\\\nb\"))) global int *p) { }\n";
    let once = printed(text).expect("it parses");
    assert!(once.contains("buffer_location(\"ab\")"), "{once}");
    assert_eq!(printed(&once).as_deref(), Some(once.as_str()));
}

/// Lengths as Clang's sizeof has them: a scalar stands for a whole vector, records without braces
/// take one value for each of their scalars and vectors.
#[test]
fn open_arrays_of_vectors_have_an_element_for_each_value() {
    let text = "struct pair { float4 v; float x; };
__kernel void f(__global int *o) {
    long16 data[] = {0, 1, 2};
    float4 mixed[] = {(float4)(1), 2, {1, 2, 3, 4}};
    struct pair pairs[] = {1, 2, 3, 4};
    int plain[] = {[3] = 1, 2};
    _Static_assert(sizeof(data) == 3 * 128, \"vectors\");
    _Static_assert(sizeof(mixed) == 3 * 16, \"vectors and lists\");
    _Static_assert(sizeof(pairs) == 2 * 32, \"records\");
    _Static_assert(sizeof(plain) == 5 * 4, \"designators\");
}
";
    let printed = roundtrip("open.cl", text, Dialect::Cl12).unwrap();
    for declared in ["data[3]", "mixed[3]", "pairs[2]", "plain[5]"] {
        assert!(printed.contains(declared), "{declared}\n{printed}");
    }
}

#[test]
fn arrays_become_integers_as_pointers_do() {
    let text = "__kernel void k(__global int *a) { int many[3]; many[0] = a[1]; a[2] = many; }";
    assert!(printed(text).is_some_and(|text| text.contains("a[2] = many;")));
}

#[test]
fn a_text_may_start_with_a_semicolon() {
    let text = ";uint f(uint a) { return a; }";
    assert!(printed(text).is_some_and(|text| !text.contains("typedef")));
}
