//! What is wrong is reported, where it stands; nothing that is said to be wrong is silently taken.

use crate::diag::{Color, render};
use crate::ir::{Dialect, Expr, Module};
use crate::kernel::{Input, ParseError, parse};
use crate::source::SourceMap;

fn lower(text: &str) -> Result<Module, Vec<String>> {
    let mut sources = SourceMap::new();
    sources.add("k.cl", text);
    let input = Input::new("k.cl", text, Dialect::Cl12);
    parse(&input, &mut sources).map_err(|error| {
        let kind = match error {
            ParseError::Invalid(_) => "",
            ParseError::Unsupported(_) => "unsupported ",
        };
        error
            .diagnostics()
            .iter()
            .map(|diagnostic| {
                let text = render(diagnostic, &sources, Color::Never);
                let head = text.lines().next().unwrap_or_default();
                let position = head.replacen("k.cl:", "", 1).replacen(" error:", "", 1);
                format!("{kind}{position}")
            })
            .collect()
    })
}

/// `text` has exactly these errors: `line:column: message`.
fn check(text: &str, expected: &[&str]) {
    match lower(text) {
        Ok(_) => assert!(expected.is_empty(), "{text:?} is taken"),
        Err(messages) => assert_eq!(messages, expected, "{text:?}"),
    }
}

/// A statement in a kernel with some parameters has this error.
fn check_stmt(stmt: &str, expected: &str) {
    let text = format!(
        "struct s {{ int a; }};\n\
         kernel void k(global int *p, local float *l, float4 v, int n, struct s r, constant int *c) {{\n\
         {stmt}\n}}"
    );
    match lower(&text) {
        Ok(_) => assert_eq!("", expected, "{stmt} is taken"),
        Err(messages) => assert_eq!(messages, [format!("3:{expected}")], "{stmt}"),
    }
}

#[test]
fn attributes_that_take_numbers_name_what_is_declared() {
    check(
        "kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void k(global int *p) {}",
        &["1:1: `WORK_ITEMS` is not declared"],
    );
    let known = "enum { WIDE = 4 };\n\
        kernel __attribute__((num_simd_work_items(WIDE), reqd_work_group_size(CHAR_BIT * 2, 1, 1)))\n\
        void k(global int *p) {}";
    assert!(lower(known).is_ok());
}

#[test]
fn several_errors_are_reported_at_once() {
    check(
        "void f() {\n  int x = y;\n  z();\n  float w = x + u;\n}\nvoid g() { return 1; }",
        &[
            "2:11: `y` is not declared",
            "3:3: the function `z` is not declared",
            "4:17: `u` is not declared",
            "6:19: the function `g` returns `void`, so no value",
        ],
    );
}

#[test]
fn syntax_errors_of_several_functions_are_reported_with_all_else() {
    check(
        "void f() {\n  int x = 3\n  x++;\n  for (int i = 0; i < 4 i++) { x = z; }\n}\nvoid g() { y = 1; }",
        &[
            "2:12: expected `;` or an operator, found `x`",
            "4:25: expected `;` or an operator, found `i`",
            "6:12: `y` is not declared",
        ],
    );
    // A function that is wrong is declared all the same, and what it declares is not missed.
    check(
        "int f(int a) { flaot b = a; return b; }\nint g() { return f(1, 2); }\nvoid h() { { u = ; } w = ; }",
        &[
            "1:16: `flaot` is not a type",
            "2:18: `f` takes 1 argument, not 2",
            "3:18: expected an expression, found `;`",
            "3:26: expected an expression, found `;`",
        ],
    );
    // Nothing is said of what follows a declaration that is wrong.
    check(
        "struct s { int a int b; };\nvoid f(struct s x) { y = x.b; }",
        &["1:18: expected `;` or `,`, found the keyword `int`"],
    );
}

