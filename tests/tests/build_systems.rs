//! fpgacc where a build system expects cc: what CMake, Meson, Autoconf, libtool and make ask of a
//! compiler, and programs with OpenCL that they build.

use std::path::{Path, PathBuf};

use fpgacc_tests::command::{Workshop, built};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture/program")
}

/// A workshop with the program of `fixture/program`, and with fpgacc++.
fn program() -> Workshop {
    let shop = Workshop::new();
    for entry in std::fs::read_dir(fixture()).unwrap() {
        let path = entry.unwrap().path();
        shop.write(path.file_name().unwrap(), std::fs::read(&path).unwrap());
    }
    shop.write("bin/none", "");
    std::os::unix::fs::symlink(built().join("fpgacc"), shop.path("bin/fpgacc++")).unwrap();
    shop
}

/// A workshop with a program that has nothing to do with OpenCL.
fn plain() -> Workshop {
    let shop = Workshop::new();
    shop.write(
        "conftest.c",
        "#include <math.h>\nint main(int n, char **v) { (void)v; return cos(n - 1.0) != 1.0; }\n",
    );
    shop
}

/// What cc and fpgacc print for the same words, without the folders that differ from run to run.
fn both(shop: &Workshop, words: &str) -> [String; 2] {
    ["cc", "fpgacc"].map(|compiler| {
        let outcome = shop.sh(&format!("{compiler} {words}")).success();
        outcome.stdout
    })
}

#[track_caller]
fn runs(shop: &Workshop, line: &str) {
    let outcome = shop.sh(line).success();
    assert_eq!(outcome.stdout, "PASS\n", "{line}: {}", outcome.stderr);
}

