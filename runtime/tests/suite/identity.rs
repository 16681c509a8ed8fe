//! Which compiled program is the one that a host asks for: options, headers, and the seal that ties
//! an .aocx to its build.

use fpgacc_runtime::manifest::{Header, Program, text_hash};
use fpgacc_runtime::seal;

use crate::support::{Case, Patch, fill_kernels, on_both, program};

const TEXT: &str = include_str!("kernels/fill.cl");
const TASK: &str = include_str!("kernels/fill_task.cl");
const HOST: &str = include_str!("hosts/fill.c");
const STORED: &str = include_str!("hosts/stored.c");

on_both!(
    options_that_permit,
    options_that_mean_something,
    relaxed_macro,
    pasted_names,
    macros_with_parameters,
    headers_that_changed,
    headers_of_two_folders,
    headers_that_are_not_here,
    header_that_was_absent,
    embedded_headers,
    another_build,
    damaged_or_unsealed,
    stored_binaries,
);

/// A variant of fill.cl; its kernels write `value + 1000`.
struct Variant<'a> {
    value: u32,
    program: Program,
    case: &'a Case,
}

impl<'a> Variant<'a> {
    fn new(case: &'a Case, value: u32) -> Self {
        let mut program = program("fill.cl", TEXT, fill_kernels());
        program.aocx = format!("app.{value}.aocx");
        Variant {
            value,
            program,
            case,
        }
    }

    fn options(mut self, options: &[&str]) -> Self {
        self.program.options = options.iter().map(|&option| option.to_owned()).collect();
        self
    }

    fn header(mut self, folder: &str, name: &str, text: Option<&str>) -> Self {
        self.program.folders = vec![folder.to_owned()];
        self.program.headers = vec![Header {
            name: name.to_owned(),
            quoted: true,
            hash: text.map(|text| text_hash(text.as_bytes())),
        }];
        self
    }

    fn made(self) -> Program {
        let define = format!("-DN={}", self.value);
        self.case.aocx(&self.program.aocx, TASK, &define);
        self.program
    }
}

fn link(case: &Case, programs: Vec<Program>) {
    case.write("fill.cl", TEXT);
    case.link(programs, HOST, Patch::Calls);
}

/// What the host prints where a build takes the kernels that write this.
fn filled(options: &str, value: u32) -> String {
    format!("called 1, status 0, options '{options}'\n{value} {value} {value}\n")
}

/// For each build its options, what is written, and whether the user is warned.
fn expect(case: &Case, builds: &[(&str, u32, &str)]) {
    for (options, value, warning) in builds {
        let ran = case.run(&["whole", options]);
        assert_eq!(ran.stdout, filled(options, *value), "{ran:?}");
        match warning.is_empty() {
            true => assert_eq!(ran.stderr, "", "{options}"),
            false => assert!(ran.stderr.contains(warning), "{options}: {}", ran.stderr),
        }
    }
}

/// What lets a compiler be less exact need not be used, but not be used where it is not allowed.
fn options_that_permit(case: Case) {
    let exact = Variant::new(&case, 2).made();
    let relaxed = Variant::new(&case, 3)
        .options(&["-cl-unsafe-math-optimizations"])
        .made();
    link(&case, vec![exact, relaxed.clone()]);
    expect(
        &case,
        &[
            ("", 1002, ""),
            ("-w -cl-opt-disable -cl-std=CL1.2", 1002, ""),
            ("-cl-unsafe-math-optimizations", 1003, ""),
            ("-cl-mad-enable", 1002, ""),
        ],
    );
    link(&case, vec![relaxed]);
    expect(
        &case,
        &[
            ("-cl-fast-relaxed-math", 1003, ""),
            (
                "-cl-mad-enable",
                1,
                "the host passes no -cl-unsafe-math-optimizations, app.3.aocx has \
                 -cl-unsafe-math-optimizations",
            ),
            (
                "-cl-unsafe-math-optimizations -cl-fp32-correctly-rounded-divide-sqrt",
                1,
                "the host passes -cl-fp32-correctly-rounded-divide-sqrt, app.3.aocx has no",
            ),
        ],
    );
}

fn options_that_mean_something(case: Case) {
    let plain = Variant::new(&case, 2).made();
    let single = Variant::new(&case, 3)
        .options(&["-cl-single-precision-constant"])
        .made();
    let old = Variant::new(&case, 4).options(&["-cl-std=CL1.1"]).made();
    link(&case, vec![plain, single, old]);
    expect(
        &case,
        &[
            ("-cl-single-precision-constant", 1003, ""),
            ("-cl-std=CL1.1", 1004, ""),
            ("", 1002, ""),
            (
                "-cl-std=CL1.1 -cl-single-precision-constant",
                1,
                "the host passes -cl-std=CL1.1, app.2.aocx has no -cl-std=CL1.1",
            ),
        ],
    );
}

