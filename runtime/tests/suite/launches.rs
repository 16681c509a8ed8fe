//! Launches of kernels that became one work-item.

use fpgacc_runtime::guard::{Fact, Guard};
use fpgacc_runtime::manifest::{Form, Kernel, LaunchedAt, NullLocal, ParamKind, Task};

use crate::support::{
    Case, Implementation, Patch, all_hidden, kernel, on_both, param, program, task,
};

const TEXT: &str = include_str!("kernels/where.cl");
const TASK: &str = include_str!("kernels/where_task.cl");
const HOST: &str = include_str!("hosts/where.c");

fn where_kernel(task: Task, facts: &[Fact]) -> Kernel {
    let params = vec![param("out", "int*", ParamKind::Global, 8)];
    let mut made = kernel("where", Form::Task(task), params);
    made.contract
        .guards
        .extend(facts.iter().copied().map(Guard::Geometry));
    made
}

/// `app`, which launches `where` as its arguments say.
fn link(case: &Case, kernel: Kernel, patch: Patch) {
    case.write("where.cl", TEXT);
    case.aocx("app.aocx", TASK, "");
    case.link(vec![program("where.cl", TEXT, vec![kernel])], HOST, patch);
}

on_both!(
    geometry,
    null_local,
    larger_groups,
    unpatched,
    unpatched_but_found,
    refused,
    errors_of_the_original,
    required_size,
    fixed_local_size,
    known_sizes,
    ids_in_int,
    offsets
);

/// One to three dimensions, offsets, groups of one and of all.
fn geometry(case: Case) {
    link(&case, where_kernel(task(all_hidden()), &[]), Patch::Calls);
    let launches = [
        "1:-:8:2",
        "1:-:8:8",
        "1:-:8:1",
        "1:5:6:3",
        "2:-:4,6:2,3",
        "2:1,2:4,6:4,1",
        "3:-:2,4,6:1,2,3",
        "3:1,2,3:2,2,2:2,2,1",
        "3:-:12,1,1:4,1,1",
    ];
    let output = case.run(&launches).quiet();
    assert!(
        output.starts_with("0\n0 0 0 1010102 1 1 0 1010102 2 0 1 1010102"),
        "{output}"
    );
    assert_eq!(output, case.run_original(&launches));
}

/// Where the host leaves the local size open, ids are right whatever is chosen.
fn null_local(case: Case) {
    let mut how = task(all_hidden());
    how.max_group_size = Some(6);
    link(&case, where_kernel(how.clone(), &[]), Patch::Calls);
    assert_eq!(local_sizes(&case, "1:-:16:-"), "1010104");
    assert_eq!(local_sizes(&case, "1:-:7:-"), "1010101");
    assert_eq!(local_sizes(&case, "2:-:6,5:-"), "2010106");
    let facts = [Fact::Local(0, 3), Fact::Local(1, 2), Fact::Local(2, 1)];
    link(&case, where_kernel(how.clone(), &facts), Patch::Calls);
    assert_eq!(local_sizes(&case, "2:-:6,4:-"), "2010203");
    let facts = [Fact::OneGroup(0)];
    link(&case, where_kernel(how.clone(), &facts), Patch::Calls);
    assert_eq!(local_sizes(&case, "2:-:5,4:-"), "2010105");
    how.max_group_size = None;
    how.null_local = NullLocal::Whole;
    link(&case, where_kernel(how, &[]), Patch::Calls);
    assert_eq!(local_sizes(&case, "3:-:5,4,2:-"), "3020405");
}

/// A kernel that keeps nothing for each work-item takes whatever groups the host asks for, but not those
/// for which the host leaves the choice.
fn larger_groups(case: Case) {
    let mut how = task(all_hidden());
    how.max_group_size = Some(6);
    let mut kernel = where_kernel(how, &[]);
    kernel.contract.guards.remove(&Guard::GroupSize(6));
    link(&case, kernel, Patch::Calls);
    assert_eq!(local_sizes(&case, "1:-:16:16"), "1010116");
    assert_eq!(local_sizes(&case, "1:-:16:-"), "1010104");
}

