//! Kernel arguments: memory that two of them share, and local memory.

use fpgacc_runtime::manifest::{Form, Hidden, Kernel, ParamKind};

use crate::support::{Case, Implementation, Patch, kernel, on_both, param, program, task};

const ADD: &str = include_str!("kernels/add.cl");
const ADD_HOST: &str = include_str!("hosts/add.c");
const LOCAL: &str = include_str!("kernels/local.cl");
const LOCAL_HOST: &str = include_str!("hosts/local.c");

on_both!(
    distinct_memory,
    distinct_memory_of_ndrange_kernels,
    local_memory,
    too_much_local_memory
);

fn add_kernel(form: Form) -> Kernel {
    let mut add = kernel(
        "add",
        form,
        vec![
            param("a", "float*", ParamKind::Global, 8),
            param("b", "float*", ParamKind::Global, 8),
            param("sum", "float*", ParamKind::Global, 8),
            param("n", "int", ParamKind::Value, 4),
        ],
    );
    add.distinct = vec![(0, 2), (1, 2)];
    add
}

fn refusal(line: usize, argument: &str, words: &str) -> String {
    format!(
        "fpgacc: host.c:{line}: error: kernel `add` is not launched: it was compiled with \
         arguments {argument} and 2 (`sum`) as distinct memory, in this launch they {words} \
         (CL_INVALID_KERNEL_ARGS)\n\
         fpgacc: help: compile again with --keep-general, or with -fno-restrict\n"
    )
}

fn check_distinct(case: &Case, add: Kernel) {
    case.write("add.cl", ADD);
    case.link(
        vec![program("add.cl", ADD, vec![add])],
        ADD_HOST,
        Patch::Calls,
    );
    let ran = case.run(&[]);
    assert_eq!(
        ran.stdout,
        "distinct: 0\ninputs alike: 0\nparts apart: 0\nhost parts apart: 0\nsame buffer: -52\n\
         part and whole: -52\nsame part: -52\nhost memory: -52\ndistinct again: 0\n\
         arguments not set: -52\n",
        "{ran:?}"
    );
    let lines: Vec<usize> = (1..)
        .zip(ADD_HOST.lines())
        .filter(|(_, line)| line.contains("clEnqueueNDRangeKernel("))
        .map(|(number, _)| number)
        .collect();
    // Each message is said once, so the same part, the same buffer twice, is not repeated.
    let expected = [
        refusal(lines[0], "0 (`a`)", "are the same buffer"),
        refusal(lines[0], "1 (`b`)", "are overlapping parts of one buffer"),
        refusal(lines[0], "0 (`a`)", "are buffers over the same host memory"),
        refusal(lines[1], "0 (`a`)", "are not both set with clSetKernelArg"),
    ];
    assert_eq!(ran.stderr, expected.concat());
}

/// Buffers, sub-buffers and host memory that a kernel with `restrict` must not see twice.
fn distinct_memory(case: Case) {
    case.aocx("app.aocx", include_str!("kernels/add_task.cl"), "");
    check_distinct(&case, add_kernel(Form::Task(task(vec![Hidden::Global(0)]))));
}

/// The same for a kernel that only got `restrict`.
fn distinct_memory_of_ndrange_kernels(case: Case) {
    case.aocx("app.aocx", &ADD.replace("*", "*restrict "), "");
    check_distinct(&case, add_kernel(Form::NdRange));
}

fn link_local(case: &Case, bytes: Vec<(u32, u64)>) {
    let mut reverse = kernel(
        "reverse",
        Form::Task(task(vec![Hidden::Global(0), Hidden::Local(0)])),
        vec![
            param("data", "int*", ParamKind::Global, 8),
            param("tile", "int*", ParamKind::Local, 0),
            param("other", "int*", ParamKind::Local, 0),
        ],
    );
    reverse.local_bytes = bytes;
    case.write("local.cl", LOCAL);
    case.aocx("app.aocx", include_str!("kernels/local_task.cl"), "");
    case.link(
        vec![program("local.cl", LOCAL, vec![reverse])],
        LOCAL_HOST,
        Patch::Calls,
    );
}

fn local_memory(case: Case) {
    link_local(&case, Vec::new());
    let output = case.run(&[]).quiet();
    assert_eq!(
        output,
        "0: 1 0 3 2 5 4 7 6\n0: 2 3 0 1 6 7 4 5\n0: 5 4 7 6 1 0 3 2\n-51 -50 -49\n"
    );
    if case.on == Implementation::Intel {
        assert_eq!(output, case.run_original(&[]));
    }
}

fn too_much_local_memory(case: Case) {
    link_local(&case, vec![(1, 16), (2, 4)]);
    let ran = case.run(&[]);
    assert_eq!(
        ran.stdout,
        "0: 1 0 3 2 5 4 7 6\n0: 2 3 0 1 6 7 4 5\n-5: 2 3 0 1 6 7 4 5\n-51 -50 -49\n"
    );
    let line = 1 + LOCAL_HOST
        .lines()
        .position(|line| line.contains("clEnqueueND"))
        .unwrap();
    assert_eq!(
        ran.stderr,
        format!(
            "fpgacc: host.c:{line}: error: kernel `reverse` is not launched: it was compiled for \
             at most 16 bytes of local memory in argument 1 (`tile`), this launch has 32 \
             (CL_OUT_OF_RESOURCES)\n\
             fpgacc: help: compile again with a launch facts file (.yaml) that has this size, or \
             with --keep-general\n"
        )
    );
}