#[test]
fn macros_at_fault_are_shown() {
    let check = |text: &str, position: &str, definitions: &[&str]| {
        let mut sources = SourceMap::new();
        sources.add("k.cl", text);
        let expanded = text
            .replace("OUTER(a)", "((a) * ((a) + missing))")
            .replace("SQUARE(b)", "((b) * (b))")
            .replace("#define ((a) * ((a) + missing))", "#define OUTER(a)");
        let preprocessed = format!("# 1 \"k.cl\"\n{expanded}");
        let input = Input::new("k.cl", &preprocessed, Dialect::Cl12);
        let error = parse(&input, &mut sources).unwrap_err();
        let found = &error.diagnostics()[0];
        let (span, _) = found.primary.as_ref().unwrap();
        assert_eq!(sources.location(*span).to_string(), position);
        let shown: Vec<String> = found
            .secondary
            .iter()
            .map(|(span, label)| format!("{} {label}", sources.location(*span)))
            .collect();
        assert_eq!(shown, definitions);
    };
    // Through two definitions, one of them in two lines.
    check(
        "#define INNER(x) \\\n  ((x) + missing)\n#define OUTER(a) ((a) * INNER(a))\nint f(int a) { return OUTER(a); }",
        "k.cl:4:23",
        &[
            "k.cl:3:25 in the macro `OUTER`",
            "k.cl:2:10 in the macro `INNER`",
        ],
    );
    // What is handed to a macro is not the macro's fault.
    check(
        "#define SQUARE(x) ((x) * (x))\nint f(int a) { return SQUARE(b); }",
        "k.cl:2:30",
        &[],
    );
}

#[test]
fn syntax_errors_are_reported_in_words() {
    check(
        "void f() { int x = ; }",
        &["1:20: expected an expression, found `;`"],
    );
    check(
        "void f() { int x = 3 }",
        &["1:22: expected `;` or an operator, found `}`"],
    );
    check("void f() { if x; }", &["1:15: expected `(`, found `x`"]);
    check("void f() { foo x; }", &["1:12: `foo` is not a type"]);
    check("void f(flaot x) { }", &["1:8: `flaot` is not a type"]);
    check("void f() { (1; }", &["1:16: expected `)`, found `}`"]);
    check("void f() { int a[2; }", &["1:21: expected `]`, found `}`"]);
    check("void f() {", &["1:10: `{` has no matching `}`"]);
    check("void f() { } }", &["1:14: `}` closes nothing"]);
    check(
        "void f() { x = 3 4; }",
        &["1:18: expected `;` or an operator, found the number `4`"],
    );
}

#[test]
fn keywords_name_nothing() {
    let message = "`bool` is a keyword of OpenCL C and names nothing else";
    for (text, column) in [
        ("kernel void bool(global int *p) { }", 13),
        ("void f(int bool) { }", 12),
        ("struct s { int bool; };", 16),
        ("struct bool { int a; };", 8),
        ("enum bool { A };", 6),
        ("enum { bool };", 8),
        ("void f() { int bool = 1; }", 16),
        ("void f() { bool: ; }", 12),
    ] {
        check(text, &[&format!("1:{column}: {message}")]);
    }
}

#[test]
fn what_is_no_text_is_reported() {
    check(
        "int @;",
        &["1:5: the character `@` is not part of OpenCL C"],
    );
    check("int a\0;", &["1:6: a NUL byte is not part of OpenCL C"]);
    check(
        "void f() { printf(\"abc); }",
        &["1:19: this string has no closing `\"` on its line"],
    );
    check("/* abc", &["1:1: this comment has no closing `*/`"]);
}

