//! `fpgacc-aoc` as an existing Makefile uses aoc: the same steps on the Intel FPGA Emulation
//! Platform and on PoCL, and a host that loads what it wrote with clCreateProgramWithBinary.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{Compiler, Language, Source};
use fpgacc_aoc_wrappers::emulator::Emulator;
use fpgacc_aoc_wrappers::process::{Captured, Command};

const PLATFORMS: [&str; 2] = ["intel", "pocl"];

const KERNEL: &str = "\
#include \"amount.h\"
__kernel void add(__global int *a) {
  a[get_global_id(0)] += AMOUNT * SCALE;
}
";

/// Loads an .aocx, runs `add` over 8 zeros, prints them.
const HOST: &str = include_str!("inputs/compat.c");

/// A folder to work in, with a cache of its own.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Bench {
            folder: tempfile::tempdir().unwrap(),
        };
        bench.write("amount.h", "#define AMOUNT 4\n");
        bench.write("k.cl", KERNEL);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn aoc(&self) -> Command {
        Command::new(env!("CARGO_BIN_EXE_fpgacc-aoc"))
            .dir(self.folder.path())
            .env("FPGACC_CACHE", self.path("cache"))
            .env_remove("FPGACC_PLATFORM")
    }

    /// Runs a command line of words.
    fn run(&self, platform: &str, line: &str) -> Captured {
        self.aoc()
            .env("FPGACC_PLATFORM", platform)
            .args(line.split_whitespace())
            .capture()
            .unwrap()
    }

    #[track_caller]
    fn ok(&self, platform: &str, line: &str) -> String {
        let captured = self.run(platform, line);
        assert!(
            captured.status.success(),
            "{platform}: {}",
            captured.stderr_text()
        );
        captured.stderr_text()
    }

    #[track_caller]
    fn fails(&self, platform: &str, line: &str) -> String {
        let captured = self.run(platform, line);
        assert_eq!(captured.status.code(), 1, "{}", captured.stderr_text());
        captured.stderr_text()
    }

    /// The names of the files here, folders left out.
    fn files(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// What the host reads back after running kernels of an .aocx.
    fn host(&self, platform: &str, aocx: &str, kernels: &[&str]) -> String {
        let app = self.path("host");
        if !app.exists() {
            let cc = Compiler::find(Language::C).unwrap();
            let source = Source {
                path: Path::new("host.c"),
                text: Some(HOST.as_bytes()),
            };
            let object = self.path("host.o");
            cc.compile(source, &[], &object).unwrap();
            let args: [OsString; 2] = [object.into(), "-lOpenCL".into()];
            cc.link(&args, &app).unwrap();
        }
        let mut command = Command::new(&app).arg(self.path(aocx));
        command = match platform {
            "intel" => {
                let emulator = intel();
                let line = format!("{}\n", emulator.library().display());
                self.write("vendors/intel.icd", &line);
                command
                    .env("OCL_ICD_VENDORS", self.path("vendors"))
                    .arg("FPGA Emulation")
            }
            _ => command.arg("Portable Computing Language"),
        };
        let captured = command.args(kernels.iter().copied()).capture().unwrap();
        captured.stdout_text().trim().to_string()
    }
}

fn intel() -> Emulator {
    Emulator::find_intel().unwrap_or_else(|error| panic!("{error}"))
}

fn eight(value: i32) -> String {
    [value.to_string().as_str(); 8].join(" ")
}

#[test]
fn one_step_and_the_host_loads_it() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        let line = "-march=emulator -DSCALE=2 k.cl -o bin/k.aocx";
        assert!(
            bench
                .fails(platform, line)
                .contains("the folder bin does not exist")
        );
        fs::create_dir(bench.path("bin")).unwrap();
        assert_eq!(bench.ok(platform, line), "");
        assert_eq!(
            bench.host(platform, "bin/k.aocx", &["add", "add"]),
            eight(16)
        );
        // Nothing else is left behind.
        assert_eq!(fs::read_dir(bench.path("bin")).unwrap().count(), 1);
    }
}

