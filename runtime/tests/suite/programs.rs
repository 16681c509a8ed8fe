//! Which compiled kernels a program text and its options stand for.

use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_runtime::Manifest;
use fpgacc_runtime::manifest::{LeftToDevice, Program, Target, text_hash};

use crate::support::{Case, Implementation, Patch, fill_kernels, intel_library, on_both, program};

const TEXT: &str = include_str!("kernels/fill.cl");
const TASK: &str = include_str!("kernels/fill_task.cl");
const HOST: &str = include_str!("hosts/fill.c");

fn fill_program(aocx: &str, defines: &[&str]) -> Program {
    let mut program = program("fill.cl", TEXT, fill_kernels());
    program.aocx = aocx.to_owned();
    program.defines = defines.iter().map(|&define| define.to_owned()).collect();
    program.macro_names = vec!["N".to_owned()];
    program
}

fn link(case: &Case) {
    case.write("fill.cl", TEXT);
    case.aocx("app.aocx", TASK, "");
    case.link(vec![fill_program("app.aocx", &[])], HOST, Patch::Calls);
}

/// The line of a call in the host.
fn line_of(call: &str) -> usize {
    1 + HOST.lines().position(|line| line.contains(call)).unwrap()
}

const DEFAULT_CREATION: &str = "clCreateProgramWithSource(context, 1, pieces, NULL, error)";

on_both!(
    ways_to_pass_a_text,
    variants,
    other_options,
    other_text,
    left_text,
    missing_aocx,
    damaged_aocx,
    aocx_path,
    without_compiler,
    verbose,
);

/// One text in one piece or several, with and without lengths, with the usual mistakes.
fn ways_to_pass_a_text(case: Case) {
    link(&case);
    for how in ["whole", "pieces", "nul", "length"] {
        let output = case.run(&[how, ""]).quiet();
        assert_eq!(
            output, "called 1, status 0, options ''\n1001 1001 1001\n",
            "{how}"
        );
    }
    case.write("fill.cl", TEXT.replace('\n', "\r\n") + "\n\n");
    assert!(case.run(&["whole", ""]).quiet().contains("1001 1001"));
    // Loaders put comments there.
    let preambles = ["// mine\n", "\n/* a */ // b \\\n c\n", "// mine\r\n\r\n"];
    for preamble in preambles {
        case.write("fill.cl", format!("{preamble}{TEXT}"));
        let output = case.run(&["whole", ""]).quiet();
        assert!(output.contains("1001 1001"), "{preamble:?}: {output}");
    }
    // What is no comment may change the rest.
    for other in ["#define N 3\n", "/ / mine\n"] {
        case.write("fill.cl", format!("{other}{TEXT}"));
        let said = case.run(&["whole", ""]).stderr;
        assert!(said.contains("is none that fpgacc compiled"), "{said}");
    }
}

/// The -D's choose among .aocx files of one text, as a shell would read the options.
fn variants(case: Case) {
    case.write("fill.cl", TEXT);
    case.aocx("app.1.aocx", TASK, "");
    case.aocx("app.2.aocx", TASK, "-DN=7");
    case.aocx("app.3.aocx", TASK, "-DN=2+3");
    let programs = vec![
        fill_program("app.1.aocx", &[]),
        fill_program("app.2.aocx", &["N=7"]),
        fill_program("app.3.aocx", &["N=2+3"]),
    ];
    case.link(programs, HOST, Patch::Calls);
    let options = [
        "-DN=7",
        "",
        "-cl-mad-enable -D N=7 -DOTHER=3",
        "-D \"N=2+3\"",
        " -DN='2+3' -cl-fast-relaxed-math",
        "-DN=9 -DN=7",
        "-DN=7 -UN",
        "-DNN=7",
    ];
    let mut arguments = vec!["whole"];
    arguments.extend(options);
    let expected: String = (options.iter())
        .zip([1007, 1001, 1007, 1005, 1005, 1007, 1001, 1001])
        .map(|(options, value)| {
            format!("called 1, status 0, options '{options}'\n{value} {value} {value}\n")
        })
        .collect();
    let ran = case.run(&arguments);
    assert_eq!((ran.code, ran.stdout), (Some(0), expected));
    // The host asks for the build log, for which PoCL compiles the original and counts its warnings.
    let is_count = |line: &str| line.ends_with(" generated.");
    assert!(ran.stderr.lines().all(is_count), "{}", ran.stderr);
}