#[test]
fn expressions_are_checked() {
    check_stmt("m = 1;", "1: `m` is not declared");
    check_stmt("n = p;", "");
    check_stmt(
        "n = v;",
        "5: a value of type `float4` cannot be assigned as `int`",
    );
    check_stmt(
        "r = n;",
        "5: a value of type `int` cannot be assigned as `struct s`",
    );
    check_stmt("n = r + 1;", "5: `+` does not take `struct s` and `int`");
    check_stmt("n = v % 2;", "5: `%` does not take `float4` and `int`");
    check_stmt("r.b = 1;", "3: `struct s` has no field `b`");
    check_stmt("n.x = 1;", "1: a value of type `int` has no members");
    check_stmt(
        "p.x = 1;",
        "1: `.` needs a struct or a vector, not the pointer `__global int*`",
    );
    check_stmt("r->a = 1;", "1: `->` needs a pointer, not `struct s`");
    check_stmt(
        "v.xx = v.xy;",
        "1: a component stands twice on the left of `=`",
    );
    check_stmt(
        "v.q = 1;",
        "3: `.q` of a `float4`: vectors have no such component",
    );
    check_stmt("1 = n;", "1: this cannot be assigned to");
    check_stmt("c[0] = 1;", "1: this is constant and cannot be assigned to");
    check_stmt(
        "const int q = 1; q = 2;",
        "18: `q` is constant and cannot be assigned to",
    );
    check_stmt("*n = 1;", "1: `*` does not take `int`");
    check_stmt("n[0] = 1;", "1: a value of type `int` cannot be indexed");
    check_stmt("p[v] = 1;", "1: an index must be an integer, not `float4`");
    check_stmt("n();", "1: `n` is not a function");
    check_stmt("k;", "1: `k` is a function and can only be called");
    check_stmt("n = &1;", "5: `&` needs a variable or an element");
    check_stmt(
        "global int *q = l;",
        "17: a value of type `__local float*` cannot be used as `__global int*`",
    );
    check_stmt("v = (int4)v;", "5: a `float4` cannot be cast to `int4`");
    check_stmt(
        "v = (float4)(1, 2, 3);",
        "5: a `float4` needs 4 components, here are 3",
    );
    check_stmt(
        "if (r) n = 1;",
        "5: a condition cannot have type `struct s`",
    );
    check_stmt(
        "switch (v) { case 1: ; }",
        "9: `switch` needs an integer, not `float4`",
    );
    check_stmt(
        "switch (n) { case n: ; }",
        "19: a `case` needs a constant integer expression",
    );
    check_stmt(
        "n = n ? v : r;",
        "5: `?:` cannot choose between `float4` and `struct s`",
    );
    check_stmt("n = 08;", "5: `08` is not a number");
    check_stmt("n = 'ab';", "5: `'ab'` is not one character");
    check_stmt(
        "n = sizeof(struct t);",
        "5: the size of `struct t` is not known",
    );
}

#[test]
fn declarations_are_checked() {
    check_stmt(
        "switch (n) { case 1: case 1: ; }",
        "27: `case 1` stands twice in this `switch`",
    );
    check_stmt(
        "switch (n) { default: default: ; }",
        "1: this `switch` has two `default` labels",
    );
    check_stmt(
        "int a[2][];",
        "6: only the first length of an array may be left out",
    );
    check(
        "__constant int a[];",
        &["1:16: the array `a` has no length"],
    );
    check_stmt("goto x;", "6: there is no label `x`");
    check_stmt("x: x: ;", "4: the label `x` stands twice");
    check_stmt("break;", "1: `break` outside of a loop or `switch`");
    check_stmt(
        "switch (n) { case 1: continue; }",
        "22: `continue` outside of a loop",
    );
    check_stmt("int restrict x;", "14: `restrict` belongs to pointers only");
    check_stmt("int n2, n2;", "9: `n2` is declared twice in the same scope");
    check_stmt("void x;", "6: the variable `x` has type `void`");
    check_stmt("struct t x;", "10: `x` has the incomplete type `struct t`");
    check_stmt(
        "int a[n];",
        "7: an array's length must be a constant integer expression",
    );
    check_stmt("int a[-1];", "7: an array's length must not be negative");
    check_stmt("int a[] ;", "5: the array `a` has no length");
    check_stmt("int a[2] = { 1, 2, 3 };", "20: 3 values for 2 elements");
    check_stmt(
        "struct s q = { .z = 1 };",
        "16: `struct s` has no field `z`",
    );
    check_stmt(
        "local int x = 1;",
        "11: the `__local` variable `x` cannot be initialised",
    );
    check_stmt("unsigned float x;", "1: these words do not make up a type");
    check(
        "int x;",
        &["1:5: the program-scope variable `x` must be `__constant`"],
    );
    check("void f(int) { }", &[]);
    check("x;", &["1:1: expected a type, found `x`"]);
    check(
        "kernel int k() { return 1; }",
        &["1:12: the kernel `k` must return `void`"],
    );
    check(
        "kernel void k(int *p) { }",
        &["1:20: the kernel's pointer parameter `p` names no address space"],
    );
    check(
        "void f(int a, int a) { }",
        &["1:19: `a` is declared twice in the same scope"],
    );
    check(
        "void f() {} void f() {}",
        &["1:18: the function `f` has two bodies"],
    );
    check(
        "void f(int); int f(int);",
        &["1:18: `f` is declared with other types before"],
    );
    check(
        "int f() { return; }",
        &["1:11: the function `f` must return a value"],
    );
    check(
        "void f(int (*g)(int)) { }",
        &["1:13: OpenCL C has no pointers to functions"],
    );
    check(
        "enum e { A = 1.5 };",
        &["1:14: an enumerator's value must be constant"],
    );
    check(
        "struct s { int a; float a; };",
        &["1:25: the field `a` is declared twice"],
    );
    check(
        "_Static_assert(1 > 2, \"no\");",
        &["1:1: static assertion failed: no"],
    );
}