/// work_dim and local sizes as the kernel saw them.
fn local_sizes(case: &Case, launch: &str) -> String {
    let output = case.run(&[launch]).quiet();
    output.split_whitespace().nth(4).unwrap().to_owned()
}

/// A prebuilt object reaches the runtime too; only the line is not known.
fn unpatched(case: Case) {
    let kernel = where_kernel(task(all_hidden()), &[Fact::Local(0, 4)]);
    link(&case, kernel, Patch::Nothing);
    let ran = case.run(&["1:-:8:4", "1:-:8:2"]);
    assert!(ran.stdout.starts_with("0\n0 0 0 101"), "{ran:?}");
    assert!(
        ran.stderr
            .starts_with("fpgacc: unknown line: error: kernel `where` is not launched: "),
        "{ran:?}"
    );
}

/// Where the host's analysis found the launches of a kernel, a message names these places.
fn unpatched_but_found(case: Case) {
    let kernel = where_kernel(task(all_hidden()), &[Fact::Local(0, 4)]);
    case.write("where.cl", TEXT);
    case.aocx("app.aocx", TASK, "");
    let mut manifest = case.manifest(vec![program("where.cl", TEXT, vec![kernel])]);
    manifest.launched_at.push(LaunchedAt {
        kernel: "where".to_owned(),
        at: "host.cpp:12:5 or host.cpp:14:5".to_owned(),
    });
    case.link_manifest(&manifest, HOST, Patch::Nothing);
    let ran = case.run(&["1:-:8:2"]);
    assert!(
        ran.stderr.starts_with(
            "fpgacc: host.cpp:12:5 or host.cpp:14:5: error: kernel `where` is not launched: "
        ),
        "{ran:?}"
    );
}

/// Each fact: a launch that breaks it gets an error and a message, and runs nothing.
fn refused(case: Case) {
    const FACTS: &str = "compile again with a launch facts file (.yaml) that has this launch, with \
                         --keep-general, or with -fno-ndrange-to-loop";
    const LOOP: &str = "compile again with --keep-general, or with -fno-ndrange-to-loop";
    let rows = [
        (
            vec![Fact::WorkDim(2)],
            "1:-:8:2",
            "-53\n",
            "work_dim 2, this launch has 1 (CL_INVALID_WORK_DIMENSION)",
            "work_dim 1, offset 0, global size 8, local size 2",
            FACTS,
        ),
        (
            vec![Fact::Offset(1, 0)],
            "2:0,3:8,8:2,2",
            "-56\n",
            "offset 0 in dimension 1, this launch has 3 (CL_INVALID_GLOBAL_OFFSET)",
            "work_dim 2, offset 0x3, global size 8x8, local size 2x2",
            FACTS,
        ),
        (
            vec![Fact::Global(0, 16)],
            "1:-:8:2",
            "-63\n",
            "global size 16 in dimension 0, this launch has 8 (CL_INVALID_GLOBAL_WORK_SIZE)",
            "work_dim 1, offset 0, global size 8, local size 2",
            FACTS,
        ),
        (
            vec![Fact::Local(0, 4), Fact::Local(1, 1)],
            "1:-:8:2",
            "-54\n",
            "local size 4 in dimension 0, this launch has 2 (CL_INVALID_WORK_GROUP_SIZE)",
            "work_dim 1, offset 0, global size 8, local size 2",
            FACTS,
        ),
        (
            vec![Fact::Local(0, 4)],
            "1:-:6:-",
            "-54\n",
            "local size 4 in dimension 0, this launch has 6 (CL_INVALID_WORK_GROUP_SIZE)",
            "work_dim 1, offset 0, global size 6, local size NULL, taken as 6",
            FACTS,
        ),
        (
            vec![Fact::OneGroup(0)],
            "1:-:8:2",
            "-54\n",
            "one work-group in dimension 0, this launch has 4 (CL_INVALID_WORK_GROUP_SIZE)",
            "work_dim 1, offset 0, global size 8, local size 2",
            FACTS,
        ),
        (
            vec![],
            "2:-:16,2:16,2",
            "-54\n",
            "at most 8 work-items in a work-group, this launch has 32 (CL_INVALID_WORK_GROUP_SIZE)",
            "work_dim 2, offset 0x0, global size 16x2, local size 16x2",
            "compile again with --max-local-size=32, with --keep-general, or with -fno-ndrange-to-loop",
        ),
        (
            vec![],
            "1:-:2147483648:1",
            "-63\n",
            "ids up to 2147483647, this launch has 2147483648 in dimension 0 \
             (CL_INVALID_GLOBAL_WORK_SIZE)",
            "work_dim 1, offset 0, global size 2147483648, local size 1",
            LOOP,
        ),
        (
            vec![],
            "1:2147483647:8:1",
            "-56\n",
            "ids up to 2147483647, this launch has 2147483655 in dimension 0 \
             (CL_INVALID_GLOBAL_OFFSET)",
            "work_dim 1, offset 2147483647, global size 8, local size 1",
            LOOP,
        ),
    ];
    let line = 1 + HOST
        .lines()
        .position(|line| line.contains("clEnqueueND"))
        .unwrap();
    for (relies_on, launch, code, fact, geometry, help) in rows {
        let mut how = task(all_hidden());
        how.max_group_size = Some(8);
        link(&case, where_kernel(how, &relies_on), Patch::Calls);
        let ran = case.run(&[launch]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), code), "{ran:?}");
        assert_eq!(
            ran.stderr,
            format!(
                "fpgacc: host.c:{line}: error: kernel `where` is not launched: it was compiled \
                 for {fact}\n\
                 fpgacc: note: the launch has {geometry}\n\
                 fpgacc: help: {help}\n"
            )
        );
    }
}

