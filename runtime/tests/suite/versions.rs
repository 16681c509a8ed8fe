//! Scalars that a kernel relies on, and kernels in several versions.

use fpgacc_runtime::guard::{Fact, Guard, ScalarFact, ScalarKind};
use fpgacc_runtime::manifest::{Form, Hidden, Kernel, ParamKind};

use crate::support::{Case, Patch, kernel, on_both, param, program, task};

const TEXT: &str = include_str!("kernels/scalars.cl");
const COMPILED: &str = include_str!("kernels/scalars_task.cl");
const HOST: &str = include_str!("hosts/scalars.c");

on_both!(
    largest_group_of_all_versions,
    scalars_that_do_not_hold,
    first_version_that_fits,
    no_version_fits
);

fn version(name: &str, form: Form) -> Kernel {
    let value = |name, ty, size| param(name, ty, ParamKind::Value, size);
    kernel(
        name,
        form,
        vec![
            param("out", "float*", ParamKind::Global, 8),
            value("c", "char", 1),
            value("s", "ushort", 2),
            value("n", "int", 4),
            value("w", "long", 8),
            value("f", "float", 4),
        ],
    )
}

/// A single work-item for groups of this size.
fn for_groups_of(name: &str, local: u64) -> Kernel {
    let mut scale = version(name, Form::Task(task(vec![Hidden::Global(0)])));
    scale
        .contract
        .guards
        .insert(Guard::Geometry(Fact::Local(0, local)));
    scale
}

/// Groups of 2, and what the .aocx' first kernel has as constants.
fn special() -> Kernel {
    let mut scale = for_groups_of("scale", 2);
    let fact = |param, kind, size, bits| {
        Guard::Scalar(ScalarFact {
            param,
            kind,
            size,
            bits,
        })
    };
    scale.contract.guards.extend([
        fact(1, ScalarKind::Signed, 1, 0xff),
        fact(2, ScalarKind::Unsigned, 2, 0xffff),
        fact(3, ScalarKind::Signed, 4, 0xffff_fff9),
        fact(4, ScalarKind::Signed, 8, 1 << 40),
        fact(5, ScalarKind::Float, 4, 0.5f32.to_bits().into()),
    ]);
    scale
}

fn link(case: &Case, scale: Kernel) {
    case.write("scalars.cl", TEXT);
    case.aocx("app.aocx", COMPILED, "");
    case.link(
        vec![program("scalars.cl", TEXT, vec![scale])],
        HOST,
        Patch::Calls,
    );
}

const HOLDS: &str = "2:-1:65535:-7:0x10000000000:0.5";

/// Each scalar is compared, whatever its size; what does not hold is refused with its value.
fn scalars_that_do_not_hold(case: Case) {
    link(&case, special());
    assert_eq!(case.run(&[HOLDS]).quiet(), case.run_original(&[HOLDS]));
    let line = 1 + HOST
        .lines()
        .position(|l| l.contains("clEnqueueND"))
        .unwrap();
    for (launch, words) in [
        (
            "2:1:-:-:-:-",
            "-1 for argument 1 (`c`), in this launch it is 1",
        ),
        (
            "2:-:65534:-:-:-",
            "65535 for argument 2 (`s`), in this launch it is 65534",
        ),
        (
            "2:-:-:7:-:-",
            "-7 for argument 3 (`n`), in this launch it is 7",
        ),
        (
            "2:-:-:-:0:-",
            "1099511627776 for argument 4 (`w`), in this launch it is 0",
        ),
        (
            "2:-:-:-:-:0.25",
            "0.5 for argument 5 (`f`), in this launch it is 0.25",
        ),
    ] {
        let ran = case.run(&[HOLDS, launch, HOLDS]);
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!((lines[1], lines[0]), ("-52 0.0", lines[2]), "{ran:?}");
        assert_eq!(
            ran.stderr,
            format!(
                "fpgacc: host.c:{line}: error: kernel `scale` is not launched: it was compiled \
                 with the value {words} (CL_INVALID_KERNEL_ARGS)\n\
                 fpgacc: help: compile again with a launch facts file (.yaml) that has this \
                 launch, with --keep-general, or with -fno-specialise\n"
            )
        );
    }
    let ran = case.run(&["2:-:65535:-7:0x10000000000:0.5"]);
    assert_eq!(ran.stdout, "-52 0.0\n", "{ran:?}");
    assert!(
        ran.stderr.contains("it is not set with clSetKernelArg"),
        "{ran:?}"
    );
}

/// The versions are asked in order; the original takes what no other does.
fn first_version_that_fits(case: Case) {
    let mut scale = special();
    scale.others = vec![
        for_groups_of("fpgacc_2_scale", 4),
        version("fpgacc_general_scale", Form::NdRange),
    ];
    link(&case, scale);
    let launches = [
        HOLDS,
        "4:-:-:-:-:-",
        "2:-:-:-:-:1.5",
        "8:-:-:-:-:-",
        "2:-:-:-:-:0.5",
        // Refused by OpenCL, whatever version runs.
        "3:-:-:-:-:-",
    ];
    let output = case.run(&launches).quiet();
    let expected = case.run_original(&launches);
    let results = |text: &str| -> Vec<f64> {
        let last = |line: &str| line.split(' ').next_back().unwrap().parse().unwrap();
        text.lines().map(last).collect()
    };
    let (special, original) = (results(&output), results(&expected));
    assert_eq!(special[0], original[0]);
    assert_eq!(special[1], 4_000_000.0);
    assert_eq!(special[2], original[2] + 100.0);
    assert_eq!(special[3], original[3] + 100.0);
    assert_eq!(special[4], original[4]);
    assert_eq!(output.lines().last(), expected.lines().last());
    assert!(output.ends_with("-54 0.0\n"), "{output}");
}

/// A host that asks how large a group may be gets an answer for all versions.
fn largest_group_of_all_versions(case: Case) {
    let holds = |name: &str, most| {
        let mut how = task(vec![Hidden::Global(0)]);
        how.max_group_size = Some(most);
        version(name, Form::Task(how))
    };
    let mut scale = holds("scale", 2);
    link(&case, scale.clone());
    assert_eq!(case.run(&[]).quiet(), "2\n");
    scale.others = vec![holds("fpgacc_2_scale", 4)];
    link(&case, scale.clone());
    assert_eq!(case.run(&[]).quiet(), "4\n");
    scale
        .others
        .push(version("fpgacc_general_scale", Form::NdRange));
    link(&case, scale);
    let most: u64 = case.run(&[]).quiet().trim().parse().unwrap();
    assert!(most > 4, "{most}");
}

/// Without a general version the message is that of the first.
fn no_version_fits(case: Case) {
    let mut scale = special();
    scale.others = vec![for_groups_of("fpgacc_2_scale", 4)];
    link(&case, scale);
    let ran = case.run(&[HOLDS, "8:-:-:-:-:-", "4:-:-:-:-:-"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[1..], ["-54 0.0", "0 4000000.0"], "{ran:?}");
    assert!(
        ran.stderr
            .contains("it was compiled for local size 2 in dimension 0, this launch has 8"),
        "{ran:?}"
    );
}
