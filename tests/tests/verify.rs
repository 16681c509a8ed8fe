//! `fpgacc --verify`: programs that are the same, that differ, that differ from themselves, that
//! fail; wrong uses.

use std::path::{Path, PathBuf};

use fpgacc_runtime::seal;
use fpgacc_tests::command::{Outcome, Workshop, has};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// A workshop with the host and the kernel of `fixture/verify.*`.
fn shop() -> Workshop {
    let shop = Workshop::new();
    for name in ["verify.c", "verify.cl"] {
        shop.write(
            name,
            std::fs::read(root().join("fixture").join(name)).unwrap(),
        );
    }
    shop
}

/// With kernels as different from the original as they get.
fn verify(shop: &Workshop, words: &str) -> Outcome {
    let options = "--verify -fexecution-model=swi";
    shop.fpgacc(&format!("{options} verify.c verify.cl {words}"))
}

#[test]
fn a_right_program_is_the_same_on_each_emulator() {
    let shop = shop();
    for platform in ["intel", "pocl"] {
        let output = verify(&shop, &format!("--platform={platform}")).success();
        let table = "                    original   rewritten
launches                   1           1
read-backs                 5           5
bytes                    332         332
exit code                  0           0
lines printed              1           1

kernel reverse: 1 launch as one work-item
compared: 5 read-backs, 332 bytes: all the same
";
        assert!(output.stdout.starts_with(table), "{}", output.stdout);
        assert!(
            output.stdout.ends_with("verdict: same\n"),
            "{}",
            output.stdout
        );
        assert_eq!(output.stderr, "");
    }
    assert_eq!(shop.entries(), ["verify.c", "verify.cl"]);
}

#[test]
fn the_program_runs_from_where_a_plain_build_leaves_it() {
    let shop = shop();
    let host = shop.text("verify.c");
    // The files are looked for beside argv[0], and beside the executable itself.
    let looks = r#"
static void look(const char *executable)
{
    char path[4096];
    snprintf(path, sizeof path, "%.*s/settings", (int)(strrchr(executable, '/') - executable), executable);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "no %s\n", path);
        exit(9);
    }
}

__attribute__((constructor)) static void look_beside(int argc, char **argv)
{
    char own[4096] = "";
    (void)argc;
    look(argv[0]);
    if (readlink("/proc/self/exe", own, sizeof own - 1) > 0)
        look(own);
}

int main("#;
    shop.write("verify.c", host.replace("\nint main(", looks));
    shop.write("settings", "");
    let before = shop.entries();
    let output = verify(&shop, "").success();
    has(&output.stdout, &["verdict: same\n"]);
    let kernels = shop.text("verify.cl");
    // So do the further builds that settle a difference.
    shop.write(
        "verify.cl",
        kernels.replace("0.5f", "third").replace(
            "    int l =",
            "    float third = 1.0f / (get_local_size(0) - 13);\n    int l =",
        ),
    );
    verify(&shop, "--strict-fp -- relaxed").success();
    assert_eq!(shop.entries(), before);
    shop.sh("mkdir bin && mv settings bin").success();
    let output = verify(&shop, "-o bin/app").success();
    has(&output.stdout, &["verdict: same\n"]);
    let output = verify(&shop, "").failure();
    has(&output.stderr, &["no ./settings"]);
}

#[test]
fn images_are_missed_when_the_program_is_built() {
    let shop = Workshop::with_fixture();
    shop.write(
        "k.cl",
        "kernel void f(read_only image2d_t from, global float *to) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    to[get_global_id(0)] = read_imagef(from, s, (int2)(get_global_id(0), 0)).x;
}
",
    );
    let line =
        "k.cl:1:35: warning: kernel 'f' takes an image, and Intel's FPGA emulator has no images";
    for words in ["-o app", "--verify"] {
        let output = shop.fpgacc(&format!("--platform=intel {words} host.c k.cl"));
        has(&output.stderr, &[line, "help: --platform=pocl"]);
    }
    let output = shop.fpgacc("--platform=pocl host.c k.cl -o app").success();
    assert!(
        !output.stderr.contains("takes an image"),
        "{}",
        output.stderr
    );
}

