//! What is known of sizes, names, options and texts at a launch: one small host each.

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::analyse;
use fpgacc_host_analysis::syntax::{HostFile, Language};
use fpgacc_launch_facts::{ArgValue, Facts, Known, LocalSize, ProgramSource, Value};

pub(super) fn facts_of(texts: &[&str], language: Language) -> Facts {
    let mut sources = SourceMap::new();
    let hosts: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let file = sources.add(format!("h{index}.c"), *text);
            HostFile::parse(&sources, file, &[], None, language)
        })
        .collect();
    analyse(&hosts, &sources).facts
}

/// A reason without the line that stands after it.
pub(super) fn reason(text: &str) -> &str {
    text.rsplit_once(" (h").map_or(text, |(reason, _)| reason)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Const(v) => v.to_string(),
        Value::OneOf(all) => {
            let all: Vec<_> = all.iter().map(u64::to_string).collect();
            all.join(" or ")
        }
        Value::AnyOf(all) => all.iter().map(shown).collect::<Vec<_>>().join(" or "),
        Value::Symbolic(symbolic) => symbolic.text.clone(),
        Value::Unknown(why) => format!("? {}", reason(why)),
        other => format!("{other:?}"),
    }
}

pub(super) fn shown_all(values: &[Value]) -> String {
    values.iter().map(shown).collect::<Vec<_>>().join(", ")
}

const LAUNCH: &str = "clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0);";

/// The local size of the launch in a host: `body` stands in `main`, with `int n = atoi(argv[1])`.
fn check_local(before: &str, body: &str, expected: &str) {
    let text = format!(
        "{before}\nint main(int argc, char **argv) {{ int n = atoi(argv[1]); size_t g = n, l;\n{body}\n}}"
    );
    for language in [Language::C, Language::Cpp] {
        let facts = facts_of(&[&text], language);
        let all: Vec<_> = facts
            .launches
            .iter()
            .map(|l| match &l.local {
                LocalSize::Null => "NULL".to_string(),
                LocalSize::Sizes(sizes) => shown_all(sizes),
                LocalSize::Unknown(why) => format!("?? {}", reason(why)),
            })
            .collect();
        assert_eq!(all.join(" / "), expected, "{language:?}: {text}");
    }
}

#[test]
fn local_sizes_are_folded() {
    let check = |set: &str, expected: &str| check_local("", &format!("{set} {LAUNCH}"), expected);
    check("l = 16;", "16");
    check("l = (size_t)ceil(1000.0f / 3.0f);", "334");
    check("l = sizeof(float) * 4 + (7 >> 1);", "19");
    check("l = 1; l = 64;", "64");
    check("l = 64; if (n % 2) l = 64;", "64");
    check("l = 0; l += 32;", "32");
    check("l = n > 0 ? 8 : 8;", "8");
    check("int a[3]; l = sizeof(a) / sizeof(a[0]);", "3");
    check("l = std::min(4, 8);", "4");
    check("int i; for (i = 0, l = 1; i < 5; i++) l *= 2;", "32");
    check(
        "switch (2) { case 1: l = 1; break; case 2: l = 2; break; default: l = 3; }",
        "2",
    );
    check("l = 4; goto out; l = 5; out:", "4");
    check("do { l = 12; run(); } while (n);", "12");
}

#[test]
fn fields_start_with_their_own_values() {
    let text = "struct S { size_t a = 2, b, c = 8, d[2] = {5, 6}; size_t e[2] = {3, 4}, f = 7; };\n\
                int main() { S s; size_t g = 64;\n";
    let check = |value: &str, expected: &str| {
        let text = format!("{text} size_t l = {value}; {LAUNCH} }}");
        let facts = facts_of(&[&text], Language::Cpp);
        let LocalSize::Sizes(sizes) = &facts.launches[0].local else {
            panic!("{text}");
        };
        assert_eq!(shown_all(sizes), expected, "{value}");
    };
    check("s.a", "2");
    check("s.c", "8");
    check("s.d[1]", "6");
    check("s.e[1]", "4");
    check("s.f", "7");
    check("s.b", "? it is not set on any path to this point");
}