/// Options that no .aocx was compiled with: the original text is built, and the user is informed.
fn other_options(case: Case) {
    link(&case);
    let ran = case.run(&["whole", "-DN=4", "", "-DN=4"]);
    assert_eq!(
        ran.stdout,
        "called 1, status 0, options '-DN=4'\n4 4 4\n\
         called 1, status 0, options ''\n1001 1001 1001\n\
         called 1, status 0, options '-DN=4'\n4 4 4\n"
    );
    let warning = format!(
        "fpgacc: host.c:{}: warning: the host passes -DN=4, app.aocx has no -DN: the device's own \
         compiler builds the original text, and none of its kernels is transformed\n\
         fpgacc: help: compile again with fpgacc; options that it cannot see in the host are given with -Xkernel or -D\n",
        line_of("clBuildProgram(")
    );
    assert_eq!(ran.stderr, warning);
}

/// A text that was changed after fpgacc compiled it.
fn other_text(case: Case) {
    link(&case);
    case.write("fill.cl", TEXT.replace("= N;", "= N + 1;"));
    let ran = case.run(&["whole", "-DN=4"]);
    assert_eq!(ran.stdout, "called 1, status 0, options '-DN=4'\n5 5 5\n");
    let warning = format!(
        "fpgacc: host.c:{}: warning: this program text is none that fpgacc compiled into the \
         executable (has a file changed since, or does the host compose it?): the device's own \
         compiler builds it, and none of its kernels is transformed\n\
         fpgacc: help: compile again after a change; a text that only the running host knows is \
         recorded by `fpgacc trace`, and then given with --facts\n",
        line_of(DEFAULT_CREATION)
    );
    assert_eq!(ran.stderr, warning);
    // What hosts read that are run elsewhere.
    case.write("fill.cl", " \n");
    let said = case.run(&["whole", ""]).stderr;
    let why =
        "this program text is empty (was its file found?): the device's own compiler builds it";
    assert!(said.contains(why), "{said}");
}

/// A text that fpgacc read and could not compile.
fn left_text(case: Case) {
    let mut manifest = case.manifest(vec![fill_program("app.aocx", &[])]);
    let text = TEXT.replace("= N;", "= N + 1;");
    manifest.left_to_device.push(LeftToDevice {
        source_hash: text_hash(text.as_bytes()),
        why: "'fill.cl' needs M".to_owned(),
        remedy: "give it".to_owned(),
    });
    case.link_manifest(&manifest, HOST, Patch::Calls);
    case.write("fill.cl", text);
    let ran = case.run(&["whole", "-DN=4"]);
    assert_eq!(ran.stdout, "called 1, status 0, options '-DN=4'\n5 5 5\n");
    let warning = format!(
        "fpgacc: host.c:{}: warning: 'fill.cl' needs M: the device's own compiler builds it, and \
         none of its kernels is transformed\nfpgacc: help: give it\n",
        line_of(DEFAULT_CREATION)
    );
    assert_eq!(ran.stderr, warning);
}

