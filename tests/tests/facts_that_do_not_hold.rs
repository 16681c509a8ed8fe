//! Programs that are launched as no fact says: they fail with a message, or run their kernels as they
//! are. And programs that launch a kernel in different ways.

use fpgacc_tests::command::Workshop;

/// `app WIDTH LOCAL`: sums of rows; both are known to the given facts only.
const HOST: &str = include_str!("inputs/facts_that_do_not_hold.c");

const ONE: &str =
    "report(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));";

/// The same kernel in two ways that the host's text shows.
const TWO: &str = "width = 16; clSetKernelArg(kernel, 2, sizeof width, &width); local = 4;
    report(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    width = 8; clSetKernelArg(kernel, 2, sizeof width, &width); local = 8;
    report(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));";

const KERNEL: &str = "__kernel void sums(__global const int *in, __global int *out, int width)
{
    int i = get_global_id(0), sum = 1000 * get_local_size(0);
    for (int j = 0; j < width; j++)
        sum += in[i * width + j];
    out[i] = sum;
}
";

fn shop(launches: &str) -> Workshop {
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("LAUNCHES", launches));
    shop.write("sums.cl", KERNEL);
    shop
}

/// The facts of the host, with an argument.
fn give_facts(shop: &Workshop, argument: &str) {
    let line = 1 + shop
        .text("host.c")
        .lines()
        .position(|l| l.contains("clEnqueueND"))
        .unwrap();
    let facts = format!(
        "version: 1\nlaunches:\n- site: {{file: host.c, line: {line}, column: 12}}\n  kernels:\n    is:\n    \
         - sums\n  work_dim:\n    const: 1\n  offset:\n  - const: 0\n  global:\n  - const: 16\n  \
         local:\n    sizes:\n    - const: 4\n  args:\n  - {argument}\n"
    );
    shop.write("facts.yaml", facts);
}

#[test]
fn a_launch_that_breaks_a_fact_fails_or_runs_the_kernel_as_it_is() {
    let shop = shop(ONE);
    give_facts(&shop, "{index: 2, value: {scalar: {const: 16}}}");
    let made = shop
        .fpgacc("-w --as-on-board -Rpass=specialise host.c sums.cl facts.yaml -o app")
        .success();
    assert!(
        made.stderr
            .contains("parameter 'width' is the constant 16, as the launch at host.c:"),
        "{}",
        made.stderr
    );
    let held = shop.sh("./app 16 4").success();
    assert_eq!(
        (held.stdout.as_str(), held.stderr.as_str()),
        ("0: 4376 7960\n", "")
    );
    let broken = shop.sh("./app 8 4").success();
    assert_eq!(broken.stdout, "-52: 0 0\n");
    let message = "error: kernel `sums` is not launched: it was compiled with the value 16 for \
                   argument 2 (`width`), in this launch it is 8 (CL_INVALID_KERNEL_ARGS)";
    assert!(broken.stderr.contains(message), "{}", broken.stderr);
    assert!(
        broken.stderr.contains("--keep-general"),
        "{}",
        broken.stderr
    );
    shop.fpgacc("-w -fexecution-model=swi --keep-general host.c sums.cl facts.yaml -o app")
        .success();
    for (arguments, expected) in [
        ("16 4", "0: 4376 7960\n"),
        ("8 4", "0: 4092 4988\n"),
        ("16 8", "0: 8376 11960\n"),
        ("16 3", "-54: 0 0\n"),
    ] {
        let ran = shop.sh(&format!("./app {arguments}")).success();
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (expected, ""));
        let verbose = shop
            .sh(&format!("FPGACC_VERBOSE=1 ./app {arguments}"))
            .success();
        assert_eq!(
            verbose
                .stderr
                .contains("in its version `fpgacc_general_sums` as the host says"),
            matches!(arguments, "8 4" | "16 8"),
            "{}",
            verbose.stderr
        );
    }
}

