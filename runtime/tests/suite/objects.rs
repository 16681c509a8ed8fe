//! What hosts ask about programs and kernels, and how long those live.

use fpgacc_runtime::manifest::{Coarsened, Form, Hidden, Level, Param, ParamKind, Program};

use crate::support::{Case, Patch, Ran, fill_kernels, kernel, on_both, param, program, task};

const INFO: &str = include_str!("kernels/info.cl");
const LEAK: &str = include_str!("hosts/leak.c");
const FILL: &str = include_str!("kernels/fill.cl");
const FILL_TASK: &str = include_str!("kernels/fill_task.cl");

on_both!(
    queries,
    queries_of_coarsened,
    group_size,
    lifetimes,
    lifetimes_of_original_text,
    no_leaks,
    binaries,
    linked_programs,
    linked_programs_of_other_options,
);

fn plain_params() -> Vec<Param> {
    vec![
        Param {
            is_const: true,
            is_restrict: true,
            ..param("in", "float*", ParamKind::Global, 8)
        },
        param("table", "int*", ParamKind::Constant, 8),
        param("tile", "float*", ParamKind::Local, 0),
        param("count", "uint", ParamKind::Value, 4),
        Param {
            is_volatile: true,
            ..param("out", "int*", ParamKind::Global, 8)
        },
    ]
}

fn link_info(case: &Case, max_group_size: Option<u64>) {
    let mut plain_task = task(vec![Hidden::Global(0), Hidden::Local(0)]);
    plain_task.max_group_size = max_group_size;
    let plain = kernel("plain", Form::Task(plain_task), plain_params());
    let mut fixed = kernel(
        "fixed",
        Form::Task(task(vec![Hidden::Global(0)])),
        vec![param("out", "int*", ParamKind::Global, 8)],
    );
    fixed.reqd_work_group_size = Some([4, 2, 1]);
    case.write("info.cl", INFO);
    case.aocx("app.aocx", include_str!("kernels/info_task.cl"), "");
    let programs = vec![program("info.cl", INFO, vec![plain, fixed])];
    case.link(programs, include_str!("hosts/info.c"), Patch::Calls);
}

/// Every answer is the one for the original text.
fn queries(case: Case) {
    link_info(&case, None);
    let ran = case.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stdout, case.run_original(&[]));
    assert!(
        ran.stdout.contains("kernels: 0 2\nnames: 'plain;fixed'\n"),
        "{ran:?}"
    );
    assert_eq!(
        ran.stderr,
        "beyond: -49\nattributes: 0 ''\n\
         beyond: -49\nattributes: 0 'reqd_work_group_size(4,2,1)'\n"
    );
}

/// Nor does a host see that kernels are coarsened, in the sizes that they say, either.
fn queries_of_coarsened(case: Case) {
    let by = Coarsened {
        dim: 0,
        factor: 2,
        level: Level::Items,
        lanes: 1,
    };
    let plain = kernel("plain", Form::Coarsened(by), plain_params());
    let params = vec![param("out", "int*", ParamKind::Global, 8)];
    let mut fixed = kernel("fixed", Form::Coarsened(by), params);
    fixed.reqd_work_group_size = Some([4, 2, 1]);
    case.write("info.cl", INFO);
    let smaller = INFO.replace(
        "reqd_work_group_size(4, 2, 1)",
        "reqd_work_group_size(2, 2, 1)",
    );
    assert_ne!(smaller, INFO);
    case.aocx("app.aocx", &smaller, "");
    let programs = vec![program("info.cl", INFO, vec![plain, fixed])];
    case.link(programs, include_str!("hosts/info.c"), Patch::Calls);
    let ran = case.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stdout, case.run_original(&[]));
}

/// The largest group is the rewritten kernel's; a recorded run of the original text is given the same, so that
/// both launch the same groups.
fn group_size(case: Case) {
    const ANSWER: &str = "compile size: 0 0 0 0\ngroup size: 0 64\n";
    link_info(&case, Some(64));
    let original = ("FPGACC_ORIGINAL", "1");
    let recorded = [original, ("FPGACC_RECORD", "record")];
    for (environment, is_told) in [(&[][..], true), (&recorded, true), (&[original], false)] {
        let ran = case.run_with(&[], environment);
        assert_eq!(ran.stdout.contains(ANSWER), is_told, "{ran:?}");
    }
}

fn fill_program() -> Program {
    let mut program = program("fill.cl", FILL, fill_kernels());
    program.macro_names = vec!["N".to_owned()];
    program
}

fn link_fill(case: &Case, host: &str) {
    case.write("fill.cl", FILL);
    case.aocx("app.aocx", FILL_TASK, "");
    case.link(vec![fill_program()], host, Patch::Nothing);
}

fn expected_lifetime(value: u32) -> String {
    let values = format!("{value} {value} {value}\n");
    let once = format!("1 2 1\nrebuilt with a kernel: -59\n1\n{values}{values}{values}");
    format!("{once}{once}-44 -44 -48\n")
}

fn lifetimes(case: Case) {
    link_fill(&case, include_str!("hosts/lifetime.c"));
    assert_eq!(case.run(&[""]).quiet(), expected_lifetime(1001));
}

/// The program behind the handle is another one than the handle's own.
fn lifetimes_of_original_text(case: Case) {
    link_fill(&case, include_str!("hosts/lifetime.c"));
    let ran = case.run(&["-DN=5"]);
    assert_eq!((ran.code, ran.stdout), (Some(0), expected_lifetime(5)));
}

/// Blocks that the library holds, counted at malloc and free.
fn no_leaks(case: Case) {
    case.write("fill.cl", FILL);
    case.aocx("app.aocx", FILL_TASK, "");
    case.compile(
        "host.c",
        "cc",
        &[],
        &case.manifest(vec![fill_program()]),
        LEAK,
        Patch::Nothing,
    );
    let counted = ["malloc", "calloc", "realloc", "strdup", "free"];
    let flags = counted.map(|name| format!("-Wl,--wrap={name}"));
    case.link_objects("cc", &flags);
    assert_eq!(case.run(&[]).stdout, "launches 0\nprograms 0\n");
}

fn binaries(case: Case) {
    link_fill(&case, include_str!("hosts/binary.c"));
    assert_eq!(
        case.run(&[]).quiet(),
        "1001 1001 1001\n0\n-45\n1001 1001 1001\n"
    );
}

fn linked_programs(case: Case) {
    link_fill(&case, include_str!("hosts/link.c"));
    let Ran { stdout, stderr, .. } = case.run(&[""]);
    assert_eq!(
        stdout, "not compiled: 0 1\nstatus 0, called 1\ncalled 2\n1001 1001 1001\n1 1 1\n",
        "{stderr}"
    );
    assert!(
        stderr.contains(
            "warning: fill.cl is linked with other programs at run time: the device's own \
             compiler builds the original text, and none of its kernels is transformed\n\
             fpgacc: help: put these texts into one program\n"
        ),
        "{stderr}"
    );
}

fn linked_programs_of_other_options(case: Case) {
    link_fill(&case, include_str!("hosts/link.c"));
    let Ran { stdout, stderr, .. } = case.run(&["-DN=6"]);
    assert_eq!(
        stdout, "not compiled: 0 1\nstatus 0, called 1\ncalled 2\n6 6 6\n6 6 6\n",
        "{stderr}"
    );
}
