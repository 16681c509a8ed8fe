//! Kernels with errors that need not be any when the host runs: they end no build. Where the host builds them, it
//! hears from the device what it hears without fpgacc. Other errors end the build.

use fpgacc_tests::command::{Workshop, implementations};

/// Builds the kernels of a file with options that only the running host knows, and prints all that is reported to it.
/// Without an argument it builds nothing.
const HOST: &str = include_str!("inputs/left_to_device.c");

const LEFT: &str = "warning: 'k.cl' has errors: none of its kernels is rewritten";

/// Builds with cc and with fpgacc, and compares runs without and with an argument on all implementations. Gives what
/// fpgacc said when it built, and what the run with an argument printed.
#[track_caller]
fn runs_as_plain(options: &str, kernels: &str) -> Vec<(String, String)> {
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("OPTIONS", options));
    shop.write("k.cl", kernels);
    shop.sh("cc -w host.c -o plain -lOpenCL").success();
    let mut said = Vec::new();
    for (name, choice) in implementations() {
        let line = format!("--platform={name} host.c k.cl -o app");
        let built = shop.fpgacc(&line).success().stderr;
        assert_eq!(shop.sh("./app").success().stdout, "nothing to do\n");
        let plain = shop.sh(&format!("{choice} ./plain 5"));
        let ours = shop.sh("./app 5");
        assert_eq!(ours.stdout, plain.stdout, "{name}: {built}{}", ours.stderr);
        assert_eq!(ours.code, plain.code, "{name}");
        // The file has not changed: the run says what was not known of it.
        assert!(
            !ours.stderr.contains("has the kernel file changed"),
            "{}",
            ours.stderr
        );
        said.push((built, plain.stdout));
    }
    assert!(!said.is_empty());
    said
}

#[test]
fn a_type_that_nobody_knows_ends_no_build() {
    let kernels = "__kernel void f(__global int *x, counter32_t c) { x[0] = 1; }\n";
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("OPTIONS", "-DN=%s"));
    shop.write("k.cl", kernels);
    for (name, choice) in implementations() {
        let line = format!("--platform={name} host.c k.cl -o app");
        let built = shop.fpgacc(&line).success().stderr;
        let at = "k.cl:1:34: warning: `counter32_t` is not a type";
        assert!(built.contains(at) && built.contains(LEFT), "{built}");
        assert_eq!(shop.sh("./app").success().stdout, "nothing to do\n");
        // The device refuses it, with fpgacc and without.
        shop.sh("cc -w host.c -o plain -lOpenCL").success();
        let refused = |run: &str| shop.sh(run).failure().stdout.starts_with("build: -11\n");
        assert!(refused(&format!("{choice} ./plain 5")), "{name}");
        assert!(refused("./app 5"), "{name}");
    }
    // On its own, a file with errors is one; in an object it may be another host's macro.
    let compiled = shop.fpgacc("-c k.cl -o k.o").success().stderr;
    let at = "k.cl:1:34: warning: `counter32_t` is not a type";
    assert!(compiled.contains(at), "{compiled}");
    shop.fpgacc("--platform=pocl k.cl -o k.aocx").failure();
}

#[test]
fn a_file_that_no_host_loads_ends_no_build() {
    let shop = Workshop::new();
    let host = HOST.replace("OPTIONS", "-DN=4");
    shop.write("host.c", host.replace("argv[1]);", "0);"));
    shop.write("k.cl", "__kernel void f(__global int *x) { x[0] = N; }\n");
    shop.write(
        "old.cl",
        "__kernel void g(__global real *x) { x[0] = 1; }\n",
    );
    for (name, _) in implementations() {
        let line = format!("--platform={name} host.c k.cl old.cl -o app");
        let built = shop.fpgacc(&line).success().stderr;
        let at = "old.cl:1:26: warning: `real` is not a type";
        assert!(built.contains(at), "{built}");
        let left = LEFT.replace("k.cl", "old.cl");
        assert!(built.contains(&left) && !built.contains(LEFT), "{built}");
        assert!(
            shop.sh("./app 5")
                .success()
                .stdout
                .starts_with("build: 0\n")
        );
    }
    // The one that it loads has to be right.
    shop.write("k.cl", "__kernel void f(__global real *x) { x[0] = 1; }\n");
    shop.fpgacc("--platform=pocl host.c k.cl -o app").failure();
}

