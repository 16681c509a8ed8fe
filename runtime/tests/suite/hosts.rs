//! Hosts of all kinds: their events, threads, devices, languages and linkers.

use std::process::Command;

use fpgacc_runtime::guard::Guard;
use fpgacc_runtime::manifest::{Form, Hidden, Kernel, ParamKind, Program};
use fpgacc_runtime::{SOURCES, WRAPPED};

use crate::support::{
    Case, Implementation, Patch, kernel, library, on_both, param, program, succeed, task,
    write_sources,
};

const FILL: &str = include_str!("kernels/fill.cl");
const MARK: &str = include_str!("kernels/mark.cl");
const DEVICES: &str = include_str!("hosts/devices.c");

on_both!(
    events,
    threads,
    devices,
    device_type_from_environment,
    cpp_wrapper,
    cpp_old_standard,
    clones_and_shared_memory,
);

fn out_kernel(name: &str, hidden: Vec<Hidden>) -> Kernel {
    kernel(
        name,
        Form::Task(task(hidden)),
        vec![param("out", "int*", ParamKind::Global, 8)],
    )
}

fn fill_program() -> Program {
    let kernels = ["fill", "twice"].map(|name| out_kernel(name, vec![Hidden::Global(0)]));
    program("fill.cl", FILL, kernels.to_vec())
}

fn prepare_fill(case: &Case) {
    case.write("fill.cl", FILL);
    case.aocx("app.aocx", include_str!("kernels/fill_task.cl"), "");
}

/// Command types: 0x11F0 NDRange, 0x11F1 task.
fn events(case: Case) {
    prepare_fill(&case);
    case.link(
        vec![fill_program()],
        include_str!("hosts/events.c"),
        Patch::Calls,
    );
    // PoCL calls every task an NDRange, of any program.
    let task_type = match case.on {
        Implementation::Intel => "11f1",
        Implementation::Pocl => "11f0",
    };
    assert_eq!(
        case.run(&[]).quiet(),
        format!(
            "held 1\ndone 1\n8008 4004 4004\n11f0 0 1\n11f0 0 1\n11f0 0 1\n{task_type} 0 1\n\
             errors -57 -57 -36 -36\n"
        )
    );
}

fn threads(case: Case) {
    case.write("mark.cl", MARK);
    case.aocx("app.aocx", include_str!("kernels/mark_task.cl"), "");
    let mark = out_kernel("mark", vec![Hidden::Global(0), Hidden::Offset(0)]);
    case.link(
        vec![program("mark.cl", MARK, vec![mark])],
        include_str!("hosts/threads.c"),
        Patch::Calls,
    );
    for _ in 0..3 {
        assert_eq!(case.run(&[]).quiet(), "0 wrong\n");
    }
}

fn devices(case: Case) {
    case.link(vec![fill_program()], DEVICES, Patch::Nothing);
    let (name, truth) = match case.on {
        Implementation::Intel => ("Intel(R) FPGA Emulation Platform for OpenCL(TM)", 8),
        Implementation::Pocl => ("Portable Computing Language", 2),
    };
    let head = format!("1 platform: {name}\nbad requests: -30 -30\n");
    let run = |what: &str| case.run(&[what]).quiet();
    assert_eq!(run("all"), format!("{head}all: 0, 1, type {truth}\n"));
    assert_eq!(
        run("gpu"),
        format!("{head}gpu: 0, 1, type 4\ndefault: 0, 1, type 4\nall: 0, 1, type 4\n")
    );
    assert_eq!(
        run("two"),
        format!(
            "{head}cpu: 0, 1, type 2\naccelerator: 0, 1, type {truth}\n\
             gpu or cpu: 0, 1, type {truth}\ncustom: -1, 0, type 0\n"
        )
    );
    assert_eq!(run("context"), format!("{head}type 4, compiler 1\n1 0\n"));
}

fn device_type_from_environment(case: Case) {
    case.link(vec![fill_program()], DEVICES, Patch::Nothing);
    let run = |value: &str| case.run_with(&["all"], &[("FPGACC_DEVICE_TYPE", value)]);
    assert!(run("gpu").quiet().ends_with("all: 0, 1, type 4\n"));
    assert!(run("accelerator").quiet().ends_with("all: 0, 1, type 8\n"));
    assert_eq!(
        run("fpga").stderr,
        "fpgacc: warning: FPGACC_DEVICE_TYPE is `fpga`\n\
         fpgacc: help: it takes gpu, cpu or accelerator\n"
    );
}

