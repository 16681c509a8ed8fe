//! fpgacc in place of cc in builds of many steps: the same bytes as one command, dependency files,
//! archives, objects that others compiled.

use std::path::{Path, PathBuf};

use fpgacc_tests::command::Workshop;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A workshop with a copy of a folder's files.
fn copy_of(folder: &Path) -> Workshop {
    let shop = Workshop::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            shop.write(path.file_name().unwrap(), std::fs::read(&path).unwrap());
        }
    }
    shop
}

/// The program of `fixture/program`: a host of two files and a header, kernels with a header.
fn program() -> Workshop {
    copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture/program"))
}

/// A benchmark program, with the header that all of them share.
fn benchmark(name: &str) -> Workshop {
    let shop = copy_of(&root().join("benchmarks").join(name));
    let header = std::fs::read(root().join("benchmarks/common/workload.h")).unwrap();
    shop.write("workload.h", header);
    shop
}

/// The executable and its kernels, made by a line of shell that puts `app` into the folder `to`.
#[track_caller]
fn made(shop: &Workshop, to: &str, line: &str) -> (Vec<u8>, Vec<u8>) {
    shop.write(format!("{to}/.keep"), "");
    shop.sh(line).success();
    (
        shop.read(format!("{to}/app")),
        shop.read(format!("{to}/app.aocx")),
    )
}