#[test]
fn nothing_is_claimed_that_does_not_hold() {
    let check = |set: &str, expected: &str| check_local("", &format!("{set} {LAUNCH}"), expected);
    check("l = 16; if (n) l = 32;", "16 or 32");
    check("l = n;", "n");
    check("l = n; n = 3;", "n");
    check("l = 8; while (n--) l *= 2;", "? changes in a loop");
    check("l = 8; scanf(\"%zu\", &l);", "l");
    check("l = 8; size_t *p = &l; *p = 9;", "9");
    check("l = 8; change(&l);", "l");
    check("l = 8; memset(&l, 1, 8);", "l");
    check(
        "switch (n) { case 1: l = 1; break; default: l = 3; }",
        "1 or 3",
    );
    check("l = 2; again: l = l * 2; if (n) goto again;", "l * 2");
    check(
        "l = 1 / 0;",
        "? an operation without a value, such as a division by zero",
    );
    check("int big = 2147483647; l = big + 1;", "? a signed overflow");
    check("l = 3; if (n) { l = 4; return 1; }", "3");
    check("l = 3; if (n) { l = 4; exit(1); }", "3");
    check(
        "l = 3; for (;;) { run(); if (n) { l = 4; break; } if (g) { l = 5; break; } }",
        "4 or 5",
    );
}

#[test]
fn macros_are_followed() {
    let check = |define: &str, body: &str, expected: &str| check_local(define, body, expected);
    let set = |value: &str| format!("l = {value}; {LAUNCH}");
    check("#define B 16", &set("B"), "16");
    check(
        "#define A B\n#define B (C * 2)\n#define C 4",
        &set("A"),
        "8",
    );
    check("#define SQ(x) ((x) * (x))", &set("SQ(4)"), "16");
    check("#define A 2 + 2", &set("A * 2"), "6");
    check("#define A 2 + 2", &set("A"), "4");
    check("#define A 1\n#undef A\n#define A 2", &set("A"), "2");
    check("enum { P, Q = 7, R };", &set("R"), "8");
    check("static const int wg = 32;", &set("wg"), "32");
    check("int wg = 32;", &set("wg"), "32");
    check("int wg = 32; void f() { wg = 2; }", &set("wg"), "32");
    check(
        "int wg = 32; void f() { wg = 2; }",
        &format!("f(); {}", set("wg")),
        "2",
    );
    check(
        "#define RUN clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0)",
        "l = 5; RUN;",
        "5",
    );
    check(
        "#define RUN(x) do { l = x; clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0); } while (0)",
        "RUN(6); RUN(7);",
        "6 / 7",
    );
    check(
        "#define SAFE(call) { int e = (call); if (e) fail(#call, e); }",
        "l = 9; SAFE(clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0));",
        "9",
    );
    check(
        "#define GO clEnqueueNDRangeKernel",
        "l = 3; GO(q, k, 1, 0, &g, &l, 0, 0, 0);",
        "3",
    );
}

#[test]
fn functions_are_followed() {
    let run =
        "void run(size_t l) { size_t g = 1; clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0); }";
    check_local(run, "run(8);", "8");
    check_local(run, "run(8); run(8);", "8");
    check_local(run, "run(8); run(4);", "4 or 8");
    let up = "int up(int a, int b) { return (a + b - 1) / b * b; }";
    check_local(up, &format!("l = up(10, 8); {LAUNCH}"), "16");
    let pointer = "void set(size_t *p) { *p = 5; }";
    check_local(pointer, &format!("set(&l); {LAUNCH}"), "5");
    let named = "void run(size_t l) { size_t g = 1; clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0); } void by(void (*run)(size_t)) { run(2); }";
    check_local(named, "by(run); by(&run);", "2");
    let deep = "int f(int n) { return n ? f(n - 1) : 1; }";
    check_local(deep, &format!("l = f(3); {LAUNCH}"), "l");
}

#[test]
fn several_files_are_one_program() {
    let main = "extern size_t wg; void go(void); int main() { wg = 64; go(); }";
    let other = "size_t wg = 1; void go(void) { size_t g = 128; clEnqueueNDRangeKernel(q, k, 1, NULL, &g, &wg, 0, 0, 0); }";
    let facts = facts_of(&[main, other], Language::C);
    let [launch] = &facts.launches[..] else {
        panic!("{facts:?}")
    };
    assert_eq!(launch.local, LocalSize::Sizes(vec![Value::Const(64)]));
    assert_eq!(launch.global, [Value::Const(128)]);
    // Without main, any assigned value may be there.
    let facts = facts_of(
        &[&other.replace("void go(void)", "void set() { wg = 2; } void go(void)")],
        Language::C,
    );
    let LocalSize::Sizes(sizes) = &facts.launches[0].local else {
        panic!("{facts:?}")
    };
    assert_eq!(shown_all(sizes), "1 or 2");
}

