//! Programs whose text hosts put together: it is compiled as one, as OpenCL reads it.

use fpgacc_tests::command::{Workshop, implementations};

/// Creates and builds a program, and prints what its kernel writes.
const HOST: &str = include_str!("inputs/texts.c");

const KERNELS: &str = "#ifndef N\n#define N 3\n#endif\n\
                       __kernel void f(__global int *x) { x[get_global_id(0)] = N; }\n";

/// Builds with cc and with fpgacc, and compares what they print on all implementations. Gives what was printed, and
/// what fpgacc's program said.
#[track_caller]
fn runs_as_plain(create: &str, arguments: &str) -> Vec<(String, String)> {
    runs_with(KERNELS, create, arguments)
}

/// The same with other kernels.
#[track_caller]
fn runs_with(kernels: &str, create: &str, arguments: &str) -> Vec<(String, String)> {
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("CREATE", create));
    shop.write("k.cl", kernels);
    shop.write("line.h", "#define LINE __LINE__\n");
    shop.sh("cc -w host.c -o plain -lOpenCL").success();
    let compare = |(name, choice): (&str, String)| {
        let line = format!("-w --platform={name} host.c k.cl -o app");
        shop.fpgacc(&line).success();
        let plain = shop.sh(&format!("{choice} ./plain {arguments}"));
        let ours = shop.sh(&format!("FPGACC_VERBOSE=1 ./app {arguments}"));
        assert_eq!(ours.stdout, plain.stdout, "{name}: {}", ours.stderr);
        assert_eq!(ours.code, plain.code, "{name}");
        (ours.stdout, ours.stderr)
    };
    implementations().into_iter().map(compare).collect()
}

fn loaded(before: &str) -> String {
    format!(
        "size_t size;\n    char *text = load(\"k.cl\", {before}, &size);\n    \
         program = clCreateProgramWithSource(context, 1, (const char **)&text, &size, &error);"
    )
}

fn strings(strings: &[&str]) -> String {
    format!(
        "const char *all[] = {{{}}};\n    \
         program = clCreateProgramWithSource(context, {}, all, NULL, &error);",
        strings.join(", "),
        strings.len()
    )
}