/// The host with options that it composes by these statements, where other code may see them.
fn composing(statements: &str) -> String {
    let built = "static void built(cl_program p, void *data) { (void)p; (void)data; }\nint main(";
    HOST.replace(
        "snprintf(options, sizeof options, \"OPTIONS\", argv[1]);",
        statements,
    )
    .replace("options, NULL, NULL)", "options, built, options)")
    .replace(
        "#include <stdio.h>",
        "#include <stdio.h>\n#include <string.h>",
    )
    .replace("int main(", built)
}

/// What other code may see of the options is one of all that was in them: a piece of an option, or a part of the
/// options that lacks macros. Neither is all that the host builds with.
#[test]
fn options_that_are_written_in_pieces_end_no_build() {
    let kernels = "__kernel void f(__global int *x) { x[get_global_id(0)] = N; }\n";
    let defaulted = "#ifndef N\n#define N 1\n#endif\n";
    let pieces = "strcpy(options, \"-w\");\n    strcat(options, \" -D\");\n    \
                  sprintf(options + strlen(options), \"N=%d\", 5);";
    let parts = "strcpy(options, \"-DM=2 \");\n    \
                 sprintf(options + strlen(options), \"-D %s=%d\", \"N\", 5);";
    for (statements, texts) in [
        (pieces, [defaulted, kernels].concat()),
        (parts, kernels.into()),
    ] {
        let shop = Workshop::new();
        shop.write("host.c", composing(statements));
        shop.write("k.cl", texts);
        shop.sh("cc -w host.c -o plain -lOpenCL").success();
        for (name, choice) in implementations() {
            let line = format!("--platform={name} host.c k.cl -o app");
            shop.fpgacc(&line).success();
            let plain = shop.sh(&format!("{choice} ./plain 5")).success().stdout;
            assert!(plain.contains("\n5 5 5"), "{plain}");
            assert_eq!(shop.sh("./app 5").success().stdout, plain, "{name}");
        }
    }
}

/// Programs are made and built in a library that fpgacc did not compile, with options that it composes.
#[test]
fn what_a_library_builds_with_its_own_options_ends_no_build() {
    let (before, rest) = HOST
        .split_once("    FILE *file")
        .expect("the host reads a file");
    let (making, rest) = rest
        .split_once("    printf(\"build")
        .expect("the host builds");
    let (start, main) = before.split_once("int main").expect("a main");
    let head = "cl_program made(cl_context context, cl_device_id device, char **argv)";
    let shop = Workshop::new();
    let making = making.replace("OPTIONS", "-DNUMBER=int%s");
    shop.write(
        "library.c",
        format!(
            "{start}{head} {{\n    cl_int error;\n    FILE *file{making}    \
             clBuildProgram(program, 1, &device, options, NULL, NULL);\n    return program;\n}}\n"
        ),
    );
    let (_, after) = rest.split_once(";\n").expect("a statement");
    shop.write(
        "host.c",
        format!(
            "{start}{head};\nint main{main}    cl_program program = made(context, device, argv);\n{after}"
        ),
    );
    shop.write(
        "k.cl",
        "__kernel void f(__global NUMBER *x) { int i = get_global_id(0); if (i < 32) x[i].x = i; }\n",
    );
    shop.sh("cc -w -c library.c -o library.o && ar rc liblibrary.a library.o")
        .success();
    shop.sh("cc -w host.c -o plain -L. -llibrary -lOpenCL")
        .success();
    for (name, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain 2"));
        assert!(plain.stdout.contains("0 0 1 0 2 0"), "{}", plain.stdout);
        for library in ["-L. -llibrary", "liblibrary.a", "library.o"] {
            let line = format!("--platform={name} host.c k.cl {library} -o app");
            let built = shop.fpgacc(&line).success().stderr;
            assert!(built.contains("k.cl"), "{built}");
            let ours = shop.sh("./app 2");
            assert_eq!(ours.stdout, plain.stdout, "{name}: {built}{}", ours.stderr);
        }
    }
}

/// The host asks the device first, and does without.
#[test]
fn an_extension_that_no_device_has_ends_no_build() {
    let kernels = "#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : enable\n\
                   __kernel void f(__global int *x, counter32_t c) { x[0] = 1; }\n";
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("OPTIONS", "-DN=5%.0s"));
    shop.write("k.cl", kernels);
    let built = shop.fpgacc("host.c k.cl -o app").success().stderr;
    assert!(built.contains(LEFT), "{built}");
    assert_eq!(shop.sh("./app").success().stdout, "nothing to do\n");
}