/// -cl-fast-relaxed-math defines a macro, and where the text asks for it no other build will do.
fn relaxed_macro(case: Case) {
    let mut exact = Variant::new(&case, 2).made();
    exact.macro_names = vec!["__FAST_RELAXED_MATH__".to_owned()];
    link(&case, vec![exact]);
    expect(
        &case,
        &[
            ("-cl-mad-enable", 1002, ""),
            (
                "-cl-fast-relaxed-math",
                1,
                "the host passes -cl-fast-relaxed-math",
            ),
        ],
    );
}

/// `##` makes names that the text does not hold.
fn pasted_names(case: Case) {
    let mut pasted = Variant::new(&case, 2).made();
    pasted.any_macro = true;
    pasted.macro_names = ["2", "N", "fill"].map(str::to_owned).to_vec();
    pasted.defines = vec!["NN=5".to_owned()];
    link(&case, vec![pasted]);
    expect(
        &case,
        &[
            ("-DNN=5 -DDEBUG", 1002, ""),
            ("-D NN=5 -DDEBUG -UDEBUG", 1002, ""),
            ("-DNN=3", 1, "the host passes -DNN=3, app.2.aocx has -DNN=5"),
            ("", 1, "the host passes no -DNN, app.2.aocx has -DNN=5"),
            (
                "-DNN=5 -DN2=1",
                1,
                "the host passes -DN2=1, app.2.aocx has no -DN2",
            ),
        ],
    );
}

fn macros_with_parameters(case: Case) {
    let mut program = Variant::new(&case, 2).made();
    program.macro_names = vec!["F".to_owned()];
    program.defines = vec!["F(x)=x".to_owned()];
    link(&case, vec![program]);
    expect(
        &case,
        &[
            ("-DF(x)=x", 1002, ""),
            (
                "-DF(x)=x+1",
                1,
                "the host passes -DF=(x)=x+1, app.2.aocx has -DF=(x)=x",
            ),
        ],
    );
}

/// The host writes a header before it builds.
fn headers_that_changed(case: Case) {
    let variant = Variant::new(&case, 2).header("inc", "a.h", Some("int a;"));
    link(&case, vec![variant.made()]);
    let warning = "'a.h' is not the header that app.2.aocx was compiled with";
    std::fs::create_dir(case.path("inc")).unwrap();
    case.write("inc/a.h", "int a;\r\n");
    expect(&case, &[("-I inc", 1002, ""), ("-Iinc", 1002, "")]);
    case.write("inc/a.h", "int b;");
    expect(&case, &[("-I inc", 1, warning), ("", 1002, "")]);
    // Beside the text comes first.
    case.write("a.h", "int a;");
    expect(&case, &[("-I inc", 1002, "")]);
}

fn headers_of_two_folders(case: Case) {
    let first = Variant::new(&case, 2).header("one", "a.h", Some("1"));
    let second = Variant::new(&case, 3).header("two", "a.h", Some("2"));
    link(&case, vec![first.made(), second.made()]);
    for (folder, text) in [("one", "1"), ("two", "2")] {
        std::fs::create_dir(case.path(folder)).unwrap();
        case.write(&format!("{folder}/a.h"), text);
    }
    let two = format!("-I {}", case.path("two").display());
    expect(
        &case,
        &[
            ("-I one", 1002, ""),
            ("-I two", 1003, ""),
            ("-I./two", 1003, ""),
            (&two, 1003, ""),
            ("-I two -I one", 1003, ""),
        ],
    );
}

/// Boards come without the headers. Then the folders say, or else nobody knows.
fn headers_that_are_not_here(case: Case) {
    let first = Variant::new(&case, 2).header("one", "a.h", Some("1"));
    let second = Variant::new(&case, 3).header("two", "a.h", Some("2"));
    let first = first.made();
    link(&case, vec![first.clone(), second.made()]);
    expect(
        &case,
        &[
            ("-I two", 1003, ""),
            (
                "-I ./two",
                1,
                "which compiled program this is cannot be known: its headers are not here",
            ),
        ],
    );
    link(&case, vec![first]);
    expect(&case, &[("-I ./one", 1002, "")]);
}

/// `__has_include` of a name that was not there.
fn header_that_was_absent(case: Case) {
    let variant = Variant::new(&case, 2).header("inc", "a.h", None);
    link(&case, vec![variant.made()]);
    expect(&case, &[("", 1002, "")]);
    case.write("a.h", "");
    let warning = "'a.h' is not the header that app.2.aocx was compiled with";
    expect(&case, &[("", 1, warning)]);
}

