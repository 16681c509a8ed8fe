//! Kernel arguments: memory that two of them share, and local memory.

use fpgacc_runtime::guard::{Guard, ScalarFact, ScalarKind};
use fpgacc_runtime::manifest::{Form, Hidden, Kernel, ParamKind};

use crate::support::{Case, Implementation, Patch, kernel, on_both, param, program, task};

const ADD: &str = include_str!("kernels/add.cl");
const ADD_HOST: &str = include_str!("hosts/add.c");
const TABLE: &str = include_str!("kernels/table.cl");
const TABLE_HOST: &str = include_str!("hosts/table.c");
const ALIGNED: &str = include_str!("kernels/aligned.cl");
const ALIGNED_HOST: &str = include_str!("hosts/aligned.c");
const LOCAL: &str = include_str!("kernels/local.cl");
const LOCAL_HOST: &str = include_str!("hosts/local.c");

on_both!(
    refused_values,
    distinct_memory,
    distinct_memory_of_ndrange_kernels,
    constant_memory,
    constant_memory_and_general_kernel,
    aligned_memory,
    memory_aligned_to_more_than_the_device,
    aligned_memory_and_general_kernel,
    aligned_memory_and_spare_kernel,
    local_memory,
    too_much_local_memory
);

/// What OpenCL refuses is neither read nor remembered: what was set before counts.
fn refused_values(case: Case) {
    let params = vec![
        param("out", "int*", ParamKind::Global, 8),
        param("n", "int", ParamKind::Value, 4),
    ];
    let mut mark = kernel("mark", Form::NdRange, params);
    let mut general = mark.clone();
    general.name = "fpgacc_general_mark".to_owned();
    mark.contract.guards.insert(Guard::Scalar(ScalarFact {
        param: 1,
        kind: ScalarKind::Signed,
        size: 4,
        bits: 2,
    }));
    mark.others = vec![general];
    let text = "__kernel void mark(__global int *out, int n) { out[get_global_id(0)] = n; }";
    let compiled = "__kernel void mark(__global int *out, int n) { out[get_global_id(0)] = 2; }\n\
                    __kernel void fpgacc_general_mark(__global int *out, int n) { *out = n; }";
    case.write("mark.cl", text);
    case.aocx("app.aocx", compiled, "");
    case.link(
        vec![program("mark.cl", text, vec![mark])],
        include_str!("hosts/refused.c"),
        Patch::Calls,
    );
    assert_eq!(
        case.run(&[]).quiet(),
        "too large: -51\nno argument: -49\nnot memory: -51\nlaunched: 0\n2 2 2 2\n"
    );
}

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
    add.contract
        .guards
        .extend([Guard::Distinct(0, 2), Guard::Distinct(1, 2)]);
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

fn look(name: &str) -> Kernel {
    let params = vec![
        param("table", "int*", ParamKind::Global, 8),
        param("out", "int*", ParamKind::Global, 8),
    ];
    kernel(name, Form::NdRange, params)
}

/// `look` with a table in constant memory, which adds 2, and perhaps as it is in the source, where it adds 1.
fn link_table(case: &Case, others: Vec<Kernel>) {
    let mut look = look("look");
    look.contract.guards.insert(Guard::Constant {
        param: 0,
        bytes: 4096,
    });
    look.others = others;
    case.write("table.cl", TABLE);
    case.aocx("app.aocx", include_str!("kernels/table_constant.cl"), "");
    let programs = vec![program("table.cl", TABLE, vec![look])];
    case.link(programs, TABLE_HOST, Patch::Calls);
}

/// Buffers that may be constant memory, and buffers that may not.
fn constant_memory(case: Case) {
    link_table(&case, Vec::new());
    let ran = case.run(&[]);
    let held = "2 12 22 32";
    let expected = format!(
        "table: 0\n{held}\nsmaller: 0\n{held}\npart: 0\n{held}\nlarger: -52\n{held}\n\
         written: -52\n{held}\nread-only part of written: -52\n{held}\nhost memory: -52\n{held}\n\
         huge: -52\n{held}\nnot set: -52\n{held}\ntable again: 0\n{held}\nglobal\n"
    );
    assert_eq!(ran.stdout, expected, "{ran:?}");
    let line = 1 + TABLE_HOST
        .lines()
        .position(|line| line.contains("clEnqueueNDRangeKernel("))
        .unwrap();
    // Each message is said once.
    let words = [
        "it is a larger buffer",
        "it is a buffer without CL_MEM_READ_ONLY",
        "it is a buffer in the host's memory",
        "it is not set with clSetKernelArg",
    ];
    let messages = words.map(|words| {
        format!(
            "fpgacc: host.c:{line}: error: kernel `look` is not launched: it was compiled with \
             argument 0 (`table`) as constant memory, at most 4096 bytes that no kernel writes, in \
             this launch {words} (CL_INVALID_KERNEL_ARGS)\n\
             fpgacc: help: compile again with a launch facts file (.yaml) that has this buffer, \
             with --keep-general, or with -fno-constant-memory\n"
        )
    });
    assert_eq!(ran.stderr, messages.concat());
}