#[test]
fn questions_get_the_answers_of_the_host_compiler() {
    let shop = plain();
    for words in [
        "-dumpmachine",
        "-dumpversion",
        "-dumpfullversion",
        "-dumpspecs",
        "-print-search-dirs",
        "--print-search-dirs",
        "-print-libgcc-file-name",
        "-print-multi-os-directory",
        "-print-multiarch",
        "-print-sysroot",
        "-print-prog-name=ld",
        "--print-file-name=crti.o",
        "-m64 -print-multi-directory",
        "-E -dM -x c - </dev/null",
        "-E -dM - </dev/null",
        "-E -P conftest.c",
        "-E -dD -DA=1 conftest.c",
        "-E -C conftest.c",
        "-Wl,--version",
    ] {
        let [theirs, ours] = both(&shop, words);
        assert_eq!(ours, theirs, "{words}");
    }
    let [theirs, ours] = both(&shop, "--version");
    let own = format!("fpgacc {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ours, theirs + &own);
    let output = shop.fpgacc("-v").success().stderr;
    assert!(
        output.contains("gcc version") || output.contains("clang version"),
        "{output}"
    );
}

#[test]
fn programs_without_opencl_are_those_of_cc() {
    let shop = plain();
    for words in [
        "conftest.c -lm",
        "-pipe -std=gnu11 -pedantic -Wall -g3 -O3 -fno-plt conftest.c -lm",
        "-static conftest.c -lm",
        "-no-pie conftest.c -lm",
        "-fPIE -pie conftest.c -lm",
        "-flto -O2 conftest.c -lm",
        "-pg conftest.c -lm",
        "-rdynamic -static-libgcc -Wl,-rpath,/nowhere -Xlinker --as-needed conftest.c -lm",
        "--sysroot=/ -isystem/usr/include -iquote. -idirafter /tmp -imacros limits.h conftest.c -lm",
        "-B/usr/bin -z now -u main conftest.c -lm",
        "-include stdio.h conftest.c -lm",
        "-x c - -lm <conftest.c",
        "-save-temps=obj conftest.c -lm",
        "@words conftest.c -lm",
    ] {
        shop.write("words", "-DA='b c' -DD=\\\"x\\\"\n");
        let output = shop.sh(&format!("fpgacc {words} -o conftest")).success();
        assert_eq!(output.stdout + &output.stderr, "", "{words}");
        shop.sh("./conftest && rm conftest").success();
        assert!(!shop.path("conftest.aocx").exists());
    }
    // Nothing is linked that cc would not have linked.
    for compiler in ["cc", "fpgacc"] {
        shop.sh(&format!("{compiler} conftest.c -lm -o {compiler}.out && readelf -d {compiler}.out | grep NEEDED >{compiler}.needed"))
            .success();
    }
    assert_eq!(shop.text("fpgacc.needed"), shop.text("cc.needed"));
    // A probe fails as with cc.
    shop.write(
        "conftest.c",
        "int no_such_function();\nint main() { return no_such_function(); }\n",
    );
    let output = shop.fpgacc("conftest.c -o conftest").failure().stderr;
    assert!(output.contains("no_such_function"), "{output}");
    shop.fpgacc("-fsyntax-only conftest.c").success();
    shop.write("conftest.c", "int main() { return x; }\n");
    let output = shop.fpgacc("-fsyntax-only conftest.c").failure().stderr;
    assert!(output.contains("conftest.c:1:"), "{output}");
    assert!(!shop.path("conftest").exists() && !shop.path("conftest.o").exists());
}

#[test]
fn a_compiler_that_runs_fpgacc_is_no_compiler() {
    let shop = plain();
    // make and others put what runs fpgacc into the variable that names fpgacc's own compiler.
    shop.write("launch", "#!/bin/sh\nexec \"$@\"\n");
    shop.write("wrapped", "#!/bin/sh\nexec fpgacc \"$@\"\n");
    shop.sh("chmod +x launch wrapped").success();
    shop.sh("CC='./launch fpgacc' ./launch fpgacc -c conftest.c -lm -o conftest.o")
        .success();
    // Nothing says what a script runs: it is known when fpgacc gets there.
    for words in ["-c conftest.c", "-E conftest.c", "conftest.o -o app"] {
        let outcome = shop.sh(&format!("CC=./wrapped fpgacc {words}")).failure();
        assert_eq!(outcome.code, Some(1));
        assert!(
            outcome.stderr.contains(
                "error: the C compiler that fpgacc runs is fpgacc again: name the compiler of hosts in $CC"
            ),
            "{}",
            outcome.stderr
        );
    }
    let doctor = shop.sh("CC=./wrapped fpgacc doctor").failure().stdout;
    let line = doctor.lines().next().unwrap_or_default();
    assert!(line.starts_with("broken   C compiler "), "{doctor}");
}

#[test]
fn nothing_but_objects_is_left_to_the_linker() {
    let shop = plain();
    shop.write("sub/none", "");
    shop.fpgacc("-c -o sub/x.o conftest.c").success();
    shop.fpgacc("-c conftest.c -o /dev/null").success();
    shop.fpgacc("conftest.c -lm -o /dev/null").success();
    // Assembly and headers are cc's.
    shop.write("asm.S", "#define NAME seven\n.globl NAME\nNAME: mov $VALUE, %eax\n ret\n.section .note.GNU-stack,\"\"\n");
    shop.fpgacc("-DVALUE=7 -c asm.S").success();
    shop.write(
        "main.c",
        "#include \"all.h\"\nint main(void) { return seven() - 7; }\n",
    );
    shop.write("all.h", "int seven(void);\n");
    shop.fpgacc("-x c-header -c all.h -o all.h.gch").success();
    shop.fpgacc("main.c asm.o -o app").success();
    shop.sh("./app").success();
    shop.fpgacc("-DVALUE=7 main.c asm.S -o app").success();
    shop.sh("./app").success();
    // Rules for make.
    let [theirs, ours] = both(&shop, "-MM main.c");
    let words = |text: &str| -> Vec<String> {
        let words = text.split_whitespace().filter(|word| *word != "\\");
        words.map(String::from).collect()
    };
    assert_eq!(words(&ours), words(&theirs));
    shop.fpgacc("-c -Wp,-MMD,x.dep -MT there main.c").success();
    assert_eq!(words(&shop.text("x.dep")), ["there:", "main.c", "all.h"]);
    shop.fpgacc("-E -MMD -MF e.dep main.c -o main.i").success();
    assert!(shop.text("e.dep").contains("all.h"));
    shop.fpgacc("-DVALUE=7 main.i asm.S -o app").success();
    shop.sh("./app").success();
    // Files for coverage lie where cc puts them, and the program finds them.
    shop.fpgacc("--coverage conftest.c -lm -o covered")
        .success();
    shop.fpgacc("--coverage -c conftest.c -o sub/y.o").success();
    shop.sh("./covered && ls covered-conftest.gcno covered-conftest.gcda sub/y.gcno")
        .success();
}

#[test]
fn objects_are_joined_and_keep_what_they_hold() {
    let shop = program();
    shop.fpgacc("-r main.c launch.c twice.cl -o all.o")
        .success();
    shop.fpgacc("-fexecution-model=swi all.o -o app").success();
    runs(&shop, "./app");
    let output = shop.sh("FPGACC_VERBOSE=1 ./app").success().stderr;
    assert!(output.contains("as one work-item"), "{output}");
    for flags in ["-flto", "-fsanitize=address", "-g -pg", "--coverage"] {
        let line = format!("{flags} -fexecution-model=swi main.c launch.c twice.cl -o app");
        shop.fpgacc(&line).success();
        runs(&shop, "ASAN_OPTIONS=detect_leaks=0 ./app");
    }
}

#[test]
fn a_library_has_its_kernels_beside_itself() {
    let shop = program();
    let main = shop
        .text("main.c")
        .replace("int main(void)", "int run(void)");
    shop.write("run.c", main);
    shop.write(
        "use.c",
        "int run(void);\nint main(void) { return run(); }\n",
    );
    shop.write("lib/none", "");
    shop.write(
        "plugin.c",
        r#"#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    void *library = dlopen("lib/libtwice.so", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return puts(dlerror());
    int (*run)(void) = (int (*)(void))dlsym(library, "run");
    return chdir("elsewhere") || run();
}
"#,
    );
    shop.sh("mkdir elsewhere && cp twice.cl elsewhere")
        .success();
    shop.fpgacc("-fexecution-model=swi -shared -fPIC run.c launch.c twice.cl -o lib/libtwice.so")
        .success();
    assert!(shop.path("lib/libtwice.so.aocx").exists());
    for compiler in ["cc", "fpgacc"] {
        let line =
            format!("{compiler} use.c -Llib -ltwice -Wl,-rpath,'$ORIGIN/lib' -o {compiler}-use");
        shop.sh(&line).success();
        runs(&shop, &format!("./{compiler}-use"));
        let output = shop
            .sh(&format!("FPGACC_VERBOSE=1 ./{compiler}-use"))
            .success()
            .stderr;
        assert!(output.contains("as one work-item"), "{output}");
    }
    shop.sh("cc plugin.c -ldl -o plugin").success();
    runs(&shop, "./plugin");
    // Nothing of the runtime is seen from outside.
    let symbols = shop
        .sh("nm -D --defined-only lib/libtwice.so")
        .success()
        .stdout;
    assert!(symbols.contains(" run\n"), "{symbols}");
    assert!(
        !symbols.contains("fpgacc") && !symbols.contains("__wrap"),
        "{symbols}"
    );
}