/// Kernels and arguments of all launches.
fn check_kernels(body: &str, expected: &str) {
    let text = format!(
        "int main(int argc, char **argv) {{ int n = atoi(argv[1]); size_t g = 8; cl_program p = clCreateProgramWithSource(c, 1, &s, 0, 0);\n{body}\n}}"
    );
    let facts = facts_of(&[&text], Language::C);
    let all: Vec<_> = facts
        .launches
        .iter()
        .map(|launch| {
            let kernels = match &launch.kernels {
                Known::Is(names) => names.join("|"),
                Known::Unknown(why) => format!("? {}", reason(why)),
            };
            let args: Vec<_> = launch
                .args
                .iter()
                .map(|arg| {
                    let value = match &arg.value {
                        ArgValue::Memory(name) => name.clone(),
                        ArgValue::AnyOf(names) => names.join(" or "),
                        ArgValue::Local(bytes) => format!("local {}", shown(bytes)),
                        ArgValue::Scalar(value) => shown(value),
                        ArgValue::Unknown(why) => format!("? {}", reason(why)),
                        other => format!("{other:?}"),
                    };
                    format!("{}={value}", arg.index)
                })
                .collect();
            format!("{kernels}({})", args.join(", "))
        })
        .collect();
    assert_eq!(all.join(" / "), expected, "{text}");
}

#[test]
fn kernels_are_found_through_handles() {
    let run = "clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);";
    let check = |before: &str, expected: &str| check_kernels(&format!("{before} {run}"), expected);
    check("cl_kernel k = clCreateKernel(p, \"a\", 0);", "a()");
    check(
        "cl_kernel k = clCreateKernel(p, n ? \"a\" : \"b\", 0);",
        "a|b()",
    );
    check(
        "cl_kernel k = 0; if (n) k = clCreateKernel(p, \"a\", 0);",
        "a()",
    );
    check(
        "cl_kernel k = clCreateKernel(p, argv[2], 0);",
        "? `argv` is not followed: parameter `argv` of `main`()",
    );
    check(
        "cl_kernel k = get();",
        "? `get` is not among the given files()",
    );
    check(
        "char name[9]; sprintf(name, \"k%d\", 3); cl_kernel k = clCreateKernel(p, name, 0);",
        "k3()",
    );
    check(
        "struct { cl_kernel k[2]; } s; s.k[1] = clCreateKernel(p, \"a\", 0); cl_kernel k = s.k[1];",
        "a()",
    );
    check_kernels(
        "const char *names[] = {\"a\", \"b\"}; cl_kernel ks[2]; for (int i = 0; i < 2; i++) ks[i] = clCreateKernel(p, names[i], 0); \
         clEnqueueTask(q, ks[1], 0, 0, 0); clEnqueueTask(q, ks[n], 0, 0, 0);",
        "b() / a|b()",
    );
}

#[test]
fn a_part_of_a_number_is_its_low_bytes() {
    let made = "cl_kernel k = clCreateKernel(p, \"a\", 0);";
    let run = "clEnqueueTask(q, k, 0, 0, 0);";
    let check = |before: &str, bytes: &str, expected: &str| {
        check_kernels(
            &format!("{made} {before} clSetKernelArg(k, 0, {bytes}, &v); {run}"),
            expected,
        );
    };
    check("size_t v = 64;", "sizeof(cl_uint)", "a(0=64)");
    check("size_t v = n ? 64 : 32;", "4", "a(0=32 or 64)");
    check("size_t v = 0x100000007;", "4", "a(0=7)");
    check("unsigned long v = 513;", "1", "a(0=1)");
    check("int v = 70000;", "sizeof(short)", "a(0=4464)");
    let others = |bytes: u8| format!("a(0=? it is {bytes} bytes of other numbers)");
    check("double v = 1;", "4", &others(4));
    check("size_t v = 64;", "3", &others(3));
    check("int v = 64;", "8", &others(8));
}