#[test]
fn two_steps_from_another_folder() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        bench.write("src/k.cl", KERNEL);
        bench.write("src/amount.h", "#define AMOUNT 5\n");
        fs::remove_file(bench.path("amount.h")).unwrap();
        bench.ok(platform, "-c -march=emulator -D SCALE=3 src/k.cl");
        bench.ok(
            platform,
            "-rtl -march=emulator -D SCALE=3 src/k.cl -o r.aocr",
        );
        fs::create_dir(bench.path("sub")).unwrap();
        let there = bench.aoc().dir(bench.path("sub"));
        let command = there.env("FPGACC_PLATFORM", platform);
        for (input, output) in [("k.aoco", "k.aocx"), ("r.aocr", "r.aocx")] {
            let step = command.clone().args([&format!("../{input}"), "-o", output]);
            let captured = step.capture().unwrap();
            assert!(captured.status.success(), "{}", captured.stderr_text());
            assert_eq!(
                bench.host(platform, &format!("sub/{output}"), &["add"]),
                eight(15)
            );
        }
    }
}

#[test]
fn default_names_are_aocs() {
    let bench = Bench::new();
    bench.write(
        "my-kernel.v2.cl",
        "kernel void add(global int *a) { *a = 1; }\n",
    );
    bench.ok("pocl", "-march=emulator my-kernel.v2.cl");
    bench.ok("pocl", "-march=emulator my-kernel.v2.cl -o out");
    bench.ok("pocl", "-march=emulator -c my-kernel.v2.cl");
    bench.ok("pocl", "-march=emulator my-kernel.v2.cl -o /dev/null");
    let files = bench.files();
    for name in ["my_kernel_v2.aocx", "out.aocx", "my_kernel_v2.aoco"] {
        assert!(files.contains(&name.to_string()), "{files:?}");
    }
    let message = bench.fails("pocl", "-march=emulator -DSCALE=1 -c k.cl -o k.aocx");
    assert!(
        message.contains("this step writes an .aoco, not an .aocx"),
        "{message}"
    );
}

#[test]
fn several_files_make_one_program() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        // A macro and a static function of the same name in both.
        bench.write(
            "a.cl",
            "#define N 1\nstatic int f(int x) { return x + N; }\n\
             kernel void one(global int *a) { a[get_global_id(0)] = f(a[get_global_id(0)]); }\n",
        );
        bench.write(
            "b.cl",
            "#ifdef N\n#error a macro of the other file\n#endif\n\
             static int f(int x) { return x * 10; }\n\
             kernel void ten(global int *a) { a[get_global_id(0)] = f(a[get_global_id(0)]); }\n",
        );
        bench.ok(platform, "-march=emulator a.cl b.cl");
        assert_eq!(
            bench.host(platform, "a.aocx", &["one", "ten", "one"]),
            eight(11)
        );
        bench.ok(platform, "-march=emulator -c a.cl b.cl");
        bench.ok(platform, "a.aoco b.aoco -o ab.aocx");
        assert_eq!(bench.host(platform, "ab.aocx", &["one", "ten"]), eight(10));
    }
}

#[test]
fn errors_point_at_the_users_file() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        bench.write(
            "d/bad.cl",
            "\nkernel void add(global int *a) {\n  *a = nope;\n}\n",
        );
        bench.write("d/bad.aocx", "old");
        for step in [
            "-DX=1 -march=emulator d/bad.cl -o d/bad.aocx",
            "-c -march=emulator d/bad.cl",
        ] {
            let message = bench.fails(platform, step);
            let first = message.lines().next().unwrap_or_default();
            assert!(
                first.starts_with("d/bad.cl:3:8: error: use of undeclared identifier 'nope'"),
                "{platform}: {message}"
            );
            assert!(
                message.ends_with("fpgacc-aoc: error: the kernels do not compile\n"),
                "{message}"
            );
        }
        assert_eq!(fs::read(bench.path("d/bad.aocx")).unwrap(), b"old");
        assert_eq!(bench.files(), ["amount.h", "k.cl"]);
    }
}

