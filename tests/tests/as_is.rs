//! Programs that the front end does not take stay as they are: they run as they do without fpgacc.

use fpgacc_tests::command::{Workshop, implementations};

/// Builds a program from a file, asks for its kernels and launches two of them.
const HOST: &str = include_str!("inputs/as_is.c");

/// What every front end takes.
const TURN: &str = "
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void turn(__global int *x, __local int *l) {
    int i = get_global_id(0), j = get_local_id(0);
    l[j] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = l[get_local_size(0) - 1 - j];
}
";

const AS_IS: &str = "note: this program stays as it is: its kernels are not rewritten";

/// `fill`, which writes what this text computes of `i`.
fn kernels(before: &str, body: &str) -> String {
    let fill =
        format!("__kernel void fill(__global int *x) {{ int i = get_global_id(0); {body} }}");
    format!("{before}\n{fill}\n{TURN}")
}

/// A workshop with the host, built by the C compiler as `plain`.
fn workshop(host: &str, text: impl AsRef<[u8]>) -> Workshop {
    let shop = Workshop::new();
    shop.write("host.c", host);
    shop.write("k.cl", text);
    shop.sh("cc host.c -o plain -lOpenCL").success();
    shop
}

/// Builds with fpgacc and compares with the plain program, on both implementations. Gives what fpgacc
/// said, on the last one.
#[track_caller]
fn runs_as_plain(shop: &Workshop, words: &str) -> String {
    let mut said = String::new();
    for (name, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain")).success();
        said = shop
            .fpgacc(&format!("--platform={name} {words} -o app"))
            .success()
            .stderr;
        let app = shop.sh("./app");
        assert_eq!(
            app.stdout, plain.stdout,
            "{name} {words}: {said}{}",
            app.stderr
        );
        assert!(plain.stdout.starts_with("2 kernels"), "{}", plain.stdout);
        app.success();
    }
    said
}

#[track_caller]
fn stays(text: impl AsRef<[u8]>) {
    let shop = workshop(HOST, text);
    let said = runs_as_plain(&shop, "host.c k.cl");
    assert_eq!(said.matches(AS_IS).count(), 1, "{said}");
}

#[test]
fn a_file_with_one_function_that_is_not_taken_runs_as_it_is() {
    stays(kernels("", "x[i] = ({ int t = i * STEP; t + 1; });"));
    stays(kernels(
        "int f(c, d) int c; float d; { return c + 3 + d; }",
        "x[i] = f(i, 1.0f);",
    ));
    stays(kernels(
        "",
        "switch (i & 3) { int t; case 0: t = 3; x[i] = t; break; default: t = i; x[i] = t; }",
    ));
    stays(kernels(
        "__constant int t[4] = { [0 ... 3] = 7 };",
        "x[i] = t[i & 3];",
    ));
}

#[test]
fn what_only_some_compilers_know_runs_as_it_is() {
    stays(kernels("", "__auto_type t = i * 3; x[i] = t;"));
    stays(kernels("", "x[i] = (i & 3) ?: 77;"));
    stays(kernels("", "x[i] = __builtin_popcount(i);"));
    stays(kernels(
        "int größe(int v) { return v + 1; }",
        "int ä = 3; x[i] = größe(i) + ä;",
    ));
}

/// A text that is taken: it becomes single work-items, which do the same.
#[track_caller]
fn is_taken(text: impl AsRef<[u8]>, header: &[u8]) {
    let shop = workshop(HOST, text);
    shop.write("h.h", header);
    let said = runs_as_plain(&shop, "-fexecution-model=swi host.c k.cl");
    assert!(!said.contains(AS_IS), "{said}");
    let app = shop.sh("FPGACC_VERBOSE=1 ./app").success();
    let launched = "kernel `fill` launched as one work-item";
    assert!(app.stderr.contains(launched), "{}", app.stderr);
}

#[test]
fn parameters_may_have_the_name_of_their_function() {
    is_taken(
        kernels(
            "void phi(int4 X, int4 *phi) { *phi = X + STEP; }",
            "int4 q, r; phi((int4)(i), &q); phi(q, &r); x[i] = r.y;",
        ),
        b"",
    );
    let turn = TURN.replace("__global int *x", "__global int *turn");
    let turn = turn.replace("x[i]", "turn[i]");
    is_taken(kernels("", "x[i] = i;").replace(TURN, &turn), b"");
}

#[test]
fn brackets_may_be_digraphs() {
    let fill = "%:define N 3\n__kernel void fill(__global int *x) <% int i = get_global_id(0); \
                int t<:2:> = <% 1, N %>; x<:i:> = t<:i & 1:>; %>\n";
    is_taken(format!("{fill}{TURN}"), b"");
    is_taken(format!("%: include \"h.h\"\n{TURN}"), fill.as_bytes());
}

