//! Hosts that compose texts of kernels when they run. What fpgacc takes for a program there is a guess, and no
//! guess may end a build: such a program does what it does when the system's compiler builds it.

use fpgacc_tests::command::{Workshop, implementations};

const COMMON: &str = include_str!("inputs/composed.h");

/// Builds a host by both compilers, and compares what it prints on all implementations. Gives what fpgacc
/// said when it built the last one.
#[track_caller]
fn runs_as_plain(name: &str, main: &str, kernels: Option<&str>) -> String {
    let shop = Workshop::new();
    shop.write("composed.h", COMMON);
    shop.write(name, format!("#include \"composed.h\"\n{main}"));
    let files = match kernels {
        Some(text) => {
            shop.write("k.cl", text);
            format!("{name} k.cl")
        }
        None => name.to_string(),
    };
    let plain = if name.ends_with(".cpp") { "c++" } else { "cc" };
    shop.sh(&format!("{plain} {name} -o plain -lOpenCL"))
        .success();
    let mut said = String::new();
    for (implementation, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain")).success().stdout;
        assert!(plain.contains("\n"), "{plain}");
        let built = shop.fpgacc(&format!("--platform={implementation} {files} -o app"));
        said = built.success().stderr;
        assert!(!said.contains("error: "), "{said}");
        assert_eq!(
            shop.sh("./app").success().stdout,
            plain,
            "{implementation}: {said}"
        );
    }
    said
}

const KERNEL: &str = "kernel void k(global T *o) { o[get_global_id(0)] = N * get_global_id(0); }";