/// What is said of macros that only the host knows names all of them, and where more is said.
#[test]
fn macros_that_are_missing_are_all_named() {
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("OPTIONS", "-DN=%s -DM=2"));
    let kernels = "__kernel void f(__global int *x) { x[get_global_id(0)] = N * M; }\n";
    shop.write("k.cl", kernels);
    let all = "help: give what the host will pass: -Xkernel -DM=VALUE -Xkernel -DN=VALUE\n";
    let built = shop.fpgacc("host.c k.cl -o app").success().stderr;
    assert!(built.contains(all), "{built}");
    let reported = shop.fpgacc("report host.c k.cl").failure().stderr;
    let said = "note: those of 'k.cl' are not rewritten, as the warnings say";
    assert!(
        reported.contains(all) && reported.contains(said),
        "{reported}"
    );
    let reported = shop.fpgacc("report -w host.c k.cl").failure().stderr;
    let unsaid = "note: those of 'k.cl' are not rewritten: warnings say why, without -w";
    assert!(reported.contains(unsaid), "{reported}");
    let given = "-Xkernel -DM=2 -Xkernel -DN=5 host.c k.cl -o app";
    assert_eq!(shop.fpgacc(given).success().stderr, "");
}

/// What the host builds with options that are known is wrong whenever it runs.
#[test]
fn other_errors_end_the_build() {
    let shop = Workshop::new();
    let known = HOST.replace("&device, options,", "&device, \"\",");
    shop.write("host.c", known.replace("OPTIONS", "%s"));
    for (kernels, at) in [
        (
            "__kernel void f(__global int *x) { x[0] = y; }\n",
            "k.cl:1:43: error: `y` is not declared",
        ),
        (
            "__kernel void f(__global itn *x) { x[0] = 1; }\n",
            "k.cl:1:",
        ),
    ] {
        shop.write("k.cl", kernels);
        let refused = shop.fpgacc("host.c k.cl -o app").failure();
        assert!(
            refused.stderr.contains(at) && refused.stderr.contains("error: "),
            "{}",
            refused.stderr
        );
        let way_out = "help: leave 'k.cl' out if the host reads it when it runs";
        assert!(refused.stderr.contains(way_out), "{}", refused.stderr);
        assert_eq!(refused.code, Some(1));
        assert!(!shop.path("app").exists());
    }
    // It says so because it is so.
    shop.fpgacc("host.c -o app").success();
    assert!(shop.sh("./app 5").stdout.starts_with("build: -11\n"));
}

/// Without the host, too: the link looks again, where the host may look for the extension first.
#[test]
fn an_object_of_kernels_may_want_an_extension() {
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("OPTIONS", "-DN=%s"));
    let wanting = "#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : enable\n\
                   __kernel void f(__global int *x, counter32_t c) { x[0] = 1; }\n";
    shop.write("k.cl", wanting);
    let compiled = shop.fpgacc("-c k.cl -o k.o").success();
    assert!(compiled.stderr.contains("checked again at the link"));
    let built = shop.fpgacc("host.c k.o -o app").success();
    assert!(built.stderr.contains(LEFT), "{}", built.stderr);
    assert_eq!(shop.sh("./app").success().stdout, "nothing to do\n");
}

#[test]
fn an_error_of_the_preprocessor_ends_no_build() {
    let said = runs_as_plain(
        "-DSTEP=%s",
        "#ifndef STEP\n#error STEP\n#endif\n#ifdef STEP\n__kernel void f(__global int *x) { x[get_global_id(0)] = STEP; }\n#endif\n",
    );
    for (built, printed) in said {
        assert!(!built.contains("error:"), "{built}");
        assert!(printed.contains("\n5 5 5"), "{printed}");
    }
}

/// The front end does not take this text, so that only the device's compiler sees that a macro is missing.
#[test]
fn what_the_device_refuses_without_its_macros_is_built_when_they_are_known() {
    let said = runs_as_plain(
        "-DSTEP=%s",
        "__kernel void f(__global int *x) { x[get_global_id(0)] = ({ int t = STEP; t + 1; }); }\n",
    );
    for (built, printed) in said {
        assert!(built.contains(LEFT) && !built.contains("error:"), "{built}");
        assert!(printed.contains("\n6 6 6"), "{printed}");
    }
}