#[test]
fn texts_may_be_latin_1() {
    let string = b"/* gr\xf6\xdfe */ __constant char s[] = \"gr\xf6\xdfe\"; // \xe4\n";
    let body = b"x[i] = s[i & 3] + sizeof(s) + '\xf6';";
    // No character of the format.
    let whole = kernels("", "%");
    let (before, after) = whole.split_once('%').unwrap();
    let text =
        |first: &[u8], body: &[u8]| [first, before.as_bytes(), body, after.as_bytes()].concat();
    is_taken(text(string, body), b"");
    is_taken(text(b"#include \"h.h\"\n", body), string);
    let not_taken = b"x[i] = ({ s[i & 3]; }) + sizeof(s) + '\xf6';";
    stays(text(string, not_taken));
}

#[test]
fn a_file_with_inline_assembly_runs_as_it_is() {
    // The Intel emulator's compiler crashes when it is asked for the binary.
    let shop = workshop(HOST, kernels("", "__asm__ volatile(\"nop\"); x[i] = i;"));
    let plain = shop.sh("./plain").success();
    shop.fpgacc("--platform=pocl host.c k.cl -o app").success();
    assert_eq!(shop.sh("./app").success().stdout, plain.stdout);
}

#[test]
fn a_file_with_block_literals_runs_as_it_is() {
    let host = HOST.replace("-DSTEP=3", "-DSTEP=3 -cl-std=CL2.0");
    let text = kernels(
        "",
        "int (^f)(int) = ^(int v) { return v + STEP; }; x[i] = f(i);",
    );
    let shop = workshop(&host, text);
    for (name, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain"));
        let made = shop.fpgacc(&format!("--platform={name} host.c k.cl -o app"));
        // Not every implementation has blocks; then it says so at once.
        assert_eq!(
            made.code == Some(0),
            plain.code == Some(0),
            "{}",
            made.stderr
        );
        if made.code == Some(0) {
            assert_eq!(shop.sh("./app").success().stdout, plain.stdout);
        }
    }
}

#[test]
fn a_file_that_stays_finds_its_headers() {
    let text = kernels(
        "#include \"own.h\"\n#include \"far.h\"",
        "x[i] = ({ OWN + FAR * i; });",
    );
    let shop = workshop(HOST, text);
    shop.write("own.h", "#define OWN 4\n");
    shop.write("far/far.h", "#define FAR 5\n");
    shop.write("host.c", HOST.replace("-DSTEP=3", "-DSTEP=3 -I far"));
    shop.sh("cc host.c -o plain -lOpenCL").success();
    runs_as_plain(&shop, "host.c k.cl");
    shop.fpgacc("--target=source --platform=pocl host.c k.cl -o out")
        .success();
    shop.sh("make -f out/Makefile && mv out/app* . 2>/dev/null; test -f app")
        .success();
    let plain = shop.sh("./plain").success();
    assert_eq!(shop.sh("./app").success().stdout, plain.stdout);
}

#[test]
fn one_program_stays_and_another_is_rewritten() {
    let host = format!("#define TWO\n{HOST}");
    let shop = workshop(&host, kernels("", "x[i] = ({ i; });"));
    shop.write(
        "two.cl",
        "__kernel void add(__global int *x) { x[get_global_id(0)] += STEP; }\n",
    );
    runs_as_plain(&shop, "-fexecution-model=swi host.c k.cl two.cl");
    let app = shop.sh("FPGACC_VERBOSE=1 ./app").success();
    assert!(
        app.stderr.contains("with the kernels as they are"),
        "{}",
        app.stderr
    );
    assert!(
        app.stderr
            .contains("kernel `add` launched as one work-item"),
        "{}",
        app.stderr
    );
}

#[test]
fn strings_and_cxx_hosts_and_separate_steps_keep_a_program_as_it_is() {
    let text = kernels("", "x[i] = ({ int t = i * STEP; t + 1; });");
    let shop = workshop(HOST, &text);
    let stdout = |shop: &Workshop| shop.sh("./app").success().stdout;
    let plain = shop.sh("./plain").success().stdout;
    let steps = "fpgacc --platform=pocl -c k.cl -o k.o && fpgacc --platform=pocl -c host.c -o host.o && \
                 fpgacc --platform=pocl host.o k.o -o app";
    let said = shop.sh(steps).success().stderr;
    assert!(said.contains(AS_IS), "{said}");
    assert_eq!(stdout(&shop), plain);
    shop.write("host.cpp", HOST);
    shop.fpgacc("--platform=pocl host.cpp k.cl -o app")
        .success();
    assert_eq!(stdout(&shop), plain);
    // The text as a string of the host.
    let string: String = text
        .lines()
        .map(|line| format!("{line:?} \"\\n\"\n"))
        .collect();
    let fread = "const char *source = text;";
    assert!(HOST.contains(fread));
    shop.write(
        "host.c",
        HOST.replace(fread, &format!("const char *source = {string};")),
    );
    shop.fpgacc("--platform=pocl host.c -o app").success();
    assert_eq!(stdout(&shop), plain);
}