#[test]
fn handles_may_pass_from_one_runtime_to_another() {
    let shop = program();
    let swi = "-fexecution-model=swi";
    let is_task = |line: &str| {
        runs(&shop, line);
        let output = shop
            .sh(&format!("FPGACC_VERBOSE=1 {line}"))
            .success()
            .stderr;
        assert!(
            output.contains("kernel `twice` launched as one work-item"),
            "{output}"
        );
    };
    // The executable makes the kernel, a library launches it.
    shop.fpgacc(&format!("{swi} -shared -fPIC launch.c -o liblaunch.so"))
        .success();
    let line = format!("{swi} main.c twice.cl -L. -llaunch -Wl,-rpath,$ORIGIN -o app");
    shop.fpgacc(&line).success();
    is_task("./app");
    // A library makes the kernel of a text that the executable was compiled with, and the executable
    // launches it.
    let main = shop
        .text("main.c")
        .replace("int main(void)", "int run(void)");
    shop.write("run.c", main);
    shop.write(
        "use.c",
        "int run(void);\nint main(void) { return run(); }\n",
    );
    shop.fpgacc("-shared -fPIC run.c -o librun.so -L. -llaunch -Wl,-rpath,$ORIGIN")
        .success();
    let line = format!(
        "{swi} -Xkernel -DADDED=1 use.c launch.c twice.cl -rdynamic -L. -lrun -llaunch -Wl,-rpath,$ORIGIN -o turned"
    );
    shop.fpgacc(&line).success();
    is_task("./turned");
    // Two libraries with kernels of the same name, which no symbol distinguishes.
    let twice = shop.text("twice.cl");
    for (name, text) in [
        ("a", twice.clone()),
        ("b", twice.replace("ADDED", "ADDED * 1")),
    ] {
        shop.write(format!("{name}/twice.cl"), text);
        shop.sh(&format!("cp twice.h {name}")).success();
        let line = format!(
            "{swi} -shared -fPIC -Wl,-Bsymbolic run.c launch.c {name}/twice.cl -o {name}/librun.so"
        );
        shop.fpgacc(&line).success();
    }
    shop.write(
        "two.c",
        r#"#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
static int start(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return puts(dlerror());
    return ((int (*)(void))dlsym(library, "run"))();
}
int main(void)
{
    return chdir("a") || start("../a/librun.so") || chdir("../b") || start("../b/librun.so");
}
"#,
    );
    shop.sh("cc two.c -ldl -o two").success();
    let output = shop.sh("FPGACC_VERBOSE=1 ./two").success();
    assert_eq!(output.stdout, "PASS\nPASS\n", "{}", output.stderr);
    assert_eq!(
        output.stderr.matches("launched as one work-item").count(),
        2,
        "{}",
        output.stderr
    );
    for name in ["a/twice.cl", "b/twice.cl"] {
        assert!(
            output.stderr.contains(&format!("{name}: loaded")),
            "{}",
            output.stderr
        );
    }
}

