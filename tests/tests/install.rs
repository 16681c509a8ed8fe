//! What is installed: `make install`, the Debian package, the CMake package, the file for pkg-config,
//! and what the crates say of themselves. `tests/clean-install` tries the package on a fresh Debian.

use std::path::Path;

use fpgacc_tests::book::{self, repository};
use fpgacc_tests::command::{Workshop, built};

/// A workshop in which everything is installed below `prefix`.
fn installed() -> Workshop {
    let shop = Workshop::new();
    shop.sh("mkdir built").success();
    for name in ["fpgacc", "fpgacc-aoc"] {
        std::os::unix::fs::symlink(built().join(name), shop.path("built").join(name)).unwrap();
    }
    shop.sh("built/fpgacc --generate=share -o built/share")
        .success();
    make(&shop, "install");
    shop
}

fn make(shop: &Workshop, target: &str) {
    let line = make_line(shop, target);
    shop.sh(&line).success();
}

fn make_line(shop: &Workshop, target: &str) -> String {
    let (root, here) = (repository().display(), shop.path(""));
    let here = here.display();
    format!("make -s -C {root} {target} BUILT={here}/built PREFIX={here}/prefix")
}

/// The program of `fixture/program`, in the workshop's folder `program`.
fn program(shop: &Workshop) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture/program");
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = Path::new("program").join(entry.file_name());
        shop.write(name, std::fs::read(entry.path()).unwrap());
    }
}

/// Without the built commands, which [`Workshop`] puts before all others.
const INSTALLED: &str = "export PATH=$PWD/prefix/bin:${PATH#*:};";

#[test]
fn make_install_builds_nothing_and_uninstall_leaves_nothing() {
    let shop = installed();
    for name in [
        "bin/fpgacc",
        "bin/fpgacc++",
        "bin/fpgacc-aoc",
        "share/man/man1/fpgacc.1",
        "share/man/man1/fpgacc-report.1",
        "share/bash-completion/completions/fpgacc",
        "share/bash-completion/completions/fpgacc++",
        "share/zsh/site-functions/_fpgacc",
        "share/fish/vendor_completions.d/fpgacc.fish",
        "share/cmake/fpgacc/fpgaccConfig.cmake",
        "share/pkgconfig/fpgacc-runtime.pc",
        "share/fpgacc/runtime/runtime.h",
        "share/doc/fpgacc/examples/first/nn.c",
    ] {
        assert!(shop.path("prefix").join(name).is_file(), "{name}");
    }
    book::copy(&shop, "examples/first");
    let line = "cd examples/first && fpgacc nn.c nn.cl -o nn && ./nn && fpgacc++ --version";
    let output = shop.sh(&format!("{INSTALLED} {line}")).success().stdout;
    assert!(
        output.starts_with("place 496 of 1000 is 5 away\n"),
        "{output}"
    );
    make(&shop, "uninstall");
    let left = shop.sh("find prefix -type f -o -type l").success().stdout;
    assert_eq!(left, "");
    shop.sh("rm -r built/share").success();
    let output = shop.sh(&make_line(&shop, "install"));
    assert_ne!(output.code, Some(0));
    assert!(output.stdout.contains("make all"), "{}", output.stdout);
    assert!(!shop.path("prefix/bin/fpgacc").exists());
}

#[test]
fn the_debian_package_has_all_of_it() {
    let shop = Workshop::new();
    let root = repository().display();
    let output = shop.sh(&format!("PATH=/usr/bin:/bin make -s -C {root} deb"));
    let help = "there is no cargo-deb: cargo install cargo-deb --version ";
    assert!(output.code != Some(0) && output.stdout.contains(help));
    if shop.sh("command -v cargo-deb dpkg-deb").code != Some(0) {
        return;
    }
    shop.sh("mkdir -p target/release").success();
    for name in ["fpgacc", "fpgacc-aoc"] {
        std::fs::copy(built().join(name), shop.path("target/release").join(name)).unwrap();
    }
    let line = format!(
        "fpgacc --generate=share -o target/release/share && export CARGO_TARGET_DIR=$PWD/target && \
         make -s -C {root} deb DEBFLAGS=--fast && dpkg-deb -x target/*.deb unpacked && \
         dpkg-deb -f target/*.deb Version Depends"
    );
    let output = shop.sh(&line).success().stdout;
    let version = concat!("Version: ", env!("CARGO_PKG_VERSION"), "\n");
    assert!(
        output.contains(version) && output.contains("libc6 (>="),
        "{output}"
    );
    for name in [
        "bin/fpgacc",
        "bin/fpgacc++",
        "bin/fpgacc-aoc",
        "share/man/man1/fpgacc.1.gz",
        "share/man/man1/fpgacc-aoc.1.gz",
        "share/bash-completion/completions/fpgacc",
        "share/zsh/vendor-completions/_fpgacc",
        "share/cmake/fpgacc/fpgaccConfig.cmake",
        "share/pkgconfig/fpgacc-runtime.pc",
        "share/fpgacc/runtime/launch.c",
        "share/doc/fpgacc/copyright",
        "share/doc/fpgacc/changelog.gz",
        "share/doc/fpgacc/examples/scan/scan.cpp",
    ] {
        let path = shop.path("unpacked/usr").join(name);
        assert!(path.symlink_metadata().is_ok(), "{name}");
    }
}