#[test]
fn a_loader_may_put_text_before_a_file() {
    for (before, first) in [
        (r#""// A comment\n""#, "3"),
        (r##""#define N 5\n""##, "5"),
        (r##""#define N 5\n ""##, "5"),
        (r#""""#, "3"),
    ] {
        for (printed, said) in runs_as_plain(&loaded(before), "") {
            assert!(printed.contains(&format!("\n{first} {first}")), "{printed}");
            assert!(said.contains("k.cl: loaded app.aocx"), "{said}");
        }
    }
}

/// Only the running host knows what it puts there.
#[test]
fn a_text_before_a_file_that_is_not_known_is_the_device_s() {
    for (printed, said) in runs_as_plain(&loaded("argv[1]"), "'#define N 7\n'") {
        assert!(printed.contains("\n7 7"), "{printed}");
        assert!(
            said.contains("the device's own compiler builds it"),
            "{said}"
        );
        assert!(said.contains("`fpgacc trace`"), "{said}");
    }
}

/// A string may end in the middle of a line.
#[test]
fn strings_of_a_program_go_on_with_each_other() {
    let kernel = r#""\n__kernel void f(__global int *x) { x[get_global_id(0)] = N; }\n""#;
    for (pieces, printed) in [
        (vec![r##""#define N 1""##, r#""2""#, kernel], "\n12 12"),
        (vec![r##""#define N \\\n""##, r#""8""#, kernel], "\n8 8"),
        (
            vec![
                r#""// No""#,
                r##""#define N\n""##,
                r##""#define N 4\n""##,
                kernel,
            ],
            "\n4 4",
        ),
    ] {
        for (out, said) in runs_as_plain(&strings(&pieces), "") {
            assert!(out.contains(printed), "{out}");
            assert!(said.contains("loaded app"), "{said}");
        }
    }
}

/// The first line of a file belongs to what stands before it: the `#ifndef` is part of the definition.
#[test]
fn a_file_goes_on_with_the_text_before_it() {
    let shop = Workshop::new();
    let host = HOST.replace("CREATE", &loaded(r##""#define N 5""##));
    shop.write("host.c", host);
    shop.write("k.cl", KERNELS);
    let refused = shop.fpgacc("-w host.c k.cl -o app").failure();
    let at = "k.cl:3:2: error: #endif without #if";
    assert!(refused.stderr.contains(at), "{}", refused.stderr);
}

/// `__LINE__` counts from the first line of all that the host passes.
#[test]
fn lines_are_those_of_the_whole_text() {
    let counting =
        "/* one */\n__kernel void f(__global int *x) { x[get_global_id(0)] = __LINE__; }\n";
    let included =
        "#include \"line.h\"\n__kernel void f(__global int *x) { x[get_global_id(0)] = LINE; }\n";
    let literal = |before: &str| {
        let line = format!("{before:?}, counting");
        format!(
            "const char *counting = {counting:?};\n    const char *all[] = {{{line}}};\n    \
             program = clCreateProgramWithSource(context, 2, all, NULL, &error);"
        )
    };
    for (kernels, create, line) in [
        (counting, loaded(r##""#define A 1\n#define B 2\n""##), 4),
        (counting, loaded(r##""/* */ ""##), 2),
        (included, loaded(r##""#define A 1\n""##), 3),
        (counting, literal("// a\n// b\n// c\n"), 5),
    ] {
        for (printed, said) in runs_with(kernels, &create, "") {
            assert!(printed.contains(&format!("\n{line} {line}")), "{printed}");
            assert!(said.contains("loaded app"), "{said}");
        }
    }
}

/// What `xxd -i` makes of a kernel file: kernels are compiled before the host runs, and rewritten.
#[test]
fn texts_may_be_numbers_in_a_header() {
    let bytes: Vec<String> = KERNELS.bytes().map(|byte| format!("{byte:#04x}")).collect();
    let header = format!(
        "unsigned char k_cl[] = {{ {} }}; unsigned int k_cl_len = {};",
        bytes.join(", "),
        bytes.len()
    );
    let create = format!(
        "{header}\n    const char *text = (const char *)k_cl;\n    size_t size = k_cl_len;\n    \
         program = clCreateProgramWithSource(context, 1, &text, &size, &error);"
    );
    for (printed, said) in runs_with("__kernel void unused(void) {}\n", &create, "") {
        assert!(printed.contains("3 3 3"), "{printed}");
        assert!(
            said.contains("loaded app") && !said.contains("warning: this program text"),
            "{said}"
        );
    }
}

/// A wrapper of classes in a namespace that own handles.
#[test]
fn programs_of_owning_classes_are_compiled() {
    let shop = Workshop::new();
    shop.write("host.cpp", include_str!("inputs/owners.cpp"));
    shop.sh("c++ -w -std=c++17 host.cpp -o plain -lOpenCL")
        .success();
    for (name, choice) in implementations() {
        let line = format!("-w -std=c++17 --platform={name} host.cpp -o app");
        shop.fpgacc(&line).success();
        let plain = shop.sh(&format!("{choice} ./plain")).success();
        let ours = shop.sh("FPGACC_VERBOSE=1 ./app").success();
        assert_eq!(ours.stdout, plain.stdout, "{name}: {}", ours.stderr);
        assert!(ours.stderr.contains("loaded app"), "{}", ours.stderr);
    }
    let facts = shop
        .fpgacc("-w -std=c++17 --emit=facts host.cpp -o -")
        .success()
        .stdout;
    for known in ["is: ' -DN=5'", "- const: 64", "- const: 16"] {
        assert!(facts.contains(known), "{known}: {facts}");
    }
}