#[test]
fn the_build_log_is_that_of_the_original() {
    let said = runs_as_plain(
        "-DNONE%.0s",
        "__kernel void f(__global int *x) {\n    __local int l[16];\n    int i = get_global_id(0), j = get_local_id(0);\n    \
         l[j] = i;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    x[i] = l[15 - j];\n}\n",
    );
    // PoCL's is empty.
    let speaks = |(_, printed): &(String, String)| printed.contains("Compilation");
    assert_eq!(
        said.iter().filter(|said| speaks(said)).count(),
        1,
        "{said:?}"
    );
    assert!(said.iter().all(|(built, _)| !built.contains(LEFT)));
}

/// Builds with cc and with fpgacc, in one step and in several, and compares runs on all implementations. Gives what
/// fpgacc's link said.
#[track_caller]
fn files_run_as_plain(host: &str, files: &[(&str, &str)]) -> Vec<String> {
    let shop = Workshop::new();
    shop.write("host.c", host);
    let mut names = String::new();
    for (name, text) in files {
        shop.write(name, text);
        if name.ends_with(".cl") {
            names.push_str(&format!(" {name}"));
        }
    }
    shop.sh("cc -w host.c -o plain -lOpenCL").success();
    let mut said = Vec::new();
    for (name, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain 5")).success().stdout;
        let compiled = shop.fpgacc(&format!("--platform={name} -c{names}"));
        compiled.success();
        let objects = names.replace(".cl", ".o");
        for inputs in [&names, &objects] {
            let line = format!("--platform={name} host.c{inputs} -o app");
            said.push(shop.fpgacc(&line).success().stderr);
            assert_eq!(
                shop.sh("./app 5").success().stdout,
                plain,
                "{name}: {said:?}"
            );
        }
    }
    said
}

/// Kernels call functions that another program has.
#[test]
fn programs_that_are_linked_end_no_build() {
    let host = HOST
        .replace("OPTIONS", "-DNUMBER=%s")
        .replace(
            "clBuildProgram(program, 1, &device, options, NULL, NULL)",
            "linked(context, device, &program)",
        )
        .replace("int main(", LINKED);
    let kernels = "int twice(int i);\n__kernel void f(__global int *x) { x[get_global_id(0)] = twice(get_local_id(0)); }\n";
    let library = "int twice(int i) { return FACTOR * i; }\n";
    for built in files_run_as_plain(&host, &[("k.cl", kernels), ("library.cl", library)]) {
        assert!(!built.contains("error:"), "{built}");
        let why = "'k.cl' is linked with other programs when the host runs";
        assert!(built.contains(why), "{built}");
    }
}

/// Compiles the program, reads another one, and links both.
const LINKED: &str = r#"
static int linked(cl_context context, cl_device_id device, cl_program *program) {
    static char library[4096];
    cl_int error;
    FILE *file = fopen("library.cl", "r");
    library[fread(library, 1, sizeof library - 1, file)] = 0;
    const char *source = library;
    cl_program parts[] = {*program, clCreateProgramWithSource(context, 1, &source, NULL, &error)};
    error = clCompileProgram(parts[0], 1, &device, "", 0, NULL, NULL, NULL, NULL);
    error |= clCompileProgram(parts[1], 1, &device, "-DFACTOR=2", 0, NULL, NULL, NULL, NULL);
    if (error != CL_SUCCESS) return error;
    *program = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &error);
    return error;
}