#[test]
fn ccache_keeps_what_fpgacc_compiles() {
    let shop = program();
    let line = "export CCACHE_DIR=$PWD/cache; make CC='ccache fpgacc' && ./app && rm app *.o && \
                make -s CC='ccache fpgacc' && ./app && ccache --print-stats";
    let output = shop.sh(line).success().stdout;
    assert_eq!(output.matches("PASS\n").count(), 2, "{output}");
    assert!(output.contains("\ndirect_cache_hit\t2\n"), "{output}");
}

#[test]
fn cmake_builds_programs() {
    let shop = program();
    shop.write(
        "CMakeLists.txt",
        r#"cmake_minimum_required(VERSION 3.16)
project(program C CXX)
find_package(OpenCL REQUIRED)
set_source_files_properties(twice.cl PROPERTIES LANGUAGE C)
add_executable(app main.c launch.c twice.cl)
target_link_libraries(app OpenCL::OpenCL)
add_executable(wrap wrap.cpp twice.cl)
set_target_properties(wrap PROPERTIES LINKER_LANGUAGE CXX CXX_STANDARD 17)
target_link_libraries(wrap OpenCL::OpenCL)
"#,
    );
    let configure = "PATH=$PWD/bin:$PATH cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release \
                     -DCMAKE_C_COMPILER=fpgacc -DCMAKE_CXX_COMPILER=fpgacc++";
    let output = shop.sh(configure).success().stdout;
    assert!(
        output.contains("The C compiler identification is"),
        "{output}"
    );
    assert!(!output.contains("identification is unknown"), "{output}");
    shop.sh("PATH=$PWD/bin:$PATH cmake --build build && cp twice.cl build")
        .success();
    runs(&shop, "cd build && ./app");
    runs(&shop, "cd build && ./wrap");
    // What was read is known: a change of the kernels' header builds them again, and no more.
    let again = "PATH=$PWD/bin:$PATH cmake --build build";
    assert!(shop.sh(again).success().stdout.contains("no work to do"));
    shop.sh("touch twice.h").success();
    let output = shop.sh(again).success().stdout;
    assert!(
        output.contains("twice.cl.o") && !output.contains("main.c.o"),
        "{output}"
    );
}

#[test]
fn meson_builds_programs() {
    let shop = program();
    shop.write(
        "meson.build",
        r"project('program', 'c', 'cpp')
cc = meson.get_compiler('c')
opencl = dependency('OpenCL')
kernels = custom_target('twice.o', input: 'twice.cl', output: 'twice.o', depfile: 'twice.d',
  command: [cc.cmd_array(), '-MMD', '-MF', '@DEPFILE@', '-c', '@INPUT@', '-o', '@OUTPUT@'])
executable('app', 'main.c', 'launch.c', kernels, dependencies: opencl)
executable('wrap', 'wrap.cpp', kernels, dependencies: opencl)
",
    );
    shop.sh("export PATH=$PWD/bin:$PATH CC=fpgacc CXX=fpgacc++; meson setup build && ninja -C build && cp twice.cl build")
        .success();
    runs(&shop, "cd build && ./app");
    runs(&shop, "cd build && ./wrap");
}

#[test]
fn autoconf_and_libtool_build_programs() {
    let shop = program();
    shop.write(
        "configure.ac",
        "AC_INIT([program], [1.0])
AC_CONFIG_AUX_DIR([build])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AM_PROG_AR
LT_INIT
AC_CHECK_HEADERS([CL/cl.h])
AC_SEARCH_LIBS([clGetPlatformIDs], [OpenCL], [], [AC_MSG_ERROR([no OpenCL])])
AC_CHECK_LIB([m], [cos])
AC_CHECK_FUNCS([no_such_function])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
",
    );
    shop.write(
        "Makefile.am",
        "SUFFIXES = .cl
.cl.o:
\t$(CC) -MMD -MF $*.d -c $< -o $@
bin_PROGRAMS = app
app_SOURCES = main.c
EXTRA_app_SOURCES = twice.cl
app_LDADD = libplaunch.la twice.o
app_DEPENDENCIES = libplaunch.la twice.o
noinst_LTLIBRARIES = libplaunch.la
libplaunch_la_SOURCES = launch.c
",
    );
    shop.sh("autoreconf -fi").success();
    let output = shop.sh("CC=fpgacc ./configure").success().stdout;
    for line in [
        "checking whether the compiler supports GNU C... yes",
        "checking if fpgacc PIC flag -fPIC -DPIC works... yes",
        "checking if fpgacc supports -c -o file.o... yes",
        "supports shared libraries... yes",
        "checking for CL/cl.h... yes",
        "checking for cos in -lm... yes",
        "checking for no_such_function... no",
    ] {
        assert!(output.contains(line), "{line}:\n{output}");
    }
    shop.sh("make").success();
    runs(&shop, "./app");
}