#[test]
fn arguments_reach_their_launch() {
    let made = "cl_kernel k = clCreateKernel(p, \"a\", 0); cl_mem x = clCreateBuffer(c, 1, 4, 0, 0), y = clCreateBuffer(c, 1, 4, 0, 0); int i = 3;";
    let run = "clEnqueueTask(q, k, 0, 0, 0);";
    let check = |before: &str, expected: &str| check_kernels(&format!("{made} {before}"), expected);
    let set = |index: u32, place: &str| {
        format!("clSetKernelArg(k, {index}, sizeof({place}), (void *)&{place});")
    };
    let (x, y, i) = (set(0, "x"), set(0, "y"), set(1, "i"));
    check(&format!("{x} {i} {run}"), "a(0=main::x, 1=3)");
    check(&format!("{x} {y} {run}"), "a(0=main::y)");
    check(&format!("{x} if (n) {y} {run}"), "a(0=main::x or main::y)");
    check(
        &format!("clSetKernelArg(k, 0, 64 * sizeof(float), NULL); {run}"),
        "a(0=local 256)",
    );
    check(
        &format!("cl_mem z = x; {} {run}", set(0, "z")),
        "a(0=main::x)",
    );
    check(
        &format!("while (n--) {{ {x} {run} cl_mem t = x; x = y; y = t; }}"),
        "a(0=main::x or main::y)",
    );
    check(
        &format!("while (n--) {{ {} {run} }}", set(1, "n")),
        "a(1=n - 1)",
    );
}

/// Sources and options of all programs.
pub(super) fn check_programs(text: &str, expected: &str) {
    let facts = facts_of(&[text], Language::Cpp);
    let all: Vec<_> = facts
        .programs
        .iter()
        .map(|program| {
            let sources = match &program.sources {
                Known::Is(pieces) => pieces
                    .iter()
                    .map(|piece| match piece {
                        ProgramSource::File(name) => format!("<{name}>"),
                        ProgramSource::Text { text, .. } => format!("{text:?}"),
                    })
                    .collect::<Vec<_>>()
                    .join(" "),
                Known::Unknown(why) => format!("? {}", reason(why)),
            };
            let options: Vec<_> = program
                .options
                .iter()
                .map(|o| match o {
                    Known::Is(text) => format!("{text:?}"),
                    Known::Unknown(why) => format!("? {}", reason(why)),
                })
                .collect();
            format!("{sources} [{}]", options.join(", "))
        })
        .collect();
    assert_eq!(all.join(" / "), expected, "{text}");
}