/// The wrapper header's calls reach the runtime, before main too.
fn cpp_wrapper(case: Case) {
    assert!(
        std::path::Path::new("/usr/include/CL/opencl.hpp").exists(),
        "CL/opencl.hpp is missing: install the Debian package opencl-clhpp-headers"
    );
    prepare_fill(&case);
    let mut program = fill_program();
    program.macro_names = vec!["N".to_owned()];
    program.defines = vec!["N=1".to_owned()];
    case.compile(
        "host.cpp",
        "c++",
        &["-Wno-unused-function"],
        &case.manifest(vec![program]),
        include_str!("hosts/wrapper.cpp"),
        Patch::Calls,
    );
    case.link_objects("c++", &[]);
    assert_eq!(
        case.run(&[]).quiet(),
        "fill;twice\n2002\n2002\n2002\n2 twice 1\n"
    );
}

/// The header before an old C++ host, and hosts compiled by clang.
fn cpp_old_standard(case: Case) {
    let mark = out_kernel("mark", vec![Hidden::Global(0), Hidden::Offset(0)]);
    let manifest = case.manifest(vec![program("mark.cl", MARK, vec![mark])]);
    case.write("mark.cl", MARK);
    case.aocx("app.aocx", include_str!("kernels/mark_task.cl"), "");
    let host = "#include \"first.h\"\n\
         #include <stdio.h>\n\
         int main()\n\
         {\n\
             cl_platform_id platform; cl_device_id device; cl_int error; int value[2];\n\
             const char *text = \"__kernel void mark(__global int *out)\\n{\\n\"\n\
                 \"    out[get_global_id(0)] += get_global_size(0);\\n}\\n\";\n\
             clGetPlatformIDs(1, &platform, NULL);\n\
             clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);\n\
             cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);\n\
             cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);\n\
             cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);\n\
             if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL) != CL_SUCCESS) return 1;\n\
             cl_kernel kernel = clCreateKernel(program, \"mark\", &error);\n\
             size_t global[1] = {2};\n\
             value[0] = value[1] = 1;\n\
             cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 8, value, &error);\n\
             clSetKernelArg(kernel, 0, sizeof(out), &out);\n\
             clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, NULL, 0, NULL, NULL);\n\
             clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 8, value, 0, NULL, NULL);\n\
             printf(\"%d %d\\n\", value[0], value[1]);\n\
             return 0;\n\
         }\n";
    case.write("first.h", include_str!("hosts/first.h"));
    for (file, compiler, options) in [
        ("host.cpp", "c++", &["-std=gnu++98"][..]),
        ("host.cpp", "clang++-14", &["-std=c++17"]),
        ("host.c", "cc", &["-std=gnu99"]),
        ("host.c", "clang-14", &["-std=c11"]),
    ] {
        case.compile(file, compiler, options, &manifest, host, Patch::Calls);
        case.link_objects(compiler, &[]);
        assert_eq!(case.run(&[]).quiet(), "3 3\n", "{compiler}");
    }
}

/// What is newer than OpenCL 1.2, where the implementation has it.
fn clones_and_shared_memory(case: Case) {
    let shared = "shared: 0, 3\ntwo allocations: 0, 5\none allocation: -52, 3\nof the host: -52, 5\n\
                  freed: -52\n";
    let words = [
        "they are in one allocation of shared virtual memory",
        "they are in shared virtual memory that is not from clSVMAlloc",
    ];
    check_newer(&case, (-52, shared, &words), |kernel| {
        kernel
            .contract
            .guards
            .extend([Guard::Distinct(0, 2), Guard::Distinct(1, 2)]);
    });
    let shared = "shared: 0, 5\ntwo allocations: 0, 5\none allocation: -52, 3\nof the host: 0, 7\n";
    let words =
        ["aligned to 64 bytes, in this launch it is shared virtual memory at another address"];
    check_newer(&case, (0, shared, &words), |kernel| {
        kernel.contract.guards.insert(Guard::Aligned {
            param: 2,
            bytes: 64,
        });
    });
}