#[track_caller]
fn runs(shop: &Workshop, app: &str) {
    let outcome = shop.sh(app).success();
    assert!(
        outcome.stdout.ends_with("PASS\n"),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
}

#[test]
fn separate_steps_make_the_same_bytes_as_one_command() {
    let cases = [
        ("kmeans", "kmeans.c", "kmeans.cl", "-lm"),
        ("hotspot3d", "hotspot3d.cpp", "hotspot3d.cl", ""),
        ("nn", "nn.cpp", "", ""),
    ];
    std::thread::scope(|scope| {
        for (name, host, kernels, libraries) in cases {
            scope.spawn(move || {
                let shop = benchmark(name);
                for flags in ["-O2", "-g -Wall"] {
                    let one = format!("fpgacc {flags} -I. {host} {kernels} {libraries} -o one/app");
                    let kernel_step = match kernels {
                        "" => String::new(),
                        _ => format!("fpgacc -I. -c {kernels} -o k.o &&"),
                    };
                    let object = if kernels.is_empty() { "" } else { "k.o" };
                    let steps = format!(
                        "fpgacc {flags} -I. -c {host} -o h.o && {kernel_step}
                         fpgacc {flags} h.o {object} {libraries} -o steps/app"
                    );
                    let one = made(&shop, "one", &one);
                    assert!(one == made(&shop, "steps", &steps), "{name} {flags}");
                }
            });
        }
    });
}

#[test]
fn objects_may_be_joined_and_archived() {
    let shop = program();
    let one = made(&shop, "one", "fpgacc main.c launch.c twice.cl -o one/app");
    shop.sh("for f in main.c launch.c twice.cl; do fpgacc -c $f || exit; done")
        .success();
    for (to, line) in [
        (
            "archive",
            "ar rc libk.a twice.o && fpgacc main.o launch.o libk.a -o archive/app",
        ),
        ("library", "fpgacc main.o launch.o -L. -lk -o library/app"),
        (
            "joined",
            "ld -r launch.o twice.o -o lt.o && fpgacc main.o lt.o -o joined/app",
        ),
        (
            "all",
            "ar rc liball.a launch.o twice.o && fpgacc main.o -L. -lall -o all/app",
        ),
        (
            "thin",
            "mkdir lib && ar rcT lib/libthin.a launch.o twice.o && fpgacc main.o lib/libthin.a -o thin/app",
        ),
    ] {
        assert!(one == made(&shop, to, line), "{to}");
    }
    // None of what fpgacc keeps in objects is left.
    let sections = shop.sh("objdump -h one/app").success().stdout;
    assert!(sections.contains(".text") && !sections.contains(" .fpgacc"));
    runs(&shop, "all/app");
}

#[test]
fn builds_do_not_depend_on_time_and_place() {
    let build = |shop: &Workshop, tmp: &str| {
        shop.write(format!("{tmp}/.keep"), "");
        let line = format!(
            "TMPDIR=$PWD/{tmp} FPGACC_CACHE=off fpgacc main.c launch.c twice.cl -o one/app"
        );
        let made = made(shop, "one", &line);
        let left: Vec<_> = shop
            .entries()
            .into_iter()
            .filter(|e| e.starts_with(tmp))
            .collect();
        assert_eq!(
            left,
            [format!("{tmp}/"), format!("{tmp}/.keep")],
            "temporary files are left"
        );
        made
    };
    let here = build(&program(), "a");
    let there = build(&program(), "another folder".split(' ').next().unwrap());
    assert!(here == there);
}

/// A bitstream takes hours. Comments in what is built name lines of the host, and must not count.
#[test]
fn a_line_more_in_a_host_builds_no_kernels_anew() {
    let shop = Workshop::new();
    let host = include_str!("../fixture/host.c")
        .replace("int main(void)", "int main(int argc, char **argv)")
        .replace("size_t n =", "cl_mem m[2] = {clCreateBuffer(c, 0, 4096, NULL, &e), clCreateBuffer(c, 0, 4096, NULL, &e)};\nsize_t n =")
        .replace("(cl_mem){clCreateBuffer(c, 0, 4096, NULL, &e)}", "m[argc % 2]")
        .replace("clEnqueue", "clSetKernelArg(k, 1, sizeof(cl_mem), &m[argc / 2 % 2]);\nclEnqueue");
    let kernels = "kernel void f(global int *a, global int *b) { a[get_global_id(0)] = b[get_global_id(0)]; }";
    shop.write("k.cl", kernels);
    let built = |host: &str, comment: &str| {
        shop.write("host.c", host);
        let emitted = shop.fpgacc("host.c k.cl --emit=kernels -o -").success();
        assert!(emitted.stdout.contains(comment), "{}", emitted.stdout);
        shop.sh("FPGACC_CACHE=$PWD/cache fpgacc host.c k.cl -o app && ./app")
            .success();
        let entries = std::fs::read_dir(shop.path("cache")).unwrap().flatten();
        entries.filter(|entry| entry.path().is_dir()).count()
    };
    let made = built(&host, "the launch at host.c:21:1");
    let longer = format!("\n{host}");
    assert_eq!(built(&longer, "the launch at host.c:22:1"), made);
    shop.write("k.cl", kernels.replace(" = b", " += b"));
    assert_eq!(built(&longer, "the launch at host.c:22:1"), made + 1);
}

/// The same for kernels in strings, which messages name by their places.
#[test]
fn a_line_more_in_a_host_builds_no_strings_anew() {
    let shop = Workshop::new();
    let host = include_str!("../fixture/host.c")
        .replace(
            "const char *s = text;",
            "const char *s = \"kernel void f(global int *a) {\\n    a[get_global_id(0)] = 1;\\n}\\n\";",
        )
        .replace("FILE *f = fopen(\"k.cl\", \"r\");", "")
        .replace("text[fread(text, 1, 65535, f)] = 0;", "");
    let built = |host: &str, place: &str| {
        shop.write("host.c", host);
        let emitted = shop.fpgacc("host.c --emit=kernels -o -").success();
        assert!(emitted.stdout.contains(place), "{}", emitted.stdout);
        shop.sh("FPGACC_CACHE=$PWD/cache fpgacc host.c -o app && ./app")
            .success();
        let entries = std::fs::read_dir(shop.path("cache")).unwrap().flatten();
        entries.filter(|entry| entry.path().is_dir()).count()
    };
    let made = built(&host, "\"host.c:14\"");
    assert_eq!(built(&format!("\n{host}"), "\"host.c:15\""), made);
    let other = host.replace("= 1;", "= 2;");
    assert!(built(&other, "\"host.c:14\"") > made);
    shop.write("host.c", host.replace("= 1;", "= a;"));
    let refused = shop.fpgacc("-w host.c -o app").failure();
    let place = "host.c:14:76: error: ";
    assert!(refused.stderr.contains(place), "{}", refused.stderr);
}

/// Target and prerequisites of the first rule in a dependency file.
fn rule(text: &str) -> (String, Vec<String>) {
    let joined = text.replace("\\\n", " ");
    let line = joined.lines().next().unwrap_or_default();
    let (target, files) = line.split_once(':').expect("a rule");
    let mut files: Vec<String> = files.split_whitespace().map(String::from).collect();
    files.sort();
    (target.trim().to_string(), files)
}

#[test]
fn dependency_files_are_those_of_cc() {
    let shop = program();
    shop.write("sub/.keep", "");
    for flags in [
        "-MMD -c main.c",
        "-MD -c main.c",
        "-MMD -c main.c -o sub/m.o",
        "-MMD -MF deps -c main.c",
        "-MMD -MT 'a b' -MT c -MFdeps -c main.c",
        "-MMD -MQ 'a b' -MF deps -c main.c",
        "-MD -MP -MF deps -c main.c -o sub/m.o",
        "-MMD -MF deps -c ./main.c",
        "-MMD -MF deps -include stdlib.h -c launch.c",
    ] {
        let file = match flags {
            _ if flags.contains("deps") => "deps",
            _ if flags.contains("sub") => "sub/m.d",
            _ => "main.d",
        };
        shop.sh(&format!("cc {flags}")).success();
        let theirs = shop.text(file);
        std::fs::remove_file(shop.path(file)).unwrap();
        shop.sh(&format!("fpgacc {flags}")).success();
        let ours = shop.text(file);
        assert_eq!(rule(&ours), rule(&theirs), "{flags}");
        let phony = |text: &str| {
            let mut lines: Vec<String> = text
                .replace("\\\n", " ")
                .lines()
                .skip(1)
                .filter(|line| !line.is_empty())
                .map(String::from)
                .collect();
            lines.sort();
            lines
        };
        assert_eq!(phony(&ours), phony(&theirs), "{flags}");
    }
}

#[test]
fn dependency_files_of_kernels_and_programs_name_all_that_was_read() {
    let shop = program();
    shop.fpgacc("-MMD -c twice.cl").success();
    let (target, files) = rule(&shop.text("twice.d"));
    assert_eq!(target, "twice.o");
    assert_eq!(files, ["twice.cl", "twice.h"]);
    shop.fpgacc("-MMD main.c launch.c twice.cl -o app")
        .success();
    let (target, files) = rule(&shop.text("app.d"));
    assert_eq!(target, "app");
    assert_eq!(
        files,
        ["launch.c", "launch.h", "main.c", "twice.cl", "twice.h"]
    );
}

#[test]
fn a_makefile_needs_only_its_compiler_changed() {
    let shop = program();
    let first = shop.sh("make").success();
    assert_eq!(first.stdout.lines().count(), 4, "{}", first.stdout);
    runs(&shop, "./app");
    let nothing = shop.sh("make").success();
    assert!(nothing.stdout.contains("up to date"), "{}", nothing.stdout);
    // A header of the kernels changes: the kernels are compiled again, the hosts are not.
    shop.write("twice.h", "#define TWICE(x) ((x) + (x))\n");
    shop.sh("touch -d '1 minute' twice.h").success();
    let again = shop.sh("make").success();
    assert_eq!(
        again.stdout.lines().collect::<Vec<_>>(),
        [
            "fpgacc -MMD -MP -c twice.cl -o twice.o",
            "fpgacc  main.o launch.o twice.o -o app"
        ]
    );
    runs(&shop, "./app");
    // make hands its CC on in the environment: fpgacc does not call itself.
    let outcome = shop
        .sh("CC=fpgacc CXX=fpgacc++ fpgacc -v -c launch.c")
        .success();
    assert!(!outcome.stderr.contains(" fpgacc "), "{}", outcome.stderr);
    shop.sh("touch -d '2 minutes' main.c && make CC='fpgacc -O0'")
        .success();
    runs(&shop, "./app");
}

#[test]
fn calls_that_fpgacc_did_not_compile_reach_the_runtime() {
    let shop = program();
    // An object of cc launches.
    shop.sh("cc -c launch.c -o launch.o && fpgacc main.c launch.o twice.cl -o app1")
        .success();
    runs(&shop, "./app1");
    // All of the host is cc's: fpgacc sees no source, and needs to be given the macros.
    shop.sh("cc -c main.c && fpgacc main.o launch.o -DADDED=1 twice.cl -o app2")
        .success();
    runs(&shop, "./app2");
    // The launch stands in a header of the user's.
    shop.sh("grep -v include launch.c | sed 's/^cl_int/static &/' >inline.h")
        .success();
    let main = shop
        .text("main.c")
        .replace("launch.h\"", "launch.h\"\n#include \"inline.h\"");
    shop.write("main2.c", main.replace("#include \"launch.h\"\n", ""));
    shop.fpgacc("main2.c twice.cl -o app3").success();
    runs(&shop, "./app3");
    // The launch stands in a static library of cc's.
    shop.sh("ar rc liblaunch.a launch.o && fpgacc main.c twice.cl -L. -llaunch -o app4")
        .success();
    runs(&shop, "./app4");
    // And in a header of the system: the C++ wrapper.
    shop.fpgacc("wrap.cpp -DADDED=1 twice.cl -o app5").success();
    runs(&shop, "./app5");
}

/// As makefiles do that name the driver that links.
#[test]
fn objects_that_another_driver_links_are_the_plain_program() {
    let shop = copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("trace"));
    let options = "-std=c99 -pedantic -Wall -Wextra -Werror";
    shop.sh(&format!("cc {options} gather.c -o plain -lOpenCL"))
        .success();
    let plain = shop.sh("./plain").success();
    shop.sh(&format!(
        "fpgacc {options} -c gather.c && fpgacc -c gather.cl -o kernels.o"
    ))
    .success();
    for link in ["gcc", "g++"] {
        shop.sh(&format!("{link} gather.o kernels.o -lOpenCL -o app"))
            .success();
        assert_eq!(shop.sh("./app").success().stdout, plain.stdout);
    }
    // Linked by fpgacc the same objects are the rewritten program.
    let linked = shop.sh("fpgacc -Rpass gather.o kernels.o -o app").success();
    assert!(linked.stderr.contains("[-Rpass="), "{}", linked.stderr);
    assert_eq!(shop.sh("./app").success().stdout, plain.stdout);
    // Optimising at the link does not take what stands in for the runtime instead.
    shop.sh("fpgacc -w -O2 -flto gather.c gather.cl -o app")
        .success();
    let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
    assert!(
        ran.stderr.contains("gather.c:55: kernel `gather`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_command_line_is_that_of_cc() {
    let shop = program();
    shop.write(
        "arguments",
        "-DUNUSED='a b'\nmain.c launch.c\n-o 'my app' twice.cl",
    );
    shop.fpgacc("@arguments").success();
    runs(&shop, "'./my app'");
    shop.fpgacc("-o app1 -- main.c launch.c twice.cl").success();
    runs(&shop, "./app1");
    shop.sh("cp main.c main.txt && cp twice.cl twice.txt")
        .success();
    // The host loads another file: of this one's options nothing is known.
    let other = shop
        .fpgacc("-x c main.txt -x none launch.c -x cl twice.txt -o app2")
        .success();
    let warning = "no program of the host is known to load 'twice.txt'";
    assert!(other.stderr.contains(warning), "{}", other.stderr);
    shop.sh("sed -i 's/twice.cl/twice.txt/' main.txt").success();
    shop.fpgacc("-x c main.txt -x none launch.c -x cl twice.txt -o app2")
        .success();
    runs(&shop, "./app2");
    // No host is called .cl.
    shop.fpgacc("-x c main.c launch.c twice.cl -o app3")
        .success();
    runs(&shop, "./app3");
    // A C++ compiler takes .c files as C++.
    shop.write(
        "hello.c",
        "#include <iostream>\nint main() { std::cout << \"PASS\\n\"; }\n",
    );
    shop.fpgacc("-x c++ hello.c -o hello1").success();
    shop.fpgacc("--driver-mode=c++ hello.c -o hello2").success();
    shop.sh("ln -s $(command -v fpgacc) fpgacc++ && ./fpgacc++ hello.c -o hello3")
        .success();
    shop.sh("CC=g++ fpgacc hello.c -o hello4").success();
    shop.sh("CC=g++ FPGACC_CACHE=off fpgacc wrap.cpp -DADDED=1 twice.cl -o app4")
        .success();
    runs(&shop, "./app4");
    for app in ["./hello1", "./hello2", "./hello3", "./hello4"] {
        runs(&shop, app);
    }
    shop.fpgacc("-c hello.c").failure();
    // No kernels, no OpenCL: it is a C compiler.
    shop.write("plain.c", "#include <math.h>\n#include <stdio.h>\nint main(int n, char **v) { puts(sqrt(n) == 1 ? \"PASS\" : v[0]); return 0; }\n");
    shop.fpgacc("plain.c -lm -o plain").success();
    runs(&shop, "./plain");
    assert!(!shop.path("plain.aocx").exists());
    shop.fpgacc("main.c launch.c twice.cl").success();
    assert!(shop.path("a.out").exists() && shop.path("a.out.aocx").exists());
}

#[test]
fn a_program_may_have_several_kernel_files_and_strings() {
    let shop = program();
    shop.write(
        "thrice.cl",
        "kernel void thrice(global int *a) { a[get_global_id(0)] *= 3; }\n",
    );
    let main = shop.text("main.c");
    let (head, body) = main.split_once("    int data[N];").unwrap();
    let second = "    const char *other = \"kernel void minus(global int *a) { a[get_global_id(0)] -= 1; }\";\n\
                  cl_program p2 = clCreateProgramWithSource(context, 1, &other, NULL, &error);\n\
                  clBuildProgram(p2, 1, &device, NULL, NULL, NULL);\n\
                  cl_kernel minus = clCreateKernel(p2, \"minus\", &error);\n\
                  const char *third = read_file(\"thrice.cl\");\n\
                  cl_program p3 = clCreateProgramWithSource(context, 1, &third, NULL, &error);\n\
                  clBuildProgram(p3, 1, &device, NULL, NULL, NULL);\n\
                  cl_kernel thrice = clCreateKernel(p3, \"thrice\", &error);\n";
    let body = body.replace(
        "    clEnqueueReadBuffer(",
        "    size_t all = N;\n\
         clSetKernelArg(minus, 0, sizeof to, &to);\n\
         clEnqueueNDRangeKernel(queue, minus, 1, NULL, &all, NULL, 0, NULL, NULL);\n\
         clSetKernelArg(thrice, 0, sizeof to, &to);\n\
         clEnqueueNDRangeKernel(queue, thrice, 1, NULL, &all, NULL, 0, NULL, NULL);\n\
         clEnqueueReadBuffer(",
    );
    let body = body.replace("data[i] != 2 * i + 1", "data[i] != 6 * i");
    shop.write("main.c", format!("{head}{second}    int data[N];{body}"));
    shop.fpgacc("main.c launch.c twice.cl thrice.cl -o app")
        .success();
    runs(&shop, "./app");
    let kernels: Vec<String> = shop
        .entries()
        .into_iter()
        .filter(|e| e.ends_with(".aocx"))
        .collect();
    assert_eq!(kernels.len(), 3, "{kernels:?}");
    let before: Vec<_> = kernels.iter().map(|name| shop.read(name)).collect();
    shop.sh("for f in main.c launch.c twice.cl thrice.cl; do fpgacc -c $f || exit; done")
        .success();
    shop.fpgacc("main.o launch.o twice.o thrice.o -o app")
        .success();
    let after: Vec<_> = kernels.iter().map(|name| shop.read(name)).collect();
    assert!(before == after);
}

/// Builds files with options and runs them: pairs of arguments, which nobody can know before.
const OF_ARGUMENTS: &str = r#"#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    for (int i = 1; i < argc; i += 2) {
        static char text[4096];
        FILE *file = fopen(argv[i], "r");
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        const char *source = text;
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
        if (clBuildProgram(program, 1, &device, argv[i + 1], NULL, NULL) != CL_SUCCESS)
            return 1;
        cl_kernel kernel = clCreateKernel(program, "fill", NULL);
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
        size_t global = 8;
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL))
            return 2;
        unsigned bits;
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, 4, &bits, 0, NULL, NULL);
        printf("%08x\n", bits);
    }
    return 0;
}
"#;