#[test]
fn program_texts_are_followed() {
    let make = "cl_program p = clCreateProgramWithSource(c, 1, (const char **)&s, NULL, NULL);";
    let check = |before: &str, inside: &str, expected: &str| {
        check_programs(
            &format!("{before}\nint main(int argc, char **argv) {{ {inside} {make} }}"),
            expected,
        )
    };
    check(
        "",
        "const char *s = \"kernel\" \" void\\n\";",
        "\"kernel void\\n\" []",
    );
    check("const char *s = R\"(a\\n)\";", "", "\"a\\\\n\" []");
    check(
        "char s[] = \"a\";",
        "char *t = s; { char *s = t;  } const char *s = t;",
        "\"a\" []",
    );
    let load = "char *load(const char *name) { FILE *f = fopen(name, \"r\"); if (!f) exit(1); fseek(f, 0, SEEK_END); size_t n = ftell(f); rewind(f); \
                char *t = (char *)malloc(n + 1); fread(t, 1, n, f); t[n] = 0; fclose(f); return t; }";
    check(load, "char *s = load(\"k.cl\");", "<k.cl> []");
    check(
        load,
        "char *s = load(argv[1]);",
        "? its text is not followed: a file whose name is not known: `argv` is not followed: parameter `argv` of `main` []",
    );
    check(
        "",
        "std::ifstream f(\"k.cl\"); std::stringstream b; b << f.rdbuf(); std::string t = b.str(); const char *s = t.c_str();",
        "<k.cl> []",
    );
    check(
        "",
        "std::ifstream f(\"k.cl\"); std::string t((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>()); const char *s = t.c_str();",
        "<k.cl> []",
    );
    check(
        "",
        "char t[999] = \"\", line[80]; FILE *f = fopen(\"k.cl\", \"r\"); while (fgets(line, 80, f)) strcat(t, line); const char *s = t;",
        "<k.cl> []",
    );
    for read in [
        "while (std::getline(f, line)) t += line + \"\\n\";",
        "while (getline(f, line)) { t += line; t += '\\n'; }",
        "while (getline(f, line)) b << line << std::endl; t = b.str();",
        "while (f.good()) { getline(f, line); b << line << \"\\n\"; } t = b.str();",
        "t.assign(std::istreambuf_iterator<char>(f), std::istreambuf_iterator<char>());",
    ] {
        let declared = "std::string t, line; std::stringstream b; std::ifstream f(\"k.cl\");";
        let body = format!("{declared} {read} const char *s = t.c_str();");
        check("", &body, "<k.cl> []");
    }
    let each =
        "#define ADD(name) f.open(name); while (getline(f, line)) b << line << endl; f.close();\n";
    check(
        &format!("using namespace std;\n{each}"),
        "string line; stringstream b; b << \"x\"; ifstream f; ADD(\"k.cl\") ADD(\"l.cl\") ADD(\"m.cl\") string t = b.str(); \
         const char *s = t.c_str();",
        "\"x\" <k.cl> <l.cl> <m.cl> []",
    );
    check_programs(
        "int main() { const char *parts[] = {\"a\", \"b\"}; clCreateProgramWithSource(c, 2, parts, NULL, NULL); }",
        "\"ab\" []",
    );
    let braces = "#define C \"c\"\nconst char a[] = {\"a\"}, b[2] = {(\"b\")}, c[] = {C}, d[2][2] = {{\"d\"}};\n\
                  const char *all[] = {a, b, c, d[0]};\n";
    check_programs(
        &format!("{braces}int main() {{ clCreateProgramWithSource(c, 4, all, NULL, NULL); }}"),
        "\"abcd\" []",
    );
    // What `xxd -i` makes of a file, and characters one by one.
    let bytes = "unsigned char k_cl[] = {\n  0x61, 0x0a, 0xc3, 0xa9\n};\nunsigned int k_cl_len = 4;\n\
                 char b[] = {'b', 0x63, 0}, d[8] = {100, 101};\n";
    check_programs(
        &format!(
            "{bytes}int main() {{ const char *all[] = {{(const char *)k_cl, b, d}}; size_t n[] = {{k_cl_len, 0, 0}}; clCreateProgramWithSource(c, 3, all, n, NULL); }}"
        ),
        "\"a\\nébcde\" []",
    );
    check_programs(
        "char k[9] = {'k', '1'};\nint main() { k[1] = '2'; const char *t = k; clCreateProgramWithSource(c, 1, &t, NULL, NULL); }",
        "\"k2\" []",
    );
    check_programs(
        "char k[9] = {'k', '1'};\nint main(int n, char **v) { k[n] = '2'; const char *t = k; clCreateProgramWithSource(c, 1, &t, NULL, NULL); }",
        "? its text is not followed: an element at an index that is not known is assigned []",
    );
    // Strings are cut by their lengths; 0 is all of a string.
    check_programs(
        "int main() { const char *t = \"abcd\"; const char *parts[] = {t, t + 2}; size_t n[] = {2, 0}; clCreateProgramWithSource(c, 2, parts, n, NULL); }",
        "\"abcd\" []",
    );
    check_programs(
        "int main() { const char *t = \"abcd\"; size_t n = strlen(t) - 1; clCreateProgramWithSource(c, 1, &t, &n, NULL); }",
        "\"abc\" []",
    );
}

/// A text and its length in braces are a source.
#[test]
fn sources_of_wrappers_are_followed() {
    let check = |sources: &str, expected: &str| {
        check_programs(
            &format!(
                "int main() {{ cl::Context c; std::string t = \"ab\"; {sources} cl::Program p(c, s); }}"
            ),
            expected,
        );
    };
    for sources in [
        "cl::Program::Sources s; s.push_back({t.c_str(), t.length()});",
        "cl::Program::Sources s{{t.c_str(), t.length()}};",
        "cl::Program::Sources s; s.push_back(t);",
        "cl::Program::Sources s; s.push_back(std::make_pair(t.c_str(), t.size() + 1));",
        "cl::Program::Sources s(1, std::make_pair(t.c_str(), t.size()));",
    ] {
        check(sources, "\"ab\" []");
    }
    check(
        "cl::Program::Sources s; s.push_back({t.c_str(), t.size()}); s.push_back({\"c\", 1});",
        "\"abc\" []",
    );
}