#[test]
fn each_way_of_launching_gets_a_version() {
    let shop = shop(TWO);
    // So much work that a loop which is unrolled whole counts.
    shop.write(
        "sums.cl",
        "__kernel void sums(__global const int *in, __global int *out, int width)
{
    int i = get_global_id(0), sum = 0;
    for (int round = 0; round < 4096; round++) {
        sum = 1000 * get_local_size(0);
        #pragma unroll
        for (int j = 0; j < width; j++)
            sum += in[i * width + j];
    }
    out[i] = sum;
}
",
    );
    let made = shop
        .fpgacc("-w -fexecution-model=swi -Rpass=specialise host.c sums.cl -o app")
        .success();
    assert!(
        made.stderr.contains(
            "built in 2 versions, of which the runtime takes the first whose facts hold: 'sums' for \
             local size 4, width = 16; 'fpgacc_2_sums' for local size 8, width = 8"
        ),
        "{}",
        made.stderr
    );
    let ran = shop.sh("FPGACC_VERBOSE=1 ./app 1 1").success();
    assert_eq!(ran.stdout, "0: 4376 7960\n0: 8092 8988\n");
    assert!(
        ran.stderr
            .contains("launched in its version `fpgacc_2_sums` as one work-item"),
        "{}",
        ran.stderr
    );
    // The same bytes from objects.
    shop.fpgacc("-w -c host.c").success();
    shop.fpgacc("-c sums.cl").success();
    shop.fpgacc("-fexecution-model=swi host.o sums.o -o again")
        .success();
    shop.sh("cmp app.aocx again.aocx").success();
    assert_eq!(shop.sh("./again 1 1").success().stdout, ran.stdout);
    let asked = shop
        .fpgacc("-w -fno-specialise --emit=kernels host.c sums.cl")
        .success();
    assert!(!asked.stdout.contains("fpgacc_2_sums"), "{}", asked.stdout);
}

/// A version takes area: one serves all launches, unless the model finds several faster.
#[test]
fn versions_are_made_where_the_model_finds_them_faster() {
    let large = TWO
        .replace("width = 16;", "global = 1024; width = 4;")
        .replace("local = 4;", "local = 64;")
        .replace("local = 8;", "local = 64;");
    let shop = shop(&large);
    let kernels = |options: &str, text: &str| {
        shop.write("sums.cl", text);
        let line = format!("-w {options} --emit=kernels host.c sums.cl");
        shop.fpgacc(&line).success().stdout
    };
    let models = ["", "-fexecution-model=swi"];
    // Constants change nothing here.
    let plain = "__kernel void sums(__global const int *in, __global int *out, int width)
{
    int i = get_global_id(0);
    out[i] = in[i] + width;
}
";
    for model in models {
        assert!(!kernels(model, plain).contains("fpgacc_2_sums"), "{model}");
    }
    // A loop can be unrolled whole where its bound is a constant.
    let unrolled = "__kernel void sums(__global const float *in, __global float *out, int width)
{
    int i = get_global_id(0);
    float sum = 0;
    #pragma unroll
    for (int j = 0; j < width; j++)
        sum += in[i + j] * (j + 1);
    out[i] = sum;
}
";
    for model in models {
        assert!(
            kernels(model, unrolled).contains("fpgacc_2_sums"),
            "{model}"
        );
    }
}