fn constant_memory_and_general_kernel(case: Case) {
    link_table(&case, vec![look("fpgacc_general_look")]);
    let ran = case.run(&[]);
    assert_eq!(ran.stderr, "");
    let (held, general) = ("2 12 22 32", "1 11 21 31");
    // Without a table, it is the implementation that refuses.
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[16..18], ["not set: -52", general], "{ran:?}");
    let expected = format!(
        "table: 0\n{held}\nsmaller: 0\n{held}\npart: 0\n{held}\nlarger: 0\n{general}\n\
         written: 0\n{general}\nread-only part of written: 0\n{general}\nhost memory: 0\n{general}\n\
         huge: 0\n{general}\nnot set: -52\n{general}\ntable again: 0\n{held}\nglobal\n"
    );
    assert_eq!(ran.stdout, expected);
}

fn copy(name: &str) -> Kernel {
    let params = vec![
        param("in", "int*", ParamKind::Global, 8),
        param("out", "int*", ParamKind::Global, 8),
    ];
    kernel(name, Form::NdRange, params)
}

/// `copy` for memory aligned to so many bytes, where it adds 2, and perhaps as it is in the source, where it
/// adds 1. What the host prints, and what is said on stderr.
fn run_aligned(case: &Case, bytes: u64, others: Vec<Kernel>) -> (String, String) {
    let mut copy = copy("copy");
    copy.contract
        .guards
        .insert(Guard::Aligned { param: 0, bytes });
    copy.others = others;
    case.write("aligned.cl", ALIGNED);
    case.aocx("app.aocx", include_str!("kernels/aligned_stated.cl"), "");
    let programs = vec![program("aligned.cl", ALIGNED, vec![copy])];
    case.link(programs, ALIGNED_HOST, Patch::Calls);
    let ran = case.run(&[]);
    (ran.stdout, ran.stderr)
}

/// The messages of launches that are refused for these reasons, each once.
fn not_aligned(bytes: u64, reasons: &[&str]) -> String {
    let line = 1 + ALIGNED_HOST
        .lines()
        .position(|line| line.contains("clEnqueueNDRangeKernel("))
        .unwrap();
    let message = |words: &&str| {
        format!(
            "fpgacc: host.c:{line}: error: kernel `copy` is not launched: it was compiled with \
             argument 0 (`in`) aligned to {bytes} bytes, in this launch {words} \
             (CL_INVALID_KERNEL_ARGS)\n\
             fpgacc: help: compile again with a launch facts file (.yaml) that has this buffer, \
             with --keep-general, or with -fno-alignment\n"
        )
    };
    reasons.iter().map(message).collect()
}

/// Buffers, parts and memory of the host that are aligned to 64 bytes, and that are not.
fn aligned_memory(case: Case) {
    let (printed, told) = run_aligned(&case, 64, Vec::new());
    let held = "2 12 22 32";
    assert_eq!(
        printed,
        format!(
            "buffer: 0\n{held}\npart at 128: 0\n{held}\npart at 256: 0\n{held}\n\
             host memory: 0\n{held}\npart of host memory: 0\n{held}\n\
             host memory at 16: -52\n{held}\npart of host memory at 16: -52\n{held}\n\
             not set: -52\n{held}\nbuffer again: 0\n{held}\n"
        )
    );
    let reasons = [
        "it is a buffer in the host's memory at another address",
        "it is not set with clSetKernelArg",
    ];
    assert_eq!(told, not_aligned(64, &reasons));
}

/// The devices at hand align buffers to 128 bytes.
fn memory_aligned_to_more_than_the_device(case: Case) {
    let (printed, told) = run_aligned(&case, 256, Vec::new());
    assert_eq!(printed.matches(": -52\n").count(), 9, "{printed}");
    let reasons = [
        "it is on a device that aligns buffers to less",
        "it is a part of a buffer at another origin",
        "it is a buffer in the host's memory at another address",
        "it is not set with clSetKernelArg",
    ];
    assert_eq!(told, not_aligned(256, &reasons));
}

fn aligned_memory_and_general_kernel(case: Case) {
    let (printed, told) = run_aligned(&case, 64, vec![copy("fpgacc_general_copy")]);
    assert_eq!(told, "");
    let (held, general) = ("2 12 22 32", "1 11 21 31");
    // Without memory, it is the implementation that refuses.
    assert_eq!(
        printed,
        format!(
            "buffer: 0\n{held}\npart at 128: 0\n{held}\npart at 256: 0\n{held}\n\
             host memory: 0\n{held}\npart of host memory: 0\n{held}\n\
             host memory at 16: 0\n{general}\npart of host memory at 16: 0\n{general}\n\
             not set: -52\n{general}\nbuffer again: 0\n{held}\n"
        )
    );
}

/// What the general version takes though none of it was foreseen is told, with what a board would do; what the
/// implementation refuses is not.
fn aligned_memory_and_spare_kernel(case: Case) {
    let mut spare = copy("fpgacc_general_copy");
    let (expected, _) = run_aligned(&case, 64, vec![spare.clone()]);
    spare.spare = true;
    let (printed, told) = run_aligned(&case, 64, vec![spare]);
    assert_eq!(printed, expected);
    let refused = not_aligned(
        64,
        &["it is a buffer in the host's memory at another address"],
    );
    let warned = refused
        .replace(
            "error: kernel `copy` is not launched: it",
            "warning: kernel `copy` runs as it was written: rewritten it",
        )
        .replace(
            " (CL_INVALID_KERNEL_ARGS)",
            "\nfpgacc: note: on a board this launch would fail (CL_INVALID_KERNEL_ARGS)",
        )
        .replace("compile again", "compile");
    assert_eq!(told, warned);
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
    let guard = |(param, bytes)| Guard::LocalBytes { param, bytes };
    reverse.contract.guards.extend(bytes.into_iter().map(guard));
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