#[test]
fn objects_are_verified_too_and_the_program_stays_where_the_user_wants_it() {
    let shop = shop();
    shop.sh("fpgacc -g -c verify.c -o h.o && fpgacc -c verify.cl -o k.o")
        .success();
    let output = shop
        .fpgacc("--verify -fexecution-model=swi h.o k.o -o app")
        .success();
    has(&output.stdout, &["as one work-item", "verdict: same\n"]);
    shop.sh("./app && FPGACC_ORIGINAL=1 ./app").success();
}

#[test]
fn tampered_kernels_are_found_with_their_place() {
    let shop = shop();
    // Without options the build that joins no operations has the same number.
    let relaxed = "has(argc, argv, \"relaxed\") ? \"-cl-fast-relaxed-math\" : NULL";
    let host = shop.text("verify.c");
    assert!(host.contains(relaxed));
    shop.write("verify.c", host.replace(relaxed, "NULL"));
    let kernels = shop.text("verify.cl");
    // A kernel that is wrong in the last work-item of each group, under the same name.
    let wrong = kernels.replace("0.5f", "(l == 15 ? 0.25f : 0.5f)");
    shop.write("tampered/verify.cl", &wrong);
    shop.write("tampered/verify.c", shop.text("verify.c"));
    let build = "fpgacc --as-on-board verify.c verify.cl -o app";
    shop.sh(&format!("cd tampered && {build} && cd .. && {build}"))
        .success();
    // With the seal of the right ones; else they would be refused.
    let (wrong, right) = (shop.read("tampered/app.aocx"), shop.read("app.aocx"));
    let wrong = seal::program_of(&wrong).expect("a seal").to_vec();
    let build = seal::build_of(&right).expect("a seal");
    shop.write("tampered/app.aocx", seal::seal(wrong, build, "verify.cl"));
    let output = shop
        .sh("FPGACC_AOCX_PATH=$PWD/tampered/app.aocx fpgacc --verify verify.c verify.cl -o app")
        .failure();
    let source = shop.text("verify.c");
    let above = source
        .lines()
        .position(|line| line.contains("The first read-back"));
    let place = format!("verify.c:{}", above.unwrap() + 2);
    let place = format!("first difference: read-back 1, {place}, clEnqueueReadBuffer, buffer 1\n");
    has(
        &output.stdout,
        &[
            &place,
            // 0.5 and 0.25 in the four groups, at element 15.
            " bytes differ, the first at offset 62\n",
            "original:  0x3f000000, int 1056964608, float 0.5\n",
            "rewritten: 0x3e800000, int 1048576000, float 0.25\n",
            "compared: 5 read-backs, 332 bytes: 2 different\n",
            "without contraction: different\nverdict: different (the original gives the same twice)\n",
            "app runs the original kernels with FPGACC_ORIGINAL=1\n",
        ],
    );
}

#[test]
fn a_program_that_differs_from_itself_is_undecided() {
    let output = verify(&shop(), "-- random").failure();
    has(
        &output.stdout,
        &[
            "first difference: read-back 1, verify.c:",
            "verdict: undecided: the original differs from itself when it runs again\n",
            "  help: to compare, it has to do the same twice: a fixed seed for random numbers",
        ],
    );
}