#[test]
fn a_header_that_is_printed_before_a_string_or_file() {
    let main = |body: &str| {
        format!(
            "static const char *body = {body};
int main(int argc, char **argv) {{
    start();
    char header[64];
    sprintf(header, \"#define T int\\n#define N %d\\n\", argc + 2);
    const char *texts[] = {{header, body}};
    finish(clCreateProgramWithSource(context, 2, texts, NULL, NULL), 0);
}}"
        )
    };
    let said = runs_as_plain("host.c", &main(&format!("\"{KERNEL}\"")), None);
    assert!(
        said.contains("the host may make another text of it"),
        "{said}"
    );
    assert_eq!(said.matches("warning: ").count(), 1, "{said}");
    let read = "0;
static char text[4096];
__attribute__((constructor)) static void read_text(void) {
    FILE *file = fopen(\"k.cl\", \"r\");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    body = text;
}";
    runs_as_plain("host.c", &main(read), Some(KERNEL));
}

#[test]
fn a_file_that_asks_for_what_is_printed_before_it() {
    let main = "int main(int argc, char **argv) {
    start();
    char header[64];
    sprintf(header, \"#define T int\\n#define N %d\\n\", argc + 2);
    static char body[4096];
    FILE *file = fopen(\"k.cl\", \"r\");
    body[fread(body, 1, sizeof body - 1, file)] = 0;
    const char *texts[] = {header, body};
    finish(clCreateProgramWithSource(context, 2, texts, NULL, NULL), 0);
}";
    let kernels = format!("#ifndef N\n#error N is not given\n#endif\n{KERNEL}");
    let said = runs_as_plain("host.c", main, Some(&kernels));
    assert!(said.contains("warning: #error N is not given"), "{said}");
}

#[test]
fn pieces_that_are_joined() {
    let joined = format!(
        "int main(void) {{
    start();
    char *text = malloc(4096);
    strcpy(text, \"typedef int T;\\n#define N 3\\n\");
    strcat(text, \"{KERNEL}\");
    finish(clCreateProgramWithSource(context, 1, (const char **)&text, NULL, NULL), 0);
}}"
    );
    runs_as_plain("host.c", &joined, None);
    let stream = format!(
        "#include <sstream>
#include <string>
static std::string head(int n) {{ std::ostringstream s; s << \"#define N \" << n << \"\\n\"; return s.str(); }}
int main() {{
    start();
    for (int n = 1; n < 4; n++) {{
        std::string all = head(n) + \"typedef int T;\\n\" + \"{KERNEL}\";
        const char *text = all.c_str();
        finish(clCreateProgramWithSource(context, 1, &text, NULL, NULL), 0);
    }}
}}"
    );
    runs_as_plain("host.cpp", &stream, None);
}

/// Compilers keep texts that they know: a date at the beginning makes each one new to them.
#[test]
fn dates_in_comments_do_not_count() {
    let main = |format: &str| {
        format!(
            "#include <time.h>
static cl_program of_file(const char *name) {{
    char text[256];
    const char *only = text;
    time_t now = time(NULL);
    memset(text, 0, sizeof text);
    snprintf(text, sizeof text - 1, \"{format}\", ctime(&now), name);
    return clCreateProgramWithSource(context, 1, &only, NULL, NULL);
}}
int main() {{
    start();
    finish(of_file(\"k.cl\"), 0);
}}"
        )
    };
    let kernel = KERNEL.replace('T', "int").replace('N', "3");
    let includes = main("// %s#include \\\"%s\\\"\\n");
    let said = runs_as_plain("host.c", &includes, Some(&kernel));
    assert!(!said.contains("warning: "), "{said}");
    let shop = Workshop::new();
    shop.write("composed.h", COMMON);
    shop.write("host.c", format!("#include \"composed.h\"\n{includes}"));
    shop.write("k.cl", &kernel);
    shop.fpgacc("--platform=pocl host.c k.cl -o app").success();
    let said = shop.sh("FPGACC_VERBOSE=1 ./app").success().stderr;
    assert!(said.contains("loaded app"), "{said}");
    // The program that includes the file is built, not also the file by itself.
    let built = shop.entries().into_iter();
    let built: Vec<String> = built.filter(|name| name.ends_with(".aocx")).collect();
    assert_eq!(built, ["app.aocx"]);
    // Elsewhere a date is a part of the program.
    let string = main("constant char built[] = \\\"%.24s\\\";\\n#include \\\"%s\\\"\\n");
    runs_as_plain("host.c", &string, Some(&kernel));
}

#[test]
fn patterns_that_are_filled_in() {
    let pattern = KERNEL.replace('T', "%s").replace('N', "%d");
    let printed = format!(
        "int main(int argc, char **argv) {{
    start();
    char text[4096];
    sprintf(text, \"{pattern}\", \"int\", argc + 4);
    const char *only = text;
    finish(clCreateProgramWithSource(context, 1, &only, NULL, NULL), 0);
}}"
    );
    runs_as_plain("host.c", &printed, None);
    let replaced = "#include <fstream>
#include <sstream>
#include <string>
int main() {
    start();
    std::ifstream file(\"k.cl\");
    std::stringstream all;
    all << file.rdbuf();
    std::string text = all.str();
    for (size_t at; (at = text.find('@')) != std::string::npos;)
        text.replace(at, 1, \"int\");
    const char *only = text.c_str();
    finish(clCreateProgramWithSource(context, 1, &only, NULL, NULL), 0);
}";
    let kernels = KERNEL.replace('T', "@").replace('N', "5");
    let said = runs_as_plain("host.cpp", replaced, Some(&kernels));
    assert!(said.contains("k.cl:1:"), "{said}");
}

#[test]
fn a_text_of_another_program_is_no_program() {
    let main = "static const char *first = \"int twice(int x) { return 2 * x; }\\n\";
static const char *second = \"kernel void k(global int *o) { o[get_global_id(0)] = twice(get_global_id(0)); }\\n\";
int main(int argc, char **argv) {
    start();
    const char *both[] = {first, second};
    finish(clCreateProgramWithSource(context, 2, both, NULL, NULL), 0);
    char text[256];
    sprintf(text, \"kernel void k(global int *o) { o[0] = %d; }\", argc);
    const char *only = text;
    finish(clCreateProgramWithSource(context, 1, &only, NULL, NULL), 0);
}";
    runs_as_plain("host.c", main, None);
}

/// The file is text of the host, and no file of kernels, though the user names it.
#[test]
fn a_file_that_the_host_includes_as_a_string() {
    let main = "#define TEXT(...) #__VA_ARGS__
static const char *text =
#include \"k.cl\"
;
int main(void) {
    start();
    finish(clCreateProgramWithSource(context, 1, &text, NULL, NULL), 0);
}";
    let kernels = "TEXT(\nkernel void k(global int *o)\n{\n    o[get_global_id(0)] = 21;\n}\n)\n";
    let said = runs_as_plain("host.c", main, Some(kernels));
    assert!(!said.contains("k.cl"), "{said}");
}

#[test]
fn launches_that_are_tried() {
    let main = "int main(void) {
    start();
    const char *text = \"__attribute__((reqd_work_group_size(4, 1, 1))) kernel void k(global int *o) {\"
                       \" o[get_global_id(0)] = get_local_id(0); }\";
    size_t sizes[] = {16, 8, 4, 3};
    for (int i = 0; i < 4; i++)
        finish(clCreateProgramWithSource(context, 1, &text, NULL, NULL), sizes[i]);
    finish(clCreateProgramWithSource(context, 1, &text, NULL, NULL), 8);
}";
    runs_as_plain("host.c", main, None);
}

#[test]
fn a_text_that_fails_is_tried_first() {
    let main = "static const char *texts[] = {
    \"#ifndef cl_of_no_device\\n#error none\\n#endif\\nkernel void k(global int *o) { o[0] = 1; }\",
    \"kernel void k(global int *o) { o[get_global_id(0)] = 2; }\"};
int main(void) {
    start();
    for (int i = 0; i < 2; i++)
        finish(clCreateProgramWithSource(context, 1, &texts[i], NULL, NULL), 0);
}";
    runs_as_plain("host.c", main, None);
}