/// The host's own numbers size a `__local` parameter; `argv` gives more than that at the second launch.
const SHARED: &str = "local = 4;
    for (int extra = 0; extra < 2; extra++) {
        clSetKernelArg(kernel, 3, extra ? local * width : 5 * sizeof(int), NULL);
        report(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    }";

const SHARING: &str = include_str!("inputs/facts_that_do_not_hold_sharing.cl");

#[test]
fn launches_give_no_more_local_memory_than_is_stated() {
    let shop = shop(SHARED);
    shop.write("sums.cl", SHARING);
    give_facts(&shop, "{index: 3, value: {local: {const: 20}}}");
    let flags = "-w --as-on-board -fno-ndrange-to-loop -Rpass=local-memory-size";
    let made = shop
        .fpgacc(&format!("{flags} host.c sums.cl facts.yaml -o app"))
        .success();
    let remark = "parameter 'shared' has 32 bytes of local memory: the launches give 20 at most";
    assert!(made.stderr.contains(remark), "{}", made.stderr);
    // 4 * 8 bytes are as many as were built for; 4 * 9 are not.
    let held = shop.sh("./app 8 4").success();
    assert_eq!(held.stdout, "0: 0 14\n0: 0 14\n");
    let broken = shop.sh("./app 9 4").success();
    assert_eq!(broken.stdout, "0: 0 14\n-5: 0 0\n");
    let message = "it was compiled for at most 32 bytes of local memory in argument 3 (`shared`), \
                   this launch has 36 (CL_OUT_OF_RESOURCES)";
    assert!(broken.stderr.contains(message), "{}", broken.stderr);
    shop.fpgacc(&format!(
        "{flags} --keep-general host.c sums.cl facts.yaml -o app"
    ))
    .success();
    let general = shop.sh("./app 9 4").success();
    assert_eq!(general.stdout, "0: 0 14\n0: 0 14\n");
}

/// The third argument says which buffer is the second parameter: 0 for the same as the first. Only the run
/// shows it.
const EITHER: &str = "cl_mem both[2] = {in, out}, to;
    __builtin_memcpy(&to, both + atoi(argv[3]), sizeof to);
    out = to;
    clSetKernelArg(kernel, 1, sizeof to, &to);
    report(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));";

const NEXT: &str = "__kernel void sums(__global const int *in, __global int *out, int width)
{
    int i = get_global_id(0);
    out[i] = in[i] + width;
}
";

/// What is assumed makes no program fail: there is a version without it, unless the user leaves it out.
#[test]
fn what_is_assumed_makes_no_launch_fail() {
    let shop = shop(EITHER);
    shop.write("sums.cl", NEXT);
    let made = shop
        .fpgacc("-w -Rpass=general host.c sums.cl -o app")
        .success();
    let remark = "remark: kernel 'sums': also built as it is ('fpgacc_general_sums'), for launches in \
                  which what is assumed does not hold: that 'in' and 'out' are distinct is assumed: the \
                  launch at host.c:";
    assert!(made.stderr.contains(remark), "{}", made.stderr);
    for (arguments, is_general) in [("16 4 1", false), ("16 4 0", true)] {
        let ran = shop.sh(&format!("./app {arguments}")).success();
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            ("0: 17 31\n", ""),
            "{arguments}"
        );
        let verbose = shop
            .sh(&format!("FPGACC_VERBOSE=1 ./app {arguments}"))
            .success();
        assert_eq!(
            verbose
                .stderr
                .contains("in its version `fpgacc_general_sums`"),
            is_general,
            "{}",
            verbose.stderr
        );
    }
    let made = shop
        .fpgacc("-w -Rpass=general --no-general host.c sums.cl -o app")
        .success();
    assert!(!made.stderr.contains("remark"), "{}", made.stderr);
    assert_eq!(shop.sh("./app 16 4 0").success().stdout, "-52: 0 0\n");
}

/// Where everything is proved, there is one version of each kernel, which only the runtime can launch.
#[test]
fn what_is_proved_needs_no_version_of_its_own() {
    let shop = shop(ONE);
    shop.write("sums.cl", NEXT);
    let emitted = shop.fpgacc("-w --emit=kernels host.c sums.cl").success();
    for part in ["restrict", "int fpgacc_key) {"] {
        assert!(emitted.stdout.contains(part), "{}", emitted.stdout);
    }
    assert!(
        !emitted.stdout.contains("fpgacc_general_"),
        "{}",
        emitted.stdout
    );
}

/// A recorded local size is built for, and another one runs the kernel as it is.
#[test]
fn what_was_only_seen_makes_no_launch_fail() {
    let shop = shop(ONE);
    shop.fpgacc("-w host.c sums.cl -o app").success();
    shop.fpgacc("trace -o seen.yaml -- ./app 16 4").success();
    for model in ["swi", "ndrange"] {
        shop.fpgacc(&format!(
            "-w -fexecution-model={model} host.c sums.cl --facts seen.yaml -o app"
        ))
        .success();
        for (arguments, expected) in [("16 4", "0: 4376 7960\n"), ("16 8", "0: 8376 11960\n")] {
            let ran = shop.sh(&format!("./app {arguments}")).success();
            assert_eq!(
                (ran.stdout.as_str(), ran.stderr.as_str()),
                (expected, ""),
                "{model}"
            );
        }
    }
}