fn missing_aocx(case: Case) {
    link(&case);
    std::fs::remove_file(case.path("app.aocx")).unwrap();
    let ran = case.run_with(
        &["whole", ""],
        &[("FPGACC_AOCX_PATH", "/no/where::/no/such.aocx")],
    );
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "not created: -42\n")
    );
    let beside = case.path("app.aocx").canonicalize();
    assert!(beside.is_err());
    let folder = case.path("").canonicalize().unwrap();
    assert_eq!(
        ran.stderr,
        format!(
            "fpgacc: host.c:{}: error: fill.cl: cannot read app.aocx, which holds the compiled \
             kernels\n\
             fpgacc: note: /no/where/app.aocx: No such file or directory\n\
             fpgacc: note: /no/such.aocx/app.aocx: No such file or directory\n\
             fpgacc: note: {}/app.aocx: No such file or directory\n\
             fpgacc: help: put it beside the executable, or name its folder in \
             FPGACC_AOCX_PATH\n",
            line_of(DEFAULT_CREATION),
            folder.display()
        )
    );
}

fn damaged_aocx(case: Case) {
    link(&case);
    case.write("app.aocx", "");
    let ran = case.run(&["whole", ""]);
    assert_eq!(ran.stdout, "not created: -42\n", "{ran:?}");
    assert!(ran.stderr.contains("/app.aocx: empty file\n"), "{ran:?}");
    case.write(
        "app.aocx",
        "this is not a device binary, whatever its name says",
    );
    let ran = case.run(&["whole", ""]);
    assert_eq!(ran.stdout, "not created: -42\n", "{ran:?}");
    assert!(
        ran.stderr
            .contains("error: fill.cl: the device does not take app.aocx"),
        "{ran:?}"
    );
}

/// FPGACC_AOCX_PATH names folders or files.
fn aocx_path(case: Case) {
    link(&case);
    std::fs::create_dir(case.path("kernels")).unwrap();
    std::fs::rename(case.path("app.aocx"), case.path("kernels/app.aocx")).unwrap();
    let run = |value: &str| case.run_with(&["whole", ""], &[("FPGACC_AOCX_PATH", value)]);
    assert!(run("nothing:kernels").quiet().contains("1001"));
    assert!(run("kernels/app.aocx").quiet().contains("1001"));
    std::fs::rename(case.path("kernels/app.aocx"), case.path("kernels/other")).unwrap();
    assert!(run("kernels/other").quiet().contains("1001"));
    // The executable's own folder is where it really lies, not where a link to it lies.
    std::fs::rename(case.path("kernels/other"), case.path("kernels/app.aocx")).unwrap();
    std::fs::rename(case.path("app"), case.path("kernels/real")).unwrap();
    std::os::unix::fs::symlink("kernels/real", case.path("app")).unwrap();
    assert!(case.run(&["whole", ""]).quiet().contains("1001"));
}

/// A board has no compiler: what is not in an .aocx is refused. The board is played by a library
/// that answers CL_DEVICE_COMPILER_AVAILABLE with no.
fn without_compiler(case: Case) {
    link(&case);
    case.shared_library("board", include_str!("hosts/board.c"));
    let library = case.path("libboard.so");
    let run = |options: &str| {
        case.run_with(
            &["whole", options],
            &[("LD_PRELOAD", library.to_str().unwrap())],
        )
    };
    assert!(run("").quiet().contains("1001 1001 1001"));
    let ran = run("-DN=4");
    assert_eq!(ran.stdout, "not built: -3\n", "{ran:?}");
    assert_eq!(
        ran.stderr,
        format!(
            "fpgacc: host.c:{}: error: the host passes -DN=4, app.aocx has no -DN, and the device \
             has no compiler (CL_COMPILER_NOT_AVAILABLE)\n\
             fpgacc: help: compile again with fpgacc; options that it cannot see in the host are given with -Xkernel or -D\n",
            line_of("clBuildProgram(")
        )
    );
    case.write(
        "fill.cl",
        "__kernel void fill(__global int *out) { *out = 1; }",
    );
    let ran = run("");
    assert_eq!(ran.stdout, "not built: -3\n", "{ran:?}");
    assert!(
        ran.stderr
            .contains("and the device has no compiler (CL_COMPILER_NOT_AVAILABLE)\n"),
        "{ran:?}"
    );
}