#[test]
fn warnings_are_shown_and_may_be_errors() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        bench.write(
            "w.cl",
            "#warning look here\nkernel void add(global int *a) { *a = 1; }\n",
        );
        for _ in 0..2 {
            // The second time from the cache.
            let message = bench.ok(platform, "-march=emulator w.cl");
            assert!(
                message.contains("w.cl:1:2: warning: look here"),
                "{platform}: {message}"
            );
        }
        assert_eq!(bench.ok(platform, "-march=emulator -W w.cl"), "");
        let message = bench.fails(platform, "-march=emulator -Werror w.cl");
        assert!(
            message.contains("w.cl:1:2: error: look here"),
            "{platform}: {message}"
        );
    }
}

#[test]
fn builds_are_taken_from_the_cache_until_something_changes() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        let cached = |line: &str| bench.ok(platform, line).contains("(from the cache)");
        let line = "-v -march=emulator -DSCALE=1 k.cl";
        assert!(!cached(line));
        assert!(cached(line));
        assert!(!cached("-v -march=emulator -DSCALE=2 k.cl"));
        bench.write("amount.h", "#define AMOUNT 9\n");
        assert!(!cached(line));
        assert_eq!(bench.host(platform, "k.aocx", &["add"]), eight(9));
        bench.write("amount.h", "#define AMOUNT 4\n");
        assert!(cached(line));
        assert_eq!(bench.host(platform, "k.aocx", &["add"]), eight(4));
        let off = bench.aoc().env("FPGACC_CACHE", "off");
        let off = off.env("FPGACC_PLATFORM", platform).args(line.split(' '));
        assert!(!off.capture().unwrap().stderr_text().contains("cache"));
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        let bytes = ["a", "b"].map(|name| {
            let off = bench.aoc().env("FPGACC_CACHE", "off");
            let command = off.env("FPGACC_PLATFORM", platform);
            let output = format!("{name}.aocx");
            let line = ["-march=emulator", "-DSCALE=1", "k.cl", "-o", &output];
            assert!(command.args(line).capture().unwrap().status.success());
            fs::read(bench.path(&output)).unwrap()
        });
        assert!(bytes[0] == bytes[1], "{platform}");
    }
}

#[test]
fn a_folder_with_a_blank_and_macros_with_quotes() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        bench.write(
            "my headers/scale.h",
            "#define SCALE (int)(sizeof(NAME) + F(1))\n",
        );
        bench.write("q.cl", &format!("#include <scale.h>\n{KERNEL}"));
        let command = bench.aoc().env("FPGACC_PLATFORM", platform).args([
            "-march=emulator",
            "-DNAME=\"a b\"",
            "-DF(x)=(x + 1)",
            "-I",
            "my headers",
            "q.cl",
        ]);
        let captured = command.capture().unwrap();
        assert!(
            captured.status.success(),
            "{platform}: {}",
            captured.stderr_text()
        );
        assert_eq!(bench.host(platform, "q.aocx", &["add"]), eight(4 * (4 + 2)));
    }
}

#[test]
fn old_and_new_flags_are_taken_and_explained() {
    for platform in PLATFORMS {
        let bench = Bench::new();
        let message = bench.ok(
            platform,
            "-march=emulator --board a10 --report -profile=all -fp-relaxed -g -v -seed=3 \
             -DSCALE=AOCL_BOARD_a10 k.cl",
        );
        for flag in ["--report", "-profile=all", "-fp-relaxed", "-seed=3"] {
            let note = format!("note: {flag} means nothing on an emulator");
            assert!(message.contains(&note), "{message}");
        }
        assert_eq!(bench.host(platform, "k.aocx", &["add"]), eight(4));
    }
    let bench = Bench::new();
    let line = "-march=emulator -emulator-channel-depth-model=strict -DSCALE=1 k.cl";
    let message = bench.ok("pocl", line);
    assert!(
        message.contains("CL_CONFIG_CHANNEL_DEPTH_EMULATION_MODE=strict"),
        "{message}"
    );
}