/// An installed fpgacc, and a project of CMake in the folder `program` with these targets.
fn cmake_project(targets: &str) -> Workshop {
    let shop = installed();
    program(&shop);
    let head = "cmake_minimum_required(VERSION 3.16)
project(program C CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
";
    shop.write("program/CMakeLists.txt", format!("{head}{targets}"));
    shop
}

#[test]
fn cmake_finds_the_package() {
    let shop = cmake_project(
        "find_package(fpgacc 0.2 REQUIRED)
fpgacc_add_executable(app main.c launch.c twice.cl OPTIONS -fexecution-model=swi)
fpgacc_add_executable(wrap wrap.cpp twice.cl)
set_target_properties(wrap PROPERTIES CXX_STANDARD 17)
fpgacc_add_library(twice SHARED launch.c twice.cl KERNEL_OPTIONS -DADDED=1)
fpgacc_install(app DESTINATION bin)
add_executable(plain plain.c)
",
    );
    shop.write("program/plain.c", "int main(void) { return 0; }\n");
    let environment = format!("{INSTALLED} export CCACHE_DIR=$PWD/ccache; cd program;");
    let configure = "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=../there \
                     -DCMAKE_C_COMPILER_LAUNCHER=ccache";
    shop.sh(&format!(
        "{environment} {configure} && cmake --build build && cp twice.cl build"
    ))
    .success();
    let app = shop
        .sh("cd program/build && FPGACC_VERBOSE=1 ./app")
        .success();
    assert_eq!(app.stdout, "PASS\n");
    assert!(app.stderr.contains("as one work-item"), "{}", app.stderr);
    assert_eq!(
        shop.sh("cd program/build && ./wrap").success().stdout,
        "PASS\n"
    );
    // The launcher compiles hosts of fpgacc's targets, too.
    let output = shop
        .sh("CCACHE_DIR=$PWD/ccache ccache --print-stats")
        .success()
        .stdout;
    let misses = output
        .lines()
        .find_map(|line| line.strip_prefix("cache_miss\t"));
    let misses: u32 = misses.unwrap().parse().unwrap();
    assert!(misses >= 3, "{output}");
    // Other tools read which compiler is called, with which flags.
    let commands = shop.text("program/build/compile_commands.json");
    assert!(
        commands.contains("main.c") && !commands.contains("launch\\\""),
        "{commands}"
    );
    // A change of the kernels' header builds them again, and no hosts.
    let again = format!("{environment} cmake --build build -v");
    assert!(shop.sh(&again).success().stdout.contains("no work to do"));
    shop.sh("touch program/twice.h").success();
    let output = shop.sh(&again).success().stdout;
    assert!(
        output.contains("twice.cl.o") && !output.contains("main.c.o -c"),
        "{output}"
    );
    shop.sh(&format!(
        "{environment} cmake --install build && cp twice.cl ../there/bin"
    ))
    .success();
    assert_eq!(shop.sh("cd there/bin && ./app").success().stdout, "PASS\n");
}

#[test]
fn the_cmake_package_takes_makefiles_and_fpgacc_as_the_compiler() {
    let shop = cmake_project(
        "find_package(fpgacc REQUIRED)
fpgacc_add_executable(app main.c launch.c twice.cl)
",
    );
    let environment = format!("{INSTALLED} cd program;");
    let own = "-G Ninja -DCMAKE_C_COMPILER=fpgacc -DCMAKE_CXX_COMPILER=fpgacc++";
    for (folder, arguments) in [("make", "-G 'Unix Makefiles'"), ("own", own)] {
        let line = format!(
            "{environment} cmake -S . -B {folder} {arguments} && cmake --build {folder} && \
             cp twice.cl {folder} && test -f {folder}/app.aocx"
        );
        shop.sh(&line).success();
        let ran = shop.sh(&format!("cd program/{folder} && ./app")).success();
        assert_eq!(ran.stdout, "PASS\n", "{folder}");
        let commands = shop.text(format!("program/{folder}/compile_commands.json"));
        let is_own = commands.contains("bin/fpgacc ");
        assert!(
            commands.contains("main.c") && is_own == (folder == "own"),
            "{commands}"
        );
    }
}

#[test]
fn meson_needs_no_other_compiler() {
    let shop = installed();
    program(&shop);
    shop.write(
        "program/meson.build",
        "project('program', 'c')
fpgacc = find_program('fpgacc')
custom_target('app', input: ['main.c', 'launch.c', 'twice.cl'], output: ['app', 'app.aocx'],
  depfile: 'app.d', build_by_default: true,
  command: [fpgacc, '-MMD', '-MF', '@DEPFILE@', '-MT', 'app', '@INPUT@', '-o', '@OUTPUT0@'])
",
    );
    let line = "cd program && meson setup build && ninja -C build && cp twice.cl build && cd build && ./app";
    let output = shop.sh(&format!("{INSTALLED} {line}")).success().stdout;
    assert!(output.ends_with("PASS\n"), "{output}");
    let again = format!("{INSTALLED} cd program && ninja -C build");
    assert!(shop.sh(&again).success().stdout.contains("no work to do"));
    shop.sh("touch program/twice.h").success();
    assert!(!shop.sh(&again).success().stdout.contains("no work to do"));
}

#[test]
fn pkg_config_links_what_target_source_wrote() {
    let shop = installed();
    program(&shop);
    shop.sh("cd program && fpgacc --target=source --platform=pocl main.c launch.c twice.cl -o out")
        .success();
    let line = "export PKG_CONFIG_PATH=$PWD/../prefix/share/pkgconfig;
for file in out/*.c $(pkg-config --variable=sourcedir fpgacc-runtime)/*.c; do
    cc -O1 -fPIC -fvisibility=hidden -w -iquote . $(pkg-config --cflags fpgacc-runtime) -c $file -o out/$(basename $file).o || exit
done
cc out/*.o $(pkg-config --libs fpgacc-runtime) -o app
for file in out/*.fpga.cl; do
    FPGACC_PLATFORM=pocl fpgacc-aoc -march=emulator $file -o app.aocx
done
./app";
    let output = shop
        .sh(&format!("{INSTALLED} cd program; {line}"))
        .success();
    assert_eq!(output.stdout, "PASS\n", "{}", output.stderr);
}

#[test]
fn crates_say_what_a_registry_wants() {
    let shop = Workshop::new();
    let manifest = repository().join("Cargo.toml");
    let line = format!(
        "{} metadata --offline --no-deps --format-version 1 --manifest-path {}",
        env!("CARGO"),
        manifest.display()
    );
    let output = shop.sh(&line).success().stdout;
    let metadata: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let mut published = 0;
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"), "{name}");
        let is_private = package["publish"].as_array().is_some_and(Vec::is_empty);
        let is_own = ["fpgacc-tests", "fpgacc-benchmarks"].contains(&name);
        assert_eq!(is_private, is_own, "{name}");
        if is_own {
            continue;
        }
        published += 1;
        let description = package["description"].as_str().unwrap_or_default();
        assert!(description.len() > 20, "{name}");
        for key in ["license", "readme", "rust_version"] {
            assert!(package[key].is_string(), "{name}: {key}");
        }
        for key in ["keywords", "categories"] {
            let words = package[key].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&words), "{name}: {key}");
        }
        // A registry does not know folders: what is needed of the project has a version.
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let needs = dependency["kind"] != "dev" && dependency["path"].is_string();
            if needs {
                assert_ne!(dependency["req"], "*", "{name}: {}", dependency["name"]);
            }
        }
    }
    assert_eq!(published, 12);
}