/// What clCompileProgram is given stands before all folders.
fn embedded_headers(case: Case) {
    let host = include_str!("hosts/link.c");
    let run = |text: &str| {
        let variant = Variant::new(&case, 2).header("inc", "header.h", Some(text));
        case.write("fill.cl", TEXT);
        case.link(vec![variant.made()], host, Patch::Nothing);
        case.run(&[""])
    };
    case.write("header.h", "int other;");
    let same = run("/* nothing */");
    assert!(
        same.stdout.contains("called 2\n1002 1002 1002\n"),
        "{same:?}"
    );
    let other = run("int other;");
    assert!(other.stdout.contains("called 2\n1 1 1\n"), "{other:?}");
    assert!(
        other.stderr.contains("'header.h' is not the header"),
        "{other:?}"
    );
}

/// Seals the file of a program for a build.
fn sealed(case: &Case, mut program: Program, build: u64) -> Program {
    let bytes = std::fs::read(case.path(&program.aocx)).unwrap();
    case.write(&program.aocx, seal::seal(bytes, build, "k.cl"));
    program.build = Some(build);
    program
}

/// A stale or swapped .aocx would have the same signatures.
fn another_build(case: Case) {
    let program = sealed(&case, Variant::new(&case, 2).made(), 0xabc);
    link(&case, vec![program.clone()]);
    expect(&case, &[("", 1002, "")]);
    let other = Program {
        build: Some(0xdef),
        ..program
    };
    link(&case, vec![other]);
    let ran = case.run(&["whole", ""]);
    assert_eq!(ran.stdout, "not created: -42\n");
    let folder = case.path("").canonicalize().unwrap();
    let told = format!(
        "error: fill.cl: cannot read app.2.aocx, which holds the compiled kernels\n\
         fpgacc: note: {}/app.2.aocx is build 0000000000000abc of 'k.cl'; the executable needs \
         build 0000000000000def of 'fill.cl'\n\
         fpgacc: help: compile again with fpgacc, and keep the files of one build together\n",
        folder.display()
    );
    assert!(ran.stderr.ends_with(&told), "{ran:?}");
}

fn damaged_or_unsealed(case: Case) {
    let plain = Variant::new(&case, 2).made();
    let bytes = std::fs::read(case.path(&plain.aocx)).unwrap();
    let program = sealed(&case, plain, 0xabc);
    let whole = std::fs::read(case.path(&program.aocx)).unwrap();
    link(&case, vec![program.clone()]);
    let mut flipped = whole.clone();
    flipped[bytes.len() / 2] ^= 4;
    let mut no_label = whole.clone();
    no_label[bytes.len()] = b'j';
    for (contents, what) in [
        (flipped, "is damaged"),
        (no_label, "is damaged"),
        (whole[1..].to_vec(), "is damaged"),
        (
            bytes,
            "is not of a build by this fpgacc; the executable needs build 0000000000000abc",
        ),
    ] {
        case.write(&program.aocx, contents);
        let ran = case.run(&["whole", ""]);
        assert_eq!(ran.stdout, "not created: -42\n");
        assert!(ran.stderr.contains(what), "{ran:?}");
    }
}

/// A host keeps its binaries from one build to the next.
fn stored_binaries(case: Case) {
    let program = sealed(&case, Variant::new(&case, 2).made(), 0xabc);
    case.write("fill.cl", TEXT);
    case.link(vec![program.clone()], STORED, Patch::Nothing);
    assert_eq!(case.run(&["kept"]).quiet(), "1002 1002 1002\n");
    assert_eq!(
        case.run(&["kept"]).quiet(),
        "from the file: 1 0 0\n1002 1002 1002\n"
    );
    // Compiled again with other facts: the kept kernels are those of another contract.
    let again = sealed(&case, Variant::new(&case, 3).made(), 0xdef);
    case.link(vec![again], STORED, Patch::Nothing);
    let ran = case.run(&["kept"]);
    assert_eq!(
        ran.stdout, "from the file: 0 -42 -42\n1003 1003 1003\n",
        "{ran:?}"
    );
    assert!(
        ran.stderr.contains(
            "warning: the binary that the host loads is of build 0000000000000abc of 'k.cl', not \
             of the build that this executable was linked with (CL_INVALID_BINARY)"
        ),
        "{ran:?}"
    );
    // The device's own binaries are the host's business.
    std::fs::remove_file(case.path("kept")).unwrap();
    assert_eq!(case.run_original(&["kept"]), "1 1 1\n");
    assert_eq!(case.run(&["kept"]).quiet(), "from the file: 1 0 0\n1 1 1\n");
}