fn verbose(case: Case) {
    link(&case);
    let ran = case.run_with(&["whole", ""], &[("FPGACC_VERBOSE", "1")]);
    let line = line_of("clEnqueueNDRangeKernel(");
    let expected = format!(
        "fpgacc: fill.cl: loaded app.aocx, 2 kernels\n\
         fpgacc: host.c:{line}: kernel `fill` launched as one work-item: offset 0, global size 3, \
         local size 3\n"
    );
    assert!(ran.stderr.ends_with(&expected), "{ran:?}");
}

/// The emulator's library has moved: the user's own cache folder is looked at.
#[test]
fn emulator_elsewhere() {
    let case = Case::new(Implementation::Intel);
    link(&case);
    let manifest = Manifest {
        target: Target::IntelEmulator {
            library: Some("/no/such/libintelocl_emu.so".to_owned()),
        },
        programs: vec![fill_program("app.aocx", &[])],
        left_to_device: Vec::new(),
        launched_at: Vec::new(),
    };
    case.link_manifest(&manifest, HOST, Patch::Calls);
    assert!(case.run(&["whole", ""]).quiet().contains("1001"));
}

/// The emulator is given an instruction set: fpgacc's own processes and executables name the same, and
/// the user's word stands.
#[test]
fn instruction_set() {
    const TELLS: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{\n    \
        const char *name = getenv(\"CL_CONFIG_CPU_TARGET_ARCH\");\n    \
        const char *width = getenv(\"CL_CONFIG_CPU_VECTORIZER_MODE\");\n    \
        printf(\"%s %s\\n\", name ? name : \"none\", width ? width : \"none\");\n    return 0;\n}\n";
    let tells = |on: Implementation, environment: &[(&str, &str)]| {
        let case = Case::new(on);
        case.link_manifest(&case.manifest(Vec::new()), TELLS, Patch::Nothing);
        case.run_with(&[], environment).quiet()
    };
    let told = cpu_target();
    let value = |variable: &str| {
        let found = told.iter().find(|(name, _)| *name == variable);
        found.map_or("none", |(_, value)| value)
    };
    let (name, width) = (
        value("CL_CONFIG_CPU_TARGET_ARCH"),
        value("CL_CONFIG_CPU_VECTORIZER_MODE"),
    );
    assert_eq!(
        tells(Implementation::Intel, &[]),
        format!("{name} {width}\n")
    );
    let users = [
        ("CL_CONFIG_CPU_TARGET_ARCH", "corei7"),
        ("CL_CONFIG_CPU_VECTORIZER_MODE", "1"),
    ];
    assert_eq!(tells(Implementation::Intel, &users), "corei7 1\n");
    assert_eq!(tells(Implementation::Pocl, &[]), "none none\n");
}

/// The user's environment chooses another implementation: the program runs, and the user is informed.
#[test]
fn another_implementation() {
    let case = Case::new(Implementation::Intel);
    link(&case);
    let ran = case.run_with(&["whole", "-DN=4"], &[("OCL_ICD_VENDORS", "pocl.icd")]);
    assert_eq!(
        ran.stdout, "called 1, status 0, options '-DN=4'\n4 4 4\n",
        "{ran:?}"
    );
    assert!(
        ran.stderr.starts_with(
            "fpgacc: warning: this program was compiled for the Intel FPGA \
             emulator, which is not here\n"
        ),
        "{ran:?}"
    );
    assert!(
        ran.stderr
            .contains("warning: the device is not the one that the kernels were compiled for"),
        "{ran:?}"
    );
    let library = intel_library();
    let chosen = [("OCL_ICD_VENDORS", library.to_str().unwrap())];
    assert!(
        case.run_with(&["whole", ""], &chosen)
            .quiet()
            .contains("1001")
    );
}
