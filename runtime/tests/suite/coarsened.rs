//! Launches of coarsened kernels: over fewer work-items than the host asks for.

use fpgacc_runtime::contract::ChosenLocal;
use fpgacc_runtime::guard::{Fact, Guard, Multiple};
use fpgacc_runtime::manifest::{Coarsened, Form, Kernel, Level, ParamKind};

use crate::support::{Case, Patch, kernel, on_both, param, program};

const TEXT: &str = include_str!("kernels/where.cl");
const ITEMS: &str = include_str!("kernels/where_coarsened.cl");
const GROUPS: &str = include_str!("kernels/where_groups.cl");
const HOST: &str = include_str!("hosts/where.c");
const HELP: &str =
    "help: compile again with --keep-general, or with -fno-coarsen and -fno-group-loop\n";

fn coarsened(dim: u8, level: Level, null_local: bool) -> Kernel {
    let by = Coarsened {
        dim,
        factor: 2,
        level,
        lanes: 1,
    };
    let params = vec![param("out", "int*", ParamKind::Global, 8)];
    let mut made = kernel("where", Form::Coarsened(by), params);
    made.contract.guard(Guard::Multiple(Multiple {
        dim,
        of: 2,
        of_groups: level == Level::Groups,
        null_local,
    }));
    made
}

/// `app`, which launches `where` as its arguments say.
fn link(case: &Case, kernel: Kernel, text: &str) {
    case.write("where.cl", TEXT);
    case.aocx("app.aocx", text, "");
    let programs = vec![program("where.cl", TEXT, vec![kernel])];
    case.link(programs, HOST, Patch::Calls);
}

on_both!(
    items,
    groups,
    refused,
    other_version,
    required_size,
    errors_of_the_original,
    in_groups_that_were_chosen
);

/// One to three dimensions, offsets, and no local size.
fn items(case: Case) {
    link(&case, coarsened(0, Level::Items, true), ITEMS);
    let launches = [
        "1:-:8:2",
        "1:-:8:8",
        "1:5:12:4",
        "2:-:4,6:2,3",
        "2:1,2:4,6:4,1",
        "3:1,2,3:2,2,2:2,2,1",
    ];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
    // The size that is chosen is another; global ids are not.
    let ran = case.run(&["1:-:4:-"]).quiet();
    let ids: Vec<&str> = ran.split_whitespace().skip(1).step_by(4).collect();
    assert_eq!(ids, ["0", "1", "2", "3"], "{ran}");
}

fn groups(case: Case) {
    link(&case, coarsened(1, Level::Groups, false), GROUPS);
    let launches = ["2:-:4,6:2,3", "2:1,2:4,6:4,1", "3:1,2,3:2,4,2:2,2,1"];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
    check_refused(
        &case,
        &[
            (
                "2:-:4,6:2,2",
                "numbers of work-groups that 2 divides in dimension 1, this launch has 3 \
                 (CL_INVALID_GLOBAL_WORK_SIZE)",
            ),
            (
                "2:-:4,6:-",
                "a local size, this launch gives none (CL_INVALID_WORK_GROUP_SIZE)",
            ),
            (
                "1:-:4:2",
                "numbers of work-groups that 2 divides in dimension 1, this launch has 1 \
                 (CL_INVALID_GLOBAL_WORK_SIZE)",
            ),
        ],
    );
}

fn check_refused(case: &Case, launches: &[(&str, &str)]) {
    for (launch, reason) in launches {
        let ran = case.run(&[launch]);
        assert!(ran.stdout.starts_with('-'), "{launch}: {}", ran.stdout);
        assert!(ran.stderr.contains(reason), "{launch}: {}", ran.stderr);
        assert!(ran.stderr.ends_with(HELP), "{launch}: {}", ran.stderr);
        assert!(ran.stderr.contains("note: the launch has work_dim"));
    }
}