/// What OpenCL itself refuses gets the code that the original kernel's launch gets.
fn errors_of_the_original(case: Case) {
    link(&case, where_kernel(task(all_hidden()), &[]), Patch::Calls);
    let mut launches = vec![
        "0:-:8:2",
        "4:-:8,8,8,8:2,2,2,2",
        "1:-:8:3",
        "2:-:8,8:2,3",
        "1:-:-:-",
        "1:-:0:-",
        "2:-:8,0:-",
        "1:-:268435456:134217728",
    ];
    // PoCL takes a local size of 0 for none; the standard has no such rule.
    if case.on == Implementation::Intel {
        launches.push("1:-:8:0");
    }
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
}

/// reqd_work_group_size of the original is the host's rule, not the task kernel's own.
fn required_size(case: Case) {
    let text = TEXT.replace(
        "__kernel void",
        "__attribute__((reqd_work_group_size(2, 2, 1))) __kernel void",
    );
    let mut where_kernel = where_kernel(task(all_hidden()), &[]);
    where_kernel.reqd_work_group_size = Some([2, 2, 1]);
    link(&case, where_kernel.clone(), Patch::Calls);
    case.write("where.cl", &text);
    case.link(
        vec![program("where.cl", &text, vec![where_kernel])],
        HOST,
        Patch::Calls,
    );
    let launches = ["2:-:4,4:2,2", "2:-:4,4:4,1", "2:-:4,4:-", "3:-:4,4,1:2,2,1"];
    let output = case.run(&launches).quiet();
    assert_eq!(output, case.run_original(&launches));
    assert_eq!(
        output.lines().filter(|line| *line == "-54").count(),
        2,
        "{output}"
    );
    // The emulator does not look at dimensions beyond work_dim; the standard and PoCL do.
    assert_eq!(case.run(&["1:-:4:2"]).quiet(), "-54\n");
}