#[test]
fn calls_are_checked() {
    check(
        "int f(int a); int g() { return f(1, 2); }",
        &["1:32: `f` takes 1 argument, not 2"],
    );
    check(
        "int g() { return get_globl_id(0); }",
        &["1:18: the function `get_globl_id` is not declared"],
    );
    check_stmt("n = sqrt();", "5: `sqrt` takes 1 argument, not 0");
    check_stmt(
        "n = get_global_id(0, 1);",
        "5: `get_global_id` takes 1 argument, not 2",
    );
    check_stmt("n = sqrt(r);", "5: `sqrt` does not take `struct s`");
    check_stmt(
        "v = convert_float4(n);",
        "20: `convert_float4` does not take a `int`",
    );
    check_stmt(
        "n = atomic_add(n, 1);",
        "5: `atomic_add` does not take `int`, `int`",
    );
    check_stmt("printf();", "1: `printf` takes at least 1 arguments, not 0");
}

#[test]
fn what_is_not_taken_is_not_said_to_be_wrong() {
    check(
        "f(a) int a; { }",
        &["unsupported 1:1: parameters in the style of K&R are not supported"],
    );
    check(
        "void f() { int (^b)(int); }",
        &["unsupported 1:17: block literals are not supported"],
    );
    check(
        "void f() { asm(\"nop\"); }",
        &["unsupported 1:12: inline assembly is not supported"],
    );
    check(
        "int f() { return ({ 1; }); }",
        &["unsupported 1:18: statement expressions are not supported"],
    );
    check(
        "void f() { long double x; }",
        &["unsupported 1:12: `long double` is not supported"],
    );
    check(
        "void f() { float _Complex x; }",
        &["unsupported 1:18: complex numbers are not supported"],
    );
}

#[test]
fn deep_and_long_texts_are_refused() {
    let nest = |open: &str, inner: &str, close: &str, count: usize| {
        format!(
            "void f() {{ int x = {}{inner}{}; }}",
            open.repeat(count),
            close.repeat(count)
        )
    };
    let first = |text: &str| {
        lower(text)
            .map(|_| ())
            .map_err(|messages| messages[0].clone())
    };
    for (open, close) in [("(", ")"), ("-(", ")"), ("(int)(", ")")] {
        let message = first(&nest(open, "1", close, 10_000)).expect_err("it is too deep");
        assert!(
            message.ends_with("brackets nest deeper than 256 levels"),
            "{message}"
        );
        assert_eq!(first(&nest(open, "1", close, 200)), Ok(()));
    }
    let message = first(&nest("- ", "1", "", 9_000)).expect_err("it is too deep");
    assert!(
        message.ends_with("this expression nests deeper than 1000 levels"),
        "{message}"
    );
    let message = first(&nest("1+", "1", "", 100_000)).expect_err("it is too long");
    assert!(message.contains("more than 20000 tokens"), "{message}");
    let message = first(&nest("sizeof(int[", "1", "])", 40)).expect_err("it is too deep");
    assert!(
        message.ends_with("`sizeof` nests deeper than 8 levels"),
        "{message}"
    );
    let message = first(&format!(
        "void f(int a) {{ {} a=1; }}",
        "if(a)".repeat(3000)
    ));
    let message = message.expect_err("it is too deep");
    assert!(
        message.ends_with("statements nest deeper than 500 levels"),
        "{message}"
    );
}

#[test]
fn records_that_hold_records_twice_are_measured_quickly() {
    let mut text = "struct s0 { char a; };".to_string();
    for n in 1..30 {
        text.push_str(&format!("struct s{n} {{ struct s{} a, b; }};", n - 1));
    }
    text.push_str("__constant int x[sizeof(struct s29) == 1 << 29 ? 1 : -1] = { 0 };");
    check(&text, &[]);
}