/// What does not divide, and what the kernel relies on besides.
fn refused(case: Case) {
    let mut relying = coarsened(0, Level::Items, true);
    let offset = Guard::Geometry(Fact::Offset(0, 0));
    relying.contract.guard(offset);
    link(&case, relying, ITEMS);
    let launches = [
        (
            "1:-:9:3",
            "local sizes that 2 divides in dimension 0, this launch has 3 \
             (CL_INVALID_WORK_GROUP_SIZE)",
        ),
        (
            "1:-:7:-",
            "global sizes that 2 divides in dimension 0, this launch has 7 \
             (CL_INVALID_GLOBAL_WORK_SIZE)",
        ),
        (
            "1:3:8:4",
            "offset 0 in dimension 0, this launch has 3 (CL_INVALID_GLOBAL_OFFSET)",
        ),
    ];
    for (launch, reason) in launches {
        let ran = case.run(&[launch]);
        assert!(ran.stdout.starts_with('-'), "{launch}: {}", ran.stdout);
        assert!(ran.stderr.contains(reason), "{launch}: {}", ran.stderr);
        assert!(ran.stderr.contains("-fno-coarsen\n"), "{}", ran.stderr);
    }
}

/// What the coarsened version cannot take the kernel as it is takes.
fn other_version(case: Case) {
    let mut first = coarsened(0, Level::Items, true);
    let params = first.params.clone();
    first.others = vec![kernel("fpgacc_general_where", Form::NdRange, params)];
    let general = TEXT.replace("void where", "void fpgacc_general_where");
    link(&case, first, &format!("{ITEMS}{general}"));
    let launches = ["1:-:9:3", "1:-:8:4", "1:2:5:1", "2:-:4,4:2,2"];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
}

/// The size that the original's attributes ask for is the host's; that of the coarsened kernel is another.
fn required_size(case: Case) {
    let required = |text: &str, size: &str| {
        let with = format!("__attribute__((reqd_work_group_size({size}))) __kernel void");
        text.replace("__kernel void", &with)
    };
    let text = required(TEXT, "4, 2, 1");
    let mut made = coarsened(0, Level::Items, true);
    made.reqd_work_group_size = Some([4, 2, 1]);
    case.write("where.cl", &text);
    case.aocx("app.aocx", &required(ITEMS, "2, 2, 1"), "");
    let programs = vec![program("where.cl", &text, vec![made])];
    case.link(programs, HOST, Patch::Calls);
    let launches = ["2:-:8,4:4,2", "3:-:4,4,1:4,2,1"];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
    // Of another size the implementation says what it says of the original.
    assert_eq!(case.run(&["2:-:8,4:2,2"]).quiet(), "-54\n");
}

/// What OpenCL itself refuses gets the code that the original kernel's launch gets.
fn errors_of_the_original(case: Case) {
    link(&case, coarsened(0, Level::Items, true), ITEMS);
    let launches = ["0:-:8:2", "4:-:8,8,8,8:2,2,2,2", "1:-:-:-"];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
}

/// The local size in place of the host's is one before work-items are merged: the host's need not divide, and the device
/// must take what is left of it.
fn in_groups_that_were_chosen(case: Case) {
    let sizes = [([8, 1, 1], [4, 1, 1]), ([2048, 4, 1], [2048, 4, 1])];
    let sizes = sizes.map(|(global, local)| ChosenLocal { global, local });
    let mut made = coarsened(0, Level::Items, true);
    made.contract.local_sizes = sizes.to_vec();
    link(&case, made, ITEMS);
    let ran = case.run(&["1:-:8:1", "1:-:8:-", "1:-:12:1"]).quiet();
    assert_eq!(ran, case.run_original(&["1:-:8:4", "1:-:8:4", "1:-:12:4"]));
    // PoCL takes 4096.
    let ran = case.run(&["2:-:2048,4:1,1"]).quiet();
    assert!(ran.contains(" 2012448"), "{}", &ran[..200]);
}