#[test]
fn hardware_is_never_faked() {
    let bench = Bench::new();
    for line in ["k.cl", "-c k.cl", "-rtl k.cl", "-board=a10 k.cl -o k.aocx"] {
        let message = bench.fails("pocl", line);
        assert_eq!(
            message,
            "fpgacc-aoc: error: to compile k.cl for an FPGA board needs Intel's aoc (Intel FPGA \
             SDK for OpenCL); fpgacc-aoc compiles for emulators only: add -march=emulator\n"
        );
    }
    assert!(
        bench
            .fails("pocl", "-march=simulator k.cl")
            .contains("for the simulator")
    );
    assert_eq!(bench.files(), ["amount.h", "k.cl"]);
}

#[test]
fn mistakes_in_the_command_line() {
    let bench = Bench::new();
    bench.write("noise.aoco", "\0\u{1}");
    fs::create_dir(bench.path("folder.cl")).unwrap();
    let cases = [
        ("", "no kernel file given"),
        (
            "-march=emulator none.cl",
            "cannot read none.cl: No such file",
        ),
        (
            "-march=emulator folder.cl",
            "cannot read folder.cl: Is a directory",
        ),
        (
            "-march=emulator k.txt",
            "k.txt: expected a .cl, .aoco or .aocr file",
        ),
        ("noise.aoco", "noise.aoco was not made by fpgacc-aoc"),
        ("-march=emulator -bord=a10 k.cl", "did you mean -board?"),
        (
            "-march=emulator -DSCALE=1 k.cl -o folder.cl",
            "cannot write folder.cl",
        ),
        (
            "-march=emulator -DSCALE=1 k.cl -o /dev/full",
            "/dev/full: No space left",
        ),
        (
            "-march=emulator -c k.cl k.cl -o a.aoco -DSCALE=1",
            "output of several files",
        ),
        ("-march=emulator -l lib.aoclib k.cl", "need Intel's aoc"),
    ];
    for (line, expected) in cases {
        let message = bench.fails("pocl", line);
        assert!(message.contains(expected), "{line}: {message}");
        assert!(message.starts_with("fpgacc-aoc: error: "), "{message}");
    }
    let message = bench.fails("cuda", "-march=emulator k.cl");
    assert!(
        message.contains("$FPGACC_PLATFORM: unknown platform 'cuda'"),
        "{message}"
    );
}

#[test]
fn missing_emulators_name_their_packages() {
    let bench = Bench::new();
    let empty = bench.path("empty");
    fs::create_dir(&empty).unwrap();
    let command = bench
        .aoc()
        .env("XDG_CACHE_HOME", &empty)
        .env("OCL_ICD_VENDORS", &empty)
        .env_remove("INTELFPGAOCLSDKROOT")
        .args(["-march=emulator", "k.cl"]);
    let message = command.capture().unwrap().stderr_text();
    assert!(
        message.contains("pip install intel-opencl-rt==2023.2.4"),
        "{message}"
    );
    assert!(
        message.contains("Debian package `pocl-opencl-icd`"),
        "{message}"
    );
    let named = command
        .clone()
        .env("FPGACC_INTEL_EMULATOR", "/nonexistent.so");
    let message = named.env("FPGACC_PLATFORM", "intel").capture().unwrap();
    let message = message.stderr_text();
    assert!(
        message.contains("$FPGACC_INTEL_EMULATOR names /nonexistent.so"),
        "{message}"
    );
    // A library that is none: the loader does not take it.
    bench.write("lib/libintelocl_emu.so", "no library");
    let named = command.env(
        "FPGACC_INTEL_EMULATOR",
        bench.path("lib/libintelocl_emu.so"),
    );
    let message = named.env("FPGACC_PLATFORM", "intel").capture().unwrap();
    assert!(
        message.stderr_text().contains("does not load"),
        "{}",
        message.stderr_text()
    );
}