/// Runs the app of [`OF_ARGUMENTS`]: it prints this, and launches two rewritten kernels.
fn both_are_rewritten(shop: &Workshop, arguments: &str, printed: &str) {
    let output = shop
        .sh(&format!("FPGACC_VERBOSE=1 ./app {arguments}"))
        .success();
    assert_eq!(output.stdout, printed);
    let tasks = output.stderr.matches("as one work-item").count();
    assert_eq!(tasks, 2, "{}", output.stderr);
}

#[test]
fn a_kernel_file_may_be_built_with_several_sets_of_options() {
    let shop = Workshop::new();
    shop.write(
        "fill.cl",
        "__kernel void fill(__global TYPE *a) { a[get_global_id(0)] = (TYPE)2.5; }\n",
    );
    shop.write("host.c", OF_ARGUMENTS);
    shop.sh("fpgacc -c -Xkernel -DTYPE=int fill.cl -o int.o && \
             fpgacc -c -Xkernel -DTYPE=float fill.cl -o float.o && \
             fpgacc -w -fexecution-model=swi host.c int.o float.o -o app")
        .success();
    let arguments = "fill.cl -DTYPE=float fill.cl -DTYPE=int";
    both_are_rewritten(&shop, arguments, "40200000\n00000002\n");
}

#[test]
fn kernel_files_of_one_name_in_two_folders_are_two_programs() {
    let shop = Workshop::new();
    for (folder, value) in [("one", 1), ("two", 2)] {
        let text =
            format!("__kernel void fill(__global int *a) {{ a[get_global_id(0)] = {value}; }}\n");
        shop.write(format!("{folder}/fill.cl"), &text);
    }
    shop.write("host.c", OF_ARGUMENTS);
    shop.sh(
        "(cd one && fpgacc -c fill.cl -o ../one.o) && (cd two && fpgacc -c fill.cl -o ../two.o) && \
             fpgacc -w -fexecution-model=swi host.c one.o two.o -o app",
    )
    .success();
    both_are_rewritten(
        &shop,
        "one/fill.cl '' two/fill.cl ''",
        "00000001\n00000002\n",
    );
}