/// Where a function takes a string, it gets one that is made of the characters.
#[test]
fn characters_become_strings_where_they_are_passed() {
    let make = "cl_program make(const std::string &text) { const char *s = text.c_str(); return \
                clCreateProgramWithSource(c, 1, &s, 0, 0); }";
    let load = "std::string load(const std::string &name) { std::ifstream f(name.c_str()); return \
                std::string((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>()); }";
    for (body, expected) in [
        ("const char t[] = \"ab\"; make(t);", "\"ab\" []"),
        ("const char *t = \"ab\"; make(t);", "\"ab\" []"),
        ("std::string t = \"ab\"; make(t);", "\"ab\" []"),
        ("const char *n = \"k.cl\"; make(load(n));", "<k.cl> []"),
    ] {
        check_programs(&format!("{make} {load} int main() {{ {body} }}"), expected);
    }
}

#[test]
fn build_options_are_followed() {
    let check = |inside: &str, expected: &str| {
        check_programs(
            &format!(
                "#define W 16\nint main(int argc, char **argv) {{ const char *s = \"k\"; cl_program p = clCreateProgramWithSource(c, 1, &s, NULL, NULL); {inside} }}"
            ),
            &format!("\"k\" [{expected}]"),
        )
    };
    let build = |options: &str| format!("clBuildProgram(p, 0, NULL, {options}, NULL, NULL);");
    check(&build("NULL"), "\"\"");
    check(&build("\"-DA -DB=2\""), "\"-DA -DB=2\"");
    check(
        "clCompileProgram(p, 0, NULL, \"-DA\", 1, &h, &n, NULL, NULL); clLinkProgram(c, 0, NULL, \"\", 1, &p, NULL, NULL, NULL);",
        "\"-DA\"",
    );
    check(
        &format!(
            "char o[99]; sprintf(o, \"-I.\"); sprintf(o + strlen(o), \" -DW=%d\", W); {}",
            build("o")
        ),
        "\"-I. -DW=16\"",
    );
    check(
        &format!("char o[99] = \"-DX\"; strcat(o, \" -DY\"); {}", build("o")),
        "\"-DX -DY\"",
    );
    check(
        &format!(
            "std::string o = \"-DW=\" + std::to_string(W); o += \" -g\"; {}",
            build("o.c_str()")
        ),
        "\"-DW=16 -g\"",
    );
    check(
        &format!(
            "std::stringstream o; o << \"-DA\" << ' ' << 'X' - 'W' << \" -DB\"; {}",
            build("o.str().c_str()")
        ),
        "\"-DA 1 -DB\"",
    );
    check(
        &format!(
            "std::string o = \"-DA\", p; o += ' '; o.push_back('-'); p = o + 'D' + \"B\"; {}",
            build("p.c_str()")
        ),
        "\"-DA -DB\"",
    );
    check(
        &format!(
            "const char *o = \"-DA -DB\"; char n = 4; {}",
            build("o + n")
        ),
        "\"-DB\"",
    );
    check(
        &format!("char o[99]; sprintf(o, \"-DN=%d\", argc); {}", build("o")),
        "? a text that is not followed",
    );
    check(
        &format!("char o[9]; snprintf(o, 5, \"-DN=%d\", 100); {}", build("o")),
        "? a text that is not followed",
    );
}

#[test]
fn host_pointers_and_parts_of_buffers_are_noted() {
    let facts = facts_of(
        &[
            "int main(int f) { cl_mem a = clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 64, d, 0); cl_mem b = clCreateBuffer(c, CL_MEM_READ_WRITE, f * 4, 0, 0); cl_mem d = clCreateBuffer(c, f, 4, 0, 0); cl_mem e = clCreateSubBuffer(b, 0, 0, 0, 0); }",
        ],
        Language::C,
    );
    let all: Vec<_> = facts
        .buffers
        .iter()
        .map(|b| (b.variable.as_deref(), b.use_host_ptr, b.sub_buffer))
        .collect();
    assert_eq!(
        all,
        [
            (Some("main::a"), true, false),
            (Some("main::b"), false, false),
            (Some("main::d"), true, false),
            (Some("main::e"), false, true),
        ]
    );
}