/// What nobody wrote may be the same in two runs of the original, and another thing in the rewritten program's.
#[test]
fn memory_that_nobody_wrote_is_no_difference() {
    let shop = Workshop::new();
    // So large that it is memory of its own, which holds zeros.
    let host = |written: &str| {
        format!(
            "#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
static int data[1 << 22];
int main(void) {{
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, NULL);
    int is_original = getenv(\"FPGACC_ORIGINAL\") != NULL;
    for (int i = 0; i < 1 << 22; i++)
        data[i] = 7 - 7 * is_original;
    if (!is_original)
        clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    data[0] = 1;
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, {written}, data, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
}}
"
        )
    };
    shop.write("k.cl", "kernel void k(global int *a) { a[0] = 1; }\n");
    for (written, verdict) in [
        (
            "4",
            "verdict: undecided: what differs depends on memory that nobody wrote\n",
        ),
        (
            "8",
            "verdict: different (the original gives the same twice)\n",
        ),
    ] {
        shop.write("host.c", host(written));
        let output = shop.fpgacc("--verify host.c k.cl").failure();
        has(&output.stdout, &[verdict]);
    }
}

const PROGRAM: &str = "clCreateProgramWithSource(context, 1, (const char *[]){\"kernel void k(global int \
     *a) { a[get_global_id(0)] += 1; }\\n\"}, NULL, NULL)";

/// The original differs from itself, and both do the same once the memory begins with the same bytes.
#[test]
fn programs_that_read_unwritten_memory_are_compared_with_the_same_bytes_in_it() {
    let shop = Workshop::new();
    shop.write(
        "k.cl",
        "kernel void k(global int *a) { a[get_global_id(0)] += 1; }\n",
    );
    // Of the host's memory, and of a buffer's; a random number stays one.
    let random = "int *data = malloc(SIZE);";
    for (data, verdict) in [
        (
            random,
            "verdict: same where memory that nobody wrote holds the same in both runs\n",
        ),
        (
            "int *data = malloc(SIZE); data[100] = getpid();",
            "verdict: undecided: the original differs from itself when it runs again\n",
        ),
    ] {
        let host = format!(
            "#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <unistd.h>
#define SIZE (1 << 16)
int main(void) {{
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = FPGACC_PROGRAM;
    clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, \"k\", NULL);
    volatile int *before = malloc(SIZE);
    for (int i = 0; i < SIZE / 4; i++)
        before[i] = getpid();
    free((void *)before);
    {data}
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, SIZE, data, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    size_t global = SIZE / 4;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, data, 0, NULL, NULL);
}}
"
        );
        shop.write("host.c", host.replace("FPGACC_PROGRAM", PROGRAM));
        let output = shop.fpgacc("--verify -fexecution-model=swi host.c k.cl");
        has(&output.stdout, &["as one work-item", verdict]);
    }
}

/// A stand-in for a fault of a device's optimiser.
#[test]
fn a_difference_that_only_the_optimised_original_shows_is_undecided() {
    let shop = shop();
    let kernels = shop.text("verify.cl");
    assert!(kernels.contains("0.5f"));
    let wrong = "#ifdef __OPTIMIZE__\n#define HALF 0.25f\n#else\n#define HALF 0.5f\n#endif\n";
    let kernels = kernels.replace("0.5f", "HALF");
    shop.write("verify.cl", format!("{wrong}{kernels}"));
    let output = verify(&shop, "--platform=pocl").failure();
    has(
        &output.stdout,
        &[
            "compared: 5 read-backs, 332 bytes: 5 different\n",
            "verdict: undecided: without optimisation (-cl-opt-disable) the original gives what the \
             rewritten kernels give\n  help: the device's compiler may be wrong",
        ],
    );
}

/// Calls of the C++ bindings are in `opencl.hpp`, and say nothing; the host's own line is that of the read-back.
#[test]
fn lines_of_bindings_are_not_the_host_s() {
    let shop = Workshop::new();
    let host = "#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <unistd.h>
int main() {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    std::vector<cl::Device> devices;
    platforms[0].getDevices(CL_DEVICE_TYPE_ALL, &devices);
    cl::Context context(devices[0]);
    cl::CommandQueue queue(context, devices[0]);
    int data[4] = {getpid(), 1, 2, 3};
    cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof data, data);
}
";
    shop.write("host.cpp", host);
    shop.write("k.cl", "kernel void k(global int *a) { a[0] = 1; }\n");
    let output = shop.fpgacc("--verify host.cpp k.cl").failure();
    has(
        &output.stdout,
        &["first difference: read-back 1, host.cpp:14, clEnqueueReadBuffer"],
    );
}