#[test]
fn sizes_are_those_of_opencl() {
    let sizes = [
        ("float3", 16),
        ("struct { char c; double d; }", 16),
        ("struct { char c; int i; }", 8),
        ("union { char c[5]; int i; }", 8),
        ("struct { int a : 3; int b : 30; }", 8),
        ("struct { int a : 3; int b : 29; }", 4),
        ("__global float *", 8),
        ("size_t", 8),
        ("half[3]", 6),
    ];
    for (ty, size) in sizes {
        check(
            &format!("_Static_assert(sizeof({ty}) == {size}, \"{ty}\");"),
            &[],
        );
    }
    let packed = "typedef struct __attribute__((packed)) { char c; int i; } t; \
                  _Static_assert(sizeof(t) == 5, \"packed\");";
    check(packed, &[]);
}

#[test]
fn enumerations_beyond_int_have_the_types_that_clang_gives_them() {
    let wide = "enum far { NEAR = -1 + 2, FAR = 0x736f6d6570736575UL, NEXT, LAST = NEAR + 4 };\n";
    for holds in [
        "sizeof(enum far) == 8",
        "sizeof(NEAR) == 4",
        "sizeof(FAR) == 8",
        "NEXT - FAR == 1",
        "NEXT == 0x736f6d6570736576UL",
        "LAST == 5",
        "sizeof(struct { char c; enum far e; }) == 16",
        "sizeof(enum { MASK = 0xFFFFFFFF }) == 4",
        "sizeof(enum { LOW = -1, HIGH = 0xFFFFFFFF }) == 8",
        "sizeof(enum { NARROW = -1 }) == 4",
    ] {
        check(&format!("{wide}_Static_assert({holds}, \"\");"), &[]);
    }
    let unsigned = "enum { MASK = 0xFFFFFFFF }; _Static_assert(MASK + 1 == 0, \"\");";
    check(unsigned, &[]);
    let signed = "enum { LOW = -1, HIGH = 0xFFFFFFFF }; _Static_assert(HIGH + 1 > 0, \"\");";
    check(signed, &[]);
    let within =
        "void f(ulong *p) { enum e { A = 1UL << 40 } e = A; switch (*p) { case A: *p = e; } }";
    check(within, &[]);
    check(
        "enum { A = 0xFFFFFFFFFFFFFFFF, B };",
        &["1:32: the value of `B` is beyond 64 bits"],
    );
}

/// As clang takes them: `(float4){v.xy, w}`, and GNU C's casts to unions.
#[test]
fn vectors_between_braces_and_unions_take_what_makes_them() {
    let kernel = |stmt: &str| {
        format!(
            "typedef union {{ float4 t; float2 s[2]; }} pair;\n\
             kernel void k(global float4 *p, float2 v, float w, int4 i) {{\n{stmt}\n}}"
        )
    };
    for taken in [
        "p[0] = (float4){v, v};",
        "p[0] = (float4){v, w, w};",
        "p[0] = (float4){w, w, w, w};",
        "pair x = (pair)(float4){v, v}; p[0] = x.t;",
    ] {
        check(&kernel(taken), &[]);
    }
    check(
        &kernel("p[0] = (float4){v, v, w};"),
        &["3:23: 5 values for 4 elements"],
    );
    check(
        &kernel("pair x = (pair)i;"),
        &["3:10: a `int4` cannot be cast to `pair`"],
    );
}

#[test]
fn the_name_of_a_function_is_a_string_of_its_length() {
    let text = "void part(int n) { if (n) printf(\"%s %d\", __func__, n); }\n\
                kernel void whole(global ulong *p) {\n\
                constant char *name = __FUNCTION__;\n\
                part(name[0]); p[0] = sizeof(__func__);\n}";
    let module = lower(text).expect("both names stand for strings");
    let strings = |name: &str| -> Vec<String> {
        let (_, function) = module
            .functions
            .iter()
            .find(|(_, f)| f.name == name)
            .expect("it is there");
        let mut found = Vec::new();
        let body = function.body.as_ref().expect("it has a body");
        body.for_each_expr(&function.exprs, &mut |id| {
            if let Expr::Str(text) = function.exprs.get(id) {
                found.push(text.clone());
            }
        });
        found
    };
    assert_eq!(strings("part"), ["\"%s %d\"", "\"part\""]);
    assert_eq!(strings("whole"), ["\"whole\"", "\"whole\""]);
    check(
        "constant ulong n = sizeof(__func__);",
        &["1:27: `__func__` is not declared"],
    );
}