#[test]
fn a_missing_icd_loader_names_its_package() {
    let bench = Bench::new();
    // The loader's library is looked up through this variable first; a folder is none. The
    // system's own is hidden by a library of its name that cannot be loaded.
    bench.write("lib/libOpenCL.so.1", "no library");
    let captured = bench
        .aoc()
        .env("LD_LIBRARY_PATH", bench.path("lib"))
        .env("FPGACC_PLATFORM", "pocl")
        .args(["-march=emulator", "-DSCALE=1", "k.cl"])
        .capture()
        .unwrap();
    let message = captured.stderr_text();
    assert_eq!(captured.status.code(), 1);
    assert!(
        message.contains("Debian package `ocl-icd-libopencl1`"),
        "{message}"
    );
}

#[test]
fn a_crashing_compiler_is_reported() {
    let bench = Bench::new();
    // An ICD loader that dies when it is loaded.
    let cc = Compiler::find(Language::C).unwrap();
    let source = Source {
        path: Path::new("crash.c"),
        text: Some(
            b"#include <stdlib.h>\n__attribute__((constructor)) static void crash(void) \
             { abort(); }\n",
        ),
    };
    fs::create_dir(bench.path("lib")).unwrap();
    let object = bench.path("crash.o");
    cc.compile(source, &["-fPIC".into()], &object).unwrap();
    let library = bench.path("lib/libOpenCL.so.1");
    cc.link(&["-shared".into(), object.into()], &library)
        .unwrap();
    bench.write("k.aocx", "old");
    let captured = bench
        .aoc()
        .env("LD_LIBRARY_PATH", bench.path("lib"))
        .env("FPGACC_PLATFORM", "pocl")
        .args(["-march=emulator", "-DSCALE=1", "k.cl"])
        .capture()
        .unwrap();
    assert_eq!(captured.status.code(), 1);
    assert_eq!(
        captured.stderr_text(),
        "fpgacc-aoc: error: the OpenCL compiler crashed (killed by signal 6 (SIGABRT, \
         aborted))\n"
    );
    assert_eq!(fs::read(bench.path("k.aocx")).unwrap(), b"old");
}

#[test]
fn outputs_are_no_inputs_and_no_other_outputs() {
    let bench = Bench::new();
    let text = fs::read(bench.path("k.cl")).unwrap();
    std::os::unix::fs::symlink("k.cl", bench.path("k.aoco")).unwrap();
    let line = "-march=emulator -DSCALE=1 -c k.cl -o k.aoco";
    let message = bench.fails("pocl", line);
    assert!(
        message.contains("input file 'k.cl' is the same"),
        "{message}"
    );
    assert_eq!(fs::read(bench.path("k.cl")).unwrap(), text);
    fs::create_dir(bench.path("other")).unwrap();
    fs::write(bench.path("other/k.cl"), text).unwrap();
    fs::remove_file(bench.path("k.aoco")).unwrap();
    let message = bench.fails("pocl", "-march=emulator -DSCALE=1 -c k.cl other/k.cl");
    assert!(
        message.contains("two outputs have the same file"),
        "{message}"
    );
    assert!(!bench.path("k.aoco").exists());
}

#[test]
fn answers_questions() {
    let bench = Bench::new();
    for (flags, expected) in [
        (["-version", "--version"], "fpgacc-aoc 0."),
        (["-list-boards", "--list-boards"], "Board list:"),
        (["-help", "--help"], "Usage: fpgacc-aoc -march=emulator"),
    ] {
        for flag in flags {
            let captured = bench.run("pocl", flag);
            assert!(captured.status.success());
            assert!(
                captured.stdout_text().starts_with(expected),
                "{}",
                captured.stdout_text()
            );
        }
    }
}