/// `add`, relying on something that does not hold of all shared memory, and perhaps not of the original's
/// arguments; what the host then prints of these, and what is reported to it.
fn check_newer(
    case: &Case,
    (original, shared, refusals): (i32, &str, &[&str]),
    relying: impl FnOnce(&mut Kernel),
) {
    let add = include_str!("kernels/add.cl");
    case.write("add.cl", add);
    case.aocx("app.aocx", include_str!("kernels/add_task.cl"), "");
    let mut kernel = kernel(
        "add",
        Form::Task(task(vec![Hidden::Global(0)])),
        vec![
            param("a", "float*", ParamKind::Global, 8),
            param("b", "float*", ParamKind::Global, 8),
            param("sum", "float*", ParamKind::Global, 8),
            param("n", "int", ParamKind::Value, 4),
        ],
    );
    relying(&mut kernel);
    case.link(
        vec![program("add.cl", add, vec![kernel])],
        include_str!("hosts/newer.c"),
        Patch::Calls,
    );
    let arguments: &[&str] = if shared.contains("freed") {
        &["freed"]
    } else {
        &[]
    };
    let ran = case.run(arguments);
    // The emulator is OpenCL 1.2.
    if case.on == Implementation::Intel {
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(0), "not cloned\n"),
            "{ran:?}"
        );
        return;
    }
    assert_eq!(
        ran.stdout,
        format!("cloned: 0\n3 3\noriginal: {original}\n{shared}no argument: -49\n"),
        "{ran:?}"
    );
    for refusal in refusals {
        assert!(ran.stderr.contains(refusal), "{ran:?}");
    }
}

/// clang takes the library without a warning too.
#[test]
fn library_with_clang() {
    let folder = tempfile::tempdir().unwrap();
    write_sources(folder.path());
    for (name, _) in SOURCES.iter().filter(|(name, _)| name.ends_with(".c")) {
        succeed(
            Command::new("clang-14")
                .args([
                    "-std=c99",
                    "-pedantic",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-fsyntax-only",
                ])
                .arg(folder.path().join(name)),
        );
    }
}

/// An ICD loader of OpenCL 1.1 knows nothing of the newer functions: the program links all the
/// same.
#[test]
fn old_loader() {
    let case = Case::new(Implementation::Pocl);
    let newer = [
        "clCloneKernel",
        "clCompileProgram",
        "clEnqueueFillBuffer",
        "clEnqueueSVMFree",
        "clEnqueueSVMMap",
        "clEnqueueSVMMemcpy",
        "clGetExtensionFunctionAddressForPlatform",
        "clLinkProgram",
        "clGetKernelArgInfo",
        "clSVMAlloc",
        "clSVMFree",
        "clSetKernelArgSVMPointer",
        "clSetKernelExecInfo",
    ];
    let others = [
        "clGetPlatformInfo",
        "clGetContextInfo",
        "clGetCommandQueueInfo",
        "clGetMemObjectInfo",
        "clGetImageInfo",
        "clReleaseEvent",
        "clReleaseMemObject",
        "clRetainEvent",
        "clRetainMemObject",
    ];
    let loader: String = (WRAPPED.iter().chain(&others))
        .filter(|name| !newer.contains(name))
        .map(|name| format!("int {name}(void) {{ return -1; }}\n"))
        .collect();
    case.shared_library("OpenCL", &loader);
    let host = "#include <CL/cl.h>\nint main(void) { return clGetPlatformIDs(0, 0, 0) == 0; }\n";
    let manifest = case.manifest(vec![fill_program()]);
    case.compile(
        "host.c",
        "cc",
        &["-DCL_TARGET_OPENCL_VERSION=110"],
        &manifest,
        host,
        Patch::Nothing,
    );
    let folder = case.path("").display().to_string();
    case.link_objects(
        "cc",
        &["-Wl,--no-undefined".to_owned(), format!("-L{folder}")],
    );
    let ran = case.run_with(&[], &[("LD_LIBRARY_PATH", &folder)]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let _ = library();
}