#[test]
fn numbers_that_kernels_print_count() {
    let shop = shop();
    let kernels = shop.text("verify.cl");
    let prints = kernels.replace(
        "    int l =",
        "    if (get_group_id(0) == 0)\n        printf(\"%d\\n\", (int)a[5]);\n    int l =",
    );
    shop.write("verify.cl", &prints);
    // Without any read-back. Other groups may run when that of the number has changed it.
    let output = verify(&shop, "-- blind").success();
    has(
        &output.stdout,
        &[
            "lines printed             16          16\n",
            "verdict: same\n",
        ],
    );
    let output = verify(&shop, "-- blind random").failure();
    has(
        &output.stdout,
        &["printed: numbers differ", "verdict: undecided"],
    );
}

#[test]
fn what_is_printed_counts_but_for_numbers() {
    let output = verify(&shop(), "-- which").failure();
    has(
        &output.stdout,
        &[
            "compared: 5 read-backs, 332 bytes: all the same\n",
            "printed: words differ, first in line 2\n  original:  `original`\n  rewritten: `rewritten`\n",
            "verdict: different",
        ],
    );
}

#[test]
fn build_logs_are_no_part_of_the_comparison() {
    let shop = shop();
    // PoCL warns of what is meant for FPGA compilers, Intel reports each step.
    for platform in ["intel", "pocl"] {
        let words = format!("--platform={platform} -o app -- log");
        verify(&shop, &words).success();
        // On its own, the program hears what the original's compiler says.
        let output = shop.sh("./app log").success().stdout;
        let original = shop.sh("FPGACC_ORIGINAL=1 ./app log").success().stdout;
        let log = |text: &str| text.split(">>").next().map(String::from);
        assert_eq!(log(&output), log(&original));
    }
}

#[test]
fn a_program_that_fails_is_not_taken_for_the_same() {
    let shop = shop();
    let output = verify(&shop, "-- fail").failure();
    has(
        &output.stderr,
        &[
            "the program fails with its original kernels: exit code 4",
            "no input file",
        ],
    );
    let output = verify(&shop, "-- crash").failure();
    has(
        &output.stderr,
        &["original kernels: killed by signal 6 (SIGABRT"],
    );
    let output = verify(&shop, "-- blind").failure();
    has(&output.stderr, &["the program reads nothing back"]);
    let output = verify(&shop, "-- endless").failure();
    has(
        &output.stderr,
        &[
            "again? again?",
            "the program printed more than 256 MiB and was ended",
        ],
    );
    // A number that means something else than failure.
    let output = verify(&shop, "-- seven").success();
    has(
        &output.stdout,
        &["exit code                  7           7\n"],
    );
}

#[test]
fn a_launch_that_only_the_rewritten_program_refuses_is_a_difference() {
    let shop = shop();
    // What each work-item keeps across the barrier takes an array.
    let kept = shop.text("verify.cl").replace(
        "t[l] = a[get_global_id(0)];",
        "float own = a[get_global_id(0)];\n    t[l] = own;",
    );
    shop.write("verify.cl", kept.replace("+ 0.5f", "+ own"));
    let output = verify(&shop, "--max-local-size=16 -- wide").failure();
    has(
        &output.stdout,
        &[
            "kernel reverse: 1 launch as one work-item, 1 of them refused\n",
            "first difference: read-back 1,",
            "only the original program has it",
            "ended: the original with exit code 0, the rewritten with exit code 3\n",
            "verdict: different",
        ],
    );
    has(
        &output.stderr,
        &["at most 16 work-items", "launch: error -54"],
    );
}