#[test]
fn noise_and_depth_are_survived() {
    let launch = "clEnqueueTask(q, k, 0, 0, 0);";
    for open in [
        "(",
        "{",
        "if(n)",
        "for(;;)",
        "while(n)",
        "f(",
        "n?",
        "-",
        "*",
        "else if(n)",
    ] {
        let text = format!("int main(int n) {{ {} {launch}", open.repeat(2000));
        facts_of(&[&text], Language::Cpp);
    }
    let chain: String = (0..40)
        .map(|i| format!("int f{}() {{ f{i}(); f{i}(); return f{i}(); }}\n", i + 1))
        .collect();
    let facts = facts_of(
        &[&format!(
            "int f0() {{ {launch} }}\n{chain} int main() {{ f40(); }}"
        )],
        Language::C,
    );
    assert_eq!(facts.launches.len(), 1);
}

/// Calls that would take for ever: the host is followed again without them, and nothing that was found
/// before stays, such as the memory that had escaped when a variable at file scope gets its value.
#[test]
fn hosts_that_are_too_large_are_followed_again() {
    let mut text = "int seven() { return 7; }\nint table[] = { seven(), seven() };\n\
                    static void call0(char *p) { outside(p); *p = *p + 1; }\n"
        .to_string();
    for level in 0..9 {
        let calls = format!("call{level}(p); ").repeat(10);
        text.push_str(&format!(
            "static void call{}(char *p) {{ {calls}}}\n",
            level + 1
        ));
    }
    text.push_str(&format!(
        "void run() {{ char *p = new char[4]; outside(p); call9(p); size_t g = 64, l = 8;\n{LAUNCH}\n}}\n"
    ));
    let facts = facts_of(&[&text], Language::Cpp);
    assert_eq!(facts.launches.len(), 1);
}

/// Classes whose objects need another object of the same class are not followed for ever.
#[test]
fn objects_that_would_be_made_without_end_are_left() {
    for class in [
        "struct Range { Range(size_t n) : size(n) {} Range &self = {1, 2}; size_t size; };",
        "struct Range { Range(size_t n) : size(n) {} Range *a = new Range(n), *b = new Range(n); size_t size; };",
        "struct Inner; struct Range { Range(size_t n) {} Inner *inner = new Inner(); size_t size = 8; };
         struct Inner { Range *outer = new Range(1); Range *other = new Range(2); };",
    ] {
        let text = format!(
            "{class}\nvoid run() {{ size_t l = 8; Range range(64); size_t g = range.size;\n{LAUNCH}\n}}\n"
        );
        let facts = facts_of(&[&text], Language::Cpp);
        let [launch] = &facts.launches[..] else {
            panic!("{} launches", facts.launches.len());
        };
        let eight = LocalSize::Sizes(vec![Value::Const(8)]);
        assert_eq!(launch.local, eight, "{class}");
    }
}

/// What classes make of their arguments is not their arguments.
#[test]
fn objects_that_become_strings_are_no_strings() {
    let class = "struct Source { std::string body; Source(const char *name) { body = read(name); } \
                 operator std::string() const { return body; } };\n\
                 void make(const std::string &s) { const char *t = s.c_str(); clCreateProgramWithSource(c, 1, &t, NULL, NULL); }\n";
    for body in [
        "make(Source(\"k.cl\"));",
        "std::string s = Source(\"k.cl\"); make(s);",
        "std::string s(Source(\"k.cl\")); make(s);",
        "Source s = \"k.cl\"; std::string t = s; make(t);",
        "Source s(\"k.cl\"); make(s);",
        "std::string s = static_cast<std::string>(Source(\"k.cl\")); make(s);",
    ] {
        let text = format!("{class}int main() {{ {body} }}\n");
        let facts = facts_of(&[&text], Language::Cpp);
        let sources: Vec<_> = facts.programs.iter().map(|p| &p.sources).collect();
        let unknown = |sources: &&Known<Vec<ProgramSource>>| sources.get().is_none();
        assert!(
            !sources.is_empty() && sources.iter().all(unknown),
            "{body}: {sources:?}"
        );
    }
}