int main("#;

/// The host looks what the device takes, and does with less.
#[test]
fn options_that_fail_may_be_tried() {
    let tries = "(clBuildProgram(program, 1, &device, \"-DMUCH\", NULL, NULL) == CL_SUCCESS ? 0 : \
                 (program = clCreateProgramWithSource(context, 1, &source, NULL, &error), \
                 clBuildProgram(program, 1, &device, \"-DLESS\", NULL, NULL)))";
    let build = "clBuildProgram(program, 1, &device, options, NULL, NULL)";
    let host = HOST.replace("OPTIONS", "%s").replace(build, tries);
    let kernels = "__kernel void f(__global int *x) {\n#ifdef MUCH\n    x[0] = of_no_device(1);\n#else\n    \
                   x[get_global_id(0)] = 3;\n#endif\n}\n";
    for built in files_run_as_plain(&host, &[("k.cl", kernels)]) {
        assert!(built.contains(LEFT) && !built.contains("error:"), "{built}");
    }
    // What fails with all options is wrong.
    let shop = Workshop::new();
    shop.write("host.c", host);
    shop.write("k.cl", kernels.replace("= 3", "= y"));
    let refused = shop.fpgacc("host.c k.cl -o app").failure().stderr;
    let all = "error: 'k.cl' has errors with each of the 2 sets of options";
    assert!(refused.contains(all), "{refused}");
}

/// The host has a text for devices that are not there.
const TWO_STRINGS: &str = r#"#include "composed.h"
static const char *plain = "kernel void k(global int *a) { a[get_global_id(0)] = 7; }";
static const char *fast = "kernel void k(global int *a) { a[0] = sub_group_of_no_device(7); }";
int main(void) {
    start();
    static char extensions[1 << 16];
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    cl_program program;
    if (strstr(extensions, "cl_of_no_device"))
        program = clCreateProgramWithSource(context, 1, &fast, NULL, NULL);
    else
        program = clCreateProgramWithSource(context, 1, &plain, NULL, NULL);
    finish(program, 0);
}
"#;

#[test]
fn a_string_for_another_device_ends_no_build() {
    let shop = Workshop::new();
    shop.write("composed.h", include_str!("inputs/composed.h"));
    shop.write("host.c", TWO_STRINGS);
    let built = shop.fpgacc("host.c -o app").success().stderr;
    assert!(built.contains("host.c:3:66: warning: "), "{built}");
    let left = "warning: 'host.c:3' has errors: none of its kernels is rewritten";
    assert!(built.contains(left) && !built.contains("error:"), "{built}");
    assert_eq!(shop.sh("./app").success().stdout, "0: 7 7 7\n");
    // One of them has to be right.
    shop.write("host.c", TWO_STRINGS.replace("= 7; }", "= seven; }"));
    let refused = shop.fpgacc("host.c -o none").failure().stderr;
    let all = "error: none of the kernels that the hosts build is without errors";
    assert!(refused.contains(all), "{refused}");
    assert!(!shop.path("none").exists());
}

/// The host has a file for devices that are not there.
const TWO_FILES: &str = r#"#include "composed.h"
static cl_program load(const char *name) {
    static char text[1 << 12];
    FILE *file = fopen(name, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *source = text;
    return clCreateProgramWithSource(context, 1, &source, NULL, NULL);
}
int main(void) {
    start();
    static char extensions[1 << 16];
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    if (strstr(extensions, "cl_of_no_device"))
        finish(load("fast.cl"), 0);
    else
        finish(load("plain.cl"), 0);
}
"#;

#[test]
fn a_file_for_another_device_ends_no_build() {
    let shop = Workshop::new();
    shop.write("composed.h", include_str!("inputs/composed.h"));
    shop.write("host.c", TWO_FILES);
    let right = "kernel void k(global int *a) { a[get_global_id(0)] = 7; }\n";
    shop.write("plain.cl", right);
    // An error of the front end, and one that only an emulator's compiler finds.
    for wrong in [
        "kernel void k(write_only global int *a) { a[get_global_id(0)] = 8; }\n",
        "kernel void k(global int *a, uint n) { a[get_global_id(0)] = log2(n); }\n",
    ] {
        shop.write("fast.cl", wrong);
        for (name, _) in implementations() {
            let line = format!("--platform={name} host.c plain.cl fast.cl -o app");
            let built = shop.fpgacc(&line).success().stderr;
            assert!(
                built.contains(&LEFT.replace("k.cl", "fast.cl")) && !built.contains("error:"),
                "{built}"
            );
            assert_eq!(shop.sh("./app").success().stdout, "0: 7 7 7\n");
        }
    }
    // One of them has to be right.
    for name in ["plain.cl", "fast.cl"] {
        shop.write(name, right.replace("= 7", "= seven"));
    }
    let refused = shop.fpgacc("host.c plain.cl fast.cl -o none").failure();
    assert!(refused.stderr.contains("error: "), "{}", refused.stderr);
    assert!(!shop.path("none").exists());
}

/// Without the host's options, many texts are none of OpenCL C.
#[test]
fn objects_of_kernels_may_lack_options() {
    let options = "-Dreal=int -DN=%s -Dbegin={ -Dend=} -DGLOBAL=__global";
    let host = HOST
        .replace("OPTIONS", options)
        .replace("options[64]", "options[256]");
    for kernels in [
        "__kernel void f(__global real *x) { real a[N]; a[0] = 3; x[get_global_id(0)] = a[0] + N; }\n",
        "__kernel void f(__global int *x) begin x[get_global_id(0)] = N; end\n",
        "__kernel void f(GLOBAL int *x) { x[get_global_id(0)] = N; }\n",
        // Right, though the front end does not know it.
        "__kernel void f(__global int *x) { x[get_global_id(0)] = L'a' + 'ab'; }\n",
    ] {
        files_run_as_plain(&host, &[("k.cl", kernels)]);
    }
}