/// Launches of objects that fpgacc did not compile are not among those that are proved.
#[test]
fn launches_of_other_objects_are_served() {
    let shop = shop(
        "extern cl_int again(cl_command_queue queue, cl_kernel kernel, cl_mem both, size_t local);
    report(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    out = in;
    report(again(queue, kernel, in, 8));",
    );
    shop.write("sums.cl", NEXT);
    shop.write(
        "again.c",
        "#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
cl_int again(cl_command_queue queue, cl_kernel kernel, cl_mem both, size_t local)
{
    size_t global = 16;
    clSetKernelArg(kernel, 0, sizeof both, &both);
    clSetKernelArg(kernel, 1, sizeof both, &both);
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}
",
    );
    shop.sh("cc -c again.c && ar rc libagain.a again.o")
        .success();
    for input in ["again.o", "-L. -lagain"] {
        shop.fpgacc(&format!("-w host.c {input} sums.cl -o app"))
            .success();
        let ran = shop.sh("./app 16 4").success();
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            ("0: 17 31\n0: 17 31\n", ""),
            "{input}"
        );
    }
}

/// Shared virtual memory, of which PoCL has some: `app` passes two allocations, and then parts of one.
const SHARED_MEMORY: &str = include_str!("inputs/facts_that_do_not_hold_shared_memory.c");

#[test]
fn shared_virtual_memory_is_compared_by_allocation() {
    let shop = Workshop::new();
    shop.write("host.c", SHARED_MEMORY);
    shop.write("sums.cl", NEXT);
    shop.fpgacc("-w --platform=pocl -fexecution-model=swi host.c sums.cl -o app")
        .success();
    let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
    assert_eq!(ran.stdout, "0: 6 20\n0: 6 20\n", "{}", ran.stderr);
    let launches: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.contains("launched"))
        .collect();
    let [first, second] = launches[..] else {
        panic!("{}", ran.stderr);
    };
    assert!(first.contains("launched as one work-item"), "{first}");
    assert!(second.contains("`fpgacc_general_sums`"), "{second}");
}

/// The binding's header calls OpenCL, and passes on no line of the host.
#[test]
fn launches_through_bindings_are_named_by_their_lines() {
    let shop = Workshop::new();
    let host = "#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <fstream>
#include <sstream>

int main()
{
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context);
    std::stringstream text;
    text << std::ifstream(\"k.cl\").rdbuf();
    cl::Program program(context, text.str());
    program.build();
    cl::Buffer data(context, CL_MEM_READ_WRITE, 4096);
    cl::Kernel once(program, \"once\");
    once.setArg(0, data);
    queue.enqueueNDRangeKernel(once, cl::NullRange, cl::NDRange(1024), cl::NDRange(64));
    cl::KernelFunctor<cl::Buffer> twice(program, \"twice\");
    for (int i = 0; i < 2; i++)
        twice(cl::EnqueueArgs(queue, cl::NDRange(512), cl::NDRange(64)), data);
    twice(cl::EnqueueArgs(queue, cl::NDRange(1024), cl::NDRange(64)), data);
    queue.finish();
}
";
    shop.write("host.cpp", host);
    let kernel =
        |name: &str| format!("kernel void {name}(global int *a) {{ a[get_global_id(0)] += 1; }}\n");
    shop.write("k.cl", kernel("once") + &kernel("twice"));
    shop.fpgacc("-w host.cpp k.cl -o app").success();
    let said = shop.sh("FPGACC_VERBOSE=1 ./app").success().stderr;
    for line in [
        "fpgacc: host.cpp:18:5: kernel `once` launched ",
        "fpgacc: host.cpp:21:9 or host.cpp:22:5: kernel `twice` launched ",
    ] {
        assert!(said.contains(line), "{said}");
    }
}