/// A program that is linked has the kernels of its parts.
#[test]
fn linked_programs_are_followed() {
    let host = |link: &str| {
        format!(
            "int main() {{ const char *s = \"k\", *t = \"l\"; cl_program a = clCreateProgramWithSource(c, 1, &s, NULL, NULL), \
             b = clCreateProgramWithSource(c, 1, &t, NULL, NULL); cl_program both[] = {{a, b}};\n\
             clCompileProgram(a, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL); clCompileProgram(b, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);\n\
             {link}\ncl_kernel k = clCreateKernel(p, \"f\", NULL); size_t g = 64, l = 16; {LAUNCH} }}\n"
        )
    };
    let asked = |facts: &Facts| {
        let kernels = facts.programs.iter().map(|p| {
            assert!(p.is_part);
            p.kernels
                .iter()
                .map(|k| k.get().cloned())
                .collect::<Vec<_>>()
        });
        kernels.collect::<Vec<_>>()
    };
    let f = || vec![Some("f".to_string())];
    for (link, kernels) in [
        (
            "cl_program p = clLinkProgram(c, 0, NULL, NULL, 1, &a, NULL, NULL, NULL);",
            [f(), Vec::new()],
        ),
        (
            "cl_program p = clLinkProgram(c, 0, NULL, NULL, 2, both, NULL, NULL, NULL);",
            [f(), f()],
        ),
        // Which programs these are is not known: it may be any.
        (
            "cl_program p = clLinkProgram(c, 0, NULL, NULL, n, both, NULL, NULL, NULL);",
            [vec![None], vec![None]],
        ),
    ] {
        let facts = facts_of(&[&host(link)], Language::C);
        assert_eq!(asked(&facts), kernels, "{link}");
        assert_eq!(
            facts.launches[0].kernels.get(),
            Some(&f().into_iter().flatten().collect())
        );
    }
    let wrapped = |link: &str| {
        format!(
            "#include <CL/opencl.hpp>\nint main() {{ std::string s = \"k\", t = \"l\"; cl::Program a(c, s), b(c, t); a.compile(); b.compile(\"-DN\");\n\
             {link}\ncl::Kernel k(p, \"f\"); }}\n"
        )
    };
    for (link, kernels) in [
        ("cl::Program p = cl::linkProgram(a, b);", [f(), f()]),
        ("cl::Program p = cl::linkProgram({a, b});", [f(), f()]),
        (
            "std::vector<cl::Program> v = {a, b}; cl::Program p = cl::linkProgram(v);",
            [f(), f()],
        ),
        (
            "cl_program h = a(); cl_program r = clLinkProgram(c(), 0, NULL, NULL, 1, &h, NULL, NULL, NULL); cl::Program p(r, true);",
            [f(), Vec::new()],
        ),
    ] {
        let facts = facts_of(&[&wrapped(link)], Language::Cpp);
        assert_eq!(asked(&facts), kernels, "{link}");
    }
}

/// Methods of classes without any common base are no other ones.
#[test]
fn methods_of_bases_are_followed() {
    let classes = "struct Base { size_t size() { return 8; } size_t other() { return 4; } }; \
                   struct Middle : Base { size_t other() { return 2; } }; \
                   struct Derived : Middle {}; struct Last : Derived { size_t other() { return 1; } }; \
                   struct Stranger { size_t size() { return 64; } size_t other() { return 32; } };";
    for (object, call, expected) in [
        ("Derived", "size()", vec!["8"]),
        ("Middle", "other()", vec!["2"]),
        ("Derived", "other()", vec!["2", "1 or 2"]),
        ("Last", "other()", vec!["1"]),
    ] {
        let text =
            format!("{classes} int main() {{ {object} o; size_t g = 64, l = o.{call}; {LAUNCH} }}");
        let facts = facts_of(&[&text], Language::Cpp);
        let LocalSize::Sizes(sizes) = &facts.launches[0].local else {
            panic!("{object}: {:?}", facts.launches[0].local);
        };
        let sizes = shown_all(sizes);
        assert!(expected.contains(&&*sizes), "{object}.{call}: {sizes}");
    }
}

/// A table of many numbers: how many there are is known, and the first and last of them; no others.
#[test]
fn long_tables_are_not_followed_whole() {
    let numbers: Vec<String> = (0..100_000).map(|i| (i + 1).to_string()).collect();
    let table = format!("static const int t[] = {{{}}};", numbers.join(", "));
    check_local(&table, &format!("l = t[2]; {LAUNCH}"), "3");
    check_local(&table, &format!("l = t[99999]; {LAUNCH}"), "100000");
    check_local(
        &table,
        &format!("l = sizeof t / sizeof *t; {LAUNCH}"),
        "100000",
    );
    check_local(&table, &format!("l = t[50000]; {LAUNCH}"), "t[50000]");
}