#[test]
fn a_text_that_fpgacc_did_not_compile_is_not_compared_with_itself() {
    let shop = shop();
    let other = shop.text("verify.cl").replace("0.5f", "0.75f");
    shop.write("other.cl", other);
    let output = verify(&shop, "-- other").failure();
    has(
        &output.stderr,
        &[
            "the program launches no kernel that fpgacc compiled",
            "this program text is none that fpgacc compiled",
        ],
    );
}

/// Which of two threads reads first is another matter in each run.
#[test]
fn threads_are_compared_one_by_one() {
    let shop = Workshop::new();
    shop.write("composed.h", include_str!("inputs/composed.h"));
    let host = "#include \"composed.h\"
#include <pthread.h>
static cl_program program;
static void *work(void *argument) {
    int own = *(int *)argument, found[8];
    cl_kernel kernel = clCreateKernel(program, \"fill\", NULL);
    cl_mem memory = clCreateBuffer(context, 0, sizeof found, NULL, NULL);
    cl_command_queue own_queue = clCreateCommandQueue(context, device, 0, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    size_t items = 8;
    for (int round = 0; round < 10; round++) {
        int with = 100 * own + round;
        clSetKernelArg(kernel, 1, sizeof with, &with);
        clEnqueueNDRangeKernel(own_queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
        clEnqueueReadBuffer(own_queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL);
    }
    return NULL;
}
int main(void) {
    const char *text = \"kernel void fill(global int *a, int with) { a[get_global_id(0)] = with; }\";
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};
    start();
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, \"\", NULL, NULL);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}
";
    shop.write("host.c", host);
    for round in 0..3 {
        let output = shop.fpgacc("--verify host.c -lpthread").success();
        let all = "compared: 40 read-backs, 1280 bytes: all the same";
        assert!(output.stdout.contains(all), "{round}: {}", output.stdout);
    }
}

#[test]
fn sums_in_another_order_are_held_to_a_bound() {
    let shop = Workshop::new();
    let benchmarks = root().join("../benchmarks");
    for name in [
        "kmeans/kmeans.c",
        "kmeans/kmeans.cl",
        "common/workload.h",
        "data/iris.csv",
    ] {
        let file = name.rsplit('/').next().unwrap();
        shop.write(file, std::fs::read(benchmarks.join(name)).unwrap());
    }
    let verify = |options: &str| {
        let build = "-fexecution-model=swi -I. kmeans.c kmeans.cl -lm";
        shop.fpgacc(&format!("--verify {options} {build} -- --input iris.csv"))
            .success()
    };
    let output = verify("");
    has(
        &output.stdout,
        &[
            "bound: float 1e-4 of the value",
            "verdict: same within the bound\n",
        ],
    );
    let output = verify("--strict-fp");
    has(&output.stdout, &[": all the same\n", "verdict: same\n"]);
}

#[test]
fn what_the_device_s_compiler_rounds_otherwise_is_settled() {
    let shop = shop();
    let kernels = shop.text("verify.cl");
    let sums = kernels
        .replace(
            "    int l =",
            "    float third = 1.0f / (get_local_size(0) - 13);\n    int l =",
        )
        .replace(
            "    a[get_global_id(0)] = t",
            "    float sum = 0.0f;
    for (int i = 0; i < 4; i++)
        sum += (t[(l + i) & 15] + third) * third * 0.7f;
    a[get_global_id(0)] = sum + (t[l] + third) * third + t",
        )
        .replace("0.5f", "third");
    shop.write("verify.cl", sums);
    // The build option lets the compiler join and simplify.
    let output = verify(&shop, "--strict-fp -o app -- relaxed").success();
    has(
        &output.stdout,
        &[
            "compared: 5 read-backs, 332 bytes: ",
            " different\n",
            "floating-point values differ by up to ",
            "without contraction: all the same\nverdict: same without contraction: ",
        ],
    );
    assert!(
        !output.stdout.contains("FPGACC_ORIGINAL=1"),
        "{}",
        output.stdout
    );
    let prelude = r"$(printf '#pragma OPENCL FP_CONTRACT OFF\n#line 1\n ')";
    shop.sh(&format!(
        "FPGACC_ORIGINAL=1 FPGACC_PRELUDE=\"{prelude}\" ./app relaxed"
    ))
    .success();
}

/// On Intel's emulator a sine of eight work-items at a time is another one than that of a loop's iteration.
#[test]
fn functions_of_the_implementation_s_precision_are_settled() {
    for prefix in ["", "native_"] {
        let shop = Workshop::new();
        let host = std::fs::read(root().join("fixture/sines.c")).unwrap();
        shop.write("sines.c", host);
        let kernels = format!(
            "__kernel void sines(__global float *out, __global const float *in) {{
    int i = get_global_id(0);
    out[i * 16] = {prefix}sin(in[i]);
    out[i * 16 + 1] = {prefix}cos(in[i]);
}}
"
        );
        shop.write("sines.cl", kernels);
        let words = "--verify -fexecution-model=swi --platform=intel sines.c sines.cl";
        let output = shop.fpgacc(words).success();
        // Whether the emulator has two functions for them depends on the CPU.
        let settled = "without contraction: different; one work-item at a time as well: all the same\n\
                       verdict: same without vectors: ";
        let is_settled = output.stdout.contains(settled);
        assert!(
            is_settled || output.stdout.ends_with("verdict: same\n"),
            "{}",
            output.stdout
        );
    }
}

#[test]
fn sums_beyond_the_bound_are_no_rounding() {
    let shop = shop();
    let kernels = shop.text("verify.cl");
    // Nearly nothing is left of the large numbers, and the original is the same without contraction.
    let sums = kernels.replace(
        "    a[get_global_id(0)] = t",
        "    float sum = 0.0f;
    for (int i = 0; i < 16; i++)
        sum += i == 0 ? 1e8f : i == 9 ? -1e8f : t[i];
    a[get_global_id(0)] = sum + t",
    );
    shop.write("verify.cl", sums);
    let output = verify(&shop, "").failure();
    has(
        &output.stdout,
        &[
            "without contraction: different; with --strict-fp as well: all the same\n",
            "verdict: different: `reduction` changed the order of operations",
        ],
    );
    assert_eq!(output.code, Some(1));
    verify(&shop, "--strict-fp").success();
}

#[test]
fn words_after_the_dashes_are_the_program_s_own() {
    let shop = shop();
    shop.write("words", "-c fail");
    // None of these is an option or a response file of fpgacc.
    let output = verify(&shop, "-o app -- -c @words -o x --verify -- y").success();
    has(&output.stdout, &["verdict: same\n"]);
    assert!(!shop.entries().contains(&"x".to_string()));
    // Without --verify they are files.
    let output = shop.fpgacc("verify.c verify.cl -o app -- y").failure();
    has(&output.stderr, &["no such file: 'y'"]);
}

#[test]
fn wrong_uses_are_reported() {
    let shop = shop();
    for (words, what) in [
        ("-c", "it goes with none of -c, -S, -E, --emit"),
        ("--emit=kernels", "it goes with none of -c, -S, -E, --emit"),
        ("-###", "it goes with none of -c, -S, -E, --emit"),
        ("--target=source", "--verify runs programs on an emulator"),
        ("--target=hardware", "--verify runs programs on an emulator"),
    ] {
        let output = verify(&shop, words);
        assert_eq!(output.code, Some(2), "{words}: {}", output.stderr);
        has(&output.stderr, &[what]);
    }
    let output = shop.fpgacc("--verify -- verify.c");
    assert_eq!(output.code, Some(2));
    has(&output.stderr, &["no input files"]);
    assert_eq!(shop.entries(), ["verify.c", "verify.cl"]);
}