/// An NDRange kernel whose attributes ask for the local size that the host was seen to give: the host
/// does not see that, and other launches are refused with a reason.
fn fixed_local_size(case: Case) {
    let required = TEXT.replace(
        "__kernel void",
        "__attribute__((reqd_work_group_size(2, 2, 1))) __kernel void",
    );
    let params = vec![param("out", "int*", ParamKind::Global, 8)];
    let mut fixed = kernel("where", Form::NdRange, params);
    fixed.contract.guards.insert(Guard::LocalSize([2, 2, 1]));
    case.write("where.cl", TEXT);
    case.aocx("app.aocx", &required, "");
    case.link(
        vec![program("where.cl", TEXT, vec![fixed])],
        HOST,
        Patch::Calls,
    );
    let launches = ["2:-:4,4:2,2", "3:-:4,4,2:2,2,1"];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
    for (launch, reason) in [
        (
            "2:-:4,4:4,1",
            "local size 2 in dimension 0, this launch has 4",
        ),
        ("2:-:4,4:-", "a local size, this launch gives none"),
        ("1:-:4:2", "local size 2 in dimension 1, this launch has 1"),
    ] {
        let ran = case.run(&[launch]);
        assert_eq!(ran.stdout, "-54\n", "{launch}");
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("-fno-work-group-size"),
            "{}",
            ran.stderr
        );
    }
}

/// An NDRange kernel that relies on sizes: launches with others are refused with a reason, invalid ones by
/// the implementation.
fn known_sizes(case: Case) {
    let params = vec![param("out", "int*", ParamKind::Global, 8)];
    let mut sized = kernel("where", Form::NdRange, params);
    let facts = [Fact::Offset(0, 0), Fact::Global(0, 4), Fact::Local(1, 1)];
    let guards = facts.into_iter().map(Guard::Geometry);
    sized.contract.guards.extend(guards);
    case.write("where.cl", TEXT);
    case.aocx("app.aocx", TEXT, "");
    case.link(
        vec![program("where.cl", TEXT, vec![sized])],
        HOST,
        Patch::Calls,
    );
    let launches = ["1:-:4:2", "2:-:4,4:2,1", "3:0,1,0:4,2,2:4,1,1"];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
    for (launch, error, reason) in [
        (
            "1:-:8:2",
            -63,
            "global size 4 in dimension 0, this launch has 8",
        ),
        ("1:3:4:2", -56, "offset 0 in dimension 0, this launch has 3"),
        (
            "2:-:4,4:1,4",
            -54,
            "local size 1 in dimension 1, this launch has 4",
        ),
        ("2:-:4,4:-", -54, "a local size, this launch gives none"),
    ] {
        let ran = case.run(&[launch]);
        assert_eq!(ran.stdout, format!("{error}\n"), "{launch}");
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
        assert!(ran.stderr.contains("-fno-known-sizes"), "{}", ran.stderr);
    }
}

/// An NDRange kernel that follows ids through `int`: launches with larger ones are refused, invalid ones by the
/// implementation.
fn ids_in_int(case: Case) {
    let params = vec![param("out", "int*", ParamKind::Global, 8)];
    let mut tiled = kernel("where", Form::NdRange, params);
    tiled.contract.guards.insert(Guard::IntLoops);
    case.write("where.cl", TEXT);
    case.aocx("app.aocx", TEXT, "");
    case.link(
        vec![program("where.cl", TEXT, vec![tiled])],
        HOST,
        Patch::Calls,
    );
    let launches = ["1:-:4:2", "2:-:4,4:-", "2:1,2:4,4:2,1"];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
    for (launch, error) in [("1:-:2147483648:1", -63), ("1:2147483647:8:1", -56)] {
        let ran = case.run(&[launch]);
        assert_eq!(ran.stdout, format!("{error}\n"), "{launch}");
        assert!(
            ran.stderr.contains("ids up to 2147483647"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("-fno-tile"), "{}", ran.stderr);
    }
}

/// The sum of offset and global size does not fit in size_t.
fn offsets(case: Case) {
    link(&case, where_kernel(task(all_hidden()), &[]), Patch::Calls);
    assert_eq!(case.run(&["1:0xffffffffffffffff:8:2"]).quiet(), "-56\n");
}
